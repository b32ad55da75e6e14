package content

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/infra/store"
)

// Change is one step of the change feed: an item that exists now, or one that was removed.
type Change struct {
	Entry   Entry
	Removed bool // only Entry.Ref is set, and names the version that was removed
}

// ErrBehind is what Changes gives a follower that cannot be told all that was removed since it last
// asked: it is many revisions behind, or ahead, because an older copy of the database was put back.
// It starts over from nothing.
var ErrBehind = errors.New("the catalog cannot say what changed since then; start over")

// Revisions gives the published revision of every source that was ever published, including those
// that were forgotten since. It is cheap enough to be asked every second.
func (c *Catalog) Revisions(ctx context.Context) (map[SourceKey]int64, error) {
	revisions := map[SourceKey]int64{}
	err := c.db.View(ctx, func(tx *store.Tx) error {
		sources, err := c.published(ctx, tx)
		for _, s := range sources {
			revisions[s.key] = s.published
		}
		return err
	})
	return revisions, err
}

// publishedSource is what readers need to know of a source.
type publishedSource struct {
	key                   SourceKey
	n, published, horizon int64
	page                  int // how many items a query is to read
}

func (c *Catalog) published(ctx context.Context, tx *store.Tx) (sources []publishedSource, err error) {
	return store.All(ctx, tx, `SELECT site, name, n, published, horizon FROM content_source WHERE published > 0 ORDER BY site, name`,
		func(row store.Scanner) (s publishedSource, err error) {
			s.page = c.limits.page
			err = row.Scan(&s.key.Site, &s.key.Source, &s.n, &s.published, &s.horizon)
			return s, err
		})
}

// Changes calls fn with all that was published since from, in one consistent snapshot, and returns
// the revisions to go on from. From an empty map that is everything. The order is by site and
// source; in a source first what was removed, then what is new, by revision and in the order in
// which it was put. A follower keys by Ref.ID: an item that was replaced comes as its new version
// alone, and one that is reported as removed may be one that the follower never had. An error of fn
// ends it and is returned. See also ErrBehind.
func (c *Catalog) Changes(
	ctx context.Context, from map[SourceKey]int64, fn func(Change) error,
) (to map[SourceKey]int64, err error) {
	err = c.db.View(ctx, func(tx *store.Tx) error {
		to = map[SourceKey]int64{}
		sources, err := c.published(ctx, tx)
		if err != nil {
			return err
		}
		for _, s := range sources {
			to[s.key] = s.published
		}
		for key, since := range from {
			if since > to[key] {
				return behind(key, since, to[key])
			}
		}
		for _, s := range sources {
			since := from[s.key]
			if since == s.published {
				continue
			}
			if since > 0 && since < s.horizon {
				return behind(s.key, since, s.published)
			}
			if err := s.removals(ctx, tx, since, fn); err != nil {
				return err
			}
			if err := s.additions(ctx, tx, since, fn); err != nil {
				return err
			}
		}
		return nil
	})
	return to, err
}

func behind(key SourceKey, from, to int64) error {
	return fmt.Errorf("source %s of site %s, from revision %d to %d: %w", key.Source, key.Site, from, to, ErrBehind)
}

func (s publishedSource) removals(ctx context.Context, tx *store.Tx, since int64, fn func(Change) error) error {
	if since == 0 {
		return nil
	}
	return tx.Each(ctx, `SELECT v.id, v.since FROM content_version v
		WHERE v.source = $1 AND v.until > $2 AND v.until <= $3 AND NOT EXISTS (
			SELECT 1 FROM content_version w WHERE w.source = $1 AND w.id = v.id AND w.since <= $3 AND (w.until IS NULL OR w.until > $3))
		ORDER BY v.until, v.n`, func(row store.Scanner) error {
		change := Change{Removed: true, Entry: Entry{Ref: Ref{Site: s.key.Site, Source: s.key.Source}}}
		if err := row.Scan(&change.Entry.ID, &change.Entry.Since); err != nil {
			return err
		}
		if err := fn(change); err != nil {
			return err
		}
		return nil
	}, s.n, since, s.published)
}

// What a page is read by: the versions between two numbers that are visible in revision $3, with
// what they hold. CROSS JOIN keeps SQLite from turning the order of the tables around.
const (
	selectWhole  = `SELECT v.n, v.id, v.since, ` + entryColumns + `, i.object` + pageOfItems
	entryColumns = `i.url, i.types, i.name, i.description, i.keys, i.language, i.image, i.publisher, i.published, i.modified, i.origin, i.passages`
	pageOfItems  = ` FROM content_version v CROSS JOIN content_item i
		WHERE i.n = v.n AND v.n > $1 AND v.n < $2 AND v.since <= $3 AND (v.until IS NULL OR v.until > $3) ORDER BY v.n LIMIT $4`
)

// walk calls fn with every item of the source that appeared after revision since, in the order of
// the numbers, which is that of the revisions and of Put.
func (s publishedSource) walk(ctx context.Context, tx *store.Tx, since int64, fn func(*itemReader) error) error {
	after, before := numberRange(s.n)
	if since > 0 {
		var first sql.NullInt64
		err := tx.QueryRow(ctx, `SELECT MIN(n) FROM content_version WHERE source = $1 AND since = (
			SELECT MIN(since) FROM content_version WHERE source = $1 AND since > $2)`, s.n, since).Scan(&first)
		if err != nil || !first.Valid {
			return err
		}
		after = first.Int64 - 1
	}
	for {
		read := newItemReader(s.key)
		rows, err := tx.Query(ctx, selectWhole, after, before, s.published, s.page)
		if err != nil {
			return err
		}
		n, err := read.all(rows, fn)
		if err != nil || n < s.page {
			return err
		}
		after = read.n
	}
}

func (s publishedSource) additions(ctx context.Context, tx *store.Tx, since int64, fn func(Change) error) error {
	return s.walk(ctx, tx, since, func(read *itemReader) error {
		return fn(Change{Entry: Entry{Ref: read.ref, Item: read.item}})
	})
}

// EachItem calls fn with every item that a site has now, whole, by source and in the order in which
// they were put. An error of fn ends it and is returned.
func (c *Catalog) EachItem(ctx context.Context, site string, fn func(Item) error) error {
	return c.db.View(ctx, func(tx *store.Tx) error {
		sources, err := c.published(ctx, tx)
		if err != nil {
			return err
		}
		for _, s := range sources {
			if s.key.Site != site {
				continue
			}
			err := s.walk(ctx, tx, 0, func(read *itemReader) error { return fn(read.item) })
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// LoadItems returns the whole items that refs name, in their order. A version that is no more gives
// a zero Item.
func (c *Catalog) LoadItems(ctx context.Context, refs ...Ref) ([]Item, error) {
	items := make([]Item, len(refs))
	wanted := map[Ref][]int{}
	numbers := map[SourceKey]int64{}
	for i, ref := range refs {
		key := SourceKey{ref.Site, ref.Source}
		n, err := c.number(ctx, key)
		if err != nil {
			return nil, err
		}
		numbers[key] = n
		wanted[ref] = append(wanted[ref], i)
	}
	err := c.db.View(ctx, func(tx *store.Tx) error {
		for key, n := range numbers {
			if err := loadFrom(ctx, tx, key, n, wanted, items); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return items, nil
}

// Marks gives, for the sources of a cursor, what tells that revision from another one of the same
// number. Nothing is given for a source that is not there.
func (c *Catalog) Marks(ctx context.Context, at map[SourceKey]int64) (marks map[SourceKey]string, err error) {
	err = c.db.View(ctx, func(tx *store.Tx) error {
		marks = map[SourceKey]string{}
		sources, err := c.published(ctx, tx)
		if err != nil {
			return err
		}
		for _, s := range sources {
			revision, some := at[s.key]
			if !some {
				continue
			}
			var dated, first int64
			err := tx.QueryRow(ctx, `SELECT revision, at FROM content_revision WHERE source = $1 AND revision <= $2 ORDER BY revision DESC LIMIT 1`,
				s.n, revision).Scan(&dated, &first)
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return err
			}
			marks[s.key] = fmt.Sprintf("%d of %d at %d", dated, s.n, first)
		}
		return nil
	})
	return marks, err
}

// Replacement is a version that replaced another.
type Replacement struct {
	Ref
	At time.Time // when readers first saw it
}

// Replacements gives the versions of an item that came after one, the oldest first and 100 at most,
// as far as they are known: those that a later run has swept away are not, nor are those of before
// so many revisions.
func (c *Catalog) Replacements(ctx context.Context, of Ref) (all []Replacement, err error) {
	n, err := c.number(ctx, SourceKey{of.Site, of.Source})
	if err != nil || n == 0 {
		return nil, err
	}
	return store.List(ctx, c.db, `SELECT v.since, r.at FROM content_version v JOIN content_source s ON s.n = v.source JOIN content_revision r ON r.source = v.source AND r.revision = v.since
			WHERE v.source = $1 AND v.id = $2 AND v.since > $3 AND v.since <= s.published ORDER BY v.since LIMIT 100`,
		func(row store.Scanner) (one Replacement, err error) {
			one.Ref = of
			err = row.Scan(&one.Since, &one.At)
			return one, err
		}, n, of.ID, of.Since)
}

// loadFrom loads what is wanted of one source.
func loadFrom(ctx context.Context, tx *store.Tx, key SourceKey, n int64, wanted map[Ref][]int, items []Item) error {
	var ids []string
	for ref := range wanted {
		if ref.Site == key.Site && ref.Source == key.Source {
			ids = append(ids, ref.ID)
		}
	}
	for part := range parts(ids, maxAmong) {
		list, args := among(2, part)
		rows, err := tx.Query(ctx, `SELECT v.n, v.id, v.since, `+entryColumns+`, i.object FROM content_version v CROSS JOIN content_item i
			WHERE i.n = v.n AND v.source = $1 AND v.id IN (`+list+`)`, append([]any{n}, args...)...)
		if err != nil {
			return err
		}
		_, err = newItemReader(key).all(rows, func(read *itemReader) error {
			for _, i := range wanted[read.ref] {
				items[i] = read.item
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Find returns the current versions of the items at url in a site, one for each source that has it.
func (c *Catalog) Find(ctx context.Context, site, url string) (refs []Ref, err error) {
	err = c.db.View(ctx, func(tx *store.Tx) error {
		refs = nil
		sources, err := c.published(ctx, tx)
		if err != nil {
			return err
		}
		for _, s := range sources {
			if s.key.Site != site {
				continue
			}
			ref := Ref{Site: site, Source: s.key.Source, ID: ItemID(site, s.key.Source, url)}
			err := tx.QueryRow(ctx, `SELECT since FROM content_version
				WHERE source = $1 AND id = $2 AND since <= $3 AND (until IS NULL OR until > $3)`, s.n, ref.ID, s.published).Scan(&ref.Since)
			if errors.Is(err, sql.ErrNoRows) {
				continue
			}
			if err != nil {
				return err
			}
			refs = append(refs, ref)
		}
		return nil
	})
	return refs, err
}
