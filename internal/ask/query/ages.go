package query

import (
	"time"

	"frontdesk/internal/content/facets"
)

// readGone reads that events are wanted which are over: "past events", "concerts that already happened". The last of them
// come first, unless another order is asked for.
func (r *reader) readGone(i int) bool {
	if !r.wanted("Event", "Course") || !r.known(facets.Start) {
		return false
	}
	if _, n := r.match(i, roleGone); n > 0 && r.denied(i) == i && (!beside[r.word(i)] || r.besideType(i, n)) {
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

// beside are words that say that something is over only where they stand beside the word for it: "old events", but not
// "events in the old town".
var beside = wordSet("recent old older earlier former previous finished ended anterior anteriores passe passes passee passees actual actuales actuel actuels atual atuais")

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

// ageLeads are the words before a span of time that is an age: 1 where it is at least that old, -1 where it is at most.
// Of those in aged, the age has to be told behind the span: "more than a year old".
var (
	ageLeads = map[string]int{}
	aged     = set("more than, over, at least, less than, under, at most, no more than", "mehr als, über, weniger als, unter, höchstens, mindestens")
	ages     = set("old, ago, of age", "alt, alte, alten, alter, altes", "d âge", "de antigüedad, atrás", "de idade, atrás")
)

func init() {
	for older, lists := range map[int][]string{
		1: {
			"older than, dating back more than, more than, over, at least", "älter als, mehr als, über, mindestens",
			"plus vieux que, plus vieilles que, plus anciens que, plus anciennes que, de plus de, de plus d, vieux de plus de, vieux de plus d, datant de plus de, datant de plus d, il y a plus de, il y a plus d",
			"más antiguos que, más antiguas que, más viejos que, de hace más de, de más de, con más de", "mais antigos que, mais antigas que, mais velhos que, há mais de, de há mais de, com mais de",
		},
		-1: {
			"newer than, younger than, not older than, no older than, more recent than, less than, under, at most, no more than", "jünger als, neuer als, nicht älter als, weniger als, unter, höchstens",
			"plus récents que, plus récentes que, de moins de, de moins d, datant de moins de, datant de moins d, il y a moins de, il y a moins d",
			"más recientes que, de hace menos de, de menos de, con menos de", "mais recentes que, há menos de, de há menos de, com menos de",
		},
	} {
		for _, lead := range phrases(lists...) {
			ageLeads[lead] = older
		}
	}
}

// longestLead is how many words of ageLeads there are at most.
const longestLead = 5

// readAge reads how old something is to be: "older than a year", "less than two weeks old". It is said of what has a day of
// its own; of other things it may be about whom they are for.
func (r *reader) readAge(i int) bool {
	if !r.wanted("Article", "JobPosting", "Event", "VideoObject", "PodcastEpisode", "Review") {
		return false
	}
	for n := min(longestLead, len(r.tokens)-i-1); n > 0; n-- {
		if !r.together(i, i+n+1) {
			continue
		}
		lead := r.phrase(i, i+n)
		older := ageLeads[lead]
		if older == 0 {
			continue
		}
		from, next, ok := r.age(i + n)
		if !ok {
			continue
		}
		behind := false
		for m := 2; m > 0; m-- {
			if next+m <= len(r.tokens) && r.together(next, next+m) && ages[r.phrase(next, next+m)] {
				next, behind = next+m, true
				break
			}
		}
		if aged[lead] && !behind {
			continue
		}
		p := period{from: from(r.today(), -1)}
		if older > 0 {
			p = period{to: p.from}
		}
		return r.dated(p, i, next)
	}
	return false
}

// age reads a span of time that may begin with an article: "a year", "zwei Monate", "d'un an".
func (r *reader) age(i int) (step func(day time.Time, times int) time.Time, next int, ok bool) {
	switch r.word(i) {
	case "a", "an", "one", "ein", "einem", "eine", "einer", "un", "une", "una", "um", "uma":
	default:
		return r.span(i)
	}
	unit := r.word(i + 1)
	if unit == "an" {
		unit = "ans"
	}
	minutes, n := facets.ReadMinutes("1 " + unit)
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
