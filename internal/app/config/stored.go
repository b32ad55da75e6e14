package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/infra/yamlconf"
)

// LayerStore is that of values which were set beside the file.
const LayerStore = "store"

// Stored is a value that was set beside the file. It counts where the file, the environment and the
// command line are silent about its key.
type Stored struct {
	// Key is the path of the key. An entry of a list of sections is named by its id, as in
	// `sites[shop].name`; one that is added to a list by any name, as in `sources[shop/blog]`.
	Key string
	// Values are the value, or each text of a list, or `key=value` for each key of an added entry.
	Values []string
}

// Unused is a stored value that does not fit the configuration, with why.
type Unused struct {
	Stored
	Problem string
}

// Fit reads a configuration with as many stored values as it takes. load reads it with some of
// them; without is what it gives with none.
func Fit[L any](without L, all []Stored, load func([]Stored) (L, error)) (with L, unused []Unused) {
	if len(all) == 0 {
		return without, nil
	}
	if with, err := load(all); err == nil {
		return with, nil
	}
	with = without
	var used []Stored
	for _, one := range all {
		next, err := load(append(slices.Clip(used), one))
		if err != nil {
			unused = append(unused, Unused{one, problemOf(one.Key, err)})
			continue
		}
		with, used = next, append(used, one)
	}
	return with, unused
}

// problemOf is what is wrong with a key.
func problemOf(key string, err error) string {
	var findings yamlconf.Findings
	if !errors.As(err, &findings) || len(findings) == 0 {
		return err.Error()
	}
	for _, f := range findings {
		if strings.HasPrefix(f.Key, key) {
			return f.Detail
		}
	}
	return findings[0].Error()
}

// readStored sets what was stored. It comes last, so that it knows what the other layers set.
func (o *Origins) readStored(section reflect.Value, all []Stored) (findings yamlconf.Findings) {
	if len(all) == 0 {
		return nil
	}
	fields := fieldsOf(section)
	for _, one := range all {
		if err := o.take(fields, one); err != nil {
			findings = append(findings, yamlconf.Finding{Key: one.Key, Detail: err.Error()})
		}
	}
	return findings
}

func (o *Origins) take(fields map[string]yamlconf.Field, one Stored) error {
	list, _, rest, in := entryOf(one.Key)
	if in && rest == "" {
		return o.add(fields[list], list, one)
	}
	path, field, ok := find(fields, one.Key)
	switch {
	case !ok || !yamlconf.Settable(field.Type):
		return errors.New("there is no such key")
	case o.describe(path) != LayerDefault: // which goes before
		return nil
	}
	o.from[path] = origin{LayerStore, one.Key}
	return setTexts(field.Value, one.Values)
}

// add adds an entry to a list of sections. A field of it with the tag `yaml:",stored"` is set, by
// which the owner's entry is told from one of the file.
func (o *Origins) add(field yamlconf.Field, list string, one Stored) error {
	all := field.Value
	if !all.IsValid() || !field.IsList() {
		return errors.New("there is no such list")
	}
	entry := reflect.New(all.Type().Elem()).Elem()
	keys := settable(entry)
	for _, value := range one.Values {
		key, text, _ := strings.Cut(value, "=")
		field, ok := keys[key]
		if !ok {
			return fmt.Errorf("%s: there is no such key", key)
		}
		if err := yamlconf.Set(field, text); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	for field := range yamlconf.Fields(entry) {
		if field.Tag.Get("yaml") == ",stored" {
			field.Value.SetBool(true)
		}
	}
	o.from[yamlconf.Index(list, all.Len())] = origin{LayerStore, one.Key}
	all.Set(reflect.Append(all, entry))
	return nil
}

func setTexts(into reflect.Value, values []string) error {
	if into.Kind() == reflect.Slice {
		list := reflect.MakeSlice(into.Type(), len(values), len(values))
		for i, text := range values {
			list.Index(i).SetString(text)
		}
		into.Set(list)
		return nil
	}
	if len(values) != 1 {
		return fmt.Errorf("there are %d values; give one", len(values))
	}
	return yamlconf.Set(into, values[0])
}

// entryOf takes a key apart that names an entry of a list: sites[shop].name.
func entryOf(key string) (list, entry, rest string, ok bool) {
	list, behind, opens := strings.Cut(key, "[")
	at := strings.LastIndexByte(behind, ']')
	if !opens || at < 0 {
		return "", "", "", false
	}
	return list, behind[:at], strings.TrimPrefix(behind[at+1:], "."), true
}

// fieldsOf are the fields of a section and of those in it, by their paths. A list of sections is
// one field.
func fieldsOf(section reflect.Value) map[string]yamlconf.Field {
	all := map[string]yamlconf.Field{}
	visit(section, "", false, func(path string, field yamlconf.Field) bool { all[path] = field; return true })
	return all
}

// find gives the field of a key, and its path by indices.
func find(fields map[string]yamlconf.Field, key string) (path string, found yamlconf.Field, ok bool) {
	list, id, rest, in := entryOf(key)
	if !in {
		found, ok = fields[key]
		return key, found, ok
	}
	all := fields[list]
	if !all.Value.IsValid() || !all.IsList() || rest == "" {
		return "", found, false
	}
	for i := range all.Value.Len() {
		entry := fieldsOf(all.Value.Index(i))
		if name, there := entry["id"]; there && name.Value.String() == id {
			found, ok = entry[rest]
			return yamlconf.Index(list, i) + "." + rest, found, ok
		}
	}
	return "", found, false
}

// Known is a key of a configuration with its value, and where that came from.
type Known struct {
	Type   reflect.Type
	Rules  string // of its tag check
	Values []string
	Layer  string
	Place  string // in the file with its line, or the name of what set it; empty for the default
}

// Index tells of keys of a configuration.
type Index struct {
	origins *Origins
	fields  map[string]yamlconf.Field
}

// Index is that of a configuration whose values came from these origins.
func (o *Origins) Index(config any) Index { return Index{o, fieldsOf(reflect.ValueOf(config))} }

// Look tells of a key, which may name an entry of a list by its id.
func (x Index) Look(key string) (k Known, ok bool) {
	path, field, ok := find(x.fields, key)
	if !ok {
		return k, false
	}
	k = Known{Type: field.Type, Rules: field.Tag.Get("check"), Values: Texts(field.Value)}
	k.Layer, k.Place = x.origins.where(path)
	return k, true
}

// Where says from which layer an entry of a list came, and where in it.
func (o *Origins) Where(list string, i int) (layer, place string) {
	return o.where(yamlconf.Index(list, i))
}

func (o *Origins) where(path string) (layer, place string) {
	at := o.describe(path)
	switch from := o.origin(path); {
	case at == LayerDefault || at == LayerStore:
		return at, ""
	case from.layer == layerFile:
		return layerFile, at
	default:
		return from.layer, from.name
	}
}

// Texts are a value as it is stored: one text, each text of a list, none for what is not set.
func Texts(value reflect.Value) (all []string) {
	switch v := value.Interface().(type) {
	case time.Duration:
		return []string{days(v)}
	case fmt.Stringer:
		return []string{v.String()}
	}
	switch value.Kind() {
	case reflect.Slice:
		for i := range value.Len() {
			all = append(all, value.Index(i).String())
		}
	case reflect.String:
		if value.Len() > 0 {
			all = []string{value.String()}
		}
	default:
		all = []string{yamlconf.Show(value.Interface())}
	}
	return all
}

// days writes a time span in days where it is some.
func days(span time.Duration) string {
	const day = 24 * time.Hour
	if span >= 2*day && span%day == 0 {
		return fmt.Sprintf("%dd", span/day)
	}
	return yamlconf.Span(span)
}
