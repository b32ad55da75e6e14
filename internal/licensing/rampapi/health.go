package rampapi

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"connectrpc.com/connect"

	"frontdesk/internal/infra/fail"
	healthv1 "frontdesk/wire/grpc/health/v1"
	"frontdesk/wire/grpc/health/v1/healthv1connect"
	"frontdesk/wire/ramp/v1/rampv1connect"
)

// health answers gRPC's health check: for the server as a whole, and for the one service.
type health struct {
	ready    func(context.Context) error
	stopping func() bool   // the server takes no more requests, and waits for those that are in work; nil for never
	every    time.Duration // how often those who watch are looked after

	watchers atomic.Int64
	mu       sync.Mutex // guards what follows
	looked   time.Time
	status   healthv1.HealthCheckResponse_ServingStatus // as it was then
}

// The bounds of watching: how often it is looked how the server is, for all who watch at once, how
// many may, and how long a message to one may take.
const (
	watchEvery  = time.Second
	maxWatchers = 64
	watchWrite  = 10 * time.Second
)

func newHealth(config Config) *health {
	h := &health{ready: config.Ready, stopping: config.Stopping, every: config.watchEvery}
	if h.every == 0 {
		h.every = watchEvery
	}
	return h
}

// known says whether a name is that of the server as a whole, or of the one service.
func (h *health) known(name string) bool {
	return name == "" || name == rampv1connect.ExchangeServiceName
}

// Check says how a service is.
func (h *health) Check(ctx context.Context,
	r *connect.Request[healthv1.HealthCheckRequest]) (*connect.Response[healthv1.HealthCheckResponse], error) {
	if !h.known(r.Msg.GetService()) {
		return nil,
			failed(ctx, fail.New(fail.NotFound, "this server has no such service; ask for %s, or for none",
				rampv1connect.ExchangeServiceName))
	}
	return connect.NewResponse(&healthv1.HealthCheckResponse{Status: h.now(ctx)}), nil
}

// now says how the server is.
func (h *health) now(ctx context.Context) healthv1.HealthCheckResponse_ServingStatus {
	if h.ready != nil && h.ready(ctx) != nil {
		return healthv1.HealthCheckResponse_NOT_SERVING
	}
	return healthv1.HealthCheckResponse_SERVING
}

// Watch says how a service is, and again whenever that changes, until the caller leaves or the
// server stops. A service that is not known may come to be: the caller is told, and not left.
func (h *health) Watch(ctx context.Context, r *connect.Request[healthv1.HealthCheckRequest],
	out *connect.ServerStream[healthv1.HealthCheckResponse]) error {
	defer h.watchers.Add(-1)
	if h.watchers.Add(1) > maxWatchers {
		return failed(ctx, fail.New(fail.Limited, "too many watch this server; call Check now and then instead"))
	}
	tick := time.NewTicker(h.every)
	defer tick.Stop()
	told := healthv1.HealthCheckResponse_UNKNOWN
	for {
		status := healthv1.HealthCheckResponse_SERVICE_UNKNOWN
		if h.known(r.Msg.GetService()) {
			status = h.recently(ctx)
		}
		if status != told {
			if err := out.Send(&healthv1.HealthCheckResponse{Status: status}); err != nil {
				return err
			}
			told = status
		}
		if h.stopping != nil && h.stopping() {
			return failed(ctx, fail.New(fail.Unavailable, "the server is stopping; watch it again when it is back"))
		}
		select {
		case <-ctx.Done():
			return failed(ctx, ctx.Err())
		case <-tick.C:
		}
	}
}

// recently says how the server is, or was a moment ago, so that many who watch ask no more of it
// than one.
func (h *health) recently(ctx context.Context) healthv1.HealthCheckResponse_ServingStatus {
	h.mu.Lock()
	defer h.mu.Unlock()
	if at := time.Now(); at.Sub(h.looked) >= h.every/2 {
		h.looked, h.status = at, h.now(context.WithoutCancel(ctx))
	}
	return h.status
}

// lasting lets the answer of Watch go on for longer than answers may take: each of its messages has
// its own time.
func lasting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := flusher{w, http.NewResponseController(w)}
		if r.URL.Path != healthv1connect.HealthWatchProcedure {
			next.ServeHTTP(out, r)
			return
		}
		next.ServeHTTP(patient{out}, r)
	})
}

// patient is a flusher for which time begins anew with each message. That there is no deadline to
// set is no failure.
type patient struct{ flusher }

// Write writes a part of a message, which has to be taken in time.
func (p patient) Write(text []byte) (int, error) {
	_ = p.control.SetWriteDeadline(time.Now().Add(watchWrite))
	return p.flusher.Write(text)
}

// Flush sends what was written, after which nothing is late until there is more.
func (p patient) Flush() {
	p.flusher.Flush()
	_ = p.control.SetWriteDeadline(noDeadline)
}

// noDeadline lets what it bounds take any time.
var noDeadline time.Time

// flushed lets a handler of streams flush, whatever stands between it and the network.
func flushed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(flusher{w, http.NewResponseController(w)}, r)
	})
}

type flusher struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (f flusher) Flush()                      { _ = f.control.Flush() }
func (f flusher) Unwrap() http.ResponseWriter { return f.ResponseWriter }
