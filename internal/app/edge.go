package app

import (
	"cmp"

	apphttp "frontdesk/internal/app/http"
	"frontdesk/internal/identity"

	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"frontdesk/internal/infra/notify"
	"frontdesk/internal/infra/ratelimit"
	"frontdesk/internal/licensing/edge"
	"frontdesk/internal/licensing/edge/deliverylog"
	wire "frontdesk/wire/edge"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

// edgeWorks is the gate before the sites of a configuration, with what it needs in the background.
type edgeWorks struct {
	gate      *edge.Gate
	spool     *deliverylog.Log
	remotes   []*edge.Remote
	origins   []*edge.Origin
	followers []*edge.Follower
	policies  []*ownPolicy // of sites whose Exchange this is
}

// EdgeServer is an edge by itself: it answers without a database. NewEdge makes one, Run runs it, Close ends it.
type EdgeServer struct {
	*frontend
	works *edgeWorks
}

// gateBuilder makes gates before sites.
type gateBuilder struct {
	*base
	*network                              // nil where only logs are told of
	Answers  *identity.ChallengeResponses // to challenges of the sites' domains; nil without a database
}

// errNoExchange is of an edge by itself that has nobody to ask.
var errNoExchange = errors.New("an edge by itself needs an Exchange: set edge.exchange to its address; `frontdesk serve` is both in one")

// NewEdge puts an edge together; it does not listen yet.
func NewEdge(options Options) (*EdgeServer, error) {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	config := options.Loaded.Config
	switch {
	case config.Edge.Exchange == "":
		return nil, errNoExchange
	case len(config.Edge.Sites) == 0:
		return nil, errors.New("there is no site behind the gate; name one in edge.sites")
	}
	b := &base{config: config, log: options.Log, now: options.Now}
	n := b.newNetwork(options)
	g := &gateBuilder{base: b, network: n}
	ship, err := g.shipper()
	if err != nil {
		return nil, err
	}
	works, err := g.openGate(ship, g.remoteSite)
	if err != nil {
		return nil, err
	}
	mux, known := apphttp.NewMux([]apphttp.Route{
		{Pattern: "/healthz", Name: "/healthz", Methods: apphttp.ReadMethods, Quiet: true, Handler: http.HandlerFunc(health)},
		{Pattern: "/readyz", Name: "/readyz", Methods: apphttp.ReadMethods, Quiet: true, Handler: http.HandlerFunc(n.edgeReady)},
	}, nil, apphttp.NewCORS(apphttp.CORSSettings{}, false), "")
	f := &frontend{network: n, front: n.requestHandler(mux, known), edge: works.gate}
	f.front.Agents = n.agents(func() bool { return false }) // the Exchange's terms are not here
	f.front.Gate, f.front.GateOnly = works.gate, true
	works.spool.RegisterMetrics(n.metrics.Registry)
	return &EdgeServer{frontend: f, works: works}, nil
}

// Close gives back what the edge holds.
func (s *EdgeServer) Close() error { return s.works.close() }

// Reload has the files of the certificate looked at; those of keys are looked at by themselves.
func (s *EdgeServer) Reload() { s.reloadCertificates() }

// Run listens and serves until ctx ends, then finishes the requests that are in work, within the configured time, and tells the
// Exchange of them if it can be reached.
func (s *EdgeServer) Run(ctx context.Context) error {
	work := context.WithoutCancel(ctx) // what is delivered while it stops is told, too
	err := s.frontend.run(ctx, work, func(work context.Context, background *sync.WaitGroup) {
		s.works.ask(ctx)
		modules{{Jobs: s.works.jobs()}}.run(work, background)
	})
	s.works.last(ctx, s.log)
	return err
}

// last tells the Exchange of what was delivered until now, if it can be reached.
func (w *edgeWorks) last(ctx context.Context, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastShip)
	defer cancel()
	if err := w.spool.Flush(ctx); err != nil {
		log.Warn("the Exchange does not know all deliveries yet; it is told when this runs again", "error", err)
	}
}

// lastShip is how long an edge that stops tries to tell the Exchange what it has not told yet.
const lastShip = 5 * time.Second

// errNoKey is why records wait where there is no key.
var errNoKey = errors.New("edge.key and the key's secret are not set, so that the Exchange is told of nothing: run `frontdesk keys issue edge` there")

// shipper tells the Exchange of deliveries.
func (g *gateBuilder) shipper() (func(context.Context, wire.Batch) error, error) {
	e := g.config.Edge
	text, err := notify.ReadSecret(e.SecretEnv, e.SecretFile)
	if err != nil {
		return nil, err
	}
	if e.Key == "" || text == "" {
		g.log.Warn(errNoKey.Error())
		return func(context.Context, wire.Batch) error { return errNoKey }, nil
	}
	secret, err := sign.ParseWebhookSecret(text)
	if err != nil {
		return nil, err
	}
	exchange := &deliverylog.Exchange{URL: first(trimSlash(e.Exchange), "") + wire.Path, Key: e.Key, Secret: secret, Fetcher: g.config.Fetcher(), Now: g.now}
	return exchange.Ship, nil
}

// ImportLog tells the Exchange of the deliveries in a log of a server that asked an edge, and returns once it has taken them. It gives how
// many there were, and how many lines could not be read. The edge may run meanwhile.
func ImportLog(ctx context.Context, options Options, log io.Reader) (deliveries, unread int, err error) {
	options.Now = time.Now
	g := &gateBuilder{base: &base{config: options.Loaded.Config, log: options.Log, now: options.Now}}
	if g.config.Edge.Exchange == "" {
		return 0, 0, errNoExchange
	}
	ship, err := g.shipper()
	if err != nil {
		return 0, 0, err
	}
	records, err := deliverylog.Open(deliverylog.Config{Dir: filepath.Join(g.config.Data, "edge", "import"), Sync: time.Hour, Max: int64(g.config.Edge.Deliveries.Max), Ship: ship, Now: options.Now, Log: g.log})
	if err != nil {
		return 0, 0, err
	}
	_, deliveries, unread, err = edge.ReadLog(log, func(d wire.Delivery) error {
		err := records.Put(d)
		if errors.Is(err, deliverylog.ErrFull) {
			if err = records.Flush(ctx); err == nil {
				err = records.Put(d)
			}
		}
		return err
	})
	if err == nil {
		err = records.Flush(ctx)
	}
	if err == nil && records.Stats().Waiting > 0 {
		err = errors.New("the Exchange does not take all of it; its log says why, and what waits is told again with the next import")
	}
	return deliveries, unread, errors.Join(err, records.Close())
}

// openGate makes the gate of the configured sites. from completes a site with what is known of it.
func (g *gateBuilder) openGate(ship func(context.Context, wire.Batch) error, from func(*edgeWorks, edge.SiteSettings, *edge.Site) error) (*edgeWorks, error) {
	e := g.config.Edge
	records, err := deliverylog.Open(deliverylog.Config{
		Dir: g.config.spoolFolder(), Sync: e.Deliveries.Sync, Every: e.Deliveries.Every, Max: int64(e.Deliveries.Max), Ship: ship, Now: g.now, Log: g.log,
	})
	if err != nil {
		return nil, err
	}
	works := &edgeWorks{spool: records}
	config := edge.Config{
		Deliveries: records, Agents: e.Agents, InfoURL: e.InfoURL, Client: g.outside.Client, Host: g.outside.Host, Secure: g.outside.Secure, Unseen: int64(e.Auth.Unseen),
		Now: g.now, Log: g.log,
	}
	if config.InfoURL == "" {
		config.InfoURL = first(trimSlash(e.Exchange), trimSlash(g.config.URL)) + exchangeManifest
	}
	config.Refusals, _ = ratelimit.ParseRate(e.Refusals) // checked
	config.Manifests, _ = ratelimit.ParseRate(e.Manifests)
	for _, site := range e.Sites {
		made, err := g.gatedSite(works, site, from)
		if err != nil {
			return nil, errors.Join(err, works.close())
		}
		config.Sites = append(config.Sites, made)
	}
	works.gate = edge.New(config)
	if e.Auth.Log != "" {
		works.followers = append(works.followers, &edge.Follower{
			Path: e.Auth.Log, State: filepath.Join(g.config.Data, "edge", "log.json"), Put: records.Put, Log: g.log,
		})
	}
	return works, nil
}

// exchangeManifest is where an Exchange tells of itself.
const exchangeManifest = "/.well-known/ramp-exchange.json"

func trimSlash(address string) string {
	for address != "" && address[len(address)-1] == '/' {
		address = address[:len(address)-1]
	}
	return address
}

// defaultMost is how many requests an origin has at a time.
const defaultMost = 256

// gatedSite makes one site of the gate.
func (g *gateBuilder) gatedSite(works *edgeWorks, site edge.SiteSettings, from func(*edgeWorks, edge.SiteSettings, *edge.Site) error) (edge.Site, error) {
	e := g.config.Edge
	made := edge.Site{
		Domain: site.Domain, Hosts: site.AllHosts(), URL: site.Address(), Tokens: edge.NewTokens(site.Tokens, site.TokensFile, g.now, g.log), Closed: site.Closed, License: site.License, Fetches: site.Fetches,
	}
	if site.Origin != "" {
		to, err := url.Parse(site.Origin)
		if err != nil {
			return made, err
		}
		made.Origin = edge.NewOrigin(edge.OriginConfig{
			URL: to, Host: site.OriginHost, Timeout: e.Timeout, Stall: e.Stall, Client: g.config.Limits.WriteTimeout, MaxRequests: cmp.Or(site.Most, defaultMost), Body: int64(e.Body), Upgrades: site.Upgrades,
		})
		works.origins = append(works.origins, made.Origin)
	}
	g.answering(site, made.Tokens)
	if err := from(works, site, &made); err != nil {
		return made, err
	}
	g.withStored(site, &made)
	return made, nil
}

// remoteSite completes a site with what an Exchange elsewhere says of it.
func (g *gateBuilder) remoteSite(works *edgeWorks, site edge.SiteSettings, made *edge.Site) error {
	e := g.config.Edge
	published := slices.ContainsFunc(site.Keys, func(k edge.KeySettings) bool { return k.File == "" })
	var others []*rampv1.AuthorizedExchange
	for _, x := range site.Exchanges {
		others = append(others, x.Authorised())
	}
	remote, err := edge.OpenRemote(edge.RemoteConfig{
		Others: others, Exchange: trimSlash(e.Exchange), Domain: site.Domain, Folder: filepath.Join(g.config.Data, "edge", "sites", site.Domain), Fetcher: g.config.Fetcher(),
		Unknown: edge.Access(first(site.Unknown, "blocked")), Keys: published, Every: e.Every, Stale: e.Stale, Now: g.now, Log: g.log,
	})
	if err != nil {
		return err
	}
	works.remotes = append(works.remotes, remote)
	made.Policy, made.Documents = remote.Policy, remote.Document
	files, err := g.edgeKeyFiles(site)
	if err != nil {
		return err
	}
	made.Keys = func(context.Context) ([]sign.URLKey, error) {
		if !published {
			return files.Keys(), nil
		}
		return append(slices.Clone(files.Keys()), remote.Keys()...), nil
	}
	return nil
}

// edgeKeyFiles are the keys of a site that are in files.
func (b *base) edgeKeyFiles(site edge.SiteSettings) (*edge.KeyFiles, error) {
	var files []edge.KeyFile
	for _, key := range site.Keys {
		if key.File != "" {
			files = append(files, key.KeyFile())
		}
	}
	return edge.OpenKeyFiles(files, b.now, b.log)
}

// firstAsk is how long an edge that starts waits for its Exchange; without it, what it said last holds.
const firstAsk = 5 * time.Second

// ask asks the Exchange for the first time.
func (w *edgeWorks) ask(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, firstAsk)
	defer cancel()
	var all sync.WaitGroup
	for _, remote := range w.remotes {
		all.Go(func() { remote.Poll(ctx) })
	}
	all.Wait()
}

// edgeReady says whether an edge takes requests.
func (n *network) edgeReady(w http.ResponseWriter, _ *http.Request) {
	if n.stopping.Load() {
		http.Error(w, "stopping", http.StatusServiceUnavailable)
		return
	}
	_, _ = w.Write([]byte("ready\n"))
}

// jobs are what works in the background.
func (w *edgeWorks) jobs() []Job {
	all := []Job{{"tell the Exchange of deliveries", w.spool.Run}}
	for _, remote := range w.remotes {
		all = append(all, Job{"follow the Exchange", remote.Run})
	}
	for _, follower := range w.followers {
		all = append(all, Job{"follow the log", follower.Run})
	}
	for _, policy := range w.policies {
		all = append(all, Job{"follow the policy", policy.follow})
	}
	return all
}

func (w *edgeWorks) close() error {
	for _, origin := range w.origins {
		origin.Close()
	}
	return w.spool.Close()
}

// listenAuth takes the address at which servers ask; nil when there is none.
func (f *frontend) listenAuth(ctx context.Context) (net.Listener, error) {
	if f.config.Edge.Auth.Listen == "" || f.edge == nil {
		return nil, nil
	}
	return listen(ctx, "edge.auth.listen", f.config.Edge.Auth.Listen)
}

// serveAuth answers servers that ask until ctx ends.
func (f *frontend) serveAuth(ctx context.Context, listener net.Listener) {
	limits := f.config.Limits
	answers := &apphttp.RequestHandler{
		Address: f.outside, Routes: http.NewServeMux(), Known: map[string]*apphttp.Route{}, Log: f.log, Metrics: f.metrics, Now: f.now, MaxRequests: int64(limits.Requests),
	}
	one := apphttp.Route{Pattern: "/", Name: "edge auth", Handler: f.edge.Auth()}
	answers.Routes.Handle("/", apphttp.Matched(&one, one.Handler))
	answers.Known["/"] = &one
	server := &http.Server{
		Handler: answers, ReadHeaderTimeout: limits.HeaderTimeout, ReadTimeout: limits.ReadTimeout, WriteTimeout: limits.WriteTimeout, IdleTimeout: limits.IdleTimeout,
		MaxHeaderBytes: int(limits.Header),
	}
	f.log.Info("servers may ask whether requests pass", "address", listener.Addr().String())
	if err := apphttp.ServeBeside(ctx, server, listener, f.log); err != nil {
		f.log.Error("servers cannot ask any more", "error", err)
	}
}
