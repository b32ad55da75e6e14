package server

import (
	"context"
	"crypto/ed25519"
	"net/http"
	"slices"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/identity"
	"frontdesk/internal/licensing/rampapi"
)

// deliverPath is the address below which what was bought is fetched.
const deliverPath = "/deliver/"

// addressLife is how long such an address opens: as long as the protocol lets it.
const addressLife = 5 * time.Minute

// openDeals lets the desk sell by the offers that it makes, deliver what was bought, and take reports.
func (s *Server) openDeals() error {
	if _, err := s.Addresses.Keys(); err != nil {
		return err
	}
	rules := s.config.RAMP.Reports
	if err := s.openMeasures(); err != nil {
		return err
	}
	var held func(context.Context, string) desk.Denial
	if s.measures != nil {
		held = s.heldSite
	}
	s.Desk.OpenDeals(&desk.Dealing{
		DB: s.db, Ledger: s.Ledger, Book: s.Accounts, Signed: s.signedHere, OfferKeep: s.config.RAMP.Offers.Keep, SightingsKeep: s.config.Edge.Keep, EvidenceKeep: s.config.RAMP.Evidence.Keep, AddressLife: addressLife,
		Sending: s.config.Limits.WriteTimeout,
		Reports: func() desk.ReportRules {
			return desk.ReportRules{Overdue: rules.Overdue, Percent: rules.Percent, Least: rules.Least}
		},
		Nonces:   s.Nonces,
		Disputes: s.config.disputeRules, Attests: s.config.RAMP.Attest,
		AddressKeys: s.Addresses.Keys, RevokedAbove: s.config.RAMP.Delegation.revokedAbove(),
		Stopping: s.leaving.Done(),
		Held:     held,
		Rates:    s.disputeRates(),
	})
	return nil
}

// signedHere says whether a document was signed with one of the site's keys. They are those of all sites.
func (h *House) signedHere(_ string, document, signature []byte) bool {
	return slices.ContainsFunc(h.SiteKeys.Keys(), func(key identity.SiteKey) bool { return ed25519.Verify(key.Public, document, signature) })
}

// fetchAt is the address below which what was bought is fetched, as the sender of a request knows it.
func (s *Server) fetchAt(r *http.Request) string { return s.outside.PublicURL(r) + deliverPath }

// deliverRoute hands out what was bought.
func (s *Server) deliverRoute() route {
	handler := rampapi.Deliver(s.Desk, s.fetchAt)
	if s.gate != nil {
		handler = s.gate.strangers(handler)
	}
	pattern := deliverPath + "{" + rampapi.DeliverID + "}"
	return route{pattern: pattern, name: deliverPath, methods: reading, cors: true, refuse: rampapi.WriteError, handler: handler}
}

// streamRoutes tell what was bought as streams.
func (s *Server) streamRoutes() []route {
	stream, rpc := attended(rampapi.Stream(s.Desk, s.fetchAt)), attended(rampapi.StreamHandler(s.Desk, s.fetchAt))
	if s.gate != nil {
		stream, rpc = s.gate.strangers(stream), s.gate.strangers(rpc)
	}
	pattern := deliverPath + "{" + rampapi.DeliverID + "}" + desk.StreamPath
	return []route{
		{pattern: pattern, name: deliverPath + desk.StreamPath[1:], methods: []string{http.MethodGet}, cors: true, refuse: rampapi.WriteError, handler: stream},
		{pattern: rampapi.StreamRPC, name: rampapi.StreamRPC, methods: []string{http.MethodPost}, cors: true, refuse: rampapi.WriteError, handler: rpc},
	}
}

// strangers counts requests by their address.
func (a *admission) strangers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := a.stranger(r); err != nil {
			rampapi.WriteError(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}
