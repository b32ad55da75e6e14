package search

// The best candidates are looked at again in their text: words that follow each other in the question and do so in
// the item lift it a little. It never lowers a score, so that the order stays right where the looking ends.
const (
	rescored   = 10   // candidates that are looked at
	titleShare = 0.05 // what a pair in the title adds, of the smaller weight of its words
	bodyShare  = 0.05 // what a pair elsewhere adds at most
	nearWords  = 2    // how far the second word of a pair may stand from the first: "made in usa" is a pair
	leadWords  = 32   // words of a unit among which pairs are looked for: mostly its title
	maxCount   = 7    // occurrences of a pair that count
)

// pairLift is what a pair adds to the score, of its weight: so much for the title, and for other places a share
// that grows with the number of occurrences.
var pairLift = func() (table [2][maxCount + 1]uint32) {
	for count := range table[0] {
		body := bodyShare * float64(count) / float64(count+1)
		table[0][count] = uint32(fullImpact * body)
		table[1][count] = uint32(fullImpact * (titleShare + body))
	}
	return table
}()

// rescore lifts the best candidates and orders them anew.
func (a *asking) rescore() {
	a.found = a.top.sorted()
	if len(a.pairs) == 0 {
		return
	}
	best := a.found[:min(len(a.found), rescored)]
	for i := range best {
		best[i].lift = a.lift(best[i])
		best[i].score += best[i].lift
		for j := i; j > 0 && a.top.better(best[j], best[j-1]); j-- {
			best[j], best[j-1] = best[j-1], best[j]
		}
	}
}

// lift adds up what the pairs in a candidate's text are worth. It goes from one occurrence of a pair's rarer word,
// the anchor, to the next, and looks whether the other stands beside it.
func (a *asking) lift(c candidate) uint32 {
	view := int(c.view)
	text := a.snapshot.views[view].lead(int(c.unit))
	titleEnd := text.index(separatorCode, 0)
	for p := range a.pairs {
		a.pairs[p].title, a.pairs[p].count = 0, 0
	}
	for g := range a.groups {
		if a.groups[g].anchors == 0 {
			continue
		}
		for _, number := range a.numbersOf(g, view) {
			if number != separatorCode {
				a.findPairs(text, titleEnd, a.groups[g].anchors, number, view)
			}
		}
	}
	sum := uint32(0)
	for p := range a.pairs {
		sum += a.pairs[p].weight * pairLift[a.pairs[p].title][a.pairs[p].count]
	}
	return sum
}

// findPairs counts the pairs of one anchor, which stands in the text as number; first is the first such pair, plus
// one.
func (a *asking) findPairs(text codes, titleEnd, first int, number uint32, view int) {
	for i := text.index(number, 0); i < len(text); i = text.index(number, i+codeSize) {
		for next := first; next != 0; {
			p := &a.pairs[next-1]
			next = p.next
			if !p.stands(text, i, a.numbersOf(p.other, view)) {
				continue
			}
			if i < titleEnd {
				p.title = 1
			} else {
				p.count = min(p.count+1, maxCount)
			}
		}
	}
}

// stands says whether the other word of a pair stands on its side of the anchor at place i.
func (p *pair) stands(text codes, i int, other []uint32) bool {
	_, next := text.get(i)
	for range nearWords {
		if p.back {
			if i == 0 {
				return false
			}
			i = text.before(i)
		} else {
			if next == len(text) {
				return false
			}
			i = next
		}
		var number uint32
		number, next = text.get(i)
		if number == separatorCode {
			return false
		}
		for _, n := range other {
			if n == number {
				return true
			}
		}
	}
	return false
}

// covered adds up the weights of the words that a unit has.
func (a *asking) covered(c candidate) uint32 {
	v := a.snapshot.views[c.view]
	sum := uint32(0)
	for g := range a.groups {
		for _, number := range a.numbersOf(g, int(c.view)) {
			docs, _ := v.list(number)
			i := search16(docs, 0, len(docs), uint16(c.unit))
			if i < len(docs) && uint32(docs[i]) == c.unit {
				sum += a.groups[g].weight
				break
			}
		}
	}
	return sum
}

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
