package search

import (
	"sync"
	"unicode/utf8"

	"frontdesk/internal/content/search/analysis"
	"frontdesk/internal/content/search/segment"
	"frontdesk/internal/content/search/slips"
)

// Forms are the words of letters alone as they stand in the items, in lower case: what a misspelt
// word is corrected to. They are found by leaving letters out: two words that are a letter or two
// apart are the same when each loses one or two of its first letters.
const (
	shortestForm  = 3 // letters
	longestForm   = slips.Longest
	nearPrefix    = 6 // letters of a word that tell where to look for it
	twoLeftOut    = 5 // letters from which a word is found with two left out
	perNeighbours = 4 // entries of neighbours in one place, about
)

// spoken says whether a run of text is a word that others are corrected to.
func spoken(run string) bool {
	letters := utf8.RuneCountInString(run)
	return letters >= shortestForm && letters <= longestForm && analysis.AllLetters(run)
}

// neighbours are the numbers of forms by the hash of what is left of them when letters are left
// out.
type neighbours struct {
	once   sync.Once
	starts []uint32 // by place: where its entries begin; one more at the end
	forms  []uint32
}

// neighboursIn gives the neighbours of a view's forms, which are found when they are first asked
// for.
func neighboursIn(v *segment.View) *neighbours {
	n := &derivedOf(v).near
	n.once.Do(func() { n.fill(&v.Forms) })
	return n
}

func (n *neighbours) fill(f *segment.Forms) {
	size := 64
	for size*perNeighbours < 16*f.Words.Len() {
		size *= 2
	}
	n.starts = make([]uint32, size+1)
	mask := uint32(size - 1)
	var room [longestForm]rune
	for form := range f.Words.Len() {
		leaveOut(letters(&room, f.Words.Word(uint32(form))), func(hash uint32) { n.starts[hash&mask+1]++ })
	}
	for i := range size {
		n.starts[i+1] += n.starts[i]
	}
	n.forms = make([]uint32, n.starts[size])
	next := append([]uint32(nil), n.starts[:size]...)
	for form := range f.Words.Len() {
		leaveOut(letters(&room, f.Words.Word(uint32(form))), func(hash uint32) {
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
	if !analysis.IsPlain(string(word)) {
		word = []byte(analysis.Fold(string(word)))
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

// leaveOut calls yield with the hash of the beginning of a word, and of what is left of it when
// letters are left out: any one, and any two but the first.
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
