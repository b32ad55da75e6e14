package search

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// codes is a text as numbers of words: 16 bits each, little-endian, so that four can be compared at once.
//
// A word's number is one code, or two when it is rare: words are numbered by falling frequency, and there is room
// for 57,344 single codes. The halves of a pair lie in ranges of their own, so that no code is mistaken.
type codes []byte

const (
	codeSize = 2
	pairHigh = 0xE000
	pairLow  = 0xF000
)

// separatorCode ends the parts of a unit; the empty word has number 0 in every word list.
const separatorCode = 0

// put appends a word's number.
func (c codes) put(number uint32) codes {
	if number < pairHigh {
		return binary.LittleEndian.AppendUint16(c, uint16(number))
	}
	number -= pairHigh
	c = binary.LittleEndian.AppendUint16(c, uint16(pairHigh|number>>12))
	return binary.LittleEndian.AppendUint16(c, uint16(pairLow|number&0xFFF))
}

// at gives the code at place i, in bytes.
func (c codes) at(i int) uint32 { return uint32(binary.LittleEndian.Uint16(c[i:])) }

// get reads the number at place i and gives the place of the next.
func (c codes) get(i int) (number uint32, next int) {
	code := c.at(i)
	if code < pairHigh {
		return code, i + codeSize
	}
	return pairHigh + (code&0xFFF)<<12 + c.at(i+codeSize)&0xFFF, i + 2*codeSize
}

// before gives the place of the word that ends at place i, which is not the first.
func (c codes) before(i int) int {
	if c.at(i-codeSize) >= pairLow {
		return i - 2*codeSize
	}
	return i - codeSize
}

// The lanes of four codes in one word of the processor.
const (
	laneOnes = 0x0001_0001_0001_0001
	laneTops = 0x8000_8000_8000_8000
)

// index gives the place of the first occurrence of a number from place i on, or the length.
func (c codes) index(number uint32, i int) int {
	if number < pairHigh {
		return c.indexCode(number, i)
	}
	high, low := pairHigh|(number-pairHigh)>>12, pairLow|(number-pairHigh)&0xFFF
	for i += codeSize; i < len(c); i += codeSize {
		if i = c.indexCode(low, i); i < len(c) && c.at(i-codeSize) == high {
			return i - codeSize
		}
	}
	return len(c)
}

// indexCode gives the place of the first occurrence of a code from place i on, or the length.
func (c codes) indexCode(code uint32, i int) int {
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
			return i + bits.TrailingZeros64(found)/16*codeSize
		}
	}
	for ; i < len(c); i += codeSize {
		if c.at(i) == code {
			return i
		}
	}
	return len(c)
}

// follow goes from the word at place i over words that are to come next, each with one other in between at most, and
// gives the place after the last.
func (c codes) follow(i int, words [][]uint32) (end int, ok bool) {
	_, end = c.get(i)
	for _, numbers := range words {
		found := false
		for next, near := end, 0; near < nearWords && next < len(c) && !found; near++ {
			var number uint32
			if number, next = c.get(next); number == separatorCode {
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

// previous gives the word before place i and where it begins; the separator when there is none.
func (c codes) previous(i int) (number uint32, at int) {
	if i == 0 {
		return separatorCode, 0
	}
	at = c.before(i)
	number, _ = c.get(at)
	return number, at
}

// endsWith says whether a phrase stands right before place i.
func (c codes) endsWith(phrase []uint32, i int) bool {
	for n := len(phrase) - 1; n >= 0; n-- {
		var number uint32
		if number, i = c.previous(i); number != phrase[n] {
			return false
		}
	}
	return true
}

// following gives the word at place i and where it ends; the separator when there is none.
func (c codes) following(i int) (number uint32, next int) {
	if i >= len(c) {
		return separatorCode, i
	}
	return c.get(i)
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
func (c codes) lengths() (n [fields]int) {
	f := titleField
	for i := 0; i < len(c); i += codeSize {
		switch code := c.at(i); {
		case code == separatorCode:
			f = min(f+1, bodyField)
		case code < pairLow: // the second half of a pair is not a word
			n[f]++
		}
	}
	return n
}
