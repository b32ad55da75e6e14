package imports

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

func TestTreeHoldsItsRules(t *testing.T) {
	t.Parallel()
	files, err := readTree(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	banned, err := parseBanned(bannedText)
	if err != nil {
		t.Fatal(err)
	}
	faults := append(settle(exceptions, check(files, banned)), unusedLibraries(files)...)
	for _, why := range faults {
		t.Error(why)
	}
}

// parse reads a tree that is given as the sources of its files. The package clause need not be in
// them.
func parse(t *testing.T, sources map[string]string) []file {
	t.Helper()
	tree := fstest.MapFS{"bench/go.mod": {Data: []byte("module bench\n")}}
	for name, source := range sources {
		if !strings.HasPrefix(source, "// Code generated") {
			source = "package p\n" + source
		}
		tree[name] = &fstest.MapFile{Data: []byte(source + "\n")}
	}
	files, err := readTree(tree)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestBadFileIsFound shows that each rule can fail: each file breaks the rule that is named, once,
// or none.
func TestBadFileIsFound(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, rule, file, source string }{
		{"outside the tree", inTree, "internal/util/util.go", ``},
		{"at the top", inTree, "models/model.go", ``},
		{"in the tree", "", "internal/ask/promises/x.go", ``},
		{"testdata", "", "internal/util/testdata/x.go", `import "example.org/anything"`},
		{"a nested module", "", "bench/bench.go", `import "example.org/anything"`},

		{"downwards", "", "internal/ask/x.go", `import ("frontdesk/internal/content/search"; "frontdesk/wire/nlweb")`},
		{"infra knows nothing", edges, "internal/infra/store/x.go", `import "frontdesk/internal/ledger"`},
		{"ledger beside identity", edges, "internal/ledger/x.go", `import "frontdesk/internal/identity"`},
		{"policy upwards", edges, "internal/policy/overrides/x.go", `import "frontdesk/internal/content"`},
		{"identity and biscuit", "", "internal/identity/x.go", `import "frontdesk/biscuit"`},
		{"content upwards", edges, "internal/content/index/x.go", `import "frontdesk/internal/ask/query"`},
		{"content and ledger", edges, "internal/content/x.go", `import "frontdesk/internal/ledger"`},
		{"a service imports a service", edges, "internal/ask/x.go", `import _ "frontdesk/internal/licensing/catalog"`},
		{"a service imports operator", edges, "internal/intake/x.go", `import "frontdesk/internal/operator"`},
		{"a service imports client", edges, "internal/licensing/x.go", `import "frontdesk/client"`},
		{"broker imports client", "", "internal/licensing/broker/x.go", `import "frontdesk/client"`},
		{"operator imports services", "", "internal/operator/x.go", `import "frontdesk/internal/excerpts"`},
		{"operator imports app", edges, "internal/operator/api/x.go", `import "frontdesk/internal/app"`},
		{"app imports everything", "", "internal/app/x.go", `import ("frontdesk/internal/ask"; "frontdesk/client")`},
		{"cli reaches below operator", edges, "internal/cli/x.go", `import "frontdesk/internal/ledger"`},
		{"client and internals", edges, "client/x.go", `import "frontdesk/internal/infra/fail"`},
		{"wire and internals", edges, "wire/nlweb/x.go", `import "frontdesk/internal/infra/fail"`},
		{"under a build constraint", edges, "internal/content/x_windows.go", `import "frontdesk/internal/ask"`},
		{"a package of a similar name", edges, "internal/content/x.go", `import "frontdesk/internal/policyx"`},
		{"a test downwards", "", "internal/ask/x_test.go", `import "frontdesk/internal/infra/store"`},
		{"a test sideways", edges, "internal/ask/x_test.go", `import "frontdesk/internal/intake"`},
		{"a test of handlers", "", "internal/ask/nlweb/x_test.go", `import "frontdesk/internal/content/search"`},

		{"handlers", "", "internal/intake/api/x.go", `import ("frontdesk/internal/intake"; "frontdesk/internal/identity")`},
		{"handlers reach the store", handlers, "internal/ask/nlweb/x.go", `import "frontdesk/internal/infra/store"`},
		{"handlers reach the ledger", handlers, "internal/excerpts/aip/x.go", `import "frontdesk/internal/ledger"`},
		{"handlers and grants", handlers, "internal/excerpts/aip/x.go", `import "frontdesk/internal/excerpts/grants"`},
		{"handlers search", handlers, "internal/ask/nlweb/x.go", `import "frontdesk/internal/content/search"`},
		{"handlers, tables", handlers, "internal/licensing/rampapi/x.go", `import "frontdesk/internal/licensing/accounts"`},
		{"handlers of two services", "", "internal/licensing/rampapi/x.go", `import "frontdesk/internal/licensing/exchange"`},

		{"test helpers in the program", forTests, "internal/app/x.go", `import "frontdesk/internal/testkit/storetest"`},
		{"test helpers in tests", "", "internal/app/x_test.go", `import "frontdesk/internal/testkit/storetest"`},
		{"test helpers among themselves", "", "test/kill/x.go", `import "frontdesk/internal/testkit/process"`},

		{"the ledger from a service", "", "internal/intake/x.go", `func f() { s.Ledger.Append(ctx, tx, e) }`},
		{"the ledger from handlers", ledgering, "internal/intake/api/x.go", `func f() { h.Ledger.Append(ctx, tx, e) }`},
		{"the ledger under another name", ledgering, "internal/app/x.go", `func f() { l.AppendAll(ctx, tx, e) }`},
		{
			"the ledger in a variable of its name", ledgering, "internal/app/x.go",
			`import "frontdesk/internal/ledger"; func f(ledger *ledger.Ledger) { ledger.Append(ctx, tx, e) }`,
		},
		{"a function of that name", "", "internal/app/x.go", `import "slices"; func f() { slices.Append(a, b, c) }`},
		{"the ledger from a test", "", "internal/app/x_test.go", `func f() { l.Append(ctx, tx, e) }`},

		{"items from a service", releasing, "internal/excerpts/x.go", `import "frontdesk/internal/content"; func f(c *content.Catalog) { c.LoadItems(ctx, ref) }`},
		{"items handed on", releasing, "internal/app/x.go", `import "frontdesk/internal/content"; func f(c *content.Catalog) { g(c.LoadItems) }`},
		{"the feed of items", releasing, "internal/ask/x.go", `import "frontdesk/internal/content"; func f(c *content.Catalog) { c.Changes(ctx, nil, g) }`},
		{"items from released", "", "internal/content/released/x.go", `import "frontdesk/internal/content"; func f(c *content.Catalog) { c.LoadItems(ctx, ref) }`},
		{"items from a test", "", "internal/ask/x_test.go", `import "frontdesk/internal/content"; func f(c *content.Catalog) { c.LoadItems(ctx, ref) }`},

		{"files where it is pure", purity, "internal/policy/x.go", `import "os"`},
		{"network where it is pure", purity, "wire/sign/x.go", `import "net/http"`},
		{"the clock where it is pure", purity, "biscuit/x.go", `import "time"; var at = time.Now()`},
		{"the clock under another name", purity, "internal/ask/query/x.go", `import wall "time"; var now = wall.Now`},
		{"durations where it is pure", "", "internal/content/facets/x.go", `import "time"; var wait = time.Second`},
		{"pure upon what is not", purity, "internal/policy/x.go", `import "frontdesk/internal/infra/store"`},
		{"pure upon pure", "", "internal/policy/x.go", `import "frontdesk/wire/licence"`},
		{"beside what is pure", "", "internal/policy/imported/x.go", `import ("os"; "time"); var at = time.Now()`},

		{"database/sql", standard, "internal/ledger/x.go", `import "database/sql"`},
		{"database/sql in the store", "", "internal/infra/store/x.go", `import "database/sql"`},
		{"other programs", standard, "internal/app/x.go", `import "os/exec"`},
		{"unsafe", standard, "wire/sign/x.go", `import "unsafe"`},
		{"unsafe in generated code", "", "wire/ramp/v1/x.go", `import "unsafe"`},

		{"SQL without a schema", sqlText, "internal/app/x.go", "var q = `SELECT id FROM item`"},
		{"SQL without a schema, small", sqlText, "internal/app/x.go", "var q = `\n\tinsert into item values (1)`"},
		{"a part of SQL", sqlText, "internal/app/x.go", `var q = " ORDER BY id"`},
		{"a sentence", "", "internal/app/x.go", `var say = "Select what to update, and delete nothing."`},
		{
			"SQL with a schema", "", "internal/ledger/x.go",
			`import "frontdesk/internal/infra/store"; var s = store.Schema{}; var q = "SELECT id FROM item"`,
		},

		{"a library elsewhere", thirdParty, "internal/ledger/x.go", `import "github.com/jackc/pgx/v5"`},
		{"a library of a similar name", thirdParty, "internal/infra/store/x.go", `import "github.com/jackc/pgx/v55"`},
		{"an unknown library", thirdParty, "internal/app/x.go", `import "example.org/anything"`},
		{"a library in its place", "", "internal/infra/store/x.go", `import "github.com/jackc/pgx/v5/pgxpool"`},
		{"a test tool", "", "internal/ledger/x_test.go", `import "pgregory.net/rapid"`},
		{"a test tool in the program", thirdParty, "internal/ledger/x.go", `import "pgregory.net/rapid"`},

		{"many lines", packageSize, "internal/app/x.go", strings.Repeat("var _ = 1\n", mostLines)},
		{"many lines of a test", "", "internal/app/x_test.go", strings.Repeat("var _ = 1\n", mostLines)},
		{"not too many lines", "", "internal/app/x.go",
			strings.Repeat("// no code\n\nvar _ = 1 // some\n", mostLines-1)},
		{"a text of many lines", packageSize, "internal/app/x.go", "var a = `" + strings.Repeat("\n", mostLines) + "`"},
		{"many fields", structSize, "internal/app/x.go", "type s struct {\n" + numbered("f%d int", 21) + "}"},
		{"not too many fields", "", "internal/app/x.go", "type s struct {\n" + numbered("f%d int", 20) + "}"},
		{"fields on one line", structSize, "internal/app/x.go",
			"type s struct { " + strings.Repeat("f, ", 20) + "f int }"},
		{"many fields of wire", "", "wire/ramp/x.go", "type s struct {\n" + numbered("f%d int", 21) + "}"},
		{"many fields of a format", "", "internal/app/x.go", "type s struct {\n" + numbered("f%d int `f`", 21) + "}"},
		{"many methods", methodCount, "internal/app/x.go", numbered("func (s *s[T]) F%d() {}", 21)},
		{"a wide interface", methodCount, "internal/app/x.go", "type s interface {\n" + numbered("F%d()", 21) + "}"},
		{"many methods within", "", "internal/app/x.go", numbered("func (s *s) f%d() {}", 21)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			faults := check(parse(t, map[string]string{tc.file: tc.source}), nil)
			switch {
			case tc.rule == "" && len(faults) > 0:
				t.Errorf("faults in a sound file: %v", faults)
			case tc.rule != "" && (len(faults) != 1 || faults[0].rule != tc.rule):
				t.Errorf("faults %v, want one of the rule %q", faults, tc.rule)
			}
		})
	}
}

func TestSizesCountAllFilesOfAPackage(t *testing.T) {
	t.Parallel()
	half := strings.Repeat("var _ = 1\n", mostLines/2)
	faults := check(parse(t, map[string]string{
		"internal/app/a.go": half + numbered("func (s *s) A%d() {}", 11),
		"internal/app/b.go": half + numbered("func (s s) B%d() {}", 11),
		"internal/ask/c.go": "// Code generated by x. DO NOT EDIT.\n\npackage p\n" + half + half,
	}), nil)
	if len(faults) != 2 || faults[0].rule != packageSize || faults[1].rule != methodCount || faults[1].size != 22 {
		t.Errorf("faults %v, want the lines and the methods of internal/app", faults)
	}
}

func TestExceptionsOnlyShrink(t *testing.T) {
	t.Parallel()
	faults := []fault{
		{rule: edges, from: "internal/ask/query", to: "internal/cli", text: "ask imports cli"},
		{rule: structSize, from: "internal/app", to: "House", size: 50, text: "House is large"},
	}
	ask := exception{rule: edges, from: "internal/ask", to: "internal/cli"}
	house := exception{rule: structSize, from: "internal/app", to: "House", size: 50}
	for _, tc := range []struct {
		name string
		list []exception
		want string // empty for nothing
	}{
		{"all are covered", []exception{ask, house}, ""},
		{"a fault is not", []exception{house}, "ask imports cli"},
		{"of another rule", []exception{ask, house, {rule: purity, from: "internal/ask"}}, "nothing needs"},
		{"of another package", []exception{ask, house, {rule: edges, from: "internal/asks"}}, "nothing needs"},
		{"a package needs none", []exception{house, {rule: edges, from: "internal/ask cmd"}}, `"edges" from cmd any more`},
		{
			"one import is not needed",
			[]exception{house, {rule: edges, from: "internal/ask", to: "cmd internal/cli"}}, `"edges" to cmd any more`,
		},
		{"it grew", []exception{ask, {rule: structSize, from: "internal/app", size: 49}}, "49 by its exception"},
		{"it shrank", []exception{ask, {rule: structSize, from: "internal/app", size: 60}}, "lower it"},
	} {
		got := strings.Join(settle(tc.list, faults), "\n")
		if (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestEveryExceptionSaysWhy(t *testing.T) {
	t.Parallel()
	for _, e := range exceptions {
		if e.why == "" || e.from == "" {
			t.Errorf("an exception of %q for %q %q: say for what, and why", e.rule, e.from, e.to)
		}
	}
}

func TestUnusedPlaceOfALibraryIsFound(t *testing.T) {
	t.Parallel()
	got := strings.Join(unusedLibraries(parse(t, map[string]string{
		"internal/infra/tls/x.go": `import "go.uber.org/zap/zapcore"`,
	})), "\n")
	const unused = "nothing in internal/cli imports github.com/alecthomas/kong"
	if strings.Contains(got, "go.uber.org/zap") || !strings.Contains(got, unused) {
		t.Errorf("%q, want it to say %q, and nothing of zap", got, unused)
	}
}

// numbered repeats a line with a number in it.
func numbered(line string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, line+"\n", i)
	}
	return b.String()
}
