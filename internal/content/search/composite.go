package search

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"frontdesk/internal/content/search/analysis"
	"frontdesk/internal/content/search/segment"
)

// In some languages a thing and its kind are one word: a Gummihammer is a Hammer. There a word of
// the question is looked up in the words that end with it, too, and in those that begin with it,
// for less, when the rest is a word of the index. Which words these are is read from the words of
// the items in such languages; nothing is indexed for it.

const (
	endShare   = 0.7 // of its weight that a word has where another ends with it,
	beginShare = 0.4 // and where another begins with it

	shortestComposite = 6 // letters
	mostComposites    = 64

	oneOfComposing = 16 // of so many items one must be in a language: that of a few is often guessed wrongly
)

// composites are the words of a batch's items in composing languages that may be made of others.
type composites struct {
	once sync.Once
	ends []uint32 // ordered from their last letter on
	all  []uint32 // ordered from their first letter on
}

// compositesIn gives the composites of a view, which are found when they are first asked for.
func compositesIn(v *segment.View, a *analysis.Analyzer) *composites {
	c := &derivedOf(v).composed
	c.once.Do(func() { c.fill(v, a) })
	return c
}

func (c *composites) fill(s *segment.View, a *analysis.Analyzer) {
	if !slices.ContainsFunc(s.Languages, func(t uint8) bool { return a.Languages[t].Composes }) {
		return
	}
	has := segment.NewBitmap(s.Words.Len())
	for u := range s.Units() {
		if !a.Languages[s.Languages[s.ItemOf[u]]].Composes {
			continue
		}
		for text, i := s.Text(u), 0; i < len(text); {
			var number uint32
			number, i = text.Get(i)
			has.Set(int(number))
		}
	}
	for number := range s.Words.Len() {
		if word := s.Words.Word(uint32(number)); has.Has(number) && utf8.RuneCount(word) >= shortestComposite &&
			analysis.AllLetters(string(word)) {
			c.all = append(c.all, uint32(number))
		}
	}
	c.ends = slices.Clone(c.all)
	slices.SortFunc(c.all, func(x, y uint32) int { return bytes.Compare(s.Words.Word(x), s.Words.Word(y)) })
	slices.SortFunc(c.ends, func(x, y uint32) int { return compareEnds(s.Words.Word(x), s.Words.Word(y)) })
}

// compareEnds compares two words from their last byte on.
func compareEnds(x, y []byte) int {
	for i := 1; i <= len(x) && i <= len(y); i++ {
		if d := cmp.Compare(x[len(x)-i], y[len(y)-i]); d != 0 {
			return d
		}
	}
	return cmp.Compare(len(x), len(y))
}

// endingWith calls fn with the words that end with a stem.
func (c *composites) endingWith(s *segment.View, stem string, fn func(word string)) {
	from, _ := slices.BinarySearchFunc(c.ends, []byte(stem), func(n uint32, end []byte) int {
		return compareEnds(s.Words.Word(n), end)
	})
	for _, n := range c.ends[from:] {
		word := string(s.Words.Word(n))
		if !strings.HasSuffix(word, stem) {
			return
		}
		fn(word)
	}
}

// beginningWith calls fn with the words that begin with a stem.
func (c *composites) beginningWith(s *segment.View, stem string, fn func(word string)) {
	from, _ := slices.BinarySearchFunc(c.all, []byte(stem), func(n uint32, start []byte) int {
		return bytes.Compare(s.Words.Word(n), start)
	})
	for _, n := range c.all[from:] {
		word := string(s.Words.Word(n))
		if !strings.HasPrefix(word, stem) {
			return
		}
		fn(word)
	}
}

// composed are the composites of one word in a snapshot, as one list of postings for each view.
type composed struct {
	terms  []string
	ending int // how many of them, the first, end with the word
	df     int // units that have one that ends with the word, counted for each
	views  []composedView
}

type composedView struct {
	numbers       []uint32  // of the terms
	shares        []float64 // by number: how much of the word's weight it counts
	docs, impacts []uint16  // what the best of them counts
	most          uint16    // the largest impact
}

// composed gives the composites of a word, in lower case as it is written; nil when it has none.
func (s *Snapshot) composed(word string) *composed {
	if len(s.composing) == 0 || !spoken(word) {
		return nil
	}
	return s.wholes.unless([]byte(word), func() *composed { return s.compose(word) })
}

// composite is a word that ends or begins with another.
type composite struct {
	term string
	ends bool
	df   int
}

// compose finds the composites of a word: the most frequent, those that end with it first.
func (s *Snapshot) compose(word string) *composed {
	var all []composite
	seen := map[string]bool{}
	add := func(term string, ends bool) {
		if seen[term] {
			return
		}
		if df := s.unitsComposing(term); df > 0 {
			seen[term] = true
			all = append(all, composite{term, ends, df})
		}
	}
	for _, t := range s.composing {
		p, ok := t.Parting(word, func(term string) bool { return s.unitsWith(term) > 0 })
		if !ok {
			continue
		}
		for _, v := range s.views {
			compositesIn(v, s.analyzer).endingWith(v, p.Stem, func(term string) {
				if p.EndsWith(term) {
					add(term, true)
				}
			})
		}
		for _, v := range s.views {
			compositesIn(v, s.analyzer).beginningWith(v, p.Stem, func(term string) {
				if p.BeginsWith(term) {
					add(term, false)
				}
			})
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, func(x, y composite) int {
		switch {
		case x.ends != y.ends && x.ends:
			return -1
		case x.ends != y.ends:
			return 1
		}
		return cmp.Or(cmp.Compare(y.df, x.df), cmp.Compare(x.term, y.term))
	})
	return s.list(all[:min(len(all), mostComposites)])
}

// list reads the postings of composites.
func (s *Snapshot) list(all []composite) *composed {
	c := &composed{views: make([]composedView, len(s.views))}
	for _, whole := range all {
		c.terms = append(c.terms, whole.term)
		if whole.ends {
			c.ending++
			c.df += whole.df
		}
	}
	for i, v := range s.views {
		view := &c.views[i]
		var postings []uint32 // a unit and an impact each, so that they are ordered by both
		for _, whole := range all {
			number, ok := v.Words.Find(whole.term, segment.Hash(whole.term))
			if !ok {
				continue
			}
			view.numbers = append(view.numbers, number)
			docs, impacts := v.Postings(number)
			for k, doc := range docs {
				postings = append(postings, uint32(doc)<<16|uint32(whole.impact(impacts[k])))
			}
		}
		view.keep(postings, nil)
	}
	return c
}

// impact is what remains of an impact of a composite for the word that it is made of.
func (c *composite) impact(full uint16) uint16 {
	if c.ends {
		return uint16(endShare * float64(full))
	}
	return uint16(beginShare * float64(full))
}

// unitsComposing is how many units have a term, or 0 when it stands in no item of a composing
// language.
func (s *Snapshot) unitsComposing(term string) int {
	n, h, speaks := 0, segment.Hash(term), false
	for _, v := range s.views {
		number, ok := v.Words.Find(term, h)
		if !ok {
			continue
		}
		n += v.Frequency(number)
		docs, _ := v.Postings(number)
		speaks = speaks || slices.ContainsFunc(docs, func(doc uint16) bool {
			return !v.Dead.Has(int(doc)) && s.analyzer.Languages[v.Languages[v.ItemOf[doc]]].Composes
		})
	}
	if !speaks {
		return 0
	}
	return n
}

// unitsWith is how many units have a term.
func (s *Snapshot) unitsWith(term string) int {
	n, h := 0, segment.Hash(term)
	for _, v := range s.views {
		if number, ok := v.Words.Find(term, h); ok {
			n += v.Frequency(number)
		}
	}
	return n
}
