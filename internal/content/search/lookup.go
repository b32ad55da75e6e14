package search

import "frontdesk/internal/content/search/segment"

// lookup is where the terms of a question stand in the views, and which of them count for each of
// its groups.
type lookup struct {
	views   []*segment.View
	sought  []sought
	numbers []uint32 // by sought term and view: the term's number, or separatorCode
	groups  int      // how many are placed
	placed  []uint32 // by view and group: the numbers of what counts for the group
	bounds  []int    // where those of each begin in placed; one more at the end
}

// sought is a term that was looked up in all views.
type sought struct {
	term string
	df   int
}

// reset makes the lookup ready for another question to views.
func (l *lookup) reset(views []*segment.View) {
	l.views = views
	l.sought, l.numbers = l.sought[:0], l.numbers[:0]
}

// forget lets go of everything that would keep views or terms in memory.
func (l *lookup) forget() {
	l.views = nil
	clear(l.sought)
}

// seek looks a term up in all views and gives its place in sought.
func (l *lookup) seek(term string) int {
	h := segment.Hash(term)
	df := 0
	for _, v := range l.views {
		number, ok := v.Words.Find(term, h)
		if !ok {
			number = segment.Separator // which no unit has as a word
		} else {
			df += v.Frequency(number)
		}
		l.numbers = append(l.numbers, number)
	}
	l.sought = append(l.sought, sought{term, df})
	return len(l.sought) - 1
}

// number gives the number of a sought term in a view, or separatorCode.
func (l *lookup) number(term, view int) uint32 { return l.numbers[term*len(l.views)+view] }

// place lays the numbers of the groups' terms out by view, and those of the words that they are a
// part of.
func (l *lookup) place(groups []group) {
	l.groups = len(groups)
	l.placed, l.bounds = l.placed[:0], l.bounds[:0]
	for view := range l.views {
		for i := range groups {
			g := &groups[i]
			l.bounds = append(l.bounds, len(l.placed))
			for _, term := range g.terms[:g.n] {
				if number := l.number(term, view); number != segment.Separator {
					l.placed = append(l.placed, number)
				}
			}
			if g.whole != nil {
				l.placed = append(l.placed, g.whole.views[view].numbers...)
			}
			if g.akin != nil {
				l.placed = append(l.placed, g.akin.views[view].numbers...)
			}
		}
	}
	l.bounds = append(l.bounds, len(l.placed))
}

// numbersOf gives the numbers of what counts for a group in a view.
func (l *lookup) numbersOf(g, view int) []uint32 {
	at := view*l.groups + g
	return l.placed[l.bounds[at]:l.bounds[at+1]]
}
