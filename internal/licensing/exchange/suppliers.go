package exchange

import (
	"context"
	"log/slog"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/attestation"
)

// Suppliers takes pushed entries of those whose content is sold (RAMP v1, Catalog). Its methods may
// be called concurrently.
type Suppliers struct {
	deps       SupplierDeps
	assortment *Assortment
	pushLane   lane
	attested   *attestation.Checker // of what is pushed, in that lane
}

// SupplierDeps is what Suppliers need. Assortment and Contributes are required.
type SupplierDeps struct {
	Assortment *Assortment
	// Contributes says whether the provider at a host names a domain as one that may push entries
	// for it.
	Contributes func(ctx context.Context, host, domain string) (bool, error)
	// Reread begins to read a site's sources anew, and says whether it does; nil where there are
	// none.
	Reread func(site string) (begun bool)
	Now    func() time.Time        // nil is time.Now
	Log    *slog.Logger            // nil for none
	Fault  func(step string) error // as in Deps
}

// NewSuppliers returns those who push to an assortment.
func NewSuppliers(deps SupplierDeps) (*Suppliers, error) {
	if err := fail.Missing("exchange.NewSuppliers", map[string]bool{
		"Assortment": deps.Assortment != nil, "Contributes": deps.Contributes != nil,
	}); err != nil {
		return nil, err
	}
	if deps.Reread == nil {
		deps.Reread = func(string) bool { return false }
	}
	deps.Now, deps.Log, deps.Fault = orNow(deps.Now), orDiscard(deps.Log), orNone(deps.Fault)
	p := &Suppliers{deps: deps, assortment: deps.Assortment, pushLane: newLane()}
	checker := *deps.Assortment.deps.Push.Attested
	checker.Throttle = p.pushLane.do
	p.attested = &checker
	return p, nil
}
