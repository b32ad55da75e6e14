package docsite

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"frontdesk/docs"
)

// small is a documentation of three pages in two folders.
func small(pages map[string]string) fs.FS {
	files := fstest.MapFS{"README.md": {Data: []byte("# Manual\n\n" +
		"## Erste Schritte\n\n- [Anfang](a/start.md)\n\n## Mehr\n\n- [Preise](b/price.md)\n")}}
	for name, text := range pages {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

var two = map[string]string{
	"a/start.md": "# Beginnen\n\nErst [die Preise](../b/price.md#what-it-costs), " +
		"dann [der Quelltext](../../main.go) und [die Liste](../README.md).\n",
	"b/price.md": "# Prices\n\nAll prices.\n\n## What it costs\n\nA crossing by ferry costs four crowns.\n\n" +
		"## What it costs\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n",
}

func get(t *testing.T, s *Site, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w
}

func TestPagesAreServedWithLinksBetweenThem(t *testing.T) {
	t.Parallel()
	s, err := New(small(two))
	if err != nil {
		t.Fatal(err)
	}
	body := get(t, s, "/a/start.html").Body.String()
	for _, want := range []string{
		`<h1>Beginnen</h1>`, `href="../b/price.html#what-it-costs"`, `dann der Quelltext und`, `href="../index.html">die Liste`,
		`<summary>Erste Schritte</summary>`, `<link rel="stylesheet" href="../docs.css">`, `rel="next" href="../b/price.html"`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s:\n%s", want, body)
		}
	}
	price := get(t, s, "/b/price.html").Body.String()
	for _, want := range []string{`id="what-it-costs"`, `id="what-it-costs-1"`} {
		if !strings.Contains(price, want) {
			t.Errorf("the page lacks %s:\n%s", want, price)
		}
	}
	if got := get(t, s, "/b/price.md"); got.Body.String() != two["b/price.md"] ||
		!strings.HasPrefix(got.Header().Get("Content-Type"), "text/markdown") {
		t.Errorf("as Markdown: %s %q", got.Header(), got.Body)
	}
	if got := get(t, s, "/"); !strings.Contains(got.Body.String(), "<h1>Manual</h1>") {
		t.Errorf("the first page: %s", got.Body)
	}
	for _, nothing := range []string{"/b/none.html", "/../docs.go", "/a/", "/a/start"} {
		if got := get(t, s, nothing); got.Code != http.StatusNotFound {
			t.Errorf("%s: status %d", nothing, got.Code)
		}
	}
}

func TestSearchFindsTheSection(t *testing.T) {
	t.Parallel()
	s, err := New(small(two))
	if err != nil {
		t.Fatal(err)
	}
	found := s.Search("how much is the ferry")
	if len(found) == 0 || found[0].Address() != "b/price.html#what-it-costs" ||
		!strings.Contains(found[0].Excerpt, "four crowns") {
		t.Errorf("found %+v", found)
	}
	if body := get(t, s, "/search?q=ferry").Body.String(); !strings.Contains(body, `href="b/price.html#what-it-costs"`) {
		t.Errorf("search page: %s", body)
	}
	if body := get(t, s, "/search?q=%3Cscript%3E").Body.String(); strings.Contains(body, "<script>") ||
		!strings.Contains(body, "Nothing was found") {
		t.Errorf("search page: %s", body)
	}
}

func TestTabsOfOneExampleBelongTogether(t *testing.T) {
	t.Parallel()
	s, err := New(small(map[string]string{
		"a/start.md": "# A\n\n```sh tab\ncurl <x>\n```\n\n```python tab\nask()\n```\n\nText.\n\n```sh\nls\n```\n",
		"b/price.md": "# B\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	body := s.pages["a/start.md"].body
	if strings.Count(body, `class="tabs"`) != 1 || strings.Count(body, `type="radio"`) != 2 || strings.Count(body, " checked") != 1 ||
		!strings.Contains(body, "curl &lt;x&gt;") || strings.Count(body, "<pre") != 3 {
		t.Errorf("the tabs: %s", body)
	}
}

func TestAPageThatTheMapForgetsIsAnError(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"not listed": {"a/start.md": "# A\n", "b/price.md": "# B\n", "c.md": "# C\n"},
		"missing":    {"a/start.md": "# A\n"},
		"no title":   {"a/start.md": "A\n", "b/price.md": "# B\n"},
		"markup":     {"a/start.md": "# A\n\n<div>A</div>\n", "b/price.md": "# B\n"},
		"a mark":     {"a/start.md": "# A\n\nSome <b>A</b>\n", "b/price.md": "# B\n"},
	} {
		if _, err := New(small(files)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

var hrefs = regexp.MustCompile(`href="([^"#:]*)(?:#([^"]*))?"`)

// TestTheDocumentationIsWhole writes the documentation as files, and follows each link to its page
// and heading.
func TestTheDocumentationIsWhole(t *testing.T) {
	t.Parallel()
	s, err := New(docs.Files)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := s.Write(folder); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, p := range s.Pages() {
		text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(p.Address())))
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range hrefs.FindAllStringSubmatch(string(text), -1) {
			file := filepath.Join(folder, filepath.FromSlash(p.Address()))
			if link[1] != "" {
				file = filepath.Join(filepath.Dir(file), filepath.FromSlash(link[1]))
			}
			target, err := os.ReadFile(file)
			if err != nil {
				t.Errorf("%s links to %s, which is not there", p.Path, link[1])
			} else if link[2] != "" && !strings.Contains(string(target), `id="`+link[2]+`"`) {
				t.Errorf("%s links to %s#%s, and there is no such heading", p.Path, link[1], link[2])
			}
			checked++
		}
	}
	if checked < 1000 {
		t.Errorf("only %d links", checked)
	}
}
