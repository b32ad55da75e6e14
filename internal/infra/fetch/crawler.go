package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"frontdesk/internal/infra/fetch/robots"
)

// CrawlerOptions configure a Crawler.
type CrawlerOptions struct {
	// Interval is the time between two requests to a host; 0 lets them come as fast as they are
	// made. Where robots.txt asks for longer, it is that, up to MaxInterval.
	Interval time.Duration
	// Sleep waits for a time or until ctx ends; nil is the clock's. Tests have their own.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Bounds of a Crawler.
const (
	// MaxInterval bounds the time between two requests to a host that robots.txt or Retry-After may
	// ask for.
	MaxInterval = time.Minute
	robotsAge   = 24 * time.Hour  // RFC 9309 §2.4
	retryRobots = 5 * time.Minute // when a site could not say
	maxHosts    = 10_000
)

// Crawler gets documents with the manners of a crawler: it asks a site's robots.txt (RFC 9309) and
// keeps it for a day, and does not call a host more often than agreed. Where no robots.txt can be
// had because the server fails or is not there, nothing may be fetched; where there is none,
// everything.
//
// Its methods may be called from several goroutines. Crawls that share a Crawler share its manners.
type Crawler struct {
	fetcher *Fetcher
	options CrawlerOptions

	mu      sync.Mutex
	origins map[string]*origin
	turns   map[string]time.Time // when a host may be called next
}

// origin is what is known of the robots.txt of a scheme, host and port.
type origin struct {
	mu      sync.Mutex // held while it is asked for, so that it is asked for once
	heard   bool       // it said something once, be it that there are no rules
	rules   *robots.Rules
	closed  error // why nothing may be fetched
	expires time.Time
}

// NewCrawler returns a Crawler that fetches through f.
func NewCrawler(f *Fetcher, options CrawlerOptions) *Crawler {
	if options.Sleep == nil {
		options.Sleep = sleep
	}
	return &Crawler{fetcher: f, options: options, origins: map[string]*origin{}, turns: map[string]time.Time{}}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Get fetches as Fetcher.Get does, when it is the host's turn. An address that robots.txt closes is
// an Error with the Reason Disallowed.
func (v *Crawler) Get(ctx context.Context, request Request) (*Response, error) {
	response, err := v.fetcher.get(ctx, request, v.enter)
	if err == nil {
		v.heed(response)
	}
	return response, err
}

// Robots returns the rules of an address's site. They are nil, and allow everything, when the site
// has none.
func (v *Crawler) Robots(ctx context.Context, address string, own bool) (*robots.Rules, error) {
	u, err := parse(address)
	if err != nil {
		return nil, err
	}
	return v.rules(ctx, u, own)
}

// enter asks and waits before one request.
func (v *Crawler) enter(ctx context.Context, to *url.URL, own bool) error {
	rules, err := v.rules(ctx, to, own)
	if err != nil {
		return err
	}
	if !rules.Allowed(v.fetcher.options.UserAgent, to.RequestURI()) {
		return failure(Disallowed, to, nil, "the site's robots.txt asks visitors to keep away from it")
	}
	return v.turn(ctx, to.Host, rules.CrawlDelay(v.fetcher.options.UserAgent))
}

// turn waits until a host may be called. Whoever comes takes the next free moment.
func (v *Crawler) turn(ctx context.Context, host string, asked time.Duration) error {
	if v.options.Interval <= 0 {
		return ctx.Err()
	}
	interval := min(max(v.options.Interval, asked), max(v.options.Interval, MaxInterval))
	v.mu.Lock()
	now := v.fetcher.options.Now()
	at := later(v.turns[host], now)
	v.turns[host] = at.Add(interval)
	v.tidy(now)
	v.mu.Unlock()
	if wait := at.Sub(now); wait > 0 {
		return v.options.Sleep(ctx, wait)
	}
	return ctx.Err()
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// heed puts off the next call to a host that asked for it (RFC 9110 §10.2.3).
func (v *Crawler) heed(response *Response) {
	if v.options.Interval <= 0 ||
		response.Status != http.StatusTooManyRequests && response.Status != http.StatusServiceUnavailable {
		return
	}
	seconds, err := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 31)
	u, invalid := url.Parse(response.URL)
	if err != nil || invalid != nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.turns[u.Host] = later(v.turns[u.Host],
		v.fetcher.options.Now().Add(min(time.Duration(seconds)*time.Second, MaxInterval)))
}

// tidy forgets hosts whose time has passed when there are very many. The caller holds the lock.
func (v *Crawler) tidy(now time.Time) {
	if len(v.turns) <= maxHosts {
		return
	}
	for host, at := range v.turns {
		if at.Before(now) {
			delete(v.turns, host)
		}
	}
}

// rules gives what the robots.txt of an address's origin says, or why nothing of it may be fetched.
func (v *Crawler) rules(ctx context.Context, of *url.URL, own bool) (*robots.Rules, error) {
	at := v.origin(of, own)
	at.mu.Lock()
	defer at.mu.Unlock()
	if now := v.fetcher.options.Now(); now.Before(at.expires) {
		return at.rules, at.closed
	}
	rules, err := v.ask(ctx, of, own)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	now := v.fetcher.options.Now()
	switch {
	case err == nil:
		at.heard, at.rules, at.closed, at.expires = true, rules, nil, now.Add(robotsAge)
	case at.heard: // what it said a day ago is better than nothing
		at.expires = now.Add(retryRobots)
	default:
		at.closed, at.expires = err, now.Add(retryRobots)
	}
	return at.rules, at.closed
}

// origin finds or makes what is known of an origin. A host that only its operator may name has an
// entry for him.
func (v *Crawler) origin(of *url.URL, own bool) *origin {
	key := fmt.Sprintf("%s://%s %t", of.Scheme, of.Host, own)
	v.mu.Lock()
	defer v.mu.Unlock()
	if at, known := v.origins[key]; known {
		return at
	}
	if len(v.origins) >= maxHosts {
		clear(v.origins)
	}
	at := &origin{}
	v.origins[key] = at
	return at
}

// ask gets a robots.txt. A status in the 400s says that there is none, except 429, which says that
// the server wants to be left alone (RFC 9309 §2.3.1).
func (v *Crawler) ask(ctx context.Context, of *url.URL, own bool) (*robots.Rules, error) {
	address := url.URL{Scheme: of.Scheme, Host: of.Host, Path: "/robots.txt"}
	request := Request{URL: address.String(), Own: own, MaxBytes: robots.MaxBytes + 1, Truncate: true}
	response, err := v.fetcher.get(ctx, request, func(ctx context.Context, to *url.URL, _ bool) error {
		return v.turn(ctx, to.Host, 0)
	})
	var failed *Error
	switch {
	case errors.As(err, &failed) && failed.Reason == Refused:
		return nil, err // the address itself may not be fetched, and that is what to say
	case err != nil:
		return nil, failure(Unreachable, of, err,
			"the site's robots.txt could not be had, so nothing of it is fetched (%v)", err)
	case response.Status >= 200 && response.Status < 300:
		return robots.Parse(response.Body), nil
	case response.Status >= 400 && response.Status < 500 && response.Status != http.StatusTooManyRequests:
		return nil, nil
	default:
		return nil, failure(Unreachable, &address, nil,
			"the server answers with status %d where its robots.txt should be, so nothing of it is fetched; try "+
				"again later", response.Status)
	}
}

// Token is the product token by which robots.txt names a crawler with this User-Agent, in lower
// case: the letters, dashes and underscores that it begins with. Empty means that no robots.txt can
// speak of it.
func Token(userAgent string) string {
	if token := robots.Token(userAgent); token != "*" {
		return token
	}
	return ""
}
