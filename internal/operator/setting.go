package operator

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"frontdesk/internal/content/ingest"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/operator/settings"
)

const settingsPath = "/admin/settings"

// What the owner sets without the configuration file.
var settingOperations = []Operation{
	Define[ListSettings]("settings", "GET", settingsPath,
		"List what can be set without the configuration file, with where each value is from"),
	Define[ChangeSettings]("changeSettings", "PUT", settingsPath,
		"Set some keys where the configuration file is silent about them, or have their defaults hold again"),
	Define[ExportSettings]("exportSettings", "GET", settingsPath+"/export",
		"Give what was set as lines for the configuration file"),
	Define[MarkSteps]("markSteps", "PUT", settingsPath+"/first-steps",
		"Say whether the console's first page shows the first steps"),
	Define[AddSource]("addSource", "POST", sourcesPath, "Add a source of the web"),
	Define[RemoveSource]("removeSource", "DELETE", sourcePath, "Remove a source that was added here"),
	Command[SetSetting](), Command[ResetSetting](),
}

// ListSettings lists what can be set without the file.
type ListSettings struct{ Printed }

// SettingList is all of it.
type SettingList struct {
	Settings []settings.Setting `json:"settings"`
}

func (ListSettings) Do(_ context.Context, o *Operator) (SettingList, error) {
	return SettingList{each(o.Settings.List(), func(s settings.Setting) settings.Setting { return s })}, nil
}

// ChangeSettings sets keys, all or none.
type ChangeSettings struct {
	Set   []SettingValue `json:"set,omitempty"`
	Reset []string       `json:"reset,omitempty"` // keys whose defaults hold again
}

// SettingValue is a value of a key.
type SettingValue struct {
	Key    string   `json:"key"`
	Values []string `json:"values"` // one; of a list each of its texts
}

// Changes are what is said of each key.
func (in ChangeSettings) changes() (all []settings.Change, err error) {
	for _, v := range in.Set {
		if len(v.Values) == 0 {
			return nil, invalid("%.100s: there is no value; name the key in reset to have its default hold", v.Key)
		}
		all = append(all, settings.Change{Key: v.Key, Values: slices.Clone(v.Values)})
	}
	for _, key := range in.Reset {
		all = append(all, settings.Change{Key: key})
	}
	return all, nil
}

func (in ChangeSettings) Do(ctx context.Context, o *Operator) (SettingList, error) {
	changes, err := in.changes()
	if err == nil {
		err = o.Settings.Change(ctx, Actor(ctx), changes...)
	}
	if err != nil {
		return SettingList{}, err
	}
	return ListSettings{}.Do(ctx, o)
}

// YAML gives what would be set after the changes as lines for the file.
func (in ChangeSettings) YAML(ctx context.Context, o *Operator) (string, error) {
	changes, err := in.changes()
	if err != nil {
		return "", err
	}
	rows, err := o.Settings.With(ctx, Actor(ctx), changes...)
	if err != nil {
		return "", err
	}
	return o.Settings.Document(rows), nil
}

// SetSetting sets one key.
type SetSetting struct {
	Key    string   `arg:"" help:"The key, as frontdesk settings list names it."`
	Values []string `arg:"" name:"value" sep:"none" help:"Its value; of a list each of its texts."`
}

// Example is one of the command.
func (SetSetting) Example() string {
	return "The configuration file goes before: a key that it has is changed there. A running server uses most " +
		"values after a restart, and says so.\n\nExamples:\n\n" +
		"\tfrontdesk settings set console.contact mailto:hello@example.com\n" +
		"\tfrontdesk settings set console.examples 'do you ship abroad?' 'what is new?'"
}

// Say tells what was set.
func (in SetSetting) Say(SettingList) string { return in.Key + " is set." }

func (in SetSetting) Do(ctx context.Context, o *Operator) (SettingList, error) {
	return ChangeSettings{Set: []SettingValue{{in.Key, in.Values}}}.Do(ctx, o)
}

// ResetSetting has the default of a key hold again.
type ResetSetting struct {
	Key string `arg:"" help:"The key."`
}

// Say tells what holds.
func (in ResetSetting) Say(SettingList) string {
	return in.Key + " is as the configuration file and the defaults say."
}

func (in ResetSetting) Do(ctx context.Context, o *Operator) (SettingList, error) {
	return ChangeSettings{Reset: []string{in.Key}}.Do(ctx, o)
}

// ExportSettings gives what was set as lines for the file.
type ExportSettings struct{}

// SettingsFile is what was set, for the configuration file.
type SettingsFile struct {
	YAML string `json:"yaml"` // empty for nothing
}

// Text is the lines, as the command prints them.
func (f SettingsFile) Text() string { return f.YAML }

func (ExportSettings) Do(ctx context.Context, o *Operator) (SettingsFile, error) {
	set, err := o.Settings.Read(ctx)
	return SettingsFile{o.Settings.Document(set.Rows)}, err
}

// MarkSteps says whether the first steps are shown.
type MarkSteps struct {
	Hidden bool `json:"hidden" help:"Hide them; without it, they are shown."`
}

// ShownSteps says whether the first steps are shown.
type ShownSteps struct {
	Hidden bool `json:"hidden"`
}

// Say tells what holds.
func (MarkSteps) Say(s ShownSteps) string {
	if s.Hidden {
		return "The console does not show the first steps any more."
	}
	return "The console shows the first steps until they are done."
}

func (in MarkSteps) Do(ctx context.Context, o *Operator) (ShownSteps, error) {
	return ShownSteps(in), o.Settings.Mark(ctx, settings.StepsHidden, Actor(ctx), in.Hidden)
}

// AddSource adds a source of the web, which is read at once and then every day.
type AddSource struct {
	URL   string `json:"url" arg:"" help:"The address, such as https://www.example.com/."`
	Site  string `json:"site,omitempty" placeholder:"SITE" help:"The id of its site; needed where there are several."`
	Name  string `json:"name,omitempty" placeholder:"NAME" help:"What it is called; without it, what its address says."`
	Every string `json:"every,omitempty" placeholder:"TIME" help:"How often it is read, such as 12h; without it, once a day."`
}

// AddedSource is a source that was added.
type AddedSource struct {
	Site   string `json:"site"`
	Source string `json:"source"`
	URL    string `json:"url"`
}

// Fresh says that it was not there before.
func (AddedSource) Fresh() bool { return true }

// Say tells what was added.
func (AddSource) Say(s AddedSource) string {
	return fmt.Sprintf("%s is a source of %s now, as %s. A running server reads it at once.", s.URL, s.Site, s.Source)
}

func (in AddSource) Do(ctx context.Context, o *Operator) (out AddedSource, err error) {
	if in.URL, err = webAddress(in.URL); err != nil {
		return out, err
	}
	out = AddedSource{in.Site, in.Name, in.URL}
	sites := o.Content.Corpus.Sites().All()
	if out.Site == "" && len(sites) == 1 {
		out.Site = sites[0].ID
	}
	if out.Source == "" {
		out.Source = ingest.SourceSettings{URL: in.URL}.MadeName()
	}
	all, err := o.Content.Sources(ctx)
	for _, s := range all {
		if s.Configured && s.Site == out.Site && s.Name == out.Source {
			err = fail.New(fail.Invalid, "name: there is a source %.100s already, which reads %.200s", s.Name, s.Where)
		}
	}
	if err != nil {
		return out, err
	}
	key := settings.SourceKey(out.Site, out.Source)
	values := []string{"url=" + in.URL, "name=" + out.Source, "site=" + out.Site}
	if in.Every != "" {
		values = append(values, "every="+in.Every)
	}
	return out, o.Settings.Change(ctx, Actor(ctx), settings.Change{Key: key, Values: values})
}

// webAddress is an address of the web as somebody writes it.
func webAddress(text string) (string, error) {
	address := strings.TrimSpace(text)
	if address != "" && !strings.Contains(address, "://") {
		address = "https://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || len(address) > maxAddress {
		return "", invalid("url: %.100q is no address of the web; write it like https://www.example.com/", text)
	}
	return address, nil
}

// RemoveSource removes a source that was added without the file, or that is not configured any
// more, with what was read of it.
type RemoveSource struct{ SourceName }

// Say tells what became of it.
func (in RemoveSource) Say(Removed) string {
	return fmt.Sprintf("%s is not read any more, and what was read of it is gone.", in.Source)
}

func (in RemoveSource) Do(ctx context.Context, o *Operator) (out Removed, err error) {
	key := settings.SourceKey(in.Site, in.Source)
	set, err := o.Settings.Read(ctx)
	if err != nil {
		return out, err
	}
	if slices.ContainsFunc(set.Rows, func(r settings.Row) bool { return r.Key == key }) {
		err = o.Settings.Change(ctx, Actor(ctx), settings.Change{Key: key})
	} else if s, missing := in.of(ctx, o); missing != nil {
		err = missing
	} else if s.Configured {
		err = invalid("%.100s is a source of the configuration file; remove it there", in.Source)
	}
	if err == nil {
		err = o.Content.Catalog.Remove(ctx, in.Site, in.Source) // which waits for nobody who reads it just now
	}
	return Removed{in.Source}, err
}
