package search

import (
	"cmp"
	"slices"
	"sync"

	"frontdesk/internal/content/search/analysis"
	"frontdesk/internal/content/search/segment"
	"frontdesk/internal/content/vector/words"
)

// A word also stands for the items' words that point in about its direction (package words):
// rauchen for geraucht, pédiatre for pédiatrie, parcheggio for parking. The less alike they are,
// the less it counts, and an item that has the word itself counts for it alone. Among many items,
// where a word that some have tells what it means best, such words count less. The bounds were
// chosen on questions of eleven small sites and three judged collections.
const (
	kindredNone  = 0.3  // the cosine from which a word begins to count for another,
	kindredLeast = 0.45 // from which it is looked for,
	kindredFull  = 0.9  // and from which it counts in full,
	kindredOwn   = 0.8  // or so much of that where some item has the word itself,
	kindredUnits = 1000 // and half of this among so many units

	mostKindred = 32
	mostForms   = 1 << 16 // words of a segment that are compared; the others of a larger one are not
)

// kindred are the directions of the words of a segment, as they are written.
type kindred struct {
	once       sync.Once
	forms      []uint32 // the numbers of those that have one
	directions []words.Vector
	lengths    []float64
	signs      words.Signs
}

// kindredIn gives the directions of a view's words, which are found when they are first asked for.
func kindredIn(v *segment.View, a *analysis.Analyzer, t *words.Table) *kindred {
	k := &derivedOf(v).kindred
	k.once.Do(func() { k.fill(v, a, t) })
	return k
}

func (k *kindred) fill(v *segment.View, a *analysis.Analyzer, t *words.Table) {
	for form := range min(v.Forms.Words.Len(), mostForms) {
		word := string(v.Forms.Words.Word(uint32(form)))
		if !spoken(word) || isStop(a, word) {
			continue
		}
		if direction, ok := t.Embed(word); ok {
			k.forms = append(k.forms, uint32(form))
			k.directions = append(k.directions, direction)
			k.lengths = append(k.lengths, direction.Length())
		}
	}
	k.signs = words.SignsOf(k.directions)
}

// isStop says whether a word, in lower case, is a function word in some language.
func isStop(a *analysis.Analyzer, word string) bool {
	folded := analysis.Fold(word)
	return slices.ContainsFunc(a.Languages, func(l *analysis.Language) bool { return l.IsStop(folded) })
}

// kindredOf gives the words of the items that point in about the direction of a word, as one list
// of postings, of the units that do not have the word itself; nil for none.
func (s *Snapshot) kindredOf(w *asked, word string) *composed {
	if s.table == nil || !spoken(word) {
		return nil
	}
	var room [128]byte
	key := append(room[:0], word...)
	for _, form := range w.forms[:w.n] {
		key = append(append(key, '|'), form...)
	}
	return s.alike.unless(key, func() *composed { return s.seekKindred(w, word) })
}

func (s *Snapshot) seekKindred(w *asked, word string) *composed {
	direction, ok := s.table.Embed(word)
	if !ok {
		return nil
	}
	length := direction.Length()
	type relative struct {
		term     string
		likeness float64
	}
	var all []relative
	for _, v := range s.views {
		k := kindredIn(v, s.analyzer, s.table)
		for i := range s.table.Near(k.signs, direction, kindredLeast) {
			likeness := s.table.Likeness(float64(words.Dot(direction, k.directions[i])) / (length * k.lengths[i]))
			if likeness >= kindredLeast {
				all = append(all, relative{string(v.Words.Word(v.Forms.Terms[k.forms[i]])), likeness})
			}
		}
	}
	slices.SortFunc(all, func(x, y relative) int {
		return cmp.Or(cmp.Compare(y.likeness, x.likeness), cmp.Compare(x.term, y.term))
	})
	share := 1.0
	if w.df > 0 {
		share *= kindredOwn * kindredUnits / (kindredUnits + float64(s.census.Units))
	}
	own := w.forms[:w.n:w.n]
	if w.whole != nil {
		own = append(own, w.whole.terms...)
	}
	var some []standing
	known := own
	for _, r := range all {
		if len(some) == mostKindred {
			break
		}
		if slices.Contains(known, r.term) {
			continue
		}
		known = append(known, r.term)
		counts := share * min(1, (r.likeness-kindredNone)/(kindredFull-kindredNone))
		some = append(some, standing{[]string{r.term}, counts})
	}
	return s.gather(some, own)
}
