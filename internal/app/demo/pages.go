package demo

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
)

//go:embed pages
var pageFiles embed.FS

// policy lets a page load its own style and pictures and send its search form, and nothing else.
// The JSON-LD in it is data, to which script rules do not apply.
const policy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; " +
	"frame-ancestors 'none'"

// Pages serves the sample sites under /sample/: an index, a page for each site and for each item,
// and the items' pictures. Base is the address at which it is reached from outside, without a slash
// at the end, for the canonical addresses; its path, if it has one, stands before every link. A
// draft has no page, and a premium article's page ends after its first words.
func Pages(base string) http.Handler {
	all, err := things()
	if err != nil {
		panic(fmt.Sprintf("the embedded sample content cannot be read: %v", err)) // a test reads it all
	}
	p := &pages{base: base, byPath: map[string]*thing{}, pictures: map[string]bool{}}
	if u, err := url.Parse(base); err == nil {
		p.templates = parseTemplates(u.Path)
	}
	for _, t := range all {
		if !t.Draft() {
			p.byPath[t.URL] = t
			p.pictures[t.Image] = true
			p.all = append(p.all, t)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /sample/{$}", p.index)
	mux.HandleFunc("GET /sample/{site}/{$}", p.site)
	mux.HandleFunc("GET /sample/{site}/{slug...}", p.item)
	mux.HandleFunc("GET /sample/images/{file}", p.picture)
	mux.HandleFunc("GET /sample/style.css", p.style)
	mux.HandleFunc("/", p.missing)
	return mux
}

type pages struct {
	base      string
	all       []*thing
	byPath    map[string]*thing
	pictures  map[string]bool // by address
	templates *template.Template
}

// view is what a template sees.
type view struct {
	Title     string
	About     string
	Canonical string
	Site      *Site // nil on the index
	Sites     []Site
	Shelves   []shelf // lists of things, on the index and a site's page
	Thing     *thing  // on an item's page
	Data      map[string]any
	Excerpt   string // of a premium article
	Related   []*thing
}

// shelf is a site's things, or a part of them.
type shelf struct {
	Site   Site
	Things []*thing
}

func (p *pages) index(w http.ResponseWriter, r *http.Request) {
	v := view{Title: Town, About: "Four small sites from an invented harbour town, for trying things out.",
		Sites: Sites}
	for _, site := range Sites {
		v.Shelves = append(v.Shelves, shelf{site, spread(p.of(site), 4)})
	}
	p.render(w, r, http.StatusOK, "index.html", v)
}

func (p *pages) site(w http.ResponseWriter, r *http.Request) {
	for _, site := range Sites {
		if site.ID == r.PathValue("site") {
			v := view{Title: site.Name, About: site.About, Site: &site, Sites: Sites,
				Shelves: []shelf{{site, p.of(site)}}}
			p.render(w, r, http.StatusOK, "site.html", v)
			return
		}
	}
	p.missing(w, r)
}

func (p *pages) item(w http.ResponseWriter, r *http.Request) {
	t := p.byPath[r.URL.Path]
	if t == nil {
		p.missing(w, r)
		return
	}
	v := view{Title: t.Title(), About: t.Description, Site: &t.Site, Sites: Sites, Thing: t,
		Data: p.absolute(t.Object).(map[string]any)}
	if t.Premium() {
		v.Excerpt = excerpt(t.Body, 60)
	}
	neighbours := p.of(t.Site)
	here := slices.Index(neighbours, t)
	for i := range 3 {
		v.Related = append(v.Related, neighbours[(here+1+i)%len(neighbours)])
	}
	p.render(w, r, http.StatusOK, strings.ToLower(t.Site.Kind)+".html", v)
}

func (p *pages) missing(w http.ResponseWriter, r *http.Request) {
	p.render(w, r, http.StatusNotFound,
		"missing.html", view{Title: "Nothing at this address", About: "There is no such page here.", Sites: Sites})
}

// of lists a site's things in the order of the content, except that articles and events go by date.
func (p *pages) of(site Site) []*thing {
	var all []*thing
	for _, t := range p.all {
		if t.Site == site {
			all = append(all, t)
		}
	}
	sortByDate(all)
	return all
}

// spread picks n things at even distances, so that the index shows more than the beginning of an
// alphabet.
func spread(all []*thing, n int) []*thing {
	if len(all) <= n {
		return all
	}
	picked := make([]*thing, 0, n)
	for i := range n {
		picked = append(picked, all[i*len(all)/n])
	}
	return picked
}

func (p *pages) render(w http.ResponseWriter, r *http.Request, status int, name string, v view) {
	v.Canonical = p.base + r.URL.Path
	var page bytes.Buffer
	if err := p.templates.ExecuteTemplate(&page, name, v); err != nil {
		http.Error(w, "This page could not be drawn.", http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "same-origin")
	if status != http.StatusOK {
		w.WriteHeader(status)
		w.Write(page.Bytes())
		return
	}
	serve(w, r, page.Bytes())
}

func (p *pages) picture(w http.ResponseWriter, r *http.Request) {
	slug, ok := strings.CutSuffix(r.PathValue("file"), ".svg")
	if !ok || !p.pictures[r.URL.Path] {
		p.missing(w, r)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "image/svg+xml")
	header.Set("Content-Security-Policy", "default-src 'none'")
	header.Set("X-Content-Type-Options", "nosniff")
	serve(w, r, []byte(picture(slug)))
}

func (p *pages) style(w http.ResponseWriter, r *http.Request) {
	text, _ := pageFiles.ReadFile("pages/style.css") // embedded above
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	serve(w, r, text)
}

// serve answers with a body that the client may keep for a while and then ask about by its hash.
func serve(w http.ResponseWriter, r *http.Request, body []byte) {
	sum := sha256.Sum256(body)
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	w.Header().Set("ETag", tag)
	w.Header().Set("Cache-Control", "max-age=60")
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Write(body)
}

// absolute copies a value with every address of ours in it made absolute.
func (p *pages) absolute(value any) any {
	switch value := value.(type) {
	case map[string]any:
		object := make(map[string]any, len(value))
		for key, member := range value {
			object[key] = p.absolute(member)
		}
		return object
	case []any:
		list := make([]any, 0, len(value))
		for _, member := range value {
			list = append(list, p.absolute(member))
		}
		return list
	case string:
		if strings.HasPrefix(value, "/sample/") {
			return p.base + value
		}
	}
	return value
}

// parseTemplates gives the pages' templates; links of theirs begin with a prefix.
func parseTemplates(prefix string) *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"at":     func(path string) string { return prefix + path },
		"money":  money,
		"time":   duration,
		"day":    day,
		"when":   when,
		"span":   span,
		"stars":  stars,
		"lower":  strings.ToLower,
		"diet":   diet,
		"stock":  stock,
		"jsonld": jsonLD,
	}).ParseFS(pageFiles, "pages/*.html"))
}

// jsonLD renders an object for a script element: encoding/json writes "<" as an escape, so that no
// text in the object can end the element.
func jsonLD(object map[string]any) (template.JS, error) {
	text, err := json.MarshalIndent(object, "", " ")
	return template.JS(text), err
}

// stock says what an offer's availability means to a customer.
func stock(availability string) string {
	switch path.Base(availability) {
	case "InStock":
		return "In stock"
	case "LimitedAvailability":
		return "Only a few left"
	case "PreOrder":
		return "Can be ordered in advance"
	case "BackOrder":
		return "Back in a few weeks"
	}
	return "Sold out"
}
