package content_test

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/content"
	"frontdesk/internal/store/storetest"
)

// TestReadersSeeWholeStates reads through one connection to the database, as a server does, what runs publish through
// another, as an ingest does.
func TestReadersSeeWholeStates(t *testing.T) {
	storetest.EachDSN(t, func(t *testing.T, fresh func(testing.TB) string) {
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
