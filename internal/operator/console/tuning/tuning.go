// Package tuning is the pages of the console on which an owner mends answers: what mends them, and
// the form for one thing more, which shows what it would do before it is kept.
package tuning

import (
	"context"
	"embed"
	"html/template"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/ask/tryout"
	"frontdesk/internal/ask/tuning"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/console/frame"
	"frontdesk/internal/operator/operations"
)

//go:embed tuning.html
var embedded embed.FS

//go:embed words.txt
var words string

// Config is where the pages learn what they show.
type Config struct {
	Operator *operator.Operator
	// Question gives the text of a kept question by its id; nil where none are kept.
	Question func(ctx context.Context, id string) (text string, err error)
}

// Pages are the pages of this package.
func Pages(config Config) func(*frame.Frame) frame.Pages {
	return func(f *frame.Frame) frame.Pages {
		p := &pages{f, config}
		return frame.Pages{
			Templates: embedded, Words: words,
			Rows: append(p.lists(), []frame.Page{
				{Pattern: "GET tuning/tuning.yaml", Right: identity.See, Serve: p.export},
				{Pattern: "POST tuning", Right: identity.Tune, Serve: p.change},
			}...),
		}
	}
}

type pages struct {
	*frame.Frame
	config Config
}

// lists are the addresses of all entries. That of the page is also the form's.
func (p *pages) lists() []frame.Page {
	all := p.List("tuning", "tuning", p.read)
	list := all[0].Serve
	all[0].Serve = func(w http.ResponseWriter, r *http.Request, v *frame.Visit) error {
		asked := r.URL.Query()
		if !asked.Has("kind") && !asked.Has("question") && !asked.Has("edit") {
			return list(w, r, v)
		}
		form, err := p.begin(r.Context(), asked)
		if err != nil {
			return err
		}
		return p.draw(w, r, v, http.StatusOK, form, "")
	}
	return all
}

// Body is what the page of all entries shows.
type Body struct {
	Kinds  []Kind
	Empty  bool // there are none at all
	Found  bool // there are some that fit
	Search string

	over *frame.Range // in which they were changed last
}

// Kind is the entries of one kind.
type Kind struct {
	Name    string
	Entries []operator.Tuned
}

// Form is what the page of one entry shows.
type Form struct {
	operator.PreviewTuning
	From    string // the id of the kept question that it mends; empty for none
	Kinds   []string
	Effect  *tryout.Effect // of what was filled in; nil before that was tried
	Waiting []string
}

// Lines are texts, one a line, as a form has them.
func (Form) Lines(texts []string) string { return strings.Join(texts, "\n") }

// Page is the form for a kind, below the console's path.
func (f Form) Page(kind string) string {
	query := url.Values{"kind": {kind}}
	if f.From != "" {
		query.Set("question", f.From)
	}
	if f.ID != "" {
		query.Set("edit", f.ID)
	}
	return "tuning?" + query.Encode()
}

// run carries an operation out.
func run[Out any](ctx context.Context, p *pages, in operator.Doer[Out]) (out Out, err error) {
	told := reflect.New(reflect.TypeOf(in))
	told.Elem().Set(reflect.ValueOf(in))
	done, err := operations.Of(told.Type().Elem()).Run(ctx, p.config.Operator, told.Interface())
	if err == nil {
		out = done.(Out)
	}
	return out, err
}

// read reads all entries, or those that have what is looked for in them.
func (p *pages) read(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	list, err := run[operator.TuningList](ctx, p, operator.ListTuning{})
	if err != nil {
		return "", nil, err
	}
	body := Body{Empty: len(list.Entries) == 0, Search: strings.TrimSpace(r.URL.Query().Get("q"))}
	for i := range list.Entries {
		list.Entries[i].By = v.Called(list.Entries[i].By)
	}
	changed := func(t operator.Tuned) time.Time { return t.Changed.Time }
	found, over := frame.Sift(r, p.Now(), list.Entries, changed, func(t operator.Tuned) []any {
		return append(cells(t), t.Question)
	})
	body.over = over
	for _, kind := range tuning.Kinds {
		of := slices.DeleteFunc(slices.Clone(found), func(t operator.Tuned) bool { return t.Kind != kind })
		body.Kinds = append(body.Kinds, Kind{kind, of})
		body.Found = body.Found || len(of) > 0
	}
	return v.Say("frame.tuning"), body, nil
}

func cells(e operator.Tuned) []any {
	return []any{
		e.ID, e.Kind, e.About, strings.Join(e.Words, "; "), e.Means, e.Both, e.Language, e.Items, e.Text, e.Link,
		e.Until, e.On, e.Uses, e.Changed.Time, e.By,
	}
}

// Table is the list as a file.
func (b Body) Table() (t frame.Table) {
	columns := "id kind about words means both language items text link until on uses changed by"
	for _, kind := range b.Kinds {
		of := frame.TableOf(columns, kind.Entries, cells)
		t = frame.Table{Columns: of.Columns, Rows: append(t.Rows, of.Rows...)}
	}
	t.Finds = true
	return t.Goes("", b.over)
}

// begin is the form as it is before anybody has written into it.
func (p *pages) begin(ctx context.Context, asked url.Values) (form Form, err error) {
	form = Form{Kinds: tuning.Kinds, From: asked.Get("question")}
	if id := asked.Get("edit"); id != "" {
		known, err := run[operator.Tuned](ctx, p, operator.ShowTuning{TuningID: operator.TuningID{ID: id}})
		if err != nil {
			return form, err
		}
		form.TuningEntry, form.Waiting, form.Kinds = known.TuningEntry, known.Waiting, nil
		return form, nil
	}
	if form.Kind = asked.Get("kind"); !slices.Contains(tuning.Kinds, form.Kind) {
		form.Kind = tuning.Synonym
	}
	if form.From != "" && p.config.Question != nil {
		if form.Question, err = p.config.Question(ctx, form.From); err != nil {
			return form, err
		}
		form.Try = form.Question
		if words := asked.Get("words"); words != "" { // which were suggested
			form.Words, form.Means = []string{words}, asked.Get("means")
		}
	}
	return form, nil
}

// draw draws the form.
func (p *pages) draw(
	w http.ResponseWriter, r *http.Request, v *frame.Visit, status int, form Form, problem template.HTML,
) error {
	title := v.Say("tuning.add")
	switch {
	case form.ID != "":
		title = v.Say("tuning.edit")
	case form.From != "" && form.Try != "":
		title = v.Say("tuning.fix", form.Try)
	}
	sheet := v.Sheet(title, "tuning-form", form)
	sheet.Problem = problem
	p.Show(w, r, status, sheet)
	return nil
}

// export gives all entries as a file.
func (p *pages) export(w http.ResponseWriter, r *http.Request, _ *frame.Visit) error {
	file, err := run[operator.TuningFile](r.Context(), p, operator.ExportTuning{})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/yaml; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="tuning.yaml"`)
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write([]byte(file.YAML)) // when it fails, the browser has gone
	return nil
}

// change does what a form says.
func (p *pages) change(w http.ResponseWriter, r *http.Request, v *frame.Visit) error {
	ctx := operator.WithActor(r.Context(), v.Actor())
	id := operator.TuningID{ID: r.PostForm.Get("id")}
	var did string
	var err error
	switch do := r.PostForm.Get("do"); do {
	case "off":
		did = "turned off " + id.ID
		_, err = run[operator.Tuned](ctx, p, operator.TurnOffTuning{TuningID: id})
	case "on":
		did = "turned on " + id.ID
		_, err = run[operator.Tuned](ctx, p, operator.TurnOnTuning{TuningID: id})
	case "remove":
		did = "removed " + id.ID
		_, err = run[operator.Removed](ctx, p, operator.RemoveTuning{TuningID: id})
	case "import":
		did = "imported a tuning.yaml"
		_, err = run[operator.ImportedTuning](ctx, p, operator.ImportTuning{YAML: r.PostForm.Get("yaml")})
	case "preview", "save":
		return p.write(w, r.WithContext(ctx), v, do == "save")
	default:
		err = frame.Fail(fail.Invalid, "fault.deed")
	}
	if err != nil {
		return err
	}
	p.Note(r, v.In, did)
	return frame.Elsewhere("tuning")
}

// write tries what was filled in, or keeps it. A mistake is told beside what was filled in.
func (p *pages) write(w http.ResponseWriter, r *http.Request, v *frame.Visit, keep bool) error {
	form := filledIn(r)
	var err error
	if keep {
		var kept operator.AddedTuning
		kept, err = run[operator.AddedTuning](r.Context(), p, operator.AddTuning{TuningEntry: form.TuningEntry})
		if err == nil {
			p.Note(r, v.In, "kept "+kept.ID)
			return frame.Elsewhere("tuning")
		}
	} else {
		var effect tryout.Effect
		if effect, err = run[tryout.Effect](r.Context(), p, form.PreviewTuning); err == nil {
			form.Effect = &effect
			return p.draw(w, r, v, http.StatusOK, form, "")
		}
	}
	if fail.From(err).Code != fail.Invalid {
		return err
	}
	return p.draw(w, r, v, http.StatusBadRequest, form, v.Why(err))
}

// filledIn is the form as it was sent.
func filledIn(r *http.Request) Form {
	get := func(name string) string { return strings.TrimSpace(r.PostForm.Get(name)) }
	lines := func(name string) []string {
		return strings.FieldsFunc(get(name), func(c rune) bool { return c == '\n' || c == '\r' })
	}
	form := Form{From: get("from"), Kinds: tuning.Kinds}
	form.Try = get("try")
	form.TuningEntry = operator.TuningEntry{
		ID: get("id"), Kind: get("kind"), Until: get("until"), Off: get("off") != "",
	}
	switch form.Kind {
	case tuning.Synonym:
		form.Words, form.Means = lines("words"), get("means")
		form.Both, form.Language = get("both") != "", get("language")
	case tuning.Pin:
		form.Question, form.Items = get("about"), lines("items")
	case tuning.Answer:
		form.Question, form.Text, form.Link = get("about"), get("text"), get("link")
	default:
		form.Question = get("about")
	}
	if form.ID != "" {
		form.Kinds = nil
	}
	return form
}
