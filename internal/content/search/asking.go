package search

import "sync"

// asking is the work on one question: what it is made of, the lists that are read, the candidates. It is used
// again and again, so that a search allocates little more than its result.
type asking struct {
	snapshot  *Snapshot
	tongues   []*tongue // in which the question is understood
	tongue    *tongue   // in which it seems to be written
	tongueBit int       // its place among them
	text      string
	literal   bool // nothing is looked up but the words as they stand

	runs     []run
	words    []asked
	sought   []sought
	numbers  []uint32 // by sought term and view: the term's number, or separatorCode
	placed   []uint32 // by view and group: the numbers of what counts for the group
	bounds   []int    // where those of each begin in placed; one more at the end
	groups   []group
	own      int   // how many groups are of the question itself; the others are what feedback added
	sequence []int // groups in the order of the question, repetitions included
	pairs    []pair
	apart    int
	idle     bool // it has function words alone

	preferred uint32 // the bit of the language in which items are preferred; 0 for none

	lists   []list
	active  []*list // those with postings in the current window, by rising bound
	sums    [windowSize]uint32
	touched [windowSize / 64]uint64
	view    int
	chosen  bitmap // units that may be found; nil: all that live
	held    candidate
	top     top

	found    []candidate // best first
	passages []uint32    // by part of the unit that is looked at: the weight of the words in it
	heavy    []int       // the groups that tell its best passage

	gathering gathering
}

var askings = sync.Pool{New: func() any { return new(asking) }}

// reset makes the asking ready for a question to s. The sums and marks are always left at zero.
func (a *asking) reset(s *Snapshot) {
	a.snapshot, a.apart, a.idle = s, 0, false
	a.runs, a.words, a.sought, a.numbers = a.runs[:0], a.words[:0], a.sought[:0], a.numbers[:0]
	a.groups, a.sequence, a.pairs = a.groups[:0], a.sequence[:0], a.pairs[:0]
	a.heavy = a.heavy[:0]
}

// forget lets go of everything that would keep a snapshot or a text in memory.
func (a *asking) forget() {
	a.snapshot, a.tongues, a.tongue, a.text, a.chosen = nil, nil, nil, "", nil
	clear(a.words)
	clear(a.sought)
	clear(a.groups)
	clear(a.lists)
	clear(a.active)
	clear(a.gathering.best)
	a.top.views = nil
}

// look finds the items for the question by its own words and says how well they answer it.
func (a *asking) look(q *Query) (confidence float64) {
	a.search(q.Within, max(q.limit(), rescored))
	a.rescore()
	a.dropAside()
	return a.confidence()
}

// answer makes the result.
func (a *asking) answer(q *Query, confidence float64) Result {
	result := Result{Terms: a.terms()}
	if !q.Literal && !q.OwnWords && 100*confidence >= q.MinScore && a.feed() {
		a.search(q.Within, max(q.limit(), rescored))
		a.rescore()
		a.dropAside()
	}
	result.Hits = a.hits(q, q.limit(), confidence)
	return result
}

// search fills a.top with the best candidates of all views.
func (a *asking) search(within *Selection, room int) {
	a.top.reset(a.snapshot.views, room)
	for i, v := range a.snapshot.views {
		var chosen bitmap
		if within != nil {
			if chosen = within.unitsIn(i, v); chosen == nil {
				continue
			}
		}
		a.match(i, chosen)
	}
}
