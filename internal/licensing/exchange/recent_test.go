package exchange_test

import (
	"reflect"
	"testing"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/licensing/transactions"
)

// TestWhatIsRememberedOfAnOfferIsWhatIsKept holds that a purchase that does not read its offer is
// of the same as one that does.
func TestWhatIsRememberedOfAnOfferIsWhatIsKept(t *testing.T) {
	t.Parallel()
	d := shop(t)
	q := asking(address("a/1"))
	q.Functions = []string{"ai-input"}
	groups, err := d.Discover(t.Context(), q, plainly)
	if err != nil || len(groups[0].Offers) == 0 {
		t.Fatal(groups, err)
	}
	for _, made := range groups[0].Offers {
		remembered, ok := d.RecentOffers(exchange.OrderItem{Offer: made.ID, Signature: made.Signature})
		if !ok {
			t.Fatal("an offer that was just made is not remembered")
		}
		if err := d.DB.View(t.Context(), func(tx *store.Tx) error {
			kept, _, err := transactions.FindOffer(t.Context(), tx, made.ID)
			if !reflect.DeepEqual(kept, remembered[0]) {
				t.Errorf("remembered is\n%+v\nand kept\n%+v", remembered[0], kept)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
}
