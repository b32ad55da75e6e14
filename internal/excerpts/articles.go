package excerpts

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"frontdesk/internal/content"
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
	"frontdesk/internal/content/search"
	"frontdesk/internal/excerpts/grants"
	"frontdesk/internal/policy"
	"frontdesk/wire/intent"
)

// passage is one that may be given.
type passage struct {
	article *article
	at      int // its ordinal
	// from and bytes are what of it was given before, where only that may be given; 0 for all.
	from, bytes int
	asked       *candidates // what it was found for; nil for one that is given again
}

// articleKey tells articles apart: a version of an item, and the terms.
type articleKey struct {
	listing *index.Listing
	rules   *policy.Terms
}

// article is an item as passages are taken from it.
type article struct {
	site, url, title, publisher string
	language                    string
	passages                    []content.Passage
	tokens                      []int // of each passage
	rule                        int   // by which passages are given, from 1
	bytes                       int   // of all passages
	words                       int   // that may be shown of it by the terms; 0 for no bound
}

// weight is about how many bytes an article takes: with its place in the cache, and of each passage the text, its id and its length in tokens.
func (a *article) weight() uint32 {
	return uint32(min(320+len(a.url)+len(a.title)+len(a.publisher)+a.bytes+68*len(a.passages), 1<<30))
}

// areasOfView is the key under which a view keeps its areas.
type areasOfView struct{}

// areas are the items that may give passages, by editorial domain. Each is made when it is first asked for.
type areas struct {
	mu sync.Mutex
	of map[string]*area
}

// area are the items of an editorial domain.
type area struct {
	// countries are those that the terms of some item name. Requests from all others get the same.
	countries map[string]bool
	open      map[string]*opened // by country; "" for those that nothing names
}

// opened is what of an area may give passages to requests from a country.
type opened struct {
	*search.Selection
	// newest has of the items under each set of labels the latest, the newest first.
	newest []shelf
}

type shelf struct {
	labels []string
	hits   []index.Hit
}

// shelfLength is how many items a shelf has at the most: more than one request may take.
const shelfLength = 256

// within is what of a view's items may give passages to requests in an editorial domain from a country: those that the
// terms label so and allow as input, under the publisher's own hosts.
func (s *Service) within(g *released.View, owner *Policy, label, country string) *opened {
	key := label + "\n" + owner.Publisher.Domain + "\n" + strings.Join(owner.Publisher.Hosts, " ")
	made := released.Memo(g, areasOfView{}, func() *areas { return &areas{of: map[string]*area{}} })
	made.mu.Lock()
	defer made.mu.Unlock()
	in := made.of[key]
	if in == nil {
		in = &area{countries: map[string]bool{}, open: map[string]*opened{}}
		in.open[""] = s.open(g, owner, in, label, "")
		made.of[key] = in
	}
	if !in.countries[country] {
		country = ""
	}
	if in.open[country] == nil {
		in.open[country] = s.open(g, owner, in, label, country)
	}
	return in.open[country]
}

// open finds the items of an area that may give passages to requests from a country, and the countries that terms name.
func (s *Service) open(g *released.View, owner *Policy, in *area, label, country string) *opened {
	shelves := map[string]*shelf{}
	found := &opened{Selection: g.Index.Select(func(l *index.Listing) bool {
		decision, ok := s.gives(g.Terms, owner, l, label, country)
		in.names(decision)
		if !ok {
			return false
		}
		key := strings.Join(decision.Labels, " ")
		if shelves[key] == nil {
			shelves[key] = &shelf{labels: decision.Labels}
		}
		shelves[key].add(index.Hit{Listing: l, Score: 1})
		return true
	})}
	for _, one := range shelves {
		one.cut(shelfLength)
		found.newest = append(found.newest, *one)
	}
	return found
}

// names takes in which countries the terms name.
func (in *area) names(decision policy.Decision) {
	all := []policy.Restriction{decision.Countries}
	for _, own := range decision.Own {
		for _, option := range own.Options {
			all = append(all, option.Countries)
		}
	}
	for _, r := range all {
		for _, code := range slices.Concat(r.Permit, r.Prohibit) {
			in.countries[code] = true
		}
	}
}

// add puts an item on the shelf.
func (s *shelf) add(hit index.Hit) {
	if s.hits = append(s.hits, hit); len(s.hits) >= 4*shelfLength {
		s.cut(shelfLength)
	}
}

// cut leaves only the newest.
func (s *shelf) cut(most int) {
	slices.SortFunc(s.hits, newestFirst)
	s.hits = s.hits[:min(most, len(s.hits))]
}

func newestFirst(a, b index.Hit) int {
	return cmp.Or(cmp.Compare(b.Dated, a.Dated), cmp.Compare(a.Site, b.Site), cmp.Compare(a.URL, b.URL), cmp.Compare(a.Source, b.Source))
}

// direct is how passages are delivered, as terms name it: by this front desk.
const direct = "direct"

// gives says whether an item may give passages to requests in an editorial domain from a country, and what the terms
// say of it where it lies in that domain.
func (s *Service) gives(rules *policy.Terms, owner *Policy, l *index.Listing, area, country string) (decision policy.Decision, ok bool) {
	if !s.deps.Corpus.Sites().Serves(l.Site) || !owner.owns(l.URL) {
		return decision, false
	}
	decision = released.Decide(rules, l)
	if !slices.ContainsFunc(decision.Labels, func(label string) bool { return intent.Within(label, area) }) {
		return policy.Decision{}, false
	}
	return decision, decision.Permits(policy.Use{Function: released.Input, Country: country}) == policy.Permitted &&
		(len(decision.Delivery) == 0 || slices.Contains(decision.Delivery, direct))
}

// depth is how many passages beside the best an article may give at most.
const depth = 8

// candidates are passages that fit a request, more than will be given.
type candidates struct {
	hits     []index.Hit
	articles []*article    // of the first of the hits, as far as they were loaded; nil for one that gives nothing
	short    bool          // all was asked for that the loaded have, and there are more
	terms    []search.Term // the question's words
	best     map[passage]grants.Span
}

// candidates finds passages that fit a request. Most answers take no more than the best articles have, which are loaded;
// the others are when they are needed.
func (s *Service) candidates(ctx context.Context, g *released.View, owner *Policy, r Retrieval, area string) (*candidates, error) {
	within := s.within(g, owner, area, r.Country)
	if within.Empty() {
		return &candidates{}, nil
	}
	chunks, tokens := tighter(owner.Limits.Chunks, r.Key.MaxChunks), tighter(owner.Limits.Tokens, r.Key.MaxTokens)
	c := &candidates{}
	if text := strings.TrimSpace(r.Text); text != "" {
		found := findWithin(g.Index, index.Question{
			Text: clipped(text, maxText), Limit: 2 * chunks, MinScore: s.deps.MinScore, Within: within.Selection, Prefer: []string{r.Language}, Further: depth,
		})
		c.hits, c.terms = found.Hits, found.Terms
	} else {
		c.hits = within.latest(r, 2*chunks)
	}
	err := s.load(ctx, g, c, chunks)
	if err == nil && !c.suffice(owner, tokens) {
		err = s.load(ctx, g, c, len(c.hits))
	}
	return c, err
}

// load loads more of the articles of candidates, until there are so many.
func (s *Service) load(ctx context.Context, g *released.View, c *candidates, most int) error {
	more, err := s.articles(ctx, g, c.hits[len(c.articles):min(most, len(c.hits))])
	c.articles, c.short = append(c.articles, more...), false
	return err
}

// suffice says whether each of the articles that were loaded can give its best passage to a session that saw none of it.
func (c *candidates) suffice(owner *Policy, tokens int) bool {
	for i, a := range c.articles {
		if a == nil || c.hits[i].Passage >= len(a.passages) {
			return false
		}
		one := passage{article: a, at: c.hits[i].Passage, asked: c}
		whole := a.passages[one.at].Text
		bytes := a.left(one.at, owner, &givenBefore{}).reach(whole, 0)
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

// passages gives the candidates in their order: the best passage of each article, then of each the next best.
func (c *candidates) passages(yield func(passage) bool) {
	for round := range depth + 1 {
		for i, hit := range c.hits {
			at := hit.Passage
			if round > 0 {
				if round > len(hit.Further) || hit.Score < c.hits[0].Score/2 {
					continue
				}
				at = hit.Further[round-1]
			}
			if c.short = i >= len(c.articles); c.short {
				return
			}
			if a := c.articles[i]; a != nil && at < len(a.passages) && !yield(passage{article: a, at: at, asked: c}) {
				return
			}
		}
	}
}

// focus is the sentence of a passage that fits the question best.
func (p passage) focus() grants.Span {
	c := p.asked
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

// none says whether there is no passage at all.
func (c *candidates) none() bool {
	for range c.passages {
		return false
	}
	return !c.short
}

// latest are the items for a request without a question: those in the narrower domain that it names first, and of each
// the newest.
func (o *opened) latest(r Retrieval, most int) (hits []index.Hit) {
	inner := []string{r.Domain + "." + r.Subdomain, r.Subdomain, r.Domain}
	ranks := make([][]index.Hit, len(inner)+1)
	for _, s := range o.newest {
		rank := slices.IndexFunc(inner, func(label string) bool {
			return label != "" && slices.ContainsFunc(s.labels, func(own string) bool { return intent.Within(own, label) })
		})
		if rank < 0 {
			rank = len(inner)
		}
		ranks[rank] = append(ranks[rank], s.hits...)
	}
	for _, of := range ranks {
		slices.SortFunc(of, newestFirst)
		hits = append(hits, slices.CompactFunc(of, func(a, b index.Hit) bool { return a.Site == b.Site && a.URL == b.URL })...)
		if len(hits) >= most {
			return hits[:most]
		}
	}
	return hits
}

// maxText is how many characters of a question are read.
const maxText = 4000

// clipped is the beginning of a text, up to a number of characters.
func clipped(text string, most int) string {
	for i := range text {
		if most--; most < 0 {
			return text[:i]
		}
	}
	return text
}

// articles loads what passages are taken from; nil for items whose version is gone, or whose text is not theirs alone.
func (s *Service) articles(ctx context.Context, g *released.View, hits []index.Hit) ([]*article, error) {
	found := make([]*article, len(hits))
	var missing []int
	var unread []*index.Listing
	for i, hit := range hits {
		if a, ok := s.articleCache.GetIfPresent(articleKey{hit.Listing, g.Terms}); ok {
			found[i] = a
			continue
		}
		missing, unread = append(missing, i), append(unread, hit.Listing)
	}
	if len(missing) == 0 {
		return found, nil
	}
	loaded, err := g.Articles(ctx, unread)
	if err != nil {
		return nil, err
	}
	for n, i := range missing {
		if loaded[n] == nil {
			continue
		}
		found[i] = newArticle(loaded[n])
		s.articleCache.Set(articleKey{hits[i].Listing, g.Terms}, found[i])
	}
	return found, nil
}

func newArticle(of *released.Article) *article {
	a := &article{site: of.Item.Site, url: of.URL, title: of.Title, publisher: of.Publisher, language: of.Language, rule: of.Rule + 1, words: of.Words}
	a.passages, a.tokens = of.Passages, make([]int, 0, len(of.Passages))
	for _, p := range a.passages {
		a.bytes += len(p.Text)
		a.tokens = append(a.tokens, intent.Tokens(p.Text))
	}
	return a
}

// tokensOf is how many tokens a part of a passage has.
func (a *article) tokensOf(at int, part string) int {
	if len(part) == len(a.passages[at].Text) {
		return a.tokens[at] // which it is read for once
	}
	return intent.Tokens(part)
}

// articlesAt are the articles at an address, one for each source that has it, that may give passages to requests in an
// editorial domain.
func (s *Service) articlesAt(ctx context.Context, g *released.View, owner *Policy, site, address, area, country string) (found []*article, err error) {
	all, err := g.ArticlesAt(ctx, site, address)
	if err != nil {
		return nil, err
	}
	for _, a := range all {
		if _, ok := s.gives(g.Terms, owner, a.Item, area, country); ok {
			found = append(found, newArticle(a))
		}
	}
	return found, nil
}
