package fetch_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/infra/fetch"
)

// clock is a time that moves only when somebody sleeps.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
}

func newClock() *clock { return &clock{now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(_ context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slept = append(c.slept, d)
	c.now = c.now.Add(d)
	return nil
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// site is a server with a robots.txt that can change.
type site struct {
	*httptest.Server
	mu     sync.Mutex
	status int
	robots string
	asked  atomic.Int64 // for robots.txt
	pages  atomic.Int64
}

func newSite(t *testing.T, status int, robots string) *site {
	s := &site{status: status, robots: robots}
	s.Server = peer(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			s.asked.Add(1)
			s.mu.Lock()
			defer s.mu.Unlock()
			w.WriteHeader(s.status)
			fmt.Fprint(w, s.robots)
		case "/busy":
			w.Header().Set("Retry-After", "30")
			w.WriteHeader(http.StatusTooManyRequests)
		case "/moved":
			http.Redirect(w, r, "/private/page", http.StatusFound)
		default:
			s.pages.Add(1)
			fmt.Fprint(w, "page")
		}
	})
	return s
}

func (s *site) say(status int, robots string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status, s.robots = status, robots
}

func newVisitor(t *testing.T, c *clock, interval time.Duration) *fetch.Crawler {
	f := newFetcher(t, fetch.Options{UserAgent: "Guest/1", Now: c.Now})
	return fetch.NewCrawler(f, fetch.CrawlerOptions{Interval: interval, Sleep: c.Sleep})
}

func get(t *testing.T, v *fetch.Crawler, address string) fetch.Reason {
	t.Helper()
	_, err := v.Get(t.Context(), fetch.Request{URL: address, Own: true})
	if err != nil {
		return reasonOf(err)
	}
	return ""
}

func TestAVisitorKeepsAwayFromWhatRobotsDisallow(t *testing.T) {
	t.Parallel()
	s := newSite(t, 200, "User-agent: guest\nDisallow: /private\nAllow: /private/door\n\nUser-agent: *\nDisallow: /\n")
	v := newVisitor(t, newClock(), 0)
	for page, want := range map[string]fetch.Reason{
		"/": "", "/private": fetch.Disallowed, "/private/page?x": fetch.Disallowed, "/private/door": "",
		"/%70rivate/": fetch.Disallowed,
		"/moved":      fetch.Disallowed, // where it redirects to
	} {
		if reason := get(t, v, s.URL+page); reason != want {
			t.Errorf("%s: %q, wanted %q", page, reason, want)
		}
	}
	if s.asked.Load() != 1 || s.pages.Load() != 2 {
		t.Errorf("robots.txt was asked for %d times, pages were %d times", s.asked.Load(), s.pages.Load())
	}
}

func TestWithoutRobotsEverythingMayBeFetchedAndWithABrokenServerNothing(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]fetch.Reason{
		200: "", 204: "", 400: "", 401: "", 403: "", 404: "", 410: "",
		429: fetch.Unreachable, 500: fetch.Unreachable, 503: fetch.Unreachable,
	} {
		s := newSite(t, status, "")
		if reason := get(t, newVisitor(t, newClock(), 0), s.URL); reason != want {
			t.Errorf("robots.txt with status %d: %q, wanted %q", status, reason, want)
		}
	}
}

func TestRobotsAreKeptForADay(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := newSite(t, 200, "")
	v := newVisitor(t, c, 0)
	visit := func(want fetch.Reason, asked int64) {
		t.Helper()
		if reason := get(t, v, s.URL+"/page"); reason != want || s.asked.Load() != asked {
			t.Errorf("%q after asking %d times, wanted %q after %d", reason, s.asked.Load(), want, asked)
		}
	}
	visit("", 1)
	s.say(200, "User-agent: *\nDisallow: /")
	c.pass(23 * time.Hour)
	visit("", 1)
	c.pass(2 * time.Hour)
	visit(fetch.Disallowed, 2)
	s.say(500, "") // what was said yesterday holds as long as nothing else can be had
	c.pass(25 * time.Hour)
	visit(fetch.Disallowed, 3)
	visit(fetch.Disallowed, 3)
	s.say(404, "")
	c.pass(6 * time.Minute)
	visit("", 4)
}

func TestASiteThatCouldNotSayIsAskedAgainSoon(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := newSite(t, 503, "")
	v := newVisitor(t, c, 0)
	if reason := get(t, v, s.URL); reason != fetch.Unreachable {
		t.Errorf("while it fails: %q", reason)
	}
	s.say(200, "")
	c.pass(6 * time.Minute)
	if reason := get(t, v, s.URL); reason != "" {
		t.Errorf("after that: %q", reason)
	}
}

func TestAHostIsCalledNoMoreOftenThanAgreed(t *testing.T) {
	t.Parallel()
	c := newClock()
	s, other := newSite(t, 404, ""), newSite(t, 404, "")
	v := newVisitor(t, c, time.Second)
	start := c.Now()
	for range 4 { // robots.txt is a call too
		get(t, v, s.URL+"/page")
	}
	if took := c.Now().Sub(start); took != 4*time.Second {
		t.Errorf("five calls took %v", took)
	}
	get(t, v, other.URL+"/page")
	if took := c.Now().Sub(start); took != 5*time.Second { // its robots.txt at once, its page a second later
		t.Errorf("with two calls of another host it took %v", took)
	}
	c.pass(time.Hour)
	c.slept = nil
	get(t, v, s.URL+"/page")
	if len(c.slept) != 0 {
		t.Errorf("waited %v after an hour of nothing", c.slept)
	}
}

func TestManyAtOnceTakeTurns(t *testing.T) {
	t.Parallel()
	s := newSite(t, 404, "")
	c := newClock()
	var mu sync.Mutex
	waits := map[time.Duration]int{}
	v := fetch.NewCrawler(newFetcher(t, fetch.Options{Now: c.Now}),
		fetch.CrawlerOptions{Interval: time.Second, Sleep: func(_ context.Context, d time.Duration) error {
			mu.Lock()
			defer mu.Unlock()
			waits[d]++
			return nil
		}})
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { get(t, v, s.URL+"/page") })
	}
	all.Wait()
	for i := 1; i <= 20; i++ {
		if waits[time.Duration(i)*time.Second] != 1 {
			t.Errorf("%d visitors waited %d s", waits[time.Duration(i)*time.Second], i)
		}
	}
	if s.asked.Load() != 1 {
		t.Errorf("robots.txt was asked for %d times", s.asked.Load())
	}
}

func TestASiteMayAskForMoreTime(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		robots string
		page   string
		want   time.Duration // between the first page and the second
	}{
		{"User-agent: *\nCrawl-delay: 7", "/page", 7 * time.Second},
		{"User-agent: *\nCrawl-delay: 0.1", "/page", time.Second},
		{"User-agent: *\nCrawl-delay: 86400", "/page", fetch.MaxInterval},
		{"User-agent: other\nCrawl-delay: 7", "/page", time.Second},
		{"", "/busy", 30 * time.Second},
	} {
		c := newClock()
		s := newSite(t, 200, row.robots)
		v := newVisitor(t, c, time.Second)
		get(t, v, s.URL+row.page)
		before := c.Now()
		get(t, v, s.URL+row.page)
		if waited := c.Now().Sub(before); waited != row.want {
			t.Errorf("%q, %s: waited %v, wanted %v", row.robots, row.page, waited, row.want)
		}
	}
}

func TestTheRulesOfASiteCanBeLookedAt(t *testing.T) {
	t.Parallel()
	s := newSite(t, 200,
		"Sitemap: https://www.example.com/sitemap.xml\nSchemamap: https://www.example.com/schemamap.xml\n")
	v := newVisitor(t, newClock(), 0)
	rules, err := v.Robots(t.Context(), s.URL+"/deep/page", true)
	if err != nil || len(rules.Sitemaps) != 1 || len(rules.Schemamaps) != 1 {
		t.Errorf("%+v, %v", rules, err)
	}
	// What the operator was told is not told to strangers.
	if _, err := v.Robots(t.Context(), s.URL+"/deep/page", false); reasonOf(err) != fetch.Refused {
		t.Errorf("a stranger: %v", err)
	}
	if reason := get(t, v, s.URL+"/page"); reason != "" {
		t.Errorf("the operator after a stranger: %q", reason)
	}
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	t.Parallel()
	s := newSite(t, 404, "")
	v := fetch.NewCrawler(newFetcher(t, fetch.Options{}), fetch.CrawlerOptions{Interval: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Millisecond, cancel)
	if _, err := v.Get(ctx, fetch.Request{URL: s.URL, Own: true}); err != context.Canceled {
		t.Errorf("got %v", err)
	}
}
