package language

import (
	"strings"
	"unicode"
)

// SplitWords sets the words of a name of the vocabulary apart: "NewsArticle" is "News Article",
// "runtimePlatform" is "runtime Platform".
func SplitWords(name string) string {
	var b strings.Builder
	before := ' '
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

// Joined says whether a letter is of a script that is written without blanks between words.
func Joined(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }

// IsJoined says whether a text has any such letter.
func IsJoined(text string) bool { return strings.ContainsFunc(text, Joined) }
