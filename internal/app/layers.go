package app

import (
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"frontdesk/internal/app/config"
	"frontdesk/internal/content/ingest"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/infra/yamlconf"
)

// Source is a source of content, as the command line names it.
type Source = ingest.SourceSettings

// Layers are where a configuration comes from. A flag outweighs the environment, the environment
// outweighs the file, the file outweighs the defaults.
type Layers struct {
	File    string                  // path of the file; empty for none
	Env     []string                // "NAME=value", as of os.Environ
	Flags   map[string]string       // key path to value, for flags that were given
	Sources []ingest.SourceSettings // sources named on the command line, which join those of the file

	serving bool            // a node of several has what is its own: see spread
	stored  []config.Stored // what the owner set beside the file
}

// Loaded is a configuration with where its values came from.
type Loaded struct {
	Config   Config
	Warnings yamlconf.Findings // what works and is probably not meant

	layers  Layers
	stamp   stamp // of the file, before it was read
	origins *config.Origins
	given   []int // which sources the command line named
	carried bool  // ramp.purchases is what ramp.signatures says
}

// File is the configuration file, empty when there is none.
func (l *Loaded) File() string { return l.layers.File }

// Load reads and checks a configuration. Its error is of type yamlconf.Findings and holds all that
// is wrong; the result is there in any case, for who wants to look on.
func Load(layers Layers) (*Loaded, error) {
	l := &Loaded{Config: Default(), layers: layers}
	l.stamp, _ = stampOf(layers.File) // a file that is not there fails to be read next
	var findings yamlconf.Findings
	l.origins, findings, l.Warnings = config.Read(config.Layers{
		File: layers.File, Env: layers.Env, Flags: layers.Flags, Stored: layers.stored,
	}, &l.Config)
	for _, source := range layers.Sources {
		l.given = append(l.given, l.join(source))
	}
	l.carrySignatures()
	report := yamlconf.NewReport()
	l.check(report)
	problems, warnings := l.origins.Findings(report.Notes())
	if len(findings) == 0 { // what could not be read leaves gaps, which are odd for no other reason
		l.Warnings = append(l.Warnings, warnings...)
	}
	for _, problem := range problems {
		if !told(findings, problem.Key) {
			findings = append(findings, problem)
		}
	}
	if layers.serving {
		l.Config = l.Config.spread()
	}
	return l, l.sorted(findings)
}

// sorted puts findings and warnings into the order of the file, and gives the findings as an error,
// if there are any.
func (l *Loaded) sorted(findings yamlconf.Findings) error {
	findings.Sort()
	l.Warnings.Sort()
	if len(findings) > 0 {
		return findings
	}
	return nil
}

// join adds a source of the command line and gives its index. The path of a configured source means
// that source.
func (l *Loaded) join(source ingest.SourceSettings) int {
	path := absolute(source)
	all := l.Config.AllSources()
	taken := func(name string) bool {
		return slices.ContainsFunc(all, func(s ingest.SourceSettings) bool {
			return s.Name == name && (source.Site == "" || s.Site == source.Site)
		})
	}
	for i, there := range all {
		if absolute(there) == path &&
			reflect.DeepEqual(ingest.SourceSettings{Site: source.Site, Path: source.Path, URL: source.URL}, source) &&
			(source.Site == "" || source.Site == there.Site) {
			return i
		}
	}
	if source.Name == "" && source.URL == "" && taken(ingest.SourceName(path)) { // ./2025/content beside ./2026/content
		source.Name = ingest.SourceName(filepath.Dir(path)) + "-" + ingest.SourceName(path)
	}
	at := len(l.Config.Sources)
	l.origins.Argument(yamlconf.Index("sources", at), source.Where())
	l.Config.Sources = append(l.Config.Sources, source)
	return at
}

// absolute tells where a source is from wherever it is looked at.
func absolute(source ingest.SourceSettings) string {
	if source.URL != "" {
		return source.URL
	}
	path, _ := filepath.Abs(source.Path)
	return path
}

// Given are the sources that the command line named, with defaults filled in.
func (l *Loaded) Given() []ingest.SourceSettings {
	all := l.Config.AllSources()
	given := make([]ingest.SourceSettings, len(l.given))
	for i, at := range l.given {
		given[i] = all[at]
	}
	return given
}

// told says whether something was found already at a key or at what it is a part of.
func told(findings yamlconf.Findings, key string) bool {
	return slices.ContainsFunc(findings, func(f yamlconf.Finding) bool {
		rest, part := strings.CutPrefix(key, f.Key)
		return f.Key != "" && part && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// WithTermsOf gives the configuration with the rules of another file, which may be a whole
// configuration or hold nothing else. Its error is of type yamlconf.Findings and holds all that is
// wrong with the rules.
func (l *Loaded) WithTermsOf(file string) (*Loaded, error) {
	other := &Loaded{Config: Default(), layers: Layers{File: file}}
	var findings yamlconf.Findings
	other.origins, findings, _ = config.Read(config.Layers{File: file}, &other.Config)
	rules := other.Config
	other.Config = l.Config
	other.Config.Terms = rules.Terms
	if other.origins.Named("rsl") {
		other.Config.RSL = rules.RSL
	}
	if other.origins.Named("sites") {
		other.Config.Site, other.Config.Sites = Site{}, rules.Sites
	} else if other.origins.Named("site") {
		other.Config.Site, other.Config.Sites = rules.Site, nil
	}
	return other, other.checkTerms(findings)
}

// checkTerms looks at rules that were read, where nothing was found to be wrong then, and gives all
// that is.
func (l *Loaded) checkTerms(findings yamlconf.Findings) error {
	if len(findings) == 0 {
		c := &checks{Loaded: l, Report: yamlconf.NewReport()}
		c.terms()
		if c.Config.Intent.Enabled {
			c.declaration()
		}
		findings, l.Warnings = l.origins.Findings(c.Notes())
	}
	return l.sorted(findings)
}

// Print writes the effective configuration as YAML that can be read again, with a comment on each
// value that says where it came from. Passwords are left out.
func (l *Loaded) Print(w io.Writer) error {
	shown := l.Config
	shown.Store = store.Redact(shown.DSN())
	shown.Intakes.Vault = store.Redact(shown.Intakes.Vault)
	if len(shown.Sites) == 0 {
		shown.Site.ID = shown.AllSites()[0].ID
	} else {
		shown.Site = Site{} // one of the two is as good as not set
	}
	return l.origins.Print(w, shown)
}
