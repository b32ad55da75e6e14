package search

import (
	"slices"
	"sync"
	"unicode/utf8"
)

// Forms are the words of letters alone as they stand in the items, in lower case: what a misspelt word is corrected
// to. They are found by leaving letters out: two words that are a letter or two apart are the same when each loses one
// or two of its first letters.
const (
	shortestForm  = 3  // letters
	longestForm   = 24 // letters
	nearPrefix    = 6  // letters of a word that tell where to look for it
	twoLeftOut    = 5  // letters from which a word is found with two left out
	perNeighbours = 4  // entries of neighbours in one place, about
)

// forms are the words of a stock as they are written, each with the term that stands for it. They may be of items that
// died since; a form whose term no item has any more goes when segments are merged.
type forms struct {
	words wordlist
	terms []uint32

	once sync.Once
	near neighbours
}

// neighbours are the numbers of forms by the hash of what is left of them when letters are left out.
type neighbours struct {
	starts []uint32 // by place: where its entries begin; one more at the end
	forms  []uint32
}

// add enters a form.
func (f *forms) add(word string, term uint32) {
	if n := f.words.add(word); int(n) == len(f.terms) {
		f.terms = append(f.terms, term)
	}
}

// spoken says whether a run of text is a word that others are corrected to.
func spoken(run string) bool {
	letters := utf8.RuneCountInString(run)
	return letters >= shortestForm && letters <= longestForm && allLetters(run)
}

// keepForms enters the words that were read into a stock.
func (r *reader) keepForms() {
	for _, known := range r.known {
		if known == nil {
			continue
		}
		for _, e := range known.table {
			if e.count < 2 {
				continue
			}
			if run := string(known.runs[e.run : e.run+uint32(e.size)]); spoken(run) {
				number := e.at
				if e.count > 2 {
					number = known.numbers[e.at]
				}
				r.stock.forms.add(lower(run), number)
			}
		}
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

// neighbours gives the neighbours of all forms, which are made when they are first asked for.
func (f *forms) neighbours() *neighbours {
	f.once.Do(func() { f.near.fill(f) })
	return &f.near
}

func (n *neighbours) fill(f *forms) {
	size := 64
	for size*perNeighbours < 16*f.words.len() {
		size *= 2
	}
	n.starts = make([]uint32, size+1)
	mask := uint32(size - 1)
	var room [longestForm]rune
	for form := range f.words.len() {
		leaveOut(letters(&room, f.words.word(uint32(form))), func(hash uint32) { n.starts[hash&mask+1]++ })
	}
	for i := range size {
		n.starts[i+1] += n.starts[i]
	}
	n.forms = make([]uint32, n.starts[size])
	next := append([]uint32(nil), n.starts[:size]...)
	for form := range f.words.len() {
		leaveOut(letters(&room, f.words.word(uint32(form))), func(hash uint32) {
			n.forms[next[hash&mask]] = uint32(form)
			next[hash&mask]++
		})
	}
}

// at gives the forms that may be as near as the hash says.
func (n *neighbours) at(hash uint32) []uint32 {
	place := hash & uint32(len(n.starts)-2)
	return n.forms[n.starts[place]:n.starts[place+1]]
}

// letters gives the letters of a word without accents; nil when there are too many.
func letters(room *[longestForm]rune, word []byte) []rune {
	n := 0
	if !plainLower(string(word)) {
		word = []byte(fold(string(word)))
	}
	for i := 0; i < len(word); n++ {
		if n == longestForm {
			return nil
		}
		r, size := utf8.DecodeRune(word[i:])
		room[n] = r
		i += size
	}
	return room[:n]
}

// leaveOut calls yield with the hash of the beginning of a word, and of what is left of it when letters are left out:
// any one, and any two but the first.
func leaveOut(word []rune, yield func(hash uint32)) {
	head := word[:min(len(word), nearPrefix)]
	yield(hashWithout(head, -1, -1))
	for i := range head {
		if i > 0 && head[i] == head[i-1] {
			continue // the same as without the one before
		}
		yield(hashWithout(head, i, -1))
		if i == 0 || len(word) < twoLeftOut {
			continue
		}
		for j := i + 1; j < len(head); j++ {
			yield(hashWithout(head, i, j))
		}
	}
}

// hashWithout is the hash of letters but two.
func hashWithout(head []rune, i, j int) uint32 {
	h := uint32(2166136261)
	for k, r := range head {
		if k != i && k != j {
			h = (h ^ uint32(r)) * 16777619
		}
	}
	return h ^ h>>15
}
