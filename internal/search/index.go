package search

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Index is the searchable state of a set of documents. Apply changes it; Snapshot reads it. There is one writer at
// a time, which Apply sees to, and any number of readers, who never wait.
type Index struct {
	analyzer *Analyzer
	writer   sync.Mutex
	current  atomic.Pointer[Snapshot]
}

// New returns an empty index.
func New(Options) *Index {
	x := &Index{analyzer: NewAnalyzer()}
	x.current.Store(&Snapshot{analyzer: x.analyzer})
	return x
}

// Analyzer returns the analyzer that the index uses.
func (x *Index) Analyzer() *Analyzer { return x.analyzer }

// Snapshot returns the current state without waiting.
func (x *Index) Snapshot() *Snapshot { return x.current.Load() }

// Apply puts documents, replacing those of equal key, and removes keys, then publishes the new state at once and
// returns it.
func (x *Index) Apply(put []Document, remove []string) *Snapshot {
	x.writer.Lock()
	defer x.writer.Unlock()
	gone := make(map[string]bool, len(put)+len(remove))
	last := make(map[string]int, len(put))
	for _, key := range remove {
		gone[key] = true
	}
	for i, d := range put {
		gone[d.Key] = true
		last[d.Key] = i
	}
	next := &Snapshot{analyzer: x.analyzer}
	for _, d := range x.Snapshot().docs {
		if !gone[d.Key] {
			next.docs = append(next.docs, d)
		}
	}
	for i, d := range put {
		if last[d.Key] == i {
			next.docs = append(next.docs, x.analyse(d))
		}
	}
	x.current.Store(next)
	return next
}

type doc struct {
	Document
	tf       map[string]float64
	passages []map[string]int
}

func (x *Index) analyse(d Document) doc {
	out := doc{Document: d, tf: map[string]float64{}}
	add := func(text string, weight float64) {
		var terms []string
		for w := range x.analyzer.Words(text, d.Language) {
			terms = append(terms, w.Term)
		}
		for _, t := range terms {
			out.tf[t] += weight / (0.4 + 0.6*float64(len(terms))/100)
		}
	}
	add(d.Title, 4)
	add(d.Keys, 1)
	add(strings.Join(d.Passages, "\n"), 1)
	for _, p := range d.Passages {
		counts := map[string]int{}
		for w := range x.analyzer.Words(p, d.Language) {
			counts[w.Term]++
		}
		out.passages = append(out.passages, counts)
	}
	return out
}

// Snapshot is one state of the index. It never changes and stays valid while it is held.
type Snapshot struct {
	analyzer *Analyzer
	docs     []doc
}

// Len is how many items the snapshot holds.
func (s *Snapshot) Len() int { return len(s.docs) }

// Selection is a set of a snapshot's items.
type Selection struct {
	of     *Snapshot
	permit func(ref any) bool
	in     []bool
}

// Select returns the items that permit admits. It asks once per item; callers keep the result for as long as they
// keep the snapshot. permit must depend on the ref alone.
func (s *Snapshot) Select(permit func(ref any) bool) *Selection {
	sel := &Selection{of: s, permit: permit, in: make([]bool, len(s.docs))}
	for i, d := range s.docs {
		sel.in[i] = permit(d.Ref)
	}
	return sel
}

// Refresh returns the same selection for this snapshot, asking only about items that the old one did not hold.
func (s *Snapshot) Refresh(old *Selection) *Selection { return s.Select(old.permit) }

// And returns the items that are in both selections, which must be of the same snapshot; otherwise it is empty.
func (sel *Selection) And(other *Selection) *Selection {
	both := &Selection{of: sel.of, in: make([]bool, len(sel.in))}
	both.permit = func(ref any) bool { return sel.permit(ref) && other.permit(ref) }
	for i := range both.in {
		both.in[i] = sel.of == other.of && sel.in[i] && other.in[i]
	}
	return both
}

// Count is how many items are in the selection.
func (sel *Selection) Count() int {
	n := 0
	for _, in := range sel.in {
		if in {
			n++
		}
	}
	return n
}

// Search answers a question.
func (s *Snapshot) Search(q Query) Result {
	terms := s.understand(q.Text)
	type scored struct {
		d     *doc
		score float64
	}
	var found []scored
	for i := range s.docs {
		d := &s.docs[i]
		if q.Within != nil && (q.Within.of != s || !q.Within.in[i]) {
			continue
		}
		score := 0.0
		for _, t := range terms {
			if t.Use == Used {
				tf := d.tf[t.Stems[0]]
				score += 100 * t.Weight * tf / (tf + 1.2)
			}
		}
		if score > 0 && score >= q.MinScore {
			found = append(found, scored{d, score})
		}
	}
	slices.SortFunc(found, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.d.Key, b.d.Key))
	})
	limit := q.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	result := Result{Terms: terms}
	for _, f := range found[:min(limit, MaxLimit, len(found))] {
		result.Hits = append(result.Hits, Hit{Ref: f.d.Ref, Score: f.score, Passage: f.d.best(terms)})
	}
	return result
}

func (d *doc) best(terms []Term) int {
	best, most := 0, 0.0
	for i, p := range d.passages {
		sum := 0.0
		for _, t := range terms {
			if t.Use == Used && p[t.Stems[0]] > 0 {
				sum += t.Weight
			}
		}
		if sum > most {
			best, most = i, sum
		}
	}
	return best
}

func (s *Snapshot) understand(text string) []Term {
	var terms []Term
	total := 0.0
	for w := range s.analyzer.Words(text, "en") {
		word := strings.ToLower(text[w.Start:w.End])
		if slices.ContainsFunc(terms, func(t Term) bool { return t.Stems[0] == w.Term }) {
			continue
		}
		t := Term{Word: word, Stems: []string{w.Term}, Use: Unknown}
		df := 0
		for i := range s.docs {
			if s.docs[i].tf[w.Term] > 0 {
				df++
			}
		}
		switch {
		case englishStops[word]:
			t.Use = Stop
		case len(terms) >= MaxWords:
			t.Use = Dropped
		default:
			if df > 0 {
				t.Use = Used
			}
			t.Weight = math.Log(1 + (float64(len(s.docs)-df)+0.5)/(float64(df)+0.5))
			total += t.Weight
		}
		terms = append(terms, t)
	}
	for i := range terms {
		terms[i].Weight /= max(total, 1e-9)
	}
	return terms
}
