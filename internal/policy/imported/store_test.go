package imported

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pgregory.net/rapid"

	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/licence"
	"frontdesk/wire/licence/sitemap"
)

var noon = time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC)

// host is a site whose pages a test changes. It says what was asked for, and breaks off where it is
// told to.
type host struct {
	*testing.T
	server *httptest.Server

	mu    sync.Mutex
	pages map[string]page
	asked []string
	cut   map[string]int // how many bytes of a page come before the line breaks
	press *blog          // nil for none
}

type page struct {
	status int // 200 if 0
	header map[string]string
	body   string
}

func newHost(t *testing.T) *host {
	h := &host{T: t, pages: map[string]page{}, cut: map[string]int{}}
	h.server = httptest.NewServer(h)
	t.Cleanup(h.server.Close)
	return h
}

func (h *host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	p, ok := h.pages[r.URL.RequestURI()]
	cut, breaks := h.cut[r.URL.RequestURI()]
	h.asked = append(h.asked, r.URL.RequestURI())
	press := h.press
	h.mu.Unlock()
	if press != nil && !ok && r.URL.Path == "/wp-json/wp/v2/posts" {
		press.ServeHTTP(w, r)
		return
	}
	if !ok {
		http.NotFound(w, r)
		return
	}
	body := strings.ReplaceAll(p.body, "HOST", h.server.URL)
	for name, value := range p.header {
		w.Header().Set(name, strings.ReplaceAll(value, "HOST", h.server.URL))
	}
	if tag := p.header["Etag"]; tag != "" && r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	if p.status != 0 {
		w.WriteHeader(p.status)
	}
	if breaks {
		_, _ = w.Write([]byte(body[:min(cut, len(body))]))
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write([]byte(body))
}

// read reads the site with a visitor that knows nothing yet.
func (h *host) read(before *Snapshot, plain bool) (*Snapshot, error) {
	h.mu.Lock()
	h.asked = nil
	h.mu.Unlock()
	return Read(h.Context(), Request{
		Site: "a", URL: h.server.URL + "/", Own: true, Hosts: []string{"127.0.0.1"}, PlainSitemaps: plain,
		Previous: before,
		Visitor:  fetch.NewCrawler(fetch.New(fetch.Options{}), fetch.CrawlerOptions{}),
	})
}

func rsl(pattern string) string {
	return `<rsl xmlns="https://rslstandard.org/rsl"><content url="` + pattern + `"><license><payment type="purchase"><amount>1</amount></payment></license></content></rsl>`
}

const ramp = `<urlset xmlns:ramp="https://ramp.dev/sitemap/1.0"><url><loc>HOST/1</loc><lastmod>2027-01-01</lastmod><ramp:content><ramp:tokens>7</ramp:tokens></ramp:content></url>
	<url><loc>/2</loc></url><url><loc>https://other.example/3</loc><ramp:content tokens="3"/></url></urlset>`

// whole is a site that states something at each place that there is.
func whole(t *testing.T) *host {
	h := newHost(t)
	h.pages = map[string]page{
		"/robots.txt": {body: "User-agent: *\nAllow: /\nLicense: HOST/robots.xml\nLicense: /gone.xml\nSitemap: " +
			"HOST/index.xml\n"},
		"/robots.xml": {body: rsl("/robots"), header: map[string]string{"Etag": `"1"`}},
		"/": {body: `<!doctype html><link rel="license" type="application/rsl+xml" href="link.xml"><script type="application/rsl+xml">` + rsl("/script") + `</script>
			<link rel="alternate" type="application/rss+xml" href="/feed"><link rel="alternate" type="application/rss+xml" href="/broken">`,
			header: map[string]string{"Link": `</header.xml>; rel="license"; type="application/rsl+xml"`}},
		"/header.xml":  {body: rsl("/header")},
		"/link.xml":    {body: rsl("/link")},
		"/feed":        {body: `<rss xmlns:rsl="https://rslstandard.org/rsl"><channel><item><link>HOST/item</link><rsl:license/></item></channel></rss>`},
		"/broken":      {body: "<rss>"},
		"/rsl.txt":     {body: rsl("/rsl")},
		"/sitemap.xml": {body: `<urlset><url><loc>HOST/1</loc></url></urlset>`},
		"/index.xml":   {body: `<sitemapindex><sitemap><loc>HOST/map.xml</loc><lastmod>2027-01-02</lastmod></sitemap></sitemapindex>`},
		"/map.xml":     {body: ramp},
	}
	return h
}

func TestEveryPlaceIsAsked(t *testing.T) {
	t.Parallel()
	h := whole(t)
	s, err := h.read(nil, true)
	if err != nil {
		t.Fatal(err)
	}
	var documents []string
	for _, d := range s.Documents {
		documents = append(documents, strings.TrimPrefix(d.Place, h.server.URL))
	}
	if want := []string{"/robots.xml", "/header.xml", "/link.xml", "/#1", "/feed", "/rsl.txt"}; !slices.Equal(documents,
		want) {
		t.Errorf("documents %q, want %q", documents, want)
	}
	want := []Address{
		{URL: h.server.URL + "/1", Place: h.server.URL + "/map.xml", Source: RAMPSitemap, Modified: "2027-01-01",
			Stated: &licence.Stated{Tokens: 7}},
		{URL: h.server.URL + "/2", Place: h.server.URL + "/map.xml", Source: Sitemap},
	}
	if diff := cmp.Diff(want, s.Addresses); diff != "" {
		t.Error(diff)
	}
	notes := strings.Join(s.Notes, "\n")
	for _, part := range []string{"/gone.xml is named", "the feed", "1 addresses of sitemaps are of other hosts"} {
		if !strings.Contains(notes, part) {
			t.Errorf("the notes do not tell of %q: %s", part, notes)
		}
	}
	if s, err = h.read(nil, false); err != nil || len(s.Addresses) != 1 {
		t.Errorf("of a site of one's own: %+v, %v", s, err)
	}
	if got := s.Terms([]string{"127.0.0.1"}, 1); len(got.Documents) != 6 || len(got.Addresses) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestWhatIsAsItWasIsNotSentAgain(t *testing.T) {
	t.Parallel()
	h := whole(t)
	before, err := h.read(nil, true)
	if err != nil {
		t.Fatal(err)
	}
	h.mu.Lock()
	h.pages["/robots.xml"] = page{body: "damaged", header: h.pages["/robots.xml"].header} // which nobody is sent
	// whose date in the index is the same
	h.pages["/map.xml"] = page{body: "damaged"}
	h.mu.Unlock()
	s, err := h.read(before, true)
	if err != nil {
		t.Fatal(err)
	}
	s.Notes = before.Notes // which do not tell of others' addresses in a list that was not read
	if diff := cmp.Diff(before, s); diff != "" {
		t.Error(diff)
	}
	if slices.Contains(h.asked, "/map.xml") {
		t.Error("a list that has not changed is asked for")
	}
	if _, err = h.read(nil, true); err == nil {
		t.Error("a full reading asks for nothing more")
	}
	h.mu.Lock()
	h.pages["/robots.xml"] = page{body: rsl("/new"), header: map[string]string{"Etag": `"2"`}}
	h.pages["/index.xml"] = page{body: `<sitemapindex><sitemap><loc>HOST/map.xml</loc><lastmod>2027-01-03</lastmod></sitemap></sitemapindex>`}
	h.pages["/map.xml"] = page{body: strings.ReplaceAll(ramp, "/1<", "/9<")}
	h.mu.Unlock()
	if s, err = h.read(before, true); err != nil || !bytes.Contains(s.Documents[0].Text, []byte("/new")) ||
		!strings.HasSuffix(s.Addresses[1].URL, "/9") {
		t.Errorf("what changed is not read: %+v, %v", s, err)
	}
}

// TestAReadingThatIsCutAnywhereIsNone breaks the line at each byte of each document, and fails it
// in other ways. There is no reading then.
func TestAReadingThatIsCutAnywhereIsNone(t *testing.T) {
	t.Parallel()
	h := whole(t)
	delete(h.pages, "/broken")
	before, err := h.read(nil, true)
	if err != nil {
		t.Fatal(err)
	}
	for path, p := range h.pages {
		length := len(strings.ReplaceAll(p.body, "HOST", h.server.URL))
		step := 1
		if testing.Short() {
			step = 37
		}
		for at := 0; at < length; at += step {
			h.mu.Lock()
			h.cut = map[string]int{path: at}
			h.mu.Unlock()
			s, err := h.read(nil, true)
			if path == "/feed" && err == nil { // nobody knows yet that it carries licences
				s, err = h.read(before, true)
			}
			if err == nil {
				t.Fatalf("%s is taken cut at %d of %d bytes, with %d documents", path, at, length, len(s.Documents))
			}
		}
	}
	h.mu.Lock()
	h.cut = nil
	h.mu.Unlock()
	for path, p := range h.pages {
		for _, bad := range []page{{status: 500}, {status: 429}, {body: "<rsl>"},
			{body: "<!DOCTYPE rsl [<!ENTITY a 'b'>]><rsl><content url='&a;'/></rsl>"}} {
			if bad.body != "" && (path == "/" || path == "/robots.txt") {
				continue // what says nothing of licences
			}
			h.mu.Lock()
			h.pages[path] = bad
			h.mu.Unlock()
			known := before
			if path == "/map.xml" {
				known = nil // else the index says that it is what it was
			}
			if _, err := h.read(known, true); err == nil {
				t.Errorf("%s is taken with %+v", path, bad)
			}
			h.mu.Lock()
			h.pages[path] = p
			h.mu.Unlock()
		}
	}
}

// TestWhatAFrontDeskMadeIsNotReadBack has a site name the document that its own front desk made of
// the terms: read back, it would narrow them more each time.
func TestWhatAFrontDeskMadeIsNotReadBack(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.pages["/rsl.txt"] = page{body: "<?xml version=\"1.0\"?>\n" + licence.Mark + rsl("/")}
	h.pages["/sitemap.xml"] = page{body: "<?xml version=\"1.0\"?>\n" + licence.Mark + ramp}
	for served, documents := range map[bool]int{true: 0, false: 1} {
		s, err := Read(t.Context(), Request{
			Site: "a", URL: h.server.URL, Own: true, Hosts: []string{"127.0.0.1"}, ServedHere: served,
			Visitor: fetch.NewCrawler(fetch.New(fetch.Options{}), fetch.CrawlerOptions{}),
		})
		if err != nil || len(s.Documents) != documents || len(s.Addresses) != documents || len(s.Notes) != 2-documents {
			t.Errorf("served here %t: %+v, %v", served, s, err)
		}
	}
}

func TestSitesWithoutLicencesStateNothing(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	if s, err := h.read(nil, true); err != nil || len(s.Documents)+len(s.Addresses)+len(s.Notes) > 0 {
		t.Errorf("%+v, %v", s, err)
	}
	// as sites answer that have a page for everything
	for _, path := range []string{"/", "/rsl.txt", "/sitemap.xml", "/sitemap_index.xml"} {
		h.pages[path] = page{body: "<!DOCTYPE html><title>Nothing</title>"}
	}
	if s, err := h.read(nil, true); err != nil || len(s.Documents)+len(s.Addresses)+len(s.Notes) > 0 {
		t.Errorf("%+v, %v", s, err)
	}
	h.pages["/robots.txt"] = page{body: "User-agent: *\nDisallow: /rsl.txt\nSitemap: /circle.xml\nSitemap: " +
		"/packed.xml.gz\n"}
	h.pages["/rsl.txt"] = page{body: rsl("/")}
	h.pages["/circle.xml"] =
		page{
			body: `<sitemapindex><sitemap><loc>/circle.xml</loc></sitemap><sitemap><loc>/sitemap.xml</loc></sitemap></sitemapindex>`,
		}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte(strings.ReplaceAll(ramp, "HOST", h.server.URL)))
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	h.pages["/packed.xml.gz"] = page{body: packed.String()}
	s, err := h.read(nil, false)
	if err != nil || len(s.Documents) > 0 || len(s.Addresses) != 1 ||
		!strings.Contains(strings.Join(s.Notes, " "), "robots.txt keeps visitors") {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestWhatIsStatedIsKeptWhole(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		now, ctx := noon, t.Context()
		db := open(t, Schema)
		k := New(db, func() time.Time { return now })
		if s, version, err := k.Load(ctx, "a"); s != nil || version != 0 || err != nil {
			t.Fatalf("%+v, %d, %v", s, version, err)
		}
		hold := func(want bool) {
			t.Helper()
			if held, err := k.Claim(ctx, "a"); held != want || err != nil {
				t.Fatalf("%t, %v", held, err)
			}
		}
		hold(true)
		hold(false)
		if err := k.Release(ctx, "a"); err != nil {
			t.Fatal(err)
		}
		hold(true)
		now = now.Add(heldFor + time.Second) // who held it is gone
		hold(true)
		s := &Snapshot{Site: "a", Documents: []Document{{"x", []byte(rsl("/"))}}, Notes: []string{"note"}}
		for i := range 30_000 {
			s.Addresses = append(s.Addresses, Address{URL: fmt.Sprintf("https://a.example/%d/%x", i, i*7919),
				Place: "map", Source: RAMPSitemap, Stated: &licence.Stated{Tokens: i}})
		}
		next := now.Add(time.Hour)
		if err := k.Put(ctx, s, next, false); err != nil {
			t.Fatal(err)
		}
		got, version, err := New(db, time.Now).Load(ctx, "a")
		if err != nil || version != 1 || !cmp.Equal(s, got) {
			t.Fatalf("version %d, %v, %s", version, err, cmp.Diff(s, got)[:min(200, len(cmp.Diff(s, got)))])
		}
		want := []Status{{Site: "a", Version: 1, Read: now, Tried: now, Next: next, Documents: 1, Addresses: 30_000,
			Notes: []string{"note"}}}
		if all, err := k.Statuses(ctx); err != nil || !cmp.Equal(all, want) {
			t.Errorf("%v %s", err, cmp.Diff(want, all))
		}
		for name, poor := range map[string]*Snapshot{
			"nothing": {Site: "a"}, "no documents": {Site: "a", Addresses: s.Addresses},
			"no addresses":   {Site: "a", Documents: s.Documents},
			"less than half": {Site: "a", Documents: s.Documents, Addresses: s.Addresses[:14_000]},
		} {
			err := k.Put(ctx, poor, next, false)
			if err == nil || !strings.Contains(err.Error(), "allow_shrink") {
				t.Errorf("%s: %v", name, err)
			}
			now = now.Add(time.Minute)
			if err := k.RecordFailure(ctx, "a", errors.New("it was "+name), next); err != nil {
				t.Fatal(err)
			}
			all, err := k.Statuses(ctx)
			if got, version, _ := k.Load(ctx, "a"); err != nil || version != 1 || len(got.Addresses) != 30_000 ||
				all[0].Problem != "it was "+name || !all[0].Tried.Equal(now) {
				t.Errorf("%s: %d, %v, %+v", name, version, err, all)
			}
		}
		if err := k.Put(ctx, &Snapshot{Site: "a"}, next, true); err != nil {
			t.Error(err)
		}
		if got, version, err := k.Load(ctx, "a"); err != nil || version != 2 || len(got.Addresses) > 0 {
			t.Errorf("%+v, %d, %v", got, version, err)
		}
	})
}

func TestTheSourceThatCountsFirstIsFirst(t *testing.T) {
	t.Parallel()
	s := Snapshot{Addresses: []Address{
		{URL: "a", Place: "3", Source: CMS}, {URL: "a", Place: "2", Source: Sitemap},
		{URL: "a", Place: "1", Source: RAMPSitemap}, {URL: "b", Place: "x", Source: Sitemap}, {URL: "", Place: "y"},
	}}
	x := s.Index(func(address string) string { return address })
	var places []string
	for _, a := range x.At("a") {
		places = append(places, a.Place)
	}
	if !slices.Equal(places, []string{"1", "2", "3"}) || len(x.At("")) > 0 || len(x.At("c")) > 0 {
		t.Errorf("%q", places)
	}
	for text, want := range map[string]string{"2027-01-02": "2027-01-02T00:00:00Z",
		"2027-01-02T03:04:05+01:00": "2027-01-02T02:04:05Z", "2027": "2027-01-01T00:00:00Z",
		"soon": "0001-01-01T00:00:00Z"} {
		if got := (&Address{Modified: text}).ModifiedAt().Format(time.RFC3339); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
	if len(Sources) != 7 || Sources[0] != RAMPSitemap || Sources[1] != RSL || Sources[2] != Sitemap ||
		Sources[3] != Crawl || Sources[4] != CMS || Sources[5] != Manual || Sources[6] != Pushed {
		t.Errorf("%q", Sources) // RAMP v1, Ingestion
	}
}

func TestAReadingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	h := whole(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ctx,
		Request{Site: "a", URL: h.server.URL, Own: true, Visitor: fetch.NewCrawler(fetch.New(fetch.Options{}),
			fetch.CrawlerOptions{})}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestWhatIsWrittenOfAnAddressIsReadBackEqual writes what the RAMP extension may state, and reads
// it as a sitemap.
func TestWhatIsWrittenOfAnAddressIsReadBackEqual(t *testing.T) {
	t.Parallel()
	word, uses := rapid.StringMatching(`[a-zA-Z0-9<>&"' .-]{1,20}`), []string{"all", "ai-all", "ai-train", "ai-input", "ai-index", "search"}
	rapid.Check(t, func(t *rapid.T) {
		text := func(name string) string {
			if !rapid.Bool().Draw(t, name) {
				return ""
			}
			return strings.TrimSpace(word.Draw(t, name))
		}
		lists := func(name string) []string {
			if !rapid.Bool().Draw(t, name) {
				return nil
			}
			return append([]string{}, rapid.SliceOfNDistinct(rapid.SampledFrom(uses), 0, 3, rapid.ID).Draw(t, name)...)
		}
		want := licence.Stated{
			Tokens: rapid.IntRange(0, 1e9).Draw(t, "tokens"), Words: rapid.IntRange(0, 1e9).Draw(t, "words"),
			ContentID: text("id"),
			Permits:   lists("permits"), Prohibits: lists("prohibits"), ContentType: strings.ToLower(text("type")),
			SourceType: rapid.SampledFrom([]string{"", "human", "ai", "hybrid"}).Draw(t, "by"),
		}
		if name := text("author"); name != "" {
			want.Authors = []string{name, "B"}
		}
		if rapid.Bool().Draw(t, "priced") {
			want.Priced = true
			want.Model = rapid.SampledFrom([]string{"per_access", "per_token", "per_fetch", "subscription", "free",
				"attribution", "contribution", "training"}).Draw(t, "model")
			if rapid.Bool().Draw(t, "rate") {
				want.Rate, want.Currency = "0.00000001", "EUR"
			}
		}
		document := `<urlset xmlns:ramp="` + licence.SitemapNamespace + `"><url><loc>https://a.example/</loc>` + want.XML() + "</url></urlset>"
		var got *licence.Stated
		if _, err := sitemap.Read(strings.NewReader(document),
			func(e sitemap.Entry) error { got = e.Stated; return nil }); err != nil || got == nil {
			t.Fatalf("%v\n%s", err, document)
		}
		if diff := cmp.Diff(want, *got); diff != "" {
			t.Fatalf("%s\n%s", diff, document)
		}
	})
}
