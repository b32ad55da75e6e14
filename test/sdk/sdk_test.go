// Package sdk holds that the Go SDK can be used from another module, as its documentation says.
package sdk

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"frontdesk/internal/testkit/process"
)

func TestMain(m *testing.M) { process.Main(m) }

var program = regexp.MustCompile("(?s)```go\n(package main\n.*?)```")

// TestDocumentedProgramRunsInAnotherModule builds the program of docs/sdk.md in a module of its own
// and asks the demo with it.
func TestDocumentedProgramRunsInAnotherModule(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: builds a module")
	}
	root, err := process.Root()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "sdk.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := program.FindSubmatch(page)
	if found == nil {
		t.Fatal("docs/sdk.md shows no program")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), found[1], 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "go", "mod", "init", "example.com/asks")
	run(t, dir, "go", "mod", "edit", "-require=frontdesk@v0.0.0", "-replace=frontdesk="+root)
	run(t, dir, "go", "mod", "tidy")
	run(t, dir, "go", "build", "-o", "asks", ".")
	server := process.Start(t, "demo", "--listen", "127.0.0.1:0", "--data", t.TempDir())
	said := run(t, dir, "./asks", server.URL, "vegetable soups without ginger")
	if strings.Count(said, "streamed: ") != 3 || !strings.Contains(said, "summary: ") ||
		!strings.Contains(strings.ToLower(said), "soup") {
		t.Errorf("the program says:\n%s", said)
	}
	if gone, err := command(dir, "./asks", server.URL, "zyzzyva qwrtp").CombinedOutput(); err == nil ||
		!strings.Contains(string(gone), "NO_RESULTS") {
		t.Errorf("without an answer the program says, with %v:\n%s", err, gone)
	}
}

func command(dir, name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod", "GOWORK=off")
	return c
}

func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	output, err := command(dir, name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, output)
	}
	return string(output)
}
