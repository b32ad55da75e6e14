package server

import (
	"cmp"
	"context"

	"frontdesk/internal/admin"
	"frontdesk/internal/desk"
	"frontdesk/internal/dispute"
)

// ReadDisputes reads disputes.
func (h *House) ReadDisputes() *dispute.Reader { return dispute.NewReader(h.db) }

// OpenDisputes lets the desk decide disputes where nothing is sold, such as at the command line.
func (h *House) OpenDisputes(config Config) {
	h.Desk.OpenDeals(&desk.Dealing{DB: h.db, Ledger: h.Ledger, Book: h.Accounts, Disputes: config.disputeRules})
}

// disputeRoutes let the operator's programs read and decide disputes.
func (s *Server) disputeRoutes() (all []route) {
	handler := s.gate.operators(admin.DisputesHandler(admin.Bench{
		Reader: s.ReadDisputes(), Erase: s.Desk.EraseDispute,
		Decide: func(ctx context.Context, id string, resolution dispute.Resolution, amount int64, note string) (dispute.Case, error) {
			by, _ := ctx.Value(byKey{}).(string)
			return s.Desk.DecideDispute(ctx, desk.Decision{Dispute: id, Resolution: resolution, Amount: amount, By: cmp.Or(by, "admin"), Note: note})
		},
	}))
	for _, pattern := range []string{admin.Disputes, admin.Disputes + "/{id}", admin.Disputes + "/{id}/decide", admin.Disputes + "/{id}/description", admin.Disputes + "/"} {
		all = append(all, route{pattern: pattern, name: admin.Disputes, refuse: admin.WriteError, handler: handler})
	}
	return all
}
