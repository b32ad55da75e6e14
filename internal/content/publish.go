package content

import (
	"context"
	"encoding/json"
	"slices"

	"frontdesk/internal/fail"
	"frontdesk/internal/store"
)

// Commit publishes what the run has put, all at once. Items of the source that were not put are removed, unless the
// options say that the run was partial. A run that would leave less than half of the source's items is refused with
// fail.Invalid, and can be committed again with AllowShrink. A run that changed nothing publishes no new revision.
// After any other error the run is lost, and what was published before stands.
func (r *Run) Commit(ctx context.Context, options CommitOptions) (Summary, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over != nil {
		return Summary{}, r.over
	}
	if err := r.flush(ctx); err != nil {
		return Summary{}, err
	}
	if err := r.flushPages(ctx); err != nil {
		return Summary{}, err
	}
	if err := r.shrinks(options); err != nil {
		return Summary{}, err
	}
	r.over = errRunOver
	if !options.Partial {
		if err := r.expireUnseen(ctx); err != nil {
			return Summary{}, err
		}
	}
	summary := r.count
	summary.Items += r.items
	summary.Passages += r.passages
	summary.Revision = r.published
	if len(r.pending) > 0 || summary.Removed > 0 { // beyond what a checkpoint has published
		summary.Revision++
	}
	if err := r.publish(ctx, summary); err != nil {
		return Summary{}, err
	}
	r.end()
	if inserted := summary.Added + summary.Changed; inserted >= 1000 && 5*inserted >= summary.Items {
		// What is published stands, whether or not this succeeds.
		_ = r.catalog.db.Settle(ctx, "content_version")
	}
	return summary, nil
}

// shrinks refuses to put too little in the place of too much: more often than not the source was not read whole.
func (r *Run) shrinks(options CommitOptions) error {
	put := r.count.Added + r.count.Changed + r.count.Unchanged
	if options.Partial || options.AllowShrink || 2*put >= r.items {
		return nil
	}
	return fail.New(fail.Invalid, "the source %s of site %s has %d items, and this run would leave %d; nothing was changed. "+
		"If that is what you want, allow it (frontdesk ingest --allow-shrink)", r.key.Source, r.key.Site, r.items, put)
}

// expireUnseen ends the published versions that the run has not put again.
func (r *Run) expireUnseen(ctx context.Context) error {
	var unseen []int64
	for _, v := range r.current {
		if v.state == untouched {
			unseen = append(unseen, v.n)
			r.count.Removed++
			r.count.add(&v, -1)
		}
	}
	slices.Sort(unseen)
	for part := range parts(unseen, r.catalog.limits.sweep) {
		if err := r.update(ctx, func(tx *store.Tx) error { return r.expire(ctx, tx, part) }); err != nil {
			return err
		}
	}
	return nil
}

// publish makes the run's revision the one that readers see. It is one small transaction.
func (r *Run) publish(ctx context.Context, summary Summary) error {
	counts, err := json.Marshal(summary)
	if err != nil {
		return err
	}
	pages := r.pages
	if r.notes != nil || r.forget {
		pages++
	}
	forgotten := 0
	if r.forget {
		forgotten = 1
	}
	return r.catalog.db.Update(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec(ctx, `UPDATE content_source SET published = $1, items = $2, passages = $3, last_run = $4, last_counts = $5,
			forgotten = $6, pages = $7, failed = 0, last_error = '', lease = '', lease_until = 0 WHERE n = $8 AND lease = $9 AND published = $10`,
			summary.Revision, summary.Items, summary.Passages, store.Micros(r.catalog.now()), string(counts),
			forgotten, pages, r.source, r.holder.String(), r.published)
		if err == nil && n == 0 {
			err = r.lost()
		}
		if err == nil && summary.Added+summary.Changed > 0 {
			err = r.dated(ctx, tx, summary.Revision)
		}
		return err
	})
}

// keepTimes is of how many revisions a source remembers when readers first saw them.
const keepTimes = 100_000

// dated notes that readers see a revision from now on, which brings versions.
func (r *Run) dated(ctx context.Context, tx *store.Tx, revision int64) error {
	_, err := tx.Exec(ctx, `INSERT INTO content_revision (source, revision, at) VALUES ($1, $2, $3) ON CONFLICT (source, revision) DO NOTHING`,
		r.source, revision, store.Micros(r.catalog.now()))
	if err == nil {
		_, err = tx.Exec(ctx, `DELETE FROM content_revision WHERE source = $1 AND revision <= $2`, r.source, revision-keepTimes)
	}
	return err
}
