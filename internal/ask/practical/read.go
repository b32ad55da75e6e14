package practical

import (
	"maps"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/ask/facts"
	"frontdesk/internal/content/facets"
)

// Asked is what a question asks of a site's owner, and for which day, country or people.
type Asked struct {
	Language  string // one of Languages, in which it seems to be asked
	Intent    string
	Weights   map[string]float64 // of all intents
	Practical float64            // how likely it is a practical question at all, 0 to 1
	When      facts.When
	Holiday   string   // the name of the holiday that is asked for; empty for none
	Countries []string // codes
	Names     []string // of [words] that it has words of
	Places    []Place
}

// Read reads a question of somebody who prefers a language, that is asked now.
func Read(text, language string, now time.Time) Asked {
	folded := facets.Fold(text)
	a := Asked{Language: languageOf(folded, language), Weights: Weigh(text), Intent: None}
	best := 0.0
	for _, intent := range slices.Sorted(maps.Keys(a.Weights)) {
		if p := a.Weights[intent]; intent != None && p > best {
			a.Intent, best = intent, p
		}
	}
	a.Practical = 1 - a.Weights[None]
	a.Names = NamesOf(folded)
	a.Countries = facts.CountriesIn(text)
	a.Places = Places(folded)
	a.readWhen(text, now)
	return a
}

// Sure is how likely the most likely intent is.
func (a *Asked) Sure() float64 { return a.Weights[a.Intent] }

// KinSure is how likely it is that intent or one whose pages are called the same.
func (a *Asked) KinSure() (sure float64) {
	for _, related := range kin()[a.Intent] {
		sure += a.Weights[related]
	}
	return max(sure, a.Sure())
}

// Has says whether the question has words of a name.
func (a *Asked) Has(name string) bool { return slices.Contains(a.Names, name) }

// readWhen reads the day that is asked for. A day of the week is one of each week.
func (a *Asked) readWhen(text string, now time.Time) {
	for _, holiday := range holidays {
		if a.Has(holiday) {
			a.Holiday = holiday
			if date, ok := dateOf(holiday, now); ok {
				a.When = facts.OnHoliday(date)
			}
			return
		}
	}
	for day, name := range weekdays {
		if a.Has(name) {
			a.When = facts.Every(time.Weekday(day))
			return
		}
	}
	if date, ok := dateIn(text, now); ok {
		a.When = facts.On(date)
		return
	}
	switch {
	case now.IsZero():
	case a.Has("tomorrow"):
		a.When = facts.On(now.AddDate(0, 0, 1))
	case a.Has("now"):
		a.When = facts.At(now)
	case a.Has("today"):
		a.When = facts.On(now)
	}
}

// Hours is which of the intents of package facts on hours the question means.
func (a *Asked) Hours() string {
	switch {
	case a.Has("now") && a.Has("whether"):
		return "open"
	case a.Has("opens") && !a.Has("closes"):
		return "opens"
	case a.Has("whether"):
		return "open"
	case a.Has("closes"):
		return "closes"
	}
	return "hours"
}

// dateIn is the day of a year that a text names, the next one where it names no year.
func dateIn(text string, now time.Time) (time.Time, bool) {
	if now.IsZero() {
		return now, false
	}
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	start := true
	for i, r := range text {
		if start {
			from, to, n := facets.ReadDayOf(text[i:], now.Year(), now.Location())
			if n > 0 && to.Sub(from) <= 25*time.Hour && strings.ContainsAny(text[i:i+n], "0123456789") {
				if from.Before(today) && !strings.Contains(text[i:i+n], from.Format("2006")) {
					from = from.AddDate(1, 0, 0)
				}
				return from, true
			}
		}
		start = r == ' ' || r > 0x2e80
	}
	return now, false
}

// fixed are the holidays that are on the same date each year.
var fixed = map[string]struct {
	month time.Month
	day   int
}{
	"christmas-eve": {time.December, 24}, "christmas-day": {time.December, 25}, "boxing-day": {time.December, 26},
	"new-years-eve": {time.December, 31}, "new-years-day": {time.January, 1},
}

// moving are those that count from Easter Sunday, in days.
var moving = map[string]int{"good-friday": -2, "easter-sunday": 0, "easter-monday": 1}

// dateOf is the next day of a holiday; false for one of no date.
func dateOf(holiday string, now time.Time) (time.Time, bool) {
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	for year := now.Year(); year <= now.Year()+1; year++ {
		date, days := time.Time{}, 0
		if on, ok := fixed[holiday]; ok {
			date = time.Date(year, on.month, on.day, 0, 0, 0, 0, time.UTC)
		} else if days, ok = moving[holiday]; ok {
			date = easter(year).AddDate(0, 0, days)
		} else {
			return date, false
		}
		if !date.Before(today) {
			return date, true
		}
	}
	return today, false
}

// easter is Easter Sunday of a year of the Gregorian calendar.
func easter(year int) time.Time {
	a, b, c := year%19, year/100, year%100
	h := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	l := (32 + 2*(b%4) + 2*(c/4) - h - c%4) % 7
	m := (a + 11*h + 22*l) / 451
	n := h + l - 7*m + 114
	return time.Date(year, time.Month(n/31), n%31+1, 0, 0, 0, 0, time.UTC)
}
