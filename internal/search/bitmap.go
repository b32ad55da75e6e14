package search

// bitmap is a set of units. A nil bitmap is empty.
type bitmap []uint64

func newBitmap(size int) bitmap { return make(bitmap, (size+63)/64) }

func (b bitmap) set(i int) { b[i>>6] |= 1 << (i & 63) }

func (b bitmap) has(i int) bool { return b != nil && b[i>>6]>>(i&63)&1 != 0 }
