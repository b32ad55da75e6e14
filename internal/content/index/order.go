package index

import (
	"cmp"
	"slices"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/search"
)

// cheapWeight is the share of its score that the cheapest of the hits gains where little is to be
// paid; the dearer half gains nothing.
const cheapWeight = 0.25

// cheaper gives what each hit gains by costing less than others: nothing where that is not asked
// for.
func (s *finding) cheaper(hits []Hit) func(i int) float64 {
	number, ok := s.view.dictionary.number(facets.Price)
	if !s.cheap || !ok {
		return func(int) float64 { return 0 }
	}
	type price struct {
		low   float64
		unit  uint16
		known bool
	}
	asked, units := make([]price, len(hits)), map[uint16][]float64{}
	for i, h := range hits {
		part, item := s.view.snapshot.Item(h.at)
		column := s.view.columnsFor(s.view.parts[part]).ofFigures(number)
		if at, ok := column.at(item); ok {
			asked[i] = price{column.low[at], column.unit[at], true}
			units[column.unit[at]] = append(units[column.unit[at]], column.low[at])
		}
	}
	for _, prices := range units {
		slices.Sort(prices)
	}
	gains := make([]float64, len(hits))
	for i, p := range asked {
		prices := units[p.unit]
		if !p.known || len(prices) < 2 {
			continue
		}
		below, _ := slices.BinarySearch(prices, p.low)
		gains[i] = cheapWeight * max(0, 1-2*float64(below)/float64(len(prices)))
	}
	return func(i int) float64 { return gains[i] }
}

// attended are the types of what is over at some time.
var attended = []string{"Event", "Course", "CourseInstance"}

// over gives the items that were over when the day of a question began; nil where there are none,
// or where the question is about the time of things.
func (v *View) over(q *Question) *search.Selection {
	if q.Today.IsZero() || timely(q.Sort.By) ||
		slices.ContainsFunc(q.Constraints, func(c facets.Constraint) bool { return timely(c.Slot) && !c.Soft }) {
		return nil
	}
	types := v.below(attended)
	if len(types) == 0 {
		return nil
	}
	over := v.judge(&facets.Constraint{Slot: facets.End, To: q.Today}).meet
	over = over.And(v.anyOf(len(types), func(i int) choice { return choice{typ: types[i]} }))
	if over.Empty() {
		return nil
	}
	return over
}

// timely says whether a slot is when something begins, ends or appeared.
func timely(slot facets.Slot) bool {
	return slot == facets.Start || slot == facets.End || slot == facets.Published
}

// attended says whether all that is wanted is over at some time.
func (s *finding) attended() bool {
	types := s.view.below(attended)
	return len(s.asked.Types) > 0 &&
		!slices.ContainsFunc(s.view.below(s.asked.Types), func(t string) bool { return !slices.Contains(types, t) })
}

// lastOver moves what is over behind everything else, the latest of it first where all is by its
// beginning.
func (s *finding) lastOver(hits []Hit) {
	if s.over == nil {
		return
	}
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Compare(truth(s.over.Holds(a.at)), truth(s.over.Holds(b.at)))
	})
	first := slices.IndexFunc(hits, func(h Hit) bool { return s.over.Holds(h.at) })
	if first >= 0 && s.attended() {
		slices.Reverse(hits[first:])
	}
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// aboutAsWell is the share of the score of an event that is over from which one to come comes
// before it: what only mentions a word of the question somewhere does not push back the event that
// has its name.
const aboutAsWell = 0.25

// demote puts each event that is over behind those to come that fit about as well.
func (s *finding) demote(hits []Hit) {
	if s.over == nil {
		return
	}
	types := s.view.below(attended)
	var coming []float64 // the scores of those to come, ascending
	for _, h := range hits {
		if !s.over.Holds(h.at) &&
			slices.ContainsFunc(h.Types, func(t string) bool { return slices.Contains(types, t) }) {
			coming = append(coming, h.Score)
		}
	}
	if len(coming) == 0 {
		return
	}
	slices.Sort(coming)
	for i := range hits {
		h := &hits[i]
		if !s.over.Holds(h.at) {
			continue
		}
		if at, _ := slices.BinarySearch(coming, aboutAsWell*h.Score); at < len(coming) {
			h.Score = min(h.Score, coming[at])
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(truth(s.over.Holds(a.at)), truth(s.over.Holds(b.at))))
	})
}
