package catalog

import (
	"crypto/sha256"
	"unicode"

	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/wire/contenthash"
)

// described is what an offer says of the delivered bytes.
type described struct {
	media string
	words int
	hash  [sha256.Size]byte
	// similarity is their simhash-v1, where similar says that it was asked for.
	similarity uint64
	similar    bool
}

func describe(item *content.Item, similar bool) described {
	media, body := released.Delivered(item)
	d := described{media: media, hash: sha256.Sum256(body), similar: similar}
	if similar {
		d.similarity = contenthash.Similarity(body)
	}
	if media == released.PlainText {
		d.words = countWords(body)
	} else {
		d.words = int(float64(len(body))/bytesPerWord + 0.5)
	}
	return d
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
