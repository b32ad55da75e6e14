package desk

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
)

// Place is a place in the list of all items. It stays good when items come and go.
type Place struct {
	Site string // id
	URL  string
}

// Type is a schema.org type and how many items that may be shown have it as their first.
type Type = released.Type

func (p Place) compare(l *index.Listing) int {
	return cmp.Or(strings.Compare(l.Site, p.Site), strings.Compare(l.URL, p.URL))
}

// Types are the types of the items that may be shown, the most frequent first.
func (d *Desk) Types() []Type { return d.corpus.Current().Types() }

// List gives up to limit of the items that may be shown, by site and address, beginning after a place, and the place
// where to go on: the zero Place at the end. Sites are as in a Question, and asked once more (Config.Admit). limit is
// 1 to MaxLimit.
func (d *Desk) List(ctx context.Context, sites []string, after Place, limit int) ([]Result, Place, error) {
	if err := d.Ready(); err != nil {
		return nil, Place{}, err
	}
	if limit < 1 || limit > MaxLimit {
		return nil, Place{}, fail.New(fail.Malformed, "limit is %d; it must be between 1 and %d", limit, MaxLimit)
	}
	ids, err := d.corpus.Sites().Resolve(sites)
	if err != nil {
		return nil, Place{}, err
	}
	if err := d.admit(ctx, ids); err != nil {
		return nil, Place{}, err
	}
	g := d.corpus.Current()
	all := g.Directory()
	from, found := slices.BinarySearchFunc(all, after, func(l *index.Listing, p Place) int { return p.compare(l) })
	if found {
		from++
	}
	var part []*index.Listing
	for _, l := range all[from:] {
		if ids != nil && !slices.Contains(ids, l.Site) {
			continue
		}
		if len(part) == limit {
			last := part[limit-1]
			results, err := render(ctx, g, part)
			return results, Place{last.Site, last.URL}, err
		}
		part = append(part, l)
	}
	results, err := render(ctx, g, part)
	return results, Place{}, err
}

// Item gives the item at an address: none when there is none that may be shown, and one for each site that has it.
func (d *Desk) Item(ctx context.Context, url string) ([]Result, error) {
	if err := d.Ready(); err != nil {
		return nil, err
	}
	if err := d.admit(ctx, []string{}); err != nil { // of whoever asks; no site is asked for much
		return nil, err
	}
	// A second round helps when the item was swept from the store since the view was made.
	for range 2 {
		g := d.corpus.Current()
		all := g.Directory()
		var part []*index.Listing
		for _, site := range d.Sites() {
			at := Place{site.ID, url}
			if i, found := slices.BinarySearchFunc(all, at, func(l *index.Listing, p Place) int { return p.compare(l) }); found {
				part = append(part, all[i])
			}
		}
		results, err := render(ctx, g, part)
		if err != nil || len(results) == len(part) {
			return results, err
		}
		if err := d.Refresh(ctx); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// render renders items under the decisions of a view. One that was swept from the store meanwhile is left out.
func render(ctx context.Context, g *released.View, listings []*index.Listing) ([]Result, error) {
	results := make([]Result, 0, len(listings))
	for part := range slices.Chunk(listings, chunk) {
		cards, err := g.Render(ctx, part)
		if err != nil {
			return nil, err
		}
		for i, c := range cards {
			if c != nil {
				results = append(results, c.As(index.Hit{Listing: part[i]}))
			}
		}
	}
	return results, nil
}
