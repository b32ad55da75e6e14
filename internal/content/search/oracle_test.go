package search

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"frontdesk/internal/content/search/segment"
)

// exhaustively answers a question without an inverted index: it reads the text of every unit,
// computes every impact anew and sorts all items. It is what Search must agree with, to the last
// bit.
func exhaustively(s *Snapshot, q Query) Result {
	a := new(asking)
	a.understand(s, &q)
	limit := q.limit()
	result := Result{Terms: a.terms()}
	a.scoreAll(&q, limit)
	confidence := a.confidence()
	if !q.Literal && !q.OwnWords && 100*confidence >= q.MinScore {
		if words := a.commonWords(); len(words) > 0 {
			a.take(words)
			a.scoreAll(&q, limit)
		}
	}
	result.Hits = a.hits(&q, limit, confidence)
	return result
}

// scoreAll scores every unit and keeps the best items.
func (a *asking) scoreAll(q *Query, limit int) {
	s := a.snapshot
	m := &a.matcher
	m.Begin(s.views, max(limit, rescored), 0)
	preferred, average := s.preferred(q.Prefer), s.averageLengths()
	best := make(map[string]segment.Candidate)
	for i, v := range s.views {
		for u := range v.Units() {
			if v.Dead.Has(u) || q.Within != nil && !q.Within.unitsIn(i, v).Has(u) {
				continue
			}
			c := segment.Candidate{Score: a.scoreOf(i, u, average), View: uint32(i), Unit: uint32(u)}
			if preferred != 0 && preferred>>v.Languages[v.ItemOf[u]]&1 == 0 {
				loss := c.Score / 5
				c.Score, c.Lift = c.Score-loss, -int32(loss)
			}
			key := string(v.Keys.Word(uint32(v.ItemOf[u])))
			if c.Score > best[key].Score {
				best[key] = c
			}
		}
	}
	var all []segment.Candidate
	for _, c := range best {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a1, a2 segment.Candidate) int {
		if m.Better(a1, a2) {
			return -1
		}
		return 1
	})
	a.found = all[:min(len(all), max(limit, rescored))]
	a.rescore()
}

// commonWords gives what feedback adds to the question, counted in the plainest way.
func (a *asking) commonWords() []added {
	best := a.found[:min(len(a.found), fedItems)]
	if a.idle || len(best) < 2 || slices.ContainsFunc(best, a.whole) {
		return nil
	}
	sums := map[string]uint64{}
	for _, c := range best {
		v := a.snapshot.views[c.View]
		words := strings.Fields(plain(v, v.Text(int(c.Unit))))
		words = words[:min(len(words), fedWords)]
		for _, word := range words {
			sums[word] += uint64(c.Score) << 16 / uint64(len(words))
		}
	}
	var all []added
	units := float64(a.snapshot.census.Units)
	having := a.snapshot.countUnits()
	for word, sum := range sums {
		df := float64(having[word])
		if sum > 0 && df >= leastCommon && df <= mostCommon*units && !a.tellsNothing([]byte(word)) {
			all = append(all, added{[]byte(word), float64(sum) * math.Log(1+(units-df+0.5)/(df+0.5))})
		}
	}
	slices.SortFunc(all, func(x, y added) int {
		if x.before(&y) {
			return -1
		}
		return 1
	})
	return all[:min(len(all), fedTerms)]
}

// countUnits counts, for each word, the units that have it.
func (s *Snapshot) countUnits() map[string]int {
	having := map[string]int{}
	for _, v := range s.views {
		counted := make([]int, v.Words.Len())
		for u := range v.Units() {
			if v.Dead.Has(u) {
				continue
			}
			for text, i := v.Text(u), 0; i < len(text); {
				var number uint32
				if number, i = text.Get(i); counted[number] != u+1 {
					counted[number] = u + 1
					having[string(v.Words.Word(number))]++
				}
			}
		}
	}
	return having
}

// plain writes a unit's words with blanks between them.
func plain(v *segment.View, text segment.Codes) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		var number uint32
		number, i = text.Get(i)
		b.Write(v.Words.Word(number))
		b.WriteByte(' ')
	}
	return b.String()
}

// scoreOf adds up what the question's words count in one unit, from the unit's text.
func (a *asking) scoreOf(view, u int, average lengths) uint32 {
	v := a.snapshot.views[view]
	text := v.Text(u)
	share := average.shares(lengthsOf(text))
	sum := uint32(0)
	for g := range a.groups {
		var wholes []uint32
		if whole := a.groups[g].whole; whole != nil {
			wholes = whole.views[view].numbers
		}
		part := uint32(0)
		var akin composedView // what is in it is held by TestWordsFindWhatStandsForTheirMeaning
		if a.groups[g].akin != nil {
			akin = a.groups[g].akin.views[view]
		}
		if i, ok := slices.BinarySearch(akin.docs, uint16(u)); ok {
			sum += a.groups[g].weight * uint32(akin.impacts[i])
		}
		for _, wanted := range a.lookup.numbersOf(g, view) {
			if slices.Contains(akin.numbers, wanted) {
				continue
			}
			f, frequency := 0, float32(0)
			for i := 0; i < len(text); {
				var number uint32
				number, i = text.Get(i)
				switch number {
				case segment.Separator:
					f = min(f+1, len(share)-1)
				case wanted:
					frequency += share[f]
				}
			}
			if frequency == 0 {
				continue
			}
			if slices.Contains(wholes, wanted) {
				ends := slices.ContainsFunc(a.groups[g].terms[:a.groups[g].n], func(term int) bool {
					return strings.HasSuffix(string(v.Words.Word(wanted)), a.lookup.sought[term].term)
				})
				part = max(part, uint32((&composite{ends: ends}).impact(expectedImpact(frequency))))
			} else {
				sum += a.groups[g].weight * uint32(expectedImpact(frequency))
			}
		}
		sum += a.groups[g].weight * part
	}
	return sum
}

// lengths are how many words title, keys and passages have.
type lengths [3]float64

func lengthsOf(text segment.Codes) (n lengths) {
	f := 0
	for i := 0; i < len(text); {
		var number uint32
		if number, i = text.Get(i); number == segment.Separator {
			f = min(f+1, len(n)-1)
		} else {
			n[f]++
		}
	}
	return n
}

// averageLengths are those of the units that have any, to a quarter of what doubles them.
func (s *Snapshot) averageLengths() (average lengths) {
	var having lengths
	for _, v := range s.views {
		for u := range v.Units() {
			if v.Dead.Has(u) {
				continue
			}
			for f, n := range lengthsOf(v.Text(u)) {
				if n > 0 {
					average[f] += n
					having[f]++
				}
			}
		}
	}
	for f := range average {
		if having[f] > 0 {
			average[f] = math.Exp2(math.Round(4*math.Log2(average[f]/having[f])) / 4)
		} else {
			average[f] = 1
		}
	}
	return average
}

// shares gives what one occurrence of a word adds to its weighted frequency in each part of a unit:
// more in a title, and in parts that are short beside others.
func (average lengths) shares(n lengths) (share [3]float32) {
	for f, weight := range (lengths{8, 1, 1}) {
		share[f] = float32(weight / (1 - 0.75 + 0.75*n[f]/average[f]))
	}
	return share
}

// expectedImpact gives the impact of a weighted frequency, which is half of the full one at 1.4.
func expectedImpact(frequency float32) uint16 {
	return uint16(max(1, math.Round(segment.FullImpact*float64(frequency)/(1.4+float64(frequency)))))
}

// check compares Search with the oracle.
func check(t interface {
	Helper()
	Fatalf(string, ...any)
}, s *Snapshot, q Query) {
	t.Helper()
	got := s.Search(q)
	asked := q
	if len(got.Corrections) > 0 {
		a := s.ask(&q)
		answered := a.look(&q) >= DefaultMinScore/100
		asked.Text = applied(q.Text, a.fixes(answered))
		a.end()
	}
	want := exhaustively(s, asked)
	want.Corrections = got.Corrections
	if diff := cmp.Diff(want, got, wherever); diff != "" {
		t.Fatalf("question %q, limit %d: Search differs from the oracle (-oracle +search):\n%s", q.Text, q.Limit, diff)
	}
}

func TestSearchEqualsExhaustiveScoring(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x := New(Options{Workers: 2})
		s := x.Snapshot()
		for range rapid.IntRange(1, 6).Draw(t, "changes") {
			put := rapid.SliceOfN(rapid.Custom(drawDocument), 0, 12).Draw(t, "put")
			remove := rapid.SliceOfN(rapid.StringMatching(`k[0-4][0-9]`), 0, 4).Draw(t, "remove")
			s = x.Apply(put, remove)
		}
		for range 4 {
			q := drawQuery(t)
			if rapid.Bool().Draw(t, "within") {
				version := rapid.IntRange(0, 3).Draw(t, "within version")
				q.Within = s.Select(func(ref any) bool {
					var key, v int
					fmt.Sscanf(ref.(string), "%d/%d", &key, &v)
					return v != version
				})
			}
			check(t, s, q)
		}
	})
}

// A large index has several windows, lists long enough for window maxima, optional lists, dead
// units, long items.
func TestSearchEqualsExhaustiveScoringInLargeIndex(t *testing.T) {
	t.Parallel()
	c := newCorpus(1, 3000)
	x := New(Options{})
	docs := c.documents(0, 14000, 1, 12)
	for i := 0; i < len(docs); i += 500 {
		docs[i] = c.document(i, 30, 300) // several units
	}
	x.Apply(docs[:6000], nil)
	s := x.Apply(docs[6000:], nil)
	var remove []string
	for i := 0; i < len(docs); i += 7 {
		remove = append(remove, docs[i].Key)
	}
	changed := c.documents(100, 900, 1, 12)
	for name, step := range map[string]func(){
		"full":    func() {},
		"removed": func() { s = x.Apply(nil, remove) },
		"changed": func() { s = x.Apply(changed, nil) },
	} {
		step()
		odd := s.Select(func(ref any) bool { return ref.(int)%2 == 1 })
		few := s.Select(func(ref any) bool { return ref.(int)%997 == 1 })
		for i := range 12 {
			q := Query{Text: c.text(1 + i%7), Limit: []int{1, 10, 100, 1000}[i%4]}
			check(t, s, q)
			q.Within = []*Selection{odd, few}[i%2]
			check(t, s, q)
		}
		t.Logf("%s: %d items in %d views", name, s.Len(), len(s.views))
	}
}

// More than 57,344 words need codes of two halves; whatever numbers the words have, the answers are
// the same.
func TestRareWordsAreFoundAndPaired(t *testing.T) {
	t.Parallel()
	var docs []Document
	n := 0
	for i := range 700 {
		text := ""
		for range 100 {
			text += spell(n) + " "
			n++
		}
		docs = append(docs,
			Document{Ref: i, Key: fmt.Sprint("k", i), Language: "xx", Title: text[:20], Passages: []string{text, text}})
	}
	s := New(Options{}).Apply(docs, nil)
	if words := s.views[0].Words.Len(); words <= 0xE000 {
		t.Fatalf("only %d words, which all fit one code", words)
	}
	for _, i := range []int{0, 9999, 57300, 57343, 57344, 57345, 69999} {
		q := Query{Text: spell(i)}
		check(t, s, q)
		if hits := s.Search(q).Hits; len(hits) != 1 || hits[0].Ref != i/100 {
			t.Errorf("word %d: hits %v, want document %d alone", i, hits, i/100)
		}
		check(t, s, Query{Text: spell(i) + " " + spell(i+1) + " " + spell(3)})
	}
}

// However the documents came, the answers are those of a new index with the same documents.
func TestAnswersDoNotDependOnHistory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x := New(Options{Workers: 2})
		current := map[string]Document{}
		for range rapid.IntRange(1, 12).Draw(t, "changes") {
			put := rapid.SliceOfN(rapid.Custom(drawDocument), 0, 6).Draw(t, "put")
			remove := rapid.SliceOfN(rapid.StringMatching(`k[0-4][0-9]`), 0, 4).Draw(t, "remove")
			x.Apply(put, remove)
			for _, key := range remove {
				delete(current, key)
			}
			for _, d := range put {
				current[d.Key] = d
			}
		}
		var docs []Document
		for _, d := range current {
			docs = append(docs, d) // in any order
		}
		old, fresh := x.Snapshot(), New(Options{}).Apply(docs, nil)
		if old.Len() != len(docs) || fresh.Len() != len(docs) {
			t.Fatalf("%d and %d items, want %d", old.Len(), fresh.Len(), len(docs))
		}
		for range 4 {
			q := drawQuery(t)
			if diff := cmp.Diff(fresh.Search(q), old.Search(q), wherever); diff != "" {
				t.Fatalf("question %q (-fresh +old):\n%s", q.Text, diff)
			}
		}
	})
}

// The first hits of a long list are those of a short one.
func TestLimitOnlyCuts(t *testing.T) {
	t.Parallel()
	c := newCorpus(2, 500)
	s := New(Options{}).Apply(c.documents(0, 3000, 1, 20), nil)
	for range 30 {
		text := c.text(3)
		long := s.Search(Query{Text: text, Limit: 1000})
		for _, limit := range []int{1, 5, 10, 11, 40} {
			short := s.Search(Query{Text: text, Limit: limit})
			if diff := cmp.Diff(long.Hits[:min(limit, len(long.Hits))], short.Hits, wherever); diff != "" {
				t.Fatalf("question %q, limit %d (-long +short):\n%s", text, limit, diff)
			}
		}
	}
}

// wherever compares hits by all but where they stand, which depends on how the index was filled.
var wherever = cmp.Comparer(func(Place, Place) bool { return true })
