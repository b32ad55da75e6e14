package catalog

import (
	"crypto/sha256"
	"unicode"

	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/wire/contenthash"
)

// deliveredOf reads what an item delivers, and about how many words that has.
func deliveredOf(item *content.Item, similar bool) (b Body, words int) {
	media, body := released.RenderDefault(item)
	b = Body{Media: media, Hash: sha256.Sum256(body), Similar: similar}
	if similar {
		b.Similarity = contenthash.Similarity(body)
	}
	if media == released.PlainText {
		return b, countWords(body)
	}
	return b, int(float64(len(body))/bytesPerWord + 0.5)
}

// bytesPerWord makes words of bytes where there is no running text to count them in.
const bytesPerWord = 5.5

// How many letters make one word in scripts that are written without blanks.
const (
	lettersPerWord     = 2 // Chinese and Japanese
	lettersPerLongWord = 5 // Thai, Lao, Khmer, Burmese
)

// countWords counts the words of a text.
func countWords(text []byte) int {
	words, letters, long, within := 0, 0, 0, false
	for _, r := range string(text) {
		switch {
		case r < 0x80 && (r == ' ' || r >= '\t' && r <= '\r'), r >= 0x80 && unicode.IsSpace(r):
			within = false
		case r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			letters++
			within = false
		case r >= 0x0E00 && unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
			long++
			within = false
		case !within && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			words++
			within = true
		}
	}
	return words + (letters+lettersPerWord-1)/lettersPerWord + (long+lettersPerLongWord-1)/lettersPerLongWord
}
