package segment

import (
	"math/bits"
	"slices"
)

// View is a segment as one snapshot sees it: some of its units are dead. It never changes.
type View struct {
	*Segment
	Dead  Bitmap
	Alive Census   // of the units that are not dead
	gone  []uint32 // by word: how many dead units have it; nil when none is dead
}

// Frequency is how many live units have a word.
func (v *View) Frequency(number uint32) int {
	n := int(v.postings[number+1] - v.postings[number])
	if v.gone != nil {
		n -= int(v.gone[number])
	}
	return n
}

// Replace gives the views without the items of the keys that leave, and views of batches, whose
// keys must be in none of them any more. All have the impacts that they would have if they were
// made together. It works on so many workers.
func Replace(views []*View, leave []string, batches []*Forward, workers int) []*View {
	views = without(views, leave)
	batches = pack(batches)
	var all Census
	for _, v := range views {
		all.Add(&v.Alive)
	}
	for _, s := range batches {
		all.Add(s.census())
	}
	return weigh(views, batches, all.averages(), workers)
}

// pack combines batches so that as few as possible remain.
func pack(batches []*Forward) []*Forward {
	var packed []*Forward
	for len(batches) > 0 {
		units, n := 0, 0
		var sources []source
		for n < len(batches) && units+batches[n].Units() <= MaxUnits {
			units += batches[n].Units()
			sources = append(sources, source{Forward: batches[n]})
			n++
		}
		packed = append(packed, combine(sources))
		clear(batches[:n]) // a large build needs the room
		batches = batches[n:]
	}
	return packed
}

// weigh gives all views the averages a and makes views of the batches, on so many workers.
func weigh(views []*View, batches []*Forward, a averages, workers int) []*View {
	all := make([]*View, len(views)+len(batches))
	limit := make(chan struct{}, workers)
	parallel(len(all), func(i int) {
		limit <- struct{}{}
		defer func() { <-limit }()
		if i >= len(views) {
			s := batches[i-len(views)]
			all[i] = &View{Segment: newSegment(s, a), Alive: *s.census()}
			return
		}
		all[i] = views[i]
		if views[i].averages != a {
			weighed := *views[i]
			weighed.Segment = views[i].reweighed(a)
			all[i] = &weighed
		}
	})
	return all
}

// without gives the views with the items of these keys dead. Views without live units are left out.
func without(views []*View, keys []string) []*View {
	items := make([][]int, len(views)) // by view: those that die
	for _, key := range keys {
		h := Hash(key)
		for i, v := range views {
			item, ok := v.Keys.Find(key, h)
			if !ok {
				continue
			}
			if from, _ := v.UnitsOf(int(item)); !v.Dead.Has(from) {
				items[i] = append(items[i], int(item))
				break
			}
		}
	}
	var left []*View
	for i, v := range views {
		if len(items[i]) > 0 {
			v = v.killed(items[i])
		}
		if v.Alive.Units > 0 {
			left = append(left, v)
		}
	}
	return left
}

// killed is the view with some more items dead.
func (v *View) killed(items []int) *View {
	k := &View{Segment: v.Segment, Dead: slices.Clone(v.Dead), gone: slices.Clone(v.gone), Alive: v.Alive}
	if k.Dead == nil {
		k.Dead, k.gone = NewBitmap(v.Units()), make([]uint32, v.Words.Len())
	}
	slices.Sort(items)
	for _, item := range slices.Compact(items) {
		from, to := v.UnitsOf(item)
		for u := from; u < to; u++ {
			k.kill(u)
		}
		k.Alive.Items--
		k.Alive.Languages[v.Languages[item]]--
	}
	return k
}

// kill marks a unit of a view that nobody else holds yet.
func (v *View) kill(u int) {
	v.Dead.Set(u)
	text := v.Text(u)
	v.Alive.count(text, -1)
	var numbers []uint32
	for i := 0; i < len(text); {
		var number uint32
		number, i = text.Get(i)
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	for _, number := range slices.Compact(numbers) {
		v.gone[number]++
	}
}

// Living gives the units of a bitmap that are not dead.
func (v *View) Living(units Bitmap) Bitmap {
	if v.Dead == nil {
		return units
	}
	alive := NewBitmap(v.Units())
	for i, word := range units {
		alive[i] = word &^ v.Dead[i]
	}
	return alive
}

// ItemsIn counts the items of a set of units.
func (v *View) ItemsIn(units Bitmap) int {
	n := 0
	for u := range v.Units() {
		if units.Has(u) && !v.Continues(u) {
			n++
		}
	}
	return n
}

// UnitsOfItems gives the live units of a set of items.
func (v *View) UnitsOfItems(items Bitmap) Bitmap {
	if !v.Several() {
		return v.Living(items) // every item is one unit
	}
	units := NewBitmap(v.Units())
	for w, word := range items {
		for ; word != 0; word &= word - 1 {
			item := w<<6 + bits.TrailingZeros64(word)
			for u := v.FirstUnit(item); u < len(v.ItemOf) && int(v.ItemOf[u]) == item; u++ {
				units.Set(u)
			}
		}
	}
	return v.Living(units)
}
