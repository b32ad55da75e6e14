package exchange

import (
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/licensing/accounts"
)

// Cases move disputes as far as nothing for sale is needed: the decisions of the operator, and
// their deadlines.
type Cases struct{ deps CaseDeps }

// CaseDeps are the dependencies of [Cases]. DB, Ledger and Accounts are required.
type CaseDeps struct {
	DB       *store.DB
	Ledger   *ledger.Ledger
	Accounts *accounts.Ledger
	// Rules gives how long things take; it is called for every case and may answer differently over
	// time. Nil is the usual.
	Rules func() DisputeRules
	Now   func() time.Time        // nil is time.Now
	Fault func(step string) error // as in Deps
}

// NewCases returns the cases of a database.
func NewCases(deps CaseDeps) (*Cases, error) {
	err := fail.Missing("exchange.NewCases", map[string]bool{"DB": deps.DB != nil, "Ledger": deps.Ledger != nil,
		"Accounts": deps.Accounts != nil})
	if err != nil {
		return nil, err
	}
	if deps.Rules == nil {
		deps.Rules = func() DisputeRules { return DisputeRules{} }
	}
	deps.Now, deps.Fault = orNow(deps.Now), orNone(deps.Fault)
	return &Cases{deps}, nil
}
