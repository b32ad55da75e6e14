package content_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

// clock is a time that tests move.
type clock struct{ at time.Time }

func newClock() *clock { return &clock{time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time          { return c.at }
func (c *clock) advance(d time.Duration) { c.at = c.at.Add(d) }

// each runs a test on every engine, with a catalog that does everything in small pieces.
func each(t *testing.T, test func(t *testing.T, catalog *content.Catalog, clock *clock)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		clock := newClock()
		catalog := content.New(open(t, content.Schema), content.Options{Now: clock.now})
		catalog.SetLimits(3, 2, 2)
		test(t, catalog, clock)
	})
}

const site, source = "example.org", "recipes"

var key = content.SourceKey{Site: site, Source: source}

// item is an item whose content depends on its URL and on variant.
func item(name string, variant int) content.Item {
	url := "https://example.org/" + name
	i := content.Item{
		URL: url, Types: []string{"Recipe", "HowTo"}, Name: fmt.Sprint(name, " ", variant),
		Description: "A " + name + ".",
		Keys:        "soup\nwinter", Language: "en", Image: url + ".jpg", Publisher: "Example",
		Origin:    "recipes.jsonl:1",
		Published: time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC), Object: fmt.Appendf(nil, `{"url":%q,"variant":%d}`, url, variant),
	}
	for k := range variant % 3 {
		text := fmt.Sprintf("Passage %d of %s.", k, name)
		i.Passages = append(i.Passages, content.Passage{ID: content.PassageID(text, 0), Text: text})
	}
	return i
}

// items are items of one variant each, "soup" or "soup:2".
func items(specs ...string) (made []content.Item) {
	for _, spec := range specs {
		name, variant := spec, 1
		if at := strings.IndexByte(spec, ':'); at >= 0 {
			name = spec[:at]
			fmt.Sscan(spec[at+1:], &variant)
		}
		made = append(made, item(name, variant))
	}
	return made
}

func begin(t testing.TB, catalog *content.Catalog) *content.Run {
	t.Helper()
	run, err := catalog.Begin(t.Context(), site, source)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func put(t testing.TB, run *content.Run, items ...content.Item) {
	t.Helper()
	if err := run.Put(t.Context(), items...); err != nil {
		t.Fatal(err)
	}
}

func commit(t testing.TB, run *content.Run, options content.CommitOptions) content.Summary {
	t.Helper()
	summary, err := run.Commit(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	return summary
}

// fill is a whole run with the given items.
func fill(t testing.TB, catalog *content.Catalog, specs ...string) content.Summary {
	t.Helper()
	run := begin(t, catalog)
	put(t, run, items(specs...)...)
	return commit(t, run, content.CommitOptions{AllowShrink: true})
}

// current reads all that a follower sees that starts from nothing, by URL.
func current(t testing.TB, catalog *content.Catalog) map[string]content.Entry {
	t.Helper()
	entries := map[string]content.Entry{}
	_, err := catalog.Changes(t.Context(), nil, func(change content.Change) error {
		if change.Removed {
			t.Errorf("a first reading reports a removal: %+v", change)
		}
		if _, again := entries[change.Entry.URL]; again {
			t.Errorf("%s is reported twice", change.Entry.URL)
		}
		entries[change.Entry.URL] = change.Entry
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// wantCurrent holds the catalog to exactly these items, in Changes, Each, Load and Find alike.
func wantCurrent(t testing.TB, catalog *content.Catalog, specs ...string) {
	t.Helper()
	want := map[string]content.Item{}
	for _, i := range items(specs...) {
		want[i.URL] = i
	}
	got, refs := map[string]content.Item{}, []content.Ref{}
	for url, entry := range current(t, catalog) {
		got[url] = entry.Item
		refs = append(refs, entry.Ref)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Changes (-want +got):\n%s", diff)
	}
	clear(got)
	err := catalog.EachItem(t.Context(), site, func(i content.Item) error { got[i.URL] = i; return nil })
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("Each: %v (-want +got):\n%s", err, diff)
	}
	clear(got)
	loaded, err := catalog.LoadItems(t.Context(), refs...)
	for _, i := range loaded {
		got[i.URL] = i
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("Load: %v (-want +got):\n%s", err, diff)
	}
	for _, ref := range refs {
		loaded, err := catalog.LoadItems(t.Context(), ref)
		if err != nil {
			t.Fatal(err)
		}
		found, err := catalog.Find(t.Context(), site, loaded[0].URL)
		if diff := cmp.Diff([]content.Ref{ref}, found); diff != "" || err != nil {
			t.Errorf("Find: %v (-want +got):\n%s", err, diff)
		}
	}
}

func wantSummary(t testing.TB, got, want content.Summary) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
}

func wantCode(t testing.TB, err error, code fail.Code, words ...string) {
	t.Helper()
	coded := fail.From(err)
	if err == nil || coded.Code != code {
		t.Fatalf("the error is %v, want one with the code %q", err, code)
	}
	for _, word := range words {
		if !strings.Contains(coded.Detail, word) {
			t.Errorf("the error does not say %q: %s", word, coded.Detail)
		}
	}
}

func TestRunIsInvisibleUntilItCommits(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, catalog *content.Catalog, _ *clock) {
		fill(t, catalog, "a", "b", "c", "d")
		run := begin(t, catalog)
		put(t, run, items("a:2", "b:3", "c", "e", "f", "g", "h")...)
		wantCurrent(t, catalog, "a", "b", "c", "d")
		summary := commit(t, run, content.CommitOptions{})
		wantSummary(t, summary,
			content.Summary{Added: 4, Changed: 2, Unchanged: 1, Removed: 1, Items: 7, Passages: 7, Revision: 2})
		wantCurrent(t, catalog, "a:2", "b:3", "c", "e", "f", "g", "h")
	})
}

func TestUnchangedRunPublishesNothingNew(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, catalog *content.Catalog, clock *clock) {
		fill(t, catalog, "a", "b", "c")
		clock.advance(time.Hour)
		same := items("a", "b", "c")
		same[1].Origin = "elsewhere.jsonl:9"
		run := begin(t, catalog)
		put(t, run, same...)
		wantSummary(t, commit(t, run, content.CommitOptions{}),
			content.Summary{Unchanged: 3, Items: 3, Passages: 3, Revision: 1})
		sources, err := catalog.Sources(t.Context())
		if err != nil || len(sources) != 1 || !sources[0].LastRun.Equal(clock.now()) {
			t.Errorf("the run is not remembered: %+v %v", sources, err)
		}
	})
}

func TestEveryFieldCountsAsAChange(t *testing.T) {
	t.Parallel()
	changes := map[string]func(*content.Item){
		"Types":         func(i *content.Item) { i.Types = []string{"Recipe"} },
		"Types' border": func(i *content.Item) { i.Types = []string{"RecipeHow", "To"} },
		"Name":          func(i *content.Item) { i.Name = "other" },
		"Description":   func(i *content.Item) { i.Description = "" },
		"Keys":          func(i *content.Item) { i.Keys += "x" },
		"Language":      func(i *content.Item) { i.Language = "de" },
		"Image":         func(i *content.Item) { i.Image = "" },
		"Publisher":     func(i *content.Item) { i.Publisher = "other" },
		"Published":     func(i *content.Item) { i.Published = i.Published.Add(time.Microsecond) },
		"Modified":      func(i *content.Item) { i.Modified = i.Published },
		"Object":        func(i *content.Item) { i.Object = []byte(`{}`) },
		"passage text":  func(i *content.Item) { i.Passages[0].Text += "x" },
		"passage ID":    func(i *content.Item) { i.Passages[0].ID += "x" },
		"passages":      func(i *content.Item) { i.Passages = nil },
	}
	catalog := content.New(storetest.OpenSQLite(t, content.Schema), content.Options{})
	fill(t, catalog, "a")
	for _, field := range slices.Sorted(maps.Keys(changes)) {
		for _, want := range []content.Summary{{Changed: 1}, {Unchanged: 1}} {
			changed := item("a", 1)
			changes[field](&changed)
			run := begin(t, catalog)
			put(t, run, changed)
			got := commit(t, run, content.CommitOptions{})
			if got.Changed != want.Changed || got.Unchanged != want.Unchanged {
				t.Errorf("%s: %+v, want %+v", field, got, want)
			}
		}
	}
}

func TestLastOfDuplicatesWins(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, catalog *content.Catalog, _ *clock) {
		run := begin(t, catalog) // batches of three
		put(t, run, items("a", "a:2", "b", "c", "a:3", "d", "d", "e")...)
		wantSummary(t, commit(t, run, content.CommitOptions{}),
			content.Summary{Added: 5, Duplicates: 3, Items: 5, Passages: 4, Revision: 1})
		wantCurrent(t, catalog, "a:3", "b", "c", "d", "e")

		run = begin(t, catalog) // a is changed and changed back, b is kept and changed, c is changed twice
		put(t, run, items("a:1", "b", "c:2", "a:3", "b:2", "c:3", "d", "e")...)
		wantSummary(t, commit(t, run, content.CommitOptions{}),
			content.Summary{Changed: 2, Unchanged: 3, Duplicates: 3, Items: 5, Passages: 4, Revision: 2})
		wantCurrent(t, catalog, "a:3", "b:2", "c:3", "d", "e")
	})
}

func TestPartialRunKeepsTheRest(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, catalog *content.Catalog, _ *clock) {
		fill(t, catalog, "a", "b", "c", "d", "e")
		run := begin(t, catalog)
		put(t, run, items("a:2", "f")...)
		wantSummary(t, commit(t, run, content.CommitOptions{Partial: true}),
			content.Summary{Added: 1, Changed: 1, Items: 6, Passages: 7, Revision: 2})
		wantCurrent(t, catalog, "a:2", "b", "c", "d", "e", "f")
	})
}

func TestGoodSourceIsNotReplacedByLessThanHalf(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, catalog *content.Catalog, _ *clock) {
		fill(t, catalog, "a", "b", "c", "d", "e")
		for _, few := range [][]string{nil, {"a"}, {"a:2", "x"}} {
			run := begin(t, catalog)
			put(t, run, items(few...)...)
			_, err := run.Commit(t.Context(), content.CommitOptions{})
			wantCode(t, err, fail.Invalid, source, "has 5 items", fmt.Sprintf("leave %d", len(few)), "--allow-shrink")
			wantCurrent(t, catalog, "a", "b", "c", "d", "e")
			if err := run.Abort(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		run := begin(t, catalog)
		put(t, run, items("a", "b", "c")...)
		commit(t, run, content.CommitOptions{}) // just over half

		run = begin(t, catalog)
		if _, err := run.Commit(t.Context(), content.CommitOptions{}); err == nil {
			t.Fatal("a good source was emptied")
		}
		wantSummary(t, commit(t, run, content.CommitOptions{AllowShrink: true}),
			content.Summary{Removed: 3, Revision: 3})
		wantCurrent(t, catalog)
	})
}

func TestEmptySourceMayStayEmpty(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, catalog *content.Catalog, _ *clock) {
		wantSummary(t, commit(t, begin(t, catalog), content.CommitOptions{}), content.Summary{})
		wantCurrent(t, catalog)
	})
}

func TestAbortLeavesEverythingAsItWas(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, catalog *content.Catalog, _ *clock) {
		fill(t, catalog, "a", "b")
		run := begin(t, catalog)
		put(t, run, items("a:2", "c", "d", "e")...)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := run.Abort(ended); err != nil {
			t.Errorf("Abort under a context that has ended: %v", err)
		}
		wantCurrent(t, catalog, "a", "b")
		if err := run.Put(t.Context(), items("f")...); err == nil {
			t.Error("an aborted run takes items")
		}
		if _, err := run.Commit(t.Context(), content.CommitOptions{}); err == nil {
			t.Error("an aborted run can be committed")
		}
		wantSummary(t, fill(t, catalog, "a", "b", "c"),
			content.Summary{Added: 1, Unchanged: 2, Items: 3, Passages: 3, Revision: 2})
		wantCurrent(t, catalog, "a", "b", "c")
	})
}

func TestAbortAfterCommitDoesNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, catalog *content.Catalog, _ *clock) {
		first := begin(t, catalog)
		put(t, first, items("a")...)
		commit(t, first, content.CommitOptions{})
		second := begin(t, catalog)
		if err := first.Abort(t.Context()); err != nil {
			t.Error(err)
		}
		put(t, second, items("a", "b")...)
		commit(t, second, content.CommitOptions{})
		wantCurrent(t, catalog, "a", "b")
	})
}

func TestOneRunAtATime(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, catalog *content.Catalog, clock *clock) {
		first := begin(t, catalog)
		put(t, first, items("a", "b", "c", "d")...)
		clock.advance(content.LeaseTime - time.Second)

		_, err := catalog.Begin(t.Context(), site, source)
		wantCode(t, err, fail.Unavailable, source, site, "process")
		if wait := fail.From(err).RetryAfter; wait <= 0 || wait > content.LeaseTime {
			t.Errorf("to be tried again after %v", wait)
		}
		other, err := catalog.Begin(t.Context(), site, "articles")
		if err != nil {
			t.Fatalf("a run over another source has to wait: %v", err)
		}
		if err := other.Abort(t.Context()); err != nil {
			t.Error(err)
		}

		clock.advance(2 * time.Second) // past the lease of the first, which has been silent
		second := begin(t, catalog)
		err = first.Put(t.Context(), items("x", "y", "z", "w")...)
		wantCode(t, err, fail.Unavailable, "taken over", "run again")
		_, err = first.Commit(t.Context(), content.CommitOptions{})
		wantCode(t, err, fail.Unavailable, "taken over")
		put(t, second, items("b:2", "c:2")...)
		wantSummary(t, commit(t, second, content.CommitOptions{}),
			content.Summary{Added: 2, Items: 2, Passages: 4, Revision: 1})
		wantCurrent(t, catalog, "b:2", "c:2")
		if err := first.Abort(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestRunThatWritesKeepsItsLease(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, catalog *content.Catalog, clock *clock) {
		fill(t, catalog, "a", "b", "c")
		run := begin(t, catalog)
		for range 5 {
			clock.advance(content.LeaseTime * 2 / 3)
			put(t, run, items("a", "b", "c")...) // nothing to write but the lease
			if _, err := catalog.Begin(t.Context(), site, source); fail.From(err).Code != fail.Unavailable {
				t.Fatalf("a run that is at work was taken over (%v)", err)
			}
		}
		commit(t, run, content.CommitOptions{})
	})
}

func TestClockThatIsSetBackDoesNotLockASource(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, catalog *content.Catalog, clock *clock) {
		begin(t, catalog) // and never heard of again
		clock.advance(-24 * time.Hour)
		fill(t, catalog, "a")
		wantCurrent(t, catalog, "a")
	})
}

func TestItemWithoutURLIsRefused(t *testing.T) {
	t.Parallel()
	catalog := content.New(storetest.OpenSQLite(t, content.Schema), content.Options{})
	run := begin(t, catalog)
	for _, url := range []string{"", "https://example.org/\x00", "https://example.org/\xff"} {
		bad := item("a", 1)
		bad.URL = url
		wantCode(t, run.Put(t.Context(), bad), fail.Invalid, "recipes.jsonl:1")
	}
	put(t, run, items("b")...)
	commit(t, run, content.CommitOptions{})
	wantCurrent(t, catalog, "b")
}

func TestTextThatNoDatabaseKeepsIsMended(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, catalog *content.Catalog, _ *clock) {
		bad := item("a", 2)
		bad.Name, bad.Keys, bad.Types = "soup \xff of\x00day", "k\x00", []string{"Rec\x00ipe", "How\nTo"}
		bad.Passages[0].Text = "text \xfe\x00"
		run := begin(t, catalog)
		put(t, run, bad)
		commit(t, run, content.CommitOptions{})
		got := current(t, catalog)[bad.URL]
		if got.Name != "soup \uFFFD of\uFFFDday" || !slices.Equal(got.Types, []string{"Rec\uFFFDipe", "How To"}) ||
			got.Passages[0].Text != "text \uFFFD\uFFFD" {
			t.Errorf("kept as %+v", got)
		}
		run = begin(t, catalog)
		put(t, run, bad)
		if s := commit(t, run, content.CommitOptions{}); s.Unchanged != 1 {
			t.Errorf("the same again counts as %+v", s)
		}
	})
}

func TestSitesAndSourcesAreApart(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, catalog *content.Catalog, _ *clock) {
		keys := []content.SourceKey{{Site: "a", Source: "x"}, {Site: "a", Source: "y"}, {Site: "b", Source: "x"}}
		for n, key := range keys {
			run, err := catalog.Begin(t.Context(), key.Site, key.Source)
			if err != nil {
				t.Fatal(err)
			}
			put(t, run, items("shared", fmt.Sprint("own", n))...)
			commit(t, run, content.CommitOptions{})
		}
		refs, err := catalog.Find(t.Context(), "a", "https://example.org/shared")
		if err != nil || len(refs) != 2 || refs[0].Source != "x" || refs[1].Source != "y" || refs[0].ID == refs[1].ID {
			t.Errorf("found %+v %v", refs, err)
		}
		if refs, err := catalog.Find(t.Context(), "b", "https://example.org/own0"); err != nil || len(refs) != 0 {
			t.Errorf("found %+v %v in the wrong site", refs, err)
		}
		var urls []string
		err = catalog.EachItem(t.Context(), "b", func(i content.Item) error { urls = append(urls, i.URL); return nil })
		if diff := cmp.Diff([]string{"https://example.org/shared", "https://example.org/own2"}, urls); diff != "" ||
			err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if err := catalog.Remove(t.Context(), "a", "x"); err != nil {
			t.Fatal(err)
		}
		revisions, err := catalog.Revisions(t.Context())
		if diff := cmp.Diff(map[content.SourceKey]int64{keys[0]: 2, keys[1]: 1, keys[2]: 1}, revisions); diff != "" ||
			err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		follower := newFollower()
		follower.sync(t, catalog)
		if got := len(follower.items); got != 4 {
			t.Errorf("%d items are left", got)
		}
	})
}

func TestForgottenSourceIsGoneAndMayComeBack(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, catalog *content.Catalog, _ *clock) {
		fill(t, catalog, "a", "b")
		follower := newFollower()
		follower.sync(t, catalog)
		for range 2 {
			if err := catalog.Remove(t.Context(), site, source); err != nil {
				t.Fatal(err)
			}
		}
		wantCurrent(t, catalog)
		if sources, err := catalog.Sources(t.Context()); err != nil || len(sources) != 0 {
			t.Errorf("it is still listed: %+v %v", sources, err)
		}
		follower.sync(t, catalog)
		if len(follower.items) != 0 {
			t.Errorf("a follower still has %v", follower.items)
		}
		fill(t, catalog, "b", "c")
		wantCurrent(t, catalog, "b", "c")
		follower.sync(t, catalog)
		if len(follower.items) != 2 {
			t.Errorf("a follower has %v", follower.items)
		}
		if sources, err := catalog.Sources(t.Context()); err != nil || len(sources) != 1 || sources[0].Items != 2 {
			t.Errorf("it is listed as %+v %v", sources, err)
		}
		if err := catalog.Remove(t.Context(), site, "never seen"); err != nil {
			t.Errorf("forgetting what nobody knows: %v", err)
		}
	})
}

func TestLoadKeepsTheOrderAndLeavesGaps(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, catalog *content.Catalog, _ *clock) {
		fill(t, catalog, "a", "b")
		find := func(name string) content.Ref {
			refs, err := catalog.Find(t.Context(), site, "https://example.org/"+name)
			if err != nil || len(refs) != 1 {
				t.Fatalf("%v %v", refs, err)
			}
			return refs[0]
		}
		a, b := find("a"), find("b")
		never, nowhere := a, b
		never.Since = 99
		nowhere.Source = "nowhere"
		loaded, err := catalog.LoadItems(t.Context(), b, never, a, nowhere, b)
		want := []content.Item{item("b", 1), {}, item("a", 1), {}, item("b", 1)}
		if diff := cmp.Diff(want, loaded); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if none, err := catalog.LoadItems(t.Context()); err != nil || len(none) != 0 {
			t.Errorf("no refs give %v %v", none, err)
		}
	})
}

func TestReaderOneRevisionBehindStillLoads(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, catalog *content.Catalog, _ *clock) {
		fill(t, catalog, "a", "b", "c", "d", "e")
		var refs []content.Ref
		for _, entry := range current(t, catalog) {
			refs = append(refs, entry.Ref)
		}
		missing := func() (n int) {
			loaded, err := catalog.LoadItems(t.Context(), refs...)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range loaded {
				if i.URL == "" {
					n++
				}
			}
			return n
		}
		fill(t, catalog, "a:2", "b:2", "c:2")
		begin(t, catalog).Abort(t.Context()) // sweeps
		if n := missing(); n != 0 {
			t.Errorf("one revision later %d items are missing", n)
		}
		fill(t, catalog, "a:3", "b:2", "c:2")
		begin(t, catalog).Abort(t.Context())
		if n := missing(); n != len(refs) {
			t.Errorf("two revisions later %d items are swept, want %d", n, len(refs))
		}
	})
}

func TestForgottenContentIsSweptAfterAWhile(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, catalog *content.Catalog, clock *clock) {
		fill(t, catalog, "a", "b", "c")
		var refs []content.Ref
		for _, entry := range current(t, catalog) {
			refs = append(refs, entry.Ref)
		}
		if err := catalog.Remove(t.Context(), site, source); err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			wait time.Duration
			left int
		}{{0, 3}, {content.KeepForgotten + time.Second, 0}} {
			clock.advance(step.wait)
			run, err := catalog.Begin(t.Context(), site, "another")
			if err != nil {
				t.Fatal(err)
			}
			run.Abort(t.Context())
			loaded, err := catalog.LoadItems(t.Context(), refs...)
			if err != nil {
				t.Fatal(err)
			}
			loaded = slices.DeleteFunc(loaded, func(i content.Item) bool { return i.URL == "" })
			if len(loaded) != step.left {
				t.Errorf("after %v %d items are left, want %d", step.wait, len(loaded), step.left)
			}
		}
	})
}

func TestFollowerTooFarBehindIsTold(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, catalog *content.Catalog, _ *clock) {
		fill(t, catalog, "a", "b")
		nothing := func(content.Change) error { return nil }
		for n := range content.KeepRemovals + 2 {
			fill(t, catalog, "a", fmt.Sprint("b", n))
		}
		for from, wantErr := range map[int64]bool{0: false, 1: true, 2: false, content.KeepRemovals + 3: false,
			content.KeepRemovals + 4: true} {
			_, err := catalog.Changes(t.Context(), map[content.SourceKey]int64{key: from}, nothing)
			if errors.Is(err, content.ErrBehind) != wantErr || (err != nil) != wantErr {
				t.Errorf("from revision %d: %v", from, err)
			}
		}
		_, err := catalog.Changes(t.Context(), map[content.SourceKey]int64{{Site: "of", Source: "another database"}: 1},
			nothing)
		if !errors.Is(err, content.ErrBehind) {
			t.Errorf("a source that the database does not know: %v", err)
		}
	})
}

func TestCallbackEndsTheReading(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, catalog *content.Catalog, _ *clock) {
		fill(t, catalog, "a", "b", "c", "d")
		enough := errors.New("enough")
		n := 0
		_, err := catalog.Changes(t.Context(), nil, func(content.Change) error { n++; return enough })
		if err != enough || n != 1 {
			t.Errorf("Changes went on for %d: %v", n, err)
		}
		n = 0
		err = catalog.EachItem(t.Context(), site, func(content.Item) error { n++; return enough })
		if err != enough || n != 1 {
			t.Errorf("Each went on for %d: %v", n, err)
		}
		// A callback may itself ask the catalog.
		_, err = catalog.Changes(t.Context(), nil, func(change content.Change) error {
			_, err := catalog.LoadItems(t.Context(), change.Entry.Ref)
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestChangesComeInOrder(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, catalog *content.Catalog, _ *clock) {
		fill(t, catalog, "z", "a", "m")
		fill(t, catalog, "y", "z", "a:2", "m", "b")
		var got []string
		read := func(from map[content.SourceKey]int64) {
			got = nil
			_, err := catalog.Changes(t.Context(), from, func(change content.Change) error {
				got = append(got, fmt.Sprint(change.Entry.Since, change.Entry.Name, change.Removed))
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		read(nil)
		if diff := cmp.Diff([]string{"1z 1false", "1m 1false", "2y 1false", "2a 2false", "2b 1false"}, got); diff !=
			"" {
			t.Errorf("all (-want +got):\n%s", diff)
		}
		fill(t, catalog, "y", "z", "a:2")
		read(map[content.SourceKey]int64{key: 1})
		if diff := cmp.Diff([]string{"1true", "2true", "2y 1false", "2a 2false"}, got); diff != "" {
			t.Errorf("since 1 (-want +got):\n%s", diff)
		}
	})
}

func TestSourcesTellHowItWent(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, catalog *content.Catalog, clock *clock) {
		one := func() content.Source {
			t.Helper()
			sources, err := catalog.Sources(t.Context())
			if err != nil || len(sources) != 1 {
				t.Fatalf("%+v %v", sources, err)
			}
			return sources[0]
		}
		problem := fail.New(fail.Invalid, "the folder is empty").Wrap(errors.New("secret"))
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := catalog.RecordFailure(ended, key, fmt.Errorf("reading: %w", problem)); err != nil {
			t.Fatal(err)
		}
		want := content.Source{SourceKey: key, LastError: "the folder is empty", Failed: clock.now()}
		if diff := cmp.Diff(want, one()); diff != "" {
			t.Errorf("before the first run (-want +got):\n%s", diff)
		}
		if revisions, err := catalog.Revisions(t.Context()); err != nil || len(revisions) != 0 {
			t.Errorf("it is published: %v %v", revisions, err)
		}
		clock.advance(time.Minute)
		summary := fill(t, catalog, "a", "b:2")
		want = content.Source{SourceKey: key, Revision: 1, Items: 2, Passages: 3, LastRun: clock.now(), Last: summary}
		if diff := cmp.Diff(want, one()); diff != "" {
			t.Errorf("after a run (-want +got):\n%s", diff)
		}
		clock.advance(time.Minute)
		if err := catalog.RecordFailure(t.Context(), key, errors.New(strings.Repeat("é", 5000))); err != nil {
			t.Fatal(err)
		}
		want.Failed = clock.now()
		got := one()
		if len(got.LastError) > 2100 || !strings.HasPrefix(got.LastError, "éé") {
			t.Errorf("a long error is kept as %d bytes", len(got.LastError))
		}
		want.LastError = got.LastError
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after a failure (-want +got):\n%s", diff)
		}
	})
}

func TestSourceNeedsAName(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, catalog *content.Catalog, _ *clock) {
		for _, name := range []string{"", "a\x00b", "\xff"} {
			_, err := catalog.Begin(t.Context(), site, name)
			wantCode(t, err, fail.Invalid)
		}
	})
}

// follower keeps what Changes tells it.
type follower struct {
	at    map[content.SourceKey]int64
	items map[content.Ref]content.Entry // by a Ref without Since
}

func newFollower() *follower {
	return &follower{items: map[content.Ref]content.Entry{}}
}

func (f *follower) sync(t testing.TB, catalog *content.Catalog) {
	t.Helper()
	to, err := catalog.Changes(context.Background(), f.at, func(change content.Change) error {
		ref := change.Entry.Ref
		ref.Since = 0
		if change.Removed {
			delete(f.items, ref)
		} else {
			f.items[ref] = change.Entry
		}
		return nil
	})
	if errors.Is(err, content.ErrBehind) {
		*f = *newFollower()
		f.sync(t, catalog)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	f.at = to
}
