package search

import (
	"slices"
)

// forms are the words of a stock as they are written, each with the term that stands for it. They may be of items that
// died since; a form whose term no item has any more goes when segments are merged.
type forms struct {
	words wordlist
	terms []uint32
}

// add enters a form.
func (f *forms) add(word string, term uint32) {
	if n := f.words.add(word); int(n) == len(f.terms) {
		f.terms = append(f.terms, term)
	}
}

// take enters the forms of a source whose terms are alive, under their new numbers.
func (f *forms) take(from *forms, seen, numbers []uint32) {
	for n, term := range from.terms {
		if seen[term] > 0 {
			f.add(string(from.words.word(uint32(n))), numbers[term])
		}
	}
}

// clip gives back the room that growing left over, and what only adding needs.
func (f *forms) clip() {
	f.words.bytes, f.words.ends, f.words.table = slices.Clip(f.words.bytes), slices.Clip(f.words.ends), nil
	f.terms = slices.Clip(f.terms)
}
