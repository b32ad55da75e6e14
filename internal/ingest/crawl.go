package ingest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/fail"
	"frontdesk/internal/fetch"
	"frontdesk/internal/ingest/frontier"
)

// crawl reads a source from the web. Several visits are under way at a time, but what they bring is dealt with in the
// order in which they set out, so that equal sites give equal items: first take, which turns an answer into units, then,
// behind the workers, settle, which goes on from what the page turned out to be.
type crawl struct {
	Web
	source *Source
	start  *url.URL
	reader string
	limits Limits
	run    *content.Run // what remembers; nil for none
	now    func() time.Time
	began  time.Time

	mu       sync.Mutex // guards what follows
	changed  *sync.Cond
	front    *frontier.Frontier
	queue    []*visit
	underway int
	stages   []func() // what to try next, should nothing come of what was tried so far
	follow   bool     // links of pages are followed
	missing  *frontier.Page
	lists    int
	found    int // addresses or items that lists and feeds led to
	bad      int // answers missed in a row
	report   WebReport
	first    []string // the links of the first page
	closed   []string // addresses that are not for everybody
	bodies   map[string]bool
	settled  map[string]bool // addresses of which it is known what became of them
	lost     bool            // an answer is missing of which it is not known what it led to
	alike    int             // pages that look like one that is not there
}

// Bounds of a crawl.
const (
	longestPage  = 4 << 20 // bytes of a page, if Web.MaxBytes is not less
	mostLists    = 5000    // lists and feeds of one source
	deepestList  = 5
	mostMisses   = 20 // answers missed in a row, after which nothing more is asked for
	fewClosed    = 10
	probeAddress = "frontdesk-asks-what-a-missing-page-looks-like-"
)

func newCrawl(source *Source, base string, limits Limits) *crawl {
	c := &crawl{Web: source.Web.withDefaults(), source: source, limits: limits, bodies: map[string]bool{}, settled: map[string]bool{}, now: time.Now}
	c.changed = sync.NewCond(&c.mu)
	c.start = tidy(c.URL, nil)
	c.reader = readerOf(source, base)
	c.report.Kind = c.Kind
	return c
}

// role is why an address is asked for.
type role int

const (
	startRole role = iota
	pageRole
	listRole // a list, or a feed that a list names
)

// visit is one address being asked for.
type visit struct {
	role    role
	address *url.URL // by which it was found, and is remembered
	at      *url.URL // that answered, after redirects
	depth   int
	fresh   bool // whatever is remembered
	listed  bool
	guessed bool   // nobody said that it is there
	changed string // when the list says that it last changed
	looks   bool   // for links, and for what the text is like
	done    chan struct{}

	known    *recollection
	response *fetch.Response // its body only until it was dealt with
	digest   []byte          // of the body
	err      error

	outcome outcome
	list    bool // it is a list
	feed    bool
	brief   bool // it is one of several feeds of entries
	items   []string
	sight   *sight
}

// outcome is what became of a visit.
type outcome int

const (
	wasRead outcome = iota
	same            // as it was
	failed
	gone
	closed
	disallowed
	hidden
	repeated
	useless
)

// prepare asks for the first address and plans by what it is. Without it there is nothing to do.
func (c *crawl) prepare(ctx context.Context) (*visit, error) {
	c.began = c.now()
	v := &visit{role: startRole, address: c.start, at: c.start, looks: true, done: make(chan struct{})}
	c.fetch(ctx, v)
	close(v.done)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err := c.judge(v); err != nil {
		return nil, err
	}
	scope := *c.start
	scope.Scheme, scope.Host = v.at.Scheme, v.at.Host
	if !strings.HasPrefix(v.at.Path, strings.TrimSuffix(scope.Path, "/")) {
		scope.Path = v.at.Path
	}
	c.start = &scope
	kind, err := c.kindOf(v)
	if err != nil {
		return nil, err
	}
	if kind == "sitemap" || kind == "schemamap" || kind == "feed" || kind == "data" {
		root := scope
		root.Path, root.RawPath, root.RawQuery = "/", "", ""
		c.front = c.frontier(&root)
	} else {
		c.front = c.frontier(&scope)
	}
	c.front.Seen(v.address)
	c.front.Seen(v.at)
	c.report.Kind = kind
	switch kind {
	case "crawl":
		c.stages = []func(){c.crawlOn}
		c.probe(ctx)
	case "auto":
		err = c.plan(ctx)
		c.probe(ctx)
	}
	return v, err
}

func (c *crawl) frontier(start *url.URL) *frontier.Frontier {
	return frontier.New(frontier.Options{
		Start: start, Hosts: c.Hosts, Include: c.Include, Exclude: c.Exclude, Pages: c.Pages, Depth: c.Depth,
	})
}

// judge says why a first answer is none.
func (c *crawl) judge(v *visit) error {
	switch {
	case v.err != nil:
		return fail.New(fail.Invalid, "source %s of site %s: %v; nothing was changed", c.source.Name, c.source.Site, v.err).Because(v.err)
	case v.response.NotModified, v.response.Status >= 200 && v.response.Status < 300:
		return nil
	}
	return fail.New(fail.Invalid, "source %s of site %s: %s answers with status %d, so nothing was changed; check the address, or try again later",
		c.source.Name, c.source.Site, v.address, v.response.Status)
}

// kindOf tells what the first answer is, and refuses one that is not what the configuration says. "auto" is a page
// whose site is still to be asked for its lists.
func (c *crawl) kindOf(v *visit) (string, error) {
	is := c.sniff(v)
	switch {
	case v.response.NotModified && v.known != nil:
		return or(v.known.Kind, c.Kind), nil
	case c.Kind == "auto" && is == "page":
		return "auto", nil
	case c.Kind == "crawl" && is == "page":
		return "crawl", nil
	case is == c.Kind, c.Kind == "auto" && is != "":
		return is, nil
	case c.Kind == "schemamap" && is == "sitemap": // written with the elements of a sitemap
		return "schemamap", nil
	}
	what := map[string]string{"page": "a page", "": "a document of no form that is read (" + mediaOf(v.response) + ")"}[is]
	if what == "" {
		what = "a " + is
	}
	return "", fail.New(fail.Invalid, "source %s of site %s: at %s there is %s, and not what kind: %s says; nothing was changed", c.source.Name, c.source.Site, v.address, what, c.Kind)
}

func mediaOf(r *fetch.Response) string {
	return or(r.Header.Get("Content-Type"), "without a media type")
}

// plan says where to look for what the site has: in its schema map, or else in its sitemap, or else behind its links.
func (c *crawl) plan(ctx context.Context) error {
	rules, err := c.Visitor.Robots(ctx, c.start.String(), c.own(c.start))
	if err != nil {
		return fail.New(fail.Invalid, "source %s of site %s: %v", c.source.Name, c.source.Site, err).Because(err)
	}
	var maps, sitemaps []string
	if rules != nil {
		maps, sitemaps = rules.Schemamaps, rules.Sitemaps
	}
	guess := len(sitemaps) == 0
	if guess {
		sitemaps = []string{"/sitemap.xml"}
	}
	c.stages = []func(){
		func() { c.report.Kind = "schemamap"; c.offerLists(maps, c.start, 0) },
		func() {
			c.report.Kind = "sitemap"
			c.offerLists(sitemaps, c.start, 0)
			for _, v := range c.queue {
				v.guessed = guess
			}
		},
		c.crawlOn,
	}
	return nil
}

// crawlOn begins to follow links, with those of the first page.
func (c *crawl) crawlOn() {
	c.report.Kind, c.follow = "crawl", true
	c.offerLinks(c.first, 1)
}

// probe asks for a page that cannot exist, to know such a page by its look when the site does not say so by status.
func (c *crawl) probe(ctx context.Context) {
	at := *c.start
	at.Path = strings.TrimSuffix(at.Path[:strings.LastIndexByte(at.Path, '/')+1], "/") + "/" + probeAddress + strings.ToLower(rand.Text()[:10])
	at.RawPath, at.RawQuery = "", ""
	v := &visit{role: pageRole, address: &at, at: &at, fresh: true, looks: true}
	c.fetch(ctx, v)
	if v.err != nil || v.response.Status != http.StatusOK || c.sniff(v) != "page" || v.form() != pageForm {
		return
	}
	w := worker{source: c.source, base: c.start, limits: c.limits}
	text := printable(decodePage(string(v.response.Body), v.response.Header.Get("Content-Type")))
	facts := factsOf(text, v.at)
	c.missing = &w.look(&unit{visit: v}, text, &facts).content
}

// own says whether the operator named a host himself.
func (c *crawl) own(u *url.URL) bool {
	typed := tidy(c.URL, nil)
	if typed != nil && u.Host == typed.Host {
		return true
	}
	for _, host := range c.Hosts {
		if strings.EqualFold(host, u.Host) {
			return true
		}
	}
	return false
}

// fetch asks for the address, and a second time where the server wants to be asked later.
func (c *crawl) fetch(ctx context.Context, v *visit) {
	request := fetch.Request{
		URL: v.address.String(), Own: c.own(v.address), MaxBytes: min(longestPage, c.MaxBytes),
		Header: http.Header{"Accept": {"text/html,application/xhtml+xml,application/ld+json,application/xml;q=0.9,*/*;q=0.8"}},
	}
	if v.role != pageRole {
		request.MaxBytes = c.MaxBytes
	}
	if c.run != nil {
		state, known, err := c.run.Recall(ctx, v.address.String())
		if err != nil {
			v.err = err
			return
		}
		if known {
			v.known = recalled(state)
		}
	}
	if v.known != nil && v.known.Reader == c.reader && !v.fresh {
		if v.unchanged(c.now()) {
			v.outcome = same
			return
		}
		request.ETag, request.LastModified = v.known.ETag, v.known.Modified
	}
	for range 2 {
		v.response, v.err = c.Visitor.Get(ctx, request)
		if v.err == nil {
			if to := tidy(v.response.URL, nil); to != nil {
				v.at = to
			}
		}
		if v.err != nil || v.response.Status != http.StatusTooManyRequests && v.response.Status != http.StatusServiceUnavailable {
			return
		}
	}
}

// unchanged says whether it need not be asked for: the list tells that it has not changed since it was last had, which
// is not too long ago to be believed.
func (v *visit) unchanged(now time.Time) bool {
	changed := date(v.changed)
	if changed.IsZero() || v.changed != v.known.Listed || now.Sub(v.known.Seen) > believedFor {
		return false
	}
	if len(v.changed) <= len(time.DateOnly) { // anywhere on Earth the day must have been over
		changed = changed.Add(48 * time.Hour)
	}
	return v.known.Seen.After(changed)
}

// believedFor is how long a list's word for a page's last change is believed. Some lists always say the same.
const believedFor = 7 * 24 * time.Hour

// pump sends visitors out and passes the visits on in the order in which they set out, until all is seen.
func (c *crawl) pump(ctx context.Context, emit func(context.Context, *unit) error) error {
	first, err := c.prepare(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { c.mu.Lock(); defer c.mu.Unlock(); c.changed.Broadcast() })()
	var visitors sync.WaitGroup
	defer visitors.Wait()
	defer cancel()
	visits := make(chan *visit, 2*c.Parallel)
	c.underway, c.report.Asked = 1, 1
	visits <- first
	visitors.Go(func() {
		defer close(visits)
		free := make(chan struct{}, c.Parallel)
		for v := c.next(ctx); v != nil; v = c.next(ctx) {
			select {
			case visits <- v:
			case <-ctx.Done():
				return
			}
			free <- struct{}{}
			visitors.Go(func() {
				c.fetch(ctx, v)
				close(v.done)
				<-free
			})
		}
	})
	for v := range visits {
		<-v.done
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := c.take(ctx, v, emit); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// next waits for an address to ask for; nil when there is none any more.
func (c *crawl) next(ctx context.Context) *visit {
	c.mu.Lock()
	defer c.mu.Unlock()
	for ctx.Err() == nil {
		switch {
		case c.report.Cut == "" && c.now().Sub(c.began) > c.Time:
			c.report.Cut = "it took longer than " + c.Time.String() + ", the most that a run may; raise crawl.time, or leave parts out with crawl.exclude"
		case c.report.Cut == "" && len(c.queue) > 0:
			v := c.queue[0]
			c.queue[0], c.queue = nil, c.queue[1:]
			c.underway++
			c.report.Asked++
			v.looks = v.looks || c.follow || c.missing != nil
			v.done = make(chan struct{})
			return v
		case c.underway > 0:
			c.changed.Wait()
		case c.report.Cut != "" || c.found > 0 || len(c.stages) == 0, c.lost && c.run != nil && !c.run.First():
			return nil // a list that fails today is no reason to read the site in another way
		default:
			stage := c.stages[0]
			c.stages = c.stages[1:]
			stage()
		}
	}
	return nil
}

// offerLinks queues what links lead to. The caller holds the lock, or is alone.
func (c *crawl) offerLinks(links []string, depth int) {
	for _, link := range links {
		if u := c.normal(link, c.start); u != nil && c.front.Offer(u, depth, false) == frontier.Admitted {
			c.queue = append(c.queue, &visit{role: pageRole, address: u, at: u, depth: depth})
		}
	}
}

// offerLists queues lists and feeds.
func (c *crawl) offerLists(addresses []string, base *url.URL, depth int) {
	for _, address := range addresses {
		u := tidy(address, base)
		if u != nil && c.lists < mostLists && depth <= deepestList && !c.front.Seen(u) {
			c.lists++
			c.queue = append(c.queue, &visit{role: listRole, address: u, at: u, depth: depth, listed: true})
		}
	}
}

// offerPage queues a page that a list names.
func (c *crawl) offerPage(address, changed string, base *url.URL) frontier.Verdict {
	u := c.normal(address, base)
	if u == nil {
		return frontier.Outside
	}
	verdict := c.front.Offer(u, 0, true)
	if verdict == frontier.Admitted {
		c.found++
		c.queue = append(c.queue, &visit{role: pageRole, address: u, at: u, listed: true, changed: changed})
	}
	return verdict
}

// settle deals with what a visit turned out to be, behind the workers.
func (c *crawl) settle(ctx context.Context, v *visit) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.changed.Broadcast()
	c.underway--
	if v.outcome == same {
		whole, err := c.keep(ctx, v)
		if err != nil {
			return err
		}
		if !whole { // what it held was never published: once more, whatever is remembered
			c.queue = append([]*visit{{role: v.role, address: v.address, at: v.address, depth: v.depth, listed: v.listed, looks: v.looks, fresh: true}}, c.queue...)
			return nil
		}
	}
	c.settled[v.address.String()] = true
	c.count(v)
	if err := c.remember(ctx, v); err != nil {
		return err
	}
	c.goOn(v)
	if v.role == listRole && !v.list {
		c.found += len(v.items)
		if v.outcome == failed && v.known != nil {
			c.found += len(v.known.Items)
		}
	}
	return nil
}

// keep lets what an address held before stay; whole says that all of it is there.
func (c *crawl) keep(ctx context.Context, v *visit) (whole bool, err error) {
	if c.run == nil || v.known == nil {
		return false, nil
	}
	missing, err := c.run.Keep(ctx, v.known.Items...)
	v.items = v.known.Items
	return missing == 0, err
}

// count notes the outcome, and when nothing is left to hope for.
func (c *crawl) count(v *visit) {
	r := &c.report
	if v.guessed && v.outcome != wasRead {
		r.Asked--
		return
	}
	for at, n := range map[outcome]*int{same: &r.Unchanged, failed: &r.Failed, gone: &r.Gone, closed: &r.Closed, disallowed: &r.Disallowed,
		hidden: &r.Hidden, repeated: &r.Repeated, useless: &r.Useless} {
		if at == v.outcome {
			*n++
		}
	}
	switch v.outcome {
	case failed, closed:
		if c.bad++; c.bad >= mostMisses && r.Cut == "" {
			r.Cut = fmt.Sprintf("the site gave no answer %d times in a row; run again later", c.bad)
			c.queue = nil
		}
	default:
		c.bad = 0
	}
	switch unknown := v.known == nil || len(v.known.Items) == 0; {
	case v.role == listRole && unknown && (v.outcome == failed || v.outcome == useless), c.follow && v.known == nil && v.outcome == failed:
		c.lost = true
	}
}

// remember keeps what the next run needs to know of the address.
func (c *crawl) remember(ctx context.Context, v *visit) error {
	if c.run == nil || v.list {
		return nil
	}
	m := v.known
	if v.response == nil && v.outcome != failed && v.outcome != same {
		return nil
	}
	switch v.outcome {
	case wasRead, hidden, repeated, useless:
		m = c.learned(v)
	case failed, same:
		if m == nil {
			return nil
		}
		if v.outcome == same && v.response != nil {
			m.Listed, m.Seen = v.changed, c.now()
		}
		if _, err := c.run.Keep(ctx, m.Items...); err != nil {
			return err
		}
	case closed:
		c.closed = append(c.closed, v.address.String())
		return nil
	default:
		return nil
	}
	if v.feed && v.outcome == wasRead && !c.Complete && c.report.Kind == "feed" {
		if err := c.keepTail(ctx, v, m); err != nil {
			return err
		}
	}
	if len(m.Items) > mostItems {
		return nil
	}
	state, err := m.encode()
	if err != nil {
		return err
	}
	return c.run.Remember(ctx, v.address.String(), state)
}

// learned is what is to be remembered of an address that was read.
func (c *crawl) learned(v *visit) *recollection {
	m := &recollection{
		Reader: c.reader, Kind: map[bool]string{true: c.report.Kind}[v.role == startRole && (c.report.Kind == "feed" || c.report.Kind == "data")], ETag: v.response.Header.Get("ETag"), Modified: v.response.Header.Get("Last-Modified"), Digest: v.digest, Items: v.items,
		Listed: v.changed, Seen: c.now(),
	}
	if len(m.ETag) > 1000 || len(m.Modified) > 100 {
		m.ETag, m.Modified = "", ""
	}
	if v.sight != nil {
		m.Links = v.sight.links
	}
	return m
}

// keepTail lets entries stay that have moved out at the end of a feed: those that came after the last that is still
// in it. One that is missing before that was taken out.
func (c *crawl) keepTail(ctx context.Context, v *visit, m *recollection) error {
	if v.known == nil {
		return nil
	}
	here := map[string]bool{}
	for _, address := range v.items {
		here[address] = true
	}
	before := v.known.Items
	last := len(before) - 1
	for last >= 0 && !here[before[last]] {
		last--
	}
	tail := before[last+1:]
	_, err := c.run.Keep(ctx, tail...)
	m.Items = append(append([]string{}, v.items...), tail...)
	m.Items = m.Items[:min(len(m.Items), mostItems)]
	return err
}

// goOn follows what the page leads to: the links that were found, or those of before where it was not read.
func (c *crawl) goOn(v *visit) {
	var links []string
	switch {
	case v.sight != nil:
		links = v.sight.links
	case (v.outcome == same || v.outcome == failed) && v.known != nil:
		links = v.known.Links
	}
	if v.role == startRole {
		c.first = links
	}
	if c.follow {
		c.offerLinks(links, v.depth+1)
	}
}

// wanted says whether items are taken of a page, and what it is if not.
func (c *crawl) wanted(v *visit) bool {
	if v.sight == nil {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := v.sight
	if v.looks && v.role != startRole {
		body := fmt.Sprintf("%s%s %s %x", v.address.Host, v.address.Path, s.content.Title, s.content.Text)
		again := c.bodies[body] && v.address.RawQuery != ""
		c.bodies[body] = true
		stale := c.follow && c.front.Learn(v.address, s.content)
		switch {
		case c.missing != nil && s.content.Title == c.missing.Title && frontier.Alike(s.content.Text, c.missing.Text):
			v.outcome = gone
			s.links = nil
			c.alike++
		case again && stale, s.moved:
			v.outcome = repeated
		}
	}
	if s.hidden {
		v.outcome = hidden
	}
	return v.outcome == wasRead
}

// size is how many addresses are to be asked for, as far as is known, and how much was had.
func (c *crawl) size() (addresses int, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.report.Asked + len(c.queue), c.report.Bytes
}

// end keeps, when all is seen that there was to see, what could not be seen. partial says that nothing may be removed,
// since it is not known which addresses things came from.
func (c *crawl) end(ctx context.Context) (partial bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := &c.report
	r.Endless = c.front.Count(frontier.Trap)
	r.Beyond = c.front.Count(frontier.Full) + c.front.Count(frontier.Deep)
	if c.alike > fewClosed && 2*c.alike > r.Asked {
		r.Note = fmt.Sprintf("%s pages look like one that does not exist; if the site builds its pages in the browser, give its feed, or a file of its data, as a source", countText(c.alike))
	}
	if c.lost && r.Cut == "" {
		r.Cut = "an address could not be had of which it is not known what it leads to"
	}
	refused := len(c.closed) > fewClosed && 10*len(c.closed) > r.Asked || c.bad >= mostMisses
	if refused && r.Cut == "" {
		r.Cut = fmt.Sprintf("the site refused %d addresses of %d; check that it lets this visitor in", len(c.closed), r.Asked)
	}
	if c.run == nil || r.Cut == "" {
		return false, nil
	}
	back := map[string]bool{}
	for _, address := range c.closed {
		back[address] = refused
	}
	known := 0
	err = c.run.Remembered(ctx, func(address string, state []byte) error {
		known++
		m := recalled(state)
		if m == nil || c.settled[address] && !back[address] {
			return nil
		}
		if _, err := c.run.Keep(ctx, m.Items...); err != nil {
			return err
		}
		return c.run.Remember(ctx, address, state)
	})
	return known == 0, err
}

// reason gives what is known of a failure.
func (v *visit) reason() string {
	var known *fetch.Error
	switch {
	case errors.As(v.err, &known):
		return known.Detail
	case v.err != nil:
		return v.err.Error()
	}
	return fmt.Sprintf("the server answers with status %d", v.response.Status)
}
