package search

import "slices"

// stock is a batch of items with their analysed text: the forward index, from which everything else is made, and
// which tells where in an item the words of a question stand.
//
// An item is one unit; a very long one is several, each with the title and the keys. Units are what is scored.
type stock struct {
	words wordlist
	// codes are the words of all units: title, separator, keys, and, each after a separator, the passages.
	codes []uint16
	// starts are where the units begin in codes; one more at the end.
	starts []uint32
	item   []uint16 // by unit: its item
	first  []uint16 // by unit: the ordinal of its first passage

	refs    []any
	keys    wordlist // by item, in order
	tongues []uint8  // by item: its language, an index into Analyzer.order
}

// maxUnits is how many units a stock holds at most, so that a unit's number fits 16 bits.
const maxUnits = 1 << 16

// A word's number is one code, or two when it is rare: words are numbered by falling frequency, and there is room
// for 57,344 single codes. The halves of a pair lie in ranges of their own, so that no code is mistaken.
const (
	pairHigh     = 0xE000
	pairLow      = 0xF000
	maxWordCount = pairHigh + 1<<24
)

// separator of the parts of a unit; the empty word has number 0 in every word list.
const separatorCode = 0

func newStock() *stock {
	s := &stock{starts: []uint32{0}}
	s.words.add("")
	return s
}

// putCode appends a word's number to codes.
func putCode(codes []uint16, number uint32) []uint16 {
	if number < pairHigh {
		return append(codes, uint16(number))
	}
	number -= pairHigh
	return append(codes, uint16(pairHigh|number>>12), uint16(pairLow|number&0xFFF))
}

// getCode reads the number at codes[i] and gives the place of the next.
func getCode(codes []uint16, i int) (number uint32, next int) {
	c := uint32(codes[i])
	if c < pairHigh {
		return c, i + 1
	}
	return pairHigh + (c&0xFFF)<<12 + uint32(codes[i+1])&0xFFF, i + 2
}

func (s *stock) units() int { return len(s.item) }

// unit gives the codes of a unit.
func (s *stock) unit(u int) []uint16 { return s.codes[s.starts[u]:s.starts[u+1]] }

// key gives the key of an item.
func (s *stock) key(item int) string { return string(s.keys.word(uint32(item))) }

// endUnit closes the unit that is being written to codes.
func (s *stock) endUnit(item, firstPassage int) {
	s.starts = append(s.starts, uint32(len(s.codes)))
	s.item = append(s.item, uint16(item))
	s.first = append(s.first, uint16(min(firstPassage, 1<<16-1)))
}

// addItem appends an item without units and gives its number.
func (s *stock) addItem(ref any, key string, tongue uint8) int {
	s.refs = append(s.refs, ref)
	s.keys.add(key)
	s.tongues = append(s.tongues, tongue)
	return len(s.refs) - 1
}

// clip gives back the room that growing left over.
func (s *stock) clip() {
	s.codes, s.starts = slices.Clip(s.codes), slices.Clip(s.starts)
	s.item, s.first = slices.Clip(s.item), slices.Clip(s.first)
	s.refs, s.tongues = slices.Clip(s.refs), slices.Clip(s.tongues)
	s.keys.bytes, s.keys.ends = slices.Clip(s.keys.bytes), slices.Clip(s.keys.ends)
}

// field is a part of a unit that counts on its own.
type field int

const (
	titleField field = iota
	keysField
	bodyField
	fields
)

// lengths counts the words of each field of a unit.
func lengths(codes []uint16) (n [fields]int) {
	f := titleField
	for _, c := range codes {
		switch {
		case c == separatorCode:
			f = min(f+1, bodyField)
		case c < pairLow: // the second half of a pair is not a word
			n[f]++
		}
	}
	return n
}
