package search

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// directed is an index whose items have random directions, and the directions by item.
type directed struct {
	*Snapshot
	vectors [][]Vector
}

func keyOf(ref any) string { return fmt.Sprintf("doc-%07d", ref) }

func (d *directed) place() *Vectors {
	return d.Vectors(keyOf, func(ref any) []Vector { return d.vectors[ref.(int)] })
}

func direction(r *rand.Rand, dimensions int) []float32 {
	values := make([]float32, dimensions)
	for i := range values {
		values[i] = float32(r.NormFloat64())
	}
	Unit(values)
	return values
}

// newDirected makes items of 0 to 3 vectors each, brought in several calls, some of them replaced.
func newDirected(seed uint64, items, dimensions int) *directed {
	c, r := newCorpus(seed, 500), rand.New(rand.NewPCG(seed, 1))
	x := New(Options{})
	for from := 0; from < items; from += 200 {
		x.Apply(c.documents(from, min(from+200, items), 3, 30), nil)
	}
	x.Apply(c.documents(0, items/10, 3, 30), []string{keyOf(items - 1)})
	d := &directed{Snapshot: x.Snapshot()}
	for range items {
		var own []Vector
		for p := range r.IntN(4) {
			own = append(own, Vector{p, direction(r, dimensions)})
		}
		d.vectors = append(d.vectors, own)
	}
	return d
}

// slowly gives the nearest items of those that are in, as a scan does that takes no care.
func (d *directed) slowly(question []float32, in func(int) bool, most int) []near {
	type one struct {
		item int
		near
	}
	var all []one
	for item, own := range d.vectors {
		best := one{item, near{similarity: -2}}
		for _, v := range own {
			sum := 0.0
			for i, x := range v.Values {
				sum += float64(x) * float64(question[i])
			}
			if float32(sum) > best.similarity {
				best.similarity, best.passage = float32(sum), uint16(v.Passage)
			}
		}
		if best.similarity > -2 && in(item) {
			all = append(all, best)
		}
	}
	slices.SortFunc(all, func(a, b one) int {
		return cmp.Or(cmp.Compare(b.similarity, a.similarity), cmp.Compare(a.item, b.item))
	})
	var found []near
	for _, n := range all[:min(most, len(all))] {
		found = append(found, n.near)
	}
	return found
}

func TestScanFindsWhatASlowOneFinds(t *testing.T) {
	t.Parallel()
	const items = 700
	d := newDirected(5, items, 24)
	v := d.place()
	live := func(item int) bool { return item != items-1 } // which was removed
	thirds := func(item int) bool { return item%3 == 0 && live(item) }
	within := d.Select(func(ref any) bool { return ref.(int)%3 == 0 })
	r := rand.New(rand.NewPCG(9, 9))
	for range 50 {
		question := direction(r, 24)
		for name, tc := range map[string]struct {
			in     func(int) bool
			within *Selection
			most   int
		}{"all": {live, nil, 10}, "some": {thirds, within, 25}, "more than there are": {thirds, within, 1000}} {
			got, want := v.scan(&scanning{}, question, tc.within, tc.most), d.slowly(question, tc.in, tc.most)
			if len(got) != len(want) {
				t.Fatalf("%s: %d items; want %d", name, len(got), len(want))
			}
			for i := range got {
				if math.Abs(float64(got[i].similarity-want[i].similarity)) > 1e-5 || got[i].passage != want[i].passage {
					t.Errorf("%s: place %d is %+v; want %+v", name, i, got[i], want[i])
				}
			}
		}
	}
}

// Not parallel: it counts what is allocated.
func TestScanTakesNoRoom(t *testing.T) {
	d := newDirected(5, 500, 64)
	v, within := d.place(), d.Select(func(ref any) bool { return ref.(int)%2 == 0 })
	question, room := direction(rand.New(rand.NewPCG(1, 1)), 64), &scanning{}
	v.scan(room, question, within, 100)
	if n := testing.AllocsPerRun(20, func() { v.scan(room, question, within, 100) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestDotIsTheProductWhateverTheLength(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfN(rapid.Float32Range(-1, 1), 0, 70).Draw(t, "a")
		b := rapid.SliceOfN(rapid.Float32Range(-1, 1), len(a), len(a)).Draw(t, "b")
		want := 0.0
		for i := range a {
			want += float64(a[i]) * float64(b[i])
		}
		if got := dot(a, b); math.Abs(float64(got)-want) > 1e-4 {
			t.Fatalf("%v; want %v", got, want)
		}
	})
}

// pointed is an index of four items on two matters, with directions that tell the matters apart
// where words do not.
func pointed() (*Snapshot, *Vectors, []float32) {
	x := New(Options{})
	var docs []Document
	texts := []string{"Dish for cold evenings", "Hot broth in a bowl", "Garden chair", "Wooden stool"}
	for i, text := range texts {
		docs = append(docs, Document{Ref: i, Key: keyOf(i), Language: "en", Title: text})
	}
	for i := len(docs); i < 60; i++ { // what else there is, in other directions
		docs = append(docs, Document{Ref: i, Key: keyOf(i), Language: "en", Title: spell(i * 31)})
	}
	s := x.Apply(docs, nil)
	r := rand.New(rand.NewPCG(4, 4))
	supper := direction(r, 32)
	of := func(ref any) []Vector {
		values := direction(r, 32)
		if i := ref.(int); i < 2 { // a little of chance, and much of the matter
			for at := range values {
				values[at] = values[at]*float32(0.2*float64(i+1)) + supper[at]
			}
			Unit(values)
		}
		return []Vector{{2, values}}
	}
	return s, s.Vectors(keyOf, of), supper
}

func refsOf(hits []Hit) []any {
	var all []any
	for _, h := range hits {
		all = append(all, h.Ref)
	}
	return all
}

// telling is the usual fusion, with as much resemblance as random directions do not have.
func telling(v *Vectors) Fusion {
	r, f := rand.New(rand.NewPCG(6, 6)), DefaultFusion
	var unrelated [][]float32
	for range 60 {
		unrelated = append(unrelated, direction(r, 32))
	}
	f.Least = v.Resemblance(unrelated, 1)
	return f
}

func TestWhatSharesNoWordIsFoundByItsDirection(t *testing.T) {
	t.Parallel()
	s, v, supper := pointed()
	near := &Near{v, supper, telling(v)}
	for _, tc := range []struct {
		question string
		want     []any
	}{
		{"dish", []any{0, 1}},
		{"broth", []any{1, 0}},
		{"qqqqq", []any{0, 1}}, // by direction alone
	} {
		if got := s.Search(Query{Text: tc.question, MinScore: 20, Near: near}).Hits; !slices.Equal(refsOf(got),
			tc.want) {
			t.Errorf("%s: %v; want %v", tc.question, got, tc.want)
		} else if got[0].Score > 100 || got[1].Score < 20 || got[0].Score < got[1].Score {
			t.Errorf("%s: scores %v", tc.question, got)
		}
	}
	if got := s.Search(Query{Text: "qqqqq", MinScore: 20, Near: near,
		Within: s.Select(func(ref any) bool { return ref != 0 })}).Hits; !slices.Equal(refsOf(got), []any{1}) {
		t.Errorf("outside of the selection: %v", got)
	}
	if got := s.Search(Query{Text: "qqqqq", MinScore: 20, Near: near}).Hits; got[0].Passage != 2 {
		t.Errorf("passage %d", got[0].Passage)
	}
}

// An item that the question names stays the first, whatever resembles the question more.
func TestAnExactNameStaysFirst(t *testing.T) {
	t.Parallel()
	s, v, supper := pointed()
	for _, ranks := range []bool{false, true} {
		f := telling(v)
		f.Share, f.Ranks = 0.9, ranks
		near := &Near{v, supper, f}
		names := map[string]any{"garden chair": 2, "Chair, garden": 2, "wooden stool": 3, "hot broth in a bowl": 1}
		if !ranks { // which leave what words find before what resembles alone
			names["chair"], names["wooden chair"] = 0, 0 // which are no names
		}
		for question, want := range names {
			if got := s.Search(Query{Text: question, MinScore: 20, Near: near}).Hits; len(got) == 0 ||
				got[0].Ref != want {
				t.Errorf("%s, ranks %v: %v; the first is to be %v", question, ranks, got, want)
			}
		}
	}
}

func TestWhatResemblesNothingMuchFindsNothing(t *testing.T) {
	t.Parallel()
	s, v, _ := pointed()
	r := rand.New(rand.NewPCG(77, 1))
	for range 20 {
		near := &Near{v, direction(r, 32), telling(v)}
		if got := s.Search(Query{Text: "qqqqq", MinScore: 20, Near: near}).Hits; len(got) > 0 {
			t.Errorf("found %v", got)
		}
	}
}

func TestDirectionsOfAnotherStateOrLengthAreNotUsed(t *testing.T) {
	t.Parallel()
	s, v, supper := pointed()
	other, _, _ := pointed()
	for name, near := range map[string]*Near{
		"length":   {v, supper[:31], DefaultFusion},
		"none":     {s.Vectors(keyOf, func(any) []Vector { return nil }), supper, DefaultFusion},
		"snapshot": {other.Vectors(keyOf, func(any) []Vector { return []Vector{{0, supper}} }), supper, DefaultFusion},
	} {
		if got := s.Search(Query{Text: "broth", Near: near}).Hits; !slices.Equal(refsOf(got), []any{1}) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestFusionKeepsToTheScale holds, for any lists, that scores fall, that they are between the least
// and 100, that nothing is lost or told twice, and that an item without a direction stands no lower
// than it does by words alone.
func TestFusionKeepsToTheScale(t *testing.T) {
	t.Parallel()
	d := newDirected(8, 300, 16)
	v, c := d.place(), newCorpus(3, 500)
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		r := rand.New(rand.NewPCG(seed, 2))
		q := Query{Text: c.text(1 + r.IntN(4)), Limit: 1 + r.IntN(150),
			MinScore: rapid.SampledFrom([]float64{0, 5, 30}).Draw(t, "least")}
		near := Near{v, direction(r, 16),
			Fusion{Ranks: rapid.Bool().Draw(t, "ranks"), Share: rapid.Float64Range(0, 1).Draw(t, "share"), Least: 0.4}}
		worded := d.Search(q).Hits
		q.Near = &near
		hits := d.Search(q).Hits
		if len(hits) < len(worded) || len(hits) > q.Limit {
			t.Fatalf("%d hits; %d by words", len(hits), len(worded))
		}
		seen := map[any]bool{}
		for i, h := range hits {
			if seen[h.Ref] || h.Score < q.MinScore || h.Score > 100 || i > 0 && h.Score > hits[i-1].Score {
				t.Fatalf("hit %d is %+v after %+v", i, h, hits[max(0, i-1)])
			}
			seen[h.Ref] = true
		}
		if near.Share == 0 && len(worded) > 0 && hits[0].Ref != worded[0].Ref {
			t.Fatalf("without a share for directions %v is first; want %v", hits[0], worded[0])
		}
		again := d.Search(q).Hits
		if !reflect.DeepEqual(hits, again) {
			t.Fatal("the same question finds otherwise")
		}
	})
}

var benchDimensions = flag.Int("dimensions", 384, "values of a vector of the benchmarks")

// BenchmarkScan measures holding a question against every vector, beside the plainest loop over as
// many in one piece.
func BenchmarkScan(b *testing.B) {
	c, r := newCorpus(3, 1000), rand.New(rand.NewPCG(1, 1))
	x := New(Options{})
	for from := 0; from < *benchItems; from += 50_000 {
		x.Apply(c.documents(from, min(from+50_000, *benchItems), 1, 5), nil)
	}
	vectors := make([][]float32, *benchItems)
	for i := range vectors {
		vectors[i] = direction(r, *benchDimensions)
	}
	s := x.Snapshot()
	v := s.Vectors(keyOf, func(ref any) []Vector { return []Vector{{0, vectors[ref.(int)]}} })
	question, room := direction(r, *benchDimensions), &scanning{}
	tenth := s.Select(func(ref any) bool { return ref.(int)%10 == 0 })
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			best := float32(-2)
			for _, row := range vectors {
				sum := float32(0)
				for i := range row {
					sum += row[i] * question[i]
				}
				best = max(best, sum)
			}
		}
	})
	b.Run("all", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			v.scan(room, question, nil, 100)
		}
	})
	b.Run("tenth", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			v.scan(room, question, tenth, 100)
		}
	})
	b.Run("place", func(b *testing.B) {
		for b.Loop() {
			s.Vectors(keyOf, func(ref any) []Vector { return []Vector{{0, vectors[ref.(int)]}} })
		}
	})
}
