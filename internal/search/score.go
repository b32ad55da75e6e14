package search

import (
	"math"
	"slices"
)

// The score says how well the question is answered. What an item scored of what the question could have scored
// falls the more words a question has: nobody answers every word of a long one. So the best item's evidence is
// set against what a question of this length needs, and the others follow in proportion.
const (
	enough      = 0.44 // the evidence that makes an answer to a question of up to enoughWords words
	enoughWords = 4.0
	enoughFall  = 0.7 // the power with which it falls for longer questions
	weighed     = 3   // items of which the best evidence counts
	steepness   = 4   // how fast confidence falls when there is less

	wholeCoverage   = 0.99  // as weights are rounded
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
		strength := float64(c.score-c.lift) / fullScore
		coverage := float64(a.covered(c)) / fullWeight
		best = max(best, (strength+coverage)/2)
		if coverage >= wholeCoverage {
			break // those that follow are no better
		}
	}
	needed := enough * math.Pow(min(1, enoughWords/a.effectiveWords()), enoughFall)
	return max(leastConfidence, min(1, best, DefaultMinScore/100*math.Pow(best/needed, steepness)))
}

// named says how well a question of function words alone ("the who", "what is it") names a candidate: such words are
// in every text, so that only a title with all of them counts, and that as far as they make it up.
func (a *asking) named(c candidate) float64 {
	view := int(c.view)
	text := a.snapshot.views[view].lead(int(c.unit))
	title := text[:text.index(separatorCode, 0)]
	for g := range a.groups {
		if !slices.ContainsFunc(a.numbersOf(g, view), func(number uint32) bool {
			return number != separatorCode && title.index(number, 0) < len(title)
		}) {
			return 0
		}
	}
	share := min(1, float64(len(a.sequence))/float64(max(title.lengths()[titleField], 1)))
	return share * share
}

// effectiveWords is how many words of equal weight would make a question like this one.
func (a *asking) effectiveWords() float64 {
	sum, squares := 0.0, 0.0
	for i := range a.groups {
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
	hits := make([]Hit, 0, len(best))
	unit := 100 * confidence / float64(best[0].score)
	for _, c := range best {
		score := min(100, unit*float64(c.score)) // the division before may have rounded up
		if score < q.MinScore {
			break
		}
		if a.idle && q.MinScore > 0 && a.named(c) == 0 {
			continue
		}
		v := a.snapshot.views[c.view]
		hits = append(hits, Hit{Ref: v.refs[v.item[c.unit]], Score: score, Passage: a.bestPassage(c)})
	}
	return hits
}
