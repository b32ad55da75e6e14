package search

import (
	"bytes"
	"cmp"
	"slices"
)

// Near asks for items by their direction beside their words.
type Near struct {
	Vectors *Vectors  // of the snapshot that is asked; those of another are passed over
	Values  []float32 // the question's direction, of length 1
	Fusion
}

// Fusion says how the items found by words and those found by direction become one list.
type Fusion struct {
	// Ranks adds up the inverses of the places in the two lists; otherwise the scores themselves
	// are brought to a scale from the least to the best of each list, and averaged.
	Ranks bool
	// Share is what direction counts, 0 to 1; words count the rest.
	Share float64
	// Least is how much an item that was not found by its words must resemble the question, as a
	// cosine: see [Vectors.Resemblance]. 1 and more lets none in.
	Least float64
}

// DefaultFusion is how lists become one unless somebody knows better.
var DefaultFusion = Fusion{Share: 0.5, Least: 1}

const (
	fusedDepth = 100  // of each list, at least
	rankOffset = 60   // so that the first places do not count for all (Cormack, Clarke and Büttcher, 2009)
	leastScore = 0.1  // of an item that was found
	even       = 50.0 // the score of an item that stands as far apart as it must
)

// fused is an item on its way into the one list.
type fused struct {
	Hit
	key     []byte
	near    near
	worded  bool    // found by its words
	telling bool    // has a direction
	place   int     // by words
	value   float64 // of both
}

// searchNear answers a question by words and by direction.
func (s *Snapshot) searchNear(q Query) Result {
	n, limit := q.Near, q.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	q.Near = nil
	share, settle := q.Share, q.Settle
	if !slices.Equal(n.Vectors.views, s.views) || n.Vectors.rows == 0 || len(n.Values) != n.Vectors.dimensions {
		return s.Search(q)
	}
	q.Share, q.Settle, q.named = 0, nil, map[Place]bool{}
	q.Limit = min(MaxLimit, max(limit, fusedDepth))
	result := s.Search(q)
	room := scannings.Get().(*scanning)
	defer scannings.Put(room)
	hits := n.fuse(room, &q, result.Hits)
	hits = hits[:min(len(hits), limit)]
	hits = slices.DeleteFunc(hits, func(h Hit) bool { return h.Score < share*hits[0].Score })
	if settle != nil {
		hits = settle(hits)
	}
	result.Hits = hits
	return result
}

// fuse makes one list of what was found by words, and of what resembles the question. An item whose
// name is the question stays before all others: it is what was asked for, whatever it resembles.
// Scores belong to places: the best item has the best score that either gave, so that as many have
// enough as before.
func (n *Near) fuse(room *scanning, q *Query, worded []Hit) []Hit {
	v := n.Vectors
	all := room.fused[:0]
	known := make(map[near]bool, len(worded))
	for place, hit := range worded {
		f := fused{Hit: hit, worded: true, place: place}
		if at, ok := v.at(v.key(hit.Ref)); ok {
			f.near, f.key = at, v.keyOf(at)
			known[at] = true
			f.near.similarity, f.near.passage, f.telling = v.tables[at.view].best(int(at.item), n.Values)
		}
		all = append(all, f)
	}
	if v.rows <= MaxScan {
		for _, found := range v.scan(room, n.Values, q.Within, q.Limit) {
			strength := n.strength(float64(found.similarity))
			if q.MinScore > 0 && (strength < even || strength < q.MinScore) {
				break
			}
			if at := (near{view: found.view, item: found.item}); !known[at] {
				view := v.views[found.view]
				unit, _ := view.UnitsOf(int(found.item))
				hit := Hit{Ref: view.Refs[found.item], Score: max(strength, leastScore), Passage: int(found.passage),
					At: Place{found.view, uint32(unit)}}
				all = append(all, fused{Hit: hit, key: v.keyOf(found), near: found, telling: true, place: len(worded)})
			}
		}
	}
	room.scores = room.scores[:0]
	for i := range all {
		room.scores = append(room.scores, all[i].Score)
	}
	if n.Ranks {
		n.byPlaces(all)
	} else {
		n.byScores(all)
	}
	slices.SortFunc(all, func(a, b fused) int {
		return cmp.Or(first(q.named[a.At], q.named[b.At]), cmp.Compare(b.value, a.value), cmp.Compare(a.place, b.place),
			bytes.Compare(a.key, b.key))
	})
	slices.Sort(room.scores)
	hits := make([]Hit, len(all))
	for i, f := range all {
		hits[i] = f.Hit
		hits[i].Score = room.scores[len(all)-1-i]
	}
	clear(all)
	room.fused = all[:0]
	return hits
}

// first puts what holds of one alone before.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// strength is the score of a similarity alone: even for the least that will do, and more beyond.
func (n *Near) strength(similarity float64) float64 {
	switch {
	case similarity <= 0:
		return 0
	case similarity < n.Least || n.Least >= 1:
		return min(even-1, even*similarity/n.Least)
	}
	return min(100, even+(100-even)*(similarity-n.Least)/(1-n.Least))
}

// byScores averages the two scores. An item without a direction has the score of its words for
// both: nothing speaks against it.
func (n *Near) byScores(all []fused) {
	var words, directions scale
	for i := range all {
		if all[i].worded {
			words.add(all[i].Score)
		}
		if all[i].telling {
			directions.add(float64(all[i].near.similarity))
		}
	}
	for i := range all {
		f := &all[i]
		word, direction := 0.0, 0.0
		if f.worded {
			word = words.of(f.Score)
		}
		if direction = word; f.telling {
			direction = directions.of(float64(f.near.similarity))
		}
		f.value = (1-n.Share)*word + n.Share*direction
	}
}

// byPlaces adds up the inverses of the places.
func (n *Near) byPlaces(all []fused) {
	order := make([]int, 0, len(all))
	for i := range all {
		if all[i].telling {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(all[b].near.similarity, all[a].near.similarity),
			bytes.Compare(all[a].key, all[b].key))
	})
	inverse := func(place int) float64 { return 1 / float64(rankOffset+1+place) }
	for i := range all {
		f := &all[i]
		if f.worded {
			f.value = (1 - n.Share) * inverse(f.place)
		}
		if !f.telling {
			f.value += n.Share * inverse(f.place)
		}
	}
	for place, i := range order {
		all[i].value += n.Share * inverse(place)
	}
}

// scale brings values to 0 to 1, from the least to the greatest.
type scale struct {
	least, greatest float64
	some            bool
}

func (s *scale) add(x float64) {
	if !s.some {
		s.least, s.greatest, s.some = x, x, true
	}
	s.least, s.greatest = min(s.least, x), max(s.greatest, x)
}

func (s *scale) of(x float64) float64 {
	if s.greatest <= s.least {
		return 1
	}
	return (x - s.least) / (s.greatest - s.least)
}
