package facts

import (
	"cmp"
	"slices"
	"time"
)

const (
	dayMinutes = 24 * 60
	// ahead is for how many days a closed place's next hours are looked for, and special days told.
	ahead = 14
	// holidays is the day that schema.org calls PublicHolidays, behind the seven of the week.
	holidays = 7
	everyDay = 1<<holidays - 1
)

// span is a time that a place is open: minutes from the midnight at which its day begins. One past
// midnight ends behind dayMinutes; it belongs to the day on which it begins.
type span struct{ from, to int }

// rule is what one specification says: on these days, while it is valid, the place is open so.
type rule struct {
	days        uint8     // a bit a day, the lowest for Monday; 0 names none
	spans       []span    // none: closed
	first, last time.Time // dates; zero for no bound
	special     bool
}

// schedule is what a thing says of its hours.
type schedule struct {
	rules    []rule
	property string // that states the usual hours
	partial  bool   // something of it could not be read, so that what is absent is not known
}

// level says how closely a rule speaks of single days: the special ones win over those of a season,
// and those over the rest.
func (r *rule) level() int {
	switch {
	case r.special, !r.first.IsZero() && r.first.Equal(r.last):
		return 2
	case r.seasonal():
		return 1
	}
	return 0
}

func (r *rule) seasonal() bool { return !r.first.IsZero() || !r.last.IsZero() }

// covers says whether a rule is valid on a date.
func (r *rule) covers(date time.Time) bool {
	return (r.first.IsZero() || !date.Before(r.first)) && (r.last.IsZero() || !date.After(r.last))
}

// names says whether a rule speaks of a day of the week, or of holidays.
func (r *rule) names(day int) bool { return r.days&(1<<day) != 0 || r.days == 0 && day != holidays }

// on gives the hours of a date, in order and apart; none where the place is closed. stated is false
// where nothing is known.
func (s *schedule) on(date time.Time) (spans []span, stated bool) {
	return s.resolve(date, mondayFirst(date.Weekday()), 2)
}

// onHoliday gives the hours of a date that is a public holiday: those of the date or of holidays,
// never of usual weekdays.
func (s *schedule) onHoliday(date time.Time) (spans []span, stated bool) {
	if spans, stated = s.special(date); stated {
		return spans, true
	}
	return s.named(date, holidays, 2)
}

// special gives the hours of a date where they are unlike the usual ones.
func (s *schedule) special(date time.Time) (spans []span, stated bool) {
	return s.at(date, mondayFirst(date.Weekday()), 2)
}

// resolve gives the hours of a day by the rules up to a level. A weekday that no rule names is
// closed where others are named.
func (s *schedule) resolve(date time.Time, day, level int) (spans []span, stated bool) {
	if spans, stated = s.named(date, day, level); stated {
		return spans, true
	}
	return nil, !s.partial && s.usualOn(date)
}

// named gives the hours of a day by the highest level up to the given one that names it.
func (s *schedule) named(date time.Time, day, level int) (spans []span, stated bool) {
	for ; level >= 0; level-- {
		if spans, stated = s.at(date, day, level); stated {
			return spans, true
		}
	}
	return nil, false
}

// at gives the hours of a day by the rules of one level.
func (s *schedule) at(date time.Time, day, level int) (spans []span, stated bool) {
	for i := range s.rules {
		if r := &s.rules[i]; r.level() == level && r.covers(date) && r.names(day) {
			stated = true
			spans = append(spans, r.spans...)
		}
	}
	return joined(spans), stated
}

// usualOn says whether usual hours are known for the time of a date.
func (s *schedule) usualOn(date time.Time) bool {
	return slices.ContainsFunc(s.rules, func(r rule) bool {
		return r.level() < 2 && r.covers(date) && r.days&everyDay != 0
	})
}

// joined puts spans in order and joins those that touch.
func joined(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(a.from-b.from, a.to-b.to) })
	apart := spans[:0]
	for _, next := range spans {
		if last := len(apart) - 1; last >= 0 && next.from <= apart[last].to {
			apart[last].to = max(apart[last].to, next.to)
			continue
		}
		apart = append(apart, next)
	}
	return apart
}

// opening is a time that a place is open, and the date to whose hours it belongs.
type opening struct {
	date time.Time
	span
}

// during gives the hours that a moment falls in. stated is false where it is not known whether the
// place is open.
func (s *schedule) during(date time.Time, minute int) (found opening, open, stated bool) {
	for back := 1; back >= 0; back-- { // those of the evening before first: they began first
		day := date.AddDate(0, 0, -back)
		spans, known := s.on(day)
		for _, hours := range spans {
			if at := minute + back*dayMinutes; hours.from <= at && at < hours.to {
				return opening{day, hours}, true, true
			}
		}
		stated = known
	}
	return opening{}, false, stated
}

// until gives the date and minute to which a place stays open from a moment at which it is; false
// when it does not close within a week.
func (s *schedule) until(now opening) (date time.Time, minute int, closes bool) {
	date, minute = now.date, now.to
	for limit := now.date.AddDate(0, 0, 8); date.Before(limit); {
		date, minute = date.AddDate(0, 0, minute/dayMinutes), minute%dayMinutes
		next, open, _ := s.during(date, minute)
		if !open {
			return date, minute, true
		}
		date, minute = next.date, next.to
	}
	return date, minute, false
}

// next gives when a place opens after a moment at which it is closed; false when that is not known.
func (s *schedule) next(date time.Time, minute int) (opening, bool) {
	for day := range ahead {
		then := date.AddDate(0, 0, day)
		spans, _ := s.on(then)
		for _, hours := range spans {
			if day > 0 || hours.from > minute {
				return opening{then, hours}, true
			}
		}
	}
	return opening{}, false
}

// season is the time for which usual hours are told.
type season struct {
	date        time.Time // a date in it
	first, last time.Time // its bounds; zero for none
	coming      bool
}

// longSeason is from how many days on a season's bounds are not told: they are there for machines.
const longSeason = 300

// season finds the usual hours that hold on a date, or else the next ones. With no date they are
// those without bounds, or else the first.
func (s *schedule) season(date time.Time) (season, bool) {
	if s.usualOn(date) {
		return s.bounded(season{date: date}), true
	}
	best := season{}
	for i := range s.rules {
		r := &s.rules[i]
		if r.level() != 1 || r.first.IsZero() || r.first.Before(date) || r.days&everyDay == 0 {
			continue
		}
		if best.date.IsZero() || r.first.Before(best.date) {
			best = season{date: r.first, coming: true}
		}
	}
	return s.bounded(best), !best.date.IsZero()
}

// bounded gives a season the narrowest bounds of the rules that hold in it.
func (s *schedule) bounded(found season) season {
	for i := range s.rules {
		r := &s.rules[i]
		if r.level() != 1 || !r.covers(found.date) {
			continue
		}
		if found.first.IsZero() || r.first.After(found.first) {
			found.first = r.first
		}
		if !r.last.IsZero() && (found.last.IsZero() || r.last.Before(found.last)) {
			found.last = r.last
		}
	}
	endless := found.first.IsZero() || found.last.IsZero() || found.last.Sub(found.first) > longSeason*24*time.Hour
	if endless && !found.coming {
		found.first, found.last = time.Time{}, time.Time{}
	}
	return found
}
