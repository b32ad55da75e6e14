package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/content/search/analysis"
)

// The bounds of words that are taken apart.
const (
	longestApart = 32 // bytes
	shortestHalf = 3  // bytes
	mostApart    = 4  // unknown words of a question that are tried
)

// takeApart finds two words of the index that an unknown word is made of ("firestick",
// "Kürbissuppe"): the cut whose rarer half is the most frequent.
func (a *asking) takeApart(w *asked) (left, right *asked, ok bool) {
	text := a.written(w)
	if len(text) > longestApart || !analysis.IsPlain(text) && !a.language.Composes ||
		strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }) || a.apart == mostApart {
		return nil, nil, false
	}
	a.apart++
	best := 0
	for i := shortestHalf; i <= len(text)-shortestHalf; i++ {
		if !utf8.RuneStart(text[i]) {
			continue
		}
		l, r := a.half(text[:i]), a.half(text[i:])
		if l == nil || r == nil {
			continue
		}
		if rarer := min(l.df, r.df); rarer > best {
			best, left, right = rarer, l, r
		}
	}
	return left, right, best > 0
}

// half looks up a half of a word, which must not be a function word.
func (a *asking) half(text string) *asked {
	if a.language.IsStop(text) {
		return nil
	}
	w := &asked{}
	w.add(a.language.Stem(text))
	a.seekForms(w)
	if w.df == 0 {
		return nil
	}
	return w
}
