package content_test

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/content"
	"frontdesk/internal/testkit/storetest"
)

// TestReadersSeeWholeStates reads through one connection to the database, as a server does, what
// runs publish through another, as an ingest does.
func TestReadersSeeWholeStates(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		dsn := fresh(t)
		writing := content.New(storetest.Open(t, dsn, content.Schema), content.Options{})
		reading := content.New(storetest.Open(t, dsn, content.Schema), content.Options{})
		writing.SetLimits(20, 20, 20)
		done := make(chan bool)
		var all sync.WaitGroup
		all.Go(func() {
			defer close(done)
			for n := range 8 {
				run := begin(t, writing)
				put(t, run, stateItems(n)...)
				commit(t, run, content.CommitOptions{})
			}
		})
		for range 2 {
			all.Go(func() {
				follower := newFollower()
				for running := true; running; {
					select {
					case <-done:
						running = false // and once more, for the last state
					default:
					}
					follower.sync(t, reading)
					wantState(t, follower)
				}
				if at := follower.at[key]; at != 8 {
					t.Errorf("the reader has come to revision %d", at)
				}
			})
		}
		all.Wait()
	})
}

// wantState holds a follower to the state that its revision stands for.
func wantState(t *testing.T, f *follower) {
	t.Helper()
	revision := int(f.at[key])
	if revision == 0 {
		return
	}
	want, got := map[string]string{}, map[string]string{}
	for _, i := range stateItems(revision - 1) {
		want[i.URL] = i.Name
	}
	for _, entry := range f.items {
		got[entry.URL] = entry.Name
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("revision %d (-want +got):\n%s", revision, diff)
	}
}

// TestSourcesAreFilledSideBySide runs over several sources at once, which is one at a time for each
// but not for all.
func TestSourcesAreFilledSideBySide(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		catalog := content.New(storetest.Open(t, fresh(t), content.Schema), content.Options{})
		catalog.SetLimits(20, 20, 20)
		var all sync.WaitGroup
		for _, name := range []string{"a", "b", "c", "d"} {
			all.Go(func() {
				for n := range 3 {
					run, err := catalog.Begin(t.Context(), site, name)
					if err == nil {
						err = run.Put(t.Context(), stateItems(n)...)
					}
					if err == nil {
						_, err = run.Commit(t.Context(), content.CommitOptions{})
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		sources, err := catalog.Sources(t.Context())
		if err != nil || len(sources) != 4 {
			t.Fatalf("%d sources (%v)", len(sources), err)
		}
		for _, s := range sources {
			if s.Revision != 3 || s.Items != len(stateItems(2)) {
				t.Errorf("%+v", s)
			}
		}
	})
}
