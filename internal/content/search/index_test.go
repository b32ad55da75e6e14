package search

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"frontdesk/internal/content/search/analysis"
)

func titled(key, title string) Document {
	return Document{Ref: key + ":" + title, Key: key, Language: "en", Title: title}
}

func TestApplyReplacesByKey(t *testing.T) {
	t.Parallel()
	x := New(Options{})
	x.Apply([]Document{titled("a", "red shoes"), titled("b", "blue shoes")}, nil)
	s := x.Apply([]Document{titled("a", "green hat")}, nil)
	wantRefs(t, find(s, "shoes"), "b:blue shoes")
	wantRefs(t, find(s, "hat"), "a:green hat")
	if s.Len() != 2 {
		t.Errorf("%d items", s.Len())
	}
}

func TestLastDocumentOfAKeyCounts(t *testing.T) {
	t.Parallel()
	s := New(Options{}).Apply([]Document{titled("a", "red"), titled("b", "red"), titled("a", "blue")}, []string{"a"})
	wantRefs(t, find(s, "red"), "b:red")
	wantRefs(t, find(s, "blue"), "a:blue")
}

func TestRemovedItemsAreGone(t *testing.T) {
	t.Parallel()
	x := New(Options{})
	x.Apply([]Document{titled("a", "red shoes"), titled("b", "red hat")}, nil)
	s := x.Apply(nil, []string{"a", "never there"})
	wantRefs(t, find(s, "red"), "b:red hat")
	if term := s.Search(Query{Text: "shoes"}).Terms[0]; term.Use != Unknown {
		t.Errorf("the word of the removed item is still known: %+v", term)
	}
	s = x.Apply(nil, []string{"b"})
	if s.Len() != 0 || len(s.views) != 0 {
		t.Errorf("%d items in %d views", s.Len(), len(s.views))
	}
}

func TestSnapshotsDoNotChange(t *testing.T) {
	t.Parallel()
	x := New(Options{})
	old := x.Apply([]Document{titled("a", "red shoes"), titled("b", "red hat")}, nil)
	x.Apply([]Document{titled("a", "blue"), titled("c", "red coat")}, []string{"b"})
	wantRefs(t, find(old, "red"), "a:red shoes", "b:red hat")
	wantRefs(t, find(x.Snapshot(), "red"), "c:red coat")
}

func TestApplyWithoutChangeKeepsEverything(t *testing.T) {
	t.Parallel()
	x := New(Options{})
	x.Apply([]Document{titled("a", "red shoes")}, nil)
	wantRefs(t, find(x.Apply(nil, nil), "red"), "a:red shoes")
}

// mostSegments is in how many segments 3,000 items lie at most: seven of each of three sizes.
const mostSegments = 21

func TestSegmentsAreMerged(t *testing.T) {
	t.Parallel()
	c := newCorpus(4, 500)
	x := New(Options{})
	for i := range 3000 {
		x.Apply([]Document{c.document(i, 1, 5)}, nil)
	}
	s := x.Snapshot()
	if s.Len() != 3000 || len(s.views) > mostSegments {
		t.Errorf("%d items in %d segments", s.Len(), len(s.views))
	}
	for i := range 2900 {
		x.Apply(nil, []string{fmt.Sprintf("doc-%07d", i)})
	}
	s = x.Snapshot()
	units := 0
	for _, v := range s.views {
		units += v.Units()
	}
	if s.Len() != 100 || units > 200 {
		t.Errorf("%d items in %d units", s.Len(), units)
	}
}

func TestMoreUnitsThanASegmentHolds(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("seventy thousand documents")
	}
	docs := make([]Document, 70_000)
	for i := range docs {
		docs[i] = Document{Ref: i, Key: fmt.Sprint(i), Title: fmt.Sprint("number ", i%1000)}
	}
	s := New(Options{}).Apply(docs, nil)
	if s.Len() != len(docs) || len(s.views) < 2 {
		t.Fatalf("%d items in %d segments", s.Len(), len(s.views))
	}
	check(t, s, Query{Text: "number 77", Limit: 100})
}

func TestSelectionsRestrict(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x := New(Options{})
		var docs []Document
		for i := range rapid.IntRange(0, 30).Draw(t, "documents") {
			docs = append(docs,
				Document{Ref: i, Key: fmt.Sprint("k", i), Title: "red " + fmt.Sprint(i), Passages: []string{"shoes"}})
		}
		s := x.Apply(docs, nil)
		third := s.Select(func(ref any) bool { return ref.(int)%3 == 0 })
		even := s.Select(func(ref any) bool { return ref.(int)%2 == 0 })
		both := third.And(even)
		want := func(name string, sel *Selection, admits func(i int) bool, among int) {
			count := 0
			for i := range among {
				if admits(i) {
					count++
				}
			}
			r := sel.of().Search(Query{Text: "red", Limit: 1000, Within: sel})
			if sel.Count() != count || len(r.Hits) != count {
				t.Fatalf("%s: %d selected, %d found, want %d", name, sel.Count(), len(r.Hits), count)
			}
			for _, hit := range r.Hits {
				if !admits(hit.Ref.(int)) {
					t.Fatalf("%s: %v is found", name, hit.Ref)
				}
			}
		}
		want("third", third, func(i int) bool { return i%3 == 0 }, len(docs))
		want("both", both, func(i int) bool { return i%6 == 0 }, len(docs))
	})
}

// of gives a snapshot with the selection's views.
func (sel *Selection) of() *Snapshot { return newSnapshot(analysis.NewAnalyzer(), nil, sel.views) }

func TestSelectionOfAnotherSnapshotAdmitsNothing(t *testing.T) {
	t.Parallel()
	x := New(Options{})
	old := x.Apply([]Document{titled("a", "red shoes")}, nil)
	all := old.Select(func(any) bool { return true })
	s := x.Apply([]Document{titled("a", "red hat"), titled("b", "red coat")}, nil)
	if hits := s.Search(Query{Text: "red", Within: all}).Hits; len(hits) != 0 {
		t.Errorf("hits %v", hits)
	}
	fresh := s.Select(func(any) bool { return true })
	if n := fresh.And(all).Count(); n != 0 {
		t.Errorf("%d items in common", n)
	}
	if n := all.And(fresh).Count(); n != 0 {
		t.Errorf("%d items in common", n)
	}
}

func TestRefreshAsksOnlyAboutNewItems(t *testing.T) {
	t.Parallel()
	x := New(Options{})
	var docs []Document
	for i := range 500 {
		docs = append(docs, titled(fmt.Sprint("k", i), "red shoes"))
	}
	s := x.Apply(docs, nil)
	asked := 0
	sel := s.Select(func(ref any) bool { asked++; return !strings.HasPrefix(ref.(string), "k7:") })
	if asked != 500 || sel.Count() != 499 {
		t.Fatalf("asked %d times, %d selected", asked, sel.Count())
	}
	s = x.Apply([]Document{titled("new", "red coat"), titled("k3", "red hat")}, []string{"k4"})
	asked = 0
	sel = s.Refresh(sel)
	if asked != 2 || sel.Count() != 499 {
		t.Errorf("asked %d times, %d selected", asked, sel.Count())
	}
	check(t, s, Query{Text: "red", Limit: 1000, Within: sel})
	for _, hit := range s.Search(Query{Text: "red", Limit: 1000, Within: sel}).Hits {
		if ref := hit.Ref.(string); ref == "k7:red shoes" || ref == "k3:red shoes" || strings.HasPrefix(ref, "k4:") {
			t.Errorf("%v is found", ref)
		}
	}
}

// Readers see whole states only: the two documents of a pair always have the same version.
func TestReadersSeeWholeStatesWhileTheWriterWorks(t *testing.T) {
	t.Parallel()
	const pairs, versions, readers = 20, 60, 4
	x := New(Options{})
	state := func(version int) (docs []Document) {
		for i := range pairs {
			for _, side := range []string{"left", "right"} {
				title := fmt.Sprintf("pair%d %s", i, side)
				docs = append(docs, Document{Ref: version, Key: title, Title: title, Passages: []string{"red shoes"}})
			}
		}
		return docs
	}
	x.Apply(state(0), nil)
	done := make(chan struct{})
	var all sync.WaitGroup
	for r := range readers {
		all.Go(func() {
			for i := r; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				s := x.Snapshot()
				sel := s.Select(func(any) bool { return true })
				hits := s.Search(Query{Text: fmt.Sprintf("pair%d", i%pairs), Within: sel}).Hits
				if len(hits) != 2 || hits[0].Ref != hits[1].Ref {
					t.Errorf("hits %v", hits)
					return
				}
				runtime.Gosched()
			}
		})
	}
	for v := range versions {
		x.Apply(state(v+1), []string{fmt.Sprint("absent", v)})
	}
	close(done)
	all.Wait()
}
