package facets

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"frontdesk/internal/infra/language"
)

// minuteWords are the words for spans of time, folded, in minutes.
var minuteWords = sync.OnceValue(func() map[string]float64 {
	minutes := map[string]float64{
		"second": 1.0 / 60, "minute": 1, "hour": 60, "day": 24 * 60, "week": 7 * 1440, "month": 30 * 1440,
		"year": 365 * 1440,
	}
	words := map[string]float64{}
	for word, unit := range wordsOf("time.unit")() {
		words[word] = minutes[unit]
	}
	return words
})

// Words of spans of time: what joins their parts, what stands for one, for half and for a quarter
// of a unit, for a half more behind one, and for so many minutes.
var (
	spanJoints   = wordsOf("number.and")
	oneWords     = wordsOf("number.one")
	halfWords    = wordsOf("number.half")
	quarterWords = wordsOf("number.quarter")
	halvesMore   = sync.OnceValue(func() (all []string) {
		for list := range language.Each("number.andhalf") {
			for _, phrase := range list.Phrases {
				if !language.IsJoined(phrase) {
					phrase = " " + phrase
				}
				all = append(all, phrase)
			}
		}
		return all
	})
	wholeSpans = figuresOf("time.minutes")
)

var isoDuration = regexp.MustCompile(`^[Pp](?:(\d+(?:\.\d+)?)[Yy])?(?:(\d+(?:\.\d+)?)[Mm])?(?:(\d+(?:\.\d+)?)[Ww])?(?:(\d+(?:\.\d+)?)[Dd])?(?:[Tt](?:(\d+(?:\.\d+)?)[Hh])?(?:(\d+(?:\.\d+)?)[Mm])?(?:(\d+(?:\.\d+)?)[Ss])?)?`)

// mostMinutes bounds a span: a hundred years.
const mostMinutes = 100 * 365 * 1440

// ReadMinutes reads the span of time at the beginning of a text, in minutes, and how many bytes it
// took; 0 when there is none. It reads ISO 8601 ("PT1H20M") and words: "20 min", "1 hour and 20
// minutes", "1h20", "1½ Stunden", "half an hour", "eine halbe Stunde", "30分", "an hour and a half".
// A number alone is no span.
func ReadMinutes(s string) (minutes float64, n int) {
	if minutes, n = readISO(s); n > 0 {
		return minutes, n
	}
	for n < len(s) {
		start := n
		if n > 0 {
			start += joint(s[n:])
		}
		part, m := readSpan(s[start:])
		if m == 0 {
			break
		}
		minutes += part
		n = start + m
		if bare, k := ReadNumber(s[n:]); k > 0 && part >= 60 && bare < 60 && n == start+m { // "1h20"
			if after, _ := wordAt(s[n+k+blanks(s[n+k:]):]); minuteWords()[after] == 0 {
				minutes += bare
				n += k
			}
			// otherwise "1h20min": the next turn reads it
		}
	}
	if minutes > mostMinutes {
		return 0, 0
	}
	return minutes, n
}

func readISO(s string) (minutes float64, n int) {
	if len(s) < 3 || s[0] != 'P' && s[0] != 'p' {
		return 0, 0
	}
	m := isoDuration.FindStringSubmatch(s)
	if m == nil || len(m[0]) < 3 {
		return 0, 0
	}
	if n = len(m[0]); n < len(s) {
		if word, _ := wordAt(s[n:]); word != "" || digitAt(s, n) {
			return 0, 0
		}
	}
	said := false
	for i, factor := range []float64{365 * 1440, 30 * 1440, 7 * 1440, 1440, 60, 1, 1.0 / 60} {
		if m[i+1] != "" {
			f, err := strconv.ParseFloat(m[i+1], 64)
			if err != nil {
				return 0, 0
			}
			minutes, said = minutes+f*factor, true
		}
	}
	if !said || minutes > mostMinutes {
		return 0, 0
	}
	return minutes, n
}

// joint is what may stand between the parts of a span: ", and", "und", a blank.
func joint(s string) int {
	n := blanks(s)
	if n < len(s) && s[n] == ',' {
		n++
		n += blanks(s[n:])
	}
	word, m := wordAt(s[n:])
	if _, joins := spanJoints()[word]; joins {
		n += m
		n += blanks(s[n:])
	}
	return n
}

// readSpan reads one number and one unit of time. A number may be a word, or missing before the
// first unit: "an hour".
func readSpan(s string) (minutes float64, n int) {
	value, n := ReadNumber(s)
	if n == 0 { // "half an hour", "anderthalb Stunden", "a couple of hours"
		return readWorded(s)
	}
	gap := blanks(s[n:])
	if half := halfMore(s[n:]); half > 0 {
		value += 0.5
		n += half
		gap = blanks(s[n:])
	}
	word, m := beginning(s[n+gap:], minuteWords())
	factor, ok := minuteWords()[word]
	if !ok || word == "m" && gap > 0 {
		return 0, 0
	}
	n += gap + m
	if strings.HasPrefix(s[n:], ".") &&
		(word == "min" || word == "std" || word == "hr" || word == "sek" || word == "sec") {
		n++
	}
	if half := halfMore(s[n:]); half > 0 { // "an hour and a half"
		value += 0.5
		n += half
	}
	return value * factor, n
}

// readWorded reads a span whose number is in words.
func readWorded(s string) (minutes float64, n int) {
	value, said := 1.0, false
	for range 4 {
		word, m := wordAt(s[n:])
		if m == 0 {
			return 0, 0
		}
		if factor, ok := minuteWords()[word]; ok && said && len(word) > 1 {
			n += m
			if half := halfMore(s[n:]); half > 0 {
				value += 0.5
				n += half
			}
			return value * factor, n
		}
		if whole, ok := wholeSpans()[word]; ok {
			return whole, n + m
		}
		f, known := NumberWord(word)
		_, one := oneWords()[word]
		_, half := halfWords()[word]
		_, quarter := quarterWords()[word]
		switch {
		case half:
			value, said = value/2, true
		case one:
			said = true
		case quarter:
			value, said = value/4, true
		case known:
			value, said = value*f, true
		default:
			return 0, 0
		}
		n += m
		gap := blanks(s[n:])
		if gap == 0 && strings.HasPrefix(s[n:], "'") {
			gap = 1
		} else if gap == 0 && strings.HasPrefix(s[n:], "’") {
			gap = len("’")
		}
		if gap == 0 {
			return 0, 0
		}
		n += gap
	}
	return 0, 0
}

// halfMore is the length of " and a half" and its like behind a unit.
func halfMore(s string) int {
	for _, half := range halvesMore() {
		if len(s) >= len(half) && strings.EqualFold(s[:len(half)], half) {
			return len(half)
		}
	}
	return 0
}
