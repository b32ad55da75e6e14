package search

import (
	"bytes"
	"slices"
	"sync"
)

// stock is a batch of items with their analysed text: the forward index, from which everything else is made, and
// which tells where in an item the words of a question stand.
//
// An item is one unit; a very long one is several, each with the title and the keys. Units are what is scored.
type stock struct {
	words wordlist
	// codes are the words of all units: title, separator, keys, and, each after a separator, the passages.
	codes codes
	// starts are where the units begin in codes, in bytes; one more at the end.
	starts []uint32
	item   []uint16 // by unit: its item
	first  []uint16 // by unit: the ordinal of its first passage
	// ends are where the keys and the passages of each unit end, in bytes from its start.
	ends   []uint16
	breaks []uint32 // where the units begin in ends; one more at the end

	refs    []any
	keys    wordlist // by item, in order
	tongues []uint8  // by item: its language, an index into Analyzer.order

	forms forms // the words as they are written

	derived struct { // see Derived; made when it is first asked for
		once  sync.Once
		value any
	}
	ranked struct { // by item: its place when they are ordered by their keys; made when it is first asked for
		once  sync.Once
		ranks []uint16
	}
	begin struct { // by item: its first unit; made when it is first asked for
		once  sync.Once
		units []uint16
	}
}

// maxUnits is how many units a stock holds at most, so that a unit's number fits 16 bits.
const maxUnits = 1 << 16

func newStock() *stock {
	s := &stock{starts: []uint32{0}, breaks: []uint32{0}}
	s.words.add("")
	return s
}

// Derived gives what somebody makes of the stock's text alone and keeps with it for as long as it lives: what derive
// gives, which is called once.
func (s *stock) Derived(derive func() any) any {
	s.derived.once.Do(func() { s.derived.value = derive() })
	return s.derived.value
}

func (s *stock) units() int { return len(s.item) }

// several says whether any item has several units.
func (s *stock) several() bool { return len(s.refs) < len(s.item) }

// unit gives the codes of a unit.
func (s *stock) unit(u int) codes { return s.codes[s.starts[u]:s.starts[u+1]] }

// lead gives the codes of the first leadWords words of a unit.
func (s *stock) lead(u int) codes {
	text := s.unit(u)
	if s.words.len() <= pairHigh {
		return text[:min(len(text), leadWords*codeSize)]
	}
	end := 0
	for n := 0; n < leadWords && end < len(text); n++ {
		_, end = text.get(end)
	}
	return text[:end]
}

// key gives the key of an item.
func (s *stock) key(item int) string { return string(s.keys.word(uint32(item))) }

// ranks gives, by item, its place when all are ordered by their keys.
func (s *stock) ranks() []uint16 {
	s.ranked.once.Do(func() {
		order := make([]uint16, len(s.refs))
		for i := range order {
			order[i] = uint16(i)
		}
		slices.SortFunc(order, func(a, b uint16) int { return bytes.Compare(s.keys.word(uint32(a)), s.keys.word(uint32(b))) })
		s.ranked.ranks = make([]uint16, len(order))
		for rank, item := range order {
			s.ranked.ranks[item] = uint16(rank)
		}
	})
	return s.ranked.ranks
}

// write appends text to the unit that is being written.
func (s *stock) write(text codes) { s.codes = append(s.codes, text...) }

// endUnit closes the unit that is being written.
func (s *stock) endUnit(item, firstPassage int) {
	s.starts = append(s.starts, uint32(len(s.codes)))
	s.item = append(s.item, uint16(item))
	s.first = append(s.first, uint16(min(firstPassage, 1<<16-1)))
	text := s.unit(s.units() - 1)
	for i := text.index(separatorCode, 0); i < len(text); {
		i = text.index(separatorCode, i+codeSize)
		s.ends = append(s.ends, uint16(i))
	}
	s.breaks = append(s.breaks, uint32(len(s.ends)))
}

// partEnds gives where the keys and the passages of a unit end.
func (s *stock) partEnds(u int) []uint16 { return s.ends[s.breaks[u]:s.breaks[u+1]] }

// chooseItemOf adds all units of the item that a unit is of.
func (s *stock) chooseItemOf(u int, chosen bitmap) {
	item := s.item[u]
	for u > 0 && s.item[u-1] == item {
		u--
	}
	for ; u < s.units() && s.item[u] == item; u++ {
		chosen.set(u)
	}
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
	s.ends, s.breaks = slices.Clip(s.ends), slices.Clip(s.breaks)
	s.refs, s.tongues = slices.Clip(s.refs), slices.Clip(s.tongues)
	s.keys.bytes, s.keys.ends = slices.Clip(s.keys.bytes), slices.Clip(s.keys.ends)
	s.forms.clip()
}
