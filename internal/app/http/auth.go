package http

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
	"frontdesk/internal/content/released"
	"frontdesk/internal/identity"
	"frontdesk/internal/identity/agents"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/infra/ratelimit"
	"frontdesk/internal/infra/yamlconf"
)

// Auth decides who comes in at which door, and how often: it names the party behind a request's
// credential, and counts the request for the party or the address, and for the sites that are
// asked.
type Auth struct {
	AuthOptions
	address *ClientAddress
}

// AuthOptions are what admission decides by. All of them are needed.
type AuthOptions struct {
	Verifier *identity.Verifier
	Strict   bool     // credentials are expected, so that what is none is wrong
	Required []string // the doors that are closed to strangers
	Sites    []string // the ids of all that are served
	Issuer   string   // of the tokens that are taken; empty where none are
	Scopes   []string // that a token must have
	Help     string   // the path at which a stranger learns how to ask

	Address, Key, Site ratelimit.Meter
	// Operator counts verified agents by who runs them, in place of their addresses.
	Operator ratelimit.Meter
	// Agent counts agents that the owner limits, each by a rate of its own.
	Agent ratelimit.Meter
	// Failures counts wrong credentials, and Excess what comes over the limit at a door that says
	// so in its own words. Both are counted by each node for itself: they protect the node.
	Failures, Excess ratelimit.Meter
}

func NewAuth(out *ClientAddress, options AuthOptions) *Auth {
	return &Auth{AuthOptions: options, address: out}
}

// RateLimitState is what was counted for one request. A tool of a protocol may run on another
// goroutine than the one that writes the response's head.
type RateLimitState struct {
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

type rateLimitKey struct{}

func (t *RateLimitState) Add(name string, window time.Duration, status ratelimit.Status) {
	if t == nil || status.Limit == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counted = append(t.counted, counted{name, window, status})
}

// Counts says whether requests are counted that show no credential, or a good one.
func (a *Auth) Counts() bool {
	return a != nil && slices.ContainsFunc([]ratelimit.Meter{a.Address, a.Key, a.Site, a.Operator},
		func(m ratelimit.Meter) bool { return !m.Rate().Unlimited() })
}

// Guard lets a request pass to a door if it may.
func (a *Auth) Guard(where *Route, next http.Handler) http.Handler {
	closed := slices.Contains(a.Required, where.Door)
	open := !closed && !a.Counts()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.WithContext(a.Caller(r))
		if open && !identity.Presented(r.Header) {
			next.ServeHTTP(w, r)
			return
		}
		t := &RateLimitState{closed: closed}
		if answer, ok := w.(*Recorder); ok {
			answer.rateLimits = t
		}
		ctx, err := a.admit(r, where, t)
		if err != nil {
			if challenge := a.Challenge(r, where, err); challenge != "" {
				w.Header().Set("WWW-Authenticate", challenge)
			}
			nlweb.WriteError(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(ctx, rateLimitKey{}, t)))
	})
}

// Caller names in a request's context where it came from, and to which public address. The context
// must not lead back to the request, whose buffers it would hold for as long as an answer takes.
func (a *Auth) Caller(r *http.Request) context.Context {
	ctx := context.WithValue(r.Context(), callerKey{}, a.address.Client(r))
	return WithPublicURL(ctx, a.address.PublicURL(r))
}

// callerKey finds the address that a request came from, a netip.Addr.
type callerKey struct{}

// ClientOf names who sends a request, by its address past the trusted proxies; empty where only
// this process asks.
func ClientOf(ctx context.Context) string {
	if address, ok := CallerOf(ctx); ok {
		return ratelimit.Network(address)
	}
	return ""
}

// CallerOf is the address that a context's request came from; ok is false where only this process
// asks.
func CallerOf(ctx context.Context) (from netip.Addr, ok bool) {
	from, ok = ctx.Value(callerKey{}).(netip.Addr)
	return from, ok
}

// PublicURLOf is the public address that a context's request came to; ok is false where only this
// process asks.
func PublicURLOf(ctx context.Context) (public string, ok bool) {
	public, ok = ctx.Value(publicKey{}).(string)
	return public, ok
}

// WithPublicURL names in a context the public address that a request came to.
func WithPublicURL(ctx context.Context, public string) context.Context {
	return context.WithValue(ctx, publicKey{}, public)
}

// publicKey finds the public address that a request came to, a string.
type publicKey struct{}

// admit identifies, counts and decides, in this order: also what is not allowed costs.
func (a *Auth) admit(r *http.Request, where *Route, t *RateLimitState) (context.Context, error) {
	ctx := r.Context()
	party, known, err := a.Identify(r, t)
	if err != nil {
		return ctx, err
	}
	if err := a.Count(ctx, where, t, party, ratelimit.Network(a.address.Client(r))); err != nil {
		return ctx, err
	}
	switch {
	case known:
		return identity.With(released.WithCredential(ctx), party), OpensDoor(party, where.Door)
	case slices.Contains(a.Required, where.Door) && (where.Public == nil || !where.Public(r)):
		return ctx, fail.New(fail.Unauthorized, "this address is open only to those who show a credential: %s",
			a.howToEnter(r))
	}
	return ctx, nil
}

// Identify names the party behind a request's credential; known is false for a stranger.
func (a *Auth) Identify(r *http.Request, t *RateLimitState) (party identity.Party, known bool, err error) {
	ctx := r.Context()
	from := ratelimit.Network(a.address.Client(r))
	if identity.Presented(r.Header) {
		if status := a.Failures.Allow(ctx, from, 0); status.Limit > 0 && status.Remaining < 1 {
			status.RetryAfter = a.Failures.Rate().Window() / time.Duration(status.Limit)
			return party, false, a.limited(ctx, t, a.Failures, status,
				"too many wrong credentials came from your address")
		}
	}
	party, known, err = a.Verifier.Verify(ctx, r.Header)
	switch {
	case err != nil && fail.From(err).Code == fail.Unauthorized:
		a.Failures.Allow(ctx, from, 1)
	case err == nil && known:
		httpx.EventFrom(ctx).Set("party", a.shown(party))
	}
	return party, known, err
}

// OpensDoor says why a key does not open a door; nil when it does.
func OpensDoor(party identity.Party, door string) error {
	if party.Kind == identity.KindKey && len(party.Scopes) > 0 && !slices.Contains(party.Scopes, door) {
		return fail.New(fail.Forbidden,
			"this API key opens %s, and not this door (%s); ask the operator of this front desk for one that does",
			strings.Join(party.Scopes, ", "), door)
	}
	return nil
}

// shown is what the log says of a party: the owner's own name of a key, and nothing of a person.
func (a *Auth) shown(party identity.Party) string {
	if party.Kind == identity.KindKey {
		return party.ID
	}
	return party.Kind
}

// Count takes the request out of the party's limit or, for a stranger, out of the address's.
func (a *Auth) Count(ctx context.Context, where *Route, t *RateLimitState, party identity.Party, from string) error {
	meter, key, who := a.Address, from, "your address"
	if group := agents.From(ctx).Group(); group != "" {
		meter, key, who = a.Operator, group, "agents of your operator"
	}
	if party.ID != "" {
		who = "you"
		meter, key = a.Key, party.ID
		if own, err := ratelimit.ParseRate(party.Rate); err == nil && party.Rate != "" {
			meter = meter.WithRate(own)
		}
	}
	status := meter.Allow(ctx, key, 1)
	t.Add(meter.Name(), meter.Rate().Window(), status)
	if status.OK {
		return nil
	}
	refused := a.limited(ctx, t, meter, status, "too many requests came from "+who)
	if where.Tells && a.Excess.WithRate(meter.Rate()).Allow(ctx, meter.Name()+" "+key, 1).OK {
		t.refused = refused
		return nil
	}
	return refused
}

// limited is the failure of a limit that is used up.
func (a *Auth) limited(ctx context.Context, t *RateLimitState, meter ratelimit.Meter, status ratelimit.Status,
	what string) *fail.Error {
	status.OK = false
	if t != nil && len(t.counted) == 0 { // doors that take a key alone count nothing else
		t.Add(meter.Name(), meter.Rate().Window(), status)
	}
	httpx.EventFrom(ctx).Set("limit", meter.Name())
	return fail.New(fail.Limited,
		"%s (at most %s); come back in %s, and look at the RateLimit headers of answers to stay below it",
		what, RateWords(meter.Rate()), SpanWords(status.RetryAfter)).
		After(status.RetryAfter)
}

// RateWords says a rate as people do: "60 requests in 1m".
func RateWords(rate ratelimit.Rate) string {
	words := strconv.Itoa(rate.Requests) + " requests in " + yamlconf.Show(rate.Per)
	if rate.Burst != rate.Requests {
		words += ", " + strconv.Itoa(rate.Burst) + " at once"
	}
	return words
}

// SpanWords says a wait in whole seconds, as Retry-After does.
func SpanWords(wait time.Duration) string {
	if n := fail.Seconds(wait); n != 1 {
		return strconv.Itoa(n) + " seconds"
	}
	return "a second"
}

// CountSites counts a question for the sites that it goes to; nil means all. It is the Admit of
// ask.Deps.
func (a *Auth) CountSites(ctx context.Context, sites []string) error {
	t := RateLimitsOf(ctx)
	if t != nil && t.refused != nil {
		return t.refused
	}
	if sites == nil {
		sites = a.Sites
	}
	for _, site := range sites {
		status := a.Site.Allow(ctx, site, 1)
		t.Add(a.Site.Name(), a.Site.Rate().Window(), status)
		if !status.OK {
			httpx.EventFrom(ctx).Set("limit", a.Site.Name())
			return fail.New(fail.Limited,
				"too many questions go to the site %s at the moment (at most %s from all together); come back in %s",
				site, RateWords(a.Site.Rate()), SpanWords(status.RetryAfter)).
				After(status.RetryAfter)
		}
	}
	return nil
}

// finish completes the head of an answer that is about to leave.
func (t *RateLimitState) finish(header http.Header) {
	t.writeLimits(header)
	// What came out of a closed door is for who asked: a cache that many share must not hand it on.
	if kept := header.Get("Cache-Control"); t.closed && strings.Contains(kept, "public") {
		header.Set("Cache-Control", strings.ReplaceAll(kept, "public", "private"))
	}
}

// writeLimits tells a client how much is left of the limit that is nearest to its end: in the
// fields that most clients read, and in those of the IETF's draft
// (draft-ietf-httpapi-ratelimit-headers-10), which tell all limits.
func (t *RateLimitState) writeLimits(header http.Header) {
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

// Refused is what became of a request where it came in: refused, for its door to say so, and
// whether it was counted.
func (t *RateLimitState) Refused() (refused error, counted bool) {
	if t == nil {
		return nil, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.refused != nil {
		return t.refused, true
	}
	return nil, len(t.counted) > 0
}

// Suspect says that too many wrong signatures and credentials came from a request's address.
func (a *Auth) Suspect(r *http.Request) error {
	return a.suspectAt(r.Context(), ratelimit.Network(a.address.Client(r)))
}

// AllowStranger counts an event that nobody signed, by its address.
func (a *Auth) AllowStranger(r *http.Request) error {
	status := a.Address.Allow(r.Context(), ratelimit.Network(a.address.Client(r)), 1)
	if status.OK {
		return nil
	}
	return fail.New(fail.Limited, "Too many requests came from your address; come back later.").After(status.RetryAfter)
}

// Failed counts a wrong signature.
func (a *Auth) Failed(r *http.Request) {
	a.Failures.Allow(r.Context(), ratelimit.Network(a.address.Client(r)), 1)
}

// SuspectAt says that too many wrong signatures and credentials came from an address.
func (a *Auth) SuspectAt(from string) error { return a.suspectAt(context.Background(), from) }

func (a *Auth) suspectAt(ctx context.Context, from string) error {
	status := a.Failures.Allow(ctx, from, 0)
	if status.Limit == 0 || status.Remaining >= 1 {
		return nil
	}
	return fail.New(fail.Limited, "Too many requests with wrong signatures came from your address; come back later.").
		After(a.Failures.Rate().Window() / time.Duration(status.Limit))
}

// WithCaller has a handler's requests carry the address that they came from.
func (a *Auth) WithCaller(next http.Handler) http.Handler {
	if a == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(a.Caller(r)))
	})
}

// Counting has a request counted that its protocol lets in by itself: it names in the context where
// the request came from and to which public address, and has what is counted from now on told in
// the head of the answer.
func (a *Auth) Counting(w http.ResponseWriter, r *http.Request) (context.Context, *RateLimitState) {
	t := &RateLimitState{}
	if answer, ok := w.(*Recorder); ok {
		answer.rateLimits = t
	}
	return context.WithValue(a.Caller(r), rateLimitKey{}, t), t
}

// RateLimitsOf is what was counted for the request of a context; nil where nothing is.
func RateLimitsOf(ctx context.Context) *RateLimitState {
	t, _ := ctx.Value(rateLimitKey{}).(*RateLimitState)
	return t
}
