// Package server puts the house together and answers on the network: the configuration, the routes, one log event
// per request, limits, health, metrics, terms that change while it runs, and a graceful stop.
//
// It stands on the services and on their handlers; the commands of cli stand on it. It speaks no protocol of its own: what
// it answers itself (unknown addresses, overload) the NLWeb door renders.
package server

import (
	apphttp "frontdesk/internal/app/http"

	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/internal/app/config"

	"frontdesk/internal/ask/nlweb"
	"frontdesk/internal/ask/page"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/infra/ratelimit"
	"frontdesk/internal/infra/tls"
	"frontdesk/internal/ledger"
	"frontdesk/internal/licensing/broker"
	"frontdesk/internal/licensing/disputes/enforcement"
	"frontdesk/internal/licensing/edge"
	"frontdesk/internal/licensing/rampapi"
)

// Options are what a server needs.
type Options struct {
	Loaded *Loaded
	Log    *slog.Logger
	// Now is the clock of log and metrics, and that by which questions are understood; nil is time.Now.
	Now func() time.Time
	// Listener is where to listen, when an address was taken already (by Listen); nil takes the configured one.
	Listener net.Listener
	// Ingested says that the sources were read just before, so that Run does not read them.
	Ingested bool
	// Inside says that only this process asks, on its owner's behalf: nobody needs a credential or is counted.
	Inside bool
	// Pages are further handlers, by the pattern of their path: the demo's sample pages.
	Pages map[string]http.Handler
	// Broker has the server be a Broker and nothing else.
	Broker bool
	// Around, when not nil, is put around what answers on the public listener: a demonstration watches what passes.
	Around func(http.Handler) http.Handler
	// Ready, when not nil, is called with the server's web address as soon as it accepts connections.
	Ready func(address string)
}

// Server answers requests. New makes one, Run runs it, Close ends it.
type Server struct {
	*House
	options  Options
	config   Config
	front    *apphttp.RequestHandler
	outside  *apphttp.ClientAddress
	gate     *apphttp.Auth // nil when only this process asks
	modules  modules
	reloader *reloader
	effects  *outboxWorker // nil without any
	trade
	shutdown

	certificates atomic.Pointer[tls.Source] // nil before Run, and without TLS
	metrics      *apphttp.Metrics
	figures      *sourceFigures
	stale        freshness
	bringing     sync.Mutex // of who brings content rules in force
}

// trade is what sells, buys and delivers. All of it is nil where it is switched off.
type trade struct {
	exchange *rampapi.Config
	broker   *broker.Broker
	gates    *edgeWorks            // before sites of the owner's
	measures *enforcement.Enforcer // of buyers and sites
	held     ratelimit.Meter       // of those that a measure holds to a rate
}

// shutdown is how a server stops.
type shutdown struct {
	stopping atomic.Bool
	leaving  context.Context // ends when stopping is set
	leave    context.CancelFunc
	after    func(time.Duration) <-chan time.Time // time.After
}

// New opens the database and puts the server together; it does not listen yet.
func New(ctx context.Context, options Options) (_ *Server, err error) {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	config := options.Loaded.Config
	if options.Broker {
		config = config.onlyBroker()
	}
	secret, err := identity.OpenSecret(config.KeyFolder(), secretName)
	switch {
	case errors.Is(err, syscall.ENOSPC): // answering needs no room
		options.Log.Warn("conversations end with this process", "reason", err)
		secret = make([]byte, 32)
		rand.Read(secret)
	case err != nil:
		return nil, err
	}
	house, err := openHouse(ctx, config, options.Log, secret)
	if err != nil {
		return nil, err
	}
	defer func() { err = house.closers.after(err) }()
	house.clock = options.Now
	if err := house.UnlockKeys(ctx, config); err != nil {
		return nil, err
	}
	switch err := house.Ledger.Inspect(ctx); {
	case options.Inside && errors.Is(err, ledger.ErrUndecided): // answering needs neither the ledger nor new keys
	case err != nil:
		return nil, err
	default: // only now a new key, which would not be that of the ledger
		if err := house.firstKeys(config); err != nil {
			return nil, err
		}
	}
	s := &Server{
		House: house, options: options, config: config, metrics: apphttp.NewMetrics(), outside: apphttp.NewClientAddress(config.addressOptions()),
		shutdown: shutdown{after: time.After},
	}
	s.figures = newSourceFigures(s.metrics.Registry)
	reloads := apphttp.NewCounter("terms_reloads_total", "Readings of changed terms, by result: loaded or refused.", "result")
	s.metrics.Registry.MustRegister(reloads, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: "frontdesk", Name: "index_items", Help: "Items in the index, whatever the terms say of them.",
	}, func() float64 { return float64(house.Corpus.Items()) }))
	s.leaving, s.leave = context.WithCancel(context.Background())
	s.reloader = &reloader{
		loaded: options.Loaded, start: config, log: options.Log, put: house.rules.Store, book: house.Added, stated: house.ownLicences,
		count: func(result string) { reloads.WithLabelValues(result).Inc() },
	}
	if !options.Inside {
		auth, err := s.authOptions()
		if err != nil {
			return nil, err
		}
		s.gate = apphttp.NewAuth(s.outside, auth)
		house.admit = s.gate.CountSites
	}
	if err := s.openIntent(); err != nil {
		return nil, err
	}
	if err := house.OpenIntakes(ctx, config); err != nil {
		return nil, err
	}
	if s.effects, err = s.newOutboxWorker(); err != nil {
		return nil, err
	}
	if err := house.openGoods(config); err != nil {
		return nil, err
	}
	if err := s.openBroker(ctx); err != nil {
		return nil, err
	}
	if err := s.openExchange(ctx); err != nil {
		return nil, err
	}
	if err := s.openGates(); err != nil {
		return nil, err
	}
	if s.modules, err = s.build(ctx); err != nil {
		return nil, err
	}
	s.reloader.modules = s.modules
	all := append(s.discovered(s.modules.routes()), s.brokerAbsent()...)
	shared := apphttp.NewCORS(config.CORS, s.gate != nil && (s.gate.Strict || s.gate.Counts()))
	mux, known := apphttp.NewMux(all, s.gate, shared, nothingHint(all))
	s.front = &apphttp.RequestHandler{
		Address: s.outside, Strict: strictTransport(config.TLS),
		Routes: mux, Known: known, Log: options.Log, Metrics: s.metrics, Now: options.Now, MaxRequests: int64(config.Limits.Requests),
	}
	if s.gates != nil {
		s.front.Gate = s.gates.gate
	}
	s.metrics.Busy(s.front.InWork.Load)
	s.metrics.Database("main", house.db.Failing)
	if house.Vault != nil {
		s.metrics.Database("vault", house.Vault.Failing)
	}
	if house.promises != nil {
		promiseFigures(s.metrics.Registry, house.promises.Count)
	}
	if house.Model != nil {
		house.asked = modelFigures(s.metrics.Registry, house.Model)
	}
	if house.Vectors != nil {
		vectorFigures(s.metrics.Registry, house.Vectors.State)
	}
	return s, nil
}

// The addresses of NLWeb; sites and who are of the flat dialect.
const (
	askPath   = "/ask"
	sitesPath = "/sites"
	whoPath   = "/who"
)

// build gives the modules that are switched on, in the order of their routes. A Broker alone serves nothing of sites.
func (s *Server) build(ctx context.Context) (modules, error) {
	broker, err := s.brokerModule(ctx)
	if err != nil {
		return nil, err
	}
	intakes, exchange := s.intakeModule(), s.exchangeModule()
	sites := modules{
		s.sourceModule(), s.askModule(), s.probes(), s.promiseModule(), {Routes: s.sessionRoutes()}, {Routes: s.metadataRoutes()},
		s.identityModule(), s.ledgerModule(), s.excerptsModule(), intakes, {Routes: s.agentRoutes()},
		s.mcpModule(modules{intakes, exchange}.tools()), {Routes: s.ownerRoutes()}, s.termsModule(), s.licenceModule(), s.pages(),
	}
	if s.options.Broker {
		for i := range sites {
			sites[i].Routes = nil
		}
		sites = append(sites, Module{Routes: s.agentRoutes()}, Module{Routes: s.probes().Routes})
	}
	return append(sites, exchange, broker, s.outboxModule(), s.gateModule()), nil
}

// askModule answers questions (NLWeb).
func (s *Server) askModule() Module {
	m := Module{Routes: []apphttp.Route{
		{
			Pattern: askPath, Name: askPath, Methods: []string{http.MethodGet, http.MethodHead, http.MethodPost}, CORS: true, Door: doorAsk,
			Public: asksHow, Asks: askedOverHTTP, Handler: nlweb.Handler(s.Ask, s.nlwebConfig()),
		},
		{
			Pattern: sitesPath, Name: sitesPath, Methods: apphttp.ReadMethods, CORS: true, Door: doorAsk, Handler: nlweb.Sites(s.Ask, s.nlwebConfig()),
			Public: func(*http.Request) bool { return true }, // GET /ask tells them everybody, too
		},
		{
			Pattern: whoPath, Name: whoPath, Methods: apphttp.ReadMethods, CORS: true, Door: doorAsk,
			Asks: func(string, *httpx.Event) bool { return true }, Handler: nlweb.Who(s.Ask, s.nlwebConfig()),
		},
	}}
	m.Jobs = []Job{
		{"keep vectors", s.keepVectors},
		{"greet the model", func(ctx context.Context) { greetModel(ctx, s.config.Model, s.Model, s.log) }},
	}
	if s.memory != nil {
		m.Jobs = append(m.Jobs, Job{"follow what was remembered", s.memory.Follow})
	}
	return m
}

// pages are the page on which people ask, and what else is given out as it is.
func (s *Server) pages() (m Module) {
	if page := s.page(); s.config.Console.Enabled {
		m.Routes = append(m.Routes,
			apphttp.Route{Pattern: "/{$}", Name: "/", Methods: apphttp.ReadMethods, Handler: page},
			apphttp.Route{Pattern: "/assets/", Name: "/assets/", Methods: apphttp.ReadMethods, Handler: page})
	}
	for pattern, handler := range s.options.Pages {
		m.Routes = append(m.Routes, apphttp.Route{Pattern: pattern, Name: pattern, Methods: apphttp.ReadMethods, Handler: handler})
	}
	return m
}

// probes are for whoever watches whether the server answers.
func (s *Server) probes() Module {
	return Module{Routes: []apphttp.Route{
		{Pattern: "/healthz", Name: "/healthz", Methods: apphttp.ReadMethods, Quiet: true, Handler: http.HandlerFunc(s.health)},
		{Pattern: "/readyz", Name: "/readyz", Methods: apphttp.ReadMethods, Quiet: true, Handler: http.HandlerFunc(s.ready)},
	}}
}

// page is the page on which people ask.
func (s *Server) page() http.Handler {
	config := s.config.Console.Config
	config.Ask, config.PublicURL = askPath, s.outside.PublicURL
	for _, site := range s.config.AllSites() {
		config.Sites = append(config.Sites, page.Site{ID: site.ID, Name: first(site.Name, site.ID)})
		if len(s.config.Sites) == 0 {
			config.Title = first(config.Title, site.Name)
		}
	}
	return page.Handler(config)
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.front.ServeHTTP(w, r) }

// Reload reads the configuration again and puts its terms in force, if it has no mistakes; the files of the
// certificate, and the site's keys.
func (s *Server) Reload() {
	s.reloader.reload()
	reloadKeys(s.SiteKeys, s.log)
	if source := s.certificates.Load(); source != nil {
		(*source).Reload()
	}
}

// Run listens and serves until ctx ends, then finishes the requests that are in work, within the configured time.
func (s *Server) Run(ctx context.Context) error {
	l, err := s.takeAddresses(ctx)
	if err != nil {
		return err
	}
	defer l.close()
	work, stop := context.WithCancel(ctx)
	defer stop()
	var background sync.WaitGroup
	s.modules.run(work, &background)
	var gate *edge.Gate
	if s.gates != nil {
		gate = s.gates.gate
	}
	s.answerBeside(work, &background, l, gate)
	err = s.serve(ctx, l.public, l.source)
	stop()
	background.Wait()
	if s.gates != nil {
		s.gates.last(ctx, s.log)
	}
	tellHeld(s.log)
	return err
}

// listenRedirect takes the address for those who come without TLS; nil when there is none.
func (s *Server) listenRedirect(ctx context.Context) (net.Listener, error) {
	if s.config.TLS.Redirect == "" {
		return nil, nil
	}
	return listen(ctx, "tls.redirect", s.config.TLS.Redirect)
}

// keepCertificates lets the source of certificates work in the background, if there is one.
func (s *Server) keepCertificates(ctx context.Context, background *sync.WaitGroup, source tls.Source) {
	if source == nil {
		return
	}
	s.certificates.Store(&source)
	s.metrics.Certificate(source.Expires)
	background.Go(source.Maintain(ctx))
}

// serve answers on the public listener until ctx ends, and for as long as load balancers take to notice.
func (s *Server) serve(ctx context.Context, listener net.Listener, source tls.Source) error {
	about := []any{"address", listener.Addr().String(), "tls", source != nil}
	if s.db != nil { // an edge has none
		about = append(about, "store", redact(s.config.DSN()))
	}
	public := &apphttp.Server{
		Handler: s.front, Around: s.options.Around, Limits: s.config.Limits, Log: s.log, After: s.after,
		Started: func() {
			s.log.Info("listening", about...)
			if s.options.Ready != nil {
				s.options.Ready(s.address(listener))
			}
		},
		Stopping: func() {
			s.stopping.Store(true)
			if s.leave != nil { // an edge has no streams
				s.leave()
			}
		},
	}
	if s.Delivery != nil {
		public.Await = s.Delivery.AwaitStreams
	}
	return public.Serve(ctx, listener, source)
}

// address is where the server answers, as people are told.
func (s *Server) address(listener net.Listener) string {
	switch t := s.config.TLS; {
	case s.config.URL != "":
		return strings.TrimSuffix(s.config.URL, "/")
	case len(t.ACME.Domains) > 0:
		return apphttp.NewRedirector("", portOf(listener)).Of(t.ACME.Domains[0])
	case t.On():
		return "https" + strings.TrimPrefix(apphttp.WebAddress(listener), "http")
	}
	return apphttp.WebAddress(listener)
}

// Listen takes the address on which a server is to listen.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	return listen(ctx, "listen", address)
}

// listen takes an address, or the socket that a service manager took for it, and says what to do when it cannot be had.
func listen(ctx context.Context, key, address string) (net.Listener, error) {
	if given, ok, err := apphttp.Inherited(key); ok {
		return given, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s is taken by another program; choose another address with %s, for example %s 127.0.0.1:0 for any free port", address, config.FlagName(key), config.FlagName(key))
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("this user may not listen on %s; choose a port from 1024 on with %s", address, config.FlagName(key))
	case err != nil:
		return nil, fmt.Errorf("cannot listen on %s: %w; choose another address with %s", address, err, config.FlagName(key))
	}
	return listener, nil
}

// listenMetrics takes the address of the metrics. When nobody chose it and it is taken, most likely by another
// frontdesk, the server does without.
func (s *Server) listenMetrics(ctx context.Context) (net.Listener, error) {
	address := s.config.Metrics.Listen
	if address == off {
		return nil, nil
	}
	listener, err := listen(ctx, "metrics.listen", address)
	if err != nil && s.options.Loaded.origins.Layer("metrics.listen") == config.LayerDefault {
		s.log.Warn("no metrics: " + err.Error())
		return nil, nil
	}
	return listener, err
}

// serveMetrics answers Prometheus until ctx ends.
func (s *Server) serveMetrics(ctx context.Context, listener net.Listener) {
	server := &http.Server{Handler: s.metrics.Handler(s.front.Routes), ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, MaxHeaderBytes: 16 << 10}
	s.log.Info("metrics", "address", listener.Addr().String(), "path", "/metrics")
	if err := apphttp.ServeBeside(ctx, server, listener, s.log); err != nil {
		s.log.Error("metrics are no longer served", "error", err)
	}
}

// NewLog makes the log that a configuration asks for. Below the level debug, the same cause is told once a minute.
func NewLog(config Log, w io.Writer) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(config.Level)); err != nil {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level}
	var handler slog.Handler = slog.NewTextHandler(w, options)
	if config.Format == "json" {
		handler = slog.NewJSONHandler(w, options)
	}
	if level > slog.LevelDebug {
		handler = newRepeats(handler)
	}
	return slog.New(handler)
}

// askedOverHTTP says whether a request to /ask was a question: a POST, or a GET in the flat dialect.
func askedOverHTTP(method string, happened *httpx.Event) bool {
	return method == http.MethodPost || happened.Text("dialect") != ""
}

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

// addressOptions are what the configuration says of the way to the server.
func (c Config) addressOptions() apphttp.AddressOptions {
	return apphttp.AddressOptions{URL: c.URL, Proxies: c.Proxies, ProxyHeaders: c.ProxyHeaders, Clients: c.Log.Clients}
}
