package excerpts

import (
	"context"
	"slices"

	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
)

// warmAtOnce is how many articles are loaded at once when nobody waits for them.
const warmAtOnce = 64

// Warm loads the articles that passages may be given of before anybody asks for them, the newest first and as many as are kept, whenever
// there is another view. With SQLite every commit empties what readers keep of the file, so that to load the articles of an answer costs
// nearly as much as to search for it.
func (s *Service) Warm(ctx context.Context, g *released.View) error {
	before := s.warmed.Swap(g)
	if before == g {
		return nil
	}
	if before != nil && before.Terms != g.Terms {
		s.articleCache.InvalidateAll() // nobody will ask for those of the terms before
	}
	owner := s.deps.Policy()
	var giving []index.Hit
	g.Index.Select(func(l *index.Listing) bool {
		if slices.ContainsFunc(owner.Domains, func(label string) bool { _, ok := s.gives(g.Terms, owner, l, label, ""); return ok }) {
			giving = append(giving, index.Hit{Listing: l})
		}
		return false
	})
	slices.SortFunc(giving, newestFirst)
	for some := range slices.Chunk(giving, warmAtOnce) {
		if s.articleCache.WeightedSize() >= s.deps.CacheBytes-s.deps.CacheBytes/32 {
			return nil
		}
		if _, err := s.articles(ctx, g, some); err != nil {
			s.deps.Log.Warn("articles cannot be loaded before they are asked for", "error", err)
			return nil
		}
	}
	return nil
}
