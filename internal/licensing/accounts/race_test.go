package accounts_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/testkit/storetest"
)

// race lets 64 purchases at once, of as many buyers of a domain, and gives how many were let
// through. What is refused must be for a reason.
func race(t *testing.T, b *bench, want accounts.Reason, change func(*accounts.Charge)) int64 {
	t.Helper()
	var through atomic.Int64
	var all sync.WaitGroup
	begin := make(chan struct{})
	for n := range 64 {
		all.Go(func() {
			c := charge(fmt.Sprintf("%s-%d", t.Name(), n), price("per_access", 0.01))
			c.Buyer = fmt.Sprintf("buyer.example.com/%d", n)
			change(&c)
			<-begin
			_, err := b.authorize(c)
			switch {
			case err == nil:
				through.Add(1)
			case reason(err) != want:
				t.Errorf("%v, want %s", err, want)
			}
		})
	}
	close(begin)
	all.Wait()
	return through.Load()
}

// TestOfManyForTheLastOneExactlyOneWins has 64 buyers ask at once for the last cent of their
// domain's account, and for the last access of its subscription.
func TestOfManyForTheLastOneExactlyOneWins(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		b := newBench(t, open(t, accounts.Schema), accounts.Options{})
		b.pay("buyer.example.com/*", 0.01)
		b.subscribe("sub", accounts.Scope{}, accounts.QuotaSetting{Unit: accounts.Accesses, Limit: 1})
		t.Run("cent", func(t *testing.T) {
			if n := race(t, b, accounts.InsufficientBalance, func(*accounts.Charge) {}); n != 1 {
				t.Errorf("%d won", n)
			}
			if left := b.balance("buyer.example.com/*").Available; left != 0 {
				t.Errorf("%d are left", left)
			}
		})
		t.Run("access", func(t *testing.T) {
			if n := race(t, b, accounts.QuotaExceeded, func(c *accounts.Charge) {
				c.Buyer, c.Subscription = buyer, "sub"
			}); n != 1 {
				t.Errorf("%d won", n)
			}
		})
		b.sound()
	})
}

// TestAReportAndTheSweepCloseAPurchaseOnce lets reports, the sweep and what takes back run into
// each other.
func TestAReportAndTheSweepCloseAPurchaseOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		b := newBench(t, open(t, accounts.Schema), accounts.Options{})
		b.pay(buyer, 100)
		const n = 16
		for i := range n {
			c := charge(fmt.Sprint(i), price("per_token", 0.01))
			c.Quantity = 100
			if _, err := b.authorize(c); err != nil {
				t.Fatal(err)
			}
		}
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() {
				_, _ = b.settle(fmt.Sprint(i), accounts.Report{Quantity: 90, Now: noon.Add(24 * time.Hour)})
			})
			if i%2 == 0 {
				all.Go(func() { _, _ = b.release(fmt.Sprint(i), noon) })
			}
		}
		for range 4 {
			all.Go(func() { b.expire(noon.Add(24 * time.Hour)) })
		}
		all.Wait()
		b.sound()
		if left := b.balance(buyer); left.Held != 0 || left.Earned < n/2*9*coin/10 || left.Earned > n/2*coin {
			t.Errorf("%+v", left)
		}
	})
}
