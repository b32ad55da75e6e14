package imports

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestRoomsImportOnlyWhatTheirRowsName(t *testing.T) {
	t.Parallel()
	files, err := readTree(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range check(rooms, files) {
		t.Error(fault)
	}
}

// TestBadEdgeIsFound shows that the rules can fail: each file breaks one of them in a small house that is sound
// otherwise.
func TestBadEdgeIsFound(t *testing.T) {
	t.Parallel()
	house := []room{
		{path: "internal/infra/fail", pure: true},
		{path: "internal/infra/store", outside: []string{"example.org/sqlite"}, sql: true},
		{path: "internal/policy", inside: []string{"internal/infra/fail"}, pure: true},
		{path: "internal/desk", inside: []string{"internal/infra/fail", "internal/infra/store", "internal/policy"}},
		{path: "internal/ask/nlweb", inside: []string{"internal/infra/fail", "internal/desk"}},
		{path: "internal/intake/api", inside: []string{"internal/infra/fail", "internal/desk"}},
		{path: "wire/made", pure: true, generated: true},
	}
	for _, tc := range []struct{ name, file, source, want string }{
		{"sound", "internal/ask/nlweb/door.go", `import ("net/http"; "frontdesk/internal/desk"; "frontdesk/internal/infra/fail")`, ""},
		{"sound test", "internal/ask/nlweb/door_test.go", `import ("testing"; "frontdesk/internal/ask/nlweb"; "frontdesk/internal/infra/store"; "pgregory.net/rapid")`, ""},
		{"a door reaches below the desk", "internal/ask/nlweb/door.go", `import "frontdesk/internal/infra/store"`, "internal/ask/nlweb/door.go imports frontdesk/internal/infra/store"},
		{"a door imports a door", "internal/ask/nlweb/door.go", `import _ "frontdesk/internal/intake/api"`, "imports frontdesk/internal/intake/api"},
		{"a test imports sideways", "internal/ask/nlweb/door_test.go", `import "frontdesk/internal/intake/api"`, "imports frontdesk/internal/intake/api"},
		{"under a build constraint", "internal/ask/nlweb/door_windows.go", `import "frontdesk/internal/infra/store"`, "imports frontdesk/internal/infra/store"},
		{"a room upwards", "internal/infra/store/up.go", `import "frontdesk/internal/desk"`, "imports frontdesk/internal/desk"},
		{"an unlisted library", "internal/desk/lib.go", `import "example.org/sqlite/driver"`, "names no such library"},
		{"a library of a similar name", "internal/infra/store/lib.go", `import "example.org/sqlite3"`, "names no such library"},
		{"a listed library", "internal/infra/store/lib.go", `import "example.org/sqlite/driver"`, ""},
		{"I/O in a pure room", "internal/policy/io.go", `import "os"`, "a room without I/O may not"},
		{"network in a pure room", "internal/policy/io.go", `import "net/http"`, "a room without I/O may not"},
		{"the clock in a pure room", "internal/policy/clock.go", `import "time"; var at = time.Now()`, "time.Now at internal/policy/clock.go"},
		{"the clock under another name", "internal/policy/clock.go", `import wall "time"; var now = wall.Now`, "time.Now at internal/policy/clock.go"},
		{"durations in a pure room", "internal/policy/clock.go", `import "time"; var wait = time.Second`, ""},
		{"the clock elsewhere", "internal/desk/clock.go", `import "time"; var at = time.Now()`, ""},
		{"SQL outside its rooms", "internal/desk/sql.go", `import "database/sql"`, "not for this room"},
		{"SQL in its room", "internal/infra/store/sql.go", `import "database/sql"`, ""},
		{"unsafe", "internal/policy/quick.go", `import "unsafe"`, "not for this room"},
		{"unsafe in generated code", "wire/made/made.go", `import "unsafe"`, ""},
		{"a package without a row", "internal/util/util.go", ``, "internal/util has no row"},
		{"testdata", "internal/desk/testdata/x.go", `import "example.org/anything"`, ""},
		{"a nested module", "bench/bench.go", `import "example.org/anything"`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tree := fstest.MapFS{"bench/go.mod": {Data: []byte("module bench\n")}}
			for _, r := range house {
				tree[r.path+"/doc.go"] = &fstest.MapFile{Data: []byte("package p\n")}
			}
			tree[tc.file] = &fstest.MapFile{Data: []byte("package p\n" + tc.source + "\n")}
			files, err := readTree(tree)
			if err != nil {
				t.Fatal(err)
			}
			faults := check(house, files)
			switch {
			case tc.want == "" && len(faults) > 0:
				t.Errorf("faults in a sound house: %q", faults)
			case tc.want != "" && (len(faults) != 1 || !strings.Contains(faults[0], tc.want)):
				t.Errorf("faults %q, want one that says %q", faults, tc.want)
			}
		})
	}
}

func TestRowsAreHeldAgainstEachOther(t *testing.T) {
	t.Parallel()
	faults := check([]room{
		{path: "internal/infra/store"},
		{path: "internal/policy", inside: []string{"internal/infra/store"}, pure: true},
		{path: "internal/infra/store"},
	}, []file{{name: "internal/infra/store/a.go", pkg: "internal/infra/store"}})
	for _, want := range []string{
		"internal/policy has no I/O, so it may not import internal/infra/store",
		"internal/infra/store has two rows in the table of rooms",
	} {
		if !slices.ContainsFunc(faults, func(f string) bool { return strings.Contains(f, want) }) {
			t.Errorf("faults %q, want one that says %q", faults, want)
		}
	}
}
