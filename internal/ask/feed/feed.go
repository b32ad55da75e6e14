// Package feed gives the items of a site that anybody may have without a question. It cuts them
// into parts; a part changes only with its items. It stands on content/released alone. Enter by
// [Of].
package feed

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"slices"
	"strings"
	"sync"

	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
)

// The bounds of a feed.
const (
	// MaxPart is how many items a part of a feed holds on average at most. A site's number of parts
	// doubles where
	// there would be more.
	MaxPart = 500
	// MaxNewest is how many items Feed.Newest gives at most.
	MaxNewest = 100
)

// Feed is what may be given away of a site's items without a question, at one moment: those that
// the terms allow both
// in a list of answers and as input to other texts. An open item is whole, a licensed one a notice.
//
// It comes in parts. Which one an item is in follows from its address, so that an item that comes
// or goes changes one
// part alone, until the number of parts doubles or halves.
type Feed struct {
	view *released.View
	site *siteFeed
}

// feedsOfView is the key under which a view keeps the feeds of all sites.
type feedsOfView struct{}

type siteFeed struct {
	parts  []feedPart
	newest []*index.Doc
}

type feedPart struct {
	items []*index.Doc
	mu    sync.Mutex // guards tag
	tag   string     // empty until it is known
}

// Of gives the feed of a site of a corpus: by id, name or host. It returns fail.NotFound for a site
// that is not served, and
// fail.Unavailable before the content is loaded.
func Of(ctx context.Context, corpus *released.Corpus, site string) (*Feed, error) {
	if err := corpus.Ready(); err != nil {
		return nil, err
	}
	id, ok := corpus.Sites().Find(site)
	if !ok {
		return nil, fail.New(fail.NotFound, "site %q is not served here; there are %s", fail.Clip(site), corpus.Sites())
	}
	g := corpus.CurrentFor(ctx)
	feeds := released.Memo(g, feedsOfView{}, func() map[string]*siteFeed { return feedsOf(g, corpus.Sites().All()) })
	return &Feed{view: g, site: feeds[id]}, nil
}

// feedsOf divides the directory, which is by site and address and has every address once.
func feedsOf(g *released.View, all []released.Site) map[string]*siteFeed {
	sites := map[string][]*index.Doc{}
	for _, l := range g.Directory() {
		if released.Decide(g.Terms, l).Allows(released.Input) {
			sites[l.Site] = append(sites[l.Site], l)
		}
	}
	made := map[string]*siteFeed{}
	for _, site := range all {
		made[site.ID] = newSiteFeed(sites[site.ID])
	}
	return made
}

// newSiteFeed puts the items of one site into parts, by their addresses.
func newSiteFeed(items []*index.Doc) *siteFeed {
	count := 1
	for len(items) > count*MaxPart {
		count *= 2
	}
	feed := &siteFeed{parts: make([]feedPart, count)}
	for _, item := range items {
		part := &feed.parts[hash(item.URL)%uint32(count)]
		part.items = append(part.items, item)
		feed.put(item)
	}
	return feed
}

// hash is FNV-1a: which part an item is in stays the same on every node and in every version of
// this program.
func hash(address string) uint32 {
	h := uint32(2166136261)
	for i := range len(address) {
		h = (h ^ uint32(address[i])) * 16777619
	}
	return h
}

// put keeps the newest items, in order.
func (f *siteFeed) put(item *index.Doc) {
	newer := func(a, b *index.Doc) int {
		return cmp.Or(cmp.Compare(b.Dated, a.Dated), strings.Compare(a.URL, b.URL))
	}
	if n := len(f.newest); n == MaxNewest && newer(item, f.newest[n-1]) > 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(f.newest, item, newer)
	f.newest = slices.Insert(f.newest, at, item)
	f.newest = f.newest[:min(len(f.newest), MaxNewest)]
}

// Parts is how many parts the feed has, one at least.
func (f *Feed) Parts() int { return len(f.site.parts) }

// Items is how many items the feed has.
func (f *Feed) Items() (n int) {
	for i := range f.site.parts {
		n += len(f.site.parts[i].items)
	}
	return n
}

// Part gives the items of a part, from 0 to Parts-1, by address. A failure ends the sequence.
func (f *Feed) Part(ctx context.Context, part int) iter.Seq2[released.Result, error] {
	return f.results(ctx, f.site.parts[part].items)
}

// Newest gives the up to MaxNewest items that were published or changed last by what they say of
// themselves, newest
// first, and those without a date after them. A failure ends the sequence.
func (f *Feed) Newest(ctx context.Context) iter.Seq2[released.Result, error] {
	return f.results(ctx, f.site.newest)
}

// Tag names the contents of a part: equal tags, equal objects of its items, on every node and over
// restarts. The first
// call for a part reads all of it.
func (f *Feed) Tag(ctx context.Context, part int) (string, error) {
	p := &f.site.parts[part]
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tag != "" {
		return p.tag, nil
	}
	sum := sha256.New()
	var object []byte
	for result, err := range f.Part(ctx, part) {
		if err != nil {
			return "", err
		}
		object = result.AppendObject(object[:0])
		sum.Write(object)
		sum.Write([]byte{'\n'})
	}
	p.tag = hex.EncodeToString(sum.Sum(nil)[:16])
	return p.tag, nil
}

// results renders items, a chunk at a time. One that was swept from the store meanwhile is left
// out.
func (f *Feed) results(ctx context.Context, items []*index.Doc) iter.Seq2[released.Result, error] {
	return func(yield func(released.Result, error) bool) {
		for listings := range slices.Chunk(items, released.Chunk) {
			results, err := f.view.Results(ctx, listings)
			if err != nil {
				yield(released.Result{}, err)
				return
			}
			for _, r := range results {
				if !yield(r, nil) {
					return
				}
			}
		}
	}
}
