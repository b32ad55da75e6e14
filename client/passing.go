package client

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
	"frontdesk/wire/strictjson"
)

// Passed is a query that an intermediary passes on, written once in each form for as many Exchanges
// as are asked. It must not be changed.
type Passed struct {
	json, binary func() ([]byte, error)
}

// PassOn writes a query that is passed on: with the hop of the buyer, who signs it for a time (RAMP
// v1, IntermediaryHop), or as it is where the buyer asks in its own name. The query itself stays as
// it was.
func (b Buyer) PassOn(query *rampv1.ResourceQuery, at time.Time, own bool) (*Passed, error) {
	if !own {
		if b.Key == nil {
			return nil, errUnsignedHop
		}
		query = proto.CloneOf(query)
		if err := ramp.AppendHop(query, ramp.Hop{Domain: b.Domain, ID: b.ID, At: at}, b.Key); err != nil {
			return nil, err
		}
	}
	if err := ramp.Validate(query); err != nil {
		return nil, err
	}
	return &Passed{
		json: sync.OnceValues(func() ([]byte, error) { return ramp.Marshal(query) }),
		binary: sync.OnceValues(func() ([]byte, error) {
			return proto.MarshalOptions{Deterministic: true}.Marshal(query)
		}),
	}, nil
}

var errUnsignedHop = errors.New("who passes a query on signs it; give the buyer's key")

// Sign has a requester in the buyer's own name sign its id, domain, addresses and scopes.
func (b Buyer) Sign(r *rampv1.Requester) error {
	if b.Key == nil {
		return errUnsignedHop
	}
	payload, err := ramp.RequesterPayload(r)
	if err == nil {
		r.Signature, r.SignatureAlgorithm = sign.EncodeSignature(ed25519.Sign(b.Key, payload)), "ed25519"
	}
	return err
}

// typeBinary is the media type of the protocol's binary form.
const typeBinary = "application/proto"

// Collected is what an Exchange answered to a query that was passed on. Nothing of it is verified:
// see [Exchange.Verify].
type Collected struct {
	Response *rampv1.ResourceResponse

	// Apart is how far the clock of the Exchange is ahead of this machine's, to the second; 0 where
	// that is less than a minute, or not told.
	Apart time.Duration

	text []byte // as it came, where that was JSON
	once sync.Once
	raw  map[*rampv1.Offer]ramp.ReceivedOffer

	fresh sync.Mutex
	read  bool // it was tried to read the Exchange's keys, since
}

// Collect asks what is offered, once, and verifies nothing yet: who takes few of many offers
// verifies those. binary speaks the protocol's binary form. Errors are those of Discover.
func (x *Exchange) Collect(ctx context.Context, p *Passed, binary bool) (*Collected, error) {
	write, kind := p.json, typeJSON
	if binary {
		write, kind = p.binary, typeBinary
	}
	body, err := write()
	if err != nil {
		return nil, err
	}
	address := x.base + "DiscoverResources"
	got, err := x.client.once(ctx, errand{address: address, compose: func(ctx context.Context) (*http.Request, error) {
		request, err := x.compose(ctx, address, body)
		if err == nil {
			request.Header.Set("Content-Type", kind)
		}
		return request, err
	}})
	switch {
	case err != nil:
		return nil, err
	case got.status != http.StatusOK:
		return nil, failureOfExchange(got)
	}
	out := &Collected{Response: &rampv1.ResourceResponse{}, Apart: clockApart(got.header, got.at)}
	if binary {
		err = ramp.Binary{}.Unmarshal(got.body, out.Response)
	} else {
		out.text = got.body
		err = ramp.Unmarshal(got.body, out.Response)
	}
	if err == nil {
		err = ramp.FirstForeign(out.text, out.Response)
	}
	if err != nil {
		return nil, &NotAnExchange{address, err.Error()}
	}
	return out, nil
}

// came is an offer as it came; nil where that was not JSON, or it is none of these.
func (c *Collected) came(offer *rampv1.Offer) ramp.ReceivedOffer {
	c.once.Do(func() {
		alone, grouped, err := ramp.ReceivedOffers(c.text)
		if c.text == nil || err != nil {
			return
		}
		c.raw = map[*rampv1.Offer]ramp.ReceivedOffer{}
		for i, one := range c.Response.Offers {
			c.raw[one] = alone[i]
		}
		for g, group := range c.Response.OfferGroups {
			for i, one := range group.Offers {
				c.raw[one] = grouped[g][i]
			}
		}
	})
	return c.raw[offer]
}

// Verify says what is wrong with an offer that was collected: it must be well-formed, in time,
// understood, and signed by the Exchange. It gives the JSON that the signature is over, with the
// signature in it, for whoever is to verify it again, and the same as an object for the ext of a
// message. critical are the keys of ext that are understood. Of a signature that no known key has
// made, the Exchange's keys are read anew.
func (x *Exchange) Verify(ctx context.Context, c *Collected, offer *rampv1.Offer,
	critical ...string) (document []byte, object *structpb.Struct, err error) {
	now := x.client.options.Now()
	if err := fits(offer, critical, now, c.Apart); err != nil {
		return nil, nil, err
	}
	signature, err := sign.DecodeSignature(offer.ExchangeSignature)
	if err != nil {
		return nil, nil, fmt.Errorf("its signature cannot be read: %w", err)
	}
	fields, err := ramp.OfferPayload(offer)
	if err != nil {
		return nil, nil, err
	}
	for _, again := range []bool{false, true} {
		if again {
			if err := x.refreshed(ctx, c); err != nil {
				return nil, nil, err
			}
		}
		if x.signed([][]byte{fields}, signature, now) {
			return bothForms(fields, offer)
		}
		if came := c.came(offer); came != nil {
			if whole, err := came.Payload(); err == nil && x.signed([][]byte{whole}, signature, now) {
				object, err := ramp.ReadObject(came)
				return bytes.Clone(came), object, err
			}
		}
	}
	return nil, nil, errors.New("it is not signed by the Exchange")
}

// bothForms are an offer's JSON and its object, from its canonical JSON without the signature. JSON
// that cannot be nested deeper than is read, since it opens no more objects and lists than that,
// need not be read again for its object: the offer is one.
func bothForms(unsigned []byte, offer *rampv1.Offer) (document []byte, object *structpb.Struct, err error) {
	if document, err = withSignature(unsigned, offer.ExchangeSignature); err != nil {
		return nil, nil, err
	}
	if bytes.Count(document, []byte("{"))+bytes.Count(document, []byte("[")) <= strictjson.MaxDepth {
		object, err = ramp.Object(offer)
	} else {
		object, err = ramp.ReadObject(document)
	}
	return document, object, err
}

// withSignature is an offer's canonical JSON with its signature put in.
func withSignature(unsigned []byte, signature string) ([]byte, error) {
	out := make([]byte, 0, len(unsigned)+len(signature)+32)
	out, err := jsontext.AppendQuote(append(out, `{"exchange_signature":`...), signature)
	return append(append(out, ','), unsigned[1:]...), err // the offer has members: an offer_id at the least
}

// refreshed reads the Exchange's keys, at most once since something was collected.
func (x *Exchange) refreshed(ctx context.Context, c *Collected) error {
	c.fresh.Lock()
	defer c.fresh.Unlock()
	if c.read {
		return nil
	}
	c.read = true // who does not give them is not asked for each offer
	return x.refresh(ctx)
}

// Execute sends a purchase in a requester's name, as it is, and gives the answer as it is (RAMP v1,
// ExecuteTransaction).
func (x *Exchange) Execute(ctx context.Context,
	request *rampv1.TransactionRequest) (*rampv1.TransactionResponse, error) {
	answer := &rampv1.TransactionResponse{}
	_, err := x.call(ctx, "ExecuteTransaction", request, answer)
	return answer, err
}

// PassReport sends a report, as it is (RAMP v1, ReportUsage).
func (x *Exchange) PassReport(ctx context.Context, report *rampv1.UsageReport) (*rampv1.UsageReportResponse, error) {
	answer := &rampv1.UsageReportResponse{}
	_, err := x.call(ctx, "ReportUsage", report, answer)
	return answer, err
}

// PassDispute sends a dispute, as it is (RAMP v1, DisputeTransaction).
func (x *Exchange) PassDispute(ctx context.Context, dispute *rampv1.DisputeRequest) (*rampv1.DisputeResponse, error) {
	answer := &rampv1.DisputeResponse{}
	_, err := x.call(ctx, "DisputeTransaction", dispute, answer)
	return answer, err
}

// Results are the answers to a purchase, one for each of the offers that it was of; a purchase of
// one that is denied, too. The error is a *NotAnExchange for an answer that is about something
// else.
func (x *Exchange) Results(request *rampv1.TransactionRequest,
	answer *rampv1.TransactionResponse) ([]*rampv1.TransactionResultItem, error) {
	wanted := request.Items
	if len(wanted) == 0 {
		wanted = []*rampv1.TransactionItem{{OfferId: request.GetOfferId()}}
	}
	results := answer.Items
	if len(request.Items) == 0 && len(results) == 0 {
		results = []*rampv1.TransactionResultItem{single(request.GetOfferId(), answer)}
	}
	if answer.Id != request.Id {
		return nil, &NotAnExchange{x.base, "the answer to the purchase is about something else"}
	}
	if len(results) == 0 && answer.DenialReason != nil { // of all of it
		for _, item := range wanted {
			results = append(results,
				&rampv1.TransactionResultItem{OfferId: item.OfferId, DenialReason: answer.DenialReason})
		}
	}
	if len(results) != len(wanted) {
		return nil, &NotAnExchange{x.base, "the answer to the purchase is about something else"}
	}
	for i, result := range results {
		switch {
		case result.OfferId != wanted[i].OfferId:
			return nil, &NotAnExchange{x.base, "the answer to the purchase names other offers, or in another order"}
		case result.GetDenialReason() == 0 && (result.TransactionId == "" || result.BillingId == ""):
			return nil, &NotAnExchange{x.base, "the answer to the purchase has no transaction_id or no billing_id"}
		case result.GetDenialReason() != 0 &&
			(result.GetCost().GetAmount() > 0 || result.GetPackage().GetRetrieval().GetEndpoint() != ""):
			return nil, &NotAnExchange{x.base, "the answer to the purchase denies what it sells"}
		case !(result.GetCost().GetAmount() >= 0 && result.GetCost().GetAmount() <= maxCharged): // or no number
			return nil, &NotAnExchange{x.base, "the answer to the purchase has a cost that is no amount"}
		}
	}
	return results, nil
}

// maxCharged is the largest amount that a purchase may be said to have cost.
const maxCharged = 1e9
