package search

import (
	"cmp"
	"slices"
	"sync"
)

// source is a stock that goes into another, except for the units that are dead.
type source struct {
	*stock
	dead bitmap // nil: none
}

// combine makes one stock of several, which together have at most maxUnits live units. Its words are numbered by
// falling frequency, so that the frequent ones have short codes and the long postings stand first.
func combine(sources []source) *stock {
	seen := make([][]uint32, len(sources)) // by source and word: in how many units
	parallel(len(sources), func(i int) { seen[i] = sources[i].frequencies() })
	words, renumber := unite(sources, seen)
	pieces := make([]*stock, len(sources))
	parallel(len(sources), func(i int) { pieces[i] = sources[i].renumbered(renumber[i]) })
	whole := &stock{words: words, starts: []uint32{0}}
	whole.reserve(pieces)
	for i, piece := range pieces {
		whole.append(piece)
		whole.forms.take(&sources[i].forms, seen[i], renumber[i])
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
	count := make([]uint32, s.words.len())
	last := make([]uint32, s.words.len()) // the last unit that had the word, counted from 1
	for u := range s.units() {
		if s.dead.has(u) {
			continue
		}
		text := s.unit(u)
		for i := 0; i < len(text); {
			var number uint32
			number, i = text.get(i)
			if last[number] != uint32(u)+1 {
				last[number] = uint32(u) + 1
				count[number]++
			}
		}
	}
	return count
}

// unite makes the common word list and, for each source, the new numbers of its words.
func unite(sources []source, seen [][]uint32) (wordlist, [][]uint32) {
	size, bytes := 0, 0
	for _, s := range sources {
		size, bytes = max(size, s.words.len()), max(bytes, len(s.words.bytes))
	}
	union := newWordlist(size, bytes)
	union.add("")
	frequency := []uint32{0}
	renumber := make([][]uint32, len(sources))
	for i, s := range sources {
		renumber[i] = make([]uint32, s.words.len())
		for number := 1; number < s.words.len(); number++ {
			if seen[i][number] == 0 {
				continue
			}
			n := union.add(string(s.words.word(uint32(number))))
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

// byFrequency orders a word list by falling frequency and gives the new place of each word. The separator stays.
func byFrequency(union *wordlist, frequency []uint32) (words wordlist, place []uint32) {
	order := make([]uint32, union.len())
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order[1:], func(a, b uint32) int {
		return cmp.Or(cmp.Compare(frequency[b], frequency[a]), cmp.Compare(a, b))
	})
	words = newWordlist(union.len(), len(union.bytes))
	place = make([]uint32, union.len())
	for i, number := range order {
		words.add(string(union.word(number)))
		place[number] = uint32(i)
	}
	return words, place
}

// renumbered is the live part of a source with new word numbers. It has no word list of its own.
func (s source) renumbered(numbers []uint32) *stock {
	out := &stock{starts: make([]uint32, 1, len(s.starts)), breaks: make([]uint32, 1, len(s.starts)), codes: make(codes, 0, len(s.codes))}
	items := make(map[uint16]int)
	for u := range s.units() {
		if s.dead.has(u) {
			continue
		}
		item, ok := items[s.item[u]]
		if !ok {
			old := int(s.item[u])
			item = out.addItem(s.refs[old], s.key(old), s.tongues[old])
			items[s.item[u]] = item
		}
		text := s.unit(u)
		for i := 0; i < len(text); {
			var number uint32
			number, i = text.get(i)
			out.codes = out.codes.put(numbers[number])
		}
		out.endUnit(item, int(s.first[u]))
	}
	return out
}

func (s *stock) reserve(pieces []*stock) {
	size, units := 0, 0
	for _, piece := range pieces {
		size, units = size+len(piece.codes), units+piece.units()
	}
	s.codes = make(codes, 0, size)
	s.starts = append(make([]uint32, 0, units+1), 0)
	s.breaks = append(make([]uint32, 0, units+1), 0)
	s.item, s.first = make([]uint16, 0, units), make([]uint16, 0, units)
}

// append adds the items and units of a piece, whose words have our numbers.
func (s *stock) append(piece *stock) {
	items, begin, ends := len(s.refs), uint32(len(s.codes)), uint32(len(s.ends))
	for i, ref := range piece.refs {
		s.addItem(ref, piece.key(i), piece.tongues[i])
	}
	s.codes, s.ends = append(s.codes, piece.codes...), append(s.ends, piece.ends...)
	for u := range piece.units() {
		s.starts = append(s.starts, begin+piece.starts[u+1])
		s.item = append(s.item, uint16(items)+piece.item[u])
		s.first = append(s.first, piece.first[u])
		s.breaks = append(s.breaks, ends+piece.breaks[u+1])
	}
}
