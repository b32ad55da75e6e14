package exchange

import (
	"context"

	"frontdesk/internal/content"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
)

// What tests see of the package beside what it exports.
var (
	Facts = facts
	Uses  = uses
)

const (
	Remembered   = remembered
	SubscribeFor = subscribeFor
)

func (s *Service) DraftOffers(ctx context.Context, q Query) ([]OfferGroup, [][]*OfferDraft, error) {
	return s.draftOffers(ctx, q)
}

// RecentOffers gives the offers of a purchase, if they were made lately.
func (s *Service) RecentOffers(items ...OrderItem) ([]*transactions.Offer, bool) {
	return s.recent.taken(items)
}

// ForgetOffers is as if another process had made those that were made.
func (s *Service) ForgetOffers() { clear(s.recent.offers) }

// SignaturesKept is how many signatures of addresses are remembered.
func (s *Service) SignaturesKept() int { return len(s.signatures.made) }

// ReadObjects has objects that profiles tell of be read by read.
func (a *Assortment) ReadObjects(read func(context.Context, content.Ref) (map[string]any, error)) {
	a.objects.read = read
}

// SellsWhole is sellsWhole.
func (a *Assortment) SellsWhole(ctx context.Context, rules *policy.Terms, entry *catalog.Entry) (bool, error) {
	return a.sellsWhole(ctx, rules, entry)
}

// UnitCost is what one of so many costs, in units of 1e-8.
func UnitCost(price policy.Money, quantity int64) int64 {
	q := offerBuilder{owner: &OfferPolicy{}, price: price}
	return q.unitCost(quantity)
}
