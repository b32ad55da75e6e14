package search

import (
	"iter"
)

// Part is a group of items that stay together: later snapshots have the same part, with some of its items gone, until they
// are merged into another. It is comparable, so that what a caller knows of a part's items can be kept with it.
type Part struct{ stock *stock }

// Parts gives the parts of a snapshot.
func (s *Snapshot) Parts() []Part {
	parts := make([]Part, len(s.views))
	for i, v := range s.views {
		parts[i] = Part{v.stock}
	}
	return parts
}

// Refs gives the items of a part by number. Some may be gone from a snapshot that has the part.
func (p Part) Refs() []any { return p.stock.refs }

// Set is a set of the items of a part, by number.
type Set []uint64

// Add puts an item into the set.
func (s Set) Add(item int) { bitmap(s).set(item) }

// Pick returns the items that fill puts into the set of each part. It is called once for each part, and again for new
// parts when the selection is carried to a later snapshot; it must depend on the part alone.
func (s *Snapshot) Pick(fill func(p Part, set Set)) *Selection {
	return s.Refresh(&Selection{rule: func(v *view) bitmap {
		items := newBitmap(len(v.refs))
		fill(Part{v.stock}, Set(items))
		return v.unitsOfItems(items)
	}})
}

// Place gives where an item of one of the snapshot's parts stands.
func (s *Snapshot) Place(part, item int) Place {
	return Place{uint32(part), uint32(s.views[part].firstUnit(item))}
}

// Item gives the part and the number of the item that stands somewhere.
func (s *Snapshot) Item(at Place) (part, item int) {
	return int(at.view), int(s.views[at.view].item[at.unit])
}

// All gives the items of a selection and where they stand, by part and number.
func (sel *Selection) All() iter.Seq2[Place, any] {
	return func(yield func(Place, any) bool) {
		for i, v := range sel.views {
			for u := range v.units() {
				if sel.units[i].has(u) && (u == 0 || !v.continues(u)) && !yield(Place{uint32(i), uint32(u)}, v.refs[v.item[u]]) {
					return
				}
			}
		}
	}
}

// Has says whether the item of a key is in the selection.
func (sel *Selection) Has(key string) bool {
	h := hashOf(key)
	for i, v := range sel.views {
		if item, ok := v.keys.find(key, h); ok {
			if from, _ := v.unitsOf(int(item)); !v.dead.has(from) {
				return sel.units[i].has(from)
			}
		}
	}
	return false
}
