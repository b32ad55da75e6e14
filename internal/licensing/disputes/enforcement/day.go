package enforcement

import (
	"context"
	"fmt"
	"math"
	"time"

	"frontdesk/internal/infra/store"
)

// Day is what came of holding what was bought of a site on a day of UTC against what was delivered
// and reported.
type Day struct {
	At   time.Time // its beginning
	Site string
	Reconciled
}

func putDay(ctx context.Context, tx *store.Tx, d Day) error {
	_, err := tx.Exec(ctx, `INSERT INTO measure_day (day, site, count, gaps, untold) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (day, site) DO UPDATE SET count = measure_day.count + EXCLUDED.count, gaps = measure_day.gaps + EXCLUDED.gaps, untold = measure_day.untold + EXCLUDED.untold`,
		store.Micros(d.At), d.Site, d.Of, d.Gaps, d.Untold)
	if err != nil {
		return fmt.Errorf("count the differences of a day: %w", err)
	}
	return nil
}

// Filter selects days. An empty field is no condition.
type Filter struct {
	Site         string
	Since, Until time.Time // Since ≤ beginning < Until
	Differing    bool      // those alone on which something differs
	After        Day       // by At and Site: those that come behind it
	Limit        int       // how many at most; at least 1
}

// Days gives what was reconciled, the latest day first, and its sites by their ids.
func (r *Reader) Days(ctx context.Context, w Filter) (all []Day, err error) {
	to, least := int64(math.MaxInt64), int64(0)
	if !w.Until.IsZero() {
		to = store.Micros(w.Until)
	}
	if w.Differing {
		least = 1
	}
	last := int64(math.MaxInt64)
	if !w.After.At.IsZero() {
		last = store.Micros(w.After.At)
	}
	all, err = store.List(ctx, r.db, `SELECT day, site, count, gaps, untold FROM measure_day WHERE day >= $1 AND day < $2 AND (day < $3 OR (day = $3 AND site > $4)) AND gaps >= $5
			AND ($6 = '' OR site = $6) ORDER BY day DESC, site LIMIT $7`, func(row store.Scanner) (d Day, err error) {
		err = row.Scan(&d.At, &d.Site, &d.Of, &d.Gaps, &d.Untold)
		return d, err
	}, store.Micros(w.Since), to, last, w.After.Site, least, w.Site, w.Limit)
	if err != nil {
		return nil, fmt.Errorf("read what was reconciled: %w", err)
	}
	return all, nil
}

// ReconciledUntil is the time before which days are reconciled; zero before the first is.
func (r *Reader) ReconciledUntil(ctx context.Context) (until time.Time, err error) {
	err = r.db.View(ctx, func(tx *store.Tx) error {
		return tx.QueryRow(ctx, `SELECT until FROM measure_reconciled WHERE one = 1`).Scan(&until)
	})
	if err != nil {
		return until, fmt.Errorf("read until when purchases are reconciled: %w", err)
	}
	return until, nil
}

// ReconciledSince is the first day that something was counted on; zero for none.
func (r *Reader) ReconciledSince(ctx context.Context) (first time.Time, err error) {
	err = r.db.View(ctx, func(tx *store.Tx) error {
		return tx.QueryRow(ctx, `SELECT COALESCE(MIN(day), 0) FROM measure_day`).Scan(&first)
	})
	if err != nil {
		return first, fmt.Errorf("read since when purchases are reconciled: %w", err)
	}
	return first, nil
}
