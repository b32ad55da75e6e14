// Package passage cuts running text into passages: pieces of 80 to 200 words that end where a
// sentence ends, and rather where a paragraph or a step does, small enough to be shown and cited as
// a whole.
//
// Where it cuts depends on the text near the cut alone, so that the passages before an edit and a
// little way behind it stay what they were. It stands below package document, and has no I/O.
package passage

import (
	"hash/fnv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The sizes of a passage in words. A text that fits into one passage is one; a passage is shorter
// than MinWords only where the next sentence is too long to go with it, and none is longer than
// MaxWords.
const (
	MinWords = 80
	MaxWords = 200
)

// Block is a paragraph, a step, a list item or a heading.
type Block struct {
	Text string
	// Leads says that the block belongs with what follows, as a heading does.
	Leads bool
	// Tight says that what follows belongs rather close, as the next item of a list does.
	Tight bool
}

// Blocks splits plain text: an empty line ends a paragraph, a line end ends a line of it.
func Blocks(text string) []Block {
	var blocks []Block
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			blocks = append(blocks, Block{Text: line, Tight: true})
		} else if len(blocks) > 0 {
			blocks[len(blocks)-1].Tight = false
		}
	}
	return blocks
}

// EndParagraph makes the last of some blocks the end of a paragraph.
func EndParagraph(blocks []Block) {
	if len(blocks) > 0 {
		blocks[len(blocks)-1].Tight = false
	}
}

// CountWords counts the words of blocks.
func CountWords(blocks []Block) int {
	sum := 0
	for _, b := range blocks {
		sum += Words(b.Text)
	}
	return sum
}

// Split divides the text of blocks into passages. Within a passage blanks are single, and a line
// end parts two blocks.
func Split(blocks []Block) []string {
	text, words := join(blocks)
	if words <= MaxWords { // the common case, without looking for sentences
		if text = strings.TrimSpace(text); text == "" {
			return nil
		}
		return []string{text}
	}
	pieces := divide(text, blocks)
	left := 0
	for _, p := range pieces {
		left += p.words
	}
	var passages []string
	start := 0 // in text
	for first := 0; first < len(pieces); {
		last, words := choose(pieces[first:], left)
		first += last + 1
		left -= words
		end := pieces[first-1].end
		passages = append(passages, strings.TrimSpace(text[start:end]))
		start = end
	}
	return passages
}

// choose finds the piece to end the next passage with: the index of the last piece in it, and its
// words. Among the places that the sizes allow, the end of a paragraph is better than that of a
// line, and that better than a sentence's; among equals a hash of the text before the cut decides,
// which two runs over a text that differs further up soon decide alike. A short rest is worth
// avoiding, but not at the price of a paragraph.
func choose(pieces []piece, left int) (last, words int) {
	if left <= MaxWords {
		return len(pieces) - 1, left
	}
	best, bestWords, short, shortWords, sum := -1, 0, -1, 0, 0
	for i, p := range pieces {
		sum += p.words
		if sum > MaxWords {
			break
		}
		if sum < MinWords {
			short, shortWords = i, sum
			continue
		}
		if best < 0 || p.better(pieces[best]) && (left-sum >= MinWords || p.rank > pieces[best].rank) {
			best, bestWords = i, sum
		}
	}
	if best < 0 {
		return short, shortWords
	}
	return best, bestWords
}

// piece is a sentence, or a part of one that is too long.
type piece struct {
	begin, end int // in the text
	words      int
	rank       rank
	hash       uint32 // of its text
}

// rank says how good the end of a piece is for the end of a passage.
type rank uint8

const (
	within    rank = iota // inside of a long sentence
	lead                  // behind a heading
	sentence              // of a sentence
	line                  // of a list item or a line
	paragraph             // of a paragraph
)

func (p piece) better(than piece) bool {
	if p.rank != than.rank {
		return p.rank > than.rank
	}
	return p.hash < than.hash
}

// join makes one text of the blocks, a line for each, with single blanks; words counts up to one
// more than MaxWords.
func join(blocks []Block) (text string, words int) {
	var out strings.Builder
	size := 0
	for _, b := range blocks {
		size += len(b.Text) + 1
	}
	out.Grow(size)
	for _, b := range blocks {
		squeeze(&out, b.Text)
		out.WriteByte('\n')
	}
	_, words = measure(out.String(), MaxWords+1)
	return out.String(), words
}

// divide finds the pieces of the text that the blocks were joined to.
func divide(whole string, blocks []Block) []piece {
	cased := strings.IndexFunc(whole, unicode.IsUpper) >= 0
	var pieces []piece
	var ends []int
	begin := 0
	for _, b := range blocks {
		length := strings.IndexByte(whole[begin:], '\n')
		ends = Sentences(ends[:0], whole[begin:begin+length], cased)
		at := begin
		for _, end := range ends {
			pieces = appendPieces(pieces, whole, at, begin+end)
			at = begin + end
		}
		begin += length + 1
		if len(ends) > 0 {
			pieces[len(pieces)-1].end = begin
			pieces[len(pieces)-1].rank = b.rank()
		}
	}
	return pieces
}

func (b Block) rank() rank {
	switch {
	case b.Leads:
		return lead
	case b.Tight:
		return line
	}
	return paragraph
}

// squeeze writes s without blanks at its ends, and with one between words, whatever they were.
func squeeze(out *strings.Builder, s string) {
	empty := true
	for i := 0; i < len(s); {
		for i < len(s) && blankAt(s, i) > 0 {
			i += blankAt(s, i)
		}
		start := i
		for i < len(s) && (s[i] > ' ' && s[i] < utf8.RuneSelf || blankAt(s, i) == 0) {
			i++
		}
		if start < i {
			if !empty {
				out.WriteByte(' ')
			}
			empty = false
			out.WriteString(s[start:i])
		}
	}
}

// blankAt gives the length of the white space character at i, 0 if there is none.
func blankAt(s string, i int) int {
	switch c := s[i]; {
	case c == ' ' || '\t' <= c && c <= '\r':
		return 1
	case c < 0xc2 || c > 0xe3: // where no white space begins in UTF-8
		return 0
	}
	if r, size := utf8.DecodeRuneInString(s[i:]); unicode.IsSpace(r) {
		return size
	}
	return 0
}

// appendPieces adds the sentence text[begin:end], in parts of MaxWords words if it is longer.
func appendPieces(pieces []piece, text string, begin, end int) []piece {
	for begin < end {
		length, words := measure(text[begin:end], MaxWords)
		hash := fnv.New32a()
		hash.Write([]byte(text[begin : begin+length]))
		p := piece{begin: begin, end: begin + length, words: words, hash: hash.Sum32(), rank: within}
		begin += length
		if begin == end {
			p.rank = sentence
		}
		pieces = append(pieces, p)
	}
	return pieces
}

// Words counts the words of a text. Scripts without blanks between words are counted by their
// characters.
func Words(text string) int {
	_, words := measure(text, int(^uint(0)>>1))
	return words
}

// measure goes through s up to a number of words, and gives the length up to there, with the blanks
// behind it, and the words in it.
func measure(s string, most int) (length, words int) {
	inWord := false
	var dense weight // of the run of characters without blanks that is being read
	for i := 0; i < len(s); {
		if c := s[i]; c > ' ' && c < utf8.RuneSelf && inWord {
			i++
			continue
		}
		if size := blankAt(s, i); size > 0 {
			inWord = false
			i += size
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		share := weightOf(r)
		if inWord && !(share > 0 && dense.full(share)) {
			dense += share
			i += size
			continue
		}
		if words == most {
			return i, words
		}
		words++
		inWord, dense = true, share
		i += size
	}
	return len(s), words
}

// weight is a part of a word, in twelfths.
type weight int

const wholeWord weight = 12

// full says whether a word of this weight has no room for a character of the given share.
func (w weight) full(share weight) bool { return w+share > wholeWord }

// weightOf gives a character's part of a word in scripts that put no blanks between words, on the
// average of running text: two characters of Chinese and Japanese, six of Thai and its neighbours;
// 0 for other scripts.
func weightOf(r rune) weight {
	switch {
	case r < 0x0e00:
		return 0
	case r < 0x0f00, 0x1000 <= r && r < 0x10a0, 0x1780 <= r && r < 0x1800: // Thai, Lao; Burmese; Khmer
		return wholeWord / 6
	case 0x3040 <= r && r < 0x3100, 0x3400 <= r && r < 0xa000, 0xf900 <= r && r < 0xfb00, 0x20000 <= r && r < 0x32000:
		return wholeWord / 2 // kana, Han
	}
	return 0
}

// FirstSentences returns the first sentences of a text, up to a number of bytes. A first sentence
// that is longer is cut between words and marked by an ellipsis.
func FirstSentences(text string, most int) string {
	var joined strings.Builder
	text = strings.TrimSpace(text)
	if cut := min(len(text), 2*most); cut < len(text) {
		text = text[:boundary(text, cut)]
	}
	squeeze(&joined, text)
	whole := joined.String()
	if len(whole) <= most {
		return whole
	}
	length := 0
	for _, end := range Sentences(nil, whole, strings.IndexFunc(whole, unicode.IsUpper) >= 0) {
		if end > most {
			break
		}
		length = end
	}
	if length > 0 {
		return strings.TrimSpace(whole[:length])
	}
	cut := boundary(whole, most)
	if blank := strings.LastIndexByte(whole[:cut], ' '); blank > cut/2 {
		cut = blank
	}
	return strings.TrimRight(whole[:cut], " ,;:-–—(") + "…"
}

// boundary moves pos back to the beginning of a character.
func boundary(s string, pos int) int {
	for pos > 0 && pos < len(s) && !utf8.RuneStart(s[pos]) {
		pos--
	}
	return pos
}
