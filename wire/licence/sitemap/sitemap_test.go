package sitemap

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/wire/licence"
)

func read(text string) (entries []Entry, kind Kind, err error) {
	kind, err = Read(strings.NewReader(text), func(e Entry) error { entries = append(entries, e); return nil })
	return entries, kind, err
}

func TestListsAreRead(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		kind Kind
		want []Entry
	}{
		"a sitemap": {`<?xml version="1.0" encoding="UTF-8"?>
			<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
			<url><loc> https://x.example/a?b=1&amp;c=2 </loc><lastmod>2026-01-02</lastmod><priority>0.5</priority></url>
			<url><loc><![CDATA[https://x.example/b]]></loc>
			<xhtml:link rel="alternate" hreflang="de" href="https://x.example/de/b"/></url></urlset>`,
			Sitemap, []Entry{
				{URL: "https://x.example/a?b=1&c=2", Modified: "2026-01-02"},
				{URL: "https://x.example/b", Alternates: []string{"https://x.example/de/b"}},
			}},
		"an index": {"\ufeff\n <sitemapindex><sitemap><loc>https://x.example/1.xml.gz</loc></sitemap></sitemapindex>",
			Index, []Entry{{URL: "https://x.example/1.xml.gz", List: true}}},
		"a prefix": {`<sm:urlset xmlns:sm="x"><sm:url><sm:loc>https://x.example/a</sm:loc></sm:url></sm:urlset>`,
			Sitemap, []Entry{{URL: "https://x.example/a"}}},
		"pictures are not pages": {`<urlset xmlns:image="i"><url><loc>https://x.example/a</loc><image:image><image:loc>https://x.example/a.jpg</image:loc></image:image></url></urlset>`,
			Sitemap, []Entry{{URL: "https://x.example/a"}}},
		"a schema map with a sitemap's elements": {`<urlset><url contentType="structuredData/schema.org"><loc>https://x.example/a.jsonl</loc></url></urlset>`,
			SchemaMap, []Entry{{URL: "https://x.example/a.jsonl", Type: "structuredData/schema.org"}}},
		"a schema map of its own": {`<schemamap><feed href="/a.jsonl" type="application/jsonl"/><schemaMap><loc>/more.xml</loc></schemaMap></schemamap>`,
			SchemaMap, []Entry{{URL: "/a.jsonl", Type: "application/jsonl"}, {URL: "/more.xml", List: true}}},
		"latin 1": {"<?xml version=\"1.0\" " +
			"encoding=\"ISO-8859-1\"?><urlset><url><loc>https://x.example/\xfc</loc></url></urlset>",
			Sitemap, []Entry{{URL: "https://x.example/ü"}}},
		"a bare ampersand": {`<urlset><url><loc>https://x.example/?a=1&b=2</loc></url></urlset>`, Sitemap, []Entry{{URL: "https://x.example/?a=1&b=2"}}},
		"nothing in it":    {`<urlset></urlset>`, Sitemap, nil},
		"the RAMP extension": {`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:r="https://ramp.dev/sitemap/1.0" xmlns:x="x"><url><loc>https://x.example/a</loc>
			<x:content><x:tokens>1</x:tokens></x:content>
			<r:content><r:tokens>1200</r:tokens><x:tokens>2</x:tokens><r:pricing-model>per_article</r:pricing-model><r:rate currency="EUR">0.05</r:rate>
			<r:permits>ai-input <b>search</b></r:permits><r:more><r:tokens>3</r:tokens></r:more><r:author>A, B</r:author></r:content><lastmod>2026-01-02</lastmod></url>
			<url><loc>https://x.example/b</loc><r:content tokens="7" rate="1" currency="USD"/></url>
			<url><loc>https://x.example/c</loc><content><tokens>1</tokens></content></url></urlset>`,
			Sitemap, []Entry{
				{URL: "https://x.example/a", Modified: "2026-01-02", Stated: &licence.Stated{
					Tokens: 1200, Model: "per_access", Priced: true, Rate: "0.05", Currency: "EUR",
					Permits: []string{"ai-input", "search"}, Authors: []string{"A", "B"},
				}},
				{URL: "https://x.example/b", Stated: &licence.Stated{Tokens: 7, Rate: "1", Currency: "USD"}},
				{URL: "https://x.example/c"},
			}},
	} {
		got, kind, err := read(test.text)
		if err != nil || kind != test.kind || !cmp.Equal(test.want, got) {
			t.Errorf("%s: kind %d, %v\n%s", name, kind, err, cmp.Diff(test.want, got))
		}
		if sniffed := KindOf([]byte(test.text)); test.kind != SchemaMap && sniffed != test.kind {
			t.Errorf("%s: looks like %d", name, sniffed)
		}
	}
}

func TestWhatIsNoListIsRefusedAndWhatBreaksOffGivesItsBeginning(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "hello", "<html><body>404</body></html>", `{"a":1}`, "<rss></rss>"} {
		if entries, kind, err := read(text); err == nil || kind != None || len(entries) > 0 {
			t.Errorf("%q: %v, %d, %v", text, entries, kind, err)
		}
	}
	broken := `<urlset><url><loc>https://x.example/a</loc></url><url><loc>https://x.exa`
	if entries, _, err := read(broken); len(entries) != 1 || err == nil {
		t.Errorf("%v, %v", entries, err)
	}
	deep := "<urlset>" + strings.Repeat("<a>", 100_000)
	if _, _, err := read(deep); err == nil || !strings.Contains(err.Error(), "nested") {
		t.Errorf("deep: %v", err)
	}
	stop := errors.New("enough")
	if _, err := Read(strings.NewReader(`<urlset><url><loc>a</loc></url></urlset>`), func(Entry) error { return stop }); err != stop {
		t.Errorf("the caller's error is %v", err)
	}
}

func TestListsOfLinesAreRead(t *testing.T) {
	t.Parallel()
	var urls []string
	kind, err := ReadText("\ufeffhttps://x.example/a\r\n\n  http://x.example/b\n", func(e Entry) error {
		urls = append(urls, e.URL)
		return nil
	})
	if err != nil || kind != Text || !cmp.Equal(urls, []string{"https://x.example/a", "http://x.example/b"}) {
		t.Errorf("%q, %d, %v", urls, kind, err)
	}
	for _, text := range []string{"", "not a list", "https://x.example/a\nUser-agent: *"} {
		if kind, _ := ReadText(text, func(Entry) error { return nil }); kind != None {
			t.Errorf("%q is taken for a list", text)
		}
	}
}

// endless is a list without an end, of which no more than needed may be held.
type endless struct{ n int }

func (e *endless) Read(p []byte) (int, error) {
	e.n++
	if e.n == 1 {
		return copy(p, "<urlset>"), nil
	}
	return copy(p, fmt.Sprintf("<url><loc>https://x.example/%d</loc></url>", e.n)), nil
}

func TestListIsAStream(t *testing.T) {
	t.Parallel()
	count := 0
	_, err := Read(&endless{}, func(Entry) error {
		if count++; count == 100_000 {
			return io.EOF
		}
		return nil
	})
	if err != io.EOF || count != 100_000 {
		t.Errorf("%d entries, %v", count, err)
	}
}

func FuzzSitemap(f *testing.F) {
	f.Add(`<urlset><url><loc>https://x.example/a</loc></url></urlset>`)
	f.Add(`<?xml version="1.0" encoding="utf-16"?><sitemapindex><sitemap><loc>&lt;</loc></sitemap>`)
	f.Add("https://x.example/a\nhttps://x.example/b")
	f.Add(`<urlset xmlns:ramp="https://ramp.dev/sitemap/1.0"><url><loc>a</loc><ramp:content tokens="1"><ramp:rate currency="EUR">1</ramp:rate></ramp:content></url></urlset>`)
	f.Fuzz(func(t *testing.T, text string) {
		check := func(e Entry) error {
			if e.URL == "" || len(e.URL) > maxURL || e.URL != strings.TrimSpace(e.URL) {
				t.Errorf("entry %q", e.URL)
			}
			return nil
		}
		Read(strings.NewReader(text), check)
		ReadText(text, check)
		KindOf([]byte(text))
	})
}
