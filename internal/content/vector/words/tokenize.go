package words

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// space stands in pieces where a word begins, as SentencePiece writes it.
const space = "\u2581"

const (
	maxText    = 2048 // bytes of a text that are read
	begin      = 3    // runes of a piece that tell how long it may be
	beginnings = 1 << 16
	unlikelier = 10 // by how much a character that is no piece is less likely than the least likely piece
)

// cutter cuts texts into pieces: of all ways to cut, the one whose pieces are the most likely
// together, each by itself (Kudo, 2018).
type cutter struct {
	lexicon
	scores  []float32
	longest []uint8 // by hash of how a piece begins: the runes of the longest that does so
	unknown float32
	cased   bool // whether pieces have capital letters
}

func newCutter(known lexicon, scores []float32, cased bool) *cutter {
	c := &cutter{lexicon: known, scores: scores, longest: make([]uint8, beginnings), cased: cased}
	for piece := range known.spans {
		name := c.name(piece)
		h, runes := uint32(seed), 0
		for rest := name; rest != "" && runes < begin; runes++ {
			_, size := utf8.DecodeRuneInString(rest)
			if h, rest = hash(h, rest[:size]), rest[size:]; runes == begin-1 {
				longest := &c.longest[h%beginnings]
				*longest = max(*longest, uint8(min(utf8.RuneCountInString(name), math.MaxUint8)))
			}
		}
		c.unknown = min(c.unknown, scores[piece])
	}
	c.unknown -= unlikelier
	return c
}

// step is the best way to a place in the text.
type step struct {
	score float32
	from  int32 // where its last piece begins
	piece int32 // -1 for none
}

// cut yields the pieces of a text, from the last to the first.
func (c *cutter) cut(text string, yield func(piece int)) {
	text = normalized(text, c.cased)
	steps := make([]step, len(text)+1)
	for i := range steps[1:] {
		steps[i+1].score = -math.MaxFloat32
	}
	for from, first := range text {
		base := steps[from].score
		single := false
		h, longest := uint32(seed), begin
		for to, runes := from, 0; to < len(text) && runes < longest; runes++ {
			_, size := utf8.DecodeRuneInString(text[to:])
			if runes > 0 && text[to:to+size] == space {
				break // no piece has the beginning of another word in it
			}
			h = hash(h, text[to:to+size])
			to += size
			if runes == begin-1 {
				longest = max(begin, int(c.longest[h%beginnings]))
			}
			if piece := c.find(text[from:to], h); piece >= 0 {
				single = single || runes == 0
				if score := base + c.scores[piece]; score > steps[to].score {
					steps[to] = step{score, int32(from), int32(piece)}
				}
			}
		}
		if to := from + utf8.RuneLen(first); !single && base+c.unknown > steps[to].score {
			steps[to] = step{base + c.unknown, int32(from), -1}
		}
	}
	for at := len(text); at > 0; at = int(steps[at].from) {
		if steps[at].piece >= 0 {
			yield(int(steps[at].piece))
		}
	}
}

// normalized brings a text to the form that pieces have: compatible characters are one (NFKC),
// letters are small unless the pieces are cased, and a sign stands before each word instead of what
// is between them.
func normalized(text string, cased bool) string {
	if len(text) > maxText {
		text = text[:maxText]
	}
	text = norm.NFKC.String(strings.ToValidUTF8(text, " "))
	if !cased {
		text = strings.ToLower(text)
	}
	var b strings.Builder
	b.Grow(len(text) + 16)
	between := true
	for _, r := range text {
		if unicode.IsSpace(r) || unicode.IsControl(r) || r == utf8.RuneError {
			between = true
			continue
		}
		if between {
			b.WriteString(space)
			between = false
		}
		b.WriteRune(r)
	}
	return b.String()
}
