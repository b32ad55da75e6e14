package ramp

import (
	"context"
	"net/http"

	"connectrpc.com/connect"

	"frontdesk/internal/fail"
	healthv1 "frontdesk/wire/grpc/health/v1"
	"frontdesk/wire/ramp/v1/rampv1connect"
)

// health answers gRPC's health check: for the server as a whole, and for the one service.
type health struct {
	ready func(context.Context) error
}

// Check says how a service is.
func (h health) Check(ctx context.Context, r *connect.Request[healthv1.HealthCheckRequest]) (*connect.Response[healthv1.HealthCheckResponse], error) {
	if name := r.Msg.GetService(); name != "" && name != rampv1connect.ExchangeServiceName {
		return nil, failed(ctx, fail.New(fail.NotFound, "this server has no such service; ask for %s, or for none", rampv1connect.ExchangeServiceName))
	}
	status := healthv1.HealthCheckResponse_SERVING
	if h.ready != nil && h.ready(ctx) != nil {
		status = healthv1.HealthCheckResponse_NOT_SERVING
	}
	return connect.NewResponse(&healthv1.HealthCheckResponse{Status: status}), nil
}

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
