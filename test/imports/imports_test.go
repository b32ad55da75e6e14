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
		{path: "internal/fail", pure: true},
		{path: "internal/store", outside: []string{"example.org/sqlite"}, sql: true},
		{path: "internal/terms", inside: []string{"internal/fail"}, pure: true},
		{path: "internal/desk", inside: []string{"internal/fail", "internal/store", "internal/terms"}},
		{path: "internal/nlweb", inside: []string{"internal/fail", "internal/desk"}},
		{path: "internal/intake", inside: []string{"internal/fail", "internal/desk"}},
		{path: "wire/made", pure: true, generated: true},
	}
	for _, tc := range []struct{ name, file, source, want string }{
		{"sound", "internal/nlweb/door.go", `import ("net/http"; "frontdesk/internal/desk"; "frontdesk/internal/fail")`, ""},
		{"sound test", "internal/nlweb/door_test.go", `import ("testing"; "frontdesk/internal/nlweb"; "frontdesk/internal/store"; "pgregory.net/rapid")`, ""},
		{"a door reaches below the desk", "internal/nlweb/door.go", `import "frontdesk/internal/store"`, "internal/nlweb/door.go imports frontdesk/internal/store"},
		{"a door imports a door", "internal/nlweb/door.go", `import _ "frontdesk/internal/intake"`, "imports frontdesk/internal/intake"},
		{"a test imports sideways", "internal/nlweb/door_test.go", `import "frontdesk/internal/intake"`, "imports frontdesk/internal/intake"},
		{"under a build constraint", "internal/nlweb/door_windows.go", `import "frontdesk/internal/store"`, "imports frontdesk/internal/store"},
		{"a room upwards", "internal/store/up.go", `import "frontdesk/internal/desk"`, "imports frontdesk/internal/desk"},
		{"an unlisted library", "internal/desk/lib.go", `import "example.org/sqlite/driver"`, "names no such library"},
		{"a library of a similar name", "internal/store/lib.go", `import "example.org/sqlite3"`, "names no such library"},
		{"a listed library", "internal/store/lib.go", `import "example.org/sqlite/driver"`, ""},
		{"I/O in a pure room", "internal/terms/io.go", `import "os"`, "a room without I/O may not"},
		{"network in a pure room", "internal/terms/io.go", `import "net/http"`, "a room without I/O may not"},
		{"the clock in a pure room", "internal/terms/clock.go", `import "time"; var at = time.Now()`, "time.Now at internal/terms/clock.go"},
		{"the clock under another name", "internal/terms/clock.go", `import wall "time"; var now = wall.Now`, "time.Now at internal/terms/clock.go"},
		{"durations in a pure room", "internal/terms/clock.go", `import "time"; var wait = time.Second`, ""},
		{"the clock elsewhere", "internal/desk/clock.go", `import "time"; var at = time.Now()`, ""},
		{"SQL outside its rooms", "internal/desk/sql.go", `import "database/sql"`, "not for this room"},
		{"SQL in its room", "internal/store/sql.go", `import "database/sql"`, ""},
		{"unsafe", "internal/terms/quick.go", `import "unsafe"`, "not for this room"},
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
		{path: "internal/store"},
		{path: "internal/terms", inside: []string{"internal/store"}, pure: true},
		{path: "internal/store"},
	}, []file{{name: "internal/store/a.go", pkg: "internal/store"}})
	for _, want := range []string{
		"internal/terms has no I/O, so it may not import internal/store",
		"internal/store has two rows in the table of rooms",
	} {
		if !slices.ContainsFunc(faults, func(f string) bool { return strings.Contains(f, want) }) {
			t.Errorf("faults %q, want one that says %q", faults, want)
		}
	}
}
