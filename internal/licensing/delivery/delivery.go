// Package delivery hands out what was bought: at signed addresses, as a whole or as a stream, each time under the terms
// of that moment and recorded before a byte is sent. It also records what edges tell that they delivered.
//
// Enter at New. What was bought, and whether the terms still let it out, it asks of an exchange.Assortment. It knows
// nothing of prices, offers, or how answers are written over the wire (rampapi).
package delivery

import (
	"fmt"
	"log/slog"
	"time"

	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/wire/sign"
)

// Deps is what a Service needs. All of it is required but where it says otherwise.
type Deps struct {
	Assortment *exchange.Assortment
	Sites      *released.Sites
	DB         *store.DB
	Ledger     *ledger.Ledger
	Accounts   *accounts.Ledger
	// AddressKeys give the keys that sign addresses, the one in use first.
	AddressKeys func() ([]sign.URLKey, error)
	// MaxTransferTime is the longest that an answer may take with what was bought.
	MaxTransferTime time.Duration
	// Stopping is closed when the process is about to end, so that streams end before it; nil for never.
	Stopping <-chan struct{}
	Now      func() time.Time // nil is time.Now
	Log      *slog.Logger     // nil for none
	// Fault is what befalls a step, by its name: tests have it fail. Nil for nothing.
	Fault func(step string) error
}

// Service delivers. Its methods may be called from many goroutines.
type Service struct {
	deps    Deps
	streams streams
}

// New returns a Service. It is complete: what it needs is given, or the error says so.
func New(deps Deps) (*Service, error) {
	if err := fail.Missing("delivery.New", map[string]bool{
		"Assortment": deps.Assortment != nil, "Sites": deps.Sites != nil, "DB": deps.DB != nil,
		"Ledger": deps.Ledger != nil, "Accounts": deps.Accounts != nil, "AddressKeys": deps.AddressKeys != nil,
	}); err != nil {
		return nil, err
	}
	if deps.MaxTransferTime <= 0 {
		return nil, fmt.Errorf("delivery: an answer that may take %s can send nothing", deps.MaxTransferTime)
	}
	if deps.Now == nil {
		deps.Now = time.Now
	}
	if deps.Log == nil {
		deps.Log = slog.New(slog.DiscardHandler)
	}
	if deps.Fault == nil {
		deps.Fault = func(string) error { return nil }
	}
	return &Service{deps: deps}, nil
}
