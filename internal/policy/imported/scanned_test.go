package imported

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/fetch"
)

// section is a page of a site, with when it changed and what it is.
type section struct{ path, modified, body, link string }

// list has a site's sitemap tell of pages, and the site have them.
func (h *host) list(pages ...section) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var urls string
	for _, p := range pages {
		urls += "<url><loc>HOST" + p.path + "</loc><lastmod>" + p.modified + "</lastmod></url>"
		h.pages[p.path] = page{body: "<!doctype html>" + p.body}
		if p.link != "" {
			h.pages[p.path] = page{body: p.body, header: map[string]string{"Link": "<" + p.link + `>; rel="license"; type="application/rsl+xml"`}}
		}
	}
	h.pages["/sitemap.xml"] = page{body: "<urlset>" + urls + "</urlset>"}
}

func (h *host) put(path string, p page) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pages[path] = p
}

// looks reads the site as a tenant's, of which so many pages are looked at.
func (h *host) looks(pages int, now time.Time, before *Snapshot, full bool) (*Snapshot, error) {
	h.mu.Lock()
	h.asked = nil
	h.mu.Unlock()
	return Read(h.Context(), Request{
		Site: "a", URL: h.server.URL + "/", Own: true, Hosts: []string{"127.0.0.1"}, PlainSitemaps: true,
		Previous: before, Full: full, Pages: pages, Now: func() time.Time { return now },
		Visitor: fetch.NewCrawler(fetch.New(fetch.Options{}), fetch.CrawlerOptions{}),
	})
}

// places are the documents that a snapshot has, in their order.
func (h *host) places(s *Snapshot) (all []string) {
	for _, d := range s.Documents {
		all = append(all, strings.TrimPrefix(d.Place, h.server.URL))
	}
	return all
}

// visited are the pages below /p and /q that were asked for.
func (h *host) visited() (all []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, path := range h.asked {
		if strings.HasPrefix(path, "/p") || strings.HasPrefix(path, "/q") {
			all = append(all, path)
		}
	}
	return all
}

func TestLicencesThatFurtherPagesOfATenantNameAreRead(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.put("/robots.txt", page{body: "User-agent: *\nDisallow: /p/closed\nLicense: /robots.xml\n"})
	for _, path := range []string{"/robots.xml", "/first.xml", "/header.xml", "/p/link.xml", "/rsl.txt", "/never.xml"} {
		h.put(path, page{body: rsl("/" + strings.Trim(path, "/"))})
	}
	h.put("/", page{body: `<!doctype html><link rel="license" type="application/rsl+xml" href="/first.xml">`})
	script := `<script type="application/rsl+xml">` + rsl("/everywhere") + `</script>`
	h.list(
		section{path: "/p/1", link: "/header.xml"}, section{path: "/p/2", body: `<link rel="license" type="application/rsl+xml" href="link.xml">`}, section{path: "/p/3", body: script},
		section{path: "/p/4", body: script + `<script type="application/rsl+xml">` + rsl("its-own") + `</script>`}, section{path: "/p/5", body: "nothing"},
		section{path: "/p/closed", link: "/never.xml"}, section{path: "https://other.example/x"},
	)
	s, err := h.looks(10, noon, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"/robots.xml", "/first.xml", "/header.xml", "/p/link.xml", "/p/3#1", "/p/4#2", "/rsl.txt"}
	if got := h.places(s); !slices.Equal(got, want) {
		t.Errorf("documents %q, want %q", got, want)
	}
	if visited := h.visited(); slices.Contains(visited, "/p/closed") || len(s.Looked) != 6 {
		t.Errorf("visited %q, and knows %d pages", visited, len(s.Looked))
	}
	// Without pages to be looked at nothing is asked for, and what they name is not in force.
	if s, err := h.looks(0, noon, nil, true); err != nil || len(h.visited()) > 0 || len(s.Documents) != 3 {
		t.Errorf("%q of %q, %v", h.places(s), h.visited(), err)
	}
	// What pages named stays without their being looked at, also in a full reading.
	for _, full := range []bool{false, true} {
		if again, err := h.looks(0, noon, s, full); err != nil || !slices.Equal(h.places(again), want) ||
			slices.Contains(h.visited(), "/p/1") {
			t.Errorf("full %t: %q, asked %q, %v", full, h.places(again), h.visited(), err)
		}
	}
	// One that breaks leaves what was there before.
	h.put("/p/link.xml", page{body: "<rsl>"})
	if s, err := h.looks(0, noon, s, true); err == nil || !strings.Contains(err.Error(), "/p/link.xml") {
		t.Errorf("a document that breaks off is taken: %+v, %v", s, err)
	}
}

func TestPagesAreLookedAtInTurn(t *testing.T) {
	t.Parallel()
	h, now := newHost(t), noon
	h.put("/1.xml", page{body: rsl("/one")})
	h.put("/2.xml", page{body: rsl("/two")})
	pages := []section{{path: "/p/1", modified: "2027-01-01", link: "/1.xml"}, {path: "/p/2", modified: "2027-01-01"},
		{path: "/p/3", modified: "2027-01-01"}, {path: "/q/1"}, {path: "/q/2", link: "/2.xml"}}
	h.list(pages...)
	var s *Snapshot
	step := func(name string, most int, full bool, visited, documents string) {
		t.Helper()
		now = now.Add(time.Hour)
		next, err := h.looks(most, now, s, full)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := strings.Join(h.visited(), " "); got != visited {
			t.Errorf("%s: looks at %q, want %q", name, got, visited)
		}
		if got := strings.Join(h.places(next), " "); got != documents {
			t.Errorf("%s: has %q, want %q", name, got, documents)
		}
		s = next
	}
	step("one of each folder first", 2, false, "/p/1 /q/1", "/1.xml")
	step("then those that nobody looked at", 2, true, "/p/2 /q/2", "/1.xml /2.xml")
	step("the last", 2, false, "/p/3", "/1.xml /2.xml")
	step("those that did not change are not looked at", 2, false, "", "/1.xml /2.xml")
	step("but when everything is asked for, the oldest first", 3, true, "/p/1 /q/1 /p/2", "/1.xml /2.xml")
	pages[2].modified, pages[2].link = "2027-05-05", "/1.xml"
	pages[0].link, pages[0].body = "", "nothing"
	h.list(pages...)
	step("one that changed; of another nobody is told", 2, false, "/p/3", "/1.xml /2.xml")
	h.put("/q/2", page{status: 503})
	step("one that cannot be had is what it was", 2, true, "/q/2 /p/1", "/1.xml /2.xml")
	h.put("/q/2", page{body: "nothing any more"})
	step("and then is not", 5, true, "/p/2 /q/1 /p/3 /p/1 /q/2", "/1.xml")
	pages = pages[:2]
	h.list(pages...)
	step("of which no list tells any more names nothing", 5, false, "", "")

	for i := range 20 {
		pages = append(pages, section{path: fmt.Sprintf("/p/more%d", i)})
	}
	h.list(pages...)
	for i := range 20 {
		h.put(fmt.Sprintf("/p/more%d", i), page{status: 500})
	}
	next, err := h.looks(20, now, s, false)
	if err != nil || len(h.visited()) != maxFailing ||
		!strings.Contains(strings.Join(next.Notes, " "), "could not be looked at") {
		t.Errorf("a site that fails is asked for %q, %v", h.visited(), err)
	}
}

func TestPagesThatAreAsTheyWereAreNotSentAgain(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.put("/1.xml", page{body: rsl("/one")})
	h.list(section{path: "/p/1", link: "/1.xml"})
	h.put("/p/1", page{header: map[string]string{"Link": `</1.xml>; rel="license"; type="application/rsl+xml"`, "Etag": `"1"`}})
	s, err := h.looks(5, noon, nil, true)
	if err != nil || len(s.Documents) != 1 {
		t.Fatalf("%+v, %v", s, err)
	}
	h.put("/p/1", page{body: "nothing", header: map[string]string{"Etag": `"1"`}}) // which nobody is sent
	if s, err = h.looks(5, noon.Add(time.Hour), s, true); err != nil || len(s.Documents) != 1 ||
		!s.Looked[0].At.Equal(noon.Add(time.Hour)) {
		t.Errorf("%+v, %v", s, err)
	}
	h.put("/p/1", page{body: "nothing", header: map[string]string{"Etag": `"2"`}})
	if s, err = h.looks(5, noon.Add(2*time.Hour), s, true); err != nil || len(s.Documents) != 0 {
		t.Errorf("%+v, %v", s, err)
	}
	h.put("/p/1", page{body: `<script type="application/rsl+xml">` + strings.Repeat(" ", maxWithin) + rsl("/a") + strings.Repeat("<!-- -->", maxWithin) + `</script>`})
	if _, err := h.looks(5, noon.Add(3*time.Hour), s, true); err == nil ||
		!strings.Contains(err.Error(), "put them into a document") {
		t.Errorf("%v", err)
	}
}
