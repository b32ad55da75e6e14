package report_test

import (
	"context"
	"maps"
	"testing"
	"time"

	"frontdesk/internal/account"
	"frontdesk/internal/deal"
	"frontdesk/internal/dispute"
	"frontdesk/internal/evidence"
	"frontdesk/internal/report"
	"frontdesk/internal/store"
	"frontdesk/internal/store/storetest"
)

// TestThreeSidesAreReconciled holds purchases against deliveries and reports: what contradicts what, and what contradicts nothing.
func TestThreeSidesAreReconciled(t *testing.T) {
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		s := newShop(t, open(t, account.Schema, deal.Schema, evidence.Schema, dispute.Schema))
		s.do(func(ctx context.Context, tx *store.Tx) error { return s.book.Open(ctx, tx, bot, "USD", 10*coin, noon) })
		n := 0
		buy := func(site, method string, consumed int64, delivered bool) string { // consumed -1 for no report
			n++
			at := noon.Add(time.Duration(n) * time.Second)
			id := deal.NewID("txn", at)
			s.sell(id, bot, site, "per_access", 0.01, 0, at)
			s.do(func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.Exec(ctx, `UPDATE deal_transaction SET method = $1 WHERE id = $2`, method, id)
				if err == nil && consumed >= 0 {
					err = deal.PutReport(ctx, tx, id, deal.Report{ID: "rep-" + id, Of: id, Made: at, Consumed: consumed}, deal.Fulfilled)
				}
				if err == nil && delivered {
					_, err = deal.PutDelivery(ctx, tx, deal.Delivery{ID: "dlv-" + id, Transaction: id, Site: site, State: deal.DeliveryEnded, Status: 200, Bytes: 17, At: at})
				}
				return err
			})
			return id
		}
		buy("news", "direct", 7, true)
		buy("news", "direct", -1, true)
		buy("news", "direct", -1, false) // of which nobody says anything
		buy("news", "direct", 0, false)
		buy("news", "direct", 7, false)                                                           // used, and not delivered
		buy("news", "direct", 0, true)                                                            // delivered, and not used
		undone := buy("news", "direct", 7, false)                                                 // taken back
		s.do(func(ctx context.Context, tx *store.Tx) error { return deal.Fail(ctx, tx, undone) }) //
		s.do(func(ctx context.Context, tx *store.Tx) error {
			_, err := deal.PutDelivery(ctx, tx, deal.Delivery{ID: "dlv-stray", Transaction: "txn-nobodys", Site: "shop", State: deal.DeliveryEnded, Status: 200, At: noon, Stray: true})
			return err
		})
		buy("silent", "instructions", 7, false) // by a CDN that tells nothing
		buy("cdn", "instructions", 7, true)
		buy("cdn", "instructions", 7, false)
		got, err := s.books.Reconcile(t.Context(), noon, noon.Add(time.Hour))
		want := map[string]report.Reconciled{"news": {Of: 5, Gaps: 2}, "shop": {Of: 1, Gaps: 1}, "cdn": {Of: 2, Gaps: 1}}
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("%v, %v; want %v", got, err, want)
		}
		if got, err = s.books.Reconcile(t.Context(), noon.Add(time.Hour), noon.Add(2*time.Hour)); err != nil || len(got) != 0 {
			t.Errorf("later: %v, %v", got, err)
		}
	})
}
