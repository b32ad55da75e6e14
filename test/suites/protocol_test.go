package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestProtocolBuffersAreLookedAtWhereTheyChange runs test/protocol.sh over a tree of its own, in
// which the go command stands for buf, and changes in turn what buf reads and what it writes.
func TestProtocolBuffersAreLookedAtWhereTheyChange(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(file, text string) {
		t.Helper()
		path := filepath.Join(root, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	script, err := os.ReadFile("../protocol.sh")
	if err != nil {
		t.Fatal(err)
	}
	write("test/protocol.sh", string(script))
	// Buf refuses what says "wrong", and makes the code of the source.
	write("bin/go", "#!/bin/sh\n"+`! grep -q wrong ../proto/a.proto || exit 1
case "$3" in generate) cp ../proto/a.proto ../wire/a.pb.go ;; esac
`)
	sources := map[string]string{
		"proto/a.proto": "a", "proto/buf.yaml": "lint", "tools/go.mod": "buf 1", "wire/a.pb.go": "",
	}
	path := filepath.Join(root, "bin") + ":" + os.Getenv("PATH")
	for file, text := range sources {
		write(file, text)
	}
	run := func(mode string) bool {
		command := exec.CommandContext(t.Context(), "bash", filepath.Join(root, "test/protocol.sh"), mode)
		command.Env = append(os.Environ(), "PATH="+path, "TMPDIR="+t.TempDir())
		return command.Run() == nil
	}
	if run("") || !run("--write") || !run("") || !run("--whole") {
		t.Fatal("what buf wrote is not what is there")
	}
	sources["wire/a.pb.go"] = "a"
	for file, text := range sources {
		write(file, "changed")
		if run("") {
			t.Errorf("%s changed, and nobody looks", file)
		}
		write(file, text)
	}
	if !run("") {
		t.Error("what is as it was is looked at again")
	}
	write("wire/a.pb.go", "by hand")
	if run("--whole") {
		t.Error("code that was changed by hand is current")
	}
	write("proto/a.proto", "wrong")
	if run("--write") || run("") {
		t.Error("what buf refuses is fine")
	}
}
