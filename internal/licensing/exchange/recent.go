package exchange

import (
	"sync"

	"frontdesk/internal/licensing/transactions"
)

// recentOffers are the offers that this process made last, by their ids: most of those that are
// taken are taken soon, and need not be read again. What is in it does not change, as offers do
// not.
type recentOffers struct {
	mu     sync.Mutex
	offers map[string]*transactions.Offer
	order  []string // their ids, once it is full the oldest at next
	next   int
}

// recentKept is how many offers are remembered.
const recentKept = 4096

// add remembers offers that were kept.
func (l *recentOffers) add(offers []*transactions.Offer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.offers == nil {
		l.offers = map[string]*transactions.Offer{}
	}
	for _, o := range offers {
		if len(l.order) < recentKept {
			l.order = append(l.order, o.ID)
		} else {
			delete(l.offers, l.order[l.next])
			l.order[l.next] = o.ID
			l.next = (l.next + 1) % recentKept
		}
		l.offers[o.ID] = o
	}
}

// taken gives the offers of a request's items, nil for an item that bears no signature; ok is false
// unless all are remembered.
func (l *recentOffers) taken(items []OrderItem) (offers []*transactions.Offer, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	offers = make([]*transactions.Offer, len(items))
	for i, item := range items {
		if item.Signature == nil {
			continue
		}
		if offers[i] = l.offers[item.Offer]; offers[i] == nil {
			return nil, false
		}
	}
	return offers, true
}
