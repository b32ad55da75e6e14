package server

import (
	"context"

	"frontdesk/internal/account"
	"frontdesk/internal/console"
	"frontdesk/internal/desk"
	"frontdesk/internal/dispute"
	"frontdesk/internal/measure"
)

// sales is what the owner's pages show of what is sold, and change of it; nil where nothing is.
func (s *Server) sales() *console.SalesConfig {
	if !s.config.RAMP.Enabled {
		return nil
	}
	c := &console.SalesConfig{
		Shelf: s.Desk.Shelf, Deals: s.ReadDeals, Reports: s.Reports(), Traffic: s.ReadTraffic, Accounts: s.ReadAccounts, Clerk: &account.Clerk{DB: s.db, Book: s.Accounts, Now: s.now},
		By:         func(ctx context.Context, by string) context.Context { return context.WithValue(ctx, byKey{}, by) },
		Requesters: s.Requesters.Page, SetRequester: s.Requesters.SetStatus,
	}
	c.Disputes = &console.Disputes{Cases: dispute.NewReader(s.db), Evidence: s.ReadEvidence, Measures: measure.NewReader(s.db)}
	c.Disputes.Decide = func(ctx context.Context, id string, as dispute.Resolution, by string) error {
		_, err := s.Desk.DecideDispute(ctx, desk.Decision{Dispute: id, Resolution: as, By: by})
		return err
	}
	c.Supplied = &console.Supplied{Tenants: s.Tenants.List, Refused: s.Shelves.Refused, At: s.Shelves.At, PutIn: s.onboard}
	if s.config.RAMP.Measures.Enabled { // which are opened later
		c.Disputes.Lift = func(ctx context.Context, id, by, note string) error { return s.measures.Lift(ctx, id, by, note) }
		c.Disputes.Confirm = func(ctx context.Context, id, by, note string) error { return s.measures.Confirm(ctx, id, by, note) }
	}
	for _, site := range s.config.AllSites() {
		c.Sites = append(c.Sites, console.Site{ID: site.ID, Name: site.Name})
	}
	return c
}
