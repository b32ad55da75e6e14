package content

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/infra/store"
)

// Row is an item as lists have it: without its texts.
type Row struct {
	Ref
	Place    int64 // in the order of lists; a later version of the item has another
	URL      string
	Types    []string
	Name     string
	Language string
	Origin   string
	Passages int
}

// errStop ends a walk early.
var errStop = errors.New("enough rows")

// List calls fn with the items that there are now, in the order of their places, beginning behind
// one; 0 is the beginning. Sources that wanted refuses are left out; nil refuses none. It ends when
// fn says that there is no need for more.
func (c *Catalog) List(
	ctx context.Context, after int64, wanted func(SourceKey) bool, fn func(Row) (more bool),
) error {
	err := c.db.View(ctx, func(tx *store.Tx) error {
		sources, err := c.published(ctx, tx)
		if err != nil {
			return err
		}
		slices.SortFunc(sources, func(a, b publishedSource) int { return cmp.Compare(a.n, b.n) })
		for _, s := range sources {
			if wanted == nil || wanted(s.key) {
				if err := s.list(ctx, tx, after, fn); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

func (s publishedSource) list(ctx context.Context, tx *store.Tx, after int64, fn func(Row) bool) error {
	first, before := numberRange(s.n)
	for last := max(after, first); last < before; {
		n := 0
		err := tx.Each(ctx, `SELECT v.n, v.id, v.since, i.url, i.types, i.name, i.language, i.origin, v.passages`+pageOfItems,
			func(row store.Scanner) error {
				r := Row{Ref: Ref{Site: s.key.Site, Source: s.key.Source}}
				var types string
				err := row.Scan(&r.Place, &r.ID, &r.Since, &r.URL, &types, &r.Name, &r.Language, &r.Origin, &r.Passages)
				if err != nil {
					return err
				}
				r.Types = strings.Split(types, "\n")
				last = r.Place
				if n++; !fn(r) {
					return errStop
				}
				return nil
			}, last, before, s.published, s.page)
		if err != nil || n < s.page {
			return err
		}
	}
	return nil
}

// RevisionsOf gives, by source, the first and the last revision that readers first saw in a time:
// since ≤ time < until, without an end where that is zero. Sources without one are left out.
func (c *Catalog) RevisionsOf(ctx context.Context, since, until time.Time) (map[SourceKey][2]int64, error) {
	end := int64(math.MaxInt64)
	if !until.IsZero() {
		end = store.Micros(until)
	}
	all := map[SourceKey][2]int64{}
	err := c.db.View(ctx, func(tx *store.Tx) error {
		clear(all)
		return tx.Each(ctx, `SELECT s.site, s.name, MIN(r.revision), MAX(r.revision) FROM content_revision r
			JOIN content_source s ON s.n = r.source WHERE r.at >= $1 AND r.at < $2 GROUP BY s.site, s.name`,
			func(row store.Scanner) error {
				var key SourceKey
				var span [2]int64
				err := row.Scan(&key.Site, &key.Source, &span[0], &span[1])
				all[key] = span
				return err
			}, store.Micros(since), end)
	})
	return all, err
}
