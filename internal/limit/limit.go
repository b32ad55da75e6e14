package limit

import (
	"context"
	"log/slog"
	"time"

	"frontdesk/internal/store"
)

// Options are what a limiter needs; the zero value counts in memory.
type Options struct {
	// DB is where nodes count together; it must have this room's Schema. Nil counts in memory.
	DB *store.DB
	// Keys is how many keys are kept in memory; 0 is 200,000. Beyond it, those that would be full again soonest are
	// forgotten first, which lets their holders begin anew.
	Keys int
	// Now is the clock; nil is time.Now. The clocks of nodes that count together should agree: what one is ahead
	// of another is what its clients' requests last longer there.
	Now func() time.Time
	Log *slog.Logger // hears when the table cannot be reached; nil for nobody
}

// Limiter counts. It may be used from many goroutines.
type Limiter struct {
	now   func() time.Time
	count counter
}

// counter keeps the state of every key. take is safe for concurrent use and gives an answer in any case: what it
// cannot reach it does without.
type counter interface {
	take(ctx context.Context, key string, rate Rate, cost int, now int64) Status
}

// New makes a limiter.
func New(options Options) *Limiter {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Keys == 0 {
		options.Keys = 200_000
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	memory := newMemory(options.Keys)
	l := &Limiter{now: options.Now, count: memory}
	if options.DB != nil {
		l.count = newTable(options.DB, memory, options.Log)
	}
	return l
}

// Meter is one use of a limiter: keys of one kind, and the rate that holds for each.
type Meter struct {
	limiter *Limiter
	name    string
	rate    Rate
}

// Meter gives the meter of a kind of keys. Meters of one name share their keys; a meter without a rate lets
// everything through.
func (l *Limiter) Meter(name string, rate Rate) Meter { return Meter{l, name, rate} }

// Name is the name of the meter's kind.
func (m Meter) Name() string { return m.name }

// Rate is the rate that holds for each key.
func (m Meter) Rate() Rate { return m.rate }

// At is the same meter with another rate, for a key that has its own.
func (m Meter) At(rate Rate) Meter { return Meter{m.limiter, m.name, rate} }

// Allow asks whether the holder of a key may do something of a cost, mostly 1, and counts it if so; what is refused
// is not counted. A cost of 0 only looks. Where the nodes' table cannot be reached, this node counts by itself.
func (m Meter) Allow(ctx context.Context, key string, cost int) Status {
	if m.rate.Unlimited() {
		return Status{OK: true}
	}
	return m.limiter.count.take(ctx, m.name+" "+key, m.rate, cost, m.limiter.now().UnixNano())
}
