package ask

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/content/index"
)

// sentences cuts a text at sentence ends and line breaks.
func sentences(text string) []string {
	var out []string
	start := 0
	for end := range index.SentenceEnds(text) {
		if s := strings.TrimSpace(text[start:end]); s != "" {
			out = append(out, s)
		}
		start = end
	}
	return out
}

// shorten cuts a text at a word's end so that it has at most limit runes, and marks the cut.
func shorten(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	runes := []rune(text)[:limit]
	cut := limit
	for i := limit - 1; i > limit/2; i-- {
		if unicode.IsSpace(runes[i]) {
			cut = i
			break
		}
	}
	return strings.TrimRight(string(runes[:cut]), " ,;:.-–—\n") + "…"
}
