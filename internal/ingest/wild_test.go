package ingest

import (
	"slices"
	"strings"
	"testing"
)

// TestFeedsOfTheWildAreReadOrNamed has feeds as they are found. Those that are only untidy are read; of the others what was read before stays, and the owner is told where
// and why.
func TestFeedsOfTheWildAreReadOrNamed(t *testing.T) {
	const feed = `<rss version="2.0"><channel><title>News</title><link>HOST/</link><item><title>One</title><link>HOST/1</link><description>It is new.</description></item></channel></rss>`
	h := newHost(t)
	h.web.URL, h.web.Kind = "/feed", "feed"
	for name, body := range map[string]string{
		"as it should be": feed, "a mark": "\ufeff" + feed, "blank lines": "\n\n" + feed, "a relative address": strings.ReplaceAll(feed, "<link>HOST/1", "<link>/1"),
		"a wrong encoding":     `<?xml version="1.0" encoding="UTF-8"?>` + strings.Replace(feed, "It is new", "It is n\xe9w", 1),
		"Latin 1":              `<?xml version="1.0" encoding="ISO-8859-1"?>` + strings.Replace(feed, "It is new", "It is n\xe9w", 1),
		"a missing namespace":  strings.Replace(feed, "<description>", "<dc:creator>Ann</dc:creator><content:encoded><![CDATA[<p>It is new.</p>]]></content:encoded><description>", 1),
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
		"half": feed[:len(feed)/2], "nothing": "", "a page": "<!doctype html><html><body>404</body></html>", "no items": "<rss><channel><title>x</title></channel></rss>",
		"a bomb": `<!DOCTYPE rss [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><rss><channel><item><title>&b;</title></item></channel></rss>`, "binary": "\x00\x01\x02\x03\x04\x05\x06\x07",
		"nested for ever": "<rss><channel>" + strings.Repeat("<item>", 5000), "giant": "<rss><channel>" + strings.Repeat(" ", 20<<20),
	} {
		h.put("/feed", body, "Content-Type", "application/rss+xml")
		report, err := h.run()
		if (err == nil || !strings.Contains(err.Error(), "web")) && report.SkippedCount == 0 && name != "half" && name != "no items" && name != "a bomb" {
			t.Errorf("%s: nobody is told: %v, %+v", name, err, report)
		}
		for _, item := range before {
			if !slices.Contains(h.items(), item) {
				t.Fatalf("%s takes %s out", name, item)
			}
		}
	}
}
