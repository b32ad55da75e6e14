package server

import (
	apphttp "frontdesk/internal/app/http"

	"cmp"
	"context"

	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/api"
)

// ReadDisputes reads disputes.
func (h *House) ReadDisputes() *disputes.Reader { return disputes.NewReader(h.db) }

// disputeRoutes let the operator's programs read and decide disputes.
func (s *Server) disputeRoutes() (all []apphttp.Route) {
	handler := forOperators(s.gate, api.DisputesHandler(api.Bench{
		Reader: s.ReadDisputes(), Erase: s.Cases.EraseDispute,
		Decide: func(ctx context.Context, id string, resolution disputes.Resolution, amount int64, note string) (disputes.Case, error) {
			by := operator.Actor(ctx)
			return s.Cases.DecideDispute(ctx, exchange.Decision{Dispute: id, Resolution: resolution, Amount: amount, By: cmp.Or(by, "admin"), Note: note})
		},
	}))
	for _, pattern := range []string{api.Disputes, api.Disputes + "/{id}", api.Disputes + "/{id}/decide", api.Disputes + "/{id}/description", api.Disputes + "/"} {
		all = append(all, apphttp.Route{Pattern: pattern, Name: api.Disputes, Refuse: api.WriteError, Handler: handler})
	}
	return all
}
