package aip

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	wire "frontdesk/wire/intent"
)

// failure is what goes wrong on the way to the service, in the protocol's words.
type failure struct {
	status        int
	code, message string
	retryAfter    time.Duration
	cause         error // for the log alone; nil for nothing but what is told
}

func (f *failure) Error() string { return f.code + ": " + f.message }

// authFailed does not say which check failed.
func authFailed(status int) *failure {
	return &failure{status: status, code: wire.CodeAuthFailed,
		message: "The request is not authenticated, or its key does not permit it."}
}

func tooMany(err error) *failure {
	coded := fail.From(err)
	return &failure{status: http.StatusTooManyRequests, code: wire.CodeRateLimited, message: coded.Detail,
		retryAfter: max(coded.RetryAfter, time.Second)}
}

// unsupported is the failure of a header with a version that is not answered.
func unsupported(version string) *failure {
	return &failure{
		status: http.StatusBadRequest, code: wire.CodeUnsupportedVersion,
		message: "X-AIP-Version " + clip(version) + " is not answered here.",
	}
}

// unreadable is the failure of a body with findings; nil when there is nothing wrong.
func unreadable(findings wire.Findings) *failure {
	first := findings.First()
	if first == nil {
		return nil
	}
	code := wire.CodeInvalidRequest
	if first.Rule == wire.RuleVersion {
		code = wire.CodeUnsupportedVersion
	}
	where := first.Pointer
	if where == "" {
		where = "The body"
	}
	return &failure{status: http.StatusBadRequest, code: code,
		message: where + ": " + first.Detail + "; " + first.Mend + "."}
}

// failed is an error of the service in the protocol's words.
func failed(err error) *failure {
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	coded := fail.From(err)
	f = &failure{status: http.StatusInternalServerError, code: wire.CodeInternalError, message: coded.Detail,
		cause: errors.Unwrap(coded)}
	switch coded.Code {
	case fail.Limited:
		return tooMany(err)
	case fail.Unauthorized:
		f.status, f.code = http.StatusUnauthorized, wire.CodeAuthFailed
	case fail.Forbidden:
		f.status, f.code = http.StatusForbidden, wire.CodeAuthFailed
	case fail.Unavailable, fail.Timeout:
		f.status, f.code, f.retryAfter = http.StatusServiceUnavailable, wire.CodeUnavailable, max(coded.RetryAfter,
			time.Second)
	}
	return f
}

// note logs a failure, with what the answer leaves out.
func (f *failure) note(ctx context.Context) {
	e := httpx.EventFrom(ctx)
	if e.Set("failure", f.code); f.cause != nil {
		e.Set("error", f.cause.Error())
	}
}

// WriteError answers with an error in the protocol's words, to a request that did not come as far
// as the handlers.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	h := &handler{Config: Config{Now: time.Now}}
	h.send(w, &call{Request: r}, h.error(&call{Request: r}, failed(err)))
}

// clip shortens what is repeated to a stranger.
func clip(text string) string {
	if len(text) > 40 {
		text = text[:40] + "…"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
