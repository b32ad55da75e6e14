package index

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// SentenceEnds gives the bytes at which the sentences of a text end, rising; the last is the text's end. A sentence ends
// with its stop or with a line. Abbreviations and decimals are told apart by what follows: a sentence goes on unless white
// space and then a capital, a digit or a quote come after the stop.
func SentenceEnds(text string) iter.Seq[int] {
	return func(yield func(int) bool) {
		start := 0
		for i, r := range text {
			end := i + utf8.RuneLen(r)
			switch {
			case r == '\n' || r == '。' || r == '！' || r == '？' || r == '।':
			case (r == '.' || r == '!' || r == '?') && beginsSentence(text[end:]) && !abbreviated(text[start:i]):
			default:
				continue
			}
			if start = end; !yield(end) {
				return
			}
		}
		if start < len(text) {
			yield(len(text))
		}
	}
}

// sentences cuts a text at sentence ends and line breaks.
func sentences(text string) []string {
	var out []string
	start := 0
	for end := range SentenceEnds(text) {
		if s := strings.TrimSpace(text[start:end]); s != "" {
			out = append(out, s)
		}
		start = end
	}
	return out
}

// beginsSentence says whether the text after a stop looks like the start of another sentence.
func beginsSentence(rest string) bool {
	trimmed := strings.TrimLeft(rest, " \t\u00a0")
	if trimmed == "" {
		return true
	}
	if len(trimmed) == len(rest) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(trimmed)
	return !unicode.IsLower(first)
}

// abbreviated says whether a text that a full stop follows ends in an initial or a common abbreviation.
func abbreviated(before string) bool {
	word := before[strings.LastIndexAny(before, " \t(\u00a0")+1:]
	switch strings.ToLower(word) {
	case "mr", "mrs", "ms", "dr", "st", "no", "vs", "approx", "ca", "fig", "e.g", "i.e", "z.b", "bzw":
		return true
	}
	return utf8.RuneCountInString(word) == 1 && unicode.IsUpper([]rune(word)[0])
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
