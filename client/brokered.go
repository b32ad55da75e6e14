package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	rampv1 "frontdesk/wire/ramp/v1"
)

// Brokered buys through a Broker step by step, as [Client] does at Exchanges: a Purchase goes from
// step to step, and may be written down between them. It is safe for concurrent use.
type Brokered struct {
	broker *Broker
	reader *Client // of the documents of providers and Exchanges, by which offers are verified

	mu        sync.Mutex
	exchanges map[string]openedAt // by their addresses
}

// Steps buys through the Broker step by step.
func (b *Broker) Steps() *Brokered {
	reader := cautious(b.relay.client.options)
	return &Brokered{broker: b, reader: &reader, exchanges: map[string]openedAt{}}
}

// ErrUnsignedOffer is an offer that is not signed by the Exchange whose it is said to be.
var ErrUnsignedOffer = errors.New("the Exchange has not signed the offer that the Broker tells")

// Search asks the Broker what it finds by words, and gives no more than most of it; nothing is
// bought. What the Broker knows, and may be found, is found: the error is the Broker's own.
func (b *Brokered) Search(ctx context.Context, words string, most int) (all []FoundItem, err error) {
	got, err := b.broker.Resolve(ctx, &Resolving{Query: words, DryRun: true})
	var told *ExchangeError
	switch {
	case err == nil:
		for i := range got.Items {
			all = append(all, FoundItem{URI: got.Items[i].URI, Title: got.Items[i].Offer.GetPackage().GetTitle()})
		}
		all = append(all, got.Found...)
	case errors.As(err, &told) && told.Details()["found"] != nil:
		// by another Broker, which refuses what it may not buy
		readDetail(told, "found", &all)
	default:
		return nil, err
	}
	return all[:min(len(all), most)], nil
}

// maxSigned is for how many addresses OffersFor asks the price.
const maxSigned = 20

// OffersFor has the Broker search by words, and asks it then what it would buy for each address
// that was found: the buyer signs for these addresses, so that nobody can put others in. It gives
// the purchases that can be made, that which fits the words best first, and all that was found,
// which may be more: not everything is for sale. Purchases and error are otherwise those of Offers;
// nothing found is a *NotBought without an address.
func (b *Brokered) OffersFor(ctx context.Context, words string, f Fetching) ([]*Purchase, []FoundItem, error) {
	found, err := b.Search(ctx, words, maxSigned)
	if err != nil {
		return nil, nil, err
	}
	if len(found) == 0 {
		return nil, nil, &NotBought{Passed: []error{ErrNothingFound}}
	}
	uris := make([]string, len(found))
	for i, one := range found {
		uris[i] = one.URI
	}
	all, err := b.offers(ctx, uris, f)
	return all, found, err
}

// ErrNothingFound is among NotBought.Passed where a search found nothing.
var ErrNothingFound = errors.New("the Broker's search finds nothing for these words; put it in others")

// readDetail reads one of the details of a failure, where it is there.
func readDetail(told *ExchangeError, name string, into any) {
	if text, err := json.Marshal(told.Details()[name]); err == nil {
		_ = json.Unmarshal(text, into) // what cannot be read is not there
	}
}

// Offers asks the Broker what it would buy for an item (RAMP v1, RAMPRequest), and gives it as a
// purchase that can be made: one, since the Broker has chosen. The Exchange has signed its offer,
// which is verified here. The Broker's fee is beside the price, and Passed says what was not taken.
// The error is a *NotBought where nothing is left. Of f, Uses and Most count; a Most of zero sets
// no bound.
func (b *Brokered) Offers(ctx context.Context, item Result, f Fetching) ([]*Purchase, error) {
	return b.offers(ctx, []string{item.URL}, f)
}

// offers does so for several addresses, and gives the purchases in their order.
func (b *Brokered) offers(ctx context.Context, uris []string, f Fetching) (all []*Purchase, err error) {
	functions, err := f.functions()
	if err != nil {
		return nil, err
	}
	none := &NotBought{}
	if len(uris) == 1 {
		none.URI = uris[0]
	}
	got, err := b.broker.Resolve(ctx, &Resolving{URIs: uris, Uses: f.uses(), Most: f.Most, DryRun: true})
	if err != nil {
		return nil, notBoughtOr(none.URI, err, err)
	}
	for i := range got.Items {
		one := &got.Items[i]
		if one.Offer == nil || !slices.Contains(uris, one.URI) {
			continue
		}
		if err := b.verify(ctx, one); err != nil {
			none.Passed = append(none.Passed, err)
			continue
		}
		if err := f.fits(one.Offer, functions); err != nil && !errors.Is(err, ErrTooDear) {
			none.Passed = append(none.Passed, err)
			continue
		}
		all = append(all, &Purchase{
			Exchange: one.Exchange, Broker: b.broker.relay.address, ID: NewPurchase(), URI: one.URI, Offer: one.Offer,
			Fee: feeOf(one), Uses: f.uses(), Passed: passedFor(got.Passed, one.URI),
		})
	}
	if len(all) == 0 {
		return nil, none
	}
	slices.SortStableFunc(all, func(a, b *Purchase) int {
		return slices.Index(uris, a.URI) - slices.Index(uris, b.URI)
	})
	return all, nil
}

// passedFor is what a Broker did not take for one address: what it says of another is left out.
func passedFor(all []PassedOver, uri string) []PassedOver {
	return slices.DeleteFunc(slices.Clone(all), func(one PassedOver) bool {
		return strings.Contains(one.URI, "/") && one.URI != uri
	})
}

func feeOf(i *ResolvedItem) Price {
	return Price{i.GetBrokerFee().GetAmount(), i.GetBrokerFee().GetCurrency()}
}

// Total is what a purchase costs at the most, as far as its offer says, with the Broker's fee.
func (p *Purchase) Total() Price {
	total := CostOf(p.Offer)
	if p.Fee.Amount > 0 {
		total = Price{cents(total.Amount+p.Fee.Amount) / 1e8, p.Fee.Currency}
	}
	return total
}

// Buy has the Broker buy what a purchase is of, under its id, which buys nothing twice, and for no
// more than Total says; one that is made already stays as it is. The Broker chooses anew, so
// another Exchange may sell it: the purchase names that Exchange and its offer. The error is a
// *NotBought where nothing was bought, and an *Unfinished where that is not known; Buy goes on with
// it. It is an *Unfinished, and bought, with ErrOvercharged where it cost more than that, and with
// ErrUnsignedOffer for an offer that is not the Exchange's.
func (b *Brokered) Buy(ctx context.Context, p *Purchase, _ Fetching) error {
	if p.Result != nil {
		return nil
	}
	most := p.Total()
	r := &Resolving{ID: p.ID, URIs: []string{p.URI}, Uses: p.Uses, Most: most}
	if most.Amount == 0 {
		r.Most = Price{Currency: cmp.Or(most.Currency, "XXX")} // without a bound anything could be paid
	}
	got, err := b.broker.Resolve(ctx, r)
	if err != nil {
		return notBoughtOr(p.URI, err, &Unfinished{p, StepBuy, err})
	}
	switch {
	case len(got.Items) == 0 && len(got.Open) > 0:
		return &Unfinished{p, StepBuy, errors.New("the Broker does not know yet whether it was bought")}
	case len(got.Items) != 1 || got.Items[0].TransactionId == "" || got.Items[0].URI != p.URI ||
		got.Items[0].Offer == nil:
		return &Unfinished{p, StepBuy, errors.New("the answer of the Broker does not say what was bought")}
	}
	one := &got.Items[0]
	p.Exchange, p.Offer, p.Fee, p.Passed, p.Result = one.Exchange, one.Offer, feeOf(one), got.Passed,
		one.Bought().Result
	if charged := p.Charged(); math.IsNaN(charged.Amount) || cents(charged.Amount) > cents(most.Amount) ||
		charged.Amount > 0 && !strings.EqualFold(charged.Currency, most.Currency) {
		return &Unfinished{p, StepCheck, fmt.Errorf("%w: %s in place of %s", ErrOvercharged, charged, most)}
	}
	if err := b.verify(ctx, one); errors.Is(err, ErrUnsignedOffer) {
		return &Unfinished{p, StepCheck, err}
	}
	return nil
}

// Charged is what a purchase cost in the end, with a Broker's fee. Amounts of two currencies are
// not added: then it is in none.
func (p *Purchase) Charged() Price {
	cost := p.Cost()
	switch {
	case p.Fee.Amount == 0:
		return cost
	case cost.Amount == 0:
		return p.Fee
	case !strings.EqualFold(cost.Currency, p.Fee.Currency):
		return Price{Amount: math.NaN(), Currency: cost.Currency}
	}
	return Price{cents(cost.Amount+p.Fee.Amount) / 1e8, cost.Currency}
}

// notBoughtOr is a *NotBought where a Broker's failure means that nothing was bought, and otherwise
// another error. It is so where nothing is offered that fits, where no Exchange was there to be
// asked, where all Exchanges have denied it, and where a budget does not allow it; but not where
// too many requests came, since an earlier one may have bought.
func notBoughtOr(uri string, err, otherwise error) error {
	var told *ExchangeError
	if !errors.As(err, &told) {
		return otherwise
	}
	_, budget := told.Details()["budget"]
	_, unsold := told.Details()["unsold"] // which a purchase that is open has not
	if told.Code != "not_found" && !(told.Code == "unavailable" && unsold) && told.Code != "failed_precondition" &&
		!(told.Code == "resource_exhausted" && budget) {
		return otherwise
	}
	none := &NotBought{URI: uri, Passed: []error{errors.New(orSilent(told.Message))}}
	var passed []PassedOver
	readDetail(told, "passed", &passed)
	for _, one := range passed {
		none.Passed = append(none.Passed, errors.New(strings.TrimSpace(one.Exchange+" "+one.Why)))
	}
	return none
}

// Deliver fetches what was bought, as [Client.Deliver].
func (b *Brokered) Deliver(ctx context.Context, p *Purchase, f Fetching) (*Content, error) {
	if p.Result == nil {
		return nil, errors.New(
			"whether this was bought is not known, so there is nothing to fetch; finish the purchase by Buy")
	}
	return p.deliver(ctx, b.broker.relay, f.Accept)
}

// Report has the Broker pass a report on, as [Client.Report].
func (b *Brokered) Report(ctx context.Context, p *Purchase, u Use) error {
	return byBroker(p.report(ctx, b.broker.relay, u))
}

// Dispute has the Broker pass a dispute on, as [Client.Dispute].
func (b *Brokered) Dispute(ctx context.Context, p *Purchase, d *Dispute) (*Disputed, error) {
	if d.ReportID == "" {
		d.ReportID = p.Reported
	}
	got, err := b.broker.relay.Dispute(ctx, p.bought(), d)
	return got, byBroker(err)
}

// verify says why the offer of an item is not that of its Exchange, which the manifest of the
// item's host has to name. The error is ErrUnsignedOffer where the Exchange has not signed it, or
// may not sell it.
func (b *Brokered) verify(ctx context.Context, i *ResolvedItem) error {
	listed, err := b.listed(ctx, i)
	if err != nil {
		return err
	}
	err = fmt.Errorf("%w: the ramp.json of its address does not name %.80s", ErrUnsignedOffer, i.Exchange)
	for _, listed := range listed {
		if !strings.EqualFold(listed.GetDomain(), i.Exchange) {
			continue
		}
		var x *Exchange
		if x, err = b.exchange(ctx, listed); err != nil {
			continue
		}
		err = x.VerifyOffer(ctx, i)
		if err == nil {
			return nil
		}
		if !unreached(err) {
			err = fmt.Errorf("%w: %w", ErrUnsignedOffer, err)
		}
	}
	return err
}

// listed are the Exchanges that may sell an item, by the manifest of its host. What is no page of
// the web has none: its Exchange is the one that the Broker names, at its own domain.
func (b *Brokered) listed(ctx context.Context, i *ResolvedItem) ([]*rampv1.AuthorizedExchange, error) {
	if u, err := url.Parse(i.URI); err == nil && u.Scheme != "https" && u.Scheme != "http" {
		at := "https://" + i.Exchange
		return []*rampv1.AuthorizedExchange{{Domain: i.Exchange, Endpoint: at}}, nil
	}
	manifest, err := b.reader.providerOf(ctx, i.URI)
	return manifest.GetExchanges(), err
}

// unreached says whether an error is of the way, and not of what was sent.
func unreached(err error) bool {
	var away *Unreachable
	var broken *Broken
	var told *ExchangeError
	return errors.As(err, &away) || errors.As(err, &broken) || errors.As(err, &told) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// exchange opens an Exchange for its keys alone, or gives the one that was opened within the hour.
func (b *Brokered) exchange(ctx context.Context, listed *rampv1.AuthorizedExchange) (*Exchange, error) {
	b.mu.Lock()
	known, ok := b.exchanges[listed.Endpoint]
	b.mu.Unlock()
	if ok && time.Since(known.at) < maxManifestAge {
		return known.exchange, nil
	}
	var failed []error
	buyer := b.broker.relay.buyer
	for _, place := range manifestPlaces(listed) {
		x, err := OpenExchange(ctx, place, Buyer{ID: buyer.ID, Domain: buyer.Domain}, b.reader.options)
		if err == nil && !strings.EqualFold(x.Manifest().GetDomain(), listed.GetDomain()) {
			err = &NotAnExchange{place, "its manifest is that of another domain"}
		}
		if err != nil {
			failed = append(failed, err)
			continue
		}
		b.mu.Lock()
		if len(b.exchanges) >= maxOpened {
			clear(b.exchanges)
		}
		b.exchanges[listed.Endpoint] = openedAt{x, time.Now()}
		b.mu.Unlock()
		return x, nil
	}
	return nil, errors.Join(failed...)
}
