package search

import (
	"math"
	"strings"
)

// group is what counts as one word of the question: any of its terms will do.
type group struct {
	terms   [maxForms]int // in asking.sought
	n       int
	df      int
	idf     float64
	negated bool
	vague   bool // tells what kind of answer is wanted and little of its subject
	weight  uint32
	anchors int // the first pair whose anchor it is, plus one
}

// sought is a term that was looked up in all views. Its numbers are in asking.numbers.
type sought struct {
	term string
	df   int
}

// pair is two words that follow each other in the question.
type pair struct {
	anchor, other int    // the rarer of the two, and its neighbour
	back          bool   // the neighbour stands before the anchor
	weight        uint32 // the smaller of the weights
	next          int    // the next pair with the same anchor, plus one

	title uint32 // 1 when it stands in the title of the unit that is looked at
	count uint32 // how often it stands elsewhere in it
}

// maxPairs is how many pairs of a question count; a set of them fits 64 bits.
const maxPairs = 64

// The weights of a question's words are whole numbers that add up to this at most, so that sums of weighted impacts
// are exact and do not depend on the order of adding. A unit that has every form of every word stays within 32
// bits, boosts included.
const fullWeight = 1 << 14

// fullScore is the score of a unit in which every word has full impact.
const fullScore = fullWeight * fullImpact

// negatedShare is what is left of the weight of a word that the question does not want ("belt without buckle"):
// documents name such a thing whether or not they have it.
const negatedShare = 0.5

// vagueShare is what is left of the weight of a vague word, whether documents have it or not: "a gift for a tea
// lover" is about tea.
const vagueShare = 0.25

// resolve decides what the words of one run, words[from:to], are looked up as.
func (a *asking) resolve(from, to int) {
	whole, missing := -1, false
	for i := from; i < to; i++ {
		w := &a.words[i]
		if w.use == Stop {
			continue
		}
		a.seekForms(w)
		switch {
		case w.part == wholeRun:
			whole = i
		case w.df == 0:
			missing = true
		}
	}
	switch {
	case whole < 0:
		a.enterAll(from, to, -1)
	case missing && a.words[whole].df > 0:
		// The index knows the compound as one word alone.
		for i := from; i < to; i++ {
			a.words[i].silent = i != whole
		}
		a.enter(whole)
	default:
		a.words[whole].silent = true
		rarest := a.enterAll(from, to, whole)
		if w := &a.words[whole]; rarest >= 0 && w.df > 0 {
			a.groups[rarest].add(w.terms[0])
		}
	}
}

func (g *group) add(term int) {
	if g.n < maxForms {
		g.terms[g.n] = term
		g.n++
	}
}

// seekForms looks all forms of a word up.
func (a *asking) seekForms(w *asked) {
	for k, form := range w.forms[:w.n] {
		w.terms[k] = a.seek(form)
		w.df += a.sought[w.terms[k]].df
	}
	w.df = min(w.df, a.snapshot.census.units)
}

// seek looks a term up in all views and gives its place in a.sought.
func (a *asking) seek(term string) int {
	h := hashOf(term)
	df := 0
	for _, v := range a.snapshot.views {
		number, ok := v.words.find(term, h)
		if !ok {
			number = separatorCode // which no unit has as a word
		} else {
			df += v.frequency(number)
		}
		a.numbers = append(a.numbers, number)
	}
	a.sought = append(a.sought, sought{term, df})
	return len(a.sought) - 1
}

// enterAll enters words[from:to] but one and gives the group of the rarest.
func (a *asking) enterAll(from, to, but int) (rarest int) {
	rarest = -1
	for i := from; i < to; i++ {
		if i == but {
			continue
		}
		a.enter(i)
		if w := &a.words[i]; w.counted > 0 && (rarest < 0 || a.groups[w.groups[0]].df < a.groups[rarest].df) {
			rarest = w.groups[0]
		}
	}
	return rarest
}

// enter makes a word count.
func (a *asking) enter(i int) {
	w := &a.words[i]
	if w.use == Stop {
		return
	}
	negated := a.afterNegation(i)
	if w.df == 0 {
		if left, right, ok := a.takeApart(w); ok {
			w.use = Used
			a.join(w, left, negated)
			a.join(w, right, negated)
			return
		}
		w.use = Unknown
	}
	a.join(w, w, negated)
	if w.counted > 0 && vagueWords[a.written(w)] {
		a.groups[w.groups[0]].vague = true
	}
}

// join makes w count as the word of, which is itself or a part of it.
func (a *asking) join(w, of *asked, negated bool) {
	at := -1
	for g := range a.groups {
		if a.sought[a.groups[g].terms[0]].term == of.forms[0] {
			at = g
			break
		}
	}
	if at < 0 {
		if len(a.groups) == MaxWords {
			w.use = Dropped
			return
		}
		at = len(a.groups)
		a.groups = append(a.groups, group{terms: of.terms, n: of.n, df: of.df, negated: negated})
	}
	w.groups[w.counted] = at
	w.counted++
	a.sequence = append(a.sequence, at)
}

// afterNegation says whether the content word before words[i] is a negation.
func (a *asking) afterNegation(i int) bool {
	for i--; i >= 0; i-- {
		w := &a.words[i]
		if w.use != Stop {
			return a.tongue.negates[fold(a.written(w))]
		}
	}
	return false
}

// The bounds of words that are taken apart.
const (
	longestApart = 24 // bytes
	shortestHalf = 3  // bytes
	mostApart    = 4  // unknown words of a question that are tried
)

// takeApart finds two words of the index that an unknown word is made of ("firestick"): the cut whose rarer half is
// the most frequent.
func (a *asking) takeApart(w *asked) (left, right *asked, ok bool) {
	text := a.written(w)
	if len(text) > longestApart || !plainLower(text) || strings.IndexFunc(text, notLetter) >= 0 || a.apart == mostApart {
		return nil, nil, false
	}
	a.apart++
	best := 0
	for i := shortestHalf; i <= len(text)-shortestHalf; i++ {
		l, r := a.half(text[:i]), a.half(text[i:])
		if l == nil || r == nil {
			continue
		}
		if rarer := min(l.df, r.df); rarer > best {
			best, left, right = rarer, l, r
		}
	}
	return left, right, best > 0
}

// half looks up a half of a word, which must not be a function word.
func (a *asking) half(text string) *asked {
	if a.tongue.stops[text] {
		return nil
	}
	w := &asked{}
	w.add(a.tongue.lookup(text, plain).forms[0].term)
	a.seekForms(w)
	if w.df == 0 {
		return nil
	}
	return w
}

// weigh gives each group its share of the full weight. A word that no document has weighs most: the question could
// have scored with it.
func (a *asking) weigh() {
	units := float64(a.snapshot.census.units)
	total := 0.0
	for i := range a.groups {
		g := &a.groups[i]
		g.idf = math.Log(1 + (units-float64(g.df)+0.5)/(float64(g.df)+0.5))
		if g.negated {
			g.idf *= negatedShare
		}
		if g.vague {
			g.idf *= vagueShare
		}
		total += g.idf
	}
	for i := range a.groups {
		g := &a.groups[i]
		g.weight = max(1, uint32(fullWeight*(g.idf/total)))
	}
	a.spread()
	for i := 1; i < len(a.sequence); i++ {
		a.addPair(a.sequence[i-1], a.sequence[i])
	}
}

// spread lays the numbers of the groups' terms out by view.
func (a *asking) spread() {
	views := len(a.snapshot.views)
	for view := range views {
		for i := range a.groups {
			for k := range maxForms {
				number := uint32(separatorCode)
				if k < a.groups[i].n {
					number = a.numbers[a.groups[i].terms[k]*views+view]
				}
				a.spreadOut = append(a.spreadOut, number)
			}
		}
	}
}

// numbersOf gives the numbers of a group's terms in a view; where there is none, the separator's.
func (a *asking) numbersOf(g, view int) []uint32 {
	from := (view*len(a.groups) + g) * maxForms
	return a.spreadOut[from : from+a.groups[g].n]
}

// addPair notes that two words follow each other, when both can be found.
func (a *asking) addPair(first, second int) {
	if first == second || a.groups[first].df == 0 || a.groups[second].df == 0 || len(a.pairs) == maxPairs {
		return
	}
	p := pair{anchor: first, other: second}
	if a.groups[second].df < a.groups[first].df {
		p = pair{anchor: second, other: first, back: true}
	}
	for i := range a.pairs {
		if a.pairs[i].anchor == p.anchor && a.pairs[i].other == p.other && a.pairs[i].back == p.back {
			return
		}
	}
	p.weight = min(a.groups[first].weight, a.groups[second].weight)
	p.next = a.groups[p.anchor].anchors
	a.pairs = append(a.pairs, p)
	a.groups[p.anchor].anchors = len(a.pairs)
}

// terms reports what became of each distinct word.
func (a *asking) terms() []Term {
	terms := make([]Term, 0, len(a.words))
	stems := make([]string, 0, 2*len(a.words))
	for i := range a.words {
		w := &a.words[i]
		if w.silent || a.repeats(i) {
			continue
		}
		t := Term{Word: a.written(w), Use: w.use}
		from := len(stems)
		for _, g := range w.groups[:w.counted] {
			for _, term := range a.groups[g].terms[:a.groups[g].n] {
				stems = append(stems, a.sought[term].term)
			}
			t.Weight += float64(a.groups[g].weight) / fullWeight
		}
		t.Stems = stems[from:len(stems):len(stems)]
		terms = append(terms, t)
	}
	return terms
}

// repeats says whether words[i] came before.
func (a *asking) repeats(i int) bool {
	w := &a.words[i]
	for j := range i {
		before := &a.words[j]
		if before.forms[0] == w.forms[0] && before.use == w.use && before.silent == w.silent {
			return true
		}
	}
	return false
}
