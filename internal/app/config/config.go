// Package config reads, checks and prints a configuration, and writes its manual. It knows no key:
// the sections are structs of the packages that own them.
//
//   - The tag `yaml:"key"` names the key of a field, `yaml:"key,required"` one that must be there.
//   - The tag `check:"..."` says what holds for the value by itself (see Check).
//   - The tag `relative:"path"`, or `relative:"database"`, is for files that start from the folder
//     of the file that names them.
//   - The comment on the field is its line in the manual.
//   - The methods Check and CheckFirst (yamlconf.Checker) look at what holds between keys.
//
// A value comes from one of five layers: a flag outweighs the environment, the environment
// outweighs the file, the file outweighs what is stored beside it, and that the default. Origins
// remember which it was, so that a mistake is told where it was made.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"frontdesk/internal/infra/yamlconf"
)

// Layers are where a configuration comes from, beside its defaults.
type Layers struct {
	File  string            // path of the file; empty for none
	Text  []byte            // what the file has; nil reads it
	Env   []string          // "NAME=value", as of os.Environ
	Flags map[string]string // key path to value, for flags that were given

	Stored []Stored // what was set beside the file
}

// Origins say where the values of a configuration came from.
type Origins struct {
	file   string
	places yamlconf.Places
	from   map[string]origin
}

// The layers, as Origins.Layer tells them.
const (
	LayerDefault  = "default"
	layerFile     = "file"
	layerEnv      = "environment"
	layerFlag     = "flag"
	LayerArgument = "argument"
)

type origin struct {
	layer string
	name  string // "FRONTDESK_LISTEN", "--listen", "./content"
}

// Read reads the layers into a struct that holds the defaults. The findings are all that could not
// be read, and the warnings what is probably a slip; the values that could be read are set in any
// case.
func Read(layers Layers, into any) (o *Origins, findings, warnings yamlconf.Findings) {
	o = &Origins{file: layers.File, places: yamlconf.Places{}, from: map[string]origin{}}
	section := reflect.ValueOf(into).Elem()
	findings = o.readFile(layers.Text, into)
	relocate(section, o.places, filepath.Dir(o.file))
	keys := settable(section)
	wrong, warnings := o.readEnv(keys, layers.Env)
	findings = append(findings, wrong...)
	findings = append(findings, o.readFlags(keys, layers.Flags)...)
	return o, append(findings, o.readStored(section, layers.Stored)...), warnings
}

func (o *Origins) readFile(text []byte, into any) (findings yamlconf.Findings) {
	if o.file == "" {
		return nil
	}
	var err error
	if text == nil {
		text, err = os.ReadFile(o.file)
	}
	if err != nil {
		return yamlconf.Findings{{File: o.file, Detail: unreadable(err)}}
	}
	o.places, err = yamlconf.Decode(o.file, text, into)
	for path := range o.places {
		o.from[path] = origin{layer: layerFile}
	}
	errors.As(err, &findings)
	return findings
}

// unreadable says why a file cannot be read, and what to do about it.
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

// relocate makes relative paths that the file named start from the file's folder, so that it does
// not matter where the command is started.
func relocate(section reflect.Value, named yamlconf.Places, folder string) {
	each(section, "", func(path string, field yamlconf.Field) {
		kind, ok := field.Tag.Lookup("relative")
		if !ok {
			return
		}
		for path, text := range texts(path, field.Value) {
			if _, there := named[path]; there {
				text.SetString(within(folder, kind, text.String()))
			}
		}
	})
}

// within gives a path, or the address of a database, as it is from elsewhere than the folder.
func within(folder, kind, path string) string {
	prefix := ""
	if kind == "database" {
		if rest, file := strings.CutPrefix(path, "sqlite:"); file && !strings.HasPrefix(rest, "//") {
			prefix, path = "sqlite:", rest
		} else if strings.Contains(path, ":") {
			return path
		}
	}
	if path == "" || filepath.IsAbs(path) {
		return prefix + path
	}
	return prefix + filepath.Join(folder, path)
}

// envPrefix begins the names of the environment's variables: listen is FRONTDESK_LISTEN,
// metrics.listen is FRONTDESK_METRICS_LISTEN.
const envPrefix = "FRONTDESK_"

// FileEnv names the configuration file itself.
const FileEnv = envPrefix + "CONFIG"

// EnvName is the variable that sets a key.
func EnvName(path string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
}

func (o *Origins) readEnv(keys map[string]reflect.Value, env []string) (findings, warnings yamlconf.Findings) {
	byName := map[string]string{}
	var suffixes []string
	for _, path := range slices.Sorted(maps.Keys(keys)) {
		byName[EnvName(path)] = path
		suffixes = append(suffixes, strings.TrimPrefix(EnvName(path), envPrefix))
	}
	for _, entry := range slices.Sorted(slices.Values(env)) {
		name, value, _ := strings.Cut(entry, "=")
		path, known := byName[name]
		switch {
		case !strings.HasPrefix(name, envPrefix) || name == FileEnv:
		case known:
			findings = append(findings, o.set(keys[path], path, value, origin{layerEnv, name})...)
		default:
			// Other programs may use names that begin so (a container platform makes some of a
			// service's name), so only a near miss is worth a word.
			if near, ok := yamlconf.Nearest(strings.TrimPrefix(name, envPrefix), suffixes); ok {
				detail := fmt.Sprintf("this variable sets nothing; did you mean %s?", envPrefix+near)
				warnings = append(warnings, yamlconf.Finding{Key: name, Detail: detail})
			}
		}
	}
	return findings, warnings
}

func (o *Origins) readFlags(keys map[string]reflect.Value, flags map[string]string) (findings yamlconf.Findings) {
	for _, path := range slices.Sorted(maps.Keys(flags)) {
		if _, known := keys[path]; !known {
			detail := "unknown key; " + yamlconf.Suggest(path, slices.Sorted(maps.Keys(keys)))
			findings = append(findings, yamlconf.Finding{Key: FlagName(path), Detail: detail})
			continue
		}
		from := origin{layerFlag, FlagName(path)}
		findings = append(findings, o.set(keys[path], path, flags[path], from)...)
	}
	return findings
}

// flagged are the keys that have a flag of their own; --set sets the others.
var flagged = []string{"listen", "url", "data", "store", "metrics.listen", "log.level", "spread.sites"}

// FlagName is how a key is set on the command line.
func FlagName(path string) string {
	if !slices.Contains(flagged, path) {
		return "--set " + path
	}
	if path == "spread.sites" {
		return "--sites"
	}
	return "--" + strings.NewReplacer(".", "-", "_", "-").Replace(path)
}

func (o *Origins) set(field reflect.Value, path, value string, from origin) yamlconf.Findings {
	o.from[path] = from
	if err := yamlconf.Set(field, value); err != nil {
		return yamlconf.Findings{{Key: from.name, Detail: err.Error()}}
	}
	return nil
}

// Argument notes that a value came from an argument of the command line.
func (o *Origins) Argument(path, argument string) { o.from[path] = origin{LayerArgument, argument} }

// Copy has the value of a key come from where that of another did, unless its own was given. It
// says whether it did.
func (o *Origins) Copy(to, from string) bool {
	before, given := o.from[from]
	if _, own := o.from[to]; own || !given {
		return false
	}
	o.from[to] = before
	return true
}

// Forget has the value of a key count as the default.
func (o *Origins) Forget(path string) { delete(o.from, path) }

// Named says whether the file has a key.
func (o *Origins) Named(path string) bool {
	_, named := o.places[path]
	return named
}

// Layer is where a key's value came from.
func (o *Origins) Layer(path string) string { return o.origin(path).layer }

// origin is where a key's value came from; an element's is that of its list.
func (o *Origins) origin(path string) origin {
	for p := path; p != ""; p = p[:max(0, strings.LastIndexAny(p, ".["))] {
		if from, ok := o.from[p]; ok {
			return from
		}
	}
	return origin{layer: LayerDefault}
}

// Findings are the notes of a report, told where the keys were given.
func (o *Origins) Findings(notes []yamlconf.Note) (problems, warnings yamlconf.Findings) {
	for _, note := range notes {
		finding := yamlconf.Finding{Key: note.Key, Detail: note.Detail}
		switch from := o.origin(note.Key); from.layer {
		case layerFile:
			finding.File, finding.Place = o.file, o.places.Near(note.Key)
			if finding.Line > 0 && (note.Line > 0 || note.Column > 0) {
				finding.Place = o.places.Within(note.Key, note.Line, note.Column)
			}
		case LayerDefault:
		default:
			finding.Key = from.name
		}
		if note.Warning {
			warnings = append(warnings, finding)
		} else {
			problems = append(problems, finding)
		}
	}
	return problems, warnings
}

// describe says where a value came from.
func (o *Origins) describe(path string) string {
	switch from := o.origin(path); from.layer {
	case layerFile:
		if place, ok := o.places[path]; ok {
			return fmt.Sprintf("%s:%d", o.file, place.Line)
		}
		return LayerDefault // of a section that the file has
	case LayerDefault, LayerStore:
		return from.layer
	default:
		return from.layer + " " + from.name
	}
}

// settable lists the keys that can be given outside the file, with their values: all but the lists
// of sections.
func settable(section reflect.Value) map[string]reflect.Value {
	keys := map[string]reflect.Value{}
	for path, value := range walk(section, "") {
		if yamlconf.Settable(value.Type()) {
			keys[path] = value
		}
	}
	return keys
}

// Settable are the keys of a configuration that can be given outside the file.
func Settable(config any) []string {
	return slices.Sorted(maps.Keys(settable(reflect.ValueOf(config))))
}

// Changed names the keys in which two configurations of one type differ. A list of sections is one
// key.
func Changed(a, b any) []string {
	before := maps.Collect(walk(reflect.ValueOf(a), ""))
	var changed []string
	for path, value := range walk(reflect.ValueOf(b), "") {
		if !reflect.DeepEqual(before[path].Interface(), value.Interface()) {
			changed = append(changed, path)
		}
	}
	return changed
}

// walk gives the keys of a section in order, those of the sections in it among them; a list of
// sections is one key.
func walk(section reflect.Value, path string) iter.Seq2[string, reflect.Value] {
	return func(yield func(string, reflect.Value) bool) {
		visit(section, path, false, func(path string, field yamlconf.Field) bool { return yield(path, field.Value) })
	}
}

// each visits the keys of a section in order, those of the sections and lists of sections in it
// among them.
func each(section reflect.Value, path string, see func(path string, field yamlconf.Field)) {
	visit(section, path, true, func(path string, field yamlconf.Field) bool { see(path, field); return true })
}

func visit(section reflect.Value, path string, lists bool, see func(string, yamlconf.Field) bool) bool {
	for field := range yamlconf.Keys(section) {
		full := strings.TrimPrefix(path+"."+field.Key, ".")
		switch {
		case field.IsSection():
			if !visit(field.Value, full, lists, see) {
				return false
			}
		case lists && field.IsList():
			for i := range field.Value.Len() {
				visit(field.Value.Index(i), yamlconf.Index(full, i), lists, see)
			}
		case !see(full, field):
			return false
		}
	}
	return true
}

// texts gives the text, or the list of texts, that a key has.
func texts(path string, value reflect.Value) iter.Seq2[string, reflect.Value] {
	return func(yield func(string, reflect.Value) bool) {
		if value.Kind() != reflect.Slice {
			yield(path, value)
			return
		}
		for i := range value.Len() {
			if !yield(yamlconf.Index(path, i), value.Index(i)) {
				return
			}
		}
	}
}
