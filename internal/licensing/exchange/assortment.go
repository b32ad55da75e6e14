package exchange

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/cache"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/attestation"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
)

// Assortment is what is for sale at present: the entries of the catalog, the terms that decide
// about each, and its price. Its methods may be called concurrently.
type Assortment struct {
	deps  AssortmentDeps
	state catalogState

	objects      objects // that profiles told of
	attestations cache.Cache[attestedAt, []*attestation.Prepared]
}

// OfferPolicy is what the owner configures about offers beside the terms.
type OfferPolicy struct {
	// Validity is how long an offer can be bought.
	Validity time.Duration
	// Price is the price of licensed items whose rule and site have none. The zero value leaves
	// such items to subscribers.
	Price  policy.Money
	Prices map[string]policy.Money // by site
	// ReportingWindow is the time for reporting use if the rule names none and the price needs a
	// report. Fields are the members that every such report must have.
	ReportingWindow time.Duration
	Fields          []string
	// Currency is the currency in which unit costs are compared. Offers in other currencies get
	// none. Empty compares each currency by itself.
	Currency string
	// Strict makes no offer if the terms name users or countries and the requester's are unknown.
	// Otherwise the offer names its restrictions.
	Strict bool
	// RevealScopes tells requesters which scope they lack for an item. Otherwise the item is
	// absent.
	RevealScopes bool
	// Profiles add members to the offers of some kinds of items (RAMP v1, supported_profiles).
	Profiles []Profile
}

// AssortmentDeps are the dependencies of an [Assortment]. All are required unless their comment
// says otherwise.
type AssortmentDeps struct {
	Corpus  *released.Corpus
	Catalog *catalog.Catalog
	// OfferPolicy returns the owner's current settings. It is called for every request.
	OfferPolicy func() *OfferPolicy
	Push        PushDeps
	// Outlet returns who delivers an item in place of this front desk; nil means that this front
	// desk does. A nil function holds for all items.
	Outlet func(policy.Facts) *Outlet
	// Authorised reports whether the provider of an address lets this front desk sell for it. Nil
	// accepts all.
	Authorised func(address string) bool
	// CacheBytes bounds the memory for items that profiles read, in bytes; 0 is 64 MiB.
	CacheBytes uint64
	Now        func() time.Time // nil is time.Now
	Log        *slog.Logger     // nil for none
}

// PushDeps are the dependencies for pushed entries: where they are stored, and for whom they are
// sold. All are required except Outlet.
type PushDeps struct {
	Store *push.Store
	// Tenants are those for whom this front desk sells beside its own sites. Terms returns the
	// terms of one of them.
	Tenants *push.Tenants
	Terms   func(*push.Tenant) *policy.Terms
	// Site returns the id of this front desk's own site with a host.
	Site func(host string) (id string, ok bool)
	// Outlet gives who delivers what a tenant has at a domain of its own; nil for nobody, as a nil
	// func is for all.
	Outlet func(one *push.Tenant, domain string) *Outlet
	// Attested verifies the attestations of entries.
	Attested *attestation.Checker
}

// NewAssortment returns what is for sale of a catalog, which Follow keeps at the content's
// published state.
func NewAssortment(deps AssortmentDeps) (*Assortment, error) {
	if err := fail.Missing("exchange.NewAssortment", map[string]bool{
		"Corpus": deps.Corpus != nil, "Catalog": deps.Catalog != nil, "OfferPolicy": deps.OfferPolicy != nil,
		"Push.Store": deps.Push.Store != nil, "Push.Tenants": deps.Push.Tenants != nil,
		"Push.Terms": deps.Push.Terms != nil, "Push.Site": deps.Push.Site != nil,
		"Push.Attested": deps.Push.Attested != nil,
	}); err != nil {
		return nil, err
	}
	deps.Now, deps.Log = orNow(deps.Now), orDiscard(deps.Log)
	if deps.Outlet == nil {
		deps.Outlet = func(policy.Facts) *Outlet { return nil }
	}
	if deps.Push.Outlet == nil {
		deps.Push.Outlet = func(*push.Tenant, string) *Outlet { return nil }
	}
	if deps.Authorised == nil {
		deps.Authorised = func(string) bool { return true }
	}
	told, err := newObjects(cmp.Or(deps.CacheBytes, 64<<20), deps.Corpus)
	if err != nil {
		return nil, fmt.Errorf("make the cache of what profiles tell: %w", err)
	}
	attested, err := cache.NewWeighted(attestationsKept, func(_ attestedAt, all []*attestation.Prepared) uint32 {
		return uint32(1 + 4*len(all))
	})
	if err != nil {
		return nil, fmt.Errorf("make the cache of attestations: %w", err)
	}
	return &Assortment{deps: deps, objects: told, attestations: attested}, nil
}

// serves says whether a site is one of this front desk's own.
func (a *Assortment) serves(site string) bool { return a.deps.Corpus.Sites().Serves(site) }

// Terms returns the terms in force of this front desk's own sites, as far as they let anybody have
// an item. They are for what was bought: to whom an item is offered is decided by those of its
// party.
func (a *Assortment) Terms() *policy.Terms { return a.deps.Corpus.Terms().ForAny() }

// partyOf is a requester as rules ask for it, beside the program that asks for it. Its signature
// proves the domain whose keys it is of; without one the domain is its word.
func partyOf(ctx context.Context, who requesters.Requester) policy.Party {
	party := released.PartyOf(ctx)
	if who.Domain == "" {
		return party
	}
	traits := &party.Said
	if who.Signed != "" {
		traits = &party.Proven
		traits.Classes = append(slices.Clip(traits.Classes), policy.PartyKnown, policy.PartyVerified)
	}
	traits.Operators = append(slices.Clip(traits.Operators), "https://"+who.Domain)
	return party
}

// catalogState tells who waits that the catalog has changed, and when its file was written. The
// zero value is ready.
type catalogState struct {
	mu      sync.Mutex    // guards what follows
	saved   time.Time     // when the catalog's file was looked after
	changed chan struct{} // closed when the catalog changes; nil while nobody waits for that
}

// changes gives what is closed when the catalog changes next.
func (c *catalogState) changes() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changed == nil {
		c.changed = make(chan struct{})
	}
	return c.changed
}

// tell wakes who waits for changes.
func (c *catalogState) tell() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
}

// keepCatalog is how often the catalog's file is brought up to date.
const keepCatalog = 10 * time.Minute

// due says whether the catalog's file has to be written, and takes it that it is.
func (c *catalogState) due(now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now.Sub(c.saved) < keepCatalog {
		return false
	}
	c.saved = now
	return true
}

// NextChange returns a channel that is closed when something else is for sale.
func (a *Assortment) NextChange() <-chan struct{} { return a.state.changes() }

// Changed wakes all who wait for [Assortment.NextChange].
func (a *Assortment) Changed() { a.state.tell() }

// Follow brings the catalog to the content's published state. It is a [released.Follower].
func (a *Assortment) Follow(ctx context.Context, _ *released.View) error {
	if err := a.catchUp(ctx); err != nil {
		return err
	}
	if !a.state.due(a.deps.Now()) {
		return nil
	}
	if err := a.deps.Catalog.Save(); err != nil {
		a.deps.Log.Warn("what can be sold is not kept in its file, so that the next start takes longer", "error", err)
	}
	return nil
}

// catchUp has what can be sold stand where the content's published state does now, before the next
// look that Follow takes.
func (a *Assortment) catchUp(ctx context.Context) error {
	changed, err := a.deps.Catalog.Refresh(ctx)
	if changed {
		a.state.tell()
	}
	return err
}

// ForSale says whether a licensed item is for sale to a stranger, so that answers may tell how it
// is bought: the terms name a price and sell it for something to somebody, without a scope, and
// with all that stands within it. selling is nil where no offers are made.
func ForSale(selling *OfferPolicy, rules *policy.Terms, l *index.Doc, decision policy.Decision,
	item *released.ItemVersion) bool {
	if selling == nil || decision.Access != policy.Licensed {
		return false
	}
	owner := *selling
	owner.Strict = false // who asks may still say for whom
	q := offerBuilder{owner: &owner, rules: rules, query: &Query{}, decision: decision, of: l.Ref.Site}
	q.resolveLicences(l.Ref.Site)
	_, err := catalog.CanonicalURI(item.URL())
	return err == nil && q.price != (policy.Money{}) && q.scopeGranted() && q.refused() == policy.Permitted &&
		item.CoversNested(rules)
}

// sellsWhole says whether the terms let an item be sold with all that is delivered of what stands
// within it; see released.Corpus.CoversNested.
func (a *Assortment) sellsWhole(ctx context.Context, rules *policy.Terms, entry *catalog.Entry) (bool, error) {
	if !entry.Mixed {
		return true, nil
	}
	return a.deps.Corpus.CoversNested(ctx, rules, entry.Ref)
}

// CopyOf gives the version of an item that was bought, or, when it is no more, the one that is
// there now; and the media types in which it may be had.
func (a *Assortment) CopyOf(ctx context.Context, t transactions.Transaction) (item *released.ItemVersion,
	media []string, err error) {
	gone := fail.New(fail.NotFound, "what was bought is not there any more; dispute the transaction")
	if !a.serves(t.Site) {
		return nil, nil, gone
	}
	ref := t.Item
	for range 2 {
		found, err := a.deps.Corpus.LoadVersion(ctx, ref)
		if err != nil {
			return nil, nil, err
		}
		if found != nil {
			if media := a.lets(found); media != nil {
				return found, media, nil
			}
			return nil, nil, gone
		}
		entries := a.deps.Catalog.Find(t.URI) // what is sold at the address by now, whatever spelling it has
		at := slices.IndexFunc(entries, func(w catalog.Entry) bool {
			return w.Site == t.Site && w.Source == t.Item.Source
		})
		if at < 0 || entries[at].Ref == ref {
			return nil, nil, gone
		}
		ref = entries[at].Ref
	}
	return nil, nil, gone
}

// lets gives the media types in which today's terms let an item be had that was bought; nil for
// none. In whichever it is sold as a whole, it can be had: others would give away what has a price
// of its own.
func (a *Assortment) lets(item *released.ItemVersion) (media []string) {
	rules := a.Terms()
	if rules.Decide(item.Facts()).Access == policy.Blocked {
		return nil
	}
	return item.MediaTypes(rules)
}
