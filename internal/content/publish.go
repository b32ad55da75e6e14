package content

import (
	"context"
	"encoding/json"
	"slices"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
)

// Commit publishes what the run has put, all at once. Items of the source that were not put are
// removed, unless the options say that the run was partial or of some pages only. A run that would
// leave less than half of the source's items is refused with fail.Invalid, and can be committed
// again with AllowShrink. A run that changed nothing publishes no new revision. After any other
// error the run is lost, and what was published before stands.
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
		if err := r.expireUnseen(ctx, options.Subset); err != nil {
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
	if err := r.publish(ctx, summary, options.Subset); err != nil {
		return Summary{}, err
	}
	r.end()
	if inserted := summary.Added + summary.Changed; inserted >= 1000 && 5*inserted >= summary.Items {
		// What is published stands, whether or not this succeeds.
		_ = r.catalog.db.Analyze(ctx, "content_version")
	}
	return summary, nil
}

// shrinks refuses to put too little in the place of too much: more often than not the source was
// not read whole.
func (r *Run) shrinks(options CommitOptions) error {
	put := r.count.Added + r.count.Changed + r.count.Unchanged
	if options.Subset {
		put = r.items + r.count.Items - len(r.leaving())
	}
	if options.Partial || options.AllowShrink || 2*put >= r.items {
		return nil
	}
	return fail.New(fail.Invalid,
		"the source %s of site %s has %d items, and this run would leave %d; nothing was changed. "+
			"If that is what you want, allow it (frontdesk ingest --allow-shrink)", r.key.Source, r.key.Site, r.items,
		put)
}

// leaving are the items that were dropped, and neither put nor kept.
func (r *Run) leaving() (all []key) {
	for k := range r.dropped {
		if v, published := r.current[k]; published && v.state == untouched {
			all = append(all, k)
		}
	}
	return all
}

// expireUnseen ends the published versions that the run has not put again; of some pages only those
// that were dropped.
func (r *Run) expireUnseen(ctx context.Context, some bool) error {
	var unseen []int64
	for k, v := range r.current {
		if v.state == untouched && (!some || r.dropped[k]) {
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
func (r *Run) publish(ctx context.Context, summary Summary, some bool) error {
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
	if some {
		return r.publishSome(ctx, summary)
	}
	return r.catalog.db.Update(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec(ctx, `UPDATE content_source SET published = $1, items = $2, passages = $3, last_run = $4, last_counts = $5,
			forgotten = $6, pages = $7, failed = 0, last_error = '', lease = '', lease_until = 0 WHERE n = $8 AND lease = $9 AND published = $10`,
			summary.Revision, summary.Items, summary.Passages, store.Micros(r.catalog.now()), string(counts),
			forgotten, pages, r.source, r.holder.String(), r.published)
		if err == nil && n == 0 {
			err = r.lost()
		}
		if err == nil && summary.Revision > r.published {
			err = r.dated(ctx, tx, summary.Revision)
		}
		return err
	})
}

// publishSome is publish for a run that looked at some pages only, with what it remembers of them.
func (r *Run) publishSome(ctx context.Context, summary Summary) error {
	return r.catalog.db.Update(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec(ctx, `UPDATE content_source SET published = $1, items = $2, passages = $3, lease = '', lease_until = 0 WHERE n = $4 AND lease = $5 AND published = $6`,
			summary.Revision, summary.Items, summary.Passages, r.source, r.holder.String(), r.published)
		if err == nil && n == 0 {
			err = r.lost()
		}
		if err == nil && summary.Revision > r.published {
			err = r.dated(ctx, tx, summary.Revision)
		}
		if err != nil || r.notes == nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM content_page WHERE source = $1 AND run = $2 AND url IN (SELECT url FROM content_page WHERE source = $1 AND run = $3)`,
			r.source, r.pages, r.pages+1)
		if err == nil {
			_, err = tx.Exec(ctx, `UPDATE content_page SET run = $1 WHERE source = $2 AND run = $3`, r.pages, r.source, r.pages+1)
		}
		return err
	})
}

// keepTimes is of how many revisions a source remembers when readers first saw them.
const keepTimes = 100_000

// dated notes that readers see a revision from now on.
func (r *Run) dated(ctx context.Context, tx *store.Tx, revision int64) error {
	_, err := tx.Exec(ctx, `INSERT INTO content_revision (source, revision, at) VALUES ($1, $2, $3) ON CONFLICT (source, revision) DO NOTHING`,
		r.source, revision, store.Micros(r.catalog.now()))
	if err == nil {
		_, err = tx.Exec(ctx, `DELETE FROM content_revision WHERE source = $1 AND revision <= $2`, r.source, revision-keepTimes)
	}
	return err
}
