package search

import (
	"cmp"
	"slices"
)

// Snapshot is one state of the index. It never changes and stays valid while it is held.
type Snapshot struct {
	analyzer *Analyzer
	views    []*view
	census   census
	tongues  []*tongue // the languages of the documents, the most frequent first
}

// mostTongues is in how many languages a question is understood at most.
const mostTongues = 16

func newSnapshot(a *Analyzer, views []*view) *Snapshot {
	s := &Snapshot{analyzer: a, views: views}
	for _, v := range views {
		s.census.add(&v.alive)
	}
	for _, t := range a.order {
		if s.census.tongues[t.index] > 0 {
			s.tongues = append(s.tongues, t)
		}
	}
	slices.SortStableFunc(s.tongues, func(a, b *tongue) int {
		return cmp.Compare(s.census.tongues[b.index], s.census.tongues[a.index])
	})
	s.tongues = s.tongues[:min(len(s.tongues), mostTongues)]
	if len(s.tongues) == 0 {
		s.tongues = []*tongue{a.tongue("en")}
	}
	return s
}

// Len is how many items the snapshot holds.
func (s *Snapshot) Len() int { return s.census.items }

// understoodIn gives the languages in which a question is understood: those that it names and the index holds, or
// all that the index holds.
func (s *Snapshot) understoodIn(tags []string) []*tongue {
	if len(tags) == 0 {
		return s.tongues
	}
	var chosen []*tongue
	for _, tag := range tags {
		t := s.analyzer.tongue(tag)
		if slices.Contains(s.tongues, t) && !slices.Contains(chosen, t) {
			chosen = append(chosen, t)
		}
	}
	if len(chosen) == 0 {
		return s.tongues
	}
	return chosen
}

// Search answers a question.
func (s *Snapshot) Search(q Query) Result {
	a := askings.Get().(*asking)
	defer askings.Put(a)
	a.understand(s, &q)
	return a.answer(&q)
}
