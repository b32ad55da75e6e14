package grants

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/infra/store"
)

// RefusalFilter selects refused requests. An empty field does not narrow.
type RefusalFilter struct {
	Platform, Outcome string
	Since, Until      time.Time // when they were answered: Since ≤ time < Until
	// Before gives those that come after a request in the list; its time, platform and id count.
	Before Request
	Limit  int // how many at most
}

// ListRefused lists refused requests, newest first, without their digests.
func ListRefused(ctx context.Context, tx *store.Tx, w RefusalFilter) (all []Request, err error) {
	var where []string
	var args []any
	add := func(condition string, values ...any) {
		for _, v := range values {
			args = append(args, v)
			condition = strings.Replace(condition, "?", fmt.Sprintf("$%d", len(args)), 1)
		}
		where = append(where, condition)
	}
	if w.Platform != "" {
		add(`platform = ?`, w.Platform)
	}
	if w.Outcome != "" {
		add(`outcome = ?`, w.Outcome)
	}
	if !w.Since.IsZero() {
		add(`at >= ?`, store.Micros(w.Since))
	}
	if !w.Until.IsZero() {
		add(`at < ?`, store.Micros(w.Until))
	}
	if !w.Before.At.IsZero() {
		add(`(at, platform, request) < (?, ?, ?)`, store.Micros(w.Before.At), w.Before.Platform, w.Before.ID)
	}
	query := `SELECT platform, request, at, outcome FROM excerpt_request WHERE outcome <> 'ok'`
	if len(where) > 0 {
		query += ` AND ` + strings.Join(where, ` AND `)
	}
	all, err = store.All(ctx, tx, query+fmt.Sprintf(` ORDER BY at DESC, platform DESC, request DESC LIMIT %d`, w.Limit),
		func(row store.Scanner) (r Request, err error) {
			err = row.Scan(&r.Platform, &r.ID, &r.At, &r.Outcome)
			return r, err
		}, args...)
	if err != nil {
		return nil, fmt.Errorf("list refused requests: %w", err)
	}
	return all, nil
}

// DayCount counts what one platform did on one day of UTC.
type DayCount struct {
	Platform string
	Day      time.Time
	Given    int            // requests that were given passages
	Refused  map[string]int // requests that got nothing, by outcome
	Cited    int            // citations that were reported
}

// dayMicros is a day in the unit of the tables.
const dayMicros = int64(24 * time.Hour / time.Microsecond)

// place is a platform's day, in days since 1970.
type place struct {
	platform string
	day      int64
}

// CountByDay counts by platform and day since a time, ordered by day and platform. Days on which a
// platform did nothing are not among them.
func CountByDay(ctx context.Context, tx *store.Tx, since time.Time) ([]DayCount, error) {
	found := map[place]*DayCount{}
	for _, query := range []string{
		`SELECT platform, at / 86400000000, outcome, COUNT(*) FROM excerpt_request WHERE at >= $1 GROUP BY platform, at / 86400000000, outcome`,
		`SELECT platform, at / 86400000000, '', COUNT(*) FROM excerpt_event WHERE at >= $1 AND kind = 'citation' GROUP BY platform, at / 86400000000`,
	} {
		err := each(ctx, tx, query, store.Micros(since), func(p place, outcome string, n int) {
			t := found[p]
			if t == nil {
				t = &DayCount{Platform: p.platform, Day: store.FromMicros(p.day * dayMicros), Refused: map[string]int{}}
				found[p] = t
			}
			switch outcome {
			case OutcomeOK:
				t.Given += n
			case "":
				t.Cited += n
			default:
				t.Refused[outcome] += n
			}
		})
		if err != nil {
			return nil, fmt.Errorf("count by platform and day: %w", err)
		}
	}
	all := make([]DayCount, 0, len(found))
	for _, t := range found {
		all = append(all, *t)
	}
	slices.SortFunc(all, func(a, b DayCount) int {
		if c := a.Day.Compare(b.Day); c != 0 {
			return c
		}
		return strings.Compare(a.Platform, b.Platform)
	})
	return all, nil
}

// each reads the rows of a count.
func each(ctx context.Context, tx *store.Tx, query string, since int64, fn func(p place, outcome string, n int)) error {
	return tx.Each(ctx, query, func(row store.Scanner) error {
		var p place
		var outcome string
		var n int
		if err := row.Scan(&p.platform, &p.day, &outcome, &n); err != nil {
			return err
		}
		fn(p, outcome, n)
		return nil
	}, since)
}
