package facts

import (
	"strings"
	"time"

	"frontdesk/internal/content/facets"
)

// maxRules bounds the rules of one schedule.
const maxRules = 200

// specials is the property of days that are unlike the usual ones.
const specials = "specialOpeningHoursSpecification"

// schedule reads the hours of the thing, from the first of the intent's properties that states any;
// false where none does.
func (t *teller) schedule() (*schedule, bool) {
	s := &schedule{}
	for _, value := range t.thing.find(specials) {
		s.read(value, true)
	}
	for _, path := range t.intent.paths {
		before := len(s.rules)
		for _, value := range t.thing.find(path) {
			s.read(value, false)
		}
		if len(s.rules) > before {
			s.property = path
			break
		}
	}
	return s, len(s.rules) > 0
}

// read adds what one value says: a specification, or a text in the form of openingHours.
func (s *schedule) read(value any, special bool) {
	if len(s.rules) >= maxRules {
		s.partial = true
		return
	}
	if written, ok := value.(string); ok && !special {
		rules, whole := readOpeningHours(written)
		s.rules = append(s.rules, rules...)
		s.partial = s.partial || !whole
		return
	}
	r, ok := readSpecification(value)
	if r.special = special; special && r.days == 0 && !r.seasonal() {
		return // of no day that is known
	}
	if !ok {
		s.partial = s.partial || !special
		return
	}
	s.rules = append(s.rules, r)
}

// readSpecification reads an OpeningHoursSpecification; false where a part of it cannot be read.
func readSpecification(value any) (r rule, ok bool) {
	object, ok := value.(map[string]any)
	if !ok {
		return rule{}, false
	}
	for _, day := range elements(object["dayOfWeek"]) {
		days, ok := readDays(term(day))
		if !ok {
			return rule{}, false
		}
		r.days |= days
	}
	if r.first, r.last, ok = readValidity(object["validFrom"], object["validThrough"]); !ok {
		return rule{}, false
	}
	if r.days == 0 && !r.seasonal() {
		r.days = everyDay
	}
	opens, closes := text(object["opens"]), text(object["closes"])
	if opens == "" && closes == "" {
		return r, true // "open if the opens property is specified, and closed otherwise"
	}
	r.spans, ok = readSpan(opens, closes)
	return r, ok
}

// readSpan reads when a place opens and closes. A whole day of no length is how a closed one is
// written.
func readSpan(opens, closes string) ([]span, bool) {
	from, known := wholeClock(opens)
	to, knownToo := wholeClock(closes)
	switch {
	case !known || !knownToo || from >= dayMinutes:
		return nil, false
	case from == 0 && to == 0:
		return nil, true
	case from == to:
		return nil, false
	}
	return []span{until(from, to)}, true
}

// until makes a span of two times of day, past midnight where the second is not later.
func until(from, to int) span {
	if to == dayMinutes-1 { // 23:59 is how the end of a day is written
		to = dayMinutes
	}
	if to <= from {
		to += dayMinutes
	}
	return span{from, to}
}

// readValidity reads the dates between which a rule holds. A moment at midnight ends it with the
// day before.
func readValidity(from, through any) (first, last time.Time, ok bool) {
	start, end := text(from), text(through)
	if start != "" {
		if first, ok = readDate(start); !ok {
			return first, last, false
		}
	}
	if end != "" {
		if last, ok = readDate(end); !ok {
			return first, last, false
		}
		if last.After(first) && len(end) >= len("2006-01-02T15:04") && strings.HasPrefix(end[11:], "00:00") {
			last = last.AddDate(0, 0, -1)
		}
	}
	return first, last, true
}

// readDate reads the date at the beginning of an ISO 8601 date or moment.
func readDate(written string) (time.Time, bool) {
	if len(written) < len(time.DateOnly) {
		return time.Time{}, false
	}
	date, err := time.Parse(time.DateOnly, written[:len(time.DateOnly)])
	return date, err == nil
}

// readDays reads one day or several: "Monday", "Mo-Fr", "Sat, Sun", "Montag".
func readDays(written string) (days uint8, ok bool) {
	if day, ok := dayNamed(written); ok {
		return 1 << day, true
	}
	scan := scanner{rest: written}
	days = scan.days()
	return days, days != 0 && strings.TrimSpace(scan.rest) == ""
}

// dayNamed finds a weekday by its name in any of the language tables or as schema.org writes it, or
// public holidays.
func dayNamed(name string) (day int, ok bool) {
	switch folded := facets.Fold(name); folded {
	case "publicholidays", "publicholiday", "ph":
		return holidays, true
	default:
		at, ok := facets.DayNamed(folded)
		return mondayFirst(at), ok
	}
}
