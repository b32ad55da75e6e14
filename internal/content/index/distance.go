package index

import (
	"math"
	"slices"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/search"
)

// The bounds of what is known of a place by the items that are in it.
const (
	placeItems = 2000 // that are looked at
	// kilometres around the middle within which at least half of them lie: otherwise it is no one
	// place
	placeRadius = 50
	earthRadius = 6371.0
)

// point is a place on earth, in degrees.
type point struct{ lat, long float64 }

// to is the distance between two points, in kilometres.
func (p point) to(q point) float64 {
	const degree = math.Pi / 180
	dLat, dLong := (q.lat-p.lat)*degree, (q.long-p.long)*degree
	h := math.Pow(math.Sin(dLat/2), 2) + math.Cos(p.lat*degree)*math.Cos(q.lat*degree)*math.Pow(math.Sin(dLong/2), 2)
	return 2 * earthRadius * math.Asin(math.Min(1, math.Sqrt(h)))
}

// places calls fn with each place where an item says that it is.
func (v *View) places(f *facts, fn func(point)) {
	latitude, ok := v.dictionary.number(facets.Latitude)
	longitude, also := v.dictionary.number(facets.Longitude)
	if !ok || !also {
		return
	}
	lat := math.NaN()
	for i := range f.figures {
		switch figure := &f.figures[i]; figure.slot {
		case latitude:
			lat = figure.low
		case longitude:
			if !math.IsNaN(lat) {
				fn(point{lat, figure.low})
			}
			lat = math.NaN()
		}
	}
}

// away is how far the nearest place of an item is from a point; ok is false when it says of none.
func (v *View) away(from point, l *Doc) (kilometres float64, ok bool) {
	kilometres = math.Inf(1)
	v.places(&l.facts, func(p point) { kilometres, ok = min(kilometres, from.to(p)), true })
	return kilometres, ok
}

// centre is where a place is, by the items that are in it and say where they are: the middle of
// them.
func (v *View) centre(c *facets.Constraint) (centre point, ok bool) {
	var all []point
	for _, ref := range v.withAnyValue(c).And(v.having(facets.Latitude)).All() {
		v.places(&ref.(*Doc).facts, func(p point) { all = append(all, p) })
		if len(all) >= placeItems {
			break
		}
	}
	if len(all) == 0 {
		return point{}, false
	}
	middle := func(of func(point) float64) float64 {
		figures := make([]float64, len(all))
		for i, p := range all {
			figures[i] = of(p)
		}
		slices.Sort(figures)
		return figures[(len(figures)-1)/2]
	}
	centre = point{middle(func(p point) float64 { return p.lat }), middle(func(p point) float64 { return p.long })}
	near := 0
	for _, p := range all {
		if centre.to(p) <= placeRadius {
			near++
		}
	}
	return centre, 2*near >= len(all)
}

// onDistance judges what is near a place: by where items say that they are, and of those that do
// not by the names of their places. Where nobody says where the place is, its name counts.
func (v *View) onDistance(c *facets.Constraint) verdict {
	named, known := v.withAnyValue(c), v.having(c.Slot)
	if centre, ok := v.centre(c); ok {
		placed := v.having(facets.Latitude)
		named = named.Without(placed).Or(v.snapshot.Pick(func(p search.Part, set search.Set) {
			refs := p.Refs()
			latitude, ok := v.dictionary.number(facets.Latitude)
			if !ok {
				return
			}
			for _, item := range v.columnsFor(p).ofFigures(latitude).items {
				if away, ok := v.away(centre, refs[item].(*Doc)); ok && away <= c.Around {
					set.Add(int(item))
				}
			}
		}))
		known = known.Or(placed)
	}
	if !c.Not {
		return verdict{meet: named, unknown: v.all().Without(known).Without(named)}
	}
	return verdict{meet: known.Without(named), unknown: v.all().Without(known).Without(named)}
}

// near is the place near which a question wants things; nil for none, or where nobody says where it
// is.
func (v *View) near(q *Question) *point {
	for i := range q.Constraints {
		if c := &q.Constraints[i]; c.Around > 0 && !c.Not && !c.Soft {
			if centre, ok := v.centre(c); ok {
				return &centre
			}
		}
	}
	return nil
}
