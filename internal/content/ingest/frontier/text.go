package frontier

import (
	"hash/fnv"
	"math/bits"
	"strings"
	"unicode"
)

// Signature is a number for a text by which like texts have like numbers: each word and each pair
// of words that follow each other votes for its bits, once. Numbers in the text do not count, so
// that a calendar's months are alike.
func Signature(text string) uint64 {
	var votes [64]int32
	var before uint64
	voted := map[uint64]struct{}{}
	once := func(hash uint64) {
		if _, again := voted[hash]; !again {
			voted[hash] = struct{}{}
			vote(&votes, hash)
		}
	}
	count := 0
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		hash := hashWord(word)
		once(mix(before, hash))
		once(hash)
		before = hash
		if count++; count == maxWords {
			break
		}
	}
	var signature uint64
	for i, v := range votes {
		if v > 0 {
			signature |= 1 << i
		}
	}
	return signature
}

// maxWords bounds what a signature looks at.
const maxWords = 4000

func hashWord(word string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(word))
	return mix(h.Sum64(), 0x9e3779b97f4a7c15)
}

func mix(a, b uint64) uint64 {
	x := a*0xff51afd7ed558ccd ^ b
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>29
}

func vote(votes *[64]int32, hash uint64) {
	for i := range votes {
		votes[i] += int32(hash>>i&1)*2 - 1
	}
}

// Alike says whether two signatures are those of nearly the same text.
func Alike(a, b uint64) bool { return bits.OnesCount64(a^b) <= maxApart }

// maxApart is how many bits two like texts differ in. Texts that have nothing to do with each other
// differ in about 32.
const maxApart = 6

// texts are the signatures so far, found again by any of their eight bytes: two that differ in less
// than eight bits have one in common.
type texts struct {
	byByte [8][256][]uint64
	known  map[uint64]struct{}
}

// maxTexts bounds what is remembered of one byte, and so the time of a search.
const maxTexts = 4096

func (t *texts) add(signature uint64) {
	if _, known := t.known[signature]; known {
		return
	}
	if t.known == nil {
		t.known = map[uint64]struct{}{}
	}
	t.known[signature] = struct{}{}
	for i := range t.byByte {
		at := &t.byByte[i][byte(signature>>(8*i))]
		if len(*at) < maxTexts {
			*at = append(*at, signature)
		}
	}
}

func (t *texts) near(signature uint64) bool {
	if _, known := t.known[signature]; known {
		return true
	}
	for i := range t.byByte {
		for _, other := range t.byByte[i][byte(signature>>(8*i))] {
			if Alike(signature, other) {
				return true
			}
		}
	}
	return false
}

// months do not tell the titles of a calendar apart.
var months = set(`january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec
	januar februar märz mai juni juli oktober dezember janvier février mars avril juin juillet août septembre octobre novembre décembre
	enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre`)

// plainTitle is a title without numbers and months, in lower case.
func plainTitle(title string) string {
	var kept []string
	for _, word := range strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if !months[word] {
			kept = append(kept, word)
		}
	}
	return strings.Join(kept, " ")
}
