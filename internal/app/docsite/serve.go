package docsite

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
)

//go:embed assets
var assets embed.FS

// own are the files of the layout.
var own, _ = fs.Sub(assets, "assets")

var layout = template.Must(template.ParseFS(own, "page.html"))

// contentPolicy lets a page have its style sheet and pictures, and send its search.
const contentPolicy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'"

// sheet is what a page's layout is filled with.
type sheet struct {
	*Page
	Root   string // leads from the page to the map's folder: "", "../"
	Groups []Group
	Body   template.HTML
	Search bool // whether somebody answers searches
	Asked  string
	Found  []Result

	Before, After *Page
}

// Contents are the page's own headings, for the list beside it.
func (s sheet) Contents() (contents []Section) {
	for _, section := range s.Sections {
		if section.Level == 2 {
			contents = append(contents, section)
		}
	}
	return contents
}

// draw makes a page.
func (s *Site) draw(p *Page, served bool) ([]byte, error) {
	before, after := s.beside(p)
	return fill(sheet{
		Page: p, Root: strings.Repeat("../", strings.Count(p.Path, "/")), Groups: s.groups, Search: served,
		Body: template.HTML(p.body), Before: before, After: after, // our own pages, without markup of their own
	})
}

func fill(with sheet) ([]byte, error) {
	var out bytes.Buffer
	err := layout.ExecuteTemplate(&out, "page.html", with)
	return out.Bytes(), err
}

// OwnHandler serves the documentation of this program, as Handler does. Nothing is read before
// somebody reads it.
func OwnHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { Own().Handler().ServeHTTP(w, r) })
}

// Handler serves the site; requests come with paths below the map's folder, "/terms/terms.html".
// Each page is there as Markdown too.
func (s *Site) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "The documentation can only be read.", http.StatusMethodNotAllowed)
			return
		}
		name := strings.TrimPrefix(r.URL.Path, "/")
		kind, body, err := s.file(name, r)
		header := w.Header()
		header.Set("Content-Security-Policy", contentPolicy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Cache-Control", "no-cache")
		switch {
		case err != nil:
			http.Error(w, "The page could not be drawn.", http.StatusInternalServerError)
		case body == nil:
			http.Error(w, "There is no such page. The list of all pages is index.html.", http.StatusNotFound)
		default:
			header.Set("Content-Type", kind)
			_, _ = w.Write(body)
		}
	})
}

const (
	asHTML     = "text/html; charset=utf-8"
	asMarkdown = "text/markdown; charset=utf-8"
)

// kinds are the media types of files by their ending.
var kinds = map[string]string{".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".png": "image/png"}

// file is what is served under a name; no body where there is nothing.
func (s *Site) file(name string, r *http.Request) (kind string, body []byte, err error) {
	switch name {
	case "":
		name = "index.html"
	case "search":
		asked := r.FormValue("q")
		body, err = fill(sheet{
			Page: &Page{Path: "search", Title: "Search"}, Groups: s.groups,
			Search: true, Asked: asked, Found: s.Search(asked),
		})
		return asHTML, body, err
	}
	if body := s.files[name]; body != nil {
		return kinds[path.Ext(name)], body, nil
	}
	if p := s.pages[name]; p != nil {
		return asMarkdown, p.source, nil
	}
	for _, p := range s.order {
		if p.Address() == name {
			body, err = s.draw(p, true)
			return asHTML, body, err
		}
	}
	return "", nil, nil
}

// Write makes a folder of the site, for any web server or a browser alone. Without a program behind
// it the site has no search. Files that are there already are overwritten.
func (s *Site) Write(folder string) error {
	files := maps.Clone(s.files)
	files["llms.txt"] = s.forAgents()
	for _, p := range s.order {
		var err error
		files[p.Path] = p.source
		if files[p.Address()], err = s.draw(p, false); err != nil {
			return err
		}
	}
	for name, body := range files {
		target := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(target, body, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// forAgents is the site's llms.txt.
func (s *Site) forAgents() []byte {
	var b bytes.Buffer
	b.WriteString("# Frontdesk\n\n" +
		"> One program that gives a site a front desk for people's questions and for AI agents.\n")
	for _, group := range s.groups {
		fmt.Fprintf(&b, "\n## %s\n\n", group.Title)
		for _, p := range group.Pages {
			fmt.Fprintf(&b, "- [%s](%s)\n", p.Title, p.Path)
		}
	}
	return b.Bytes()
}
