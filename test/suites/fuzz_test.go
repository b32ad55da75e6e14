package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFuzzingFailsByWhateverIsFound runs test/fuzz.sh over one target, whose binary, and the go
// command that builds it, are scripts. Only a target that says nothing but that its time is over
// counts as one that found nothing.
func TestFuzzingFailsByWhateverIsFound(t *testing.T) {
	t.Parallel()
	const (
		progress = "fuzz: elapsed: 0s, gathering baseline coverage: 0/1 completed\n" +
			"fuzz: elapsed: 20s, execs: 7 (0/sec), new interesting: 0 (total: 1)\n"
		failed  = progress + "--- FAIL: FuzzIt (20.31s)\n"
		late    = failed + "    context deadline exceeded\n"
		over    = late + "FAIL\n"
		written = "    Failing input written to testdata/fuzz/FuzzIt/08d4\nFAIL\n"
		inner   = failed + "    --- FAIL: FuzzIt (0.00s)\n        it_test.go:9: "
		hung    = failed + "    fuzzing process hung or terminated unexpectedly: exit status 2\nFAIL\n"
	)
	for name, c := range map[string]struct {
		output string
		fails  bool
	}{
		"out of time":                       {over, false},
		"an input that fails":               {inner + "wrong\n    \n" + written, true},
		"an input that fails by a deadline": {inner + "context deadline exceeded\n    \n" + written, true},
		"the fuzzer's words and an input":   {late + written, true},
		"a hang":                            {hung, true},
		"a seed":                            {"failure while testing seed corpus entry: FuzzIt/08d4\n" + over, true},
		"a panic":                           {over + "panic: it broke\n", true},
		"another target's time":             {strings.ReplaceAll(over, "FuzzIt", "FuzzOther"), true},
		"nothing":                           {"", true},
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
			path := filepath.Join(root, "bin") + ":" + os.Getenv("PATH")
			run.Env = append(os.Environ(), "PATH="+path, "TMPDIR="+t.TempDir())
			said, err := run.CombinedOutput()
			told := strings.Contains(string(said), "FAILED frontdesk/it FuzzIt")
			if told != c.fails || (err != nil) != c.fails {
				t.Errorf("%v: %s", err, said)
			}
			if !c.fails && !strings.Contains(string(said), "1 fuzz targets, 2s each: nothing found.") {
				t.Errorf("%s", said)
			}
		})
	}
}
