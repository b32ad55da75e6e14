// Package delivery delivers purchases: at signed addresses, whole or as a stream. Each delivery is
// decided by the terms in force at that moment and is recorded before its first byte is sent. The
// package also records the deliveries that edges report.
//
// The package owns the state of open streams. It asks exchange.Assortment what was bought and
// whether it is still released. It must not know prices, offers or the wire format, which is
// rampapi's. Enter by [New], [Service.Fetch] and [Service.OpenStream].
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
	// Stopping is closed when the process is about to end, so that streams end before it; nil for
	// never.
	Stopping <-chan struct{}
	Now      func() time.Time // nil is time.Now
	Log      *slog.Logger     // nil for none
	// Fault lets tests fail a step by its name; nil for none.
	Fault func(step string) error
}

// Service delivers purchases. Its methods may be called concurrently.
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
