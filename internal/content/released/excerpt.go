package released

import (
	"strings"
	"unicode"
)

// longWord is how many letters count as one word at most, so that text without blanks is no way
// around the limit.
const longWord = 30

// Excerpt returns the first words of a text, and marks where it was cut. In scripts that are
// written without blanks every letter counts as a word.
func Excerpt(text string, words int) string {
	count, letters := 0, 0
	for i, r := range text {
		if unicode.IsSpace(r) {
			letters = 0
			continue
		}
		if letters == 0 || letters >= longWord || unbroken(r) {
			if count++; count > words {
				return strings.TrimRightFunc(text[:i], unicode.IsSpace) + ellipsis(words)
			}
			letters = 0
		}
		letters++
	}
	return text
}

func ellipsis(words int) string {
	if words == 0 {
		return ""
	}
	return " …"
}

// unbroken says whether a letter belongs to a script that is written without blanks between words.
func unbroken(r rune) bool {
	return r >= 0x0E00 &&
		unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer,
			unicode.Myanmar)
}
