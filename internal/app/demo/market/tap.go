package market

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Message is one request over a socket of the market, with its answer.
type Message struct {
	Number   int64  `json:"n"`    // from 1, in the order in which they were answered
	From     string `json:"from"` // the id of a lane
	To       string `json:"to"`
	Protocol string `json:"protocol"` // NLWeb, Intent, Intake, RAMP, or Web for what belongs to none
	Method   string `json:"method"`
	What     string `json:"what"` // the RPC, or the path without its query, in which secrets may be
	Status   int    `json:"status"`
	At       string `json:"at"` // when it came: UTC, RFC 3339 with milliseconds
	// Carried says in words what was asked, and what was answered.
	Carried []string `json:"carried,omitempty"`
}

// maxMessages is how many messages are kept for pages that are opened later.
const maxMessages = 500

// broadcaster is what passed, and who watches.
type broadcaster struct {
	mu      sync.Mutex
	last    int64
	recent  []Message
	watched map[chan Message]bool
	polled  map[string]bool // what edges ask their Exchange for again and again
	flying  int             // messages of those who act, which are not answered yet
	landed  chan struct{}   // closed when there is none; nil where nobody waits
}

// acting are those who send something because a person has pressed a button, at once.
var acting = map[string]bool{"platform": true, "agent": true, "broker": true}

// fly counts a message of somebody who acts, until land.
func (h *broadcaster) fly(from string) (land func()) {
	if !acting[from] {
		return func() {}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.flying++
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.flying--; h.flying == 0 && h.landed != nil {
			close(h.landed)
			h.landed = nil
		}
	}
}

// quiet waits until all messages of those who act are told, so that what comes of an act is told
// after what passed.
func (h *broadcaster) quiet(ctx context.Context) {
	h.mu.Lock()
	if h.flying == 0 {
		h.mu.Unlock()
		return
	}
	if h.landed == nil {
		h.landed = make(chan struct{})
	}
	landed := h.landed
	h.mu.Unlock()
	select {
	case <-landed:
	case <-ctx.Done():
	}
}

// again says whether an edge asks for what it keeps asking for. The first time is told alone, or
// nothing else would be seen.
func (h *broadcaster) again(from, method, path string) bool {
	if method != http.MethodGet || !isEdge(from) {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.polled == nil {
		h.polled = map[string]bool{}
	}
	if h.polled[path] {
		return true
	}
	h.polled[path] = len(h.polled) < maxMessages
	return false
}

// broadcast tells everybody who watches. Who does not keep up loses messages, and the page asks
// anew.
func (h *broadcaster) broadcast(m Message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last++
	m.Number = h.last
	if h.recent = append(h.recent, m); len(h.recent) > maxMessages {
		h.recent = append(h.recent[:0:0], h.recent[1:]...)
	}
	for watcher := range h.watched {
		select {
		case watcher <- m:
		default:
			delete(h.watched, watcher)
			close(watcher)
		}
	}
}

// number is that of the last message.
func (h *broadcaster) number() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last
}

// watch gives the messages after one, and those to come until stop is called. The channel is closed
// for who does not keep up.
func (h *broadcaster) watch(after int64) (before []Message, next chan Message, stop func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range h.recent {
		if m.Number > after {
			before = append(before, m)
		}
	}
	if h.watched == nil {
		h.watched = map[chan Message]bool{}
	}
	next = make(chan Message, 64)
	h.watched[next] = true
	return before, next, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.watched, next)
	}
}

// around tells of each request that somebody of the market sends to a place.
func (h *broadcaster) around(to string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			from, _, _ := strings.Cut(r.UserAgent(), "/")
			if from == brokerAgent {
				from = "broker"
			}
			// a person's browser, or whoever looks after itself
			if !placeIDs[from] || from == to || h.again(from, r.Method, r.URL.Path) {
				next.ServeHTTP(w, r)
				return
			}
			defer h.fly(from)()
			m := Message{From: from, To: to, Method: r.Method, At: time.Now().UTC().Format("2006-01-02T15:04:05.000Z")}
			m.Protocol, m.What = described(r.URL.Path)
			asked, answer := &seen{}, &noted{ResponseWriter: w, status: http.StatusOK}
			if r.Body != nil {
				r.Body = watched{r.Body, asked}
			}
			header := r.Header.Clone()
			defer func() {
				m.Status = answer.status
				m.Carried = exchanged{
					m: &m, request: read(asked, header), answer: read(&answer.seen, w.Header()), bytes: answer.bytes,
					media: w.Header().Get("Content-Type"),
				}.carried()
				h.broadcast(m)
			}()
			next.ServeHTTP(answer, r)
		})
	}
}

// brokerAgent is the name under which a Broker asks.
const brokerAgent = "frontdesk-broker"

// noted notes the status of an answer, and how it begins.
type noted struct {
	http.ResponseWriter
	status int
	wrote  bool
	seen   seen
	bytes  int64
}

// Write notes what is written.
func (n *noted) Write(p []byte) (int, error) {
	n.wrote = true
	written, err := n.ResponseWriter.Write(p)
	n.seen.Write(p[:written])
	n.bytes += int64(written)
	return written, err
}

// WriteHeader notes the status.
func (n *noted) WriteHeader(status int) {
	if !n.wrote && status >= 200 {
		n.status, n.wrote = status, true
	}
	n.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach what is below.
func (n *noted) Unwrap() http.ResponseWriter { return n.ResponseWriter }

// described says of a path which protocol it is of, and what it does there.
func described(path string) (protocol, what string) {
	if rpc, ok := strings.CutPrefix(path, "/ramp.v1."); ok {
		_, method, _ := strings.Cut(rpc, "/")
		return "RAMP", method
	}
	switch {
	case strings.HasPrefix(path, "/deliver/"):
		return "RAMP", "/deliver/…"
	// what is read by those who search themselves
	case path == "/ask", strings.HasPrefix(path, "/await"), path == "/schemamap.xml",
		strings.HasPrefix(path, "/feeds/"):
		return "NLWeb", path
	case strings.HasPrefix(path, "/intent/receipts/"):
		return "Intent", "/intent/receipts/…"
	case path == "/.well-known/aip.json", strings.HasPrefix(path, "/intent/"):
		return "Intent", path
	case path == "/.well-known/agent-intake.json", strings.HasPrefix(path, "/intake/"):
		return "Intake", path
	case strings.HasPrefix(path, "/.well-known/ramp-verify/"):
		return "RAMP", "/.well-known/ramp-verify/…"
	case strings.HasPrefix(path, "/.well-known/ramp"), strings.HasPrefix(path, "/exchange/v1/"),
		strings.HasPrefix(path, "/broker/v1/"), strings.HasPrefix(path, "/provider/"):
		return "RAMP", path
	case strings.HasPrefix(path, "/premium/"):
		return "RAMP", path // what is fetched at an edge
	}
	return "Web", path
}

// stream sends messages as they pass, by server-sent events, after the one that the page has seen
// last.
func (h *broadcaster) stream(w http.ResponseWriter, r *http.Request, last int64, leaving <-chan struct{}) {
	control := http.NewResponseController(w)
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	before, next, stop := h.watch(last)
	defer stop()
	send := func(m Message) bool {
		text, err := json.Marshal(m)
		if err == nil {
			_, err = fmt.Fprintf(w, "id: %d\ndata: %s\n\n", m.Number, text)
		}
		return err == nil && control.Flush() == nil
	}
	if _, err := fmt.Fprint(w, "retry: 500\n\n"); err != nil || control.Flush() != nil {
		return
	}
	for _, m := range before {
		if !send(m) {
			return
		}
	}
	for {
		select {
		case m, ok := <-next:
			if !ok || !send(m) {
				return
			}
		case <-r.Context().Done():
			return
		case <-leaving:
			return
		}
	}
}
