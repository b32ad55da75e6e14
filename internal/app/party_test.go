package app

import (
	"context"
	"crypto/ed25519"
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
	r.Header["Signature-Agent"] = []string{`a="https://` + host + `"`}
	input, signature, err := sign.SignHTTP(
		sign.Request{Method: r.Method, Target: "http://" + r.Host + r.URL.RequestURI(), Header: r.Header},
		sign.SigningParameters{Label: "a", KeyID: botauth.Thumbprint(key.Public().(ed25519.PublicKey)),
			Created: time.Now(),
			Tag:     botauth.Tag, Covered: []string{"@authority", "@method", "@path", `signature-agent;key="a"`}}, key)
	if err != nil {
		t.Fatal(err)
	}
	r.Header["Signature-Input"], r.Header["Signature"] = []string{input}, []string{signature}
	return r
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
			"a stranger":      {make(), false},
			"by its word":     {with(make(), "User-Agent", "shopbot/1"), false},
			"by its address":  {calling("198.51.100.7:1", with(make(), "User-Agent", "shopbot/1")), true},
			"a key":           {with(make(), "X-API-Key", "secret"), true},
			"a signature":     {signedBy(t, make(), "agent.example", key), true},
			"for training":    {signedBy(t, with(make(), "User-Agent", "GPTBot/1.2"), "bots.openai.com", key), false},
			"another's agent": {signedBy(t, with(make(), "User-Agent", "shopbot/1"), "agent.example", key), true},
			"a wrong one":     {with(signedBy(t, make(), "agent.example", key), "Signature-Agent", `a="https://b.example"`), false},
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
		`"agent_known":"address"`, `"agent_known":"word"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not say %s", want)
		}
	}
	figures := httptest.NewRecorder()
	s.metrics.Handler(http.NotFoundHandler()).ServeHTTP(figures, httptest.NewRequest("GET", "/metrics", nil))
	if want := `frontdesk_agent_requests_total{known="signed",operator="other",signature="verified"}`; !strings.Contains(figures.Body.String(), want) {
		t.Error("the figures do not count " + want)
	}
	if strings.Contains(figures.Body.String(), "agent.example") {
		t.Error("the figures name what a client sent")
	}
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
