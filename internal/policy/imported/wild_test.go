package imported

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

// wide is a text in UTF-16 with its mark.
func wide(text string) string { return "\xff\xfe" + units(text, false) }

// units is a text in UTF-16.
func units(text string, big bool) string {
	var out []byte
	for _, u := range utf16.Encode([]rune(text)) {
		if big {
			out = append(out, byte(u>>8), byte(u))
		} else {
			out = append(out, byte(u), byte(u>>8))
		}
	}
	return string(out)
}

// TestLicencesInUTF16AreReadOrRefusedWhole has documents and pages in UTF-16, of either order, with
// their mark or without.
func TestLicencesInUTF16AreReadOrRefusedWhole(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	text, script := rsl("/ö😀"), `<!doctype html><p>ö</p><script type="application/rsl+xml">`+rsl("/page")+`</script>`
	labelled := `<?xml version="1.0" encoding="UTF-16"?>` + text
	for name, body := range map[string]string{
		"LE": wide(text), "BE": "\xfe\xff" + units(text, true), "LE without a mark": units(labelled, false),
		"BE without a mark": units(labelled, true), "as it says": wide(labelled),
		"UTF-8 that says UTF-16": labelled,
	} {
		h.put("/rsl.txt", page{body: body})
		s, err := h.read(nil, true)
		if err != nil || len(s.Documents) != 1 ||
			s.Terms([]string{"127.0.0.1"}, 1).Documents[0].Document.Contents[0].URL != "/ö😀" {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
	for name, body := range map[string]string{
		"half": wide(text)[:len(text)], "within a character": wide(text) + "x",
		"half a pair": strings.Replace(wide(text), "\x3d\xd8", "a\x00", 1), "a pair turned": units(labelled, true) +
			"\xdc\x00\xd8\x00",
	} {
		h.put("/rsl.txt", page{body: body})
		if s, err := h.read(nil, true); err == nil || !strings.Contains(err.Error(), "/rsl.txt") || name != "half" &&
			!strings.Contains(err.Error(), "UTF-16") {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
	// as sites answer that have a page for everything
	h.put("/rsl.txt", page{body: wide("<!DOCTYPE html><title>Nothing</title>")})
	for _, body := range []string{wide(script), "\xfe\xff" + units(script, true)} {
		h.put("/", page{body: body})
		if s, err := h.read(nil, true); err != nil || len(s.Documents) != 1 {
			t.Errorf("of a page: %+v, %v", s, err)
		}
	}
}

// TestListsOfTheWildAreReadOrRefusedWhole has sitemaps as they are found: those that are only
// untidy are read, the others leave what was read before, with their place.
func TestListsOfTheWildAreReadOrRefusedWhole(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	list := func(urls string) string {
		return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + urls + `</urlset>`
	}
	one := list("<url><loc>HOST/1</loc></url>")
	for name, body := range map[string]string{
		"a mark": "\ufeff" + one, "blank lines": "\n\n " + one,
		"no namespace":          "<urlset><url><loc>HOST/1</loc></url></urlset>",
		"a relative address":    list("<url><loc>/1</loc></url>"),
		"mixed content":         list("text <url>more<loc> HOST/1 <b/></loc>text<lastmod/></url> text"),
		"a bare ampersand":      list("<url><loc>HOST/1</loc><title>A & B</title></url>"),
		"UTF-16, BE":            "\xfe\xff" + units(strings.ReplaceAll(one, "HOST", h.server.URL), true),
		"UTF-16 without a mark": units(strings.ReplaceAll(one, "HOST", h.server.URL), false),
		"UTF-16, BE, without a mark": units(`<?xml version="1.0" encoding="UTF-16BE"?>`+strings.ReplaceAll(one, "HOST",
			h.server.URL), true), "UTF-16 in gzip": zipped(t, wide(strings.ReplaceAll(one, "HOST", h.server.URL))),
		"UTF-16":           wide(strings.ReplaceAll(one, "HOST", h.server.URL)),
		"gzip":             zipped(t, strings.ReplaceAll(one, "HOST", h.server.URL)),
		"a wrong encoding": `<?xml version="1.0" encoding="ISO-8859-1"?>` + list("<url><loc>HOST/1</loc><title>\xfc</title></url>"),
		"twice":            list("<url><loc>HOST/1</loc></url><url><loc>HOST/1</loc></url>"),
		"others' addresses": list(
			`<url><loc>HOST/1</loc></url><url><loc>https://evil.example/</loc></url><url><loc>javascript:x</loc></url>`),
	} {
		h.pages["/sitemap.xml"] = page{body: body}
		s, err := h.read(nil, true)
		if err != nil || len(s.Addresses) != 1 || s.Addresses[0].URL != h.server.URL+"/1" {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
	bomb := `<!DOCTYPE urlset [<!ENTITY a "` + strings.Repeat("a", 1000) + `"><!ENTITY b "` + strings.Repeat("&a;", 1000) + `">]><urlset><url><loc>HOST/&b;</loc></url>`
	for name, body := range map[string]string{
		"half in UTF-16": wide(one)[:len(one)], "UTF-16 that ends within a character": wide(one) + "x",
		"half a pair in UTF-16": strings.Replace(wide(strings.Replace(one, "1", "😀", 1)), "\x00\xde", "a\x00", 1),
		"half":                  one[:len(one)-12], "a bomb of entities": bomb,
		"a bomb of gzip": zipped(t, "<urlset>"+strings.Repeat(" ", maxList+1)), "half a gzip": zipped(t, one)[:40],
		"another document": "<rss><channel/></rss>", "nested for ever": "<urlset>" + strings.Repeat("<url>", 100_000),
	} {
		h.pages["/sitemap.xml"] = page{body: body}
		s, err := h.read(nil, true)
		if name == "a bomb of entities" && err == nil && len(s.Addresses) <= 1 &&
			(len(s.Addresses) == 0 || len(s.Addresses[0].URL) < 100) {
			continue // what is not expanded does no harm
		}
		if err == nil || !strings.Contains(err.Error(), "/sitemap.xml") {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}
