package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/intake"
	wire "frontdesk/wire/intake"
	"frontdesk/wire/strictjson"
)

// render writes what the service answered to a submission.
func (h *Handlers) render(
	ctx context.Context, base string, asked intake.Submission, given *intake.SubmitResult,
) (answered, error) {
	out := response(base, asked.Intake, asked.Session, given)
	switch {
	case out.Status != "":
	case h.SignalPending:
		out.Status, out.Metadata = wire.StatusPending, retryMetadata(given.RetryAfter)
	default:
		return answered{}, fail.New(fail.Unavailable,
			"Somebody has to look at this request first; send the same request again later.").After(given.RetryAfter)
	}
	httpx.EventFrom(ctx).Set("outcome", string(out.Status))
	body, err := json.Marshal(out, json.Deterministic(true))
	return answered{status: http.StatusOK, body: body}, err
}

// response is what the service answered to a submission, as the protocol has it; without a status
// where a person has still to answer.
func response(base, id, session string, given *intake.SubmitResult) *wire.Response {
	out := &wire.Response{Version: wire.Version, SessionID: session}
	switch {
	case given.Offer != nil:
		out.Status, out.Offer = wire.StatusOffer, offer(base, id, given.Offer)
	case given.Reason != "":
		out.Status, out.DeclineReason = wire.StatusDeclined, given.Reason
	}
	return out
}

// Preview is what an agent at the address base of a front desk is answered to a submission to an
// intake, as JSON: an offer or a decline.
func Preview(base, id, session string, given *intake.SubmitResult) ([]byte, error) {
	return json.Marshal(response(base, id, session, given), json.Deterministic(true))
}

// offer is an offer as the protocol has it. One that can be bound says where and with what, any
// other neither.
func offer(base, id string, o *intake.Offer) *wire.Offer {
	out := &wire.Offer{ID: o.ID, Summary: o.Summary, Details: o.Details, Expires: o.Expires.UTC().Format(time.RFC3339),
		TermsURL: o.TermsURL}
	if o.Binding {
		requires := append([]string{}, o.Requires...)
		out.BindRequires = &requires
		if base != "" { // a tool that is called over no network has no address
			out.BindEndpoint = BindURL(base, id)
		}
	}
	return out
}

// SubmitURL is the address at which agents submit to an intake, below the address of a front desk.
func SubmitURL(base, id string) string { return strings.TrimSuffix(base, "/") + "/intake/" + id }

// BindURL is the address at which agents accept offers of an intake.
func BindURL(base, id string) string { return SubmitURL(base, id) + "/bind" }

// retryMetadata are the metadata that say when to ask again: the protocol's errors have no member
// for it.
func retryMetadata(after time.Duration) strictjson.Value {
	text, err := json.Marshal(map[string]int{"retry_after_seconds": max(1, fail.Seconds(after))})
	if err != nil {
		panic("intake: a number is no JSON: " + err.Error())
	}
	return text
}

// failure is what went wrong, in the protocol's words.
type failure struct {
	status        int
	code, message string
	retryAfter    time.Duration
}

// words are the protocol's for our own codes (Agent Intake Protocol 0.1.0, Error Codes); every
// other is an internal error.
var words = map[fail.Code]struct {
	status int
	code   string
}{
	fail.Malformed:    {http.StatusBadRequest, wire.CodeInvalidInput},
	fail.Invalid:      {http.StatusBadRequest, wire.CodeInvalidInput},
	fail.TooLong:      {http.StatusBadRequest, wire.CodeInvalidInput},
	fail.TooLarge:     {http.StatusRequestEntityTooLarge, wire.CodeInvalidInput},
	fail.NotFound:     {http.StatusNotFound, codeNoIntake},
	fail.Method:       {http.StatusMethodNotAllowed, wire.CodeInvalidInput},
	fail.MediaType:    {http.StatusUnsupportedMediaType, wire.CodeInvalidInput},
	fail.Unauthorized: {http.StatusUnauthorized, wire.CodeUnauthorized},
	fail.Forbidden:    {http.StatusForbidden, codeForbidden},
	fail.Limited:      {http.StatusTooManyRequests, wire.CodeRateLimited},
	fail.Unavailable:  {http.StatusServiceUnavailable, wire.CodeUnavailable},
	fail.Timeout:      {http.StatusServiceUnavailable, wire.CodeUnavailable},
	fail.Slow:         {http.StatusRequestTimeout, wire.CodeInvalidInput},
}

// refusals are the protocol's words for the service's.
var refusals = map[intake.Reason]struct {
	status int
	code   string
}{
	intake.InputInvalid:   {http.StatusBadRequest, wire.CodeInvalidInput},
	intake.SchemaMismatch: {http.StatusBadRequest, wire.CodeSchemaMismatch},
	intake.Revised:        {http.StatusConflict, codeSubmitted},
	intake.OfferUnknown:   {http.StatusNotFound, wire.CodeOfferNotFound},
	intake.OfferExpired:   {http.StatusGone, wire.CodeOfferExpired},
	intake.OfferBound:     {http.StatusConflict, wire.CodeOfferAlreadyBound},
	intake.BindIncomplete: {http.StatusBadRequest, wire.CodeBindIncomplete},
	intake.Busy:           {http.StatusServiceUnavailable, wire.CodeUnavailable},
}

// failed puts an error into the protocol's words. What is not known is ours, and its cause is not
// told.
func failed(err error) failure {
	var problem *wire.Problem
	if errors.As(err, &problem) {
		return failure{status: http.StatusBadRequest, code: problem.Code, message: problem.Error()}
	}
	var refusal *intake.Refusal
	if errors.As(err, &refusal) {
		if word, known := refusals[refusal.Reason]; known {
			return withRetryAfter(failure{word.status, word.code, refusal.Message, refusal.RetryAfter})
		}
	}
	coded := fail.From(err)
	if word, known := words[coded.Code]; known {
		return withRetryAfter(failure{word.status, word.code, coded.Detail, coded.RetryAfter})
	}
	return failure{status: http.StatusInternalServerError, code: wire.CodeInternal,
		message: "An internal error occurred; it is not the request's fault, and it may be sent again."}
}

// withRetryAfter adds Retry-After to failures that a later try may overcome.
func withRetryAfter(f failure) failure {
	switch f.status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		f.retryAfter = max(f.retryAfter, time.Second)
	default:
		f.retryAfter = 0
	}
	return f
}

// envelope is the answer with a failure, in the session that the request names where it
// can be read.
func (f failure) envelope(ctx context.Context, request []byte) answered {
	httpx.EventFrom(ctx).Set("failure", f.code)
	out := wire.Response{Version: wire.Version, SessionID: wire.SessionOf(request), Status: wire.StatusError,
		Error: &wire.Error{Code: f.code, Message: f.message}}
	if f.retryAfter > 0 {
		out.Metadata = retryMetadata(f.retryAfter)
	}
	body, err := json.Marshal(out, json.Deterministic(true))
	if err != nil { // a message that is no UTF-8, which no code here writes
		body = []byte(`{"aip_version":"` + wire.Version + `","session_id":"` + wire.Nil + `","status":"error","error":{"code":"` + wire.CodeInternal + `","message":"An internal error occurred."}}`)
	}
	return answered{status: f.status, body: body, retryAfter: f.retryAfter}
}

// refuse answers with an error.
func (h *Handlers) refuse(w http.ResponseWriter, r *http.Request, request []byte, err error) {
	f := failed(err)
	if cause := errors.Unwrap(fail.From(err)); cause != nil && f.status >= http.StatusInternalServerError {
		httpx.EventFrom(r.Context()).Set("error", cause.Error())
	}
	if f.status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", http.MethodPost+", "+http.MethodOptions)
	}
	if h.Challenge != nil && (f.status == http.StatusUnauthorized || f.status == http.StatusForbidden) {
		if challenge := h.Challenge(r, err); challenge != "" {
			w.Header().Set("WWW-Authenticate", challenge)
		}
	}
	send(w, r, f.envelope(r.Context(), request))
}

// WriteError answers with an error in the protocol's words, to a request that did not come as far
// as the handlers.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	send(w, r, failed(err).envelope(r.Context(), nil))
}
