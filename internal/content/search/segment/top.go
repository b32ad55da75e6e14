package segment

import "bytes"

// Candidate is a unit with its score.
type Candidate struct {
	Score uint32
	// how much of the score is no match of words: for words that follow each other, against another
	// language
	Lift int32
	View uint32
	Unit uint32
}

// top keeps the best candidates: a heap with the worst of them on top.
type top struct {
	views     []*View
	heap      []Candidate
	room      int
	threshold uint32 // below this a score cannot get in; an equal one may, by its key
}

func (t *top) reset(views []*View, room int) {
	t.views, t.heap, t.room, t.threshold = views, t.heap[:0], room, 0
}

// better orders candidates: by score, then by key.
func (t *top) better(a, b Candidate) bool {
	return a.Score > b.Score || a.Score == b.Score && t.first(a, b)
}

// first breaks a tie.
func (t *top) first(a, b Candidate) bool {
	if a.View == b.View {
		v := t.views[a.View]
		ranks := v.Ranks()
		return ranks[v.ItemOf[a.Unit]] < ranks[v.ItemOf[b.Unit]]
	}
	return bytes.Compare(t.keyOf(a), t.keyOf(b)) < 0
}

func (t *top) keyOf(c Candidate) []byte {
	v := t.views[c.View]
	return v.Keys.Word(uint32(v.ItemOf[c.Unit]))
}

// push lets a candidate in if it is among the best.
func (t *top) push(c Candidate) {
	if len(t.heap) < t.room {
		t.heap = append(t.heap, c)
		t.up(len(t.heap) - 1)
	} else if t.better(c, t.heap[0]) {
		t.heap[0] = c
		t.down(0)
	}
	if len(t.heap) == t.room {
		t.threshold = t.heap[0].Score
	}
}

func (t *top) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !t.better(t.heap[parent], t.heap[i]) {
			return
		}
		t.heap[parent], t.heap[i] = t.heap[i], t.heap[parent]
		i = parent
	}
}

func (t *top) down(i int) {
	heap, sinking := t.heap, t.heap[i]
	for {
		child := 2*i + 1
		if child >= len(heap) {
			break
		}
		if next := child + 1; next < len(heap) && t.better(heap[child], heap[next]) {
			child = next
		}
		if t.better(heap[child], sinking) {
			break
		}
		heap[i] = heap[child]
		i = child
	}
	heap[i] = sinking
}

// sorted gives the candidates, best first. The heap is used up.
func (t *top) sorted() []Candidate {
	all := t.heap
	for n := len(all) - 1; n > 0; n-- {
		worst := t.heap[0]
		t.heap[0] = t.heap[n]
		t.heap = t.heap[:n]
		t.down(0)
		all[n] = worst
	}
	return all
}
