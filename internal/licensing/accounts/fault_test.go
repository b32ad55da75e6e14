package accounts_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/testkit/storetest"
)

var errFault = errors.New("the fault of this test")

// failing is a context that lets some statements through and fails the next.
type failing struct {
	context.Context
	left *atomic.Int64
}

func (f failing) Err() error {
	if f.left.Add(-1) < 0 {
		return errFault
	}
	return f.Context.Err()
}

// TestAStatementThatFailsLeavesNothingBehind lets each statement of each way to move money fail in
// turn: then nothing has moved; and when it goes through and is asked for again, it moves nothing
// twice.
func TestAStatementThatFailsLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		b := newBench(t, open(t, accounts.Schema), accounts.Options{})
		b.pay(buyer, 1000)
		b.subscribe("sub", accounts.Scope{}, accounts.QuotaSetting{Unit: accounts.Accesses, Limit: 100},
			accounts.QuotaSetting{Unit: accounts.Tokens, Limit: 1_000_000})
		type call = func(ctx context.Context, tx *store.Tx) error
		authorize := func(c accounts.Charge) call {
			return func(ctx context.Context, tx *store.Tx) error { _, err := b.Authorize(ctx, tx, c); return err }
		}
		settle := func(id string) call {
			return func(ctx context.Context, tx *store.Tx) error {
				_, err := b.Settle(ctx, tx, id, accounts.Report{Quantity: 90, Now: noon})
				return err
			}
		}
		release := func(id string) call {
			return func(ctx context.Context, tx *store.Tx) error { _, err := b.Release(ctx, tx, id, noon); return err }
		}
		metered := charge("metered", price("per_token", 0.01))
		metered.Quantity = 100
		due := metered
		due.ID = "due"
		training := charge("training", price("training", 5))
		for _, c := range []struct {
			name  string
			call  call
			moves int64 // what it takes from what is available
			again bool  // asked for a second time it is an error
		}{
			{"charge", authorize(charge("flat", price("per_access", 1))), coin, true},
			{"grant", authorize(training), 5 * coin, true},
			{"hold", authorize(metered), coin, true},
			{"settle", settle("metered"), -coin / 10, true},
			{"hold what will be due", authorize(due), coin, true},
			{"expire", func(ctx context.Context, tx *store.Tx) error {
				_, err := expireAll(ctx, tx, b.Ledger, noon.Add(24*time.Hour))
				return err
			}, 0, false},
			{"count", authorize(under("counted", "sub", noon)), 0, true},
			{"uncount", release("counted"), 0, false},
			{"take back", release("training"), -5 * coin, false},
			{"pay in", func(ctx context.Context, tx *store.Tx) error {
				_, err := b.Pay(ctx, tx, accounts.Credit, "other.example/bot", "USD", coin, "", noon)
				return err
			}, 0, false},
		} {
			if c.name == "pay in" {
				b.pay("other.example/bot", 1)
			}
			before := b.balance(buyer).Available
			steps := 0
			for ; ; steps++ {
				var left atomic.Int64
				left.Store(int64(steps))
				err := b.db.Update(t.Context(),
					func(tx *store.Tx) error { return c.call(failing{t.Context(), &left}, tx) })
				if err == nil {
					break
				}
				if b.balance(buyer).Available != before {
					t.Fatalf("%s: a fault at step %d moved money", c.name, steps)
				}
				b.sound()
				if steps > 100 {
					t.Fatalf("%s: %v", c.name, err)
				}
			}
			if steps < 2 {
				t.Errorf("%s has %d steps that could fail", c.name, steps)
			}
			if moved := before - b.balance(buyer).Available; moved != c.moves {
				t.Errorf("%s moved %d, want %d", c.name, moved, c.moves)
			}
			b.sound()
			if c.name == "pay in" {
				continue
			}
			if err := b.try(c.call); (err != nil) != c.again {
				t.Errorf("%s again: %v", c.name, err)
			}
			if moved := before - b.balance(buyer).Available; moved != c.moves {
				t.Errorf("%s again moved %d, want %d", c.name, moved, c.moves)
			}
		}
	})
}

// TestWhatIsNotCommittedDidNotHappen undoes a whole transaction after the book has done its part.
func TestWhatIsNotCommittedDidNotHappen(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.Chosen(t, accounts.Schema), accounts.Options{})
	b.pay(buyer, 1)
	err := b.try(func(ctx context.Context, tx *store.Tx) error {
		if _, err := b.Authorize(ctx, tx, charge("1", price("per_access", 1))); err != nil {
			return err
		}
		return errFault
	})
	if !errors.Is(err, errFault) || b.balance(buyer).Available != coin {
		t.Errorf("%v; %d are left", err, b.balance(buyer).Available)
	}
	b.sound()
}

// TestARefusedPurchaseSpoilsNothingElse refuses one purchase of a batch and lets the one before and
// the one after through.
func TestARefusedPurchaseSpoilsNothingElse(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		b := newBench(t, open(t, accounts.Schema), accounts.Options{})
		b.pay(buyer, 1)
		b.do(func(ctx context.Context, tx *store.Tx) error {
			for _, c := range []struct {
				id    string
				coins float64
				want  accounts.Reason
			}{{"a", 0.6, ""}, {"b", 0.5, accounts.InsufficientBalance}, {"c", 0.4, ""},
				{"d", 0.00000001, accounts.InsufficientBalance}} {
				if _, err := b.Authorize(ctx, tx, charge(c.id, price("per_access", c.coins))); reason(err) != c.want ||
					c.want == "" && err != nil {
					t.Errorf("%s: %v", c.id, err)
				}
			}
			return nil
		})
		if left := b.balance(buyer); left.Available != 0 || left.Earned != coin {
			t.Errorf("%+v", left)
		}
		b.sound()
	})
}

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

// TestALossOfPowerLosesAndDoublesNoMoney loses the power at moments all over a run of purchases,
// reports, payments and what is taken back. What was acknowledged by then is there, once; and the
// sums hold.
func TestALossOfPowerLosesAndDoublesNoMoney(t *testing.T) {
	t.Parallel()
	disk := storetest.NewDisk(t)
	folder := t.TempDir()
	db, err := store.Open(t.Context(),
		store.Config{DSN: filepath.Join(folder, "book.db"), Schemas: []store.Schema{accounts.Schema}, Files: disk.Name})
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, db, accounts.Options{})
	b.pay("buyer.example.com/*", 1000)
	b.subscribe("sub", accounts.Scope{}, accounts.QuotaSetting{Unit: accounts.Accesses, Limit: 1000},
		accounts.QuotaSetting{Unit: accounts.Tokens, Limit: 1_000_000})
	var mu sync.Mutex
	type fact struct {
		state accounts.State
		at    int
	}
	acknowledged := map[string][]fact{}
	note := func(id string, state accounts.State, err error) {
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		acknowledged[id] = append(acknowledged[id], fact{state, disk.Now()})
	}
	begin := disk.Now()
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for i := range 30 {
				id := fmt.Sprintf("%d-%d", worker, i)
				c := charge(id, price([]string{"per_access", "per_token"}[i%2], 0.01))
				c.Quantity, c.Tokens = 100, 100
				if i%5 == 0 {
					c.Subscription = "sub"
				}
				h, err := b.authorize(c)
				note(id, h.State, err)
				if i%3 == 0 {
					h, err := b.release(id, noon)
					note(id, h.State, err)
				} else if h.State == accounts.Held {
					s, err := b.settle(id, accounts.Report{Quantity: 90, Now: noon})
					note(id, s.State, err)
				}
			}
		})
	}
	all.Wait()
	end := disk.Now()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	n := crashes(t)
	source := rand.New(rand.NewPCG(7, uint64(n)))
	for i := range n {
		at := begin + (end-begin)*i/n
		if n < end-begin {
			at = begin + source.IntN(end-begin)
		}
		least := map[string]accounts.State{} // the last that was acknowledged of each
		for id, facts := range acknowledged {
			for _, f := range facts {
				if f.at <= at {
					least[id] = f.state
				}
			}
		}
		if !survives(t, disk, at, source, least) {
			t.Fatalf("the power was lost at moment %d of %d", at, end)
		}
	}
}

// survives says whether the book is sound after a loss of power, has all that was acknowledged, and
// goes on.
func survives(t *testing.T, disk *storetest.Disk, at int, source *rand.Rand, least map[string]accounts.State) bool {
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
		store.Config{DSN: filepath.Join(folder, "book.db"), Schemas: []store.Schema{accounts.Schema}, Readers: 1})
	if err != nil {
		t.Error(err)
		return false
	}
	defer db.Close()
	b := newBench(t, db, accounts.Options{})
	b.sound()
	there, err := accounts.NewReader(db).Purchases(t.Context(), accounts.PurchaseFilter{})
	if err != nil {
		t.Error(err)
		return false
	}
	states := map[string]accounts.State{}
	for _, h := range there {
		states[h.ID] = h.State
	}
	for id, state := range least {
		if have := states[id]; have != state &&
			(have == "" || state == accounts.Released || state == accounts.Settled && have != accounts.Released) {
			t.Errorf("%s was acknowledged as %s and is %q", id, state, have)
		}
	}
	if _, err := b.authorize(charge("after", price("per_access", 0.01))); err != nil {
		t.Error(err)
	}
	b.sound()
	return !t.Failed()
}
