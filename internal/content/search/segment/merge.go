package segment

import (
	"cmp"
	"slices"
)

// Small segments are merged when there are too many of one size, so that a question looks into few
// of them while each document is copied only a few times. Readers go on with the old ones
// meanwhile.
const (
	smallestTier = 256 // units below which a segment is of the lowest tier
	tierFactor   = 8   // how much larger the next tier is
	tiers        = 4
	tierRoom     = 8 // segments that a tier may have
	topTierRoom  = 4 // those of the highest that are not yet half full
)

// tier tells the size class of a view by its live units.
func (v *View) tier() int {
	t := 0
	for size := smallestTier; v.Alive.Units >= size && t < tiers-1; size *= tierFactor {
		t++
	}
	return t
}

// Merge merges views that should be one and gives the new views, or nil when there is nothing to
// do.
func Merge(views []*View) []*View {
	chosen := overdue(views)
	if len(chosen) == 0 {
		return nil
	}
	left := slices.DeleteFunc(slices.Clone(views), func(v *View) bool { return slices.Contains(chosen, v) })
	sources := make([]source, len(chosen))
	merged := &View{}
	for i, v := range chosen {
		sources[i] = source{v.Forward, v.Dead}
		merged.Alive.Add(&v.Alive)
	}
	merged.Segment = newSegment(combine(sources), chosen[0].averages)
	return append(left, merged)
}

// overdue chooses the views to merge next: one that is mostly dead, or those of a tier that is
// full.
func overdue(views []*View) []*View {
	byTier := make([][]*View, tiers)
	for _, v := range views {
		if 2*v.Alive.Units < v.Units() {
			return []*View{v}
		}
		t := v.tier()
		if t < tiers-1 || 2*v.Alive.Units < MaxUnits {
			byTier[t] = append(byTier[t], v)
		}
	}
	for t, group := range byTier {
		room := tierRoom
		if t == tiers-1 {
			room = topTierRoom
		}
		if len(group) >= room {
			return fitting(group)
		}
	}
	return nil
}

// fitting takes views from the smallest on, as many as fit into one segment.
func fitting(group []*View) []*View {
	slices.SortStableFunc(group, func(a, b *View) int { return cmp.Compare(a.Alive.Units, b.Alive.Units) })
	units := 0
	for i, v := range group {
		units += v.Alive.Units
		if units > MaxUnits {
			return group[:i]
		}
	}
	return group
}
