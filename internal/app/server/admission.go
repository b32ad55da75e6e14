package server

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/ask/nlweb"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/infra/ratelimit"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/infra/yamlconf"
)

// admission decides who comes in at which door, and how often: it names the party behind a request's credential, and
// counts the request for the party or the address, and for the sites that are asked.
type admission struct {
	config   Config
	outside  *outside
	verifier *identity.Verifier
	strict   bool     // credentials are expected, so that what is none is wrong
	sites    []string // all that are served

	address, key, site ratelimit.Meter
	// failures counts wrong credentials, and excess what comes over the limit at a door that says so in its own
	// words. Both are counted by each node for itself: they protect the node.
	failures, excess ratelimit.Meter
}

// newAdmission puts together what a checked configuration says.
func newAdmission(config Config, house *House, out *outside, now func() time.Time) (*admission, error) {
	a := &admission{config: config, outside: out}
	a.strict = len(config.Auth.Required)+len(config.Auth.Keys) > 0 || config.Auth.OAuth.Issuer != ""
	trusted := identity.Config{Keys: house.Keys, Now: now, Strict: a.strict, Log: house.log}
	for _, key := range config.Auth.Keys {
		trusted.Fixed = append(trusted.Fixed, identity.ConfiguredKey(key))
	}
	if o := config.Auth.OAuth; o.Issuer != "" {
		trusted.OAuth = &identity.OAuth{
			Issuer: o.Issuer, Audiences: config.audiences(), JWKS: o.JWKS, Algorithms: o.Algorithms, Scopes: o.Scopes, Skew: o.Skew,
			Fetch: keysFrom(config.Fetcher()),
		}
	}
	var err error
	if a.verifier, err = identity.New(trusted); err != nil {
		return nil, err
	}
	for _, site := range config.AllSites() {
		a.sites = append(a.sites, site.ID)
	}
	rates := config.Limits.Rate
	options := ratelimit.Options{Secret: house.secret, Now: now, Log: house.log}
	alone := ratelimit.New(options)
	together := alone
	if rates.Shared && house.db.Engine() == store.PostgreSQL {
		options.DB = house.db
		together = ratelimit.New(options)
	}
	meters := []struct {
		meter   *ratelimit.Meter
		limiter *ratelimit.Limiter
		name    string
		rate    string
	}{
		{&a.address, together, "address", rates.Address}, {&a.key, together, "key", rates.Key}, {&a.site, together, "site", rates.Site},
		{&a.failures, alone, "failures", rates.Failures}, {&a.excess, alone, "excess", ""},
	}
	for _, m := range meters {
		rate, err := ratelimit.ParseRate(m.rate)
		if err != nil {
			return nil, err
		}
		*m.meter = m.limiter.Meter(m.name, rate)
	}
	return a, nil
}

// keysFrom fetches the authorization server's keys.
func keysFrom(fetcher *fetch.Fetcher) func(context.Context, string) ([]byte, error) {
	const most = 1 << 20
	return func(ctx context.Context, address string) ([]byte, error) {
		response, err := fetcher.Get(ctx, fetch.Request{URL: address, Own: true, MaxBytes: most, Header: http.Header{"Accept": {"application/jwk-set+json, application/json"}}})
		if err != nil {
			return nil, err
		}
		if response.Status != http.StatusOK {
			return nil, fail.New(fail.Unavailable, "%s answered with status %d", address, response.Status)
		}
		return response.Body, nil
	}
}

// tally is what was counted for one request. A tool of a protocol may run on another goroutine than the one that
// writes the response's head.
type tally struct {
	mu      sync.Mutex
	counted []counted
	closed  bool        // the door is open to credentials only
	refused *fail.Error // at the front, of a request whose door says so in its own words
}

type counted struct {
	name   string
	window time.Duration // until a limit that is used up is there again as a whole
	status ratelimit.Status
}

type tallyKey struct{}

func (t *tally) add(name string, window time.Duration, status ratelimit.Status) {
	if t == nil || status.Limit == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counted = append(t.counted, counted{name, window, status})
}

// counts says whether requests are counted that show no credential, or a good one.
func (a *admission) counts() bool {
	return a != nil && slices.ContainsFunc([]ratelimit.Meter{a.address, a.key, a.site}, func(m ratelimit.Meter) bool { return !m.Rate().Unlimited() })
}

// guard lets a request pass to a door if it may.
func (a *admission) guard(where *route, next http.Handler) http.Handler {
	closed := slices.Contains(a.config.Auth.Required, where.door)
	open := !closed && !a.counts()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.WithContext(a.called(r))
		if open && !identity.Presented(r.Header) {
			next.ServeHTTP(w, r)
			return
		}
		t := &tally{closed: closed}
		if answer, ok := w.(*recorder); ok {
			answer.tally = t
		}
		ctx, err := a.admit(r, where, t)
		if err != nil {
			if challenge := a.challenge(r, where, err); challenge != "" {
				w.Header().Set("WWW-Authenticate", challenge)
			}
			nlweb.WriteError(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(ctx, tallyKey{}, t)))
	})
}

// called names in a request's context where it came from, and to which public address. The context must not lead back
// to the request, whose buffers it would hold for as long as an answer takes.
func (a *admission) called(r *http.Request) context.Context {
	ctx := context.WithValue(r.Context(), callerKey{}, a.outside.Client(r))
	return context.WithValue(ctx, publicKey{}, a.outside.PublicURL(r))
}

// publicKey finds the public address that a request came to, a string.
type publicKey struct{}

// admit identifies, counts and decides, in this order: also what is not allowed costs.
func (a *admission) admit(r *http.Request, where *route, t *tally) (context.Context, error) {
	ctx := r.Context()
	party, known, err := a.identify(r, t)
	if err != nil {
		return ctx, err
	}
	if err := a.count(ctx, where, t, party, network(a.outside.Client(r))); err != nil {
		return ctx, err
	}
	switch {
	case known:
		return identity.With(ctx, party), opens(party, where.door)
	case slices.Contains(a.config.Auth.Required, where.door) && (where.public == nil || !where.public(r)):
		return ctx, fail.New(fail.Unauthorized, "this address is open only to those who show a credential: %s", a.howToEnter(r))
	}
	return ctx, nil
}

// identify names the party behind a request's credential; known is false for a stranger.
func (a *admission) identify(r *http.Request, t *tally) (party identity.Party, known bool, err error) {
	ctx := r.Context()
	from := network(a.outside.Client(r))
	if identity.Presented(r.Header) {
		if status := a.failures.Allow(ctx, from, 0); status.Limit > 0 && status.Remaining < 1 {
			status.RetryAfter = a.failures.Rate().Window() / time.Duration(status.Limit)
			return party, false, a.limited(ctx, t, a.failures, status, "too many wrong credentials came from your address")
		}
	}
	party, known, err = a.verifier.Verify(ctx, r.Header)
	switch {
	case err != nil && fail.From(err).Code == fail.Unauthorized:
		a.failures.Allow(ctx, from, 1)
	case err == nil && known:
		httpx.EventFrom(ctx).Set("party", a.shown(party))
	}
	return party, known, err
}

// opens says why a key does not open a door; nil when it does.
func opens(party identity.Party, door string) error {
	if party.Kind == identity.KindKey && len(party.Scopes) > 0 && !slices.Contains(party.Scopes, door) {
		return fail.New(fail.Forbidden, "this API key opens %s, and not this door (%s); ask the operator of this front desk for one that does",
			strings.Join(party.Scopes, ", "), door)
	}
	return nil
}

// shown is what the log says of a party: the owner's own name of a key, and nothing of a person.
func (a *admission) shown(party identity.Party) string {
	if party.Kind == identity.KindKey {
		return party.ID
	}
	return party.Kind
}

// count takes the request out of the party's limit or, for a stranger, out of the address's.
func (a *admission) count(ctx context.Context, where *route, t *tally, party identity.Party, from string) error {
	meter, key := a.address, from
	if party.ID != "" {
		meter, key = a.key, party.ID
		if own, err := ratelimit.ParseRate(party.Rate); err == nil && party.Rate != "" {
			meter = meter.WithRate(own)
		}
	}
	status := meter.Allow(ctx, key, 1)
	t.add(meter.Name(), meter.Rate().Window(), status)
	if status.OK {
		return nil
	}
	refused := a.limited(ctx, t, meter, status, "too many requests came from "+map[bool]string{true: "you", false: "your address"}[party.ID != ""])
	if where.tells && a.excess.WithRate(meter.Rate()).Allow(ctx, meter.Name()+" "+key, 1).OK {
		t.refused = refused
		return nil
	}
	return refused
}

// limited is the failure of a limit that is used up.
func (a *admission) limited(ctx context.Context, t *tally, meter ratelimit.Meter, status ratelimit.Status, what string) *fail.Error {
	status.OK = false
	if t != nil && len(t.counted) == 0 { // doors that take a key alone count nothing else
		t.add(meter.Name(), meter.Rate().Window(), status)
	}
	httpx.EventFrom(ctx).Set("limit", meter.Name())
	refused := fail.New(fail.Limited, "%s (at most %s); come back in %s, and look at the RateLimit headers of answers to stay below it",
		what, rateWords(meter.Rate()), spanWords(status.RetryAfter))
	refused.RetryAfter = status.RetryAfter
	return refused
}

// rateWords says a rate as people do: "60 requests in 1m".
func rateWords(rate ratelimit.Rate) string {
	words := strconv.Itoa(rate.Requests) + " requests in " + yamlconf.Show(rate.Per)
	if rate.Burst != rate.Requests {
		words += ", " + strconv.Itoa(rate.Burst) + " at once"
	}
	return words
}

// spanWords says a wait in whole seconds, as Retry-After does.
func spanWords(wait time.Duration) string {
	if n := fail.Seconds(wait); n != 1 {
		return strconv.Itoa(n) + " seconds"
	}
	return "a second"
}

// Sites counts a question for the sites that it goes to; nil means all. It is the Admit of ask.Deps.
func (a *admission) Sites(ctx context.Context, sites []string) error {
	t, _ := ctx.Value(tallyKey{}).(*tally)
	if t != nil && t.refused != nil {
		return t.refused
	}
	if sites == nil {
		sites = a.sites
	}
	for _, site := range sites {
		status := a.site.Allow(ctx, site, 1)
		t.add(a.site.Name(), a.site.Rate().Window(), status)
		if !status.OK {
			httpx.EventFrom(ctx).Set("limit", a.site.Name())
			refused := fail.New(fail.Limited, "too many questions go to the site %s at the moment (at most %s from all together); come back in %s",
				site, rateWords(a.site.Rate()), spanWords(status.RetryAfter))
			refused.RetryAfter = status.RetryAfter
			return refused
		}
	}
	return nil
}

// network is what counts as one address: an IPv6 customer has a whole /64, and could send every request from another
// address in it.
func network(address netip.Addr) string {
	if address.Is6() && !address.Is4In6() {
		if prefix, err := address.WithZone("").Prefix(64); err == nil {
			return prefix.String()
		}
	}
	return address.Unmap().String()
}

// finish completes the head of an answer that is about to leave.
func (t *tally) finish(header http.Header) {
	t.writeLimits(header)
	// What came out of a closed door is for who asked: a cache that many share must not hand it on.
	if kept := header.Get("Cache-Control"); t.closed && strings.Contains(kept, "public") {
		header.Set("Cache-Control", strings.ReplaceAll(kept, "public", "private"))
	}
}

// writeLimits tells a client how much is left of the limit that is nearest to its end: in the fields that most
// clients read, and in those of the IETF's draft (draft-ietf-httpapi-ratelimit-headers-10), which tell all limits.
func (t *tally) writeLimits(header http.Header) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.counted) == 0 {
		return
	}
	tightest := t.counted[0].status
	var policies, left []string
	for _, c := range t.counted {
		s := c.status
		if !s.OK && tightest.OK || s.OK == tightest.OK && s.Remaining < tightest.Remaining {
			tightest = s
		}
		policies = append(policies, `"`+c.name+`";q=`+strconv.Itoa(s.Limit)+`;w=`+strconv.Itoa(fail.Seconds(c.window)))
		left = append(left, `"`+c.name+`";r=`+strconv.Itoa(s.Remaining)+`;t=`+strconv.Itoa(fail.Seconds(s.Reset)))
	}
	header.Set("RateLimit-Limit", strconv.Itoa(tightest.Limit))
	header.Set("RateLimit-Remaining", strconv.Itoa(tightest.Remaining))
	header.Set("RateLimit-Reset", strconv.Itoa(fail.Seconds(tightest.Reset)))
	header.Set("RateLimit-Policy", strings.Join(policies, ", "))
	header.Set("RateLimit", strings.Join(left, ", "))
}
