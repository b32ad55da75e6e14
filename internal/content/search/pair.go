package search

import "frontdesk/internal/content/search/segment"

// pair is two words that follow each other in the question.
type pair struct {
	anchor, other int    // the rarer of the two, and its neighbour
	back          bool   // the neighbour stands before the anchor
	weight        uint32 // the smaller of the weights
	next          int    // the next pair with the same anchor, plus one

	title uint32 // 1 when it stands in the title of the unit that is looked at
	count uint32 // how often it stands elsewhere in it
}

// maxPairs is how many pairs of a question count; a set of them fits 64 bits.
const maxPairs = 64

// addPair notes that two words follow each other, when both can be found.
func (a *asking) addPair(first, second int) {
	if first == second || a.groups[first].df == 0 || a.groups[second].df == 0 || len(a.pairs) == maxPairs {
		return
	}
	p := pair{anchor: first, other: second}
	if a.groups[second].df < a.groups[first].df {
		p = pair{anchor: second, other: first, back: true}
	}
	for i := range a.pairs {
		if a.pairs[i].anchor == p.anchor && a.pairs[i].other == p.other && a.pairs[i].back == p.back {
			return
		}
	}
	p.weight = min(a.groups[first].weight, a.groups[second].weight)
	p.next = a.groups[p.anchor].anchors
	a.pairs = append(a.pairs, p)
	a.groups[p.anchor].anchors = len(a.pairs)
}

// pairLift is what a pair adds to the score, of its weight: so much for the title, and for other
// places a share that grows with the number of occurrences.
var pairLift = func() (table [2][maxCount + 1]uint32) {
	for count := range table[0] {
		body := bodyShare * float64(count) / float64(count+1)
		table[0][count] = uint32(segment.FullImpact * body)
		table[1][count] = uint32(segment.FullImpact * (titleShare + body))
	}
	return table
}()

// lift adds up what the pairs in a candidate's text are worth. It goes from one occurrence of a
// pair's rarer word, the anchor, to the next, and looks whether the other stands beside it.
func (a *asking) lift(c segment.Candidate) uint32 {
	view := int(c.View)
	text := a.snapshot.views[view].Lead(int(c.Unit), leadWords)
	titleEnd := text.Index(segment.Separator, 0)
	for p := range a.pairs {
		a.pairs[p].title, a.pairs[p].count = 0, 0
	}
	for g := range a.groups {
		if a.groups[g].anchors == 0 {
			continue
		}
		for _, number := range a.lookup.numbersOf(g, view) {
			a.findPairs(text, titleEnd, a.groups[g].anchors, number, view)
		}
	}
	sum := uint32(0)
	for p := range a.pairs {
		sum += a.pairs[p].weight * pairLift[a.pairs[p].title][a.pairs[p].count]
	}
	return sum
}

// findPairs counts the pairs of one anchor, which stands in the text as number; first is the first
// such pair, plus one.
func (a *asking) findPairs(text segment.Codes, titleEnd, first int, number uint32, view int) {
	for i := text.Index(number, 0); i < len(text); i = text.Index(number, i+segment.CodeSize) {
		for next := first; next != 0; {
			p := &a.pairs[next-1]
			next = p.next
			if !p.stands(text, i, a.lookup.numbersOf(p.other, view)) {
				continue
			}
			if i < titleEnd {
				p.title = 1
			} else {
				p.count = min(p.count+1, maxCount)
			}
		}
	}
}

// stands says whether the other word of a pair stands on its side of the anchor at place i.
func (p *pair) stands(text segment.Codes, i int, other []uint32) bool {
	_, next := text.Get(i)
	for range nearWords {
		if p.back {
			if i == 0 {
				return false
			}
			i = text.Before(i)
		} else {
			if next == len(text) {
				return false
			}
			i = next
		}
		var number uint32
		number, next = text.Get(i)
		if number == segment.Separator {
			return false
		}
		for _, n := range other {
			if n == number {
				return true
			}
		}
	}
	return false
}
