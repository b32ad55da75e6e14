// Package outbox does what has an effect on the outside world: it is recorded first, in the transaction of what it
// follows from, under a key of its own, and done afterwards, at least once, for as long as it takes.
//
// It stands below desk, which records effects, and above store; whoever assembles the house gives it the hands that do
// them. Several processes may work on one database.
package outbox

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"frontdesk/internal/store"
)

// Schema is the table of effects that are still to be done. lease is until when the one that claim names is at it, and
// due when it is to be tried next. Times are microseconds.
var Schema = store.Schema{
	Room: "outbox",
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
`},
}

// Effect is something to be done.
type Effect struct {
	ID   string // unique among all effects; whoever gets it twice can tell by it
	Sink string // for whom it is
	Body []byte
}

// Put records an effect; one that is recorded already stays as it is. What was done may be recorded, and done, again:
// the caller sees to it that it asks once.
func Put(ctx context.Context, tx *store.Tx, e Effect, now time.Time) error {
	_, err := tx.Exec(ctx, `INSERT INTO outbox_effect (id, sink, body, made, due, tries, claim, lease) VALUES ($1, $2, $3, $4, $4, 0, '', 0)
		ON CONFLICT (id) DO NOTHING`, e.ID, e.Sink, e.Body, store.Micros(now))
	if err != nil {
		return fmt.Errorf("record what is to be done: %w", err)
	}
	return nil
}

// Options are an outbox's; DB and Do must be set.
type Options struct {
	DB *store.DB
	// Do does an effect. It is tried again after an error, unless that is ErrNever.
	Do func(context.Context, Effect) error
	// Lease is how long Do may take at the most; 0 is a minute.
	Lease time.Duration
	// For is how long an effect is tried; 0 is seven days.
	For time.Duration
	Now func() time.Time // nil is time.Now
	Log *slog.Logger     // nil for nobody
}

// ErrNever is an error, or wrapped by one, of what cannot be done however often it is tried.
var ErrNever = errors.New("it cannot be done")

// Outbox does effects.
type Outbox struct{ Options }

// New returns an outbox on a database that has Schema.
func New(o Options) *Outbox {
	if o.Lease == 0 {
		o.Lease = time.Minute
	}
	if o.For == 0 {
		o.For = 7 * 24 * time.Hour
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Outbox{o}
}

// look is how often Work looks for what others recorded.
const look = time.Second

// Work does what is due, until ctx ends.
func (b *Outbox) Work(ctx context.Context) {
	tick := time.NewTicker(look)
	defer tick.Stop()
	for ctx.Err() == nil {
		for {
			done, err := b.Once(ctx)
			if err != nil && ctx.Err() == nil {
				b.Log.Error("what is to be done outside cannot be looked up; trying again", "error", err)
			}
			if err != nil || !done {
				break
			}
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// Once does one effect that is due, and says whether there was one. Its error is of the database, not of the effect.
func (b *Outbox) Once(ctx context.Context) (some bool, err error) {
	claim := rand.Text()
	var e Effect
	var made, tries int64
	err = b.DB.Update(ctx, func(tx *store.Tx) error {
		now := store.Micros(b.Now())
		err := tx.QueryRow(ctx, `UPDATE outbox_effect SET claim = $1, lease = $2, due = $2
			WHERE id = (SELECT id FROM outbox_effect WHERE due <= $3 ORDER BY due LIMIT 1) RETURNING id, sink, body, made, tries`,
			claim, store.Micros(b.Now().Add(b.Lease)), now).Scan(&e.ID, &e.Sink, &e.Body, &made, &tries)
		some = err == nil
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	if err != nil || !some {
		return false, err
	}
	limited, cancel := context.WithTimeout(ctx, b.Lease)
	failure := b.Do(limited, e)
	cancel()
	if ctx.Err() != nil {
		return true, ctx.Err() // the lease ends, and somebody tries again
	}
	next := b.Now().Add(backoff(tries))
	over := errors.Is(failure, ErrNever) || next.Sub(store.FromMicros(made)) > b.For
	switch {
	case failure != nil && over:
		b.Log.Error("an effect is given up", "sink", e.Sink, "effect", e.ID, "tries", tries+1, "error", failure)
	case failure != nil:
		b.Log.Warn("an effect will be tried again", "sink", e.Sink, "effect", e.ID, "tries", tries+1, "next", next.UTC(), "error", failure)
	}
	return true, b.DB.Update(ctx, func(tx *store.Tx) error {
		if failure == nil || over {
			_, err := tx.Exec(ctx, `DELETE FROM outbox_effect WHERE id = $1 AND claim = $2`, e.ID, claim)
			return err
		}
		_, err := tx.Exec(ctx, `UPDATE outbox_effect SET due = $1, tries = tries + 1, claim = '', lease = 0 WHERE id = $2 AND claim = $3`, store.Micros(next), e.ID, claim)
		return err
	})
}

// backoff is how long to wait after a number of tries: a second, and then twice as long each time, up to an hour.
func backoff(tries int64) time.Duration {
	return min(time.Hour, time.Second<<min(tries, 20))
}

// Waiting is how many effects are to be done.
func Waiting(ctx context.Context, db *store.DB) (n int, err error) {
	err = db.View(ctx, func(tx *store.Tx) error {
		return tx.QueryRow(ctx, `SELECT COUNT(*) FROM outbox_effect`).Scan(&n)
	})
	return n, err
}
