package search

import (
	"sync"

	"frontdesk/internal/content/search/analysis"
	"frontdesk/internal/content/search/segment"
)

// asking is the work on one question: what it is made of, the lists that are read, the candidates.
// It is used again and again, so that a search allocates little more than its result.
type asking struct {
	snapshot  *Snapshot
	languages []*analysis.Language // in which the question is understood
	text      string
	manner
	spokenIn

	runs     []run
	words    []asked
	lookup   lookup
	groups   []group
	own      int   // how many groups are of the question itself; the others are what feedback added
	sequence []int // groups in the order of the question, repetitions included
	pairs    []pair
	apart    int
	idle     bool // it has function words alone

	matcher  segment.Matcher
	found    []segment.Candidate // best first
	passages []uint32            // by part of the unit that is looked at: the weight of the words in it
	last     []met               // by group: where it stood last in the text that is looked at
	heavy    []int               // the groups that tell its best passage

	gathering gathering
}

// manner is how a question is taken.
type manner struct {
	literal bool                  // nothing is looked up but the words as they stand
	kin     bool                  // words that no item has stand for those that point in about their direction, too
	names   []string              // words that name something; folded
	meant   func(ref any) float64 // how much an item means what the question does; nil where that is not known
}

var askings = sync.Pool{New: func() any { return new(asking) }}

// reset makes the asking ready for a question to s.
func (a *asking) reset(s *Snapshot) {
	a.snapshot, a.apart, a.idle = s, 0, false
	a.spokenIn = spokenIn{}
	a.runs, a.words = a.runs[:0], a.words[:0]
	a.lookup.reset(s.views)
	a.groups, a.sequence, a.pairs = a.groups[:0], a.sequence[:0], a.pairs[:0]
	a.heavy = a.heavy[:0]
}

// forget lets go of everything that would keep a snapshot or a text in memory.
func (a *asking) forget() {
	a.snapshot, a.languages, a.language, a.text, a.manner = nil, nil, nil, "", manner{}
	clear(a.words)
	clear(a.groups)
	clear(a.gathering.best)
	a.lookup.forget()
	a.matcher.Forget()
}

// look finds the items for the question by its own words and says how well they answer it.
func (a *asking) look(q *Query) (confidence float64) {
	a.search(q)
	a.dropAside()
	return a.confidence()
}

// answer makes the result.
func (a *asking) answer(q *Query, confidence float64) Result {
	result := Result{Terms: a.terms()}
	if !q.Literal && !q.OwnWords && 100*confidence >= q.MinScore && a.feed() {
		a.search(q)
		a.dropAside()
	}
	result.Hits = a.hits(q, q.limit(), confidence)
	return result
}

// search finds the best candidates of all views.
func (a *asking) search(q *Query) {
	depth := rescored
	if a.meant != nil {
		depth = compared
	}
	a.matcher.Begin(a.snapshot.views, max(q.limit(), depth), a.snapshot.preferred(q.Prefer))
	for i, v := range a.snapshot.views {
		var chosen segment.Bitmap
		if q.Within != nil {
			if chosen = q.Within.unitsIn(i, v); chosen == nil {
				continue
			}
		}
		a.matcher.Enter(i, chosen)
		a.openLists(i)
		a.matcher.Match()
	}
	a.found = a.matcher.Best()
	a.rescore()
	a.compare()
}

// openLists hands the postings of the question's terms to the matcher.
func (a *asking) openLists(view int) {
	for i := range a.groups {
		g := &a.groups[i]
		for _, term := range g.terms[:g.n] {
			if number := a.lookup.number(term, view); number != segment.Separator {
				a.matcher.Add(number, g.weight)
			}
		}
		if g.whole != nil {
			w := &g.whole.views[view]
			a.matcher.AddPostings(w.docs, w.impacts, w.most, g.weight)
		}
		if g.akin != nil {
			w := &g.akin.views[view]
			a.matcher.AddPostings(w.docs, w.impacts, w.most, g.weight)
		}
		if g.kin != nil && g.kin != g.akin {
			w := &g.kin.views[view]
			a.matcher.AddPostings(w.docs, w.impacts, w.most, g.weight)
		}
	}
}
