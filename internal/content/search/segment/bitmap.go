package segment

// Bitmap is a set of units. A nil bitmap is empty.
type Bitmap []uint64

// NewBitmap returns an empty set of units below size.
func NewBitmap(size int) Bitmap { return make(Bitmap, (size+63)/64) }

// Set adds a unit.
func (b Bitmap) Set(i int) { b[i>>6] |= 1 << (i & 63) }

// Has says whether a unit is in the set.
func (b Bitmap) Has(i int) bool { return b != nil && b[i>>6]>>(i&63)&1 != 0 }

// Combine makes a set of two word by word; a nil one is empty.
func (b Bitmap) Combine(other Bitmap, by func(a, b uint64) uint64) Bitmap {
	made := make(Bitmap, len(b))
	for i, word := range b {
		var theirs uint64
		if other != nil {
			theirs = other[i]
		}
		made[i] = by(word, theirs)
	}
	return made
}

// Inverted has the units that are not in the set.
func (b Bitmap) Inverted() Bitmap {
	made := make(Bitmap, len(b))
	for i, word := range b {
		made[i] = ^word
	}
	return made
}
