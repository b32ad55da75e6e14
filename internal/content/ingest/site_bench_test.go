package ingest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/testkit/storetest"
)

// bigSite serves any number of pages of about 100 KB, as magazines have them: scripts, a menu, an
// article of some hundred words, recommendations and a footer. Each page links to the next ones.
type bigSite struct {
	pages  int
	jsonLD bool   // the article stands in the page's JSON-LD, too
	before string // the same on every page
	after  string
	asked  atomic.Int64
}

func newBigSite(pages int, jsonLD bool) *bigSite {
	s := &bigSite{pages: pages, jsonLD: jsonLD}
	var before, after strings.Builder
	before.WriteString("<script>var config={")
	for i := range 1500 {
		fmt.Fprintf(&before, `"key%d":"value of %d",`, i, i)
	}
	before.WriteString(`};</script><style>`)
	for i := range 400 {
		fmt.Fprintf(&before, ".class-%d{margin:0 auto;padding:%dpx;color:#123456}\n", i, i)
	}
	before.WriteString("</style></head><body><header><nav><ul>")
	for i := range 80 {
		fmt.Fprintf(&before, `<li class="menu-item menu-item-%d"><a href="/section/%d.pdf" class="menu-link">Section number %d</a></li>`, i, i, i)
	}
	before.WriteString("</ul></nav></header>")
	after.WriteString(`<aside class="related"><h2>Read next</h2>`)
	for i := range 90 {
		fmt.Fprintf(&after, `<div class="card"><a href="/x/%d.pdf"><img src="/i/%d.jpg" alt="" loading="lazy" width="320" height="200"></a><span class="tag">Tag</span><h3>A teaser of the article number %d</h3></div>`, i, i, i)
	}
	after.WriteString(`</aside><footer><p>© The Magazine. All rights reserved.</p></footer></body></html>`)
	s.before, s.after = before.String(), after.String()
	return s
}

func (s *bigSite) page(n int) string {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	var paragraphs []string
	for range 12 {
		var p strings.Builder
		for range 5 {
			p.WriteString("The")
			for range 12 {
				fmt.Fprintf(&p, " word%d", int(r.ExpFloat64()*600))
			}
			p.WriteString(". ")
		}
		paragraphs = append(paragraphs, p.String())
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<!doctype html><html lang="en"><head><title>Article %d of everything | The Magazine</title><meta name="description" content="All about number %d.">`, n, n)
	if s.jsonLD {
		fmt.Fprintf(&b, `<script type="application/ld+json">{"@context":"https://schema.org","@type":"Article","headline":"Article %d of everything","url":"/a/%d","datePublished":"2026-01-02","description":"All about number %d.","articleBody":%q}</script>`,
			n, n, n, strings.Join(paragraphs, "\n\n"))
	}
	b.WriteString(s.before)
	fmt.Fprintf(&b, `<main><article><h1>Article %d of everything</h1>`, n)
	for _, p := range paragraphs {
		b.WriteString(`<p class="body-text">` + p + `</p>`)
	}
	b.WriteString("</article></main>")
	for i := 1; i <= 12; i++ {
		fmt.Fprintf(&b, `<a href="/a/%d">on</a> `, (n*3+i)%s.pages)
	}
	b.WriteString(s.after)
	return b.String()
}

func (s *bigSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/a/"))
	if r.URL.Path == "/a/" {
		n, err = 0, nil
	}
	switch {
	case r.URL.Path == "/sitemap.xml":
		w.Header().Set("Content-Type", "application/xml")
		fmt.Fprint(w, "<urlset>")
		for i := range s.pages {
			fmt.Fprintf(w, "<url><loc>/a/%d</loc></url>", i)
		}
		fmt.Fprint(w, "</urlset>")
	case err != nil || n < 0 || n >= s.pages:
		http.NotFound(w, r)
	default:
		s.asked.Add(1)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, s.page(n))
	}
}

// readBigSite reads the site into a fresh catalogue and gives the report and the most memory that
// the heap took.
func readBigSite(t testing.TB, site *bigSite, start string) (report Report, heap uint64) {
	server := httptest.NewServer(site)
	defer server.Close()
	db := storetest.Open(t, storetest.NewSQLite(t), content.Schema)
	source := Source{Site: "big.example", Name: "web", Web: &Web{
		URL: server.URL + start, Pages: site.pages + 10, Depth: 100,
		Crawler: fetch.NewCrawler(fetch.New(fetch.Options{}), fetch.CrawlerOptions{}),
	}}
	ctx, stop := context.WithCancel(t.Context())
	measured := make(chan uint64)
	go func() { measured <- mostHeap(ctx) }()
	report, err := Run(t.Context(), content.New(db, content.Options{}), source, Options{})
	stop()
	if err != nil {
		t.Fatal(err)
	}
	return report, <-measured
}

// mostHeap is the most that live and dead objects took until ctx ended.
func mostHeap(ctx context.Context) (most uint64) {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		metrics.Read(sample)
		most = max(most, sample[0].Value.Uint64())
		select {
		case <-ctx.Done():
			return most
		case <-tick.C:
		}
	}
}

// used is the time of processors that this process took so far.
func used(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

var bigSites = []struct {
	name   string
	start  string
	jsonLD bool
}{{"main text, by sitemap", "/sitemap.xml", false}, {"main text, by links", "/a/", false},
	{"JSON-LD, by sitemap", "/sitemap.xml", true}, {"JSON-LD, by links", "/a/", true}}

// TestBigSiteIsReadWhole is the benchmark's short form: each page once, and an item of each.
//
// Not parallel: what others allocate meanwhile would count.
func TestBigSiteIsReadWhole(t *testing.T) {
	for _, test := range bigSites {
		t.Run(test.name, func(t *testing.T) {
			site := newBigSite(60, test.jsonLD)
			report, _ := readBigSite(t, site, test.start)
			if report.Kept < 60 || report.Summary.Items < 60 || report.Summary.Items > 61 || report.SkippedCount > 0 ||
				report.Web.Cut != "" || site.asked.Load() > 62 {
				t.Errorf("%d items of 60 pages, %d asked for: %+v %+v", report.Summary.Items, site.asked.Load(),
					report.Web, report.Skipped)
			}
		})
	}
}

// BenchmarkSite reads a site of PAGES pages (300 if not set) from a server in the same process,
// without waiting between requests, into an SQLite database. It tells the pages a second and the
// most memory of the heap, the server's among it; and the time of processors for each page, which
// other programs disturb less.
func BenchmarkSite(b *testing.B) {
	pages, err := strconv.Atoi(os.Getenv("PAGES"))
	if err != nil {
		pages = 300
	}
	for _, test := range bigSites {
		b.Run(test.name, func(b *testing.B) {
			site := newBigSite(pages, test.jsonLD)
			b.Logf("a page has %d bytes", len(site.page(1)))
			var heap uint64
			before := used(b)
			for b.Loop() {
				report, most := readBigSite(b, site, test.start)
				if report.Summary.Items < pages {
					b.Fatalf("%d items of %d pages: %+v", report.Summary.Items, pages, report.Web)
				}
				heap = max(heap, most)
			}
			b.ReportMetric(float64(pages*b.N)/b.Elapsed().Seconds(), "pages/s")
			b.ReportMetric(float64(heap)/(1<<20), "MiB-heap")
			b.ReportMetric((used(b)-before).Seconds()*1000/float64(pages*b.N), "ms-cpu/page")
		})
	}
}
