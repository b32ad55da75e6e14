package server

import (
	"context"

	"frontdesk/internal/account"
	"frontdesk/internal/console"
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
	for _, site := range s.config.AllSites() {
		c.Sites = append(c.Sites, console.Site{ID: site.ID, Name: site.Name})
	}
	return c
}
