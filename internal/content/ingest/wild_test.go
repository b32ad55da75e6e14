package ingest

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"
)

// wides are a text in UTF-16, of either order, with its mark and without.
func wides(t *testing.T, text string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name, order := range map[string]unicode.Endianness{"LE": unicode.LittleEndian, "BE": unicode.BigEndian} {
		for mark, policy := range map[string]unicode.BOMPolicy{"": unicode.UseBOM,
			" without a mark": unicode.IgnoreBOM} {
			body, err := unicode.UTF16(order, policy).NewEncoder().String(text)
			if err != nil {
				t.Fatal(err)
			}
			all[name+mark] = body
		}
	}
	return all
}

// TestListsAndFeedsInUTF16AreMetAsThoseInUTF8 reads sources that are a sitemap, an index, a list of
// addresses and feeds in UTF-16. Of one that is damaged what was there stays, and the owner is
// told.
func TestListsAndFeedsInUTF16AreMetAsThoseInUTF8(t *testing.T) {
	t.Parallel()
	const declared = `<?xml version="1.0" encoding="UTF-16"?>` + "\n"
	feed := `<rss version="2.0"><channel><title>News ö</title><link>HOST/</link><item><title>Über 😀</title><link>HOST/1</link><description>It is new.</description></item></channel></rss>`
	for name, test := range map[string]struct{ kind, media, text, item string }{
		"a sitemap": {"sitemap", "application/xml",
			declared + "<urlset><url><loc>HOST/a</loc></url><!-- ö --></urlset>", "/a A page"},
		"an index": {"sitemap", "text/xml; charset=utf-16",
			declared + "<sitemapindex><sitemap><loc>HOST/map.xml</loc></sitemap></sitemapindex>", "/a A page"},
		"found by itself":    {"auto", "application/xml", "<urlset><url><loc>HOST/a</loc></url></urlset>", "/a A page"},
		"a list in text":     {"sitemap", "text/plain", "HOST/a\n", "/a A page"},
		"a feed":             {"feed", "application/rss+xml", declared + feed, "/1 Über 😀"},
		"a feed that is not": {"feed", "application/rss+xml; charset=utf-16", feed, "/1 Über 😀"},
		"a feed in JSON":     {"feed", "application/feed+json", `{"version":"https://jsonfeed.org/version/1.1","title":"x","items":[{"id":"1","url":"HOST/1","title":"Über 😀","content_text":"It is new."}]}`, "/1 Über 😀"},
	} {
		h := newHost(t)
		h.web.URL, h.web.Kind = "/list", test.kind
		h.put("/a",
			"<!doctype html><title>A page</title><h1>A page</h1><p>"+
				strings.Repeat("It has some words of its own. ", 20)+"</p>")
		h.put("/map.xml", "<?xml version='1.0'?><urlset><url><loc>HOST/a</loc></url></urlset>")
		text := strings.ReplaceAll(test.text, "HOST", h.server.URL)
		bodies := wides(t, text)
		bodies["UTF-8"] = text
		for order, body := range bodies {
			h.put("/list", body, "Content-Type", test.media)
			if report, err := h.run(); err != nil || !slices.Equal(h.items(), []string{test.item}) ||
				report.SkippedCount > 0 {
				t.Errorf("%s, %s: %v, %q, %+v", name, order, err, h.items(), report.Skipped)
			}
		}
		for order, body := range wides(t, text) {
			for damage, broken := range map[string]string{"half a character": body + "x",
				"half a pair": body +
					map[bool]string{true: "\xd8\x00", false: "\x00\xd8"}[strings.HasPrefix(order, "BE")]} {
				h.put("/list", broken, "Content-Type", test.media)
				report, err := h.run()
				told := ""
				if err != nil {
					told = err.Error()
				}
				for _, problem := range report.Skipped {
					told += problem.Origin + ": " + problem.Reason
				}
				if !slices.Equal(h.items(), []string{test.item}) || !strings.Contains(told, "/list") ||
					!strings.Contains(told, "UTF-16") {
					t.Errorf("%s, %s, %s: %q, told %q", name, order, damage, h.items(), told)
				}
			}
		}
	}
}

// TestFeedsOfTheWildAreReadOrNamed has feeds as they are found. Those that are only untidy are
// read; of the others what was read before stays, and the owner is told where and why.
func TestFeedsOfTheWildAreReadOrNamed(t *testing.T) {
	t.Parallel()
	const feed = `<rss version="2.0"><channel><title>News</title><link>HOST/</link><item><title>One</title><link>HOST/1</link><description>It is new.</description></item></channel></rss>`
	h := newHost(t)
	h.web.URL, h.web.Kind = "/feed", "feed"
	for name, body := range map[string]string{
		"as it should be": feed, "a mark": "\ufeff" + feed, "blank lines": "\n\n" + feed,
		"a relative address": strings.ReplaceAll(feed, "<link>HOST/1", "<link>/1"),
		"a wrong encoding":   `<?xml version="1.0" encoding="UTF-8"?>` + strings.Replace(feed, "It is new", "It is n\xe9w", 1),
		"Latin 1":            `<?xml version="1.0" encoding="ISO-8859-1"?>` + strings.Replace(feed, "It is new", "It is n\xe9w", 1),
		"a missing namespace": strings.Replace(feed,
			"<description>",
			"<dc:creator>Ann</dc:creator><content:encoded><![CDATA[<p>It is new.</p>]]></content:encoded><description>",
			1),
		"mixed content":        strings.Replace(feed, "<item>", "text <item>more", 1),
		"an ampersand":         strings.Replace(feed, "It is new", "Tom & Jerry are new", 1),
		"entities of HTML":     strings.Replace(feed, "It is new", "It&nbsp;is&hellip; new", 1),
		"no version":           strings.Replace(feed, ` version="2.0"`, "", 1),
		"an item without link": strings.Replace(feed, "</item>", "</item><item><title>Two</title></item>", 1),
	} {
		h.put("/feed", body, "Content-Type", "application/rss+xml")
		if _, err := h.run(); err != nil || !slices.Contains(h.items(), "/1 One") {
			t.Errorf("%s: %v, %q", name, err, h.items())
		}
	}
	before := h.items()
	for name, body := range map[string]string{
		"half": feed[:len(feed)/2], "nothing": "", "a page": "<!doctype html><html><body>404</body></html>",
		"no items": "<rss><channel><title>x</title></channel></rss>",
		"a bomb":   `<!DOCTYPE rss [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><rss><channel><item><title>&b;</title></item></channel></rss>`, "binary": "\x00\x01\x02\x03\x04\x05\x06\x07",
		"nested for ever": "<rss><channel>" + strings.Repeat("<item>", 5000),
		"giant":           "<rss><channel>" + strings.Repeat(" ", 20<<20),
	} {
		h.put("/feed", body, "Content-Type", "application/rss+xml")
		report, err := h.run()
		if (err == nil || !strings.Contains(err.Error(), "web")) && report.SkippedCount == 0 && name != "half" &&
			name != "no items" && name != "a bomb" {
			t.Errorf("%s: nobody is told: %v, %+v", name, err, report)
		}
		for _, item := range before {
			if !slices.Contains(h.items(), item) {
				t.Fatalf("%s takes %s out", name, item)
			}
		}
	}
}
