package ask

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"frontdesk/internal/ask/feed"
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

// Items gives up to limit of the items that may be shown, by site and address, beginning after a
// place, and the place where to go on: the zero Place at the end. Sites are as in a Question, and
// asked once more (Deps.Admit). limit is 1 to MaxLimit.
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
			results, err := g.Results(ctx, part)
			return results, Place{last.Site, last.URL}, err
		}
		part = append(part, l)
	}
	results, err := g.Results(ctx, part)
	return results, Place{}, err
}

// Item gives the item at an address: none when there is none that may be shown, and one for each
// site that has it.
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
			if i, found := slices.BinarySearchFunc(all, at,
				func(l *index.Doc, p Place) int { return p.compare(l) }); found {
				part = append(part, all[i])
			}
		}
		results, err := g.Results(ctx, part)
		if err != nil || len(results) == len(part) {
			return results, err
		}
		if err := s.deps.Corpus.Refresh(ctx); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// Feed gives the feed of a site: see feed.Of.
func (s *Service) Feed(ctx context.Context, site string) (*feed.Feed, error) {
	return feed.Of(ctx, s.deps.Corpus, site)
}
