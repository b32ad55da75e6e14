package client

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	compv1 "frontdesk/wire/comp/v1"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// Fetching says for what licensed content is wanted, and what may be paid for it.
type Fetching struct {
	// Most is the most that may be paid; the zero value pays nothing, and takes what is free or
	// under a subscription. What is charged by the unit is taken where the offer says how many
	// units it is.
	Most Price
	// Uses are what it is wanted for, as "ai-input" or "FUNCTION_AI_INPUT"; none is ai-input, the
	// text as input of a model. Only offers that permit all of them are taken.
	Uses []string
	// Accept are the media types that are wanted, the best first, such as "text/markdown"; none is
	// the form that the offer describes.
	Accept []string
	// Exchange is the address of the Exchange to buy from. Without it those are asked that the item
	// itself names (its action "license"), then the front desk that was asked, then those that the
	// manifest of the item's host names (/.well-known/ramp.json); they are sent signatures that are
	// good for nobody else (RFC 9421), and never the signature within the message, which whoever
	// sees it could send again.
	Exchange string
	// Before is told of the purchase that is about to be made, and by an error keeps it from being
	// made: a program that asks a person does so here, and one that must not lose a purchase writes
	// it down here. Nil agrees.
	Before func(*Purchase) error
	// Later leaves the report on the use to the program, which files it by Report. Otherwise it is
	// filed where the offer asks for one: as many of the offer's units as Count says of what was
	// delivered. Without Count that is all of it, as the offer itself counts it (1 where it does
	// not); but what is charged by the unit only the program can count, so there the report is left
	// to it. It is also left to the program where the report must say what only the program knows,
	// as how people were shown where it is from (Purchase.MustSay): Use says so of what was
	// delivered. Its Quantity is that of Count where it is 0 and Count is given, and its Functions
	// are Uses where it names none.
	Later bool
	Count func(*Content) int
	Use   func(*Content) Use
}

// Price is an amount of a currency.
type Price struct {
	Amount   float64
	Currency string // as "USD"
}

// String is the price as people write it.
func (p Price) String() string { return amountText(p.Amount) + " " + p.Currency }

// Licensed is content that was fetched under a licence.
type Licensed struct {
	// Purchase is the receipt: what was bought for how much, what came, and which report was filed.
	Purchase *Purchase
	Content  *Content
}

// Fetch gets the licensed text of an item that an answer has, or of any address (Result{URL: ...}):
// it asks what is offered (RAMP v1, DiscoverResources), takes the cheapest offer that fits, buys
// it, fetches it, holds what came against the offer's hash or its own digest, and reports its use.
// Options.Buyer says who buys.
//
// The error is a *NotBought where nothing was bought, and nothing paid. It is an *Unfinished where
// it may have been: it holds the purchase, with which Finish goes on, as often as is needed, and
// buys nothing twice. Content that came, though another than was offered or not reported, stands
// beside the error.
func (c *Client) Fetch(ctx context.Context, item Result, f Fetching) (*Licensed, error) {
	if err := c.mayBuy(); err != nil {
		return nil, err
	}
	functions, err := f.functions()
	if err != nil {
		return nil, err
	}
	p, err := c.choose(ctx, item, f, functions)
	if err != nil {
		return nil, err
	}
	if f.Before != nil {
		if err := f.Before(p); err != nil {
			return nil, err
		}
	}
	return c.Finish(ctx, p, f)
}

// Finish goes on with a purchase where it broke off: it is made under its id, which buys nothing
// twice, and what was bought is fetched and reported. Of f, Accept, Exchange, Uses, Later and Count
// count, which should be as they were. Its errors are those of Fetch.
func (c *Client) Finish(ctx context.Context, p *Purchase, f Fetching) (*Licensed, error) {
	if err := c.mayBuy(); err != nil {
		return nil, err
	}
	functions, err := f.functions()
	if err != nil {
		return nil, err
	}
	x, err := c.openCached(ctx, p.Exchange, f.Exchange != "" && f.Exchange == p.Exchange)
	if err != nil {
		return nil, &Unfinished{p, p.next(), err}
	}
	if err := p.make(ctx, x); err != nil {
		return nil, err
	}
	out := &Licensed{Purchase: p, Content: p.content}
	if out.Content == nil {
		out.Content, err = p.deliver(ctx, x, f.Accept)
		switch {
		case err != nil && out.Content != nil:
			return out, err
		case err != nil:
			return nil, err
		}
		p.content = out.Content
	}
	if offered := CostOf(p.Offer); overcharged(p, offered) {
		return out, &Unfinished{p, StepCheck, overchargedBy(p, offered)}
	}
	return out, c.report(ctx, x, p, f, functions)
}

// ErrOvercharged is a purchase for which more was charged than the offer said.
var ErrOvercharged = errors.New("more was charged than the offer says; dispute the transaction")

// overcharged says whether more was charged than was offered, or anything in another currency.
func overcharged(p *Purchase, offered Price) bool {
	cost := p.Result.GetCost()
	charged := cents(cost.GetAmount())
	return math.IsNaN(charged) || charged > cents(offered.Amount) ||
		charged > 0 && !strings.EqualFold(cost.GetCurrency(), offered.Currency)
}

// overchargedBy says how much was charged in place of what was offered.
func overchargedBy(p *Purchase, offered Price) error {
	return fmt.Errorf("%w: %s in place of %s", ErrOvercharged, p.Cost(), offered)
}

// report files the report on a purchase, where one is asked for and may be filed here.
func (c *Client) report(ctx context.Context, x *Exchange, p *Purchase, f Fetching, functions []compv1.Function) error {
	if f.Later || p.Reported != "" || !p.Owes() {
		return nil
	}
	use := Use{}
	if f.Use != nil {
		use = f.Use(p.content)
	}
	switch {
	case use.Quantity != 0:
	case f.Count != nil:
		use.Quantity = f.Count(p.content)
	case ramp.Metered(p.Offer.GetPricing()), f.Use == nil && counted(p.Offer.GetPricing()):
		return nil
	default:
		use.Quantity = max(int(p.Offer.GetPricing().GetEstimatedQuantity()), 1)
	}
	if len(use.Functions) == 0 {
		use.Functions = functions
	}
	if slices.ContainsFunc(p.MustSay(), func(field string) bool { return !use.says(field) }) {
		return nil
	}
	if err := p.report(ctx, x, use); err != nil {
		return &Unfinished{p, StepReport, err}
	}
	return nil
}

// report files a report on a purchase; it is one report, however often it is filed.
func (p *Purchase) report(ctx context.Context, x *Exchange, u Use) error {
	if u.ID == "" {
		u.ID = p.ID + "-report"
	}
	if u.RequestID == "" {
		u.RequestID = p.ID
	}
	if p.Broker != "" {
		u.exchange = p.Exchange // a Broker passes the report on to it
	}
	id, err := x.Report(ctx, p.bought(), u)
	if err == nil {
		p.Reported = id
	}
	return err
}

// Report files a report on a purchase that was left to the program, or broke off. Its errors are
// those of [Exchange.Report].
func (c *Client) Report(ctx context.Context, p *Purchase, u Use) error {
	if err := c.mayBuy(); err != nil {
		return err
	}
	x, err := c.openCached(ctx, p.Exchange, false)
	if err != nil {
		return err
	}
	return p.report(ctx, x, u)
}

// next is the step that a purchase is at.
func (p *Purchase) next() Step {
	if p.Result == nil {
		return StepBuy
	}
	return StepFetch
}

// make buys, where that is not known to be done.
func (p *Purchase) make(ctx context.Context, x *Exchange) error {
	if p.Result != nil {
		return nil
	}
	all, err := x.Buy(ctx, p.ID, p.Offer)
	if err != nil {
		return &Unfinished{p, StepBuy, err}
	}
	if b := &all[0]; b.Denied() {
		return &NotBought{URI: p.URI, Denial: b.Denial}
	}
	p.Result = all[0].Result
	return nil
}

// deliver fetches what was bought. The error is an *Unfinished; beside it stands content that came
// and is not what was offered.
func (p *Purchase) deliver(ctx context.Context, x *Exchange, accept []string) (*Content, error) {
	content, err := x.Fetch(ctx, p.bought(), accept...)
	if content != nil {
		p.came(content, time.Now())
	}
	switch {
	case errors.Is(err, ErrOtherContent), errors.Is(err, ErrDamaged):
		return content, &Unfinished{p, StepCheck, err}
	case err != nil:
		return nil, &Unfinished{p, StepFetch, err}
	}
	return content, nil
}

// counted says whether a price is for each unit that is used, or for a share of something, which
// the buyer alone knows.
func counted(p *rampv1.Pricing) bool {
	return ramp.Metered(p) || p.GetModel() == rampv1.PricingModel_PRICING_MODEL_REVENUE_SHARE
}

// mayBuy says what is missing of the buyer.
func (c *Client) mayBuy() error {
	if b := c.options.Buyer; b.ID == "" || b.Domain == "" {
		return errors.New("nobody buys; say who by Options.Buyer, with its id, its domain and its key")
	}
	return nil
}

// unsigned is an error without the query of the address, in which a signature stands that opens it.
func unsigned(err error) error {
	bare := func(address string) string {
		if u, err := http.NewRequest(http.MethodGet, address, nil); err == nil {
			u.URL.RawQuery = ""
			return u.URL.Redacted()
		}
		return "the address of what was bought"
	}
	var away *Unreachable
	var broken *Broken
	switch {
	case errors.As(err, &away):
		return &Unreachable{URL: bare(away.URL), Err: away.Err}
	case errors.As(err, &broken):
		return &Broken{URL: bare(broken.URL), Err: broken.Err}
	}
	return err
}
