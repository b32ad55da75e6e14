// Package broker is a RAMP Broker: it asks several Exchanges at once for offers, chooses the best
// offer for each address, buys within the agent's limits and budgets, and forwards reports and
// disputes to the Exchange that sold (RAMP v1, RAMPRequest).
//
// Before it sends a purchase, the Broker records the id of the purchase and holds its cost against
// the budget. If a connection breaks anywhere, the same request continues, and nothing is bought
// twice.
//
// The package owns the tables of requests, budgets and the reliability of Exchanges. It calls
// Exchanges through package client and must not know the Exchange of this process. Handlers are in
// rampapi. Enter by [New] and [Broker.Resolve].
package broker

import (
	"context"
	"crypto/ed25519"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"frontdesk/client"
	"frontdesk/internal/infra/store"
	rampv1 "frontdesk/wire/ramp/v1"
)

// Version is the protocol's that is spoken.
const Version = "1.0"

// Bounds of one request.
const (
	MaxURIs      = 100 // addresses
	MaxExchanges = 20  // that are asked
	maxOffers    = 20  // of one Exchange for one address that are looked at
	maxListed    = 5   // Exchanges of one ramp.json
	maxRounds    = 3   // of purchases, each of what the one before was denied
)

// Exchange is one that the operator has named.
type Exchange struct {
	Domain    string // in lower case
	Address   string // of the site that has its manifest; empty for https:// and the domain
	Preferred bool
}

// Fee is what the Broker adds to each price and states (RAMP v1, RAMPResponse.broker_fee). The zero
// Fee is none.
type Fee struct {
	Share    int64  // of the price, in units of 1e-8
	Each     int64  // for each purchase that costs something, in units of 1e-8 of Currency
	Currency string // purchases in others bear no Each
}

// Budget is what the operator lets requesters spend, whatever they say themselves.
type Budget struct {
	Account  string // domain/id of the requester; "*" for each that has none of its own
	Amount   int64  // in units of 1e-8
	Currency string
	Period   time.Duration // 0 for all time
}

// Config is what a Broker needs.
type Config struct {
	// Domain publishes the Broker's keys at /.well-known/ramp-agent.json, and ID is what it calls
	// itself.
	Domain, ID string
	// Key is the key that signs now, and what the domain's document calls it.
	Key func() (key ed25519.PrivateKey, id string, err error)
	// HTTP reaches Exchanges and providers; what leads to other places than they may name is
	// refused there. Client makes its options of it.
	HTTP *http.Client
	// DB has the tables of Schema.
	DB *store.DB
	// Exchanges are asked for every request that names none itself; further ones are found by the
	// ramp.json of the addresses' hosts.
	Exchanges []Exchange
	// OnlyExchanges keeps to them, whatever documents and requests name.
	OnlyExchanges bool
	// Deadline is how long all Exchanges together may take to offer something; 0 is half a second.
	Deadline time.Duration
	// BuyWithin is how long a purchase may take before the agent is told that it is still under
	// way; 0 is 5 seconds.
	BuyWithin time.Duration
	// Parallel is how many Exchanges are asked at the same time for one request; 0 is 20.
	Parallel int
	// MaxAnswer is how many bytes the answer of an Exchange may have; 0 is 1 MiB.
	MaxAnswer int64
	// Binary speaks the protocol's binary form with Exchanges.
	Binary bool
	// Verifiers are the domains of those whose word on other people's content counts in the choice.
	Verifiers []string
	Fee       Fee
	Budgets   []Budget
	// Find answers searches; nil for none. Own lets what was found be bought in the Broker's own
	// name, where the requester's signature does not cover it.
	Find Finder
	Own  bool
	// Rates compare offers of different currencies, and count them under bounds of others. The zero
	// value has none.
	Rates Rates
	// WholeDelegations passes delegations on as they came; they are narrowed to what a request
	// needs otherwise.
	WholeDelegations bool
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	Log *slog.Logger // nil for none
	// Observer is told what happens.
	Observer Observer
	// Fault, where tests set it, is called at the steps of a purchase and makes them fail; at
	// "unsure", the attempts end.
	Fault func(step string) error
}

// Request is a RAMPRequest with the account of its identified requester.
type Request struct {
	*rampv1.RAMPRequest
	// Account is whose it is: domain/id of the requester, as it was identified.
	Account string
}

// Broker answers requests by buying from Exchanges. Its methods may be called concurrently.
type Broker struct {
	Config
	peers     peers
	providers cache[*rampv1.ProviderManifest]

	mu      sync.Mutex
	working map[string]chan struct{} // requests in work here, by account and id
	record  sync.Map                 // of each Exchange: *honour
}

// New makes a Broker. [Broker.Run] goes on with what one before it left unfinished.
func New(c Config) *Broker {
	if c.Deadline <= 0 {
		c.Deadline = 500 * time.Millisecond
	}
	if c.BuyWithin <= 0 {
		c.BuyWithin = 5 * time.Second
	}
	if c.Parallel <= 0 {
		c.Parallel = MaxExchanges
	}
	if c.MaxAnswer <= 0 {
		c.MaxAnswer = 1 << 20
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	b := &Broker{Config: c, working: map[string]chan struct{}{}}
	b.peers = peers{broker: b, all: map[string]*health{},
		open: newCache[*client.Exchange](manifestHolds, firstRest, c.Now)}
	b.providers = newCache[*rampv1.ProviderManifest](providerHolds, failureHolds, c.Now)
	return b
}

// How long documents hold (RAMP v1: an Exchange's for an hour), how long it holds that a provider's
// cannot be had, and how long one may take.
const (
	manifestHolds  = time.Hour
	providerHolds  = 10 * time.Minute
	failureHolds   = 5 * time.Second
	documentWithin = 5 * time.Second
)

// buyer is who the Broker is to Exchanges, now.
func (b *Broker) buyer() (client.Buyer, error) {
	key, id, err := b.Key()
	return client.Buyer{ID: b.ID, Domain: b.Domain, Key: key, KeyID: id, Verifiers: b.Verifiers}, err
}

// fault fails at a step where a test says so.
func (b *Broker) fault(step string) error {
	if b.Fault == nil {
		return nil
	}
	return b.Fault(step)
}

// Resolve finds the best offers for a request, and buys by them. A request that was answered is
// answered alike, as long as it is kept: 30 days. The same request at the same time is worked on
// once, and the others wait. The error is a *Refusal, a *ramp.Invalid, the context's, or ours.
func (b *Broker) Resolve(ctx context.Context, a Request) (*rampv1.RAMPResponse, error) {
	answer, err := b.resolved(ctx, a)
	b.watchResolved(a, answer, err)
	return answer, err
}

func (b *Broker) resolved(ctx context.Context, a Request) (*rampv1.RAMPResponse, error) {
	if err := bounded(a); err != nil {
		return nil, err
	}
	digest, err := digestOf(a.RAMPRequest)
	if err != nil {
		return nil, err
	}
	for {
		release, err := b.take(ctx, a.Account, a.Id)
		if err != nil {
			return nil, err
		}
		answer, again, err := b.resolve(ctx, a, digest)
		release()
		if !again {
			return answer, err
		}
	}
}

// resolve does so while nobody else in this process works on the request. again says that another
// process was first.
func (b *Broker) resolve(ctx context.Context, a Request, digest []byte) (answer *rampv1.RAMPResponse, again bool,
	err error) {
	w, err := b.known(ctx, a.Account, a.Id, digest)
	if err != nil {
		return nil, false, err
	}
	if w == nil {
		found, err := b.choose(ctx, a)
		if err != nil {
			return nil, false, err
		}
		if dryRun(a.RAMPRequest) {
			answer, err := b.quote(a, found)
			return answer, false, err
		}
		w = newWork(a, digest, found)
		switch first, err := b.begin(ctx, w, found, a); {
		case err != nil:
			return nil, false, err
		case !first:
			return nil, true, nil
		}
	} else if !w.done && !w.Own {
		if w.Requester, err = proto.Marshal(a.GetRequester()); err != nil { // which may be signed by another key by now
			return nil, false, err
		}
	}
	answer, err = b.finish(ctx, w)
	if errors.Is(err, errChanged) {
		return nil, true, nil
	}
	return answer, false, err
}

// take waits until nobody else in this process works on a request.
func (b *Broker) take(ctx context.Context, account, id string) (release func(), err error) {
	key := account + "\n" + id
	for {
		b.mu.Lock()
		busy, is := b.working[key]
		if !is {
			done := make(chan struct{})
			b.working[key] = done
			b.mu.Unlock()
			return func() {
				b.mu.Lock()
				delete(b.working, key)
				b.mu.Unlock()
				close(done)
			}, nil
		}
		b.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
