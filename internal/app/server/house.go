package server

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/internal/ask"
	"frontdesk/internal/ask/session"
	"frontdesk/internal/content"
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
	"frontdesk/internal/content/vector"
	"frontdesk/internal/content/vector/words"
	"frontdesk/internal/excerpts"
	"frontdesk/internal/excerpts/grants"
	"frontdesk/internal/identity"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/infra/llm"
	"frontdesk/internal/infra/outbox"
	"frontdesk/internal/infra/ratelimit"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/infra/store/backup"
	"frontdesk/internal/intake"
	"frontdesk/internal/intake/vault"
	"frontdesk/internal/ledger"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/accounts/counts"
	"frontdesk/internal/licensing/broker"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/licensing/delivery/botstats"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/disputes/accesslog"
	"frontdesk/internal/licensing/disputes/enforcement"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/licensing/published"
	"frontdesk/internal/licensing/rampapi"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
	"frontdesk/internal/policy/imported"
	"frontdesk/internal/policy/overrides"
)

// House is the rooms below the doors, put together as a configuration says: for a server, and for commands that
// work on the same content without one.
type House struct {
	base
	identities
	services
	accounting
	termsInForce
	supply
	questions
	reading
	submissions
	declared atomic.Pointer[declared] // what is declared to platforms; nil for nothing
}

// base is what everything stands on.
type base struct {
	Ledger  *ledger.Ledger
	db      *store.DB
	secret  []byte           // of conversations, promises, and the names of what limits count
	clock   func() time.Time // nil for time.Now
	log     *slog.Logger
	closers closers
}

// identities are the keys of those who ask and of this front desk. SiteKeys, AgentKeys, VerifierKeys and Platforms are
// there once UnlockKeys has opened the folder of secrets.
type identities struct {
	Keys         *identity.Keys
	Nonces       *identity.Nonces // that were used under platforms' keys
	SiteKeys     *identity.SiteKeys
	Addresses    *identity.AddressKeys
	AgentKeys    *identity.SiteKeys // of an agent of the owner's, which asks others
	VerifierKeys *identity.SiteKeys // with which the sites attest things of their content
	Platforms    *identity.Platforms
	Deliveries   *identity.DeliveryKeys       // that sign addresses for others
	Edges        *identity.EdgeKeys           // with which edges tell what they delivered
	Answers      *identity.ChallengeResponses // to challenges of this front desk's own domains
}

// accounting is what buyers paid and may use, and what there is to read of sales.
type accounting struct {
	Accounts     *accounts.Ledger
	ReadAccounts *accounts.Reader
	ReadDeals    *transactions.Reader // what was offered and sold
	ReadTraffic  *botstats.Reader     // whom edges saw
	ReadEvidence *accesslog.Reader    // what logs say of deliveries

	imports *accesslog.Importer // of logs of deliveries
}

// termsInForce are the rules of the file, what programs added to them, and what sites state of their addresses.
type termsInForce struct {
	Stated   *imported.Store
	Rulebook *overrides.Store

	rules    atomic.Pointer[policy.Terms]
	added    atomic.Pointer[overrides.RuleSet]
	licences atomic.Pointer[licensing]
}

// supply is what can be sold, by whom, and who pushes it.
type supply struct {
	Requesters *requesters.Registry    // who ask under RAMP; nil before OpenRequesters
	Goods      *catalog.Catalog        // what can be sold; nil where nothing is
	Shelves    *push.Store             // of what is pushed; nil before OpenSupply, and where nothing is sold
	Tenants    *push.Tenants           // for whom something is pushed
	Callers    *requesters.PushClients // who push it

	supplying    supplying                            // what is pushed
	selling      atomic.Pointer[exchange.OfferPolicy] // how offers are made; nil where nothing is sold
	providers    *identity.Providers                  // of what is sold; nil where their word is not asked for
	proofs       *identity.DomainVerifier             // of tenants' domains; nil where nothing is sold
	verified     *prometheus.CounterVec               // challenges, by what came of them
	verifiedOnly bool                                 // nothing of a tenant's is sold at a domain that is not verified
}

// questions are what answers need beside the services.
type questions struct {
	Model   *llm.Client   // nil without one
	Vectors *vector.Store // nil where no model makes any

	promises *session.Promises                               // nil without
	memory   *session.Memory                                 // nil when nothing is remembered
	admit    func(ctx context.Context, sites []string) error // counts a question for the sites that it goes to
	asked    func(llm.Call)                                  // told of each call of the model
}

// reading is what sources are read into, and how.
type reading struct {
	Catalog *content.Catalog

	sites    map[string]bool                                        // ids of those that are served
	visitor  *fetch.Crawler                                         // of the web
	agent    string                                                 // as which the visitor comes
	maxBytes int64                                                  // the most that a document of the web may have
	rereads  atomic.Pointer[func(site string, paths []string) bool] // begins to read a site's sources anew; nil where nobody does
}

// submissions are what agents submit.
type submissions struct {
	Vault *vault.Vault // of the keys to what agents submit; nil before OpenIntakes, and where nothing is taken in

	taking atomic.Pointer[intakeSnapshot] // what is taken in; nil before OpenIntakes, and where nothing ever was
}

// services are what the doors ask.
type services struct {
	Corpus      *released.Corpus  // what the terms let out of the content
	Excerpts    *excerpts.Service // nil where platforms are given no passages
	Intakes     *intake.Service   // nil before OpenIntakes, and where nothing was ever taken in
	Ask         *ask.Service
	AskPromises *ask.Promises // nil where nothing is promised
	AskVectors  *ask.Vectors  // nil where no model makes any

	Cases      *exchange.Cases      // disputes, as the operator decides them
	Assortment *exchange.Assortment // what is for sale; nil where nothing is, as are the next ones
	Published  *published.Service
	rampapi.Services
}

// Refresh brings the corpus, and the services that follow it, to the catalog's published state and the terms in force.
func (s *services) Refresh(ctx context.Context) error { return s.Corpus.Load(ctx, s.followers()...) }

// Follow refreshes again and again until ctx ends. What fails is logged and tried again.
func (s *services) Follow(ctx context.Context) { s.Corpus.Follow(ctx, s.followers()...) }

// LoadVectors takes the vectors that are there already, for a process that asks at once and does not stay to make any.
func (s *services) LoadVectors(ctx context.Context) error {
	if s.AskVectors == nil {
		return nil
	}
	return s.AskVectors.Load(ctx)
}

// keepVectors keeps the vectors of the content up with it until ctx ends, where a model makes any.
func (s *services) keepVectors(ctx context.Context) {
	if s.AskVectors != nil {
		s.AskVectors.Keep(ctx)
	}
}

// followers are what services do about each view of the corpus.
func (s *services) followers() []released.Follower {
	var all []released.Follower
	if s.Assortment != nil {
		all = append(all, s.Assortment.Follow)
	}
	if s.Excerpts != nil {
		all = append(all, s.Excerpts.Warm)
	}
	return all
}

// Database names the database, with the tables of every room.
func (c Config) Database(log *slog.Logger) store.Config {
	return store.Config{DSN: c.DSN(), Log: log, Schemas: []store.Schema{
		content.Schema, identity.Schema, identity.PlatformSchema, identity.LoginSchema, requesters.Schema, identity.DeliverySchema, identity.EdgeSchema, ledger.Schema, grants.Schema, vault.Schema,
		transactions.Schema, counts.Schema, disputes.Schema, accesslog.Schema, enforcement.Schema, botstats.Schema,
		accounts.Schema, broker.Schema, overrides.Schema, imported.Schema, push.Schema, requesters.PushClientSchema, identity.ChallengeResponseSchema,
		outbox.Schema, ratelimit.Schema, session.Schema, session.PromiseSchema, vector.Schema, llm.Schema,
	}}
}

// OpenHouse opens the database, making it when it is missing, and puts the rooms on top of it. The corpus knows
// nothing yet: Refresh or Follow loads the catalog. It makes no secrets: conversations
// and promises go on for as long as the process runs.
func OpenHouse(ctx context.Context, config Config, log *slog.Logger) (*House, error) {
	secret := make([]byte, 32)
	rand.Read(secret)
	return openHouse(ctx, config, log, secret)
}

// openHouse is OpenHouse with the secret that conversations and promises are sealed with.
func openHouse(ctx context.Context, config Config, log *slog.Logger, secret []byte) (_ *House, err error) {
	if _, err := config.CompileTerms(); err != nil { // before anything is opened
		return nil, err
	}
	actions, err := config.CompileActions()
	if err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, config.Database(log))
	if err != nil {
		return nil, err
	}
	h := &House{base: base{db: db, secret: secret, log: log}}
	h.closers.add(db.Close)
	defer func() { err = h.closers.after(err) }()
	if err := backup.Finish(ctx, db, config.Data); err != nil {
		return nil, err
	}
	h.Keys = identity.NewKeys(db, nil)
	h.admit, h.asked = func(context.Context, []string) error { return nil }, func(llm.Call) {}
	h.visitor, h.agent, h.maxBytes = config.Visitor(), config.Fetch.UserAgent, int64(config.Fetch.MaxBytes)
	h.Catalog = content.New(db, content.Options{Now: h.now})
	h.openLedger(config)
	h.Keys.OnChange(h.recorder().APIKey)
	h.openAnswers()
	h.openAccounts(config)
	if err := h.openLicences(ctx, config); err != nil {
		log.Error("licences that sites state cannot be used", "error", err)
	}
	if err := h.openRulebook(ctx, config); err != nil {
		return nil, err
	}
	h.Cases, err = exchange.NewCases(exchange.CaseDeps{
		DB: db, Ledger: h.Ledger, Accounts: h.Accounts, Rules: config.disputeRules, Now: h.now,
	})
	if err != nil {
		return nil, err
	}
	h.Nonces = identity.NewNonces(db, 0, h.now)
	conversations, memory, err := config.conversations(db, log, secret)
	if err != nil {
		return nil, err
	}
	if h.Model, err = config.OpenModel(log, llm.NewUsageStore(db), func(c llm.Call) { h.asked(c) }); err != nil {
		return nil, err
	}
	h.closers.add(func() error {
		h.Model.Close()
		return nil
	})
	h.memory = memory
	var table *words.Table
	if path := config.Model.Words; path != "" {
		if table, err = vector.OpenTable(path); err != nil {
			return nil, fmt.Errorf("model.words: %w", err)
		}
	}
	var sites []released.Site
	for _, site := range config.AllSites() {
		sites = append(sites, released.Site{ID: site.ID, Name: site.Name, Hosts: site.Hosts})
	}
	h.Corpus, err = released.New(released.Deps{
		Catalog: h.Catalog, Sites: released.NewSites(sites...), Terms: h.Terms, Words: table, Passages: config.Intent.Enabled,
		ForSale: h.forSale, CacheBytes: uint64(config.Ask.Cache), Timeout: config.Ask.Timeout, Log: log,
		Actions: func(of policy.Facts, sold bool, object []byte) (told []byte, some bool) {
			return actions.Append(nil, of, sold, object)
		},
	})
	if err != nil {
		return nil, err
	}
	if h.AskPromises, err = h.openPromises(config, secret); err != nil {
		return nil, err
	}
	if err := h.openVectors(config.Model.Vectors); err != nil {
		return nil, err
	}
	h.Ask, err = ask.New(ask.Deps{
		Corpus: h.Corpus,
		Reading: ask.Reading{
			MinScore: config.Ask.MinScore, AsSpelled: !config.Ask.Spelling, OwnWords: !config.Ask.Feedback,
			Place: config.Ask.place(),
		},
		Elicitation: askerOf(config.Ask.Elicit), Conversations: conversations, Memory: memory,
		Promises: h.AskPromises, LLM: h.Model, Vectors: h.AskVectors,
		Admit: func(ctx context.Context, sites []string) error { return h.admit(ctx, sites) },
		Now:   h.now, Timeout: config.Ask.Timeout, Log: log,
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

// Terms are the rules in force.
func (h *House) Terms() *policy.Terms { return h.rules.Load() }

// forSale says whether a stranger may buy an item.
func (h *House) forSale(rules *policy.Terms, l *index.Doc, d policy.Decision, item *released.ItemVersion) bool {
	return exchange.ForSale(h.selling.Load(), rules, l, d, item)
}

// now is the time by the server's clock.
func (h *House) now() time.Time {
	if h.clock == nil {
		return time.Now()
	}
	return h.clock()
}

// Close closes the database, and ends what goes on beside the questions.
func (h *House) Close() error { return h.closers.close() }
