package search

import (
	"bytes"
	"math"
	"math/bits"
	"slices"
	"sync"

	"frontdesk/internal/content/search/segment"
)

// MaxScan is up to how many vectors a question is held against all of them. Beyond it, it is held
// against those of the items that were found by their words.
const MaxScan = 100_000

// Vector is the direction of a piece of an item's text. Texts that mean about the same have about
// the same direction.
type Vector struct {
	Passage int       // the ordinal of the passage that it is of
	Values  []float32 // of length 1; never changed
}

// Vectors are the directions of the items of a snapshot. They never change.
type Vectors struct {
	views      []*segment.View
	key        func(ref any) string
	tables     []table // by view
	dimensions int
	rows       int
}

// table is the vectors of a view's items.
type table struct {
	begin    []uint32 // by item: where its vectors begin; one more at the end; nil when no item has any
	rows     [][]float32
	passages []uint16
}

// Vectors takes the directions of the snapshot's items. of gives an item's; those that do not have
// as many values as the first are left out. key gives an item's key.
func (s *Snapshot) Vectors(key func(ref any) string, of func(ref any) []Vector) *Vectors {
	v := &Vectors{views: s.views, key: key, tables: make([]table, len(s.views))}
	for i, view := range s.views {
		v.tables[i] = v.table(view, of)
		v.rows += len(v.tables[i].rows)
	}
	return v
}

func (v *Vectors) table(view *segment.View, of func(ref any) []Vector) table {
	t := table{begin: make([]uint32, len(view.Refs)+1)}
	next := 0 // the item of which to note where it begins
	for u := range view.Units() {
		if view.Continues(u) || view.Dead.Has(u) {
			continue
		}
		item := int(view.ItemOf[u])
		for ; next <= item; next++ {
			t.begin[next] = uint32(len(t.rows))
		}
		for _, vector := range of(view.Refs[item]) {
			if v.dimensions == 0 {
				v.dimensions = len(vector.Values)
			}
			if len(vector.Values) == v.dimensions && v.dimensions > 0 {
				t.rows = append(t.rows, vector.Values)
				t.passages = append(t.passages, uint16(min(vector.Passage, math.MaxUint16)))
			}
		}
	}
	for ; next < len(t.begin); next++ {
		t.begin[next] = uint32(len(t.rows))
	}
	if len(t.rows) == 0 {
		return table{}
	}
	return t
}

// Len is how many vectors there are.
func (v *Vectors) Len() int { return v.rows }

// Dimensions is how many values each has; 0 when there is none.
func (v *Vectors) Dimensions() int { return v.dimensions }

// near is an item with how much it resembles a question.
type near struct {
	similarity float32 // the cosine: -1 to 1
	view, item uint32
	passage    uint16
}

// scanning is the room that one question takes; it is used again.
type scanning struct {
	heap   []near // the worst on top
	fused  []fused
	scores []float64
}

var scannings = sync.Pool{New: func() any { return &scanning{} }}

// best gives the similarity of an item: that of the nearest of its vectors.
func (t *table) best(item int, question []float32) (similarity float32, passage uint16, ok bool) {
	if t.begin == nil {
		return 0, 0, false
	}
	similarity = -2
	for row := t.begin[item]; row < t.begin[item+1]; row++ {
		if s := dot(question, t.rows[row]); s > similarity {
			similarity, passage, ok = s, t.passages[row], true
		}
	}
	return similarity, passage, ok
}

// scan finds the items of a selection that resemble the question most, best first.
func (v *Vectors) scan(s *scanning, question []float32, within *Selection, most int) []near {
	s.heap = s.heap[:0]
	for i, view := range v.views {
		t := &v.tables[i]
		if t.begin == nil {
			continue
		}
		units, several := v.unitsOf(i, within), view.Several()
		for w, word := range units {
			for ; word != 0; word &= word - 1 {
				u := w<<6 + bits.TrailingZeros64(word)
				if u >= view.Units() || several && view.Continues(u) {
					continue
				}
				item := int(view.ItemOf[u])
				if similarity, passage, ok := t.best(item, question); ok {
					v.keep(s, near{similarity, uint32(i), uint32(item), passage}, most)
				}
			}
		}
	}
	slices.SortFunc(s.heap, func(a, b near) int {
		if v.before(a, b) {
			return -1
		}
		return 1
	})
	return s.heap
}

// unitsOf gives the units of a view that are in a selection; nil is all that live.
func (v *Vectors) unitsOf(i int, within *Selection) segment.Bitmap {
	if within == nil {
		return v.views[i].Living(segment.NewBitmap(v.views[i].Units()).Inverted())
	}
	return within.unitsIn(i, v.views[i])
}

// before orders items: by similarity, then by key.
func (v *Vectors) before(a, b near) bool {
	return a.similarity > b.similarity || a.similarity == b.similarity && bytes.Compare(v.keyOf(a), v.keyOf(b)) < 0
}

func (v *Vectors) keyOf(n near) []byte { return v.views[n.view].Keys.Word(n.item) }

// keep lets an item in if it is among the best.
func (v *Vectors) keep(s *scanning, n near, most int) {
	h := s.heap
	if len(h) < most {
		h = append(h, n)
		for i := len(h) - 1; i > 0 && v.before(h[(i-1)/2], h[i]); i = (i - 1) / 2 {
			h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
		}
		s.heap = h
		return
	}
	if n.similarity < h[0].similarity || !v.before(n, h[0]) {
		return
	}
	h[0] = n
	for i := 0; ; {
		worst := 2*i + 1
		if worst >= len(h) {
			return
		}
		if worst+1 < len(h) && v.before(h[worst], h[worst+1]) {
			worst++
		}
		if !v.before(h[i], h[worst]) {
			return
		}
		h[i], h[worst] = h[worst], h[i]
		i = worst
	}
}

// at finds an item by its key.
func (v *Vectors) at(key string) (n near, ok bool) {
	h := segment.Hash(key)
	for i, view := range v.views {
		if item, ok := view.Keys.Find(key, h); ok {
			if from, _ := view.UnitsOf(int(item)); !view.Dead.Has(from) {
				return near{view: uint32(i), item: item}, true
			}
		}
	}
	return n, false
}

// Resemblance says how much an item must resemble a question to stand out: more than the nearest of
// all items resembles this share of questions that have to do with none. It holds each against
// every vector.
func (v *Vectors) Resemblance(unrelated [][]float32, share float64) float64 {
	var nearest []float64
	for _, question := range unrelated {
		best := float32(-1)
		if len(question) == v.dimensions {
			for _, t := range v.tables {
				for _, row := range t.rows {
					best = max(best, dot(question, row))
				}
			}
		}
		nearest = append(nearest, float64(best))
	}
	if len(nearest) == 0 || v.rows == 0 {
		return 1
	}
	slices.Sort(nearest)
	return nearest[min(len(nearest)-1, int(share*float64(len(nearest))))]
}

// dot is the product of two vectors of the same length.
func dot(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	for len(a) >= 8 && len(b) >= 8 {
		s0 += a[0]*b[0] + a[4]*b[4]
		s1 += a[1]*b[1] + a[5]*b[5]
		s2 += a[2]*b[2] + a[6]*b[6]
		s3 += a[3]*b[3] + a[7]*b[7]
		a, b = a[8:], b[8:]
	}
	for i, x := range a {
		s0 += x * b[i]
	}
	return s0 + s1 + s2 + s3
}

// Unit brings a vector to length 1, in place, and says whether it has a direction.
func Unit(values []float32) bool {
	sum := 0.0
	for _, x := range values {
		sum += float64(x) * float64(x)
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return false
	}
	by := 1 / math.Sqrt(sum)
	for i, x := range values {
		values[i] = float32(float64(x) * by)
	}
	return true
}
