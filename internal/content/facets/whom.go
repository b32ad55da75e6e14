package facets

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"frontdesk/internal/infra/language"
)

// Age is the slot of the ages, in years, that something is for.
const Age Slot = "typicalAgeRange"

// maxAge is the age of the oldest, and so the end of a range that says no other.
const maxAge = 120

// Words of ages and of numbers of people, folded.
var (
	ageWords, oldWords   = wordsOf("age.word"), wordsOf("age.old")
	agesFrom, agesUpTo   = wordsOf("age.from"), wordsOf("age.upto")
	orMore               = wordsOf("ormore")
	children, peopleOf   = wordsOf("age.child"), wordsOf("people.property")
	rangeJoints, forWhom = wordsOf("range.joint"), wordsOf("serves")
	ageProperties        = wordsOf("age.property")
	yearWords            = sync.OnceValue(func() map[string]string {
		words := map[string]string{}
		for list := range language.Each("time.unit") {
			for _, phrase := range list.Phrases {
				if list.Argument == "year" {
					words[Fold(phrase)] = list.Argument
				}
			}
		}
		return words
	})
)

// Ages is a range of ages that the words from From to before To say.
type Ages struct {
	From, To  int
	Low, High float64
}

// IsChild says whether a folded word is one for a young person: "niece", "Kinder".
func IsChild(word string) bool {
	if _, child := children()[word]; child || !language.IsJoined(word) {
		return child
	}
	for child := range children() {
		if language.IsJoined(child) && strings.Contains(word, child) {
			return true
		}
	}
	return false
}

// AgesIn finds the ages that folded words say: "7 year old", "ab 6 Jahren", "de 8 à 12 ans". Years
// alone are ages only beside a word for a young person.
func AgesIn(words []string) (all []Ages) {
	young := slices.ContainsFunc(words, IsChild)
	for i := 0; i < len(words); i++ {
		if ages, ok := agesAt(words, i, young); ok {
			all = append(all, ages)
			i = ages.To - 1
		}
	}
	return all
}

func agesAt(words []string, i int, young bool) (a Ages, ok bool) {
	low, ok := smallFigure(words, i)
	if !ok {
		return a, false
	}
	a = Ages{From: i, To: i + 1, Low: low, High: low}
	years, old := a.years(words)
	to, next := a.To, a.To
	if _, joint := rangeJoints()[wordAtOf(words, next)]; joint {
		next++
	}
	ranged := false
	if high, isFigure := smallFigure(words, next); isFigure && high > low {
		end := Ages{To: next + 1}
		more, older := end.years(words)
		if next > to || more {
			a.High, a.To, ranged = high, end.To, true
			years, old = years || more, old || older
		}
	}
	from, n := leadBefore(words, i, agesFrom())
	upTo, m := leadBefore(words, i, agesUpTo())
	named, k := leadBefore(words, i-max(n, m), ageWords())
	more := a.more(words)
	a.To += more
	switch {
	case !(old || named && (ranged || years || from || upTo || young || more > 0) ||
		years && (young || from && !ranged)):
		return a, false
	case upTo && !ranged:
		a.Low, a.From = 0, i-m
	case (from || more > 0 || a.open(words)) && !ranged:
		a.High = maxAge
		fallthrough
	case from:
		a.From = i - n
	}
	if named {
		a.From -= k
	}
	return a, a.High <= maxAge
}

// years takes words behind a figure that make it an age.
func (a *Ages) years(words []string) (years, old bool) {
	for n := min(3, len(words)-a.To); n > 0; n-- {
		if _, old = oldWords()[strings.Join(words[a.To:a.To+n], " ")]; old {
			a.To += n
			return true, true
		}
	}
	next := wordAtOf(words, a.To)
	if _, years = yearWords()[next]; years {
		a.To++
		return true, false
	}
	for word := range oldWords() { // "5歳以上"
		if language.IsJoined(word) && strings.HasPrefix(next, word) {
			return true, true
		}
	}
	return false, false
}

// more is how many words behind the ages leave them open upwards: "16 and over".
func (a *Ages) more(words []string) int {
	for n := min(3, len(words)-a.To); n > 0; n-- {
		if isIn(orMore(), strings.Join(words[a.To:a.To+n], " ")) {
			return n
		}
	}
	return 0
}

// open says whether the word behind the figure of a script without blanks leaves it open upwards.
func (a *Ages) open(words []string) bool {
	next := wordAtOf(words, a.To)
	for word := range agesFrom() {
		if language.IsJoined(word) && language.IsJoined(next) && strings.Contains(next, word) {
			return true
		}
	}
	return false
}

func wordAtOf(words []string, i int) string {
	if i < 0 || i >= len(words) {
		return ""
	}
	return words[i]
}

func isIn(words map[string]string, word string) bool {
	_, in := words[word]
	return in
}

// smallFigure reads a whole number, in digits or as a word.
func smallFigure(words []string, i int) (float64, bool) {
	word := wordAtOf(words, i)
	if n, err := strconv.Atoi(word); err == nil {
		return float64(n), n >= 0 && n <= maxAge && len(word) < 4
	}
	n, ok := NumberWord(word)
	return n, ok && n == float64(int(n))
}

// leadBefore says whether some words end before i, and how many they are.
func leadBefore(words []string, i int, leads map[string]string) (ok bool, n int) {
	for n = min(3, i); n > 0; n-- {
		if _, ok = leads[strings.Join(words[i-n:i], " ")]; ok {
			return true, n
		}
	}
	return false, 0
}

// apart are the folded words of a text, with its figures as words of their own: "5歳" is two.
func apart(text string) []string {
	folded := Fold(text)
	var b strings.Builder
	was := ' '
	for _, c := range folded {
		digit := func(r rune) bool { return r >= '0' && r <= '9' }
		if digit(c) != digit(was) && c > utf8.RuneSelf || digit(c) && was > utf8.RuneSelf {
			b.WriteByte(' ')
		}
		b.WriteRune(c)
		was = c
	}
	return strings.Fields(b.String())
}

// ages reads the ages of typicalAgeRange: "7-11", "16-", "18+", "ab 6".
func (r *reader) ages(_ string, v *node) {
	v.each(func(n *node) {
		words := apart(n.name())
		low, some := -1.0, false
		high := -1.0
		for i := range words {
			if f, ok := smallFigure(words, i); ok && !some {
				low, some = f, true
			} else if ok {
				high = max(high, f)
			}
		}
		if upTo, _ := leadBefore(words, min(1, len(words)), agesUpTo()); some && high < 0 &&
			(upTo || strings.HasPrefix(strings.TrimSpace(n.name()), "-")) {
			low, high = 0, low
		}
		if some {
			r.suits(low, high)
		}
	})
}

// suits takes a range of ages, open upwards where its end is below its beginning.
func (r *reader) suits(low, high float64) {
	if high < low {
		high = maxAge
	}
	r.figure(Figure{Slot: Age, Kind: Figures, Low: low, High: high})
}

// holds takes for how many people there is room: from one, or the least that is stated, up to so
// many.
func (r *reader) holds(_ string, v *node) {
	v.each(func(n *node) {
		low, high := 1.0, 0.0
		if least, ok := numberOf(n.member("minValue")); ok {
			low = least
		}
		for _, value := range []*node{n, n.member("value"), n.member("maxValue")} {
			if most, ok := numberOf(value); ok {
				high = most
			} else if q, m := ReadQuantity(strings.TrimSpace(value.name())); m > 0 && q.Unit == "people" {
				high = q.Value
			} else if from, to, ok := readSpread(value.name()); ok && (from.Unit == "" || from.Unit == "people") {
				low, high = from.Value, to.Value
			} else if words := apart(value.name()); high == 0 { // "up to 20"
				for i := range words {
					if most, ok := smallFigure(words, i); ok {
						high = most
					}
				}
			}
		}
		r.figure(Figure{Slot: Yield, Kind: Figures, Low: low, High: high})
	})
}

// ofNobody are types of items whose texts tell of others than those that they are for.
var ofNobody = []string{
	"Article", "NewsArticle", "BlogPosting", "WebPage", "AboutPage", "ContactPage", "FAQPage", "Question", "Review",
	"Person", "JobPosting", "Organization",
}

// whom reads from a sentence for which ages something is, and for how many people there is room,
// where nothing before says so. Who pays what is no matter of that.
func (r *reader) whom(sentence string) {
	words := apart(sentence)
	priced := slices.ContainsFunc(words, func(w string) bool {
		return currencyWords()[w] != "" || isIn(freePrices(), w)
	}) ||
		strings.ContainsAny(sentence, "€£$¥")
	if _, said := r.Figure(Age); !said && !priced {
		for _, a := range AgesIn(words) {
			r.figure(Figure{Slot: Age, Kind: Figures, Low: a.Low, High: a.High})
		}
	}
	if _, said := r.Figure(Yield); said {
		return
	}
	for i := range words {
		low, ok := smallFigure(words, i)
		lead, _ := leadBefore(words, i, forWhom())
		if !ok || !lead || low < 1 {
			continue
		}
		end, high := i+1, low
		if _, joint := rangeJoints()[wordAtOf(words, end)]; joint {
			end++
		}
		if most, ranged := smallFigure(words, end); ranged && most > low {
			end, high = end+1, most
		}
		if u, ok := units()[wordAtOf(words, end)]; ok && u.base == "people" {
			if high == low {
				low = 1
			}
			r.figure(Figure{Slot: Yield, Kind: Figures, Low: low, High: high})
			return
		}
	}
}
