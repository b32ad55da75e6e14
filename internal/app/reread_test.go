package app

import (
	"context"
	"frontdesk/internal/content/overview"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/ingest"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/policy/imported"
)

// openReading is a front desk whose site own is read from a host of the test, pages and licences.
func openReading(t *testing.T) (*supplied, *statingHost) {
	t.Helper()
	s, h := openStating(t)
	s.config.Sources = []ingest.SourceSettings{{Site: "own", Name: "web", URL: h.URL + "/",
		Crawl: ingest.CrawlSettings{Parallel: 1}}}
	s.config.Sites[0].Hosts = []string{strings.TrimPrefix(h.URL, "http://")}
	s.config.Licences.From = []imported.PlaceSettings{{Site: "own", URL: h.URL + "/"}}
	s.visitor = fetch.NewCrawler(s.config.Fetcher(), fetch.CrawlerOptions{})
	return s, h
}

func (s *supplied) readWhole() {
	s.t.Helper()
	if report, err := s.Ingest(s.t.Context(), s.config.AllSources()[0], ingest.Options{}); err != nil {
		s.t.Fatal(report, err)
	}
}

// names are those of what the site own has.
func (s *supplied) names() (all []string) {
	s.t.Helper()
	if err := s.Catalog.EachItem(s.t.Context(), "own",
		func(item content.Item) error { all = append(all, item.Name); return nil }); err != nil {
		s.t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

func article(name, head string) string {
	return "<!doctype html><html lang=en><head><title>" + name + "</title>" + head + "</head><body><main><h1>" + name +
		"</h1><p>All that there is to be known of " + name + ", in one sentence or in two.</p></main>"
}

// TestPagesThatChangedAreReadAlone has a site's own system name pages that changed: they are asked
// for, and no others; licences only where they may have changed.
func TestPagesThatChangedAreReadAlone(t *testing.T) {
	t.Parallel()
	s, h := openReading(t)
	h.put("/", article("Home", "")+`<a href="/a">a</a><a href="/b">b</a><a href="/c">c</a>`)
	for _, name := range []string{"a", "b", "c"} {
		h.put("/"+name, article(strings.ToUpper(name), ""))
	}
	h.put("/rsl.txt", rslOf("/", "free"))
	s.readWhole()
	s.readLicencesNow(t.Context(), "own", true)
	before, err := s.Sources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h.since()
	h.put("/a", article("Another A", ""))
	h.drop("/b")
	h.put("/c", article("Another C", ""))
	s.readAnew(t.Context(), "own", s.config.AllSources(), changes{paths: []string{"/a", "/b"}})
	if got := h.since(); !slices.Equal(got, []string{"/a", "/b"}) {
		t.Errorf("asked for %q", got)
	}
	if got := s.names(); !slices.Equal(got, []string{"Another A", "C", "Home"}) {
		t.Errorf("%q", got)
	}
	after, err := s.Sources(t.Context())
	if err != nil || !after[0].Tried.Equal(before[0].Tried) || !after[0].NextRun.Equal(before[0].NextRun) ||
		!after[0].LastRun.Equal(before[0].LastRun) {
		t.Errorf("the reading of the whole source is put off: %+v, was %+v, %v", after[0], before[0], err)
	}
	s.readAnew(t.Context(), "own", s.config.AllSources(), changes{paths: []string{"/rsl.txt"}})
	if got := h.since(); !slices.Contains(got, "/rsl.txt") || slices.Contains(got, "/c") {
		t.Errorf("asked for %q", got)
	}
	s.readAnew(t.Context(), "own", s.config.AllSources(), changes{all: true})
	if got := s.names(); !slices.Equal(got, []string{"Another C", "Home"}) &&
		!slices.Equal(got, []string{"Another A", "Another C", "Home"}) {
		t.Errorf("read whole: %q", got)
	}
	// A source that was never read, and a feed, are read whole.
	h.put("/feed", `<rss><channel><item><title>News</title><link>HOST/n</link><description>It is new, and that is all that can be said.</description></item></channel></rss>`)
	feed := ingest.SourceSettings{Site: "own", Name: "feed", URL: h.URL + "/feed"}
	for range 2 {
		if _, whole, err := s.IngestPages(t.Context(), feed, []string{"/feed"}, ingest.Options{}); err != nil ||
			!whole {
			t.Errorf("whole %t, %v", whole, err)
		}
	}
	if _, whole, err := s.IngestPages(t.Context(), feed, []string{"/else"}, ingest.Options{}); err != nil || whole {
		t.Errorf("of paths elsewhere: whole %t, %v", whole, err)
	}
}

// TestWhatChangesWhileASiteIsReadIsReadAfterThat names pages while the site is read.
func TestWhatChangesWhileASiteIsReadIsReadAfterThat(t *testing.T) {
	t.Parallel()
	s, h := openReading(t)
	h.put("/", article("Home", "")+`<a href="/a">a</a><a href="/b">b</a>`)
	h.put("/a", article("A", ""))
	h.put("/b", article("B", ""))
	s.readWhole()
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() { defer close(over); s.rereadSources(ctx) }()
	for s.rereads.Load() == nil {
	}
	begin := *s.rereads.Load()
	held, more := make(chan struct{}), make(chan struct{})
	h.hold("/a", held, more)
	h.put("/b", article("Another B", ""))
	if !begin("own", "", []string{"/a"}) {
		t.Fatal("nothing is begun")
	}
	<-held // it is being read
	if !begin("own", "", []string{"/b", "/b"}) || begin("own", "", nil) || begin("nobody", "", []string{"/a"}) {
		t.Error("named while the site is read, pages wait; the whole site does not")
	}
	close(more)
	for !slices.Contains(s.names(), "Another B") {
		if ctx.Err() != nil {
			t.Fatal(ctx.Err())
		}
	}
	cancel()
	<-over
	if begin("own", "", nil) {
		t.Error("something is begun after the end")
	}
	var c changes
	for i := range 2 * mostWaiting {
		c.add([]string{strings.Repeat("/", i+1)})
	}
	if !c.all {
		t.Error("more paths wait than may")
	}
}

// TestOneSourceIsReadAnewByItself names a source of two.
func TestOneSourceIsReadAnewByItself(t *testing.T) {
	t.Parallel()
	s, h := openReading(t)
	other := s.config.Sources[0]
	other.Name, other.URL = "other", other.URL+"other/"
	s.config.Sources = append(s.config.Sources, other)
	h.put("/", article("Home", ""))
	h.put("/other/", article("Other", ""))
	for _, source := range s.config.AllSources() {
		if _, err := s.Ingest(t.Context(), source, ingest.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	h.put("/", article("Changed home", ""))
	h.put("/other/", article("Changed other", ""))
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() { defer close(over); s.rereadSources(ctx) }()
	for s.rereads.Load() == nil {
	}
	begin := *s.rereads.Load()
	held, more := make(chan struct{}), make(chan struct{})
	h.hold("/other/", held, more)
	if begin("own", "none", nil) || !begin("own", "other", nil) {
		t.Fatal("what begins is not what was named")
	}
	<-held // it is being read
	if begin("own", "other", nil) {
		t.Error("it is read twice at a time")
	}
	close(more)
	for !slices.Contains(s.names(), "Changed other") {
		if ctx.Err() != nil {
			t.Fatal(ctx.Err())
		}
	}
	if slices.Contains(s.names(), "Changed home") {
		t.Error("the other source was read, too")
	}
	cancel()
	<-over
}

func rslOf(pattern, payment string) string {
	return `<rsl xmlns="https://rslstandard.org/rsl"><content url="` + pattern + `"><license><payment type="` + payment + `"/></license></content></rsl>`
}

// TestLicencesThatPagesNameAreApplied has pages other than the first name licences, in each way.
// They are read soon after the pages, and count.
func TestLicencesThatPagesNameAreApplied(t *testing.T) {
	t.Parallel()
	s, h := openReading(t)
	h.put("/", article("Home", "")+`<a href="/a/1">a</a><a href="/b">b</a><a href="/c">c</a>`)
	h.put("/a/1", article("A", `<link rel="license" type="application/rsl+xml" href="own.xml">`))
	h.put("/a/own.xml", rslOf("/a/", "free"))
	h.put("/b", article("B", `<script type="application/rsl+xml">`+rslOf("/b", "subscription")+`</script>`))
	h.put("/c", article("C", ""))
	h.put("/rsl.txt", rslOf("/c", "attribution"))
	if begun, err := s.ReadLicences(t.Context(), "own", true); !begun || err != nil {
		t.Fatal(begun, err)
	}
	due := func() (all []string) {
		if err := s.dueLicences(t.Context(), func(site string) { all = append(all, site) }); err != nil {
			t.Fatal(err)
		}
		return all
	}
	if got := due(); got != nil {
		t.Fatalf("%q are due", got)
	}
	s.readWhole()
	if got := due(); !slices.Equal(got, []string{"own"}) {
		t.Fatalf("%q are due after pages named licences", got)
	}
	models := func() (all []string) {
		s.readLicencesNow(t.Context(), "own", true)
		for _, path := range []string{"/a/1", "/b", "/c"} {
			all = append(all, s.licenceOf(h.URL+path))
		}
		return all
	}
	if got := models(); !slices.Equal(got, []string{"free", "subscription", "attribution"}) {
		t.Errorf("%q", got)
	}
	s.readWhole()
	if got := due(); got != nil {
		t.Errorf("%q are due though nothing changed", got)
	}
	// One that is poisoned leaves what was, and the owner is told.
	h.put("/a/own.xml", `<!DOCTYPE rsl [<!ENTITY a "b">]><rsl><content url="/&a;"/></rsl>`)
	before := len(s.log.String())
	if got := models(); !slices.Equal(got, []string{"free", "subscription", "attribution"}) ||
		!strings.Contains(s.log.String()[before:], "/a/own.xml") {
		t.Errorf("%q %s", got, s.log.String()[before:])
	}
	// A page that no longer names one ends it.
	h.put("/a/1", article("A", ""))
	s.readAnew(t.Context(), "own", s.config.AllSources(), changes{paths: []string{"/a/1"}})
	if got := due(); !slices.Equal(got, []string{"own"}) {
		t.Errorf("%q are due after a page named another licence", got)
	}
	if got := models(); !slices.Equal(got, []string{"", "subscription", "attribution"}) {
		t.Errorf("%q", got)
	}
}

// licenceOf is the model of the licence that is stated of an address.
func (s *supplied) licenceOf(address string) string {
	s.t.Helper()
	known, err := s.ValuesOf(s.t.Context(), address)
	if err != nil || len(known) != 1 {
		s.t.Fatal(address, known, err)
	}
	for _, v := range known[0].Values {
		if v.Name == "licence" {
			return v.Value
		}
	}
	return ""
}

// TestSourcesTellHowOldTheyAre lets time pass over a source of the web and one of this machine
// (RAMP v1, Ingestion: 48 hours, 7 days).
func TestSourcesTellHowOldTheyAre(t *testing.T) {
	t.Parallel()
	s, h := openReading(t)
	h.put("/", article("Home", ""))
	path := write(t, t.TempDir(), "page.html", article("Page", ""))
	s.config.Sources = append(s.config.Sources, ingest.SourceSettings{Site: "own", Name: "page", Path: path})
	for _, source := range s.config.AllSources() {
		if report, err := s.Ingest(t.Context(), source, ingest.Options{}); err != nil {
			t.Fatal(report, err)
		}
	}
	ages := func() (all []overview.Age) {
		sources, err := s.Sources(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, source := range sources {
			all = append(all, source.Age)
			if got := s.clock.Now().Sub(source.LastRun).Seconds(); int64(got) != source.AgeSeconds {
				t.Errorf("%s: %d seconds, want %g", source.Name, source.AgeSeconds, got)
			}
		}
		return all
	}
	for _, one := range []struct {
		pass time.Duration
		want overview.Age
	}{{0, overview.Recent}, {48 * time.Hour, overview.Recent}, {time.Second, overview.Stale},
		{5 * 24 * time.Hour, overview.Critical}} {
		s.clock.Advance(one.pass)
		if got := ages(); !slices.Equal(got, []overview.Age{one.want, overview.Recent}) {
			t.Errorf("after %s: %q", one.pass, got)
		}
	}
	h.drop("/")
	if _, err := s.Ingest(t.Context(), s.config.AllSources()[0], ingest.Options{}); err == nil ||
		ages()[0] != overview.Critical {
		t.Errorf("a reading that failed makes it fresh: %q, %v", ages(), err)
	}
	h.put("/", article("Home", ""))
	s.readWhole()
	if got := ages(); got[0] != overview.Recent {
		t.Errorf("read again: %q", got)
	}
}
