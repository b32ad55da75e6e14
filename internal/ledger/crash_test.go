package ledger_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/receipt"
)

// crashes is at how many moments the power is lost: FRONTDESK_TEST_CRASHES, or few.
func crashes(t *testing.T) int {
	text := os.Getenv("FRONTDESK_TEST_CRASHES")
	switch {
	case text == "" && testing.Short():
		return 8
	case text == "":
		return 40
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestALossOfPowerLosesAndDoublesNothing loses the power at moments all over a run of the ledger,
// with whatever a disk may then have of what was not synced. What was acknowledged by then is
// there, once, and can be proved; what is there beyond was on its way; and the ledger goes on.
func TestALossOfPowerLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	disk := storetest.NewDisk(t)
	folder := t.TempDir()
	db, err := store.Open(t.Context(),
		store.Config{DSN: filepath.Join(folder, "ledger.db"), Schemas: []store.Schema{ledger.Schema}, Files: disk.Name})
	if err != nil {
		t.Fatal(err)
	}
	type acknowledgement struct {
		id string
		at int
	}
	var mu sync.Mutex
	var begun []int // the moments at which entries were on their way
	var acknowledged []acknowledgement
	begin := disk.Now()
	l := ledger.New(db, options("one"))
	put := func(n int) {
		mu.Lock()
		begun = append(begun, disk.Now())
		mu.Unlock()
		id, err := appendOne(t, db, l, n)
		if err != nil {
			t.Error(err)
			return
		}
		mu.Lock()
		acknowledged = append(acknowledged, acknowledgement{id, disk.Now()})
		mu.Unlock()
	}
	for i := range 200 { // one after another
		put(i)
	}
	var all sync.WaitGroup
	for worker := range 4 { // and several at once
		all.Go(func() {
			for i := range 40 {
				put(1000*worker + i)
			}
		})
	}
	all.Wait()
	end := disk.Now()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	end = max(end, disk.Now())
	n := crashes(t)
	source := rand.New(rand.NewPCG(7, uint64(n)))
	for i := range n {
		at := begin + (end-begin)*i/n
		if n < end-begin {
			at = begin + source.IntN(end-begin)
		}
		must := map[string]bool{}
		for _, a := range acknowledged {
			if a.at <= at {
				must[a.id] = true
			}
		}
		may := 0
		for _, moment := range begun {
			if moment <= at {
				may++
			}
		}
		if !survives(t, disk, at, source, must, may) {
			t.Fatalf("the power was lost at moment %d of %d", at, end)
		}
	}
}

// survives says whether the ledger is whole after a loss of power, with all entries that it must
// have and no more than may be.
func survives(t *testing.T, disk *storetest.Disk, at int, source *rand.Rand, must map[string]bool, may int) bool {
	t.Helper()
	folder, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	if err := disk.Crash(at, source, folder); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(),
		store.Config{DSN: filepath.Join(folder, "ledger.db"), Schemas: []store.Schema{ledger.Schema}, Readers: 1})
	if err != nil {
		t.Error(err)
		return false
	}
	defer db.Close()
	l := ledger.New(db, options("one"))
	if err := l.Inspect(t.Context()); err != nil {
		t.Error(err)
		return false
	}
	before, err := l.Head(t.Context())
	if err != nil {
		t.Error(err)
		return false
	}
	if _, err := appendOne(t, db, l, 0); err != nil { // it goes on
		t.Error(err)
		return false
	}
	report, err := l.Check(t.Context())
	if err != nil || len(report.Findings) > 0 || report.Waiting > 0 {
		t.Errorf("%+v, %v", report, err)
		return false
	}
	if before.Size < int64(len(must)) || before.Size > int64(may) {
		t.Errorf("%d entries are there; %d were acknowledged and %d begun", before.Size, len(must), may)
		return false
	}
	missing := len(must)
	var last receipt.Entry
	for r, err := range l.Read(t.Context(), ledger.Filter{}) {
		if err != nil {
			t.Error(err)
			return false
		}
		if must[r.Entry.ID] {
			missing--
			last = r.Entry
		}
	}
	if missing != 0 {
		t.Error(fmt.Errorf("%d acknowledged entries are lost or doubled", missing))
		return false
	}
	if last.ID == "" {
		return true
	}
	given, err := l.Receipt(t.Context(), last.ID)
	if err == nil {
		_, err = receipt.Verify(given, public("one"))
	}
	if err != nil {
		t.Error(err)
	}
	return err == nil
}
