package search

import (
	"math/bits"
	"slices"
)

// view is a segment as one snapshot sees it: some of its units are dead. It never changes.
type view struct {
	*segment
	dead  bitmap
	gone  []uint32 // by word: how many dead units have it; nil when none is dead
	alive census
}

// census counts the units of a stock.
func (s *stock) census() *census {
	c := &census{items: len(s.refs)}
	for u := range s.units() {
		c.count(s.unit(u), 1)
	}
	for _, t := range s.tongues {
		c.tongues[t]++
	}
	return c
}

// frequency is how many live units have a word.
func (v *view) frequency(number uint32) int {
	n := int(v.postings[number+1] - v.postings[number])
	if v.gone != nil {
		n -= int(v.gone[number])
	}
	return n
}

// unitsOf gives the units of an item, first to last.
func (s *stock) unitsOf(item int) (from, to int) {
	from, _ = slices.BinarySearch(s.item, uint16(item))
	to = from
	for to < len(s.item) && int(s.item[to]) == item {
		to++
	}
	return from, to
}

// replace gives the views without the items of the keys that leave, and views of stocks, whose keys must be in none of
// them any more. All have the impacts that they would have if they were made together. It works on so many workers.
func replace(views []*view, leave []string, stocks []*stock, workers int) []*view {
	views = without(views, leave)
	stocks = pack(stocks)
	var all census
	for _, v := range views {
		all.add(&v.alive)
	}
	for _, s := range stocks {
		all.add(s.census())
	}
	return weigh(views, stocks, all.averages(), workers)
}

// pack combines stocks so that as few as possible remain.
func pack(stocks []*stock) []*stock {
	var packed []*stock
	for len(stocks) > 0 {
		units, n := 0, 0
		var sources []source
		for n < len(stocks) && units+stocks[n].units() <= maxUnits {
			units += stocks[n].units()
			sources = append(sources, source{stock: stocks[n]})
			n++
		}
		packed = append(packed, combine(sources))
		clear(stocks[:n]) // a large build needs the room
		stocks = stocks[n:]
	}
	return packed
}

// weigh gives all views the averages a and makes views of the stocks, on so many workers.
func weigh(views []*view, stocks []*stock, a averages, workers int) []*view {
	all := make([]*view, len(views)+len(stocks))
	limit := make(chan struct{}, workers)
	parallel(len(all), func(i int) {
		limit <- struct{}{}
		defer func() { <-limit }()
		if i >= len(views) {
			s := stocks[i-len(views)]
			all[i] = &view{segment: newSegment(s, a), alive: *s.census()}
			return
		}
		all[i] = views[i]
		if views[i].averages != a {
			weighed := *views[i]
			weighed.segment = views[i].reweighed(a)
			all[i] = &weighed
		}
	})
	return all
}

// without gives the views with the items of these keys dead. Views without live units are left out.
func without(views []*view, keys []string) []*view {
	items := make([][]int, len(views)) // by view: those that die
	for _, key := range keys {
		h := hashOf(key)
		for i, v := range views {
			item, ok := v.keys.find(key, h)
			if !ok {
				continue
			}
			if from, _ := v.unitsOf(int(item)); !v.dead.has(from) {
				items[i] = append(items[i], int(item))
				break
			}
		}
	}
	var left []*view
	for i, v := range views {
		if len(items[i]) > 0 {
			v = v.killed(items[i])
		}
		if v.alive.units > 0 {
			left = append(left, v)
		}
	}
	return left
}

// killed is the view with some more items dead.
func (v *view) killed(items []int) *view {
	k := &view{segment: v.segment, dead: slices.Clone(v.dead), gone: slices.Clone(v.gone), alive: v.alive}
	if k.dead == nil {
		k.dead, k.gone = newBitmap(v.units()), make([]uint32, v.words.len())
	}
	slices.Sort(items)
	for _, item := range slices.Compact(items) {
		from, to := v.unitsOf(item)
		for u := from; u < to; u++ {
			k.kill(u)
		}
		k.alive.items--
		k.alive.tongues[v.tongues[item]]--
	}
	return k
}

// kill marks a unit of a view that nobody else holds yet.
func (v *view) kill(u int) {
	v.dead.set(u)
	text := v.unit(u)
	v.alive.count(text, -1)
	var numbers []uint32
	for i := 0; i < len(text); {
		var number uint32
		number, i = text.get(i)
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	for _, number := range slices.Compact(numbers) {
		v.gone[number]++
	}
}

// continues says whether a unit belongs to the same item as the one before.
func (s *stock) continues(u int) bool { return u > 0 && s.item[u] == s.item[u-1] }

// living gives the units of a bitmap that are not dead.
func (v *view) living(units bitmap) bitmap {
	if v.dead == nil {
		return units
	}
	alive := newBitmap(v.units())
	for i, word := range units {
		alive[i] = word &^ v.dead[i]
	}
	return alive
}

// itemsIn counts the items of a set of units.
func (v *view) itemsIn(units bitmap) int {
	n := 0
	for u := range v.units() {
		if units.has(u) && !v.continues(u) {
			n++
		}
	}
	return n
}

// unitsOfItems gives the live units of a set of items.
func (v *view) unitsOfItems(items bitmap) bitmap {
	if !v.several() {
		return v.living(items) // every item is one unit
	}
	units := newBitmap(v.units())
	for w, word := range items {
		for ; word != 0; word &= word - 1 {
			item := w<<6 + bits.TrailingZeros64(word)
			for u := v.firstUnit(item); u < len(v.item) && int(v.item[u]) == item; u++ {
				units.set(u)
			}
		}
	}
	return v.living(units)
}

// firstUnit gives the first unit of an item.
func (s *stock) firstUnit(item int) int {
	if !s.several() {
		return item
	}
	s.begin.once.Do(func() {
		s.begin.units = make([]uint16, 0, len(s.refs))
		for u := range s.item {
			if !s.continues(u) {
				s.begin.units = append(s.begin.units, uint16(u))
			}
		}
	})
	return int(s.begin.units[item])
}
