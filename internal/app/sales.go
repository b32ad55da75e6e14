package app

import (
	"context"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/disputes/enforcement"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/operator/console"
)

// operatorAt is an operator as a caller for whoever has a domain, by a name that no caller has.
func (s *seller) operatorAt(by, domain string) *requesters.PushClient {
	c := &requesters.PushClient{ID: by}
	if t := s.Tenants.At(domain); t != nil {
		c.Tenants = append(c.Tenants, t.ID)
	}
	if d := s.Tenants.Proven(domain); d != nil {
		c.Tenants = append(c.Tenants, d.Tenant) // of a site
	}
	return c
}

// sales is what the owner's pages show of what is sold, and change of it; nil where nothing is.
func (s *seller) sales() *console.SalesConfig {
	if s == nil {
		return nil
	}
	c := &console.SalesConfig{
		Shelf: s.Assortment.ListCatalog, Deals: s.ReadDeals, Reports: s.Reports(), Traffic: s.ReadTraffic,
		Accounts: s.ReadAccounts, Operator: s.operator(), Requesters: s.Requesters.Page,
	}
	c.Disputes = &console.Disputes{Cases: disputes.NewReader(s.db), Evidence: s.ReadEvidence,
		Measures: enforcement.NewReader(s.db)}
	c.Supplied = &console.Supplied{Tenants: s.Tenants.List, Refused: s.Shelves.Refused, At: s.pushedAt}
	c.Domains = &console.Domains{
		Known: s.Tenants.Domains, Open: s.Tenants.Challenges.Open, Challenges: s.Tenants.Challenges.List,
		Keys: s.Deliveries.List, Revoke: s.Deliveries.Revoke,
		Start: func(ctx context.Context, by, domain string) (*exchange.IssuedChallenge, error) {
			return s.Domains.Challenge(ctx, s.operatorAt(by, domain), domain)
		},
		Look: func(ctx context.Context, by, domain, token string) (*exchange.Verification, error) {
			return s.Domains.Prove(ctx, s.operatorAt(by, domain), domain, token, "", "")
		},
	}
	if s.sanctions != nil {
		c.Disputes.Lift, c.Disputes.Confirm = s.measures.Lift, s.measures.Confirm
	}
	for _, site := range s.config.AllSites() {
		c.Sites = append(c.Sites, console.Site{ID: site.ID, Name: site.Name})
	}
	return c
}

// pushedAt gives what was pushed at a URI of a tenant, the tenant's own first.
func (s *seller) pushedAt(ctx context.Context, tenant, uri string) ([]push.Entry, error) {
	return s.Shelves.At(ctx, tenant, catalog.PlaceOf(uri))
}
