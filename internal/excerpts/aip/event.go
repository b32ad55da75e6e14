package aip

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"

	"frontdesk/internal/desk"
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
func (d *door) event(ctx context.Context, c *call) answered {
	if f := d.open(ctx, c, http.MethodPost, identity.RoleEvent, d.SignedEvents); f != nil {
		return d.eventError(c, d.spend(ctx, c, f))
	}
	reported, version, f := d.reported(c)
	if f != nil {
		return d.eventError(c, d.spend(ctx, c, f))
	}
	noted, err := d.desk.Cite(ctx, reported)
	var refusal *desk.Refusal
	switch {
	case errors.As(err, &refusal):
		httpx.EventFrom(ctx).Set("refused", string(refusal.Reason))
		switch refusal.Reason {
		case desk.Replayed:
			c.secret = nil
			return d.eventError(c, authFailed(http.StatusUnauthorized))
		case desk.EventConflict:
			return d.eventError(c, &failure{status: http.StatusConflict, code: codeEventConflict, message: refusal.Message})
		case desk.RateLimited:
			return d.eventError(c, &failure{status: http.StatusTooManyRequests, code: wire.CodeRateLimited, message: refusal.Message, retryAfter: refusal.RetryAfter})
		}
		return d.eventError(c, &failure{status: http.StatusUnprocessableEntity, code: codeUnprocessable, message: refusal.Message})
	case err != nil:
		return d.eventError(c, failed(err))
	}
	out := receipt{Version: version, Status: "accepted", EventID: reported.ID, Entry: noted.Entry, Verdict: noted.Verdict}
	if noted.Again {
		out.Status = "duplicate"
		return answered{status: http.StatusOK, body: out}
	}
	return answered{status: http.StatusAccepted, body: out}
}

// reported reads the body of a call as an event.
func (d *door) reported(c *call) (r desk.Reported, version string, f *failure) {
	if f := unfitBody(c.Header); f != nil {
		return r, "", f
	}
	if c.secret != nil && !d.supports(c.header.Version) {
		return r, "", &failure{status: http.StatusBadRequest, code: wire.CodeUnsupportedVersion, message: "X-AIP-Version " + clip(c.header.Version) + " is not answered here."}
	}
	e, findings := wire.ReadEvent(c.body, d.Options)
	if f := unreadable(findings); f != nil {
		return r, "", f
	}
	if f := d.fits(c, e.Version, e.Platform.ID); f != nil {
		return r, "", f
	}
	canonical, err := sign.Canonical(c.body)
	if err != nil {
		return r, "", failed(err)
	}
	r = desk.Reported{
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

func (d *door) eventError(c *call, f *failure) answered {
	f.note(c.Context())
	return answered{
		status: f.status, retryAfter: f.retryAfter, allow: c.takes,
		body: receipt{Version: d.version(c), Status: "error", Error: &wire.Failure{Code: f.code, Message: f.message}},
	}
}
