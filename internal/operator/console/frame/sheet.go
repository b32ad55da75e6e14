package frame

import (
	"bytes"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
)

// Sheet is what a page is drawn with. Whoever serves a page sets what is above the line.
type Sheet struct {
	Title   string // of the page
	Page    string // the name of its template
	Body    any
	Problem template.HTML // what could not be shown or done; empty for nothing
	Range   *Range        // the days that the page is about; nil for a page that is about none
	Actions []Action      // what can be done from the page's header
	Find    string        // what was looked for in the box above the page
	Search  *Search       // the form that looks for a text in the page's list; nil for none
	Script  string        // the one script of the page, by its name among assets; empty for none
	Asks    bool          // the page has the element <frontdesk-ask>

	// Show sets the rest.

	In       *identity.Login // nil for nobody
	CSRF     string
	Site     string
	Base     string // the path of the console, with a slash at its end
	Assets   string
	Menu     []Group
	Language string
	UTC      bool     // its days and times are UTC, which it has to say
	Warned   []string // what the owner should know

	has func(path string) bool
}

// Action leads from a page's header to what is done with the page, such as a download.
type Action struct {
	Text, Href string
	Out        bool // it leaves the console
}

// May says whether who is logged in does the daily work.
func (s Sheet) May() bool { return s.Can(identity.Operate) }

// Can says whether who is logged in has a right.
func (s Sheet) Can(right identity.Right) bool { return s.In != nil && identity.May(s.In.Role, right) }

// Has says whether there is a page at a path below Path.
func (s Sheet) Has(path string) bool { return s.has != nil && s.has(path) }

// FrontOf is the path of the page on which people ask, by that of the console.
func (s Sheet) FrontOf(base string) string { return strings.TrimSuffix(base, Path[1:]) }

// Front is the path of the page on which people ask.
func (s Sheet) Front() string { return strings.TrimSuffix(s.Base, Path[1:]) }

// Show draws a page.
func (f *Frame) Show(w http.ResponseWriter, r *http.Request, status int, s Sheet) {
	speaker := i18n.For(r.Header.Values("Accept-Language")...)
	s.Site, s.Base, s.Language, s.has = f.Title, f.Base(r), speaker.Language(), f.Has
	s.Assets = s.Base + strings.TrimPrefix(f.files.Root, "/")
	if s.Language != i18n.Languages[0] {
		s.UTC = f.drawing.utc[s.Page]
	}
	zone := time.UTC
	if s.In != nil {
		if s.In.Zone != nil {
			zone = s.In.Zone
		}
		s.Menu = f.menuFor(r.Context(), s.In.Role, strings.TrimPrefix(r.URL.Path, Path))
		if f.Warnings != nil {
			s.Warned = f.Warnings()
		}
	}
	var body bytes.Buffer
	if err := f.drawing.in(speaker, zone).ExecuteTemplate(&body, "sheet", s); err != nil {
		http.Error(w, "The page could not be drawn.", http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", policyOf(s))
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "same-origin") // with none at all, browsers would hide where a form comes from
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Language", s.Language)
	w.WriteHeader(status)
	w.Write(body.Bytes())
}

// policyOf lets a page load our style sheet and post to us, and nothing else. A script runs on
// pages alone that name one.
func policyOf(s Sheet) string {
	script, pictures := "", "'self'"
	if s.Script != "" || s.Asks {
		script = "script-src 'self'; "
	}
	if s.Asks {
		script, pictures = script+"connect-src 'self'; ", "'self' https: http: data:" // of what it finds
	}
	return "default-src 'none'; " + script +
		"style-src 'self'; img-src " + pictures + "; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}

// statuses are those of errors.
var statuses = map[fail.Code]int{
	fail.NotFound: http.StatusNotFound, fail.Invalid: http.StatusBadRequest,
	fail.Unauthorized: http.StatusUnauthorized, fail.Forbidden: http.StatusForbidden,
	fail.Limited: http.StatusTooManyRequests, fail.Unavailable: http.StatusServiceUnavailable,
	fail.Timeout: http.StatusServiceUnavailable,
}

// Fault is an error in the words of pages, which is said in the language of whoever gets it.
type Fault struct {
	err  *fail.Error
	key  string
	args []any
}

// Fail is an error that a text of the pages says.
func Fail(code fail.Code, key string, args ...any) *Fault {
	return &Fault{fail.New(code, "%s", key), key, args}
}

// Wrap is the error with its cause, which nobody is shown.
func (f *Fault) Wrap(cause error) *Fault { return &Fault{f.err.Wrap(cause), f.key, f.args} }

func (f *Fault) Error() string { return f.err.Error() }
func (f *Fault) Unwrap() error { return f.err }

// comeBack says when to come back after an error.
func comeBack(w http.ResponseWriter, err error) {
	if after := fail.From(err).RetryAfter; after > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(fail.Seconds(after)))
	}
}

// refuse draws a page that says what is wrong.
func (f *Frame) refuse(w http.ResponseWriter, r *http.Request, v *Visit, err error) {
	status, known := statuses[fail.From(err).Code]
	if !known {
		status = http.StatusInternalServerError
	}
	comeBack(w, err)
	s := Sheet{Page: "problem", Problem: f.speech(r).why(err)}
	if v != nil {
		s.In, s.CSRF = &v.In, v.csrf()
	}
	s.Title = f.say(r, "frame.not_possible")
	f.Show(w, r, status, s)
}

// say is a text in the language of a request.
func (f *Frame) say(r *http.Request, key string, args ...any) string {
	return must(f.speech(r).say(key, args...))
}

// speech is the words in the language of a request.
func (f *Frame) speech(r *http.Request) speech {
	return f.drawing.speech(i18n.For(r.Header.Values("Accept-Language")...))
}

// must gives a text whose key is written in the code.
func must(text string, err error) string {
	if err != nil {
		panic("console: " + err.Error())
	}
	return text
}
