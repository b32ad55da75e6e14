package deal

import (
	"context"
	"maps"
	"testing"

	"frontdesk/internal/store"
	"frontdesk/internal/store/storetest"
)

func TestADeliveryIsBoughtUnderAStandingTransactionOfItsSite(t *testing.T) {
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		db := open(t, Schema)
		all := sold(t, db, 2, nil)
		update(t, db, func(ctx context.Context, tx *store.Tx) error { return Fail(ctx, tx, all[1].ID) })
		site := all[0].Site
		got, err := NewReader(db).Bought(t.Context(),
			Delivery{ID: "known", Transaction: all[0].ID, Site: site}, Delivery{ID: "foreign", Transaction: all[0].ID, Site: site + "x"},
			Delivery{ID: "taken back", Transaction: all[1].ID, Site: site}, Delivery{ID: "unknown", Transaction: "txn-none", Site: site}, Delivery{ID: "of none", Site: site})
		if want := map[string]bool{"known": true, "foreign": false, "taken back": false, "unknown": false, "of none": false}; err != nil || !maps.Equal(got, want) {
			t.Errorf("%v, %v, want %v", got, err, want)
		}
	})
}
