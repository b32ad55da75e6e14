package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
	t.Parallel()
	const list = "# tests that may be skipped\n\np TestB  # needs a kernel that Debian does not have\n"
	for _, tc := range []struct {
		name, events, list string
		want               string // the verdict; empty when the suite passes
	}{
		{name: "all pass", events: passing + noTests},
		{name: "a failure", events: passing + failing, want: "failed: p TestC; failed: p"},
		{name: "a build failure", events: passing + broken, want: "failed: p [p.test] (build)"},
		{name: "an unlisted skip", events: passing + skipping, list: "\n",
			want: "skipped: p TestB: b_test.go:7: no database"},
		{name: "a listed skip", events: passing + skipping, list: list},
		{name: "a skip where any may be", events: passing + skipping},
		{name: "nothing ran", events: noTests, want: "no test ran"},
		{name: "nothing at all", events: "", want: "no test ran"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var permit *allowed
			if tc.list != "" {
				path := filepath.Join(t.TempDir(), "list")
				if err := os.WriteFile(path, []byte(tc.list), 0o644); err != nil {
					t.Fatal(err)
				}
				var err error
				if permit, err = readAllowed(path); err != nil {
					t.Fatal(err)
				}
			}
			res := newResult()
			if err := res.readGo(strings.NewReader(tc.events), io.Discard); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(res.verdict(permit, true), "; "); got != tc.want {
				t.Errorf("verdict %q, want %q", got, tc.want)
			}
		})
	}
}

func TestAListOfSkipsNamesAReason(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "list")
	if err := os.WriteFile(path, []byte("p TestB\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readAllowed(path); err == nil || !strings.Contains(err.Error(), "want `package test") {
		t.Errorf("a skip without a reason: %v", err)
	}
}

func TestNodesSummaryIsCounted(t *testing.T) {
	t.Parallel()
	res := newResult()
	if err := res.readNode(strings.NewReader("✔ buys (3ms)\n✖ asks (9ms)\nℹ tests 4\nℹ pass 1\nℹ fail 1\n" +
		"ℹ cancelled 0\nℹ skipped 2\nℹ todo 0\n")); err != nil {
		t.Fatal(err)
	}
	if res.passed != 1 || len(res.failed) != 1 || len(res.skipped) != 2 ||
		!strings.Contains(strings.Join(res.last, ""), "asks") {
		t.Errorf("counted %+v", res)
	}
}

// TestASuiteThatFailsIsTold runs suites that pass, fail, exceed their budget and have run before.
func TestASuiteThatFailsIsTold(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	var out strings.Builder
	r := runner{out: &out, results: &results{dir: t.TempDir(), commit: "c0ffee", resume: true}, binary: "/bin/true"}
	fine := suite{name: "fine", budget: time.Minute, command: []string{"true"}}
	wrong := suite{name: "wrong", budget: time.Minute,
		command: []string{"sh", "-c", "seq 100; echo the linter found it; exit 1"}}
	slow := suite{name: "slow", budget: time.Nanosecond, command: []string{"true"}}
	var outcomes []outcome
	for _, s := range []suite{fine, wrong, slow} {
		o := r.suite(t.Context(), s, &out)
		if err := r.results.keep(s, o); err != nil {
			t.Fatal(err)
		}
		outcomes = append(outcomes, o)
	}
	if r.report(outcomes, time.Second, nil) {
		t.Error("the whole passes")
	}
	for _, want := range []string{"fine\n", "wrong FAILED", "slow FAILED", "suite wrong does not pass:\n    90\n",
		"    the linter found it\n  exit status 1", "the budget is 1ns", "0 passed, 2 failed"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
	if o, kept := r.results.passed(fine); !kept || !o.Kept {
		t.Error("what passed is run again")
	}
	if _, kept := r.results.passed(wrong); kept {
		t.Error("what failed is not run again")
	}
	r.results.resume = false
	if _, kept := r.results.passed(fine); kept {
		t.Error("what passed is left out although nobody resumes")
	}
}

// TestSuitesRunBesideEachOther runs two that wait for each other, between two that run alone.
func TestSuitesRunBesideEachOther(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	pipes := t.TempDir()
	meet := func(name, first, second string) suite {
		script := fmt.Sprintf("cd %s; echo %s comes; %s; %s; echo %s goes", pipes, name, first, second, name)
		return suite{name: name, budget: time.Minute, command: []string{"sh", "-c", script}, beside: true}
	}
	var out strings.Builder
	r := runner{out: &out, results: &results{dir: t.TempDir()}, binary: "/bin/true"}
	suites := []suite{
		{name: "before", budget: time.Minute, command: []string{"mkfifo", pipes + "/there", pipes + "/back"}},
		meet("one", "echo >there", "cat back"),
		meet("other", "cat there", "echo >back"),
		{name: "after", budget: time.Minute, command: []string{"true"}},
	}
	var told []string
	for len(suites) > 0 {
		n := together(suites)
		for _, o := range r.group(t.Context(), suites[:n]) {
			told = append(told, o.Suite+strings.Join(o.Why, " "))
		}
		suites = suites[n:]
	}
	if got := strings.Join(told, ", "); got != "before, one, other, after" {
		t.Errorf("ran %s", got)
	}
	for _, name := range []string{"one", "other"} {
		whole := regexp.MustCompile(`(?m)^== ` + name + ` .*\n` + name + ` comes\n\n` + name + ` goes$`)
		if !whole.MatchString(out.String()) {
			t.Errorf("what %s said is not together:\n%s", name, &out)
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if left := r.group(stopped, []suite{{name: "late", command: []string{"true"}}}); len(left) > 0 {
		t.Errorf("%v ran after the interruption", left)
	}
}

func TestChoosingSuites(t *testing.T) {
	t.Parallel()
	all := []suite{{name: "packages"}, {name: "kills", part: "night"}, {name: "load", part: "night"}}
	for _, tc := range []struct {
		nightly     bool
		names, want string
	}{
		{want: "packages"}, {nightly: true, want: "kills load"}, {names: "night", want: "kills load"},
		{names: "load,packages", want: "packages load"},
	} {
		chosen, err := choose(all, tc.nightly, tc.names)
		var got []string
		for _, s := range chosen {
			got = append(got, s.name)
		}
		if err != nil || strings.Join(got, " ") != tc.want {
			t.Errorf("%+v: %v %v", tc, got, err)
		}
	}
	if _, err := choose(all, false, "kill"); err == nil {
		t.Error("a part that is not there is chosen")
	}
}

func TestPackagesWithSQLAreToldApart(t *testing.T) {
	t.Chdir("../..")
	got := withSQL([]string{"./internal/identity", "./internal/policy", "./internal/infra/store", "./internal/ledger"})
	if want := []string{
		"./internal/identity", "./internal/infra/store", "./internal/ledger",
	}; !slices.Equal(got, want) {
		t.Errorf("%q have SQL, want %q", got, want)
	}
	if all := withSQL(bothEngines()); len(all) < 5 || slices.Contains(all, "./internal/policy") {
		t.Errorf("%q are run on PostgreSQL", all)
	}
}

func TestPartsAreNotCalledAsSuites(t *testing.T) {
	t.Chdir("../..")
	all := plan()
	for _, s := range all {
		if slices.ContainsFunc(all, func(other suite) bool { return other.part == s.name && s.part == "" }) {
			t.Errorf("%q is a suite of every change and a part of the night: -part %s would run both", s.name, s.name)
		}
	}
}
