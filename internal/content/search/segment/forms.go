package segment

import (
	"slices"
)

// Forms are the words of a batch as they are written, each with the term that stands for it. They
// may be of items that died since; a form whose term no item has any more goes when segments are
// merged.
type Forms struct {
	Words WordList
	Terms []uint32
}

// Add enters a form.
func (f *Forms) Add(word string, term uint32) {
	if n := f.Words.Add(word); int(n) == len(f.Terms) {
		f.Terms = append(f.Terms, term)
	}
}

// take enters the forms of a source whose terms are alive, under their new numbers.
func (f *Forms) take(from *Forms, seen, numbers []uint32) {
	for n, term := range from.Terms {
		if seen[term] > 0 {
			f.Add(string(from.Words.Word(uint32(n))), numbers[term])
		}
	}
}

// clip gives back the room that growing left over, and what only adding needs.
func (f *Forms) clip() {
	f.Words.bytes, f.Words.ends, f.Words.table = slices.Clip(f.Words.bytes), slices.Clip(f.Words.ends), nil
	f.Terms = slices.Clip(f.Terms)
}
