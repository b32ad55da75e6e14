package config

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"frontdesk/internal/infra/yamlconf"
)

// Group is the keys of one section of a configuration.
type Group struct {
	Path    string // "tls.acme", "terms[].price"; empty for the keys at the top
	Meaning string
	Keys    []Key
}

// Key is one key of a configuration.
type Key struct {
	Name, Kind, Default, Meaning string

	Required bool
}

// Manual gives the sections of a configuration that holds the defaults, each before those in it.
// What a key means is the comment on its field, which is read from the source: folder gives that of
// a package. A field without a comment is an error.
func Manual(config any, folder func(pkg string) string) ([]Group, error) {
	m := manual{folder: folder, comments: map[string]map[string]string{}}
	m.section("", "", reflect.ValueOf(config))
	return m.groups, errors.Join(m.errs...)
}

type manual struct {
	folder   func(pkg string) string
	comments map[string]map[string]string // by package, and by "Config.Listen"
	groups   []Group
	errs     []error
}

// section notes the keys of one section, and then the sections in it.
func (m *manual) section(path, meaning string, section reflect.Value) {
	group := Group{Path: path, Meaning: meaning}
	var deeper []func()
	beside := map[reflect.Type]bool{} // a list of sections is described by a section like it beside it
	for field := range yamlconf.Keys(section) {
		full := strings.TrimPrefix(path+"."+field.Key, ".")
		key := Key{
			Name: field.Key, Kind: strings.TrimPrefix(yamlconf.Wanted(field.Type), "a "), Required: field.Required(),
			Default: fallback(field.Value), Meaning: sentence(field.Name, m.comment(field)),
		}
		group.Keys = append(group.Keys, key)
		switch {
		case field.IsSection():
			beside[field.Type] = true
			deeper = append(deeper, func() { m.section(full, key.Meaning, field.Value) })
		case field.IsList() && !beside[field.Type.Elem()]:
			deeper = append(deeper, func() { m.section(full+"[]", key.Meaning, reflect.Zero(field.Type.Elem())) })
		}
	}
	m.groups = append(m.groups, group)
	for _, read := range deeper {
		read()
	}
}

// comment is that on a field, on one line.
func (m *manual) comment(field yamlconf.Field) string {
	pkg := field.Section.PkgPath()
	if m.comments[pkg] == nil {
		found, err := comments(m.folder(pkg))
		m.comments[pkg] = found
		if err != nil {
			m.errs = append(m.errs, err)
		}
	}
	name := field.Section.Name() + "." + field.Name
	if m.comments[pkg][name] == "" {
		m.errs = append(m.errs, fmt.Errorf("%s of %s has no comment", name, pkg))
	}
	return m.comments[pkg][name]
}

// comments reads the comments on the fields of the structs of a package: "Config.Listen" to its
// text, on one line.
func comments(folder string) (map[string]string, error) {
	found := map[string]string{}
	entries, err := fs.Glob(os.DirFS(folder), "*.go")
	for _, name := range entries {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, name), nil, parser.ParseComments)
		if err != nil {
			return found, err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				commented(spec, found)
			}
			return true
		})
	}
	return found, err
}

func commented(spec *ast.TypeSpec, found map[string]string) {
	fields, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, field := range fields.Fields.List {
		for _, name := range field.Names {
			found[spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(field.Doc.Text()), " ")
		}
	}
}

// sentence begins with what the key is or does, not with the field's name, which a reader of the
// manual does not know.
func sentence(field, comment string) string {
	rest, named := strings.CutPrefix(comment, field+" ")
	if !named || rest == "" {
		return comment
	}
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, "is "), "are ")
	return strings.ToUpper(rest[:1]) + rest[1:]
}

// fallback writes a default. What is there for want of entries is said where the list is explained.
func fallback(value reflect.Value) string {
	switch value.Kind() {
	case reflect.Struct:
		return ""
	case reflect.Slice:
		if value.Len() == 0 || value.Type().Elem().Kind() == reflect.Struct {
			return ""
		}
	case reflect.String:
		if value.Len() == 0 {
			return ""
		}
	}
	return "`" + strings.Trim(written(value), `"`) + "`"
}
