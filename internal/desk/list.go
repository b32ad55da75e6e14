package desk

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"frontdesk/internal/content/index"
	"frontdesk/internal/infra/fail"
)

// Place is a place in the list of all items. It stays good when items come and go.
type Place struct {
	Site string // id
	URL  string
}

// Type is a schema.org type and how many items that may be shown have it as their first.
type Type struct {
	Name  string
	Items int
}

// directory is the items that a gate admits, by site and address. It is made when first asked for.
type directory struct {
	once  sync.Once
	items []*index.Listing
	types []Type
}

func (g *gate) directory(d *Desk) *directory {
	g.listed.once.Do(func() {
		count := map[string]int{}
		g.view.Select(func(l *index.Listing) bool {
			if d.admits(g.terms, l) {
				g.listed.items = append(g.listed.items, l)
			}
			return false
		})
		slices.SortFunc(g.listed.items, func(a, b *index.Listing) int {
			return cmp.Or(strings.Compare(a.Site, b.Site), strings.Compare(a.URL, b.URL), strings.Compare(a.Source, b.Source))
		})
		g.listed.items = slices.CompactFunc(g.listed.items, func(a, b *index.Listing) bool { return a.Site == b.Site && a.URL == b.URL })
		for _, l := range g.listed.items {
			count[l.Types[0]]++
		}
		for name, items := range count {
			g.listed.types = append(g.listed.types, Type{name, items})
		}
		slices.SortFunc(g.listed.types, func(a, b Type) int {
			return cmp.Or(cmp.Compare(b.Items, a.Items), strings.Compare(a.Name, b.Name))
		})
	})
	return &g.listed
}

func (p Place) compare(l *index.Listing) int {
	return cmp.Or(strings.Compare(l.Site, p.Site), strings.Compare(l.URL, p.URL))
}

// Types are the types of the items that may be shown, the most frequent first.
func (d *Desk) Types() []Type { return d.admitted().directory(d).types }

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
	ids, err := d.resolve(sites)
	if err != nil {
		return nil, Place{}, err
	}
	if err := d.admit(ctx, ids); err != nil {
		return nil, Place{}, err
	}
	g := d.admitted()
	all := g.directory(d).items
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
			results, err := d.released(ctx, g, part)
			return results, Place{last.Site, last.URL}, err
		}
		part = append(part, l)
	}
	results, err := d.released(ctx, g, part)
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
		g := d.admitted()
		all := g.directory(d).items
		var part []*index.Listing
		for _, site := range d.config.Sites {
			at := Place{site.ID, url}
			if i, found := slices.BinarySearchFunc(all, at, func(l *index.Listing, p Place) int { return p.compare(l) }); found {
				part = append(part, all[i])
			}
		}
		results, err := d.released(ctx, g, part)
		if err != nil || len(results) == len(part) {
			return results, err
		}
		if err := d.Refresh(ctx); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// released renders items under the decisions of a gate. One that was swept from the store meanwhile is left out.
func (d *Desk) released(ctx context.Context, g *gate, listings []*index.Listing) ([]Result, error) {
	a := &Answer{desk: d, gate: g}
	results := make([]Result, 0, len(listings))
	for part := range slices.Chunk(listings, chunk) {
		hits := make([]found, len(part))
		for i, l := range part {
			hits[i].listing = l
		}
		cards, err := a.render(ctx, hits)
		if err != nil {
			return nil, err
		}
		for i, c := range cards {
			if c != nil {
				results = append(results, Result{card: c, hit: hits[i].hit()})
			}
		}
	}
	return results, nil
}

// AppendItem appends the item by itself, as no question found it: without a score, and with all of its text where
// the terms allow that as input to other texts.
func (r Result) AppendItem(dst []byte) []byte {
	dst = append(dst, r.card.head...)
	dst = append(dst, r.card.grounding...)
	if r.card.input && len(r.card.passages) > 0 { // a licensed item has none
		dst = append(dst, `,"passages":[`...)
		for i, p := range r.card.passages {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, p...)
		}
		dst = append(dst, ']')
	}
	return append(dst, "}}"...)
}

// Text is the item's text for a reader: its description, and all of its further text where the terms allow that as input
// to other texts. An open item whose members hold its text has them as JSON.
func (r Result) Text() string {
	parts := []string{}
	if r.card.description != "" {
		parts = append(parts, r.card.description)
	}
	switch {
	case r.card.licensed || !r.card.input:
	case len(r.card.texts) > 0:
		parts = append(parts, r.card.texts...)
	default:
		parts = append(parts, string(r.card.object))
	}
	return strings.Join(parts, "\n\n")
}
