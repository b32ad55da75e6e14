package excerpts

import (
	"context"
	"slices"
	"strings"

	"frontdesk/internal/content/index"
	"frontdesk/internal/content/search"
	"frontdesk/internal/excerpts/grants"
)

// passage is one that may be given.
type passage struct {
	article *article
	at      int // its ordinal
	// from and bytes are what of it was given before, where only that may be given; 0 for all.
	from, bytes int
	foundFor    *candidates // nil for one that is given again
}

// maxFurther is how many passages beside the best an article may give.
const maxFurther = 8

// candidates are passages that fit a request, more than will be given.
type candidates struct {
	hits     []index.Hit
	articles []*article    // of the first of the hits, as far as they were loaded; nil for one that gives nothing
	needMore bool          // all was asked for that the loaded have, and there are more
	terms    []search.Term // the question's words
	best     map[passage]grants.Span
}

// maxText is how many characters of a question are read.
const maxText = 4000

// find finds passages that fit the request. Most answers take no more than the best articles have,
// which are loaded; the others are loaded when they are needed.
func (r *retrieval) find(ctx context.Context) (*candidates, error) {
	within := r.within(r.scope, r.Country)
	if within.Empty() {
		return &candidates{}, nil
	}
	c := &candidates{}
	if text := strings.TrimSpace(r.Text); text != "" {
		found := findWithin(r.view.Index, index.Question{
			Text: firstCharacters(text, maxText), Limit: 2 * r.maxChunks, MinScore: r.service.deps.MinScore,
			Within: within.Selection, Prefer: []string{r.Language}, Further: maxFurther,
		})
		c.hits, c.terms = found.Hits, found.Terms
	} else {
		c.hits = within.latest(r.RetrieveRequest, 2*r.maxChunks)
	}
	err := r.load(ctx, c, r.maxChunks)
	if err == nil && !c.suffice(r.policy, r.maxTokens) {
		err = r.load(ctx, c, len(c.hits))
	}
	return c, err
}

// load loads more of the articles of candidates, until there are so many.
func (r *retrieval) load(ctx context.Context, c *candidates, most int) error {
	more, err := r.service.articles.load(ctx, r.view, c.hits[len(c.articles):min(most, len(c.hits))])
	c.articles, c.needMore = append(c.articles, more...), false
	return err
}

// suffice says whether each of the articles that were loaded can give its best passage to a session
// that saw none of it.
func (c *candidates) suffice(policy *Policy, tokens int) bool {
	for i, a := range c.articles {
		if a == nil || c.hits[i].Passage >= len(a.passages) {
			return false
		}
		one := passage{article: a, at: c.hits[i].Passage, foundFor: c}
		whole := a.passages[one.at].Text
		bytes := a.budget(one.at, policy, &givenBefore{}).reach(whole, 0)
		if bytes < len(whole) || a.tokens[one.at] > tokens {
			one.focus() // here, rather than in the transaction
		}
		tokens -= (bytes + 3) / 4
		if bytes <= 0 || tokens < 0 {
			return false
		}
	}
	return true
}

// passages gives the candidates in their order: the best passage of each article, then of each the
// next best.
func (c *candidates) passages(yield func(passage) bool) {
	for round := range maxFurther + 1 {
		for i, hit := range c.hits {
			at := hit.Passage
			if round > 0 {
				if round > len(hit.Further) || hit.Score < c.hits[0].Score/2 {
					continue
				}
				at = hit.Further[round-1]
			}
			if c.needMore = i >= len(c.articles); c.needMore {
				return
			}
			if a := c.articles[i]; a != nil && at < len(a.passages) &&
				!yield(passage{article: a, at: at, foundFor: c}) {
				return
			}
		}
	}
}

// none says whether there is no passage at all.
func (c *candidates) none() bool {
	for range c.passages {
		return false
	}
	return !c.needMore
}

// urls are the addresses of the articles that were loaded.
func (c *candidates) urls() (all []string) {
	for _, a := range c.articles {
		if a != nil && !slices.Contains(all, a.url) {
			all = append(all, a.url)
		}
	}
	return all
}

// focus is the sentence of a passage that fits the question best.
func (p passage) focus() grants.Span {
	c := p.foundFor
	if c == nil || len(c.terms) == 0 {
		return grants.Span{}
	}
	best, known := c.best[p]
	if !known {
		best.From, best.To = index.BestSentence(c.terms, p.article.passages[p.at].Text, p.article.language)
		if c.best == nil {
			c.best = map[passage]grants.Span{}
		}
		c.best[p] = best
	}
	return best
}
