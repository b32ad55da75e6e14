// Package settings is the pages of the owner's console on what is set without the configuration
// file: a form for each part, with what the file sets shown and locked. What they show and do are
// operations of package operator.
package settings

import (
	"embed"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/console/frame"
	"frontdesk/internal/operator/settings"
)

//go:embed settings.html
var embedded embed.FS

//go:embed words.txt
var words string

// Config is where the pages learn what they show.
type Config struct {
	Operator *operator.Operator
	// FileOnly are keys that only the configuration file sets, and which an owner looks for here.
	FileOnly func() []FileOnly
}

// FileOnly is a key that only the file sets.
type FileOnly struct {
	Section settings.Section
	Key     string
	Value   string // empty for nothing
}

// The parts that set nothing.
const backup settings.Section = "backup"

// parts are the parts of the pages, in their order.
var parts = append(slices.Clone(settings.Sections), backup)

// Pages are the pages of this package.
func Pages(config Config) func(*frame.Frame) frame.Pages {
	return func(f *frame.Frame) frame.Pages {
		p := &pages{f, config}
		return frame.Pages{
			Templates: embedded, Words: words,
			Rows: []frame.Page{
				{Pattern: "GET settings", Right: identity.See, Serve: p.show},
				{Pattern: "GET settings/settings.yaml", Right: identity.See, Serve: p.download},
				{Pattern: "GET settings/{part}", Right: identity.See, Serve: p.show},
				{Pattern: "POST settings/forget", Right: identity.Own, Serve: f.Act(p.forget)},
				{Pattern: "POST settings/{part}", Right: identity.Own, Serve: p.save},
			},
		}
	}
}

type pages struct {
	*frame.Frame
	config Config
}

// Body is what the page of a part shows.
type Body struct {
	Part    string
	Parts   []PartLink
	Fields  []Field
	Sources []Source
	Others  []FileOnly
	Strange []settings.Setting // kept, and of no part
	Version int64              // of what is kept, when the page was first shown
	Restart []string           // keys that take effect after a restart
	Saved   bool
	Stale   bool // somebody changed something since
	Wrong   int  // fields with a mistake
	May     bool // whoever looks may change something
	Backup  time.Time
}

// PartLink leads to a part.
type PartLink struct {
	Part, Text string
	Here       bool
}

// Field is a key with its input.
type Field struct {
	settings.Setting
	Name, About string
	Input       string // text, lines, number, choice or switch
	Typed       string // what the input has; of a list a line each
	Usual       string // the default, to be read; empty for none
	File        string // the name of what locks it, with its line
	Line        string
	Swatch      string // the colour that holds; empty for none
	Disabled    bool   // whoever looks cannot change it
	Options     []Option
}

// Option is a choice of a field.
type Option struct {
	Value, Text string
	Here        bool
}

// Source is a source of content.
type Source struct {
	settings.Setting
	Name, Where, Path string // the page of it, below the console's path
	File              string
}

// typed is what somebody wrote, by key; nil for nothing.
type typed map[string]string

// show draws a part as it holds.
func (p *pages) show(w http.ResponseWriter, r *http.Request, v *frame.Visit) error {
	body, err := p.body(r, v, nil)
	if err != nil {
		return err
	}
	body.Saved = r.URL.Query().Has("saved")
	return p.draw(w, r, v, http.StatusOK, body)
}

func (p *pages) draw(w http.ResponseWriter, r *http.Request, v *frame.Visit, status int, body Body) error {
	sheet := v.Sheet(v.Say("frame.settings"), "settings", body)
	sheet.Actions = []frame.Action{{Text: v.Say("settings.download"), Href: p.Base(r) + "settings/settings.yaml"}}
	p.Show(w, r, status, sheet)
	return nil
}

// body reads what the page of a part shows. What somebody wrote stays in the inputs.
func (p *pages) body(r *http.Request, v *frame.Visit, wrote typed) (Body, error) {
	body := Body{Part: r.PathValue("part"), May: v.May(identity.Own)}
	if body.Part == "" {
		body.Part = string(parts[0])
	}
	if !slices.Contains(parts, settings.Section(body.Part)) {
		return body, frame.Fail(fail.NotFound, "fault.page")
	}
	set, err := p.config.Operator.Settings.Read(r.Context())
	if err != nil {
		return body, err
	}
	body.Version = set.Version
	for _, part := range parts {
		link := PartLink{Part: string(part), Text: v.Say("settings.part_" + string(part))}
		link.Here = link.Part == body.Part
		body.Parts = append(body.Parts, link)
	}
	for _, s := range p.config.Operator.Settings.List() {
		if s.Restart {
			body.Restart = append(body.Restart, s.Key)
		}
		switch {
		case s.Section == "":
			body.Strange = append(body.Strange, s)
		case string(s.Section) != body.Part:
		case s.Kind == settings.KindSource:
			body.Sources = append(body.Sources, sourceOf(s))
		default:
			body.Fields = append(body.Fields, fieldOf(s, v, wrote))
		}
	}
	if p.config.FileOnly != nil {
		for _, one := range p.config.FileOnly() {
			if string(one.Section) == body.Part {
				body.Others = append(body.Others, one)
			}
		}
	}
	if body.Part == string(backup) {
		body.Backup, err = p.config.Operator.Settings.Marked(r.Context(), settings.BackedUp)
	}
	return body, err
}

// keyOf is a key as the words have it: that of a site in a list is that of the only one.
func keyOf(key string) string {
	if _, field, of := strings.Cut(key, "]."); of && strings.HasPrefix(key, "sites[") {
		return "site." + field
	}
	return key
}

func fieldOf(s settings.Setting, v *frame.Visit, wrote typed) Field {
	f := Field{Setting: s, Name: v.Say("settings." + keyOf(s.Key)), About: v.Say("settings." + keyOf(s.Key) + ".about")}
	if id, _, of := strings.Cut(strings.TrimPrefix(s.Key, "sites["), "]."); of {
		f.Name += " · " + id
	}
	f.Typed = strings.Join(s.Kept, "\n")
	if s.Locked {
		f.Typed = strings.Join(s.Values, "\n")
	}
	if text, ok := wrote[s.Key]; ok {
		f.Typed = text
	}
	f.File, f.Line = placeOf(s)
	f.Disabled = s.Locked || !v.May(identity.Own)
	f.Usual = strings.Join(s.Default, ", ")
	switch s.Kind {
	case settings.KindList:
		f.Input = "lines"
	case settings.KindSwitch:
		f.Input = "switch"
		f.Usual = v.Say("settings.switch_" + strings.Join(s.Default, ""))
		for _, value := range []string{"true", "false"} {
			f.Options = append(f.Options, Option{value, v.Say("settings.switch_" + value), f.Typed == value})
		}
	case settings.KindChoice:
		f.Input = "choice"
		for _, value := range s.Choices {
			f.Options = append(f.Options, Option{value, value, f.Typed == value})
		}
	default:
		f.Input = "text"
	}
	if s.Key == "console.color" && len(s.Values) == 1 && len(s.Values[0]) <= len("#rrggbb") {
		f.Swatch = s.Values[0]
	}
	return f
}

// placeOf is where a locked key is set: the name of the file with the line, or what else sets it.
func placeOf(s settings.Setting) (file, line string) {
	at := strings.LastIndexByte(s.Place, ':')
	if s.Layer != "file" || at < 0 {
		return s.Place, ""
	}
	return filepath.Base(s.Place[:at]), s.Place[at+1:]
}

func sourceOf(s settings.Setting) Source {
	site, name, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(s.Key, "sources["), "]"), "/")
	out := Source{Setting: s, Name: name, Path: "content/" + url.PathEscape(site) + "/" + url.PathEscape(name)}
	if len(s.Values) > 0 {
		out.Where = s.Values[0]
	}
	file, line := placeOf(s)
	if out.File = file; line != "" {
		out.File += ":" + line
	}
	return out
}

// download gives what is kept as lines for the file.
func (p *pages) download(w http.ResponseWriter, r *http.Request, _ *frame.Visit) error {
	file, err := operator.ExportSettings{}.Do(r.Context(), p.config.Operator)
	if err == nil {
		err = send(w, file.YAML)
	}
	return err
}

func send(w http.ResponseWriter, yaml string) error {
	if yaml == "" {
		yaml = "# Nothing was set without the configuration file.\n"
	}
	w.Header().Set("Content-Type", "application/yaml; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="settings.yaml"`)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, err := w.Write([]byte(yaml))
	return err
}

// own are the inputs of a form beside those of keys.
var own = []string{"form", "version", "do"}

// save keeps what a form says of the keys of a part, or gives it as lines for the file. Mistakes
// are told at their fields, and nothing is changed then.
func (p *pages) save(w http.ResponseWriter, r *http.Request, v *frame.Visit) error {
	ctx := operator.WithActor(r.Context(), v.Actor())
	wrote, changes, list := typed{}, operator.ChangeSettings{}, p.config.Operator.Settings.List()
	for key := range r.PostForm {
		known := func(s settings.Setting) bool { return s.Key == key && s.Kind != settings.KindSource }
		if !slices.Contains(own, key) && !slices.ContainsFunc(list, known) {
			return frame.Fail(fail.Invalid, "settings.fault_key", fmt.Sprintf("%.100s", key))
		}
	}
	for _, s := range list {
		if !r.PostForm.Has(s.Key) {
			continue
		}
		text := strings.TrimSpace(strings.ReplaceAll(r.PostForm.Get(s.Key), "\r\n", "\n"))
		wrote[s.Key] = text
		switch values := valuesOf(s, text); {
		case slices.Equal(values, s.Kept):
		case len(values) == 0:
			changes.Reset = append(changes.Reset, s.Key)
		default:
			changes.Set = append(changes.Set, operator.SettingValue{Key: s.Key, Values: values})
		}
	}
	body, err := p.body(r, v, wrote)
	if err != nil {
		return err
	}
	if r.PostForm.Get("do") == "yaml" {
		var yaml string
		if yaml, err = changes.YAML(ctx, p.config.Operator); err == nil {
			return send(w, yaml)
		}
	} else if body.Stale = r.PostForm.Get("version") != strconv.FormatInt(body.Version, 10); !body.Stale {
		if _, err = changes.Do(ctx, p.config.Operator); err == nil {
			for _, key := range append(keys(changes.Set), changes.Reset...) {
				p.Note(r, v.In, "set "+key)
			}
			return frame.Elsewhere("settings/" + body.Part + "?saved=yes")
		}
	}
	var problems settings.Problems
	switch {
	case errors.As(err, &problems):
		for i := range body.Fields {
			f := &body.Fields[i]
			if f.Problem = problems[f.Key]; f.Problem != "" {
				body.Wrong++
			}
		}
	case err != nil:
		return err
	}
	return p.draw(w, r, v, http.StatusBadRequest, body)
}

func keys(values []operator.SettingValue) (all []string) {
	for _, v := range values {
		all = append(all, v.Key)
	}
	return all
}

// valuesOf are the values that an input says: of a list one a line.
func valuesOf(s settings.Setting, text string) (all []string) {
	if s.Kind != settings.KindList {
		if text == "" {
			return nil
		}
		return []string{text}
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}

// forget takes away what is kept of a key that cannot be used.
func (p *pages) forget(r *http.Request, v *frame.Visit) (did, to string, err error) {
	key := r.PostForm.Get("key")
	_, err = operator.ChangeSettings{Reset: []string{key}}.Do(
		operator.WithActor(r.Context(), v.Actor()), p.config.Operator)
	return "reset " + key, "settings", err
}
