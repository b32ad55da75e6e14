package exchange

import (
	"context"
	"errors"
	"time"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/accounts/counts"
	"frontdesk/internal/licensing/transactions"
)

// undelegated is the failure of a query whose delegation is over or cannot be evaluated (RAMP v1,
// Delegation); nil where it merely does not cover what is asked for.
func undelegated(locked error) error {
	var refused *fail.Error
	switch {
	case errors.As(locked, &refused):
		return refused
	case errors.Is(locked, requesters.ErrDelegationOver):
		return fail.New(fail.Forbidden, "requester.delegation: %v", locked)
	}
	return nil
}

// cost is what an offer costs at the most, in 1e-8 of its currency; nothing under a subscription.
func cost(offer *transactions.Offer) int64 {
	if offer.Subscription != "" {
		return 0
	}
	return accounts.Value(offer.Price, offer.Quantity)
}

// cents are an amount in minor units, rounded up.
func cents(amount int64) int64 {
	const cent = 1_000_000
	if amount%cent != 0 {
		return amount/cent + 1
	}
	return amount / cent
}

// inForce asks whether the principal of a purchase has revoked its delegation by now, and gives the
// purchase with the answer.
func (s *Service) inForce(ctx context.Context, p Order, offers []*transactions.Offer) (Order, error) {
	under := p.Requester.Delegation
	if under == nil || under.Ended != nil {
		return p, nil
	}
	sure := false
	for _, offer := range offers {
		sure = sure || offer != nil && offer.Subscription == "" && cost(offer) >= s.deps.RevokedAbove
	}
	err := under.CheckRevocation(ctx, sure)
	if !errors.Is(err, requesters.ErrDelegationOver) {
		return p, err
	}
	over := *under
	over.Ended = err
	p.Requester.Delegation = &over
	return p, nil
}

// counts are the counters of a delegation, and whether what an offer costs fits them. Without caps
// everything fits. What costs something that nobody knows before fits no cap of what is spent; nor
// does what costs another currency than that in which this front desk compares, where there is one.
func (s *Service) counts(ctx context.Context, tx *store.Tx, under *requesters.Delegation, offer *transactions.Offer,
	now time.Time) (bought *counts.Counts, fits bool, err error) {
	var caps []counts.Cap
	if under != nil {
		for _, c := range under.Caps {
			one := counts.Cap{Block: c.Block, Spend: counts.NoCap, Accesses: counts.NoCap, Expires: c.Expires}
			if c.SpendCents != nil {
				one.Spend = c.Spend()
			}
			if c.Accesses != nil {
				one.Accesses = *c.Accesses
			}
			caps = append(caps, one)
		}
	}
	if len(caps) == 0 {
		return &counts.Counts{}, true, nil
	}
	if bought, err = counts.Read(ctx, tx, caps, under.Period, now); err != nil {
		return nil, false, err
	}
	amount, in := cost(offer), s.assortment.deps.OfferPolicy().Currency
	paid := offer.Subscription == "" &&
		(amount > 0 || accounts.Models[offer.Price.Model].Charging == accounts.AfterSale)
	if bought.Bounded() && paid && (amount == 0 || in != "" && in != offer.Price.Currency) {
		return nil, false, nil
	}
	return bought, bought.Allows(amount, offer.Price.Currency), nil
}

// lender is whose subscription a requester may use though it is not its own: its principal's; empty
// for nobody's.
func lender(by requesters.Requester, l accounts.Licence) string {
	if under := by.Delegation; under != nil && by.MayUseSubscriptions(l.ID) &&
		(l.Buyer == under.Account() || l.Buyer == under.Domain+"/*") {
		return under.Account()
	}
	return ""
}

// lent adds to sites the subscriptions of a requester's principal that are delegated to it.
func (s *Service) lent(ctx context.Context, by requesters.Requester, sites map[string][]accounts.Subscription,
	now time.Time) error {
	if by.Delegation == nil || by.Delegation.Account() == by.Account() {
		return nil
	}
	theirs := map[string][]accounts.Subscription{}
	for site := range sites {
		theirs[site] = nil
	}
	if err := s.subscribed(ctx, by.Delegation.Account(), theirs, now); err != nil {
		return err
	}
	for site, all := range theirs {
		own := map[string]bool{}
		for _, s := range sites[site] {
			own[s.ID] = true
		}
		for _, s := range all {
			if !own[s.ID] && lender(by, s.Licence) != "" {
				sites[site] = append(sites[site], s)
			}
		}
	}
	return nil
}

// lends is whose subscription an offer is under; empty for the buyer's own.
func (s *Service) lends(ctx context.Context, tx *store.Tx, by requesters.Requester, id string) (string, error) {
	if by.Delegation == nil {
		return "", nil
	}
	l, err := s.deps.Accounts.Subscription(ctx, tx, id)
	if err != nil {
		if fail.From(err).Code == fail.NotFound {
			return "", nil
		}
		return "", err
	}
	if l.Buyer == by.Account() || l.Buyer == by.Domain+"/*" {
		return "", nil
	}
	return lender(by, l), nil
}
