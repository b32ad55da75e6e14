package facts

import (
	"slices"
	"time"
)

// When is the day or the moment that hours are asked of. The zero When is none in particular.
type When struct {
	kind    whenKind
	at      time.Time
	weekday int  // 0 is Monday, 7 public holidays
	part    span // of that day; empty for all of it
}

type whenKind int

const (
	anytime whenKind = iota
	weekly
	onDate
	onHoliday
	atMoment
)

// Every is each such weekday: "on Sundays".
func Every(day time.Weekday) When { return When{kind: weekly, weekday: mondayFirst(day)} }

// On is a date. Its time of day does not count.
func On(date time.Time) When { return When{kind: onDate, at: dateOf(date)} }

// OnHoliday is a date that is a public holiday. What a place says of usual weekdays does not hold
// on it.
func OnHoliday(date time.Time) When { return When{kind: onHoliday, at: dateOf(date)} }

// At is a moment, in the place's own zone.
func At(moment time.Time) When { return When{kind: atMoment, at: moment} }

// Holidays is each public holiday.
func Holidays() When { return When{kind: weekly, weekday: holidays} }

// During is a part of the day that w is: its minutes from one to another.
func (w When) During(from, to int) When {
	w.part = span{from, to}
	return w
}

// holds says whether a place that is open at these times of a day is so in the part that is asked
// about.
func (w When) holds(spans []span) bool {
	whole := w.part.to <= w.part.from
	return slices.ContainsFunc(spans, func(s span) bool { return whole || s.from < w.part.to && w.part.from < s.to })
}

// mondayFirst counts weekdays from Monday.
func mondayFirst(day time.Weekday) int { return (int(day) + 6) % 7 }

// dateOf is the date of a moment in its own zone, as midnight in UTC.
func dateOf(t time.Time) time.Time {
	year, month, day := t.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// minuteOf is the minute of the day of a moment in its own zone.
func minuteOf(t time.Time) int { return t.Hour()*60 + t.Minute() }
