package exchange_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/testkit/saletest"
	"frontdesk/internal/testkit/storetest"
)

// TestAPurchaseThatStandsStillDelaysItsBuyerAlone has one of two front desks of a database stop in
// the middle of a purchase, as when it is paused: who pays from another account buys at both, also
// of the same domain, and who pays from the same one waits.
func TestAPurchaseThatStandsStillDelaysItsBuyerAlone(t *testing.T) {
	t.Parallel()
	dsn, keys := storetest.NewPostgres(t), t.TempDir()
	d := dealerOn(t, storetest.Open(t, dsn, saletest.Schemas...), keys)
	d.AddStock(t)
	other := dealerOn(t, storetest.Open(t, dsn, saletest.Schemas...), keys)
	other.Price(t, licensed("/a/**", cent))
	if _, err := other.Goods.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	sibling, stranger, poor, poorer := bot, bot, bot, bot
	sibling.ID, stranger.Domain = "sibling", "stranger.example"
	poor.Domain, poor.ID = "shared.example", "poor"
	poorer.Domain, poorer.ID = "shared.example", "poorer"
	for _, account := range []string{sibling.Account(), stranger.Account(), "shared.example/*"} {
		d.Credit(t, account, funds)
	}
	for _, by := range []*dealer{d, other} { // both see whose account it is
		for _, buyer := range []requesters.Requester{poor, poorer} {
			by.Buy(t, d.OrderRequest(buyer, by.FirstOffer(t, buyer, "a/1")))
		}
	}
	for _, c := range []struct {
		name          string
		still, waits  requesters.Requester
		goOn, goOnToo requesters.Requester
	}{
		{"of an own account", bot, bot, stranger, sibling},
		{"of a domain's account", poor, poorer, stranger, bot},
	} {
		held, free := make(chan bool), make(chan bool)
		still := d.OrderRequest(c.still, d.FirstOffer(t, c.still, "a/1"))
		var first atomic.Bool
		d.Fault = func(step string) error {
			if step == "purchase recorded" && first.CompareAndSwap(false, true) {
				close(held)
				<-free
			}
			return nil
		}
		stopped := make(chan error, 1)
		go func() {
			_, err := d.Execute(t.Context(), still)
			stopped <- err
		}()
		<-held
		for _, at := range []*dealer{d, other} {
			for _, buyer := range []requesters.Requester{c.goOn, c.goOnToo} {
				if got := at.Buy(t, d.OrderRequest(buyer, at.FirstOffer(t, buyer, "a/2"))).Items[0]; got.Denial != "" {
					t.Errorf("%s: %s was denied: %s", c.name, buyer.Account(), got.Denial)
				}
			}
			order := d.OrderRequest(c.waits, at.FirstOffer(t, c.waits, "a/2"))
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			if _, err := at.Execute(ctx, order); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: who pays from the same did not wait: %v", c.name, err)
			}
			cancel()
		}
		close(free)
		if err := <-stopped; err != nil {
			t.Error(err)
		}
		d.Fault = nil
		other.Buy(t, d.OrderRequest(c.waits, other.FirstOffer(t, c.waits, "a/2")))
	}
	d.CheckInvariants(t)
}
