package exchange

import (
	"context"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
)

// CatalogRow is an entry of the catalog with its price and the rule that decides, as the owner sees
// it.
type CatalogRow struct {
	catalog.Entry
	Rule   int // the index of the rule that decides
	Access policy.Access
	Labels []string
	// Scopes are the scopes of which a requester must have one; none for everybody.
	Scopes   []string
	Price    policy.Money
	Quantity int64 // how much one use is thought to take of what the price counts; 0 for unknown
	Worth    int64 // what a purchase authorises, in units of 1e-8 of the price's currency
	Report   transactions.Duty
	For      policy.Option
	// Absence is why nobody is offered the entry; empty if somebody is. If only subscribers are,
	// Price is the zero value.
	Absence Absence
}

// CatalogFilter selects rows for [Assortment.ListCatalog].
type CatalogFilter struct {
	Find string // an address, or words of titles and addresses; empty for everything
	Site string // empty for all
	// Before is the cursor that ListCatalog returned; 0 starts at the newest.
	Before int
	Limit  int
}

// ListCatalog returns rows of the catalog with prices, for the owner: those of an address, or those
// whose titles and addresses contain all words.
func (a *Assortment) ListCatalog(ctx context.Context, b CatalogFilter) (all []CatalogRow, next int, err error) {
	var entries []catalog.Entry
	if b.Find != "" && b.Before == 0 {
		for _, e := range a.deps.Catalog.Find(b.Find) {
			if b.Site == "" || b.Site == e.Site {
				entries = append(entries, e)
			}
		}
	}
	if len(entries) == 0 {
		entries, next = a.deps.Catalog.Page(catalog.Filter{Site: b.Site, Words: b.Find, Before: b.Before,
			Limit: b.Limit})
	}
	owner, rules := a.deps.OfferPolicy(), a.Terms()
	for i := range entries {
		m := offerBuilder{owner: owner, rules: rules, query: &Query{By: everything}, entry: &entries[i]}
		if of, tenant, ok := a.termsFor(m.entry, rules); ok {
			m.rules, m.tenant = of, tenant
		} else if m.entry.IsPushed() {
			continue
		}
		one, err := a.shelved(ctx, &m)
		if err != nil {
			return nil, 0, err
		}
		all = append(all, one)
	}
	return all, next, nil
}

// everything is who lacks no scope.
var everything = requesters.Requester{Granted: []string{"*"}}

// shelved is how one item stands.
func (a *Assortment) shelved(ctx context.Context, m *offerBuilder) (CatalogRow, error) {
	m.decision = m.rules.Decide(m.entry.Facts())
	m.resolveLicences(m.entry.Site)
	s := CatalogRow{
		Entry: *m.entry, Rule: m.decision.Rule, Access: m.decision.Access, Labels: m.decision.Labels,
		Scopes: m.decision.Scopes,
		Price:  m.price, Report: m.duty(),
	}
	s.For.Functions, s.For.Users, s.For.Countries = m.decision.Restricts(m.sales()[0])
	if a.decide(m); m.absent == "" && m.tenant == nil && !a.serves(m.entry.Site) {
		m.absent = NotInCatalog
	}
	s.Quantity = m.quantity(m.delivery())
	s.Worth = accounts.Value(s.Price, s.Quantity)
	if m.absent == "" {
		whole, err := a.sellsWhole(ctx, m.rules, m.entry)
		if err != nil {
			return s, err
		}
		if !whole {
			m.absent = NotInCatalog
		}
	}
	s.Absence = m.absent
	return s, nil
}
