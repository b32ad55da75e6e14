package app

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
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

// TestPurchasesAreCounted has a tenant be set up, of whose content something is asked for and bought.
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
