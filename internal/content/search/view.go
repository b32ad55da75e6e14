package search

import "slices"

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
