package exchange_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/testkit/saletest"
	"frontdesk/internal/testkit/storetest"
)

// TestABrokenConnectionKeepsMoneyAndDeals is what a loss of power is on PostgreSQL, which keeps
// what it has committed by itself: the connections of a front desk are broken off at any step of
// discovering, buying, reporting, disputing, taking back and sweeping and between them, also when
// nobody knows whether it was committed, and now and then what was done is not told. Who hears
// nothing asks again. In the end all that was told is there, once, and can be proved; nothing was
// charged twice, and the sums hold.
func TestABrokenConnectionKeepsMoneyAndDeals(t *testing.T) {
	t.Parallel()
	b := storetest.NewBreaker(t)
	db := storetest.Open(t, b.DSN(), saletest.Schemas...)
	d := dealerOn(t, db, t.TempDir())
	d.AddStock(t)
	var all sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	all.Go(func() { d.Ledger.Run(ctx) })
	defer all.Wait()
	defer stop()
	var moment atomic.Int64
	m := newMarket(t, d, func() int { return int(moment.Add(1)) })
	m.tries = 100
	const enough = 300 // what has more steps than there are between two strikes would else never come to its end
	var late sync.WaitGroup
	d.Fault = func(step string) error {
		// by chance: what is tried again with so many steps would meet whatever comes each so many
		// steps each time
		switch n := rand.N(60); {
		case n < 2 && b.Broken() < enough: // while it stands at this step
			b.BreakAll()
		case n < 4 && b.Broken() < enough: // while it goes on
			late.Go(b.BreakAll)
		case n%5 == 0 && (step == "bought" || step == "reported" || step == "disputed"):
			return errors.New("the answer was lost")
		}
		return nil
	}
	m.run()
	late.Wait()
	d.Fault = nil
	if t.Failed() {
		t.FailNow()
	}
	m.worthIt()
	if b.Broken() < 20 || m.failed.Load() == 0 {
		t.Errorf("%d connections were broken off, and %d answers failed: the test tests nothing", b.Broken(),
			m.failed.Load())
	}
	t.Logf("%d connections were broken off, %d answers failed", b.Broken(), m.failed.Load())
	waiting := int64(1)
	for began := time.Now(); waiting > 0; {
		head, err := d.Ledger.Head(t.Context())
		if waiting = head.Waiting; err != nil {
			waiting = 1 // it came by a connection that was broken off while it lay idle
		}
		if waiting > 0 && time.Since(began) > time.Minute {
			t.Fatalf("%d entries wait for their places: %v", waiting, err)
		}
	}
	d.CheckInvariants(t)
	m.holds(d, math.MaxInt)
	m.once(d)
}
