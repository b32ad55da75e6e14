// Package frozen compares what the built program shows from outside with goldens, so that no
// restructuring changes it unseen. It imports no package that moves. Where a change is meant, `go
// test ./test/frozen -update` writes the goldens anew, and the commit's message lists each
// difference.
package frozen

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"frontdesk/internal/testkit/process"
)

var update = flag.Bool("update", false, "write the goldens anew")

// secret is an invented secret of the full sample's webhooks.
const secret = "HARBOUR_SECRET=whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

func TestMain(m *testing.M) {
	name, value, _ := strings.Cut(secret, "=")
	os.Setenv(name, value)
	process.Main(m)
}

// golden compares what the program shows with a file of testdata, or writes the file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if got = strings.TrimRight(got, "\n") + "\n"; strings.TrimSpace(got) == "" {
		t.Fatalf("nothing to compare with %s", file)
	}
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := difference(string(want), got); diff != "" {
		t.Errorf("test/frozen/%s is frozen, and the program differs from it at %s\n"+
			"If this is meant: go test ./test/frozen -update, and list the differences in the commit's message.",
			file, diff)
	}
}

// difference shows from which line on two texts differ, and up to ten lines each that only one of
// them has. It is empty for equal texts.
func difference(want, got string) string {
	if want == got {
		return ""
	}
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for from := 0; ; from++ {
		if from == len(a) || from == len(b) || a[from] != b[from] {
			return fmt.Sprintf("line %d (- golden, + program):%s%s", from+1,
				only("-", a[from:], b[from:]), only("+", b[from:], a[from:]))
		}
	}
}

// only shows lines that are not among others, or those at the beginning where only the order
// differs.
func only(sign string, lines, others []string) (out string) {
	left := map[string]int{}
	for _, line := range others {
		left[line]++
	}
	rest := slices.DeleteFunc(slices.Clone(lines), func(line string) bool { left[line]--; return left[line] >= 0 })
	if len(rest) == 0 && len(lines) == len(others) {
		rest = lines[:1]
	}
	for _, line := range rest[:min(len(rest), 10)] {
		out += "\n\t" + sign + " " + line
	}
	if more := len(rest) - 10; more > 0 {
		out += fmt.Sprintf("\n\t%s ... %d lines more", sign, more)
	}
	return out
}

// TestDifferenceIsFound shows that the comparison can fail, for each golden.
func TestDifferenceIsFound(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.golden")
	if err != nil || len(files) != 13 {
		t.Fatalf("%d goldens: %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want := string(text)
		lines := strings.SplitAfter(want, "\n")
		middle := len(lines) / 2
		join := func(parts ...[]string) string { return strings.Join(slices.Concat(parts...), "") }
		before, line, after := lines[:middle], lines[middle], lines[middle+1:]
		for got, shown := range map[string][]string{
			want: nil,
			join(before, []string{"new\n", line}, after):  {"+ new"},
			join(before, after):                           {"- " + line},
			join(before, []string{"changed\n"}, after):    {"- " + line, "+ changed"},
			join([]string{lines[1], lines[0]}, lines[2:]): {"line 1 ", "- " + lines[0], "+ " + lines[1]},
		} {
			diff := difference(want, got) + "\n"
			if (diff == "\n") != (shown == nil) {
				t.Errorf("%s: a difference is not found, or one where there is none: %s", file, diff)
			}
			for _, part := range shown {
				if !strings.Contains(diff, part) {
					t.Errorf("%s: the difference does not show %q: %s", file, part, diff)
				}
			}
		}
	}
}

// TestHelp holds the help of the program, and of each command below it.
func TestHelp(t *testing.T) {
	t.Parallel()
	out := help(t, nil)
	if strings.Count(out, "\n$ frontdesk ") < 100 {
		t.Fatalf("too few commands:\n%s", out)
	}
	golden(t, "help.golden", out)
}

// help is the help of a command and of those below it.
func help(t *testing.T, words []string) string {
	t.Helper()
	out := process.MustRun(t, append(slices.Clone(words), "--help")...)
	usage, _, _ := strings.Cut(out, "\n")
	if !strings.Contains(usage, " <command>") {
		return out
	}
	below := strings.Join(append(slices.Clone(words), ""), " ")
	command := regexp.MustCompile(`(?m)^  ` + below + `([a-z][a-z-]*)(?: \([a-z-]+\))?(?:  .*)?$`)
	if len(words) == 0 { // all on one screen, behind the names of their groups
		command = regexp.MustCompile(`(?m)^(?:[A-Z]| ).{18} ([a-z]+) +[A-Z].*$`)
	}
	for _, line := range command.FindAllStringSubmatch(out, -1) {
		child := append(slices.Clone(words), line[1])
		out += "\n$ frontdesk " + strings.Join(child, " ") + " --help\n" + help(t, child)
	}
	return out
}

// TestConfigPrint holds the configuration in force of the full sample, and of no file at all.
func TestConfigPrint(t *testing.T) {
	t.Parallel()
	golden(t, "config-print.golden", process.MustRun(t, "config", "print", "testdata/full.yaml"))
	none := process.Command(t, "config", "print")
	none.Dir = t.TempDir()
	out, err := none.Output()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "config-default.golden", string(out))
}

// sources calls a function with the text of each source file of the program, wherever it lies.
func sources(t *testing.T, each func(text string)) {
	t.Helper()
	for _, root := range []string{"../../internal", "../../wire", "../../client"} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if filepath.ToSlash(path) == "../../internal/testkit" {
				return filepath.SkipDir // what tests share is no part of the program
			}
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			each(string(text))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// ledgerKinds are the forms in which the source names the kind of a ledger entry. The program shows
// a kind only once there is such an entry. The package that makes the entry does not matter.
var ledgerKinds = regexp.MustCompile(
	`receipt\.Entry\{[^}]*?\bKind:\s*"([a-z-]+)"|\bkind[A-Z]\w*\s*=\s*"([a-z-]+)"`)

// TestLedgerKinds holds the kinds of the ledger's entries.
func TestLedgerKinds(t *testing.T) {
	t.Parallel()
	golden(t, "ledger-kinds.golden", named(t, ledgerKinds))
}

// named lists what a pattern's groups find in the source.
func named(t *testing.T, pattern *regexp.Regexp) string {
	found := map[string]bool{}
	sources(t, func(text string) {
		for _, match := range pattern.FindAllStringSubmatch(text, -1) {
			found[strings.Join(match[1:], "")] = true
		}
	})
	return sorted(found)
}

func sorted(set map[string]bool) string {
	var lines []string
	for line := range set {
		lines = append(lines, line+"\n")
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// indented is a JSON text with a line for each member.
func indented(t *testing.T, text []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", " "); err != nil {
		t.Fatalf("%v:\n%.500s", err, text)
	}
	return out.String()
}

// started is what a package does before the program does anything: GODEBUG=inittrace=1 tells it.
var started = regexp.MustCompile(`(?m)^init (frontdesk/\S+) @.*, (\d+) bytes, (\d+) allocs$`)

// TestTablesAreReadWhenTheyAreAskedFor holds that no package of ours reads its tables before
// anything asks for them: whoever asks for the version or the help would wait for it.
func TestTablesAreReadWhenTheyAreAskedFor(t *testing.T) {
	t.Parallel()
	command := process.Command(t, "version")
	command.Env = append(command.Env, "GODEBUG=inittrace=1")
	trace := &strings.Builder{}
	command.Stderr = trace
	if err := command.Run(); err != nil {
		t.Fatal(err)
	}
	packages := started.FindAllStringSubmatch(trace.String(), -1)
	if len(packages) < 10 {
		t.Fatalf("too few packages:\n%s", trace)
	}
	for _, p := range packages {
		if allocations, _ := strconv.Atoi(p[3]); allocations > 3000 {
			t.Errorf("%s makes %s allocations of %s bytes when the program starts; put them into a sync.OnceValue",
				p[1], p[3], p[2])
		}
	}
}
