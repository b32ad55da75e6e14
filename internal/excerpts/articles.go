package excerpts

import (
	"context"
	"fmt"
	"sync/atomic"

	"frontdesk/internal/content"
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/cache"
	"frontdesk/internal/policy"
	"frontdesk/wire/intent"
)

// article is an item as passages are taken from it.
type article struct {
	site, url, title, publisher string
	language                    string
	passages                    []content.Passage
	tokens                      []int // of each passage
	rule                        int   // of the terms, by which passages are given, from 1
	bytes                       int   // of all passages
	words                       int   // that may be shown of it by the terms; 0 for no bound
}

func newArticle(of *released.Article) *article {
	a := &article{
		site: of.Item.Site, url: of.URL, title: of.Title, publisher: of.Publisher, language: of.Language,
		rule: of.Rule + 1, words: of.Words,
	}
	a.passages, a.tokens = of.Passages, make([]int, 0, len(of.Passages))
	for _, p := range a.passages {
		a.bytes += len(p.Text)
		a.tokens = append(a.tokens, intent.Tokens(p.Text))
	}
	return a
}

// weight is about how many bytes an article takes: with its place in the cache, and of each passage
// the text, its id and its length in tokens.
func (a *article) weight() uint32 {
	return uint32(min(320+len(a.url)+len(a.title)+len(a.publisher)+a.bytes+68*len(a.passages), 1<<30))
}

// tokensOf is how many tokens a part of a passage has.
func (a *article) tokensOf(at int, part string) int {
	if len(part) == len(a.passages[at].Text) {
		return a.tokens[at] // which it is read for once
	}
	return intent.Tokens(part)
}

// articleCache loads articles, and keeps those that were loaded up to a number of bytes. Many
// goroutines may use it.
type articleCache struct {
	kept   cache.Cache[articleKey, *article]
	bytes  uint64
	warmed atomic.Pointer[released.View] // the view whose articles were loaded last before anybody asked
}

// articleKey identifies a cached article: a version of an item, and the terms.
type articleKey struct {
	listing *index.Doc
	terms   *policy.Terms
}

func newArticleCache(bytes uint64) (*articleCache, error) {
	kept, err := cache.NewWeighted(bytes, func(_ articleKey, a *article) uint32 { return a.weight() })
	if err != nil {
		return nil, fmt.Errorf("make the cache of passages: %w", err)
	}
	return &articleCache{kept: kept, bytes: bytes}, nil
}

// load gives the articles of hits in a view; nil for an item whose version is gone, or whose text
// is not its own alone.
func (c *articleCache) load(ctx context.Context, view *released.View, hits []index.Hit) ([]*article, error) {
	found := make([]*article, len(hits))
	var missing []int
	var unread []*index.Doc
	for i, hit := range hits {
		if a, ok := c.kept.GetIfPresent(articleKey{hit.Doc, view.Terms}); ok {
			found[i] = a
			continue
		}
		missing, unread = append(missing, i), append(unread, hit.Doc)
	}
	if len(missing) == 0 {
		return found, nil
	}
	loaded, err := view.Articles(ctx, unread)
	if err != nil {
		return nil, err
	}
	for n, i := range missing {
		if loaded[n] == nil {
			continue
		}
		found[i] = newArticle(loaded[n])
		c.kept.Set(articleKey{hits[i].Doc, view.Terms}, found[i])
	}
	return found, nil
}

// moveTo drops what nobody will ask for once a view is in force, and says whether it is another
// view than before.
func (c *articleCache) moveTo(view *released.View) (another bool) {
	before := c.warmed.Swap(view)
	if before != nil && before.Terms != view.Terms {
		c.kept.InvalidateAll()
	}
	return before != view
}

// full says whether there is hardly room for more.
func (c *articleCache) full() bool { return c.kept.WeightedSize() >= c.bytes-c.bytes/32 }
