package search

import (
	"cmp"
	"slices"
)

// Small segments are merged when there are too many of one size, so that a question looks into few of them while
// each document is copied only a few times. Readers go on with the old ones meanwhile.
const (
	smallestTier = 256 // units below which a segment is of the lowest tier
	tierFactor   = 8   // how much larger the next tier is
	tiers        = 4
	tierRoom     = 8 // segments that a tier may have
	topTierRoom  = 4 // those of the highest that are not yet half full
)

// tier tells the size class of a view by its live units.
func (v *view) tier() int {
	t := 0
	for size := smallestTier; v.alive.units >= size && t < tiers-1; size *= tierFactor {
		t++
	}
	return t
}

// fewer merges views that should be one and gives the new views, or nil when there is nothing to do.
func fewer(views []*view) []*view {
	chosen := overdue(views)
	if len(chosen) == 0 {
		return nil
	}
	left := slices.DeleteFunc(slices.Clone(views), func(v *view) bool { return slices.Contains(chosen, v) })
	sources := make([]source, len(chosen))
	merged := &view{}
	for i, v := range chosen {
		sources[i] = source{v.stock, v.dead}
		merged.alive.add(&v.alive)
	}
	merged.segment = newSegment(combine(sources), chosen[0].averages)
	return append(left, merged)
}

// overdue chooses the views to merge next: one that is mostly dead, or those of a tier that is full.
func overdue(views []*view) []*view {
	byTier := make([][]*view, tiers)
	for _, v := range views {
		if 2*v.alive.units < v.units() {
			return []*view{v}
		}
		t := v.tier()
		if t < tiers-1 || 2*v.alive.units < maxUnits {
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
func fitting(group []*view) []*view {
	slices.SortStableFunc(group, func(a, b *view) int { return cmp.Compare(a.alive.units, b.alive.units) })
	units := 0
	for i, v := range group {
		units += v.alive.units
		if units > maxUnits {
			return group[:i]
		}
	}
	return group
}
