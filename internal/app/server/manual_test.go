package server

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/infra/yamlconf"
)

var update = flag.Bool("update", false, "write docs/configuration.md anew")

//go:generate go test -run TestManualIsMadeOfTheComments -update

const manualFile = "../../../docs/configuration.md"

// manualHead is what stands before the keys.
const manualHead = "# Configuration\n\n" +
	"<!-- Made of the comments in internal/app/server/config*.go, internal/policy/rule.go, internal/ask/actions/action.go, internal/ask/elicitation/slot.go, internal/intake/offers/*.go and internal/infra/notify/mail.go by `go generate ./internal/app/server`. -->\n\n" +
	`One file, ` + "`frontdesk.yaml`" + `, holds everything that an owner can set. No key is required, and without a file everything has its default.

| command | what it does |
| --- | --- |
| ` + "`frontdesk config init`" + ` | writes a file to start from |
| ` + "`frontdesk config check FILE`" + ` | reports every mistake at once, with line, column, key and what would be right |
| ` + "`frontdesk config print`" + ` | shows the values in force and where each came from, without passwords |

The file is the one named with ` + "`--config`" + `, else by the variable ` + "`FRONTDESK_CONFIG`" + `, else ` + "`frontdesk.yaml`" + ` in the current folder if it is there.
Unknown keys, repeated keys and values of the wrong kind are errors.

A value given by a flag outweighs one from the environment, that outweighs the file, and the file outweighs the default. Every key that is
not part of a list has a variable; lists of texts are divided by commas there.

Time spans are written like ` + "`10s`" + ` or ` + "`2m`" + `, sizes like ` + "`64KiB`" + ` or ` + "`1MiB`" + `. Where a list of texts is read, one text will do.

While the server runs it looks at the file; changed ` + "`terms`" + `, and what ` + "`intent` and `intakes`" + ` say takes effect then, are put in force at once and whole, also on SIGHUP. Other
keys need a restart, and the log names those that changed. A file with a mistake changes nothing.
`

// TestManualIsMadeOfTheComments holds docs/configuration.md at what the structs' comments say.
func TestManualIsMadeOfTheComments(t *testing.T) {
	t.Parallel()
	m := manual{comments: comments(t, append(configFiles(t), "../../policy/rule.go", "../../ask/actions/action.go", "../../ask/elicitation/slot.go",
		"../../intake/offers/rules.go", "../../intake/offers/webhook.go", "../../intake/offers/person.go", "../../infra/notify/mail.go")...)}
	m.text.WriteString(manualHead)
	m.section("", reflect.ValueOf(Default()), true)
	if *update {
		if err := os.WriteFile(manualFile, []byte(m.text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(manualFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m.text.String(), string(have)); diff != "" {
		t.Errorf("docs/configuration.md is not current; run `go generate ./internal/app/server`\n%s", diff)
	}
	for _, missing := range m.missing {
		t.Errorf("%s has no comment", missing)
	}
}

// configFiles are the files that hold the sections of the configuration.
func configFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("config*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no files of the configuration", err)
	}
	return files
}

// comments reads the comments of struct fields: "Config.Listen" to its text, on one line.
func comments(t *testing.T, files ...string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if fields, ok := spec.Type.(*ast.StructType); ok {
				for _, field := range fields.Fields.List {
					for _, name := range field.Names {
						found[spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(field.Doc.Text()), " ")
					}
				}
			}
			return true
		})
	}
	return found
}

// manual writes the sections of the manual.
type manual struct {
	comments map[string]string
	text     strings.Builder
	missing  []string
}

// section writes a table of the keys of one section, and then the sections in it.
func (m *manual) section(path string, section reflect.Value, variables bool) {
	if path == "" {
		m.text.WriteString("\n## Keys\n\n")
	} else {
		fmt.Fprintf(&m.text, "\n## %s\n\n", path)
	}
	columns := "| key | value | default | meaning |\n| --- | --- | --- | --- |\n"
	if variables {
		columns = "| key | value | default | variable | meaning |\n| --- | --- | --- | --- | --- |\n"
	}
	m.text.WriteString(columns)
	var deeper []func()
	for i := range section.NumField() {
		field := section.Type().Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if name == "" {
			continue
		}
		full := strings.TrimPrefix(path+"."+name, ".")
		m.row(name, options, section, i, variables && yamlconf.Settable(field.Type), full)
		switch value := section.Field(i); {
		case value.Kind() == reflect.Struct:
			deeper = append(deeper, func() { m.section(full, value, variables) })
		case value.Kind() == reflect.Slice && value.Type().Elem().Kind() == reflect.Struct && full != "sites": // which are as site
			deeper = append(deeper, func() { m.section(full+"[]", reflect.Zero(value.Type().Elem()), false) })
		}
	}
	for _, write := range deeper {
		write()
	}
}

func (m *manual) row(name, options string, section reflect.Value, i int, variable bool, full string) {
	field, value := section.Type().Field(i), section.Field(i)
	comment := m.comments[section.Type().Name()+"."+field.Name]
	if comment == "" {
		m.missing = append(m.missing, section.Type().Name()+"."+field.Name)
	}
	kind := strings.TrimPrefix(yamlconf.Wanted(field.Type), "a ")
	if options == "required" {
		kind += ", required"
	}
	columns := []string{"`" + name + "`", kind, m.fallback(value)}
	if strings.Contains(m.text.String()[strings.LastIndex(m.text.String(), "\n## "):], "| variable |") {
		column := ""
		if variable {
			column = "`" + EnvName(full) + "`"
		}
		columns = append(columns, column)
	}
	columns = append(columns, strings.ReplaceAll(sentence(field.Name, name, comment), "|", `\|`))
	fmt.Fprintf(&m.text, "| %s |\n", strings.Join(columns, " | "))
}

// sentence begins with what the key is, not with the field's name, which a reader of the manual does not know.
func sentence(field, key, comment string) string {
	for _, verb := range []string{" is ", " are ", " say ", " says ", " sets ", " bound ", " lets ", " tells ", " names ", " lists "} {
		if rest, ok := strings.CutPrefix(comment, field+verb); ok {
			if verb == " is " || verb == " are " {
				verb = ""
			}
			rest = strings.TrimSpace(verb + rest)
			return strings.ToUpper(rest[:1]) + rest[1:]
		}
	}
	return comment
}

// fallback writes a default. What is there for want of entries is said where the list is explained.
func (m *manual) fallback(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Struct:
		return ""
	case reflect.Slice:
		if v.Len() == 0 || v.Type().Elem().Kind() == reflect.Struct {
			return ""
		}
	case reflect.String:
		if v.Len() == 0 {
			return ""
		}
	}
	return "`" + strings.Trim(value(v), `"`) + "`"
}
