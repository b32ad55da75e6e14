// Package released is the one way from the content to what leaves: it holds the owner's terms
// against the items of the index, and renders of each item what the terms let out, a whole object
// or a notice.
//
// Enter at New. A Corpus follows the content and the terms; Current gives a View, which is what the
// terms in force let out of one version of the index. Services find items in it, ask Decide what
// the terms say of one, and Render them. What an item is given as to one who bought it is
// RenderDefault.
//
// It stands on content, its index and policy, and knows nothing of who asks, of prices or of
// protocols.
package released

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/vector/words"
	"frontdesk/internal/infra/cache"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/periodic"
	"frontdesk/internal/policy"
)

// Deps are a Corpus's dependencies. Catalog, Sites and Terms are required.
type Deps struct {
	Catalog *content.Catalog
	// Sites are those whose items may leave.
	Sites *Sites
	// Terms gives the rules in force; it is called for every View and may answer differently over
	// time.
	Terms func() *policy.Terms
	// Passages says whether platforms are given passages, so that an item which only they may see
	// is indexed too.
	Passages bool
	// Actions gives what can be done with an item as a JSON array, from what is shown of it; some
	// is false for nothing. Nil is nothing.
	Actions func(of policy.Facts, sold bool, object []byte) (told []byte, some bool)
	// ForSale says whether a stranger may buy an item that is shown as a notice; nil is never.
	ForSale func(rules *policy.Terms, l *index.Doc, d policy.Decision, item *ItemVersion) bool
	// Words gives texts their directions; nil is the table that the program carries.
	Words *words.Table
	// Folder is where the index of a large catalog is kept for the next start; empty for nowhere.
	Folder string
	// CacheBytes bounds the memory for items that are ready to leave; 0 is 64 MiB.
	CacheBytes uint64
	// Timeout bounds how long loading the items of one Render may take; 0 is 10 seconds.
	Timeout time.Duration
	Log     *slog.Logger // nil for none
}

// Corpus is the content as far as the terms release it. It may be used from many goroutines.
type Corpus struct {
	options  Deps
	library  *index.Index
	rendered cache.Cache[renderedKey, *RenderedItem]
	nested   cache.Cache[nestedKey, bool]

	ready   atomic.Bool
	mu      sync.Mutex // held while a View is made
	current atomic.Pointer[View]
}

// New returns a corpus without items; Load or Follow loads them.
func New(options Deps) (*Corpus, error) {
	if err := fail.Missing("released.New", map[string]bool{
		"Catalog": options.Catalog != nil, "Sites": options.Sites != nil, "Terms": options.Terms != nil,
	}); err != nil {
		return nil, err
	}
	options.CacheBytes = cmp.Or(options.CacheBytes, 64<<20)
	options.Words = cmp.Or(options.Words, words.Builtin())
	options.Timeout = cmp.Or(options.Timeout, 10*time.Second)
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if options.ForSale == nil {
		options.ForSale = func(*policy.Terms, *index.Doc, policy.Decision, *ItemVersion) bool { return false }
	}
	if options.Actions == nil {
		options.Actions = func(policy.Facts, bool, []byte) ([]byte, bool) { return nil, false }
	}
	cards, err := cache.NewWeighted(options.CacheBytes, func(_ renderedKey, c *RenderedItem) uint32 {
		return c.weight()
	})
	if err != nil {
		return nil, fmt.Errorf("make the cache of ready items: %w", err)
	}
	wholes, err := cache.New[nestedKey, bool](maxNestedEntries)
	if err != nil {
		return nil, fmt.Errorf("make the cache of what is sold whole: %w", err)
	}
	c := &Corpus{options: options, library: index.New(options.Catalog, options.Words), rendered: cards, nested: wholes}
	if options.Folder != "" {
		c.library.Keep(options.Folder, func(err error) {
			options.Log.Warn("the index cannot be read from its files; reading all content anew", "error", err)
		})
	}
	return c, nil
}

// Refresh brings the index to the catalog's published state and the terms in force.
func (c *Corpus) Refresh(ctx context.Context) error {
	rules := c.options.Terms().ForAny() // what is refused to one may be found by another
	changed, err := c.library.Refresh(ctx, index.Admission{
		Version:  c.admission(rules),
		Admit:    func(l *index.Doc) bool { return c.indexes(rules, l) },
		Released: func(l *index.Doc, object []byte) (shown []byte, whole, open bool) { return said(rules, l, object) },
		Meant:    func(l *index.Doc, e *content.Entry) (title, text string) { return meant(rules, l, e) },
	})
	if changed && err == nil {
		var from []any
		if !c.ready.Load() && c.library.FromFiles() {
			from = []any{"from_files", true}
		}
		c.options.Log.Info("index follows the catalog", append(from, "items", c.Index().Len())...)
	}
	return err
}

// admission is the version of what is indexed and released under rules. An index that was kept
// under another one is not read.
func (c *Corpus) admission(rules *policy.Terms) string {
	return fmt.Sprintf("%s, passages %t, sites %s", rules.Version(), c.options.Passages, c.options.Sites)
}

// Follower is what a service has to do about a View, whether it has changed or not, before the
// service can answer from it.
type Follower func(context.Context, *View) error

// Load brings the corpus and those who follow it to the catalog's published state and the terms in
// force. Once it has done so the corpus is Ready.
func (c *Corpus) Load(ctx context.Context, followers ...Follower) error {
	if err := c.Refresh(ctx); err != nil {
		return err
	}
	v := c.Current() // made now, so that no question waits for it
	for _, follow := range followers {
		if err := follow(ctx, v); err != nil {
			return err
		}
	}
	c.ready.Store(true)
	return nil
}

// poll is how often Follow looks for changes.
const poll = time.Second

// The index is kept where it has so many items that to make it anew takes more than a moment, and
// not again before so many polls.
const (
	worthKeeping  = 2000
	pollsBetween  = 60
	closingFolder = 10 * time.Second
)

// Follow loads again and again, whoever changes the content or the terms, until ctx ends, and keeps
// the index in its folder. What fails is logged and tried again.
func (c *Corpus) Follow(ctx context.Context, followers ...Follower) {
	var saving sync.WaitGroup
	defer c.save(ctx)
	defer saving.Wait()
	polls := 0
	periodic.Run(ctx, poll, func(ctx context.Context) {
		if err := c.Load(ctx, followers...); err != nil && !errors.Is(err, context.Canceled) {
			c.options.Log.Error("the index cannot follow the catalog; trying again", "error", err)
		}
		if polls%pollsBetween == 0 {
			saving.Wait()
			saving.Go(func() { c.save(ctx) })
		}
		polls++
	})
}

// save keeps the index for the next start. When ctx has ended, the process is about to.
func (c *Corpus) save(ctx context.Context) {
	if c.options.Folder == "" || c.Index().Len() < worthKeeping {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closingFolder)
	defer cancel()
	if err := c.library.Save(ctx); err != nil {
		c.options.Log.Warn("the index is not kept for the next start, which will take longer", "error", err)
	}
}

// Ready returns fail.Unavailable, with the reason, until the content is loaded; then nil.
func (c *Corpus) Ready() error {
	if c.ready.Load() {
		return nil
	}
	return fail.New(fail.Unavailable, "the content is still being loaded; try again in a moment").After(time.Second)
}

// Sites are those that are served.
func (c *Corpus) Sites() *Sites { return c.options.Sites }

// Terms are the rules in force, as they hold for somebody of whom nothing is known.
func (c *Corpus) Terms() *policy.Terms { return c.options.Terms() }

// Items is how many items can be found.
func (c *Corpus) Items() int { return c.Index().Len() }

// Index is the present index, whatever the terms say.
func (c *Corpus) Index() *index.View { return c.library.View() }

// Current is the view of the present index under the terms in force, for somebody of whom nothing
// is known; see CurrentFor. It is made when either has changed, once.
func (c *Corpus) Current() *View {
	if v := c.fresh(); v != nil {
		return v
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if v := c.fresh(); v != nil {
		return v
	}
	v := &View{Index: c.library.View(), Terms: c.options.Terms(), corpus: c}
	v.Permit = v.Index.Select(v.admits)
	c.current.Store(v)
	return v
}

// fresh is the view that was made last; nil when it is not of the present any more.
func (c *Corpus) fresh() *View {
	if v := c.current.Load(); v != nil && v.Index == c.library.View() && v.Terms == c.options.Terms() {
		return v
	}
	return nil
}

// indexes says whether an item is indexed at all, so that nothing else can be felt in the scores:
// it may be found in a list of answers, or give passages to platforms.
func (c *Corpus) indexes(rules *policy.Terms, l *index.Doc) bool {
	if !c.options.Sites.Serves(l.Site) {
		return false
	}
	decision := Decide(rules, l)
	return decision.Allows(Search) || c.options.Passages && len(decision.Labels) > 0 && decision.Allows(Input)
}

// Render gives the ready form of each item, nil for one whose version was swept from the store. It
// returns fail.Timeout and fail.Unavailable.
func (v *View) Render(ctx context.Context, items []*index.Doc) ([]*RenderedItem, error) {
	c := v.corpus
	cards := make([]*RenderedItem, len(items))
	var missing []int
	var refs []content.Ref
	for i, l := range items {
		if card, ok := c.rendered.GetIfPresent(renderedKey{l, v.Terms}); ok {
			cards[i] = card
			continue
		}
		missing, refs = append(missing, i), append(refs, l.Ref)
	}
	if len(missing) == 0 {
		return cards, nil
	}
	loaded, err := c.load(ctx, refs)
	if err != nil {
		return nil, err
	}
	for n, i := range missing {
		if loaded[n].URL == "" {
			continue
		}
		cards[i] = v.render(items[i], &loaded[n])
		c.rendered.Set(renderedKey{items[i], v.Terms}, cards[i])
	}
	return cards, nil
}

func (c *Corpus) load(ctx context.Context, refs []content.Ref) ([]content.Item, error) {
	limited, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	items, err := c.options.Catalog.LoadItems(limited, refs...)
	switch {
	case err == nil:
		return items, nil
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fail.New(fail.Timeout, "the time allowed ran out before the answer was ready").Wrap(err)
	case ctx.Err() != nil:
		return nil, fmt.Errorf("load the items found: %w", err)
	}
	return nil, fail.New(fail.Unavailable, "the content cannot be read at the moment; try again").
		After(5 * time.Second).Wrap(err)
}
