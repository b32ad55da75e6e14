// Package terms is the pages of the console on the owner's terms: the rules in force as sentences,
// other rules that are tried and published, and the versions that were in force before. What they
// show and do are operations of package operator.
package terms

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/content/ownerterms"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/console/frame"
)

//go:embed *.html
var embedded embed.FS

//go:embed words.txt
var words string

// Pages are the pages of this package.
func Pages(o *operator.Operator) func(*frame.Frame) frame.Pages {
	return func(f *frame.Frame) frame.Pages {
		p := &pages{f, o}
		return frame.Pages{
			Templates: embedded, Words: words,
			Rows: append(f.List("terms/history", "terms-history", p.history), []frame.Page{
				{Pattern: "GET terms", Right: identity.See, Serve: f.Draw("terms", p.list)},
				{Pattern: "GET terms/edit", Right: identity.See, Serve: p.edit},
				{Pattern: "POST terms/edit", Right: identity.Operate, Serve: p.try},
				{
					Pattern: "GET terms/history/{version}", Right: identity.See,
					Serve: f.Draw("terms-version", p.version),
				},
				{Pattern: "POST terms/history/{version}", Right: identity.Operate, Serve: f.Act(p.putBack)},
			}...),
		}
	}
}

type pages struct {
	*frame.Frame
	operator *operator.Operator
}

// sayer says texts in the language of a request.
func sayerOf(r *http.Request, v *frame.Visit) sayer {
	return sayer{i18n.For(r.Header.Values("Accept-Language")...), v.Say}
}

// Body is what the page of the rules in force shows.
type Body struct {
	operator.TermsInForce
	Cards     []Card
	URL       string     // of the item that is explained; empty for none
	Explained *Explained // nil for none
}

// Explained is what is decided on an item.
type Explained struct {
	ownerterms.Explained
	Columns []Column
}

// Column is what is decided for one kind of party.
type Column struct {
	ownerterms.ForParty
	Parts []string
}

// list draws the rules in force.
func (p *pages) list(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	s := sayerOf(r, v)
	now, err := operator.ListTerms{}.Do(ctx, p.operator)
	now.By = v.Called(now.By)
	body := Body{TermsInForce: now, Cards: s.cards(now.Rules), URL: r.URL.Query().Get("url")}
	if err == nil && body.URL != "" {
		var of ownerterms.Explained
		of, err = operator.ExplainTerms{URL: body.URL}.Do(ctx, p.operator)
		body.Explained = &Explained{Explained: of}
		for _, one := range of.Parties {
			body.Explained.Columns = append(body.Explained.Columns, Column{one, s.sentence(one.Decision, true)})
		}
	}
	return v.Say("frame.terms"), body, err
}

// presets are documents to start from, by the end of their key in the words.
var presets = []Preset{
	{"open", "terms:\n  - match: {}\n    access: open\n"},
	{"excerpts", "terms:\n  - match: {}\n    access: licensed\n    excerpt: {words: 60}\n"},
	{"paid", `terms:
  - match: {path: "/premium/**"}
    access: licensed
    excerpt: {words: 60}
    price: {model: per_access, rate: "0.05", currency: EUR}
    functions: {prohibit: [ai-train]}
  - match: {}
    access: open
`},
	{"no_training", "terms:\n  - match: {}\n    access: open\n    functions: {prohibit: [ai-train]}\n"},
}

// Preset is a document to start from.
type Preset struct{ Name, YAML string }

// Form is what the page for other rules shows.
type Form struct {
	YAML     string
	Base     int64 // the last version when the page was first shown
	Presets  []Preset
	Checked  string        // says which text was tried; empty for none
	Problem  template.HTML // what is wrong with the text, a mistake a line
	Stale    bool          // the text changed since it was tried
	Warnings []string
	Cards    []Card
	Effect   *Effect
}

// sum says of a text which it is.
func sum(text string) string {
	of := sha256.Sum256([]byte(text))
	return hex.EncodeToString(of[:])
}

// edit draws the form, with the rules in force or with those of a preset.
func (p *pages) edit(w http.ResponseWriter, r *http.Request, v *frame.Visit) error {
	set, file := p.operator.Terms.Added(), p.operator.Terms.File()
	form := Form{YAML: file.Document, Base: set.Latest.Number}
	if e, published := set.InForce(); published {
		form.YAML = e.Document
	}
	at := slices.IndexFunc(presets, func(one Preset) bool { return one.Name == r.URL.Query().Get("preset") })
	if at >= 0 {
		form.YAML = presets[at].YAML
	} else if form.YAML == "" {
		form.YAML = presets[0].YAML
	}
	if found, err := (operator.CheckTerms{TermsDocument: operator.TermsDocument{YAML: form.YAML}}).Do(
		r.Context(), p.operator); err == nil { // a mistake is told when it is tried
		form.Cards = sayerOf(r, v).cards(found.Rules)
	}
	return p.draw(w, r, v, http.StatusOK, form)
}

func (p *pages) draw(w http.ResponseWriter, r *http.Request, v *frame.Visit, status int, form Form) error {
	form.Presets = presets
	p.Show(w, r, status, v.Sheet(v.Say("terms.edit"), "terms-edit", form))
	return nil
}

// try says what other rules would do, or publishes them. Nothing is published but what was tried.
func (p *pages) try(w http.ResponseWriter, r *http.Request, v *frame.Visit) error {
	ctx := operator.WithActor(r.Context(), v.Actor())
	form := Form{YAML: strings.ReplaceAll(r.PostForm.Get("yaml"), "\r\n", "\n")}
	var err error
	if form.Base, err = strconv.ParseInt(r.PostForm.Get("base"), 10, 64); err != nil {
		return frame.Fail(fail.Invalid, "terms.fault_base")
	}
	if do := r.PostForm.Get("do"); do != "publish" && do != "check" {
		form.YAML, err = p.changed(ctx, form.YAML, do, r)
	}
	document := operator.TermsDocument{YAML: form.YAML}
	publish := r.PostForm.Get("do") == "publish"
	if form.Stale = publish && r.PostForm.Get("checked") != sum(form.YAML); publish && !form.Stale {
		var made operator.TermsEdition
		made, err = operator.PublishTerms{
			TermsDocument: document, TermsBase: operator.TermsBase{Base: &form.Base},
		}.Do(ctx, p.operator)
		if err == nil {
			p.Note(r, v.In, "published version "+strconv.FormatInt(made.Number, 10)+" of the terms")
			return frame.Elsewhere("terms")
		}
		if fail.From(err).Code != fail.Invalid {
			return err
		}
		form.Base = p.operator.Terms.Added().Latest.Number
	}
	if err == nil {
		err = p.check(ctx, &form, document, sayerOf(r, v))
	}
	switch fail.From(err).Code {
	case fail.Invalid:
		form.Problem = v.Why(err)
		return p.draw(w, r, v, http.StatusBadRequest, form)
	}
	if err != nil {
		return err
	}
	return p.draw(w, r, v, http.StatusOK, form)
}

// changed is a document in which one rule is moved, removed or added, as a button says.
func (p *pages) changed(ctx context.Context, text, do string, r *http.Request) (string, error) {
	found, err := operator.CheckTerms{TermsDocument: operator.TermsDocument{YAML: text}}.Do(ctx, p.operator)
	if err != nil {
		return text, err
	}
	d, err := readDocument(text, found.Rules)
	if err != nil {
		return text, err
	}
	changed, err := d.change(do, r)
	if err != nil {
		return text, err
	}
	return changed, nil
}

// check fills in what a document would do.
func (p *pages) check(ctx context.Context, form *Form, document operator.TermsDocument, s sayer) error {
	found, err := operator.CheckTerms{TermsDocument: document}.Do(ctx, p.operator)
	if err == nil {
		form.Checked, form.Warnings = sum(form.YAML), found.Warnings
		form.Cards, form.Effect = s.cards(found.Rules), s.effect(&found.Effect)
	}
	return err
}

// History is what the page of all versions shows.
type History struct {
	File     string
	Versions []operator.TermsEdition
	Any      bool // days or words are chosen

	over *frame.Range
}

func (p *pages) history(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	all, err := operator.TermsHistory{}.Do(ctx, p.operator)
	body := History{File: p.operator.Terms.File().Name, Any: r.URL.RawQuery != ""}
	for i := range all.Versions {
		all.Versions[i].By = v.Called(all.Versions[i].By)
	}
	at := func(e operator.TermsEdition) time.Time { return e.Made.Time }
	body.Versions, body.over = frame.Sift(r, p.Now(), all.Versions, at, cells)
	return v.Say("terms.history"), body, err
}

// Table is the list as a file.
func (b History) Table() frame.Table {
	return frame.TableOf("version source since by in_force put_back", b.Versions, cells).Goes("", b.over)
}

func cells(e operator.TermsEdition) []any {
	return []any{e.Number, e.Source, e.Made.Time, e.By, e.Current, e.Back}
}

// Version is what the page of one version shows.
type Version struct {
	operator.ShownEdition
	Name string // in its address
	File string
	Base int64
	Then *Effect
	Now  *Effect
	May  bool // it can be put back
}

func (p *pages) version(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	name := operator.EditionName{Version: r.PathValue("version")}
	shown, err := operator.ShowEdition{EditionName: name}.Do(ctx, p.operator)
	if err != nil {
		return "", nil, err
	}
	shown.By = v.Called(shown.By)
	s, last := sayerOf(r, v), p.operator.Terms.Added().Latest
	body := Version{
		ShownEdition: shown, Name: name.Version, File: p.operator.Terms.File().Name, Base: last.Number,
		Then: s.effect(shown.Then), Now: s.effect(shown.Now), May: v.May(identity.Operate) && !shown.Current,
	}
	title := v.Say("terms.version", name.Version)
	if shown.Number == 0 {
		title = v.Say("terms.of_file", body.File)
		body.May = v.May(identity.Operate) && last.Source == "published"
	}
	return title, body, nil
}

// putBack puts a version in force again.
func (p *pages) putBack(r *http.Request, v *frame.Visit) (did, to string, err error) {
	base, err := strconv.ParseInt(r.PostForm.Get("base"), 10, 64)
	if err != nil {
		return "", "", frame.Fail(fail.Invalid, "terms.fault_base")
	}
	name := r.PathValue("version")
	made, err := operator.PutBackTerms{
		EditionName: operator.EditionName{Version: name}, TermsBase: operator.TermsBase{Base: &base},
	}.Do(operator.WithActor(r.Context(), v.Actor()), p.operator)
	return "put back " + name + " as version " + strconv.FormatInt(made.Number, 10) + " of the terms", "terms", err
}
