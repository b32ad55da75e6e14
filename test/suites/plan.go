package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// suite is a part of the tests that is run, told and budgeted as one.
type suite struct {
	name   string
	part   string        // of the nightly run; empty for what checks every change
	budget time.Duration // for all of it; a suite that takes longer fails
	// test are the arguments of go test. Where there are none, command is run.
	test []string
	// command runs tests that are written for node, where node is set, or checks something by its
	// exit status.
	command []string
	node    bool
	env     []string
	// anySkip lets every test skip, as the short forms do; else test/allowed-skips.txt says which
	// may.
	anySkip bool
	// inputs are files and folders. If they are as they were when the suite passed last on this
	// machine, it passes again.
	inputs []string
	// beside says that the suite may run at the same time as others that may.
	beside bool
}

// What the packages are.
var (
	// concurrent are packages with goroutines of their own, which the race detector watches on
	// every change.
	concurrent = packages("infra/store", "ledger", "content/search", "infra/ratelimit", "infra/outbox", "ask/session",
		"licensing/edge", "licensing/broker", "licensing/disputes/enforcement", "infra/fetch")
	// apart are folders of test/ that are long by nature, and wait for the night.
	apart = []string{"kill", "load", "pages", "streams"}
)

func packages(names ...string) (paths []string) {
	for _, name := range names {
		paths = append(paths, "./internal/"+name+"/...")
	}
	return paths
}

// product are all packages of the program.
var product = []string{"./internal/...", "./wire/...", "./biscuit/...", "./check/...", "./client/...", "./cmd/..."}

// spec has node tell the outcome in the form that readNode reads.
const spec = "--test-reporter=spec"

// plan is the table of suites, in the order in which they begin.
func plan() []suite {
	outside, night := blackBox()
	short := func(args ...string) []string { return append([]string{"-short"}, args...) }
	return []suite{
		{name: "static", budget: 12 * time.Minute, command: []string{"test/static.sh"}},
		{name: "packages", budget: 10 * time.Minute, test: short(product...), anySkip: true},
		{name: "postgres", budget: 3 * time.Minute, test: short(withSQL(bothEngines())...),
			env: []string{"FRONTDESK_TEST_ENGINE=postgres"}, anySkip: true},
		{name: "race", budget: 7 * time.Minute, test: short(append([]string{"-race"}, concurrent...)...),
			env: []string{"CGO_ENABLED=1"}, anySkip: true},
		{name: "black box", budget: 8 * time.Minute, test: short(append([]string{"-p=2"}, outside...)...),
			anySkip: true},
		// These start others' programs, which use one core and wait much. The longest are first.
		{name: "browser, four journeys", budget: 5 * time.Minute, node: true, beside: true,
			command: []string{"test/e2e/run.sh", spec, "ask.test.mjs", "owner.test.mjs", "inbox.test.mjs",
				"market.test.mjs"}},
		{name: "python client", budget: 5 * time.Minute, command: []string{"test/python/run.sh"}, beside: true},
		{name: "packaging, if changed", budget: 5 * time.Minute, command: []string{"packaging/check.sh"},
			inputs: []string{"packaging", "build.sh", "go.mod", "go.sum", "cmd"}, beside: true},
		{name: "mcp", budget: 3 * time.Minute, command: []string{"test/mcp/run.sh", spec}, node: true, beside: true},
		{name: "typescript client", budget: 3 * time.Minute, command: []string{"test/typescript/run.sh", spec},
			node: true, beside: true},
		{name: "benchmarks, if changed", budget: 3 * time.Minute, test: []string{"-C", "bench", "./..."},
			inputs: []string{"bench", "go.mod"}, beside: true},
		{name: "signed agents", budget: 3 * time.Minute, command: []string{"test/botauth/run.sh", spec}, node: true,
			beside: true},
		{name: "interop", budget: 2 * time.Minute, anySkip: true, beside: true,
			test: append([]string{"-C", "test/interop"}, short("./canonical", "./cloudfront", "./robots")...)},

		{name: "packages, long", part: "long packages", budget: 25 * time.Minute, test: product},
		{name: "postgres, long", part: "long postgres", budget: 25 * time.Minute, test: bothEngines(),
			env: []string{"FRONTDESK_TEST_ENGINE=postgres"}},
		{name: "race, all", part: "long race", budget: 40 * time.Minute,
			test: short(append([]string{"-race"}, product...)...), env: []string{"CGO_ENABLED=1"}, anySkip: true},
		{name: "protocol, race", part: "long race", budget: 6 * time.Minute, test: short("./test/conformance"),
			env: []string{"FRONTDESK_TEST_RACE=1", "CGO_ENABLED=1"}, anySkip: true},
		{name: "black box, long", part: "long black box", budget: 35 * time.Minute,
			test: append([]string{"-p=1"}, outside...)},
		{name: "black box, apart", part: "night", budget: 35 * time.Minute, test: append([]string{"-p=1"}, night...)},
		{name: "browser", part: "browser", budget: 12 * time.Minute, command: []string{"test/e2e/run.sh", spec},
			node: true},
		{name: "interop, long", part: "long interop", budget: 10 * time.Minute,
			test: []string{"-C", "test/interop", "./..."}},
		{name: "ramp", part: "long interop", budget: 8 * time.Minute, command: []string{"test/ramp/run.sh", spec},
			node: true},
		{name: "biscuit", part: "long interop", budget: 5 * time.Minute, command: []string{"test/biscuit/run.sh", spec},
			node: true},
		{name: "protocol buffers, whole", part: "long interop", budget: 6 * time.Minute,
			command: []string{"test/protocol.sh", "--whole"}},
		{name: "fuzzing", part: "fuzz", budget: 35 * time.Minute, command: []string{"test/fuzz.sh", "20s"}},
		{name: "packaging", part: "packaging", budget: 20 * time.Minute,
			command: []string{"packaging/check.sh", "--whole", "darwin/arm64", "windows/amd64"}},
		{name: "benchmarks", part: "packaging", budget: 5 * time.Minute, test: []string{"-C", "bench", "./..."}},
		{name: "figures", part: "figures", budget: 15 * time.Minute,
			command: []string{"go", "run", "./test/figures", "-drift"}},
	}
}

// bothEngines are the packages whose tests run on the engine that FRONTDESK_TEST_ENGINE names.
func bothEngines() []string {
	found, _ := exec.Command("grep", "-rl", "--include=*_test.go", `storetest\.Chosen(`, "internal").Output()
	var paths []string
	for file := range strings.FieldsSeq(string(found)) {
		paths = append(paths, "./"+filepath.Dir(file))
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

var sqlText = regexp.MustCompile(`\b(SELECT|INSERT INTO|DELETE FROM|CREATE TABLE) `)

// withSQL are those of packages that have SQL of their own: what stands above them does the same on
// both engines.
func withSQL(packages []string) []string {
	return slices.DeleteFunc(packages, func(path string) bool {
		files, _ := filepath.Glob(filepath.Join(path, "*.go"))
		return !slices.ContainsFunc(files, func(file string) bool {
			text, _ := os.ReadFile(file)
			return !strings.HasSuffix(file, "_test.go") && sqlText.Match(text)
		})
	})
}

// blackBox are the packages of test/ that have tests: those that check every change, and those that
// are apart.
func blackBox() (outside, night []string) {
	files, _ := filepath.Glob("test/*/*_test.go")
	for _, file := range files {
		path := "./" + filepath.Dir(file)
		if slices.Contains(apart, filepath.Base(path)) {
			night = append(night, path)
		} else {
			outside = append(outside, path)
		}
	}
	return slices.Compact(outside), slices.Compact(night)
}

// printPlan lists the suites.
func printPlan(out io.Writer, all []suite) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "suite\twhen\tbudget")
	for _, s := range all {
		when := "every change"
		if s.part != "" {
			when = "nightly, part " + s.part
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", s.name, when, s.budget)
	}
	w.Flush()
}
