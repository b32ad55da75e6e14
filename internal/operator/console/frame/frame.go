// Package frame is what all pages of the owner's console share: the menu, who may come in and do
// what, the layout, the style sheet, and the words of pages in each language. It knows no page but
// the login and the problem page: a package of pages hands it [Pages], and frame serves and draws
// them.
//
// Enter at [New]. A page is a row of [Pages.Rows]; its menu entry is a row of the table in menu.go.
package frame

import (
	"context"
	"embed"
	"html/template"
	"io/fs"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/ask/page"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/ratelimit"
)

//go:embed frame.html assets
var embedded embed.FS

// Path is where the console is.
const Path = "/console/"

// Config says who may come in, and what every page shows. Nothing of it may be nil but Warnings.
type Config struct {
	Title     string                     // the site's name
	PublicURL func(*http.Request) string // the address of the front desk, without a slash at its end
	Now       func() time.Time
	Session   time.Duration // how long a login is good
	Logins    *identity.Logins

	// Client is the address from which a request came.
	Client func(*http.Request) netip.Addr
	// Note is told what somebody did: "logged in", "logged out", "suspended KEY".
	Note func(r *http.Request, in identity.Login, what string)
	// Warnings are what the owner should know on every page; nil for nothing.
	Warnings func() []string
}

// Pages are the pages of one package.
type Pages struct {
	Rows      []Page
	Templates fs.FS            // whose *.html define a template for each page
	Functions template.FuncMap // that these templates call, beside those of every page
	// Words are the texts of the pages in each language. A page that says none is in English.
	Words string
	UTC   bool // the pages tell days and times in UTC
	// Waiting counts what waits for a person, by the path of the page's entry in the menu.
	Waiting map[string]func(context.Context) (int, error)
	Finders []Finder // by which the box above every page finds what the pages list
}

// Page is one address. Whoever is not logged in gets the login in its place, and whoever does not
// have the right a refusal. A POST is served only from a form of ours, which carries Sheet.CSRF as
// "form".
type Page struct {
	Pattern string // as http.ServeMux has it, below Path: "GET receipts/{id}"
	Right   identity.Right
	Serve   Handler
}

// Handler serves a page to somebody who may see it. Frame draws its error.
type Handler func(http.ResponseWriter, *http.Request, *Visit) error

// Frame serves the console.
type Frame struct {
	Config
	mux     *http.ServeMux
	files   *page.Files
	drawing *drawing
	rows    []Page
	finders []Finder
	waiting map[string]func(context.Context) (int, error)
	wrong   ratelimit.Meter // of wrong tokens and codes, by address
}

// wrongTokens is how many wrong tokens and codes may come from one address.
var wrongTokens = ratelimit.Rate{Requests: 10, Per: time.Minute, Burst: 10}

// maxForm is the most that a form may have: a receipt as text, as browsers encode it.
const maxForm = 1 << 20

// New puts pages into a frame. Each set is given the frame, whose methods its handlers use.
func New(config Config, sets ...func(*Frame) Pages) *Frame {
	if config.Title == "" {
		config.Title = "Frontdesk"
	}
	f := &Frame{
		Config: config, mux: http.NewServeMux(), files: page.LoadFiles(embedded, "assets"),
		waiting: map[string]func(context.Context) (int, error){},
		wrong:   ratelimit.New(ratelimit.Options{Now: config.Now}).Meter("console", wrongTokens),
	}
	all := []Pages{f.own()}
	for _, set := range sets {
		all = append(all, set(f))
	}
	for _, one := range all {
		f.rows, f.finders = append(f.rows, one.Rows...), append(f.finders, one.Finders...)
		for entry, count := range one.Waiting {
			f.waiting[entry] = count
		}
	}
	f.drawing = newDrawing(config.Now, all)
	f.route()
	return f
}

// own are the pages of the frame itself, but for those that are open to strangers.
func (f *Frame) own() Pages {
	templates, _ := fs.Sub(embedded, ".")
	return Pages{
		Templates: templates, Words: ownWords + storedWords,
		Rows: []Page{{"POST logout", identity.See, f.logout}, {"GET find", identity.See, f.find}},
	}
}

// route serves all pages.
func (f *Frame) route() {
	f.mux.HandleFunc("GET /console", func(w http.ResponseWriter, r *http.Request) { f.To(w, r, "") })
	f.mux.Handle("GET /console/assets/", http.StripPrefix("/console", http.HandlerFunc(f.files.Serve)))
	f.mux.HandleFunc("GET /console/login", f.showLogin)
	f.mux.HandleFunc("POST /console/login", f.login)
	f.mux.HandleFunc("GET /console/begin", f.showBegin)
	f.mux.HandleFunc("POST /console/begin", f.takeBegin)
	for _, row := range f.rows {
		method, below, _ := strings.Cut(row.Pattern, " ")
		f.mux.HandleFunc(method+" "+Path+below, f.inside(row))
	}
	f.mux.HandleFunc("GET "+Path, f.inside(Page{Right: identity.See, Serve: missing}))
}

// missing is served in place of a page that is not there.
func missing(http.ResponseWriter, *http.Request, *Visit) error {
	return Fail(fail.NotFound, "fault.page")
}

// Rows are the addresses of all pages, for tests.
func (f *Frame) Rows() []Page { return slices.Clone(f.rows) }

// Has says whether there is a page at a path below Path.
func (f *Frame) Has(path string) bool {
	if path == "" {
		path = "{$}"
	}
	return slices.ContainsFunc(f.rows, func(row Page) bool { return row.Pattern == "GET "+path })
}

// ServeHTTP serves the console.
func (f *Frame) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	http.MaxBytesHandler(f.mux, maxForm).ServeHTTP(w, r)
}

// Base is the path of the console as the sender of a request knows it.
func (f *Frame) Base(r *http.Request) string {
	if u, err := url.Parse(f.PublicURL(r)); err == nil {
		return u.EscapedPath() + Path
	}
	return Path
}

// To sends a browser to a page, by its path below Path.
func (f *Frame) To(w http.ResponseWriter, r *http.Request, page string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", f.Base(r)+page)
	w.WriteHeader(http.StatusSeeOther)
}

// Elsewhere is the address of another page, below Path, in place of the one that was asked for.
type Elsewhere string

func (Elsewhere) Error() string { return "the page is elsewhere" }

// Moved leads from an old path to a new one, with the query of the request.
func Moved(to string) Handler {
	return func(_ http.ResponseWriter, r *http.Request, _ *Visit) error {
		if r.URL.RawQuery != "" {
			return Elsewhere(to + "?" + r.URL.RawQuery)
		}
		return Elsewhere(to)
	}
}

// patience is how long a page may take to be read: a filter that hardly anything fits reads
// everything.
const patience = 10 * time.Second

// Draw serves what a function reads, drawn with the template of a name. The function gives the
// title and the body of the template.
func (f *Frame) Draw(
	name string, read func(context.Context, *http.Request, *Visit) (title string, body any, err error),
) Handler {
	return func(w http.ResponseWriter, r *http.Request, v *Visit) error {
		ctx, cancel := context.WithTimeout(r.Context(), patience)
		defer cancel()
		title, body, err := read(ctx, r, v)
		if err != nil {
			return err
		}
		f.Show(w, r, http.StatusOK, v.Sheet(title, name, body))
		return nil
	}
}

// Act serves a form. What is done says what it did, which is noted, and to which page the browser
// goes then.
func (f *Frame) Act(do func(*http.Request, *Visit) (did, to string, err error)) Handler {
	return func(_ http.ResponseWriter, r *http.Request, v *Visit) error {
		did, to, err := do(r, v)
		if err != nil {
			return err
		}
		if did != "" {
			f.Note(r, v.In, did)
		}
		return Elsewhere(to)
	}
}
