package content_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/fail"
)

// remembered lists what a new run is told of the last one.
func remembered(t *testing.T, catalog *content.Catalog) map[string]string {
	t.Helper()
	run := begin(t, catalog)
	defer run.Abort(t.Context())
	all := map[string]string{}
	if err := run.EachPageState(t.Context(), func(url string, state []byte) error {
		all[url] = string(state)
		again, known, err := run.PageState(t.Context(), url)
		if !known || string(again) != string(state) {
			t.Errorf("Recall of %s gives %q, %t", url, again, known)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestPagesAreRememberedWithTheRunThatSawThem(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, catalog *content.Catalog, clock *clock) {
		catalog.SetLimits(2, 2, 2)
		remember := func(run *content.Run, pages ...string) {
			for _, p := range pages {
				if err := run.PutPageState(t.Context(), p, []byte("of "+p)); err != nil {
					t.Fatal(err)
				}
			}
		}
		first := begin(t, catalog)
		put(t, first, items("a:0")...)
		remember(first, "u1", "u2", "u3", "u4", "u3")
		if err := first.Abort(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := remembered(t, catalog); len(got) > 0 {
			t.Errorf("an aborted run left %q", got)
		}
		second := begin(t, catalog)
		put(t, second, items("a:0")...)
		remember(second, "u1", "u2", "u3", "u4", "u5")
		commit(t, second, content.CommitOptions{})
		want := map[string]string{"u1": "of u1", "u2": "of u2", "u3": "of u3", "u4": "of u4", "u5": "of u5"}
		if diff := cmp.Diff(want, remembered(t, catalog)); diff != "" {
			t.Error(diff)
		}
		// A run that changes no item still puts what it remembers in the place of what was there.
		third := begin(t, catalog)
		put(t, third, items("a:0")...)
		remember(third, "u2", "u9")
		commit(t, third, content.CommitOptions{})
		if diff := cmp.Diff(map[string]string{"u2": "of u2", "u9": "of u9"}, remembered(t, catalog)); diff != "" {
			t.Error(diff)
		}
		if err := catalog.Remove(t.Context(), site, source); err != nil {
			t.Fatal(err)
		}
		if got := remembered(t, catalog); len(got) > 0 {
			t.Errorf("a forgotten source left %q", got)
		}
	})
}

func TestKeptItemsStayAndMissingOnesAreCounted(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, catalog *content.Catalog, clock *clock) {
		fill(t, catalog, "a:0", "b:0", "c:0")
		run := begin(t, catalog)
		put(t, run, items("d:0")...)
		missing, err := run.KeepItems(t.Context(), items("a:0")[0].URL, items("b:0")[0].URL, items("d:0")[0].URL,
			items("e:0")[0].URL)
		if err != nil || missing != 1 {
			t.Errorf("%d missing, %v", missing, err)
		}
		got := commit(t, run, content.CommitOptions{})
		if got.Unchanged != 2 || got.Added != 1 || got.Removed != 1 {
			t.Errorf("%+v", got)
		}
		wantCurrent(t, catalog, "a:0", "b:0", "d:0")
	})
}

func TestCheckpointShowsWhatIsThereAndRemovesNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, catalog *content.Catalog, clock *clock) {
		run := begin(t, catalog)
		if !run.IsFirst() {
			t.Error("a new source's run is not its first")
		}
		put(t, run, items("a:0", "b:0")...)
		if err := run.Checkpoint(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantCurrent(t, catalog, "a:0", "b:0")
		put(t, run, items("b:1", "c:0")...)
		wantCurrent(t, catalog, "a:0", "b:0")
		if err := run.Abort(t.Context()); err != nil {
			t.Fatal(err)
		}
		again := begin(t, catalog)
		if !again.IsFirst() {
			t.Error("a run that was aborted after a checkpoint counts as one that was committed")
		}
		put(t, again, items("a:0", "c:0")...)
		got := commit(t, again, content.CommitOptions{})
		if got.Unchanged != 1 || got.Added != 1 || got.Removed != 1 || got.Revision != 2 {
			t.Errorf("%+v", got)
		}
		wantCurrent(t, catalog, "a:0", "c:0")
		if last := begin(t, catalog); last.IsFirst() {
			t.Error("a run after a committed one is the first")
		}
	})
}

func TestRenewHoldsASourceThatHasNothingToPut(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, catalog *content.Catalog, clock *clock) {
		run := begin(t, catalog)
		for range 4 {
			clock.advance(20 * time.Second)
			if err := run.RenewLease(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		_, err := catalog.Begin(t.Context(), site, source)
		wantCode(t, err, fail.Unavailable)
		clock.advance(time.Minute)
		begin(t, catalog)
		wantCode(t, run.RenewLease(context.Background()), fail.Unavailable)
	})
}

func TestAttemptsAreTold(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, catalog *content.Catalog, clock *clock) {
		key := content.SourceKey{Site: site, Source: source}
		want := content.Attempt{StartedAt: clock.now(), Next: clock.now().Add(time.Hour), Detail: `{"pages":3}`}
		if err := catalog.RecordAttempt(t.Context(), key, want); err != nil {
			t.Fatal(err)
		}
		fill(t, catalog, "a:0")
		sources, err := catalog.Sources(t.Context())
		if err != nil || len(sources) != 1 {
			t.Fatal(sources, err)
		}
		if diff := cmp.Diff(want, sources[0].Attempt); diff != "" {
			t.Error(diff)
		}
	})
}

// TestARunOfSomePagesTouchesNoOthers changes and drops what a few pages hold. Everything else
// stays: items, what is remembered, and when the source was last read.
func TestARunOfSomePagesTouchesNoOthers(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, catalog *content.Catalog, clock *clock) {
		catalog.SetLimits(2, 2, 2)
		whole := begin(t, catalog)
		put(t, whole, items("a:0", "b:0", "c:0", "d:0", "e:0", "f:0")...)
		for _, page := range []string{"u1", "u2", "u3"} {
			if err := whole.PutPageState(t.Context(), page, []byte("of "+page)); err != nil {
				t.Fatal(err)
			}
		}
		commit(t, whole, content.CommitOptions{})
		sources := func() content.Source {
			all, err := catalog.Sources(t.Context())
			if err != nil || len(all) != 1 {
				t.Fatal(all, err)
			}
			return all[0]
		}
		before := sources()
		clock.advance(time.Hour)
		some := begin(t, catalog)
		put(t, some, items("a:1", "g:0")...)
		kept := items("c:0")[0].URL
		some.DropItems(items("b:0", "c:0", "nothing:0")[0].URL, items("b:0")[0].URL, kept)
		if _, err := some.KeepItems(t.Context(), kept); err != nil {
			t.Fatal(err)
		}
		for _, page := range []string{"u2", "u4", "u5"} {
			if err := some.PutPageState(t.Context(), page, []byte("anew "+page)); err != nil {
				t.Fatal(err)
			}
		}
		summary := commit(t, some, content.CommitOptions{Subset: true})
		if summary.Added != 1 || summary.Changed != 1 || summary.Removed != 1 || summary.Items != 6 {
			t.Errorf("%+v", summary)
		}
		want := []string{"a:1", "c:0", "d:0", "e:0", "f:0", "g:0"}
		wantCurrent(t, catalog, want...)
		if diff := cmp.Diff(map[string]string{"u1": "of u1", "u2": "anew u2", "u3": "of u3", "u4": "anew u4",
			"u5": "anew u5"}, remembered(t, catalog)); diff != "" {
			t.Error(diff)
		}
		after := sources()
		if !after.LastRun.Equal(before.LastRun) || after.Last != before.Last || after.Items != 6 {
			t.Errorf("%+v, was %+v", after, before)
		}
		// Nothing is emptied by some pages either.
		much := begin(t, catalog)
		for _, item := range items(want[:4]...) {
			much.DropItems(item.URL)
		}
		if _, err := much.Commit(t.Context(), content.CommitOptions{Subset: true}); fail.From(err).Code !=
			fail.Invalid {
			t.Errorf("most of it may leave: %v", err)
		}
		if err := much.Abort(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantCurrent(t, catalog, want...)
	})
}
