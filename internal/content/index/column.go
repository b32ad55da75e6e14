package index

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"sync"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/search"
	"frontdesk/internal/content/vector/words"
)

// columns are the facts of a part's items by slot. Those of the slots in common are made with the
// view, others when they are first asked for. They serve every view that has the part.
type columns struct {
	refs    []any // listings by number
	mu      sync.Mutex
	figures map[uint16]*figureColumn
	words   map[uint16]*wordColumn
	meant   *words.Signs // nil until they are asked for
}

// common are the slots that questions ask for in their own words.
var common = []facets.Slot{
	facets.Price, facets.Rating, facets.Ratings, facets.TotalTime, facets.PrepTime, facets.CookTime, facets.Duration,
	facets.Published, facets.Modified, facets.Start, facets.End, facets.Yield,
	facets.Calories, facets.Protein, facets.Location, facets.Brand, facets.Color, facets.Category, facets.Author,
	facets.Material, facets.Size, facets.Audience, facets.Cuisine, facets.Diet, facets.Ingredient, facets.Allergens,
	facets.Contains, facets.Keywords, facets.Latitude, facets.Longitude, facets.Stated(facets.Color),
	facets.Stated(facets.Material), facets.Stated(facets.Audience), facets.Stated(facets.Size),
}

// figureColumn is the range of each item that has one in a slot.
type figureColumn struct {
	items     []uint16 // in order
	low, high []float64
	unit      []uint16
	any       search.Set
	byLow     []uint16 // the places in items by low
	byHigh    []uint16 // and by high; the same slice where all ranges are points
	best      []uint16 // of ratings: by high, by how many rated, by date and by identity; nil elsewhere

	point bool         // all ranges are points in one unit,
	upTo  []search.Set // and these are the items of the first block, of the first two and so on
}

// blockSize is how many places of a column's order make a block.
const blockSize = 2048

// wordColumn is the items that have each value of a slot.
type wordColumn struct {
	numbers []uint32   // of the values, rising
	starts  []uint32   // where the items of each begin; one more at the end
	items   []uint16   // by value, rising
	any     search.Set // those that have one
	pairs   []uint64   // of values and items, until they are in order
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
			words[slot] = &wordColumn{any: c.none()}
			c.words[slot], missing = words[slot], true
		}
	}
	if !missing {
		return
	}
	for i, ref := range c.refs {
		facts := &ref.(*Doc).facts
		for k := range facts.figures {
			if column := figures[facts.figures[k].slot]; column != nil {
				column.add(i, &facts.figures[k])
			}
		}
		for _, v := range facts.values {
			if column := words[v.slot]; column != nil {
				column.pairs = append(column.pairs, uint64(v.number)<<16|uint64(i))
				column.any.Add(i)
			}
		}
	}
	for slot := range maxSlots {
		if figures[slot] != nil {
			figures[slot].order(c.none)
		}
		if words[slot] != nil {
			words[slot].order()
		}
	}
}

// order puts the pairs into order.
func (c *wordColumn) order() {
	slices.Sort(c.pairs)
	c.items = make([]uint16, len(c.pairs))
	for i, pair := range c.pairs {
		if number := uint32(pair >> 16); i == 0 || number != c.numbers[len(c.numbers)-1] {
			c.numbers, c.starts = append(c.numbers, number), append(c.starts, uint32(i))
		}
		c.items[i] = uint16(pair)
	}
	c.starts = slices.Clip(append(c.starts, uint32(len(c.items))))
	c.numbers, c.pairs = slices.Clip(c.numbers), nil
}

// with gives the items that have a value.
func (c *wordColumn) with(number uint32) []uint16 {
	at, ok := slices.BinarySearch(c.numbers, number)
	if !ok {
		return nil
	}
	return c.items[c.starts[at]:c.starts[at+1]]
}

// rank orders the ratings wholly, since lists without another order are in this one, and many items
// are rated alike.
func (c *columns) rank(rating uint16, counts *figureColumn) {
	column := c.ofFigures(rating)
	c.mu.Lock()
	defer c.mu.Unlock()
	if column.best != nil {
		return
	}
	rated := make([]float64, len(column.items))
	for i, item := range column.items {
		rated[i], _, _ = counts.of(int(item))
	}
	column.best = slices.Clone(column.byHigh)
	slices.SortFunc(column.best, func(a, b uint16) int {
		if by := cmp.Or(cmp.Compare(column.high[b], column.high[a]), cmp.Compare(rated[b], rated[a])); by != 0 {
			return by
		}
		x, y := c.refs[column.items[a]].(*Doc), c.refs[column.items[b]].(*Doc)
		return cmp.Or(cmp.Compare(y.Dated, x.Dated), cmp.Compare(x.ID, y.ID))
	})
}

func (c *columns) none() search.Set { return make(search.Set, (len(c.refs)+63)/64) }

// add enters a figure of an item, the last one so far. Of several in one item it is the range of
// all that are in the unit of the first.
func (c *figureColumn) add(item int, f *fact) {
	n := len(c.items)
	switch {
	case n == 0 || c.items[n-1] != uint16(item):
		c.items, c.low, c.high, c.unit = append(c.items, uint16(item)), append(c.low, f.low), append(c.high, f.high),
			append(c.unit, f.unit)
		c.any.Add(item)
	case c.unit[n-1] == f.unit:
		c.low[n-1], c.high[n-1] = min(c.low[n-1], f.low), max(c.high[n-1], f.high)
	}
}

// order sorts the column.
func (c *figureColumn) order(none func() search.Set) {
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
	c.point = len(c.unit) > 0 && &c.byLow[0] == &c.byHigh[0] &&
		!slices.ContainsFunc(c.unit, func(u uint16) bool { return u != c.unit[0] })
	if !c.point {
		return
	}
	for from := 0; from+blockSize <= len(c.byLow); from += blockSize {
		block := none()
		if n := len(c.upTo); n > 0 {
			copy(block, c.upTo[n-1])
		}
		for _, place := range c.byLow[from : from+blockSize] {
			block.Add(int(c.items[place]))
		}
		c.upTo = append(c.upTo, block)
	}
}

// at gives the place of an item in the column.
func (c *figureColumn) at(item int) (place int, ok bool) {
	if item < len(c.items) && int(c.items[item]) == item { // all items before it are there
		return item, true
	}
	return slices.BinarySearch(c.items, uint16(item))
}

// of gives the range of an item.
func (c *figureColumn) of(item int) (low, high float64, ok bool) {
	at, ok := c.at(item)
	if !ok {
		return 0, 0, false
	}
	return c.low[at], c.high[at], true
}

// has says whether an item is in the column.
func (c *figureColumn) has(item int) bool { return c.any[item>>6]>>(item&63)&1 != 0 }

// walk calls fn with the items by their figures, the lowest or the highest first, until it gives
// false; tied says that nothing tells the item from the one before.
func (c *figureColumn) walk(descending bool, fn func(item int, tied bool) bool) {
	places, by := c.byLow, c.low
	switch {
	case descending && c.best != nil:
		places, by = c.best, nil
	case descending:
		places, by = c.byHigh, c.high
	}
	for i := range places {
		at, before := i, i-1
		if descending && by != nil {
			at, before = len(places)-1-i, len(places)-i
		}
		tied := by != nil && i > 0 && by[places[at]] == by[places[before]]
		if !fn(int(c.items[places[at]]), tied) {
			return
		}
	}
}

// interval is the figures that a condition admits, the bounds included; which of those at the
// bounds are admitted indeed is for somebody else to say.
type interval struct{ least, most float64 }

// within adds the items to a set whose ranges have something within an interval and meet a
// condition.
func (c *figureColumn) within(in interval, meets func(low, high float64, unit uint16) bool, set search.Set) {
	early := sort.Search(len(c.byLow), func(i int) bool { return c.low[c.byLow[i]] > in.most })
	late := sort.Search(len(c.byHigh), func(i int) bool { return c.high[c.byHigh[i]] >= in.least })
	test := func(places []uint16) {
		for _, at := range places {
			if meets(c.low[at], c.high[at], c.unit[at]) {
				set.Add(int(c.items[at]))
			}
		}
	}
	switch {
	case c.point && late < early:
		c.between(late, early, in, meets, set, test)
	case c.point:
	case len(c.byHigh)-late < early: // the smaller of those that begin early enough and those that end late enough
		test(c.byHigh[late:])
	default:
		test(c.byLow[:early])
	}
}

// between does so for points, which are at the places from..to of the order: of those that are not
// at the bounds themselves one tells of all, and whole blocks are taken at once.
func (c *figureColumn) between(from, to int, in interval, meets func(low, high float64, unit uint16) bool,
	set search.Set, test func([]uint16)) {
	first := from + sort.Search(to-from, func(i int) bool { return c.low[c.byLow[from+i]] > in.least })
	last := first + sort.Search(to-first, func(i int) bool { return c.low[c.byLow[first+i]] >= in.most })
	low, high := (first+blockSize-1)/blockSize, min(last/blockSize, len(c.upTo))
	if low >= high || !meets(c.low[c.byLow[first]], c.high[c.byLow[first]], c.unit[0]) {
		test(c.byLow[from:to])
		return
	}
	for i, word := range c.upTo[high-1] {
		if low > 0 {
			word &^= c.upTo[low-1][i]
		}
		set[i] |= word
	}
	test(c.byLow[from : low*blockSize])
	test(c.byLow[high*blockSize : to])
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

// columnsOf keeps the columns of parts that an earlier view had and makes those of new ones, with
// the common slots at once.
func columnsOf(parts []search.Part, earlier map[search.Part]*columns, d *dictionary) map[search.Part]*columns {
	slots := d.numbers(common)
	rating, rated := d.number(facets.Rating)
	count, counted := d.number(facets.Ratings)
	none := &figureColumn{}
	now := map[search.Part]*columns{}
	var making sync.WaitGroup
	for _, p := range parts {
		c := earlier[p]
		if c == nil {
			c = newColumns(p)
		}
		now[p] = c
		making.Go(func() {
			c.prepare(slots)
			switch {
			case rated && counted:
				c.rank(rating, c.ofFigures(count))
			case rated:
				c.rank(rating, none)
			}
		})
	}
	making.Wait()
	return now
}

// having gives the items that have anything in a slot, as figure or in words.
func (v *View) having(slot facets.Slot) *search.Selection {
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

// withFigures gives the items whose range in a slot has something within an interval and meets a
// condition.
func (v *View) withFigures(slot facets.Slot, in interval,
	meets func(low, high float64, unit uint16) bool) *search.Selection {
	number, ok := v.dictionary.number(slot)
	if !ok || math.IsNaN(in.least) || math.IsNaN(in.most) {
		return v.none()
	}
	return v.snapshot.Pick(func(p search.Part, set search.Set) {
		v.columnsFor(p).ofFigures(number).within(in, meets, set)
	})
}

// withWords gives the items that have one of some values in a slot.
func (v *View) withWords(slot facets.Slot, numbers []uint32) *search.Selection {
	number, ok := v.dictionary.number(slot)
	if !ok || len(numbers) == 0 {
		return v.none()
	}
	return v.snapshot.Pick(func(p search.Part, set search.Set) {
		column := v.columnsFor(p).ofWords(number)
		for _, n := range numbers {
			for _, item := range column.with(n) {
				set.Add(int(item))
			}
		}
	})
}

// withValue gives the items that have a value in a slot, and those that have one like it which is
// another.
func (v *View) withValue(slot facets.Slot, asked string) (having, like *search.Selection) {
	same, others := v.dictionary.matching(slot, asked)
	return v.withWords(slot, same), v.withWords(slot, others)
}

// withWordsOf gives the items that have a value with all of some words.
func (v *View) withWordsOf(slot facets.Slot, words string) *search.Selection {
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
