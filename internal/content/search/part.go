package search

import (
	"iter"

	"frontdesk/internal/content/search/segment"
)

// Part is a group of items that stay together: later snapshots have the same part, with some of its
// items gone, until they are merged into another. It is comparable, so that what a caller knows of
// a part's items can be kept with it.
type Part struct{ forward *segment.Forward }

// Parts gives the parts of a snapshot.
func (s *Snapshot) Parts() []Part {
	parts := make([]Part, len(s.views))
	for i, v := range s.views {
		parts[i] = Part{v.Forward}
	}
	return parts
}

// Refs gives the items of a part by number. Some may be gone from a snapshot that has the part.
func (p Part) Refs() []any { return p.forward.Refs }

// Set is a set of the items of a part, by number.
type Set []uint64

// Add puts an item into the set.
func (s Set) Add(item int) { segment.Bitmap(s).Set(item) }

// Pick returns the items that fill puts into the set of each part. It is called once for each part,
// and again for new parts when the selection is carried to a later snapshot; it must depend on the
// part alone.
func (s *Snapshot) Pick(fill func(p Part, set Set)) *Selection {
	return s.Refresh(&Selection{rule: func(v *segment.View) segment.Bitmap {
		items := segment.NewBitmap(len(v.Refs))
		fill(Part{v.Forward}, Set(items))
		return v.UnitsOfItems(items)
	}})
}

// Place gives where an item of one of the snapshot's parts stands.
func (s *Snapshot) Place(part, item int) Place {
	return Place{uint32(part), uint32(s.views[part].FirstUnit(item))}
}

// Item gives the part and the number of the item that stands somewhere.
func (s *Snapshot) Item(at Place) (part, item int) {
	return int(at.view), int(s.views[at.view].ItemOf[at.unit])
}

// All gives the items of a selection and where they stand, by part and number.
func (sel *Selection) All() iter.Seq2[Place, any] {
	return func(yield func(Place, any) bool) {
		for i, v := range sel.views {
			for u := range v.Units() {
				if sel.units[i].Has(u) && (u == 0 || !v.Continues(u)) &&
					!yield(Place{uint32(i), uint32(u)}, v.Refs[v.ItemOf[u]]) {
					return
				}
			}
		}
	}
}

// Has says whether the item of a key is in the selection.
func (sel *Selection) Has(key string) bool {
	h := segment.Hash(key)
	for i, v := range sel.views {
		if item, ok := v.Keys.Find(key, h); ok {
			if from, _ := v.UnitsOf(int(item)); !v.Dead.Has(from) {
				return sel.units[i].Has(from)
			}
		}
	}
	return false
}
