// Package exchange is the Exchange of RAMP v1: it sells what the terms release.
//
// An [Assortment] is what is for sale at present. A [Service] sells from it, and has two main
// methods:
//
//   - [Service.Discover] (discover.go) finds the catalog's entry at each address, decides by the
//     terms whether the requester may buy it, drafts offers with prices (offer.go), has them
//     signed, and stores them in one transaction.
//   - [Service.Execute] (execute.go) finds the offers of an order and checks them against today's
//     terms once more. In one transaction it charges them, counts them against the delegation and
//     appends them to the ledger (charge.go). Only then does it sign the addresses for fetching
//     (address.go).
//
// ReportUsage and Dispute follow a purchase. [Suppliers] push entries, [Domains] verifies domains,
// and [Cases] are disputes as the operator decides them, also where nothing is sold. Each use case
// is one exported method with one transaction, and answers only what was recorded.
//
// The package owns the rules of selling. It must not know how RAMP is written on the wire
// (rampapi), how content is delivered (delivery), or what is published about the terms (published).
package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/cache"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/wire/sign"
)

// Deps are the dependencies of a [Service]. All are required unless their comment says otherwise.
type Deps struct {
	Assortment *Assortment
	// Cases move disputes.
	Cases      *Cases
	Deliveries Deliveries
	DB         *store.DB
	Ledger     *ledger.Ledger
	Accounts   *accounts.Ledger
	// Nonces are the signatures that count once: see [requesters.Requester.Proof].
	Nonces *identity.Nonces
	// Signed reports whether a site signed a document with a key that was valid then.
	Signed func(site string, document, signature []byte) bool
	// AddressKeys give the keys that sign the addresses at which this front desk delivers, the one
	// in use first.
	AddressKeys func() ([]sign.URLKey, error)
	// AddressLife is how long such an address is valid; 0 is the maximum, sign.URLLife.
	AddressLife time.Duration
	// RevokedAbove is from which price on, in 1e-8 of whatever currency, nothing is sold under a
	// delegation of which it is not certain that its principal has not revoked it. Below, what is
	// known counts.
	RevokedAbove int64
	// Reports gives the rules in force; it is called for every request and may answer differently
	// over time.
	Reports func() ReportRules
	// Restricted returns why nothing of a site is sold at the moment; empty if it is sold. It is
	// called for each offer about to be sold. Nil restricts nothing.
	Restricted func(ctx context.Context, site string) Denial
	// Retention is how long temporary rows are stored.
	Retention Retention
	// Rates says how often things go wrong with a buyer, and with a provider, which is a site; nil
	// counts what the buyer disputes alone.
	Rates func(ctx context.Context, tx *store.Tx, buyer, site string, now time.Time) (disputes.Rates, error)
	// Renewals gives the versions of an item that came after one, where what this front desk
	// publishes itself is attested, each version when it is there; nil where it is not.
	Renewals func(ctx context.Context, item content.Ref) ([]content.Replacement, error)
	Now      func() time.Time // nil is time.Now
	Log      *slog.Logger     // nil for none
	// Fault lets tests fail a step by its name; nil for none.
	Fault func(step string) error
}

// Retention is how long temporary rows are stored.
type Retention struct {
	Offers    time.Duration // after their end, so that who comes too late is told so
	Sightings time.Duration // of agents that edges saw
	Evidence  time.Duration // lines of imported logs; 0 for as long as nobody says
}

// Deliveries is what a sale needs of the service that delivers.
type Deliveries interface {
	// Meter counts for how long the streams under a transaction were open until now.
	Meter(ctx context.Context, transaction string)
	// EndStreams ends the streams under a transaction whose use was reported.
	EndStreams(transaction string)
	// EndLost ends deliveries whose end nobody has recorded, up to so many, and says how many those
	// were.
	EndLost(ctx context.Context, tx *store.Tx, now time.Time, most int) (int, error)
}

// Service makes offers and sells them. Its methods may be called concurrently.
type Service struct {
	deps         Deps
	assortment   *Assortment
	recent       recentOffers
	signatures   signatures
	unsubscribed cache.Cache[subscriber, time.Time]
}

// New returns a Service. It is complete: what it needs is given, or an error names what is missing.
func New(deps Deps) (*Service, error) {
	if err := fail.Missing("exchange.New", map[string]bool{
		"Assortment": deps.Assortment != nil, "Cases": deps.Cases != nil, "Deliveries": deps.Deliveries != nil,
		"DB": deps.DB != nil, "Ledger": deps.Ledger != nil, "Accounts": deps.Accounts != nil,
		"Nonces": deps.Nonces != nil,
		"Signed": deps.Signed != nil, "AddressKeys": deps.AddressKeys != nil, "Reports": deps.Reports != nil,
	}); err != nil {
		return nil, err
	}
	deps.AddressLife = cmp.Or(deps.AddressLife, sign.URLLife)
	deps.Now, deps.Log, deps.Fault = orNow(deps.Now), orDiscard(deps.Log), orNone(deps.Fault)
	if deps.Restricted == nil {
		deps.Restricted = func(context.Context, string) Denial { return "" }
	}
	if deps.Renewals == nil {
		deps.Renewals = func(context.Context, content.Ref) ([]content.Replacement, error) { return nil, nil }
	}
	unsubscribed, err := cache.New[subscriber, time.Time](100_000)
	if err != nil {
		return nil, fmt.Errorf("make the cache of who has no subscription: %w", err)
	}
	return &Service{deps: deps, assortment: deps.Assortment, unsubscribed: unsubscribed}, nil
}

func orNow(now func() time.Time) func() time.Time {
	if now == nil {
		return time.Now
	}
	return now
}

func orDiscard(log *slog.Logger) *slog.Logger {
	if log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return log
}

func orNone(fault func(step string) error) func(step string) error {
	if fault == nil {
		return func(string) error { return nil }
	}
	return fault
}

// ErrRequestConflict is of a request whose id another request of the same party had.
var ErrRequestConflict = errors.New("another request had this id; give each its own")
