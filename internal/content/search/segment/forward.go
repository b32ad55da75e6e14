package segment

import (
	"bytes"
	"slices"
	"sync"
)

// Forward is a batch of items with their analysed text: the forward index, from which everything
// else is made, and which tells where in an item the words of a question stand.
//
// An item is one unit; a very long one is several, each with the title and the keys. Units are what
// is scored.
//
// A batch is written by one goroutine: AddItem, then for each unit Write and EndUnit. Once it was
// handed to [Replace], it never changes, and its fields are there to be read.
type Forward struct {
	// Words are all terms; the empty one has number 0.
	Words WordList
	// codes are the words of all units: title, separator, keys, and, each after a separator, the
	// passages.
	codes Codes
	// starts are where the units begin in codes, in bytes; one more at the end.
	starts []uint32
	// ItemOf is each unit's item, and FirstPassage the ordinal of its first passage.
	ItemOf, FirstPassage []uint16
	// ends are where the keys and the passages of each unit end, in bytes from its start.
	ends   []uint16
	breaks []uint32 // where the units begin in ends; one more at the end

	// Refs are the caller's names of the items, Keys what identifies them over their versions, and
	// Languages the numbers that the caller has for their languages, below [MaxLanguages].
	Refs      []any
	Keys      WordList
	Languages []uint8

	// Forms are the words as they are written.
	Forms Forms

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

// MaxUnits is how many units a batch holds at most, so that a unit's number fits 16 bits.
const MaxUnits = 1 << 16

// NewForward returns an empty batch.
func NewForward() *Forward {
	s := &Forward{starts: []uint32{0}, breaks: []uint32{0}}
	s.Words.Add("")
	return s
}

// Derived gives what somebody makes of the batch's text alone and keeps with it for as long as it
// lives: what derive gives. It is called once; whoever asks later gets the same value.
func (f *Forward) Derived(derive func() any) any {
	f.derived.once.Do(func() { f.derived.value = derive() })
	return f.derived.value
}

// Units is how many units the items have together.
func (f *Forward) Units() int { return len(f.ItemOf) }

// Several says whether any item has several units.
func (f *Forward) Several() bool { return len(f.Refs) < len(f.ItemOf) }

// Text gives the codes of a unit.
func (f *Forward) Text(u int) Codes { return f.codes[f.starts[u]:f.starts[u+1]] }

// Lead gives the codes of the first words of a unit, so many at most.
func (f *Forward) Lead(u, words int) Codes {
	text := f.Text(u)
	if f.Words.Len() <= pairHigh {
		return text[:min(len(text), words*CodeSize)]
	}
	end := 0
	for n := 0; n < words && end < len(text); n++ {
		_, end = text.Get(end)
	}
	return text[:end]
}

// key gives the key of an item.
func (f *Forward) key(item int) string { return string(f.Keys.Word(uint32(item))) }

// Ranks gives, by item, its place when all are ordered by their keys.
func (f *Forward) Ranks() []uint16 {
	f.ranked.once.Do(func() {
		order := make([]uint16, len(f.Refs))
		for i := range order {
			order[i] = uint16(i)
		}
		slices.SortFunc(order, func(a, b uint16) int {
			return bytes.Compare(f.Keys.Word(uint32(a)), f.Keys.Word(uint32(b)))
		})
		f.ranked.ranks = make([]uint16, len(order))
		for rank, item := range order {
			f.ranked.ranks[item] = uint16(rank)
		}
	})
	return f.ranked.ranks
}

// Write appends text to the unit that is being written.
func (f *Forward) Write(text Codes) { f.codes = append(f.codes, text...) }

// EndUnit closes the unit that is being written.
func (f *Forward) EndUnit(item, firstPassage int) {
	f.starts = append(f.starts, uint32(len(f.codes)))
	f.ItemOf = append(f.ItemOf, uint16(item))
	f.FirstPassage = append(f.FirstPassage, uint16(min(firstPassage, 1<<16-1)))
	text := f.Text(f.Units() - 1)
	for i := text.Index(Separator, 0); i < len(text); {
		i = text.Index(Separator, i+CodeSize)
		f.ends = append(f.ends, uint16(i))
	}
	f.breaks = append(f.breaks, uint32(len(f.ends)))
}

// PartEnds gives where the keys and the passages of a unit end.
func (f *Forward) PartEnds(u int) []uint16 { return f.ends[f.breaks[u]:f.breaks[u+1]] }

// ChooseItem adds all units of a unit's item to a set.
func (f *Forward) ChooseItem(u int, chosen Bitmap) {
	item := f.ItemOf[u]
	for u > 0 && f.ItemOf[u-1] == item {
		u--
	}
	for ; u < f.Units() && f.ItemOf[u] == item; u++ {
		chosen.Set(u)
	}
}

// UnitsOf gives the units of an item, first to last.
func (f *Forward) UnitsOf(item int) (from, to int) {
	from, _ = slices.BinarySearch(f.ItemOf, uint16(item))
	to = from
	for to < len(f.ItemOf) && int(f.ItemOf[to]) == item {
		to++
	}
	return from, to
}

// Continues says whether a unit belongs to the same item as the one before.
func (f *Forward) Continues(u int) bool { return u > 0 && f.ItemOf[u] == f.ItemOf[u-1] }

// FirstUnit gives the first unit of an item.
func (f *Forward) FirstUnit(item int) int {
	if !f.Several() {
		return item
	}
	f.begin.once.Do(func() {
		f.begin.units = make([]uint16, 0, len(f.Refs))
		for u := range f.ItemOf {
			if !f.Continues(u) {
				f.begin.units = append(f.begin.units, uint16(u))
			}
		}
	})
	return int(f.begin.units[item])
}

// AddItem appends an item without units and gives its number.
func (f *Forward) AddItem(ref any, key string, language uint8) int {
	f.Refs = append(f.Refs, ref)
	f.Keys.Add(key)
	f.Languages = append(f.Languages, language)
	return len(f.Refs) - 1
}

// clip gives back the room that growing left over.
func (f *Forward) clip() {
	f.codes, f.starts = slices.Clip(f.codes), slices.Clip(f.starts)
	f.ItemOf, f.FirstPassage = slices.Clip(f.ItemOf), slices.Clip(f.FirstPassage)
	f.ends, f.breaks = slices.Clip(f.ends), slices.Clip(f.breaks)
	f.Refs, f.Languages = slices.Clip(f.Refs), slices.Clip(f.Languages)
	f.Keys.bytes, f.Keys.ends = slices.Clip(f.Keys.bytes), slices.Clip(f.Keys.ends)
	f.Forms.clip()
}
