package segment

import (
	"cmp"
	"slices"
	"sync"
)

// source is a batch that goes into another, except for the units that are dead.
type source struct {
	*Forward
	dead Bitmap // nil: none
}

// combine makes one batch of several, which together have at most maxUnits live units. Its words
// are numbered by falling frequency, so that the frequent ones have short codes and the long
// postings stand first.
func combine(sources []source) *Forward {
	seen := make([][]uint32, len(sources)) // by source and word: in how many units
	parallel(len(sources), func(i int) { seen[i] = sources[i].frequencies() })
	words, renumber := unite(sources, seen)
	pieces := make([]*Forward, len(sources))
	parallel(len(sources), func(i int) { pieces[i] = sources[i].renumbered(renumber[i]) })
	whole := &Forward{Words: words, starts: []uint32{0}}
	whole.reserve(pieces)
	for i, piece := range pieces {
		whole.append(piece)
		whole.Forms.take(&sources[i].Forms, seen[i], renumber[i])
	}
	whole.clip()
	return whole
}

// parallel calls fn for 0 to n-1 at once and waits.
func parallel(n int, fn func(i int)) {
	if n == 1 {
		fn(0)
		return
	}
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { fn(i) })
	}
	all.Wait()
}

// frequencies counts, for each word, the live units that have it.
func (s source) frequencies() []uint32 {
	count := make([]uint32, s.Words.Len())
	last := make([]uint32, s.Words.Len()) // the last unit that had the word, counted from 1
	for u := range s.Units() {
		if s.dead.Has(u) {
			continue
		}
		text := s.Text(u)
		for i := 0; i < len(text); {
			var number uint32
			number, i = text.Get(i)
			if last[number] != uint32(u)+1 {
				last[number] = uint32(u) + 1
				count[number]++
			}
		}
	}
	return count
}

// unite makes the common word list and, for each source, the new numbers of its words.
func unite(sources []source, seen [][]uint32) (WordList, [][]uint32) {
	size, bytes := 0, 0
	for _, s := range sources {
		size, bytes = max(size, s.Words.Len()), max(bytes, len(s.Words.bytes))
	}
	union := newWordList(size, bytes)
	union.Add("")
	frequency := []uint32{0}
	renumber := make([][]uint32, len(sources))
	for i, s := range sources {
		renumber[i] = make([]uint32, s.Words.Len())
		for number := 1; number < s.Words.Len(); number++ {
			if seen[i][number] == 0 {
				continue
			}
			n := union.Add(string(s.Words.Word(uint32(number))))
			if int(n) == len(frequency) {
				frequency = append(frequency, 0)
			}
			frequency[n] += seen[i][number]
			renumber[i][number] = n
		}
	}
	words, place := byFrequency(&union, frequency)
	for _, numbers := range renumber {
		for i, n := range numbers {
			numbers[i] = place[n]
		}
	}
	return words, renumber
}

// byFrequency orders a word list by falling frequency and gives the new place of each word. The
// separator stays.
func byFrequency(union *WordList, frequency []uint32) (words WordList, place []uint32) {
	order := make([]uint32, union.Len())
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order[1:], func(a, b uint32) int {
		return cmp.Or(cmp.Compare(frequency[b], frequency[a]), cmp.Compare(a, b))
	})
	words = newWordList(union.Len(), len(union.bytes))
	place = make([]uint32, union.Len())
	for i, number := range order {
		words.Add(string(union.Word(number)))
		place[number] = uint32(i)
	}
	return words, place
}

// renumbered is the live part of a source with new word numbers. It has no word list of its own.
func (s source) renumbered(numbers []uint32) *Forward {
	out := &Forward{starts: make([]uint32, 1, len(s.starts)), breaks: make([]uint32, 1, len(s.starts)),
		codes: make(Codes, 0, len(s.codes))}
	items := make(map[uint16]int)
	for u := range s.Units() {
		if s.dead.Has(u) {
			continue
		}
		item, ok := items[s.ItemOf[u]]
		if !ok {
			old := int(s.ItemOf[u])
			item = out.AddItem(s.Refs[old], s.key(old), s.Languages[old])
			items[s.ItemOf[u]] = item
		}
		text := s.Text(u)
		for i := 0; i < len(text); {
			var number uint32
			number, i = text.Get(i)
			out.codes = out.codes.Put(numbers[number])
		}
		out.EndUnit(item, int(s.FirstPassage[u]))
	}
	return out
}

func (f *Forward) reserve(pieces []*Forward) {
	size, units := 0, 0
	for _, piece := range pieces {
		size, units = size+len(piece.codes), units+piece.Units()
	}
	f.codes = make(Codes, 0, size)
	f.starts = append(make([]uint32, 0, units+1), 0)
	f.breaks = append(make([]uint32, 0, units+1), 0)
	f.ItemOf, f.FirstPassage = make([]uint16, 0, units), make([]uint16, 0, units)
}

// append adds the items and units of a piece, whose words have our numbers.
func (f *Forward) append(piece *Forward) {
	items, begin, ends := len(f.Refs), uint32(len(f.codes)), uint32(len(f.ends))
	for i, ref := range piece.Refs {
		f.AddItem(ref, piece.key(i), piece.Languages[i])
	}
	f.codes, f.ends = append(f.codes, piece.codes...), append(f.ends, piece.ends...)
	for u := range piece.Units() {
		f.starts = append(f.starts, begin+piece.starts[u+1])
		f.ItemOf = append(f.ItemOf, uint16(items)+piece.ItemOf[u])
		f.FirstPassage = append(f.FirstPassage, piece.FirstPassage[u])
		f.breaks = append(f.breaks, ends+piece.breaks[u+1])
	}
}
