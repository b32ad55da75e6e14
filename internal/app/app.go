// Package app puts the program together and answers on the network: the configuration, the routes,
// one log event per request, limits, health, metrics, terms that change while it runs, and a
// graceful stop.
//
// Build is the whole of it, in order: what everything stands on, then the capabilities, then their
// modules. A capability is a struct that is complete when it was made, and that names as its fields
// what it stands on. The package speaks no protocol of its own: what it answers itself (unknown
// addresses, overload) is told in NLWeb.
package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	apphttp "frontdesk/internal/app/http"
	"frontdesk/internal/app/repeats"
	"frontdesk/internal/app/stored"
	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/content/vector/words"
	"frontdesk/internal/excerpts/grants"
	"frontdesk/internal/identity"
	"frontdesk/internal/identity/agents"
	"frontdesk/internal/identity/keyring"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/identity/visitors"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/infra/llm"
	"frontdesk/internal/infra/outbox"
	"frontdesk/internal/infra/ratelimit"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/infra/store/backup"
	"frontdesk/internal/intake/vault"
	"frontdesk/internal/ledger"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/accounts/counts"
	"frontdesk/internal/licensing/broker"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/licensing/delivery/botstats"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/disputes/accesslog"
	"frontdesk/internal/licensing/disputes/enforcement"
	"frontdesk/internal/licensing/rampapi"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/operator/settings"
	"frontdesk/internal/policy"
	"frontdesk/internal/policy/imported"
	"frontdesk/internal/policy/overrides"

	askquestions "frontdesk/internal/ask/questions"
	"frontdesk/internal/ask/session"
	"frontdesk/internal/ask/tuning"
	"frontdesk/internal/content/vector"
)

// Options are what Build needs.
type Options struct {
	Loaded *Loaded
	Log    *slog.Logger
	// Now is the clock of log, metrics and questions; nil is time.Now.
	Now func() time.Time
	// Records says that a command works on what is on record: nothing answers, and nothing is done
	// in the background.
	Records bool
	// Secrets has a command that works on records open the folder of secrets too, and Submissions
	// also the vault.
	Secrets, Submissions bool
	// Listener is where to listen, when an address was taken already (by Listen); nil takes the
	// configured one.
	Listener net.Listener
	// Ingested says that the sources were read just before, so that Run does not read them.
	Ingested bool
	// Inside says that only this process asks, on its owner's behalf: nobody needs a credential or
	// is counted.
	Inside bool
	// Pages are further handlers, by the pattern of their path: the demo's sample pages.
	Pages map[string]http.Handler
	// Broker has the program be a Broker and nothing else.
	Broker bool
	// Around, when not nil, is put around what answers on the public listener: a demonstration
	// watches what passes.
	Around func(http.Handler) http.Handler
	// Ready, when not nil, is called with the web address as soon as connections are accepted.
	Ready func(address string)
}

// base is what every capability stands on.
type base struct {
	config  Config          // as the program began with it
	sites   *released.Sites // as requests name them
	db      *store.DB
	Catalog *content.Catalog
	Ledger  *ledger.Ledger
	log     *slog.Logger
	now     func() time.Time
	reading atomic.Pointer[[]Source] // where content is read from; nil for the sources of config
	secret  []byte                   // of conversations, promises, and the names of what limits count
	visitor *fetch.Crawler           // of the web
	own     *agents.Own              // who signs what is asked of others; nil for nobody
}

// App is the program. Build makes one, Run runs it, Close ends it.
type App struct {
	*base
	*identities
	*supply
	*accounting
	*terms
	*sources
	*questions
	*submissions
	*visiting
	*network // nil for a command that works on records, as is what follows
	*frontend

	beside   *stored.Layer[*Loaded] // what the owner set without the file
	exchange *seller                // nil where nothing is sold
	broker   *brokerage             // nil where nobody buys for others
	gates    *gateway               // before sites of the owner's; nil for none
	reloader *reloader
	effects  *outboxWorker // nil where no effect has to be sent
	modules  modules
	closers  closers
}

// schemas are the tables of all capabilities. They are there whatever is switched on, so that what
// was recorded while a capability was on outlives its being switched off.
var schemas = []store.Schema{
	content.Schema, identity.Schema, identity.PlatformSchema, identity.LoginSchema, requesters.Schema,
	identity.DeliverySchema, identity.EdgeSchema, ledger.Schema, grants.Schema, vault.Schema, transactions.Schema,
	counts.Schema, disputes.Schema, accesslog.Schema, enforcement.Schema, botstats.Schema, accounts.Schema,
	broker.Schema, overrides.Schema, settings.Schema, imported.Schema, push.Schema, requesters.PushClientSchema,
	identity.ChallengeResponseSchema, outbox.Schema, ratelimit.Schema, session.Schema, session.PromiseSchema,
	askquestions.Schema, vector.Schema, llm.Schema, tuning.Schema, visitors.Schema, keyring.Schema,
}

// Database names the database, with the tables of every capability.
func (c Config) Database(log *slog.Logger) store.Config {
	return store.Config{DSN: c.DSN(), Log: log, Schemas: schemas}
}

// Build opens the database, making it when it is missing, and puts the program together on it. It
// neither listens nor reads anything of content yet: Run does, or Refresh.
func Build(ctx context.Context, options Options) (_ *App, err error) {
	options = options.complete()
	loaded, sites := options.serving()
	options.Loaded = loaded
	config := loaded.Config
	if options.Broker {
		config = config.onlyBroker()
	}
	if _, err := config.CompileTerms(); err != nil { // before anything is opened
		return nil, err
	}
	b := &base{config: config, sites: sites, log: options.Log, now: options.Now}
	if b.own, err = config.OwnAgent(b.now); err != nil {
		return nil, err
	}
	b.visitor = config.visitor(b.own)
	if b.secret, err = options.secret(config); err != nil {
		return nil, err
	}
	a := &App{base: b}
	defer func() { err = a.closers.after(err) }()

	// What everything stands on.
	if b.db, err = store.Open(ctx, config.Database(b.log)); err != nil {
		return nil, err
	}
	a.closers.add(b.db.Close)
	if err := backup.Finish(ctx, b.db, config.Data); err != nil {
		return nil, err
	}
	if a.beside, err = b.openSettings(ctx, &options); err != nil {
		return nil, err
	}
	b.Catalog = content.New(b.db, content.Options{Now: b.now})
	if a.identities, err = b.openIdentities(ctx, options.Secrets); err != nil {
		return nil, err
	}
	b.Ledger = a.openLedger()
	a.identities.record()
	if !options.Records {
		switch err := b.Ledger.Inspect(ctx); {
		case options.Inside && errors.Is(err, ledger.ErrUndecided): // answering needs neither the ledger nor new keys
		case err != nil:
			return nil, err
		default: // only now a new key, which would not be that of the ledger
			if err := a.firstKeys(); err != nil {
				return nil, err
			}
		}
		if a.network, err = b.openNetwork(options, a.Keys); err != nil {
			return nil, err
		}
	}

	// What is on record.
	if a.supply, err = b.openSupply(ctx, a.identities); err != nil {
		return nil, err
	}
	if a.accounting, err = b.openAccounting(); err != nil {
		return nil, err
	}
	if a.terms, err = b.openTerms(ctx, a.supply, !options.Records); err != nil {
		return nil, err
	}
	model, err := a.openModel()
	if err != nil {
		return nil, err
	}
	corpus, err := a.openCorpus()
	if err != nil {
		return nil, err
	}
	if !options.Records {
		a.reloader = newReloader(options.Loaded, a.network, a.terms, corpus, func() modules { return a.modules })
		a.reloader.beside = a.beside
	}
	a.sources = newSources(a.network, a.terms, corpus, a.reloader, model.Enabled(llm.Embed))
	if a.questions, err = openQuestions(ctx, b, a.network, a.sources, model); err != nil {
		return nil, err
	}
	if a.Questions != nil {
		a.closers.add(func() error { return a.Questions.Flush(context.Background()) })
	}
	if a.submissions, err = openSubmissions(ctx, b, a.network, a.Ask, options.Submissions); err != nil {
		return nil, err
	}
	if a.Vault != nil {
		a.closers.add(a.Vault.Close)
	}
	if a.visiting, err = b.openVisiting(ctx); err != nil {
		return nil, err
	}
	if options.Records {
		return a, nil
	}
	a.closers.add(func() error { return a.Counter.Flush(context.Background()) })
	a.closers.add(func() error { return a.Uses.Flush(context.Background()) })

	// What it does for others.
	passages, err := newPassages(a.network, a.identities, a.terms, corpus, a.questions.kept())
	if err != nil {
		return nil, err
	}
	if a.effects, err = newOutboxWorker(b, a.Intakes); err != nil {
		return nil, err
	}
	forSale, err := newForSale(a.supply, a.terms, corpus)
	if err != nil {
		return nil, err
	}
	if forSale != nil {
		a.closers.add(forSale.Goods.Save) // so that the next start is quick
		a.follow(forSale.Assortment.Follow)
	}
	if passages != nil {
		a.follow(passages.Excerpts.Warm)
	}
	asking, err := newRAMPAuth(a.network, a.identities, a.accounting)
	if err != nil {
		return nil, err
	}
	if a.broker, err = openBroker(ctx, asking, a.identities, a.Ask, forSale); err != nil {
		return nil, err
	}
	if a.exchange, err = newSeller(asking, forSale, a); err != nil {
		return nil, err
	}
	if a.gates, err = a.exchange.openGateway(); err != nil {
		return nil, err
	}
	if a.gates != nil {
		a.closers.add(a.gates.Close)
	}
	if a.modules, err = a.capabilities(passages, &audit{b, a.network, a.identities, a.terms}); err != nil {
		return nil, err
	}
	a.frontend = &frontend{network: a.network, front: a.handler()}
	if a.gates != nil {
		a.frontend.edge, a.front.Gate = a.gates.Gate, a.gates.Gate
	}
	if a.exchange != nil {
		a.await = a.exchange.Delivery.AwaitStreams
	}
	return a, nil
}

// openModel makes the client of the language model; nil without one.
func (a *App) openModel() (*llm.Client, error) {
	told := func(llm.Call) {}
	model, err := a.config.OpenModel(a.log, llm.NewUsageStore(a.db), func(c llm.Call) { told(c) })
	if model == nil || err != nil {
		return nil, err
	}
	a.closers.add(func() error {
		model.Close()
		return nil
	})
	if a.network != nil {
		told = llm.RegisterMetrics(a.metrics.Registry, model)
	}
	return model, nil
}

// openCorpus makes what the terms let out of the content. It knows nothing yet: Refresh or Follow
// loads the catalog.
func (a *App) openCorpus() (*released.Corpus, error) {
	actions, err := a.config.CompileActions()
	if err != nil {
		return nil, err
	}
	var table *words.Table
	if path := a.config.Model.Words; path != "" {
		if table, err = vector.OpenTable(path); err != nil {
			return nil, fmt.Errorf("model.words: %w", err)
		}
	}
	return released.New(released.Deps{
		Catalog: a.Catalog, Sites: a.sites, Terms: a.Terms, Words: table, Passages: a.config.Intent.Enabled,
		ForSale: a.isForSale, CacheBytes: uint64(a.config.Ask.Cache), Timeout: a.config.Ask.Timeout, Log: a.log,
		Folder: filepath.Join(a.config.Data, "index"),
		Actions: func(of policy.Facts, sold bool, object []byte) (told []byte, some bool) {
			return actions.Append(nil, of, sold, object)
		},
	})
}

// complete fills in the defaults.
func (o Options) complete() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if !o.Records {
		o.Secrets, o.Submissions = true, true
	}
	return o
}

// secret is that of conversations and promises. Those of a command go on for as long as it runs.
func (o Options) secret(config Config) (secret []byte, err error) {
	if !o.Records {
		if secret, err = identity.OpenSecret(config.KeyFolder(), secretName); !errors.Is(err, syscall.ENOSPC) {
			return secret, err
		}
		o.Log.Warn("conversations end with this process", "reason", err) // answering needs no room
	}
	secret = make([]byte, 32)
	rand.Read(secret)
	return secret, nil
}

// capabilities give the modules that are switched on, in the order of their routes. A Broker alone
// serves nothing of sites.
func (a *App) capabilities(passages *passages, audit *audit) (modules, error) {
	broker, err := a.broker.module(a.exchange, a.readiness)
	if err != nil {
		return nil, err
	}
	intakes, exchange := a.submissions.module(), a.exchange.module()
	sites := modules{
		a.sources.module(), a.questions.module(), a.keptModule(), a.probes(), a.promiseModule(),
		{Routes: a.sessionRoutes()}, {Routes: a.metadataRoutes()}, a.identities.module(), audit.module(),
		passages.module(), intakes, {Routes: a.agentRoutes()}, a.mcpModule(modules{intakes, exchange}.tools()),
		{Routes: append(a.ownerRoutes(), a.answerRoutes()...)}, a.termsModule(), a.licenceModule(), a.visitorsModule(),
		a.keysModule(), a.settingsModule(), a.pages(),
	}
	if a.options.Broker {
		for i := range sites {
			sites[i].Routes = nil
		}
		sites = append(sites, Module{Routes: a.agentRoutes()}, Module{Routes: a.probes().Routes})
	}
	return append(sites, exchange, broker, a.effects.module(), a.gates.module()), nil
}

// handler answers all routes.
func (a *App) handler() *apphttp.RequestHandler {
	all := a.discovered(a.modules.routes(), a.Terms)
	if a.gate != nil && a.broker == nil {
		all = append(all, brokerAbsent()...)
	}
	shared := apphttp.NewCORS(a.config.CORS, a.gate != nil && (a.gate.Strict || a.gate.Counts()))
	mux, known := apphttp.NewMux(withChannels(all), a.gate, shared, nothingHint(all))
	front := a.requestHandler(mux, known)
	front.Visitors = &apphttp.Visitors{Directory: a.Directory, Counter: a.Counter, Treatments: a.Treatments,
		Gate: a.gate}
	front.Uses = a.Uses.Saw
	front.Agents = a.agents(func() bool { return a.terms.Terms().DependsOnParty() || a.Treatments.Any() })
	return front
}

// Reload reads the configuration again and puts its terms in force, if it has no mistakes; the
// files of the certificate, and the site's keys.
func (a *App) Reload() {
	a.reloader.reload()
	reloadKeys(a.SiteKeys, a.log)
	a.network.reloadCertificates()
}

// Run listens and serves until ctx ends, then finishes the requests that are in work, within the
// configured time.
func (a *App) Run(ctx context.Context) error {
	err := a.frontend.run(ctx, ctx, a.modules.run)
	if a.gates != nil {
		a.gates.Last(ctx)
	}
	repeats.Tell(a.log)
	return err
}

// Close closes the database, and ends what goes on beside the questions.
func (a *App) Close() error { return a.closers.close() }

// nothingHint says what there is among some routes, for who comes to another address.
func nothingHint(routes []apphttp.Route) string {
	has := func(pattern string) bool {
		return slices.ContainsFunc(routes, func(r apphttp.Route) bool { return r.Pattern == pattern })
	}
	switch {
	case has(askPath):
		return "; POST a question to /ask, or open / in a browser"
	case has(rampapi.ResolvePath):
		return "; POST a RAMPRequest to " + rampapi.ResolvePath
	}
	return ""
}
