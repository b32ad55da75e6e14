package ingest

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/testkit/storetest"
)

// host is a web site whose pages a test changes between runs. It counts who asks for what.
type host struct {
	*testing.T
	server  *httptest.Server
	catalog *content.Catalog
	web     Web
	source  Source
	options Options
	now     time.Time

	mu    sync.Mutex
	pages map[string]answer
	asked []string // what was asked for, robots.txt and probes left out; " (304)" behind what was not sent again
}

// answer is what stands at an address.
type answer struct {
	status int // 200 if 0
	header map[string]string
	body   string
	do     http.HandlerFunc // instead of all that
}

func newHost(t *testing.T) *host {
	h := &host{T: t, pages: map[string]answer{}, now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	h.server = httptest.NewServer(h)
	t.Cleanup(h.server.Close)
	db := storetest.Open(t, storetest.NewSQLite(t), content.Schema)
	h.catalog = content.New(db, content.Options{Now: h.clock})
	h.options.Now = h.clock
	h.visitor(0)
	return h
}

func (h *host) clock() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

// sleep lets the time pass at once.
func (h *host) sleep(ctx context.Context, d time.Duration) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
	return ctx.Err()
}

// visitor gives the runs from now on a visitor that has not asked for anything yet.
func (h *host) visitor(interval time.Duration) {
	fetcher := fetch.New(fetch.Options{Now: h.clock})
	h.web.Crawler = fetch.NewCrawler(fetcher, fetch.CrawlerOptions{Interval: interval, Sleep: h.sleep})
}

func (h *host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	address := r.URL.RequestURI()
	a, known := h.pages[address]
	if !known {
		a, known = h.pages[r.URL.Path+"*"] // with any query
	}
	if !known {
		a = h.pages["*"]
		if a.body == "" && a.do == nil && a.status == 0 {
			a.status = http.StatusNotFound
		}
	}
	note := address
	if r.Header.Get("If-None-Match") != "" && r.Header.Get("If-None-Match") == a.header["ETag"] && known {
		a = answer{status: http.StatusNotModified}
		note += " (304)"
	}
	if address != "/robots.txt" && !strings.Contains(address, probeAddress) &&
		!(address == "/sitemap.xml" && a.status == http.StatusNotFound) {
		h.asked = append(h.asked, note)
	}
	h.mu.Unlock()
	if a.do != nil {
		a.do(w, r)
		return
	}
	if !strings.HasPrefix(a.body, "<?xml") && !strings.HasPrefix(a.body, "\x1f\x8b") {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
	} else {
		w.Header().Set("Content-Type", "application/xml")
	}
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
	fmt.Fprint(w, strings.ReplaceAll(a.body, "HOST", h.server.URL))
}

// put sets what stands at an address.
func (h *host) put(address, body string, header ...string) {
	a := answer{body: body, header: map[string]string{}}
	for i := 0; i < len(header); i += 2 {
		a.header[header[i]] = header[i+1]
	}
	h.set(address, a)
}

func (h *host) set(address string, a answer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pages[address] = a
}

func (h *host) drop(addresses ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, address := range addresses {
		delete(h.pages, address)
	}
}

// pageOf is a page about something, with links.
func pageOf(name string, links ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<html lang=en><head><title>%s</title></head><body><main><h1>%s</h1><p>", name, name)
	fmt.Fprintf(&b,
		"The page about %s tells you all that there is to know of %s and why people like %s so much every day.", name,
		name, name)
	b.WriteString("</p></main>")
	for _, link := range links {
		fmt.Fprintf(&b, `<a href="%s">on</a> `, link)
	}
	b.WriteString("</body></html>")
	return b.String()
}

func (h *host) run() (Report, error) {
	h.Helper()
	h.mu.Lock()
	h.asked = nil
	h.mu.Unlock()
	web := h.web
	if !strings.Contains(web.URL, "://") {
		web.URL = h.server.URL + web.URL
	}
	source := h.source
	source.Site, source.Name, source.Web = "shop.example", "web", &web
	return Run(h.Context(), h.catalog, source, h.options)
}

func (h *host) mustRun() Report {
	h.Helper()
	report, err := h.run()
	if err != nil {
		h.Fatal(err)
	}
	return report
}

// items lists what the catalogue holds, as path and name.
func (h *host) items() []string {
	h.Helper()
	var all []string
	if err := h.catalog.EachItem(h.Context(), "shop.example", func(i content.Item) error {
		all = append(all, strings.TrimPrefix(i.URL, h.server.URL)+" "+i.Name)
		return nil
	}); err != nil {
		h.Fatal(err)
	}
	slices.Sort(all)
	return all
}

func (h *host) wantItems(want ...string) {
	h.Helper()
	slices.Sort(want)
	if diff := cmp.Diff(want, h.items()); diff != "" {
		h.Errorf("items (-want +got):\n%s", diff)
	}
}

func (h *host) wantAsked(want ...string) {
	h.Helper()
	got := slices.Clone(h.asked)
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		h.Errorf("asked for (-want +got):\n%s", diff)
	}
}

func packed(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.String()
}

func sitemapOf(addresses ...string) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
	for _, a := range addresses {
		fmt.Fprintf(&b, "<url><loc>%s</loc></url>", a)
	}
	return b.String() + "</urlset>"
}

func TestSiteIsReadByItsLinks(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.put("/",
		pageOf("home",
			"/a", "b?utm_source=x#part", "https://elsewhere.example/", "mailto:a@b.example", "/a.jpg",
			"javascript:void(0)", "/a"))
	h.put("/a", pageOf("apple", "/c", "/"))
	h.put("/b", pageOf("banana"))
	h.put("/c", pageOf("cherry"))
	h.put("/nobody", pageOf("nobody links here"))
	report := h.mustRun()
	h.wantItems("/ home", "/a apple", "/b banana", "/c cherry")
	h.wantAsked("/", "/a", "/b", "/c")
	if w := report.Web; w.Kind != "crawl" || w.Asked != 4 || w.Failed+w.Gone+w.Unchanged != 0 || w.Cut != "" ||
		w.Bytes == 0 || report.Partial {
		t.Errorf("%+v", w)
	}
	// What is gone leaves; what is no longer linked leaves; what is new comes.
	h.put("/a", pageOf("apple", "/d"))
	h.drop("/b")
	h.put("/d", pageOf("date"))
	report = h.mustRun()
	h.wantItems("/ home", "/a apple", "/d date")
	if w := report.Web; w.Gone != 1 || report.Summary.Removed != 2 || report.Summary.Added != 1 {
		t.Errorf("%+v, %+v", w, report.Summary)
	}
}

func TestRobotsSitemapIsReadInTheFirstPlace(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.put("/robots.txt", "User-agent: *\nDisallow: /private\nSitemap: HOST/index.xml\n", "Content-Type", "text/plain")
	h.put("/index.xml", `<?xml version="1.0"?><sitemapindex><sitemap><loc>HOST/one.xml.gz</loc></sitemap><sitemap><loc>two.xml</loc></sitemap><sitemap><loc>HOST/index.xml</loc></sitemap></sitemapindex>`)
	h.set("/one.xml.gz", answer{do: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/gzip")
		fmt.Fprint(w, packed(sitemapOf(h.server.URL+"/a", h.server.URL+"/private/x")))
	}})
	h.put("/two.xml", sitemapOf("HOST/b", "HOST/a", "https://elsewhere.example/c"))
	h.put("/", pageOf("home", "/linked"))
	h.put("/a", pageOf("apple", "/linked"))
	h.put("/b", pageOf("banana"))
	h.put("/linked", pageOf("not in the sitemap"))
	h.put("/private/x", pageOf("secret"))
	report := h.mustRun()
	h.wantItems("/ home", "/a apple", "/b banana")
	h.wantAsked("/", "/index.xml", "/one.xml.gz", "/two.xml", "/a", "/b")
	if w := report.Web; w.Kind != "sitemap" || w.Disallowed != 1 {
		t.Errorf("%+v", w)
	}
	// What the sitemap names no more leaves, although it still answers.
	h.put("/two.xml", sitemapOf())
	if report = h.mustRun(); report.Summary.Removed != 1 {
		t.Errorf("%+v", report.Summary)
	}
	h.wantItems("/ home", "/a apple")
}

func TestSchemaMapGoesBeforeSitemap(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.put("/robots.txt", "Sitemap: HOST/sitemap.xml\nschemamap: HOST/schemamap.xml\n", "Content-Type", "text/plain")
	h.put("/sitemap.xml", sitemapOf("HOST/a"))
	h.put("/schemamap.xml", `<?xml version="1.0"?><urlset><url contentType="structuredData/schema.org"><loc>HOST/feeds/all.jsonl</loc></url><url contentType="structuredData/schema.org"><loc>/feeds/news.xml</loc></url></urlset>`)
	h.put("/feeds/all.jsonl", `{"@type":"Book","name":"one","url":"/one"}`+"\n"+`{"@type":"Book","name":"two","url":"HOST/two"}`, "Content-Type", "application/jsonl", "ETag", `"x"`)
	h.put("/feeds/news.xml", rss("three"))
	h.put("/", pageOf("home"))
	h.put("/a", pageOf("apple"))
	report := h.mustRun()
	h.wantItems("/ home", "/one one", "/two two", "/three three")
	if w := report.Web; w.Kind != "schemamap" {
		t.Errorf("%+v", w)
	}
	h.put("/feeds/news.xml", rss("four"))
	h.mustRun()
	h.wantItems("/ home", "/one one", "/two two", "/four four")
	h.wantAsked("/", "/schemamap.xml", "/feeds/all.jsonl (304)", "/feeds/news.xml")
}

func TestEntryOfAFeedGivesWayToDataOfTheSameItem(t *testing.T) {
	t.Parallel()
	entry := func(kind, path string) string {
		return `<url contentType="structuredData/` + kind + `"><loc>HOST` + path + `</loc></url>`
	}
	data, news := entry("schema.org", "/all.jsonl"), entry("rss", "/news.xml")
	for name, entries := range map[string]string{"data first": data + news, "news first": news + data} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			h.put("/robots.txt", "schemamap: HOST/schemamap.xml\n", "Content-Type", "text/plain")
			h.put("/schemamap.xml", `<?xml version="1.0"?><urlset>`+entries+`</urlset>`)
			h.put("/all.jsonl", `{"@type":"Book","name":"one","url":"/one","isbn":"1"}`, "Content-Type", "application/jsonl", "ETag", `"x"`)
			h.put("/news.xml", rss("one", "two"))
			h.put("/", pageOf("home"))
			// with data that were read, and with data that are as they were
			for _, added := range []string{"", "three"} {
				if added != "" && name == "data first" {
					h.put("/news.xml", rss("one", "two", added))
				}
				h.mustRun()
				h.catalog.EachItem(t.Context(), "shop.example", func(i content.Item) error {
					if strings.HasSuffix(i.URL, "/one") && i.Types[0] != "Book" {
						t.Errorf("the entry was taken for the item: %s", i.Object)
					}
					return nil
				})
			}
		})
	}
}

// rss is a feed with an entry for each name.
func rss(names ...string) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>News</title><link>HOST/</link><language>en</language>`)
	for _, n := range names {
		fmt.Fprintf(&b, `<item><title>%s</title><link>HOST/%s?utm_source=rss</link><description>About &lt;b&gt;%s&lt;/b&gt; in short.</description>
			<content:encoded><![CDATA[<p>All that there is to say of %s.</p><p>And more.</p>]]></content:encoded><pubDate>Fri, 20 Nov 2026 10:00:00 GMT</pubDate><category>fruit</category></item>`, n, n, n, n)
	}
	return b.String() + "</channel></rss>"
}

func TestFeedGivesItsEntries(t *testing.T) {
	t.Parallel()
	atom := `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title>Neues</title><link href="HOST/"/>
		<entry><title type="html">Apfel &amp;amp; Birne</title><link rel="alternate" href="/apfel"/><id>urn:1</id><updated>2026-11-20T10:00:00Z</updated>
		<author><name>Anna</name></author><summary>Kurz.</summary><content type="html">&lt;p&gt;Lang und breit.&lt;/p&gt;</content></entry></feed>`
	json := `{"version":"https://jsonfeed.org/version/1.1","title":"News","items":[{"id":"1","url":"HOST/apfel","title":"Apfel & Birne","content_html":"<p>Lang und breit.</p>"}]}`
	for name, body := range map[string]string{"rss": strings.ReplaceAll(rss("apfel"),
		"<title>apfel", "<title>Apfel &amp;amp; Birne"), "atom": atom, "json": json} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			h.web.URL = "/feed"
			h.put("/feed", body)
			if name == "json" {
				h.put("/feed", body, "Content-Type", "application/feed+json")
			}
			report := h.mustRun()
			h.wantItems("/apfel Apfel & Birne")
			h.wantAsked("/feed")
			if report.Web.Kind != "feed" {
				t.Errorf("%+v", report.Web)
			}
			h.catalog.EachItem(t.Context(), "shop.example", func(i content.Item) error {
				if i.Types[0] != "Article" || len(i.Passages) != 1 ||
					strings.Contains(i.Passages[0].Text+i.Description, "<") || i.Origin != h.server.URL+"/feed#1" ||
					name != "json" && i.Published.IsZero() && i.Modified.IsZero() {
					t.Errorf("%+v", i)
				}
				return nil
			})
		})
	}
}

func TestEntryIsReadWithoutWhatTheSitePutsBehindEach(t *testing.T) {
	t.Parallel()
	credit := `<p>Der Beitrag <a href="HOST/soup">Tom&#8217;s soup</a> erschien zuerst auf <a href="HOST">Mahlzeit</a>.</p>`
	opening := "The leeks came in on Monday and by evening the whole kitchen smelled of butter and thyme, as " +
		"it does each"
	h := newHost(t)
	h.put("/", `<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Mahlzeit</title>`+
		`<item><title>Tom&#8217;s soup</title><link>HOST/soup</link><description><![CDATA[<p>`+opening+` [&#8230;]</p>`+"\n"+credit+`]]></description>`+
		`<content:encoded><![CDATA[<p>`+opening+` winter.</p><p>See <a href="/x">more</a> of <a href="/y">it</a>.</p>`+credit+`]]></content:encoded></item></channel></rss>`)
	h.mustRun()
	var item content.Item
	if err := h.catalog.EachItem(t.Context(), "shop.example", func(i content.Item) error {
		item = i
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if item.Name != "Tom’s soup" || item.Description != opening+" winter." {
		t.Errorf("%q: %q", item.Name, item.Description)
	}
	for _, passage := range item.Passages {
		if strings.Contains(passage.Text, "Mahlzeit") || !strings.Contains(passage.Text, "See more of it.") {
			t.Errorf("%q", passage.Text)
		}
	}
}

func TestEntriesThatMovedOutOfAFeedStayAndThoseTakenOutLeave(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.web.URL = "/feed"
	for _, step := range []struct {
		feed []string
		want string
	}{
		{[]string{"c", "b", "a"}, "a b c"},
		{[]string{"d", "c", "b"}, "a b c d"},
		{[]string{"e", "d", "b"}, "a b d e"},       // c was taken out
		{[]string{"i", "h", "g"}, "a b d e g h i"}, // all at once
		{[]string{"i", "h", "g"}, "a b d e g h i"},
		{[]string{"j", "i", "g"}, "a b d e g i j"},
	} {
		h.put("/feed", rss(step.feed...))
		h.mustRun()
		var want []string
		for _, n := range strings.Fields(step.want) {
			want = append(want, "/"+n+" "+n)
		}
		h.wantItems(want...)
	}
	h.web.Complete = true
	h.put("/feed", rss("j", "i", "g", "k"))
	h.options.AllowShrink = true
	h.mustRun()
	h.wantItems("/g g", "/i i", "/j j", "/k k")
}

func TestSiteThatIsDownLeavesTheCatalogueAsItIs(t *testing.T) {
	t.Parallel()
	for name, break_ := range map[string]func(h *host){
		"every page fails":   func(h *host) { h.pages = map[string]answer{"*": {status: 500, body: "down"}} },
		"nothing is there":   func(h *host) { h.pages = map[string]answer{} },
		"the start fails":    func(h *host) { h.set("/", answer{status: 503}) },
		"nobody is let in":   func(h *host) { h.pages = map[string]answer{"*": {status: 403, body: "no"}} },
		"robots.txt fails":   func(h *host) { h.set("/robots.txt", answer{status: 500}); h.visitor(0) },
		"robots.txt forbids": func(h *host) { h.put("/robots.txt", "User-agent: *\nDisallow: /"); h.visitor(0) },
		"the start is text":  func(h *host) { h.put("/", "Under construction", "Content-Type", "text/plain") },
		"the server is gone": func(h *host) { h.server.Close() },
		"it is a feed now":   func(h *host) { h.web.Kind = "feed" },
		"only the start stays": func(h *host) {
			h.pages = map[string]answer{"/": {body: pageOf("home")}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			var links []string
			for i := range 9 {
				links = append(links, fmt.Sprint("/p", i))
				h.put(links[i], pageOf(fmt.Sprint("page ", i)))
			}
			h.put("/", pageOf("home", links...))
			h.mustRun()
			before := h.items()
			break_(h)
			report, err := h.run()
			if fail.From(err).Code != fail.Invalid || !strings.Contains(err.Error(), "nothing was changed") {
				t.Errorf("%v, %+v", err, report.Web)
			}
			h.wantItems(before...)
			sources, err := h.catalog.Sources(t.Context())
			if err != nil || sources[0].LastError == "" {
				t.Errorf("%+v, %v", sources, err)
			}
		})
	}
}

func TestPageThatFailsKeepsWhatItHeldAndWhatItLeadsTo(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.put("/", pageOf("home", "/a", "/x"))
	h.put("/a", pageOf("apple", "/b"))
	h.put("/b", pageOf("banana"))
	h.put("/x", pageOf("x"))
	h.mustRun()
	h.set("/a", answer{status: 502, body: "bad gateway"})
	h.put("/b", pageOf("better banana"))
	h.drop("/x")
	report := h.mustRun()
	h.wantItems("/ home", "/a apple", "/b better banana")
	if w := report.Web; w.Failed != 1 || w.Gone != 1 || w.Cut != "" || report.SkippedCount != 1 ||
		!strings.HasSuffix(report.Skipped[0].Origin, "/a") || !strings.Contains(report.Skipped[0].Reason, "502") {
		t.Errorf("%+v, %+v", w, report.Skipped)
	}
	h.put("/a", pageOf("apple again", "/b"))
	h.mustRun()
	h.wantItems("/ home", "/a apple again", "/b better banana")
}

func TestNothingUnseenLeavesWhenAnUnknownPageFails(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.put("/", pageOf("home", "/a", "/b"))
	h.put("/a", pageOf("apple", "/c"))
	h.put("/b", pageOf("banana"))
	h.put("/c", pageOf("cherry"))
	h.mustRun()
	// The way to the cherry goes by a new page, which does not answer.
	h.put("/", pageOf("home", "/new"))
	h.set("/new", answer{status: 500})
	report := h.mustRun()
	h.wantItems("/ home", "/a apple", "/b banana", "/c cherry")
	if report.Web.Cut == "" || !report.Partial {
		t.Errorf("%+v", report.Web)
	}
	h.put("/new", pageOf("news", "/c"))
	h.options.AllowShrink = true
	h.mustRun()
	h.wantItems("/ home", "/new news", "/c cherry")
}

func TestPageThatNeverAnswersDoesNotKeepOthersForEver(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.put("/", pageOf("home", "/a", "/b", "/c", "/broken"))
	h.put("/a", pageOf("apple"))
	h.put("/b", pageOf("banana"))
	h.put("/c", pageOf("cherry"))
	h.set("/broken", answer{status: 500})
	h.mustRun()
	h.put("/", pageOf("home", "/a", "/b", "/broken")) // nothing leads to the cherry any more
	if report := h.mustRun(); report.Web.Cut == "" {
		t.Errorf("%+v", report.Web)
	}
	h.wantItems("/ home", "/a apple", "/b banana", "/c cherry")
	if err := h.sleep(t.Context(), givenUpAfter); err != nil {
		t.Fatal(err)
	}
	h.visitor(0)
	if report := h.mustRun(); report.Web.Cut != "" || report.Web.Failed != 1 {
		t.Errorf("%+v", report.Web)
	}
	h.wantItems("/ home", "/a apple", "/b banana")
}

func TestListThatCannotBeHadDoesNotKeepOthersForEver(t *testing.T) {
	t.Parallel()
	for name, where := range map[string]string{"it fails": "HOST/failing.xml",
		"it is refused": "http://169.254.169.254/list.xml"} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			h.web.Kind = "sitemap"
			index := `<?xml version="1.0"?><sitemapindex><sitemap><loc>HOST/pages.xml</loc></sitemap><sitemap><loc>` + where + `</loc></sitemap></sitemapindex>`
			h.put("/", index)
			h.set("/failing.xml", answer{status: 500})
			h.put("/pages.xml", sitemapOf("/a", "/b", "/c"))
			for _, page := range []string{"a", "b", "c"} {
				h.put("/"+page, pageOf(page))
			}
			h.mustRun()
			h.put("/pages.xml", sitemapOf("/a", "/b"))
			if report := h.mustRun(); !report.Partial && report.Web.Cut == "" {
				t.Errorf("%+v", report.Web)
			}
			h.wantItems("/a a", "/b b", "/c c")
			if err := h.sleep(t.Context(), givenUpAfter); err != nil {
				t.Fatal(err)
			}
			h.visitor(0)
			if report := h.mustRun(); report.Web.Cut != "" {
				t.Errorf("%+v", report.Web)
			}
			h.wantItems("/a a", "/b b")
		})
	}
}

func TestTrapDoesNotGrowFromRunToRun(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.put("/", pageOf("home", "/calendar/1"))
	h.set("*", answer{do: func(w http.ResponseWriter, r *http.Request) {
		m := 0
		if !strings.HasPrefix(r.URL.Path, "/calendar/") {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		fmt.Sscan(strings.TrimPrefix(r.URL.Path, "/calendar/"), &m)
		w.Header().Set("Content-Type", "text/html")
		var links []string
		for i := range 20 {
			links = append(links, fmt.Sprintf("/calendar/%d", m+i+1))
		}
		fmt.Fprint(w, pageOf("calendar", links...))
	}})
	h.mustRun()
	first := len(h.items())
	for range 3 {
		h.mustRun()
	}
	if now := len(h.items()); now > first+3 {
		t.Errorf("%d items became %d although nothing changed", first, now)
	}
}

func TestListThatFailsRemovesNothing(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.web.URL, h.web.Kind = "/sitemap.xml", "sitemap"
	index := `<?xml version="1.0"?><sitemapindex><sitemap><loc>/1.xml</loc></sitemap><sitemap><loc>/2.xml</loc></sitemap></sitemapindex>`
	h.put("/sitemap.xml", index)
	h.put("/1.xml", sitemapOf("/a", "/b"))
	h.put("/2.xml", sitemapOf("/c"))
	for _, n := range []string{"a", "b", "c"} {
		h.put("/"+n, pageOf(n))
	}
	h.mustRun()
	h.wantItems("/a a", "/b b", "/c c")
	for _, broken := range []answer{{status: 500}, {body: sitemapOf("/c")[:60]},
		{body: "<html>Sorry</html>", status: 503}} {
		h.set("/2.xml", broken)
		h.put("/1.xml", sitemapOf("/a"))
		report := h.mustRun()
		h.wantItems("/a a", "/b b", "/c c")
		if report.Web.Cut == "" {
			t.Errorf("%+v", report.Web)
		}
	}
	h.put("/2.xml", sitemapOf("/c"))
	h.mustRun()
	h.wantItems("/a a", "/c c")
}

func TestOnlyWhatChangedIsSentAgain(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.put("/", pageOf("home", "/a", "/b", "/c"), "ETag", `"h"`)
	h.put("/a", pageOf("apple", "/d"), "ETag", `"1"`)
	h.put("/b", pageOf("banana")) // without a validator: told by its bytes
	h.put("/c", pageOf("cherry"), "ETag", `"1"`)
	h.put("/d", pageOf("date"), "ETag", `"1"`)
	h.mustRun()
	h.put("/c", pageOf("sour cherry"), "ETag", `"2"`)
	report := h.mustRun()
	h.wantAsked("/ (304)", "/a (304)", "/b", "/c", "/d (304)")
	h.wantItems("/ home", "/a apple", "/b banana", "/c sour cherry", "/d date")
	if report.Web.Unchanged != 4 || report.Summary.Changed != 1 || report.Summary.Unchanged != 4 {
		t.Errorf("%+v, %+v", report.Web, report.Summary)
	}
	// Other settings read everything anew.
	h.source.Publisher = "The Orchard"
	if report = h.mustRun(); report.Web.Unchanged != 0 || report.Summary.Changed != 5 {
		t.Errorf("other settings: %+v, %+v", report.Web, report.Summary)
	}
	h.wantAsked("/", "/a", "/b", "/c", "/d")
	// So does what the catalogue has lost.
	if err := h.catalog.Remove(t.Context(), "shop.example", "web"); err != nil {
		t.Fatal(err)
	}
	h.mustRun()
	h.wantItems("/ home", "/a apple", "/b banana", "/c sour cherry", "/d date")
}

func TestTrapsAreLeft(t *testing.T) {
	t.Parallel()
	endless := func(page func(r *http.Request) string) answer {
		return answer{do: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, page(r))
		}}
	}
	for name, trap := range map[string]struct {
		at   string
		most int
		page func(r *http.Request) string
	}{
		"a page that links to the next for ever": {"/loop*", 80, func(r *http.Request) string {
			n := 0
			fmt.Sscan(r.URL.Query().Get("n"), &n)
			return pageOf("more", fmt.Sprintf("/loop?n=%d", n+1))
		}},
		"a calendar": {"/calendar*", 80, func(r *http.Request) string {
			m := 0
			fmt.Sscan(r.URL.Query().Get("month"), &m)
			return pageOf("calendar", fmt.Sprintf("/calendar?month=%d", m+1), fmt.Sprintf("/calendar?month=%d", m-1))
		}},
		"sessions": {"/s*", 3, func(r *http.Request) string {
			return pageOf("session", fmt.Sprintf("/s?PHPSESSID=%d", time.Now().UnixNano()),
				fmt.Sprintf("/s;jsessionid=%d", time.Now().UnixNano()))
		}},
		"relative links that grow": {"*", 30, func(r *http.Request) string { return pageOf("grows", "a/b/", "x/") }},
		"a maze of links": {"*", 200, func(r *http.Request) string {
			var links []string
			for i := range 10 {
				links = append(links, fmt.Sprintf("/maze/%x", (len(r.URL.Path)*7919+i)*2654435761%999983))
			}
			return pageOf("maze", links...)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			start := strings.TrimSuffix(trap.at, "*")
			if start == "" {
				start = "/deep/"
			}
			h.put("/", pageOf("home", start, "/good"))
			h.put("/good", pageOf("a good page"))
			h.set(trap.at, endless(trap.page))
			report := h.mustRun()
			if report.Web.Asked > trap.most {
				t.Errorf("%d addresses were asked for: %+v", report.Web.Asked, report.Web)
			}
			if items := h.items(); !slices.Contains(items, "/good a good page") {
				t.Errorf("%q", items)
			}
		})
	}
}

func TestCapsHold(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	var links []string
	for i := range 50 {
		links = append(links, fmt.Sprint("/p", i))
		h.put(links[i], pageOf(fmt.Sprint("number ", strings.Repeat("i", i+1)), fmt.Sprint("/p", i, "/deeper")))
		h.put(links[i]+"/deeper", pageOf(fmt.Sprint("deeper ", strings.Repeat("i", i+1))))
	}
	h.put("/", pageOf("home", links...))
	h.web.Pages = 10
	report := h.mustRun()
	if w := report.Web; w.Asked != 11 || w.Beyond == 0 || len(h.items()) != 11 {
		t.Errorf("%+v", w)
	}
	h.web.Pages, h.web.Depth = 0, 1
	if w := h.mustRun().Web; w.Asked != 51 || w.Beyond != 50 {
		t.Errorf("%+v", w)
	}
	h.web.Depth, h.web.Exclude = 0, []string{"/*/deeper"}
	if w := h.mustRun().Web; w.Asked != 51 {
		t.Errorf("%+v", w)
	}
	// Of a run that may not take longer, nothing that it did not see is removed.
	h.web.Exclude, h.web.Time, h.web.Parallel = nil, 20*time.Second, 1
	h.visitor(time.Second)
	report = h.mustRun()
	if w := report.Web; w.Cut == "" || w.Asked > 25 || report.Summary.Removed != 0 || len(h.items()) < 51 {
		t.Errorf("%+v, %d items", w, len(h.items()))
	}
}

func TestRunIsPolite(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.put("/", pageOf("home", "/a", "/b", "/c"))
	for _, n := range []string{"a", "b", "c"} {
		h.put("/"+n, pageOf(n))
	}
	h.visitor(time.Second)
	start := h.clock()
	h.mustRun()
	// robots.txt, the start, a page that is not there, the sitemap that is not there, and three
	// pages
	if passed := h.clock().Sub(start); passed != 6*time.Second {
		t.Errorf("7 requests took %v", passed)
	}
}

func TestPagesThatAskToBeLeftAloneAre(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.put("/", pageOf("home", "/noindex", "/header", "/header2", "/other", "/nofollow", "/none")+`<a rel="nofollow" href="/x1">x</a><a rel="ugc noopener" href="/x2">x</a>`)
	h.put("/noindex", `<meta name="ROBOTS" content="NOINDEX">`+pageOf("noindex", "/y1"))
	h.put("/header", pageOf("header"), "X-Robots-Tag", "noindex, noarchive")
	h.put("/header2", pageOf("header2"), "X-Robots-Tag", "frontdesk: none")
	h.put("/other", pageOf("other"), "X-Robots-Tag", "googlebot: noindex")
	h.put("/nofollow", `<meta name="robots" content="index, nofollow">`+pageOf("nofollow", "/x3"))
	h.put("/none", `<meta name="frontdesk" content="none">`+pageOf("none", "/x4"))
	h.put("/y1", pageOf("y1"))
	for i := range 5 {
		h.put(fmt.Sprint("/x", i), pageOf("must not be asked for"))
	}
	h.web.Agent = "frontdesk"
	report := h.mustRun()
	h.wantItems("/ home", "/other other", "/nofollow nofollow", "/y1 y1")
	h.wantAsked("/", "/noindex", "/header", "/header2", "/other", "/nofollow", "/none", "/y1")
	if report.Web.Hidden != 4 {
		t.Errorf("%+v", report.Web)
	}
	// A page that hides itself leaves.
	h.put("/other", pageOf("other"), "X-Robots-Tag", "noindex")
	h.mustRun()
	h.wantItems("/ home", "/nofollow nofollow", "/y1 y1")
}

func TestPageThatIsNotThereIsKnownByItsLook(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.put("*", pageOf("We are sorry"))
	h.put("/", pageOf("home", "/a", "/gone"))
	h.put("/a", pageOf("apple"))
	report := h.mustRun()
	h.wantItems("/ home", "/a apple")
	if report.Web.Gone != 1 {
		t.Errorf("%+v", report.Web)
	}
}

func TestRedirectsAreFollowedOnceAndInside(t *testing.T) {
	t.Parallel()
	to := func(address string) answer {
		return answer{status: http.StatusMovedPermanently, header: map[string]string{"Location": address}}
	}
	h := newHost(t)
	h.put("/", pageOf("home", "/old", "/new", "/circle", "/out", "/self"))
	h.set("/old", to("/new"))
	h.put("/new", pageOf("new"))
	h.set("/circle", to("/circle2"))
	h.set("/circle2", to("/circle"))
	h.set("/out", to("http://192.0.2.1/"))
	h.set("/self", to("/self"))
	report := h.mustRun()
	h.wantItems("/ home", "/new new")
	if w := report.Web; w.Useless != 3 || w.Repeated != 1 {
		t.Errorf("%+v, %+v", w, report.Skipped)
	}
	other := newHost(t)
	other.web.URL = "/start"
	other.set("/start", to("/en/"))
	other.put("/en/", pageOf("english", "/en/a", "/de/b"))
	other.put("/en/a", pageOf("apple"))
	other.put("/de/b", pageOf("Birne"))
	other.mustRun()
	other.wantItems("/en/ english", "/en/a apple")
}

func TestAddressesOfPagesAreThoseTheyGive(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.put("/", `<base href="/shop/">`+pageOf("home", "a", "b?sort=price", "b?sort=name"))
	h.put("/shop/a", pageOf("apple")+`<link rel="alternate" hreflang="de" href="/shop/de/a">`)
	h.put("/shop/de/a", strings.Replace(pageOf("Apfel"), "lang=en", "lang=de", 1))
	h.put("/shop/b?sort=price", `<link rel=canonical href="/shop/b">`+pageOf("banana"))
	h.put("/shop/b?sort=name", `<link rel=canonical href="/shop/b">`+pageOf("banana"))
	h.put("/shop/b", `<link rel=canonical href="/shop/b">`+pageOf("banana itself"))
	h.mustRun()
	h.wantItems("/ home", "/shop/a apple", "/shop/de/a Apfel", "/shop/b banana itself")
	h.catalog.EachItem(t.Context(), "shop.example", func(i content.Item) error {
		if german := strings.Contains(i.URL, "/de/"); german != (i.Language == "de") {
			t.Errorf("%s is in %s", i.URL, i.Language)
		}
		return nil
	})
}

func TestEncodingOfThePageIsWhatItsServerSays(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.put("/", strings.ReplaceAll(pageOf("Stra\xdfe"), "stays", "geht"),
		"Content-Type", "text/html; charset=iso-8859-1")
	h.mustRun()
	h.wantItems("/ Straße")
}

func TestBadPageDoesNotStopARun(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.put("/", pageOf("home", "/deep", "/json", "/big", "/bomb", "/bin", "/hang", "/empty", "/good"))
	h.put("/deep", strings.Repeat("<div>", 100_000))
	h.put("/json", `<script type="application/ld+json">{"@type":"Product","name":</script>`+pageOf("json"))
	h.put("/big", strings.Repeat("x", longestPage+1))
	h.set("/bomb", answer{do: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, packed(strings.Repeat("0", 64<<20)))
	}})
	h.put("/bin", "\x00\x01\x02", "Content-Type", "application/octet-stream")
	h.set("/hang", answer{do: func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }})
	h.put("/empty", "")
	h.put("/good", pageOf("good"))
	report := h.mustRun()
	items := h.items()
	if !slices.Contains(items, "/good good") || !slices.Contains(items, "/json json") || report.Web.Failed != 1 ||
		report.Web.Useless != 4 {
		t.Errorf("%q, %+v, %+v", items, report.Web, report.Skipped)
	}
}

func TestWhatIsNoTextIsNoPage(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.put("/", pageOf("home", "/picture", "/other"))
	h.put("/picture", "\xff\xd8\xff\xe0\x00\x10JFIF"+strings.Repeat("\x01\x02\x00\x8f\xe1\x07", 200))
	h.put("/other", pageOf("other"))
	h.mustRun()
	h.wantItems("/ home", "/other other")
}

func TestFirstAnswerThatBurstsSaysSo(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.web.MaxBytes = 1 << 20
	h.put("/", packed("<urlset>"+strings.Repeat(" ", 2<<20)+"</urlset>"))
	if _, err := h.run(); err == nil || !strings.Contains(err.Error(), "cannot be unpacked: it has more than") {
		t.Error(err)
	}
}

func TestFirstRunShowsWhatItHasBeforeItsEnd(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	var links []string
	for i := range 20 {
		links = append(links, fmt.Sprint("/p", i))
		h.put(links[i], pageOf("page "+strings.Repeat("i", i+1)))
	}
	seen := 0
	h.set("/p15", answer{do: func(w http.ResponseWriter, r *http.Request) {
		h.catalog.EachItem(t.Context(), "shop.example", func(content.Item) error { seen++; return nil })
		fmt.Fprint(w, pageOf("fifteen"))
	}})
	h.put("/", pageOf("home", links...))
	h.web.Parallel = 1
	h.visitor(time.Second)
	h.mustRun()
	if seen == 0 || len(h.items()) != 21 {
		t.Errorf("%d were to be seen, %d at the end", seen, len(h.items()))
	}
}

func TestFeedThatIsNestedForEverIsRefused(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.web.URL = "/feed"
	h.put("/feed", `<?xml version="1.0"?><rss><channel><item><title>a</title>`+strings.Repeat("<x:a>", 2_000_000))
	if _, err := h.run(); err == nil || !strings.Contains(err.Error(), "nested deeper than") {
		t.Error(err)
	}
}

func TestPagesThatTheListSaysHaveNotChangedAreNotAskedFor(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.web.URL = "/sitemap.xml"
	list := func(a, b, c string) {
		h.put("/sitemap.xml", `<?xml version="1.0"?><urlset><url><loc>/a</loc><lastmod>`+a+`</lastmod></url><url><loc>/b</loc><lastmod>`+b+
			`</lastmod></url><url><loc>/c</loc><lastmod>`+c+`</lastmod></url></urlset>`)
	}
	for _, n := range []string{"a", "b", "c"} {
		h.put("/"+n, pageOf(n))
	}
	list("2026-11-10T08:00:00+01:00", "2026-11-10", "2026-11-21")
	h.mustRun()
	h.wantAsked("/sitemap.xml", "/a", "/b", "/c")
	h.now = h.now.Add(3 * 24 * time.Hour)
	report := h.mustRun()
	h.wantAsked("/sitemap.xml", "/c") // which may have changed later on that day
	if report.Web.Unchanged != 3 {
		t.Errorf("%+v", report.Web)
	}
	list("2026-11-22T08:00:00Z", "2026-11-10", "2026-11-21")
	h.put("/a", pageOf("a new"))
	h.mustRun()
	h.wantAsked("/sitemap.xml", "/a")
	h.wantItems("/a a new", "/b b", "/c c")
	h.now = h.now.Add(5 * 24 * time.Hour) // and is not believed for ever
	h.mustRun()
	h.wantAsked("/sitemap.xml", "/b")
}

func TestFeedsThatHaveNotChangedAreStillWhatTheSiteHas(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.put("/robots.txt", "Sitemap: HOST/sitemap.xml\nschemamap: HOST/map.xml\n", "Content-Type", "text/plain")
	h.put("/sitemap.xml", sitemapOf("HOST/a"))
	h.put("/map.xml", `<?xml version="1.0"?><urlset><url contentType="structuredData/schema.org"><loc>/all.jsonl</loc></url></urlset>`)
	h.put("/all.jsonl", `{"@type":"Book","name":"one","url":"/one"}`, "Content-Type", "application/jsonl", "ETag", `"x"`)
	h.put("/", pageOf("home"), "ETag", `"h"`)
	h.put("/a", pageOf("apple"))
	h.mustRun()
	h.mustRun()
	h.wantAsked("/ (304)", "/map.xml", "/all.jsonl (304)")
	h.wantItems("/ home", "/one one")
	// Nor is a map that fails a reason to read the site by its sitemap.
	h.set("/map.xml", answer{status: 500})
	h.mustRun()
	h.wantAsked("/ (304)", "/map.xml")
	h.wantItems("/ home", "/one one")
}

func TestRefreshForBrowsersWithoutScriptsIsNotFollowed(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.put("/", `<noscript><meta http-equiv="refresh" content="0; url=/noscript"></noscript>`+pageOf("home", "/old"))
	h.put("/old", `<html><head><title>Moved</title><meta http-equiv="Refresh" content="0; URL='/new'"></head><body>This page has moved somewhere else, please follow.</body></html>`)
	h.put("/new", pageOf("new"))
	h.mustRun()
	h.wantItems("/ home", "/new new")
	h.wantAsked("/", "/old", "/new")
}

func TestSiteThatIsBuiltInTheBrowserIsToldOf(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	var links []string
	for i := range 20 {
		links = append(links, fmt.Sprint("/p", i))
	}
	h.put("*", `<html><head><title>App</title></head><body><div id="root"></div><p>You need to enable scripts to run this app.</p></body></html>`)
	h.put("/sitemap.xml", sitemapOf(links...))
	report := h.mustRun()
	if w := report.Web; !strings.Contains(w.Note, "in the browser") || w.Gone != 20 {
		t.Errorf("%+v", w)
	}
}

func TestFeedOfVeryManyItemsKeepsThemWhenItFails(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it is a matter of quantity, which takes ten times as long under the race detector")
	}
	h := newHost(t)
	h.web.URL, h.web.Kind = "/map.xml", "schemamap"
	h.put("/map.xml", `<?xml version="1.0"?><schemamap><feed href="/many.jsonl"/><feed href="/few.jsonl"/></schemamap>`)
	var few, many strings.Builder
	for i := range maxItems + 1 {
		fmt.Fprintf(&many, `{"@type":"Book","name":"b","url":"/%d"}`+"\n", i)
	}
	for i := range 3 {
		fmt.Fprintf(&few, `{"@type":"Book","name":"few","url":"/few%d"}`+"\n", i)
	}
	h.put("/many.jsonl", many.String(), "Content-Type", "application/jsonl")
	h.put("/few.jsonl", few.String(), "Content-Type", "application/jsonl")
	h.mustRun()
	h.set("/many.jsonl", answer{status: 500})
	h.options.AllowShrink = true
	for range 2 { // the second time it is known only from a run that did not read it
		if report := h.mustRun(); report.Summary.Items != maxItems+4 || !report.Partial {
			t.Errorf("%+v, %+v", report.Summary, report.Web)
		}
	}
	h.put("/many.jsonl", `{"@type":"Book","name":"b","url":"/1"}`, "Content-Type", "application/jsonl")
	if report := h.mustRun(); report.Summary.Items != 4 {
		t.Errorf("%+v, %+v", report.Summary, report.Web)
	}
}

// What a site sends cut, with a length that fits, takes nothing away: neither at once nor when the
// site says afterwards that nothing has changed.
func TestFeedThatEndsTooEarlyRemovesNothing(t *testing.T) {
	t.Parallel()
	var all []string
	for i := range 8 {
		all = append(all, fmt.Sprintf(`{"@type":"Book","name":"book %d","url":"/book%d"}`, i, i))
	}
	array, lines := "["+strings.Join(all, ",\n")+"]", strings.Join(all, "\n")+"\n"
	feed := rss("a", "b", "c", "d", "e", "f", "g", "h")
	for name, c := range map[string]struct{ path, kind, text string }{
		"an array": {"/all.json", "application/json", array}, "lines": {"/all.jsonl", "application/jsonl", lines},
		"a feed": {"/all.xml", "application/rss+xml", feed},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			h.web.URL, h.web.Complete = c.path, true
			h.put(c.path, c.text, "Content-Type", c.kind, "ETag", `"1"`)
			if report := h.mustRun(); report.Summary.Items != 8 {
				t.Fatalf("%+v, %+v", report.Summary, report.Web)
			}
			h.put(c.path, c.text[:len(c.text)*3/4-5], "Content-Type", c.kind, "ETag", `"2"`)
			for range 2 {
				report, err := h.run()
				if err == nil && (report.Summary.Items != 8 || !report.Partial) {
					t.Errorf("%+v, %+v", report.Summary, report.Web)
				}
				if n := len(h.items()); n != 8 {
					t.Errorf("%d of 8 are left: %v", n, err)
				}
			}
			h.put(c.path, c.text, "Content-Type", c.kind, "ETag", `"3"`)
			if report := h.mustRun(); report.Summary.Items != 8 || report.Partial {
				t.Errorf("whole again: %+v, %+v", report.Summary, report.Web)
			}
		})
	}
}

// What came cut the first time is asked for again, though the site says that nothing has changed
// since.
func TestFeedThatEndedTooEarlyIsReadAgain(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.web.URL = "/all.json"
	text := `[{"@type":"Book","name":"a","url":"/a"},{"@type":"Book","name":"b","url":"/b"}]`
	h.put("/all.json", text[:len(text)-10], "Content-Type", "application/json", "ETag", `"1"`)
	if report := h.mustRun(); !report.Partial || len(report.Unread) != 1 {
		t.Fatalf("%+v", report)
	}
	h.put("/all.json", text, "Content-Type", "application/json", "ETag", `"1"`)
	h.mustRun()
	h.wantItems("/a a", "/b b")
}
