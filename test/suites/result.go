package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// event is one line of `go test -json`, as `go doc test2json` describes it.
type event struct {
	Action     string
	Package    string
	ImportPath string // instead of Package, with build output
	Test       string
	Output     string
	Elapsed    float64 // seconds
}

// name identifies a test, or a package as a whole.
type name struct{ pkg, test string }

// failure is a test, a package or a build that failed, and what it said last.
type failure struct {
	name  string
	words []string
}

// lastLines is how many lines of a failed test's output its failure keeps.
const lastLines = 12

// skip is a test that did not run, and what it said about that.
type skip struct {
	name
	reason string
}

// result is what the events add up to.
type result struct {
	passed    int
	failed    []failure
	skipped   []skip
	summaries []string // "ok  	frontdesk/internal/infra/store	1.2s"
	output    map[name]*strings.Builder
	last      []string // words of tests that failed
	times     []timed  // of tests, without their parts
}

func newResult() *result { return &result{output: map[name]*strings.Builder{}} }

// readGo consumes the events of go test, and prints what failed as soon as its package is through.
// Lines that are no events are printed as they are.
func (r *result) readGo(in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) == nil && e.Action != "" {
				r.take(e, out)
			} else {
				fmt.Fprintf(out, "%s\n", strings.TrimRight(string(line), "\n"))
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// take adds one event.
func (r *result) take(e event, out io.Writer) {
	id := name{e.Package, e.Test}
	if e.Elapsed > 0 && e.Test != "" && !strings.Contains(e.Test, "/") {
		r.times = append(r.times, timed{e.Package + " " + e.Test, e.Elapsed})
	}
	switch e.Action {
	case "output":
		if e.Test == "" && isSummary(e.Output) {
			r.summaries = append(r.summaries, e.Output)
			fmt.Fprint(out, e.Output)
			return
		}
		r.buffer(id).WriteString(e.Output)
	case "build-output":
		fmt.Fprint(out, e.Output)
	case "build-fail":
		r.failed = append(r.failed, failure{name: e.ImportPath + " (build)"})
	case "fail":
		said := r.buffer(id).String()
		words := strings.Split(strings.TrimSpace(said), "\n")
		words = words[max(0, len(words)-lastLines):]
		r.failed = append(r.failed, failure{strings.TrimSpace(e.Package + " " + e.Test), words})
		fmt.Fprint(out, said)
		delete(r.output, id)
	case "pass":
		if e.Test != "" {
			r.passed++
		}
		delete(r.output, id)
	case "skip":
		if e.Test != "" {
			said := reason(r.buffer(id).String())
			r.skipped = append(r.skipped, skip{id, said})
		}
		delete(r.output, id)
	}
}

func (r *result) buffer(id name) *strings.Builder {
	b := r.output[id]
	if b == nil {
		b = &strings.Builder{}
		r.output[id] = b
	}
	return b
}

// isSummary tells go test's line about a whole package from what the tests in it printed.
func isSummary(line string) bool {
	for _, prefix := range []string{"ok  \t", "FAIL\t", "?   \t", "---\t"} {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	return false
}

// reason finds in a skipped test's output what it was skipped for: the lines that the frame of go
// test did not add.
func reason(output string) string {
	var said []string
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(line, "--- ") {
			said = append(said, line)
		}
	}
	return strings.Join(said, " ")
}

// nodeCount is a line of the summary that node's test runner ends with.
var nodeCount = regexp.MustCompile(`^ℹ (pass|fail|skipped|cancelled|todo) (\d+)$`)

// readNode takes the counts and the failures from what node's test runner prints for people.
func (r *result) readNode(in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "✖ ") && !strings.HasPrefix(line, "✖ failing tests") {
			r.last = append(r.last, "    "+line+"\n")
		}
		count := nodeCount.FindStringSubmatch(line)
		if count == nil {
			continue
		}
		n, _ := strconv.Atoi(count[2])
		switch {
		case count[1] == "pass":
			r.passed += n
		case count[1] == "skipped" || count[1] == "todo":
			r.skipped = append(r.skipped, slices.Repeat([]skip{{name: name{"node", "a test"}}}, n)...)
		default:
			r.failed = append(r.failed, slices.Repeat([]failure{{name: "a test of node"}}, n)...)
		}
	}
	return lines.Err()
}

// readLast keeps the end of what a command says that counts nothing.
func (r *result) readLast(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if line = strings.TrimRight(line, "\n"); line != "" {
			r.last = append(r.last[max(0, len(r.last)-lastLines+1):], "    "+line+"\n")
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// slowest are the tests that took longest.
func (r *result) slowest() []timed { return longest(r.times) }

// verdict lists why the suite does not pass; empty when it does. Where it counts tests, one has to
// have run.
func (r *result) verdict(permit *allowed, counts bool) []string {
	var why []string
	for _, f := range r.failed {
		why = append(why, "failed: "+f.name)
	}
	for _, s := range r.skipped {
		if !permit.skip(s.name) {
			why = append(why, strings.TrimSpace(fmt.Sprintf("skipped: %s %s: %s", s.pkg, s.test, s.reason)))
		}
	}
	if counts && r.passed == 0 && len(why) == 0 {
		why = append(why, "no test ran")
	}
	return why
}

// lastWords are the end of what each failed test said, for the end of a longer run.
func (r *result) lastWords() []string {
	lines := slices.Clone(r.last)
	for _, f := range r.failed {
		for _, word := range f.words {
			lines = append(lines, "    "+word+"\n")
		}
	}
	return lines
}
