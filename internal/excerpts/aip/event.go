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
		return h.eventError(c, h.spend(ctx, c, f))
	}
	reported, version, f := h.reported(c)
	if f != nil {
		return h.eventError(c, h.spend(ctx, c, f))
	}
	noted, err := h.service.Cite(ctx, reported)
	var refusal *excerpts.Refusal
	switch {
	case errors.As(err, &refusal):
		httpx.EventFrom(ctx).Set("refused", string(refusal.Reason))
		switch refusal.Reason {
		case excerpts.Replayed:
			c.secret = nil
			return h.eventError(c, authFailed(http.StatusUnauthorized))
		case excerpts.EventConflict:
			return h.eventError(c, &failure{status: http.StatusConflict, code: codeEventConflict, message: refusal.Message})
		case excerpts.RateLimited:
			return h.eventError(c, &failure{status: http.StatusTooManyRequests, code: wire.CodeRateLimited, message: refusal.Message, retryAfter: refusal.RetryAfter})
		}
		return h.eventError(c, &failure{status: http.StatusUnprocessableEntity, code: codeUnprocessable, message: refusal.Message})
	case err != nil:
		return h.eventError(c, failed(err))
	}
	out := receipt{Version: version, Status: "accepted", EventID: reported.ID, Entry: noted.Entry, Verdict: noted.Verdict}
	if noted.Again {
		out.Status = "duplicate"
		return answered{status: http.StatusOK, body: out}
	}
	return answered{status: http.StatusAccepted, body: out}
}

// reported reads the body of a call as an event.
func (h *handler) reported(c *call) (r excerpts.Reported, version string, f *failure) {
	if f := unfitBody(c.Header); f != nil {
		return r, "", f
	}
	if c.secret != nil && !h.supports(c.header.Version) {
		return r, "", &failure{status: http.StatusBadRequest, code: wire.CodeUnsupportedVersion, message: "X-AIP-Version " + clip(c.header.Version) + " is not answered here."}
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
	r = excerpts.Reported{
		Key: c.key, ID: e.EventID, Digest: sha256.Sum256(canonical), Kind: e.Type, Request: e.RequestID, PublisherID: e.Publisher.ID, Domain: e.Publisher.Domain,
	}
	if c.secret != nil {
		r.Nonce, r.Until = c.header.Nonce, c.until()
	} else {
		r.Key.Platform = e.Platform.ID
	}
	r.Stated, _ = sign.ParseTime(e.Timestamp) // which was checked
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
		status: f.status, retryAfter: f.retryAfter, allow: c.takes,
		body: receipt{Version: h.version(c), Status: "error", Error: &wire.Failure{Code: f.code, Message: f.message}},
	}
}
