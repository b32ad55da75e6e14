package server

import (
	"fmt"
	"io"
	"net/url"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/infra/yamlconf"
)

// Print writes the effective configuration as YAML that can be read again, with a comment on each value that says
// where it came from. Passwords are left out.
func (l *Loaded) Print(w io.Writer) error {
	p := &printer{loaded: l}
	shown := l.Config
	shown.Store = redact(shown.DSN())
	shown.Intakes.Vault = redact(shown.Intakes.Vault)
	sites := shown.AllSites()
	if len(shown.Sites) == 0 {
		shown.Site.ID = sites[0].ID
	}
	p.section(reflect.ValueOf(shown), "", "")
	_, err := io.WriteString(w, p.text())
	return err
}

// printer gathers lines, each with its comment, so that the comments can be set below each other.
type printer struct {
	loaded *Loaded
	lines  [][2]string
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

// section writes the keys of a section. Empty texts and lists are left out, they are as good as not set; so is
// one of site and sites.
func (p *printer) section(section reflect.Value, path, indent string) {
	for i := range section.NumField() {
		name, _, _ := strings.Cut(section.Type().Field(i).Tag.Get("yaml"), ",")
		field := section.Field(i)
		full := strings.TrimPrefix(path+"."+name, ".")
		switch {
		case name == "match" && field.IsZero():
			p.line(indent+name+": {}", "") // which says something: everything
		case name == "" || skipped(field) || full == "site" && !section.FieldByName("Sites").IsZero():
		case field.Kind() == reflect.Struct:
			p.line(indent+name+":", "")
			p.section(field, full, indent+"  ")
		case field.Kind() == reflect.Slice && field.Type().Elem().Kind() == reflect.Struct:
			p.line(indent+name+":", "")
			p.entries(field, full, indent+"  ")
		default:
			p.line(indent+name+": "+value(field), p.loaded.describe(full))
		}
	}
}

// entries writes a list of sections. Where they came from is said of each as a whole.
func (p *printer) entries(list reflect.Value, path, indent string) {
	for i := range list.Len() {
		from := len(p.lines)
		entry := fmt.Sprintf("%s[%d]", path, i)
		p.section(list.Index(i), entry, indent+"  ")
		for n := from; n < len(p.lines); n++ {
			p.lines[n][1] = ""
		}
		if from < len(p.lines) {
			p.lines[from][0] = indent + "- " + strings.TrimSpace(p.lines[from][0])
			p.lines[from][1] = p.loaded.describe(entry)
		}
	}
}

// skipped says whether a field says nothing. A rule's empty match says that it matches everything.
func skipped(field reflect.Value) bool {
	switch field.Kind() {
	case reflect.String:
		return field.Len() == 0
	case reflect.Slice:
		return field.IsNil()
	case reflect.Struct:
		return field.IsZero()
	}
	return false
}

// describe says where a value came from.
func (l *Loaded) describe(path string) string {
	switch from := l.origin(path); from.layer {
	case "file":
		if place, ok := l.places[path]; ok {
			return fmt.Sprintf("%s:%d", l.layers.File, place.Line)
		}
		return "default" // of a section that the file has
	case "default":
		return "default"
	default:
		return from.layer + " " + from.name
	}
}

// show writes a value that is no text as the file does.
func show(value any) string {
	if span, ok := value.(time.Duration); ok {
		return yamlconf.Span(span)
	}
	return fmt.Sprint(value)
}

// plain texts need no quotes in YAML.
var plain = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9/._@+-]*(:[A-Za-z0-9/._@+-]+)*$`)

func value(field reflect.Value) string {
	if field.Kind() == reflect.Slice {
		quoted := make([]string, field.Len())
		for i := range quoted {
			quoted[i] = strconv.Quote(field.Index(i).String())
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	}
	if object, ok := field.Interface().(yamlconf.Object); ok {
		return string(object) // which is YAML too
	}
	if field.Kind() != reflect.String {
		return show(field.Interface())
	}
	switch text := field.String(); {
	case plain.MatchString(text) && text != "true" && text != "false" && text != "null":
		return text
	default:
		return strconv.Quote(text)
	}
}

// redact takes the secrets out of a database's address.
func redact(dsn string) string {
	scheme, _, remote := strings.Cut(dsn, "://")
	if !remote || scheme == "sqlite" {
		return dsn
	}
	u, err := url.Parse(dsn)
	if err != nil {
		return scheme + "://…"
	}
	if _, has := u.User.Password(); has {
		u.User = url.UserPassword(u.User.Username(), "xxxxx")
	}
	query := u.Query()
	for name := range query {
		if strings.Contains(strings.ToLower(name), "pass") {
			query.Set(name, "xxxxx")
		}
	}
	u.RawQuery = query.Encode()
	return u.String()
}
