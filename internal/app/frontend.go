package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"frontdesk/internal/app/config"
	apphttp "frontdesk/internal/app/http"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/infra/tls"
	"frontdesk/internal/licensing/edge"
)

// frontend answers on the addresses that the configuration names.
type frontend struct {
	*network
	front *apphttp.RequestHandler
	edge  *edge.Gate // whom servers ask whether requests pass; nil for none
	// await waits, while the program stops, for what still goes out; nil for nothing.
	await func(context.Context) error
}

// ServeHTTP answers one request.
func (f *frontend) ServeHTTP(w http.ResponseWriter, r *http.Request) { f.front.ServeHTTP(w, r) }

// run listens and answers until ctx ends, and then finishes the requests that are in work. What
// begin starts goes on until they are finished, or work ends before.
func (f *frontend) run(ctx, work context.Context, begin func(context.Context, *sync.WaitGroup)) error {
	l, err := f.takeAddresses(ctx)
	if err != nil {
		return err
	}
	defer l.close()
	work, stop := context.WithCancel(work)
	defer stop()
	var background sync.WaitGroup
	begin(work, &background)
	f.answerBeside(work, &background, l)
	err = f.serve(ctx, l.public, l.source)
	stop()
	background.Wait()
	return err
}

// listening is what a server listens on, with its certificates. All but public may be nil: then
// there is none.
type listening struct {
	public   net.Listener
	redirect net.Listener // for who comes without TLS
	figures  net.Listener // for metrics
	asked    net.Listener // for servers that ask the gate
	source   tls.Source
}

// takeAddresses listens on all that is configured. Where one address cannot be had, none is taken.
func (f *frontend) takeAddresses(ctx context.Context) (_ *listening, err error) {
	l := &listening{public: f.options.Listener}
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	if l.public == nil {
		if l.public, err = Listen(ctx, f.config.Listen); err != nil {
			return nil, err
		}
	}
	if l.redirect, err = f.listenRedirect(ctx); err != nil {
		return nil, err
	}
	if l.source, err = f.openCertificates(l.public, l.redirect); err != nil {
		return nil, err
	}
	if l.figures, err = f.listenMetrics(ctx); err != nil {
		return nil, err
	}
	if l.asked, err = f.listenAuth(ctx); err != nil {
		return nil, err
	}
	return l, nil
}

func (l *listening) close() {
	for _, one := range []net.Listener{l.public, l.redirect, l.figures, l.asked} {
		if one != nil {
			_ = one.Close()
		}
	}
}

// answerBeside answers, until ctx ends, on all listeners but the public one.
func (f *frontend) answerBeside(ctx context.Context, background *sync.WaitGroup, l *listening) {
	if l.figures != nil {
		background.Go(func() { f.serveMetrics(ctx, l.figures) })
	}
	if l.asked != nil {
		background.Go(func() { f.serveAuth(ctx, l.asked) })
	}
	f.keepCertificates(ctx, background, l.source)
	if l.redirect != nil {
		background.Go(func() { f.serveRedirects(ctx, l.redirect, l.source, portOf(l.public)) })
	}
}

// serveRedirects answers on a listener without TLS until ctx ends.
func (f *frontend) serveRedirects(ctx context.Context, listener net.Listener, source tls.Source, port int) {
	server := &http.Server{
		Handler:     source.Challenge(apphttp.NewRedirector(f.config.URL, port)),
		ReadTimeout: f.config.Limits.HeaderTimeout, WriteTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10,
		ConnState: apphttp.NoteState,
	}
	f.log.Info("redirecting to https", "address", listener.Addr().String())
	if err := apphttp.ServeBeside(ctx, server, f.front.Bounded(listener, f.config.Limits, nil), f.log); err != nil {
		f.log.Error("nobody is redirected any more", "error", err)
	}
}

// listenRedirect takes the address for those who come without TLS; nil when there is none.
func (f *frontend) listenRedirect(ctx context.Context) (net.Listener, error) {
	if f.config.TLS.Redirect == "" {
		return nil, nil
	}
	return listen(ctx, "tls.redirect", f.config.TLS.Redirect)
}

// keepCertificates lets the source of certificates work in the background, if there is one.
func (f *frontend) keepCertificates(ctx context.Context, background *sync.WaitGroup, source tls.Source) {
	if source == nil {
		return
	}
	f.certificates.Store(&source)
	f.metrics.Certificate(source.Expires)
	background.Go(source.Maintain(ctx))
}

// serve answers on the public listener until ctx ends, and for as long as load balancers take to
// notice.
func (f *frontend) serve(ctx context.Context, listener net.Listener, source tls.Source) error {
	about := []any{"address", listener.Addr().String(), "tls", source != nil}
	if f.db != nil { // an edge has none
		about = append(about, "store", store.Redact(f.config.DSN()))
	}
	public := &apphttp.Server{
		Handler: f.front, Around: f.options.Around, Limits: f.config.Limits, Log: f.log, After: f.after, Await: f.await,
		Started: func() {
			f.log.Info("listening", about...)
			if f.options.Ready != nil {
				f.options.Ready(f.address(listener))
			}
		},
		Stopping: func() {
			f.stopping.Store(true)
			f.leave()
		},
	}
	return public.Serve(ctx, listener, source)
}

// listenMetrics takes the address of the metrics. When nobody chose it and it is taken, most likely
// by another frontdesk, the server does without.
func (f *frontend) listenMetrics(ctx context.Context) (net.Listener, error) {
	address := f.config.Metrics.Listen
	if address == off {
		return nil, nil
	}
	listener, err := listen(ctx, "metrics.listen", address)
	if err != nil && f.options.Loaded.origins.Layer("metrics.listen") == config.LayerDefault {
		f.log.Warn("no metrics: " + err.Error())
		return nil, nil
	}
	return listener, err
}

// serveMetrics answers Prometheus until ctx ends.
func (f *frontend) serveMetrics(ctx context.Context, listener net.Listener) {
	server := &http.Server{Handler: f.metrics.Handler(f.front.Routes), ReadTimeout: 10 * time.Second,
		WriteTimeout: 30 * time.Second, MaxHeaderBytes: 16 << 10}
	f.log.Info("metrics", "address", listener.Addr().String(), "path", "/metrics")
	if err := apphttp.ServeBeside(ctx, server, listener, f.log); err != nil {
		f.log.Error("metrics are no longer served", "error", err)
	}
}

// address is where the server answers, as people are told.
func (f *frontend) address(listener net.Listener) string {
	switch t := f.config.TLS; {
	case f.config.URL != "":
		return strings.TrimSuffix(f.config.URL, "/")
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

// listen takes an address, or the socket that a service manager took for it, and says what to do
// when it cannot be had.
func listen(ctx context.Context, key, address string) (net.Listener, error) {
	if given, ok, err := apphttp.Inherited(key); ok {
		return given, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s is taken by another program; choose another address with %s, "+
			"for example %s 127.0.0.1:0 for any free port", address, config.FlagName(key), config.FlagName(key))
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("this user may not listen on %s; choose a port from 1024 on with %s", address,
			config.FlagName(key))
	case err != nil:
		return nil, fmt.Errorf("cannot listen on %s: %w; choose another address with %s", address, err,
			config.FlagName(key))
	}
	return listener, nil
}

// addressOptions are what the configuration says of the way to the server.
func (c Config) addressOptions() apphttp.AddressOptions {
	return apphttp.AddressOptions{URL: c.URL, Proxies: c.Proxies, ProxyHeaders: c.ProxyHeaders, Clients: c.Log.Clients}
}
