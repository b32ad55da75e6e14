package content

import (
	"context"
	"database/sql"
	"errors"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
)

// A source that is read from the web remembers its pages from one run to the next: what the reader
// needs to ask a server only for what has changed. What a run remembers holds once the run is
// committed, in the place of all that was remembered before; if the run is aborted or dies, what
// was remembered before holds.

// PutPageState keeps a state for the page at url, in the reader's own form, for the next run. The
// last of one page counts.
func (r *Run) PutPageState(ctx context.Context, url string, state []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over != nil {
		return r.over
	}
	if url == "" || unclean(url) {
		return fail.New(fail.Invalid, "a page without an address that can be kept (%q)", clip(clean(url), 200))
	}
	if r.notes == nil {
		r.notes = map[string][]byte{}
		if err := r.sweepPages(ctx); err != nil {
			return err
		}
	}
	r.notes[url] = state
	r.noteSize += len(url) + len(state)
	if len(r.notes) < r.catalog.limits.batchItems && r.noteSize < r.catalog.limits.batchBytes {
		return nil
	}
	return r.flushPages(ctx)
}

// PageState returns the state that the last committed run kept of the page at url.
func (r *Run) PageState(ctx context.Context, url string) (state []byte, known bool, err error) {
	err = r.catalog.db.View(ctx, func(tx *store.Tx) error {
		err := tx.QueryRow(ctx, `SELECT state FROM content_page WHERE source = $1 AND run = $2 AND url = $3`, r.source, r.pages, url).Scan(&state)
		known = err == nil
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	return state, known, err
}

// EachPageState calls fn with every page state that the last committed run kept, by URL. An error
// of fn ends it.
func (r *Run) EachPageState(ctx context.Context, fn func(url string, state []byte) error) error {
	return r.catalog.remembered(ctx, r.source, r.pages, fn)
}

// EachPageState calls fn with every page state that the last committed run of a source kept, by
// URL. An error of fn ends it. While another run is committed it may miss some.
func (c *Catalog) EachPageState(ctx context.Context, key SourceKey, fn func(url string, state []byte) error) error {
	var source, pages int64
	known := false
	err := c.db.View(ctx, func(tx *store.Tx) error {
		err := tx.QueryRow(ctx, `SELECT n, pages FROM content_source WHERE site = $1 AND name = $2`, key.Site, key.Source).Scan(&source, &pages)
		known = err == nil
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	if err != nil || !known {
		return err
	}
	return c.remembered(ctx, source, pages, fn)
}

func (c *Catalog) remembered(ctx context.Context, source, run int64, fn func(url string, state []byte) error) error {
	after := ""
	for {
		var urls []string
		var states [][]byte
		err := c.db.View(ctx, func(tx *store.Tx) error {
			urls, states = nil, nil
			return tx.Each(ctx, `SELECT url, state FROM content_page WHERE source = $1 AND run = $2 AND url > $3 ORDER BY url LIMIT $4`,
				func(row store.Scanner) error {
					var url string
					var state []byte
					if err := row.Scan(&url, &state); err != nil {
						return err
					}
					urls, states = append(urls, url), append(states, state)
					return nil
				}, source, run, after, c.limits.page)
		})
		if err != nil {
			return err
		}
		for i, url := range urls {
			if err := fn(url, states[i]); err != nil {
				return err
			}
			after = url
		}
		if len(urls) < c.limits.page {
			return nil
		}
	}
}

// flushPages writes what is to be remembered.
func (r *Run) flushPages(ctx context.Context) error {
	if len(r.notes) == 0 {
		return nil
	}
	err := r.update(ctx, func(tx *store.Tx) error {
		for url, state := range r.notes {
			_, err := tx.Exec(ctx, `INSERT INTO content_page (source, run, url, state) VALUES ($1, $2, $3, $4)
				ON CONFLICT (source, run, url) DO UPDATE SET state = excluded.state`, r.source, r.pages+1, url, state)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		clear(r.notes)
		r.noteSize = 0
	}
	return err
}

// sweepPages takes away what no run needs any more: what was remembered before the last committed
// run, and what a run that died had written.
func (r *Run) sweepPages(ctx context.Context) error {
	return r.update(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM content_page WHERE source = $1 AND run <> $2`, r.source, r.pages)
		return err
	})
}

// KeepItems lets published items of the source stay as they are, even if the run has put others in
// their place, and says how many of them there are not.
func (r *Run) KeepItems(ctx context.Context, urls ...string) (missing int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over != nil {
		return 0, r.over
	}
	if err := r.flush(ctx); err != nil {
		return 0, err
	}
	p := plan{states: map[key]state{}}
	done := map[key]bool{}
	for _, url := range urls {
		k := itemKey(r.key.Site, r.key.Source, url)
		current, published := r.current[k]
		pending, written := r.pending[k]
		switch {
		case done[k]:
		case published:
			if written {
				p.drop = append(p.drop, pending.n)
				p.count.add(&pending, -1)
				if !current.mine {
					p.count.Changed--
				}
			}
			p.keep(k, &current, written)
		case !written:
			missing++
		}
		done[k] = true
	}
	if err := r.save(ctx, &p); err != nil {
		return 0, err
	}
	r.apply(&p)
	return missing, nil
}

// DropItems says of published items of the source that they leave with Commit, also with one of
// CommitOptions.Subset, unless the run puts or keeps them.
func (r *Run) DropItems(urls ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over == nil && r.dropped == nil {
		r.dropped = map[key]bool{}
	}
	for _, url := range urls {
		if r.over == nil {
			r.dropped[itemKey(r.key.Site, r.key.Source, url)] = true
		}
	}
}

// RenewLease keeps the source for a run that has nothing to put for a while. It costs nothing when
// the run wrote not long ago.
func (r *Run) RenewLease(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over != nil || r.catalog.now().Before(r.renewAt) {
		return r.over
	}
	return r.update(ctx, func(*store.Tx) error { return nil })
}

// IsFirst says whether the source has no committed run.
func (r *Run) IsFirst() bool { return r.first }

// Checkpoint publishes what was put so far and removes nothing; the run goes on. It is for the
// first run of a source that takes long, so that readers need not wait for its end.
func (r *Run) Checkpoint(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over != nil {
		return r.over
	}
	if err := r.flush(ctx); err != nil || len(r.pending) == 0 {
		return err
	}
	err := r.update(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE content_source SET published = $1, items = $2, passages = $3, forgotten = 0 WHERE n = $4`,
			r.published+1, r.items+r.count.Items, r.passages+r.count.Passages, r.source)
		if err == nil {
			err = r.dated(ctx, tx, r.published+1)
		}
		return err
	})
	if err != nil {
		return err
	}
	r.published++
	for k, v := range r.pending {
		v.state, v.mine = kept, true
		r.current[k] = v
	}
	clear(r.pending)
	return nil
}
