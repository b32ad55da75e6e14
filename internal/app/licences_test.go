package app

import (
	"fmt"
	"frontdesk/internal/content/overview"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/policy/imported"
	"frontdesk/wire/licence/sitemap"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// stating is a provider of a test that states things of its addresses.
type statingHost struct {
	*httptest.Server
	mu    sync.Mutex
	pages map[string]string
	asked []string
	held  map[string]func() // what is called before an answer
}

// hold has the next answer for a path say that it is asked for, and wait.
func (h *statingHost) hold(path string, asked chan<- struct{}, more <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held = map[string]func(){path: func() { close(asked); <-more }}
}

// since gives what was asked for since it was last looked.
func (h *statingHost) since() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	asked := h.asked
	h.asked = nil
	return slices.DeleteFunc(asked, func(path string) bool {
		return path == "/robots.txt" || strings.Contains(path, "frontdesk-asks")
	})
}

func (h *statingHost) drop(path string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.pages, path)
}

func (h *statingHost) put(path, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pages[path] = text
}

// openStating is an Exchange with the tenant acme, whose licences are read at a host of the test.
func openStating(t *testing.T) (*supplied, *statingHost) {
	t.Helper()
	s, h := openSupplied(t), &statingHost{pages: map[string]string{}}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		text, ok := h.pages[r.URL.Path]
		h.asked = append(h.asked, r.URL.Path)
		wait := h.held[r.URL.Path]
		delete(h.held, r.URL.Path)
		h.mu.Unlock()
		if wait != nil {
			wait()
		}
		if !ok {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, strings.ReplaceAll(text, "HOST", "http://"+r.Host))
	}))
	t.Cleanup(h.Close)
	s.onboard("acme", cents, strings.TrimPrefix(h.URL, "http://"))
	s.config.Licences.From = []imported.PlaceSettings{{Site: "acme", URL: h.URL + "/"}}
	return s, h
}

// readStated has the Exchange read what acme states, by a visitor that knows nothing yet.
func (s *supplied) readStated() bool {
	s.visitor = fetch.NewCrawler(s.config.Fetcher(), fetch.CrawlerOptions{})
	return s.readLicencesNow(s.t.Context(), "acme", false)
}

// prices are the offers for an address, in words.
func (s *supplied) prices(uri string) (all []string) {
	s.t.Helper()
	query, err := ramp.Marshal(&rampv1.ResourceQuery{Ver: "1.0", Id: "q",
		Requester: &rampv1.Requester{Id: "bot", Domain: "buyer.example", Uris: []string{uri}}})
	if err != nil {
		s.t.Fatal(err)
	}
	w := send(s,
		posted("POST", "/ramp.v1.ExchangeService/DiscoverResources", string(query), "Content-Type", "application/json"))
	answer := &rampv1.ResourceResponse{}
	if err := ramp.Unmarshal(w.Body.Bytes(), answer); err != nil {
		s.t.Fatal(w.Code, w.Body, err)
	}
	for _, offer := range answer.Offers {
		var uses []string
		for _, f := range offer.GetRestrictions().GetPermittedFunctions() {
			uses = append(uses, strings.ToLower(strings.TrimPrefix(f.String(), "FUNCTION_")))
		}
		model := strings.ToLower(strings.TrimPrefix(offer.Pricing.Model.String(), "PRICING_MODEL_"))
		all = append(all,
			strings.TrimSpace(fmt.Sprintf("%s %g %s %s", model, offer.Pricing.Rate, offer.Pricing.Currency,
				strings.Join(uses, "+"))))
	}
	return all
}

const acmeRSL = `<rsl xmlns="https://rslstandard.org/rsl">
	<content url="/"><license><permits>search</permits><payment type="free"/></license>
		<license><permits>ai-input</permits><payment type="purchase"><amount>0.50</amount></payment></license>
		<license><permits>ai-train</permits><payment type="training"><amount currency="EUR">9</amount></payment></license></content>
	<content url="/ask"><license><permits>ai-input</permits><payment type="none"/></license></content></rsl>`

const acmeMap = `<urlset xmlns:ramp="https://ramp.dev/sitemap/1.0"><url><loc>HOST/1</loc></url><url><loc>HOST/ask</loc></url>
	<url><loc>HOST/2</loc><lastmod>2027-01-02</lastmod><ramp:content><ramp:tokens>700</ramp:tokens><ramp:author>A. One</ramp:author>
	<ramp:pricing-model>per_crawl</ramp:pricing-model><ramp:rate currency="USD">0.01</ramp:rate><ramp:permits>ai-input</ramp:permits></ramp:content></url></urlset>`

func TestWhatAProviderStatesIsOfferedByItsLicences(t *testing.T) {
	t.Parallel()
	s, h := openStating(t)
	h.put("/robots.txt", "License: /l.xml")
	h.put("/l.xml", acmeRSL)
	h.put("/sitemap.xml", acmeMap)
	if got := s.prices(h.URL + "/1"); got != nil {
		t.Fatalf("before anything was read: %q", got)
	}
	if !s.readStated() {
		t.Fatal("nothing is read")
	}
	for path, want := range map[string][]string{
		// each licence is an offer; without a currency it is the tenant's
		"/1": {"free 0 USD search", "per_access 0.5 USD ai_input", "training 9 EUR ai_train"},
		// the sitemap counts first
		"/2": {"per_fetch 0.01 USD ai_input"},
		// a price that has to be asked for is the tenant's
		"/ask": {"per_access 0.02 USD ai_input"},
		// of which nobody tells
		"/3": nil,
	} {
		got := s.prices(h.URL + path)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	// A content rule is the Exchange's own word; what the provider states stays the ceiling.
	s.admin("POST", "/admin/content-rules", `{"id":"dear","match":{"site":["acme"]},"access":"licensed","price":{"model":"per_fetch","rate":"5","currency":"USD"},"functions":{"permit":["ai-input"]}}`, 201)
	if got := s.prices(h.URL + "/2"); !slices.Equal(got, []string{"per_fetch 0.01 USD ai_input"}) {
		t.Errorf("above the ceiling: %q", got)
	}
	if got := s.prices(h.URL + "/1"); !slices.Equal(got, []string{"per_fetch 5 USD ai_input"}) {
		t.Errorf("by the rule: %q", got)
	}
	s.admin("DELETE", "/admin/content-rules/dear", "", 200)

	known, err := s.ValuesOf(t.Context(), h.URL+"/2")
	if err != nil || len(known) != 1 {
		t.Fatalf("%+v, %v", known, err)
	}
	var values []string
	for _, v := range known[0].Values {
		values = append(values, v.Name+"="+v.Value+" "+string(v.Source))
	}
	if want := []string{
		"tokens=700 RAMP_SITEMAP", "authors=A. One RAMP_SITEMAP", "modified=2027-01-02T00:00:00Z RAMP_SITEMAP",
		"licence=per_fetch 0.01 USD RAMP_SITEMAP",
	}; !slices.Equal(values, want) {
		t.Errorf("%q, want %q", values, want)
	}
}

// TestLicencesThatPagesOfATenantNameAreOffered has a page other than the first name a document, as
// the pages of sites do whose system knows no other place for it.
func TestLicencesThatPagesOfATenantNameAreOffered(t *testing.T) {
	t.Parallel()
	s, h := openStating(t)
	h.put("/sitemap.xml", acmeMap)
	h.put("/1", `<!doctype html><link rel="license" type="application/rsl+xml" href="/l.xml">`)
	h.put("/l.xml", `<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license><permits>ai-input</permits><payment type="purchase"><amount currency="USD">0.01</amount></payment></license></content></rsl>`)
	s.config.Licences.Pages = 0
	s.readStated()
	if got := s.prices(h.URL + "/ask"); !slices.Equal(got, []string{"per_access 0.02 USD"}) {
		t.Errorf("before any page is looked at: %q", got)
	}
	s.config.Licences.Pages = 10
	s.readStated()
	if got := s.prices(h.URL + "/ask"); !slices.Equal(got, []string{"per_access 0.01 USD ai_input"}) {
		t.Errorf("%q", got)
	}
	h.put("/l.xml", "<rsl>")
	s.readStated()
	if got := s.prices(h.URL + "/ask"); !slices.Equal(got, []string{"per_access 0.01 USD ai_input"}) {
		t.Errorf("the document broke: %q", got)
	}
}

// TestAPoisonedReadingLeavesWhatWasAndSaysSo spoils what a provider states in many ways: the old
// stands, and the owner is told.
func TestAPoisonedReadingLeavesWhatWasAndSaysSo(t *testing.T) {
	t.Parallel()
	s, h := openStating(t)
	h.put("/rsl.txt", acmeRSL)
	h.put("/sitemap.xml", acmeMap)
	s.readStated()
	good := s.prices(h.URL + "/1")
	if len(good) != 3 {
		t.Fatalf("%q", good)
	}
	for name, text := range map[string]string{
		"a bomb": `<!DOCTYPE rsl [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><rsl><content url="/&b;"/></rsl>`, "nothing": "<rsl></rsl>", "a page": "<html></html>",
		"half": acmeRSL[:len(acmeRSL)/2], "another's": `<rsl><content url="https://evil b/"/></rsl>`,
	} {
		h.put("/rsl.txt", text)
		before := len(s.log.String())
		s.readStated()
		if got := s.prices(h.URL + "/1"); !slices.Equal(got, good) {
			t.Errorf("%s: %q is offered", name, got)
		}
		all, err := s.LicenceStatuses(t.Context())
		if err != nil || len(all) != 1 || all[0].Problem == "" || all[0].Version != 1 ||
			all[0].Next.Sub(s.clock.Now()) != tryAgain {
			t.Errorf("%s: %+v, %v", name, all, err)
		}
		if !strings.Contains(s.log.String()[before:], "what was read before stays") {
			t.Errorf("%s: nobody is told", name)
		}
	}
	h.put("/rsl.txt", acmeRSL)
	s.readStated()
	if all, err := s.LicenceStatuses(t.Context()); err != nil || all[0].Problem != "" || all[0].Version != 2 {
		t.Errorf("%+v, %v", all, err)
	}
}

// TestLicencesThatCannotBeReadPermitNothing has contents without a licence: what stands right in
// them counts, and nothing is sold under one that says nothing.
func TestLicencesThatCannotBeReadPermitNothing(t *testing.T) {
	t.Parallel()
	s, h := openStating(t)
	h.put("/sitemap.xml", acmeMap)
	h.put("/rsl.txt", `<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><permits type="usage">ai-input</permits><payment type="purchase" amount="0.07" currency="EUR"/></content></rsl>`)
	s.readStated()
	if got := s.prices(h.URL + "/1"); len(got) != 1 || !strings.Contains(got[0], "0.07") {
		t.Errorf("%q", got)
	}
	h.put("/rsl.txt", `<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><copyright>Acme</copyright></content></rsl>`)
	before := len(s.log.String())
	s.readStated()
	if got := s.prices(h.URL + "/1"); len(got) != 0 {
		t.Errorf("%q is offered under no licence", got)
	}
	all, err := s.LicenceStatuses(t.Context())
	if err != nil || !strings.Contains(strings.Join(all[0].Notes, " "), `the content "/"`) ||
		!strings.Contains(s.log.String()[before:], "permits nothing") {
		t.Errorf("nobody is told: %+v, %v", all, err)
	}
}

func TestWhatIsOldIsWarnedOf(t *testing.T) {
	t.Parallel()
	s, h := openStating(t)
	h.put("/rsl.txt", acmeRSL)
	s.readStated()
	told := newAges(s.metrics)
	for _, one := range []struct {
		after time.Duration
		age   overview.Age
		says  string
	}{{48 * time.Hour, overview.Recent, ""}, {time.Second, overview.Stale, "is old"},
		{5 * 24 * time.Hour, overview.Critical, "is very old"}} {
		s.clock.Advance(one.after)
		before := len(s.log.String())
		if err := s.lookAtAges(t.Context(), told); err != nil {
			t.Fatal(err)
		}
		all, err := s.LicenceStatuses(t.Context())
		if err != nil || all[0].Age != one.age || (one.says == "") != (len(s.stale.tell()) == 0) ||
			one.says != "" && !strings.Contains(s.log.String()[before:], one.says) {
			t.Errorf("after %s: %+v, %q, %s", one.after, all, s.stale.tell(), s.log)
		}
	}
	s.readStated()
	if err := s.lookAtAges(t.Context(), told); err != nil || len(s.stale.tell()) > 0 {
		t.Errorf("after another reading: %q, %v", s.stale.tell(), err)
	}
}

// TestFiguresTellHowOldWhatWasReadIs reads the figures as whoever watches them does: a source of
// the web, and the licences of a tenant that are read a day later.
func TestFiguresTellHowOldWhatWasReadIs(t *testing.T) {
	t.Parallel()
	s, h := openReading(t)
	s.config.Licences.From = []imported.PlaceSettings{{Site: "acme", URL: h.URL + "/"}}
	h.put("/", article("Home", ""))
	h.put("/rsl.txt", acmeRSL)
	told := newAges(s.metrics)
	figures := func(want ...string) {
		t.Helper()
		if err := s.lookAtAges(t.Context(), told); err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		s.metrics.Handler(s.front.Routes).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
		var got []string
		for line := range strings.Lines(w.Body.String()) {
			if strings.HasPrefix(line, "frontdesk_read_") {
				got = append(got, strings.TrimSpace(line))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", s.clock.Now(), strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	const acme, web = `{site="acme",source="licences"} `, `{site="own",source="web"} `
	figures() // of what was never read nobody knows how old it is
	s.readWhole()
	s.clock.Advance(24 * time.Hour)
	s.readStated()
	figures("frontdesk_read_age_seconds"+acme+"0", "frontdesk_read_age_seconds"+web+"86400",
		"frontdesk_read_stale"+acme+"0", "frontdesk_read_stale"+web+"0")
	s.clock.Advance(24 * time.Hour)
	figures("frontdesk_read_age_seconds"+acme+"86400", "frontdesk_read_age_seconds"+web+"172800",
		"frontdesk_read_stale"+acme+"0", "frontdesk_read_stale"+web+"0")
	s.clock.Advance(time.Second)
	figures("frontdesk_read_age_seconds"+acme+"86401", "frontdesk_read_age_seconds"+web+"172801",
		"frontdesk_read_stale"+acme+"0", "frontdesk_read_stale"+web+"1")
	s.clock.Advance(5 * 24 * time.Hour)
	figures("frontdesk_read_age_seconds"+acme+"518401", "frontdesk_read_age_seconds"+web+"604801",
		"frontdesk_read_stale"+acme+"1", "frontdesk_read_stale"+web+"2")
	h.put("/rsl.txt", "<rsl>")
	s.readStated() // in vain: what is in force is as old as it was
	s.readWhole()
	figures("frontdesk_read_age_seconds"+acme+"518401", "frontdesk_read_age_seconds"+web+"0",
		"frontdesk_read_stale"+acme+"1", "frontdesk_read_stale"+web+"0")
	s.config.Licences.From = nil // nobody reads them any more
	figures("frontdesk_read_age_seconds"+web+"0", "frontdesk_read_stale"+web+"0")
}

func TestSystemsSayThatContentHasChanged(t *testing.T) {
	t.Parallel()
	s, h := openStating(t)
	h.put("/rsl.txt", acmeRSL)
	var asked []string
	begin := func(site, _ string, paths []string) bool {
		asked = append(asked, site+strings.Join(paths, ","))
		return len(asked) == 1
	}
	s.rereads.Store(&begin)
	say := func(body string, status int) string { return s.admin("POST", "/admin/content-changed", body, status) }
	if got := say(`{"tenant":"acme","paths":["/1"]}`, 202); !strings.Contains(got, `"started":true`) {
		t.Error(got)
	}
	if got := say(`{"site":"own.example"}`, 202); !strings.Contains(got, `"started":false`) || !strings.Contains(got, `"tenant":"own"`) {
		t.Error(got)
	}
	say(`{"tenant":"nobody"}`, 404)
	say(`{"tenant":"acme","paths":["1"]}`, 422)
	say(`{"tenant":"acme","more":1}`, 400)
	if !slices.Equal(asked, []string{"acme/1", "own"}) {
		t.Errorf("%q", asked)
	}
	for key, status := range map[string]int{"": 401, "wrong": 401} {
		if w := send(s, posted("POST", "/admin/content-changed", `{"tenant":"acme"}`, identity.KeyHeader, key)); w.Code != status {
			t.Errorf("with the key %q: %d %s", key, w.Code, w.Body)
		}
	}
}

// TestTheRAMPSitemapSaysWhatTheTermsSay reads the sitemap that the server makes of a site's items.
func TestTheRAMPSitemapSaysWhatTheTermsSay(t *testing.T) {
	t.Parallel()
	m := openMarket(t, providerConfig)
	item := func(path, kind string) content.Item {
		at := "http://www.example.com:8080" + path
		return content.Item{URL: at, Types: []string{kind}, Name: "It", Object: []byte(fmt.Sprintf(`{"@type":%q,"name":"It","url":%q}`, kind, at))}
	}
	fill(t, m.App, item("/premium/a", "Article"), item("/premium/b", "Review"), item("/hidden/soup", "Recipe"))
	w := send(m, posted("GET", "/desk/provider/www.example.com/ramp-sitemap.xml", ""))
	if w.Code != 200 || w.Header().Get("Content-Type") != "application/xml" || w.Header().Get("Etag") == "" ||
		strings.Contains(w.Body.String(), "soup") {
		t.Fatalf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	text := w.Body.String()
	var told []string
	_, err := sitemap.Read(strings.NewReader(text), func(e sitemap.Entry) error {
		if e.Stated == nil || !strings.HasPrefix(e.Stated.ContentID, "PKG-") || e.Stated.Tokens == 0 ||
			e.Stated.ContentType != "text" {
			t.Errorf("%s: %+v", e.URL, e.Stated)
			return nil
		}
		told = append(told,
			strings.TrimSpace(fmt.Sprintf("%s %s %s %s %s", strings.TrimPrefix(e.URL, "http://www.example.com:8080"),
				e.Stated.Model, e.Stated.Rate, e.Stated.Currency, strings.Join(e.Stated.Permits, "+"))))
		return nil
	})
	if want := []string{"/premium/a per_access 0.02 USD all", "/premium/b free   search"}; err != nil ||
		!slices.Equal(told, want) {
		t.Errorf("%q, want %q, %v", told, want, err)
	}
	if w := send(m, posted("GET", "/desk/ramp-sitemap.xml", "")); w.Body.String() != text {
		t.Errorf("of the host that was asked: %s", w.Body)
	}
	for path, status := range map[string]int{
		"/desk/provider/other.example/ramp-sitemap.xml":          404,
		"/desk/provider/www.example.com/ramp-sitemap.xml?page=2": 404,
		"/desk/provider/www.example.com/ramp-sitemap.xml?page=0": 404,
		"/desk/provider/www.example.com/ramp-sitemap.xml?page=1": 200,
	} {
		if w := send(m, posted("GET", path, "")); w.Code != status {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}
