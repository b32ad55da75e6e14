// Package console is the owner's pages under /console/: what was given to whom, what was denied, the keys of platforms,
// what agents submit, and what is sold, for those who are logged in. They are in English, and work without any script.
package console

import (
	"bytes"
	"context"
	"embed"
	"html/template"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/ask/page"
	"frontdesk/internal/excerpts/grants"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/ledger"
	"frontdesk/wire/receipt"
)

//go:embed owner.html owner_accounts.html owner_inbox.html owner_request.html owner_sales.html owner_deliveries.html
//go:embed owner_disputes.html owner_tenants.html owner_domains.html owner_reconcile.html
var embedded embed.FS

// OwnerPath is where the owner's pages are.
const OwnerPath = "/console/"

// OwnerConfig says what the owner's pages show, and to whom. Nothing of it may be nil but Inbox
// and Sales.
type OwnerConfig struct {
	Title     string                     // the site's name
	PublicURL func(*http.Request) string // as of Config
	Now       func() time.Time
	Session   time.Duration // how long a login is good

	Logins *identity.Logins
	// Suspect says that too many wrong tokens came from a request's address; Failed counts one.
	Suspect func(*http.Request) error
	Failed  func(*http.Request)
	// Note is told what somebody did: "logged in", "logged out", "suspended KEY".
	Note func(r *http.Request, in identity.Login, what string)

	// What is shown. Entries gives the newest first where the filter says so.
	Head      func(context.Context) (ledger.Head, error)
	Entries   func(context.Context, ledger.Filter) iter.Seq2[ledger.Record, error]
	Receipt   func(context.Context, string) (receipt.Receipt, error)
	Keys      func() receipt.Keys
	Refused   func(context.Context, grants.RefusalFilter) ([]grants.Request, error)
	Tallies   func(context.Context, time.Time) ([]grants.DayCount, error)
	Platforms func(context.Context) ([]identity.PlatformKey, error)
	// SetStatus suspends or resumes a platform's key, for an operator.
	SetStatus func(ctx context.Context, by identity.Login, id, status string) error

	// Warnings are what the owner should know on every page, such as that what was read is old; nil for nothing.
	Warnings func() []string
	// Inbox is what agents submit; nil where nothing is taken in.
	Inbox *InboxConfig
	// Sales is what is sold; nil where nothing is.
	Sales *SalesConfig
}

// Owner serves the owner's pages under OwnerPath, to those who are logged in. They are plain HTML without any script;
// what changes something, or takes a token, is a POST with a token of the form's own.
func Owner(config OwnerConfig) http.Handler {
	if config.Title == "" {
		config.Title = "Frontdesk"
	}
	o := &owner{config: config, files: page.Load()}
	o.template = ownerTemplate(func(until time.Time) string { return leftOf(until, config.Now()) })
	mux := http.NewServeMux()
	mux.HandleFunc("GET /console", func(w http.ResponseWriter, r *http.Request) { o.to(w, r, "") })
	mux.Handle("GET /console/assets/", http.StripPrefix("/console", http.HandlerFunc(o.files.Serve)))
	mux.HandleFunc("GET /console/login", o.showLogin)
	mux.HandleFunc("POST /console/login", o.login)
	mux.HandleFunc("POST /console/logout", o.inside(o.logout))
	mux.HandleFunc("GET /console/{$}", o.page("receipts", o.receipts))
	mux.HandleFunc("GET /console/receipts/{id}", o.page("receipt", o.receipt))
	mux.HandleFunc("GET /console/receipts/{id}/receipt.json", o.inside(o.download))
	mux.HandleFunc("POST /console/verify", o.page("receipt", o.verify))
	mux.HandleFunc("GET /console/denials", o.page("denials", o.denials))
	mux.HandleFunc("GET /console/keys", o.page("keys", o.keys))
	mux.HandleFunc("POST /console/keys", o.action(o.changeKey))
	if config.Inbox != nil {
		o.inboxRoutes(mux)
	}
	if config.Sales != nil {
		o.salesRoutes(mux)
	}
	mux.HandleFunc("GET /console/", o.inside(func(http.ResponseWriter, *http.Request, *visit) error {
		return fail.New(fail.NotFound, "There is no such page in the console.")
	}))
	return http.MaxBytesHandler(mux, maxForm)
}

// maxForm is the most that a form may have: a receipt as text, as browsers encode it.
const maxForm = 1 << 20

type owner struct {
	config   OwnerConfig
	files    *page.Files
	template *template.Template
}

// sheet is what every page of the owner's has.
type sheet struct {
	Title   string // of the page
	Site    string
	Base    string // the path of the pages, with a slash at its end
	Assets  string
	Page    string          // the name of the template
	In      *identity.Login // nil for nobody
	CSRF    string
	Inbox   bool // there is an inbox
	Open    int  // how much of it waits for a person
	Sales   bool // something is sold
	Body    any
	Warned  []string // what the owner should know
	Problem string   // what could not be shown or done; empty for nothing
}

// Selling says whether the page is one of what is sold.
func (s sheet) Selling() bool { return strings.HasPrefix(s.Page, "sales") }

// May says whether who is logged in changes anything.
func (s sheet) May() bool { return s.In != nil && s.In.Role == identity.Operator }

// base is the path of the owner's pages as the sender of a request knows it.
func (o *owner) base(r *http.Request) string {
	if u, err := url.Parse(o.config.PublicURL(r)); err == nil {
		return u.EscapedPath() + OwnerPath
	}
	return OwnerPath
}

// to sends a browser to one of our pages.
func (o *owner) to(w http.ResponseWriter, r *http.Request, page string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", o.base(r)+page)
	w.WriteHeader(http.StatusSeeOther)
}

// ownerPolicy lets the pages load our style sheet and post to us, and nothing else: no script runs on them.
const ownerPolicy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// show draws a page.
func (o *owner) show(w http.ResponseWriter, r *http.Request, status int, s sheet) {
	s.Site, s.Base = o.config.Title, o.base(r)
	if s.Inbox = o.config.Inbox != nil && s.In != nil; s.Inbox {
		s.Open, _ = o.config.Inbox.Open(r.Context()) // without a figure the page is as good
	}
	s.Sales = o.config.Sales != nil && s.In != nil
	if o.config.Warnings != nil && s.In != nil {
		s.Warned = o.config.Warnings()
	}
	s.Assets = s.Base + strings.TrimPrefix(o.files.Root, "/")
	var body bytes.Buffer
	if err := o.template.ExecuteTemplate(&body, "sheet", s); err != nil {
		http.Error(w, "The page could not be drawn.", http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", ownerPolicy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "same-origin") // with none at all, browsers would hide where a form comes from
	header.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(body.Bytes())
}

// statuses are those of errors.
var statuses = map[fail.Code]int{
	fail.NotFound: http.StatusNotFound, fail.Invalid: http.StatusBadRequest, fail.Unauthorized: http.StatusUnauthorized, fail.Forbidden: http.StatusForbidden,
	fail.Limited: http.StatusTooManyRequests, fail.Unavailable: http.StatusServiceUnavailable, fail.Timeout: http.StatusServiceUnavailable,
}

// comeBack says when to come back after an error.
func comeBack(w http.ResponseWriter, err error) {
	if after := fail.From(err).RetryAfter; after > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(fail.Seconds(after)))
	}
}

// refuse draws a page that says what is wrong.
func (o *owner) refuse(w http.ResponseWriter, r *http.Request, v *visit, err error) {
	status, known := statuses[fail.From(err).Code]
	if !known {
		status = http.StatusInternalServerError
	}
	comeBack(w, err)
	s := sheet{Title: "Not possible", Page: "problem", Problem: fail.From(err).Detail}
	if v != nil {
		s.In, s.CSRF = &v.in, v.csrf()
	}
	o.show(w, r, status, s)
}

// ownerTemplate reads the owner's pages. Of them "sheet" is what all have, with the page that a sheet
// names inside.
func ownerTemplate(left func(time.Time) string) (all *template.Template) {
	page := func(s sheet) (template.HTML, error) {
		var body bytes.Buffer
		err := all.ExecuteTemplate(&body, s.Page, s)
		return template.HTML(body.String()), err
	}
	all = template.Must(template.New("owner.html").Funcs(functions(left, page)).ParseFS(embedded, "owner*.html"))
	return all
}

// functions are those of templates.
func functions(left func(time.Time) string, page func(sheet) (template.HTML, error)) template.FuncMap {
	return template.FuncMap{
		"day":    func(t time.Time) string { return t.UTC().Format("2 Jan 2006") },
		"iso":    func(t time.Time) string { return t.UTC().Format(time.DateOnly) },
		"moment": func(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04:05") },
		"exact":  func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) },
		"words":  func(reason string) string { return strings.ReplaceAll(reason, "_", " ") },
		"add":    func(a, b int64) int64 { return a + b },
		"times":  func(n int) string { return plural(n, "time") },
		"always": func(t time.Time) bool { return t.Year() >= 9999 },
		"left":   left,
		"money":  money,
		"stated": func(is *bool) string { return map[bool]string{true: "yes", false: "no"}[*is] },
		"rowsOf": func(s sheet, rows []deliveryRow) deliveryRows { return deliveryRows{s.Base, rows} },
		"amount": amountOf,
		"inputs": inputs,
		"own":    own,
		"page":   page,
	}
}
