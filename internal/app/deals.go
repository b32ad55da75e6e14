package app

import (
	apphttp "frontdesk/internal/app/http"

	"net/http"
	"time"

	"frontdesk/internal/licensing/delivery"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/licensing/rampapi"
)

// deliverPath is the address below which what was bought is fetched.
const deliverPath = "/deliver/"

// addressLife is how long such an address opens: as long as the protocol lets it.
const addressLife = 5 * time.Minute

// openDeals makes the services that deliver what was bought, and sell.
func (s *seller) openDeals() (err error) {
	if _, err := s.Addresses.Keys(); err != nil {
		return err
	}
	s.Delivery, err = delivery.New(delivery.Deps{
		Assortment: s.Assortment, Sites: s.Corpus.Sites(), DB: s.db, Ledger: s.Ledger, Accounts: s.Accounts,
		AddressKeys: s.Addresses.Keys, MaxTransferTime: s.config.Limits.WriteTimeout, Stopping: s.leaving.Done(),
		Now: s.now, Log: s.log,
	})
	if err != nil {
		return err
	}
	config := s.config.RAMP
	deps := exchange.Deps{
		Assortment: s.Assortment, Cases: s.Cases, Deliveries: s.Delivery, DB: s.db, Ledger: s.Ledger,
		Accounts: s.Accounts, Nonces: s.Nonces, Signed: s.signedHere, AddressKeys: s.Addresses.Keys,
		AddressLife: addressLife, RevokedAbove: revokedAbove(config.Delegation), Rates: s.sanctions.disputeRates(),
		Now: s.now, Log: s.log,
		Reports: func() exchange.ReportRules {
			rules := config.Reports
			return exchange.ReportRules{Overdue: rules.Overdue, Percent: rules.Percent, MinReports: rules.Least}
		},
		Retention: exchange.Retention{Offers: config.Offers.Keep, Sightings: s.config.Edge.Keep,
			Evidence: config.Evidence.Keep},
	}
	if s.sanctions != nil {
		deps.Restricted = s.heldSite
	}
	if config.Attest {
		deps.Renewals = s.Catalog.Replacements
	}
	s.Exchange, err = exchange.New(deps)
	return err
}

// fetchAt is the address below which what was bought is fetched, as the sender of a request knows
// it.
func (n *network) fetchAt(r *http.Request) string { return n.outside.PublicURL(r) + deliverPath }

// deliverRoute hands out what was bought.
func (s *seller) deliverRoute() apphttp.Route {
	handler := rampapi.Deliver(s.Delivery, s.fetchAt)
	if s.gate != nil {
		handler = strangers(s.gate, handler)
	}
	pattern := deliverPath + "{" + rampapi.DeliverID + "}"
	return apphttp.Route{Pattern: pattern, Name: deliverPath, Methods: apphttp.ReadMethods, CORS: true,
		Refuse: rampapi.WriteError, Handler: handler}
}

// streamRoutes tell what was bought as streams.
func (s *seller) streamRoutes() []apphttp.Route {
	stream, rpc := apphttp.Attended(rampapi.Stream(s.Delivery, s.fetchAt)),
		apphttp.Attended(rampapi.StreamHandler(s.Delivery, s.fetchAt))
	if s.gate != nil {
		stream, rpc = strangers(s.gate, stream), strangers(s.gate, rpc)
	}
	pattern := deliverPath + "{" + rampapi.DeliverID + "}" + exchange.StreamPath
	return []apphttp.Route{
		{Pattern: pattern, Name: deliverPath + exchange.StreamPath[1:], Methods: []string{http.MethodGet}, CORS: true,
			Refuse: rampapi.WriteError, Handler: stream},
		{Pattern: rampapi.StreamRPC, Name: rampapi.StreamRPC, Methods: []string{http.MethodPost}, CORS: true,
			Refuse: rampapi.WriteError, Handler: rpc},
	}
}

// strangers counts requests by their address.
func strangers(a *apphttp.Auth, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := a.AllowStranger(r); err != nil {
			rampapi.WriteError(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}
