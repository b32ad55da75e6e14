package search

// bitmap is a set of units. A nil bitmap is empty.
type bitmap []uint64

func newBitmap(size int) bitmap { return make(bitmap, (size+63)/64) }

func (b bitmap) set(i int) { b[i>>6] |= 1 << (i & 63) }

func (b bitmap) has(i int) bool { return b != nil && b[i>>6]>>(i&63)&1 != 0 }

// combine makes a set of two word by word; a nil one is empty.
func (b bitmap) combine(other bitmap, by func(a, b uint64) uint64) bitmap {
	made := make(bitmap, len(b))
	for i, word := range b {
		var theirs uint64
		if other != nil {
			theirs = other[i]
		}
		made[i] = by(word, theirs)
	}
	return made
}

// inverted has the units that are not in the set.
func (b bitmap) inverted() bitmap {
	made := make(bitmap, len(b))
	for i, word := range b {
		made[i] = ^word
	}
	return made
}
