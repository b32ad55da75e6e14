package content

// bitmap is a set of numbers that mostly lie close together. It costs one bit for each number of the stretches that
// it touches.
type bitmap struct {
	chunks map[int64]*[1024]uint64
}

const chunkBits = 1024 * 64

func (b *bitmap) add(n int64) {
	if b.chunks == nil {
		b.chunks = map[int64]*[1024]uint64{}
	}
	chunk := b.chunks[n/chunkBits]
	if chunk == nil {
		chunk = new([1024]uint64)
		b.chunks[n/chunkBits] = chunk
	}
	chunk[n%chunkBits/64] |= 1 << (n % 64)
}

func (b *bitmap) remove(n int64) {
	if chunk := b.chunks[n/chunkBits]; chunk != nil {
		chunk[n%chunkBits/64] &^= 1 << (n % 64)
	}
}

func (b *bitmap) has(n int64) bool {
	chunk := b.chunks[n/chunkBits]
	return chunk != nil && chunk[n%chunkBits/64]&(1<<(n%64)) != 0
}
