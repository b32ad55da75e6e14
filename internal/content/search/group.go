package search

import (
	"slices"

	"frontdesk/internal/content/search/analysis"
)

// group is what counts as one word of the question: any of its terms will do.
type group struct {
	terms   [maxForms]int // in lookup.sought
	n       int
	df      int
	idf     float64
	rarity  float64 // of the word in everyday speech, 0 to 1
	said    float64 // how often the question says it
	negated bool
	aside   bool // no answer has to have it
	empty   bool // and it says nothing of its subject: a negation, or what stands behind it
	vague   bool // tells what kind of answer is wanted and little of its subject
	tells   bool // it is evidence that an item has it: no vague word is beside others
	weight  uint32
	anchors int       // the first pair whose anchor it is, plus one
	whole   *composed // words that have it as a part; nil for none
	akin    *composed // what else stands for what it means; nil for none
	kin     *composed // words that point in about its direction; nil for none
}

// resolve decides what the words of one run, words[from:to], are looked up as.
func (a *asking) resolve(from, to int) {
	whole, missing := -1, false
	for i := from; i < to; i++ {
		w := &a.words[i]
		if w.use == Stop {
			continue
		}
		a.seekForms(w)
		a.seekWholes(w)
		a.seekMeaning(w)
		switch {
		case w.part == analysis.WholeRun:
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
		w.terms[k] = a.lookup.seek(form)
		w.df += a.lookup.sought[w.terms[k]].df
	}
	own := w.df
	for _, term := range w.same {
		if w.n == maxForms || slices.Contains(w.forms[:w.n], term) {
			continue
		}
		if df := a.snapshot.unitsWith(term); commonSame*df >= own && df > 0 {
			w.forms[w.n], w.terms[w.n] = term, a.lookup.seek(term)
			w.n++
			w.df += df
		}
	}
	w.df = min(w.df, a.snapshot.census.Units)
}

// seekWholes looks up what a word is a part of.
func (a *asking) seekWholes(w *asked) {
	if w.part == analysis.WholeRun || a.literal || len(a.snapshot.composing) == 0 {
		return
	}
	if w.whole = a.snapshot.composed(a.written(w)); w.whole != nil {
		w.df = min(w.df+w.whole.df, a.snapshot.census.Units)
	}
}

// commonSame is how many times as common a word may be as one that stands for it, for that to be
// looked up, too: what is mostly called by the word itself is found by it.
const commonSame = 2

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
		if w.use = Unknown; a.vague(w) {
			return // that no item says it tells nothing
		}
	}
	a.join(w, w, negated)
	if w.counted > 0 && a.vague(w) {
		a.groups[w.groups[0]].vague = true
	}
}

// join makes w count as the word of, which is itself or a part of it.
func (a *asking) join(w, of *asked, negated bool) {
	at := -1
	for g := range a.groups {
		if a.lookup.sought[a.groups[g].terms[0]].term == of.forms[0] {
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
		a.groups = append(a.groups, group{
			terms: of.terms, n: of.n, df: of.df, rarity: rarity(a.written(w)), negated: negated,
			whole: of.whole, akin: of.akin, kin: of.kin, aside: true, empty: true,
		})
	}
	a.groups[at].said++
	a.groups[at].aside = a.groups[at].aside && w.aside
	a.groups[at].empty = a.groups[at].empty && w.aside && (negated || w.negates != 0)
	w.groups[w.counted] = at
	w.counted++
	a.sequence = append(a.sequence, at)
}

// afterNegation says whether the content word before words[i] is a negation.
func (a *asking) afterNegation(i int) bool {
	for i--; i >= 0; i-- {
		w := &a.words[i]
		if w.use != Stop {
			return w.negates>>a.languageBit&1 != 0
		}
	}
	return false
}
