// Package aip handles the Agentic Intent Protocol, the publisher's side: the declaration
// (aip.json), the capabilities, signed retrieval of passages, and the events that platforms report
// about what they showed.
//
// Enter at Handlers. A handler verifies the signature over the bytes that came, before anything is
// parsed. Then it decodes them, asks package excerpts, and renders the answer in the protocol's
// words and statuses, signed with the key of the request. It knows nothing of content, ledger or
// database.
package aip

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/internal/excerpts"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	wire "frontdesk/wire/intent"
	"frontdesk/wire/sign"
)

// MaxBody bounds the bytes of a request or an event.
const MaxBody = 64 << 10

// Config configures the handlers.
type Config struct {
	// Options are the versions and spellings that are accepted.
	Options wire.Options
	// Platforms are the keys of the platforms that may ask.
	Platforms *identity.Platforms
	// Paths gives the paths of a request's address under which it may have been signed, as they
	// were sent: that at which it arrived, and that which the public address makes of it.
	Paths func(*http.Request) []string
	// TooManyFailures says, of a request whose signature is wrong, that too many such came from its
	// address; Failed counts one. A good signature is let in all the same, so that nobody can lock
	// out a neighbour. Nil lets everybody try.
	TooManyFailures func(*http.Request) error
	CountFailure    func(*http.Request)
	// Receipt gives the receipt of an entry that concerns a party, and Receipts the address of
	// receipts, which the entry's id follows.
	Receipt     func(ctx context.Context, id, party string) (any, error)
	ReceiptsURL func(*http.Request) string
	// AdmitUnsigned counts an event that nobody signed, where events need no signature. Nil admits
	// all.
	AdmitUnsigned func(*http.Request) error
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

// Handlers are those of the protocol's two signed addresses, and of receipts, whose path has the
// wildcard {id}.
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
	method string // the method of its address
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

// handle reads a request, has it answered and signs what comes out.
func (h *handler) handle(answer func(context.Context, *call) answered) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{Request: r}
		out := answer(r.Context(), c)
		h.send(w, c, out)
	})
}

// send writes an answer, signed when the request was.
func (h *handler) send(w http.ResponseWriter, c *call, out answered) {
	body, err := json.Marshal(out.body, json.Deterministic(true))
	if err != nil {
		out = h.error(c, failed(err))
		body, _ = json.Marshal(out.body)
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	if out.retryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(fail.Seconds(out.retryAfter)))
	}
	if out.status == http.StatusMethodNotAllowed {
		header.Set("Allow", out.allow)
	}
	if c.secret != nil && h.Sign {
		nonce := make([]byte, 16)
		rand.Read(nonce)
		own := sign.Headers{
			Version: h.version(c), KeyID: c.header.KeyID, Timestamp: sign.FormatTime(h.Now()),
			Nonce: hex.EncodeToString(nonce),
		}
		own.Signed(c.secret, strconv.Itoa(out.status), c.path, body).Write(header)
	}
	w.WriteHeader(out.status)
	if c.Method != http.MethodHead {
		w.Write(body)
	}
}

// version is the version of the protocol that a failure is written in.
func (h *handler) version(c *call) string {
	if c.header.Version != "" && h.supports(c.header.Version) {
		return c.header.Version
	}
	if len(h.Options.Versions) > 0 {
		return h.Options.Versions[0]
	}
	return wire.Version01
}

func (h *handler) timestamp() string {
	return h.Now().UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano)
}
