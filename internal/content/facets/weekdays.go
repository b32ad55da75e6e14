package facets

import (
	"iter"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"frontdesk/internal/infra/language"
)

// Days is the slot of the days of the week on which something is: its values are the signs that
// Weekdays gives.
const Days Slot = "byDay"

// dayNames are the names of the days from Monday on, as the tables' lists call them, and what
// stands for several of them.
var (
	dayNames   = []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
	dayBundles = map[string][]string{"workday": dayNames[:5], "weekend": dayNames[5:]}
)

// weekdays are the days that a folded word of any language names, from 0 for Monday on.
var weekdays = sync.OnceValue(func() map[string][]int {
	days := map[string][]int{}
	for list := range language.Each("day") {
		names := dayBundles[list.Argument]
		if slices.Contains(dayNames, list.Argument) {
			names = []string{list.Argument}
		}
		for _, phrase := range list.Phrases {
			for _, name := range names {
				days[Fold(phrase)] = append(days[Fold(phrase)], slices.Index(dayNames, name))
			}
		}
	}
	return days
})

// daySign is the sign under which items have a day, from 0 for Monday on.
func daySign(day int) string { return "weekday" + string(rune('1'+day)) }

// SignOf gives the sign under which items have a day of the week.
func SignOf(day time.Weekday) string { return daySign(int(day+6) % 7) }

// Weekday gives the sign under which items have the one day of the week that a folded word names.
func Weekday(word string) (sign string, ok bool) {
	if days := weekdays()[word]; len(days) == 1 {
		return daySign(days[0]), true
	}
	return "", false
}

// DayNamed gives the day of the week that a folded word names in any language, or as data is
// written: "sat", "we".
func DayNamed(word string) (day time.Weekday, ok bool) {
	at := slices.IndexFunc(dayNames, func(name string) bool {
		short := word == name[:min(len(word), len(name))] && (len(word) == 2 || len(word) == 3)
		return short || word == "tues" && name == "tuesday" || (word == "thur" || word == "thurs") && name == "thursday"
	})
	if days := weekdays()[word]; len(days) == 1 {
		at = days[0]
	}
	return time.Weekday((at + 1) % len(dayNames)), at >= 0
}

// Weekdays gives the signs of the days that an argument of the lists "day" stands for: "saturday",
// "weekend".
func Weekdays(argument string) (signs []string) {
	for day, name := range dayNames {
		if name == argument || slices.Contains(dayBundles[argument], name) {
			signs = append(signs, daySign(day))
		}
	}
	return signs
}

// WeekdayOf gives the day that an argument of the lists "day" names.
func WeekdayOf(argument string) (day time.Weekday, ok bool) {
	at := slices.Index(dayNames, argument)
	return time.Weekday((at + 1) % len(dayNames)), at >= 0
}

// weekdayName is what a language calls the day of a sign; empty for what is none.
func weekdayName(sign, in string) string {
	for _, table := range language.Tables() {
		for list := range table.Each("day") {
			if at := slices.Index(dayNames, list.Argument); table.Tag == in && at >= 0 && sign == daySign(at) {
				return list.Phrases[0]
			}
		}
	}
	return ""
}

// shortLink is how many bytes a word has at most that may link the days of a range or the languages
// of a list.
const shortLink = 3

// alsoWords join the days of a list, and none of a range between.
var alsoWords = wordsOf("and")

// dayExcept are words before a day that leave it out.
var dayExcept = wordsOf("not.exceptive")

// daysOf gives the signs of the days of the week that a text names, those of a range one by one:
// "lundi au jeudi". Where it leaves one out, the others are meant: "every day except Sunday".
func daysOf(text string) (signs []string) {
	folded := Fold(text)
	words := strings.Fields(Fold(strings.NewReplacer(",", " , ", "–", " - ", "-", " - ", "/", " , ").Replace(text)))
	last, between := -1, 0
	add := func(day int) {
		if sign := daySign(day); !slices.Contains(signs, sign) {
			signs = append(signs, sign)
		}
	}
	for name, days := range weekdays() {
		if language.IsJoined(name) && strings.Contains(folded, name) {
			for _, day := range days {
				add(day)
			}
		}
	}
	for i, word := range words {
		named := weekdays()[word]
		if len(named) == 0 {
			if between++; between > 1 || len(word) > shortLink || isIn(alsoWords(), word) {
				last = -1
			}
			continue
		}
		if before := words[max(0, i-2):i]; slices.ContainsFunc(before,
			func(w string) bool { return isIn(dayExcept(), w) }) {
			for day := range dayNames {
				if !slices.Contains(named, day) {
					add(day)
				}
			}
			continue
		}
		for _, day := range named {
			first := day
			if last >= 0 && between > 0 && last < day && !strings.Contains(text, ",") {
				first = last + 1
			}
			for ; first <= day; first++ {
				add(first)
			}
		}
		last, between = named[len(named)-1], 0
	}
	return signs
}

// byDay reads days of the week that a schedule states.
func (r *reader) byDay(_ string, v *node) {
	v.each(func(n *node) {
		for _, sign := range daysOf(enumerated(n.name())) {
			r.word(Days, sign)
		}
	})
}

// longestEvent is how long an event is at most whose days of the week are those on which it is on.
const longestEvent = 7 * 24 * time.Hour

// days reads on which days of the week something is: those of its times, or else those that its
// texts name.
func (r *reader) days(texts ...string) {
	if len(r.Values(Days)) > 0 {
		return
	}
	for _, f := range r.Figures {
		span := time.Duration(f.High-f.Low) * time.Second
		if f.Slot != Start || f.Kind != Times || span > longestEvent {
			continue
		}
		for at := f.At(); ; at = at.AddDate(0, 0, 1) {
			r.word(Days, SignOf(at.Weekday()))
			if !at.AddDate(0, 0, 1).Before(f.At().Add(span)) {
				break
			}
		}
	}
	if _, dated := r.Figure(Start); dated && len(r.Values(Days)) > 0 {
		return
	}
	for _, text := range texts {
		for sentence := range sentences(text) {
			r.weekly(sentence)
		}
	}
}

// sentences gives the sentences of a text. A point within a figure ends none: "18.30 Uhr".
func sentences(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		from := 0
		for i, c := range text {
			if !strings.ContainsRune(".!?;\n。", c) || c == '.' && i > 0 && digitAt(text, i-1) && digitAt(text, i+1) {
				continue
			}
			if i > from && !yield(text[from:i]) {
				return
			}
			from = i + utf8.RuneLen(c)
		}
		if from < len(text) {
			yield(text[from:])
		}
	}
}

// clockWords make a time of day of a figure before them.
var clockWords = wordsOf("clock.unit")

// earliestStart is the first minute of the day that a figure before such a word means: a smaller
// one is how many hours something takes.
const earliestStart = 6 * 60

// weekly reads on which days of the week something is by a sentence, and at what time of the day it
// begins on them.
func (r *reader) weekly(sentence string) {
	days := daysOf(sentence)
	for _, sign := range days {
		r.word(Days, sign)
	}
	if _, told := r.Figure(StartTime); told || len(days) == 0 {
		return
	}
	for at := range Starts(sentence) {
		minute, marked, n := ReadClock(sentence[at:])
		unit, _ := wordAt(strings.TrimLeft(sentence[at+n:], " "))
		if n > 0 && (marked || minute >= earliestStart && isIn(clockWords(), unit)) {
			r.beginsAt(minute)
			return
		}
	}
}

// startTime reads the time of day at which what a schedule tells begins.
func (r *reader) startTime(_ string, v *node) {
	v.each(func(n *node) {
		if minute, marked, size := ReadClock(n.text); marked && size > 0 {
			r.beginsAt(minute)
		}
	})
}

func (r *reader) beginsAt(minute int) {
	r.figure(Figure{Slot: StartTime, Kind: Figures, Low: float64(minute), High: float64(minute)})
}
