package exchange

import (
	"fmt"
	"testing"

	"frontdesk/internal/licensing/transactions"
)

func TestOnlyTheLatestOffersAreRemembered(t *testing.T) {
	t.Parallel()
	var l recentOffers
	for i := range 3 * recentKept / 2 {
		l.add([]*transactions.Offer{{ID: fmt.Sprint(i)}})
	}
	for i, want := range map[int]bool{0: false, recentKept/2 - 1: false, recentKept / 2: true,
		3*recentKept/2 - 1: true} {
		if offers, ok := l.taken([]OrderItem{{Offer: fmt.Sprint(i), Signature: []byte{1}}, {Offer: "whatever"}}); ok !=
			want || ok && offers[1] != nil {
			t.Errorf("of offer %d: %t", i, ok)
		}
	}
	if len(l.offers) != recentKept || len(l.order) != recentKept {
		t.Errorf("%d offers are remembered", len(l.offers))
	}
}
