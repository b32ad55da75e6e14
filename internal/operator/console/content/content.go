// Package content is the pages of the owner's console on what was read: sources and items, what
// could not be used, and what is at an address that may become a source. What they show and do are
// operations of package operator.
package content

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/content/ingest"
	"frontdesk/internal/content/overview"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/console/frame"
	"frontdesk/wire/strictjson"
)

//go:embed content.html
var embedded embed.FS

//go:embed words.txt
var words string

// Config is where the pages learn what they show.
type Config struct{ Operator *operator.Operator }

// Pages are the pages of this package.
func Pages(config Config) func(*frame.Frame) frame.Pages {
	return func(f *frame.Frame) frame.Pages {
		p := &pages{f, config}
		problems := f.List("content/problems", "content-problems", p.problems)
		return frame.Pages{
			Templates: embedded, Words: words,
			Finders: []frame.Finder{{Path: "content", All: "content?q=", Find: p.find}},
			Rows: slices.Concat(f.List("content", "content", p.list), problems, []frame.Page{
				{Pattern: "GET content/item", Right: identity.See, Serve: f.Draw("content-item", p.item)},
				{Pattern: "GET content/add", Right: identity.See, Serve: f.Draw("content-add", p.add)},
				{Pattern: "POST content/add", Right: identity.Tune, Serve: p.look},
				{Pattern: "POST content/sources", Right: identity.Own, Serve: p.addSource},
				{Pattern: "POST content/{site}/{source}/remove", Right: identity.Own, Serve: f.Act(p.remove)},
				{Pattern: "GET content/{site}/{source}", Right: identity.See, Serve: f.Draw("content-source", p.one)},
				{Pattern: "POST content/{site}/{source}/read", Right: identity.Tune, Serve: f.Act(p.read)},
			}),
		}
	}
}

type pages struct {
	*frame.Frame
	config Config
}

// Bounds of lists.
const (
	perPage  = 50
	perPart  = 500 // of a download
	patience = 10 * time.Second
)

// Source is a source of a list.
type Source struct {
	overview.SourceStatus
	Path      string // of its page, below the console's
	From      string // by which a list is asked for its items
	StateText string
	Problems  int
}

func sourceOf(s overview.SourceStatus, v *frame.Visit) Source {
	path := pathOf(s.Site, s.Name)
	return Source{s, path, strings.TrimPrefix(path, "content/"), v.Say("content.state_" + s.State), s.ProblemCount()}
}

// pathOf is the path of the page of a source.
func pathOf(site, source string) string {
	return "content/" + url.PathEscape(site) + "/" + url.PathEscape(source)
}

// Choice is an option of a form.
type Choice struct {
	Value, Text string
	Here        bool
}

// Item is an item of a list.
type Item struct {
	overview.Item
	Path  string // of its page, below the console's, with its query
	Terms Terms
}

// Terms are what the terms decide, in words.
type Terms struct {
	Access, Text string // the access as a word of the protocol, and to be read
	Rule         string // empty where there is but one
}

func termsOf(v *frame.Visit, access string, rule, line int) Terms {
	t := Terms{Access: access, Text: v.Say("content.access_" + access)}
	switch {
	case line > 0:
		t.Rule = v.Say("content.rule_line", rule, line)
	case rule == 0:
		t.Rule = v.Say("content.no_rule")
	case rule > 1:
		t.Rule = v.Say("content.rule", rule)
	}
	return t
}

func itemOf(i overview.Item, v *frame.Visit) Item {
	query := url.Values{"url": {i.URL}, "site": {i.Site}}
	return Item{i, "content/item?" + query.Encode(), termsOf(v, i.Access, i.Rule, i.Line)}
}

// List is what the page of all content shows.
type List struct {
	Sources  []Source
	Problems int // of all sources
	Chosen   operator.ListItems
	From     []Choice // sources
	Faults   []Choice
	Items    []Item
	First    string // the address of its beginning
	Next     string // where the list goes on; empty for nowhere
	Later    bool   // it is not its beginning
	Any      bool   // something is chosen

	over *frame.Range // in which items came, or changed
}

// asked is what the address of a list says. A source is written as in the path of its page.
func asked(r *http.Request) (in operator.ListItems) {
	q := r.URL.Query()
	in = operator.ListItems{
		Search: q.Get("q"), Type: strings.TrimSpace(q.Get("type")), Language: strings.TrimSpace(q.Get("language")),
		Fault: q.Get("fault"), After: q.Get("after"), Limit: perPage,
	}
	site, source, _ := strings.Cut(q.Get("from"), "/")
	in.Site, _ = url.PathUnescape(site)
	in.Source, _ = url.PathUnescape(source)
	return in
}

// list reads a part of the list.
func (p *pages) list(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	sources, err := (operator.ListSources{}).Do(ctx, p.config.Operator)
	if err != nil {
		return "", nil, err
	}
	in := asked(r)
	in.Limit = frame.PerPage(ctx, perPage, perPart)
	body := List{
		Chosen: in, First: frame.Link(r, "content", nil), Later: in.After != "", over: frame.AnyRange(r, p.Now()),
	}
	filter := in.Filter()
	filter.Since, filter.Until = body.over.Since, body.over.Until
	items, next, err := p.config.Operator.Content.Items(ctx, filter)
	if err != nil {
		return "", nil, err
	}
	body.Any = in.Search+in.Type+in.Language+in.Site+in.Source+in.Fault != "" || body.over.Days > 0
	for _, s := range sources.Sources {
		one := sourceOf(s, v)
		body.Sources, body.Problems = append(body.Sources, one), body.Problems+one.Problems
		body.From = append(body.From, Choice{one.From, s.Name, s.Site == in.Site && s.Name == in.Source})
	}
	for _, fault := range overview.Faults {
		body.Faults = append(body.Faults, Choice{fault, v.Say("content.fault_" + fault), fault == in.Fault})
	}
	for _, i := range items {
		body.Items = append(body.Items, itemOf(i, v))
	}
	if next != "" {
		body.Next = frame.Link(r, "content", map[string]string{"after": next})
	}
	return v.Say("frame.content"), body, nil
}

// Table is the list as a file.
func (l List) Table() frame.Table {
	columns := "site source url name types language words access rule origin"
	t := frame.TableOf(columns, l.Items, func(i Item) []any {
		return []any{i.Site, i.Source, i.URL, i.Name, i.Types, i.Language, i.Words, i.Access, i.Rule, i.Origin}
	}).Goes(l.Next, l.over)
	t.Finds = true
	return t
}

// find finds items by their address, or by words of their names and addresses.
func (p *pages) find(ctx context.Context, text string) ([]frame.Found, error) {
	if strings.Contains(text, "://") {
		at, err := (operator.ShowItem{URL: text}).Do(ctx, p.config.Operator)
		if err == nil {
			one := at.Items[0]
			path := "content/item?" + url.Values{"url": {one.URL}}.Encode()
			return []frame.Found{{Text: cmp.Or(one.Name, one.URL), Note: one.URL, Path: path, Exact: true}}, nil
		} else if fail.From(err).Code != fail.NotFound {
			return nil, err
		}
	}
	items, err := (operator.ListItems{Search: text, Limit: frame.MaxFound + 1}).Do(ctx, p.config.Operator)
	var all []frame.Found
	for _, i := range items.Items {
		path := "content/item?" + url.Values{"url": {i.URL}, "site": {i.Site}}.Encode()
		all = append(all, frame.Found{
			Text: cmp.Or(i.Name, i.URL), Note: i.URL, Path: path, Exact: strings.EqualFold(i.Name, text),
		})
	}
	return all, err
}

// Problem is something that could not be used.
type Problem struct {
	overview.Problem
	Path string // of the page of its source
	Todo string // how to mend it
}

func problemOf(p overview.Problem, v *frame.Visit) Problem {
	return Problem{p, pathOf(p.Site, p.Source), v.Say("content.mend_" + p.Kind)}
}

func (p Problem) cells() []any {
	return []any{p.Site, p.Source, p.File, p.Line, p.Reason, p.Excerpt, p.Todo}
}

// Problems are what could not be used of all sources.
type Problems struct {
	Problems []Problem
	Of       []Source // that have some, and how many
}

func (p *pages) problems(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	sources, err := (operator.ListSources{}).Do(ctx, p.config.Operator)
	var body Problems
	for _, s := range sources.Sources {
		if one := sourceOf(s, v); one.Problems > 0 {
			body.Of = append(body.Of, one)
		}
		for _, problem := range s.Problems() {
			body.Problems = append(body.Problems, problemOf(problem, v))
		}
	}
	body.Problems, _ = frame.Sift(r, p.Now(), body.Problems, nil, func(one Problem) []any {
		return append(one.cells(), v.Told("content", one.Reason))
	})
	return v.Say("content.problems"), body, err
}

// Table is the list as a file.
func (b Problems) Table() frame.Table {
	return frame.TableOf("site source file line problem excerpt what_to_do", b.Problems, Problem.cells)
}

// One is what the page of a source shows.
type One struct {
	Source
	Began    bool   // a reading was asked for, and goes on
	Ended    bool   // or is over
	Refused  bool   // or has not begun, as another goes on
	Again    string // the query with which to look again
	Goes     bool   // whoever looks may remove it
	Problems []Problem
	Count    int // of all problems
}

func name(r *http.Request) operator.SourceName {
	return operator.SourceName{Site: r.PathValue("site"), Source: r.PathValue("source")}
}

func (p *pages) one(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	found, err := (operator.ShowSource{SourceName: name(r)}).Do(ctx, p.config.Operator)
	if err != nil {
		return "", nil, err
	}
	body := One{Source: sourceOf(found.Source, v), Count: found.ProblemCount, Again: "?" + r.URL.RawQuery}
	body.Goes = v.May(identity.Own) && (body.Added || !body.Configured)
	body.Refused = found.Source.Reading && r.URL.Query().Has("refused")
	if since, err := strconv.ParseInt(r.URL.Query().Get("begun"), 10, 64); err == nil {
		body.Ended = !found.Source.Reading && !found.Source.Tried.Before(time.UnixMilli(since))
		body.Began = !body.Ended
	}
	for _, problem := range found.Problems {
		body.Problems = append(body.Problems, problemOf(problem, v))
	}
	return found.Source.Name, body, nil
}

func (p *pages) read(r *http.Request, _ *frame.Visit) (did, to string, err error) {
	in, since := name(r), p.Now().UnixMilli()
	out, err := (operator.ReadSource{SourceName: in}).Do(r.Context(), p.config.Operator)
	switch to = pathOf(in.Site, in.Source); {
	case err != nil:
		return "", "", err
	case !out.Started:
		return "", to + "?refused=1", nil
	}
	return "had the source " + in.Source + " be read anew", fmt.Sprintf("%s?begun=%d", to, since), nil
}

// Whole is what the page of an item shows.
type Whole struct{ Items []WholeItem }

// WholeItem is an item with all that was read of it.
type WholeItem struct {
	overview.WholeItem
	Terms      Terms
	Path       string // of the page of its source
	Properties []Property
	JSON       string
	Seen       []View
}

// Property is a member of an item.
type Property struct{ Name, Value string }

// Decided are the parts of what the terms decide.
func (v View) Decided() []string { return strings.Split(v.Decision, "; ") }

// View is an item as a party sees it.
type View struct {
	overview.View
	Title string
	Terms Terms
	Sent  string // empty where nothing is
}

// maxValue is how much of a property and of a text is shown, in characters.
const (
	maxValue = 300
	maxText  = 1500
)

func (p *pages) item(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	in := operator.ShowItem{URL: r.URL.Query().Get("url"), Site: r.URL.Query().Get("site")}
	if in.URL == "" {
		return "", nil, frame.Fail(fail.NotFound, "content.which_item")
	}
	found, err := in.Do(ctx, p.config.Operator)
	if err != nil {
		return "", nil, err
	}
	var body Whole
	for _, i := range found.Items {
		one := WholeItem{
			WholeItem: i, Path: pathOf(i.Site, i.Source), Terms: termsOf(v, i.Access, i.Rule, i.Line),
			Properties: properties(i.Object), JSON: indented(i.Object),
		}
		for _, seen := range i.Views {
			rule := seen.Steps[len(seen.Steps)-1]
			if !rule.Matched { // none does
				rule = overview.Step{}
			}
			seen.Text = short(seen.Text, maxText)
			one.Seen = append(one.Seen, View{
				View: seen, Title: v.Say("content.as_" + seen.As), Terms: termsOf(v, seen.Access, rule.Rule, rule.Line),
				Sent: indented(seen.Sent),
			})
		}
		body.Items = append(body.Items, one)
	}
	title := found.Items[0].Name
	if title == "" {
		title = v.Say("content.unnamed")
	}
	return title, body, nil
}

// properties are the members of an object, each in a line.
func properties(object strictjson.Value) (all []Property) {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return nil
	}
	for name, value := range members {
		text := string(value)
		_ = json.Unmarshal(value, &text) // of anything but a text it stays as it is written
		all = append(all, Property{name, short(text, maxValue)})
	}
	slices.SortFunc(all, func(a, b Property) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// indented is a value of JSON in lines.
func indented(value strictjson.Value) string {
	text, err := json.MarshalIndent(json.RawMessage(value), "", "  ")
	if err != nil || len(value) == 0 {
		return ""
	}
	return string(text)
}

// short is a text up to a length.
func short(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// remove removes a source that was added here, or is not configured any more.
func (p *pages) remove(r *http.Request, v *frame.Visit) (did, to string, err error) {
	in := name(r)
	_, err = operator.RemoveSource{SourceName: in}.Do(operator.WithActor(r.Context(), v.Actor()), p.config.Operator)
	return "removed the source " + in.Source, "content", err
}

// Addition is what the page for a new source shows.
type Addition struct {
	URL  string
	Seen *Looked  // nil before anything was looked at
	Form *AddForm // nil where there is nothing to add, or whoever looks may not
}

// AddForm is how a source is added.
type AddForm struct {
	URL, Name, Site, Every string
	Sites                  []string // to choose from; none where there is but one
}

// addForm is the form for an address that was looked at.
func (p *pages) addForm(in operator.AddSource) *AddForm {
	form := &AddForm{URL: in.URL, Name: in.Name, Site: in.Site, Every: in.Every}
	if sites := p.config.Operator.Content.Corpus.Sites().All(); len(sites) > 1 {
		for _, site := range sites {
			form.Sites = append(form.Sites, site.ID)
		}
	}
	return form
}

// addSource adds a source. What is wrong with it is told beside what was written.
func (p *pages) addSource(w http.ResponseWriter, r *http.Request, v *frame.Visit) error {
	said := func(name string) string { return strings.TrimSpace(r.PostForm.Get(name)) }
	in := operator.AddSource{URL: said("url"), Name: said("name"), Site: said("site"), Every: said("every")}
	added, err := in.Do(operator.WithActor(r.Context(), v.Actor()), p.config.Operator)
	switch {
	case err == nil:
		p.Note(r, v.In, "added the source "+added.Source)
		return frame.Elsewhere(pathOf(added.Site, added.Source))
	case fail.From(err).Code != fail.Invalid:
		return err
	}
	sheet := v.Sheet(v.Say("content.add"), "content-add", Addition{URL: in.URL, Form: p.addForm(in)})
	sheet.Problem = v.Why(err)
	p.Show(w, r, http.StatusBadRequest, sheet)
	return nil
}

// Looked is what is at an address.
type Looked struct {
	operator.SeenAddress
	Problems []Problem
}

func (p *pages) add(_ context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	return v.Say("content.add"), Addition{URL: r.URL.Query().Get("url")}, nil
}

// look looks at an address. What is wrong with it is told beside what was written.
func (p *pages) look(w http.ResponseWriter, r *http.Request, v *frame.Visit) error {
	body := Addition{URL: strings.TrimSpace(r.PostForm.Get("url"))}
	seen, err := (operator.LookAtAddress{URL: body.URL}).Do(r.Context(), p.config.Operator)
	status, problem := http.StatusOK, template.HTML("")
	switch {
	case err == nil:
		p.Note(r, v.In, "looked at an address")
		body.Seen = &Looked{SeenAddress: seen}
		if seen.Items > 0 && v.May(identity.Own) {
			name := ingest.SourceSettings{URL: seen.URL}.MadeName()
			body.Form = p.addForm(operator.AddSource{URL: seen.URL, Name: name})
		}
		s := overview.SourceStatus{Attempt: &overview.Attempt{Problems: seen.Problems}}
		for _, one := range s.Problems() {
			body.Seen.Problems = append(body.Seen.Problems, problemOf(one, v))
		}
	case fail.From(err).Code == fail.Invalid:
		status, problem = http.StatusBadRequest, v.Why(err)
	default:
		return err
	}
	sheet := v.Sheet(v.Say("content.add"), "content-add", body)
	sheet.Problem = problem
	p.Show(w, r, status, sheet)
	return nil
}
