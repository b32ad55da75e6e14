package segment

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// Codes is a text as numbers of words: 16 bits each, little-endian, so that four can be compared at
// once.
//
// A word's number is one code, or two when it is rare: words are numbered by falling frequency, and
// there is room for 57,344 single codes. The halves of a pair lie in ranges of their own, so that
// no code is mistaken.
type Codes []byte

// CodeSize is how many bytes a code has.
const CodeSize = 2

// Numbers below pairHigh are single codes. The first code of a pair is pairHigh or more, the second
// pairLow or more.
const (
	pairHigh = 0xE000
	pairLow  = 0xF000
)

// Separator ends the parts of a unit; the empty word has number 0 in every word list.
const Separator = 0

// Put appends a word's number.
func (c Codes) Put(number uint32) Codes {
	if number < pairHigh {
		return binary.LittleEndian.AppendUint16(c, uint16(number))
	}
	number -= pairHigh
	c = binary.LittleEndian.AppendUint16(c, uint16(pairHigh|number>>12))
	return binary.LittleEndian.AppendUint16(c, uint16(pairLow|number&0xFFF))
}

// at gives the code at place i, in bytes.
func (c Codes) at(i int) uint32 { return uint32(binary.LittleEndian.Uint16(c[i:])) }

// Get reads the number at place i and gives the place of the next.
func (c Codes) Get(i int) (number uint32, next int) {
	code := c.at(i)
	if code < pairHigh {
		return code, i + CodeSize
	}
	return pairHigh + (code&0xFFF)<<12 + c.at(i+CodeSize)&0xFFF, i + 2*CodeSize
}

// Before gives the place of the word that ends at place i, which is not the first.
func (c Codes) Before(i int) int {
	if c.at(i-CodeSize) >= pairLow {
		return i - 2*CodeSize
	}
	return i - CodeSize
}

// The lanes of four codes in one word of the processor.
const (
	laneOnes = 0x0001_0001_0001_0001
	laneTops = 0x8000_8000_8000_8000
)

// Index gives the place of the first occurrence of a number from place i on, or the length.
func (c Codes) Index(number uint32, i int) int {
	if number < pairHigh {
		return c.indexCode(number, i)
	}
	high, low := pairHigh|(number-pairHigh)>>12, pairLow|(number-pairHigh)&0xFFF
	for i += CodeSize; i < len(c); i += CodeSize {
		if i = c.indexCode(low, i); i < len(c) && c.at(i-CodeSize) == high {
			return i - CodeSize
		}
	}
	return len(c)
}

// indexCode gives the place of the first occurrence of a code from place i on, or the length.
func (c Codes) indexCode(code uint32, i int) int {
	wanted := uint64(code) * laneOnes
	const step = 32
	for rest := c[i:]; len(rest) >= step; rest = rest[step:] {
		// A lane that is zero is found; lanes above the first such may be found wrongly.
		one := binary.LittleEndian.Uint64(rest) ^ wanted
		two := binary.LittleEndian.Uint64(rest[8:]) ^ wanted
		three := binary.LittleEndian.Uint64(rest[16:]) ^ wanted
		four := binary.LittleEndian.Uint64(rest[24:]) ^ wanted
		found := (one-laneOnes)&^one | (two-laneOnes)&^two | (three-laneOnes)&^three | (four-laneOnes)&^four
		if found&laneTops != 0 {
			break
		}
		i += step
	}
	for ; i+8 <= len(c); i += 8 {
		lanes := binary.LittleEndian.Uint64(c[i:]) ^ wanted
		if found := (lanes - laneOnes) &^ lanes & laneTops; found != 0 {
			return i + bits.TrailingZeros64(found)/16*CodeSize
		}
	}
	for ; i < len(c); i += CodeSize {
		if c.at(i) == code {
			return i
		}
	}
	return len(c)
}

// Follow goes from the word at place i over words that are to come next, each among so many that
// are near, and gives the place after the last.
func (c Codes) Follow(i int, words [][]uint32, most int) (end int, ok bool) {
	_, end = c.Get(i)
	for _, numbers := range words {
		found := false
		for next, near := end, 0; near < most && next < len(c) && !found; near++ {
			var number uint32
			if number, next = c.Get(next); number == Separator {
				break
			}
			if slices.Contains(numbers, number) {
				end, found = next, true
			}
		}
		if !found {
			return end, false
		}
	}
	return end, true
}

// Previous gives the word before place i and where it begins; the separator when there is none.
func (c Codes) Previous(i int) (number uint32, at int) {
	if i == 0 {
		return Separator, 0
	}
	at = c.Before(i)
	number, _ = c.Get(at)
	return number, at
}

// EndsWith says whether a phrase stands right before place i.
func (c Codes) EndsWith(phrase []uint32, i int) bool {
	for n := len(phrase) - 1; n >= 0; n-- {
		var number uint32
		if number, i = c.Previous(i); number != phrase[n] {
			return false
		}
	}
	return true
}

// Following gives the word at place i and where it ends; the separator when there is none.
func (c Codes) Following(i int) (number uint32, next int) {
	if i >= len(c) {
		return Separator, i
	}
	return c.Get(i)
}

// field is a part of a unit that counts on its own.
type field int

const (
	titleField field = iota
	keysField
	bodyField
	fields
)

// Count is how many words a part of a unit has.
func (c Codes) Count() (n int) {
	for i := 0; i < len(c); i += CodeSize {
		if c.at(i) < pairLow { // the second half of a pair is not a word
			n++
		}
	}
	return n
}

// lengths counts the words of each field of a unit.
func (c Codes) lengths() (n [fields]int) {
	f := titleField
	for i := 0; i < len(c); i += CodeSize {
		switch code := c.at(i); {
		case code == Separator:
			f = min(f+1, bodyField)
		case code < pairLow: // the second half of a pair is not a word
			n[f]++
		}
	}
	return n
}
