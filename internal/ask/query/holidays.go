package query

import (
	"sync"

	"frontdesk/internal/content/facets"
)

// holidays by what people call them, in folded words. They are times only where something leads to
// one ("after Christmas"): "Christmas market" is a kind of market. The argument of their lists is
// read by [facets.ReadHoliday].
var holidays = sync.OnceValue(func() map[string]facets.Holiday {
	named := map[string]facets.Holiday{}
	for name, when := range argumentsOf("holiday")() {
		h, ok := facets.ReadHoliday(when)
		if !ok {
			panic("query: no holiday " + when)
		}
		named[name] = h
	}
	return named
})

// holiday reads the name of a holiday at i, the next or, of what was published, the last one. A
// word that goes on with it makes it a name of something else.
func (r *reader) holiday(i int) (p period, next int, ok bool) {
	i = r.unarticled(i)
	if h, n := longestAt(r.line, i, holidays()); n > 0 && r.together(i, i+n) {
		next = i + n
		if next < len(r.tokens) && !r.together2(next) && !r.has(next, roleAnd) && r.plain(next) {
			return p, 0, false
		}
		return r.onHoliday(h), next, true
	}
	return p, 0, false
}

// onHoliday gives the days of a holiday: the next ones of what is to come, the last ones of what
// was published.
func (r *reader) onHoliday(h facets.Holiday) period {
	today := r.today()
	from, to := h.In(today.Year(), today.Location())
	switch ahead := r.ahead(); {
	case ahead && !to.After(today):
		from, to = h.In(today.Year()+1, today.Location())
	case !ahead && from.After(today):
		from, to = h.In(today.Year()-1, today.Location())
	}
	return period{from, to}
}

// bygones are the openings of questions for what has been, in folded words: a time without a year
// is the last one then.
var bygones = everywhere("time.bygone")

// readBygone finds that a question is for what has been, and how many of its first words say so.
func (r *reader) readBygone() (n int) {
	for n := min(longest(bygones()), len(r.tokens)-1); n > 1; n-- {
		if r.together(0, n) && bygones()[r.phrase(0, n)] {
			r.bygone = true
			return n
		}
	}
	return 0
}
