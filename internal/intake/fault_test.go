package intake

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/intake/offers"
	"frontdesk/internal/intake/vault"
	"frontdesk/internal/testkit/storetest"
	wire "frontdesk/wire/intake"
)

// TestAFailedStepLosesAndDoublesNothing lets each step of submitting and binding fail, once before
// it has happened and once after, and does it again as an agent would: then there is one offer, one
// bind, one effect, and one entry of each.
func TestAFailedStepLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"submit", "submit recorded", "submit done", "bind", "bind recorded", "bind put",
		"bind done"} {
		t.Run(step, func(t *testing.T) {
			k := newTaker(t)
			var left atomic.Int64
			left.Store(1)
			k.fault = func(at string) error {
				if at == step && left.Add(-1) >= 0 {
					return errors.New("the fault")
				}
				return nil
			}
			failed := 0
			again := func(do func() error) {
				t.Helper()
				for {
					err := do()
					if err == nil {
						return
					}
					if failed++; failed > 1 || !strings.Contains(err.Error(), "the fault") {
						t.Fatal(err)
					}
				}
			}
			var offer string
			again(func() error {
				out, err := k.Submit(t.Context(), k.submission(1, `{"age":41}`))
				if err == nil {
					offer = out.Offer.ID
				}
				return err
			})
			again(func() error { _, err := k.Bind(t.Context(), k.binding(1, offer, person)); return err })
			if failed != 1 {
				t.Fatalf("%d steps have failed", failed)
			}
			told := 0
			for k.deliver(t, nil) != nil {
				told++
			}
			if n := k.rowsOf(t, "submission_record"); n != 1 || k.rowsOf(t, "submission_bind") != 1 || told != 1 ||
				len(k.ledgerEntries(t, "intake")) != 1 || len(k.ledgerEntries(t, "bind")) != 1 {
				t.Errorf("there are %d records, %d binds, %d entries and %d; the business was told %d times", n,
					k.rowsOf(t, "submission_bind"), len(k.ledgerEntries(t, "intake")), len(k.ledgerEntries(t, "bind")),
					told)
			}
		})
	}
}

// TestALossOfPowerKeepsPromisesAndSecrets loses the power at moments all over a run of submitting,
// binding, delivering and erasing, with whatever a disk may then have of what was not synced, in
// the store and in the vault at once. Offers and binds that were acknowledged by then are there and
// can be read; what was erased by then cannot; nothing is there that nobody can open, unless it is
// about to be erased; and the service goes on.
func TestALossOfPowerKeepsPromisesAndSecrets(t *testing.T) {
	t.Parallel()
	disk := storetest.NewDisk(t)
	k := takerOn(t, disk.Name, t.TempDir())
	k.intake.Retention = wire.RetainSession
	type fact struct {
		at    int
		offer string
		n     int
	}
	var offered, bound, erased []fact
	begin := disk.Now()
	for n := range 24 {
		out := k.submitted(t, k.submission(n, `{"age":41}`))
		offered = append(offered, fact{disk.Now(), out.Offer.ID, n})
		if n%2 == 0 {
			k.bound(t, k.binding(n, out.Offer.ID, person))
			bound = append(bound, fact{disk.Now(), out.Offer.ID, n})
		}
		if n%4 == 0 {
			k.deliver(t, nil)
		}
		if n%6 == 5 {
			if _, err := k.Erase(t.Context(), out.Offer.ID, "key:1"); err != nil {
				t.Fatal(err)
			}
			erased = append(erased, fact{disk.Now(), out.Offer.ID, n})
		}
		if n%8 == 7 {
			if err := k.EraseDue(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	end := disk.Now()
	source := rand.New(rand.NewPCG(7, 8))
	for range storetest.Crashes(t, 12) {
		at := begin + source.IntN(end-begin)
		folder, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		if err := disk.Crash(at, source, folder); err != nil {
			t.Fatal(err)
		}
		copyKeys(t, k.places.keys, filepath.Join(folder, "keys"))
		after := takerOn(t, "", folder)
		after.intake.Retention = wire.RetainSession
		known := map[string]Request{}
		all, err := after.Inbox(t.Context(), vault.Filter{Limit: 500})
		if err != nil {
			t.Fatalf("at %d: %v", at, err)
		}
		for _, l := range all {
			q, err := after.Find(t.Context(), l.ID)
			if err != nil {
				t.Fatalf("at %d: %v", at, err)
			}
			known[q.Offer] = *q
			if q.StateNow == vault.Offered && q.OpenedAnswer == nil {
				t.Errorf("at %d there is an offer that nobody can open", at)
			}
		}
		gone := map[string]bool{}
		for _, f := range erased {
			if q := known[f.offer]; f.at <= at &&
				(q.OpenedAnswer != nil || q.Input != nil || q.Fields != nil || q.StateNow != vault.Erased) {
				t.Errorf("at %d what was erased at %d can be read", at, f.at)
			}
			gone[f.offer] = true // it may be erased, or not yet
		}
		for _, f := range offered {
			if q, there := known[f.offer]; f.at <= at && !there || there && q.OpenedAnswer == nil && !gone[f.offer] {
				t.Errorf("at %d there is not the offer of %d", at, f.at)
			}
		}
		for _, f := range bound {
			if q := known[f.offer]; f.at <= at && (q.Bind == nil || q.StateNow != vault.Bound) {
				t.Errorf("at %d there is not the bind of %d", at, f.at)
			}
		}
		// And it goes on: erasing that was broken off is completed, and an agent that heard nothing
		// asks again.
		if err := after.EraseDue(t.Context()); err != nil {
			t.Fatalf("at %d: %v", at, err)
		}
		for n := range 24 {
			out := after.submitted(t, after.submission(n, `{"age":41}`))
			after.bound(t, after.binding(n, out.Offer.ID, person))
		}
		if t.Failed() {
			t.FailNow()
		}
	}
}

// copyKeys copies a folder of secrets.
func copyKeys(t *testing.T, from, to string) {
	t.Helper()
	files, err := os.ReadDir(from)
	if err == nil {
		err = os.Mkdir(to, 0o700)
	}
	for _, file := range files {
		text, failed := os.ReadFile(filepath.Join(from, file.Name()))
		err = errors.Join(err, failed, os.WriteFile(filepath.Join(to, file.Name()), text, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// takerOn opens a taker whose databases are SQLite files of a folder, on a file layer.
func takerOn(t testing.TB, layer, folder string) *taker {
	t.Helper()
	return openTakerOn(t,
		premises{filepath.Join(folder, "store.db"), filepath.Join(folder, "vault.db"), filepath.Join(folder, "keys")},
		layer)
}

// forgetful is an engine that remembers nothing of what it was asked.
type forgetful struct{}

func (forgetful) Offer(context.Context, offers.Request) (offers.Outcome, error) {
	return usualOutcome(), nil
}

// TestMemoryStaysFlat submits many times: FRONTDESK_TEST_SUBMITS, or few. After a tenth of them no
// more is held than at the end.
//
// Not parallel: it measures memory.
func TestMemoryStaysFlat(t *testing.T) {
	many := 4000
	if text := os.Getenv("FRONTDESK_TEST_SUBMITS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		many = n
	} else if testing.Short() {
		many = 1000
	}
	k := newTaker(t)
	k.intake.Retention, k.intake.Engine = wire.RetainNone, forgetful{}
	k.intake.ValidFor = time.Second // so that all of it is erased while it goes on
	ctx, cancel := context.WithCancel(t.Context())
	var background sync.WaitGroup
	background.Go(func() { k.KeepRetention(ctx) })
	held := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var next atomic.Int64
	submit := func(until int) {
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				for n := int(next.Add(1)); n <= until; n = int(next.Add(1)) {
					if _, err := k.Submit(ctx,
						k.submission(n, fmt.Sprintf(`{"age":%d,"note":%q}`, n%100, strings.Repeat("tired ", 20)))); err != nil {
						t.Error(err)
						return
					}
					if n%1000 == 0 {
						k.clock.Advance(time.Second)
						k.eraseSoon()
					}
				}
			})
		}
		all.Wait()
		next.Store(int64(until))
	}
	submit(many / 10)
	before := held()
	submit(many)
	after := held()
	t.Logf("%d submissions: %d KiB held after a tenth, %d KiB at the end", many, before>>10, after>>10)
	if after > before+4<<20 {
		t.Errorf("%d KiB are held after %d submissions, and %d KiB were after a tenth", after>>10, many, before>>10)
	}
	cancel()
	background.Wait()
}
