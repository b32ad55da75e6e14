package counts_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts/counts"
	"frontdesk/internal/testkit/storetest"
)

var noon = time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC)

const none = counts.NoCap

// errDenied is of a purchase for which a cap leaves too little.
var errDenied = errors.New("denied")

// book counts purchases of a test.
type book struct {
	t  testing.TB
	db *store.DB
}

// buy counts a purchase under caps, or is errDenied.
func (b book) buy(id string, amount int64, currency string, period time.Duration, now time.Time,
	caps ...counts.Cap) error {
	return b.db.UpdateBatched(context.Background(), []string{id}, func(tx *store.Tx) error {
		counts, err := counts.Read(context.Background(), tx, caps, period, now)
		if err != nil {
			return err
		}
		if !counts.Allows(amount, currency) {
			return errDenied
		}
		return counts.Count(context.Background(), tx, id, amount, currency)
	})
}

func (b book) back(id string) {
	b.t.Helper()
	if err := b.db.UpdateBatched(context.Background(), []string{id},
		func(tx *store.Tx) error { return counts.Refund(context.Background(), tx, id) }); err != nil {
		b.t.Fatal(err)
	}
}

// expect buys, and holds that it is let through or denied.
func (b book) expect(step string, through bool, err error) {
	b.t.Helper()
	if err != nil && !errors.Is(err, errDenied) || (err == nil) != through {
		b.t.Errorf("%s: %v, want through %v", step, err, through)
	}
}

func (b book) rows(table string) (n int) {
	b.t.Helper()
	if err := b.db.View(context.Background(), func(tx *store.Tx) error {
		return tx.QueryRow(context.Background(), `SELECT COUNT(*) FROM `+table).Scan(&n)
	}); err != nil {
		b.t.Fatal(err)
	}
	return n
}

func opened(t *testing.T) book { return book{t, storetest.Chosen(t, counts.Schema)} }

func TestCapsCountWhatIsBought(t *testing.T) {
	t.Parallel()
	b := opened(t)
	accesses := counts.Cap{Block: []byte("accesses"), Spend: none, Accesses: 2}
	b.expect("first access", true, b.buy("a1", 500, "USD", 0, noon, accesses))
	b.expect("second access", true, b.buy("a2", 1<<60, "EUR", 0, noon.Add(1000*time.Hour), accesses))
	b.expect("third access", false, b.buy("a3", 0, "", 0, noon.Add(90000*time.Hour), accesses))
	spend := counts.Cap{Block: []byte("spend"), Spend: 100, Accesses: none}
	b.expect("more than all", false, b.buy("s0", 101, "USD", 0, noon, spend))
	b.expect("a part", true, b.buy("s1", 60, "USD", 0, noon, spend))
	b.expect("more than is left", false, b.buy("s2", 41, "USD", 0, noon, spend))
	b.expect("in another currency", false, b.buy("s3", 1, "EUR", 0, noon, spend))
	b.expect("for nothing, in another currency", true, b.buy("s4", 0, "EUR", 0, noon, spend))
	b.expect("the rest", true, b.buy("s5", 40, "USD", 0, noon, spend))
	b.expect("anything more", false, b.buy("s6", 1, "USD", 0, noon, spend))
	b.expect("for nothing", true, b.buy("s7", 0, "", 0, noon, spend))
	b.expect("less than nothing", false,
		b.buy("s8", -1, "USD", 0, noon, counts.Cap{Block: []byte("other"), Spend: 100, Accesses: none}))
	b.expect("a cap of nothing", false,
		b.buy("n1", 0, "", 0, noon, counts.Cap{Block: []byte("nothing"), Spend: none, Accesses: 0}))
}

// TestAttenuatedTokensCountAgainstTheirRoot has two tokens that were attenuated from one spend what
// both may together.
func TestAttenuatedTokensCountAgainstTheirRoot(t *testing.T) {
	t.Parallel()
	b := opened(t)
	root := counts.Cap{Block: []byte("root"), Spend: 100, Accesses: none}
	left, right := counts.Cap{Block: []byte("left"), Spend: 70, Accesses: none},
		counts.Cap{Block: []byte("right"), Spend: 70, Accesses: none}
	b.expect("left", true, b.buy("1", 60, "USD", 0, noon, root, left))
	b.expect("left, over its own", false, b.buy("2", 11, "USD", 0, noon, root, left))
	b.expect("right, over the root's", false, b.buy("3", 41, "USD", 0, noon, root, right))
	b.expect("right", true, b.buy("4", 30, "USD", 0, noon, root, right))
	b.expect("left again, attenuated once more", false,
		b.buy("5", 11, "USD", 0, noon, root, left, counts.Cap{Block: []byte("below left"), Spend: 70, Accesses: none}))
	b.expect("the root itself", true, b.buy("6", 10, "USD", 0, noon, root))
	b.expect("left, of which the root has nothing more", false, b.buy("7", 1, "USD", 0, noon, root, left))
}

func TestPeriodsBeginAnew(t *testing.T) {
	t.Parallel()
	b := opened(t)
	c := counts.Cap{Block: []byte("daily"), Spend: 100, Accesses: 1}
	const day = 24 * time.Hour
	b.expect("first", true, b.buy("1", 100, "USD", day, noon, c))
	b.expect("within the day", false, b.buy("2", 0, "USD", day, noon.Add(day-1), c))
	b.expect("next day, in another currency", true, b.buy("3", 100, "EUR", day, noon.Add(day), c))
	b.expect("the period is from the first purchase on", true, b.buy("4", 1, "USD", day, noon.Add(5*day+day/2), c))
	b.expect("so it is over at noon, not a day later", true, b.buy("5", 1, "USD", day, noon.Add(6*day), c))
	b.expect("and not before", false, b.buy("6", 1, "USD", day, noon.Add(7*day-1), c))
	b.expect("a clock that goes back opens nothing", false, b.buy("7", 1, "USD", day, noon, c))
}

func TestWhatIsGivenBackCanBeBoughtAgain(t *testing.T) {
	t.Parallel()
	b := opened(t)
	const day = 24 * time.Hour
	root, below := counts.Cap{Block: []byte("root"), Spend: 100, Accesses: 5},
		counts.Cap{Block: []byte("below"), Spend: none, Accesses: 1}
	b.expect("bought", true, b.buy("1", 100, "USD", day, noon, root, below))
	b.expect("nothing left", false, b.buy("2", 100, "EUR", day, noon, root, below))
	b.back("1")
	b.back("1") // which changes nothing more
	b.back("never bought")
	b.expect("as if it had not been", true, b.buy("3", 100, "EUR", day, noon, root, below))
	b.expect("next day", true, b.buy("4", 100, "USD", day, noon.Add(day), root, below))
	b.back("3") // of the day before
	b.expect("nothing of another day is given back", false, b.buy("5", 1, "USD", day, noon.Add(day), root, below))
	if n := b.rows("delegation_use"); n != 2 {
		t.Errorf("%d uses are kept", n)
	}
	b.expect("a purchase counts once", true, b.buy("6", 0, "", day, noon.Add(3*day), root))
	if err := b.buy("6", 0, "", day, noon.Add(3*day), root); err == nil {
		t.Error("one purchase was counted twice")
	}
}

// TestWhatIsOverIsForgotten holds that counters go when their block is over, and never before: not
// when a shorter-lived token was attenuated from it, and not at all where it has no end.
func TestWhatIsOverIsForgotten(t *testing.T) {
	t.Parallel()
	b := opened(t)
	root := counts.Cap{Block: []byte("root"), Spend: 100, Accesses: none, Expires: noon.Add(100 * time.Hour)}
	short := counts.Cap{Block: []byte("short"), Spend: none, Accesses: 3, Expires: noon.Add(time.Hour)}
	forever := counts.Cap{Block: []byte("forever"), Spend: none, Accesses: 1}
	b.expect("bought", true, b.buy("1", 100, "USD", 0, noon, root, short))
	b.expect("bought forever", true, b.buy("2", 1, "USD", 0, noon, forever))
	forget := func(before time.Time, most int) (n int) {
		t.Helper()
		if err := b.db.Update(t.Context(), func(tx *store.Tx) (err error) {
			n, err = counts.Forget(t.Context(), tx, before, most)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := forget(noon.Add(time.Hour), 10); n != 0 {
		t.Errorf("%d rows were forgotten too early", n)
	}
	if n := forget(noon.Add(2*time.Hour), 10); n != 1 || b.rows("delegation_count") != 2 {
		t.Errorf("%d rows, %d are left", n, b.rows("delegation_count"))
	}
	b.expect("the root is counted on", false, b.buy("3", 1, "USD", 0, noon.Add(3*time.Hour), root))
	b.back("1")
	b.expect("and given back without the other", true, b.buy("4", 100, "USD", 0, noon.Add(3*time.Hour), root))
	if n := forget(noon.Add(1000*time.Hour), 10); n != 1 {
		t.Errorf("%d rows at the end", n)
	}
	b.expect("without an end", false, b.buy("5", 1, "USD", 0, noon.Add(90000*time.Hour), forever))
}

// TestRacesForTheLastOfACap has 64 purchases at once ask for what is left for some of them, on each
// engine.
func TestRacesForTheLastOfACap(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		b := book{t, open(t, counts.Schema)}
		root := counts.Cap{Block: []byte("root"), Spend: 100, Accesses: 40}
		var through, spent atomic.Int64
		var all sync.WaitGroup
		for n := range 64 {
			amount := int64(n%4 + 1)
			below := counts.Cap{Block: fmt.Append(nil, "below ", n%3), Spend: none, Accesses: 15}
			all.Go(func() {
				switch err := b.buy(fmt.Sprint(n), amount, "USD", 0, noon, root, below); {
				case err == nil:
					through.Add(1)
					if spent.Add(amount); n%8 == 0 {
						b.back(fmt.Sprint(n))
						through.Add(-1)
						spent.Add(-amount)
					}
				case !errors.Is(err, errDenied):
					t.Error(err)
				}
			})
		}
		all.Wait()
		if through.Load() > 40 || spent.Load() > 100 {
			t.Errorf("%d purchases of %d went through", through.Load(), spent.Load())
		}
		err := b.db.View(t.Context(), func(tx *store.Tx) error {
			counts, err := counts.Read(t.Context(), tx, []counts.Cap{root}, 0, noon)
			if err == nil && (!counts.Allows(100-spent.Load(), "USD") && through.Load() < 40 ||
				counts.Allows(101-spent.Load(), "USD")) {
				t.Errorf("the counter is not what was bought: %d for %d", through.Load(), spent.Load())
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// TestCountersAreTheSumOfWhatWasBought holds random purchases and returns against a sum of their
// own.
func TestCountersAreTheSumOfWhatWasBought(t *testing.T) {
	t.Parallel()
	b := opened(t)
	random := rand.New(rand.NewPCG(7, 7))
	const most, often = 500, 30
	root := counts.Cap{Block: []byte("root"), Spend: most, Accesses: often}
	bought := map[string]int64{}
	for n := range 300 {
		sum := int64(0)
		for _, amount := range bought {
			sum += amount
		}
		if random.IntN(3) == 0 {
			for id := range bought {
				b.back(id)
				delete(bought, id)
				break
			}
			continue
		}
		id, amount := fmt.Sprint(n), random.Int64N(60)
		fits := amount <= most-sum && len(bought) < often
		if b.expect(id, fits, b.buy(id, amount, "USD", 0, noon, root)); fits {
			bought[id] = amount
		}
	}
}
