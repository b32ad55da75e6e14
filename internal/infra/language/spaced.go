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
