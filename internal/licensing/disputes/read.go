package disputes

import (
	"context"
	"fmt"
	"strings"
	"time"

	"frontdesk/internal/infra/store"
)

// Reader reads disputes for pages, commands and reports, in transactions of its own. Its methods
// may be called concurrently.
type Reader struct{ db *store.DB }

// NewReader returns a reader of a database with [Schema].
func NewReader(db *store.DB) *Reader { return &Reader{db} }

// Filter selects disputes. An empty field is no condition.
type Filter struct {
	Buyer, Site  string
	Reason       Reason
	Status       Status
	Open         bool // those alone that have still to be decided
	Resolution   Resolution
	Since, Until time.Time // when they were filed: Since ≤ time < Until
	Before       string    // the id of one; those that are older than it
	Limit        int       // how many at most; at least 1
}

// Disputes gives disputes, the newest first.
func (r *Reader) Disputes(ctx context.Context, w Filter) (all []Case, err error) {
	before := w.Before
	if before == "" {
		before = "~" // behind them all
	}
	args := []any{before}
	where := []string{"id < $1"}
	add := func(is string, value any) {
		args = append(args, value)
		where = append(where, fmt.Sprintf(is, len(args)))
	}
	for _, c := range []struct{ is, want string }{
		{"buyer = $%d", w.Buyer}, {"site = $%d", w.Site}, {"reason = $%d", string(w.Reason)},
		{"status = $%d", string(w.Status)}, {"resolution = $%d", string(w.Resolution)},
	} {
		if c.want != "" {
			add(c.is, c.want)
		}
	}
	if !w.Since.IsZero() {
		add("filed >= $%d", store.Micros(w.Since))
	}
	if !w.Until.IsZero() {
		add("filed < $%d", store.Micros(w.Until))
	}
	if w.Open {
		where = append(where, `status IN ('filed', 'evidence_needed', 'under_review', 'escalated', 'appealed')`)
	}
	args = append(args, max(w.Limit, 1))
	query := " WHERE " + strings.Join(where, " AND ") + fmt.Sprintf(" ORDER BY id DESC LIMIT $%d", len(args))
	return store.Get(ctx, r.db, func(tx *store.Tx) ([]Case, error) { return selectCases(ctx, tx, query, args...) })
}

// Dispute gives a dispute by its id, or that of a transaction, with its steps; ok is false where
// there is none.
func (r *Reader) Dispute(ctx context.Context, id string) (c Case, steps []Step, ok bool, err error) {
	err = r.db.View(ctx, func(tx *store.Tx) error {
		if c, ok, err = Find(ctx, tx, id); err == nil && !ok {
			c, ok, err = FindByTransaction(ctx, tx, id)
		}
		if err == nil && ok {
			steps, err = StepsOf(ctx, tx, c.ID)
		}
		return err
	})
	return c, steps, ok, err
}

// Of gives the disputes of some transactions, by those.
func (r *Reader) Of(ctx context.Context, transactions ...string) (map[string]Case, error) {
	found := map[string]Case{}
	if len(transactions) == 0 {
		return found, nil
	}
	args := make([]any, len(transactions))
	for i, id := range transactions {
		args[i] = id
	}
	err := r.db.View(ctx, func(tx *store.Tx) error {
		all, err := selectCases(ctx, tx, ` WHERE txn IN (`+store.Params(1, len(args))+`)`, args...)
		for _, c := range all {
			found[c.Transaction] = c
		}
		return err
	})
	return found, err
}

// Tally is the number of disputes of one kind.
type Tally struct {
	Buyer, Site string
	Reason      Reason
	Status      Status
	Resolution  Resolution
	Count       int64
	Credit      int64 // units of 1e-8, of one currency
	Currency    string
}

// Tallies counts the disputes that were filed in a time by buyer, site, reason, status, resolution
// and currency: Since ≤ time < Until, where zero times are no condition.
func (r *Reader) Tallies(ctx context.Context, since, until time.Time) (all []Tally, err error) {
	end := until
	if end.IsZero() {
		end = time.UnixMicro(1<<62 - 1)
	}
	all, err = store.List(ctx, r.db, `SELECT buyer, site, reason, status, resolution, currency, COUNT(*), CAST(SUM(credit) AS BIGINT) FROM dispute_case WHERE filed >= $1 AND filed < $2
			GROUP BY buyer, site, reason, status, resolution, currency ORDER BY buyer, site, reason, status, resolution, currency`,
		func(row store.Scanner) (t Tally, err error) {
			err = row.Scan(&t.Buyer, &t.Site, (*string)(&t.Reason), (*string)(&t.Status), (*string)(&t.Resolution),
				&t.Currency, &t.Count, &t.Credit)
			return t, err
		}, store.Micros(since), end.UnixMicro())
	if err != nil {
		return nil, fmt.Errorf("count disputes: %w", err)
	}
	return all, nil
}
