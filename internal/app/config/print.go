package config

import (
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"frontdesk/internal/infra/yamlconf"
)

// Print writes a configuration as YAML that can be read again, with a comment on each value that
// says where it came from.
func (o *Origins) Print(w io.Writer, config any) error {
	p := &printer{origins: o}
	p.section(reflect.ValueOf(config), "", "")
	_, err := io.WriteString(w, p.text())
	return err
}

// OnlyStored writes what of a configuration was stored beside the file, as lines for the file;
// empty for nothing.
func (o *Origins) OnlyStored(config any) string {
	p := &printer{origins: o, only: LayerStore}
	p.section(reflect.ValueOf(config), "", "")
	for i := range p.lines {
		p.lines[i][1] = ""
	}
	return p.text()
}

// Text is a configuration as YAML that can be read again.
func Text(config any) string {
	p := &printer{origins: &Origins{}}
	p.section(reflect.ValueOf(config), "", "")
	for i := range p.lines {
		p.lines[i][1] = ""
	}
	return p.text()
}

// printer gathers lines, each with its comment, so that the comments can be set below each other.
type printer struct {
	origins *Origins
	only    string // the layer whose values are written; empty for all
	lines   [][2]string
}

func (p *printer) line(text, comment string) { p.lines = append(p.lines, [2]string{text, comment}) }

func (p *printer) text() string {
	var b strings.Builder
	for _, line := range p.lines {
		if line[1] == "" {
			b.WriteString(line[0] + "\n")
			continue
		}
		fmt.Fprintf(&b, "%-40s # %s\n", line[0], line[1])
	}
	return b.String()
}

// section writes the keys of a section. Empty texts, lists and sections are left out: they are as
// good as not set.
func (p *printer) section(section reflect.Value, path, indent string) {
	for field := range yamlconf.Keys(section) {
		name, value := field.Key, field.Value
		full := strings.TrimPrefix(path+"."+name, ".")
		switch {
		case name == "match" && field.IsSection() && value.IsZero() && p.only == "":
			p.line(indent+name+": {}", "") // which says something: everything
		case empty(value):
		case field.IsSection():
			p.below(indent+name+":", func() { p.section(value, full, indent+"  ") })
		case field.IsList():
			p.below(indent+name+":", func() { p.entries(value, full, indent+"  ") })
		case p.leftOut(full, value):
		default:
			p.line(indent+name+": "+written(value), p.origins.describe(full))
		}
	}
}

// below writes a line with what stands below it, unless nothing does because it is left out.
func (p *printer) below(line string, write func()) {
	from := len(p.lines)
	p.line(line, "")
	if write(); p.only != "" && len(p.lines) == from+1 {
		p.lines = p.lines[:from]
	}
}

// leftOut says whether a value is not written, since another layer than the wanted one set it. An
// entry of a list always has its id, which tells it apart, and nothing that has its default.
func (p *printer) leftOut(path string, value reflect.Value) bool {
	if p.only == "" || strings.HasSuffix(path, "].id") {
		return false
	}
	return p.origins.describe(path) != p.only || value.IsZero() && strings.Contains(path, "[")
}

// entries writes a list of sections. Where they came from is said of each as a whole.
func (p *printer) entries(list reflect.Value, path, indent string) {
	for i := range list.Len() {
		from, entry := len(p.lines), yamlconf.Index(path, i)
		p.section(list.Index(i), entry, indent+"  ")
		if p.only != "" && len(p.lines) <= from+1 { // nothing but the id
			p.lines = p.lines[:from]
			continue
		}
		if from == len(p.lines) {
			p.line("{}", "")
		}
		for n := from; n < len(p.lines); n++ {
			if of := p.lines[n][1]; of != LayerStore || of == p.origins.describe(entry) {
				p.lines[n][1] = ""
			}
		}
		p.lines[from][0] = indent + "- " + strings.TrimSpace(p.lines[from][0])
		p.lines[from][1] = p.origins.describe(entry)
	}
}

// empty says whether a value says nothing. Numbers and truth values always say something.
func empty(value reflect.Value) bool {
	switch value.Kind() {
	case reflect.String, reflect.Slice, reflect.Struct:
		return value.IsZero()
	}
	return false
}

// plain texts need no quotes in YAML.
var plain = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9/._@+-]*(:[A-Za-z0-9/._@+-]+)*$`)

// written is a value as the file has it.
func written(value reflect.Value) string {
	if value.Kind() == reflect.Slice {
		quoted := make([]string, value.Len())
		for i := range quoted {
			quoted[i] = strconv.Quote(value.Index(i).String())
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	}
	if object, ok := value.Interface().(yamlconf.Object); ok {
		return string(object) // which is YAML too
	}
	if value.Kind() != reflect.String {
		return yamlconf.Show(value.Interface())
	}
	text := value.String()
	if plain.MatchString(text) && text != "true" && text != "false" && text != "null" {
		return text
	}
	return strconv.Quote(text)
}
