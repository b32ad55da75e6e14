package search

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"sync"

	"frontdesk/internal/content/search/analysis"
	"frontdesk/internal/content/search/concepts"
	"frontdesk/internal/content/search/segment"
)

// A word of the question also finds what else stands for what it means: its synonyms, what is of
// its kind, and, where the items are in another language than the question, what they call it.
// Which these are is package concepts's; an item with the word itself counts for it alone, and
// before the others.

const (
	sameShare = 0.9 // of its weight that a word has where another stands for it, when some item has itself,
	kindShare = 0.6 // and where something of its kind stands

	// rarelySaid is in how many units a word may be that is looked for by its meaning, too: where
	// more have it, it is what the items call the thing.
	rarelySaid = 6

	hintedBy    = 0.5  // words of the question that a preferred language counts as when it is told in which it is
	mostAkin    = 256  // terms and phrases that are looked up for one meaning
	mostKept    = 2048 // words of which a snapshot remembers what stands for them
	phraseReach = 3    // words from one word of a phrase to the next
)

// meaning is what is known of what a word of the question means.
type meaning struct {
	means    []concepts.ID // nil where that is not known
	akin     *composed     // what else stands for that; nil for none
	kin      *composed     // words of the items that point in about its direction; nil for none
	unspoken bool          // it is a part of what another word of the question stands for, or of nothing
}

// spokenIn is in which language a question is.
type spokenIn struct {
	asks    *concepts.Language // what the language has words for; nil where that is not known
	foreign bool               // no item is in it

	faint []bool // by byte, what is vague of it where words have no blanks between; empty where that is not told

	language    *analysis.Language // in which its function words are
	languageBit int                // its place among those in which it is understood
}

// readMeanings finds out in which language the question is and what its words mean. A language in
// which no item is is understood too, then.
func (a *asking) readMeanings(prefer []string) {
	asks := a.askedIn(prefer)
	if asks == nil {
		return
	}
	a.asks = concepts.In(asks.Tag)
	if !slices.Contains(a.languages, asks) {
		a.foreign = true
		a.languages = append(slices.Clone(a.languages), asks)
		a.words = a.words[:0]
		a.readRuns()
	}
	if asks.Tag == "ja" {
		a.readUnspaced()
	} else {
		a.readPhrases(asks)
	}
}

// askedIn gives the language of the tables in which the question seems to be: that which has most
// of its words. Those of the items come first where several have as many.
func (a *asking) askedIn(prefer []string) *analysis.Language {
	var best *analysis.Language
	most := 0.0
	try := func(t *analysis.Language) {
		known := concepts.In(t.Tag)
		if known == nil || t == best {
			return
		}
		n := 0.0
		if slices.ContainsFunc(prefer, func(tag string) bool { return a.snapshot.analyzer.Language(tag) == t }) {
			n = hintedBy
		}
		for i := range a.runs {
			if a.knows(known, t, i) || slices.Contains(a.snapshot.languages, t) && a.holds(i) {
				n++
			}
		}
		if best == nil || n > most {
			best, most = t, n
		}
	}
	for _, t := range a.snapshot.languages {
		try(t)
	}
	for _, tag := range concepts.Tags {
		try(a.snapshot.analyzer.Language(tag))
	}
	return best
}

// knows says whether a run is a function word of a language or has a meaning there.
func (a *asking) knows(known *concepts.Language, t *analysis.Language, i int) bool {
	r := a.runs[i]
	if r.kind == analysis.Gram {
		return t.Tag == "ja" && a.asksGram(i)
	}
	word := t.Lookup(a.text[r.start:r.end], r.kind)
	return word.Stop || slices.ContainsFunc(word.Forms, func(f analysis.Form) bool { return known.Knows(f.Term) })
}

// holds says whether some item has a word of a run.
func (a *asking) holds(run int) bool {
	return slices.ContainsFunc(a.words, func(w asked) bool {
		return w.run == run &&
			slices.ContainsFunc(w.forms[:w.n], func(form string) bool { return a.snapshot.unitsWith(form) > 0 })
	})
}

// readPhrases finds the words and phrases of the question that mean something, the longest first.
func (a *asking) readPhrases(asks *analysis.Language) {
	type place struct {
		term string
		word int
	}
	var places []place
	for i := range a.words {
		w := &a.words[i]
		r := a.runs[w.run]
		if w.part == analysis.WholeRun || r.kind == analysis.Gram {
			continue
		}
		known := asks.Lookup(a.text[r.start:r.end], r.kind)
		if known.Stop {
			continue
		}
		for _, f := range known.Forms {
			if f.Part == w.part {
				places = append(places, place{f.Term, i})
				break
			}
		}
	}
	var room [256]byte
	for from := 0; from < len(places); {
		length := 1
		for n := min(a.asks.Longest, len(places)-from); n > 0; n-- {
			key := room[:0]
			for i, p := range places[from : from+n] {
				if i > 0 {
					key = append(key, ' ')
				}
				key = append(key, p.term...)
			}
			if means := a.asks.MeaningsOf(key); means != nil {
				for _, p := range places[from : from+n] {
					a.words[p.word].means = means
				}
				length = n
				break
			}
		}
		from += length
	}
}

// seekMeaning looks up what else stands for what a word means, and what points in about its
// direction. A word that nothing is known of may be misspelt: what points in the direction of that
// is not looked for at first.
func (a *asking) seekMeaning(w *asked) {
	if w.means != nil && w.df <= rarelySaid {
		if w.akin = a.snapshot.akin(w); w.akin != nil && w.df == 0 {
			w.df = min(w.akin.df, a.snapshot.census.Units)
		}
	}
	if a.literal || w.df == 0 && !a.kin || slices.Contains(a.names, analysis.Fold(a.written(w))) {
		return
	}
	if w.df > 0 && rarity(a.written(w)) == 1 {
		return // a name, or a word that few say: whoever says it means it
	}
	if w.kin = a.snapshot.kindredOf(w, a.written(w)); w.kin != nil && w.df == 0 {
		w.akin, w.df = w.kin, min(w.kin.df, a.snapshot.census.Units)
	}
}

// akin gives what stands for the meaning of a word in a snapshot, without the items that have the
// word itself; nil for nothing.
func (s *Snapshot) akin(w *asked) *composed {
	var room [128]byte
	key := room[:0]
	for _, id := range w.means {
		key = binary.LittleEndian.AppendUint16(key, uint16(id))
	}
	for _, form := range w.forms[:w.n] {
		key = append(append(key, '|'), form...)
	}
	return s.meant.unless(key, func() *composed { return s.standFor(w) })
}

// remembered are lists of postings by what they stand for.
type remembered struct {
	mu sync.Mutex
	by map[string]*composed
}

// unless gives what is remembered for a key, or what look gives, which is remembered.
func (r *remembered) unless(key []byte, look func() *composed) *composed {
	r.mu.Lock()
	known, ok := r.by[string(key)]
	r.mu.Unlock()
	if ok {
		return known
	}
	known = look()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.by == nil || len(r.by) >= mostKept {
		r.by = map[string]*composed{}
	}
	r.by[string(key)] = known
	return known
}

// standing is one phrase that stands for a word.
type standing struct {
	terms []string
	share float64
}

// standFor finds what stands for the meaning of a word, in the languages in which many items are.
func (s *Snapshot) standFor(w *asked) *composed {
	var all []standing
	for _, t := range s.languages {
		if oneOfComposing*s.census.Languages[t.Index] < s.census.Items {
			continue
		}
		for _, p := range concepts.Phrases(w.means, t.Tag) {
			share := 1.0
			switch {
			case p.Kind:
				share = kindShare
			case w.df > 0:
				share = sameShare
			}
			all = append(all, standing{p.Words, share})
			if len(p.Words) > 1 || len(s.composing) == 0 || !t.Composes {
				continue
			}
			if whole := s.composed(strings.ToLower(p.Text)); whole != nil {
				for _, term := range whole.terms[:whole.ending] {
					all = append(all, standing{[]string{term}, share * endShare})
				}
			}
		}
	}
	own := w.forms[:w.n:w.n]
	if w.whole != nil {
		own = append(own, w.whole.terms...)
	}
	return s.gather(all[:min(len(all), mostAkin)], own)
}

// gather reads the postings of phrases, of which the best counts in a unit, without the units that
// have one of own.
func (s *Snapshot) gather(all []standing, own []string) *composed {
	c := &composed{views: make([]composedView, len(s.views))}
	for i, v := range s.views {
		view := &c.views[i]
		var postings []uint32 // a unit and an impact each, so that they are ordered by both
		for _, one := range all {
			if len(one.terms) == 1 && slices.Contains(own, one.terms[0]) {
				continue
			}
			before := len(postings)
			postings = phrasePostings(v, one.terms, one.share, postings)
			if !slices.ContainsFunc(postings[before:], func(p uint32) bool { return !v.Dead.Has(int(p >> 16)) }) {
				continue
			}
			// A phrase is known by its rarest word where it is asked whether an item has it.
			known := rarestTerm(v, one.terms)
			if slices.Contains(own, known) {
				continue
			}
			number, _ := v.Words.Find(known, segment.Hash(known))
			view.numbers, view.shares = append(view.numbers, number), append(view.shares, one.share)
			if len(one.terms) == 1 && !slices.Contains(c.terms, known) {
				c.terms = append(c.terms, known)
			}
		}
		view.keep(postings, unitsWithAny(v, own))
		for _, doc := range view.docs {
			if !v.Dead.Has(int(doc)) {
				c.df++
			}
		}
	}
	if c.df == 0 {
		return nil
	}
	slices.Sort(c.terms) // and not in the order of the views, which depends on history
	return c
}

// keep makes lists of postings: of several of a unit the largest impact counts, and those of the
// units in but are left out.
func (view *composedView) keep(postings []uint32, but segment.Bitmap) {
	slices.Sort(postings)
	for _, p := range postings {
		doc, impact := uint16(p>>16), uint16(p)
		if but != nil && but.Has(int(doc)) {
			continue
		}
		if n := len(view.docs); n > 0 && view.docs[n-1] == doc {
			view.impacts[n-1] = impact // the larger one
		} else {
			view.docs, view.impacts = append(view.docs, doc), append(view.impacts, impact)
		}
		view.most = max(view.most, impact)
	}
}

// unitsWithAny gives the units of a view that have one of some terms; nil for none.
func unitsWithAny(v *segment.View, terms []string) (units segment.Bitmap) {
	for _, term := range terms {
		number, ok := v.Words.Find(term, segment.Hash(term))
		if !ok {
			continue
		}
		if units == nil {
			units = segment.NewBitmap(v.Units())
		}
		docs, _ := v.Postings(number)
		for _, doc := range docs {
			units.Set(int(doc))
		}
	}
	return units
}

// rarestTerm gives that of terms, which a view has, that is in the fewest units.
func rarestTerm(v *segment.View, terms []string) string {
	return slices.MinFunc(terms, func(x, y string) int { return cmp.Compare(unitsOf(v, x), unitsOf(v, y)) })
}

func unitsOf(v *segment.View, term string) int {
	number, ok := v.Words.Find(term, segment.Hash(term))
	if !ok {
		return 0
	}
	return v.Frequency(number)
}

// phrasePostings appends the units of a view that have the terms of a phrase in order and close
// together, with so much of the impact of the rarest as it counts.
func phrasePostings(v *segment.View, terms []string, share float64, to []uint32) []uint32 {
	numbers := make([]uint32, len(terms))
	rarest := 0
	for i, term := range terms {
		number, ok := v.Words.Find(term, segment.Hash(term))
		if !ok {
			return to
		}
		numbers[i] = number
		if v.Frequency(number) < v.Frequency(numbers[rarest]) {
			rarest = i
		}
	}
	docs, impacts := v.Postings(numbers[rarest])
	for k, doc := range docs {
		if len(terms) == 1 || hasPhrase(v.Text(int(doc)), numbers) {
			to = append(to, uint32(doc)<<16|uint32(share*float64(impacts[k])))
		}
	}
	return to
}

// hasPhrase says whether a text has words in order, from one to the next no further than
// phraseReach.
func hasPhrase(text segment.Codes, numbers []uint32) bool {
	for i := text.Index(numbers[0], 0); i < len(text); i = text.Index(numbers[0], i+segment.CodeSize) {
		if follows(text, i, numbers[1:]) {
			return true
		}
	}
	return false
}

// follows says whether words follow the one at a place of a text.
func follows(text segment.Codes, at int, numbers []uint32) bool {
	_, at = text.Get(at)
	for _, wanted := range numbers {
		found := false
		for range phraseReach {
			if at >= len(text) {
				return false
			}
			var number uint32
			if number, at = text.Get(at); number == segment.Separator {
				return false
			} else if number == wanted {
				found = true
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// Others gives the other words, in the languages of the items, for what a word or a phrase means in
// any language of the tables.
func (s *Snapshot) Others(text string) (words []string) {
	for _, tag := range concepts.Tags {
		language := s.analyzer.Language(tag)
		means := concepts.In(tag).Meanings(strings.Join(concepts.Terms(language, text), " "))
		if tag == "ja" {
			means = concepts.In(tag).Meanings(text)
		}
		for _, t := range s.languages {
			for _, p := range concepts.Phrases(means, t.Tag) {
				if !p.Kind && p.Text != text && !slices.Contains(words, p.Text) {
					words = append(words, p.Text)
				}
			}
		}
	}
	return words
}
