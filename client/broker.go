package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"

	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// Broker is a Broker of RAMP v1, which finds and buys at several Exchanges. It is safe for
// concurrent use.
type Broker struct {
	relay *Exchange // of reports and disputes
}

// OpenBroker makes a client of the Broker at an address, such as https://broker.example.com. Of the
// options HTTP, UserAgent, MaxAnswer, Retries, MaxWait and Silence count. Addresses without https
// are refused, except on this machine.
func OpenBroker(address string, buyer Buyer, options Options) (*Broker, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is no web address; write it like https://broker.example.com", address)
	}
	if err := private(address); err != nil {
		return nil, err
	}
	if buyer.ID == "" || buyer.Domain == "" {
		return nil, errors.New("a Broker wants to know for whom it buys: give the buyer's id and domain")
	}
	base := strings.TrimSuffix(strings.TrimSuffix(address, "/"), "/broker/v1/resolve")
	return &Broker{&Exchange{client: cautious(options), buyer: buyer, address: address, base: base + exchangePath}}, nil
}

// Resolving is what a Broker is asked for.
type Resolving struct {
	// ID makes it one request: who is not sure what came of it sends it again with the same id, and
	// buys nothing twice. Empty makes one.
	ID   string
	URIs []string // wanted; none where a search is to find them
	// Query and Filters are searched for, over all that the Broker knows.
	Query   string
	Filters map[string]any
	Uses    []string // as "ai-input" or "FUNCTION_AI_INPUT"; none declares nothing
	// Most is the most that may be paid for all of it; the zero Price sets no bound of this kind.
	Most Price
	// Exchanges are those that may be asked, by domain; none is any. Preferred are taken before
	// others.
	Exchanges, Preferred []string
	// Scope names a budget, and Budget is the most that it allows in each Period. The zero Budget
	// is none, and the zero Period all time.
	Scope  string
	Budget Price
	Period time.Duration
	// Profiles are the extension profiles that the program understands; none is told of all.
	Profiles []string
	// DryRun has the Broker say what it would buy, and buy nothing.
	DryRun bool
	// Change changes the request before it is sent; nil leaves it as it is.
	Change func(*rampv1.RAMPRequest)
}

// Resolved is what a Broker bought, or would buy.
type Resolved struct {
	ID     string // of the request, by which it can be sent again
	Items  []ResolvedItem
	Unsold []Unsold
	Found  []FoundItem // by a search, of which nothing was bought
	Passed []PassedOver
	// Open are the addresses whose purchase is not settled yet: send the request again.
	Open   []string
	DryRun bool // nothing was bought
	// Answer is the Broker's, whole.
	Answer *rampv1.RAMPResponse
}

// PassedOver is what a Broker did not take.
type PassedOver struct {
	Exchange string `json:"exchange,omitempty"` // its domain; empty where it is not about one
	URI      string `json:"uri,omitempty"`      // the address of content, or the host of one
	Why      string `json:"why"`
}

// ResolvedItem is what was bought for one address.
type ResolvedItem struct {
	URI string
	*rampv1.RAMPResponse
	// Offer is the accepted offer, and Signed its JSON as the Exchange signed it, not verified yet.
	// Both are nil where the Broker does not tell them.
	Offer  *rampv1.Offer
	Signed []byte
}

// URL is from where it can be fetched for a few minutes; empty for none.
func (i *ResolvedItem) URL() string { return i.GetPackage().GetRetrieval().GetEndpoint() }

// Bought is it as an Exchange's, for Exchange.Fetch, and for the reports and disputes of the
// Broker.
func (i *ResolvedItem) Bought() *Bought {
	return &Bought{Offer: i.Offer, Result: &rampv1.TransactionResultItem{
		OfferId: i.Offer.GetOfferId(), TransactionId: i.TransactionId, BillingId: i.BillingId, Package: i.Package,
		Cost: i.Cost, ExpiresAt: i.ExpiresAt, DeliveryMethod: i.DeliveryMethod,
		ReportingObligation: i.ReportingObligation,
	}}
}

// Overcharged is an error with ErrOvercharged where more was charged than the offer says, or
// anything in another currency; nil otherwise. The Broker tells it in ext["ramp.overcharged"], too;
// this is by what the Exchange has signed.
func (i *ResolvedItem) Overcharged() error {
	if i.Offer == nil {
		return nil
	}
	p := &Purchase{Offer: i.Offer, Result: i.Bought().Result}
	if offered := CostOf(i.Offer); overcharged(p, offered) {
		return overchargedBy(p, offered)
	}
	return nil
}

// Unsold is an address for which nothing was bought.
type Unsold struct {
	URI    string `json:"uri"`
	Reason string `json:"reason"` // of OfferAbsenceReason or DenialReason without its prefix, or SAME_CONTENT, BUDGET or NO_OFFER_FITS
	Same   string `json:"same"`   // the address for which the same content was bought
	Title  string `json:"title"`
}

// FoundItem is an address that a search found.
type FoundItem struct {
	URI   string  `json:"uri"`
	Title string  `json:"title"`
	Score float64 `json:"score"` // from 0 to 100; 0 where the Broker does not say
}

// Request makes a request, in which the buyer's key signs who asks and for which addresses, before
// Change: what that changes of them has to be signed anew. The request's id is put into r where
// that has none, so r is not for several goroutines. The error is of Filters that JSON cannot
// carry.
func (b *Broker) Request(r *Resolving) (*rampv1.RAMPRequest, error) {
	if r.ID == "" {
		r.ID = newSession()
	}
	requester := b.relay.requester(r.URIs)
	requester.IntendedUse = r.Uses
	if b.relay.buyer.Key != nil { // which the Broker shows to Exchanges, since they do not see the request
		if err := b.relay.buyer.Sign(requester); err != nil {
			return nil, err
		}
	}
	request := &rampv1.RAMPRequest{Ver: rampVersion, Id: r.ID, Requester: requester, SupportedProfiles: r.Profiles}
	if r.Query != "" {
		request.Query = &r.Query
	}
	if len(r.Filters) > 0 {
		filters, err := structpb.NewStruct(r.Filters)
		if err != nil {
			return nil, err
		}
		request.SearchFilters = filters
	}
	c := &rampv1.RequestConstraints{Exchanges: r.Exchanges, PreferredExchanges: r.Preferred}
	if r.Most != (Price{}) {
		c.MaxPrice = &rampv1.Cost{Amount: r.Most.Amount, Currency: r.Most.Currency}
	}
	if r.Budget != (Price{}) {
		c.PeriodBudget = &rampv1.Cost{Amount: r.Budget.Amount, Currency: r.Budget.Currency}
		if r.Period > 0 {
			c.BudgetPeriod = durationpb.New(r.Period)
		}
	}
	if r.Scope != "" {
		c.BudgetScope = &r.Scope
	}
	if proto.Size(c) > 0 {
		request.Constraints = c
	}
	if r.DryRun {
		request.Ext = &structpb.Struct{Fields: map[string]*structpb.Value{"ramp.dry_run": structpb.NewBoolValue(true)}}
		request.ExtCritical = []string{"ramp.dry_run"}
	}
	if r.Change != nil {
		r.Change(request)
	}
	return request, nil
}

// Resolve has the Broker find and buy (RAMP v1, RAMPRequest). The error is an *ExchangeError with
// the Broker's code: "not_found" for what nobody offers, "resource_exhausted" for a budget that is
// used up, "unavailable" where it is not known yet what came of it, or, with the detail unsold,
// where no Exchange answered; or a *NotAnExchange, a *Broken, an *Unreachable, or the context's.
// The request's id is put into r, so that the same Resolving asks again and buys nothing twice.
func (b *Broker) Resolve(ctx context.Context, r *Resolving) (*Resolved, error) {
	request, err := b.Request(r)
	if err != nil {
		return nil, err
	}
	answer, err := b.Send(ctx, request)
	if err != nil {
		return nil, err
	}
	return ReadResolved(answer)
}

// Send sends a request as it is. Its errors are those of [Broker.Resolve].
func (b *Broker) Send(ctx context.Context, request *rampv1.RAMPRequest) (*rampv1.RAMPResponse, error) {
	broker := *strip(b.relay)
	broker.base = strings.TrimSuffix(b.relay.base, exchangePath) + "/ramp.v1.BrokerService/"
	answer := &rampv1.RAMPResponse{}
	if _, err := broker.call(ctx, "Resolve", request, answer); err != nil {
		return nil, byBroker(err)
	}
	if answer.RequestId != request.Id {
		return nil, &NotAnExchange{broker.base, "the answer is to another request"}
	}
	return answer, nil
}

// byBroker says of a failure that it is a Broker's.
func byBroker(err error) error {
	var told *ExchangeError
	if errors.As(err, &told) {
		told.broker = true
	}
	return err
}

// strip is what calls are made with.
func strip(x *Exchange) *Exchange {
	return &Exchange{client: x.client, buyer: x.buyer, address: x.address, base: x.base}
}

// Report has the Broker pass a report on to the Exchange that sold. Its errors are those of
// [Exchange.Report].
func (b *Broker) Report(ctx context.Context, i *ResolvedItem, u Use) (string, error) {
	u.exchange = i.Exchange
	return b.relay.Report(ctx, i.Bought(), u)
}

// Dispute has the Broker pass a dispute on, as [Exchange.Dispute] does.
func (b *Broker) Dispute(ctx context.Context, i *ResolvedItem, d *Dispute) (*Disputed, error) {
	return b.relay.Dispute(ctx, i.Bought(), d)
}

// Fetch fetches what was bought, and holds it against the hash of its offer, as [Exchange.Fetch].
func (b *Broker) Fetch(ctx context.Context, i *ResolvedItem, accept ...string) (*Content, error) {
	return b.relay.Fetch(ctx, i.Bought(), accept...)
}

// ReadResolved reads the answer of a Broker, which is not nil. The error says which part of it
// cannot be read.
func ReadResolved(answer *rampv1.RAMPResponse) (*Resolved, error) {
	ext := answer.GetExt().GetFields()
	out := &Resolved{ID: answer.RequestId, Answer: answer, DryRun: ext["ramp.dry_run"].GetBoolValue()}
	for key, into := range map[string]any{
		"ramp.unsold": &out.Unsold, "ramp.found": &out.Found, "ramp.open": &out.Open, "ramp.passed": &out.Passed,
	} {
		if value, is := ext[key]; is {
			text, err := value.MarshalJSON()
			if err == nil {
				err = json.Unmarshal(text, into)
			}
			if err != nil {
				return nil, fmt.Errorf("the Broker's answer cannot be read at ext[%q]: %w", key, err)
			}
		}
	}
	list, is := ext["ramp.items"]
	if !is {
		if _, offered := ext["ramp.offer"]; !offered && answer.TransactionId == "" {
			return out, nil
		}
		item, err := resolvedItem(answer)
		out.Items = []ResolvedItem{item}
		return out, err
	}
	for _, value := range list.GetListValue().GetValues() {
		text, err := value.MarshalJSON()
		one := &rampv1.RAMPResponse{}
		if err == nil {
			err = ramp.Unmarshal(text, one)
		}
		if err != nil {
			return nil, fmt.Errorf("an item of the Broker's answer cannot be read: %w", err)
		}
		item, err := resolvedItem(one)
		if err != nil {
			return nil, err
		}
		out.Items = append(out.Items, item)
	}
	return out, nil
}

// resolvedItem reads one transaction.
func resolvedItem(r *rampv1.RAMPResponse) (ResolvedItem, error) {
	ext := r.GetExt().GetFields()
	out := ResolvedItem{URI: ext["ramp.uri"].GetStringValue(), RAMPResponse: r}
	value, is := ext["ramp.offer"]
	if !is {
		return out, nil
	}
	text, err := value.MarshalJSON()
	if err == nil {
		out.Offer, out.Signed = &rampv1.Offer{}, text
		err = ramp.Unmarshal(text, out.Offer)
	}
	if err != nil {
		return out, fmt.Errorf("the offer in the Broker's answer cannot be read: %w", err)
	}
	return out, nil
}

// VerifyOffer says why an offer that a Broker bought by was not signed by this Exchange: the Broker
// cannot have changed its price.
func (x *Exchange) VerifyOffer(ctx context.Context, i *ResolvedItem) error {
	if i.Offer == nil {
		return errors.New("the Broker does not tell by which offer it bought")
	}
	offer := &rampv1.Offer{}
	if err := ramp.Unmarshal(i.Signed, offer); err != nil {
		return fmt.Errorf("the offer in the Broker's answer cannot be read: %w", err)
	}
	if !proto.Equal(offer, i.Offer) {
		return errors.New("the offer is not the one that the Broker told")
	}
	_, _, err := x.Verify(ctx, &Collected{Response: &rampv1.ResourceResponse{Offers: []*rampv1.Offer{offer}},
		text: []byte(`{"offers":[` + string(i.Signed) + `]}`)}, offer)
	return err
}
