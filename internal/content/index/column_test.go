package index

import (
	"math/rand/v2"
	"slices"
	"testing"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/search"
)

// A column's items within bounds are those that a look at each finds, however many blocks it has
// and wherever the bounds lie.
func TestColumnGivesWhatALookAtEachGives(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for _, kind := range []struct {
		name          string
		wide, several bool // ranges, and units
	}{{"points", false, false}, {"ranges", true, false}, {"points in several units", false, true}} {
		const items = 5*blockSize + 17
		none := func() search.Set { return make(search.Set, (items+63)/64) }
		c := &figureColumn{any: none()}
		for i := range items {
			if i%7 == 3 {
				continue
			}
			f := fact{low: float64(random.IntN(100)), unit: 1}
			if f.high = f.low; kind.wide && i%5 == 0 {
				f.high += float64(random.IntN(20))
			}
			if kind.several && i%11 == 0 {
				f.unit = 2
			}
			c.add(i, &f)
		}
		c.order(none)
		if c.point != (!kind.wide && !kind.several) {
			t.Fatalf("%s: taken for points in one unit: %v", kind.name, c.point)
		}
		for range 400 {
			least, most := float64(random.IntN(110)-5), float64(random.IntN(110)-5)
			asked := facets.Constraint{Min: &least, Max: &most, Above: random.IntN(2) == 0, Below: random.IntN(2) == 0}
			switch random.IntN(4) {
			case 0:
				asked.Min = nil
			case 1:
				asked.Max = nil
			}
			in, meets := within(&asked, uint16(random.IntN(3)))
			got, want := none(), none()
			c.within(in, meets, got)
			for k, item := range c.items {
				if meets(c.low[k], c.high[k], c.unit[k]) {
					want.Add(int(item))
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s within %v: other items than by a look at each", kind.name, in)
			}
		}
		for item := range items {
			low, _, ok := c.of(item)
			if ok != c.has(item) || ok && low != c.low[slices.Index(c.items, uint16(item))] {
				t.Fatalf("%s: item %d has %v, %v", kind.name, item, low, ok)
			}
		}
	}
}
