package ingest

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"time"

	"frontdesk/internal/content/ingest/document"
	"frontdesk/internal/content/ingest/pageurl"
	"frontdesk/internal/infra/fetch"
)

// crawl reads a source from the web. Several visits are under way at a time, but what they bring is
// dealt with in the order in which they set out, so that equal sites give equal items: first take,
// which turns an answer into units, then, behind the workers, settle, which goes on from what the
// page turned out to be.
type crawl struct {
	Web
	source *Source
	limits document.Limits
	now    func() time.Time
	began  time.Time

	mu      sync.Mutex // guards what follows
	changed *sync.Cond
	report  WebReport
	press   *press // of a WordPress; nil for others
	agenda
	misses
	repeatedPages
	pageStates
}

// Bounds of a crawl.
const (
	longestPage  = 4 << 20 // bytes of a page, if Web.MaxBytes is not less
	maxLists     = 5000    // lists and feeds of one source
	deepestList  = 5
	probeAddress = "frontdesk-asks-what-a-missing-page-looks-like-"
)

func newCrawl(source *Source, base string, limits document.Limits) *crawl {
	c := &crawl{Web: source.Web.withDefaults(), source: source, limits: limits, now: time.Now}
	c.changed = sync.NewCond(&c.mu)
	c.start = pageurl.FromLink(c.URL, nil)
	c.bodies = map[string]bool{}
	c.pageStates = pageStates{reader: readerOf(source, base), settled: map[string]bool{}}
	c.report.Kind = c.Kind
	return c
}

// role is why an address is asked for.
type role int

const (
	startRole role = iota
	pageRole
	listRole // a list, or a feed that a list names
	postRole // a post of a WordPress, which is an entry of an answer
)

// visit is one address being asked for.
type visit struct {
	role    role
	address *url.URL // by which it was found, and is remembered
	at      *url.URL // that answered, after redirects
	depth   int
	fresh   bool // whatever is remembered
	listed  bool
	post    string // of a WordPress: its collection and id
	guessed bool   // nobody said that it is there
	changed string // when the list says that it last changed
	looks   bool   // for links, and for what the text is like
	done    chan struct{}

	known   *recollection
	broken  error // of the store, which is no fault of the page and ends the run
	outcome outcome
	reply
	yield
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

// fetch asks for the address, and a second time where the server wants to be asked later.
func (c *crawl) fetch(ctx context.Context, v *visit) {
	request := fetch.Request{
		URL: v.address.String(), Own: c.own(v.address), MaxBytes: min(longestPage, c.MaxBytes),
		Header: http.Header{
			"Accept": {"text/html,application/xhtml+xml,application/ld+json,application/xml;q=0.9,*/*;q=0.8"}},
	}
	if v.role != pageRole {
		request.MaxBytes = c.MaxBytes
	}
	if v.known, v.broken = c.recall(ctx, v.address); v.broken != nil {
		return
	}
	if v.known != nil && v.known.Reader == c.reader && !v.fresh {
		if v.unchanged(c.now()) {
			v.outcome = same
			return
		}
		request.ETag, request.LastModified = v.known.ETag, v.known.Modified
	}
	for range 2 {
		v.response, v.err = c.Crawler.Get(ctx, request)
		if v.err == nil {
			if to := pageurl.FromLink(v.response.URL, nil); to != nil {
				v.at = to
			}
		}
		if v.err != nil ||
			v.response.Status != http.StatusTooManyRequests && v.response.Status != http.StatusServiceUnavailable {
			return
		}
	}
}

// unchanged says whether it need not be asked for: the list tells that it has not changed since it
// was last had, which is not too long ago to be believed.
func (v *visit) unchanged(now time.Time) bool {
	changed := document.ParseDate(v.changed)
	if changed.IsZero() || v.changed != v.known.Listed || now.Sub(v.known.Seen) > believedFor {
		return false
	}
	if len(v.changed) <= len(time.DateOnly) { // anywhere on Earth the day must have been over
		changed = changed.Add(48 * time.Hour)
	}
	return v.known.Seen.After(changed)
}

// believedFor is how long a list's word for a page's last change is believed. Some lists always say
// the same.
const believedFor = 7 * 24 * time.Hour

// pump sends visitors out and passes the visits on in the order in which they set out, until all is
// seen.
func (c *crawl) pump(ctx context.Context, emit func(context.Context, *unit) error) error {
	if c.Kind == wordpressKind {
		return c.pumpPosts(ctx, emit)
	}
	var first *visit
	var err error
	if c.some() {
		err = c.prepareSome(ctx)
	} else {
		first, err = c.prepare(ctx)
	}
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
	if first != nil {
		c.underway, c.report.Asked = 1, 1
		visits <- first
	}
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
		if v.broken != nil {
			return v.broken
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
			c.report.Cut = "it took longer than " + c.Time.String() +
				", the most that a run may; raise crawl.time, or leave parts out with crawl.exclude"
		case c.report.Cut == "" && len(c.queue) > 0:
			v := c.pop()
			c.report.Asked++
			v.looks = v.looks || c.follow || c.missing != nil
			v.done = make(chan struct{})
			return v
		case c.underway > 0:
			c.changed.Wait()
		case c.report.Cut != "", c.lost && c.run != nil && !c.run.IsFirst():
			return nil // a list that fails today is no reason to read the site in another way
		case !c.tryNext():
			return nil
		}
	}
	return nil
}

// size is how many addresses are to be asked for, as far as is known, and how much was had.
func (c *crawl) size() (addresses int, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.report.Asked + len(c.queue), c.report.Bytes
}
