package client

import (
	"context"
	"errors"
	"slices"

	rampv1 "frontdesk/wire/ramp/v1"
)

// What Fetch does at once can be done step by step: by a program that shows a person what is
// offered, buys what he chose, and fetches and reports later, perhaps after it was started anew. A
// Purchase is what goes from step to step.

// Offers asks every Exchange that may sell an item what it offers, and gives a purchase for each
// offer that permits the uses of f, the cheapest first; none of them is made. What it costs is
// [CostOf] its Offer, which f.Most does not bound here. Offers that no amount bounds, and streams,
// are left out. The error is a *NotBought where nothing is left. Of f, Uses and Exchange count.
func (c *Client) Offers(ctx context.Context, item Result, f Fetching) ([]*Purchase, error) {
	if err := c.mayBuy(); err != nil {
		return nil, err
	}
	functions, err := f.functions()
	if err != nil {
		return nil, err
	}
	none := &NotBought{URI: item.URL}
	wrong := func(offer *rampv1.Offer) error {
		if err := f.fits(offer, functions); !errors.Is(err, ErrTooDear) {
			return err
		}
		return Permits(offer.GetRestrictions(), functions) // which fits did not come to
	}
	var all []*Purchase
	for found := range c.sellers(ctx, item, f.Exchange, &none.Passed) {
		offers, err := found.offered(ctx, item, f, none, wrong)
		if err != nil {
			return nil, err
		}
		all = append(all, offers...)
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, none
	}
	slices.SortStableFunc(all, cheaper)
	return all, nil
}

// Buy makes a purchase, under its id, which buys nothing twice; one that is made already stays as
// it is. The error is a *NotBought where the Exchange denies it, and an *Unfinished where it is not
// known whether it was bought; Buy goes on with that. More charged than was offered is an
// *Unfinished with ErrOvercharged, and bought. Of f, Exchange counts.
func (c *Client) Buy(ctx context.Context, p *Purchase, f Fetching) error {
	x, err := c.sellerOf(ctx, p, f.Exchange)
	if err != nil {
		return err
	}
	if err := p.make(ctx, x); err != nil {
		return err
	}
	if offered := CostOf(p.Offer); overcharged(p, offered) {
		return &Unfinished{p, StepCheck, overchargedBy(p, offered)}
	}
	return nil
}

// Deliver fetches what was bought, as often as its address opens. The error is an *Unfinished, and
// content that came and is not what was offered stands beside it. Of f, Accept and Exchange count.
func (c *Client) Deliver(ctx context.Context, p *Purchase, f Fetching) (*Content, error) {
	if p.Result == nil {
		return nil, errors.New(
			"whether this was bought is not known, so there is nothing to fetch; finish the purchase by Buy")
	}
	x, err := c.sellerOf(ctx, p, f.Exchange)
	if err != nil {
		return nil, err
	}
	return p.deliver(ctx, x, f.Accept)
}

// Dispute disputes a purchase, whose use must be reported before, or says with the same Dispute
// again where that stands. A Dispute without ReportID takes that of the purchase. The error is a
// *NotDisputed for one that is not taken up.
func (c *Client) Dispute(ctx context.Context, p *Purchase, d *Dispute) (*Disputed, error) {
	x, err := c.sellerOf(ctx, p, "")
	if err != nil {
		return nil, err
	}
	if d.ReportID == "" {
		d.ReportID = p.Reported
	}
	return x.Dispute(ctx, p.bought(), d)
}

// sellerOf opens the Exchange of a purchase; named is the one that the program names. The error is
// an *Unfinished.
func (c *Client) sellerOf(ctx context.Context, p *Purchase, named string) (*Exchange, error) {
	if err := c.mayBuy(); err != nil {
		return nil, err
	}
	x, err := c.openCached(ctx, p.Exchange, named != "" && named == p.Exchange)
	if err != nil {
		return nil, &Unfinished{p, p.next(), err}
	}
	return x, nil
}
