package ingest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/content"
)

// only has the next runs read these paths alone.
func (h *host) only(paths ...string) Report {
	h.Helper()
	h.web.Only = paths
	defer func() { h.web.Only = nil }()
	return h.mustRun()
}

// TestNamedPagesAloneAreReadAnew has a site say which pages changed (RAMP v1, Ingestion, webhook):
// no others are asked for, and nothing else changes.
func TestNamedPagesAloneAreReadAnew(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.put("/", pageOf("home", "/a", "/b", "/c", "/d"))
	for _, name := range []string{"a", "b", "c", "d"} {
		h.put("/"+name, pageOf(name))
	}
	h.mustRun()
	all := h.items()
	read := h.sources().LastRun
	h.sleepFor(time.Hour)

	h.put("/", pageOf("not asked for"))
	h.put("/a", pageOf("another a"))
	h.put("/new", pageOf("new"))
	h.drop("/b")
	h.set("/c", answer{status: http.StatusInternalServerError})
	report := h.only("/a", "/b", "/c", "/new", "/a", "//evil.example/", "https://evil.example/x", "/never")
	h.wantAsked("/a", "/b", "/c", "/new", "/never")
	want := slices.DeleteFunc(all, func(s string) bool {
		return strings.HasPrefix(s, "/a ") || strings.HasPrefix(s, "/b ")
	})
	h.wantItems(append(want, "/a another a", "/new new")...)
	if report.Summary.Removed != 1 || report.Summary.Changed != 1 || report.Summary.Added != 1 ||
		report.Web.Failed != 1 || report.Web.Gone != 2 {
		t.Errorf("%+v %+v", report.Summary, report.Web)
	}
	if got := h.sources().LastRun; !got.Equal(read) {
		t.Errorf("the source counts as read at %s, by a few pages", got)
	}
	for _, a := range []answer{{status: http.StatusForbidden}, {status: http.StatusServiceUnavailable},
		{do: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }}} {
		h.set("/a", a)
		h.only("/a")
		if !slices.Contains(h.items(), "/a another a") {
			t.Fatalf("%+v takes a page out", a)
		}
	}
	h.put("/a", strings.Replace(pageOf("another a"), "<head>", `<head><meta name="robots" content="noindex">`, 1))
	h.only("/a")
	if slices.Contains(h.items(), "/a another a") {
		t.Error("a page that hides itself stays")
	}

	// The next run of the whole source knows what the pages hold.
	h.put("/", pageOf("home", "/a", "/c", "/d", "/new"))
	h.put("/a", pageOf("third a"))
	h.put("/c", pageOf("c"))
	h.mustRun()
	h.wantItems("/ home", "/a third a", "/c c", "/d d", "/new new")
}

// TestNamedPagesDoNotEmptyASource names all pages of a site that answers that nothing is there.
func TestNamedPagesDoNotEmptyASource(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.put("/", pageOf("home", "/a", "/b", "/c"))
	for _, name := range []string{"a", "b", "c"} {
		h.put("/"+name, pageOf(name))
	}
	h.mustRun()
	all := h.items()
	h.drop("/a", "/b", "/c")
	h.web.Only = []string{"/a", "/b", "/c"}
	if _, err := h.run(); err == nil || !strings.Contains(err.Error(), "nothing was changed") {
		t.Errorf("%v", err)
	}
	h.wantItems(all...)
	if s := h.sources(); s.LastError != "" {
		t.Errorf("the source is said to have failed: %s", s.LastError)
	}
	for name, paths := range map[string][]string{"none": {}, "outside": {"https://other.example/a", "ftp:/x"}} {
		h.web.Only = paths
		if report, err := h.run(); err != nil || report.Web.Asked != 0 || len(h.asked) > 0 {
			t.Errorf("%s: %+v, %v, %q", name, report.Web, err, h.asked)
		}
	}
	h.wantItems(all...)
}

// TestWhatOtherPagesHoldStays drops a thing from one of two pages that tell of it.
func TestWhatOtherPagesHoldStays(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	shop := func(ids ...string) string {
		var b strings.Builder
		fmt.Fprint(&b, `<html><head><title>Shop</title></head><body><p>All that we have today, with prices.</p>`)
		for _, id := range ids {
			fmt.Fprintf(&b, `<script type="application/ld+json">{"@type":"Product","@id":"HOST/p/%s","url":"HOST/p/%s","name":"Product %s","description":"It is fine."}</script>`, id, id, id)
		}
		return b.String() + "</body></html>"
	}
	h.put("/", pageOf("home", "/x", "/y"))
	h.put("/x", shop("1", "2", "3"))
	h.put("/y", shop("3", "4", "5"))
	h.mustRun()
	before := h.items()
	h.put("/x", shop("1"))
	h.only("/x")
	h.wantItems(slices.DeleteFunc(before, func(s string) bool { return strings.HasPrefix(s, "/p/2 ") })...)
}

func (h *host) sleepFor(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
}

func (h *host) sources() content.Source {
	h.Helper()
	all, err := h.catalog.Sources(h.Context())
	if err != nil || len(all) != 1 {
		h.Fatal(all, err)
	}
	return all[0]
}

// places are those of licences, without the host.
func (h *host) places() (all []string) {
	h.Helper()
	places, more, err := LicencePlaces(h.Context(), h.catalog, "shop.example", "web")
	if err != nil || more {
		h.Fatal(err, more)
	}
	for _, place := range places {
		all = append(all, strings.TrimPrefix(place, h.server.URL))
	}
	return all
}

// TestPagesTellWhereLicencesAre names licences on pages other than the first, in each way that RSL
// has.
func TestPagesTellWhereLicencesAre(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	on := func(name, head string) string { return strings.Replace(pageOf(name), "<head>", "<head>"+head, 1) }
	h.put("/", pageOf("home", "/a/1", "/b", "/c", "/d", "/e"))
	h.put("/a/1", on("one", `<link rel="license" type="application/rsl+xml" href="l.xml">`), "ETag", `"1"`)
	h.put("/b", pageOf("two"), "Link", `</h.xml>; rel="license"; type="application/rsl+xml", </style>; rel=preload`)
	h.put("/c", on("three", `<script type="application/rsl+xml"><rsl/></script>`))
	h.put("/d", on("four", `<base href="/deep/"><LINK REL=license TYPE="Application/RSL+XML" HREF="x.xml"><link rel="license" href="/cc">`))
	h.put("/e", pageOf("five"))
	want := []string{"/a/l.xml", "/h.xml", "/c#page", "/deep/x.xml"}
	if report := h.mustRun(); report.Web.Licences != 4 || !slices.Equal(h.places(), want) {
		t.Errorf("%d, %q, want %q", report.Web.Licences, h.places(), want)
	}
	// pages that were not sent again name what they named
	if report := h.mustRun(); report.Web.Licences != 0 || !slices.Equal(h.places(), want) {
		t.Errorf("once more: %d, %q", report.Web.Licences, h.places())
	}
	h.put("/b", pageOf("two"), "Link", `</other.xml>; rel="license"; type="application/rsl+xml"`) // the same page with another header
	h.set("/c", answer{status: http.StatusInternalServerError})
	h.drop("/d")
	if report := h.mustRun(); report.Web.Licences != 2 ||
		!slices.Equal(h.places(), []string{"/a/l.xml", "/other.xml", "/c#page"}) {
		t.Errorf("as they changed: %d, %q", report.Web.Licences, h.places())
	}
	h.put("/e", on("five", `<link rel="license" type="application/rsl+xml" href="/e.xml">`))
	if report := h.only("/e"); report.Web.Licences != 1 ||
		!slices.Equal(h.places(), []string{"/a/l.xml", "/other.xml", "/c#page", "/e.xml"}) {
		t.Errorf("of a named page: %d, %q", report.Web.Licences, h.places())
	}
}

// TestAFeedTellsThatItCarriesLicences has RSL in the entries of a feed that is a source.
func TestAFeedTellsThatItCarriesLicences(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	feed := `<?xml version="1.0"?><rss version="2.0" xmlns:rsl="https://rslstandard.org/rsl"><channel><title>News</title><item><title>One</title><link>HOST/1</link><description>It is new.</description></item></channel></rss>`
	h.web.URL = "/feed"
	h.put("/feed", feed)
	if report := h.mustRun(); report.Web.Licences != 1 || !slices.Equal(h.places(), []string{"/feed#feed"}) {
		t.Errorf("%+v %q", report.Web, h.places())
	}
	h.put("/feed", strings.Replace(feed, ` xmlns:rsl="https://rslstandard.org/rsl"`, "", 1))
	if report := h.mustRun(); report.Web.Licences != 1 || len(h.places()) > 0 {
		t.Errorf("%+v %q", report.Web, h.places())
	}
}
