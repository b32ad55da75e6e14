package http

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"frontdesk/internal/identity/agents"
	"frontdesk/internal/identity/keyring"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/licensing/edge"
)

// RequestHandler is what every request passes on its way to a route: it gets an id and an event, is
// counted, measured and logged once, and no panic of a handler goes further.
type RequestHandler struct {
	Address     *ClientAddress
	Strict      []string // the value of Strict-Transport-Security, for requests over TLS; nil for none
	Routes      *http.ServeMux
	Known       map[string]*Route // by the pattern under which the route is in routes
	Log         *slog.Logger
	Metrics     *Metrics
	Now         func() time.Time
	MaxRequests int64 // requests in work at a time
	InWork      atomic.Int64
	Detached    detachedStreams

	arrivals arrivals
	scarce   rarely    // of requests that were cut off
	Agents   *Agents   // who asks; nil where nobody is told apart
	Visitors *Visitors // counts who comes; nil counts nobody
	// Uses notes that a key was used now, from an address; nil notes nothing.
	Uses     func(id string, from netip.Addr)
	Gate     *edge.Gate // before sites; nil without any
	GateOnly bool       // there is nothing but the gate, and probes
}

// gated is the route of what comes for a site behind the gate.
var gated = &Route{Name: "edge", Channel: "edge", Proves: true,
	Refuse: func(w http.ResponseWriter, _ *http.Request, err error) {
		told := fail.From(err)
		w.Header().Set("Cache-Control", "no-store")
		if told.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(fail.Seconds(told.RetryAfter)))
		}
		status, ok := map[fail.Code]int{
			fail.Unavailable: http.StatusServiceUnavailable, fail.Forbidden: http.StatusForbidden,
			fail.Unauthorized: http.StatusUnauthorized, fail.Limited: http.StatusTooManyRequests,
		}[told.Code]
		if !ok {
			status = http.StatusInternalServerError
		}
		http.Error(w, told.Detail, status)
	}}

// ServeHTTP answers one request.
func (f *RequestHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	begin := f.Now()
	ctx, happened := httpx.BeginEvent(r.Context())
	r = r.WithContext(ctx)
	behind := f.Gate != nil && (f.Gate.Serves(f.Address.Host(r)) || f.GateOnly && !f.isProbe(r))
	if !behind {
		r = f.Address.Strip(r)
	}
	id := newID()
	answer := &Recorder{ResponseWriter: w, detachable: detachable(w, r), body: f.arrivals.watch(w, r)}
	header := answer.Header()
	header["X-Request-Id"] = []string{id}
	if behind {
		answer.route = gated
	} else {
		maps.Copy(header, always)
	}
	if trace, ok := httpx.ParseTrace(r.Header.Get("Traceparent")); ok {
		happened.SetTrace(trace)
		header["Traceresponse"] = []string{trace.String()} // W3C Trace Context, level 2
	}
	if r.TLS != nil && f.Strict != nil {
		header["Strict-Transport-Security"] = f.Strict
	}

	ended := func(r *http.Request, client string) {
		f.done(r, answer, request{id, f.Now().Sub(begin), client, happened})
		if answer.body.leave() {
			f.InWork.Add(-1)
		}
	}
	aside := false
	defer func() {
		if broken := recover(); broken != nil {
			f.recovered(answer, r, id, broken)
		}
		if aside {
			return
		}
		ended(r, f.Address.named(r))
		if answer.status == 0 && r.Context().Err() != nil {
			answer.aborted = true // the client left, and net/http would send an empty answer with status 200
		}
		if answer.aborted {
			panic(http.ErrAbortHandler) // the client must see that the answer is not whole
		}
	}()
	switch n := f.InWork.Add(1); {
	case n > f.MaxRequests && (behind || !f.isProbe(r)) && !f.relieve():
		busy := fail.New(fail.Unavailable, "too many requests are in work; try again in a moment").After(time.Second)
		if behind {
			gated.fail(answer, r, busy)
		} else {
			f.at(r).fail(answer, r, busy)
		}
	case behind:
		f.answer(f.Gate, answer, f.identify(answer, r), gated)
	case !isPlain(r.URL.Path):
		NothingAt("").ServeHTTP(answer, r)
	default:
		f.answer(f.Routes, answer, f.identify(answer, r), f.at(r))
	}
	if answer.rest == nil {
		if answer.lingers {
			answer.body.linger()
		}
		return
	}
	client := f.Address.named(r)
	if answer.body.leave() {
		answer.body = nil // it was read, and holds buffers of net/http
	}
	if aside = f.setAside(answer, r, func(r *http.Request) { ended(r, client) }); !aside {
		answer.rest.write(r.Context(), answer)
	}
}

// answer has a request answered, unless the owner does not let its agent in.
func (f *RequestHandler) answer(next http.Handler, answer *Recorder, r *http.Request, at *Route) {
	r, err := f.Visitors.treat(answer, r, at)
	if err != nil {
		f.Visitors.refuse(answer, r, at, err)
		return
	}
	next.ServeHTTP(answer, r)
}

// always are the headers of every answer; pages set a policy of their own. Their values are shared
// by all answers, and full, so that adding to one makes a copy.
var always = http.Header{
	"X-Content-Type-Options":  {"nosniff"},
	"Content-Security-Policy": {"default-src 'none'; frame-ancestors 'none'"},
}

// isProbe says whether a request asks how the server is, which must be answered under any load.
func (f *RequestHandler) isProbe(r *http.Request) bool {
	where := f.at(r)
	return where != nil && where.Quiet
}

// at is the route of a request; nil where there is none.
func (f *RequestHandler) at(r *http.Request) *Route {
	_, pattern := f.Routes.Handler(r)
	return f.Known[pattern]
}

// isPlain says whether a path is written the one way it can be. Any other is the address of
// nothing: net/http would answer it with a redirect, and that with a page of HTML.
func isPlain(p string) bool {
	return strings.HasPrefix(p, "/") && (path.Clean(p) == p || path.Clean(p)+"/" == p)
}

// recovered answers for a handler that panicked. What went wrong goes to the log, not to the
// client.
func (f *RequestHandler) recovered(answer *Recorder, r *http.Request, id string, broken any) {
	if err, ok := broken.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		answer.aborted = true
		return
	}
	f.Log.Error("a handler panicked", "id", id, "panic", broken, "stack", string(debug.Stack()))
	if answer.status != 0 {
		answer.aborted = true
		return
	}
	for _, name := range []string{
		"Content-Type", "Content-Length", "Content-Encoding", "Cache-Control", "Etag", "Last-Modified",
	} {
		answer.Header().Del(name) // they spoke of the answer that does not come
	}
	answer.route.fail(answer, r,
		fail.New(fail.Internal, "an internal error occurred; the server's log has it as request %s", id))
}

// request is what is known of a request when it is done.
type request struct {
	id       string
	took     time.Duration
	client   string // what the log may tell of the sender; empty for nothing
	happened *httpx.Event
}

// done writes the request's one event and counts it.
func (f *RequestHandler) done(r *http.Request, answer *Recorder, done request) {
	where := answer.route
	if where == nil {
		where = f.Known["/"]
	}
	status, verb := answer.status, method(r.Method)
	switch {
	case r.Context().Err() != nil && status == 0:
		status = 499 // as proxies write it: the client left before there was an answer
	case status == 0:
		status = http.StatusOK
	}
	f.Metrics.request(where, status, verb, done)
	f.known(answer.agent, done.happened)
	f.Visitors.count(r, answer, status, done.happened)
	f.used(r, status, done.happened)
	level := slog.LevelInfo
	switch {
	case where.Quiet && status != http.StatusInternalServerError: // a probe is told no while the server starts
		level = slog.LevelDebug
	case status == http.StatusServiceUnavailable:
		level = slog.LevelWarn // as intended, and worth a look
	case status >= 500 && status != http.StatusNotImplemented: // that is the caller's mistake: there is no such method
		level = slog.LevelError
	}
	if !f.Log.Enabled(r.Context(), level) {
		return
	}
	attrs := make([]slog.Attr, 0, 16)
	attrs = append(attrs, slog.String("id", done.id), slog.String("method", verb), slog.String("route", where.Name),
		slog.Int("status", status), slog.Int64("bytes", answer.bytes),
		slog.Float64("ms", float64(done.took.Microseconds())/1000))
	if f.Log.Enabled(r.Context(), slog.LevelDebug) {
		attrs = append(attrs, slog.String("path", r.URL.Path))
	}
	if done.client != "" {
		attrs = append(attrs, slog.String("client", done.client))
	}
	attrs = append(attrs, done.happened.Attrs()...)
	f.Log.LogAttrs(r.Context(), level, "request", attrs...)
}

// method keeps what a stranger made up out of the log.
func method(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return m
	}
	return "other"
}

// newID gives 64 random bits: enough to find a request in a log.
func newID() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// Recorder notes what becomes of a response. http.ResponseController reaches the writer behind it.
type Recorder struct {
	http.ResponseWriter
	route      *Route          // that answers
	rateLimits *RateLimitState // what was counted for it; nil where nothing is
	status     int
	bytes      int64
	aborted    bool

	perParty bool // another party may be given another answer
	agent    agents.Agent

	detachable bool          // the rest can be written aside
	rest       *detachedRest // that a handler wants to be written so

	body    *arrival // of the request; nil for none
	lingers bool     // it is read on after the answer
}

// WriteHeader notes the final status; informational ones come before it, but for that after which
// HTTP is over.
func (w *Recorder) WriteHeader(status int) {
	if w.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		w.begin(status)
	}
	w.ResponseWriter.WriteHeader(status)
}

// begin is when the head is about to leave.
func (w *Recorder) begin(status int) {
	w.status = status
	if w.rateLimits != nil {
		w.rateLimits.finish(w.Header())
	}
	switch {
	case w.perParty && (w.route == nil || !w.route.Same):
		forPartyAlone(w.Header())
	case w.agent.Signature != "": // what became of it is told in the answer
		w.Header().Add("Vary", varyBySignature)
	}
	if w.body.lingers(status) && http.NewResponseController(w.ResponseWriter).EnableFullDuplex() == nil {
		w.lingers = true
		w.Header().Set("Connection", "close")
	}
}

// Write notes the size.
func (w *Recorder) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.begin(http.StatusOK)
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Unwrap gives http.ResponseController the writer that can flush and has deadlines.
func (w *Recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// used notes the use of the key that let a request in.
func (f *RequestHandler) used(r *http.Request, status int, happened *httpx.Event) {
	party := happened.Text("party")
	if f.Uses == nil || party == "" || status == http.StatusUnauthorized || status == http.StatusForbidden {
		return
	}
	f.Uses(keyring.UsedBy(party, happened.Text("key")), f.Address.Client(r))
}
