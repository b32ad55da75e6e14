package ask

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

func (p Place) compare(l *index.Doc) int {
	return cmp.Or(strings.Compare(l.Site, p.Site), strings.Compare(l.URL, p.URL))
}

// Types are the types of the items that may be shown to everybody, the most frequent first.
func (s *Service) Types() []released.Type { return s.deps.Corpus.Current().Types() }

// Items gives up to limit of the items that may be shown, by site and address, beginning after a place, and the place
// where to go on: the zero Place at the end. Sites are as in a Question, and asked once more (Deps.Admit). limit is
// 1 to MaxLimit.
func (s *Service) Items(ctx context.Context, sites []string, after Place, limit int) ([]released.Result, Place, error) {
	if err := s.deps.Corpus.Ready(); err != nil {
		return nil, Place{}, err
	}
	if limit < 1 || limit > MaxLimit {
		return nil, Place{}, fail.New(fail.Malformed, "limit is %d; it must be between 1 and %d", limit, MaxLimit)
	}
	ids, err := s.deps.Corpus.Sites().Resolve(sites)
	if err != nil {
		return nil, Place{}, err
	}
	if err := s.deps.Admit(ctx, ids); err != nil {
		return nil, Place{}, err
	}
	g := s.deps.Corpus.CurrentFor(ctx)
	all := g.Directory()
	from, found := slices.BinarySearchFunc(all, after, func(l *index.Doc, p Place) int { return p.compare(l) })
	if found {
		from++
	}
	var part []*index.Doc
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
func (s *Service) Item(ctx context.Context, url string) ([]released.Result, error) {
	if err := s.deps.Corpus.Ready(); err != nil {
		return nil, err
	}
	if err := s.deps.Admit(ctx, []string{}); err != nil { // of whoever asks; no site is asked for much
		return nil, err
	}
	// A second round helps when the item was swept from the store since the view was made.
	for range 2 {
		g := s.deps.Corpus.CurrentFor(ctx)
		all := g.Directory()
		var part []*index.Doc
		for _, site := range s.deps.Corpus.Sites().All() {
			at := Place{site.ID, url}
			if i, found := slices.BinarySearchFunc(all, at, func(l *index.Doc, p Place) int { return p.compare(l) }); found {
				part = append(part, all[i])
			}
		}
		results, err := render(ctx, g, part)
		if err != nil || len(results) == len(part) {
			return results, err
		}
		if err := s.deps.Corpus.Refresh(ctx); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// render renders items under the decisions of a view. One that was swept from the store meanwhile is left out.
func render(ctx context.Context, g *released.View, listings []*index.Doc) ([]released.Result, error) {
	results := make([]released.Result, 0, len(listings))
	for part := range slices.Chunk(listings, chunk) {
		cards, err := g.Render(ctx, part)
		if err != nil {
			return nil, err
		}
		for i, c := range cards {
			if c != nil {
				results = append(results, c.Result(index.Hit{Doc: part[i]}))
			}
		}
	}
	return results, nil
}
