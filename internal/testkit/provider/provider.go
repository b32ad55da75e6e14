// Package provider is a small business that speaks the Agent Intake Protocol, for tests of clients:
// it keeps the protocol, and can be told to break it in one way at a time, to stall and to break
// off. It uses wire alone and shares nothing with the real handlers, so that both cannot be wrong
// alike.
package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/wire/intake"
	"frontdesk/wire/sign"
	"frontdesk/wire/strictjson"
)

// The intakes of the business, and the token that Keyed wants.
const (
	Quote = "quote" // binding; it declines roofers
	Sum   = "sum"   // a calculator, whose offers cannot be bound
	Keyed = "keyed" // like Sum, for those who have the token
	Token = "a token of tests"
)

// Data that the intakes take, and that Quote declines; data that binds an offer of Quote.
const (
	QuoteData    = `{"trade":"plumber","size":3,"urgent":true,"note":"a leak","rooms":["bath"]}`
	DeclinedData = `{"trade":"roofer","size":3}`
	BindData     = `{"email":"jane.doe@example.com","full_name":"Jane Doe"}`
	SumData      = `{"a":1,"b":2}`
)

const quoteSchema = `{"type":"object","required":["trade","size"],"properties":{
"trade":{"type":"string","enum":["plumber","roofer","electrician"]},"size":{"type":"integer","minimum":1,"maximum":100},"urgent":{"type":"boolean"},
"note":{"type":"string","maxLength":20,"pattern":"^[a-z ]*$"},"rooms":{"type":"array","items":{"enum":["bath","kitchen"]}}}}`

const sumSchema = `{"type":"object","required":["a","b"],"properties":{"a":{"type":"number"},"b":{"type":"number"}}}`

// Provider is a running business.
type Provider struct {
	URL string

	mu      sync.Mutex
	lie     string
	edit    func(*intake.Manifest)
	now     func() time.Time
	lasting time.Duration // how long offers hold
	schemas map[string]*intake.Schema
	offers  map[string]*offered // by id
	known   map[string]string   // ids of offers, by intake, session and data
	fail    []int               // statuses with which the next requests fail
	broken  int                 // how many of the next answers break off
	stall   chan struct{}       // answers wait for it; nil is no wait
	counted int                 // requests that were let in
	seen    Seen
}

// Seen is what came to a business.
type Seen struct {
	Headers []http.Header       // of posts
	Asked   []intake.Request    // that got an offer, each once
	Bound   []intake.Bind       // that bound, each once
	Bodies  map[string][][]byte // what was posted, by path
}

// Seen is what came until now.
func (p *Provider) Seen() Seen {
	p.mu.Lock()
	defer p.mu.Unlock()
	seen := p.seen
	seen.Bodies = maps.Clone(seen.Bodies)
	return seen
}

// offered is an offer, and what became of it.
type offered struct {
	request intake.Request
	offer   intake.Offer
	bind    *intake.Bind
	answer  *intake.Bound
}

// New is a business that nobody serves yet.
func New() *Provider {
	p := &Provider{now: time.Now, lasting: time.Hour, schemas: map[string]*intake.Schema{},
		offers: map[string]*offered{}, known: map[string]string{}, seen: Seen{Bodies: map[string][][]byte{}}}
	for _, each := range p.manifest().Intakes {
		schema, err := intake.CompileSchema(each.InputSchema)
		if err != nil {
			panic(err)
		}
		p.schemas[each.ID] = schema
	}
	return p
}

// Start serves a business until the test ends.
func Start(t testing.TB) *Provider {
	p := New()
	server := httptest.NewServer(p)
	t.Cleanup(func() {
		p.Resume()
		server.Close()
	})
	p.URL = server.URL
	return p
}

// Lie breaks the protocol in one way from now on; "" keeps it again. The names are in lies.go.
func (p *Provider) Lie(how string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lie = how
}

// Declare changes the manifest, and what is enforced with it.
func (p *Provider) Declare(edit func(*intake.Manifest)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.edit = edit
}

// Clock has the business read another clock.
func (p *Provider) Clock(now func() time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = now
}

// ValidFor sets how long offers are valid from now on.
func (p *Provider) ValidFor(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lasting = d
}

// Fail has the next posts fail with these statuses, as a proxy would.
func (p *Provider) Fail(statuses ...int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fail = statuses
}

// Break breaks the next answers off.
func (p *Provider) Break(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.broken = n
}

// Stall has all answers wait for Resume.
func (p *Provider) Stall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stall = make(chan struct{})
}

// Resume ends a Stall.
func (p *Provider) Resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stall != nil {
		close(p.stall)
		p.stall = nil
	}
}

func (p *Provider) manifest() *intake.Manifest {
	at := func(path string) string { return p.URL + path }
	privacy := func() *intake.Privacy {
		return &intake.Privacy{DataRetention: intake.RetainNone, RedactedAcceptable: new(true)}
	}
	limit := func() *intake.RateLimit { return &intake.RateLimit{RequestsPerMinute: 100000, RequestsPerDay: 1000000} }
	m := &intake.Manifest{
		Version: intake.Version, Provider: intake.Provider{Name: "Trades of the Town", URL: "https://trades.example/"},
		Intakes: []intake.Intake{
			{
				ID: Quote, Name: "A quote", Description: "Finds somebody for a repair, and says what it costs.",
				Endpoint: at("/intake/quote"), Method: "POST",
				Category: "service/matching", InputSchema: []byte(quoteSchema), OfferType: "quote",
				BindingAvailable: true, Privacy: privacy(), RateLimit: limit(),
			},
			{
				ID: Sum, Name: "A sum", Description: "Adds two numbers.", Endpoint: at("/intake/sum"), Method: "POST",
				Category:    "tool/calculator",
				InputSchema: []byte(sumSchema), OfferType: "result", Privacy: privacy(), RateLimit: limit(),
			},
			{
				ID: Keyed, Name: "A sum for members", Description: "Adds two numbers of members.",
				Endpoint: at("/intake/keyed"), Method: "POST", Category: "tool/calculator",
				InputSchema: []byte(sumSchema), OfferType: "result", RequiresAuth: true, Privacy: privacy(),
				RateLimit: limit(),
			},
		},
	}
	if p.edit != nil {
		p.edit(m)
	}
	return m
}

// message is what came, however badly it is put.
type message struct {
	request *http.Request
	body    []byte
	root    map[string]any // nil where it is no object
	agent   map[string]any
	data    map[string]any // intake_data or bind_data
	bind    bool
	foreign bool // it binds the offer of another session
	intake  *intake.Intake
}

// answer is what goes.
type answer struct {
	status int
	header http.Header
	body   any // nil is no body
}

// ServeHTTP is the business.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 4<<20))
	p.mu.Lock()
	stall := p.stall
	p.mu.Unlock()
	if stall != nil {
		select {
		case <-stall:
		case <-r.Context().Done():
			return
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.Method == http.MethodPost {
		p.seen.Headers = append(p.seen.Headers, r.Header.Clone())
		p.seen.Bodies[r.URL.Path] = append(p.seen.Bodies[r.URL.Path], body)
		if len(p.fail) > 0 {
			status := p.fail[0]
			p.fail = p.fail[1:]
			w.Header().Set("Retry-After", "0")
			http.Error(w, "not now", status)
			return
		}
	}
	m := read(r, body)
	a := p.route(m)
	a.header.Set("Access-Control-Allow-Origin", "*")
	if lie := lies[p.lie]; lie != nil {
		lie(p, m, a)
	}
	p.write(w, m, a)
}

func read(r *http.Request, body []byte) *message {
	m := &message{request: r, body: body, bind: strings.HasSuffix(r.URL.Path, "/bind")}
	_ = json.Unmarshal(body, &m.root)
	m.agent, _ = m.root["agent"].(map[string]any)
	member := "intake_data"
	if m.bind {
		member = "bind_data"
	}
	m.data, _ = m.root[member].(map[string]any)
	return m
}

func (p *Provider) write(w http.ResponseWriter, m *message, a *answer) {
	text, err := json.Marshal(a.body)
	if err != nil {
		panic(err)
	}
	if raw, ok := a.body.([]byte); ok {
		text = raw
	}
	for name, values := range a.header {
		w.Header()[name] = values
	}
	if p.broken > 0 && m.request.Method == http.MethodPost {
		p.broken--
		w.Header().Set("Content-Length", strconv.Itoa(len(text)+10))
		w.WriteHeader(a.status)
		_, _ = w.Write(text)
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(a.status)
	if a.body != nil && m.request.Method != http.MethodHead {
		_, _ = w.Write(text)
	}
}

func (p *Provider) route(m *message) *answer {
	manifest := p.manifest()
	if m.request.URL.Path == intake.WellKnown {
		return wellKnown(m, manifest)
	}
	for i, each := range manifest.Intakes {
		if m.request.URL.Path == "/intake/"+each.ID {
			m.intake = &manifest.Intakes[i]
			return p.posted(m, p.submit)
		}
		if m.request.URL.Path == "/intake/"+each.ID+"/bind" && each.BindingAvailable {
			m.intake = &manifest.Intakes[i]
			return p.posted(m, p.accept)
		}
	}
	return &answer{http.StatusNotFound, http.Header{"Content-Type": {"text/plain"}}, []byte("nothing here")}
}

func wellKnown(m *message, manifest *intake.Manifest) *answer {
	switch m.request.Method {
	case http.MethodOptions:
		return preflight("GET, HEAD, OPTIONS")
	case http.MethodGet, http.MethodHead:
		return &answer{http.StatusOK, http.Header{"Content-Type": {"application/json"}}, manifest}
	}
	a := failing(m, http.StatusMethodNotAllowed, intake.CodeInvalidInput, "Ask with GET.")
	a.header.Set("Allow", "GET, HEAD, OPTIONS")
	return a
}

func preflight(methods string) *answer {
	return &answer{http.StatusNoContent,
		http.Header{"Access-Control-Allow-Methods": {methods},
			"Access-Control-Allow-Headers": {"Content-Type, Authorization"}}, nil}
}

// posted takes what is common to both endpoints.
func (p *Provider) posted(m *message, take func(*message) *answer) *answer {
	r := m.request
	if r.Method == http.MethodOptions {
		return preflight("POST, OPTIONS")
	}
	if r.Method != http.MethodPost {
		a := failing(m, http.StatusMethodNotAllowed, intake.CodeInvalidInput, "Post it.")
		a.header.Set("Allow", "POST, OPTIONS")
		return a
	}
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		return failing(m, http.StatusUnsupportedMediaType, intake.CodeInvalidInput, "Write application/json.")
	}
	if len(m.body) > 256<<10 {
		return failing(m, http.StatusRequestEntityTooLarge, intake.CodeInvalidInput, "Send at most 256 KiB.")
	}
	if m.intake.RequiresAuth && r.Header.Get("Authorization") != "Bearer "+Token {
		a := failing(m, http.StatusUnauthorized, intake.CodeUnauthorized, "Send your key.")
		a.header.Set("WWW-Authenticate", "Bearer")
		return a
	}
	if p.counted++; p.counted > m.intake.RateLimit.RequestsPerMinute {
		p.counted = 0 // a minute has passed, so to say
		a := failing(m, http.StatusTooManyRequests, intake.CodeRateLimited, "Come back later.")
		a.header.Set("Retry-After", "1")
		return a
	}
	return take(m)
}

func (p *Provider) submit(m *message) *answer {
	request, err := intake.ReadRequest(m.body, intake.Options{})
	if err != nil {
		return failing(m, http.StatusBadRequest, intake.CodeInvalidInput, err.Error())
	}
	schema := p.schemas[m.intake.ID]
	told, withheld := schema.Withheld(request.IntakeData)
	if len(withheld) > 0 && !m.intake.Privacy.TakesRedacted() {
		return failing(m, http.StatusBadRequest, intake.CodeSchemaMismatch, "Nothing may be struck out.")
	}
	if found := schema.Validate(told); len(found) > 0 {
		return failing(m, http.StatusBadRequest, intake.CodeSchemaMismatch, found[0].String())
	}
	kept, undeclared := schema.Declared(told)
	if !m.intake.Privacy.NeedsPersonal() && slices.ContainsFunc(undeclared, intake.Undeclared.Personal) {
		return failing(m, http.StatusBadRequest, intake.CodeSchemaMismatch, "No personal data, please.")
	}
	return p.offer(m, request, kept)
}

// offer makes an offer, or gives again the one that was made.
func (p *Provider) offer(m *message, request *intake.Request, kept strictjson.Value) *answer {
	var data map[string]any
	_ = json.Unmarshal(kept, &data)
	if data["trade"] == "roofer" {
		return &answer{http.StatusOK, jsonHeader(),
			&intake.Response{Version: intake.Version, SessionID: request.SessionID, Status: intake.StatusDeclined,
				DeclineReason: "We have no roofers."}}
	}
	canonical, _ := sign.Canonical(kept)
	key := m.intake.ID + strings.ToLower(request.SessionID) + string(canonical)
	id, again := p.known[key]
	if !again {
		id = fmt.Sprintf("offer-%d", len(p.offers)+1)
		o := &offered{request: *request, offer: intake.Offer{ID: id, Summary: "We can do that.", Details: []byte(`{"price":"120.00"}`)}}
		if m.intake.BindingAvailable {
			o.offer.Expires = sign.FormatTime(p.now().Add(p.lasting))
			o.offer.BindEndpoint, o.offer.BindRequires = p.URL+"/intake/"+m.intake.ID+
				"/bind", &[]string{"email", "full_name"}
		}
		p.known[key], p.offers[id] = id, o
		p.seen.Asked = append(p.seen.Asked, *request)
	}
	offer := p.offers[id].offer
	return &answer{http.StatusOK, jsonHeader(),
		&intake.Response{Version: intake.Version, SessionID: request.SessionID, Status: intake.StatusOffer,
			Offer: &offer}}
}

func (p *Provider) accept(m *message) *answer {
	bind, err := intake.ReadBind(m.body, intake.Options{})
	if problem, ok := err.(*intake.Problem); ok {
		return failing(m, http.StatusBadRequest, problem.Code, problem.Error())
	}
	o := p.offers[bind.OfferID]
	m.foreign = o != nil && !intake.SameSession(o.request.SessionID, bind.SessionID)
	if o == nil || !intake.SameSession(o.request.SessionID, bind.SessionID) || o.request.Agent.ID != bind.Agent.ID {
		return failing(m, http.StatusNotFound, intake.CodeOfferNotFound, "There is no such offer.")
	}
	if missing := bind.Missing(*o.offer.BindRequires); len(missing) > 0 {
		return failing(m, http.StatusBadRequest, intake.CodeBindIncomplete, "Missing: "+strings.Join(missing, ", "))
	}
	if o.bind != nil {
		if !sign.Same(needed(o.bind.BindData), needed(bind.BindData)) {
			return failing(m, http.StatusConflict, intake.CodeOfferAlreadyBound, "It is bound already.")
		}
		return &answer{http.StatusOK, jsonHeader(), o.answer}
	}
	if o.offer.Expired(p.now()) {
		return failing(m, http.StatusGone, intake.CodeOfferExpired, "It has ended.")
	}
	o.bind = bind
	o.answer = &intake.Bound{Version: intake.Version, SessionID: bind.SessionID, OfferID: bind.OfferID,
		Status: intake.StatusBound, Message: "We will call.", BoundAt: sign.FormatTime(p.now())}
	p.seen.Bound = append(p.seen.Bound, *bind)
	return &answer{http.StatusOK, jsonHeader(), o.answer}
}

// needed is what an offer needs of bind_data.
func needed(data strictjson.Value) []byte {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(data, &fields)
	var b bytes.Buffer
	fmt.Fprintf(&b, `[%s,%s]`, fields["email"], fields["full_name"])
	return b.Bytes()
}

func failing(m *message, status int, code, text string) *answer {
	return &answer{status, jsonHeader(), &intake.Response{
		Version: intake.Version, SessionID: intake.SessionOf(m.body), Status: intake.StatusError,
		Error: &intake.Error{Code: code, Message: text},
	}}
}

func jsonHeader() http.Header { return http.Header{"Content-Type": {"application/json"}} }
