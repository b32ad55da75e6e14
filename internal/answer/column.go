package answer

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"sync"

	"frontdesk/internal/facet"
	"frontdesk/internal/search"
)

// columns are the facts of a part's items by slot. Those of the slots in common are made with the view, others when they
// are first asked for. They serve every view that has the part.
type columns struct {
	refs    []any // listings by number
	mu      sync.Mutex
	figures map[uint16]*figureColumn
	words   map[uint16]*wordColumn
}

// common are the slots that questions ask for in their own words.
var common = []facet.Slot{
	facet.Price, facet.Rating, facet.Ratings, facet.TotalTime, facet.PrepTime, facet.CookTime, facet.Duration, facet.Published, facet.Modified, facet.Start, facet.Yield,
	facet.Calories, facet.Protein, facet.Location, facet.Brand, facet.Color, facet.Category, facet.Author, facet.Material, facet.Size, facet.Audience, facet.Cuisine,
	facet.Diet, facet.Ingredient, facet.Allergens, facet.Contains, facet.Keywords, facet.Latitude, facet.Longitude,
}

// figureColumn is the range of each item that has one in a slot.
type figureColumn struct {
	items     []uint16 // in order
	low, high []float64
	unit      []uint16
	any       search.Set
	byLow     []uint16 // the places in items by low
	byHigh    []uint16 // and by high; the same slice where all ranges are points
}

// wordColumn is the items that have each value of a slot.
type wordColumn struct {
	items map[uint32][]uint16
	any   search.Set // those that have one
}

func newColumns(p search.Part) *columns {
	return &columns{refs: p.Refs(), figures: map[uint16]*figureColumn{}, words: map[uint16]*wordColumn{}}
}

// prepare makes the columns of some slots that are not there yet, looking once at each item.
func (c *columns) prepare(slots []uint16) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var figures [maxSlots]*figureColumn
	var words [maxSlots]*wordColumn
	missing := false
	for _, slot := range slots {
		if c.figures[slot] == nil {
			figures[slot] = &figureColumn{any: c.none()}
			c.figures[slot], missing = figures[slot], true
		}
		if c.words[slot] == nil {
			words[slot] = &wordColumn{items: map[uint32][]uint16{}, any: c.none()}
			c.words[slot], missing = words[slot], true
		}
	}
	if !missing {
		return
	}
	for i, ref := range c.refs {
		facts := &ref.(*Listing).facts
		for k := range facts.figures {
			if column := figures[facts.figures[k].slot]; column != nil {
				column.add(i, &facts.figures[k])
			}
		}
		for _, v := range facts.values {
			if column := words[v.slot]; column != nil {
				column.items[v.number] = append(column.items[v.number], uint16(i))
				column.any.Add(i)
			}
		}
	}
	for _, column := range figures {
		if column != nil {
			column.order()
		}
	}
}

func (c *columns) none() search.Set { return make(search.Set, (len(c.refs)+63)/64) }

// add enters a figure of an item, the last one so far. Of several in one item it is the range of all that are in the unit of
// the first.
func (c *figureColumn) add(item int, f *fact) {
	n := len(c.items)
	switch {
	case n == 0 || c.items[n-1] != uint16(item):
		c.items, c.low, c.high, c.unit = append(c.items, uint16(item)), append(c.low, f.low), append(c.high, f.high), append(c.unit, f.unit)
		c.any.Add(item)
	case c.unit[n-1] == f.unit:
		c.low[n-1], c.high[n-1] = min(c.low[n-1], f.low), max(c.high[n-1], f.high)
	}
}

// order sorts the column.
func (c *figureColumn) order() {
	c.items, c.low, c.high, c.unit = slices.Clip(c.items), slices.Clip(c.low), slices.Clip(c.high), slices.Clip(c.unit)
	ordered := func(by []float64) []uint16 {
		places := make([]uint16, len(by))
		for i := range places {
			places[i] = uint16(i)
		}
		slices.SortFunc(places, func(a, b uint16) int { return cmp.Or(cmp.Compare(by[a], by[b]), cmp.Compare(a, b)) })
		return places
	}
	c.byLow = ordered(c.low)
	if c.byHigh = c.byLow; !slices.Equal(c.low, c.high) {
		c.byHigh = ordered(c.high)
	}
}

// of gives the range of an item.
func (c *figureColumn) of(item int) (low, high float64, ok bool) {
	at := item
	if len(c.items) <= item || int(c.items[item]) != item { // not all items before it are there
		if at, ok = slices.BinarySearch(c.items, uint16(item)); !ok {
			return 0, 0, false
		}
	}
	return c.low[at], c.high[at], true
}

// has says whether an item is in the column.
func (c *figureColumn) has(item int) bool { return c.any[item>>6]>>(item&63)&1 != 0 }

// walk calls fn with the items by their figures, the lowest or the highest first, until it gives false; tied says that the
// one before had the same.
func (c *figureColumn) walk(descending bool, fn func(item int, tied bool) bool) {
	places, by := c.byLow, c.low
	if descending {
		places, by = c.byHigh, c.high
	}
	for i := range places {
		at := i
		if descending {
			at = len(places) - 1 - i
		}
		tied := false
		switch {
		case i == 0:
		case descending:
			tied = by[places[at]] == by[places[at+1]]
		default:
			tied = by[places[at]] == by[places[at-1]]
		}
		if !fn(int(c.items[places[at]]), tied) {
			return
		}
	}
}

// interval is the figures that a condition admits, the bounds included; which of those at the bounds are admitted indeed is for
// somebody else to say.
type interval struct{ least, most float64 }

// within calls fn with the places of a superset of the ranges that have something within an interval: the smaller of those that
// begin early enough and those that end late enough.
func (c *figureColumn) within(in interval, fn func(place uint16)) {
	early := sort.Search(len(c.byLow), func(i int) bool { return c.low[c.byLow[i]] > in.most })
	late := sort.Search(len(c.byHigh), func(i int) bool { return c.high[c.byHigh[i]] >= in.least })
	places := c.byLow[:early]
	switch {
	case len(c.byLow) > 0 && &c.byLow[0] == &c.byHigh[0]:
		places = c.byLow[min(late, early):early] // points lie within or not
	case len(c.byHigh)-late < early:
		places = c.byHigh[late:]
	}
	for _, place := range places {
		fn(place)
	}
}

// ofFigures gives a slot's figures, or its times.
func (c *columns) ofFigures(slot uint16) *figureColumn {
	c.mu.Lock()
	column := c.figures[slot]
	c.mu.Unlock()
	if column == nil {
		c.prepare([]uint16{slot})
		return c.ofFigures(slot)
	}
	return column
}

// ofWords gives a slot's values.
func (c *columns) ofWords(slot uint16) *wordColumn {
	c.mu.Lock()
	column := c.words[slot]
	c.mu.Unlock()
	if column == nil {
		c.prepare([]uint16{slot})
		return c.ofWords(slot)
	}
	return column
}

// columnsOf keeps the columns of parts that an earlier view had and makes those of new ones, with some slots at once.
func columnsOf(parts []search.Part, earlier map[search.Part]*columns, slots []uint16) map[search.Part]*columns {
	now := map[search.Part]*columns{}
	for _, p := range parts {
		if now[p] = earlier[p]; now[p] == nil {
			now[p] = newColumns(p)
		}
		now[p].prepare(slots)
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
		words, figures := c.ofWords(number).any, c.ofFigures(number).any
		for i := range set {
			set[i] = words[i] | figures[i]
		}
	})
}

// withFigures gives the items whose range in a slot has something within an interval and meets a condition.
func (v *View) withFigures(slot facet.Slot, in interval, meets func(low, high float64, unit uint16) bool) *search.Selection {
	number, ok := v.dictionary.number(slot)
	if !ok || math.IsNaN(in.least) || math.IsNaN(in.most) {
		return v.none()
	}
	return v.snapshot.Pick(func(p search.Part, set search.Set) {
		column := v.columnsFor(p).ofFigures(number)
		column.within(in, func(at uint16) {
			if meets(column.low[at], column.high[at], column.unit[at]) {
				set.Add(int(column.items[at]))
			}
		})
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
