package facets

import (
	"fmt"
	"time"
)

// Holiday is a day of every year, or some that belong together.
type Holiday struct {
	month     time.Month
	day, days int
	easter    bool // the day counts from Easter Sunday
}

// ReadHoliday reads a holiday as tables write it: its month and day, or how many days behind Easter
// Sunday it is, and how many days it lasts: "12-24 3", "easter-2 4".
func ReadHoliday(written string) (h Holiday, ok bool) {
	if _, err := fmt.Sscanf(written, "easter%d %d", &h.day, &h.days); err == nil {
		h.easter = true
		return h, true
	}
	_, err := fmt.Sscanf(written, "%d-%d %d", &h.month, &h.day, &h.days)
	return h, err == nil
}

// In gives the days of a holiday in a year: from from to just before to.
func (h Holiday) In(year int, zone *time.Location) (from, to time.Time) {
	from = time.Date(year, h.month, h.day, 0, 0, 0, 0, zone)
	if h.easter {
		from = easter(year, zone).AddDate(0, 0, h.day)
	}
	return from, from.AddDate(0, 0, h.days)
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
