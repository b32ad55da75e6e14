package search

import (
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/content/search/analysis"
	"frontdesk/internal/content/search/concepts"
)

// Japanese has no blanks between words, so that items are found by pairs of characters. Of a
// question, those pairs are asked that are within a word, as far as scripts and vague words
// (package analysis) tell: grammar is in every text, and a pair of the end of one word and the
// beginning of the next is in none.

const shortWord = 2 // characters of a word that stands by chance in others

// asksGram says whether a run of one or two characters of a script without blanks is asked: pairs
// within a word, and characters that are in none.
func (a *asking) asksGram(i int) bool {
	r := a.runs[i]
	if single := utf8.RuneCountInString(a.text[r.start:r.end]) == 1; !single {
		return a.isWithin(r)
	}
	before, after := i > 0 && a.runs[i-1].end == r.end, i+1 < len(a.runs) && a.runs[i+1].start == r.start
	before, after = before && a.runs[i-1].kind == analysis.Gram, after && a.runs[i+1].kind == analysis.Gram
	if !before && !after {
		return true
	}
	if len(a.faint) == 0 || a.faint[r.start] || analysis.Hiragana(a.text[r.start:]) {
		return false
	}
	return !(before && a.isWithin(a.runs[i-1])) && !(after && a.isWithin(a.runs[i+1]))
}

// isWithin says whether a pair of characters is within a word: neither is vague, the second does
// not begin one behind Hiragana, and where it ends a verb, some item has it so.
func (a *asking) isWithin(pair run) bool {
	if len(a.faint) == 0 {
		return true
	}
	_, size := utf8.DecodeRuneInString(a.text[pair.start:])
	first, second := analysis.Hiragana(a.text[pair.start:]), analysis.Hiragana(a.text[pair.start+size:])
	switch {
	case a.faint[pair.start] || a.faint[pair.start+size] || first && !second:
		return false
	case second && (first && a.behindHan(pair.start) || !first && han(a.text[pair.start:])):
		return a.snapshot.unitsWith(a.text[pair.start:pair.end]) > 0 // the ending of a verb, else
	}
	return true
}

func han(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.Is(unicode.Han, r)
}

// behindHan says whether what is not vague stands before a place, and is Han.
func (a *asking) behindHan(at int) bool {
	_, size := utf8.DecodeLastRuneInString(a.text[:at])
	return size > 0 && !a.faint[at-size] && han(a.text[at-size:])
}

// readUnspaced does that for scripts without blanks: the pairs of characters that a word consists
// of mean what it does. Where no item is in the language, one of them stands for all, and those
// that mean nothing are passed over.
func (a *asking) readUnspaced() {
	for i := 0; i < len(a.words); {
		w := &a.words[i]
		if a.runs[w.run].kind != analysis.Gram {
			i++
			continue
		}
		means, end := a.longestAt(w.start)
		if means == nil {
			w.unspoken = a.foreign
			i++
			continue
		}
		for first := i; i < len(a.words) && a.words[i].start < end; i++ {
			a.words[i].means = means
			a.words[i].unspoken = a.foreign && i > first
		}
	}
}

// longestAt gives what the longest phrase that begins at a place of the text means, and where it
// ends.
func (a *asking) longestAt(start int) (means []concepts.ID, end int) {
	n := 0
	for i, r := range a.text[start:] {
		if n == a.asks.Longest {
			break
		}
		n++
		to := start + i + len(string(r))
		if found := a.asks.Meanings(a.text[start:to]); found != nil && !a.cuts(start, to) {
			means, end = found, to
		}
	}
	return means, end
}

// cuts says whether a short word in Katakana is a piece of a longer one, as in スパイス a pie is.
func (a *asking) cuts(start, to int) bool {
	if utf8.RuneCountInString(a.text[start:to]) > shortWord {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(a.text[:start])
	first, _ := utf8.DecodeRuneInString(a.text[start:to])
	last, _ := utf8.DecodeLastRuneInString(a.text[start:to])
	after, _ := utf8.DecodeRuneInString(a.text[to:])
	return katakana(first) && katakana(before) || katakana(last) && katakana(after)
}

func katakana(r rune) bool { return unicode.Is(unicode.Katakana, r) || r == 'ー' }
