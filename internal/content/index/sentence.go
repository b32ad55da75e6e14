package index

import (
	"iter"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/content/search"
	"frontdesk/internal/content/search/analysis"
	"frontdesk/internal/content/search/concepts"
)

// SentenceEnds gives the bytes at which the sentences of a text end, rising; the last is the text's
// end. A sentence ends with its stop or with a line. Abbreviations and decimals are told apart by
// what follows: a sentence goes on unless white space and then a capital, a digit or a quote come
// after the stop.
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

// abbreviated says whether a text that a full stop follows ends in an initial or a common
// abbreviation.
func abbreviated(before string) bool {
	word := before[strings.LastIndexAny(before, " \t(\u00a0")+1:]
	switch strings.ToLower(word) {
	case "mr", "mrs", "ms", "dr", "st", "no", "vs", "approx", "ca", "fig", "e.g", "i.e", "z.b", "bzw":
		return true
	}
	return utf8.RuneCountInString(word) == 1 && unicode.IsUpper([]rune(word)[0])
}

// scale weighs sentences by the words of a question.
type scale map[string]float64

// weigh makes the scale of a question's terms.
func weigh(terms []search.Term) scale {
	weights := scale{}
	for _, term := range terms {
		for _, stem := range term.Stems {
			weights[stem] = max(weights[stem], term.Weight)
		}
	}
	return weights
}

// carries says how much weight of the question a sentence has for its length.
func (s scale) carries(sentence, language string) float64 {
	covered, words := 0.0, 0
	seen := map[string]bool{}
	for word := range analyzer().Words(sentence, language) {
		words++
		if !seen[word.Term] {
			seen[word.Term] = true
			covered += s[word.Term]
		}
	}
	return covered / math.Sqrt(float64(max(words, 8)))
}

// analyzer finds the words of sentences; to make one takes longer than to read a page with it.
var analyzer = sync.OnceValue(analysis.NewAnalyzer)

// BestSentence is where in a text the sentence lies, without the white space before it, that
// carries most weight of a question for its length; the first when none has any.
func BestSentence(terms []search.Term, text, language string) (from, to int) {
	weights := weigh(terms)
	start, best := 0, -1.0
	for end := range SentenceEnds(text) {
		if score := weights.carries(text[start:end], language); score > best {
			best, from, to = score, start, end
		}
		start = end
	}
	for from < to && strings.ContainsRune(" \n\t\r", rune(text[from])) {
		from++
	}
	return from, to
}

// Covered says of each term of a question whether a text has it. A text whose language is not known
// is read in each.
func Covered(terms []search.Term, text, language string) []bool {
	has := map[string]bool{}
	in := []string{language}
	if language == "" {
		in = append(in, concepts.Tags[:]...)
	}
	for _, tag := range in {
		for word := range analyzer().Words(text, tag) {
			has[word.Term] = true
		}
	}
	covered := make([]bool, len(terms))
	for i, term := range terms {
		covered[i] = slices.ContainsFunc(term.Stems, func(stem string) bool { return has[stem] })
	}
	return covered
}

// Either says of each term whether any of several texts has it, by what [Covered] says of each.
func Either(texts ...[]bool) []bool {
	any := make([]bool, len(texts[0]))
	for _, covered := range texts {
		for i, has := range covered {
			any[i] = any[i] || has
		}
	}
	return any
}
