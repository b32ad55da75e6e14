package search

import "math"

// The score says how well the question is answered. What an item scored of what the question could have scored
// falls the more words a question has: nobody answers every word of a long one. So the best item's evidence is
// set against what a question of this length needs, and the others follow in proportion.
const (
	enough      = 0.44 // the evidence that makes an answer to a question of up to enoughWords words
	enoughWords = 4.0
	enoughFall  = 0.6 // the power with which it falls for longer questions
	steepness   = 4   // how fast confidence falls when there is less
)

// DefaultMinScore is the score from which an item counts as an answer: confidence at just enough evidence.
const DefaultMinScore = 20.0

// confidence says how well the best of the candidates answer the question, from 0 to 1.
func (a *asking) confidence() float64 {
	best := 0.0
	for _, f := range a.found[:min(len(a.found), DefaultLimit)] {
		strength := float64(f.base) / fullScore
		coverage := float64(f.covered) / fullWeight
		best = max(best, (strength+coverage)/2)
	}
	needed := enough * math.Pow(min(1, enoughWords/a.effectiveWords()), enoughFall)
	return min(1, best, DefaultMinScore/100*math.Pow(best/needed, steepness))
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
func (a *asking) hits(limit int, confidence, least float64) []Hit {
	candidates := a.top.heap
	n := min(limit, len(candidates))
	if n == 0 {
		return nil
	}
	hits := make([]Hit, 0, n)
	unit := 100 * confidence / float64(a.found[0].score)
	for i := range n {
		var f finding
		if i < len(a.found) {
			f = a.found[i]
		} else {
			f = a.passageOf(candidates[i])
		}
		score := unit * float64(f.score)
		if score < least {
			break
		}
		v := a.snapshot.views[f.view]
		hits = append(hits, Hit{Ref: v.refs[v.item[f.unit]], Score: score, Passage: f.passage})
	}
	return hits
}

// passageOf is look for a candidate that stands too low to be lifted.
func (a *asking) passageOf(c candidate) finding {
	f := a.look(c)
	f.score = c.score
	return f
}
