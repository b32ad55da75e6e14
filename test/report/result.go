package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// event is one line of `go test -json`, as `go doc test2json` describes it.
type event struct {
	Action     string
	Package    string
	ImportPath string // instead of Package, with build output
	Test       string
	Output     string
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
	summaries []string // "ok  	frontdesk/internal/store	1.2s"
	output    map[name]*strings.Builder
}

// read consumes all events, and prints what failed as soon as its package is through. Lines that are no events are
// printed as they are.
func read(in io.Reader, out io.Writer) (*result, error) {
	r := &result{output: map[name]*strings.Builder{}}
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
			return r, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// take adds one event.
func (r *result) take(e event, out io.Writer) {
	id := name{e.Package, e.Test}
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
			r.skipped = append(r.skipped, skip{id, reason(r.buffer(id).String())})
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

// reason finds in a skipped test's output what it was skipped for: the lines that the frame of go test did not add.
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

// verdict lists why the suite does not pass; empty when it does.
func (r *result) verdict(permit *allowed) []string {
	var why []string
	for _, f := range r.failed {
		why = append(why, "failed: "+f.name)
	}
	for _, s := range r.skipped {
		if !permit.skip(s.name) {
			why = append(why, fmt.Sprintf("skipped: %s %s", s.pkg, s.test))
		}
	}
	if r.passed == 0 && len(why) == 0 {
		why = append(why, "no test ran")
	}
	return why
}

// lastWords are the lines that stand at the end of a longer run for a suite that does not pass: the verdict, and with
// it the end of what each failed test said.
func (r *result) lastWords(verdict []string) []string {
	var lines []string
	for _, f := range r.failed {
		for _, word := range f.words {
			lines = append(lines, "    "+word+"\n")
		}
	}
	for _, why := range verdict {
		lines = append(lines, "  "+why+"\n")
	}
	return lines
}

// printSkips names every skipped test with its reason.
func (r *result) printSkips(out io.Writer, permit *allowed) {
	for _, s := range r.skipped {
		word := "skipped"
		if !permit.skip(s.name) {
			word = "SKIPPED, which is a failure here"
		}
		fmt.Fprintf(out, "%s: %s %s: %s\n", word, s.pkg, s.test, s.reason)
	}
}
