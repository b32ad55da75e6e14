package questions

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"frontdesk/internal/ask/query"
	"frontdesk/internal/infra/metrics"
	"frontdesk/internal/infra/store"
)

// Options are what a Keeper needs. DB and Secret are required.
type Options struct {
	DB     *store.DB
	Secret []byte           // of the front desk: the same on all nodes
	Keep   time.Duration    // how long; 0 keeps nothing
	Now    func() time.Time // nil is time.Now
	Log    *slog.Logger     // nil for none
	// Metrics counts what is not kept; nil counts nothing.
	Metrics metrics.Registry
}

// The bounds of what is kept, so that nobody can fill memory or disk. Beyond them questions count
// among all, and no more each by itself.
const (
	maxPending   = 10_000    // questions that wait for being written, and clicks
	maxForms     = 1_000_000 // questions
	maxFresh     = 20_000    // new texts a day
	maxFreshEach = 300       // of one address
	maxTimesEach = 5_000     // questions of one address a day
	maxAddresses = 100_000   // that are told apart a day, by one process
	maxAgents    = 300       // that are told apart a day, by one process
	maxVariants  = 4         // of a question
	maxGiven     = 5_000     // items that are told apart a day, by one process
)

// gather is how long questions are gathered until they are written together: so much is lost, at
// most, where the process is killed, and the time that writing takes.
const gather = 400 * time.Millisecond

// Keeper takes questions in and writes them a little later. Its methods may be called from many
// goroutines.
type Keeper struct {
	options Options
	key     []byte
	dropped func(reason string, n int) // counts what is not kept
	wake    chan struct{}

	mu      sync.Mutex
	pending []kept
	clicks  []click

	writing sync.Mutex // held by Flush
	today   *today
}

// kept is a question that waits for being written.
type kept struct {
	Asked
	id   ID
	form string
}

// NewKeeper makes a keeper for a database that has Schema. Run has to be running for what it takes
// in to be written.
func NewKeeper(options Options) *Keeper {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	k := &Keeper{options: options, wake: make(chan struct{}, 1), dropped: func(string, int) {}}
	k.key = options.Secret
	k.key = k.sum("questions", nil)
	if options.Metrics != nil {
		k.registerMetrics(options.Metrics)
	}
	return k
}

// registerMetrics counts what is not kept.
func (k *Keeper) registerMetrics(at metrics.Registry) {
	counter := metrics.Counter(at, "questions_dropped_total",
		"Questions and clicks that are not kept: under load (busy), since the database could not be written (failed), "+
			"or since there are too many (full).", "reason")
	for _, reason := range []string{droppedBusy, droppedFailed, droppedFull} {
		counter.WithLabelValues(reason)
	}
	k.dropped = func(reason string, n int) { counter.WithLabelValues(reason).Add(float64(n)) }
}

const (
	droppedBusy   = "busy"
	droppedFailed = "failed"
	droppedFull   = "full" // they count among all, but not by themselves
)

// Keep takes a question in. Where its source has a beacon and it has results, it gives the id of
// the answer for Click.
func (k *Keeper) Keep(a Asked) (answer string) {
	if k.options.Keep <= 0 {
		return ""
	}
	if a.At.IsZero() {
		a.At = k.options.Now()
	}
	a.Text = Clean(a.Text, a.Names...)
	a.Names, a.URL, a.Name = nil, clip(a.URL, maxText), clip(a.Name, maxName)
	if len(a.URL) == maxText {
		a.URL = "" // which would be another
	}
	one := kept{Asked: a, form: query.Normal(a.Text)}
	one.id = idOf(one.form)
	if !k.add(func() bool {
		fits := len(k.pending) < maxPending
		if fits {
			k.pending = append(k.pending, one)
		}
		return fits
	}) || !a.Beacon || a.Results == 0 || one.form == "" {
		return ""
	}
	return k.newAnswerID(one.id, a.Results, a.At)
}

// add adds to what waits, and has it written.
func (k *Keeper) add(fits func() bool) bool {
	k.mu.Lock()
	ok := fits()
	k.mu.Unlock()
	if !ok {
		k.dropped(droppedBusy, 1)
		return false
	}
	select {
	case k.wake <- struct{}{}:
	default:
	}
	return true
}

// Run writes what is taken in, until ctx ends and all is written.
func (k *Keeper) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			k.flush(last)
			return
		case <-k.wake:
		}
		timer := time.NewTimer(gather)
		select {
		case <-ctx.Done():
			timer.Stop()
			continue
		case <-timer.C:
		}
		k.flush(ctx)
	}
}

// flush is Flush, whose failure is logged.
func (k *Keeper) flush(ctx context.Context) {
	if err := k.Flush(ctx); err != nil {
		k.options.Log.Warn("questions could not be kept; that is tried again while there is room", "error", err)
	}
}

// Flush writes what was taken in so far. It is durable when Flush returns.
func (k *Keeper) Flush(ctx context.Context) error {
	k.writing.Lock()
	defer k.writing.Unlock()
	k.mu.Lock()
	pending, clicks := k.pending, k.clicks
	k.pending, k.clicks = nil, nil
	k.mu.Unlock()
	if len(pending)+len(clicks) == 0 {
		return nil
	}
	err := k.write(ctx, pending, clicks)
	if err == nil {
		return nil
	}
	k.mu.Lock()
	again := pending[:min(len(pending), max(0, maxPending-len(k.pending)))]
	k.pending = append(again, k.pending...)
	k.mu.Unlock()
	k.dropped(droppedFailed, len(pending)-len(again)+len(clicks))
	if ctx.Err() == nil {
		k.add(func() bool { return true })
	}
	return err
}
