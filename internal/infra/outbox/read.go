package outbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"

	"frontdesk/internal/infra/store"
)

// Pending is an effect that is not delivered yet, or was given up.
type Pending struct {
	ID, Sink string
	Attempts int       // how often it was tried
	Reason   string    // why the last try failed; empty before the first has
	Cause    string    // a word for what that came of, as of [fail.Cause]; empty for an unknown one
	Due      time.Time // when it is tried next; zero once it was given up
	GivenUp  time.Time // zero for not
}

// Find returns an effect that is not delivered yet, or was given up; ok is false when none has the
// id.
func Find(ctx context.Context, tx *store.Tx, id string) (p Pending, ok bool, err error) {
	p, err = scan(tx.QueryRow(ctx, `SELECT id, sink, tries, reason, cause, due, given_up FROM outbox_effect WHERE id = $1`, id))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return Pending{}, false, nil
	case err != nil:
		return Pending{}, false, fmt.Errorf("look for what is to be done: %w", err)
	}
	return p, true, nil
}

// Retry makes an effect that failed or was given up due at once, to be tried for as long as a new
// one. It says whether there is one; an effect that is being delivered just now is left alone.
func Retry(ctx context.Context, tx *store.Tx, id string, now time.Time) (bool, error) {
	n, err := tx.Exec(ctx, `UPDATE outbox_effect SET due = $1, made = $1, tries = 0, given_up = 0 WHERE id = $2 AND claim = ''`, store.Micros(now), id)
	if err != nil {
		return false, fmt.Errorf("try again what is to be done: %w", err)
	}
	if n > 0 {
		return true, nil
	}
	_, there, err := Find(ctx, tx, id)
	return there, err
}

// ListFailed gives effects that failed at least once and wait to be tried again, or were given up:
// the oldest first, up to a number.
func ListFailed(ctx context.Context, tx *store.Tx, limit int) (all []Pending, err error) {
	all, err = store.All(ctx, tx, `SELECT id, sink, tries, reason, cause, due, given_up FROM outbox_effect WHERE reason <> '' ORDER BY made, id LIMIT `+strconv.Itoa(limit), scan)
	if err != nil {
		return nil, fmt.Errorf("list what failed: %w", err)
	}
	return all, nil
}

// scan reads a row of id, sink, tries, reason, cause, due and given_up.
func scan(row store.Scanner) (p Pending, err error) {
	err = row.Scan(&p.ID, &p.Sink, &p.Attempts, &p.Reason, &p.Cause, &p.Due, &p.GivenUp)
	if !p.GivenUp.IsZero() {
		p.Due = time.Time{} // it is not tried again
	}
	return p, err
}
