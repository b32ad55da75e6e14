package facts

import (
	"strings"
	"time"

	"frontdesk/internal/content/facets"
)

// tellQuantity says a figure with its unit.
func tellQuantity(t *teller) string {
	for _, path := range t.intent.paths {
		var said []string
		for _, value := range t.thing.find(path) {
			said = added(said, t.measure(value))
		}
		if len(said) > 0 {
			t.state(path, said...)
			return t.say("tell."+t.intent.name, "name", t.name, "value", t.list(said))
		}
	}
	for _, p := range t.named(t.intent.name) {
		if said := t.propertyText(p); said != "" {
			return t.say("tell."+t.intent.name, "name", t.name, "value", said)
		}
	}
	return ""
}

// measure words a value that is a figure, a duration or a text.
func (t *teller) measure(value any) string {
	if said := t.quantity(value); said != "" {
		return said
	}
	said := text(value)
	if minutes, n := facets.ReadMinutes(said); n > 0 && n == len(said) {
		return t.figures.Span(minutes)
	}
	if strings.HasPrefix(said, "P") {
		return ""
	}
	return said
}

// quantity words a QuantitativeValue or a number; empty where there is no figure.
func (t *teller) quantity(value any) string {
	if figure, ok := value.(float64); ok {
		return t.figures.Number(figure, -1)
	}
	unit := t.unit(value)
	if figure, ok := number(member(value, "value")); ok {
		return t.measured(t.figures.Number(figure, -1), unit, figure)
	}
	low, least := number(member(value, "minValue"))
	high, most := number(member(value, "maxValue"))
	switch {
	case least && most && low < high:
		figures := t.say("range", "low", t.figures.Number(low, -1), "high", t.figures.Number(high, -1))
		return t.measured(figures, unit, high)
	case most && least:
		return t.measured(t.figures.Number(high, -1), unit, high)
	case most:
		return t.say("range.most", "high", t.measured(t.figures.Number(high, -1), unit, high))
	case least:
		return t.say("range.least", "low", t.measured(t.figures.Number(low, -1), unit, low))
	}
	return ""
}

// measured puts a unit behind a figure: a sign, a unit of time in words, or the unit as the object
// writes it.
func (t *teller) measured(figure, unit string, amount float64) string {
	switch word := t.lists["unit."+unit]; {
	case unit == "":
		return figure
	case word == nil:
		return t.say("measure", "figure", figure, "unit", unit)
	case amount == 1:
		return t.say("measure.time", "figure", figure, "unit", word[0])
	default:
		return t.say("measure.time", "figure", figure, "unit", word[1])
	}
}

// unit is the sign of a value's unit, or the code of a unit of time.
func (t *teller) unit(value any) string {
	for _, name := range []string{"unitCode", "unitText"} {
		unit := term(member(value, name))
		if sign, ok := codes().units[unit]; ok {
			return sign
		}
		if code, ok := codes().times[strings.ToUpper(unit)]; ok {
			return code
		}
		if name == "unitText" {
			return unit
		}
	}
	return ""
}

// tellSize says the sizes that a thing comes in, or how large it is.
func tellSize(t *teller) string {
	switch sizes := t.texts(); {
	case len(sizes) == 1 && isMeasure(sizes[0]) && t.Supposed == "":
		return t.say("tell.dimensions", "name", t.name, "value", sizes[0])
	case len(sizes) > 0:
		return t.tellOr(sizes)
	}
	var said []string
	for _, area := range t.thing.find("floorSize") {
		if measure := t.measure(area); measure != "" {
			t.state("floorSize", measure)
			return t.say("tell.dimensions", "name", t.name, "value", measure)
		}
	}
	for _, side := range []string{"width", "depth", "height"} {
		for _, value := range t.thing.find(side) {
			if measure := t.measure(value); measure != "" {
				said = append(said, t.say("size."+side, "value", measure))
				t.state(side, measure)
				break
			}
		}
	}
	if len(said) == 0 {
		return ""
	}
	return t.say("tell.dimensions", "name", t.name, "value", t.list(said))
}

// isMeasure says whether a size is a figure with a unit, and no number or name of a size.
func isMeasure(size string) bool {
	_, n := facets.ReadNumber(size)
	unit := strings.TrimLeft(size[n:], " \u00a0")
	return n > 0 && unit != "" && !strings.ContainsAny(size, "/,")
}

// tellRating says how a thing is rated, of how much, and by how many.
func tellRating(t *teller) string {
	for _, value := range t.thing.find("aggregateRating") {
		rating, ok := number(member(value, "ratingValue"))
		if !ok {
			continue
		}
		best, ok := number(member(value, "bestRating"))
		if !ok {
			best = 5 // schema.org's default
		}
		said := t.say("rating", "rating", t.figures.Number(rating, -1), "best", t.figures.Number(best, -1))
		for _, count := range []string{"ratingCount", "reviewCount"} {
			if n, ok := number(member(value, count)); ok && n > 1 {
				said = t.say("rating.count", "rating", said, "count", t.figures.Number(n, 0))
				break
			}
		}
		t.state("aggregateRating.ratingValue", said)
		return t.say("tell.rating", "name", t.name, "value", said)
	}
	return ""
}

// tellClock says a time of day.
func tellClock(t *teller) string {
	said := t.texts()
	if len(said) == 0 {
		return ""
	}
	value := said[0]
	if minute, ok := wholeClock(value); ok {
		value = t.say("clock.said", "time", t.clock(minute))
	}
	t.answer.Values = []string{value}
	return t.say("tell."+t.intent.name, "name", t.name, "value", value)
}

// tellDate says a date, or from when to when, with the time of day in the zone in which it is
// written.
func tellDate(t *teller) string {
	for _, path := range t.intent.paths {
		for _, value := range t.thing.find(path) {
			said := t.moments(text(value), t.endOf(path))
			if said == "" {
				continue
			}
			t.state(path, said)
			return t.say("tell."+t.intent.name, "name", t.name, "value", said)
		}
	}
	return ""
}

// endOf is the date at which what begins at a path ends.
func (t *teller) endOf(path string) string {
	before, found := strings.CutSuffix(path, "startDate")
	if !found {
		return ""
	}
	for _, value := range t.thing.find(before + "endDate") {
		return text(value)
	}
	return ""
}

// moments words a date and an end.
func (t *teller) moments(start, end string) string {
	from, timed, ok := readMoment(start)
	if !ok {
		if len(start) == len("2006") && strings.Trim(start, "0123456789") == "" {
			return start
		}
		return ""
	}
	said := t.date(from)
	if timed {
		said = t.say("date.time", "date", said, "time", t.clock(minuteOf(from)))
	}
	to, timedToo, ok := readMoment(end)
	switch {
	case !ok || !to.After(from) || !timed && dateOf(to).Equal(dateOf(from)):
		return said
	case dateOf(to).Equal(dateOf(from)):
		return t.say("date.until", "date", said, "end", t.say("clock.said", "time", t.clock(minuteOf(to))))
	case timedToo:
		return t.say("date.until", "date", said, "end",
			t.say("date.time", "date", t.date(to), "time", t.clock(minuteOf(to))))
	}
	return t.say("date.until", "date", said, "end", t.date(to))
}

// readMoment reads a date with or without a time of day, that of its own zone.
func readMoment(written string) (at time.Time, timed, ok bool) {
	at, end, n := facets.ReadDay(written, time.UTC)
	timed = at.Equal(end)
	return at, timed, n > 0 && n == len(written) && (timed || end.Sub(at) <= 25*time.Hour)
}
