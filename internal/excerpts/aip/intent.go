// Package aip handles the Agentic Intent Protocol, the publisher's side: the declaration (aip.json), the capabilities,
// signed retrieval of passages, and the events that platforms report about what they showed.
//
// Enter at Handlers. A handler verifies the signature over the bytes that came, before anything is parsed. Then it decodes
// them, asks package excerpts, and renders the answer in the protocol's words and statuses, signed with the key of the
// request. It knows nothing of content, ledger or database.
package aip

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/excerpts"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	wire "frontdesk/wire/intent"
	"frontdesk/wire/sign"
)

// MaxBody is how many bytes a request or an event may have.
const MaxBody = 64 << 10

// Config is what the handlers need to know.
type Config struct {
	// Options are the versions and spellings that are taken.
	Options wire.Options
	// Platforms are the keys of those who may come in.
	Platforms *identity.Platforms
	// Paths gives the paths of a request's address under which it may have been signed, as they were sent: that at which
	// it arrived, and that which the public address makes of it.
	Paths func(*http.Request) []string
	// Suspect says, of a request whose signature is wrong, that too many such came from its address; Failed counts one. A
	// good signature is let in all the same, so that nobody can lock out a neighbour. Nil lets everybody try.
	Suspect func(*http.Request) error
	Failed  func(*http.Request)
	// Receipt gives the receipt of an entry that concerns a party, and Receipts the address of receipts, which the entry's id
	// follows.
	Receipt  func(ctx context.Context, id, party string) (any, error)
	Receipts func(*http.Request) string
	// Stranger counts an event that nobody signed, where events need no signature. Nil admits all.
	Stranger func(*http.Request) error
	// Sign says whether answers are signed, and Events whether events must be.
	Sign, SignedEvents bool
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// handler answers by a service.
type handler struct {
	service *excerpts.Service
	Config
}

// Handlers are those of the protocol's two signed addresses, and of receipts, whose path has the wildcard {id}.
func Handlers(service *excerpts.Service, config Config) (retrieve, events, receipts http.Handler) {
	if config.Now == nil {
		config.Now = time.Now
	}
	h := &handler{service, config}
	return h.handle(h.retrieve), h.handle(h.event), h.handle(h.receipt)
}

// call is one request on its way.
type call struct {
	*http.Request
	header sign.Headers
	path   string // as it was signed
	takes  string // the method of its address
	body   []byte
	key    identity.PlatformKey
	secret []byte // nil before the signature is verified
}

// answered is what is sent.
type answered struct {
	status     int
	body       any
	retryAfter time.Duration
	allow      string
}

// failure is what goes wrong on the way to the service, in the protocol's words.
type failure struct {
	status        int
	code, message string
	retryAfter    time.Duration
	cause         error // for the log alone; nil for nothing but what is told
}

func (f *failure) Error() string { return f.code + ": " + f.message }

// authFailed tells nobody which check failed.
func authFailed(status int) *failure {
	return &failure{status: status, code: wire.CodeAuthFailed, message: "The request is not authenticated, or its key does not permit it."}
}

// handle reads a request, has it answered and signs what comes out.
func (h *handler) handle(answer func(context.Context, *call) answered) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{Request: r}
		out := answer(r.Context(), c)
		h.send(w, c, out)
	})
}

// open reads the body of a request and verifies its signature, under the key that it names and for a role, or for any.
func (h *handler) open(ctx context.Context, c *call, method, role string, required bool) *failure {
	c.takes = method
	if c.Method != method {
		return &failure{status: http.StatusMethodNotAllowed, code: wire.CodeMethodNotAllowed, message: "This address takes " + method + "."}
	}
	if f := h.read(c); f != nil {
		return f
	}
	if !required && !sign.Any(c.Header) {
		return excess(h.Stranger, c.Request)
	}
	f := h.verify(ctx, c, role)
	if f == nil || f.status != http.StatusUnauthorized {
		return f
	}
	if f := excess(h.Suspect, c.Request); f != nil {
		return f
	}
	if h.Failed != nil {
		h.Failed(c.Request)
	}
	return f
}

// excess is the failure of a request that somebody who counts finds to be too many; nil where it is not.
func excess(count func(*http.Request) error, r *http.Request) *failure {
	if count == nil {
		return nil
	}
	if err := count(r); err != nil {
		return tooMany(err)
	}
	return nil
}

func tooMany(err error) *failure {
	coded := fail.From(err)
	return &failure{status: http.StatusTooManyRequests, code: wire.CodeRateLimited, message: coded.Detail, retryAfter: max(coded.RetryAfter, time.Second)}
}

// verify checks everything about a signature but whether its nonce is fresh, which the service does when it records
// what the request gets.
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
	if state == identity.PlatformSuspended || role != "" && !key.May(role) {
		return authFailed(http.StatusForbidden)
	}
	return nil
}

// until is until when the request's nonce may not come again. The timestamp alone refuses it from then on; that second
// is still good.
func (c *call) until() time.Time { return c.header.UsedUntil().Add(time.Second) }

// spend uses up the nonce of a request that goes no further: a repetition of it must not be told more.
func (h *handler) spend(ctx context.Context, c *call, f *failure) *failure {
	if c.secret == nil {
		return f
	}
	fresh, err := h.service.Spend(ctx, c.key, c.header.Nonce, c.until())
	switch {
	case err != nil:
		return failed(err)
	case !fresh:
		c.secret = nil // who repeats another's request gets nothing signed
		return authFailed(http.StatusUnauthorized)
	}
	return f
}

// unfitBody says what keeps a body from being read: it is JSON, and not compressed.
func unfitBody(header http.Header) *failure {
	switch {
	case !isJSON(header.Get("Content-Type")):
		return &failure{status: http.StatusUnsupportedMediaType, code: wire.CodeUnsupportedMediaType, message: "Send the body as application/json."}
	case encoded(header.Get("Content-Encoding")):
		return &failure{status: http.StatusUnsupportedMediaType, code: wire.CodeUnsupportedMediaType, message: "Send the body as it is, without Content-Encoding."}
	}
	return nil
}

// encoded says whether a Content-Encoding changes the body.
func encoded(coding string) bool { return coding != "" && !strings.EqualFold(coding, "identity") }

// fits checks what a verified message says of itself against its headers.
func (h *handler) fits(c *call, version, platform string) *failure {
	switch {
	case c.secret == nil:
		return nil
	case version != c.header.Version:
		return &failure{status: http.StatusBadRequest, code: wire.CodeInvalidRequest, message: "aip_version and the header X-AIP-Version differ; write the same into both."}
	case platform != c.key.Platform:
		return authFailed(http.StatusForbidden)
	}
	return nil
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
	return &failure{status: http.StatusBadRequest, code: code, message: where + ": " + first.Detail + "; " + first.Mend + "."}
}

// failed is an error of the service in the protocol's words.
func failed(err error) *failure {
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	coded := fail.From(err)
	f = &failure{status: http.StatusInternalServerError, code: wire.CodeInternalError, message: coded.Detail, cause: errors.Unwrap(coded)}
	switch coded.Code {
	case fail.Limited:
		return tooMany(err)
	case fail.Unavailable, fail.Timeout:
		f.status, f.code, f.retryAfter = http.StatusServiceUnavailable, wire.CodeUnavailable, max(coded.RetryAfter, time.Second)
	}
	return f
}

// note has the log tell of a failure, with what is not told outside.
func (f *failure) note(ctx context.Context) {
	e := httpx.EventFrom(ctx)
	if e.Set("failure", f.code); f.cause != nil {
		e.Set("error", f.cause.Error())
	}
}

// supports says whether a version is answered.
func (h *handler) supports(version string) bool {
	if h.Options.Versions == nil {
		return version == wire.Version01
	}
	return slices.Contains(h.Options.Versions, version)
}
