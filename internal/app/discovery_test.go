package app

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/app/discovery"
	"frontdesk/internal/infra/yamlconf"
)

// undescribed are the addresses of pages for people, and those at which nothing is, which the
// OpenAPI description leaves out.
var undescribed = []string{"/{$}", "/assets/", "/widget/", "/connect", "/console", "/console/", "/admin/"}

// TestDescriptionHasEveryAddress holds the OpenAPI description against the routes, with the methods
// that each takes.
func TestDescriptionHasEveryAddress(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "")
	var doc struct {
		Paths map[string]map[string]any
	}
	if err := json.Unmarshal(send(s, httptest.NewRequest("GET", "/openapi.json", nil)).Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	for _, r := range s.discovered(s.modules.routes(), s.Terms) {
		methods, there := doc.Paths[described(r.Pattern)]
		if slices.Contains(undescribed, r.Pattern) {
			continue
		}
		if !there {
			t.Errorf("%s is served and not described: give it an operation in "+
				"internal/app/discovery/internal/openapigen", r.Pattern)
			continue
		}
		delete(doc.Paths, described(r.Pattern))
		if r.Methods == nil { // an operation, whose description is derived from it
			continue
		}
		for _, method := range r.Methods {
			if name := strings.ToLower(method); name != "head" && methods[name] == nil {
				t.Errorf("%s %s is served and not described", method, r.Pattern)
			}
		}
		for name := range methods {
			if !slices.Contains(r.Methods, strings.ToUpper(name)) {
				t.Errorf("%s %s is described and not served", name, r.Pattern)
			}
		}
	}
	for path := range doc.Paths {
		t.Errorf("%s is described and not served", path)
	}
}

// TestDescriptionHasEveryProtocol holds the description against the routes of a server at which
// everything is on that one configuration can have on. Addresses that only refuse (a slash too
// many, a name too few) and those of gRPC's own services have no operation.
func TestDescriptionHasEveryProtocol(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "url: https://desk.example\nsite: {id: local, name: Local, url: https://www.example.com}\n"+
		"terms:\n  - match: {}\n    access: open\n    labels: [food]\n"+
		"intent:\n  enabled: true\n  publisher: {id: example}\n  compliance: {last_updated: \"2026-11-22\"}\n"+
		"intakes:\n  list:\n"+
		"    - {id: a, name: A, description: D, offer_type: quote, input_schema: {type: object}}\n"+rampConfig)
	var doc struct {
		Paths map[string]map[string]any
	}
	if err := json.Unmarshal(send(s, httptest.NewRequest("GET", "/openapi.json", nil)).Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	served := map[string]bool{}
	for pattern := range s.front.Known {
		pattern = described(pattern)
		served[pattern] = true
		partial := slices.ContainsFunc(
			[]string{"/broker/v1/resolve", "/ramp.v1.BrokerService/Resolve", "/admin/requesters/{domain}",
				"/admin/accounts/{currency}", "/admin/accounts/{currency}/{domain}"}, func(of string) bool {
				return of == pattern
			})
		slash := strings.HasSuffix(strings.TrimSuffix(pattern, "{$}"), "/")
		if methods := doc.Paths[pattern]; methods == nil && !slash && !partial &&
			!slices.Contains(undescribed, pattern) {
			t.Errorf("%s is served and not described: give it an operation in "+
				"internal/app/discovery/internal/openapigen", pattern)
		}
	}
	if catalog := get(s, "/.well-known/api-catalog").Body.String(); !strings.Contains(catalog, `"https://desk.example/.well-known/aip.json"`) {
		t.Errorf("the catalog of interfaces does not lead to the declaration for platforms: %s", catalog)
	}
	text, err := os.ReadFile("discovery/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Paths map[string]any }
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	elsewhere := []string{"/broker/v1/resolve", "/ramp.v1.BrokerService/Resolve", "/.well-known/ramp-agent.json",
		"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"}
	for path := range all.Paths {
		if !served[path] && !slices.Contains(elsewhere, path) {
			t.Errorf("%s is described and never told of: no route has this pattern", path)
		}
	}
}

func TestPagesLeadToWhatThereIs(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "url: https://www.example.com/desk\n")
	for target, want := range map[string]bool{
		"/": true, "/ask": true, "/ask?query=soup": true, "/desk/ask": true, "/healthz": false,
	} {
		link := send(s, httptest.NewRequest("GET", target, nil)).Header().Get("Link")
		if got := strings.Contains(link, `<https://www.example.com/desk/ask>; rel="nlweb"`); got != want {
			t.Errorf("%s: Link is %q", target, link)
		}
	}
	if link := send(s, asking("soup")).Header().Get("Link"); link != "" {
		t.Errorf("an answer has the Link %q", link)
	}
	robots := send(s, httptest.NewRequest("GET", "/desk/robots.txt", nil))
	if !strings.HasSuffix(robots.Body.String(), "\nschemamap: https://www.example.com/desk/schemamap.xml\n") ||
		robots.Header().Get("Cache-Control") != "public, max-age=300" {
		t.Errorf("robots.txt: %s %s", robots.Header(), robots.Body)
	}
	feed := send(s, httptest.NewRequest("GET", "/feeds/local/1-of-1.jsonl", nil))
	if !strings.Contains(feed.Body.String(), `"url":"https://example.com/soup"`) {
		t.Errorf("the feed is %d %s", feed.Code, feed.Body)
	}
}

func TestDocumentsOfAnAddressThatIsNotConfiguredAreNotKeptForOthers(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "")
	r := httptest.NewRequest("GET", "/robots.txt", nil)
	r.Host = "made-up.example"
	w := send(s, r)
	if !strings.Contains(w.Body.String(), "http://made-up.example/schemamap.xml") ||
		w.Header().Get("Cache-Control") != "no-cache" {
		t.Errorf("%s %s", w.Header(), w.Body)
	}
	r.Host = "made-up.example\"\n<x>"
	if body := send(s, r).Body.String(); strings.Contains(body, "<x>") || strings.Contains(body, "made-up") {
		t.Errorf("a host that is none comes back: %s", body)
	}
}

func TestDiscoveryIsSwitchedOffAndItsFeedsAlone(t *testing.T) {
	t.Parallel()
	all := []string{"/robots.txt", "/llms.txt", "/openapi.json", "/.well-known/api-catalog", "/schemamap.xml",
		"/feeds/local/1-of-1.jsonl"}
	for text, from := range map[string]int{
		"discovery: {enabled: false}\n": 0, "discovery: {feeds: false}\n": 4, "": len(all),
	} {
		s, _ := open(t, text)
		for i, path := range all {
			if w := send(s, httptest.NewRequest("GET", path, nil)); (w.Code == 200) != (i < from) {
				t.Errorf("%q: %s is answered %d", text, path, w.Code)
			}
		}
		if link := send(s, httptest.NewRequest("GET", "/ask", nil)).Header().Get("Link"); (link != "") != (from > 0) {
			t.Errorf("%q: Link is %q", text, link)
		}
	}
}

func TestOwnRobotsFileIsReadForEachRequest(t *testing.T) {
	t.Parallel()
	file := write(t, t.TempDir(), "robots.txt", "User-agent: *\nDisallow: /private\n")
	s, _ := open(t, "discovery: {robots: "+file+"}\n")
	robots := func() (int, string) {
		w := send(s, httptest.NewRequest("GET", "/robots.txt", nil))
		return w.Code, w.Body.String()
	}
	if code, text := robots(); code != 200 ||
		!strings.HasPrefix(text, "User-agent: *\nDisallow: /private\n\nschemamap: ") {
		t.Errorf("%d %s", code, text)
	}
	for text, want := range map[string]int{
		"User-agent: *\nDisallow:\n": 200, strings.Repeat("#", discovery.MaxOwnFile+1): 503,
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if code, got := robots(); code != want || want == 200 && !strings.HasPrefix(got, text) {
			t.Errorf("%d %.100s, want %d", code, got, want)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if code, text := robots(); code != 503 || strings.Contains(text, filepath.Dir(file)) {
		t.Errorf("%d %s", code, text)
	}
}

func TestOwnFilesAreLookedAtWithTheConfiguration(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	large := write(t, folder, "large.txt", strings.Repeat("#", discovery.MaxOwnFile+1))
	write(t, folder, "llms.txt", "# Mine\n")
	for text, want := range map[string]string{
		"discovery: {robots: missing.txt}\n": "discovery.robots: " + filepath.Join(folder, "missing.txt") +
			" cannot be read",
		"discovery: {robots: .}\n":                      "is no file",
		"discovery: {llms: large.txt}\n":                large + " has 512001 bytes",
		"discovery: {llms: llms.txt, enabled: false}\n": "",
	} {
		_, err := Load(Layers{File: write(t, folder, "frontdesk.yaml", text)})
		findings, _ := err.(yamlconf.Findings)
		if (want == "") != (err == nil) || want != "" && (len(findings) != 1 || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestFeedsNeedWhatAskingNeeds(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "auth: {required: [ask, mcp]}\n")
	for path, want := range map[string]int{
		"/feeds/local/1-of-1.jsonl": 401, "/feeds/local/newest.rss": 401, "/feeds/local/9-of-9.jsonl": 401,
		"/schemamap.xml": 200, "/robots.txt": 200, "/openapi.json": 200, "/mcp/server-card": 200,
	} {
		w := send(s, httptest.NewRequest("GET", path, nil))
		if w.Code != want ||
			want == 401 && (w.Header().Get("WWW-Authenticate") == "" || strings.Contains(w.Body.String(), "soup")) {
			t.Errorf("%s: %d %.200s", path, w.Code, w.Body)
		}
	}
	limited, _ := open(t, "limits: {rate: {address: 2/1h}}\n")
	for i, want := range []int{200, 200, 429} {
		if w := send(limited, httptest.NewRequest("GET", "/feeds/local/1-of-1.jsonl", nil)); w.Code != want {
			t.Errorf("request %d: %d, want %d", i+1, w.Code, want)
		}
	}
}
