package app

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/identity"
	"frontdesk/internal/identity/agents"
	"frontdesk/internal/infra/fetch"
	"frontdesk/wire/sign"
	"frontdesk/wire/sign/botauth"
)

// signedBy signs a request as an agent whose directory is at a host.
func signedBy(t *testing.T, r *http.Request, host string, key ed25519.PrivateKey) *http.Request {
	t.Helper()
	return signedAt(t, r, "http://"+r.Host+r.URL.RequestURI(), host, key, "@authority", "@method", "@path")
}

// signedAt is signedBy for an address as the agent writes it; the signature covers some parts of
// it.
func signedAt(t *testing.T, r *http.Request, target, host string, key ed25519.PrivateKey,
	parts ...string) *http.Request {
	t.Helper()
	r.Header["Signature-Agent"] = []string{`a="https://` + host + `"`}
	input, signature, err := sign.SignHTTP(
		sign.Request{Method: r.Method, Target: target, Header: r.Header},
		sign.SigningParameters{Label: "a", KeyID: botauth.Thumbprint(key.Public().(ed25519.PublicKey)),
			Created: time.Now(), Tag: botauth.Tag, Covered: append(parts, `signature-agent;key="a"`)}, key)
	if err != nil {
		t.Fatal(err)
	}
	r.Header["Signature-Input"], r.Header["Signature"] = []string{input}, []string{signature}
	return r
}

// signedBody is signedBy with a digest of the body and what is added to that.
func signedBody(t *testing.T, r *http.Request, key ed25519.PrivateKey, more string) *http.Request {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.Header.Set("Content-Digest", sign.ContentDigest(append(body, more...)))
	return signedAt(t, r, "http://"+r.Host+r.URL.RequestURI(), "agent.example", key, "@authority", "content-digest")
}

// directoryOf answers for directories as the web would, for one key.
func directoryOf(key ed25519.PrivateKey) func(context.Context, fetch.Request) (*fetch.Response, error) {
	public := key.Public().(ed25519.PublicKey)
	body, err := botauth.WriteDirectory([]botauth.Key{{ID: botauth.Thumbprint(public), Public: public}})
	return func(context.Context, fetch.Request) (*fetch.Response, error) {
		return &fetch.Response{Status: http.StatusOK, Header: http.Header{"Content-Type": {botauth.MediaType}},
			Body: body}, err
	}
}

// TestTermsDecideByWhoAsks asks for an item that a rule keeps for verified agents and those with a
// key, at each address that lets items out, as everybody.
func TestTermsDecideByWhoAsks(t *testing.T) {
	t.Parallel()
	s, log := open(t, `url: http://example.com
auth: {keys: [{name: a, hash: '`+identity.Hash("secret")+`'}]}
agents: {known: [{operator: Shop, origin: https://shop.example, kind: data, user_agent: ShopBot, addresses: [198.51.100.0/24]}]}
terms:
  - {match: {path: /soup}, access: open, parties: {permit: [verified, known, ShopBot], prohibit: [training]}}
  - {match: {}, access: open}
`)
	key := ed25519.NewKeyFromSeed(slices.Repeat([]byte{5}, ed25519.SeedSize))
	ahead := time.Duration(0) // of the clock, so that no directory waits for another's turn
	verifier := agents.New(agents.Config{Fetch: directoryOf(key), Known: s.config.Agents.List(),
		Now: func() time.Time { return time.Now().Add(ahead) }})
	for _, host := range []string{"agent.example", "bots.openai.com"} {
		r := signedBy(t, asking("x"), host, key)
		got := verifier.Identify(t.Context(),
			agents.Request{Method: "POST", Target: "http://" + r.Host + r.URL.RequestURI(), Header: r.Header})
		if ahead += 20 * time.Second; got.Signature != agents.Verified {
			t.Fatalf("%s: %+v", host, got)
		}
	}
	s.front.Agents.Verifier = verifier
	fill(t, s, content.Item{URL: "https://example.com/soup", Types: []string{"Recipe"}, Name: "Lentil soup",
		Object: []byte(`{"@type":"Recipe","name":"Lentil soup","url":"https://example.com/soup"}`)},
		content.Item{URL: "https://example.com/stew", Types: []string{"Recipe"}, Name: "Lentil stew",
			Object: []byte(`{"@type":"Recipe","name":"Lentil stew","url":"https://example.com/stew"}`)})
	if err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for door, make := range map[string]func() *http.Request{
		"ask":  func() *http.Request { return asking("lentil") },
		"feed": func() *http.Request { return httptest.NewRequest("GET", "/feeds/local/1-of-1.jsonl", nil) },
		"mcp": func() *http.Request {
			return posted("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"query":{"text":"lentil"}}}}`,
				"Accept", "application/json, text/event-stream")
		},
	} {
		for name, row := range map[string]struct {
			request *http.Request
			soup    bool
		}{
			"a stranger":     {make(), false},
			"by its word":    {with(make(), "User-Agent", "shopbot/1"), false},
			"by its address": {calling("198.51.100.7:1", with(make(), "User-Agent", "shopbot/1")), true},
			"a key":          {with(make(), "X-API-Key", "secret"), true},
			"a signature":    {signedBy(t, make(), "agent.example", key), true},
			"for training": {
				signedBy(t, with(make(), "User-Agent", "GPTBot/1.2"), "bots.openai.com", key), false,
			},
			"a digest":                 {signedBody(t, make(), key, ""), true},
			"a digest of another body": {signedBody(t, make(), key, "x"), false},
			"another's agent": {
				signedBy(t, with(make(), "User-Agent", "shopbot/1"), "agent.example", key), true,
			},
			"a wrong one": {with(signedBy(t, make(), "agent.example", key), "Signature-Agent", `a="https://b.example"`), false},
		} {
			w := send(s, row.request)
			body := w.Body.String()
			if w.Code != 200 || strings.Contains(body, "Lentil soup") != row.soup ||
				!strings.Contains(body, "Lentil stew") {
				t.Errorf("%s, %s: %d %s", door, name, w.Code, body)
			}
			kept := w.Header().Get("Cache-Control")
			if h := w.Header(); !strings.Contains(kept, "private") && !strings.Contains(kept, "no-store") ||
				!strings.Contains(h.Get("Vary"), "Signature-Agent") {
				t.Errorf("%s, %s: may be kept for others: %v", door, name, h)
			}
		}
	}
	for _, want := range []string{`"agent_known":"signed"`, `"agent_operator":"https://agent.example"`, `"agent_signature":"invalid"`,
		`"agent_known":"address"`, `"agent_known":"word"`, `"agent_known":"key"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not say %s", want)
		}
	}
	figures := httptest.NewRecorder()
	s.metrics.Handler(http.NotFoundHandler()).ServeHTTP(figures, httptest.NewRequest("GET", "/metrics", nil))
	for _, want := range []string{`known="signed",operator="other",signature="verified"`, `known="key",operator="other",signature=""`} {
		if !strings.Contains(figures.Body.String(), "frontdesk_agent_requests_total{"+want+"}") {
			t.Error("the figures do not count " + want)
		}
	}
	if strings.Contains(figures.Body.String(), "agent.example") {
		t.Error("the figures name what a client sent")
	}
}

// TestTheGateDecidesByWhoAsks asks the gate before a site on a socket, and as a server that asks
// it.
func TestTheGateDecidesByWhoAsks(t *testing.T) {
	t.Parallel()
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "public, s-maxage=600")
		w.Header().Set("CDN-Cache-Control", "max-age=600")
	}))
	t.Cleanup(origin.Close)
	const rules = `
terms:
  - {match: {path: /archive/**}, access: open, parties: {permit: [verified], prohibit: [training]}}
  - {match: {path: /news/**}, access: open, parties: {prohibit: [training, Googlebot]}}
  - {match: {type: Recipe}, access: licensed, parties: {permit: [verified]}}
  - {match: {type: Person}, access: blocked}
  - {match: {}, access: open}
`
	key := ed25519.NewKeyFromSeed(slices.Repeat([]byte{5}, ed25519.SeedSize))
	other := ed25519.NewKeyFromSeed(slices.Repeat([]byte{6}, ed25519.SeedSize))
	gate := func(rules string) *App {
		s, _ := open(t, `url: http://desk.example
site: {name: Shop, url: "https://www.shop.example"}
ramp: {enabled: true}
edge: {sites: [{domain: www.shop.example, url: "https://www.shop.example", origin: "`+origin.URL+`"}]}
`+rules)
		fill(t, s, content.Item{URL: "https://www.shop.example/soup", Types: []string{"Recipe"}, Name: "Lentil soup",
			Object: []byte(`{"@type":"Recipe","name":"Lentil soup","url":"https://www.shop.example/soup"}`)},
			content.Item{URL: "https://www.shop.example/anna", Types: []string{"Person"}, Name: "Anna",
				Object: []byte(`{"@type":"Person","name":"Anna","url":"https://www.shop.example/anna"}`)})
		ahead := time.Duration(0) // of the clock, so that no directory waits for another's turn
		verifier := agents.New(
			agents.Config{Fetch: directoryOf(key), Now: func() time.Time { return time.Now().Add(ahead) }})
		for _, host := range []string{"agent.example", "bots.openai.com"} {
			r := signedBy(t, asking("x"), host, key)
			verifier.Identify(t.Context(),
				agents.Request{Method: "POST", Target: "http://" + r.Host + r.URL.RequestURI(), Header: r.Header})
			ahead += 20 * time.Second
		}
		s.front.Agents.Verifier = verifier
		s.gates.policies[0].look(t.Context())
		return s
	}
	asks, free := gate(rules), gate("terms: [{match: {}, access: open}]\n")
	to := func(path, userAgent string) *http.Request { // behind a proxy that ends TLS, and is in no list of proxies
		r := httptest.NewRequest("GET", path, nil)
		r.Host = "www.shop.example"
		r.Header.Set("User-Agent", userAgent)
		return r
	}
	const person = "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"
	for name, c := range map[string]struct {
		request *http.Request
		want    int
	}{
		"a person":             {to("/archive/a", person), 200},
		"an agent by its word": {to("/archive/a", "Claude-User/1"), 403},
		"a verified agent":     {signedBy(t, to("/archive/a", "shop/1"), "agent.example", key), 200},
		"one that signs the whole address": {signedAt(t, to("/archive/a?x=1", "shop/1"),
			"https://www.shop.example/archive/a?x=1", "agent.example", key, "@target-uri", "@scheme"), 200},
		"one that signs another": {signedAt(t, to("/archive/a", "shop/1"), "http://www.shop.example/archive/a",
			"agent.example", key, "@target-uri"), 403},
		"a wrong signature": {signedBy(t, to("/archive/a", person), "agent.example", other), 403},
		"a signature for another path": {
			moved(signedBy(t, to("/open", "shop/1"), "agent.example", key), "/archive/a"), 403,
		},
		"verified, and for training":        {signedBy(t, to("/archive/a", "GPTBot/1.2"), "bots.openai.com", key), 403},
		"verified, and says training":       {signedBy(t, to("/archive/a", "GPTBot/1.2"), "agent.example", key), 403},
		"prohibited by its word":            {to("/news/a", "GPTBot/1.2"), 403},
		"a search engine that is named":     {to("/news/a", "Googlebot/2.1"), 403},
		"another search engine":             {to("/news/a", "bingbot/2.0"), 200},
		"not prohibited":                    {to("/news/a", "Claude-User/1"), 200},
		"an item that is sold to others":    {to("/soup", "Claude-User/1"), 403},
		"an item that is sold to the one":   {signedBy(t, to("/soup", "shop/1"), "agent.example", key), 403},
		"an item of a type that is blocked": {to("/anna", "Claude-User/1"), 403},
		"such an item, verified":            {signedBy(t, to("/anna", "shop/1"), "agent.example", key), 403},
		"such an item, for a person":        {to("/anna", person), 200},
		"what is open to all":               {to("/other", "GPTBot/1.2"), 200},
	} {
		for where, s := range map[string]*App{"asks": asks, "free": free} {
			want := c.want
			if where == "free" {
				want = 200
			}
			w := send(s, c.request.Clone(t.Context()))
			if w.Code != want {
				t.Errorf("%s, %s: %d %s, want %d", where, name, w.Code, w.Body, want)
			}
			kept, vary := w.Header().Get("Cache-Control"), strings.Join(w.Header()["Vary"], ", ")
			if alone := !strings.Contains(kept, "public") && strings.Contains(vary, "Signature-Agent") &&
				w.Header().Get("CDN-Cache-Control") == ""; alone != (where == "asks") {
				t.Errorf("%s, %s: caches are told %q, %q, %v", where, name, kept, vary, w.Header())
			}
			asked := httptest.NewRequest("GET", "/auth-request", nil)
			asked.Header = c.request.Header.Clone()
			for part, value := range map[string]string{
				"Method": "GET", "Host": "www.shop.example", "Uri": c.request.URL.RequestURI(),
			} {
				asked.Header.Set("X-Original-"+part, value)
			}
			answer := httptest.NewRecorder()
			s.edge.Auth(s.front.Identify).ServeHTTP(answer, asked)
			if passed := answer.Code == 204; passed != (want == 200) {
				t.Errorf("%s, %s: a server that asks is told %d", where, name, answer.Code)
			}
			if answer.Code == 204 && (answer.Header().Get("X-Edge-Cache") != "") != (where == "asks") {
				t.Errorf("%s, %s: a server that asks is told of caches: %v", where, name, answer.Header())
			}
		}
	}
}

// moved has a request ask for another path than was signed.
func moved(r *http.Request, path string) *http.Request {
	r.URL.Path, r.RequestURI = path, path
	return r
}

// TestTermsThatAskForNobodyAreKeptByCaches is the opposite.
func TestTermsThatAskForNobodyAreKeptByCaches(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "terms: [{match: {}, access: open}]")
	w := send(s, httptest.NewRequest("GET", "/feeds/local/1-of-1.jsonl", nil))
	if h := w.Header(); h.Get("Cache-Control") != "public, no-cache" ||
		strings.Contains(h.Get("Vary"), "Signature-Agent") {
		t.Error(h)
	}
}

// TestVerifiedAgentsCountByTheirOperatorAtTheDoor: from whatever address they come.
func TestVerifiedAgentsCountByTheirOperatorAtTheDoor(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "url: http://example.com\nlimits: {rate: {address: 2/1m, operator: 3/1m}}")
	key := ed25519.NewKeyFromSeed(slices.Repeat([]byte{5}, ed25519.SeedSize))
	s.front.Agents.Verifier = agents.New(agents.Config{Fetch: directoryOf(key)})
	if err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{200, 200, 200, 429} {
		from := "198.51.100." + string(rune('1'+i)) + ":1"
		if w := send(s, calling(from, signedBy(t, asking("lentil"), "agent.example", key))); w.Code != want {
			t.Errorf("request %d of the operator: %d %s", i+1, w.Code, w.Body)
		}
		if w := send(s, calling(from, asking("lentil"))); w.Code != 200 {
			t.Errorf("somebody else at address %d: %d %s", i+1, w.Code, w.Body)
		}
	}
}
