package stated

import (
	"bytes"
	"compress/gzip"
	"errors"
	"strings"
	"testing"
	"unicode/utf16"
)

func zipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func wide(text string) string {
	out := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(text)) {
		out = append(out, byte(u), byte(u>>8))
	}
	return string(out)
}

// TestListsOfTheWildAreReadOrRefusedWhole has sitemaps as they are found: those that are only untidy are read, the others leave what was read before, with their place.
func TestListsOfTheWildAreReadOrRefusedWhole(t *testing.T) {
	h := newHost(t)
	list := func(urls string) string {
		return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + urls + `</urlset>`
	}
	one := list("<url><loc>HOST/1</loc></url>")
	for name, body := range map[string]string{
		"a mark": "\ufeff" + one, "blank lines": "\n\n " + one, "no namespace": "<urlset><url><loc>HOST/1</loc></url></urlset>", "a relative address": list("<url><loc>/1</loc></url>"),
		"mixed content": list("text <url>more<loc> HOST/1 <b/></loc>text<lastmod/></url> text"), "a bare ampersand": list("<url><loc>HOST/1</loc><title>A & B</title></url>"),
		"UTF-16": wide(strings.ReplaceAll(one, "HOST", h.server.URL)), "gzip": zipped(t, strings.ReplaceAll(one, "HOST", h.server.URL)),
		"a wrong encoding": `<?xml version="1.0" encoding="ISO-8859-1"?>` + list("<url><loc>HOST/1</loc><title>\xfc</title></url>"),
		"twice":            list("<url><loc>HOST/1</loc></url><url><loc>HOST/1</loc></url>"), "others' addresses": list("<url><loc>HOST/1</loc></url><url><loc>https://evil.example/</loc></url><url><loc>javascript:x</loc></url>"),
	} {
		h.pages["/sitemap.xml"] = page{body: body}
		s, err := h.read(nil, true)
		if err != nil || len(s.Addresses) != 1 || s.Addresses[0].URL != h.server.URL+"/1" {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
	bomb := `<!DOCTYPE urlset [<!ENTITY a "` + strings.Repeat("a", 1000) + `"><!ENTITY b "` + strings.Repeat("&a;", 1000) + `">]><urlset><url><loc>HOST/&b;</loc></url>`
	for name, body := range map[string]string{
		"half": one[:len(one)-12], "a bomb of entities": bomb, "a bomb of gzip": zipped(t, "<urlset>"+strings.Repeat(" ", maxList+1)), "half a gzip": zipped(t, one)[:40],
		"another document": "<rss><channel/></rss>", "nested for ever": "<urlset>" + strings.Repeat("<url>", 100_000),
	} {
		h.pages["/sitemap.xml"] = page{body: body}
		s, err := h.read(nil, true)
		if name == "a bomb of entities" && err == nil && len(s.Addresses) <= 1 && (len(s.Addresses) == 0 || len(s.Addresses[0].URL) < 100) {
			continue // what is not expanded does no harm
		}
		if err == nil || !strings.Contains(err.Error(), "/sitemap.xml") {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}
