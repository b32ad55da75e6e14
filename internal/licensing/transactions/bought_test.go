package transactions

import (
	"context"
	"maps"
	"slices"
	"testing"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

func TestADeliveryIsBoughtUnderAStandingTransactionOfItsSite(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		db := open(t, Schema)
		all := sold(t, db, 2, nil)
		update(t, db, func(ctx context.Context, tx *store.Tx) error { return MarkFailed(ctx, tx, all[1].ID) })
		site := all[0].Site
		got, err := NewReader(db).PurchasedDeliveries(t.Context(),
			Delivery{ID: "known", Transaction: all[0].ID, Site: site},
			Delivery{ID: "foreign", Transaction: all[0].ID, Site: site + "x"},
			Delivery{ID: "taken back", Transaction: all[1].ID, Site: site},
			Delivery{ID: "unknown", Transaction: "txn-none", Site: site}, Delivery{ID: "of none", Site: site})
		if want := map[string]bool{"known": true, "foreign": false, "taken back": false, "unknown": false,
			"of none": false}; err != nil || !maps.Equal(got, want) {
			t.Errorf("%v, %v, want %v", got, err, want)
		}
	})
}

// TestLeaksAreListed lists what was delivered and not bought, and what was bought and not
// delivered: as Bought and Fetched say of each.
func TestLeaksAreListed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		db := open(t, Schema)
		all := sold(t, db, 6, nil)
		update(t, db, func(ctx context.Context, tx *store.Tx) error { return MarkFailed(ctx, tx, all[1].ID) })
		site := all[0].Site
		stray := func(id, transaction, site string) Delivery {
			d := sent(transaction, moment)
			d.ID, d.Site, d.Stray = id, site, true
			return d
		}
		begun := sent(all[2].ID, moment)
		begun.State = DeliveryBegun
		deliver(t, db, begun, stray("known", all[0].ID, site), stray("foreign", all[0].ID, site+"x"),
			stray("taken back", all[1].ID, site), stray("unknown", "txn-none", site))
		r := NewReader(db)
		for before, want := "", []string{"unknown", "taken back", "foreign"}; ; {
			page, next, err := r.Deliveries(t.Context(),
				DeliveryFilter{Stray: true, Unbought: true, Before: before, Limit: 1})
			if err != nil || len(want) == 0 && (len(page) > 0 || next != "") || len(want) > 0 &&
				(len(page) != 1 || page[0].ID != want[0]) {
				t.Fatalf("%v, %q, %v, want %q", page, next, err, want)
			}
			if len(want) == 0 {
				break
			}
			before, want = next, want[1:]
		}
		page, _, err := r.Transactions(t.Context(), Filter{Unfetched: true, Limit: 9})
		if got, want := ids(page), []string{all[5].ID, all[4].ID, all[3].ID}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
		page, next, err := r.Transactions(t.Context(), Filter{Unfetched: true, Site: all[0].Site, Since: all[3].Made,
			Until: all[5].Made, Limit: 1})
		if got := ids(page); err != nil || !slices.Equal(got, []string{all[4].ID}) || next != all[4].ID {
			t.Errorf("%q, %q, %v", got, next, err)
		}
		if page, next, err := r.Transactions(t.Context(), Filter{Unfetched: true, Site: "none", Limit: 9}); err !=
			nil || len(page) > 0 || next != "" {
			t.Errorf("%q, %q, %v", ids(page), next, err)
		}
	})
}
