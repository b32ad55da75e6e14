package content

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/plain"
	"frontdesk/internal/infra/store"
)

// Run fills one source. What it puts becomes visible all at once with Commit; until then, and if it
// is aborted or dies, readers see the source as it was. Put and the others may be called from
// several goroutines, one at a time.
type Run struct {
	catalog *Catalog
	key     SourceKey
	source  int64 // its number
	holder  holder
	forget  bool // Commit is to forget the source

	// How the source stood at Begin.
	published       int64
	swept           int64
	pages           int64 // the run that last remembered pages
	first           bool  // no run was ever committed
	items, passages int

	mu      sync.Mutex
	over    error           // why nothing can be put or committed any more
	ended   bool            // whether the lease is given back
	dropped map[key]bool    // what leaves of what is published, if it is not put again
	current map[key]version // what is published
	pending map[key]version // what this run has written
	batch   []Item          // what was put, but not written yet
	size    int             // of the batch, in bytes
	// notes are the pages to be remembered that are not written yet; nil before the first.
	notes    map[string][]byte
	noteSize int
	last     int64     // the number of the last version that was written
	count    Summary   // so far; Items and Passages are what the run changes of them
	renewAt  time.Time // when a batch must write, if only to renew the lease
}

// Summary counts the effects of a run.
type Summary struct {
	Added      int // new items
	Changed    int
	Removed    int
	Unchanged  int
	Duplicates int // how often a URL was put again; the last one counts
	Items      int // what the source has now
	Passages   int
	Revision   int64 // under which it is published; that of before if nothing changed
}

// CommitOptions configure a commit.
type CommitOptions struct {
	// Partial keeps the items that were not put: the run only adds and changes.
	Partial bool
	// Subset says that the run read some pages of the source only: items that were neither put nor
	// dropped stay, what is remembered of pages that this run remembers nothing of stays too, and
	// the source does not count as read anew.
	Subset bool
	// AllowShrink lets the run publish less than half of what the source had, or nothing.
	AllowShrink bool
}

var errRunOver = errors.New("the run is over")

// Begin starts a run over a source, entering a source that is new. There is one at a time: while
// another lives, Begin fails with fail.Unavailable and says when to try again. A run that died is
// taken over, at once if it was a process of this machine, else when it has been silent for half a
// minute; what it left behind is swept away.
func (c *Catalog) Begin(ctx context.Context, site, source string) (*Run, error) {
	r := &Run{catalog: c, key: SourceKey{site, source}, holder: newHolder(), pending: map[key]version{}}
	err := c.db.Update(ctx, func(tx *store.Tx) (err error) {
		if r.source, err = ensureSource(ctx, tx, r.key); err != nil {
			return err
		}
		return r.acquire(ctx, tx)
	})
	if err != nil {
		return nil, err
	}
	if err = r.sweep(ctx); err == nil {
		err = r.recall(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, r.Abort(ctx))
	}
	return r, nil
}

// Put adds items to the run, or replaces those of the same URL. It keeps them until a batch is
// full, so they must not be changed afterwards. Text that is not UTF-8 is mended. An item that
// cannot be kept fails the call, not the run.
func (r *Run) Put(ctx context.Context, items ...Item) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over != nil {
		return r.over
	}
	for i := range items {
		item, err := r.admit(items[i])
		if err != nil {
			return err
		}
		r.batch = append(r.batch, item)
		r.size += weigh(&item)
		if len(r.batch) >= r.catalog.limits.batchItems || r.size >= r.catalog.limits.batchBytes {
			if err := r.flush(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// admit mends an item's texts and refuses one without an address.
func (r *Run) admit(item Item) (Item, error) {
	if item.URL == "" || unclean(item.URL) {
		return item, fail.New(fail.Invalid, "%s: the item has no URL that can be kept (%q)", item.Origin,
			clip(clean(item.URL), 200))
	}
	for _, s := range []*string{&item.Name, &item.Description, &item.Keys, &item.Language, &item.Image, &item.Publisher,
		&item.Origin} {
		*s = clean(*s)
	}
	for _, s := range []*string{&item.Name, &item.Description, &item.Publisher} {
		*s = plain.Sanitize(*s)
	}
	item.Object = plain.SanitizeJSON(item.Object)
	// The slices are the caller's: they are mended in a copy.
	if slices.ContainsFunc(item.Types, func(t string) bool { return unclean(t) || strings.Contains(t, "\n") }) {
		item.Types = slices.Clone(item.Types)
		for i, t := range item.Types {
			item.Types[i] = clean(strings.ReplaceAll(t, "\n", " ")) // lines part them in the database
		}
	}
	if slices.ContainsFunc(item.Passages, func(p Passage) bool {
		return unclean(p.ID) || plain.Sanitize(clean(p.Text)) != p.Text
	}) {
		item.Passages = slices.Clone(item.Passages)
		for i, p := range item.Passages {
			item.Passages[i] = Passage{ID: clean(p.ID), Text: plain.Sanitize(clean(p.Text))}
		}
	}
	return item, nil
}

func unclean(s string) bool { return !utf8.ValidString(s) || strings.IndexByte(s, 0) >= 0 }

func weigh(item *Item) int {
	size := 200 + len(item.URL) + len(item.Name) + len(item.Description) + len(item.Keys) + len(item.Object)
	for i := range item.Passages {
		size += len(item.Passages[i].Text) + len(item.Passages[i].ID)
	}
	return size
}

// Abort ends the run without publishing it. After Commit it does nothing. It also works when ctx
// has ended, so that it can be deferred.
func (r *Run) Abort(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return nil
	}
	r.end()
	ctx = context.WithoutCancel(ctx)
	return r.catalog.db.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE content_source SET lease = '', lease_until = 0 WHERE n = $1 AND lease = $2`, r.source, r.holder.String())
		return err
	})
}

// end lets go of the run's memory and refuses what comes after.
func (r *Run) end() {
	r.over, r.ended = errRunOver, true
	r.batch, r.current, r.pending, r.notes, r.dropped = nil, nil, nil, nil, nil
}
