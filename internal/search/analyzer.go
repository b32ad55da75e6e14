package search

import (
	"iter"
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
)

// Analyzer turns text into the words that are indexed and looked up. It is safe for concurrent use; what it gives
// depends on text and language alone.
type Analyzer struct{}

// NewAnalyzer returns an analyzer.
func NewAnalyzer() *Analyzer { return &Analyzer{} }

// Word is one analysed word of a text: its form in the index, and where it stands.
type Word struct {
	Term       string
	Start, End int // byte offsets in the text
}

// Words gives the words of a text in order. Forms of one word share their Term. A language that is empty or not
// known is treated as having no inflection.
func (a *Analyzer) Words(text, language string) iter.Seq[Word] {
	return func(yield func(Word) bool) {
		start := -1
		emit := func(end int) bool {
			if start < 0 {
				return true
			}
			w := Word{Start: start, End: end, Term: english.Stem(strings.ToLower(text[start:end]), true)}
			start = -1
			return yield(w)
		}
		for i, r := range text {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				if start < 0 {
					start = i
				}
			} else if !emit(i) {
				return
			}
		}
		emit(len(text))
	}
}

var englishStops = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields("a an and are as at be by for from has have how i in is it of on or that the this to was what when where which who why will with you your do does can me my we") {
		m[w] = true
	}
	return m
}()
