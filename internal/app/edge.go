package app

import (
	"cmp"
	"strings"

	apphttp "frontdesk/internal/app/http"

	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"frontdesk/internal/content/released"
	"frontdesk/internal/licensing/edge"
)

// EdgeServer is an edge by itself: it answers without a database. NewEdge makes one, Run runs it,
// Close ends it.
type EdgeServer struct {
	*frontend
	works *edge.Works
}

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
		return nil, edge.ErrNoExchange
	case len(config.Edge.Sites) == 0:
		return nil, errors.New("there is no site behind the gate; name one in edge.sites")
	}
	b := &base{config: config, log: options.Log, now: options.Now}
	n := b.newNetwork(options)
	own, err := config.OwnAgent(options.Now)
	if err != nil {
		return nil, err
	}
	deps := n.edgeDeps()
	deps.Fetcher = config.SignedFetcher(own) // as the front desk that has its url and keys, if any
	if deps.Ship, deps.AskPolicy, err = config.Edge.Shipper(deps.Fetcher, deps.Now, deps.Log); err != nil {
		return nil, err
	}
	works, err := edge.OpenWorks(deps)
	if err != nil {
		return nil, err
	}
	mux, known := apphttp.NewMux([]apphttp.Route{
		{Pattern: "/healthz", Name: "/healthz", Methods: apphttp.ReadMethods, Quiet: true,
			Handler: http.HandlerFunc(health)},
		{Pattern: "/readyz", Name: "/readyz", Methods: apphttp.ReadMethods, Quiet: true,
			Handler: http.HandlerFunc(n.edgeReady)},
	}, nil, apphttp.NewCORS(apphttp.CORSSettings{}, false), "")
	f := &frontend{network: n, front: n.requestHandler(mux, known), edge: works.Gate}
	f.front.Agents = n.agents(works.Gate.DependsOnParty)
	f.front.Gate, f.front.GateOnly = works.Gate, true
	works.Records.RegisterMetrics(n.metrics.Registry)
	return &EdgeServer{frontend: f, works: works}, nil
}

// Close gives back what the edge holds.
func (s *EdgeServer) Close() error { return s.works.Close() }

// Reload has the files of the certificate looked at; those of keys are looked at by themselves.
func (s *EdgeServer) Reload() { s.reloadCertificates() }

// Run listens and serves until ctx ends, then finishes the requests that are in work, within the
// configured time, and tells the Exchange of them if it can be reached.
func (s *EdgeServer) Run(ctx context.Context) error {
	work := context.WithoutCancel(ctx) // what is delivered while it stops is told, too
	err := s.frontend.run(ctx, work, func(work context.Context, background *sync.WaitGroup) {
		s.works.Ask(ctx)
		background.Go(func() { s.works.Run(work) })
	})
	s.works.Last(ctx)
	return err
}

// edgeDeps are what a gate needs of the network.
func (n *network) edgeDeps() edge.Deps {
	c := n.config
	return edge.Deps{
		Settings: c.Edge, Data: c.Data, Exchange: strings.TrimRight(cmp.Or(c.Edge.Exchange, c.URL), "/"),
		WriteTimeout: c.Limits.WriteTimeout, Fetcher: c.Fetcher(),
		Client: n.outside.Client, Host: n.outside.Host, Secure: n.outside.Secure, Party: released.PartyOf,
		Now: n.now, Log: n.log,
	}
}

// edgeReady says whether an edge takes requests.
func (n *network) edgeReady(w http.ResponseWriter, _ *http.Request) {
	if n.stopping.Load() {
		http.Error(w, "stopping", http.StatusServiceUnavailable)
		return
	}
	_, _ = w.Write([]byte("ready\n"))
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
		Address: f.outside, Routes: http.NewServeMux(), Known: map[string]*apphttp.Route{}, Log: f.log,
		Metrics: f.metrics, Now: f.now, MaxRequests: int64(limits.Requests),
	}
	one := apphttp.Route{Pattern: "/", Name: "edge auth", Handler: f.edge.Auth(f.front.Identify)}
	answers.Routes.Handle("/", apphttp.Matched(&one, one.Handler))
	answers.Known["/"] = &one
	server := &http.Server{
		Handler: answers, ReadHeaderTimeout: limits.HeaderTimeout, ReadTimeout: limits.ReadTimeout,
		WriteTimeout: limits.WriteTimeout, IdleTimeout: limits.IdleTimeout, MaxHeaderBytes: int(limits.Header),
	}
	f.log.Info("servers may ask whether requests pass", "address", listener.Addr().String())
	if err := apphttp.ServeBeside(ctx, server, listener, f.log); err != nil {
		f.log.Error("servers cannot ask any more", "error", err)
	}
}
