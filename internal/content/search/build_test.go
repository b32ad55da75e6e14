package search

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestBuildFindsWhatApplyFinds(t *testing.T) {
	t.Parallel()
	c := newCorpus(7, 800)
	documents := c.documents(0, 3000, 2, 30)
	want := New(Options{}).Apply(slices.Clone(documents), nil)
	for workers := 1; workers <= 3; workers++ {
		x := New(Options{Workers: workers})
		b := x.Build()
		for part := range slices.Chunk(slices.Clone(documents), 37) {
			b.Add(part, nil)
		}
		if x.Snapshot().Len() != 0 {
			t.Fatal("documents are there before the build is done")
		}
		got := b.Done()
		if got.Len() != want.Len() || got != x.Snapshot() {
			t.Fatalf("%d items, want %d", got.Len(), want.Len())
		}
		for i := range 200 {
			q := Query{Text: c.word() + " " + c.word() + " " + c.word(), Limit: 1 + i%30}
			if diff := cmp.Diff(want.Search(q), got.Search(q), wherever); diff != "" {
				t.Fatalf("%d workers, %q: %s", workers, q.Text, diff)
			}
		}
	}
}

func TestLaterDocumentOfAKeyReplacesTheEarlierInABuild(t *testing.T) {
	t.Parallel()
	x := New(Options{})
	b := x.Build()
	b.Add([]Document{titled("a", "red shoes"), titled("b", "red hat")}, []string{"never there"})
	b.Add([]Document{titled("a", "blue shoes")}, nil)
	b.Add([]Document{titled("c", "red coat")}, []string{"b"})
	s := b.Done()
	wantRefs(t, find(s, "red"), "c:red coat")
	wantRefs(t, find(s, "shoes"), "a:blue shoes")
	if s.Len() != 2 || b.Done() != s {
		t.Errorf("%d items", s.Len())
	}
}

func TestKeyTwiceAmongTheDocumentsOfOneAdd(t *testing.T) {
	t.Parallel()
	b := New(Options{}).Build()
	b.Add([]Document{titled("a", "red"), titled("b", "red"), titled("a", "blue")}, nil)
	s := b.Done()
	wantRefs(t, find(s, "red"), "b:red")
	wantRefs(t, find(s, "blue"), "a:blue")
}

func TestAbortedBuildLeavesNothing(t *testing.T) {
	t.Parallel()
	x := New(Options{})
	b := x.Build()
	b.Add([]Document{titled("a", "red shoes")}, nil)
	b.Abort()
	if b.Abort(); x.Snapshot().Len() != 0 {
		t.Error("there is something")
	}
	if s := New(Options{}).Build().Done(); s.Len() != 0 {
		t.Errorf("a build of nothing holds %d items", s.Len())
	}
}

// TestMoreUnitsThanABatchHolds has each worker begin a second batch.
func TestMoreUnitsThanABatchHoldsAreBuilt(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: many documents")
	}
	x := New(Options{Workers: 2})
	b := x.Build()
	const n = 2*halfFull + 5000
	for from := 0; from < n; from += 500 {
		part := make([]Document, 0, 500)
		for i := from; i < min(n, from+500); i++ {
			part = append(part, titled(fmt.Sprintf("k%d", i), fmt.Sprintf("thing n%d", i)))
		}
		b.Add(part, nil)
	}
	s := b.Done()
	if s.Len() != n || len(s.views) < 2 {
		t.Errorf("%d items in %d segments", s.Len(), len(s.views))
	}
	for _, i := range []int{0, halfFull, n - 1} {
		wantRefs(t, find(s, fmt.Sprintf("n%d", i)), fmt.Sprintf("k%d:thing n%d", i, i))
	}
}

func TestMemoRemembersAsAMapDoes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m, want := &memo{}, map[string][]uint32{}
		m.grow()
		for range rapid.IntRange(0, 3000).Draw(t, "runs") {
			run := fmt.Sprint(rapid.Uint32Range(0, 5000).Draw(t, "run"))
			var one [1]uint32
			numbers, ok := m.get([]byte(run), &one)
			known, there := want[run]
			if ok != there || !slices.Equal(numbers, known) {
				t.Fatalf("%q: %v, %v, want %v, %v", run, numbers, ok, known, there)
			}
			if !ok {
				want[run] = rapid.SliceOfN(rapid.Uint32(), 0, 4).Draw(t, "numbers")
				m.put([]byte(run), want[run])
			}
		}
	})
}
