package answer

import (
	"math"
	"sync"

	"frontdesk/internal/facet"
	"frontdesk/internal/search"
)

// columns are the facts of a part's items by slot, each made when it is first asked for. They serve every view that has
// the part.
type columns struct {
	refs    []any // listings by number
	mu      sync.Mutex
	figures map[uint16]*figureColumn
	words   map[uint16]*wordColumn
}

// figureColumn is the range of each item in a slot; NaN where it has none.
type figureColumn struct {
	low, high []float64
	unit      []uint16
}

// wordColumn is the items that have each value of a slot.
type wordColumn struct {
	items map[uint32][]uint16
	any   search.Set // those that have one
}

func newColumns(p search.Part) *columns {
	return &columns{refs: p.Refs(), figures: map[uint16]*figureColumn{}, words: map[uint16]*wordColumn{}}
}

// ofFigures gives a slot's figures, or its times. Of several in one item it is the range of all.
func (c *columns) ofFigures(slot uint16) *figureColumn {
	c.mu.Lock()
	defer c.mu.Unlock()
	column := c.figures[slot]
	if column != nil {
		return column
	}
	n := len(c.refs)
	column = &figureColumn{low: make([]float64, n), high: make([]float64, n), unit: make([]uint16, n)}
	for i, ref := range c.refs {
		low, high, unit, ok := ref.(*Listing).facts.rangeOf(slot)
		if !ok {
			low, high = math.NaN(), math.NaN()
		}
		column.low[i], column.high[i], column.unit[i] = low, high, unit
	}
	c.figures[slot] = column
	return column
}

// rangeOf is the range of an item's figures in a slot. Only those in the unit of the first count.
func (f *facts) rangeOf(slot uint16) (low, high float64, unit uint16, ok bool) {
	for i := range f.figures {
		figure := &f.figures[i]
		switch {
		case figure.slot != slot || ok && figure.unit != unit:
		case !ok:
			low, high, unit, ok = figure.low, figure.high, figure.unit, true
		default:
			low, high = min(low, figure.low), max(high, figure.high)
		}
	}
	return low, high, unit, ok
}

// ofWords gives a slot's values.
func (c *columns) ofWords(slot uint16) *wordColumn {
	c.mu.Lock()
	defer c.mu.Unlock()
	column := c.words[slot]
	if column != nil {
		return column
	}
	column = &wordColumn{items: map[uint32][]uint16{}, any: make(search.Set, (len(c.refs)+63)/64)}
	for i, ref := range c.refs {
		for _, v := range ref.(*Listing).facts.values {
			if v.slot == slot {
				column.items[v.number] = append(column.items[v.number], uint16(i))
				column.any.Add(i)
			}
		}
	}
	c.words[slot] = column
	return column
}

// columnsOf keeps the columns of parts that an earlier view had and makes those of new ones.
func columnsOf(snapshot *search.Snapshot, earlier map[search.Part]*columns) map[search.Part]*columns {
	now := map[search.Part]*columns{}
	for _, p := range snapshot.Parts() {
		if kept := earlier[p]; kept != nil {
			now[p] = kept
		} else {
			now[p] = newColumns(p)
		}
	}
	return now
}

// having gives the items that have anything in a slot, as figure or in words.
func (v *View) having(slot facet.Slot) *search.Selection {
	number, ok := v.dictionary.number(slot)
	if !ok {
		return v.none()
	}
	return v.snapshot.Pick(func(p search.Part, set search.Set) {
		c := v.columnsFor(p)
		copy(set, c.ofWords(number).any)
		figures := c.ofFigures(number)
		for i, low := range figures.low {
			if low == low { // not NaN
				set.Add(i)
			}
		}
	})
}

// withFigures gives the items whose range in a slot meets the bounds: one of them lies within.
func (v *View) withFigures(slot facet.Slot, meets func(low, high float64, unit uint16) bool) *search.Selection {
	number, ok := v.dictionary.number(slot)
	if !ok {
		return v.none()
	}
	return v.snapshot.Pick(func(p search.Part, set search.Set) {
		column := v.columnsFor(p).ofFigures(number)
		for i, low := range column.low {
			if low == low && meets(low, column.high[i], column.unit[i]) {
				set.Add(i)
			}
		}
	})
}

// withWords gives the items that have one of some values in a slot.
func (v *View) withWords(slot facet.Slot, numbers []uint32) *search.Selection {
	number, ok := v.dictionary.number(slot)
	if !ok || len(numbers) == 0 {
		return v.none()
	}
	return v.snapshot.Pick(func(p search.Part, set search.Set) {
		column := v.columnsFor(p).ofWords(number)
		for _, n := range numbers {
			for _, item := range column.items[n] {
				set.Add(int(item))
			}
		}
	})
}

// withValue gives the items that have a value in a slot, and those that have one like it which is another.
func (v *View) withValue(slot facet.Slot, asked string) (having, like *search.Selection) {
	same, others := v.dictionary.matching(slot, asked)
	return v.withWords(slot, same), v.withWords(slot, others)
}

// withWordsOf gives the items that have a value with all of some words.
func (v *View) withWordsOf(slot facet.Slot, words string) *search.Selection {
	having, _ := v.withValue(slot, words)
	return having
}

// columnsFor gives a part's columns.
func (v *View) columnsFor(p search.Part) *columns {
	if c := v.columns[p]; c != nil {
		return c
	}
	return newColumns(p)
}

func (v *View) none() *search.Selection {
	return v.snapshot.Pick(func(search.Part, search.Set) {})
}
