package segment

import "hash/maphash"

// seed makes the hash tables of one process differ from those of another, so that nobody can write
// words that all collide. Nothing of a result depends on it.
var seed = maphash.MakeSeed()

// Hash is the hash of a word by which a [WordList] finds it.
func Hash(word string) uint64 { return maphash.String(seed, word) }

// WordList numbers words, in the order in which they were added. It holds no pointers but three, so
// that a large index costs the garbage collector nothing.
type WordList struct {
	bytes []byte
	ends  []uint32 // where each word ends in bytes
	table []uint32 // open addressing: number+1, or 0 where free; its length is a power of two
}

// Len is how many words there are.
func (l *WordList) Len() int { return len(l.ends) }

// Word gives the word of a number.
func (l *WordList) Word(number uint32) []byte {
	start := uint32(0)
	if number > 0 {
		start = l.ends[number-1]
	}
	return l.bytes[start:l.ends[number]]
}

// Find gives the number of a word whose hash is h.
func (l *WordList) Find(word string, h uint64) (number uint32, ok bool) {
	if len(l.table) == 0 {
		return 0, false
	}
	mask := uint64(len(l.table) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		entry := l.table[i]
		if entry == 0 {
			return 0, false
		}
		if string(l.Word(entry-1)) == word {
			return entry - 1, true
		}
	}
}

// Add gives the number of a word, a new one if it has none.
func (l *WordList) Add(word string) uint32 {
	h := Hash(word)
	if number, ok := l.Find(word, h); ok {
		return number
	}
	if 4*(len(l.ends)+1) > 3*len(l.table) {
		l.grow(max(64, 2*len(l.table)))
	}
	l.bytes = append(l.bytes, word...)
	l.ends = append(l.ends, uint32(len(l.bytes)))
	l.enter(uint32(len(l.ends)-1), h)
	return uint32(len(l.ends) - 1)
}

// grow makes a table of the given size and enters every word.
func (l *WordList) grow(size int) {
	l.table = make([]uint32, size)
	for number := range l.ends {
		l.enter(uint32(number), maphash.Bytes(seed, l.Word(uint32(number))))
	}
}

func (l *WordList) enter(number uint32, h uint64) {
	mask := uint64(len(l.table) - 1)
	i := h & mask
	for l.table[i] != 0 {
		i = (i + 1) & mask
	}
	l.table[i] = number + 1
}

// newWordList returns an empty list with room for words of so many bytes together.
func newWordList(words, bytes int) WordList {
	size := 64
	for 3*size < 4*(words+1) {
		size *= 2
	}
	return WordList{bytes: make([]byte, 0, bytes), ends: make([]uint32, 0, words), table: make([]uint32, size)}
}
