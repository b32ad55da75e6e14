package app

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/ledger"
	"frontdesk/internal/testkit/clock"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

// market is an Exchange of a test, with an agent that may ask it.
type market struct {
	*App
	t     *testing.T
	clock *clock.Clock
	log   *logbook
	host  *httptest.Server // of the agent's domain
	key   ed25519.PrivateKey
	at    string // its address
}

const marketURL = "https://exchange.example.com/desk"

func openMarket(t *testing.T, more string) *market { return openMarketAt(t, marketURL, more) }

// openMarketAt is openMarket at an address of its own.
func openMarketAt(t *testing.T, address, more string, change ...func(*Options)) *market {
	t.Helper()
	m := &market{t: t, at: address, clock: clock.At(time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC)),
		key: ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))}
	document, err := ramp.WriteAgentKeys("bot", "",
		[]ramp.Key{{ID: "k1", Public: m.key.Public().(ed25519.PublicKey), Active: true}})
	if err != nil {
		t.Fatal(err)
	}
	m.host = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write(document) }))
	t.Cleanup(m.host.Close)
	m.App, m.log = open(t, "url: "+address+"\nfetch: {allow: [127.0.0.0/8]}\n"+more,
		append(change, func(o *Options) { o.Now = m.clock.Now })...)
	return m
}

// domain is the agent's.
func (m *market) domain() string { return strings.TrimPrefix(m.host.URL, "http://") }

// query is a query of a requester.
func (m *market) query(r *rampv1.Requester) string {
	text, err := ramp.Marshal(&rampv1.ResourceQuery{Ver: "1.0", Id: "q-1", Requester: r})
	if err != nil {
		m.t.Fatal(err)
	}
	return string(text)
}

// inBody is the agent as a requester that signed itself.
func (m *market) inBody(by ed25519.PrivateKey) *rampv1.Requester {
	r := &rampv1.Requester{Id: "bot", Domain: m.domain(), Uris: []string{"https://example.com/soup"}}
	payload, err := ramp.RequesterPayload(r)
	if err != nil {
		m.t.Fatal(err)
	}
	r.Signature = sign.EncodeSignature(ed25519.Sign(by, payload))
	return r
}

// posted is a request to an address of the Exchange from somewhere.
func posted(method, path, body string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	return with(r, headers...)
}

const discover = "/ramp.v1.ExchangeService/DiscoverResources"

// over is a query that is signed over HTTP, for a target.
func (m *market) over(target, body string) *http.Request { return m.signedAs(target, discover, body) }

// signedAs is a request to a path that the agent signed over HTTP, for a target.
func (m *market) signedAs(target, path, body string) *http.Request {
	return m.signed(target, posted("POST", path, body), body)
}

// signed is a request with a body, signed by the agent over HTTP for a target.
func (m *market) signed(target string, r *http.Request, body string) *http.Request {
	m.t.Helper()
	r.Header.Set("Content-Digest", sign.ContentDigest([]byte(body)))
	input, signature, err := sign.SignHTTP(sign.Request{Method: "POST", Target: target, Header: r.Header},
		sign.SigningParameters{KeyID: m.domain() + "#k1", Created: m.clock.Now(), Nonce: rand.Text()}, m.key)
	if err != nil {
		m.t.Fatal(err)
	}
	r.Header.Set("Signature-Input", input)
	r.Header.Set("Signature", signature)
	return r
}

// refused is the code of an error, empty for none and for what is known who asks but not built yet.
func refused(w *httptest.ResponseRecorder) string {
	var answer struct{ Code string }
	_ = json.Unmarshal(w.Body.Bytes(), &answer)
	if answer.Code == "unimplemented" {
		return ""
	}
	return answer.Code
}

// TestWhoAsksTheExchange holds that requests are let in by their signatures, in the protocol's
// words otherwise.
func TestWhoAsksTheExchange(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "ramp: {enabled: true}")
	unsigned := &rampv1.Requester{Id: "bot", Domain: m.domain(), Uris: []string{"https://example.com/soup"}}
	other := ed25519.NewKeyFromSeed([]byte(strings.Repeat("x", ed25519.SeedSize)))
	for name, v := range map[string]struct {
		request *http.Request
		code    string
		words   string
	}{
		"over HTTP": {m.over(marketURL+discover, m.query(unsigned)), "", ""},
		"over HTTP, for another": {
			m.over("https://other.example.com"+discover, m.query(unsigned)), "unauthenticated", "HTTP signature",
		},
		"over HTTP, for an inner name": {
			m.over("http://example.com"+discover, m.query(unsigned)), "unauthenticated", "HTTP signature",
		},
		"in the body": {posted("POST", discover, m.query(m.inBody(m.key))), "", ""},
		"in the body, by another": {
			posted("POST", discover, m.query(m.inBody(other))), "unauthenticated", "requester.signature",
		},
		"nowhere": {posted("POST", discover, m.query(unsigned)), "unauthenticated", "RFC 9421"},
		"an impossible domain": {
			posted("POST", discover, m.query(&rampv1.Requester{Id: "bot", Domain: "10.0.0.1", Uris: unsigned.Uris})),
			"invalid_argument", "domain",
		},
		"a delegation": {posted("POST", discover, strings.Replace(m.query(m.inBody(m.key)), `"requester":{`,
			`"requester":{"delegation":{"principal_domain":"p.example","principal_id":"p","token":"AA","expires_at":"2027-06-01T00:00:00Z"},`, 1)), "permission_denied", "delegation"},
	} {
		w := send(m, v.request)
		if got := refused(w); got != v.code || !strings.Contains(w.Body.String(), v.words) {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	if text := m.log.String(); strings.Contains(text, "example.com/soup") {
		t.Errorf("the log has what was asked for: %s", text)
	}
}

// TestRequestersHaveARate holds that each requester has the rate of all, or its own, and is told.
func TestRequestersHaveARate(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "ramp: {enabled: true, requester_rate: 2/1m}")
	ask := func() *httptest.ResponseRecorder { return send(m, posted("POST", discover, m.query(m.inBody(m.key)))) }
	for i, want := range []string{"", "", "resource_exhausted"} {
		w := ask()
		if refused(w) != want {
			t.Errorf("request %d: %d %s", i+1, w.Code, w.Body)
		}
		if want != "" && w.Header().Get("Retry-After") != "30" {
			t.Errorf("request %d: come back in %q", i+1, w.Header().Get("Retry-After"))
		}
	}
	if _, err := m.Requesters.Add(t.Context(),
		requesters.Registration{Domain: m.domain(), ID: "bot", Rate: "100/1m"}); err != nil {
		t.Fatal(err)
	}
	if w := ask(); refused(w) != "" {
		t.Errorf("with a rate of its own: %d %s", w.Code, w.Body)
	}
}

// TestWrongSignaturesHaveNothingFetched holds that an address that sent many wrong signatures
// brings this server to ask nobody.
func TestWrongSignaturesHaveNothingFetched(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "ramp: {enabled: true}\nlimits: {rate: {failures: 3/1m}}")
	asked := 0
	stranger := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked++; http.NotFound(w, r) }))
	defer stranger.Close()
	if w := send(m, posted("POST", discover, m.query(m.inBody(m.key)))); refused(w) != "" {
		t.Fatal(w.Body)
	}
	for i := range 5 {
		name := fmt.Sprintf("localhost:%s", strings.TrimPrefix(stranger.URL, "http://127.0.0.1:"))
		if i < 3 {
			name = fmt.Sprintf("localhost:%d", i+1)
		}
		w := send(m,
			posted("POST", discover,
				m.query(&rampv1.Requester{Id: "bot", Domain: name, Uris: []string{"https://example.com/soup"},
					Signature: m.inBody(m.key).Signature})))
		if want := map[bool]string{true: "unauthenticated", false: "resource_exhausted"}[i < 3]; refused(w) != want {
			t.Errorf("request %d: %d %s", i+1, w.Code, w.Body)
		}
	}
	if asked != 0 {
		t.Error("keys were fetched for an address that sent nothing right")
	}
	if w := send(m, posted("POST", discover, m.query(m.inBody(m.key)))); refused(w) != "" {
		t.Errorf("a neighbour whose keys are known is shut out: %s", w.Body)
	}
}

// TestRequestersSignUp holds that requesters sign up over HTTP, with what the ledger tells of it.
func TestRequestersSignUp(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "ramp: {enabled: true, requesters: {registered: true, sign_up_rate: 4/1h}}")
	const path = "/exchange/v1/requesters/register"
	if w := send(m, posted("POST", discover, m.query(m.inBody(m.key)))); refused(w) != "unauthenticated" ||
		!strings.Contains(w.Body.String(), path) {
		t.Errorf("before: %d %s", w.Code, w.Body)
	}
	body := func(id, domain string) string {
		return fmt.Sprintf(`{"requester_id":%q,"domain":%q,"more":1}`, id, domain)
	}
	for _, v := range []struct {
		body   string
		status int
	}{
		{`{"requester_id":`, 400}, {`{"requester_id":"bot","requester_id":"bot"}`, 400}, {body("bot", "10.0.0.1"), 400}, {body("", m.domain()), 400},
	} {
		if w := send(m, posted("POST", path, v.body)); w.Code != v.status {
			t.Errorf("%s: %d %s", v.body, w.Code, w.Body)
		}
	}
	m.clock.Advance(time.Hour)
	for i, want := range []int{201, 200} {
		w := send(m, posted("POST", path, body("bot", m.domain())))
		if w.Code != want || !strings.Contains(w.Body.String(), `"account":"`+m.domain()+`/bot","sign_up":"self","state":"active"`) {
			t.Errorf("time %d: %d %s", i+1, w.Code, w.Body)
		}
	}
	if w := send(m, posted("POST", path, body("other", m.domain()))); w.Code != 401 {
		t.Errorf("an id that the domain does not vouch for: %d %s", w.Code, w.Body)
	}
	if w := send(m, posted("POST", path, body("bot", m.domain()))); w.Code != 200 {
		t.Errorf("the fourth: %d %s", w.Code, w.Body)
	}
	if w := send(m, posted("POST", path, body("bot", m.domain()))); w.Code != 429 ||
		w.Header().Get("Retry-After") == "" {
		t.Errorf("the fifth within the hour: %d %s", w.Code, w.Body)
	}
	if w := send(m, posted("POST", discover, m.query(m.inBody(m.key)))); refused(w) != "" {
		t.Errorf("after: %d %s", w.Code, w.Body)
	}
	if w := send(m, posted("GET", path, "")); w.Code != 405 {
		t.Errorf("GET: %d", w.Code)
	}
	facts := keyFacts(t, m.App, "requester:"+m.domain()+"/bot")
	if want := `{"key":"requester","sign_up":"self","state":"active"}`; len(facts) != 1 || facts[0] != want {
		t.Errorf("the ledger tells %q", facts)
	}
}

// keyFacts are the bodies of the ledger's entries on keys of a party, the oldest first.
func keyFacts(t *testing.T, s *App, party string) (facts []string) {
	t.Helper()
	for r, err := range s.Ledger.Read(t.Context(), ledger.Filter{Kind: "key", Party: party}) {
		if err != nil {
			t.Fatal(err)
		}
		facts = append(facts, string(r.Entry.Body))
	}
	return facts
}

// TestOperatorsDoor holds what operators' programs do to requesters, that nobody else does it, and
// that it is audited.
func TestOperatorsDoor(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "ramp: {enabled: true}")
	operator, id := makeKey(t, m.App, identity.Key{Name: "ops", Scopes: []string{"admin"}})
	every, _ := makeKey(t, m.App, identity.Key{Name: "all doors"})
	asker, _ := makeKey(t, m.App, identity.Key{Name: "asker", Scopes: []string{"ask"}})
	token, _ := makeKey(t, m.App, identity.Key{Name: "person", Scopes: identity.ConsoleScopes(identity.Operator)})
	for name, v := range map[string]struct {
		key    string
		status int
	}{"nobody": {"", 401}, "every door": {every, 403}, "another door": {asker, 403},
		"the console's token": {token, 403}, "a wrong key": {operator + "x", 401}, "the operator": {operator, 200}} {
		for _, path := range []string{"/admin/requesters", "/admin/requesters/"} {
			if w := send(m, posted("GET", path, "", identity.KeyHeader, v.key)); w.Code != v.status ||
				w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("%s at %s: %d %s", name, path, w.Code, w.Body)
			}
		}
	}
	if w := send(m, posted("POST", "/ask", `{"query":{"text":"soup"}}`, identity.KeyHeader, operator)); w.Code != 403 {
		t.Errorf("the operator's key opens another door: %d", w.Code)
	}
	spki := "MCowBQYDK2VwAyEAA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg="
	do := func(method, path, body string) (int, string) {
		w := send(m, posted(method, "/admin/requesters"+path, body, identity.KeyHeader, operator))
		return w.Code, w.Body.String()
	}
	for _, step := range []struct {
		method, path, body string
		status             int
		words              string
	}{
		{"POST", "", `{"requester_id":"bot","domain":"buyer.example.com","public_key":"` + spki + `","granted_scopes":["news:*"],"user_category":"education","country":"fr","rate":"5/1s"}`,
			201, `"public_key":"A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg="}],"granted_scopes":["news:*"],"user_category":"education","country":"FR","rate":"5/1s"`},
		{"POST", "", `{"requester_id":"bot","domain":"buyer.example.com"}`, 422, "already"},
		{"POST", "", `{"requester_id":"b2","domain":"buyer.example.com","public_key":"AAAA"}`, 422, "key 1"},
		{"POST", "", `{"requester_id":"b2","domain":"buyer.example.com","rate":"often"}`, 422, "rate"},
		{"POST", "", `{"requester_id":"b2","domain":"buyer.example.com","rates":"5/1s"}`, 400, "rates"},
		{"POST", "", `{"requester_id":"b2","domain":"buyer.example.com","state":"suspended"}`, 422, "active"},
		{"POST", "", `{"requester_id":"b2","domain":"buyer.example.com","public_key":"` + spki + `","keys":[]}`, 422, "both"},
		{"POST", "", `{"requester_id":"b/2","domain":"buyer.example.com","keys":[{"id":"k","public_key":"` + spki + `","valid_from":"2027-01-01T00:00:00Z","valid_until":"2028-01-01T00:00:00Z"}]}`,
			201, `"id":"k","public_key":"A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=","valid_from":"2027-01-01T00:00:00Z","valid_until":"2028-01-01T00:00:00Z"`},
		{"POST", "", `{"requester_id":"b3","domain":"buyer.example.com","keys":[{"public_key":"` + spki + `","valid_from":"tomorrow"}]}`, 422, "tomorrow"},
		{"GET", "/buyer.example.com/b/2", "", 200, `"requester_id":"b/2"`},
		{"GET", "?domain=buyer.example.com", "", 200, `"account":"buyer.example.com/b/2"`},
		{"GET", "?domain=other.example.com", "", 200, `{"requesters":[]}`},
		{"GET", "/buyer.example.com", "", 404, "DOMAIN/ID"},
		{"GET", "/buyer.example.com/none", "", 404, "requester list"},
		{"PATCH", "/buyer.example.com/bot", `{"rate":""}`, 200, `"country":"FR","created"`},
		{"PATCH", "/buyer.example.com/bot", `{"domain":"x.example"}`, 422, "cannot be changed"},
		{"PATCH", "/buyer.example.com/bot", `{"state":"removed"}`, 422, "DELETE"},
		{"PATCH", "/buyer.example.com/bot", `{"state":"suspended","granted_scopes":[]}`, 200, `"state":"suspended"`},
		{"PATCH", "/buyer.example.com/none", `{}`, 404, ""},
		{"PUT", "/buyer.example.com/bot", `{}`, 405, "PATCH"},
		{"DELETE", "", "", 405, "POST"},
		{"DELETE", "/buyer.example.com/bot", "", 200, `"state":"removed"`},
		{"DELETE", "/buyer.example.com/bot", "", 404, ""},
	} {
		if status, body := do(step.method, step.path, step.body); status != step.status ||
			!strings.Contains(body, step.words) {
			t.Errorf("%s %s %s: %d %s", step.method, step.path, step.body, status, body)
		}
	}
	if w := send(m, posted("POST", "/admin/requesters", `{"requester_id":"`+strings.Repeat("x", 70_000)+`"}`,
		identity.KeyHeader, operator)); w.Code != 413 {
		t.Errorf("a large body: %d %s", w.Code, w.Body)
	}
	facts := keyFacts(t, m.App, "requester:buyer.example.com/bot")
	var states []string
	for _, fact := range facts {
		var of struct {
			Key, State, By string
			SignUp         string `json:"sign_up"`
			Keys           []string
		}
		if err := json.Unmarshal([]byte(fact), &of); err != nil || of.Key != "requester" || of.By != "key:"+id ||
			of.SignUp != "operator" || len(of.Keys) != 1 || len(of.Keys[0]) != 43 {
			t.Errorf("%s: %v", fact, err)
		}
		states = append(states, of.State)
	}
	if strings.Join(states, " ") != "active active suspended removed" {
		t.Errorf("the ledger tells %q", states)
	}
	if text := m.log.String(); strings.Contains(text, operator) {
		t.Error("the log has the operator's key")
	}
}

// TestThereIsNoOperatorsDoorWithoutTheExchange holds that nothing of RAMP is there where it is not
// asked for.
func TestThereIsNoOperatorsDoorWithoutTheExchange(t *testing.T) {
	t.Parallel()
	for _, off := range []string{"", "ramp: {requesters: {sign_up: true}}"} {
		m := openMarket(t, off)
		for _, path := range []string{
			"/admin/requesters", "/exchange/v1/requesters/register", requesters.AgentPath, discover,
		} {
			if w := send(m, posted("POST", path, "{}")); w.Code != 404 {
				t.Errorf("%q: %s: %d", off, path, w.Code)
			}
		}
	}
	m := openMarket(t, "ramp: {enabled: true, requesters: {sign_up: false}}")
	if w := send(m, posted("POST", "/exchange/v1/requesters/register", "{}")); w.Code != 404 {
		t.Errorf("sign-up is off, and answers %d", w.Code)
	}
}

// TestTheAgentsDocumentIsServed holds that the owner's agent publishes its keys, those that are
// followed by others among them until they end.
func TestTheAgentsDocumentIsServed(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "ramp: {agent: {enabled: true, contact: bot@example.com}}")
	read := func() (string, []ramp.Key) {
		w := send(m, httptest.NewRequest("GET", requesters.AgentPath, nil))
		name, keys, err := ramp.ReadKeys(w.Body.Bytes())
		if err != nil || w.Code != 200 || w.Header().Get("Access-Control-Allow-Origin") != "*" ||
			!strings.Contains(w.Header().Get("Content-Type"), "application/json") {
			t.Fatalf("%d %s: %v", w.Code, w.Body, err)
		}
		return name, keys
	}
	name, first := read()
	if name != "exchange.example.com" || len(first) != 1 || first[0].ID != m.AgentKeys.Keys()[0].ID {
		t.Errorf("%s, %+v", name, first)
	}
	if first[0].Public.Equal(m.SiteKeys.Keys()[0].Public) {
		t.Error("the agent signs with the site's key")
	}
	if _, err := m.AgentKeys.Rotate(time.Hour); err != nil {
		t.Fatal(err)
	}
	_, both := read()
	if len(both) != 2 || !both[0].Active || both[1].ID != first[0].ID || both[1].Active ||
		!both[1].Until.Equal(m.clock.Now().Add(time.Hour)) {
		t.Errorf("%+v", both)
	}
	m.clock.Advance(time.Hour)
	if _, left := read(); len(left) != 1 || left[0].ID != both[0].ID {
		t.Errorf("%+v", left)
	}
}

func TestRequesterConfigurationIsChecked(t *testing.T) {
	t.Parallel()
	for text, path := range map[string]string{
		"ramp: {requester_rate: often}":             "ramp.requester_rate",
		"ramp: {requesters: {sign_up_rate: often}}": "ramp.requesters.sign_up_rate",
		"ramp: {agent: {contact: nobody}}":          "ramp.agent.contact",
		"ramp: {agent: {enabled: true}}":            "ramp.agent.id",
		`ramp: {agent: {id: " bot"}}`:               "ramp.agent.id",
	} {
		_, err := Load(Layers{File: write(t, t.TempDir(), "frontdesk.yaml", text)})
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := Load(
		Layers{File: write(t, t.TempDir(), "frontdesk.yaml", "ramp: {agent: {enabled: true, id: bot}}")}); err != nil {
		t.Error(err)
	}
}
