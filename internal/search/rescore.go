package search

import (
	"math/bits"
	"slices"
)

// The best candidates are looked at again, word by word: words that follow each other in the question and do so in
// the item lift it a little. It never lowers a score, so that the order stays right where the looking ends.
const (
	rescored   = 32   // candidates that are looked at
	titleShare = 0.05 // what a pair in the title adds, of the smaller weight of its words
	bodyShare  = 0.05 // what a pair elsewhere adds at most
	nearWords  = 2    // how far the second word of a pair may stand from the first: "made in usa" is a pair
)

// finding is a candidate with what was seen in its text.
type finding struct {
	candidate
	base    uint32 // the score before it was lifted
	covered uint32 // the weight of the words that it has
	passage int
}

// rescore lifts the best candidates and orders them anew, as far as is needed to know the best wanted of them.
func (a *asking) rescore(wanted int) {
	candidates := a.top.sorted()
	most := a.mostLift()
	for i, c := range candidates {
		if i == rescored || i >= wanted && c.score+most < a.found[wanted-1].score {
			return
		}
		f := a.look(c)
		at, _ := slices.BinarySearchFunc(a.found, f, func(x, y finding) int {
			if a.top.better(x.candidate, y.candidate) {
				return -1
			}
			return 1
		})
		a.found = slices.Insert(a.found, at, f)
	}
}

// mostLift is how much a candidate can be lifted.
func (a *asking) mostLift() uint32 {
	most := uint32(0)
	for i := range a.pairs {
		most += lift(a.pairs[i].weight, true, maxCount)
	}
	return most
}

// maxCount is how many occurrences of a pair count.
const maxCount = 7

// lift is what a pair adds to the score: so much for the title, and for other places a share that grows with the
// number of occurrences.
func lift(weight uint32, title bool, count int) uint32 {
	share := bodyShare * float64(count) / float64(count+1)
	if title {
		share += titleShare
	}
	return uint32(float64(weight) * fullImpact * share)
}

// finder tells the words of the question among the codes of one view.
type finder struct {
	ready bool
	table [finderSize]uint8 // by the low bits of a code: the first slot, plus one
	slots []slot
}

const finderSize = 512

// slot is one term of the question, or the separator.
type slot struct {
	number uint32
	group  int   // or separatorGroup
	next   uint8 // the next slot of the same low bits, plus one
}

const separatorGroup = -1

// finder gives the finder of a view, made at its first use.
func (a *asking) finder(view int) *finder {
	for len(a.finders) <= view {
		a.finders = append(a.finders, finder{})
	}
	f := &a.finders[view]
	if f.ready {
		return f
	}
	f.ready = true
	clear(f.table[:])
	f.slots = f.slots[:0]
	f.add(separatorCode, separatorGroup)
	for g := range a.groups {
		for _, term := range a.groups[g].terms[:a.groups[g].n] {
			if number := a.numbers[term*len(a.snapshot.views)+view]; number != separatorCode {
				f.add(number, g)
			}
		}
	}
	return f
}

func (f *finder) add(number uint32, group int) {
	var room [2]uint16
	at := &f.table[putCode(room[:0], number)[0]%finderSize]
	f.slots = append(f.slots, slot{number, group, *at})
	*at = uint8(len(f.slots))
}

// find gives the slot of the word at codes[i], if it is one of the question's.
func (f *finder) find(codes []uint16, i int) *slot {
	at := f.table[codes[i]%finderSize]
	if at == 0 || codes[i] >= pairLow {
		return nil
	}
	number, _ := getCode(codes, i)
	for ; at != 0; at = f.slots[at-1].next {
		if f.slots[at-1].number == number {
			return &f.slots[at-1]
		}
	}
	return nil
}

// look reads the text of a candidate.
func (a *asking) look(c candidate) finding {
	v := a.snapshot.views[c.view]
	f := a.finder(int(c.view))
	r := &a.reading
	r.start(a)
	codes := v.unit(int(c.unit))
	for i, code := range codes {
		if f.table[code%finderSize] == 0 {
			continue
		}
		s := f.find(codes, i)
		switch {
		case s == nil:
		case s.group == separatorGroup:
			r.endPart(a)
		default:
			r.meet(a, codes, s.group, i)
		}
	}
	r.endPart(a)
	lifted := finding{candidate: c, base: c.score, passage: int(v.first[c.unit]) + r.best}
	lifted.score += r.lift(a)
	lifted.covered = a.weightOf(r.seen)
	return lifted
}

// reading is what was seen of a unit so far.
type reading struct {
	parts  int             // parts that have ended: title, keys, passages
	last   [MaxWords]int32 // by group: where it was seen last in this part, plus one
	seen   uint64          // groups, a bit each
	here   uint64          // those in this part
	hits   int             // words of the question in this part
	best   int             // the best passage, counted from the unit's first
	bestBy uint32
	title  uint64  // pairs in the title, a bit each
	body   []uint8 // by pair: how often it stands elsewhere
}

func (r *reading) start(a *asking) {
	r.parts, r.seen, r.here, r.hits, r.best, r.bestBy, r.title = 0, 0, 0, 0, 0, 0, 0
	clear(r.last[:len(a.groups)])
	r.body = append(r.body[:0], make([]uint8, len(a.pairs))...)
}

// meet notes that a word of group g stands at codes[i].
func (r *reading) meet(a *asking, codes []uint16, g, i int) {
	r.here |= 1 << g
	r.hits++
	for p := a.pairsTo[g]; p != 0; p = a.pairs[p-1].next {
		if before := r.last[a.pairs[p-1].first]; before > 0 && near(codes, int(before-1), i) {
			if r.parts == 0 {
				r.title |= 1 << (p - 1)
			} else if r.body[p-1] < maxCount {
				r.body[p-1]++
			}
		}
	}
	r.last[g] = int32(i + 1)
}

// near says whether the word at codes[i] stands at most nearWords after the one at codes[before].
func near(codes []uint16, before, i int) bool {
	if i-before > 2*nearWords {
		return false
	}
	words := 0
	for _, c := range codes[before+1 : i+1] {
		if c < pairLow {
			words++
		}
	}
	return words <= nearWords
}

// endPart closes the title, the keys or a passage. A passage is the better the more weight its words have, then the
// more of them stand in it.
func (r *reading) endPart(a *asking) {
	if r.here != 0 {
		clear(r.last[:len(a.groups)])
		r.seen |= r.here
		by := a.weightOf(r.here)<<8 + uint32(min(r.hits, 255))
		if passage := r.parts - int(bodyField); passage >= 0 && by > r.bestBy {
			r.best, r.bestBy = passage, by
		}
	}
	r.here, r.hits = 0, 0
	r.parts++
}

// lift is what the pairs that were seen add.
func (r *reading) lift(a *asking) uint32 {
	sum := uint32(0)
	for p := range a.pairs {
		sum += lift(a.pairs[p].weight, r.title>>p&1 != 0, int(r.body[p]))
	}
	return sum
}

// weightOf adds up the weights of a set of groups.
func (a *asking) weightOf(groups uint64) uint32 {
	sum := uint32(0)
	for ; groups != 0; groups &= groups - 1 {
		sum += a.groups[bits.TrailingZeros64(groups)].weight
	}
	return sum
}
