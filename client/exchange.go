package client

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

// Buyer is who buys from Exchanges of RAMP v1.
type Buyer struct {
	ID     string // what its domain calls it
	Domain string // which publishes its keys at /.well-known/ramp-agent.json
	// Key signs every request (RFC 9421), and KeyID is what the domain's document calls it; empty
	// where it has one key. Without a key nothing is signed, which most Exchanges refuse.
	Key   ed25519.PrivateKey
	KeyID string
	// Scopes are the entitlements that it asks for; they narrow what it gets. None asks for what is
	// public.
	Scopes []string
	// Licence is a licence or subscription that the Exchange gave it; may be empty.
	Licence string
	// Delegation is what it acts under, as a principal gave it ([ReadDelegation]); nil for its own
	// name. Its token is good for whoever has it, unless it is bound to Key: one that is not is
	// sent to no Exchange that others' documents led to.
	Delegation *rampv1.Delegation
	// Verifiers are the domains of those whose word on other people's content it takes
	// ([Exchange.Attestations]); none takes only that of providers on their own.
	Verifiers []string
}

// Exchange is one Exchange of RAMP v1, as [OpenExchange] found it. It is safe for concurrent use.
type Exchange struct {
	client   Client
	buyer    Buyer
	manifest *rampv1.ExchangeManifest
	base     string // of its RPCs
	address  string // at which it was opened

	verifiers verifiers

	mu   sync.Mutex
	keys []ramp.Key
}

// OpenExchange reads the manifest of an Exchange and its keys, at its address
// (https://exchange.example.com) or the manifest's own
// (https://exchange.example.com/.well-known/ramp-exchange.json). Addresses without https are
// refused, except on this machine.
//
// Of the options HTTP, UserAgent, MaxAnswer (0 is 64 MiB), Retries, MaxWait and Silence count. A
// manifest names the addresses that are asked then, and a purchase the one from which content is
// fetched: a program that asks Exchanges which it does not know gives an HTTP client that reaches
// only public addresses.
//
// Errors are of the types ExchangeError, NotAnExchange, Broken and Unreachable, or the context's.
func OpenExchange(ctx context.Context, address string, buyer Buyer, options Options) (*Exchange, error) {
	if buyer.ID == "" || buyer.Domain == "" {
		return nil, errors.New("an Exchange wants to know who buys: give the buyer's id and domain")
	}
	ctx, cancel := context.WithTimeout(ctx, maxAttempt)
	defer cancel()
	x, err := withManifest(ctx, address, buyer, options)
	if err != nil {
		return nil, err
	}
	x.base = strings.TrimSuffix(x.manifest.ExchangeEndpoint, "/") + exchangePath
	for _, at := range []string{x.base, x.manifest.KeysUri} {
		if err := private(at); err != nil {
			return nil, err
		}
	}
	return x, x.refresh(ctx)
}

// withManifest reads the manifest of an Exchange at its address.
func withManifest(ctx context.Context, address string, buyer Buyer, options Options) (*Exchange, error) {
	u, err := findable(address, exchangeManifest)
	if err != nil {
		return nil, err
	}
	x := &Exchange{client: cautious(options), buyer: buyer, address: address}
	text, status, err := x.client.document(ctx, u.String())
	if err != nil {
		return nil, err
	}
	if status != http.StatusOK {
		if other := x.successor(ctx, *u); other != nil {
			return nil, &NotAnExchange{u.String(), other.Error()}
		}
		return nil, &NotAnExchange{u.String(), fmt.Sprintf("the status is %d: there is no manifest here", status)}
	}
	if x.manifest, err = ramp.ReadExchangeManifest(text); err != nil {
		return nil, &NotAnExchange{u.String(), err.Error()}
	}
	return x, nil
}

// successor says which protocol that came after RAMP v1 an Exchange without a manifest speaks, by
// the documents of those; nil where nobody can tell.
func (x *Exchange) successor(ctx context.Context, at url.URL) error {
	for _, path := range []string{"/.well-known/fora.json", "/.well-known/ramp.json"} {
		at.Path = path
		text, status, err := x.client.document(ctx, at.String())
		if err != nil || status != http.StatusOK {
			continue
		}
		if other := ramp.RecogniseDocument(path, text); other != nil {
			return other
		}
	}
	return nil
}

// refresh reads the Exchange's keys.
func (x *Exchange) refresh(ctx context.Context) error {
	text, status, err := x.client.document(ctx, x.manifest.KeysUri)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return &NotAnExchange{x.manifest.KeysUri, fmt.Sprintf("the status is %d: there are no keys here", status)}
	}
	_, keys, err := ramp.ReadKeys(text)
	if err != nil {
		return &NotAnExchange{x.manifest.KeysUri, err.Error()}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.keys = keys
	return nil
}

// Manifest is the Exchange's. It must not be changed.
func (x *Exchange) Manifest() *rampv1.ExchangeManifest { return x.manifest }

// Wanted is what a buyer asks offers for.
type Wanted struct {
	URIs []string // at least one
	// Uses are CoMP's functions, such as "FUNCTION_AI_INPUT"; none declares nothing.
	Uses []string
	// Deadline is how long the Exchange may take; 0 is its own default of half a second.
	Deadline time.Duration
	// Profiles are the extension profiles that the program understands; none is told of all.
	Profiles []string
	// Critical are keys of ext that the program understands: offers that need others are passed
	// over.
	Critical []string
}

// Quote is what is offered for one address.
type Quote struct {
	URI    string
	Offers []*rampv1.Offer // those that the Exchange has signed, and that the program understands
	// Absence is why there is no offer; unspecified where there are some.
	Absence rampv1.OfferAbsenceReason
	// Passed says why offers were passed over.
	Passed []error
}

// Quotes are what an Exchange offers.
type Quotes struct {
	All []Quote // one for each address, in the order of the question
	// RateLimit says how much is left of the buyer's limit; nil for no limit.
	RateLimit *rampv1.RateLimitInfo
}

// Discover asks what is offered for addresses, and verifies the signature of every offer (RAMP v1,
// DiscoverResources).
func (x *Exchange) Discover(ctx context.Context, w Wanted) (*Quotes, error) {
	query := &rampv1.ResourceQuery{Ver: rampVersion, Id: newSession(), Requester: x.requester(w.URIs),
		SupportedProfiles: w.Profiles}
	query.Requester.IntendedUse = w.Uses
	if w.Deadline > 0 {
		query.Deadline = durationpb.New(w.Deadline)
	}
	return x.quotes(ctx, query, w.Critical)
}

// Forward passes another's query on: it signs it in the buyer's name, who is an intermediary here,
// and asks what is offered to the requester that the query names (RAMP v1, IntermediaryHop). The
// query itself stays as it was. critical are keys of ext that the requester understands. Who has no
// key passes nothing on.
func (x *Exchange) Forward(ctx context.Context, query *rampv1.ResourceQuery, critical ...string) (*Quotes, error) {
	if x.buyer.Key == nil {
		return nil, errors.New("who passes a query on signs it; give the buyer's key")
	}
	query = proto.CloneOf(query)
	if err := ramp.AppendHop(query, ramp.Hop{Domain: x.buyer.Domain, ID: x.buyer.ID, At: x.client.options.Now()},
		x.buyer.Key); err != nil {
		return nil, err
	}
	return x.quotes(ctx, query, critical)
}

// quotes asks what is offered, and passes over what is not good.
func (x *Exchange) quotes(ctx context.Context, query *rampv1.ResourceQuery, critical []string) (*Quotes, error) {
	uris := query.GetRequester().GetUris()
	answer := &rampv1.ResourceResponse{}
	got, err := x.call(ctx, "DiscoverResources", query, answer)
	if err != nil {
		return nil, err
	}
	alone, grouped, err := ramp.ReceivedOffers(got.body)
	if err != nil {
		return nil, &NotAnExchange{x.base, err.Error()}
	}
	out := &Quotes{RateLimit: answer.RateLimit}
	groups := answer.OfferGroups
	if len(answer.Offers) > 0 && len(uris) > 0 {
		groups, grouped = []*rampv1.OfferGroup{{Uri: uris[0], Offers: answer.Offers}}, [][]ramp.ReceivedOffer{alone}
	}
	fresh, apart := false, clockApart(got.header, got.at)
	for g, group := range groups {
		q := Quote{URI: group.Uri, Absence: group.GetAbsenceReason()}
		for i, offer := range group.Offers {
			if err := x.good(ctx, offer, grouped[g][i], critical, apart, &fresh); err != nil {
				q.Passed = append(q.Passed, fmt.Errorf("offer %.60q: %w", offer.OfferId, err))
				continue
			}
			q.Offers = append(q.Offers, offer)
		}
		out.All = append(out.All, q)
	}
	return out, nil
}

// exchangeManifest is where an Exchange says what it is, below its address.
const exchangeManifest = "/.well-known/ramp-exchange.json"

// exchangePath is what stands between the address of an Exchange and the name of an RPC.
const exchangePath = "/ramp.v1.ExchangeService/"

// rampVersion is the protocol's that is spoken.
const rampVersion = "1.0"

// good says what is wrong with an offer: it must be well-formed, in time, understood, and signed by
// the Exchange, all of it as it came. fresh says whether its keys were read since the offers came:
// they are, once, when a signature is none of those known.
func (x *Exchange) good(ctx context.Context, offer *rampv1.Offer, came ramp.ReceivedOffer, critical []string,
	apart time.Duration, fresh *bool) error {
	now := x.client.options.Now()
	if err := fits(offer, critical, now, apart); err != nil {
		return err
	}
	documents, err := payloads(offer, came)
	if err != nil {
		return err
	}
	signature, err := sign.DecodeSignature(offer.ExchangeSignature)
	if err != nil {
		return fmt.Errorf("its signature cannot be read: %w", err)
	}
	if !x.signed(documents, signature, now) && !*fresh {
		if err := x.refresh(ctx); err != nil {
			return err
		}
		*fresh = true
	}
	if x.signed(documents, signature, now) {
		return nil
	}
	return errors.New("it is not signed by the Exchange")
}

// fits says what is wrong with an offer beside its signature. apart is how far the clock of the
// Exchange is ahead.
func fits(offer *rampv1.Offer, critical []string, now time.Time, apart time.Duration) error {
	if err := ramp.Validate(offer); err != nil {
		return err
	}
	if keys := ramp.UnknownCritical(offer,
		func(_, key string) bool { return slices.Contains(critical, key) }); len(keys) > 0 {
		return fmt.Errorf("it needs %s to be understood", strings.Join(keys, ", "))
	}
	if offer.ExpiresAt != nil && !now.Before(offer.ExpiresAt.AsTime()) {
		return errors.New("it has ended" + apartWords(apart))
	}
	return nil
}

// payloads are the forms in which an offer may have been signed.
func payloads(offer *rampv1.Offer, came ramp.ReceivedOffer) ([][]byte, error) {
	asItCame, err := came.Payload()
	if err != nil || came.Unknown() {
		return [][]byte{asItCame}, err
	}
	asFields, err := ramp.OfferPayload(offer)
	return [][]byte{asItCame, asFields}, err
}

// signed says whether one of the documents is signed with a key of the Exchange's that is good.
func (x *Exchange) signed(documents [][]byte, signature []byte, now time.Time) bool {
	x.mu.Lock()
	keys := x.keys // which is replaced as a whole
	x.mu.Unlock()
	for _, key := range keys {
		if !key.Good(now) {
			continue
		}
		for _, document := range documents {
			if x.client.options.Verify(key.Public, document, signature) {
				return true
			}
		}
	}
	return false
}

// requester is the buyer in a message. The message itself is not signed: whoever sees such a
// signature can use it again, and compose signs the request over HTTP.
func (x *Exchange) requester(uris []string) *rampv1.Requester {
	r := &rampv1.Requester{Id: x.buyer.ID, Domain: x.buyer.Domain, Type: rampv1.RequesterType_REQUESTER_TYPE_AGENT,
		Uris: uris, Scopes: x.buyer.Scopes}
	if x.buyer.Delegation != nil {
		r.Type, r.Delegation = rampv1.RequesterType_REQUESTER_TYPE_DELEGATED, x.buyer.Delegation
	}
	if x.buyer.Licence != "" {
		r.LicenseId = new(x.buyer.Licence)
	}
	return r
}
