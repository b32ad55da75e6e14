package ingest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

// edition puts the n-th edition of a site in: a part changes with each, a part goes, a part comes.
func (h *host) edition(n int) {
	h.mu.Lock()
	clear(h.pages)
	h.mu.Unlock()
	var links []string
	for i := range 24 {
		if i%6 == n%6 {
			continue
		}
		name := fmt.Sprintf("page %d", i)
		if i%3 > 0 {
			name = fmt.Sprintf("page %d of edition %d", i, n)
		}
		links = append(links, fmt.Sprintf("/%d", i))
		h.put(links[len(links)-1], pageOf(name))
	}
	h.put("/", pageOf(fmt.Sprintf("edition %d", n), links...))
}

// reach reads an edition, whole or, of every third, by the pages that changed alone.
func (h *host) reach(n int) error {
	h.web.Only = nil
	if n%3 == 2 {
		h.web.Only = []string{"/"}
		for i := range 24 {
			h.web.Only = append(h.web.Only, fmt.Sprintf("/%d", i))
		}
	}
	_, err := h.run()
	return err
}

// TestALossOfPowerLeavesAWholeEdition loses the power at moments all over the reading of a site
// that changes, whole and by named pages, with whatever a disk may then have of what was not
// synced. What is there is the edition that was read last, or the one that was being read: never a
// mixture, never nothing.
func TestALossOfPowerLeavesAWholeEdition(t *testing.T) {
	t.Parallel()
	disk := storetest.NewDisk(t)
	h := newHost(t)
	h.web.Parallel = 2
	db, err := store.Open(t.Context(),
		store.Config{DSN: filepath.Join(t.TempDir(), "store.db"), Schemas: []store.Schema{content.Schema},
			Files: disk.Name})
	if err != nil {
		t.Fatal(err)
	}
	h.catalog = content.New(db, content.Options{Now: h.clock})
	const editions = 7
	var ends []int
	states := [][]string{nil}
	begin := disk.Now()
	for n := range editions {
		h.edition(n)
		if err := h.reach(n); err != nil {
			t.Fatal(err)
		}
		ends, states = append(ends, disk.Now()), append(states, h.items())
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	source := rand.New(rand.NewPCG(7, 1))
	crashes := 60
	if testing.Short() {
		crashes = 15
	}
	for i := range crashes {
		at := begin + (ends[editions-1]-begin)*i/crashes
		folder, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		if err := disk.Crash(at, source, folder); err != nil {
			t.Fatal(err)
		}
		db, err := store.Open(t.Context(),
			store.Config{DSN: filepath.Join(folder, "store.db"), Schemas: []store.Schema{content.Schema}, Readers: 1})
		if err != nil {
			t.Fatalf("at moment %d: %v", at, err)
		}
		h.catalog = content.New(db, content.Options{Now: h.clock})
		done := 0
		for done < editions && ends[done] <= at {
			done++
		}
		got := h.items()
		if !slices.Equal(got, states[done]) && (done == editions || !slices.Equal(got, states[done+1])) {
			t.Fatalf("at moment %d of %d, after %d editions, there is\n%q", at, ends[editions-1], done, got)
		}
		if i%10 == 0 { // and the next reading brings what is there now
			h.web.Only = nil
			h.sleepFor(time.Minute) // after which a run that is silent is over: its process is this one
			if _, err := h.run(); err != nil || !slices.Equal(h.items(), states[editions]) {
				t.Fatalf("at moment %d, read anew: %v, %q", at, err, h.items())
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		os.RemoveAll(folder)
	}
	t.Logf("the power was lost %d times at %d moments", crashes, ends[editions-1]-begin)
}

// TestABrokenConnectionLeavesAWholeEdition is what a loss of power is on PostgreSQL: its
// connections are broken off all over the reading.
func TestABrokenConnectionLeavesAWholeEdition(t *testing.T) {
	t.Parallel()
	dsn := storetest.NewPostgres(t)
	name := fmt.Sprintf("ingest-%d-%d", os.Getpid(), rand.Uint64())
	other := storetest.Open(t, dsn)
	h := newHost(t)
	h.web.Parallel = 2
	h.catalog = content.New(storetest.Open(t, dsn+"&application_name="+name, content.Schema),
		content.Options{Now: h.clock})
	var broken atomic.Int64
	strike := func() {
		ctx := context.WithoutCancel(t.Context())
		if err := other.View(ctx, func(tx *store.Tx) error {
			var n int64
			err := tx.QueryRow(ctx, `SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = $1`, name).Scan(&n)
			broken.Add(n)
			return err
		}); err != nil {
			t.Error(err)
		}
	}
	var late sync.WaitGroup
	defer late.Wait()
	steps, most := 0, 40
	h.options.Progress = func(Progress) {
		switch steps++; {
		case most <= 0:
		case steps%17 == 0:
			most--
			strike()
		case steps%17 == 8:
			most--
			late.Go(strike)
		}
	}
	var before []string
	failed := 0
	for n := range 6 {
		h.edition(n)
		wanted := []string{fmt.Sprintf("/ edition %d", n)}
		for tries := 0; ; tries++ {
			err := h.reach(n)
			late.Wait()
			var got []string
			for got = nil; got == nil; {
				got = h.itemsOrNil()
			}
			whole := slices.Contains(got, wanted[0])
			if !whole && !slices.Equal(got, before) && len(got) > 0 {
				t.Fatalf("edition %d, %v: neither the old nor the new is there: %q", n, err, got)
			}
			if err == nil {
				if !whole {
					t.Fatalf("edition %d was read, and is not there: %q", n, got)
				}
				before = got
				break
			}
			failed++
			h.sleepFor(time.Minute) // after which a run is over that could not say so
			if tries == 200 {
				t.Fatal(err)
			}
		}
		h.web.Only = nil
	}
	if broken.Load() < 10 {
		t.Errorf("%d connections were broken off: the test tests nothing", broken.Load())
	}
	t.Logf("%d connections were broken off, %d readings failed", broken.Load(), failed)
}

// itemsOrNil are the items, where the connection lasts.
func (h *host) itemsOrNil() []string {
	all := []string{}
	if err := h.catalog.EachItem(h.Context(), "shop.example", func(i content.Item) error {
		all = append(all, i.URL[len(h.server.URL):]+" "+i.Name)
		return nil
	}); err != nil {
		return nil
	}
	slices.Sort(all)
	return all
}
