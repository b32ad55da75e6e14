// Package publisher is a small publisher of the Agentic Intent Protocol, for tests of clients: it
// keeps the protocol, and can be told to break it in one way at a time. It uses wire alone and
// shares nothing with the real handlers, so that both cannot be wrong alike.
package publisher

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/wire/intent"
	"frontdesk/wire/sign"
)

// The keys that the publisher knows: id, platform, secret.
const (
	KeyID, Platform, Secret                = "plat_test_1", "example_chat", "a secret of tests, 32 bytes long"
	OtherKeyID, OtherPlatform, OtherSecret = "plat_test_2", "other_chat", "another secret of tests, as long"
)

// Publisher is a publisher that a test has started.
type Publisher struct {
	URL string

	mu       sync.Mutex
	lie      string
	edit     func(*intent.Declaration)
	now      func() time.Time
	nonces   map[string]bool
	answers  map[string]remembered // by platform and request_id
	covered  map[string]map[string]bool
	events   map[string][]byte
	Requests []intent.RetrieveRequest // that were let in
	Received []intent.Event           // that were accepted, each once
	fail     []int                    // statuses with which the next requests fail
	broken   int                      // how many of the next answers break off
}

type remembered struct {
	body   []byte
	answer intent.RetrieveResponse
}

// New is a publisher that nobody serves yet.
func New() *Publisher {
	return &Publisher{now: time.Now, nonces: map[string]bool{}, answers: map[string]remembered{},
		covered: map[string]map[string]bool{}, events: map[string][]byte{}}
}

// Start serves a publisher until the test ends.
func Start(t testing.TB) *Publisher {
	p := New()
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	p.URL = server.URL
	return p
}

// Lie breaks the protocol in one way from now on; "" keeps it again. The names are those in the
// code below, most of them the names of the probes that find them.
func (p *Publisher) Lie(how string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lie = how
}

// Declare changes the declaration.
func (p *Publisher) Declare(edit func(*intent.Declaration)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.edit = edit
}

// FailNext answers the next requests with these statuses, and Retry-After where it has one of 429
// or 503.
func (p *Publisher) FailNext(statuses ...int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fail = statuses
}

// BreakNext breaks off the answers of the next requests, after they were dealt with.
func (p *Publisher) BreakNext(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.broken = n
}

func (p *Publisher) lies(how string) bool { return p.lie == how }

// version is the one that the publisher speaks, by its declaration.
func (p *Publisher) version() string { return p.declaration("").Version }

func (p *Publisher) reading() intent.Options { return intent.Options{Versions: []string{p.version()}} }

// ServeHTTP answers.
func (p *Publisher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch r.URL.Path {
	case intent.WellKnown:
		p.serveDeclaration(w, r)
	case "/capabilities":
		body := fmt.Sprintf(`{"aip_version":"0.1","publisher":{"id":"example"},"caller":%q}`, "")
		if p.lies("capabilities.answer") {
			body = fmt.Sprintf(`{"caller":%q}`, r.Header.Get("Authorization"))
		}
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, body)
	case "/retrieve", "/events":
		p.serveSigned(w, r)
	default:
		http.NotFound(w, r)
	}
}

// declaration is what the publisher declares.
func (p *Publisher) declaration(host string) intent.Declaration {
	base := "http://" + host
	d := intent.Declaration{
		Version: intent.Version01, Publisher: intent.Publisher{ID: "example", Name: "The Example", Domain: "localhost"},
		IntentAccess: intent.IntentAccess{Enabled: true, Mode: intent.ModeLiveOnly,
			StorageRights: intent.StorageNone},
		EditorialDomains: []string{"finance.markets", "food"},
		Endpoints: &intent.Endpoints{
			Capabilities: &intent.Endpoint{Method: "GET", URL: base + "/capabilities"},
			Retrieve:     &intent.Endpoint{Method: "POST", URL: base + "/retrieve?v=1"},
			Event:        &intent.EventEndpoint{Method: "POST", URL: base + "/events", Required: true},
		},
		Retrieval: intent.Retrieval{Supports: intent.Supports{Chunks: true, Citations: true}, MaxChunks: 3,
			MaxTokens: 60},
		Compliance: intent.Compliance{Revocable: true, LastUpdated: "2025-11-14"},
	}
	if p.edit != nil {
		p.edit(&d)
	}
	return d
}

func (p *Publisher) serveDeclaration(w http.ResponseWriter, r *http.Request) {
	body, _ := json.Marshal(p.declaration(r.Host))
	if p.lies("document") {
		body = []byte(strings.Replace(string(body), `"food"`, `"Food"`, 1))
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("ETag", `"1"`)
	header.Set("Cache-Control", "max-age=300")
	header.Set("Access-Control-Allow-Origin", "*")
	for lie, name := range map[string]string{"wellknown.type": "Content-Type", "wellknown.conditional": "ETag",
		"wellknown.max-age": "Cache-Control", "wellknown.cors": "Access-Control-Allow-Origin"} {
		if p.lies(lie) {
			header.Set(name, "text/plain")
		}
	}
	switch {
	case p.lies("wellknown.served"):
		w.WriteHeader(http.StatusNotFound)
	case r.Method == http.MethodHead && p.lies("wellknown.head"):
		w.WriteHeader(http.StatusMethodNotAllowed)
	case r.Header.Get("If-None-Match") != "" && !p.lies("wellknown.conditional"):
		w.WriteHeader(http.StatusNotModified)
	default:
		w.Write(body)
	}
}

// refused is a failure of authentication.
func refused(status int) outcome {
	return outcome{status: status, response: failure(intent.CodeAuthFailed, "authentication failed")}
}

func failure(code, message string) intent.RetrieveResponse {
	return intent.RetrieveResponse{Status: intent.StatusError, Error: &intent.Failure{Code: code, Message: message}}
}

func denial(reason string) outcome {
	return outcome{status: 200,
		response: intent.RetrieveResponse{Status: intent.StatusDenied, Denial: &intent.Denial{Reason: reason}}}
}

func wrong(status int, code string) outcome {
	return outcome{status: status, response: failure(code, "")}
}

// outcome is what is answered.
type outcome struct {
	status   int
	response intent.RetrieveResponse
	plain    []byte // instead of the response
	header   http.Header
}

func (p *Publisher) serveSigned(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 2<<20))
	if len(p.fail) > 0 {
		status := p.fail[0]
		p.fail = p.fail[1:]
		if status == 429 || status == 503 {
			w.Header().Set("Retry-After", "1")
		}
		w.WriteHeader(status)
		return
	}
	out := p.answer(r, body)
	if p.broken > 0 {
		p.broken--
		panic(http.ErrAbortHandler)
	}
	p.write(w, r, body, out)
}

func (p *Publisher) answer(r *http.Request, body []byte) outcome {
	if r.Method != http.MethodPost && !p.lies("form.method") {
		out := wrong(http.StatusMethodNotAllowed, intent.CodeMethodNotAllowed)
		out.header = http.Header{"Allow": {"POST"}}
		return out
	}
	if out, ok := p.authenticate(r, body); !ok {
		return out
	}
	if len(body) > 64<<10 && !p.lies("form.too-large") {
		return wrong(http.StatusRequestEntityTooLarge, intent.CodeRequestTooLarge)
	}
	if r.Header.Get("Content-Type") != "application/json" && !p.lies("form.content-type") {
		return wrong(http.StatusUnsupportedMediaType, intent.CodeUnsupportedMediaType)
	}
	if r.URL.Path == "/events" {
		return p.event(r, body)
	}
	return p.retrieve(r, body)
}

// authenticate verifies the five headers.
func (p *Publisher) authenticate(r *http.Request, body []byte) (outcome, bool) {
	failed := func(lie string) (outcome, bool) {
		if p.lies(lie) {
			return outcome{}, true
		}
		out := refused(401)
		if p.lies("auth.no-hint") {
			out.response.Error.Message = lie
		}
		if p.lies("auth.failure-body") {
			out.plain = []byte(`{"status":"error","error":{"code":"auth_failed","message":"authentication failed"}}`)
		}
		return out, false
	}
	head, err := sign.Read(r.Header)
	if err != nil {
		switch missing := missingHeader(r.Header); {
		case !sign.Any(r.Header) && len(body) > 0 && !json.Valid(body):
			if p.lies("auth.unsigned-first") {
				return wrong(400, intent.CodeInvalidRequest), false
			}
			return failed("auth.unsigned-first")
		case !sign.Any(r.Header) && r.URL.Path == "/events":
			return failed("event.unsigned")
		case !sign.Any(r.Header):
			return failed("auth.unsigned")
		case missing != "":
			return failed("auth.without-" + missing)
		default:
			return failed("auth.header-twice")
		}
	}
	secret := map[string]string{KeyID: Secret, OtherKeyID: OtherSecret}[head.KeyID]
	if secret == "" {
		return failed("auth.unknown-key")
	}
	if p.lies("auth.accepted") {
		return refused(401), false
	}
	if p.lies("auth.base64url") && strings.ContainsAny(head.Signature, "-_") {
		return refused(401), false
	}
	if !head.Verify([]byte(secret), r.Method, r.RequestURI, body) {
		if p.lies("auth.nonce-not-burned") {
			p.nonces[head.KeyID+" "+head.Nonce] = true
		}
		return p.forgiven(head, []byte(secret), r, body, failed)
	}
	now := p.now()
	if p.lies("auth.almost-stale") {
		now = now.Add(time.Minute)
	}
	if !head.Fresh(now) {
		at, _ := sign.ParseTime(head.Timestamp)
		if at.After(now) {
			return failed("auth.ahead")
		}
		return failed("auth.stale")
	}
	nonce := head.KeyID + " " + head.Nonce
	if p.lies("auth.nonce-per-key") {
		nonce = head.Nonce
	}
	if p.nonces[nonce] {
		return failed("auth.nonce-replayed")
	}
	p.nonces[nonce] = true
	return p.entitled(head, body)
}

// forgiven lets pass what a lie overlooks: a signature that is right for something else than what
// came.
func (p *Publisher) forgiven(
	head sign.Headers, secret []byte, r *http.Request, body []byte, failed func(string) (outcome, bool),
) (outcome, bool) {
	switch {
	case head.Verify(secret, r.Method, r.RequestURI, []byte(strings.Replace(string(body), "en-GB", "en-US", 1))):
		return failed("auth.changed-body")
	case head.Verify(secret, r.Method, r.RequestURI+"/x", body):
		return failed("auth.changed-path")
	case head.Verify(secret, http.MethodPut, r.RequestURI, body):
		return failed("auth.changed-method")
	case p.lies("auth.changed-timestamp"):
		at, _ := sign.ParseTime(head.Timestamp)
		head.Timestamp = sign.FormatTime(at.Add(-time.Second))
		if head.Verify(secret, r.Method, r.RequestURI, body) {
			return outcome{}, true
		}
	case p.lies("auth.changed-nonce"), p.lies("auth.wrong-secret"):
		return outcome{}, true
	}
	return failed("auth.wrong-secret")
}

func missingHeader(header http.Header) string {
	for _, name := range sign.Names {
		if header.Get(name) == "" {
			return strings.TrimPrefix(strings.ToLower(name), "x-aip-")
		}
	}
	return ""
}

// entitled looks at version and platform.
func (p *Publisher) entitled(head sign.Headers, body []byte) (outcome, bool) {
	var told struct {
		Version  string          `json:"aip_version"`
		Platform intent.Platform `json:"platform"`
	}
	_ = json.Unmarshal(body, &told)
	if head.Version != p.version() && told.Version != p.version() && !p.lies("auth.version-unknown") {
		return wrong(400, intent.CodeUnsupportedVersion), false
	}
	if head.Version != told.Version && json.Valid(body) && strings.Count(string(body), "aip_version") == 1 &&
		!p.lies("auth.version-mismatch") {
		return wrong(400, intent.CodeInvalidRequest), false
	}
	platform := map[string]string{KeyID: Platform, OtherKeyID: OtherPlatform}[head.KeyID]
	if told.Platform.ID != "" && told.Platform.ID != platform {
		if strings.Contains(string(body), "event_type") {
			return refused(403), p.lies("event.other-platform")
		}
		return refused(403), p.lies("auth.platform-mismatch")
	}
	return outcome{}, true
}

// overlooks is the validator, except for what a lie overlooks.
func (p *Publisher) overlooks(body []byte) []byte {
	for lie, change := range map[string][2]string{
		"form.unknown-member":   {`"bid":1,`, ``},
		"form.missing-member":   {`"turn_index_x"`, `"turn_index"`},
		"form.turn-index":       {`"turn_index":-1`, `"turn_index":0`},
		"form.confidence":       {`1.01`, `1`},
		"form.domain":           {`"*.`, `"`},
		"form.language":         {`"en"`, `"en-US"`},
		"form.timestamp":        {`"timestamp":"at `, `"timestamp":"`},
		"form.duplicate-member": {`{"aip_version":"9.9",`, `{`},
		"auth.version-unknown":  {`"9.9"`, `"0.1"`},
		"event.user":            {`"user_id":"u-1",`, ``},
		"event.accounting":      {`accounting`, `citation`},
	} {
		if p.lies(lie) {
			body = []byte(strings.Replace(string(body), change[0], change[1], 1))
		}
	}
	if p.lies("form.no-json") && !json.Valid(body) {
		body = append(body, '}')
	}
	return body
}

func (p *Publisher) retrieve(r *http.Request, raw []byte) outcome {
	if p.lies("form.whole-number") && strings.Contains(string(raw), `"turn_index":0.0`) {
		return wrong(400, intent.CodeInvalidRequest)
	}
	body := p.overlooks(raw)
	if r.Method == http.MethodGet {
		_, out := p.passages(intent.RetrieveRequest{Version: intent.Version01}, p.declaration(r.Host), "food")
		return out
	}
	request, found := intent.ReadRequest(body, p.reading())
	if request == nil {
		return wrong(400, intent.CodeInvalidRequest)
	}
	if !found.Valid() { // in its extensions alone
		overlooked := p.lies("form.commercial") && strings.Contains(string(raw), "price") ||
			p.lies("form.identity") && strings.Contains(string(raw), "user_id")
		if !overlooked {
			return denial(intent.ReasonPolicyViolation)
		}
	}
	p.Requests = append(p.Requests, *request)
	out := p.decide(*request, raw, p.declaration(r.Host))
	out.response.RequestID = request.RequestID
	if p.lies("content.echo") {
		out.response.RequestID = "another"
	}
	return out
}

// decide is the published order: enabled and state, scope, limits.
func (p *Publisher) decide(request intent.RetrieveRequest, body []byte, d intent.Declaration) outcome {
	if open, _ := d.Open(p.now()); !open && !p.lies("closed.denies") {
		return denial(intent.ReasonAccessDisabled)
	}
	matched, ok := p.scope(d.EditorialDomains, request.Intent)
	if !ok {
		return denial(intent.ReasonOutOfScope)
	}
	if !d.Retrieval.Supports.Chunks && !p.lies("closed.chunks") {
		return denial(intent.ReasonUnsupported)
	}
	if at, _ := sign.ParseTime(request.Timestamp); !sign.Fresh(at, p.now()) && !p.lies("form.live-only") {
		return denial(intent.ReasonPolicyViolation)
	}
	known := request.Platform.ID + " " + request.RequestID
	if before, ok := p.answers[known]; ok {
		switch {
		case slices.Equal(before.body, body) && !p.lies("content.same-request"):
			return outcome{status: 200, response: before.answer}
		case !slices.Equal(before.body, body) && !p.lies("content.conflict"):
			return wrong(409, intent.CodeRequestConflict)
		}
	}
	session := request.Platform.ID + " " + request.Runtime.SessionID
	if p.covered[session] == nil {
		p.covered[session] = map[string]bool{}
	}
	p.covered[session][request.RequestID] = true
	if len(p.covered[session]) > 5 && !p.lies("rate.throttles") {
		out := denial(intent.ReasonRateLimited)
		out.status, out.header = 429, http.Header{"Retry-After": {"1"}}
		return out
	}
	given, out := p.passages(request, d, matched)
	if given {
		p.answers[known] = remembered{body, out.response}
	}
	return out
}

func (p *Publisher) scope(declared []string, asked intent.Intent) (string, bool) {
	domain, subdomain := asked.Domain, asked.Subdomain
	switch {
	case p.lies("scope.outside") && domain == "zqunlisted.check",
		p.lies("scope.boundary") && strings.HasSuffix(domain, "zq") && !strings.HasSuffix(domain, ".zq"),
		p.lies("scope.ancestor") && domain == "finance" && subdomain == "",
		p.lies("scope.foreign-subdomain") && domain == "zqunlisted" && subdomain != "":
		return declared[0], true
	case p.lies("scope.descendant") && strings.HasSuffix(domain, ".zq"),
		p.lies("scope.subdomain") && domain == "finance":
		return "", false
	}
	return intent.Scope(declared, domain, subdomain)
}

// passages are two of three that the only article has.
func (p *Publisher) passages(
	request intent.RetrieveRequest, d intent.Declaration, matched string,
) (given bool, out outcome) {
	if strings.Contains(request.Runtime.QueryText, "zqxjkv") && !p.lies("content.nothing-found") {
		return false, outcome{status: 200, response: failure(intent.CodeNoContent, "Nothing here matches.")}
	}
	texts := []string{"The first passage about " + matched + ".", "The second passage, of three."}
	response := intent.RetrieveResponse{Status: intent.StatusOK, Content: &intent.Content{},
		LimitsApplied: &intent.Limits{MaxChunks: 3, MaxTokens: 60}}
	add := func(text string) {
		tokens := intent.Tokens(text)
		chunk := intent.Chunk{ID: "c" + strconv.Itoa(len(response.Content.Chunks)+1), Text: text, TokenCount: &tokens}
		response.Content.Chunks = append(response.Content.Chunks, chunk)
	}
	for _, text := range texts {
		add(text)
	}
	source := intent.Citation{SourceURL: "https://www.localhost/article", Title: "An article",
		ChunkIDs: []string{"c1", "c2"}}
	switch p.lie {
	case "content.same-request":
		response.Content.Chunks[0].Text += strconv.Itoa(len(p.nonces))
	case "content.too-many":
		add("Three.")
		add("Four.")
		response.LimitsApplied = nil
	case "content.tokens":
		long := strings.Repeat("Word after word. ", 40)
		one := 1
		response.Content.Chunks[0].Text, response.Content.Chunks[0].TokenCount = long, &one
	case "content.token-sum":
		many := 61
		response.Content.Chunks[0].TokenCount = &many
	case "content.denial-too":
		response.Denial = &intent.Denial{Reason: intent.ReasonOutOfScope}
	case "content.unknown-citation":
		source.ChunkIDs = []string{"c1", "c9"}
	case "content.price":
		response.Extensions = intent.Extensions{"example.offer": []byte(`{"price":"1.00"}`)}
	case "content.empty", "content.nothing-found":
		if p.lie == "content.empty" || strings.Contains(request.Runtime.QueryText, "zqxjkv") {
			response.Content.Chunks, source.ChunkIDs = []intent.Chunk{}, nil
		}
	}
	if d.Retrieval.Supports.Citations || p.lies("content.citations") {
		response.Citations = []intent.Citation{source}
	}
	status := 200
	if p.lies("content.status") {
		status = 201
	}
	return true, outcome{status: status, response: response}
}

// event takes events.
func (p *Publisher) event(r *http.Request, raw []byte) outcome {
	body := p.overlooks(raw)
	event, _ := intent.ReadEvent(body, p.reading())
	if event == nil {
		return wrong(400, intent.CodeInvalidRequest)
	}
	if before, ok := p.events[event.EventID]; ok {
		same := sign.Same(before, body)
		switch {
		case same && p.lies("event.duplicate"), !same && p.lies("event.conflict"):
			return outcome{status: 202, plain: []byte(`{"status":"ok"}`)}
		case same:
			return outcome{status: 200, plain: []byte(`{"status":"ok"}`)}
		}
		return wrong(409, "event_conflict")
	}
	if lie := p.untrue(event, p.declaration(r.Host)); lie != "" && !p.lies(lie) {
		return wrong(422, "event_not_true")
	}
	if p.lies("event.citation") && event.Citation != nil || p.lies("event.access") && event.Access != nil {
		return wrong(422, "event_not_true")
	}
	p.events[event.EventID] = body
	p.Received = append(p.Received, *event)
	return outcome{status: 202, plain: []byte(`{"status":"ok"}`)}
}

// untrue says in which way an event tells of something that was not.
func (p *Publisher) untrue(event *intent.Event, d intent.Declaration) string {
	released, ok := p.answers[event.Platform.ID+" "+event.RequestID]
	switch {
	case event.Publisher.ID != d.Publisher.ID:
		return "event.other-publisher"
	case !ok && event.Platform.ID != Platform:
		return "event.other-platform"
	case !ok:
		return "event.unknown-request"
	case event.Citation == nil:
		return ""
	}
	for _, id := range event.Citation.ChunkIDs {
		if !slices.ContainsFunc(released.answer.Content.Chunks, func(c intent.Chunk) bool { return c.ID == id }) {
			return "event.foreign-passage"
		}
	}
	if !slices.ContainsFunc(released.answer.Citations, func(c intent.Citation) bool {
		return c.SourceURL == event.Citation.SourceURL
	}) {
		return "event.foreign-source"
	}
	return ""
}

// write writes an outcome, signed as its request was.
func (p *Publisher) write(w http.ResponseWriter, r *http.Request, body []byte, out outcome) {
	response := out.response
	response.Version, response.Timestamp = p.version(), sign.FormatTime(p.now())
	if response.RequestID == "" {
		var told struct {
			RequestID string `json:"request_id"`
		}
		_ = json.Unmarshal(body, &told)
		response.RequestID = told.RequestID
	}
	text, _ := json.Marshal(response)
	if out.plain != nil {
		text = out.plain
	}
	header := w.Header()
	for name, values := range out.header {
		header[name] = values
	}
	header.Set("Content-Type", "application/json")
	if !p.lies("content.no-store") {
		header.Set("Cache-Control", "no-store")
	}
	p.sign(header, r, out.status, text)
	w.WriteHeader(out.status)
	w.Write(text)
}

func (p *Publisher) sign(header http.Header, r *http.Request, status int, text []byte) {
	asked, err := sign.Read(r.Header)
	if err != nil || status == http.StatusUnauthorized || p.lies("content.unsigned") {
		return
	}
	secret := map[string]string{KeyID: Secret, OtherKeyID: OtherSecret}[asked.KeyID]
	head := sign.Headers{Version: p.version(), KeyID: asked.KeyID, Timestamp: sign.FormatTime(p.now()),
		Nonce: "n" + strconv.Itoa(len(p.nonces)) + asked.Nonce}
	path := r.RequestURI
	switch p.lie {
	case "content.signature":
		secret += "!"
	case "content.signature-path":
		path = r.URL.Path
	case "content.signature-body":
		text = append(slices.Clone(text), ' ')
	case "content.signature-stale":
		head.Timestamp = sign.FormatTime(p.now().Add(-time.Hour))
	case "content.signature-key":
		head.KeyID = OtherKeyID
	}
	head.Signed([]byte(secret), strconv.Itoa(status), path, text).Write(header)
}
