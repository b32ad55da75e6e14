// Package contenthash computes, writes and compares the content hashes of RAMP v1: sha256 and
// simhash-v1 (RAMP v1, ResourceIdentity and ResourceAttestation). docs/content-hashes.md describes
// both to the bit, for those who compute them elsewhere.
package contenthash

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Method is a way to hash, by the name that hash_method has for it.
type Method string

// The methods. Bytes that have one SHA-256 are the same bytes, for all that is known. Texts whose
// SimHashes are near each other have nearly the same words in nearly the same order: which word is
// another nobody can tell by them, and who wants to can make a text that has the SimHash of
// another.
const (
	SHA256  Method = "sha256"
	SimHash Method = "simhash-v1"
)

// ParseMethod reads the name of a method, in any of its spellings: upper or lower case, sha256 or
// sha-256.
func ParseMethod(name string) (m Method, ok bool) {
	switch m = Method(strings.ToLower(name)); m {
	case "sha-256":
		return SHA256, true
	case SHA256, SimHash:
		return m, true
	}
	return "", false
}

// Hash is a hash of content. The zero Hash is none.
type Hash struct {
	Method Method
	Digits string // hexadecimal, in lower case: 64 of SHA256, 16 of SimHash
}

// digits is how many digits a method's hashes have.
var digits = map[Method]int{SHA256: 2 * sha256.Size, SimHash: 16}

// Parse reads a hash as messages have it: "method:hex", or hex with its method beside it, in
// hash_method, or both where they agree. Without any method it is SHA256.
func Parse(text, method string) (h Hash, ok bool) {
	h = Hash{SHA256, text}
	if method != "" {
		if h.Method, ok = ParseMethod(method); !ok {
			return Hash{}, false
		}
	}
	if before, after, named := strings.Cut(text, ":"); named {
		of, known := ParseMethod(before)
		if !known || method != "" && of != h.Method {
			return Hash{}, false
		}
		h = Hash{of, after}
	}
	h.Digits = strings.ToLower(h.Digits)
	if _, err := hex.DecodeString(h.Digits); err != nil || len(h.Digits) != digits[h.Method] {
		return Hash{}, false
	}
	return h, true
}

// Of hashes content as it is delivered: the bytes of a body. Of a method that is not known it is
// the zero Hash.
func Of(m Method, body []byte) Hash {
	switch m {
	case SHA256:
		sum := sha256.Sum256(body)
		return Hash{m, hex.EncodeToString(sum[:])}
	case SimHash:
		return OfSimilarity(Similarity(body))
	}
	return Hash{}
}

// OfSimilarity is the hash that [Similarity] gave.
func OfSimilarity(sum uint64) Hash { return Hash{SimHash, fmt.Sprintf("%016x", sum)} }

// In is the digits of a hash that is of a method; empty for one that is not.
func (h Hash) In(m Method) string {
	if h.Method != m {
		return ""
	}
	return h.Digits
}

// String is the hash as claims have it: "method:hex"; empty for none.
func (h Hash) String() string {
	if h.Method == "" {
		return ""
	}
	return string(h.Method) + ":" + h.Digits
}

// Near is how many of the 64 bits of two SimHashes may differ at most where texts count as the
// same. It is measured: see docs/content-hashes.md.
const Near = 10

// Holds says whether content with the hash got is, by this hash, what it was said to be: the same
// SHA256, or a SimHash that is no further away than [Near]. Hashes of two methods never hold.
func (h Hash) Holds(got Hash) bool {
	if h.Method == "" || h.Method != got.Method {
		return false
	}
	if h.Method == SimHash {
		return Distance(h, got) <= Near
	}
	return h.Digits == got.Digits
}

// Distance is in how many bits two SimHashes differ, from 0 to 64; 64 where one of them is none.
func Distance(a, b Hash) int {
	x, errX := strconv.ParseUint(a.Digits, 16, 64)
	y, errY := strconv.ParseUint(b.Digits, 16, 64)
	if a.Method != SimHash || b.Method != SimHash || errX != nil || errY != nil {
		return 64
	}
	return bits.OnesCount64(x ^ y)
}

// run is how many words that follow each other make one feature of a text.
const run = 3

// Similarity is the simhash-v1 of a text: each bit says whether most runs of three words have it in
// the first 64 bits of their SHA-256. Without words it is 0.
func Similarity(text []byte) uint64 {
	words, ends := words(text)
	features := max(len(ends)-run+1, min(len(ends), 1))
	var ones counts
	start := 0
	for i := range features {
		sum := sha256.Sum256(words[start:ends[min(i+run, len(ends))-1]])
		ones.add(binary.BigEndian.Uint64(sum[:]))
		start = ends[i] + 1 // after the blank
	}
	ones.carry()
	var out uint64
	for bit, n := range ones.all {
		if 2*n > features {
			out |= 1 << bit
		}
	}
	return out
}

// counts are how many numbers have each of 64 bits. Eight bits are counted at a time, each in a
// byte, until one may be full.
type counts struct {
	all   [64]int
	bytes [8]uint64 // byte b of bytes[i] is that of bit 8*b+i
	n     int       // how often bytes were added to
}

func (c *counts) add(value uint64) {
	for i := range c.bytes {
		c.bytes[i] += value >> i & 0x0101010101010101
	}
	if c.n++; c.n == 255 {
		c.carry()
	}
}

// carry adds the bytes up.
func (c *counts) carry() {
	for bit := range c.all {
		c.all[bit] += int(c.bytes[bit%8] >> (bit / 8 * 8) & 0xff)
	}
	c.bytes, c.n = [8]uint64{}, 0
}

// words are the words of a text in lower case with a blank between them, and where each ends.
func words(text []byte) (all []byte, ends []int) {
	all = make([]byte, 0, len(text)+len(text)/8)
	within := false
	end := func() {
		if within {
			ends = append(ends, len(all))
		}
		within = false
	}
	for len(text) > 0 {
		r, size := rune(text[0]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text)
		}
		text = text[size:]
		part, alone := partOfWord(r)
		if !part || alone {
			end()
		}
		if !part {
			continue
		}
		if !within && len(all) > 0 {
			all = append(all, ' ')
		}
		if within = true; r < utf8.RuneSelf {
			all = append(all, lowerASCII(byte(r)))
		} else {
			all = utf8.AppendRune(all, unicode.ToLower(r))
		}
		if alone {
			end()
		}
	}
	end()
	return all, ends
}

// partOfWord says whether a character belongs to a word, and whether it is one by itself.
func partOfWord(r rune) (part, alone bool) {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9', false
	}
	part = unicode.In(r, unicode.L, unicode.M, unicode.N)
	return part, part && r >= 0x0E00 && unicode.In(r, unblanked...)
}

func lowerASCII(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

// unblanked are the scripts that are written without blanks between words, of which each character
// is a word.
var unblanked = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
	unicode.Khmer, unicode.Myanmar}
