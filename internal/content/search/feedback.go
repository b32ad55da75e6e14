package search

import (
	"bytes"
	"math"
	"unicode/utf8"

	"frontdesk/internal/content/search/segment"
)

// When none of the best items has all that is asked for, what they have in common tells more of
// what is meant than the question does: words that they use often are added to it, and it is asked
// again. Where an item does have all of it, the question is clear (a name, a title, a passage that
// somebody remembers), and nothing is added: it would bring up others beside what was asked for.
const (
	fedItems     = 10   // of the best that tell
	fedWords     = 512  // of each of them that are read
	fedTerms     = 20   // that are added at most
	fedShare     = 0.4  // of the question's weight that they get
	mostCommon   = 0.1  // of the units that may have such a word; more common ones tell nothing
	leastCommon  = 2    // units that have it
	shortestTerm = 2    // characters
	fedTable     = 8192 // a power of two, well above what fedItems have in words
)

// gathering adds up what the best items say: by word of a view, its share of the words of each
// item, weighed by the item's score. It is an open table that is emptied by what was used of it.
type gathering struct {
	table [fedTable]gathered
	used  []uint16
	words []uint32 // scratch: the words of one unit
	best  []added
}

type gathered struct {
	view, number uint32 // number is 0 where the place is free
	sum          uint64
}

// added is a word that is added to the question.
type added struct {
	term  []byte
	worth float64
}

// feed adds to the question what the best items found have in common, and says whether there is
// anything to ask again. The sums are whole numbers, so that they do not depend on how items lie in
// segments.
func (a *asking) feed() bool {
	if a.idle || len(a.found) <= 1 || a.anyWhole() {
		return false
	}
	a.gather()
	a.choose()
	if len(a.gathering.best) == 0 {
		return false
	}
	a.take(a.gathering.best)
	return true
}

// take adds words to the question, by what they are worth beside each other.
func (a *asking) take(words []added) {
	total := 0.0
	for _, word := range words {
		total += word.worth
	}
	for i := range a.groups {
		a.groups[i].weight = max(1, uint32((1-fedShare)*float64(a.groups[i].weight)))
	}
	for i := range a.pairs {
		a.pairs[i].weight = uint32((1 - fedShare) * float64(a.pairs[i].weight))
	}
	for _, word := range words {
		a.addTerm(string(word.term), uint32(fedShare*fullWeight*(word.worth/total)))
	}
	a.lookup.place(a.groups)
}

// anyWhole says whether one of the best items has every word of the question that the index has.
func (a *asking) anyWhole() bool {
	for _, c := range a.found[:min(len(a.found), fedItems)] {
		if a.whole(c) {
			return true
		}
	}
	return false
}

func (a *asking) whole(c segment.Candidate) bool {
	text := a.snapshot.views[c.View].Text(int(c.Unit))
	for g := range a.groups {
		if a.groups[g].df > 0 && !a.has(text, g, int(c.View)) {
			return false
		}
	}
	return true
}

// has says whether a text has one of a group's words.
func (a *asking) has(text segment.Codes, g, view int) bool {
	for _, number := range a.lookup.numbersOf(g, view) {
		if text.Index(number, 0) < len(text) {
			return true
		}
	}
	return false
}

// gather reads the best items.
func (a *asking) gather() {
	g := &a.gathering
	for _, c := range a.found[:min(len(a.found), fedItems)] {
		v := a.snapshot.views[c.View]
		text := v.Text(int(c.Unit))
		g.words = g.words[:0]
		for i := 0; i < len(text) && len(g.words) < fedWords; {
			var number uint32
			if number, i = text.Get(i); number != segment.Separator {
				g.words = append(g.words, number)
			}
		}
		if len(g.words) == 0 {
			continue
		}
		each := uint64(c.Score) << 16 / uint64(len(g.words))
		for _, number := range g.words {
			if float64(v.Frequency(number)) <= mostCommon*float64(a.snapshot.census.Units) {
				g.add(c.View, number, each)
			}
		}
	}
}

// add adds to the sum of a word.
func (g *gathering) add(view, number uint32, sum uint64) {
	at := (number*0x9E3779B1 ^ view*0x85EBCA6B) >> 19 & (fedTable - 1)
	for ; g.table[at].number != 0; at = (at + 1) & (fedTable - 1) {
		if g.table[at].number == number && g.table[at].view == view {
			g.table[at].sum += sum
			return
		}
	}
	g.table[at] = gathered{view, number, sum}
	g.used = append(g.used, uint16(at))
}

// unite adds the sums of a word that several views have, each under its own number, into one.
func (a *asking) unite() {
	g := &a.gathering
	if len(a.snapshot.views) == 1 {
		return
	}
	first := make(map[string]uint16, len(g.used))
	for _, at := range g.used {
		here := &g.table[at]
		word := a.snapshot.views[here.view].Words.Word(here.number)
		if one, ok := first[string(word)]; ok {
			g.table[one].sum += here.sum
			here.sum = 0
		} else {
			first[string(word)] = at
		}
	}
}

// choose finds the words that are worth most: by what the best items say of them, and by how rare
// they are. It empties the table.
func (a *asking) choose() {
	a.unite()
	g := &a.gathering
	g.best = g.best[:0]
	units := float64(a.snapshot.census.Units)
	rarest := math.Log(1 + units)
	for _, at := range g.used {
		here := g.table[at]
		g.table[at] = gathered{}
		if len(g.best) == fedTerms && float64(here.sum)*rarest < g.best[fedTerms-1].worth {
			continue
		}
		term := a.snapshot.views[here.view].Words.Word(here.number)
		df := float64(a.frequency(here, term))
		if here.sum == 0 || df < leastCommon || df > mostCommon*units || a.tellsNothing(term) {
			continue
		}
		g.enter(added{term, float64(here.sum) * math.Log(1+(units-df+0.5)/(df+0.5))})
	}
	g.used = g.used[:0]
}

// frequency is how many units have a gathered word, in all views.
func (a *asking) frequency(word gathered, term []byte) int {
	views := a.snapshot.views
	if len(views) == 1 {
		return views[0].Frequency(word.number)
	}
	df, h := 0, segment.Hash(string(term))
	for _, v := range views {
		if number, ok := v.Words.Find(string(term), h); ok {
			df += v.Frequency(number)
		}
	}
	return df
}

// tellsNothing says whether a word is a function word of a language of the index, or a single
// character.
func (a *asking) tellsNothing(term []byte) bool {
	if utf8.RuneCount(term) < shortestTerm {
		return true
	}
	for _, t := range a.languages {
		if t.IsStop(string(term)) {
			return true
		}
	}
	return false
}

// enter keeps a word if it is among the best. Equal ones are ordered by their letters.
func (g *gathering) enter(word added) {
	if len(g.best) < fedTerms {
		g.best = append(g.best, word)
	} else if word.before(&g.best[fedTerms-1]) {
		g.best[fedTerms-1] = word
	}
	for i := len(g.best) - 1; i > 0 && g.best[i].before(&g.best[i-1]); i-- {
		g.best[i], g.best[i-1] = g.best[i-1], g.best[i]
	}
}

func (w *added) before(other *added) bool {
	return w.worth > other.worth || w.worth == other.worth && bytes.Compare(w.term, other.term) < 0
}

// addTerm adds a word to the question, or weight to the word that it has already.
func (a *asking) addTerm(term string, weight uint32) {
	if weight == 0 {
		return
	}
	for i := range a.groups[:a.own] {
		for _, sought := range a.groups[i].terms[:a.groups[i].n] {
			if a.lookup.sought[sought].term == term {
				a.groups[i].weight += weight
				return
			}
		}
	}
	at := a.lookup.seek(term)
	a.groups = append(a.groups, group{terms: [maxForms]int{at}, n: 1, df: a.lookup.sought[at].df, weight: weight})
}
