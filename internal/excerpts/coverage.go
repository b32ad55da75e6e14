package excerpts

import (
	"context"
	"slices"

	"frontdesk/internal/excerpts/grants"
	"frontdesk/internal/infra/store"
)

// givenBefore is what was given before: to the session that asks, and to all of its platform in
// [articleDay].
type givenBefore struct {
	session, platform grants.Coverage
	fresh             []string // the addresses of articles with parts that are new to the platform
}

// givenBefore reads what was given before of the articles that are loaded.
func (r *retrieval) givenBefore(ctx context.Context, tx *store.Tx, found *candidates) (*givenBefore, error) {
	given := &givenBefore{platform: grants.Coverage{}}
	var err error
	if given.session, err = grants.SessionCoverage(ctx, tx, r.session, r.now); err != nil ||
		r.policy.shareOfDay() >= 1 {
		return given, err
	}
	given.platform, err = grants.PlatformCoverage(ctx, tx, r.Key.Platform, found.urls(), r.now)
	return given, err
}

// keepGiven records what is given now with what was given before.
func (r *retrieval) keepGiven(ctx context.Context, tx *store.Tx, given *givenBefore) error {
	until := r.now.Add(r.policy.Limits.Session)
	if err := grants.RecordCoverage(ctx, tx, r.session, given.session, until); err != nil ||
		r.policy.shareOfDay() >= 1 {
		return err
	}
	for _, url := range given.fresh {
		key := grants.ArticleKey(r.Key.Platform, url)
		if err := grants.RecordCoverage(ctx, tx, key, given.platform.ForArticle(url), r.now.Add(articleDay)); err !=
			nil {
			return err
		}
	}
	return nil
}

// add takes in that a part of an article is given.
func (g *givenBefore) add(c grants.Chunk, part grants.Span) {
	g.session.Add(c.URL, c.Passage, part)
	had := g.platform.BytesOf(c.URL)
	if g.platform.Add(c.URL, c.Passage, part); g.platform.BytesOf(c.URL) > had && !slices.Contains(g.fresh, c.URL) {
		g.fresh = append(g.fresh, c.URL)
	}
}
