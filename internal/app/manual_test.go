package app

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/app/config"
	"frontdesk/internal/app/formats"
	"frontdesk/internal/infra/yamlconf"
)

var update = flag.Bool("update", false, "write docs/configuration.md anew")

//go:generate go test -run TestManualIsMadeOfTheComments -update

const manualFile = "../../docs/configuration.md"

// manualHead is what stands before the keys.
const manualHead = "# Configuration\n\n" +
	"<!-- Made of the comments on the structs of the sections by `go generate ./internal/app`. -->\n\n" +
	`One file, ` + "`frontdesk.yaml`" + `, holds everything that an owner can set. No key is required, and without a file everything has its default.

| command | what it does |
| --- | --- |
| ` + "`frontdesk config init`" + ` | writes a file to start from |
| ` + "`frontdesk config check FILE`" + ` | reports every mistake at once, with line, column, key and what would be right |
| ` + "`frontdesk config print`" + ` | shows the values in force and where each came from, without passwords |

The file is the one named with ` + "`--config`" + `, else by the variable ` + "`FRONTDESK_CONFIG`" + `, else ` + "`frontdesk.yaml`" + ` in the current folder if it is there.
Unknown keys, repeated keys and values of the wrong kind are errors.

A value given by a flag outweighs one from the environment, that outweighs the file, and the file outweighs the default. Between
file and default stands what was set [without the file](settings.md): "config print" shows it as "store". Every key that is
not part of a list has a variable; lists of texts are divided by commas there.

Time spans are written like ` + "`10s`" + ` or ` + "`2m`" + `, sizes like ` + "`64KiB`" + ` or ` + "`1MiB`" + `. Where a list of texts is read, one text will do.

While the server runs it looks at the file; changed ` + "`terms`" + `, and what ` + "`intent` and `intakes`" + ` say takes effect then, are put in force at once and whole, also on SIGHUP. Other
keys need a restart, and the log names those that changed. A file with a mistake changes nothing.
`

// TestManualIsMadeOfTheComments holds docs/configuration.md at what the structs' comments say.
func TestManualIsMadeOfTheComments(t *testing.T) {
	t.Parallel()
	keys, err := config.Manual(Default(), func(pkg string) string {
		return filepath.Join("../..", strings.TrimPrefix(pkg, "frontdesk/"))
	})
	if err != nil {
		t.Error(err)
	}
	want := manualHead + keys
	if *update {
		if err := os.WriteFile(manualFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(manualFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(have)); diff != "" {
		t.Errorf("docs/configuration.md is not current; run `go generate ./internal/app`\n%s", diff)
	}
}

// TestTagsNameRulesThatThereAre checks a configuration with something in each list, since a tag that cannot be read
// fails only where its key has a value.
func TestTagsNameRulesThatThereAre(t *testing.T) {
	t.Parallel()
	var c Config
	fillSection(reflect.ValueOf(&c).Elem())
	config.Check(&c, formats.All, yamlconf.NewReport())
}

// fillSection gives everything in a section a value that is not zero.
func fillSection(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fillSection(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fillSection(v.Index(0))
	case reflect.String:
		v.SetString("x")
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Bool:
		v.SetBool(true)
	}
}
