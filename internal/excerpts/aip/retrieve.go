package aip

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/internal/excerpts"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/httpx"
	wire "frontdesk/wire/intent"
	"frontdesk/wire/sign"
	"frontdesk/wire/strictjson"
)

// retrieve answers a RetrieveRequest.
func (h *handler) retrieve(ctx context.Context, c *call) answered {
	if f := h.open(ctx, c, http.MethodPost, identity.RoleRetrieve, true); f != nil {
		return h.error(c, h.useNonce(ctx, c, f))
	}
	request, f := h.readRequest(c)
	if f != nil {
		return h.error(c, h.useNonce(ctx, c, f))
	}
	if ms := request.Runtime.LatencyBudgetMS; ms > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(min(ms, int(time.Hour/time.Millisecond)))*time.Millisecond)
		defer cancel()
	}
	given, err := h.service.Retrieve(ctx, request.asked(c))
	if err != nil {
		var refusal *excerpts.Refusal
		late := ctx.Err() != nil && c.Context().Err() == nil
		if late && !errors.As(err, &refusal) { // what was decided is told, however late
			err = &failure{
				status: http.StatusServiceUnavailable, code: wire.CodeUnavailable, retryAfter: time.Second,
				message: "The time that latency_budget_ms allows ran out.",
			}
		}
		return h.refused(c, request, err)
	}
	httpx.EventFrom(ctx).Set("chunks", len(given.Chunks))
	return answered{status: http.StatusOK, body: h.render(c, request, given)}
}

// reading is a request as it was read.
type reading struct {
	*wire.RetrieveRequest
	unfit string // what its extensions carry that they may not
}

// asked is the request as the service takes it.
func (r *reading) asked(c *call) excerpts.RetrieveRequest {
	asked := excerpts.RetrieveRequest{
		Signature: c.signature(), ID: r.RequestID, Version: r.Version, Digest: sha256.Sum256(c.body),
		Domain: r.Intent.Domain, Subdomain: r.Intent.Subdomain, Confidence: r.Intent.Confidence,
		Language: r.Context.Language, Placement: r.Context.Placement,
		Session: r.Runtime.SessionID, Text: r.Runtime.QueryText, Violation: r.unfit,
	}
	if g := r.Context.Geography; g != nil {
		asked.Country = g.Country
	}
	asked.StatedAt, _ = sign.ParseTime(r.Timestamp) // which was checked
	return asked
}

// readRequest reads the body of a verified call.
func (h *handler) readRequest(c *call) (*reading, *failure) {
	if f := unfitBody(c.Header); f != nil {
		return nil, f
	}
	if !h.supports(c.header.Version) {
		return nil, unsupported(c.header.Version)
	}
	request, findings := wire.ReadRequest(c.body, h.Options)
	unfit := ""
	if first := findings.First(); first != nil && first.Rule == wire.RuleForbidden {
		unfit = first.Pointer + " " + first.Detail + "."
	}
	if request == nil {
		return nil, unreadable(findings)
	}
	if f := h.fits(c, request.Version, request.Platform.ID); f != nil {
		return nil, f
	}
	return &reading{request, unfit}, nil
}

// render writes what is given.
func (h *handler) render(c *call, request *reading, given *excerpts.RetrieveResult) *wire.RetrieveResponse {
	out := &wire.RetrieveResponse{
		Version: request.Version, RequestID: request.RequestID, Timestamp: given.At.Format(time.RFC3339Nano),
		Status: wire.StatusOK, Content: &wire.Content{},
		LimitsApplied: &wire.Limits{MaxChunks: given.MaxChunks, MaxTokens: given.MaxTokens},
		Extensions: wire.Extensions{
			"frontdesk.event_id": quoted(given.Event),
			"frontdesk.receipt":  quoted(h.ReceiptsURL(c.Request) + given.Entry),
		},
	}
	if given.LimitedByDay {
		out.Extensions["frontdesk.limited_by"] = quoted("share_per_day")
	}
	for _, c := range given.Chunks {
		out.Content.Chunks = append(out.Content.Chunks, wire.Chunk{ID: c.ID, Text: c.Text, TokenCount: &c.Tokens})
	}
	for _, s := range given.Sources {
		if !given.Citations {
			break
		}
		out.Citations = append(out.Citations, wire.Citation{
			SourceURL: s.URL, Title: s.Title, Publisher: s.Publisher, ChunkIDs: s.Chunks,
		})
	}
	return out
}

func quoted(text string) strictjson.Value {
	v, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		return strictjson.Value(`""`)
	}
	return v
}

// refused renders what the service gave nothing for.
func (h *handler) refused(c *call, request *reading, err error) answered {
	var refusal *excerpts.Refusal
	if !errors.As(err, &refusal) {
		return h.error(c, failed(err))
	}
	httpx.EventFrom(c.Context()).Set("refused", string(refusal.Reason))
	switch refusal.Reason {
	case excerpts.Replayed:
		c.secret = nil
		return h.error(c, authFailed(http.StatusUnauthorized))
	case excerpts.RequestConflict:
		return h.error(c,
			&failure{status: http.StatusConflict, code: wire.CodeRequestConflict, message: refusal.Message})
	case excerpts.NoContent:
		return h.error(c, &failure{status: http.StatusOK, code: wire.CodeNoContent, message: refusal.Message})
	}
	out := &wire.RetrieveResponse{
		Version: request.Version, RequestID: request.RequestID, Timestamp: h.timestamp(), Status: wire.StatusDenied,
		Denial: &wire.Denial{Reason: string(refusal.Reason), Message: refusal.Message},
	}
	if refusal.Reason == excerpts.RateLimited {
		return answered{status: http.StatusTooManyRequests, body: out, retryAfter: max(refusal.RetryAfter, time.Second)}
	}
	return answered{status: http.StatusOK, body: out}
}

// error is an answer of status "error", in the version of the request where that is one of ours,
// and with its id where it can be found.
func (h *handler) error(c *call, f *failure) answered {
	out := &wire.RetrieveResponse{
		Version: h.version(c), RequestID: requestID(c.body), Timestamp: h.timestamp(), Status: wire.StatusError,
		Error: &wire.Failure{Code: f.code, Message: f.message},
	}
	f.note(c.Context())
	return answered{status: f.status, body: out, retryAfter: f.retryAfter, allow: c.method}
}

// requestID is the request_id of a body that may be anything; empty where there is none.
func requestID(body []byte) string {
	decoder := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true))
	if token, err := decoder.ReadToken(); err != nil || token.Kind() != '{' {
		return ""
	}
	for {
		name, err := decoder.ReadToken()
		if err != nil || name.Kind() != '"' {
			return ""
		}
		if name.String() != "request_id" {
			if decoder.SkipValue() != nil {
				return ""
			}
			continue
		}
		if value, err := decoder.ReadToken(); err == nil && value.Kind() == '"' && len(value.String()) <= 256 {
			return value.String()
		}
		return ""
	}
}
