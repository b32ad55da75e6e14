package query

import (
	"time"

	"frontdesk/internal/content/facets"
)

// holiday is a day of every year, or some that belong together.
type holiday struct {
	month     time.Month
	day, days int
	easter    bool // the day counts from Easter Sunday
}

// holidays by what people call them, in folded words. They are times only where something leads to one ("after Christmas"):
// "Christmas market" is a kind of market.
var holidays = func() map[string]holiday {
	named := map[string]holiday{}
	for _, h := range []struct {
		holiday
		names []string
	}{
		{holiday{month: time.December, day: 24, days: 3}, []string{"christmas", "xmas", "weihnachten", "noël", "navidad", "navidades", "natal", "クリスマス"}},
		{holiday{month: time.December, day: 24, days: 1}, []string{"christmas eve", "heiligabend", "nochebuena", "クリスマスイブ"}},
		{holiday{month: time.December, day: 31, days: 1}, []string{"new year s eve", "new years eve", "silvester", "saint sylvestre", "nochevieja", "大晦日"}},
		{holiday{month: time.January, day: 1, days: 1}, []string{"new year", "new years", "new year s", "new year s day", "new years day", "neujahr", "nouvel an", "año nuevo", "ano novo", "正月", "元日"}},
		{holiday{month: time.October, day: 31, days: 1}, []string{"halloween", "ハロウィン", "ハロウィーン"}},
		{holiday{month: time.February, day: 14, days: 1}, []string{"valentine s day", "valentines day", "valentinstag", "saint valentin", "san valentín", "バレンタインデー"}},
		{holiday{easter: true, day: -2, days: 4}, []string{"easter", "ostern", "pâques", "pascua", "páscoa", "イースター"}},
	} {
		for _, name := range h.names {
			named[facets.Fold(name)] = h.holiday
		}
	}
	return named
}()

// longestHoliday is how many words a name in holidays has at most.
const longestHoliday = 4

// holiday reads the name of a holiday at i, the next or, of what was published, the last one. A word that goes on with it
// makes it a name of something else.
func (r *reader) holiday(i int) (p period, next int, ok bool) {
	i = r.unarticled(i)
	for n := min(longestHoliday, len(r.tokens)-i); n > 0; n-- {
		if !r.together(i, i+n) {
			continue
		}
		h, ok := holidays[r.phrase(i, i+n)]
		if !ok {
			continue
		}
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
var bygones = foldedSet("what happened", "what has happened", "what took place", "what was on", "what was there", "what was going on", "was war", "was war los", "was geschah", "was passierte", "was gab es",
	"was ist passiert", "was ist geschehen", "que s est il passé", "qu est ce qui s est passé", "qu y avait il", "qué pasó", "qué ha pasado", "qué hubo", "o que aconteceu", "o que houve")

// longestBygone is how many words an opening in bygones has at most.
const longestBygone = 7

// readBygone finds that a question is for what has been, and how many of its first words say so.
func (r *reader) readBygone() (n int) {
	for n := min(longestBygone, len(r.tokens)-1); n > 1; n-- {
		if r.together(0, n) && bygones[r.phrase(0, n)] {
			r.bygone = true
			return n
		}
	}
	return 0
}
