package search

import (
	"cmp"
	"slices"

	"frontdesk/internal/content/search/analysis"
	"frontdesk/internal/content/search/segment"
	"frontdesk/internal/content/vector/words"
)

// Snapshot is one state of the index. It never changes and stays valid while it is held.
type Snapshot struct {
	analyzer  *analysis.Analyzer
	table     *words.Table // gives the directions of words; nil for none
	views     []*segment.View
	census    segment.Census
	languages []*analysis.Language // the languages of the documents, the most frequent first
	composing []*analysis.Language // those of them that join words, and in which many documents are
	wholes    remembered           // by the words that are a part of others
	meant     remembered           // by what words mean: what else stands for it
	alike     remembered           // by words: those that point in about their direction
}

// mostLanguages is in how many languages a question is understood at most.
const mostLanguages = 16

func newSnapshot(a *analysis.Analyzer, t *words.Table, views []*segment.View) *Snapshot {
	s := &Snapshot{analyzer: a, table: t, views: views}
	for _, v := range views {
		s.census.Add(&v.Alive)
	}
	for _, t := range a.Languages {
		if s.census.Languages[t.Index] > 0 {
			s.languages = append(s.languages, t)
		}
	}
	slices.SortStableFunc(s.languages, func(a, b *analysis.Language) int {
		return cmp.Compare(s.census.Languages[b.Index], s.census.Languages[a.Index])
	})
	s.languages = s.languages[:min(len(s.languages), mostLanguages)]
	if len(s.languages) == 0 {
		s.languages = []*analysis.Language{a.Language("en")}
	}
	for _, t := range s.languages {
		if t.Composes && oneOfComposing*s.census.Languages[t.Index] >= s.census.Items {
			s.composing = append(s.composing, t)
		}
	}
	return s
}

// Len is how many items the snapshot holds.
func (s *Snapshot) Len() int { return s.census.Items }

// TitleWords is how many words the items' titles have on average.
func (s *Snapshot) TitleWords() float64 { return s.census.TitleWords() }

// understoodIn gives the languages in which a question is understood: those that it names and the
// index holds, or all that the index holds.
func (s *Snapshot) understoodIn(tags []string) []*analysis.Language {
	if len(tags) == 0 {
		return s.languages
	}
	var chosen []*analysis.Language
	for _, tag := range tags {
		t := s.analyzer.Language(tag)
		if slices.Contains(s.languages, t) && !slices.Contains(chosen, t) {
			chosen = append(chosen, t)
		}
	}
	if len(chosen) == 0 {
		return s.languages
	}
	return chosen
}

// Search answers a question.
func (s *Snapshot) Search(q Query) Result {
	if q.Near != nil {
		return s.searchNear(q)
	}
	a := s.ask(&q)
	defer a.end()
	confidence := a.look(&q)
	var corrections []Correction
	if !q.Literal && !q.AsSpelled {
		if fixes := a.fixes(confidence >= DefaultMinScore/100); len(fixes) > 0 {
			corrected := q
			corrected.Text = applied(a.text, fixes)
			if q.Core != "" {
				corrected.Core += a.coreOf(fixes)
			}
			b := s.ask(&corrected)
			defer b.end()
			if better := b.look(&corrected); better > confidence && 100*better >= min(q.MinScore, DefaultMinScore) &&
				b.bears(fixes) {
				corrections = a.corrections(fixes)
				a, q, confidence = b, corrected, better
			}
		}
	}
	if !q.Literal && s.table != nil &&
		slices.ContainsFunc(a.words, func(w asked) bool { return w.use == Unknown && w.counted > 0 }) {
		q.kin = true
		c := s.ask(&q)
		defer c.end()
		a, confidence = c, c.look(&q)
	}
	result := a.answer(&q, confidence)
	result.Corrections = corrections
	return result
}

// ask begins the work on a question.
func (s *Snapshot) ask(q *Query) *asking {
	a := askings.Get().(*asking)
	a.understand(s, q)
	return a
}

// end puts the work aside, for another question.
func (a *asking) end() {
	a.forget()
	askings.Put(a)
}

// Corrected gives a text with its misspelt words corrected, as Search corrects those of a question,
// but without looking whether that finds something better: for words that are wanted for something
// else than to be found, such as what is not wanted. Languages are those in which the text is
// understood; none means all.
func (s *Snapshot) Corrected(text string, languages ...string) (string, []Correction) {
	a := s.ask(&Query{Text: text, Languages: languages})
	defer a.end()
	fixes := a.fixes(true)
	return applied(a.text, fixes), a.corrections(fixes)
}

// Has says whether some document has a word, in any form that a search for it finds.
func (s *Snapshot) Has(word string) bool {
	a := s.ask(&Query{Text: word})
	defer a.end()
	return slices.ContainsFunc(a.words, func(w asked) bool { return w.df > 0 || w.use == Stop })
}
