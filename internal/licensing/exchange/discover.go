package exchange

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
)

// Query asks for offers for some addresses (RAMP v1, ResourceQuery).
type Query struct {
	By    requesters.Requester
	party policy.Party // who asks, as rules ask for it
	// URIs are the addresses, each once.
	URIs []string
	// Functions are what it is for, as terms name them; none when nothing is declared.
	Functions []string
	// User and Country are what the requester says of its use; empty for nothing. Where the
	// operator knows something else of it, what is offered must be so for both.
	User, Country string
	// Profiles are those that the requester understands; none for whatever there is.
	Profiles []string
	// the domains of the intermediaries that passed it on, in their order; none of a query that
	// came directly
	Via []string
}

// Absence is why there is no offer for an address (RAMP v1, OfferAbsenceReason).
type Absence string

// The reasons, in the order in which they are looked for.
const (
	NotInCatalog     Absence = "not in catalog"
	ScopeMissing     Absence = "scope insufficient"
	NotAuthorised    Absence = "not authorised"
	NotLicensed      Absence = "blocked"
	FunctionExcluded Absence = "function"
	UserExcluded     Absence = "user"
	CountryExcluded  Absence = "country"
	NotNow           Absence = "temporarily unavailable"
)

// OfferGroup is the answer for one address: its offers, those under subscriptions last, or the
// reason for their absence.
type OfferGroup struct {
	URI     string
	Offers  []*transactions.Offer
	Absence Absence
}

// Discover makes offers for the addresses of a query, one group for each, in their order. Each
// offer is written and signed by seal, which must be pure: it gives the document and its signature.
// What is told is kept, in one transaction; an offer releases nothing, and the ledger has no entry
// of it.
//
// When ctx has a deadline, what is not ready before it is unavailable for now.
func (s *Service) Discover(ctx context.Context, q Query,
	seal func(*OfferDraft) (document, signature []byte, err error)) ([]OfferGroup, error) {
	if err := s.assortment.deps.Corpus.Ready(); err != nil {
		return nil, err
	}
	groups, drafts, err := s.draftOffers(ctx, q)
	if err != nil {
		return nil, err
	}
	var offers []*transactions.Offer
	for i := range drafts {
		for _, p := range drafts[i] {
			if p.Document, p.Signature, err = seal(p); err != nil {
				return nil, fmt.Errorf("seal an offer: %w", err)
			}
			groups[i].Offers = append(groups[i].Offers, &p.Offer)
			offers = append(offers, &p.Offer)
		}
	}
	if len(offers) == 0 {
		return groups, nil
	}
	if err = s.deps.Fault("keep offers"); err == nil {
		err = s.deps.DB.Update(ctx, func(tx *store.Tx) error { return transactions.PutOffers(ctx, tx, offers...) })
	}
	if err == nil {
		s.recent.add(offers)
	}
	if tooLate(ctx, err) {
		for i := range groups {
			if len(groups[i].Offers) > 0 {
				groups[i].Offers, groups[i].Absence = nil, NotNow
			}
		}
		return groups, nil
	}
	return groups, err
}

// tooLate says whether something failed because the time was over, and not because the request was
// taken back.
func tooLate(ctx context.Context, err error) bool {
	return err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded)
}

// before is ctx with an end that leaves a share of its time, and at most so long, for what is to be
// done afterwards.
func before(ctx context.Context, share int, most time.Duration) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, end.Add(-min(time.Until(end)/time.Duration(share), most)))
}

// draftOffers gives the groups of a query, and by their places the offers before they are sealed. A
// group without has its reason. Of the time, a quarter is left for asking for subscriptions and
// keeping what is offered, and half of that for keeping.
func (s *Service) draftOffers(ctx context.Context, q Query) ([]OfferGroup, [][]*OfferDraft, error) {
	now := s.deps.Now().UTC().Truncate(time.Microsecond)
	q.party = partyOf(ctx, q.By)
	builders, err := s.decideAll(ctx, offerBuilder{owner: s.assortment.deps.OfferPolicy(), rules: s.assortment.Terms(),
		query: &q, now: now, operation: requesters.OperationDiscover})
	if err != nil {
		return nil, nil, err
	}
	groups, wanted := make([]OfferGroup, len(builders)), map[string][]accounts.Subscription{}
	for i := range builders {
		if groups[i].URI, groups[i].Absence = q.URIs[i], builders[i].absent; builders[i].absent == "" {
			wanted[builders[i].entry.Site] = nil
		}
	}
	soon, cancel := before(ctx, 2, 50*time.Millisecond)
	defer cancel()
	err = s.subscribed(soon, q.By.Account(), wanted, now)
	if err == nil {
		err = s.lent(soon, q.By, wanted, now)
	}
	missed := tooLate(soon, err)
	if err != nil && !missed {
		return nil, nil, err
	}
	drafts := make([][]*OfferDraft, len(builders))
	for i := range builders {
		switch m := &builders[i]; {
		case m.absent != "":
		case missed:
			groups[i].Absence = NotNow // an offer that is paid would hide that there is one that is not
		case m.away() && !m.outlet.ready(ctx, m.entry.URL, now):
			groups[i].Absence = NotNow
		default:
			m.attested = s.assortment.attestedOf(soon, m.entry)
			drafts[i], groups[i].Absence = m.drafts(wanted[m.entry.Site])
		}
	}
	return groups, drafts, nil
}

// subscriber is a buyer at a site.
type subscriber struct{ buyer, site string }

// subscribeFor is how long it holds that a buyer has no subscription at a site: most have none, and
// ask often.
const subscribeFor = time.Second

// subscribed adds to sites what subscriptions a buyer has there. One that is new is seen within a
// second.
func (s *Service) subscribed(ctx context.Context, buyer string, sites map[string][]accounts.Subscription,
	now time.Time) error {
	var ask []string
	for site := range sites {
		at, known := s.unsubscribed.GetIfPresent(subscriber{buyer, site})
		if since := now.Sub(at); !known || since <= 0 || since >= subscribeFor {
			ask = append(ask, site)
		}
	}
	if len(ask) == 0 {
		return nil
	}
	return s.deps.DB.View(ctx, func(tx *store.Tx) (err error) {
		for _, site := range ask {
			if sites[site], err = s.deps.Accounts.SubscriptionsFor(ctx, tx, buyer, site, now); err != nil {
				return err
			}
			if len(sites[site]) == 0 {
				s.unsubscribed.Set(subscriber{buyer, site}, now)
			}
		}
		return nil
	})
}

// atOnce is how many addresses of a query are looked up at the same time.
const atOnce = 8

// decideAll look the addresses of a query up, and decide what may be offered. What does not come in
// time holds up nothing else.
func (s *Service) decideAll(ctx context.Context, of offerBuilder) ([]offerBuilder, error) {
	soon, cancel := before(ctx, 4, 100*time.Millisecond)
	defer cancel()
	all := make([]offerBuilder, len(of.query.URIs))
	look := func(i int) error {
		m := &all[i]
		*m = of
		m.uri = of.query.URIs[i]
		s.assortment.findEntry(m)
		if m.absent != "" {
			return undelegated(m.scopeError)
		}
		whole, err := s.assortment.sellsWhole(soon, m.rules, m.entry)
		if err == nil && whole {
			err = s.assortment.profiled(soon, m)
		}
		if err == nil && !whole {
			m.absent = NotInCatalog // it is there, and not for sale
		}
		if tooLate(soon, err) {
			m.absent, err = NotNow, nil
		}
		return err
	}
	if len(all) == 1 {
		return all, look(0)
	}
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i := range all {
		group.Go(func() error { return look(i) })
	}
	return all, group.Wait()
}

// findEntry finds the entry at an address: of several the first, by site and source, of which
// something may be offered, or else the first.
func (a *Assortment) findEntry(m *offerBuilder) {
	first := *m
	first.absent = NotInCatalog
	found := false
	for _, entry := range a.deps.Catalog.Find(m.uri) {
		rules, tenant, ok := a.termsFor(&entry, m.rules)
		if !ok {
			continue
		}
		one := *m
		one.entry, one.rules, one.tenant = &entry, rules.For(m.query.party), tenant
		if canonical, err := catalog.CanonicalURI(entry.URL); err == nil && !catalog.IsPage(canonical) {
			one.seller = a.provider(entry.Site, canonical, "")
		}
		if a.decide(&one); one.absent == "" {
			*m = one
			return
		}
		if !found {
			first, found = one, true
		}
	}
	*m = first
}

// absence is the reason for what the terms refuse.
func absence(refusal policy.Refusal) Absence {
	switch refusal {
	case policy.Permitted:
		return ""
	case policy.ItemBlocked:
		return NotLicensed
	case policy.UserRefused:
		return UserExcluded
	case policy.CountryRefused:
		return CountryExcluded
	}
	return FunctionExcluded
}

// decide decides what a requester may be offered of a entry, in the order of RAMP v1's reasons.
func (a *Assortment) decide(m *offerBuilder) {
	m.decision = m.rules.Decide(m.entry.Facts())
	m.resolveLicences(m.entry.Site)
	unlocked := m.scopeGranted()
	switch refusal := m.refused(); {
	case !unlocked && m.owner.RevealScopes:
		m.absent = ScopeMissing
	case !unlocked:
		m.absent = NotInCatalog
	case !a.deps.Authorised(m.entry.URL):
		m.absent = NotAuthorised
	default:
		m.absent = absence(refusal)
	}
	if m.absent == "" {
		if m.outlet = a.outlet(m.entry, m.tenant); m.entry.IsPushed() && !m.away() {
			m.absent = NotInCatalog // it is not here, and nobody else delivers it
		}
	}
}
