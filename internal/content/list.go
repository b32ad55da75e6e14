package content

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

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
