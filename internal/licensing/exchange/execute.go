package exchange

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/wire/ramp"
)

// remembered is how long a request to buy is known by its id (RAMP v1, ExecuteTransaction).
const remembered = 24 * time.Hour

// errRaced ends a transaction in which the same request was found to have been answered meanwhile.
var errRaced = errors.New("the same request was answered meanwhile")

// errForged ends a transaction in which an offer was taken that no key of its site has signed.
var errForged = errors.New("an offer is not signed by its site")

// Execute buys by offers, one after another, each for itself: what one is denied does not touch the
// others. What is bought is charged or held, and recorded in the books and the ledger, in one
// transaction; only then is there an address from which it can be fetched. A request that was
// answered within 24 hours gets the same answer, and buys nothing; asked twice at once, it is
// answered once. The error is ErrRequestConflict for another request under its id, or any other,
// which is ours.
func (s *Service) Execute(ctx context.Context, p Order) (*OrderResult, error) {
	now := s.deps.Now().UTC().Truncate(time.Microsecond)
	// Most requests are new, and take offers that were just made. So they are not looked up first:
	// that one was answered before is found when it is recorded, which undoes what was bought
	// meanwhile.
	if offers, ok := s.recent.taken(p.Items); ok && !p.Limited {
		out, err := s.execute(ctx, p, offers, now)
		if err == nil {
			return out, s.signAddresses(ctx, p, out)
		}
		// what was answered before is so all the same
		if !errors.Is(err, errRaced) && fail.From(err).Code != fail.Unavailable {
			return nil, err
		}
	}
	for {
		before, known, offers, err := s.findOrder(ctx, p, now)
		if err != nil {
			return nil, err
		}
		if known {
			return s.replay(ctx, p, before)
		}
		if p.Limited { // which is not remembered: it is to be tried again
			out := &OrderResult{Agent: ramp.AgentIdentityHash(p.Requester.ID, p.Requester.Domain)}
			for _, item := range p.Items {
				out.Items = append(out.Items, ItemResult{Offer: item.Offer, Denial: TooManyPurchases})
			}
			return out, nil
		}
		out, err := s.execute(ctx, p, offers, now)
		if errors.Is(err, errRaced) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return out, s.signAddresses(ctx, p, out)
	}
}

// LookupOrder returns the result of an earlier order by its id and digest. Results are known for 24
// hours.
func (s *Service) LookupOrder(ctx context.Context, p Order) (out *OrderResult, known bool, err error) {
	now := s.deps.Now().UTC().Truncate(time.Microsecond)
	p.Items = nil
	before, known, _, err := s.findOrder(ctx, p, now)
	if err != nil || !known {
		return nil, false, err
	}
	for _, line := range before.Lines {
		p.Items = append(p.Items, OrderItem{Offer: line.Offer})
	}
	out, err = s.replay(ctx, p, before)
	return out, true, err
}

// execute buys by the offers of a request, as far as they may be taken. It is errRaced, and nothing
// is bought, where the request was answered before.
func (s *Service) execute(ctx context.Context, p Order, offers []*transactions.Offer, now time.Time) (out *OrderResult,
	err error) {
	out = &OrderResult{Agent: ramp.AgentIdentityHash(p.Requester.ID, p.Requester.Domain)}
	lines := make([]orderLine, len(p.Items))
	if p, err = s.inForce(ctx, p, offers); err != nil {
		return nil, err
	}
	for i, item := range p.Items {
		lines[i] = orderLine{id: item.Offer, offer: offers[i], denial: s.checkOffer(p, i, offers[i], now),
			agent: out.Agent}
	}
	// what is for sale is not known yet: that would be a denial that is remembered
	if err := s.assortment.deps.Corpus.Ready(); err != nil {
		return nil, err
	}
	forged := s.checkSignatures(lines)
	followed := false
	for i := range lines {
		if lines[i].denial == "" {
			s.checkTerms(ctx, p, &lines[i], now)
		}
		// another node may have offered what this one has not heard of
		if lines[i].denial == ContentUnavailable && !followed {
			followed = true
			if err := s.assortment.catchUp(ctx); err != nil {
				return nil, err
			}
			s.checkTerms(ctx, p, &lines[i], now)
		}
		if lines[i].denial == "" {
			lines[i].denial = s.deps.Restricted(ctx, offers[i].Site)
		}
	}
	if out.Items, err = s.transact(ctx, p, lines, forged, now); !errors.Is(err, errForged) {
		out.bind()
		return out, err
	}
	for _, i := range forged() {
		lines[i].denial = SignatureInvalid
	}
	out.Items, err = s.transact(ctx, p, lines, func() []int { return nil }, now)
	out.bind()
	return out, err
}

// checkSignatures begins to look at the signatures of the offers that may be taken, while these are
// bought, and gives what waits for it: the numbers of those that no key of their site has signed.
func (s *Service) checkSignatures(lines []orderLine) func() []int {
	var offers []*transactions.Offer // nil for what is not looked at
	for _, line := range lines {
		if line.denial != "" {
			line.offer = nil
		}
		offers = append(offers, line.offer)
	}
	found := sync.OnceValue(func() (forged []int) {
		for i, o := range offers {
			if o != nil && !s.deps.Signed(o.Site, o.Document, o.Signature) {
				forged = append(forged, i)
			}
		}
		return forged
	})
	go found()
	return found
}

// orderLine is an offer that is to be bought.
type orderLine struct {
	id     string
	offer  *transactions.Offer // nil for one that is not known
	denial Denial              // why it cannot be bought whatever the book says
	agent  string              // what its address is bound to
}

// findOrder looks up what came of a request before, or the offers that it takes.
func (s *Service) findOrder(ctx context.Context, p Order, now time.Time) (before transactions.Request, known bool,
	offers []*transactions.Offer, err error) {
	err = s.deps.DB.View(ctx, func(tx *store.Tx) (err error) {
		offers = make([]*transactions.Offer, len(p.Items))
		if before, known, err = transactions.FindRequest(ctx, tx, p.Requester.Account(), p.ID,
			now.Add(-remembered)); err != nil || known {
			return err
		}
		for i, item := range p.Items {
			if item.Signature == nil {
				continue
			}
			offer, there, err := transactions.FindOffer(ctx, tx, item.Offer)
			if err != nil {
				return err
			}
			if there {
				offers[i] = offer
			}
		}
		return nil
	})
	return before, known, offers, err
}

// checkOffer says why an offer cannot be taken, before the books are asked, and before its own
// signature is looked at.
func (s *Service) checkOffer(p Order, i int, offer *transactions.Offer, now time.Time) Denial {
	for _, earlier := range p.Items[:i] {
		if earlier.Offer == p.Items[i].Offer {
			return SignatureInvalid
		}
	}
	switch {
	case !p.Delegated.IsZero() && !now.Before(p.Delegated) || p.Requester.Delegation != nil &&
		p.Requester.Delegation.Ended != nil:
		return DelegationExpired
	case offer == nil || offer.Buyer != p.Requester.Account() || !offer.HasSignature(p.Items[i].Signature):
		return SignatureInvalid
	// the requester never said that it wants this
	case p.Requester.Broker != "" && !slices.Contains(p.Requester.Covered, offer.URI):
		return SignatureInvalid
	case offer.Ended(now):
		return OfferExpired
	}
	return ""
}

// checkTerms notes why today's terms, or those that the offer tells, do not let an offer be sold
// for what is declared, or else what its address is bound to.
func (s *Service) checkTerms(ctx context.Context, p Order, line *orderLine, now time.Time) {
	offer := line.offer
	line.denial = ""
	q := offerBuilder{
		owner: s.assortment.deps.OfferPolicy(), rules: s.assortment.Terms(), now: now, uri: offer.URI,
		operation: requesters.OperationTransact, cents: cents(cost(offer)),
		query: &Query{By: p.Requester, URIs: []string{offer.URI}, Functions: p.declared(offer), User: p.User,
			Country: p.Country},
	}
	if q.entry = s.assortment.EntryAt(offer.URI, offer.Site, offer.Item.Source); q.entry == nil {
		line.denial = ContentUnavailable
		return
	}
	var sold bool
	if q.rules, q.tenant, sold = s.assortment.termsFor(q.entry, q.rules); !sold {
		line.denial = ContentUnavailable
		return
	}
	q.rules = q.rules.For(partyOf(ctx, p.Requester))
	if s.assortment.decide(&q); q.absent == "" {
		q.absent = q.outside(offer.For)
	}
	away := offer.Delivery == transactions.Instructions && q.outlet != nil
	switch {
	case errors.Is(q.scopeError, requesters.ErrDelegationOver):
		line.denial = DelegationExpired
	case q.scopeError != nil:
		line.denial = ScopeInsufficient // which whoever has an offer may know
	case q.absent == FunctionExcluded:
		line.denial = FunctionProhibited
	case q.absent == CountryExcluded:
		line.denial = GeoRestricted
	case q.absent != "", away && !q.outlet.ready(ctx, q.entry.URL, now):
		line.denial = ContentUnavailable
	case away && q.outlet.Licence && p.Licence == "":
		line.denial = InvalidLicence // there would be nothing to show where it is fetched
	case away && q.outlet.Licence:
		line.agent = ramp.LicenceHash(p.Licence)
	}
}

// replay is the answer to a request that was answered before, from what is recorded of it.
func (s *Service) replay(ctx context.Context, p Order, before transactions.Request) (*OrderResult, error) {
	if before.Digest != p.Digest || len(before.Lines) != len(p.Items) {
		return nil, ErrRequestConflict
	}
	out := &OrderResult{Replayed: true, Agent: ramp.AgentIdentityHash(p.Requester.ID, p.Requester.Domain)}
	defer out.bind()
	if p.Requester.Proof != nil {
		if err := s.deps.DB.UpdateBatched(ctx, s.locks(p, nil),
			func(tx *store.Tx) error { return s.deps.Nonces.UseProof(ctx, tx, p.Requester.Proof) }); err != nil {
			return nil, err
		}
	}
	err := s.deps.DB.View(ctx, func(tx *store.Tx) error {
		out.Items = nil
		for i, line := range before.Lines {
			item := ItemResult{Offer: p.Items[i].Offer, Denial: Denial(line.Denial)}
			if item.Denial == "" {
				t, ok, err := transactions.FindTransaction(ctx, tx, line.Transaction)
				if err == nil && !ok {
					err = fmt.Errorf("there is no transaction %s, though a request has bought it", line.Transaction)
				}
				if err != nil {
					return err
				}
				if len(t.Quotas) > 0 {
					if err := json.Unmarshal(t.Quotas, &item.Quotas); err != nil {
						return fmt.Errorf("read the quotas of transaction %s: %w", t.ID, err)
					}
				}
				item.Transaction, item.Offer = t, t.Offer
			}
			out.Items = append(out.Items, item)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range out.Items {
		if item := &out.Items[i]; item.Denial == "" {
			if item.URL, err = s.signAddress(ctx, p.FetchAt, item.Transaction); err != nil {
				return nil, fail.New(fail.Internal, "what was bought cannot be fetched at present; try again later").
					Wrap(err)
			}
		}
	}
	return out, nil
}
