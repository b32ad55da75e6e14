package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFuzzingFailsByWhateverIsFound runs test/fuzz.sh over one target, whose binary, and the go command that builds it, are
// scripts. Only a target that says nothing but that its time is over counts as one that found nothing.
func TestFuzzingFailsByWhateverIsFound(t *testing.T) {
	t.Parallel()
	const progress = "fuzz: elapsed: 0s, gathering baseline coverage: 0/1 completed\nfuzz: elapsed: 20s, execs: 7 (0/sec), new interesting: 0 (total: 1)\n"
	const over = progress + "--- FAIL: FuzzIt (20.31s)\n    context deadline exceeded\nFAIL\n"
	for name, c := range map[string]struct {
		output string
		fails  bool
	}{
		"out of time": {output: over},
		"an input that fails": {fails: true, output: progress + "--- FAIL: FuzzIt (2.31s)\n    --- FAIL: FuzzIt (0.00s)\n        it_test.go:9: wrong\n" +
			"    \n    Failing input written to testdata/fuzz/FuzzIt/08d4\n    To re-run:\n    go test -run=FuzzIt/08d4\nFAIL\n"},
		"an input that fails by a deadline": {fails: true, output: progress + "--- FAIL: FuzzIt (20.31s)\n    --- FAIL: FuzzIt (0.00s)\n" +
			"        it_test.go:9: context deadline exceeded\n    \n    Failing input written to testdata/fuzz/FuzzIt/08d4\nFAIL\n"},
		"the fuzzer's words and an input": {fails: true, output: strings.TrimSuffix(over, "FAIL\n") + "    Failing input written to testdata/fuzz/FuzzIt/08d4\nFAIL\n"},
		"a hang":                          {fails: true, output: progress + "--- FAIL: FuzzIt (10.26s)\n    fuzzing process hung or terminated unexpectedly: exit status 2\nFAIL\n"},
		"a seed":                          {fails: true, output: "failure while testing seed corpus entry: FuzzIt/08d4\n" + over},
		"a panic":                         {fails: true, output: over + "panic: it broke\n"},
		"another target's time":           {fails: true, output: strings.ReplaceAll(over, "FuzzIt", "FuzzOther")},
		"nothing":                         {fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			script, err := os.ReadFile("../fuzz.sh")
			if err != nil {
				t.Fatal(err)
			}
			for file, text := range map[string]string{
				"test/fuzz.sh":  string(script),
				"it/it_test.go": "package it\n\nfunc FuzzIt(f *testing.F) {}\n",
				"output":        c.output,
				// The binary lists the target, or says what the case has and fails.
				"binary": "#!/bin/sh\ncase \"$*\" in *-test.list*) echo FuzzIt; exit ;; esac\ncat ../output\nexit 1\n",
				"bin/go": "#!/bin/sh\ncase \"$3\" in list) echo frontdesk/it ;; *) cp binary \"$7\" ;; esac\n",
			} {
				path := filepath.Join(root, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			run := exec.CommandContext(t.Context(), "bash", filepath.Join(root, "test/fuzz.sh"))
			run.Env = append(os.Environ(), "PATH="+filepath.Join(root, "bin")+":"+os.Getenv("PATH"), "TMPDIR="+t.TempDir())
			said, err := run.CombinedOutput()
			if failed := strings.Contains(string(said), "FAILED frontdesk/it FuzzIt"); failed != c.fails || (err != nil) != c.fails {
				t.Errorf("%v: %s", err, said)
			}
			if !c.fails && !strings.Contains(string(said), "1 fuzz targets, 2s each: nothing found.") {
				t.Errorf("%s", said)
			}
		})
	}
}
