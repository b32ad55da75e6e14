package ratelimit

import (
	"context"
	"log/slog"
	"net/netip"
	"time"

	"frontdesk/internal/infra/store"
)

// Options configure a Limiter; the zero value counts in memory.
type Options struct {
	// DB is where nodes count together, and where what was counted outlives them; it must have this
	// package's Schema. Nil counts in memory.
	DB *store.DB
	// Secret is what keys are hashed under before they go into the table; nodes that count together
	// need the same.
	Secret []byte
	// Keys is how many keys are kept in memory; 0 is 200,000. Beyond it, those whose limits are
	// there again soonest are forgotten first, which lets their holders begin anew. The table keeps
	// five times as many.
	Keys int
	// Wait is how long the table may take, 0 for a second.
	Wait time.Duration
	// Now is the clock; nil is time.Now. The clocks of nodes that count together should agree: what
	// one is ahead of another is what its clients' requests last longer there.
	Now func() time.Time
	Log *slog.Logger // hears when the table cannot be reached; nil for nobody
}

// Limiter counts uses by key. It may be used from many goroutines.
type Limiter struct {
	now   func() time.Time
	alone *memory // counts where there is no table, and while it cannot be reached
	table *table  // nil for none
}

// New makes a limiter.
func New(options Options) *Limiter {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Keys == 0 {
		options.Keys = 200_000
	}
	if options.Wait == 0 {
		options.Wait = time.Second
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	l := &Limiter{now: options.Now, alone: newMemory(options.Keys)}
	if options.DB != nil {
		l.table = newTable(options)
	}
	return l
}

// Meter limits the keys of one kind to one rate.
type Meter struct {
	limiter *Limiter
	name    string
	rate    Rate
}

// Meter gives the meter of a kind of keys. Meters of one name share their keys; a meter without a
// rate lets everything through.
func (l *Limiter) Meter(name string, rate Rate) Meter { return Meter{l, name, rate} }

// Name is the name of the meter's kind.
func (m Meter) Name() string { return m.name }

// Rate is the rate that holds for each key.
func (m Meter) Rate() Rate { return m.rate }

// WithRate returns the meter with another rate, for a key that has its own.
func (m Meter) WithRate(rate Rate) Meter { return Meter{m.limiter, m.name, rate} }

// Allow asks whether the holder of a key may do something of a cost, mostly 1, and counts it if so;
// what is refused is not counted. A cost of 0 only looks. Where the nodes' table cannot be reached,
// this node counts by itself.
func (m Meter) Allow(ctx context.Context, key string, cost int) Status {
	if m.rate.Unlimited() {
		return Status{OK: true}
	}
	l, now := m.limiter, m.limiter.now().UnixNano()
	key = m.name + " " + key
	if l.table != nil {
		if _, status, err := l.table.take(ctx, key, m.rate, cost, now); err == nil {
			return status
		}
	}
	_, status := l.alone.take(key, m.rate, cost, now)
	return status
}

// AllowWindows asks whether the holder of a key may do one more thing within windows, each of
// another span, and counts it in all of them if so; what one of them refuses is counted in none. It
// gives what each of them says, in their order: it may if all are OK. What is kept of a key is kept
// by the spans of the windows, so that their Requests may change. The error says that it could not
// be counted, because the table did not answer in time: then nobody knows whether it may.
func (l *Limiter) AllowWindows(ctx context.Context, key string, given ...Window) ([]Status, error) {
	by, now := windows(given), l.now().UnixNano()
	var known state
	var status Status
	var err error
	if l.table != nil {
		known, status, err = l.table.take(ctx, key, by, 1, now)
	} else {
		known, status = l.alone.take(key, by, 1, now)
	}
	switch {
	case err != nil:
		return nil, err
	case status.OK:
		return by.statuses(known, now, 0), nil
	}
	return by.statuses(known, now, 1), nil
}

// Network is what counts as one address: an IPv6 customer has a whole /64, and could send every
// request from another address in it.
func Network(address netip.Addr) string {
	if address.Is6() && !address.Is4In6() {
		if prefix, err := address.WithZone("").Prefix(64); err == nil {
			return prefix.String()
		}
	}
	return address.Unmap().String()
}
