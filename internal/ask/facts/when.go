package facts

import "time"

// When is the day or the moment that hours are asked of. The zero When is none in particular.
type When struct {
	kind    whenKind
	at      time.Time
	weekday int // 0 is Monday
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

// mondayFirst counts weekdays from Monday.
func mondayFirst(day time.Weekday) int { return (int(day) + 6) % 7 }

// dateOf is the date of a moment in its own zone, as midnight in UTC.
func dateOf(t time.Time) time.Time {
	year, month, day := t.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// minuteOf is the minute of the day of a moment in its own zone.
func minuteOf(t time.Time) int { return t.Hour()*60 + t.Minute() }
