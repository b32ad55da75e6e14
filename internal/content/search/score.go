package search

import (
	"math"
	"slices"
	"sort"

	"frontdesk/internal/content/search/segment"
)

// The score says how well the question is answered. The best item's evidence is how much it scored of what the
// question could have scored, and how much of the question stands in what the item is called; it is set against what
// a question needs. That is less the more words the question has, as nobody answers every word of a long one, and
// more the more items there are, as chance alone finds better ones among many. The other items follow in proportion.
const (
	calledShare = 0.2 // the part of the evidence that title and keys give
	weighed     = 3   // items of which the best evidence counts

	enough      = 0.32 // the evidence that makes an answer to a short question among fewItems items
	fewItems    = 128
	perDoubling = 0.05 // how much more is needed for every doubling of the items
	mostNeeded  = 0.75
	enoughWords = 2.5 // words of equal weight up to which a question is short
	enoughFall  = 0.8 // the power with which the need falls for longer ones
	steepness   = 4   // how fast confidence falls when there is less

	closeWords      = 4   // words among which all of a question's stand when they stand together
	closeConfidence = 0.5 // that such an item answers, whatever else

	wordsButOne      = 4    // words of a question at least that is answered without one of them
	butOneConfidence = 0.35 // that it is

	leastConfidence = 0.001 // so that what shares a word with the question never scores nothing
)

// DefaultMinScore is the score from which an item counts as an answer: confidence at just enough evidence.
const DefaultMinScore = 20.0

// confidence says how well the best of the candidates answer the question, from 0 to 1.
func (a *asking) confidence() float64 {
	best := leastConfidence
	if a.idle {
		for _, c := range a.found[:min(len(a.found), rescored)] {
			best = max(best, a.named(c))
		}
		return best
	}
	for _, c := range a.found[:min(len(a.found), weighed)] {
		strength := float64(int64(c.Score)-int64(c.Lift)) / fullScore
		best = max(best, (1-calledShare)*strength+calledShare*a.called(c))
	}
	needed, least := a.evidenceNeeded()*a.core(), DefaultMinScore/100
	confidence := least * math.Pow(best/needed, steepness)
	if best >= needed {
		confidence = least + (1-least)*math.Sqrt((best-needed)/(1-needed))
	}
	if confidence < closeConfidence && slices.ContainsFunc(a.found[:min(len(a.found), weighed)], a.together) {
		confidence = closeConfidence
	}
	if confidence < butOneConfidence && a.allButOne() {
		confidence = butOneConfidence
	}
	return max(leastConfidence, min(1, confidence))
}

// core is the share of the question that an answer has to have.
func (a *asking) core() float64 {
	sum, aside := uint32(0), uint32(0)
	for i := range a.groups {
		sum += a.groups[i].weight
		if a.groups[i].aside {
			aside += a.groups[i].weight
		}
	}
	if aside == 0 || aside == sum {
		return 1
	}
	return float64(sum-aside) / float64(sum)
}

// dropAside leaves out candidates that have nothing but what is not wanted.
func (a *asking) dropAside() {
	if a.core() == 1 {
		return
	}
	a.found = slices.DeleteFunc(a.found, func(c segment.Candidate) bool {
		text := a.snapshot.views[c.View].Text(int(c.Unit))
		for g := range a.groups {
			if !a.groups[g].empty && a.has(text, g, int(c.View)) {
				return false
			}
		}
		return true
	})
}

// allButOne says whether one of the best items has all words of the question in its title and keys but one
// that hardly any item has: a name that is not here does not stand in the way of what is.
func (a *asking) allButOne() bool {
	rarest := -1
	for g := range a.groups {
		switch {
		case a.groups[g].vague, a.groups[g].aside:
			return false
		case a.groups[g].df <= rarelyFound && rarest < 0:
			rarest = g
		case a.groups[g].df <= rarelyFound:
			return false
		}
	}
	if rarest < 0 || len(a.groups) < wordsButOne {
		return false
	}
	return slices.ContainsFunc(a.found[:min(len(a.found), weighed)], func(c segment.Candidate) bool {
		v := a.snapshot.views[c.View]
		text := v.Text(int(c.Unit))
		text = text[:v.PartEnds(int(c.Unit))[0]]
		for g := range a.groups {
			if g != rarest && !a.has(text, g, int(c.View)) {
				return false
			}
		}
		return true
	})
}

// evidenceNeeded is the evidence that makes an answer to the question.
func (a *asking) evidenceNeeded() float64 {
	items := float64(max(fewItems, a.snapshot.Len()))
	most := min(mostNeeded, enough+perDoubling*math.Log2(items/fewItems))
	return most * math.Pow(min(1, enoughWords/a.effectiveWords()), enoughFall)
}

// together says whether all words of the question stand close together somewhere in a candidate: then it says what is
// asked for, be it in a text of which it is a small part.
func (a *asking) together(c segment.Candidate) bool {
	if len(a.groups) > closeWords {
		return false
	}
	var last [closeWords]int // by group: the place after its last occurrence, in words
	view := int(c.View)
	text := a.snapshot.views[view].Text(int(c.Unit))
	for i, at := 0, closeWords; i < len(text); at++ {
		var number uint32
		if number, i = text.Get(i); number == segment.Separator {
			at += closeWords // parts are far from each other
			continue
		}
		for g := range a.groups {
			if slices.Contains(a.lookup.numbersOf(g, view), number) {
				last[g] = at + 1
				if slices.Min(last[:len(a.groups)]) > at+1-closeWords {
					return true
				}
			}
		}
	}
	return false
}

// called gives the share of the question that stands in a candidate's title and keys.
func (a *asking) called(c segment.Candidate) float64 {
	v := a.snapshot.views[c.View]
	text := v.Text(int(c.Unit))
	text = text[:v.PartEnds(int(c.Unit))[0]]
	sum := uint32(0)
	for g := range a.groups {
		for _, number := range a.lookup.numbersOf(g, int(c.View)) {
			if text.Index(number, 0) < len(text) {
				sum += a.groups[g].weight
				break
			}
		}
	}
	return float64(sum) / fullWeight
}

// named says how well a question of function words alone ("the who", "what is it") names a candidate: such words are
// in every text, so that only a title with all of them counts, and that as far as they make it up.
func (a *asking) named(c segment.Candidate) float64 {
	view := int(c.View)
	text := a.snapshot.views[view].Lead(int(c.Unit), leadWords)
	title := text[:text.Index(segment.Separator, 0)]
	for g := range a.groups {
		if !slices.ContainsFunc(a.lookup.numbersOf(g, view), func(number uint32) bool {
			return title.Index(number, 0) < len(title)
		}) {
			return 0
		}
	}
	share := min(1, float64(len(a.sequence))/float64(max(title.Count(), 1)))
	return share * share
}

// exactly says whether the words of the question, and no others, are a candidate's title.
func (a *asking) exactly(c segment.Candidate) bool {
	view := int(c.View)
	text := a.snapshot.views[view].Lead(int(c.Unit), leadWords)
	title := text[:text.Index(segment.Separator, 0)]
	words := len(a.sequence)
	for i := range a.words {
		if a.words[i].use == Stop {
			words++
		}
	}
	if a.own == 0 || title.Count() > words {
		return false
	}
	for g := range a.groups[:a.own] {
		if !slices.ContainsFunc(a.lookup.numbersOf(g, view), func(number uint32) bool { return title.Index(number, 0) < len(title) }) {
			return false
		}
	}
	return true
}

// effectiveWords is how many words of equal weight would make a question like this one.
func (a *asking) effectiveWords() float64 {
	sum, squares := 0.0, 0.0
	for i := range a.groups {
		if a.groups[i].aside {
			continue
		}
		w := float64(a.groups[i].weight)
		sum, squares = sum+w, squares+w*w
	}
	if squares == 0 {
		return 1
	}
	return sum * sum / squares
}

// hits makes the hits of the best limit items whose score is high enough.
func (a *asking) hits(q *Query, limit int, confidence float64) []Hit {
	best := a.found[:min(limit, len(a.found))]
	if len(best) == 0 {
		return nil
	}
	unit := 100 * confidence / float64(best[0].Score)
	scoreOf := func(c segment.Candidate) float64 {
		return min(100, unit*float64(c.Score)) // the division before may have rounded up
	}
	least := max(q.MinScore, q.Share*scoreOf(best[0]))
	enough := sort.Search(len(best), func(i int) bool { return scoreOf(best[i]) < least })
	hits := make([]Hit, 0, enough)
	for _, c := range best[:enough] {
		if a.idle && q.MinScore > 0 && a.named(c) == 0 {
			continue
		}
		v := a.snapshot.views[c.View]
		hits = append(hits, Hit{Ref: v.Refs[v.ItemOf[c.Unit]], Score: scoreOf(c), At: Place{c.View, c.Unit}})
		if q.named != nil && a.exactly(c) {
			q.named[Place{c.View, c.Unit}] = true
		}
	}
	if q.Settle != nil {
		hits = q.Settle(hits)
	}
	for i := range hits {
		hits[i].Passage = a.bestPassage(hits[i].At)
		if q.Further > 0 {
			hits[i].Further = a.furtherPassages(hits[i].At, hits[i].Passage, q.Further)
		}
	}
	return hits
}
