package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	passing = `{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"output","Package":"p","Output":"ok  \tp\t1.2s\n"}
{"Action":"pass","Package":"p"}
`
	skipping = `{"Action":"run","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestB","Output":"=== RUN   TestB\n"}
{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:7: no database\n"}
{"Action":"output","Package":"p","Test":"TestB","Output":"--- SKIP: TestB (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestB"}
`
	failing = `{"Action":"output","Package":"p","Test":"TestC","Output":"    c_test.go:9: got 1, want 2\n"}
{"Action":"fail","Package":"p","Test":"TestC"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p"}
`
	broken = `{"ImportPath":"p [p.test]","Action":"build-output","Output":"p.go:3:1: syntax error\n"}
{"ImportPath":"p [p.test]","Action":"build-fail"}
`
	noTests = `{"Action":"output","Package":"q","Output":"?   \tq\t[no test files]\n"}
{"Action":"skip","Package":"q"}
`
)

func TestVerdictOfASuite(t *testing.T) {
	const list = "# tests that may be skipped\n\np TestB  # needs a kernel that Debian does not have\n"
	for _, tc := range []struct {
		name, events, list string
		elapsed            time.Duration
		want               string // part of the error; empty when the suite passes
	}{
		{name: "all pass", events: passing + noTests},
		{name: "a failure", events: passing + failing, want: "failed: p TestC"},
		{name: "a build failure", events: passing + broken, want: "failed: p [p.test] (build)"},
		{name: "an unlisted skip", events: passing + skipping, list: "\n", want: "skipped: p TestB"},
		{name: "a listed skip", events: passing + skipping, list: list},
		{name: "a skip where any may be", events: passing + skipping},
		{name: "nothing ran", events: noTests, want: "no test ran"},
		{name: "nothing at all", events: "", want: "no test ran"},
		{name: "too slow", events: passing, elapsed: 61 * time.Second, want: "took 1m1s, the budget is 1m0s"},
		{name: "a bad list", events: passing, list: "p TestB\n", want: "want `package test"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			opt := options{suite: "s", budget: time.Minute, elapsed: func() time.Duration { return tc.elapsed }}
			if tc.list != "" {
				opt.allowed = filepath.Join(t.TempDir(), "list")
				if err := os.WriteFile(opt.allowed, []byte(tc.list), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			err := run(strings.NewReader(tc.events), &strings.Builder{}, opt)
			if got := fmt.Sprint(err); (err == nil) != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("verdict %v, want %q", err, tc.want)
			}
		})
	}
}

func TestReportShowsWhatFailedWhatWasSkippedAndTheSummaries(t *testing.T) {
	summary, failures := filepath.Join(t.TempDir(), "summary"), filepath.Join(t.TempDir(), "failures")
	var out strings.Builder
	err := run(strings.NewReader(passing+skipping+failing+broken+"not an event\n"), &out, options{
		suite: "s", summary: summary, failures: failures, elapsed: func() time.Duration { return 0 },
	})
	if err == nil {
		t.Fatal("a failing suite passed")
	}
	for _, want := range []string{
		"ok  \tp\t1.2s\n", "FAIL\tp\t0.1s\n", "c_test.go:9: got 1, want 2", "skipped: p TestB: b_test.go:7: no database",
		"p.go:3:1: syntax error", "not an event\n", "suite s: 1 tests passed, 3 failed, 1 skipped",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "=== RUN   TestA") {
		t.Errorf("the report carries the output of a test that passed:\n%s", out.String())
	}
	kept, err := os.ReadFile(summary)
	if err != nil {
		t.Fatal(err)
	}
	if want := "ok  \tp\t1.2s\nFAIL\tp\t0.1s\nsuite s: "; !strings.HasPrefix(string(kept), want) {
		t.Errorf("the summary file holds %q, want it to begin with %q", kept, want)
	}
	kept, err = os.ReadFile(failures)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"    c_test.go:9: got 1, want 2\n", "  failed: p TestC\n", "  failed: p [p.test] (build)\n"} {
		if !strings.Contains(string(kept), want) {
			t.Errorf("the file of failures lacks %q:\n%s", want, kept)
		}
	}
}
