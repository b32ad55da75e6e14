package app

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"frontdesk/internal/content"
	"frontdesk/internal/identity"
	"frontdesk/internal/testkit/storetest"
	rampv1 "frontdesk/wire/ramp/v1"
)

// TestALostDatabaseIsUnavailableAtEachDoor cuts the way to the database while all doors are open.
// Each says in its own words that it is not now, and when to come back; the probe and the figures
// say so, too; and once there is a way again, each answers as before.
func TestALostDatabaseIsUnavailableAtEachDoor(t *testing.T) {
	t.Parallel()
	storetest.NeedPostgres(t)
	line := storetest.NewLine(t)
	m := openMarketAt(t, marketURL, "roles: [broker]\nramp: {enabled: true}\n"+soldSoup+`
limits: {rate: {address: 100000/1m}}
site: {name: House, url: "https://example.com"}
intent:
  enabled: true
  domains: [food]
  publisher: {id: house, domain: example.com, name: House}
  compliance: {last_updated: "2026-11-01"}
intakes:
  vault: 'sqlite:`+filepath.Join(t.TempDir(), "vault.db")+`'
  list: [{id: a, `+anything+`}]
broker: {exchanges: [{domain: shop.example, url: "`+marketURL+`"}]}
`, func(o *Options) { o.Loaded.Config.Store = line.DSN })
	m.credit(10_000_000)
	platform := &platform{App: m.App, clock: m.clock}
	key := identity.PlatformKey{ID: "both", Platform: "chat", Roles: identity.Roles}
	if _, _, err := m.Platforms.Issue(t.Context(), key, []byte(platformSecret)); err != nil {
		t.Fatal(err)
	}
	operator, _ := makeKey(t, m.App, identity.Key{Name: "ops", Scopes: []string{"admin"}})
	token, _ := tokenFor(t, m.App, identity.Viewer)
	owner := newPerson(t, m.App)
	owner.get("/console/login")
	owner.post("/console/login", "token", token)
	plain := &rampv1.Requester{Id: "bot", Domain: m.domain(), Uris: []string{"https://example.com/soup"}}
	n := 0
	items := []content.Item{{
		URL: "https://example.com/soup", Types: []string{"Recipe"}, Name: "Lentil soup",
		Description: "A soup of lentils.",
		Object:      []byte(`{"@type":"Recipe","name":"Lentil soup","url":"https://example.com/soup"}`),
	}}
	var words, keys []string // each is used once: what was read before is answered from memory
	for i := range 20 {
		word := strings.Repeat(string(rune('a'+i)), 3) + "ish"
		words = append(words, word)
		items = append(items, content.Item{
			URL: "https://example.com/" + word, Types: []string{"Recipe"}, Name: word + " bread", Description: "Bread.",
			Object: []byte(`{"@type":"Recipe","name":"` + word + ` bread","url":"https://example.com/` + word + `"}`),
		})
		if i < 4 {
			key, _ := makeKey(t, m.App, identity.Key{Name: "Partner", Scopes: []string{"ask"}})
			keys = append(keys, key)
		}
	}
	fill(t, m.App, items...)
	offer := m.offered(m.inBody(m.key))
	next := func(list *[]string) string {
		one := (*list)[0]
		*list = (*list)[1:]
		return one
	}
	buy := func() *http.Request {
		n++
		return m.signedAs(marketURL+execute, execute, m.taking(fmt.Sprint("buy-", n), plain, offer))
	}
	binary, err := proto.Marshal(&rampv1.ResourceQuery{Ver: "1.0", Id: "q-1", Requester: m.inBody(m.key)})
	if err != nil {
		t.Fatal(err)
	}
	grpc := func() *http.Request {
		r := posted("POST", discover, string(framed(binary)), "Content-Type", "application/grpc+proto", "TE",
			"trailers")
		r.ProtoMajor, r.ProtoMinor, r.Proto = 2, 0, "HTTP/2.0"
		return r
	}
	doors := map[string]struct {
		request func() *http.Request
		says    string // in its own words; with the status 503 and Retry-After but where told otherwise
		status  int
	}{
		"NLWeb": {func() *http.Request { return asking(next(&words)) }, `"code":"UNAVAILABLE"`, 503},
		"NLWeb, stream": {func() *http.Request {
			return posted("POST", "/ask", `{"query":{"text":"`+next(&words)+`"},"prefer":{"streaming":true}}`)
		}, `"UNAVAILABLE"`, 503},
		"MCP": {
			func() *http.Request { return toolCalled("ask", `{"query":{"text":"`+next(&words)+`"}}`) },
			`"code":"UNAVAILABLE"`, 200,
		},
		"MCP, purchase": {func() *http.Request {
			n++
			r := toolCalled("ramp_execute", m.taking(fmt.Sprint("tool-", n), plain, offer))
			body := new(strings.Builder)
			_ = r.Write(body)
			_, text, _ := strings.Cut(body.String(), "\r\n\r\n")
			r = toolCalled("ramp_execute", m.taking(fmt.Sprint("tool-", n), plain, offer))
			return m.signed(marketURL+"/mcp", r, text)
		}, `unavailable`, 200},
		"Agentic Intent": {
			func() *http.Request { return platform.ask("both", platform.question()) },
			`"code":"unavailable"`, 503,
		},
		"Agent Intake": {
			func() *http.Request { return posting("/intake/a", "192.0.2.1:1", submitting()) },
			`SERVICE_UNAVAILABLE`, 503,
		},
		"RAMP, query": {
			func() *http.Request { return posted("POST", discover, m.query(m.inBody(m.key))) },
			`"code":"unavailable"`, 503,
		},
		"RAMP, purchase": {buy, `"code":"unavailable"`, 503},
		"RAMP over gRPC": {grpc, "", 200},
		"RAMP, Broker": {func() *http.Request {
			n++
			body := strings.Replace(m.query(m.inBody(m.key)), `"q-1"`, fmt.Sprintf(`"broker-%d"`, n), 1)
			return m.signedAs(marketURL+"/broker/v1/resolve", "/broker/v1/resolve", body)
		}, `looked up or kept`, 503},
		"operators": {
			func() *http.Request { return posted("GET", "/admin/accounts", "", identity.KeyHeader, operator) },
			`"code":"unavailable"`, 503,
		},
		"the console": {
			func() *http.Request { return httptest.NewRequest("GET", "/console/denials", nil) },
			`at the moment`, 503,
		},
		"the probe": {
			func() *http.Request { return httptest.NewRequest("GET", "/readyz", nil) },
			`UNAVAILABLE`, 503,
		},
		"keys at the front": {
			func() *http.Request { return with(asking(next(&words)), identity.KeyHeader, next(&keys)) },
			`UNAVAILABLE`, 503,
		},
	}
	knock := func(door string) *httptest.ResponseRecorder {
		r := doors[door].request()
		if door == "the console" {
			for name, value := range owner.cookies {
				r.AddCookie(&http.Cookie{Name: name, Value: value})
			}
		}
		return send(m.App, r)
	}
	gauge := func() string {
		w := httptest.NewRecorder()
		m.metrics.Handler(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
		_, after, _ := strings.Cut(w.Body.String(), `frontdesk_database_failing{database="main"} `)
		return after[:min(1, len(after))]
	}
	well := func(when string) {
		t.Helper()
		for door := range doors {
			if door == "RAMP, Broker" { // which has no Exchange that answers
				continue
			}
			if w := knock(door); w.Code >= 400 || strings.Contains(strings.ToLower(w.Body.String()), "unavailable") {
				t.Errorf("%s, %s: %d %s", when, door, w.Code, w.Body)
			}
		}
		if got := gauge(); got != "0" {
			t.Errorf("%s, the figure is %q", when, got)
		}
	}
	well("before")
	line.Cut()
	for range 2 {
		for door, want := range doors {
			w := knock(door)
			body := w.Body.String()
			retry := w.Header().Get("Retry-After")
			grpc := w.Header().Get("Grpc-Status") + w.Header().Get(http.TrailerPrefix+"Grpc-Status")
			later := want.status != 503 || retry != ""
			if door == "RAMP over gRPC" {
				later = grpc == "14"
			}
			if w.Code != want.status || !strings.Contains(body, want.says) || !later {
				t.Errorf("%s: %d, Retry-After %q, Grpc-Status %q: %s", door, w.Code, retry, grpc, body)
			}
			if strings.Contains(body, "127.0.0.1:") && strings.Contains(body, "tcp") ||
				strings.Contains(body, "SQLSTATE") {
				t.Errorf("%s tells strangers of the database: %s", door, body)
			}
		}
	}
	if got := gauge(); got != "1" {
		t.Errorf("the figure is %q", got)
	}
	line.Mend()
	for m.db.Failing() != nil {
		if t.Context().Err() != nil {
			t.Fatal(m.db.Failing())
		}
		<-time.After(10 * time.Millisecond)
	}
	well("after")
}
