package content

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
)

// Catalog holds the content of all sites in one database. It may be used from many goroutines and
// processes.
type Catalog struct {
	db     *store.DB
	now    func() time.Time
	limits limits

	// numbers remembers the numbers of sources, which never change. Guarded by mu.
	mu      sync.RWMutex
	numbers map[SourceKey]int64
}

// Options configure a Catalog; the zero value is ready for use.
type Options struct {
	Now func() time.Time // time.Now if nil
}

// SourceKey identifies a source of a site.
type SourceKey struct {
	Site   string
	Source string
}

// Source is the state of a source.
type Source struct {
	SourceKey
	Revision  int64     // what is published; 0 before the first run
	Items     int       // published ones
	Passages  int       // of these items
	LastRun   time.Time // when the last run was published
	Last      Summary   // of that run
	Failed    time.Time // when LastError happened
	LastError string    // what Failed recorded since the last run, or empty
	Attempt   Attempt   // the last one, whatever came of it; zero where nobody told
	Busy      bool      // a run fills it just now, as far as is known
}

// Attempt describes an attempt to fill a source.
type Attempt struct {
	StartedAt time.Time
	Next      time.Time // when the next is due; zero for none
	Detail    string    // what it did, in the form of whoever recorded it
}

// New returns the catalog of a database that was opened with Schema.
func New(db *store.DB, options Options) *Catalog {
	now := options.Now
	if now == nil {
		now = time.Now
	}
	return &Catalog{db: db, now: now, limits: usualLimits, numbers: map[SourceKey]int64{}}
}

// limits are how much is done at a time, so that neither memory nor a transaction grows with the
// catalog.
type limits struct {
	batchItems int // a batch is written when it has so many items,
	batchBytes int // or so many bytes of them
	sweep      int // versions that one transaction ends or sweeps away
	page       int // items that one query reads
}

// In pages the engines keep to the order of the numbers, where for all items at once PostgreSQL
// might sort a whole catalog with its texts.
var usualLimits = limits{batchItems: 500, batchBytes: 4 << 20, sweep: 2000, page: 1000}

// Sources lists the sources of all sites, by site and name.
func (c *Catalog) Sources(ctx context.Context) ([]Source, error) {
	return store.List(ctx, c.db, `SELECT site, name, published, items, passages, last_run, last_counts, failed, last_error, tried, next_run, attempt, lease_until
			FROM content_source WHERE forgotten = 0 ORDER BY site, name`,
		func(row store.Scanner) (s Source, err error) {
			var lease int64
			var counts string
			if err := row.Scan(&s.Site, &s.Source, &s.Revision, &s.Items, &s.Passages, &s.LastRun, &counts, &s.Failed,
				&s.LastError, &s.Attempt.StartedAt, &s.Attempt.Next, &s.Attempt.Detail, &lease); err != nil {
				return s, err
			}
			s.Busy = store.FromMicros(lease).After(c.now())
			if counts != "" {
				if err := json.Unmarshal([]byte(counts), &s.Last); err != nil {
					return s, err
				}
			}
			return s, err
		})
}

// RecordFailure records that filling the source went wrong, for Sources to tell, until its next run
// is published. It also works when ctx has ended, which may be what went wrong.
func (c *Catalog) RecordFailure(ctx context.Context, key SourceKey, problem error) error {
	if problem == nil {
		return nil
	}
	detail := problem.Error()
	var coded *fail.Error
	if errors.As(problem, &coded) {
		detail = coded.Detail
	}
	ctx = context.WithoutCancel(ctx)
	return c.db.Update(ctx, func(tx *store.Tx) error {
		n, err := ensureSource(ctx, tx, key)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE content_source SET failed = $1, last_error = $2, forgotten = 0 WHERE n = $3`,
			store.Micros(c.now()), clip(clean(detail), 2000), n)
		return err
	})
}

// RecordAttempt records an attempt to fill a source, for Sources to tell. It also works when ctx
// has ended, which may be what ended the attempt.
func (c *Catalog) RecordAttempt(ctx context.Context, key SourceKey, attempt Attempt) error {
	ctx = context.WithoutCancel(ctx)
	return c.db.Update(ctx, func(tx *store.Tx) error {
		n, err := ensureSource(ctx, tx, key)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE content_source SET tried = $1, next_run = $2, attempt = $3 WHERE n = $4`,
			store.Micros(attempt.StartedAt), store.Micros(attempt.Next), clean(attempt.Detail), n)
		return err
	})
}

// clip shortens s to at most n bytes, at the end of a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return clean(s[:n])
}

// Remove deletes a source: its items are gone for every reader at once. A source that nobody knows
// is no error.
func (c *Catalog) Remove(ctx context.Context, site, source string) error {
	known, err := c.number(ctx, SourceKey{site, source})
	if err != nil || known == 0 {
		return err
	}
	run, err := c.Begin(ctx, site, source)
	if err != nil {
		return err
	}
	defer run.Abort(ctx)
	run.forget = true
	_, err = run.Commit(ctx, CommitOptions{AllowShrink: true})
	return err
}

// number is the number of a source, 0 if there is none.
func (c *Catalog) number(ctx context.Context, key SourceKey) (int64, error) {
	c.mu.RLock()
	n := c.numbers[key]
	c.mu.RUnlock()
	if n != 0 {
		return n, nil
	}
	err := c.db.View(ctx, func(tx *store.Tx) (err error) {
		n, err = sourceNumber(ctx, tx, key)
		return err
	})
	if err == nil && n != 0 {
		c.mu.Lock()
		c.numbers[key] = n
		c.mu.Unlock()
	}
	return n, err
}

func sourceNumber(ctx context.Context, tx *store.Tx, key SourceKey) (n int64, err error) {
	err = tx.QueryRow(ctx, `SELECT COALESCE(MAX(n), 0) FROM content_source WHERE site = $1 AND name = $2`, key.Site, key.Source).Scan(&n)
	return n, err
}

// ensureSource is the number of a source, which it enters if nobody knows it yet.
func ensureSource(ctx context.Context, tx *store.Tx, key SourceKey) (int64, error) {
	if unclean(key.Site) || unclean(key.Source) || key.Source == "" {
		return 0, fail.New(fail.Invalid,
			"the source %q of site %q cannot be kept: a source needs a name of printable characters", key.Source,
			key.Site)
	}
	n, err := sourceNumber(ctx, tx, key)
	if err != nil || n != 0 {
		return n, err
	}
	err = tx.QueryRow(ctx, `INSERT INTO content_source (n, site, name) SELECT COALESCE(MAX(n), 0) + 1, $1, $2 FROM content_source RETURNING n`,
		key.Site, key.Source).Scan(&n)
	return n, err
}
