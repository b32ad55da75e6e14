package query

import (
	"time"

	"frontdesk/internal/content/facets"
)

// readGone reads that events are wanted which are over: "past events", "concerts that already
// happened". The last of them come first, unless another order is asked for.
func (r *reader) readGone(i int) bool {
	if !r.wanted("Event", "Course") || !r.known(facets.Start) {
		return false
	}
	if _, n := r.match(i, roleGone); n > 0 && r.denied(i) == i && (!beside()[r.word(i)] || r.besideType(i, n)) {
		r.add(facets.Constraint{Slot: facets.End, To: r.today()}, i, i+n)
		if r.out.Sort.By == "" {
			r.out.Sort = facets.Sort{By: facets.Start, Descending: true, Said: r.said(i, i+n)}
		}
		return true
	}
	if _, n := r.match(i, roleNow); n > 0 {
		today := r.today()
		r.add(facets.Constraint{Slot: facets.Start, From: today, To: today.AddDate(0, 0, 1)}, i, i+n)
		return true
	}
	return false
}

// beside are words that say that something is over only where they stand beside the word for it:
// "old events", but not "events in the old town".
var beside = everywhere("gone.beside")

// besideType says whether a word for a type stands before or behind the n tokens at i.
func (r *reader) besideType(i, n int) bool {
	if i+n < len(r.tokens) {
		if _, m := r.match2(i+n, roleType); m > 0 {
			return true
		}
	}
	if i == 0 {
		return false
	}
	_, m := r.match2(i-1, roleType)
	return m > 0
}

// ageLeads are the words before a span of time that is an age: "older" where it is at least that
// old, "newer" where it is at most. Of those in aged, the age has to be told behind the span: "more
// than a year old".
var ageLeads, aged, ages = argumentsOf("age"), everywhere("age.told"), everywhere("age.behind")

// readAge reads how old something is to be: "older than a year", "less than two weeks old". It is
// said of what has a day of its own; of other things it may be about whom they are for.
func (r *reader) readAge(i int) bool {
	if !r.wanted("Article", "JobPosting", "Event", "VideoObject", "PodcastEpisode", "Review") {
		return false
	}
	for n := min(longest(ageLeads()), len(r.tokens)-i-1); n > 0; n-- {
		if !r.together(i, i+n+1) {
			continue
		}
		lead := r.phrase(i, i+n)
		bound := ageLeads()[lead]
		if bound == "" {
			continue
		}
		from, next, ok := r.age(i + n)
		if !ok {
			continue
		}
		behind := false
		for m := 2; m > 0; m-- {
			if next+m <= len(r.tokens) && r.together(next, next+m) && ages()[r.phrase(next, next+m)] {
				next, behind = next+m, true
				break
			}
		}
		if aged()[lead] && !behind {
			continue
		}
		p := period{from: from(r.today(), -1)}
		if bound == "older" {
			p = period{to: p.from}
		}
		return r.dated(p, i, next)
	}
	return false
}

// oneOf are articles and words for one.
var oneOf = everywhere("age.one")

// age reads a span of time that may begin with an article: "a year", "zwei Monate", "d'un an".
func (r *reader) age(i int) (step func(day time.Time, times int) time.Time, next int, ok bool) {
	if !oneOf()[r.word(i)] {
		return r.span(i)
	}
	minutes, n := facets.ReadMinutes("1 " + r.word(i+1))
	if s, m := r.match(i+1, roleDay); n == 0 && m == 1 && s.arg == "year" { // "d'un an"
		minutes, n = 365*24*60, m
	}
	switch {
	case n == 0 || minutes < 24*60:
		return nil, 0, false
	case minutes >= 365*24*60:
		step = func(day time.Time, times int) time.Time { return day.AddDate(times, 0, 0) }
	case minutes >= 30*24*60:
		step = func(day time.Time, times int) time.Time { return day.AddDate(0, times, 0) }
	default:
		step = func(day time.Time, times int) time.Time { return day.AddDate(0, 0, times*int(minutes/(24*60))) }
	}
	return step, i + 2, true
}

// readYears reads for whom by age something is to be: "for a 7 year old", "meine Tochter, 7 Jahre".
// The words for whoever it is say nothing more.
func (r *reader) readYears() {
	if !r.known(facets.Age) {
		return
	}
	words := make([]string, len(r.tokens))
	for i := range words {
		words[i] = r.word(i)
	}
	said := facets.AgesIn(words)
	for _, a := range said {
		low, high := a.Low, a.High
		r.add(facets.Constraint{Slot: facets.Age, Min: &low, Max: &high}, a.From, a.To)
	}
	for i, word := range words {
		if len(said) > 0 && facets.IsChild(word) && !r.tokens[i].used {
			r.use(i, i+1)
		}
	}
}
