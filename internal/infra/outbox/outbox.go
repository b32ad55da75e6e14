// Package outbox delivers effects on the outside world, at least once each: an effect is recorded
// in the transaction that it follows from, under a key of its own, and done afterwards.
//
// Enter at Put in a transaction, and at Outbox.Run for the workers. Each sink has a worker of its
// own, so that one that stalls or fails delays no other; an effect that keeps failing is given up
// after Options.TryFor. The package must not know what an effect does: package app hands that in as
// Options.Do. Several processes may work on one database.
package outbox

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/periodic"
	"frontdesk/internal/infra/store"
)

// Schema is the table of effects that are still to be done, or were given up. lease is until when
// the one that claim names is at it, and due when it is to be tried next. reason says why the last
// try failed, cause is a word for that, and given_up when no further one was to follow, 0 for not.
// Times are microseconds.
var Schema = store.Schema{
	ID: "outbox",
	Steps: []string{`
CREATE TABLE outbox_effect (
	id    {{text}} NOT NULL PRIMARY KEY,
	sink  TEXT NOT NULL,
	body  {{bytes}} NOT NULL,
	made  BIGINT NOT NULL,
	due   BIGINT NOT NULL,
	tries BIGINT NOT NULL,
	claim TEXT NOT NULL,
	lease BIGINT NOT NULL
);
CREATE INDEX outbox_effect_due ON outbox_effect (due);
`, `
CREATE INDEX outbox_effect_sink ON outbox_effect (sink, due);
CREATE INDEX outbox_effect_made ON outbox_effect (made);
DROP INDEX outbox_effect_due;
`, `
ALTER TABLE outbox_effect ADD COLUMN reason TEXT NOT NULL DEFAULT '';
ALTER TABLE outbox_effect ADD COLUMN given_up BIGINT NOT NULL DEFAULT 0;
CREATE INDEX outbox_effect_failed ON outbox_effect (made) WHERE reason <> '';
`, `
ALTER TABLE outbox_effect ADD COLUMN cause TEXT NOT NULL DEFAULT '';
`},
}

// Effect is something to deliver.
type Effect struct {
	ID   string // unique among all effects; whoever gets it twice can tell by it
	Sink string // for whom it is
	Body []byte
}

// Put records an effect; one that is recorded already stays as it is. What was done may be
// recorded, and done, again: the caller sees to it that it asks once.
func Put(ctx context.Context, tx *store.Tx, e Effect, now time.Time) error {
	_, err := tx.Exec(ctx, `INSERT INTO outbox_effect (id, sink, body, made, due, tries, claim, lease) VALUES ($1, $2, $3, $4, $4, 0, '', 0)
		ON CONFLICT (id) DO NOTHING`, e.ID, e.Sink, e.Body, store.Micros(now))
	if err != nil {
		return fmt.Errorf("record what is to be done: %w", err)
	}
	return nil
}

// Options configure an Outbox; DB and Do are required.
type Options struct {
	DB *store.DB
	// Sinks are those for whom Work does effects. What is recorded for others waits for a process
	// that knows them.
	Sinks []string
	// Do does an effect. It is tried again after an error, whose text is kept and shown to the
	// owner: it holds nothing personal and no secret.
	Deliver func(context.Context, Effect) error
	// Lease is how long Do may take at the most; 0 is a minute.
	Lease time.Duration
	// TryFor is how long an effect is tried; 0 is seven days.
	TryFor time.Duration
	// KeepFailed is how long one that was given up stays to be seen, and may be asked for again; 0
	// is 30 days.
	KeepFailed time.Duration
	Now        func() time.Time // nil is time.Now
	Log        *slog.Logger     // nil for nobody
}

// Outbox delivers recorded effects.
type Outbox struct{ Options }

// New returns an outbox on a database that has Schema.
func New(o Options) *Outbox {
	if o.Lease == 0 {
		o.Lease = time.Minute
	}
	if o.TryFor == 0 {
		o.TryFor = 7 * 24 * time.Hour
	}
	if o.KeepFailed == 0 {
		o.KeepFailed = 30 * 24 * time.Hour
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Outbox{o}
}

const (
	// pollInterval is how often Run looks for effects that other processes recorded.
	pollInterval = time.Second
	// atOnce is how many effects of one sink are done side by side.
	atOnce = 4
	// sweep is how often Work gives up what nobody did in time, and forgets what was given up long
	// ago.
	sweep = time.Hour
)

// Run delivers what is due to each sink, until ctx ends.
func (b *Outbox) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, sink := range b.Sinks {
		all.Go(func() { b.serve(ctx, sink) })
	}
	periodic.Try(ctx, sweep, b.giveUp, func(err error) {
		b.Log.Error("what is too old to be done outside cannot be given up; trying again", "error", err)
	})
	all.Wait()
}

// serve does what is due for one sink, until ctx ends.
func (b *Outbox) serve(ctx context.Context, sink string) {
	hands := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	defer all.Wait()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			return
		case hands <- struct{}{}:
		}
		c, err := b.claim(ctx, sink)
		if err == nil && c != nil {
			all.Go(func() {
				defer func() { <-hands }()
				if err := b.try(ctx, c); err != nil && ctx.Err() == nil {
					b.Log.Error("what became of an effect cannot be kept; it will be done again", "sink", sink,
						"effect", c.ID, "error", err)
				}
			})
			continue
		}
		<-hands
		if err != nil && ctx.Err() == nil {
			b.Log.Error("what is to be done outside cannot be looked up; trying again", "sink", sink, "error", err)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// RunOne delivers one effect that is due to a sink, and says whether there was one. Its error is of
// the database, not of the delivery.
func (b *Outbox) RunOne(ctx context.Context, sink string) (some bool, err error) {
	c, err := b.claim(ctx, sink)
	if err != nil || c == nil {
		return false, err
	}
	return true, b.try(ctx, c)
}

// claimed is an effect that this process is at.
type claimed struct {
	Effect
	claim string
	made  time.Time
	tries int64
}

// claim takes an effect that is due for a sink, nil where there is none. A look comes first: it
// holds up no writer.
func (b *Outbox) claim(ctx context.Context, sink string) (*claimed, error) {
	due := false
	err := b.DB.View(ctx, func(tx *store.Tx) error {
		var one int
		err := tx.QueryRow(ctx, `SELECT 1 FROM outbox_effect WHERE sink = $1 AND due <= $2 LIMIT 1`, sink, store.Micros(b.Now())).Scan(&one)
		due = err == nil
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	if err != nil || !due {
		return nil, err
	}
	c := &claimed{claim: rand.Text()}
	err = b.DB.Update(ctx, func(tx *store.Tx) error {
		now := b.Now()
		err := tx.QueryRow(ctx, `UPDATE outbox_effect SET claim = $1, lease = $2, due = $2
			WHERE id = (SELECT id FROM outbox_effect WHERE sink = $3 AND due <= $4 ORDER BY due LIMIT 1) RETURNING id, sink, body, made, tries`,
			c.claim, store.Micros(now.Add(b.Lease)), sink, store.Micros(now)).Scan(&c.ID, &c.Sink, &c.Body, &c.made,
			&c.tries)
		due = err == nil
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	if err != nil || !due {
		return nil, err
	}
	return c, nil
}

// try does an effect, and keeps what became of it.
func (b *Outbox) try(ctx context.Context, c *claimed) error {
	limited, cancel := context.WithTimeout(ctx, b.Lease)
	failure := b.Deliver(limited, c.Effect)
	cancel()
	if ctx.Err() != nil {
		return ctx.Err() // the lease ends, and somebody tries again
	}
	next := b.Now().Add(backoff(c.tries))
	over := next.Sub(c.made) > b.TryFor
	switch {
	case failure != nil && over:
		b.Log.Error("an effect is given up", "sink", c.Sink, "effect", c.ID, "tries", c.tries+1, "error", failure)
	case failure != nil:
		b.Log.Warn("an effect will be tried again", "sink", c.Sink, "effect", c.ID, "tries", c.tries+1,
			"next", next.UTC(), "error", failure)
	}
	return b.DB.Update(ctx, func(tx *store.Tx) error {
		var err error
		switch {
		case failure == nil:
			_, err = tx.Exec(ctx, `DELETE FROM outbox_effect WHERE id = $1 AND claim = $2`, c.ID, c.claim)
		case over:
			_, err = tx.Exec(ctx, `UPDATE outbox_effect SET due = $1, reason = $2, cause = $3, given_up = $4, tries = tries + 1, claim = '', lease = 0 WHERE id = $5 AND claim = $6`,
				int64(never), reason(failure), fail.Cause(failure), store.Micros(b.Now()), c.ID, c.claim)
		default:
			_, err = tx.Exec(ctx, `UPDATE outbox_effect SET due = $1, reason = $2, cause = $3, tries = tries + 1, claim = '', lease = 0 WHERE id = $4 AND claim = $5`,
				store.Micros(next), reason(failure), fail.Cause(failure), c.ID, c.claim)
		}
		return err
	})
}

// never is when something is due that is not to be done any more.
const never = math.MaxInt64

// maxReason bounds what is kept of an error, in bytes.
const maxReason = 500

// reason is what is kept of an error.
func reason(failure error) string {
	text := strings.ToValidUTF8(failure.Error(), "")
	if len(text) > maxReason {
		text = strings.ToValidUTF8(text[:maxReason], "") + "…"
	}
	return text
}

// giveUp gives up effects that are too old to be tried by now: nobody was there to do them, or
// their sink is none any more. What was given up longer than Keep ago it forgets.
func (b *Outbox) giveUp(ctx context.Context) error {
	var over int64
	err := b.DB.Update(ctx, func(tx *store.Tx) (err error) {
		now := b.Now()
		if _, err = tx.Exec(ctx, `DELETE FROM outbox_effect WHERE made < $1 AND given_up BETWEEN 1 AND $1`, store.Micros(now.Add(-b.KeepFailed))); err != nil {
			return err
		}
		over, err = tx.Exec(ctx, `UPDATE outbox_effect SET due = $1, given_up = $2, claim = '', lease = 0,
			cause = CASE reason WHEN '' THEN 'nobody' ELSE cause END,
			reason = CASE reason WHEN '' THEN 'nobody did it in time, or there is no such sink any more' ELSE reason END
			WHERE made < $3 AND lease <= $2 AND given_up = 0`, int64(never), store.Micros(now), store.Micros(now.Add(-b.TryFor)))
		return err
	})
	if over > 0 && err == nil {
		b.Log.Error("effects are given up that nobody did in time", "effects", over)
	}
	return err
}

// backoff is how long to wait after a number of tries: a second, and then twice as long each time,
// up to an hour.
func backoff(tries int64) time.Duration { return min(time.Hour, time.Second<<min(tries, 20)) }
