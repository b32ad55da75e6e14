package query

import (
	"fmt"
	"time"
)

// holiday is a day of every year, or some that belong together.
type holiday struct {
	month     time.Month
	day, days int
	easter    bool // the day counts from Easter Sunday
}

// holidays by what people call them, in folded words. They are times only where something leads to one ("after Christmas"):
// "Christmas market" is a kind of market. The argument of their lists has the month and the day, or how many days before Easter
// Sunday, and how many days it lasts: "12-24 3", "easter-2 4".
var holidays = func() map[string]holiday {
	named := map[string]holiday{}
	for name, when := range argumentsOf("holiday") {
		var h holiday
		if _, err := fmt.Sscanf(when, "easter%d %d", &h.day, &h.days); err == nil {
			h.easter = true
		} else if _, err := fmt.Sscanf(when, "%d-%d %d", &h.month, &h.day, &h.days); err != nil {
			panic("query: no holiday " + when)
		}
		named[name] = h
	}
	return named
}()

// holiday reads the name of a holiday at i, the next or, of what was published, the last one. A word that goes on with it
// makes it a name of something else.
func (r *reader) holiday(i int) (p period, next int, ok bool) {
	i = r.unarticled(i)
	if h, n := longestAt(r.line, i, holidays); n > 0 && r.together(i, i+n) {
		next = i + n
		if next < len(r.tokens) && !r.together2(next) && !r.has(next, roleAnd) && r.plain(next) {
			return p, 0, false
		}
		return r.onHoliday(h), next, true
	}
	return p, 0, false
}

// onHoliday gives the days of a holiday: the next ones of what is to come, the last ones of what was published.
func (r *reader) onHoliday(h holiday) period {
	today := r.today()
	in := func(year int) period {
		from := time.Date(year, h.month, h.day, 0, 0, 0, 0, today.Location())
		if h.easter {
			from = easter(year, today.Location()).AddDate(0, 0, h.day)
		}
		return period{from, from.AddDate(0, 0, h.days)}
	}
	p := in(today.Year())
	switch ahead := r.ahead(); {
	case ahead && !p.to.After(today):
		p = in(today.Year() + 1)
	case !ahead && p.from.After(today):
		p = in(today.Year() - 1)
	}
	return p
}

// easter is Easter Sunday of a year of the Gregorian calendar.
func easter(year int, zone *time.Location) time.Time {
	a, b, c := year%19, year/100, year%100
	h := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	l := (32 + 2*(b%4) + 2*(c/4) - h - c%4) % 7
	m := (a + 11*h + 22*l) / 451
	n := h + l - 7*m + 114
	return time.Date(year, time.Month(n/31), n%31+1, 0, 0, 0, 0, zone)
}

// bygones are the openings of questions for what has been, in folded words: a time without a year is the last one then.
var bygones = everywhere("time.bygone")

// readBygone finds that a question is for what has been, and how many of its first words say so.
func (r *reader) readBygone() (n int) {
	for n := min(longest(bygones), len(r.tokens)-1); n > 1; n-- {
		if r.together(0, n) && bygones[r.phrase(0, n)] {
			r.bygone = true
			return n
		}
	}
	return 0
}
