package http

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"frontdesk/internal/identity/agents"
	"frontdesk/internal/identity/visitors"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/testkit/storetest"
)

// TestWhatARequestCountsAs holds what events and statuses say.
func TestWhatARequestCountsAs(t *testing.T) {
	t.Parallel()
	type noted = map[string]any
	asks := func(string, *httpx.Event) bool { return true }
	for name, c := range map[string]struct {
		method string
		at     Route
		status int
		event  noted
		want   visitors.What
		counts bool
	}{
		"a document":        {"GET", Route{Channel: "documents"}, 200, nil, visitors.Read, true},
		"one that is there": {"GET", Route{Channel: "feeds"}, 304, nil, visitors.Read, true},
		"none":              {"GET", Route{Channel: "feeds"}, 404, nil, 0, false},
		"a question":        {"POST", Route{Channel: "ask", Asks: asks}, 200, nil, visitors.Asked, true},
		"a wrong one":       {"POST", Route{Channel: "ask", Asks: asks}, 400, nil, 0, false},
		"too many":          {"POST", Route{Channel: "ask", Asks: asks}, 429, nil, visitors.Denied, true},
		"too many over MCP": {
			"POST", Route{Channel: "mcp", Asks: asks}, 200, noted{"code": "RATE_LIMITED"}, visitors.Denied, true,
		},
		"refused over gRPC": {
			"POST", Route{Channel: "ramp"}, 200, noted{"failure": "permission_denied"}, visitors.Denied, true,
		},
		"mistaken over gRPC": {"POST", Route{Channel: "ramp"}, 200, noted{"failure": "invalid_argument"}, 0, false},
		"offers":             {"POST", Route{Channel: "ramp"}, 200, noted{"offers": 1}, visitors.Asked, true},
		"a purchase": {
			"POST", Route{Channel: "ramp"}, 200, noted{"granted": 1, "again": false}, visitors.Paid, true,
		},
		"the same again": {
			"POST", Route{Channel: "ramp"}, 200, noted{"granted": 1, "again": true}, visitors.Asked, true,
		},
		"a denied purchase": {
			"POST", Route{Channel: "ramp"}, 200, noted{"granted": 0, "denial": "x"}, visitors.Denied, true,
		},
		"passages refused": {
			"POST", Route{Channel: "intent"}, 200, noted{"refused": "out_of_scope"}, visitors.Denied, true,
		},
		"a talk over MCP":     {"POST", Route{Channel: "mcp"}, 200, noted{"rpc": "ping"}, visitors.Read, false},
		"what MCP has":        {"POST", Route{Channel: "mcp"}, 200, noted{"rpc": "tools/list"}, visitors.Read, true},
		"a page for a buyer":  {"GET", Route{Channel: "edge"}, 402, nil, visitors.Denied, true},
		"a page that is open": {"GET", Route{Channel: "edge"}, 200, noted{"edge": "passed"}, visitors.Read, true},
	} {
		_, happened := httpx.BeginEvent(t.Context())
		for name, value := range c.event {
			happened.Set(name, value)
		}
		what, counts := resultOf(happened).what(httptest.NewRequest(c.method, "/", nil), &c.at, c.status, happened)
		if what != c.want || counts != c.counts {
			t.Errorf("%s: %d, %v, want %d, %v", name, what, counts, c.want, c.counts)
		}
	}
}

func BenchmarkVisitIsCounted(b *testing.B) {
	directory := visitors.NewDirectory(agents.BuiltIn)
	v := &Visitors{Directory: directory, Counter: visitors.NewCounter(
		visitors.Options{DB: storetest.OpenSQLite(b, visitors.Schema), Keep: time.Hour}, directory)}
	answer := &Recorder{route: &Route{Channel: "ask"}, agent: agents.Agent{Name: "GPTBot", Known: agents.ByWord}}
	r := httptest.NewRequest(http.MethodGet, "/ask", nil)
	_, happened := httpx.BeginEvent(b.Context())
	for _, name := range []string{
		"agent", "agent_operator", "agent_known", "response", "format", "results", "language",
	} {
		happened.Set(name, "something")
	}
	b.ReportAllocs()
	for b.Loop() {
		v.count(r, answer, http.StatusOK, happened)
	}
}
