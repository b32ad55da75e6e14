package content

import (
	"context"
	"time"

	"frontdesk/internal/infra/store"
)

// keepRemovals is for how many revisions a source remembers what was removed. A follower that is
// further behind has to start over.
const keepRemovals = 32

// keepForgotten is how long a forgotten source keeps its content for readers that have not yet
// heard.
const keepForgotten = time.Hour

// numberBits is how many versions a source can have in all its life: 2^40.
const numberBits = 40

// numberRange gives the bounds between which the numbers of a source's versions lie.
func numberRange(source int64) (after, before int64) {
	return source << numberBits, (source + 1) << numberBits
}

// sweep takes away what runs before have left: what a run that died had written, then what versions
// held that no reader uses any more. A reader one revision behind still finds all it may ask for.
func (r *Run) sweep(ctx context.Context) error {
	if err := r.undo(ctx); err != nil {
		return err
	}
	if err := r.retire(ctx); err != nil {
		return err
	}
	return r.catalog.sweepForgotten(ctx)
}

// undo takes back what a run wrote that never published it.
func (r *Run) undo(ctx context.Context) error {
	err := r.each(ctx, `SELECT n FROM content_version WHERE source = $1 AND since > $2 LIMIT $3`, r.published, dropVersions)
	if err != nil {
		return err
	}
	return r.each(ctx, `SELECT n FROM content_version WHERE source = $1 AND until > $2 LIMIT $3`, r.published,
		func(ctx context.Context, tx *store.Tx, versions []int64) error {
			return execAmong(ctx, tx, `UPDATE content_version SET until = NULL WHERE n IN (`, versions)
		})
}

// each runs fn, in transactions of a bearable size, for all that query finds, which must be less
// each time.
func (r *Run) each(
	ctx context.Context, query string, bound int64, fn func(context.Context, *store.Tx, []int64) error,
) error {
	for more := true; more; {
		err := r.update(ctx, func(tx *store.Tx) error {
			found, err := numbers(ctx, tx, query, r.source, bound, r.catalog.limits.sweep)
			if err != nil {
				return err
			}
			more = len(found) == r.catalog.limits.sweep
			return fn(ctx, tx, found)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func numbers(ctx context.Context, tx *store.Tx, query string, args ...any) (found []int64, err error) {
	return store.All(ctx, tx, query, func(row store.Scanner) (n int64, err error) {
		err = row.Scan(&n)
		return n, err
	}, args...)
}

// retire lets go of versions that ended before the published revision, and of removals too old to
// be told.
func (r *Run) retire(ctx context.Context) error {
	if err := r.catalog.empty(ctx, r.source, r.swept, r.published-1); err != nil {
		return err
	}
	oldest := r.published - keepRemovals
	if oldest <= 0 {
		return nil
	}
	// The horizon moves before anything behind it goes, so that no follower misses a removal and
	// does not know it.
	err := r.update(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE content_source SET horizon = $1 WHERE n = $2`, oldest, r.source)
		return err
	})
	if err != nil {
		return err
	}
	return r.each(ctx, `SELECT n FROM content_version WHERE source = $1 AND until <= $2 LIMIT $3`, oldest, dropVersions)
}

// empty takes away what a source's versions held that ended after swept, but not after last, and
// the versions themselves if another took their place: only removals need to be remembered.
func (c *Catalog) empty(ctx context.Context, source, swept, last int64) error {
	at, more := place{swept, 1 << 62}, true
	for more {
		page, err := c.deadPage(ctx, source, last, at)
		if err != nil {
			return err
		}
		var dead, replaced []int64
		for _, v := range page {
			dead = append(dead, v.n)
			if v.replaced {
				replaced = append(replaced, v.n)
			}
			at = v.place
		}
		done := at.until - 1 // of those that ended at at.until there may be more
		if more = len(page) == c.limits.sweep; !more {
			done = last
		}
		err = c.db.Update(ctx, func(tx *store.Tx) error {
			if err := execAmong(ctx, tx, `DELETE FROM content_item WHERE n IN (`, dead); err != nil {
				return err
			}
			if err := execAmong(ctx, tx, `DELETE FROM content_version WHERE n IN (`, replaced); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, `UPDATE content_source SET swept = $1 WHERE n = $2`, done, source)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// place is where a version stands in the order of the ends.
type place struct {
	until, n int64
}

type deadVersion struct {
	place
	replaced bool
}

func (c *Catalog) deadPage(ctx context.Context, source, last int64, after place) (page []deadVersion, err error) {
	return store.List(ctx, c.db, `SELECT until, n,
				EXISTS (SELECT 1 FROM content_version w WHERE w.source = $1 AND w.id = v.id AND w.since = v.until)
			FROM content_version v
			WHERE v.source = $1 AND v.until <= $2 AND (v.until, v.n) > ($3, $4) ORDER BY v.until, v.n LIMIT $5`,
		func(row store.Scanner) (v deadVersion, err error) {
			err = row.Scan(&v.until, &v.n, &v.replaced)
			return v, err
		}, source, last, after.until, after.n, c.limits.sweep)
}

// sweepForgotten empties the sources that were forgotten a while ago: nothing else may ever begin a
// run over them.
func (c *Catalog) sweepForgotten(ctx context.Context) error {
	type source struct{ n, swept, published int64 }
	var forgotten []source
	forgotten, err := store.List(ctx, c.db, `SELECT n, swept, published FROM content_source WHERE forgotten = 1 AND swept < published AND last_run < $1`,
		func(row store.Scanner) (s source, err error) {
			err = row.Scan(&s.n, &s.swept, &s.published)
			return s, err
		}, store.Micros(c.now().Add(-keepForgotten)))
	for _, s := range forgotten {
		if err == nil {
			err = c.empty(ctx, s.n, s.swept, s.published)
		}
		if err == nil {
			err = c.db.Update(ctx, func(tx *store.Tx) error {
				_, err := tx.Exec(ctx, `DELETE FROM content_page WHERE source = $1`, s.n)
				return err
			})
		}
	}
	return err
}
