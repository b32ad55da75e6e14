package aip

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"frontdesk/internal/excerpts"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	wire "frontdesk/wire/intent"
	"frontdesk/wire/sign"
)

// open reads the body of a request and verifies its signature, under the key that it names and for
// a role, or for any.
func (h *handler) open(ctx context.Context, c *call, method, role string, required bool) *failure {
	c.method = method
	if c.Method != method {
		return &failure{status: http.StatusMethodNotAllowed, code: wire.CodeMethodNotAllowed,
			message: "This address takes " + method + "."}
	}
	if f := h.read(c); f != nil {
		return f
	}
	if !required && !identity.MustProve(ctx) && !sign.Any(c.Header) {
		return excess(h.AdmitUnsigned, c.Request)
	}
	f := h.verify(ctx, c, role)
	if f == nil || f.status != http.StatusUnauthorized {
		return f
	}
	if f := excess(h.TooManyFailures, c.Request); f != nil {
		return f
	}
	if h.CountFailure != nil {
		h.CountFailure(c.Request)
	}
	return f
}

// excess is the failure of a request that somebody who counts finds to be too many; nil where it is
// not.
func excess(count func(*http.Request) error, r *http.Request) *failure {
	if count == nil {
		return nil
	}
	if err := count(r); err != nil {
		return tooMany(err)
	}
	return nil
}

// read takes the body in.
func (h *handler) read(c *call) *failure {
	body, err := io.ReadAll(http.MaxBytesReader(nil, c.Body, MaxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return &failure{status: http.StatusRequestEntityTooLarge, code: wire.CodeRequestTooLarge,
			message: "The body is larger than 64 KiB."}
	case err != nil:
		return &failure{status: http.StatusBadRequest, code: wire.CodeInvalidRequest,
			message: "The body could not be read to its end; send it again."}
	}
	c.body = body
	return nil
}

// verify checks everything about a signature but whether its nonce is fresh, which the service does
// when it records what the request gets.
func (h *handler) verify(ctx context.Context, c *call, role string) *failure {
	header, err := sign.Read(c.Header)
	if err != nil {
		return authFailed(http.StatusUnauthorized)
	}
	now := h.Now()
	key, secret, err := h.Platforms.Find(ctx, header.KeyID)
	if err != nil && fail.From(err).Code != fail.NotFound { // of an unknown key the signature is looked at all the same
		return failed(err)
	}
	good := false
	for _, path := range h.Paths(c.Request) {
		if header.Verify(secret, c.Method, path, c.body) { // with no secret it takes as long
			good, c.path = true, path
		}
	}
	state := key.State(now)
	switch {
	case !good || !header.Fresh(now):
		return authFailed(http.StatusUnauthorized)
	case state != identity.PlatformActive && state != identity.PlatformSuspended:
		return authFailed(http.StatusUnauthorized)
	}
	c.header, c.key, c.secret = header, key, secret
	httpx.EventFrom(ctx).Set("party", "platform:"+key.Platform)
	httpx.EventFrom(ctx).Set("key", key.ID)
	if state == identity.PlatformSuspended || role != "" && !key.May(role) {
		return authFailed(http.StatusForbidden)
	}
	return nil
}

// signature is what a verified request was signed with. Its nonce may not come again until the
// timestamp alone refuses the request; that second is still good.
func (c *call) signature() excerpts.Signature {
	return excerpts.Signature{Key: c.key, Nonce: c.header.Nonce, Until: c.header.UsedUntil().Add(time.Second)}
}

// useNonce uses up the nonce of a request that goes no further: a repetition of it must not be told
// more.
func (h *handler) useNonce(ctx context.Context, c *call, f *failure) *failure {
	if c.secret == nil {
		return f
	}
	fresh, err := h.service.UseNonce(ctx, c.signature())
	switch {
	case err != nil:
		return failed(err)
	case !fresh:
		c.secret = nil // who repeats another's request gets nothing signed
		return authFailed(http.StatusUnauthorized)
	}
	return f
}
