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

// Selling is what the owner says about offers beside the terms.
type Selling struct {
	// For is how long an offer stands.
	For time.Duration
	// Price is that of licensed items whose rule names none, where Prices has none for their site; the zero value leaves them to
	// subscribers.
	Price  policy.Money
	Prices map[string]policy.Money // by site
	// Window is the time within which a use must be reported where the rule names none and the price asks for a report, and
	// Fields what every report must say that is owed.
	Window time.Duration
	Fields []string
	// Currency is that in which costs of one token and so on are compared; prices in others have none. Empty compares each
	// in its own.
	Currency string
	// Strict makes no offer to a kind of user, or for a country, that is not known where the terms name any. Otherwise the
	// offer says for whom it is.
	Strict bool
	// TellScopes says of an item for which a requester lacks the scope that it is so; otherwise that it is not there.
	TellScopes bool
	// Profiles say what is told of items beyond what everybody is told.
	Profiles []Profile
}

// Query asks what is offered for some addresses.
type Query struct {
	By   requesters.Requester
	URIs []string // each once
	// Functions are what it is for, as terms name them; none when nothing is declared.
	Functions []string
	// User and Country are what the requester says of its use; empty for nothing. Where the operator knows something else of
	// it, what is offered must be so for both.
	User, Country string
	// Profiles are those that the requester understands; none for whatever there is.
	Profiles []string
	Via      []string // the domains of the intermediaries that passed it on, in their order; none of a query that came directly
}

// Absence says why there is no offer for an address (RAMP v1, OfferAbsenceReason).
type Absence string

// The reasons, in the order in which they are looked for.
const (
	NotInCatalog  Absence = "not in catalog"
	ScopeMissing  Absence = "scope insufficient"
	NotAuthorised Absence = "not authorised"
	NotLicensed   Absence = "blocked"
	FunctionOut   Absence = "function"
	UserOut       Absence = "user"
	CountryOut    Absence = "country"
	NotNow        Absence = "temporarily unavailable"
)

// Quoted is what is offered for one address: offers, those under subscriptions last, or the reason why there is none.
type Quoted struct {
	URI    string
	Offers []*transactions.Offer
	Absent Absence
}

// Quote makes offers for the addresses of a query, one group for each, in their order. Each offer is written and signed by
// seal, which must be pure: it gives the document and its signature. What is told is kept, in one transaction; an offer
// releases nothing, and the ledger has no entry of it.
//
// When ctx has a deadline, what is not ready before it is unavailable for now.
func (s *Service) Quote(ctx context.Context, q Query, seal func(*Proposal) (document, signature []byte, err error)) ([]Quoted, error) {
	if err := s.assortment.deps.Corpus.Ready(); err != nil {
		return nil, err
	}
	groups, proposals, err := s.propose(ctx, q)
	if err != nil {
		return nil, err
	}
	var offers []*transactions.Offer
	for i := range proposals {
		for _, p := range proposals[i] {
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
		s.lately.add(offers)
	}
	if tooLate(ctx, err) {
		for i := range groups {
			if len(groups[i].Offers) > 0 {
				groups[i].Offers, groups[i].Absent = nil, NotNow
			}
		}
		return groups, nil
	}
	return groups, err
}

// tooLate says whether something failed because the time was over, and not because the request was taken back.
func tooLate(ctx context.Context, err error) bool {
	return err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded)
}

// before is ctx with an end that leaves a share of its time, and at most so long, for what is to be done afterwards.
func before(ctx context.Context, share int, most time.Duration) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, end.Add(-min(time.Until(end)/time.Duration(share), most)))
}

// propose gives the groups of a query, and by their places the offers before they are sealed. A group without has its reason.
// Of the time, a quarter is left for asking for subscriptions and keeping what is offered, and half of that for keeping.
func (s *Service) propose(ctx context.Context, q Query) ([]Quoted, [][]*Proposal, error) {
	now := s.deps.Now().UTC().Truncate(time.Microsecond)
	quoters, err := s.quoters(ctx, quoter{owner: s.assortment.deps.Selling(), rules: s.assortment.Terms(), query: &q, now: now, operation: requesters.OperationDiscover})
	if err != nil {
		return nil, nil, err
	}
	groups, wanted := make([]Quoted, len(quoters)), map[string][]accounts.Subscription{}
	for i := range quoters {
		if groups[i].URI, groups[i].Absent = q.URIs[i], quoters[i].absent; quoters[i].absent == "" {
			wanted[quoters[i].ware.Site] = nil
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
	proposals := make([][]*Proposal, len(quoters))
	for i := range quoters {
		switch m := &quoters[i]; {
		case m.absent != "":
		case missed:
			groups[i].Absent = NotNow // an offer that is paid would hide that there is one that is not
		case m.away() && !m.outlet.ready(ctx, m.ware.URL, now):
			groups[i].Absent = NotNow
		default:
			m.attested = s.assortment.attestedOf(soon, m.ware)
			proposals[i], groups[i].Absent = m.proposals(wanted[m.ware.Site])
		}
	}
	return groups, proposals, nil
}

// subscriber is a buyer at a site.
type subscriber struct{ buyer, site string }

// subscribeFor is how long it holds that a buyer has no subscription at a site: most have none, and ask often.
const subscribeFor = time.Second

// subscribed adds to sites what subscriptions a buyer has there. One that is new is seen within a second.
func (s *Service) subscribed(ctx context.Context, buyer string, sites map[string][]accounts.Subscription, now time.Time) error {
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
			if sites[site], err = s.deps.Book.Entitled(ctx, tx, buyer, site, now); err != nil {
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

// quoters look the addresses of a query up, and decide what may be offered. What does not come in time holds up nothing else.
func (s *Service) quoters(ctx context.Context, of quoter) ([]quoter, error) {
	soon, cancel := before(ctx, 4, 100*time.Millisecond)
	defer cancel()
	all := make([]quoter, len(of.query.URIs))
	look := func(i int) error {
		m := &all[i]
		*m = of
		m.uri = of.query.URIs[i]
		s.assortment.choose(m)
		if m.absent != "" {
			return undelegated(m.locked)
		}
		whole, err := s.assortment.sellsWhole(soon, m.rules, m.ware)
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

// choose finds the ware at an address: of several the first, by site and source, of which something may be offered, or else
// the first.
func (a *Assortment) choose(m *quoter) {
	first := *m
	first.absent = NotInCatalog
	found := false
	for _, ware := range a.deps.Catalog.Find(m.uri) {
		rules, tenant, ok := a.soldBy(&ware, m.rules)
		if !ok {
			continue
		}
		one := *m
		one.ware, one.rules, one.tenant = &ware, rules, tenant
		if canonical, err := catalog.CanonicalURI(ware.URL); err == nil && !catalog.IsPage(canonical) {
			one.seller = a.provider(ware.Site, canonical, "")
		}
		if a.license(&one); one.absent == "" {
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
		return UserOut
	case policy.CountryRefused:
		return CountryOut
	}
	return FunctionOut
}

// license decides what a requester may be offered of a ware, in the order of RAMP v1's reasons.
func (a *Assortment) license(m *quoter) {
	m.decision = m.rules.Decide(m.ware.Facts())
	m.licensed(m.ware.Site)
	unlocked := m.unlocked()
	switch refusal := m.refused(); {
	case !unlocked && m.owner.TellScopes:
		m.absent = ScopeMissing
	case !unlocked:
		m.absent = NotInCatalog
	case !a.deps.Authorised(m.ware.URL):
		m.absent = NotAuthorised
	default:
		m.absent = absence(refusal)
	}
	if m.absent == "" {
		if m.outlet = a.outlet(m.ware, m.tenant); m.ware.IsPushed() && !m.away() {
			m.absent = NotInCatalog // it is not here, and nobody else delivers it
		}
	}
}
