package server

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"frontdesk/internal/infra/yamlconf"
)

// Layers are where a configuration comes from. A flag outweighs the environment, the environment outweighs the
// file, the file outweighs the defaults.
type Layers struct {
	File    string            // path of the file; empty for none
	Env     []string          // "NAME=value", as of os.Environ
	Flags   map[string]string // key path to value, for flags that were given
	Sources []Source          // sources named on the command line, which join those of the file
}

// Loaded is a configuration with where its values came from.
type Loaded struct {
	Config   Config
	Warnings yamlconf.Findings // what works and is probably not meant

	layers  Layers
	stamp   stamp // of the file, before it was read
	places  yamlconf.Places
	origins map[string]origin
	given   []int // which sources the command line named
	carried bool  // ramp.purchases is what ramp.signatures says
}

// origin is where a value came from.
type origin struct {
	layer string // "default", "file", "environment", "flag", "argument"
	name  string // "FRONTDESK_LISTEN", "--listen", "./content"
}

// File is the configuration file, empty when there is none.
func (l *Loaded) File() string { return l.layers.File }

// Load reads and checks a configuration. Its error is of type strictyaml.Findings and holds all that is wrong; the
// result is there in any case, for who wants to look on.
func Load(layers Layers) (*Loaded, error) {
	l := &Loaded{Config: Default(), layers: layers, origins: map[string]origin{}}
	var findings yamlconf.Findings
	findings = append(findings, l.readFile()...)
	findings = append(findings, l.readEnv()...)
	findings = append(findings, l.readFlags()...)
	for _, source := range layers.Sources {
		l.given = append(l.given, l.join(source))
	}
	l.carrySignatures()
	problems, warnings := l.check()
	if len(findings) == 0 { // what could not be read leaves gaps, which are odd for no other reason
		l.Warnings = append(l.Warnings, warnings...)
	}
	for _, problem := range problems {
		if !told(findings, problem.Key) {
			findings = append(findings, problem)
		}
	}
	findings.Sort()
	l.Warnings.Sort()
	if len(findings) > 0 {
		return l, findings
	}
	return l, nil
}

// join adds a source of the command line and gives its index. The path of a configured source means that source.
func (l *Loaded) join(source Source) int {
	path := absolute(source)
	all := l.Config.AllSources()
	taken := func(name string) bool {
		return slices.ContainsFunc(all, func(s Source) bool { return s.Name == name && (source.Site == "" || s.Site == source.Site) })
	}
	for i, there := range all {
		if absolute(there) == path && reflect.DeepEqual(Source{Site: source.Site, Path: source.Path, URL: source.URL}, source) && (source.Site == "" || source.Site == there.Site) {
			return i
		}
	}
	if source.Name == "" && source.URL == "" && taken(sourceName(path)) { // ./2025/content beside ./2026/content
		source.Name = sourceName(filepath.Dir(path)) + "-" + sourceName(path)
	}
	at := len(l.Config.Sources)
	l.origins[fmt.Sprintf("sources[%d]", at)] = origin{"argument", source.Where()}
	l.Config.Sources = append(l.Config.Sources, source)
	return at
}

// absolute tells where a source is from wherever it is looked at.
func absolute(source Source) string {
	if source.URL != "" {
		return source.URL
	}
	path, _ := filepath.Abs(source.Path)
	return path
}

// Given are the sources that the command line named, with defaults filled in.
func (l *Loaded) Given() []Source {
	all := l.Config.AllSources()
	given := make([]Source, len(l.given))
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

func (l *Loaded) readFile() yamlconf.Findings {
	l.places = yamlconf.Places{}
	if l.layers.File == "" {
		return nil
	}
	l.stamp, _ = stampOf(l.layers.File) // a file that is not there fails to be read next
	text, err := os.ReadFile(l.layers.File)
	if err != nil {
		return yamlconf.Findings{{File: l.layers.File, Detail: unreadable(err)}}
	}
	places, err := yamlconf.Decode(l.layers.File, text, &l.Config)
	l.places = places
	for path := range places {
		l.origins[path] = origin{layer: "file"}
	}
	l.fromFolder(filepath.Dir(l.layers.File))
	var findings yamlconf.Findings
	errors.As(err, &findings)
	return findings
}

// WithTermsOf gives the configuration with the rules of another file, which may be a whole configuration or hold nothing
// else. Its error is of type strictyaml.Findings and holds all that is wrong with the rules.
func (l *Loaded) WithTermsOf(file string) (*Loaded, error) {
	other := &Loaded{Config: Default(), layers: Layers{File: file}, origins: map[string]origin{}}
	findings := other.readFile()
	rules := other.Config
	other.Config = l.Config
	other.Config.Terms = rules.Terms
	if _, named := other.places["rsl"]; named {
		other.Config.RSL = rules.RSL
	}
	if _, named := other.places["sites"]; named {
		other.Config.Site, other.Config.Sites = Site{}, rules.Sites
	} else if _, named := other.places["site"]; named {
		other.Config.Site, other.Config.Sites = rules.Site, nil
	}
	if len(findings) == 0 {
		c := &checks{Loaded: other}
		c.terms()
		findings, other.Warnings = c.problems, c.warnings
	}
	findings.Sort()
	other.Warnings.Sort()
	if len(findings) > 0 {
		return other, findings
	}
	return other, nil
}

func unreadable(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "there is no such file; `frontdesk config init` writes one to start from"
	}
	var cause *fs.PathError
	if errors.As(err, &cause) {
		err = cause.Err
	}
	return fmt.Sprintf("the file cannot be read: %v", err)
}

// fromFolder makes relative paths that the file named start from the file's folder, so that it does not matter
// where the command is started.
func (l *Loaded) fromFolder(folder string) {
	move := func(path *string) {
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(folder, *path)
		}
	}
	if _, named := l.places["data"]; named {
		move(&l.Config.Data)
	}
	for _, database := range []*string{&l.Config.Store, &l.Config.Intakes.Vault} {
		if path, ok := strings.CutPrefix(*database, "sqlite:"); ok && !strings.HasPrefix(path, "//") {
			move(&path)
			*database = "sqlite:" + path
		} else if !strings.Contains(*database, ":") {
			move(database)
		}
	}
	move(&l.Config.Keys)
	move(&l.Config.TLS.Cert)
	move(&l.Config.TLS.Key)
	move(&l.Config.TLS.ACME.Roots)
	move(&l.Config.Discovery.Robots)
	move(&l.Config.Discovery.LLMs)
	move(&l.Config.Model.KeyFile)
	move(&l.Config.Model.Words)
	l.Config.Intakes.fromFolder(move)
	l.Config.Edge.fromFolder(move)
	for i := range l.Config.RSL {
		move(&l.Config.RSL[i])
	}
	for i := range l.Config.Sources {
		move(&l.Config.Sources[i].Path)
	}
}

// envPrefix begins the names of the environment's variables: listen is FRONTDESK_LISTEN, metrics.listen is
// FRONTDESK_METRICS_LISTEN.
const envPrefix = "FRONTDESK_"

// EnvName is the variable that sets a key.
func EnvName(path string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
}

// ConfigFileEnv names the configuration file itself.
const ConfigFileEnv = envPrefix + "CONFIG"

func (l *Loaded) readEnv() yamlconf.Findings {
	var findings yamlconf.Findings
	fields := settable(&l.Config)
	byName := map[string]string{}
	var suffixes []string
	for _, path := range slices.Sorted(maps.Keys(fields)) {
		byName[EnvName(path)] = path
		suffixes = append(suffixes, strings.TrimPrefix(EnvName(path), envPrefix))
	}
	for _, entry := range slices.Sorted(slices.Values(l.layers.Env)) {
		name, value, _ := strings.Cut(entry, "=")
		path, known := byName[name]
		switch {
		case !strings.HasPrefix(name, envPrefix) || name == ConfigFileEnv:
		case known:
			findings = append(findings, l.set(fields[path], path, value, origin{"environment", name})...)
		default:
			// Other programs may use names that begin so (a container platform makes some of a service's name), so
			// only a near miss is worth a word.
			if near, ok := yamlconf.Nearest(strings.TrimPrefix(name, envPrefix), suffixes); ok {
				l.Warnings = append(l.Warnings, yamlconf.Finding{Key: name, Detail: fmt.Sprintf("this variable sets nothing; did you mean %s?", envPrefix+near)})
			}
		}
	}
	return findings
}

func (l *Loaded) readFlags() yamlconf.Findings {
	var findings yamlconf.Findings
	fields := settable(&l.Config)
	for _, path := range slices.Sorted(maps.Keys(l.layers.Flags)) {
		value := l.layers.Flags[path]
		if _, known := fields[path]; !known {
			known := slices.Sorted(maps.Keys(fields))
			findings = append(findings, yamlconf.Finding{Key: FlagName(path), Detail: "unknown key; " + yamlconf.Suggest(path, known)})
			continue
		}
		findings = append(findings, l.set(fields[path], path, value, origin{"flag", FlagName(path)})...)
	}
	return findings
}

// flagged are the keys that have a flag of their own; --set sets the others.
var flagged = []string{"listen", "url", "data", "store", "metrics.listen", "log.level"}

// FlagName is how a key is set on the command line.
func FlagName(path string) string {
	if !slices.Contains(flagged, path) {
		return "--set " + path
	}
	return "--" + strings.NewReplacer(".", "-", "_", "-").Replace(path)
}

func (l *Loaded) set(field reflect.Value, path, value string, from origin) yamlconf.Findings {
	l.origins[path] = from
	if err := yamlconf.Set(field, value); err != nil {
		return yamlconf.Findings{{Key: from.name, Detail: err.Error()}}
	}
	return nil
}

// settable lists the keys that can be given outside the file, with their fields: all but the lists of sections.
func settable(c *Config) map[string]reflect.Value {
	fields := map[string]reflect.Value{}
	walk(reflect.ValueOf(c).Elem(), "", func(path string, field reflect.Value) {
		if yamlconf.Settable(field.Type()) {
			fields[path] = field
		}
	})
	return fields
}

// walk visits the keys of a section in order, those of the sections in it among them.
func walk(section reflect.Value, path string, visit func(path string, field reflect.Value)) {
	for i := range section.NumField() {
		name, _, _ := strings.Cut(section.Type().Field(i).Tag.Get("yaml"), ",")
		if name == "" {
			continue
		}
		full := name
		if path != "" {
			full = path + "." + name
		}
		if field := section.Field(i); field.Kind() == reflect.Struct {
			walk(field, full, visit)
		} else {
			visit(full, field)
		}
	}
}
