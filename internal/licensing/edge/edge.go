// Package edge is a gate in front of a site's content (RAMP v1, edge gate and signed URLs). People
// pass. AI agents without a licence get the document that says where to buy one. Signed addresses
// get licensed content. Each delivery is recorded before its first byte, and agents are counted.
//
// A [Gate] forwards to an origin over HTTP, or answers with this front desk's own content
// ([Site.Content]), or only tells nginx or Caddy whether a request may pass ([Gate.Auth]). A
// [Remote] gets policy, documents and keys from an Exchange over HTTP and keeps the last ones on
// disk. The package must not know a database or a service: whoever makes a gate passes in keys,
// policy, documents and the delivery log. Enter by [New].
//
// # The order of checks
//
// The host must be one of the sites', and the address must have a single reading. The domain
// documents are served to everyone. Then the policy decides by path. Open content passes. Blocked
// content is refused to every agent. For licensed content, a signature in the address is verified,
// and nothing else counts. Without a signature, a request whose User-Agent names an AI agent is
// refused, and so is one that claims to be an agent's by a signature of Web Bot Auth; upper and
// lower case are the same.
package edge

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/identity/agents"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/infra/ratelimit"
	"frontdesk/internal/licensing/edge/deliverylog"
	"frontdesk/internal/policy"
	"frontdesk/wire/ramp"
	"frontdesk/wire/sign"
)

// Config is what a gate needs. Fields without a default must be set.
type Config struct {
	Sites []Site
	// Deliveries is where deliveries and sightings go.
	Deliveries *deliverylog.Log
	// Agents are words of User-Agent that AI agents send, in any case; nil is the list of known
	// agents, as the request's context has it (agents.From).
	Agents []string
	// Party says who asks, as rules ask for it; nil knows nobody.
	Party func(context.Context) policy.Party
	// InfoURL is the address that tells agents of the Exchange: in X-Content-Rules, and as
	// info_url.
	InfoURL string
	// Refusals is how often one network address gets the document that refuses an agent, and
	// Manifests how often ramp.json; beyond that it is told to come back later. The zero values are
	// no limit; the protocol's are RefusalRate and ManifestRate.
	Refusals, Manifests ratelimit.Rate
	// Client is the network address that a request came from, past trusted proxies; it is never
	// logged.
	Client func(*http.Request) netip.Addr
	// Host is the host that a request was sent to, past trusted proxies; nil is that of the
	// request.
	Host func(*http.Request) string
	// Secure says whether a request's client came over TLS; nil is whether this server's connection
	// is.
	Secure func(*http.Request) bool
	// Unseen is how many bytes a delivery that Auth let pass is taken to have at the most until the
	// server's log tells.
	Unseen int64
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	Log *slog.Logger // nil for nobody
}

// The limits of the protocol (RAMP v1, edge gate).
var (
	RefusalRate  = ratelimit.Rate{Requests: 100, Per: time.Minute, Burst: 100}
	ManifestRate = ratelimit.Rate{Requests: 10, Per: time.Minute, Burst: 10}
)

// Site is one site behind a gate.
type Site struct {
	// Domain is the site's name at the Exchange, such as "www.example.com".
	Domain string
	// Hosts are the hosts at which its requests come, in lower case, with a port where it is part
	// of the address.
	Hosts []string
	// URL is the site's scheme and host, as signed addresses spell it: "https://www.example.com".
	URL string
	// Origin serves the site's content; nil where Shelf does, or where the gate is only asked
	// (Auth).
	Origin *Origin
	// Content answers with the site's content where no origin does: with what is at an address of
	// the site's, without what signed it. grant is what a signed address is bound to, nil where
	// there is none: then only what is open may be answered with. It records by itself what it
	// delivers. Nil without one.
	Content func(w http.ResponseWriter, r *http.Request, address string, grant *sign.URLGrant)
	// Keys verify signed addresses, at each time; nil for none.
	Keys func(context.Context) ([]sign.URLKey, error)
	// Policy says how far paths are open, as it is last known; it is never nil, nor is what it
	// gives.
	Policy func() *Policy
	// Documents gives the handler of a document of the domain's, by its path; nil where there is
	// none.
	Documents func(path string) http.Handler
	// Tokens are what challenges of the domain are answered with, at ChallengePath and the token;
	// nil for none.
	Tokens *Tokens
	// Closed has licensed content open against signatures alone, to people too.
	Closed bool
	// License says how the header X-Agent-License-Id counts, of which the address must have the
	// SHA-256: LicenseIgnored, LicenseChecked where it is there, LicenseRequired.
	License string
	// Fetches is how often one signed address may be fetched; 0 is DefaultFetches. With 1 it is
	// good once, as far as this process knows.
	Fetches int
}

// The values of Site.License.
const (
	LicenseIgnored  = "ignore"
	LicenseChecked  = "check"
	LicenseRequired = "require"
)

// DefaultFetches is how often a signed address may be fetched while it lives.
const DefaultFetches = 100

// ChallengePath begins the paths at which challenges of a domain are answered (RAMP v1, domain
// verification).
const ChallengePath = "/.well-known/ramp-verify/"

// The documents that a gate serves for its sites.
const (
	ManifestPath = "/.well-known/ramp.json"
	VerifierPath = "/.well-known/ramp-verifier.json"
	RSLPath      = "/rsl.txt"
)

// Gate decides about every request to its sites. Its methods may be called concurrently.
type Gate struct {
	config    Config
	sites     map[string]*Site // by host
	refusals  ratelimit.Meter
	manifests ratelimit.Meter
	fetches   *ratelimit.Limiter
}

// New makes a gate.
func New(config Config) *Gate {
	if config.Party == nil {
		config.Party = func(context.Context) policy.Party { return policy.Party{} }
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Host == nil {
		config.Host = func(r *http.Request) string { return r.Host }
	}
	if config.Secure == nil {
		config.Secure = func(r *http.Request) bool { return r.TLS != nil }
	}
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	limiter := ratelimit.New(ratelimit.Options{Now: config.Now})
	g := &Gate{
		config: config, sites: map[string]*Site{},
		refusals: limiter.Meter("refusal", config.Refusals), manifests: limiter.Meter("manifest", config.Manifests),
		fetches: limiter,
	}
	for i := range config.Sites {
		site := &config.Sites[i]
		site.Fetches = cmp.Or(site.Fetches, DefaultFetches)
		for _, host := range site.Hosts {
			g.sites[host] = site
		}
	}
	return g
}

// Serves says whether a host is one of the gate's.
func (g *Gate) Serves(host string) bool { return g.siteAt(host) != nil }

// SiteURL is scheme and host of the site of a host; https alone where there is none.
func (g *Gate) SiteURL(host string) string {
	if site := g.siteAt(host); site != nil {
		return site.URL
	}
	return "https://"
}

// DependsOnParty says whether some path of a site is open to some and not to others.
func (g *Gate) DependsOnParty() bool {
	return slices.ContainsFunc(g.config.Sites, func(s Site) bool { return s.Policy().byParty })
}

// siteAt is the site of a host, whatever its capitals, and with the port that an address need not
// name; nil for none.
func (g *Gate) siteAt(host string) *Site {
	host = strings.ToLower(host)
	if site := g.sites[host]; site != nil {
		return site
	}
	for _, usual := range []string{":443", ":80"} {
		if name, ok := strings.CutSuffix(host, usual); ok {
			return g.sites[name]
		}
	}
	return nil
}

// asked is what a gate needs to know of a request, whoever tells it.
type asked struct {
	method, host, target string // target is path and query, as they were received
	userAgent, license   string
	client               string // what requests are counted by
	again                bool   // who is refused will be asked for again, and counts then
}

// verdict is what is to be done with a request.
type verdict struct {
	site   *Site
	agent  string // known; empty for none
	access Access // to who asks
	// byParty says that others may be given another answer.
	byParty bool
	// refusal is why not; nil for what passes.
	refusal *refusal
	// document serves the request in the site's stead; nil for none.
	document http.Handler
	// grant is what a signed address is bound to; nil without one. content is the address without
	// its signature.
	grant   *sign.URLGrant
	form    sign.URLForm
	content string
}

// judge is the order of checks (RAMP v1, edge gate).
func (g *Gate) judge(ctx context.Context, a asked) (v verdict) {
	if v.site = g.siteAt(a.host); v.site == nil {
		v.refusal = refused(http.StatusMisdirectedRequest, "no site of this host is served here")
		return v
	}
	path, _, _ := strings.Cut(a.target, "?")
	who := agents.From(ctx)
	v.agent = g.agentOf(who, a.userAgent)
	if v.document = g.document(v.site, path); v.document != nil {
		v.refusal = g.countDocument(path, a)
		return v
	}
	party, said := g.config.Party(ctx), v.site.Policy()
	v.byParty = said.byParty
	access, ok := said.At(path, &party)
	if !ok {
		v.refusal = refused(http.StatusBadRequest, errPath.Error())
		return v
	}
	v.access = access
	if access == Blocked && said.byParty && v.agent == "" { // prohibited by name, it passes for nobody else
		if others, _ := said.At(path, &policy.Party{}); others != Blocked {
			v.agent = cmp.Or(who.Says(), otherAgent)
		}
	}
	g.decide(ctx, a, path, &v)
	if v.refusal == nil && v.grant == nil && identity.MustProve(ctx) {
		v.refusal = g.countRefusal(ctx, a, unproven)
	}
	g.saw(a, path, v)
	return v
}

// agentOf is what an AI agent is called; empty for people, and for search engines that index for
// people. It is one by its word, or where it claims to be one by a signature, be that good or not.
func (g *Gate) agentOf(who agents.Agent, userAgent string) string {
	if g.config.Agents != nil {
		text := folded(userAgent)
		for _, word := range g.config.Agents {
			if strings.Contains(text, folded(word)) {
				return word
			}
		}
	} else if who.Engine && who.Signature != agents.Invalid { // nobody signs wrongly in its name but another
		return ""
	} else if name := who.Says(); name != "" {
		return name
	}
	if who.Signature != "" {
		return otherAgent
	}
	return ""
}

// saw counts an agent: one that names itself, or comes with a signature.
func (g *Gate) saw(a asked, path string, v verdict) {
	if v.refusal != nil && (a.again || v.refusal.outcome == "") {
		return
	}
	if v.agent != "" || v.grant != nil || v.refusal != nil && v.refusal.signed() {
		g.config.Deliveries.CountSighting(deliverylog.Sighting{Host: v.site.Domain, Agent: cmp.Or(v.agent, otherAgent),
			Path: path, Outcome: v.outcome()})
	}
}

// otherAgent is what whoever comes with a signature and no known name is counted as.
const otherAgent = "other"

// What becomes of what agents ask for.
const (
	outcomeOpen      = "open"      // it passed, being open
	outcomeDelivered = "delivered" // it passed against a signature
	outcomeRefused   = "refused"   // it was told where to get a licence
	outcomeBlocked   = "blocked"   // it was told that there is none
	outcomeExpired   = "expired"   // its signature was good, and is over
	outcomeForeign   = "foreign"   // its signature is for another agent
	outcomeInvalid   = "invalid"   // its signature opens nothing
	outcomeLimited   = "limited"   // it came too often
)

func (v verdict) outcome() string {
	switch {
	case v.refusal != nil:
		return v.refusal.outcome
	case v.grant != nil:
		return outcomeDelivered
	}
	return outcomeOpen
}

// decide says whether a request for content passes.
func (g *Gate) decide(ctx context.Context, a asked, path string, v *verdict) {
	set := sign.URLKeys{Origin: v.site.URL}
	var failed error
	if v.site.Keys != nil && strings.Contains(a.target, "?") {
		set.Keys, failed = v.site.Keys(ctx)
	}
	address := v.site.URL + a.target
	signed := set.Signed(address)
	needs := v.agent != "" || v.site.Closed
	if signed && v.access == Blocked && v.byParty { // what was bought is for whoever shows that it was
		if most, _ := v.site.Policy().At(path, nil); most != Blocked {
			v.access = Licensed
		}
	}
	switch {
	case v.access == Blocked && (needs || signed):
		v.refusal = g.countRefusal(ctx, a, blocked)
	case v.access == Licensed && signed:
		v.refusal = g.verify(ctx, a, v, set, address)
	case v.access == Open && signed:
		g.verify(ctx, a, v, set, address) // what is open needs no signature, so that one may be wrong
	case v.access == Licensed && needs && failed != nil:
		httpx.EventFrom(ctx).Set("keys", failed.Error())
		v.refusal = &refusal{status: http.StatusServiceUnavailable,
			detail: "signatures cannot be verified at the moment; try again", after: time.Second}
	case v.access == Licensed && needs:
		v.refusal = g.countRefusal(ctx, a, unlicensed)
	}
}

// verify looks at a signed address, and says what is wrong with it.
func (g *Gate) verify(ctx context.Context, a asked, v *verdict, set sign.URLKeys, address string) *refusal {
	now := g.config.Now()
	content, grant, form, err := set.Open(address, now)
	if blanks := withBlanks(address); err != nil && blanks != address {
		var signed string
		var again error
		if signed, grant, form, again = set.Open(blanks, now); again == nil || errors.Is(again, sign.ErrURLExpired) {
			content, err = strings.ReplaceAll(signed, " ", "%20"), again // as it is asked for
		}
	}
	if err != nil {
		return invalid(set, err)
	}
	if a.method != http.MethodGet && a.method != http.MethodHead {
		return refused(http.StatusMethodNotAllowed, "a signed address is for GET and HEAD")
	}
	if !licensed(v.site.License, a.license, grant.Agent) {
		return forbidden(outcomeForeign, "the address is for another agent than X-Agent-License-Id says")
	}
	if a.method == http.MethodGet {
		if why := g.unready(v.site); why != nil {
			return why // before the address counts as fetched
		}
		one := grant.Transaction
		if one == "" {
			one = a.target // which names no transaction, and so stands for itself
		}
		counted, _ := g.fetches.AllowWindows(ctx, v.site.Domain+" "+one,
			ratelimit.Window{Requests: v.site.Fetches, Per: sign.URLLife + time.Minute})
		if len(counted) > 0 && !counted[0].OK {
			return tooOften(counted[0].RetryAfter, "the address was fetched as often as it may be; buy again")
		}
	}
	v.grant, v.content, v.form = &grant, content, form
	return nil
}

// withBlanks is an address with blanks in its path as Exchanges sign them that do not encode them:
// no request over HTTP can have them.
func withBlanks(address string) string {
	path, query, asked := strings.Cut(address, "?")
	path = strings.ReplaceAll(path, "%20", " ")
	if asked {
		path += "?" + query
	}
	return path
}

// unready is why a site delivers nothing at the moment; nil where it does.
func (g *Gate) unready(site *Site) *refusal {
	if err := g.config.Deliveries.Ready(); err != nil {
		return unrecorded
	}
	if site.Origin != nil && site.Origin.full() {
		return busy
	}
	return nil
}

// licensed says whether the header X-Agent-License-Id fits the agent of an address (RAMP v1, agent
// binding at the edge).
func licensed(how, license, agent string) bool {
	switch {
	case how == LicenseIgnored, how == "", license == "" && how == LicenseChecked:
		return true
	case license == "":
		return false
	}
	return subtle.ConstantTimeCompare([]byte(ramp.LicenceHash(license)), []byte(agent)) == 1
}

// document is what a gate serves itself at a path of a site; nil for nothing.
func (g *Gate) document(site *Site, path string) http.Handler {
	if token, ok := strings.CutPrefix(path, ChallengePath); ok && site.Tokens.Has(token) {
		return challenge(token)
	}
	if site.Documents == nil || path != ManifestPath && path != VerifierPath && path != RSLPath {
		return nil
	}
	return site.Documents(path)
}

// countDocument counts a request for ramp.json.
func (g *Gate) countDocument(path string, a asked) *refusal {
	if a.method != http.MethodGet && a.method != http.MethodHead {
		return refused(http.StatusMethodNotAllowed, "this address is for GET and HEAD")
	}
	if path != ManifestPath || a.again {
		return nil
	}
	if status := g.manifests.Allow(context.Background(), a.client, 1); !status.OK {
		return tooOften(status.RetryAfter, "too many requests for this document came from your address")
	}
	return nil
}

// countRefusal counts a refusal for who is refused, whom it is told more shortly when there were
// too many.
func (g *Gate) countRefusal(ctx context.Context, a asked, why *refusal) *refusal {
	if a.again {
		return why
	}
	if status := g.refusals.Allow(ctx, a.client, 1); !status.OK {
		return tooOften(status.RetryAfter, "too many requests without a licence came from your address")
	}
	return why
}

// ServeHTTP answers a request, or has the site's content answer it.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	target, ok := targetOf(r)
	a := asked{
		method: r.Method, host: g.config.Host(r), target: target, userAgent: r.UserAgent(),
		license: r.Header.Get(ramp.LicenceHeader), client: ratelimit.Network(g.config.Client(r)),
	}
	var v verdict
	if ok {
		v = g.judge(r.Context(), a)
	} else {
		v.refusal = refused(http.StatusBadRequest, "this is no address of a site")
	}
	happened := httpx.EventFrom(r.Context())
	if v.agent != "" {
		happened.Set("agent", v.agent)
	}
	happened.Set("edge", v.word())
	switch {
	case v.refusal != nil:
		g.refuse(w, v)
	case v.document != nil:
		v.document.ServeHTTP(w, r)
	default:
		g.pass(w, r, v)
	}
}

// word is what the log tells of a verdict.
func (v verdict) word() string {
	switch {
	case v.refusal != nil:
		return cmp.Or(v.refusal.outcome, "refused")
	case v.document != nil:
		return "document"
	case v.grant != nil:
		return outcomeDelivered
	}
	return "passed"
}

// pass has the site's content answer.
func (g *Gate) pass(w http.ResponseWriter, r *http.Request, v verdict) {
	switch {
	case v.site.Content != nil:
		address := v.content
		if v.grant == nil {
			target, _ := targetOf(r)
			address = v.site.URL + target
		}
		v.site.Content(w, r, address, v.grant)
	case v.site.Origin != nil:
		g.fromOrigin(w, r, v)
	default: // it is only asked
		v.refusal = refused(http.StatusNotFound, "there is nothing here; this address is for servers that ask "+
			"whether a request may pass")
		g.refuse(w, v)
	}
}

// targetOf is path and query of a request as they were received; ok is false for what is no request
// of a site: the forms of CONNECT and of OPTIONS for a whole server.
func targetOf(r *http.Request) (string, bool) {
	target := r.RequestURI
	if r.Method == http.MethodConnect || r.Method == http.MethodTrace {
		return "", false
	}
	if !strings.HasPrefix(target, "/") { // as to a proxy; its host is the request's
		scheme, rest, ok := strings.Cut(target, "://")
		if !ok || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
			return "", false
		}
		at := strings.IndexAny(rest, "/?")
		switch {
		case at < 0:
			target = "/"
		case rest[at] == '?':
			target = "/" + rest[at:]
		default:
			target = rest[at:]
		}
	}
	if _, err := url.ParseRequestURI(target); err != nil {
		return "", false
	}
	return target, true
}
