package words

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// continued stands before pieces that go on within a word, as WordPiece writes it.
const continued = "##"

// longestWord is how many bytes of a word are cut into pieces.
const longestWord = 200

// greedy cuts words into the longest pieces, from their beginning on (WordPiece). A word that
// cannot be cut whole is left out.
type greedy struct {
	lexicon
	cased, accents bool // which the pieces have
}

func (g *greedy) cut(text string, yield func(piece int)) {
	if len(text) > maxText {
		text = text[:maxText]
	}
	if !g.cased {
		text = strings.ToLower(text)
	}
	if !g.accents {
		text = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) {
				return -1
			}
			return r
		}, norm.NFD.String(text))
	}
	var found []int
	for word := range wordsOf(text, true) {
		if len(word) > longestWord {
			continue
		}
		found = found[:0]
		rest, prefix := word, ""
		for rest != "" {
			piece, end := -1, len(rest)
			for ; end > 0; end-- {
				if end < len(rest) && !utf8.RuneStart(rest[end]) {
					continue
				}
				name := prefix + rest[:end]
				if piece = g.find(name, hash(seed, name)); piece >= 0 {
					break
				}
			}
			if piece < 0 {
				found = found[:0]
				break
			}
			found = append(found, piece)
			rest, prefix = rest[end:], continued
		}
		for _, piece := range found {
			yield(piece)
		}
	}
}

// wordsOf yields the words of a text: what stands between blanks, each sign and each Chinese
// character by itself. Without signs those are left out, and an apostrophe or hyphen parts no word.
func wordsOf(text string, signs bool) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		begin := -1
		for i, r := range text {
			size := utf8.RuneLen(r)
			if r == utf8.RuneError {
				_, size = utf8.DecodeRuneInString(text[i:])
			}
			sign := unicode.IsPunct(r) || unicode.IsSymbol(r)
			switch {
			case !signs && (r == '\'' || r == '’' || r == '-') && begin >= 0 && i+size < len(text) &&
				isLetter(text[i+size:]):
				continue
			case sign || unicode.Is(unicode.Han, r):
				if begin >= 0 && !yield(text[begin:i]) {
					return
				}
				if begin = -1; (signs || !sign) && !yield(text[i:i+size]) {
					return
				}
			case unicode.IsSpace(r) || unicode.IsControl(r) || r == utf8.RuneError:
				if begin >= 0 && !yield(text[begin:i]) {
					return
				}
				begin = -1
			case begin < 0:
				begin = i
			}
		}
		if begin >= 0 {
			yield(text[begin:])
		}
	}
}

func isLetter(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(r)
}
