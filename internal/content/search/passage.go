package search

import (
	"cmp"
	"slices"

	"frontdesk/internal/content/search/segment"
)

// told is how many words of the question decide which passage is the best: the weightiest.
const told = 3

// bestPassage gives the ordinal of the passage in which words of the most weight stand; of several
// such the one that has the weightiest most often, and then the first.
func (a *asking) bestPassage(at Place) int {
	view := int(at.view)
	v := a.snapshot.views[view]
	first, ends := int(v.FirstPassage[at.unit]), v.PartEnds(int(at.unit))
	if len(ends) < 3 {
		return first
	}
	a.passages = append(a.passages[:0], make([]uint32, len(ends))...)
	text := v.Text(int(at.unit))
	heavy, left := a.weightiest()
	for _, g := range heavy {
		a.markPassages(text, ends, g, view)
		left -= a.groups[g].weight
		if best, next := a.leading(); a.passages[best] > next+left {
			return first + best - 1 // whatever words are left
		}
	}
	best, next := a.leading()
	if len(heavy) > 0 && a.passages[best] == next {
		best = a.mostOf(heavy[0], text, ends, view)
	}
	return first + best - 1
}

// furtherPassages gives the ordinals of the passages beside the best in which words of the question
// stand, those of the most weight first, up to a number.
func (a *asking) furtherPassages(at Place, best, most int) (further []int) {
	view := int(at.view)
	v := a.snapshot.views[view]
	first, ends := int(v.FirstPassage[at.unit]), v.PartEnds(int(at.unit))
	if len(ends) < 3 {
		return nil
	}
	a.passages = append(a.passages[:0], make([]uint32, len(ends))...)
	text := v.Text(int(at.unit))
	for g := range a.groups[:a.own] {
		if a.groups[g].df > 0 {
			a.markPassages(text, ends, g, view)
		}
	}
	for i := 1; i < len(a.passages); i++ {
		if a.passages[i] > 0 && first+i-1 != best {
			further = append(further, i)
		}
	}
	slices.SortStableFunc(further, func(i, j int) int { return cmp.Compare(a.passages[j], a.passages[i]) })
	further = further[:min(most, len(further))]
	for i := range further {
		further[i] += first - 1
	}
	return further
}

// mostOf gives, of the passages of the most weight, the one in which a group's words stand most
// often.
func (a *asking) mostOf(g int, text segment.Codes, ends []uint16, view int) int {
	best, most, weight := 0, 0, slices.Max(a.passages)
	for at := 1; at < len(ends); at++ {
		if a.passages[at] != weight {
			continue
		}
		count, part := 0, text[:ends[at]]
		for _, number := range a.lookup.numbersOf(g, view) {
			for i := part.Index(number, int(ends[at-1])); i < len(part); i = part.Index(number, i+segment.CodeSize) {
				count++
			}
		}
		if best == 0 || count > most {
			best, most = at, count
		}
	}
	return best
}

// leading gives the passage of the most weight, the first of several, and the most that another
// has. Part 0, the keys, is no passage.
func (a *asking) leading() (best int, next uint32) {
	best = 1
	for i := 2; i < len(a.passages); i++ {
		if w := a.passages[i]; w > a.passages[best] {
			best, next = i, a.passages[best]
		} else {
			next = max(next, w)
		}
	}
	return best, next
}

// weightiest gives the groups of the most weight that the index has, and what they weigh together.
func (a *asking) weightiest() (groups []int, weight uint32) {
	if len(a.heavy) == 0 {
		for g := range a.groups[:a.own] {
			if a.groups[g].df == 0 {
				continue
			}
			a.heavy = append(a.heavy, g)
			for i := len(a.heavy) - 1; i > 0 && a.groups[a.heavy[i]].weight > a.groups[a.heavy[i-1]].weight; i-- {
				a.heavy[i], a.heavy[i-1] = a.heavy[i-1], a.heavy[i]
			}
			a.heavy = a.heavy[:min(len(a.heavy), told)]
		}
	}
	for _, g := range a.heavy {
		weight += a.groups[g].weight
	}
	return a.heavy, weight
}

// markPassages adds a group's weight to the passages that have one of its words.
func (a *asking) markPassages(text segment.Codes, ends []uint16, g, view int) {
	marked := uint64(0) // the passages that have the weight already; those beyond the 64th are of no account
	for _, number := range a.lookup.numbersOf(g, view) {
		at := 1
		for i := text.Index(number, int(ends[0])); i < len(text) && at < 64; i = text.Index(number, int(ends[at])) {
			for i > int(ends[at]) {
				at++
			}
			if marked>>at&1 == 0 {
				marked |= 1 << at
				a.passages[at] += a.groups[g].weight
			}
		}
	}
}
