package grants

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/infra/store"
)

// Sweep deletes requests and events from before a time, and sessions that have expired.
func Sweep(ctx context.Context, db *store.DB, before, now time.Time) error {
	err := db.Update(ctx, func(tx *store.Tx) error {
		if err := forgetRequests(ctx, tx, before); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `DELETE FROM excerpt_event WHERE at < $1`, store.Micros(before))
		return err
	})
	if err == nil {
		err = forgetSessions(ctx, db, now)
	}
	if err != nil {
		return fmt.Errorf("forget old requests: %w", err)
	}
	return nil
}

// forgetRequests goes by platform and outcome, of which there are few, since requests are in that
// order.
func forgetRequests(ctx context.Context, tx *store.Tx, before time.Time) error {
	for platform, outcome := "", ""; ; {
		err := tx.QueryRow(ctx, `SELECT platform, outcome FROM excerpt_request WHERE (platform, outcome) > ($1, $2) ORDER BY platform, outcome LIMIT 1`,
			platform, outcome).Scan(&platform, &outcome)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err == nil {
			_, err = tx.Exec(ctx, `DELETE FROM excerpt_request WHERE platform = $1 AND outcome = $2 AND at < $3`, platform, outcome, store.Micros(before))
		}
		if err != nil {
			return err
		}
	}
}

// sessionsAtOnce is how many sessions are looked at, and forgotten in one transaction.
const sessionsAtOnce = 1000

// selectSessions gives some sessions in the order of their keys.
var selectSessions = fmt.Sprintf(`SELECT session, until FROM excerpt_session WHERE session > $1 ORDER BY session LIMIT %d`, sessionsAtOnce)

// forgetSessions looks at all sessions, some at a time.
func forgetSessions(ctx context.Context, db *store.DB, now time.Time) error {
	for last, n := []byte{}, sessionsAtOnce; n == sessionsAtOnce; {
		var over [][]byte
		err := db.View(ctx, func(tx *store.Tx) error {
			n = 0
			return tx.Each(ctx, selectSessions, func(row store.Scanner) error {
				n++
				var until int64
				last = nil // what it was may be in over
				if err := row.Scan(&last, &until); err != nil {
					return err
				}
				if until <= store.Micros(now) {
					over = append(over, last)
				}
				return nil
			}, last)
		})
		if err == nil && len(over) > 0 {
			err = db.Update(ctx, func(tx *store.Tx) error {
				for _, session := range over {
					if _, err := tx.Exec(ctx, `DELETE FROM excerpt_session WHERE session = $1 AND until <= $2`, session, store.Micros(now)); err != nil {
						return err
					}
				}
				return nil
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}
