package document

import (
	"net/url"
	"testing"
	"time"
)

func TestPermalinksAreThoseOfTheSite(t *testing.T) {
	t.Parallel()
	base, err := url.Parse("https://blog.example/notes/")
	if err != nil {
		t.Fatal(err)
	}
	const dated, eis = "2026-03-09-erstes-eis.md", "# Erstes Eis\n\nEs taut."
	const from = "https://blog.example/notes/"
	for name, c := range map[string]struct{ pattern, file, text, address, date string }{
		"none":        {"", dated, eis, from + "2026-03-09-erstes-eis", "2026-03-09"},
		"day of file": {"/:year/:month/:slug/", dated, eis, from + "2026/03/erstes-eis/", "2026-03-09"},
		"day of matter": {
			"/:year/:month/:day/:slug.html", "posts/eis.md", "---\ndate: 2025-12-24T10:00:00Z\n---\nEs taut.",
			from + "2025/12/24/eis.html", "2025-12-24",
		},
		"slug": {
			"/:path/:slug/", "posts/a.md", "---\nslug: das-eis\ntitle: Eis\n---\nEs taut.",
			from + "posts/das-eis/", "0001-01-01",
		},
		"title": {
			"/:path/:title/", "a.md", "---\ntitle: Größtes Eis!\n---\nEs taut.",
			from + "gr%C3%B6%C3%9Ftes-eis/", "0001-01-01",
		},
		"no date": {"/:year/:slug/", "about.md", "# Über\n\nHier.", from + "about", "0001-01-01"},
		"its own": {
			"/:year/:slug/", "2026-03-09-a.md", "---\npermalink: /eis/\n---\nEs taut.",
			"https://blog.example/eis/", "2026-03-09",
		},
		"a wrong year": {"/:year/:slug/", "99-a.md", "# A\n\nEs taut.", from + "99-a", "0001-01-01"},
	} {
		r := Reader{Base: base, Permalink: Permalink(c.pattern), Limits: Limits{}.WithDefaults()}
		out := r.Read(&Portion{Format: Markdown, File: File{Name: c.file}, Text: c.text, Line: 1})
		if len(out.Drafts) != 1 {
			t.Errorf("%s: %+v", name, out)
			continue
		}
		if item := out.Drafts[0]; item.URL != c.address || item.Published.Format(time.DateOnly) != c.date {
			t.Errorf("%s: at %s of %s, want %s of %s", name, item.URL, item.Published, c.address, c.date)
		}
	}
	for pattern, right := range map[Permalink]bool{
		"": true, "/:year/:slug/": true, "/:path/:title/": true,
		":slug": false, "/:category/:slug/": false, "/:years/": false,
	} {
		if err := pattern.Check(); (err == nil) != right {
			t.Errorf("%q: %v", pattern, err)
		}
	}
}
