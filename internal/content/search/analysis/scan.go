package analysis

import (
	"unicode"
	"unicode/utf8"
)

// Kind says what a run of text is made of, and so how it is analysed.
type Kind uint8

// The kinds of a run.
const (
	Plain    Kind = iota // ASCII letters and digits
	Compound             // has a connector within, or a letter beyond ASCII
	Gram                 // one or two characters of a script written without blanks
)

// maxRun is how many bytes a run may have before a connector ends it; longer words are cut when
// they are analysed.
const maxRun = 48

// The classes of a byte.
const (
	separator = iota
	letter
	digit
	joiner // joins letters and digits: usb-c, men's
	point  // joins digits: 1/2, 2.4, 1,000
	beyond // part of a rune beyond ASCII
)

var classes = func() (table [256]uint8) {
	for c := range table {
		switch {
		case c >= utf8.RuneSelf:
			table[c] = beyond
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
			table[c] = letter
		case '0' <= c && c <= '9':
			table[c] = digit
		}
	}
	table['-'], table['\''] = joiner, joiner
	table['.'], table[','], table['/'] = point, point, point
	return table
}()

// Scan splits text into runs and calls yield with the bounds and kind of each until it returns
// false.
//
// A run is what stands between blanks and punctuation, except that hyphens and apostrophes between
// letters, and points, commas and slashes between digits, stay within. Scripts that are written
// without blanks give overlapping pairs of characters.
func Scan(text string, yield func(start, end int, k Kind) bool) {
	for i := 0; i < len(text); {
		switch classes[text[i]] {
		case letter, digit:
		case beyond:
			r, size := utf8.DecodeRuneInString(text[i:])
			if unspaced(r) {
				end := i + unspacedLen(text[i:])
				if !grams(text, i, end, yield) {
					return
				}
				i = end
				continue
			}
			if !unicode.IsLetter(r) && !unicode.IsNumber(r) {
				i += size
				continue
			}
		default:
			i++
			continue
		}
		end, k := word(text, i)
		if !yield(i, end, k) {
			return
		}
		i = end
	}
}

// word finds the end of the run that starts at start.
func word(text string, start int) (end int, k Kind) {
	i := start
	for i < len(text) {
		switch classes[text[i]] {
		case letter, digit:
			i++
		case joiner:
			if i-start > maxRun || !wordAt(text, i+1) {
				return i, k
			}
			k = Compound
			i++
		case point:
			if i-start > maxRun || !isDigit(text, i-1) || !isDigit(text, i+1) {
				return i, k
			}
			k = Compound
			i++
		case beyond:
			r, size := utf8.DecodeRuneInString(text[i:])
			switch {
			case unspaced(r):
				return i, k
			case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
			case (isHyphen(r) || isApostrophe(r)) && i-start <= maxRun && wordAt(text, i+size):
			case r == softHyphen:
			default:
				return i, k
			}
			k = Compound
			i += size
		default:
			return i, k
		}
	}
	return i, k
}

// grams yields the pairs of characters of a run of an unspaced script, and each character of its
// own: pairs tell more, but a question may be a single character.
func grams(text string, start, end int, yield func(start, end int, k Kind) bool) bool {
	for i := start; i < end; {
		_, size := utf8.DecodeRuneInString(text[i:])
		if !yield(i, i+size, Gram) {
			return false
		}
		if next := i + size; next < end {
			_, second := utf8.DecodeRuneInString(text[next:])
			if !yield(i, next+second, Gram) {
				return false
			}
		}
		i += size
	}
	return true
}

func unspacedLen(text string) int {
	for i, r := range text {
		if !unspaced(r) && !unicode.IsMark(r) {
			return i
		}
	}
	return len(text)
}

// unspaced says whether r belongs to a script that is written without blanks between words. Korean
// has blanks, but its words carry so many endings that pairs of syllables find more.
func unspaced(r rune) bool {
	if r < 0x0E00 {
		return false
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao,
		unicode.Khmer, unicode.Myanmar) && unicode.IsLetter(r) || r == 'ー' || r == '々'
}

// AllLetters says whether a run has nothing but letters of scripts that are written with blanks.
func AllLetters(run string) bool {
	for _, r := range run {
		if !unicode.IsLetter(r) || unspaced(r) {
			return false
		}
	}
	return true
}

func isDigit(text string, i int) bool {
	return i >= 0 && i < len(text) && classes[text[i]] == digit
}

// wordAt says whether a letter or digit of a spaced script stands at i.
func wordAt(text string, i int) bool {
	if i >= len(text) {
		return false
	}
	switch classes[text[i]] {
	case letter, digit:
		return true
	case beyond:
		r, _ := utf8.DecodeRuneInString(text[i:])
		return (unicode.IsLetter(r) || unicode.IsNumber(r)) && !unspaced(r)
	}
	return false
}

const softHyphen = '\u00AD'

func isHyphen(r rune) bool { return r == '-' || r == '\u2010' || r == '\u2011' }

// Elided says whether an apostrophe stands before the rest of a word, at the beginning of a text.
func Elided(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return isApostrophe(r)
}

func isApostrophe(r rune) bool { return r == '\'' || r == '\u2019' || r == '\u02BC' }
