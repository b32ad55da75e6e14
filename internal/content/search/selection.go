package search

import "frontdesk/internal/content/search/segment"

// Selection is a set of a snapshot's items.
type Selection struct {
	views []*segment.View
	units []segment.Bitmap // by view: the live units that are in
	rule  rule
}

// Place is where an item stands in a snapshot. It says nothing in another.
type Place struct{ view, unit uint32 }

// Holds says whether the item at a place of the selection's snapshot is in the selection.
func (sel *Selection) Holds(at Place) bool {
	return int(at.view) < len(sel.units) && sel.units[at.view].Has(int(at.unit))
}

// rule gives the live units of a view that are in a selection. It depends on the view's batch and
// on what of it is dead, so that units once chosen stay chosen while they live.
type rule func(v *segment.View) segment.Bitmap

// Select returns the items that permit admits. It asks once per item; callers keep the result for
// as long as they keep the snapshot, and carry it to the next one with [Snapshot.Refresh]. permit
// must depend on the ref alone.
func (s *Snapshot) Select(permit func(ref any) bool) *Selection {
	return s.Refresh(&Selection{rule: func(v *segment.View) segment.Bitmap { return choose(v, permit) }})
}

// Refresh returns the same selection for this snapshot. It asks only about items in segments that
// the old snapshot did not have, which are few after a small change.
func (s *Snapshot) Refresh(old *Selection) *Selection {
	known := make(map[*segment.Forward]segment.Bitmap, len(old.views))
	for i, v := range old.views {
		known[v.Forward] = old.units[i]
	}
	fresh := &Selection{views: s.views, units: make([]segment.Bitmap, len(s.views)), rule: old.rule}
	for i, v := range s.views {
		before, ok := known[v.Forward]
		if !ok {
			fresh.units[i] = old.rule(v)
		} else {
			fresh.units[i] = v.Living(before)
		}
	}
	return fresh
}

// choose gives the live units of the items that permit admits.
func choose(v *segment.View, permit func(ref any) bool) segment.Bitmap {
	chosen := segment.NewBitmap(v.Units())
	in := false
	for u := range v.Units() {
		if v.Dead.Has(u) {
			continue
		}
		if !v.Continues(u) {
			in = permit(v.Refs[v.ItemOf[u]])
		}
		if in {
			chosen.Set(u)
		}
	}
	return chosen
}

// And returns the items that are in both selections. Selections of different snapshots have nothing
// in common.
func (sel *Selection) And(other *Selection) *Selection {
	return sel.combine(other, func(a, b uint64) uint64 { return a & b })
}

// Or returns the items that are in one of the selections or in both. Of a selection of another
// snapshot nothing is taken.
func (sel *Selection) Or(other *Selection) *Selection {
	return sel.combine(other, func(a, b uint64) uint64 { return a | b })
}

// Without returns the items that are in the selection and not in the other. When the other is of
// another snapshot, so that it does not tell what is in it, nothing is left.
func (sel *Selection) Without(other *Selection) *Selection {
	return sel.combine(other.complement(), func(a, b uint64) uint64 { return a & b })
}

// complement has all units that are not in the selection, the dead ones too.
func (sel *Selection) complement() *Selection {
	all := &Selection{views: sel.views, units: make([]segment.Bitmap, len(sel.views))}
	for i, units := range sel.units {
		all.units[i] = units.Inverted()
	}
	mine := sel.rule // alone, so that the snapshot is not held
	all.rule = func(v *segment.View) segment.Bitmap { return mine(v).Inverted() }
	return all
}

func (sel *Selection) combine(other *Selection, by func(a, b uint64) uint64) *Selection {
	result := &Selection{views: sel.views, units: make([]segment.Bitmap, len(sel.views))}
	for i, v := range sel.views {
		result.units[i] = sel.units[i].Combine(other.unitsIn(i, v), by)
	}
	mine, theirs := sel.rule, other.rule // alone, so that the snapshot is not held
	result.rule = func(v *segment.View) segment.Bitmap { return mine(v).Combine(theirs(v), by) }
	return result
}

// unitsIn gives the units of the i-th view of a snapshot, or nil when the selection is of another.
func (sel *Selection) unitsIn(i int, v *segment.View) segment.Bitmap {
	if i < len(sel.views) && sel.views[i] == v {
		return sel.units[i]
	}
	return nil
}

// Places gives where the items of the selection stand, in the order in which [Snapshot.Select]
// asked for them.
func (sel *Selection) Places() (all []Place) {
	for i, v := range sel.views {
		for u := range v.Units() {
			if sel.units[i].Has(u) && !v.Continues(u) {
				all = append(all, Place{uint32(i), uint32(u)})
			}
		}
	}
	return all
}

// Count is how many items are in the selection. It looks at each unit.
func (sel *Selection) Count() int {
	n := 0
	for i, v := range sel.views {
		n += v.ItemsIn(sel.units[i])
	}
	return n
}

// Empty says whether no item is in the selection.
func (sel *Selection) Empty() bool {
	for i, v := range sel.views {
		for w, word := range sel.units[i] {
			if rest := v.Units() - w<<6; rest < 64 {
				word &= 1<<rest - 1 // an inverted set has bits beyond its units
			}
			if word != 0 {
				return false
			}
		}
	}
	return true
}
