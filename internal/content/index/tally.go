package index

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strings"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/search"
)

// Facet is what a number of items say in one slot.
type Facet struct {
	Slot  facets.Slot
	Kind  facets.Kind
	Items int // that say anything
	// Values are those of a slot of words, the most frequent first, 100 at most.
	Values []Count
	// Min and Max are the range of figures or of times (Unix seconds), in the unit that most items
	// have.
	Min, Max float64
	// Lows are the items' lowest figures in that unit, ascending, and Median the middle of them.
	Lows   []float64
	Median float64
	Unit   string
}

// Count is how many items have a value.
type Count struct {
	Value string
	Items int
}

const maxValues = 100

// Facets tells what the items of hits say of themselves, slot by slot, those first that most say.
// The types of items are the slot "@type". Of items of which only a notice is shown, what the
// notice says counts.
func (v *View) Facets(hits []Hit) []Facet {
	return v.count(func(yield func(search.Place, any) bool) {
		for _, hit := range hits {
			if !yield(hit.at, hit.Doc) {
				return
			}
		}
	}, nil).facets()
}

// FacetsOf is Facets for all items of a selection: it looks at each.
func (v *View) FacetsOf(sel *search.Selection) []Facet { return v.count(sel.All(), nil).facets() }

// counts is what items say.
type counts struct {
	items int
	types map[string]int
	slots map[facets.Slot]*tally
}

// tally is what items say in one slot.
type tally struct {
	items, times int
	values       map[string]int
	units        map[string]*extent
}

// extent is the figures of one unit.
type extent struct {
	items     int
	low, high float64
	lows      []float64
}

// count looks at each item that which admits; nil is all.
func (v *View) count(items iter.Seq2[search.Place, any], which func(*Doc) bool) counts {
	c := counts{types: map[string]int{}, slots: map[facets.Slot]*tally{}}
	d := v.dictionary
	d.mu.RLock()
	defer d.mu.RUnlock()
	bySlot := make([]*tally, len(d.names))
	at := func(slot uint16) *tally {
		if bySlot[slot] == nil {
			bySlot[slot] = &tally{values: map[string]int{}, units: map[string]*extent{}}
			c.slots[d.names[slot]] = bySlot[slot]
		}
		return bySlot[slot]
	}
	numbers := make([]map[uint32]int, len(d.names))
	for _, ref := range items {
		l := ref.(*Doc)
		if which != nil && !which(l) {
			continue
		}
		c.items++
		for _, t := range l.Types {
			c.types[t]++
		}
		for i, f := range l.facts.figures {
			t := at(f.slot)
			if !seen(l.facts.figures[:i], func(g fact) bool { return g.slot == f.slot }) {
				t.items++
				if f.kind == facets.Times {
					t.times++
				}
			}
			t.add(d.units[f.unit], f.low, f.high)
		}
		for i, val := range l.facts.values {
			t := at(val.slot)
			if !seen(l.facts.values[:i], func(w value) bool { return w.slot == val.slot }) &&
				!seen(l.facts.figures, func(g fact) bool { return g.slot == val.slot }) {
				t.items++
			}
			if numbers[val.slot] == nil {
				numbers[val.slot] = map[uint32]int{}
			}
			numbers[val.slot][val.number]++
		}
	}
	for slot, of := range numbers {
		for number, n := range of {
			bySlot[slot].values[d.slots[d.names[slot]].texts[number]] = n
		}
	}
	return c
}

func seen[T any](all []T, is func(T) bool) bool { return slices.ContainsFunc(all, is) }

func (t *tally) add(unit string, low, high float64) {
	s := t.units[unit]
	if s == nil {
		s = &extent{low: math.Inf(1), high: math.Inf(-1)}
		t.units[unit] = s
	}
	s.items++
	s.low, s.high = min(s.low, low), max(s.high, high)
	s.lows = append(s.lows, low)
}

func (t *tally) kind() facets.Kind {
	figures := 0
	for _, s := range t.units {
		figures += s.items
	}
	switch {
	case len(t.values) > 0 && figures <= t.items/2:
		return facets.Words
	case 2*t.times > t.items:
		return facets.Times
	case figures > 0:
		return facets.Figures
	}
	return facets.Words
}

// unit is the unit that most have.
func (t *tally) unit() string {
	best := ""
	for unit, s := range t.units {
		if b := t.units[best]; b == nil || s.items > b.items || s.items == b.items && unit < best {
			best = unit
		}
	}
	return best
}

func (c counts) facets() []Facet {
	all := make([]Facet, 0, len(c.slots)+1)
	all = append(all, Facet{Slot: "@type", Items: c.items, Values: most(c.types)})
	for slot, t := range c.slots {
		if facets.Derived(slot) {
			continue
		}
		f := Facet{Slot: slot, Kind: t.kind(), Items: t.items}
		if f.Kind == facets.Words {
			f.Values = most(t.values)
		} else {
			f.Unit = t.unit()
			s := t.units[f.Unit]
			slices.Sort(s.lows)
			f.Min, f.Max, f.Lows, f.Median = s.low, s.high, s.lows, s.lows[len(s.lows)/2]
		}
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b Facet) int {
		return cmp.Or(cmp.Compare(b.Items, a.Items), strings.Compare(string(a.Slot), string(b.Slot)))
	})
	return all
}

// most gives the most frequent values.
func most(values map[string]int) []Count {
	all := make([]Count, 0, len(values))
	for text, n := range values {
		all = append(all, Count{text, n})
	}
	slices.SortFunc(all, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Items, a.Items), strings.Compare(a.Value, b.Value))
	})
	return all[:min(len(all), maxValues)]
}
