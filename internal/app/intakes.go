package app

import (
	"errors"
	"sync/atomic"

	apphttp "frontdesk/internal/app/http"
	"frontdesk/internal/content/released"

	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"frontdesk/internal/ask"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/infra/ratelimit"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/intake"
	"frontdesk/internal/intake/api"
	"frontdesk/internal/intake/offers"
	"frontdesk/internal/intake/vault"
	wire "frontdesk/wire/intake"
	"frontdesk/wire/strictjson"
)

// vaultSecret is the name of the secret in the folder of keys under which the keys to personal data
// are encrypted.
const vaultSecret = "vault"

// submissions are what agents submit (Agent Intake Protocol).
type submissions struct {
	*base
	*network                 // nil where nobody comes
	Vault    *vault.Vault    // of the keys to what agents submit; nil where nothing ever was taken in
	Intakes  *intake.Service // nil likewise

	ask   *ask.Service
	taken atomic.Pointer[intakeSnapshot] // what is taken in at present; nil likewise
}

// openSubmissions makes the service that takes in what agents submit, as a configuration says.
// Where nothing is taken in any more, what was is still kept as long as was said, and can be
// erased. Where nothing ever was there is no service.
func openSubmissions(ctx context.Context, b *base, n *network, asked *ask.Service,
	open bool) (_ *submissions, err error) {
	i := &submissions{base: b, network: n, ask: asked}
	if !open || !b.config.Intakes.On() && !b.config.hasVault() {
		return i, nil
	}
	secret, err := identity.OpenSecret(b.config.KeyFolder(), vaultSecret)
	if err != nil {
		return nil, err
	}
	put, err := i.takeIn(b.config)
	if err != nil {
		return nil, err
	}
	put()
	if i.Vault, err = vault.Open(ctx,
		vault.Options{DSN: b.config.VaultDSN(), Secret: secret, Now: b.now, Log: b.log}); err != nil {
		return nil, err
	}
	if n != nil {
		n.metrics.Database("vault", i.Vault.Failing)
	}
	i.Intakes, err = intake.New(intake.Deps{
		Intakes: func() map[string]*intake.Definition { return i.taken.Load().defined },
		DB:      b.db, Ledger: b.Ledger, Vault: i.Vault, Lookup: i.lookUp,
		RefuseRevisions: b.config.Intakes.Revisions == "refuse", Now: b.now, Log: b.log,
	})
	if err != nil {
		return nil, errors.Join(err, i.Vault.Close())
	}
	return i, nil
}

// declaredIntakes are the intakes as the service knows them.
func (c Config) declaredIntakes(b *base) (map[string]*intake.Definition, error) {
	all, fetcher := map[string]*intake.Definition{}, c.Fetcher()
	for _, one := range c.Intakes.List {
		text, err := one.Schema()
		if err != nil {
			return nil, err
		}
		made := &intake.Definition{
			ID: one.ID, Retention: one.DeclaredPrivacy().DataRetention, PIIRequired: one.Privacy.PIIRequired,
			NoRedacted: !one.DeclaredPrivacy().TakesRedacted(), DropPersonal: c.Intakes.Undeclared == "drop",
			Scopes: scopes(one.Scopes), ValidFor: one.OfferLifetime(),
			TermsURL: one.TermsURL, Binding: one.Binding,
			Bind: intake.BindRules{Requires: one.Bind.Requires, Consent: scopes(one.Bind.Consent),
				Message: one.Bind.Message},
		}
		if made.Schema, err = wire.CompileSchema(text); err != nil {
			return nil, fmt.Errorf("the schema of intake %s: %w", one.ID, err)
		}
		if made.Bind.Fields, err = one.Bind.FieldSchema(); err != nil {
			return nil, err
		}
		if one.Binding && one.Bind.Effect != "" && one.Bind.Effect != intake.EffectInbox {
			made.Bind.Sink = intakeSink(one.ID)
		}
		if made.Engine, err = engine(one, text, b, fetcher); err != nil {
			return nil, fmt.Errorf("intake %s: %w", one.ID, err)
		}
		all[one.ID] = made
	}
	return all, nil
}

// engine is what makes the intake's offers.
func engine(i intake.IntakeSettings, schema strictjson.Value, b *base, fetcher *fetch.Fetcher) (offers.Engine, error) {
	switch {
	case i.ByRules():
		return offers.NewRules(i.Rules, schema)
	case i.ByWebhook():
		return offers.NewWebhook(i.Webhook, offers.WebhookOptions{Fetcher: fetcher, Now: b.now, Log: b.log})
	}
	return i.Person, nil
}

// intakeSink is whom the outbox tells of an intake's binds.
func intakeSink(id string) string { return "intake/" + id }

func scopes(names []string) (all []wire.Scope) {
	for _, name := range names {
		all = append(all, wire.Scope(name))
	}
	return all
}

// intakeHandlers handle the Agent Intake Protocol; nil where nothing is taken in.
func (i *submissions) intakeHandlers() *api.Handlers {
	if !i.config.Intakes.On() {
		return nil
	}
	config := api.Config{
		Options: wire.Options{Lenient: i.config.Intakes.Lenient, StrictUpstream: i.config.Intakes.StrictUpstream},
		MaxBody: int64(i.config.Intakes.MaxBody), SignalPending: i.config.Intakes.Pending, Base: i.personalBase,
	}
	config.Manifest = func(base string) (wire.Manifest, error) { return i.taken.Load().config.manifestAt(base) }
	if i.gate != nil {
		enter := i.newGate()
		config.Authenticate, config.Admit = enter.enter, enter.admit
		config.Challenge = func(r *http.Request, err error) string {
			return i.gate.Challenge(r, &apphttp.Route{Door: doorIntake}, err)
		}
	}
	return api.New(i.Intakes, config)
}

// personalBase is the public address that a context's request came to, or the configured one. Where
// it is neither https nor this machine's nothing personal may be sent to it, nor be promised to be
// taken.
func (i *submissions) personalBase(ctx context.Context) (string, error) {
	base := i.outside.Url
	if public, ok := apphttp.PublicURLOf(ctx); ok {
		base = public
	}
	if base == "" || intake.SafeAddress(base) {
		return base, nil
	}
	return "", fail.New(fail.Unavailable, "Intakes are served by https alone, and this request came by http. "+
		"If it did not, the operator of this front desk must set url to its https address.").
		After(time.Hour)
}

// module takes in what agents submit (Agent Intake Protocol). Where nothing is taken in any more,
// it keeps what was as long as was said.
func (i *submissions) module() Module {
	m := Module{Routes: append(i.intakeRoutes(), i.inboxRoutes()...), Tools: i.intakeTools()}
	if i.Intakes != nil {
		m.Jobs = []Job{{"erase what was kept long enough", i.Intakes.KeepRetention}}
	}
	if i.config.Intakes.On() {
		m.Reload = func(fresh Config) (func(), error) { return i.takeIn(i.config.takingIn(fresh)) }
	}
	return m
}

// intakeRoutes are the addresses of the Agent Intake Protocol.
func (i *submissions) intakeRoutes() []apphttp.Route {
	handlers := i.intakeHandlers()
	if handlers == nil {
		return nil
	}
	posting := []string{http.MethodPost}
	// Registries look whether the manifest's address, too, tells preflights of POST (and then
	// answers it with 405).
	everywhere := append(slices.Clone(apphttp.ReadMethods), http.MethodPost)
	return []apphttp.Route{
		{Pattern: wire.WellKnown, Name: wire.WellKnown, Methods: apphttp.ReadMethods, Preflight: everywhere, CORS: true,
			Refuse: api.WriteError, Handler: i.manifest()},
		{Pattern: intakePath, Name: intakePath, Methods: posting, CORS: true, Refuse: api.WriteError,
			Handler: handlers.Submit()},
		{Pattern: intakeBind, Name: intakeBind, Methods: posting, CORS: true, Refuse: api.WriteError,
			Handler: handlers.Bind()},
	}
}

// manifest serves agent-intake.json, at the address that a request came to.
func (i *submissions) manifest() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := i.taken.Load()
		base, err := i.personalBase(apphttp.WithPublicURL(r.Context(), i.outside.PublicURL(r)))
		var document *httpx.Document
		if err == nil {
			document, err = now.made.Get(wire.WellKnown, base, func() (*httpx.Document, error) {
				m, err := now.config.manifestAt(base)
				if err != nil {
					return nil, err
				}
				return api.NewManifest(m, wire.Options{StrictUpstream: i.config.Intakes.StrictUpstream})
			})
		}
		if err != nil {
			api.WriteError(w, r, err)
			return
		}
		document.ServeHTTP(w, r)
	})
}

// intakeTools are the tools for agents that submit and bind; none where nothing is taken in.
func (i *submissions) intakeTools() []httpx.Tool {
	handlers := i.intakeHandlers()
	if handlers == nil {
		return nil
	}
	tools, err := handlers.Tools()
	if err != nil { // the manifest was made at the start
		i.log.Error("the tools for intakes are not offered", "error", err)
	}
	return tools
}

// intakeGate says who may submit and bind, and how often: for each intake what its declaration
// says.
type intakeGate struct {
	*apphttp.Auth
	taken   *atomic.Pointer[intakeSnapshot]
	limiter *ratelimit.Limiter
}

// countTime is how long it may take to count a request that an intake has declared limits for. It
// is counted in the database, so that all nodes count together and none lets anybody begin anew
// after a restart.
const countTime = 5 * time.Second

func (i *submissions) newGate() *intakeGate {
	return &intakeGate{
		Auth: i.gate, taken: &i.taken,
		limiter: ratelimit.New(ratelimit.Options{DB: i.db, Secret: i.secret, Wait: countTime, Now: i.now, Log: i.log}),
	}
}

// enter names in the context of a request who sent it, from where and to which public address.
func (g *intakeGate) enter(w http.ResponseWriter, r *http.Request) (context.Context, error) {
	ctx, t := g.Counting(w, r)
	party, known, err := g.Identify(r, t)
	switch {
	case err != nil:
		return ctx, err
	case known:
		return identity.With(released.WithCredential(ctx), party), apphttp.OpensDoor(party, doorIntake)
	}
	return ctx, nil
}

// admit says whether whom a context names may come to an intake, and counts it: for the intake's
// own limits where it has any, else for those of everybody. Who comes to no intake is counted, too.
func (g *intakeGate) admit(ctx context.Context, id string, bind bool) error {
	one := g.taken.Load().intakes[id]
	party, known := identity.From(ctx)
	if one.RequiresAuth && !known {
		return fail.New(fail.Unauthorized, "This intake needs a credential: an API key as `%s: KEY` or "+
			"`Authorization: Bearer KEY`; ask the operator of this front desk for one.", identity.KeyHeader)
	}
	if known {
		if err := apphttp.OpensDoor(party, doorIntake); err != nil {
			return err
		}
	}
	caller := apphttp.ClientOf(ctx)
	t := apphttp.RateLimitsOf(ctx)
	switch refused, counted := t.Refused(); {
	case refused != nil:
		return refused
	case one.RateLimit == (intake.RateSettings{}) && counted: // at the door of tools
		return nil
	case one.RateLimit == (intake.RateSettings{}):
		return g.Count(ctx, &apphttp.Route{}, t, party, caller)
	}
	if party.ID != "" {
		caller = party.ID
	}
	return g.within(ctx, t, one, caller, bind)
}

// within counts a request for what its intake has declared, of submissions and of binds apart
// (Agent Intake Protocol 0.1.0, rate_limit). Where it cannot be counted it is not let in: what is
// declared would not hold.
func (g *intakeGate) within(ctx context.Context, t *apphttp.RateLimitState, one intake.IntakeSettings, caller string,
	bind bool) error {
	kind := "intake"
	if bind {
		kind = "bind"
	}
	var names []string
	var windows []ratelimit.Window
	for _, bound := range []struct {
		name     string
		requests int
		per      time.Duration
	}{{"minute", one.RateLimit.RequestsPerMinute, time.Minute}, {"day", one.RateLimit.RequestsPerDay, 24 * time.Hour}} {
		if bound.requests > 0 {
			names, windows = append(names, kind+"-"+bound.name),
				append(windows, ratelimit.Window{Requests: bound.requests, Per: bound.per})
		}
	}
	statuses, err := g.limiter.AllowWindows(ctx, kind+" "+one.ID+" "+caller, windows...)
	if err != nil {
		return fail.New(fail.Unavailable, "This intake cannot count requests at the moment; send the same one again.").
			After(countTime).Wrap(err)
	}
	var refused *fail.Error
	for n, status := range statuses {
		t.Add(names[n], windows[n].Per, status)
		if !status.OK && (refused == nil || status.RetryAfter > refused.RetryAfter) {
			httpx.EventFrom(ctx).Set("limit", names[n])
			refused = fail.New(fail.Limited,
				"Too many requests came from you to this intake (at most %d in %s); come back in %s.",
				windows[n].Requests, yamlconf.Show(windows[n].Per), apphttp.SpanWords(status.RetryAfter)).
				After(status.RetryAfter)
		}
	}
	if refused != nil {
		return refused
	}
	return nil
}

// lookUp finds items for engines of offers.
func (i *submissions) lookUp(ctx context.Context, l offers.Lookup) ([]offers.Item, error) {
	found, err := i.ask.LookUp(ctx, ask.Question{Text: l.Query, Sites: l.Sites, Types: l.Types, Limit: l.Limit})
	if err != nil {
		return nil, err
	}
	var items []offers.Item
	for _, r := range found {
		items = append(items, offers.Item{
			URL: r.URL(), Name: r.Name(), Type: r.Type(), Site: r.Site(), Description: r.Description(),
			Score: r.Score(), Object: r.AppendObject(nil),
		})
	}
	return items, nil
}
