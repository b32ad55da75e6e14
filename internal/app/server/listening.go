package server

import (
	apphttp "frontdesk/internal/app/http"

	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"frontdesk/internal/infra/tls"
	"frontdesk/internal/licensing/edge"
)

// listening is what a server listens on, with its certificates. All but public may be nil: then there is none.
type listening struct {
	public   net.Listener
	redirect net.Listener // for who comes without TLS
	figures  net.Listener // for metrics
	asked    net.Listener // for servers that ask the gate
	source   tls.Source
}

// takeAddresses listens on all that is configured. Where one address cannot be had, none is taken.
func (s *Server) takeAddresses(ctx context.Context) (_ *listening, err error) {
	l := &listening{public: s.options.Listener}
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	if l.public == nil {
		if l.public, err = Listen(ctx, s.config.Listen); err != nil {
			return nil, err
		}
	}
	if l.redirect, err = s.listenRedirect(ctx); err != nil {
		return nil, err
	}
	if l.source, err = s.openCertificates(l.public, l.redirect); err != nil {
		return nil, err
	}
	if l.figures, err = s.listenMetrics(ctx); err != nil {
		return nil, err
	}
	if l.asked, err = s.listenAuth(ctx); err != nil {
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

// answerBeside answers, until ctx ends, on all listeners but the public one; gate is who is asked.
func (s *Server) answerBeside(ctx context.Context, background *sync.WaitGroup, l *listening, gate *edge.Gate) {
	if l.figures != nil {
		background.Go(func() { s.serveMetrics(ctx, l.figures) })
	}
	if l.asked != nil {
		background.Go(func() { s.serveAuth(ctx, l.asked, gate) })
	}
	s.keepCertificates(ctx, background, l.source)
	if l.redirect != nil {
		background.Go(func() { s.serveRedirects(ctx, l.redirect, l.source, portOf(l.public)) })
	}
}

// serveRedirects answers on a listener without TLS until ctx ends.
func (s *Server) serveRedirects(ctx context.Context, listener net.Listener, source tls.Source, port int) {
	server := &http.Server{
		Handler:     source.Challenge(apphttp.NewRedirector(s.config.URL, port)),
		ReadTimeout: s.config.Limits.HeaderTimeout, WriteTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10,
		ConnState: apphttp.NoteState,
	}
	s.log.Info("redirecting to https", "address", listener.Addr().String())
	if err := apphttp.ServeBeside(ctx, server, s.front.Bounded(listener, s.config.Limits, nil), s.log); err != nil {
		s.log.Error("nobody is redirected any more", "error", err)
	}
}
