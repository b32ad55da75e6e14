// Package intake takes what agents submit to a business, makes offers for it and lets agents bind
// them, by the Agent Intake Protocol 0.1.0.
//
// Enter at Service.Submit and Service.Bind for agents, at Service.Inbox for the people who answer,
// and at Service.Erase, Service.Export and Service.KeepRetention for what is kept of it. The
// package owns the rules of the protocol's provider and the ledger entries about submissions.
// Package offers makes the offers, and package vault keeps what was submitted, sealed, in the
// service's transactions. The service knows nothing of HTTP, which package api deals with, and
// nothing of the site's content: what an offer needs of it comes through Deps.Lookup.
package intake

import (
	"context"
	"log/slog"
	"time"

	"golang.org/x/sync/singleflight"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/intake/offers"
	"frontdesk/internal/intake/vault"
	"frontdesk/internal/ledger"
)

// Deps are a Service's dependencies. Intakes, DB, Ledger and Vault are required.
type Deps struct {
	// Intakes gives what is declared at present, by id. It is called for every request and may
	// answer differently over time. An intake that is not declared any more takes no submission,
	// and its offers cannot be bound any more.
	Intakes func() map[string]*Definition
	DB      *store.DB
	Ledger  *ledger.Ledger
	Vault   *vault.Vault
	// Lookup finds items for engines of offers, as a question of a stranger would. Nil finds
	// nothing.
	Lookup func(context.Context, offers.Lookup) ([]offers.Item, error)
	// RefuseRevisions refuses a second submission of a session that says something else than the
	// first (Revised). Otherwise it is a revision and is answered anew.
	RefuseRevisions bool
	// Fault is called at each step, by its name, that a test may let fail. Nil lets none fail.
	Fault func(step string) error
	Now   func() time.Time // nil for time.Now
	Log   *slog.Logger     // nil for none
}

// Service answers submissions and binds. It may be used from many goroutines.
type Service struct {
	deps       Deps
	submitting singleflight.Group // submissions that are being answered, by [validSubmission.name]
	erasing    chan struct{}      // there may be something to erase
}

// New returns a service that is ready.
func New(deps Deps) (*Service, error) {
	if err := fail.Missing("intake.New", map[string]bool{
		"Intakes": deps.Intakes != nil, "DB": deps.DB != nil, "Ledger": deps.Ledger != nil, "Vault": deps.Vault != nil,
	}); err != nil {
		return nil, err
	}
	if deps.Fault == nil {
		deps.Fault = func(string) error { return nil }
	}
	if deps.Now == nil {
		deps.Now = time.Now
	}
	if deps.Log == nil {
		deps.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{deps: deps, erasing: make(chan struct{}, 1)}, nil
}

// HasIntake says whether an intake is declared at present.
func (s *Service) HasIntake(intake string) bool { return s.definition(intake) != nil }

// definition is the one of an id that is declared at present, nil for none.
func (s *Service) definition(id string) *Definition { return s.deps.Intakes()[id] }
