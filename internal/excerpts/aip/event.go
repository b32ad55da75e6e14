package aip

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"

	"frontdesk/internal/excerpts"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/httpx"
	wire "frontdesk/wire/intent"
	"frontdesk/wire/sign"
)

// receipt is what an event is answered with. The protocol says nothing of it.
type receipt struct {
	Version string        `json:"aip_version"`
	Status  string        `json:"status"` // "accepted", "duplicate" or "error"
	EventID string        `json:"event_id,omitzero"`
	Entry   string        `json:"entry,omitzero"`   // of the ledger
	Verdict string        `json:"verdict,omitzero"` // what our own records say of it
	Error   *wire.Failure `json:"error,omitzero"`
}

// Codes of the errors of events, beside those of requests.
const (
	codeEventConflict = "event_conflict"
	codeUnprocessable = "unprocessable_event"
)

// event takes what a platform reports.
func (h *handler) event(ctx context.Context, c *call) answered {
	if f := h.open(ctx, c, http.MethodPost, identity.RoleEvent, h.SignedEvents); f != nil {
		return h.eventError(c, h.useNonce(ctx, c, f))
	}
	e, version, f := h.readEvent(c)
	if f != nil {
		return h.eventError(c, h.useNonce(ctx, c, f))
	}
	result, err := h.service.Cite(ctx, e)
	if err != nil {
		return h.eventRefused(c, err)
	}
	out := receipt{Version: version, Status: "accepted", EventID: e.ID, Entry: result.Entry, Verdict: result.Verdict}
	if result.Replay {
		out.Status = "duplicate"
		return answered{status: http.StatusOK, body: out}
	}
	return answered{status: http.StatusAccepted, body: out}
}

// eventRefused renders why the service has not taken an event.
func (h *handler) eventRefused(c *call, err error) answered {
	var refusal *excerpts.Refusal
	if !errors.As(err, &refusal) {
		return h.eventError(c, failed(err))
	}
	httpx.EventFrom(c.Context()).Set("refused", string(refusal.Reason))
	f := &failure{status: http.StatusUnprocessableEntity, code: codeUnprocessable, message: refusal.Message}
	switch refusal.Reason {
	case excerpts.Replayed:
		c.secret = nil
		f = authFailed(http.StatusUnauthorized)
	case excerpts.EventConflict:
		f.status, f.code = http.StatusConflict, codeEventConflict
	case excerpts.RateLimited:
		f.status, f.code, f.retryAfter = http.StatusTooManyRequests, wire.CodeRateLimited, refusal.RetryAfter
	}
	return h.eventError(c, f)
}

// readEvent reads the body of a call as an event.
func (h *handler) readEvent(c *call) (r excerpts.Event, version string, f *failure) {
	if f := unfitBody(c.Header); f != nil {
		return r, "", f
	}
	if c.secret != nil && !h.supports(c.header.Version) {
		return r, "", unsupported(c.header.Version)
	}
	e, findings := wire.ReadEvent(c.body, h.Options)
	if f := unreadable(findings); f != nil {
		return r, "", f
	}
	if f := h.fits(c, e.Version, e.Platform.ID); f != nil {
		return r, "", f
	}
	canonical, err := sign.Canonical(c.body)
	if err != nil {
		return r, "", failed(err)
	}
	r = excerpts.Event{
		ID: e.EventID, Digest: sha256.Sum256(canonical), Kind: e.Type, Request: e.RequestID,
		PublisherID: e.Publisher.ID, Domain: e.Publisher.Domain,
	}
	if r.Key.Platform = e.Platform.ID; c.secret != nil {
		r.Signature = c.signature()
	}
	r.StatedAt, _ = sign.ParseTime(e.Timestamp) // which was checked
	if e.Access != nil {
		r.Returned, r.Tokens, r.Mode = e.Access.ChunksReturned, e.Access.TokenCount, e.Access.RetrievalMode
	}
	if e.Citation != nil {
		r.SourceURL, r.Chunks, r.Surface = e.Citation.SourceURL, e.Citation.ChunkIDs, e.Citation.DisplaySurface
	}
	return r, e.Version, nil
}

func (h *handler) eventError(c *call, f *failure) answered {
	f.note(c.Context())
	return answered{
		status: f.status, retryAfter: f.retryAfter, allow: c.method,
		body: receipt{Version: h.version(c), Status: "error", Error: &wire.Failure{Code: f.code, Message: f.message}},
	}
}
