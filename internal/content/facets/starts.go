package facets

import (
	"iter"
	"strings"
	"unicode"

	"frontdesk/internal/infra/language"
)

// Starts gives where values may begin in a text: at each word and number, and at a number in a
// script without blanks. What a hyphen joins to a letter is no beginning ("PB-429"), nor is what
// follows a dot or comma in a number.
func Starts(text string) iter.Seq[int] {
	return func(yield func(at int) bool) {
		before, beyond := ' ', ' '
		for i, r := range text {
			begins := !inWord(before) && !unicode.IsSpace(r) || language.Joined(before) && unicode.IsDigit(r)
			joined := before == '-' && unicode.IsLetter(beyond) ||
				strings.ContainsRune(".,", before) && unicode.IsDigit(beyond)
			if begins && !joined && !yield(i) {
				return
			}
			before, beyond = r, before
		}
	}
}

// Somewhere says whether something stands where a value may begin in a text.
func Somewhere(text string, is func(rest string) bool) bool {
	for at := range Starts(text) {
		if is(text[at:]) {
			return true
		}
	}
	return false
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// ReadCount reads the number at the beginning of a text, in digits or as a word, and how many bytes
// it took; 0 when there is none.
func ReadCount(s string) (value float64, n int) {
	if value, n = ReadNumber(s); n > 0 {
		return value, n
	}
	word, n := wordAt(s)
	if value, ok := NumberWord(word); ok && n > 0 {
		return value, n
	}
	return 0, 0
}
