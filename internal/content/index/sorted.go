package index

import (
	"cmp"
	"math"
	"slices"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/search"
)

// order is an order of items by a slot: those that do not say come last. Equal ones stay by score,
// then by what most people rated, then the newest.
type order struct {
	view       *View
	from       *point // the order is by the distance from it
	slot       uint16
	descending bool
	rated      bool // ratings break ties
	ratings    uint16
}

// nearest is the order by distance from the place near which things are wanted.
const nearest facets.Slot = "distance"

// orderBy gives the order of a question; ok is false when no item says anything in its slot.
func (s *finding) orderBy(by facets.Sort) (o order, ok bool) {
	v := s.view
	o = order{view: v, descending: by.Descending}
	if by.By == nearest && s.near != nil {
		o.from = s.near
		return o, true
	}
	if o.slot, ok = v.dictionary.number(by.By); !ok {
		return o, false
	}
	if by.By == facets.Rating {
		o.ratings, o.rated = v.dictionary.number(facets.Ratings)
	}
	return o, true
}

// keyed is a hit with what orders it.
type keyed struct {
	key, rated float64
	hit        int
}

// keys gives what orders hits; smaller is first.
func (o *order) keys(hits []Hit) []keyed {
	all := make([]keyed, len(hits))
	for i := range hits {
		if o.from != nil {
			away, _ := o.view.away(*o.from, hits[i].Doc)
			all[i] = keyed{key: away, hit: i}
			continue
		}
		part, item := o.view.snapshot.Item(hits[i].at)
		c := o.view.columnsFor(o.view.parts[part])
		low, high, ok := c.ofFigures(o.slot).of(item)
		switch {
		case !ok:
			low = math.Inf(1)
		case o.descending:
			low = -high
		}
		all[i] = keyed{key: low, hit: i}
		if o.rated {
			all[i].rated, _, _ = c.ofFigures(o.ratings).of(item)
		}
	}
	return all
}

// leaders gives the first hits in an order, ordered; in the order they have when no item says
// anything of it.
func (s *finding) leaders(hits []Hit, by facets.Sort, limit int) []Hit {
	o, ok := s.orderBy(by)
	if !ok || limit <= 0 {
		return hits[:min(len(hits), max(limit, 0))]
	}
	all := o.keys(hits)
	if len(all) > 2*limit { // the others need no order among themselves
		keys := make([]float64, len(all))
		for i := range all {
			keys[i] = all[i].key
		}
		slices.Sort(keys)
		last := keys[limit-1]
		all = slices.DeleteFunc(all, func(k keyed) bool { return k.key > last })
	}
	slices.SortFunc(all, func(a, b keyed) int {
		x, y := &hits[a.hit], &hits[b.hit]
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(b.rated, a.rated), cmp.Compare(y.Score, x.Score),
			cmp.Compare(y.Dated, x.Dated), cmp.Compare(x.ID, y.ID))
	})
	best := make([]Hit, min(len(all), limit))
	for i := range best {
		best[i] = hits[all[i].hit]
	}
	return best
}

// first gives the first of some hits in the order that is asked for, what is over behind all else.
func (s *finding) first(hits []Hit, limit int) []Hit {
	if s.over == nil {
		return s.leaders(hits, s.asked.Sort, limit)
	}
	coming, over := make([]Hit, 0, len(hits)), []Hit(nil)
	for _, h := range hits {
		if s.over.Holds(h.at) {
			over = append(over, h)
		} else {
			coming = append(coming, h)
		}
	}
	best := s.leaders(coming, s.asked.Sort, limit)
	return append(best, s.leaders(over, s.asked.Sort, limit-len(best))...)
}

// list gives the first items of a selection in the order that is asked for: when none is, events by
// their date where a time is asked for or they are all that is wanted, all else by rating, then the
// newest. Every item fits as well as any other, but what is over comes behind all else.
func (s *finding) list(within *search.Selection, limit int) []Hit {
	by := s.asked.Sort
	if by.By == "" {
		by = facets.Sort{By: facets.Rating, Descending: true}
		for _, c := range s.hard {
			if c.Slot == facets.Start {
				by = facets.Sort{By: facets.Start}
			}
		}
		if s.over != nil && s.attended() {
			by = facets.Sort{By: facets.Start}
		}
		if len(s.soft) > 0 || s.cheap {
			return s.preferred(within, by, limit)
		}
	}
	if s.over == nil {
		return s.ordered(within, by, limit)
	}
	hits := s.ordered(within.Without(s.over), by, limit)
	if len(hits) < limit {
		by.Descending = by.Descending || s.asked.Sort.By == "" && s.attended() // the latest first
		hits = append(hits, s.ordered(within.And(s.over), by, limit-len(hits))...)
	}
	return hits
}

// ordered gives the first items of a selection in an order.
func (s *finding) ordered(within *search.Selection, by facets.Sort, limit int) []Hit {
	for want := limit; ; want *= 4 {
		hits := s.leading(within, by, want)
		n := len(hits)
		if hits = s.leaders(hits, by, n); s.view.several {
			hits = oneEach(hits)
		}
		if len(hits) >= limit || n < want { // some were the same; there may be more further down
			return hits[:min(len(hits), limit)]
		}
	}
}

// preferred gives the items of a selection that meet soft conditions, or cost less, before the
// others.
func (s *finding) preferred(within *search.Selection, by facets.Sort, limit int) []Hit {
	keep := max(4*limit, 1024)
	var hits []Hit
	cut := func() {
		hits = s.leaders(hits, by, len(hits))
		s.lastOver(hits)
		for i := range hits {
			hits[i].Score = listedScore
		}
		s.raise(hits)
		if s.view.several {
			hits = oneEach(hits)
		}
		hits = hits[:min(len(hits), limit)]
	}
	for at, ref := range within.All() {
		hits = append(hits, Hit{Doc: ref.(*Doc), Score: 100, at: at})
		if len(hits) >= keep {
			cut()
		}
	}
	cut()
	return hits
}

// leading gives items of a selection among which are the first of an order, so many as there are:
// from each part those that lead there, by walking along the column until there are enough.
func (s *finding) leading(within *search.Selection, by facets.Sort, limit int) []Hit {
	o, ok := s.orderBy(by)
	v := s.view
	var hits []Hit
	if o.from != nil {
		for at, ref := range within.All() {
			hits = append(hits, Hit{Doc: ref.(*Doc), Score: 100, at: at})
		}
		return hits
	}
	for part, p := range v.parts {
		before := len(hits)
		take := func(item int) {
			if at := v.snapshot.Place(part, item); within.Holds(at) {
				hits = append(hits, Hit{Doc: p.Refs()[item].(*Doc), Score: 100, at: at})
			}
		}
		var column *figureColumn
		if ok {
			column = v.columnsFor(p).ofFigures(o.slot)
			column.walk(o.descending, func(item int, tied bool) bool {
				if !tied && len(hits)-before >= limit {
					return false
				}
				take(item)
				return true
			})
		}
		if len(hits)-before >= limit {
			continue
		}
		for item := range p.Refs() {
			if !ok && len(hits) >= limit {
				return hits
			}
			if column == nil || !column.has(item) {
				take(item)
			}
		}
	}
	return hits
}
