package search

// told is how many words of the question decide which passage is the best: the weightiest.
const told = 4

// bestPassage gives the ordinal of the passage in which words of the most weight stand; of several such that with
// the most words of the question, and then the first.
func (a *asking) bestPassage(c candidate) int {
	view := int(c.view)
	v := a.snapshot.views[view]
	first, ends := int(v.first[c.unit]), v.partEnds(int(c.unit))
	if len(ends) < 3 {
		return first
	}
	a.passages = append(a.passages[:0], make([]passage, len(ends))...)
	text := v.unit(int(c.unit))
	for _, g := range a.weightiest() {
		a.markPassages(text, ends, g, view)
	}
	best := 1 // part 0 is the keys
	for i := range a.passages {
		if i > 0 && a.passages[best].less(&a.passages[i]) {
			best = i
		}
	}
	return first + best - 1
}

// passage is what was seen of the question's words in a passage.
type passage struct {
	groups uint64
	weight uint32
	hits   int
}

func (p *passage) less(q *passage) bool {
	return p.weight < q.weight || p.weight == q.weight && p.hits < q.hits
}

// weightiest gives the groups of the most weight that the index has.
func (a *asking) weightiest() []int {
	if len(a.heavy) > 0 {
		return a.heavy
	}
	for g := range a.groups {
		if a.groups[g].df == 0 {
			continue
		}
		a.heavy = append(a.heavy, g)
		for i := len(a.heavy) - 1; i > 0 && a.groups[a.heavy[i]].weight > a.groups[a.heavy[i-1]].weight; i-- {
			a.heavy[i], a.heavy[i-1] = a.heavy[i-1], a.heavy[i]
		}
		a.heavy = a.heavy[:min(len(a.heavy), told)]
	}
	return a.heavy
}

// markPassages notes in which passages a group's words stand.
func (a *asking) markPassages(text codes, ends []uint16, g, view int) {
	for _, number := range a.numbersOf(g, view) {
		if number == separatorCode {
			continue
		}
		at := 1
		for i := text.index(number, int(ends[0])); i < len(text); i = text.index(number, i+codeSize) {
			for i > int(ends[at]) {
				at++
			}
			p := &a.passages[at]
			p.hits++
			if p.groups>>g&1 == 0 {
				p.groups |= 1 << g
				p.weight += a.groups[g].weight
			}
		}
	}
}
