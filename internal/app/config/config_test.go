package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/app/config"
	"frontdesk/internal/infra/yamlconf"
)

// sample is a configuration with every kind of value.
type sample struct {
	// Listen is the address.
	Listen string `yaml:"listen" check:"listen"`
	// Data is a folder.
	Data string `yaml:"data" relative:"path"`
	// Store is a database.
	Store string `yaml:"store" relative:"database"`
	// Names are names of things.
	Names []string `yaml:"names" check:"count=0..3,word"`
	// Log is what is written.
	Log logging `yaml:"log"`
	// Rules say who may.
	Rules []rule `yaml:"rules" check:"count=0..2"`
	// Intakes are what is taken in.
	Intakes []intake `yaml:"intakes"`
}

type logging struct {
	// Level is the least that is written.
	Level string `yaml:"level" check:"oneof=debug info"`
	// Keep is how long.
	Keep time.Duration `yaml:"keep" check:"1m..2h"`
	// Most is the most bytes.
	Most yamlconf.Size `yaml:"most" check:"optional,1KiB..1MiB"`
	// Share is a part.
	Share float64 `yaml:"share" check:"0..1"`
	// Color says whether there are colors.
	Color bool `yaml:"color"`
}

type rule struct {
	// Match says what it is for.
	Match condition `yaml:"match"`
	// Until is a day.
	Until string `yaml:"until" check:"day"`
	// Page is an address.
	Page string `yaml:"page" check:"url"`
}

type intake struct {
	// ID is its name.
	ID string `yaml:"id"`
	// Match lists conditions; one of them is enough.
	Match []condition `yaml:"match"`
}

type condition struct {
	// Host is a host.
	Host string `yaml:"host"`
}

// CheckFirst looks at the host, without which nothing else is looked at.
func (r rule) CheckFirst(report *yamlconf.Report) bool {
	if r.Match.Host == "none" {
		report.Problem("match.host", "it is none")
	}
	return r.Match.Host != "none"
}

// Check holds that colors are for people.
func (l logging) Check(r *yamlconf.Report) {
	if l.Color && l.Level == "debug" {
		r.Warning("color", "nobody looks")
	}
}

func defaults() sample {
	return sample{Listen: "127.0.0.1:8080", Data: "data", Log: logging{Level: "info", Keep: time.Hour}}
}

var formats = config.Formats{"word": func(text string) error {
	if strings.Contains(text, " ") {
		return errors.New("it is no word")
	}
	return nil
}}

// read reads a file of some text, with what else there is.
func read(t *testing.T, text string, layers config.Layers) (
	got sample, o *config.Origins, problems, warnings []string,
) {
	t.Helper()
	if text != "" {
		layers.File = filepath.Join(t.TempDir(), "frontdesk.yaml")
		if err := os.WriteFile(layers.File, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got = defaults()
	o, wrong, odd := config.Read(layers, &got)
	report := yamlconf.NewReport()
	config.Check(&got, formats, report)
	more, further := o.Findings(report.Notes())
	lines := func(all yamlconf.Findings) (lines []string) {
		all.Sort()
		for _, f := range all {
			f.File = ""
			lines = append(lines, strings.TrimSpace(f.Error()))
		}
		return lines
	}
	return got, o, lines(append(wrong, more...)), lines(append(odd, further...))
}

func TestLaterLayersOutweigh(t *testing.T) {
	t.Parallel()
	got, o, problems, warnings := read(t, "listen: 127.0.0.1:1\nlog: {level: debug, keep: 2m}\n", config.Layers{
		Env:   []string{"FRONTDESK_LOG_LEVEL=info", "FRONTDESK_LISTEN=127.0.0.1:2", "FRONTDESK_NAMES=a, b", "OTHER=1"},
		Flags: map[string]string{"listen": "127.0.0.1:3"},
	})
	want := defaults()
	want.Listen, want.Names, want.Log.Keep = "127.0.0.1:3", []string{"a", "b"}, 2*time.Minute
	if diff := cmp.Diff(want, got); diff != "" || problems != nil || warnings != nil {
		t.Errorf("%s\n%q %q", diff, problems, warnings)
	}
	for path, layer := range map[string]string{
		"listen": "flag", "log.level": "environment", "log.keep": "file", "store": config.LayerDefault,
		"names[1]": "environment", "data": config.LayerDefault,
	} {
		if o.Layer(path) != layer {
			t.Errorf("%s comes from %s, want %s", path, o.Layer(path), layer)
		}
	}
	if !o.Named("log.level") || o.Named("data") {
		t.Error("it is not known what the file names")
	}
}

// A mistake is told where it was made: with the file's line, the variable or the flag.
func TestMistakesAreToldWhereTheyWereMade(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text   string
		layers config.Layers
		want   []string
	}{
		"right":    {text: "names: [a]"},
		"a number": {text: "log: {share: 2}", want: []string{"1:7: log.share: 2 is not between 0 and 1"}},
		"a span":   {text: "log: {keep: 3h}", want: []string{"1:7: log.keep: 3h is not between 1m and 2h"}},
		"a size":   {text: "log:\n  most: 2MiB", want: []string{"2:3: log.most: 2MiB is not between 1KiB and 1MiB"}},
		"none":     {text: "log:\n  most: 0"},
		"a choice": {text: "log: {level: loud}", want: []string{`1:7: log.level: "loud" is none of debug, info`}},
		"a count": {text: "names: [a, b, c, d]",
			want: []string{"1:1: names: 4 is not between 0 and 3"}},
		"one of a list": {text: "names: [a, b c]", want: []string{"1:12: names[1]: it is no word"}},
		"sections":      {text: "rules: [{}, {}, {}]", want: []string{"1:1: rules: 3 is not between 0 and 2"}},
		"an entry": {text: "rules:\n  - {until: soon}\n  - {page: ftp://x}", want: []string{
			`2:6: rules[0].until: "soon" is no day; write it like 2027-12-31`,
			`3:6: rules[1].page: "ftp://x" is no web address; write it like https://www.example.com`,
		}},
		"what comes first": {text: "rules: [{match: {host: none}, until: soon}]",
			want: []string{"1:18: rules[0].match.host: it is none"}},
		"an address": {text: "listen: here", want: []string{
			`1:1: listen: "here" is no address to listen on; write host:port, like 127.0.0.1:8080`}},
		"a variable": {layers: config.Layers{Env: []string{"FRONTDESK_LOG_SHARE=7"}},
			want: []string{"FRONTDESK_LOG_SHARE: 7 is not between 0 and 1"}},
		"a variable that cannot be read": {layers: config.Layers{Env: []string{"FRONTDESK_LOG_COLOR=red"}},
			want: []string{`FRONTDESK_LOG_COLOR: "red" should be true or false`}},
		"a flag": {layers: config.Layers{Flags: map[string]string{"log.level": "loud"}},
			want: []string{`--log-level: "loud" is none of debug, info`}},
		"another flag": {layers: config.Layers{Flags: map[string]string{"log.keep": "1s"}},
			want: []string{"--set log.keep: 1s is not between 1m and 2h"}},
		"an unknown flag": {layers: config.Layers{Flags: map[string]string{"log.levle": "info"}},
			want: []string{"--set log.levle: unknown key; did you mean log.level?"}},
		"no file": {layers: config.Layers{File: "missing.yaml"}, want: []string{
			"there is no such file; `frontdesk config init` writes one to start from"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, problems, warnings := read(t, c.text, c.layers)
			if diff := cmp.Diff(c.want, problems); diff != "" || warnings != nil {
				t.Errorf("%s\n%q", diff, warnings)
			}
		})
	}
}

func TestOddValuesAreWarnedOf(t *testing.T) {
	t.Parallel()
	_, _, problems, warnings := read(t, "log: {level: debug, color: true}", config.Layers{
		Env: []string{"FRONTDESK_LISTN=127.0.0.1:1", "FRONTDESK_PORT_80_TCP=tcp://10.0.0.1"},
	})
	want := []string{"FRONTDESK_LISTN: this variable sets nothing; did you mean FRONTDESK_LISTEN?",
		"1:21: log.color: nobody looks"}
	if diff := cmp.Diff(want, warnings); diff != "" || problems != nil {
		t.Errorf("%s\n%q", diff, problems)
	}
}

// Paths of the file start from its folder; those of other layers, and defaults, from where the
// command is started.
func TestPathsOfTheFileStartFromItsFolder(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"data: kept\nstore: sqlite:a.db":              {"FOLDER/kept", "sqlite:FOLDER/a.db"},
		"data: /kept\nstore: sqlite:/a.db":            {"/kept", "sqlite:/a.db"},
		"data: ../kept\nstore: postgres://me@db/desk": {"FOLDER/../kept", "postgres://me@db/desk"},
		"names: [a]":  {"data", ""},
		"store: a.db": {"data", "FOLDER/a.db"},
		"data: kept\nstore: sqlite://a.db\nlog: {most: 0}": {"FOLDER/kept", "sqlite://a.db"},
	} {
		folder := t.TempDir()
		file := filepath.Join(folder, "frontdesk.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := defaults()
		if _, findings, _ := config.Read(config.Layers{File: file}, &got); findings != nil {
			t.Fatal(findings)
		}
		place := func(path string) string {
			before, after, found := strings.Cut(path, "FOLDER/")
			if !found {
				return path
			}
			return before + filepath.Join(folder, after)
		}
		if got.Data != place(want[0]) || got.Store != place(want[1]) {
			t.Errorf("%q gives %s and %s", text, got.Data, got.Store)
		}
	}
}

// What is printed reads back as the same configuration, and says where each value came from.
func TestPrintedConfigurationReadsBack(t *testing.T) {
	t.Parallel()
	got, o, problems, _ := read(t, `
listen: ":80"
names: ["true", "b: c"]
log: {most: 64KiB, color: true}
rules:
  - match: {}
    until: "2027-12-31"
  - match: {host: www.example.com}
intakes:
  - {id: none}
  - {id: all, match: [{}, {host: a.example}]}
`, config.Layers{Flags: map[string]string{"log.keep": "90s"}})
	if !slices.Equal(problems, []string{`3:17: names[1]: it is no word`}) {
		t.Fatal(problems)
	}
	var out strings.Builder
	if err := o.Print(&out, got); err != nil {
		t.Fatal(err)
	}
	again, _, problems, _ := read(t, out.String(), config.Layers{})
	again.Data = got.Data // which the second file names, so that it starts from its folder
	if diff := cmp.Diff(got, again); diff != "" || len(problems) != 1 {
		t.Errorf("%s\n%q\n%s", diff, problems, out.String())
	}
	for key, from := range map[string]string{
		"listen:": "frontdesk.yaml:2", "level:": "default", "keep:": "flag --set log.keep",
		"- match: {}": "frontdesk.yaml:6",
	} {
		if !slices.ContainsFunc(strings.Split(out.String(), "\n"), func(line string) bool {
			return strings.HasPrefix(strings.TrimSpace(line), key) && strings.HasSuffix(line, from)
		}) {
			t.Errorf("%s does not come from %s:\n%s", key, from, out.String())
		}
	}
}

func TestChangedNamesTheKeysThatDiffer(t *testing.T) {
	t.Parallel()
	a, b := defaults(), defaults()
	b.Log.Level, b.Rules = "debug", []rule{{Until: "2027-12-31"}}
	if got := config.Changed(a, b); !slices.Equal(got, []string{"log.level", "rules"}) {
		t.Error(got)
	}
	if got := config.Changed(a, defaults()); got != nil {
		t.Error(got)
	}
}

func TestListsOfSectionsAreSetInTheFileAlone(t *testing.T) {
	t.Parallel()
	want := []string{"data", "listen", "log.color", "log.keep", "log.level", "log.most", "log.share", "names", "store"}
	if got := config.Settable(defaults()); !slices.Equal(got, want) {
		t.Error(got)
	}
}

// A key that takes its value from another key is reported where the other stands.
func TestCopiedValueIsToldOfWhereTheOtherWasGiven(t *testing.T) {
	t.Parallel()
	_, o, _, _ := read(t, "log:\n  level: debug", config.Layers{})
	if o.Copy("data", "log.share") || !o.Copy("listen", "log.level") || o.Layer("listen") != "file" {
		t.Errorf("listen comes from %s", o.Layer("listen"))
	}
	o.Argument("store", "./content")
	if o.Copy("store", "log.level") || o.Layer("store") != config.LayerArgument {
		t.Errorf("store comes from %s", o.Layer("store"))
	}
	o.Forget("store")
	if o.Layer("store") != config.LayerDefault {
		t.Errorf("store comes from %s", o.Layer("store"))
	}
}

func TestTagWithAnUnknownRulePanics(t *testing.T) {
	t.Parallel()
	for name, wrong := range map[string]any{
		"a format": &struct {
			Word string `yaml:"word" check:"words"`
		}{},
		"a bound": &struct {
			Most int `yaml:"most" check:"1..many"`
		}{},
		"a kind": &struct {
			Text string `yaml:"text" check:"1..2"`
		}{},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if recover() == nil {
					t.Error("the tag is taken")
				}
			}()
			config.Check(wrong, formats, yamlconf.NewReport())
		})
	}
}
