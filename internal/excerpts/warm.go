package excerpts

import (
	"context"
	"slices"

	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
)

// warmAtOnce is how many articles are loaded at once when nobody waits for them.
const warmAtOnce = 64

// Warm loads the articles that passages may be given of before anybody asks for them, the newest
// first and as many as are kept, whenever there is another view. It is a [released.Follower]. With
// SQLite every commit empties what readers keep of the file, so that to load the articles of an
// answer costs nearly as much as to search for it.
func (s *Service) Warm(ctx context.Context, view *released.View) error {
	if !s.articles.moveTo(view) {
		return nil
	}
	giving := s.eligibility(view).all()
	slices.SortFunc(giving, newestFirst)
	for some := range slices.Chunk(giving, warmAtOnce) {
		if s.articles.full() {
			return nil
		}
		if _, err := s.articles.load(ctx, view, some); err != nil {
			s.deps.Log.Warn("articles cannot be loaded before they are asked for", "error", err)
			return nil
		}
	}
	return nil
}

// all are the items that may give passages in one of the declared domains, wherever a request comes
// from.
func (e eligibility) all() (hits []index.Hit) {
	e.view.Index.Select(func(l *index.Doc) bool {
		inDomain := func(domain string) bool { _, ok := e.decide(l, domain, ""); return ok }
		if slices.ContainsFunc(e.policy.Domains, inDomain) {
			hits = append(hits, index.Hit{Doc: l})
		}
		return false
	})
	return hits
}
