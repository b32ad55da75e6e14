package frame

import (
	"bytes"
	"html/template"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/ask/i18n"
)

// drawing are the templates of all pages. Of them "sheet" is what all have, with the page that a
// sheet names inside.
type drawing struct {
	words  words
	stored []storedText
	now    func() time.Time
	plain  *template.Template // never executed, so that it can be cloned
	utc    map[string]bool    // the templates of Pages.UTC

	mu    sync.Mutex
	bound map[binding]*template.Template
}

// binding is what the functions of templates depend on.
type binding struct{ language, zone string }

// maxBound bounds how many bindings are kept.
const maxBound = 64

// newDrawing reads the templates and words of pages. A mistake in them is one of the build.
func newDrawing(now func() time.Time, sets []Pages) *drawing {
	d := &drawing{words: words{}, now: now, utc: map[string]bool{}}
	d.bound = map[binding]*template.Template{}
	d.plain = template.New("console").Funcs(d.functions(speech{words: d.words}, time.UTC))
	d.plain.Funcs(template.FuncMap{"page": func(Sheet) (template.HTML, error) { return "", nil }})
	for _, set := range sets {
		if err := d.words.read(set.Words); err != nil {
			panic("console: " + err.Error())
		}
		before := names(d.plain)
		template.Must(d.plain.Funcs(set.Functions).ParseFS(set.Templates, "*.html"))
		for _, one := range d.plain.Templates() {
			if name := one.Name(); !before[name] && one.Tree != nil {
				d.utc[name] = set.UTC
			}
		}
	}
	d.stored = d.words.storedTexts()
	return d
}

// speech is the words in a language.
func (d *drawing) speech(of i18n.Speaker) speech { return speech{d.words, of, d.stored} }

// names are those of the templates that there are.
func names(t *template.Template) map[string]bool {
	all := map[string]bool{}
	for _, one := range t.Templates() {
		all[one.Name()] = true
	}
	return all
}

// in gives the templates in a language and a time zone.
func (d *drawing) in(speaker i18n.Speaker, zone *time.Location) *template.Template {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := binding{speaker.Language(), zone.String()}
	if known := d.bound[key]; known != nil {
		return known
	}
	if len(d.bound) >= maxBound {
		clear(d.bound)
	}
	t := template.Must(d.plain.Clone())
	t.Funcs(d.functions(d.speech(speaker), zone))
	t.Funcs(template.FuncMap{"page": func(s Sheet) (template.HTML, error) {
		var body bytes.Buffer
		err := t.ExecuteTemplate(&body, s.Page, s)
		return template.HTML(body.String()), err
	}})
	d.bound[key] = t
	return t
}

// Functions are those that every template may call, in English and UTC, for tests.
func (f *Frame) Functions() template.FuncMap {
	all := f.drawing.functions(f.drawing.speech(i18n.Speaker{}), time.UTC)
	all["page"] = func(Sheet) (template.HTML, error) { return "", nil }
	return all
}

// Templates are those of all pages, for tests: to be executed, in a language.
func (f *Frame) Templates(preferred string) *template.Template {
	return f.drawing.in(i18n.For(preferred), time.UTC)
}

// functions are those that every template may call. Pages of UTC tell times by day, iso, moment and
// exact, and the others in the zone of whoever looks, by date and when.
func (d *drawing) functions(s speech, zone *time.Location) template.FuncMap {
	layout := func(key string, t time.Time) (string, error) {
		text, err := s.say(key)
		return t.Format(text), err
	}
	return template.FuncMap{
		"say":      s.say,
		"count":    s.count,
		"rich":     s.rich,
		"number64": func(n int64) string { return s.Number(float64(n), 0) },
		"number":   func(n int) string { return s.Number(float64(n), 0) },
		"share":    func(part float64) string { return s.Number(100*part, 1) + " %" },
		"date":     func(t time.Time) (string, error) { return layout("frame.date_layout", t.In(zone)) },
		"when": func(t time.Time) (template.HTML, error) {
			text, err := layout("frame.time_layout", t.In(zone))
			return template.HTML(`<time datetime="` + t.UTC().Format(time.RFC3339) + `" title="` +
				t.UTC().Format("2006-01-02 15:04:05 UTC") + `">` + template.HTMLEscapeString(text) + `</time>`), err
		},
		"day":    func(t time.Time) (string, error) { return layout("frame.date_layout", t.UTC()) },
		"iso":    func(t time.Time) string { return t.UTC().Format(time.DateOnly) },
		"moment": func(t time.Time) (string, error) { return layout("frame.moment_layout", t.UTC()) },
		"timed": func(t time.Time) (template.HTML, error) {
			text, err := layout("frame.moment_layout", t.UTC())
			return template.HTML(`<time datetime="` + t.UTC().Format(time.RFC3339Nano) + `">` +
				template.HTMLEscapeString(text) + `</time>`), err
		},
		"term":    s.term,
		"told":    s.toldHTML,
		"because": s.because,
		"exact":   func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) },
		"words":   func(reason string) string { return strings.ReplaceAll(reason, "_", " ") },
		"always":  func(t time.Time) bool { return t.Year() >= 9999 },
		"now":     d.now,
	}
}

// Says says whether pages have a text, for tests.
func (f *Frame) Says(key string) bool { return f.drawing.words[key] != nil }
