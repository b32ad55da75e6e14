package app

import (
	"sync/atomic"

	"frontdesk/internal/app/asked"
	apphttp "frontdesk/internal/app/http"
	askquestions "frontdesk/internal/ask/questions"
	"frontdesk/internal/content/released"

	"context"
	"encoding/hex"
	"net/http"
	"strings"
	"time"

	"frontdesk/internal/ask/nlweb"
	"frontdesk/internal/excerpts"
	"frontdesk/internal/excerpts/aip"
	"frontdesk/internal/excerpts/grants"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/infra/periodic"
	"frontdesk/internal/infra/ratelimit"
	"frontdesk/internal/infra/store"
	wire "frontdesk/wire/intent"
	"frontdesk/wire/strictjson"
)

// The addresses of the Agentic Intent Protocol.
const (
	intentRetrieve     = "/intent/retrieve"
	intentEvents       = "/intent/events"
	intentCapabilities = "/intent/capabilities"
	intentReceipts     = "/intent/receipts/"
)

// passages are given to platforms (Agentic Intent Protocol). Nil where none are.
type passages struct {
	*base
	*network
	*identities
	*terms
	Excerpts *excerpts.Service
	declared atomic.Pointer[declared] // what is declared to platforms
}

// declared is what is declared to platforms at present.
type declared struct {
	config Config
	policy *excerpts.Policy
	made   httpx.DocumentCache // by its route
}

// declareIntent puts in force what a configuration declares to platforms.
func (p *passages) declareIntent(config Config) {
	p.declared.Store(&declared{config: config, policy: config.excerptPolicy()})
}

// declarationAt is aip.json at a public address.
func (c Config) declarationAt(address string) wire.Declaration {
	i, p := c.Intent, c.publisher()
	d := wire.Declaration{
		Version: i.Versions[0], Publisher: wire.Publisher{ID: p.ID, Name: p.Name, Domain: p.Domain},
		IntentAccess: wire.IntentAccess{
			Enabled: i.Enabled, State: i.State, Mode: wire.ModeLiveOnly, TrainingUse: i.Training,
			StorageRights: wire.StorageNone, CachePolicy: wire.CacheNoStore,
		},
		EditorialDomains: c.editorialDomains(),
		Endpoints: &wire.Endpoints{
			Capabilities: &wire.Endpoint{Method: http.MethodGet, URL: address + intentCapabilities},
			Retrieve: &wire.Endpoint{Method: http.MethodPost, URL: address + intentRetrieve,
				CapabilitiesRef: wire.CapabilityRef},
		},
		Retrieval: wire.Retrieval{
			Supports: wire.Supports{Chunks: i.Supports.Chunks, Citations: i.Supports.Citations,
				FullArticle: i.Supports.FullArticle},
			MaxChunks: i.MaxChunks, MaxTokens: i.MaxTokens,
		},
		Compliance: wire.Compliance{
			Revocable: i.Compliance.Revocable, NoticeRequired: i.Compliance.NoticeRequired,
			RevocationReason: i.Compliance.RevocationReason, Sunset: i.Compliance.Sunset,
			LastUpdated: i.Compliance.LastUpdated,
		},
	}
	if i.Events.Enabled {
		d.Endpoints.Event = &wire.EventEndpoint{Method: http.MethodPost, URL: address + intentEvents,
			Required: i.Events.Required}
	}
	for name, value := range i.ExtensionMembers() {
		if d.Extensions == nil {
			d.Extensions = wire.Extensions{}
		}
		d.Extensions[name] = strictjson.Value(value)
	}
	return d
}

// intentOptions are what of the protocol is taken.
func (c Config) intentOptions() wire.Options {
	return wire.Options{Versions: c.Intent.Versions, AnyLanguage: c.Intent.Languages == "any",
		WeakEvents: !c.Intent.Events.Strict}
}

// newPassages makes the service that gives passages to platforms, and tells keeper what they ask;
// nil keeps nothing.
func newPassages(
	n *network, k *identities, rules *terms, corpus *released.Corpus, keeper *askquestions.Keeper,
) (_ *passages, err error) {
	config := n.config.withRules(rules.Added().Rules)
	if !config.Intent.Enabled {
		return nil, nil
	}
	d := config.declarationAt(first(n.outside.Url, "https://www.example.com"))
	if _, err := aip.NewDeclaration(d, config.intentOptions()); err != nil {
		return nil, err
	}
	p := &passages{base: n.base, network: n, identities: k, terms: rules}
	p.declareIntent(config)
	deps := excerpts.Deps{
		Corpus: corpus, Policy: func() *excerpts.Policy { return p.declared.Load().policy },
		DB: p.db, Ledger: p.Ledger, Nonces: p.Nonces,
		MinScore: config.Ask.MinScore, CacheBytes: uint64(config.Ask.Cache), Now: p.now, Log: p.log,
	}
	if keeper != nil {
		deps.Asked = func(ctx context.Context, request excerpts.RetrieveRequest, given *excerpts.RetrieveResult) {
			keeper.Keep(asked.Intent(ctx, request, given))
		}
	}
	if deps.Admit, deps.AdmitEvent, err = p.retrievals(); err != nil {
		return nil, err
	}
	for _, sink := range config.Intent.Sinks {
		deps.Sinks = append(deps.Sinks, excerpts.Sink{Name: sink.Name, Platform: sink.Platform})
	}
	p.Excerpts, err = excerpts.New(deps)
	return p, err
}

// retrievals counts the requests and events of platforms, and the requests of their sessions.
func (p *passages) retrievals() (admit func(context.Context, identity.PlatformKey, string) error,
	events func(context.Context, identity.PlatformKey) error, err error) {
	limiter := ratelimit.New(ratelimit.Options{DB: p.together(), Secret: p.secret, Now: p.now, Log: p.log})
	rates := map[string]ratelimit.Rate{p.config.Intent.Rate: {}, p.config.Intent.Sessions: {}}
	for text := range rates {
		if rates[text], err = ratelimit.ParseRate(text); err != nil {
			return nil, nil, err
		}
	}
	platform, session := limiter.Meter("platform", rates[p.config.Intent.Rate]),
		limiter.Meter("platform-session", rates[p.config.Intent.Sessions])
	reports := limiter.Meter("platform-event", rates[p.config.Intent.Rate])
	count := func(ctx context.Context, meter ratelimit.Meter, holder, what string) error {
		status := meter.Allow(ctx, holder, 1)
		if status.OK {
			return nil
		}
		return fail.New(fail.Limited, "Too many requests came from %s (at most %s); come back in %s.",
			what, apphttp.RateWords(meter.Rate()), apphttp.SpanWords(status.RetryAfter)).After(status.RetryAfter)
	}
	of := func(ctx context.Context, meter ratelimit.Meter, key identity.PlatformKey) error {
		if own, err := ratelimit.ParseRate(key.Rate); err == nil && key.Rate != "" {
			return count(ctx, meter.WithRate(own), "key "+key.ID, "this key")
		}
		return count(ctx, meter, key.Platform, "this platform")
	}
	admit = func(ctx context.Context, key identity.PlatformKey, name string) error {
		if err := of(ctx, platform, key); err != nil {
			return err
		}
		hash := grants.SessionKey(key.Platform, name)
		return count(ctx, session, hex.EncodeToString(hash[:]), "this session")
	}
	events = func(ctx context.Context, key identity.PlatformKey) error {
		if key.ID == "" {
			return nil // signed by nobody, and counted by its address
		}
		return of(ctx, reports, key)
	}
	return admit, events, nil
}

// together is the database in which nodes count together, nil where each counts by itself.
func (b *base) together() *store.DB {
	if b.config.Limits.Rate.Shared && b.db.Engine() == store.PostgreSQL {
		return b.db
	}
	return nil
}

// forgetEvery is how often old requests of platforms are forgotten.
const forgetEvery = time.Hour

// forgetExcerpts forgets old requests and sessions of platforms, until ctx ends.
func (p *passages) forgetExcerpts(ctx context.Context) {
	periodic.Run(ctx, forgetEvery, func(ctx context.Context) {
		now := p.now()
		if err := grants.Sweep(ctx, p.db, now.Add(-p.config.Intent.Keep), now); err != nil && ctx.Err() == nil {
			p.log.Warn("old requests of platforms could not be forgotten; that is tried again", "error", err)
		}
	})
}

// module gives passages to platforms (Agentic Intent Protocol).
func (p *passages) module() Module {
	if p == nil {
		return Module{}
	}
	return Module{
		Routes:       p.intentRoutes(),
		Jobs:         []Job{{"forget old requests of platforms", p.forgetExcerpts}},
		TermsChanged: func(now Config) { p.declareIntent(p.config.meanwhile(now.withRules(p.Added().Rules))) },
	}
}

// intentRoutes are the addresses of the Agentic Intent Protocol.
func (p *passages) intentRoutes() []apphttp.Route {
	config := aip.Config{
		Options: p.config.intentOptions(), Platforms: p.Platforms, Sign: p.config.Intent.Sign,
		SignedEvents: p.config.Intent.Events.Signed, Paths: p.signedPaths, Now: p.now,
	}
	if p.gate != nil {
		config.TooManyFailures = p.gate.Suspect
		config.CountFailure = p.gate.Failed
		config.AdmitUnsigned = p.gate.AllowStranger
	}
	config.Receipt = p.receiptFor
	config.ReceiptsURL = func(r *http.Request) string { return p.outside.PublicURL(r) + intentReceipts }
	retrieve, events, receipts := aip.Handlers(p.Excerpts, config)
	all := []apphttp.Route{
		{Pattern: wire.WellKnown, Name: wire.WellKnown, Methods: apphttp.ReadMethods, CORS: true,
			Handler: p.declaredDocument(wire.WellKnown, func(d wire.Declaration) (*httpx.Document, error) {
				return aip.NewDeclaration(d, p.config.intentOptions())
			})},
		{Pattern: intentCapabilities, Name: intentCapabilities, Methods: apphttp.ReadMethods, CORS: true,
			Handler: p.declaredDocument(intentCapabilities, func(d wire.Declaration) (*httpx.Document, error) {
				return aip.NewCapabilities(d, p.config.Intent.Versions)
			})},
		{Pattern: intentRetrieve, Name: intentRetrieve, Refuse: aip.WriteError, Handler: retrieve},
		{Pattern: intentReceipts + "{id}", Name: intentReceipts, Refuse: aip.WriteError, Handler: receipts},
	}
	if p.config.Intent.Events.Enabled {
		all = append(all,
			apphttp.Route{Pattern: intentEvents, Name: intentEvents, Refuse: aip.WriteError, Handler: events})
	}
	return all
}

// declaredDocument serves what is made of the declaration, at the address that a request came to.
func (p *passages) declaredDocument(route string, make func(wire.Declaration) (*httpx.Document, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now, address := p.declared.Load(), p.outside.PublicURL(r)
		document, err := now.made.Get(route, address, func() (*httpx.Document, error) {
			return make(now.config.declarationAt(address))
		})
		if err != nil { // nothing that is not valid is declared
			nlweb.WriteError(w, r, err)
			return
		}
		document.ServeHTTP(w, r)
	})
}

// signedPaths are the paths under which a request's sender may have signed it: as it came, and as
// its public address has it, where a proxy takes a part off.
func (p *passages) signedPaths(r *http.Request) []string {
	path := r.RequestURI
	if !strings.HasPrefix(path, "/") { // the form that is sent to proxies: scheme and host are not signed
		path = r.URL.RequestURI()
	}
	paths := []string{path}
	if p.outside.Prefix != "" {
		paths = append(paths, p.outside.Prefix+path)
	}
	return paths
}
