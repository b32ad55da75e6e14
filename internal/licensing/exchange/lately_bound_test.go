package exchange

import (
	"fmt"
	"testing"

	"frontdesk/internal/licensing/transactions"
)

func TestOnlyTheLatestOffersAreRemembered(t *testing.T) {
	t.Parallel()
	var l lately
	for i := range 3 * latelyKept / 2 {
		l.add([]*transactions.Offer{{ID: fmt.Sprint(i)}})
	}
	for i, want := range map[int]bool{0: false, latelyKept/2 - 1: false, latelyKept / 2: true, 3*latelyKept/2 - 1: true} {
		if offers, ok := l.taken([]PurchaseItem{{Offer: fmt.Sprint(i), Signature: []byte{1}}, {Offer: "whatever"}}); ok != want || ok && offers[1] != nil {
			t.Errorf("of offer %d: %t", i, ok)
		}
	}
	if len(l.offers) != latelyKept || len(l.order) != latelyKept {
		t.Errorf("%d offers are remembered", len(l.offers))
	}
}
