package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	"frontdesk/wire/strictjson"
)

// HTTP configures the Streamable HTTP transport.
type HTTP struct {
	// MaxBody is the most bytes of a request's body; 0 is 1 MiB.
	MaxBody int64
	// Hosts are the host names under which this server is known beside those of its own machine.
	Hosts []string
	// OnlyHosts says that Hosts are all names there are, so that a request for another is refused.
	// Otherwise only one that comes by loopback is.
	OnlyHosts bool
	// Forwarded gives the host that a client asked for as a trusted proxy tells it, "" when none
	// does; nil trusts none.
	Forwarded func(*http.Request) string
	// Origins are the origins whose pages may call; "*" is all of them.
	Origins []string
	// RequestContext gives the context of a request whose body was read, for what its tools have to
	// know of it; nil leaves it as it is.
	RequestContext func(r *http.Request, body []byte) context.Context
	// Changes lets clients listen for changes of what the server offers.
	Changes bool
}

// handler is the transport as the open internet meets it. Behind it the SDK's handlers speak the
// protocol: one answers with JSON, the other with a stream of events, which progress needs.
type handler struct {
	config       HTTP
	whole, event http.Handler
	place        place
	offers       func(method string) bool
}

// revisionStateless is the first revision of the protocol without a handshake.
const revisionStateless = "2026-07-28"

// Handler serves the server over Streamable HTTP. Refusals are JSON-RPC errors with HTTP's status.
func (s *Server) Handler(config HTTP) http.Handler {
	if config.MaxBody == 0 {
		config.MaxBody = 1 << 20
	}
	each := func(json bool) http.Handler {
		return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server {
			return s.Server
		}, &sdk.StreamableHTTPOptions{
			Stateless: true, JSONResponse: json, MaxRequestBodyBytes: -1, // read and bounded here
			DisableLocalhostProtection:   true, // which would refuse what a proxy on this machine passes on; see place
			PropagateRequestCancellation: true,
		})
	}
	return &handler{config: config, whole: each(true), event: each(false), place: newPlace(config), offers: s.offers}
}

// ServeHTTP answers one POST.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if reason := h.place.refuses(r); reason != "" {
		refuse(w, http.StatusForbidden, &problem{code: jsonrpc.CodeInvalidRequest, text: reason})
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "OPTIONS, POST")
		refuse(w, http.StatusMethodNotAllowed,
			&problem{code: jsonrpc.CodeInvalidRequest,
				text: "this address takes JSON-RPC messages by POST, and has no stream of its own"})
		return
	}
	body, status, wrong := h.read(w, r)
	if wrong != nil {
		refuse(w, status, wrong)
		return
	}
	if h.config.RequestContext != nil {
		r = r.WithContext(h.config.RequestContext(r, body))
	}
	stateless := r.Header.Get("Mcp-Protocol-Version") >= revisionStateless
	messages, batch, wrong := readMessages(body, func(method string) bool {
		return h.offers(method) && !(stateless && slices.Contains(removed, method))
	})
	if i := slices.IndexFunc(messages, func(m message) bool { return m.method == listen }); wrong == nil && i >= 0 &&
		!h.config.Changes {
		wrong = &problem{id: messages[i].ID, code: jsonrpc.CodeMethodNotFound,
			text: "this server tells of no changes; read its lists again when they are old"}
	}
	if wrong != nil {
		refuse(w, statusOf(wrong.code, stateless), wrong)
		return
	}
	note(r.Context(), messages, batch)
	if body = withoutDropped(body, messages, batch); len(body) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	next := h.choose(r, messages)
	ctx := context.WithValue(r.Context(), carrierKey{}, r.Context())
	r = r.WithContext(ctx)
	r.Body = io.NopCloser(bytes.NewReader(body))
	answer := &refusals{ResponseWriter: w, id: messages[0].ID}
	next.ServeHTTP(answer, r)
	answer.finish()
}

// read takes the body within the bounds.
func (h *handler) read(w http.ResponseWriter, r *http.Request) (body []byte, status int, wrong *problem) {
	invalid := func(status int, format string, args ...any) ([]byte, int, *problem) {
		return nil, status, &problem{code: jsonrpc.CodeInvalidRequest, text: fmt.Sprintf(format, args...)}
	}
	if typ, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || typ != "application/json" {
		return invalid(http.StatusUnsupportedMediaType, "send the message as JSON, with Content-Type: application/json")
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return invalid(http.StatusUnsupportedMediaType, "send the body as it is, without Content-Encoding")
	}
	tooLarge := func() ([]byte, int, *problem) {
		w.Header().Set("Connection", "close") // or the server would read on, for nothing
		return invalid(http.StatusRequestEntityTooLarge, "the body is larger than %d bytes", h.config.MaxBody)
	}
	if r.ContentLength > h.config.MaxBody {
		return tooLarge()
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.config.MaxBody))
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return tooLarge()
	case errors.Is(err, os.ErrDeadlineExceeded):
		w.Header().Set("Connection", "close") // what is still to come is no request
		return invalid(http.StatusRequestTimeout, "the body did not come in time; send it at once")
	case err != nil:
		return invalid(http.StatusBadRequest, "the body ended too early")
	}
	return body, 0, nil
}

// choose picks the form of the answer, among those that the client takes: a stream of events where
// progress was asked for or nothing else is taken, else JSON. A client that does not name both
// forms, as the protocol wants it to, is answered all the same.
func (h *handler) choose(r *http.Request, messages []message) http.Handler {
	accept := strings.ToLower(strings.Join(r.Header.Values("Accept"), ","))
	events := strings.Contains(accept, "text/event-stream") || strings.Contains(accept, "text/*")
	json := strings.Contains(accept, "application/json") || strings.Contains(accept, "application/*") ||
		strings.Contains(accept, "*/*") || !events
	r.Header.Set("Accept", "application/json, text/event-stream")
	if !json || events && len(messages[0].meta.Progress) > 0 {
		return h.event
	}
	return h.whole
}

// note tells the request's event what was called. Names that a stranger made up do not get this
// far.
func note(ctx context.Context, messages []message, batch bool) {
	name := messages[0].method
	switch _, known := methods[name]; {
	case batch:
		name = "batch"
	case name == "":
		name = "response"
	case !known:
		name = "other"
	}
	httpx.EventFrom(ctx).Set("rpc", name)
}

// statusOf is HTTP's status for an error that is found before the SDK sees the message. Up to
// 2025-11-25 an error that answers a sound message is a response like any other; since 2026-07-28
// it has a status of its own.
func statusOf(code int64, stateless bool) int {
	switch {
	case code == jsonrpc.CodeParseError || code == jsonrpc.CodeInvalidRequest:
		return http.StatusBadRequest
	case !stateless:
		return http.StatusOK
	case code == jsonrpc.CodeMethodNotFound:
		return http.StatusNotFound
	}
	return http.StatusBadRequest
}

// refuse answers with a JSON-RPC error.
func refuse(w http.ResponseWriter, status int, wrong *problem) {
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(wrong.appendJSON(nil)) // when it fails, the client has gone
}

// WriteError answers a request that did not come as far as its message with a JSON-RPC error.
func WriteError(w http.ResponseWriter, status int, err *fail.Error) {
	if err.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(fail.Seconds(err.RetryAfter)))
	}
	refuse(w, status, &problem{code: jsonrpc.CodeInvalidRequest, text: err.Detail})
}

// refusals turns the SDK's refusals, which are plain text, into JSON-RPC errors. Everything else
// passes.
type refusals struct {
	http.ResponseWriter
	id      strictjson.Value
	status  int // of a refusal
	refusal bytes.Buffer
}

// WriteHeader holds back a refusal.
func (p *refusals) WriteHeader(status int) {
	if status >= http.StatusBadRequest && strings.HasPrefix(p.Header().Get("Content-Type"), "text/plain") {
		p.status = status
		return
	}
	if p.Header().Get("Cache-Control") == "" {
		p.Header().Set("Cache-Control", "no-store")
	}
	p.ResponseWriter.WriteHeader(status)
}

// Write passes on, or gathers the text of a refusal.
func (p *refusals) Write(text []byte) (int, error) {
	if p.status != 0 {
		return p.refusal.Write(text)
	}
	return p.ResponseWriter.Write(text)
}

// Unwrap gives http.ResponseController the writer that can flush.
func (p *refusals) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// finish sends what was held back.
func (p *refusals) finish() {
	if p.status == 0 {
		return
	}
	p.Header().Del("Content-Length")
	refuse(p.ResponseWriter, p.status,
		&problem{id: p.id, code: jsonrpc.CodeInvalidRequest, text: strings.TrimSpace(p.refusal.String())})
}
