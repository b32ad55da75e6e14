package rampapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"connectrpc.com/connect"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/licensing/exchange"
	wire "frontdesk/wire/ramp"
)

// codes are the protocol's codes for what goes wrong.
var codes = map[fail.Code]connect.Code{
	fail.Malformed: connect.CodeInvalidArgument, fail.Invalid: connect.CodeInvalidArgument,
	fail.TooLong:           connect.CodeInvalidArgument,
	fail.UnsupportedFormat: connect.CodeInvalidArgument, fail.MediaType: connect.CodeInvalidArgument,
	fail.UnsupportedMode: connect.CodeUnimplemented,
	fail.Method:          connect.CodeUnimplemented, fail.TooLarge: connect.CodeResourceExhausted,
	fail.Limited:  connect.CodeResourceExhausted,
	fail.NotFound: connect.CodeNotFound, fail.NoResults: connect.CodeNotFound,
	fail.UnknownPromise: connect.CodeNotFound,
	fail.Unauthorized:   connect.CodeUnauthenticated, fail.Forbidden: connect.CodePermissionDenied,
	fail.Unavailable: connect.CodeUnavailable,
	fail.Timeout:     connect.CodeDeadlineExceeded, fail.Slow: connect.CodeDeadlineExceeded,
	fail.Cancelled: connect.CodeCanceled,
	fail.Internal:  connect.CodeInternal,
}

// failed is an error as it is sent: what a stranger may read, and nothing of the cause, which goes
// to the log.
func failed(ctx context.Context, err error) *connect.Error {
	out := coded(ctx, err)
	e := httpx.EventFrom(ctx)
	e.Set("failure", out.Code().String())
	if out.Code() == connect.CodeInternal || out.Code() == connect.CodeUnavailable {
		e.Set("error", err.Error())
	}
	return out
}

func coded(ctx context.Context, err error) *connect.Error {
	var ready *connect.Error
	var invalid *wire.Invalid
	var unknown *unknownKeys
	switch {
	case errors.As(err, &ready):
		return ready
	case errors.As(err, &invalid):
		return connect.NewError(connect.CodeInvalidArgument, invalid)
	case errors.Is(err, exchange.ErrRequestConflict):
		return connect.NewError(connect.CodeAlreadyExists, exchange.ErrRequestConflict)
	case errors.As(err, &unknown):
		return connect.NewError(connect.CodeFailedPrecondition, unknown)
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return connect.NewError(connect.CodeCanceled, errors.New("the request was taken back"))
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil:
		return connect.NewError(connect.CodeDeadlineExceeded,
			errors.New("the time for the request ran out; try again, or allow it more"))
	}
	house := fail.From(err)
	out := connect.NewError(codes[house.Code], errors.New(house.Detail))
	if house.RetryAfter > 0 {
		out.Meta().Set("Retry-After", strconv.Itoa(fail.Seconds(house.RetryAfter)))
	}
	return out
}

// writer writes errors of requests that no RPC has taken up, in the form of the request.
var writer = connect.NewErrorWriter()

// WriteError tells why a request was refused before an RPC had it, in the form of the protocol that
// it speaks.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	out := coded(r.Context(), err)
	httpx.EventFrom(r.Context()).Set("failure", out.Code().String())
	w.Header().Set("Cache-Control", "no-store")
	if status := plain(r, fail.From(err).Code); status != 0 {
		w = &fixed{w, status}
	}
	_ = writer.Write(w, r, out) // whom it does not reach is gone
}

// plain is the status for who speaks none of the protocols, for whom the status of an RPC's error
// would be misleading.
func plain(r *http.Request, code fail.Code) int {
	kind := r.Header.Get("Content-Type")
	switch {
	// whose frames in base64 nobody here could write
	case strings.HasPrefix(kind, "application/grpc") && !strings.HasPrefix(kind, "application/grpc-web-text"):
		return 0
	case code == fail.Method:
		return http.StatusMethodNotAllowed
	case code == fail.MediaType:
		return http.StatusUnsupportedMediaType
	case code == fail.TooLarge:
		return http.StatusRequestEntityTooLarge
	case code == fail.Slow:
		return http.StatusRequestTimeout
	}
	return 0
}

// fixed answers with one status.
type fixed struct {
	http.ResponseWriter
	status int
}

func (f *fixed) WriteHeader(int) { f.ResponseWriter.WriteHeader(f.status) }
