package discovery

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/ask"
	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/contenttest"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/internal/testkit/transcript"
)

// fixture answers from a shop, with one licensed, one blocked and one item that is for lists alone,
// and a journal, and the configuration of a front desk for both.
func fixture(t testing.TB, more int) (*ask.Service, *store.DB, Config) {
	t.Helper()
	db := storetest.Chosen(t, content.Schema)
	catalog := content.New(db, content.Options{})
	day := func(n int) time.Time { return time.Date(2026, 10, n, 0, 0, 0, 0, time.UTC) }
	put(t, catalog, "lamps",
		thing("https://lamps.example/brass", "Product", "Brass <reading> lamp", "A brass lamp & more for late readers.",
			day(3)),
		thing("https://lamps.example/paper", "Product", "Paper lamp", "A lamp of folded paper.", time.Time{}),
		thing("https://lamps.example/premium/history", "Article", "A history of the lamp",
			"Before glass there was clay. Whale oil ruined three harbours.", day(9)),
		thing("https://lamps.example/drafts/laser", "Product", "Laser lamp", "Unannounced: the zirconium lamp.",
			day(1)),
		thing("https://lamps.example/listed/old", "Product", "Old lamp", "For tungsten lists alone.", day(2)))
	put(t, catalog, "garten", slices.Concat(
		[]content.Item{thing("https://garten.example/rosen", "Article", "Rosen schneiden",
			"Im Frühling, wenn die Forsythien blühen.", day(5))}, roses(more))...)
	rules, err := policy.New([]policy.Rule{
		{Match: policy.Match{Path: []string{"/premium/**"}}, Access: policy.Licensed,
			Excerpt: policy.Excerpt{Words: 5}},
		{Match: policy.Match{Path: []string{"/drafts/**"}}, Access: policy.Blocked},
		{Match: policy.Match{Path: []string{"/listed/**"}}, Access: policy.Open,
			Functions: policy.Functions{Prohibit: []string{"ai-input"}}},
		{Access: policy.Open},
	})
	if err != nil {
		t.Fatal(err)
	}
	corpus := contenttest.New(t, db, released.Deps{
		CacheBytes: 1, // so that each reading reads
		Sites: released.NewSites(
			released.Site{ID: "lamps", Hosts: []string{"lamps.example"}},
			released.Site{ID: "garten", Hosts: []string{"garten.example"}},
		),
	})
	corpus.SetTerms(t, rules)
	d, err := ask.New(ask.Deps{Corpus: corpus.Corpus})
	if err != nil {
		t.Fatal(err)
	}
	return d, db, Config{
		PublicURL: func(*http.Request) string { return "https://desk.example/front" },
		SameURL:   true, Fail: failed, Version: "1.2.3", MCP: true, Feeds: true,
		Patterns: []string{"/ask", "/await", "/mcp", "/healthz", "/assets/"},
		Sites: []Site{
			{ID: "lamps", Name: "Lamps [and\nmore]", URL: "https://lamps.example", Hosts: []string{"lamps.example"}},
			{ID: "garten", Hosts: []string{"garten.example"}},
		},
	}
}

func put(t testing.TB, catalog *content.Catalog, site string, items ...content.Item) {
	t.Helper()
	ctx := context.Background()
	run, err := catalog.Begin(ctx, site, "files")
	if err == nil {
		err = run.Put(ctx, items...)
	}
	if err == nil {
		_, err = run.Commit(ctx, content.CommitOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
}

func roses(n int) []content.Item {
	items := make([]content.Item, n)
	for i := range items {
		items[i] = thing(fmt.Sprintf("https://garten.example/rose/%d", i), "Article", fmt.Sprintf("Rose %d", i),
			strings.Repeat("Eine von vielen. ", 200), time.Time{})
	}
	return items
}

func thing(url, typ, name, text string, published time.Time) content.Item {
	object, err := json.Marshal(map[string]any{"@type": typ, "url": url, "name": name})
	if err != nil {
		panic(err)
	}
	return content.Item{
		URL: url, Types: []string{typ}, Name: name, Description: text, Language: "en", Object: object,
		Published: published,
		Passages:  []content.Passage{{ID: content.PassageID(text, 0), Text: text}},
	}
}

// failed renders errors as server has them rendered.
func failed(w http.ResponseWriter, _ *http.Request, err error) {
	status := map[fail.Code]int{fail.NotFound: 404, fail.Unavailable: 503}[fail.From(err).Code]
	if status == 0 {
		status = 500
	}
	http.Error(w, fail.From(err).Detail, status)
}

func handler(d *ask.Service, config Config) http.Handler {
	mux := http.NewServeMux()
	for _, route := range Routes(d, config) {
		mux.Handle(route.Pattern, route.Handler)
	}
	return mux
}

func get(h http.Handler, target string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestTranscripts(t *testing.T) {
	t.Parallel()
	d, _, config := fixture(t, 0)
	transcript.Run(t, "testdata/*.txtar", handler(d, config))
}

func TestOwnRobotsFileComesAsItIsWithTheSchemaMapBehindIt(t *testing.T) {
	t.Parallel()
	d, _, config := fixture(t, 0)
	const added = "\nschemamap: https://desk.example/front/schemamap.xml\n"
	for own, want := range map[string]string{
		"User-agent: *\nDisallow: /\n":        "User-agent: *\nDisallow: /\n" + added,
		"\xef\xbb\xbfUser-agent: *\r\nAllow:": "User-agent: *\r\nAllow:\n" + added,
		"":                                    added,
		"# schemamap: x\nschemamap:\n":        "# schemamap: x\nschemamap:\n" + added,
		"SchemaMap : https://a.example/x.xml": "SchemaMap : https://a.example/x.xml\n",
	} {
		config.OwnFile = func(name string) ([]byte, error) {
			if name != "robots.txt" {
				return nil, nil
			}
			return []byte(own), nil
		}
		if got := get(handler(d, config), "/robots.txt").Body.String(); got != want {
			t.Errorf("%q gives\n%q, want\n%q", own, got, want)
		}
	}
	config.Feeds = false
	if got := get(handler(d, config), "/robots.txt").Body.String(); strings.Contains(got, "https://desk.example") {
		t.Errorf("without feeds there is no map to point to: %q", got)
	}
	config.Patterns = append(config.Patterns, "/rsl.txt")
	for own, want := range map[string]string{
		"User-agent: *\n":                  "User-agent: *\n\nLicense: https://desk.example/front/rsl.txt\n",
		"License: https://a.example/rsl\n": "License: https://a.example/rsl\n",
	} {
		config.OwnFile = func(string) ([]byte, error) { return []byte(own), nil }
		if got := get(handler(d, config), "/robots.txt").Body.String(); got != want {
			t.Errorf("where licences are served, %q gives\n%q, want\n%q", own, got, want)
		}
	}
	config.OwnFile = func(name string) ([]byte, error) { return []byte("mine: " + name), nil }
	if got := get(handler(d, config), "/llms.txt").Body.String(); got != "mine: llms.txt" {
		t.Errorf("llms.txt is %q", got)
	}
	config.OwnFile = func(string) ([]byte, error) { return nil, errors.New("open /secret/path: denied") }
	for _, path := range []string{"/robots.txt", "/llms.txt"} {
		if w := get(handler(d, config), path); w.Code != 503 || strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%s: a file that cannot be read gives %d %s", path, w.Code, w.Body)
		}
	}
}

func TestRobotsTellsWhatTheTermsStateOfTheWholeView(t *testing.T) {
	t.Parallel()
	d, _, config := fixture(t, 0)
	config.StatedTerms = func(site, function string) (allowed, known bool) {
		switch site + " " + function {
		case "lamps search", "garten search", "lamps ai-input":
			return true, true
		case "lamps ai-train", "garten ai-train", "garten ai-input":
			return false, true
		}
		return false, false
	}
	h := handler(d, config)
	for target, want := range map[string]string{
		"/robots.txt":             "Content-Signal: search=yes, ai-train=no\n",
		"/robots.txt?site=lamps":  "Content-Signal: search=yes, ai-input=yes, ai-train=no\n",
		"/robots.txt?site=garten": "Content-Signal: search=yes, ai-input=no, ai-train=no\n",
	} {
		if got := get(h, target).Body.String(); !strings.Contains(got, "User-agent: *\n"+want) {
			t.Errorf("%s: %s", target, got)
		}
	}
	config.StatedTerms = func(string, string) (bool, bool) { return true, false }
	if got := get(handler(d, config), "/robots.txt").Body.String(); strings.Contains(got, "Content-Signal") {
		t.Errorf("a signal that nobody stated: %s", got)
	}
}

func TestRequestIsAboutTheSiteThatItsParameterOrHostNames(t *testing.T) {
	t.Parallel()
	d, _, config := fixture(t, 0)
	config.PublicURL = func(r *http.Request) string { return "http://" + r.Host }
	h := handler(d, config)
	for target, want := range map[string]string{
		"http://other.example/schemamap.xml":                        "lamps garten",
		"http://lamps.example/schemamap.xml":                        "lamps",
		"http://WWW.garten.example/schemamap.xml":                   "garten",
		"http://lamps.example/schemamap.xml?site=garten":            "garten",
		"http://other.example/schemamap.xml?site=www.LAMPS.example": "lamps",
		"http://lamps.example:81/schemamap.xml":                     "lamps garten",
		"http://other.example/schemamap.xml?site=":                  "lamps garten",
	} {
		var sites []string
		for _, entry := range readMap(t, get(h, target).Body.String()) {
			if site, ok := strings.CutSuffix(entry, "/newest.rss"); ok {
				sites = append(sites, site[strings.LastIndex(site, "/")+1:])
			}
		}
		if got := strings.Join(sites, " "); got != want {
			t.Errorf("%s is about %q, want %q", target, got, want)
		}
	}
	for _, path := range []string{"/robots.txt", "/llms.txt", "/schemamap.xml", "/openapi.json", "/mcp/server-card",
		"/.well-known/api-catalog"} {
		if w := get(h, path+"?site=elsewhere.example"); w.Code != 404 ||
			strings.Contains(w.Body.String(), "elsewhere") {
			t.Errorf("%s of an unknown site: %d %s", path, w.Code, w.Body)
		}
	}
	// configured: the request's own host counts still
	config.PublicURL = func(*http.Request) string { return "https://desk.example" }
	if robots := get(handler(d, config), "http://garten.example/robots.txt").Body.String(); !strings.Contains(robots,
		"https://desk.example/schemamap.xml?site=garten\n") {
		t.Errorf("robots.txt: %s", robots)
	}
}

// readMap returns the addresses of a schema map, and holds that each entry says its type twice and
// alike.
func readMap(t *testing.T, text string) (locations []string) {
	t.Helper()
	var set struct {
		XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
		URLs    []struct {
			Attr string `xml:"contentType,attr"`
			Loc  string `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 loc"`
			Type string `xml:"http://schema.org/schemas/schemafeed/0.1 contentType"`
		} `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 url"`
	}
	if err := xml.Unmarshal([]byte(text), &set); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for _, u := range set.URLs {
		want := "structuredData/schema.org"
		if strings.HasSuffix(u.Loc, ".rss") {
			want = "structuredData/rss"
		}
		if u.Attr != want || u.Type != want {
			t.Errorf("%s has the types %q and %q", u.Loc, u.Attr, u.Type)
		}
		locations = append(locations, u.Loc)
	}
	return locations
}

func TestSchemaMapLeadsToEveryItemThatMayBeGivenAway(t *testing.T) {
	t.Parallel()
	d, _, config := fixture(t, 1200)
	h := handler(d, config)
	found := map[string]bool{}
	for _, address := range readMap(t, get(h, "/schemamap.xml").Body.String()) {
		path, ok := strings.CutPrefix(address, "https://desk.example/front")
		if w := get(h, path); !ok || w.Code != 200 {
			t.Fatalf("%s: %d %s", address, w.Code, w.Body)
		} else if strings.HasSuffix(path, ".jsonl") {
			for text := range strings.Lines(w.Body.String()) {
				var item map[string]any
				if err := json.Unmarshal([]byte(text), &item); err != nil || item["@context"] != "https://schema.org" ||
					item["@type"] == "" {
					t.Fatalf("%s: %v: %s", address, err, text)
				}
				url := item["url"].(string)
				if found[url] {
					t.Errorf("%s is there twice", url)
				}
				found[url] = true
			}
			if strings.Contains(w.Body.String(), "Whale oil") ||
				w.Header().Get("Content-Type") != "application/jsonl; charset=utf-8" {
				t.Errorf("%s: %s", address, w.Header())
			}
		}
	}
	if len(found) != 1204 {
		t.Errorf("%d items", len(found))
	}
	for url, want := range map[string]bool{
		"https://lamps.example/brass": true, "https://lamps.example/premium/history": true,
		"https://garten.example/rose/1199":   true,
		"https://lamps.example/drafts/laser": false, "https://lamps.example/listed/old": false,
	} {
		if found[url] != want {
			t.Errorf("%s: %t, want %t", url, found[url], want)
		}
	}
}

func TestConditionalRequestIsAnsweredWithoutABody(t *testing.T) {
	t.Parallel()
	d, _, config := fixture(t, 0)
	h := handler(d, config)
	for _, path := range []string{"/robots.txt", "/llms.txt", "/schemamap.xml", "/openapi.json",
		"/feeds/lamps/newest.rss", "/feeds/lamps/1-of-1.jsonl"} {
		first := get(h, path)
		tag := first.Header().Get("ETag")
		if first.Code != 200 || tag == "" || first.Body.Len() == 0 {
			t.Errorf("%s: %d, ETag %q", path, first.Code, tag)
			continue
		}
		for _, condition := range []string{tag, `"x", ` + tag, "*", strings.TrimPrefix(tag, "W/")} {
			if w := get(h, path, "If-None-Match", condition); w.Code != 304 || w.Body.Len() != 0 ||
				w.Header().Get("ETag") != tag {
				t.Errorf("%s with %s: %d, %d bytes", path, condition, w.Code, w.Body.Len())
			}
		}
		for _, condition := range []string{`"x"`, strings.ToUpper(tag), ""} {
			if w := get(h, path, "If-None-Match", condition); w.Code != 200 {
				t.Errorf("%s with %q: %d", path, condition, w.Code)
			}
		}
	}
}

func TestOnlyThePartsThatThereAreAreServed(t *testing.T) {
	t.Parallel()
	d, _, config := fixture(t, 0)
	h := handler(d, config)
	for _, part := range []string{
		"lamps/2-of-2.jsonl", "lamps/0-of-1.jsonl", "lamps/1-of-2.jsonl", "lamps/01-of-1.jsonl", "lamps/+1-of-1.jsonl",
		"lamps/1-of-1", "lamps/1-of-1.jsonl.gz",
		"lamps/-1-of-1.jsonl", "lamps/9223372036854775808-of-1.jsonl", "lamps/", "lamps/oldest.rss",
		"LAMPS/1-of-1.jsonl", "lamps.example/1-of-1.jsonl",
		"elsewhere/newest.rss", "all/newest.rss",
	} {
		if w := get(h, "/feeds/"+part); w.Code != 404 {
			t.Errorf("%s: %d %s", part, w.Code, w.Body)
		}
	}
}

func TestWhatIsNotServedIsNotToldOf(t *testing.T) {
	t.Parallel()
	d, _, config := fixture(t, 0)
	config.MCP, config.Feeds, config.Patterns = false, false, []string{"/ask"}
	h := handler(d, config)
	for _, path := range []string{"/schemamap.xml", "/feeds/lamps/newest.rss", "/feeds/lamps/1-of-1.jsonl",
		"/mcp/server-card", "/.well-known/mcp/server-card.json", "/.well-known/mcp/catalog.json"} {
		if w := get(h, path); w.Code != 404 {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	told := Links(config, httptest.NewRequest("GET", "/", nil))
	for _, path := range []string{"/robots.txt", "/llms.txt", "/openapi.json", "/.well-known/api-catalog"} {
		told += get(h, path).Body.String()
	}
	for _, word := range []string{"/mcp", "schemamap", "/feeds/", "newest", "/healthz"} {
		if strings.Contains(told, word) {
			t.Errorf("%q is told of, and not served", word)
		}
	}
}

// sabotage does something when the first byte is written.
type sabotage struct {
	*httptest.ResponseRecorder
	once func()
}

func (s *sabotage) Write(b []byte) (int, error) {
	if s.once != nil {
		s.once()
		s.once = nil
	}
	return s.ResponseRecorder.Write(b)
}

func TestFeedThatFailsMidwayIsCutOff(t *testing.T) {
	t.Parallel()
	d, db, config := fixture(t, 300)
	h := handler(d, config)
	cut := false
	w := &sabotage{ResponseRecorder: httptest.NewRecorder(), once: func() {
		err := db.Update(context.Background(), func(tx *store.Tx) error {
			_, err := tx.Exec(context.Background(), `DROP TABLE content_item`)
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}}
	func() {
		defer func() { cut = recover() == any(http.ErrAbortHandler) }()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/feeds/garten/1-of-1.jsonl", nil))
	}()
	if lines := strings.Count(w.Body.String(), "\n"); !cut || lines == 0 || lines > 300 {
		t.Errorf("cut off: %t, after %d lines", cut, lines)
	}
	if w := get(h, "/feeds/lamps/newest.rss"); w.Code != 503 || w.Header().Get("ETag") != "" {
		t.Errorf("a feed that cannot be read: %d, ETag %q", w.Code, w.Header().Get("ETag"))
	}
}

func TestCardsFollowTheirSchemas(t *testing.T) {
	t.Parallel()
	d, _, config := fixture(t, 0)
	config.About = strings.Repeat("Everything about lamps. ", 20)
	for base, want := range map[string]string{
		"https://desk.example/front": "example.desk/frontdesk", "http://127.0.0.1:8080": "127.0.0.1/frontdesk",
		"http://[2001:db8::1]:80": "2001-db8--1/frontdesk", "http://a_b.example": "example.a-b/frontdesk",
	} {
		config.PublicURL = func(*http.Request) string { return base }
		h := handler(d, config)
		var card struct {
			Schema      string `json:"$schema"`
			Name        string
			Version     string
			Title       string
			Description string
			Remotes     []struct{ Type, URL string }
		}
		w := get(h, "/mcp/server-card")
		if err := json.Unmarshal(w.Body.Bytes(), &card); err != nil {
			t.Fatal(err)
		}
		if card.Name != want || card.Version != "1.2.3" || len([]rune(card.Description)) > 100 ||
			card.Description == "" || card.Schema != cardSchema ||
			len(card.Remotes) != 1 || card.Remotes[0].Type != "streamable-http" || card.Remotes[0].URL != base+"/mcp" ||
			w.Header().Get("Content-Type") != cardType {
			t.Errorf("%s: %s", base, w.Body)
		}
		if again := get(h, "/.well-known/mcp/server-card.json").Body.String(); again != w.Body.String() {
			t.Errorf("the card is another where clients look for it: %s", again)
		}
	}
}

func TestDescriptionNamesThisServerAndWhatItServes(t *testing.T) {
	t.Parallel()
	d, _, config := fixture(t, 0)
	var doc struct {
		OpenAPI string
		Info    struct{ Title, Version string }
		Servers []struct{ URL string }
		Paths   map[string]any
	}
	w := get(handler(d, config), "/openapi.json?site=lamps")
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.OpenAPI != "3.1.0" || doc.Info.Title != "Lamps [and more]" || doc.Info.Version != "1.2.3" ||
		len(doc.Servers) != 1 || doc.Servers[0].URL != "https://desk.example/front" {
		t.Errorf("%+v", doc)
	}
	for path, want := range map[string]bool{"/ask": true, "/mcp": true, "/feeds/{site}/{part}": true, "/healthz": true,
		"/readyz": false, "/assets/": false} {
		if _, got := doc.Paths[path]; got != want {
			t.Errorf("%s: %t, want %t", path, got, want)
		}
	}
	if again := get(handler(d, config), "/openapi.json").Body.String(); !strings.Contains(again, `"title": "Frontdesk"`) {
		t.Error("the name of one view stays in the next")
	}
}

// FuzzRequests holds that no request breaks a document, or gets what the terms do not give away.
func FuzzRequests(f *testing.F) {
	d, _, config := fixture(f, 0)
	config.PublicURL = func(r *http.Request) string { return "https://desk.example" }
	h := handler(d, config)
	for _, path := range []string{"/robots.txt", "/schemamap.xml", "/feeds/lamps/1-of-1.jsonl",
		"/feeds/lamps/newest.rss", "/openapi.json", "/mcp/server-card"} {
		f.Add(path, "lamps", "garten.example", `W/"x"`)
	}
	f.Fuzz(func(t *testing.T, path, site, host, condition string) {
		r := httptest.NewRequest("GET", "/", nil)
		r.URL.Path, r.Host = path, host
		r.URL.RawQuery = "site=" + site
		r.Header.Set("If-None-Match", condition)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		body := w.Body.String()
		if w.Code >= 500 || strings.Contains(body, "zirconium") || strings.Contains(body, "Whale oil") ||
			strings.Contains(body, "tungsten") {
			t.Fatalf("%q %q %q: %d %s", path, site, host, w.Code, body)
		}
		if w.Code != 200 {
			return
		}
		switch kind := w.Header().Get("Content-Type"); {
		case strings.Contains(kind, "xml"):
			if err := xml.Unmarshal([]byte(body), new(struct{})); err != nil {
				t.Fatalf("%s: %v", body, err)
			}
		case strings.Contains(kind, "json") && !strings.Contains(kind, "jsonl") && !json.Valid([]byte(body)):
			t.Fatalf("not JSON: %s", body)
		}
	})
}
