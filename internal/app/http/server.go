// Package http answers on the network. It owns the listeners and their limits (connections,
// requests in work, time), the middleware that every route passes (who comes in, rate limits,
// CORS), the one log event and the figures of each request, streams that outlast their handlers,
// and the graceful stop.
//
// It knows no capability: what is answered comes in as a list of Routes. Enter at [NewMux],
// [RequestHandler] and [Server.Serve].
package http

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"frontdesk/internal/infra/tls"
)

// Server serves on a public listener. It stops gracefully.
type Server struct {
	Handler *RequestHandler
	Around  func(http.Handler) http.Handler // put around handler; nil for nothing
	Limits  LimitSettings
	Log     *slog.Logger
	After   func(time.Duration) <-chan time.Time // time.After

	Started  func()                      // is called as soon as connections are accepted
	Stopping func()                      // is called when it begins to stop
	Await    func(context.Context) error // waits for what lasts longer than requests; nil for nothing
}

// bounded lets only so many connections in at a time, of one address and of all. The http.Server on
// it needs noteState.
func (s *Server) bounded(listener net.Listener) net.Listener {
	return s.Handler.Bounded(listener, s.Limits, s.Handler.relieve)
}

// Bounded lets only so many connections in at a time, of one address and of all. The http.Server on
// it needs noteState. relieve ends a request that waits for its body, where there is no room; nil
// for none.
func (f *RequestHandler) Bounded(listener net.Listener, limits LimitSettings, relieve func() bool) net.Listener {
	most, files := limits.Connections, openFiles()
	if room := files / 4 * 3; files > 0 && room < most { // the rest is for the database, and for what is fetched
		f.Log.Warn("this process may not open enough files for limits.connections; "+
			"raise their limit (LimitNOFILE of systemd, ulimit -n), or lower the key",
			"files", files, "connections", most, "let_in", room)
		most = max(1, room)
	}
	return newConnLimiter(listener, connBounds{
		most: most, each: limits.PerAddress, exempt: f.Address.trusted, relieve: relieve, shown: f.Address.shown,
		log: f.Log, figures: f.Metrics.lines,
	})
}

// Serve answers on the public listener until ctx ends, and for as long as load balancers take to
// notice.
func (s *Server) Serve(ctx context.Context, listener net.Listener, source tls.Source) error {
	server := s.server()
	failed := make(chan error, 2)
	s.Handler.Detached.back = newReturnedConns()
	defer s.Handler.Detached.back.Close()
	if source != nil {
		server.TLSConfig = source.TLS()
	}
	go func() { failed <- server.Serve(s.Handler.Detached.back) }()
	if source == nil {
		go func() { failed <- server.Serve(s.bounded(listener)) }()
	} else {
		go func() { failed <- server.ServeTLS(s.bounded(listener), "", "") }()
	}
	s.Started()
	notifyManager("READY=1")
	select {
	case err := <-failed:
		return fmt.Errorf("the server stopped: %w", err)
	case <-ctx.Done():
	}
	s.Stopping()
	notifyManager("STOPPING=1")
	if drain := s.Limits.Drain; drain > 0 {
		s.Log.Info("stopping; requests are still taken, while /readyz says no", "for", drain.String())
		select {
		case err := <-failed:
			return fmt.Errorf("the server stopped: %w", err)
		case <-s.After(drain):
		}
	}
	return s.stop(server)
}

// server is the http.Server of the public listener.
func (s *Server) server() *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	answers := http.Handler(s.Handler)
	if s.Around != nil {
		answers = s.Around(answers)
	}
	return &http.Server{
		Handler:           answers,
		Protocols:         protocols,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: 100, SendPingTimeout: silent, PingTimeout: silent},
		ConnContext:       withConn,
		ConnState:         NoteState,
		MaxHeaderBytes:    int(s.Limits.Header),
		ReadHeaderTimeout: s.Limits.HeaderTimeout,
		ReadTimeout:       s.Limits.ReadTimeout,
		WriteTimeout:      s.Limits.WriteTimeout,
		IdleTimeout:       s.Limits.IdleTimeout,
		// What net/http has to say names clients by their address, and is of use to developers
		// alone.
		ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
}

// stop lets requests finish, and cuts off those that take too long.
func (s *Server) stop(server *http.Server) error {
	s.Log.Info("stopping; requests in work may finish", "within", s.Limits.ShutdownTimeout.String())
	ctx, cancel := context.WithTimeout(context.Background(), s.Limits.ShutdownTimeout)
	defer cancel()
	err := errors.Join(server.Shutdown(ctx), s.Handler.Detached.Wait(ctx))
	if s.Await != nil {
		err = errors.Join(err, s.Await(ctx))
	}
	if errors.Is(err, context.DeadlineExceeded) {
		s.Log.Warn("requests were cut off; raise limits.shutdown_timeout to give them longer", "requests",
			s.Handler.InWork.Load())
		s.Handler.Detached.cut()
		return server.Close()
	}
	s.Log.Info("stopped")
	return err
}

// ServeBeside answers on a listener of its own until ctx ends: with metrics, to those without TLS,
// or to servers that ask. It returns why it ended before.
func ServeBeside(ctx context.Context, server *http.Server, listener net.Listener, log *slog.Logger) error {
	server.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelDebug)
	defer context.AfterFunc(ctx, func() { server.Close() })()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// WebAddress is the address of a listener as a browser takes it.
func WebAddress(listener net.Listener) string {
	host, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return "http://" + listener.Addr().String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}
