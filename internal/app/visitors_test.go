package app

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/identity/visitors"
	wire "frontdesk/wire/intake"
	intentwire "frontdesk/wire/intent"
)

const shopBot = `
agents: {known: [{operator: Shop, origin: https://shop.example, kind: data, user_agent: ShopBot, addresses: [198.51.100.0/24]}]}
`

// came is who came, a line for each way over which it did.
func came(t *testing.T, s *App) (lines []string) {
	t.Helper()
	if err := s.Counter.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	until := s.now().Add(time.Hour)
	all, err := s.Visitors.List(t.Context(), visitors.Filter{Since: until.Add(-72 * time.Hour), Until: until})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range all {
		d, err := s.Visitors.Get(t.Context(), v.ID, until.Add(-72*time.Hour), until)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range d.Parts {
			lines = append(lines, fmt.Sprint(v.ID, " ", p.Known, " ", p.Channel, " ", p.Counts))
		}
	}
	slices.Sort(lines)
	return lines
}

func mcpCall(method, params string) *http.Request {
	return posted("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`,
		"Accept", "application/json, text/event-stream")
}

// TestVisitsOverAllChannelsAreCounted sends one request of each kind, and some that are no visits.
func TestVisitsOverAllChannelsAreCounted(t *testing.T) {
	t.Parallel()
	s, _ := open(t, `url: http://example.com
auth: {keys: [{name: a, hash: '`+identity.Hash("secret")+`'}]}
terms: [{match: {}, access: open}]
`+shopBot)
	get := func(path string) *http.Request { return httptest.NewRequest("GET", path, nil) }
	by := func(r *http.Request) *http.Request { return with(r, "User-Agent", "shopbot/1") }
	const ask = `{"name":"ask","arguments":{"query":{"text":"lentil"}}}`
	for _, r := range []*http.Request{
		by(asking("lentil")), by(get("/feeds/local/1-of-1.jsonl")), by(get("/llms.txt")), by(get("/robots.txt")),
		by(mcpCall("tools/call", ask)), by(mcpCall("tools/list", `{}`)), by(mcpCall("ping", `{}`)),
		calling("198.51.100.7:1", by(get("/ask"))),
		with(asking("lentil"), "X-API-Key", "secret"), with(asking("lentil"), "X-API-Key", "wrong"),
		with(asking("lentil"), "User-Agent", browser), asking("lentil"),
		by(get("/nowhere")), by(get("/healthz")), by(get("/console/")), by(get("/feeds/local/none.jsonl")),
		by(httptest.NewRequest("OPTIONS", "/ask", nil)),
	} {
		send(s, r)
	}
	got := came(t, s)
	want := []string{
		"ShopBot address ask {0 1 0 0}", "ShopBot word ask {1 0 0 0}", "ShopBot word feeds {0 1 0 0}",
		"ShopBot word llms.txt {0 1 0 0}", "ShopBot word mcp {1 1 0 0}", "ShopBot word robots.txt {0 1 0 0}",
		"key:a key ask {1 0 0 0}", "others  ask {1 0 0 1}", "people  ask {1 0 0 0}",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestPurchasesAreCounted has a tenant be set up, of whose content something is asked for and
// bought.
func TestPurchasesAreCounted(t *testing.T) {
	t.Parallel()
	s := openSupplied(t)
	s.settle("acme")
	if got := came(t, s.App); !slices.Equal(got, []string{"others  ramp {1 0 1 0}"}) {
		t.Errorf("%q", got)
	}
}

// TestEveryAddressHasAChannel has the table of channels be complete.
func TestEveryAddressHasAChannel(t *testing.T) {
	t.Parallel()
	patterns := []string{wire.WellKnown, intakePath, intakeBind, intentwire.WellKnown, intentRetrieve, intentEvents}
	for pattern := range openSupplied(t).front.Known {
		patterns = append(patterns, pattern)
	}
	for _, pattern := range patterns {
		if _, ok := channelOf(pattern); !ok && pattern != "/" {
			t.Errorf("no row of channels fits %s: say there over what its visitors come", pattern)
		}
	}
}

// TestAFloodOfMadeUpAgentsIsOneRow sends user agents that nobody knows.
func TestAFloodOfMadeUpAgentsIsOneRow(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "url: http://example.com")
	for n := range 500 {
		send(s, with(httptest.NewRequest("GET", "/llms.txt", nil), "User-Agent", fmt.Sprintf("Bot%d/1", n)))
	}
	if got := came(t, s); !slices.Equal(got, []string{"others  llms.txt {0 500 0 0}"}) {
		t.Errorf("%q", got)
	}
}

// treat has agents be treated.
func treat(t *testing.T, s *App, agent string, action visitors.Action, rate int) {
	t.Helper()
	if _, err := s.Treatments.Set(t.Context(),
		visitors.Treatment{Agent: agent, Action: action, Rate: rate}); err != nil {
		t.Fatal(err)
	}
}

// asShopBot has a request say that it comes from ShopBot.
func asShopBot(r *http.Request) *http.Request { return with(r, "User-Agent", "shopbot/1") }

// TestABlockedAgentIsRefusedInTheWordsOfEachChannel asks for something over each channel, once
// blocked and once not, and for what stays open to everybody.
func TestABlockedAgentIsRefusedInTheWordsOfEachChannel(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "ramp: {enabled: true, signatures: none}\n"+
		"edge: {sites: [{domain: www.site.example, unknown: open}]}\n"+shopBot+soldSoup)
	taking := openIntakes(t, shopBot, &fixedClock{}, `id: it, `+anything)
	chat := openPlatform(t, shopBot)
	admin, _ := makeKey(t, m.App, identity.Key{Name: "ops", Scopes: []string{"admin"}})
	get := func(path string) *http.Request { return httptest.NewRequest("GET", path, nil) }
	gated := func(path string) *http.Request {
		r := get(path)
		r.Host = "www.site.example"
		return r
	}
	mcpThere := func() *http.Request {
		r := mcpCall("tools/list", `{}`)
		r.Host = hostOf(marketURL)
		return r
	}
	const query = `{"ver":"1.0","id":"q","requester":{"id":"bot","domain":"b.example","uris":["https://example.com/soup"]}}`
	for name, c := range map[string]struct {
		s       *App
		request func() *http.Request
		words   string // of a refusal; empty where there is none
	}{
		"ask":   {m.App, func() *http.Request { return asking("lentil") }, `"error":{"code":"FORBIDDEN"`},
		"feeds": {m.App, func() *http.Request { return get("/feeds/local/1-of-1.jsonl") }, `"code":"FORBIDDEN"`},
		"llms":  {m.App, func() *http.Request { return get("/llms.txt") }, `"code":"FORBIDDEN"`},
		"mcp":   {m.App, mcpThere, `"error":{"code":-32600,"message":"the owner`},
		"ramp":  {m.App, func() *http.Request { return posted("POST", discover, query) }, `"code":"permission_denied"`},
		"edge": {
			m.App, func() *http.Request { return gated("/soup") }, "the owner of this site does not answer ShopBot",
		},
		"intake":  {taking, func() *http.Request { return posting("/intake/it", "192.0.2.1:1", submitting()) }, `"status":"error"`},
		"intent":  {chat.App, func() *http.Request { return chat.ask("both", chat.question()) }, `"code":"auth_failed"`},
		"robots":  {m.App, func() *http.Request { return get("/robots.txt") }, ""},
		"robots'": {m.App, func() *http.Request { return gated("/robots.txt") }, ""},
		"probes":  {m.App, func() *http.Request { return get("/healthz") }, ""},
		"console": {m.App, func() *http.Request { return get("/console/") }, ""},
		"admin":   {m.App, func() *http.Request { return with(get("/admin/tuning"), identity.KeyHeader, admin) }, ""},
	} {
		treat(t, c.s, "ShopBot", visitors.Allow, 0)
		if w := send(c.s, asShopBot(c.request())); w.Code == http.StatusForbidden {
			t.Errorf("%s, allowed: %d %s", name, w.Code, w.Body)
		}
		treat(t, c.s, "shop.example", visitors.Block, 0)
		if w := send(c.s, asShopBot(c.request())); w.Code == http.StatusForbidden {
			t.Errorf("%s, allowed although its operator is blocked: %d %s", name, w.Code, w.Body)
		}
		treat(t, c.s, "ShopBot", visitors.Block, 0)
		w := send(c.s, asShopBot(c.request()))
		refused := w.Code == http.StatusForbidden
		if refused != (c.words != "") || !strings.Contains(w.Body.String(), c.words) {
			t.Errorf("%s, blocked: %d %s", name, w.Code, w.Body)
		}
		if w := send(c.s, c.request()); w.Code == http.StatusForbidden {
			t.Errorf("%s, of somebody else: %d %s", name, w.Code, w.Body)
		}
	}
	for _, s := range []*App{m.App, taking, chat.App} {
		denied := func(line string) bool {
			return strings.HasPrefix(line, "ShopBot word ") && strings.HasSuffix(line, " 1}")
		}
		if all := came(t, s); !slices.ContainsFunc(all, denied) {
			t.Errorf("no refusal is counted: %q", all)
		}
	}
}

// TestAnAgentThatNeedsAKeyGetsInWithAProof holds each proof, and what is none.
func TestAnAgentThatNeedsAKeyGetsInWithAProof(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "ramp: {enabled: true, signatures: none}\nlimits: {rate: {failures: \"\"}}\n"+
		"edge: {sites: [{domain: www.site.example, unknown: open}]}\n"+
		"auth: {keys: [{name: a, hash: '"+identity.Hash("secret")+"'}]}\n"+shopBot+soldSoup)
	treat(t, m.App, "ShopBot", visitors.RequireKey, 0)
	query := `{"ver":"1.0","id":"q","requester":{"id":"bot","domain":"` + m.domain() + `","uris":["https://example.com/soup"]}}`
	gated := httptest.NewRequest("GET", "/soup", nil)
	gated.Host = "www.site.example"
	for name, c := range map[string]struct {
		request *http.Request
		status  int
	}{
		"its word":    {asShopBot(asking("lentil")), 401},
		"a wrong key": {with(asShopBot(asking("lentil")), "X-API-Key", "wrong"), 401},
		"a wrong key at llms": {
			with(asShopBot(httptest.NewRequest("GET", "/llms.txt", nil)), "X-API-Key", "wrong"), 401,
		},
		"a key": {with(asShopBot(asking("lentil")), "X-API-Key", "secret"), 200},
		"a key at llms": {
			with(asShopBot(httptest.NewRequest("GET", "/llms.txt", nil)), "X-API-Key", "secret"), 200,
		},
		"its address":          {calling("198.51.100.7:1", asShopBot(asking("lentil"))), 200},
		"unsigned in RAMP":     {asShopBot(posted("POST", discover, query)), 401},
		"signed in RAMP":       {asShopBot(m.over(marketURL+discover, query)), 200},
		"a document of RAMP":   {asShopBot(httptest.NewRequest("GET", "/.well-known/ramp-exchange.json", nil)), 401},
		"the edge":             {asShopBot(gated), 401},
		"somebody else":        {asking("lentil"), 200},
		"what robots may read": {asShopBot(httptest.NewRequest("GET", "/robots.txt", nil)), 200},
	} {
		w := send(m, c.request)
		if w.Code != c.status {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
		if name == "its word" && w.Header().Get("WWW-Authenticate") == "" {
			t.Errorf("%s: it is not told how to enter", name)
		}
	}
	treat(t, m.App, visitors.Others, visitors.RequireKey, 0)
	for agent, status := range map[string]int{"curl/8": 401, browser: 200} {
		if w := send(m, with(asking("lentil"), "User-Agent", agent)); w.Code != status {
			t.Errorf("%s: %d", agent, w.Code)
		}
	}
}

// TestAnAgentIsLimitedAsTheOwnerSays, apart from who only claims to be it.
func TestAnAgentIsLimitedAsTheOwnerSays(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "url: http://example.com\n"+shopBot)
	kept := func() string {
		return send(s, httptest.NewRequest("GET", "/llms.txt", nil)).Header().Get("Cache-Control")
	}
	if got := kept(); strings.Contains(got, "private") {
		t.Errorf("where nobody is treated, shared caches are told %q", got)
	}
	treat(t, s, "ShopBot", visitors.Limit, 2)
	if got := kept(); !strings.Contains(got, "private") {
		t.Errorf("what agents are refused may be kept for them: %q", got)
	}
	treat(t, s, visitors.Others, visitors.Limit, 1)
	for i, want := range []int{200, 200, 429} {
		w := send(s, asShopBot(asking("lentil")))
		if w.Code != want || (w.Header().Get("Retry-After") != "") != (want == 429) ||
			(w.Header().Get("RateLimit-Remaining") != "") != (want == 429) {
			t.Errorf("request %d: %d %v", i+1, w.Code, w.Header())
		}
	}
	for from, want := range map[string]int{"198.51.100.7:1": 200, "198.51.100.8:1": 200} { // as verified
		if w := send(s, calling(from, asShopBot(asking("lentil")))); w.Code != want {
			t.Errorf("from %s: %d", from, w.Code)
		}
	}
	for _, from := range []string{"192.0.2.7:1", "192.0.2.8:1"} { // each for itself
		for i, want := range []int{200, 429} {
			if w := send(s, calling(from, asking("lentil"))); w.Code != want {
				t.Errorf("somebody at %s, request %d: %d", from, i+1, w.Code)
			}
		}
	}
}

// TestATreatmentOpensNothing that the terms close.
func TestATreatmentOpensNothing(t *testing.T) {
	t.Parallel()
	s, _ := open(t,
		"url: http://example.com\nterms: [{match: {}, access: open, parties: {prohibit: [ShopBot]}}]\n"+shopBot)
	treat(t, s, "ShopBot", visitors.Allow, 0)
	if w := send(s, asShopBot(asking("lentil"))); strings.Contains(w.Body.String(), "Lentil soup") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := send(s, asking("lentil")); !strings.Contains(w.Body.String(), "Lentil soup") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestProgramsTreatAgents holds what programs may do at /admin/visitors, and what comes of it.
func TestProgramsTreatAgents(t *testing.T) {
	t.Parallel()
	m := openMarket(t, shopBot)
	admin, _ := makeKey(t, m.App, identity.Key{Name: "ops", Scopes: []string{"admin"}})
	reports, _ := makeKey(t, m.App, identity.Key{Name: "books", Scopes: []string{"reports"}})
	for key, status := range map[string]int{"": 401, reports: 403} {
		for _, r := range []*http.Request{
			posted("GET", "/admin/visitors", ""),
			posted("PUT", "/admin/visitors/ShopBot/treatment", `{"treatment":"block"}`),
		} {
			if w := send(m, with(r, identity.KeyHeader, key)); w.Code != status {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		}
	}
	send(m, asShopBot(asking("lentil")))
	if err := m.Counter.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, s := range []struct {
		method, path, body string
		status             int
		words              string
		answered           int // what ShopBot is answered with afterwards
	}{
		{"GET", "", "", 200, `"agent":"ShopBot","name":"ShopBot","operator":"Shop"`, 200},
		{"GET", "?range=7d&q=none", "", 200, `{"visitors":[]}`, 200},
		{"GET", "?range=2d", "", 422, "7d, 30d or 90d", 200},
		{"GET", "/ShopBot", "", 200, `"channels":[{"channel":"ask","known":"word","asked":1`, 200},
		{"GET", "/nobody.example", "", 404, "", 200},
		{"PUT", "/shopbot/treatment", `{"treatment":"block"}`, 200, `{"agent":"ShopBot","treatment":"block"}`, 403},
		{"PUT", "/ShopBot/treatment", `{"treatment":"ban"}`, 422, "require_key", 403},
		{"PUT", "/ShopBot/treatment", `{"treatment":"limit"}`, 422, "requests a minute", 403},
		{"PUT", "/ShopBot/treatment", `{"treatment":"limit","requests_a_minute":9}`, 200, `"requests_a_minute":9`, 200},
		{"PUT", "/ShopBot/treatment", `{"treatment":"require_key"}`, 200, "require_key", 401},
		{"PUT", "/people/treatment", `{"treatment":"block"}`, 422, "browsers", 401},
		{"GET", "/ShopBot", "", 200, `"treatment":"require_key"`, 401},
		{"PUT", "/ShopBot/treatment", `{"treatment":"allow"}`, 200, "allow", 200},
	} {
		w := send(m, posted(s.method, "/admin/visitors"+s.path, s.body, identity.KeyHeader, admin))
		if w.Code != s.status || !strings.Contains(w.Body.String(), s.words) {
			t.Errorf("%s %s %s: %d %s", s.method, s.path, s.body, w.Code, w.Body)
		}
		if w := send(m, asShopBot(asking("lentil"))); w.Code != s.answered {
			t.Errorf("after %s %s %s: %d", s.method, s.path, s.body, w.Code)
		}
	}
}
