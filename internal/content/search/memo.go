package search

import "hash/maphash"

// memoSeed makes the memos of one process differ from those of another, so that nobody can write
// runs that all collide.
var memoSeed = maphash.MakeSeed()

// memo remembers the numbers that runs of text stand for in one batch. Reading much text is looking
// up words, and looking up words is waiting for memory: an entry holds all that is needed but the
// run itself, and runs lie in the order in which they first came, the frequent ones together.
type memo struct {
	table   []memory // open addressing; its length is a power of two
	used    int
	runs    []byte
	numbers []uint32
}

// memory is one entry of a memo.
type memory struct {
	hash  uint32 // the half that did not choose the place
	run   uint32 // where the run begins in runs
	at    uint32 // the number, where there is one; otherwise where they begin in numbers
	size  uint8  // of the run
	count uint8  // of the numbers, and one; 0 where the place is free
}

// maxRemembered is how many numbers are remembered for a run at most.
const maxRemembered = 200

// get gives the numbers of a run. They are valid until the next call; one has the room for a single
// one.
func (m *memo) get(run []byte, one *[1]uint32) (numbers []uint32, ok bool) {
	h := maphash.Bytes(memoSeed, run)
	mask := uint64(len(m.table) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		e := &m.table[i]
		switch {
		case e.count == 0:
			return nil, false
		case e.hash != uint32(h>>32) || string(m.runs[e.run:e.run+uint32(e.size)]) != string(run):
		case e.count == 2:
			one[0] = e.at
			return one[:], true
		default:
			return m.numbers[e.at : e.at+uint32(e.count-1)], true
		}
	}
}

// put remembers the numbers of a run that get does not know.
func (m *memo) put(run []byte, numbers []uint32) {
	if len(run) > 255 || len(numbers) > maxRemembered {
		return
	}
	if 4*(m.used+1) > 3*len(m.table) {
		m.grow()
	}
	h := maphash.Bytes(memoSeed, run)
	e := memory{hash: uint32(h >> 32), run: uint32(len(m.runs)), at: uint32(len(m.numbers)), size: uint8(len(run)),
		count: uint8(len(numbers) + 1)}
	m.runs = append(m.runs, run...)
	if len(numbers) == 1 {
		e.at = numbers[0]
	} else {
		m.numbers = append(m.numbers, numbers...)
	}
	m.used++
	m.enter(e, h)
}

func (m *memo) grow() {
	old := m.table
	m.table = make([]memory, max(1024, 2*len(old)))
	for _, e := range old {
		if e.count > 0 {
			m.enter(e, maphash.Bytes(memoSeed, m.runs[e.run:e.run+uint32(e.size)]))
		}
	}
}

func (m *memo) enter(e memory, h uint64) {
	mask := uint64(len(m.table) - 1)
	i := h & mask
	for m.table[i].count > 0 {
		i = (i + 1) & mask
	}
	m.table[i] = e
}
