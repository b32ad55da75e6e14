package imported

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

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

// edition is what a site states the n-th time. Its text fits no row.
func edition(n int) *Snapshot {
	source := rand.New(rand.NewPCG(1, uint64(n)))
	s := &Snapshot{Site: "a", Documents: []Document{{"x", []byte(rsl(fmt.Sprintf("/%d", n)))}}}
	for range 5000 {
		s.Addresses = append(s.Addresses,
			Address{URL: fmt.Sprintf("https://a.example/%d/%x/%x", n, source.Uint64(), source.Uint64()), Place: "map",
				Source: Sitemap})
	}
	return s
}

// same says whether two snapshots are one edition, whole.
func same(a, b *Snapshot) bool {
	return a == b || a != nil && b != nil && string(a.Documents[0].Text) == string(b.Documents[0].Text) &&
		slices.EqualFunc(a.Addresses, b.Addresses, func(a, b Address) bool { return a.URL == b.URL })
}

// TestALossOfPowerLeavesWhatWasStatedWhole loses the power at moments all over readings: what is
// there is what was read last, or what was being put in its place.
func TestALossOfPowerLeavesWhatWasStatedWhole(t *testing.T) {
	t.Parallel()
	disk := storetest.NewDisk(t)
	db, err := store.Open(t.Context(),
		store.Config{DSN: filepath.Join(t.TempDir(), "store.db"), Schemas: []store.Schema{Schema}, Files: disk.Name})
	if err != nil {
		t.Fatal(err)
	}
	k := New(db, func() time.Time { return noon })
	const editions = 5
	var ends []int
	states := []*Snapshot{nil}
	begin := disk.Now()
	for n := range editions {
		if held, err := k.Claim(t.Context(), "a"); !held || err != nil {
			t.Fatal(held, err)
		}
		if err := k.Put(t.Context(), edition(n), noon, false); err != nil {
			t.Fatal(err)
		}
		ends, states = append(ends, disk.Now()), append(states, edition(n))
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	source := rand.New(rand.NewPCG(7, 1))
	crashes := 40
	if testing.Short() {
		crashes = 12
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
			store.Config{DSN: filepath.Join(folder, "store.db"), Schemas: []store.Schema{Schema}, Readers: 1})
		if err != nil {
			t.Fatal(err)
		}
		done := 0
		for done < editions && ends[done] <= at {
			done++
		}
		k := New(db, func() time.Time { return noon.Add(time.Hour) })
		got, version, err := k.Load(t.Context(), "a")
		if err != nil || !same(got, states[done]) && (done == editions || !same(got, states[done+1])) {
			t.Fatalf("at moment %d, after %d editions: version %d, %v", at, done, version, err)
		}
		if held, err := k.Claim(t.Context(), "a"); !held || err != nil { // who held it is gone
			t.Fatalf("nobody may read it any more: %v", err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		os.RemoveAll(folder)
	}
}

// TestABrokenConnectionLeavesWhatWasStatedWhole breaks the connections of PostgreSQL off while what
// was read is put in the place of what was there.
func TestABrokenConnectionLeavesWhatWasStatedWhole(t *testing.T) {
	t.Parallel()
	dsn := storetest.NewPostgres(t)
	name := fmt.Sprintf("stated-%d-%d", os.Getpid(), rand.Uint64())
	other := storetest.Open(t, dsn)
	k := New(storetest.Open(t, dsn+"&application_name="+name, Schema), func() time.Time { return noon })
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
	load := func() *Snapshot {
		for {
			if s, _, err := k.Load(t.Context(), "a"); err == nil {
				return s
			}
		}
	}
	before := (*Snapshot)(nil)
	for n := range 40 {
		next := edition(n)
		var late sync.WaitGroup
		if n > 0 {
			late.Go(strike)
		}
		err := k.Put(t.Context(), next, noon, false)
		late.Wait()
		got := load()
		if !same(got, next) && (err == nil || !same(got, before)) {
			t.Fatalf("edition %d, %v: neither the old nor the new is there", n, err)
		}
		before = got
	}
	if broken.Load() < 10 {
		t.Errorf("%d connections were broken off: the test tests nothing", broken.Load())
	}
}
