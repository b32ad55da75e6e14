package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"text/tabwriter"
	"time"
)

// outcome is what came of a suite. It is kept as JSON.
type outcome struct {
	Suite     string
	Budget    time.Duration
	Time, CPU time.Duration // CPU is that of all processes that the suite waited for
	Passed    int           // tests
	Failed    int
	Skipped   int
	Kept      bool     // not run: it passed before
	Why       []string // why it does not pass; empty where it does
	Words     []string // the last words of what failed
	Summaries []string // go test's own lines
	Slowest   []timed
}

// timed is how long a test took.
type timed struct {
	Test    string
	Seconds float64
}

// runner runs suites one after the other, and those that may be beside others two at a time.
type runner struct {
	out     io.Writer
	results *results
	binary  string // the program, built once; empty before
}

// run runs the suites, prints the table, and reports whether all passed.
func (r *runner) run(ctx context.Context, suites []suite) bool {
	began := time.Now()
	scratch, err := os.MkdirTemp("", "frontdesk-suites-")
	if err != nil {
		fmt.Fprintln(r.out, err)
		return false
	}
	defer os.RemoveAll(scratch)
	outcomes := []outcome{r.build(ctx, filepath.Join(scratch, "frontdesk"))}
	for len(suites) > 0 && r.binary != "" {
		n := together(suites)
		outcomes = append(outcomes, r.group(ctx, suites[:n])...)
		suites = suites[n:]
	}
	return r.report(outcomes, time.Since(began), ctx.Err())
}

// together is how many of the next suites run at the same time as each other: those that may, or
// else one alone.
func together(suites []suite) int {
	n := slices.IndexFunc(suites, func(s suite) bool { return !s.beside })
	if n < 0 {
		n = len(suites)
	}
	return max(1, n)
}

// group runs suites, two at a time, and gives their outcomes in order, without those that an
// interruption left. What a suite says is kept together: one alone is heard as it speaks.
func (r *runner) group(ctx context.Context, suites []suite) []outcome {
	outcomes := make([]outcome, len(suites))
	next := make(chan int, len(suites))
	for i := range suites {
		next <- i
	}
	close(next)
	var lanes sync.WaitGroup
	var speaks sync.Mutex
	for range min(2, len(suites)) {
		lanes.Go(func() {
			for i := range next {
				if ctx.Err() != nil {
					return
				}
				if len(suites) == 1 {
					outcomes[i] = r.one(ctx, suites[i], r.out)
					return
				}
				var said words
				outcomes[i] = r.one(ctx, suites[i], &said)
				speaks.Lock()
				fmt.Fprint(r.out, said.text.String())
				speaks.Unlock()
			}
		})
	}
	lanes.Wait()
	return slices.DeleteFunc(outcomes, func(o outcome) bool { return o.Suite == "" })
}

// words are what a suite says by both of its ways, its output and its errors.
type words struct {
	mu   sync.Mutex
	text strings.Builder
}

func (w *words) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

// one runs a suite, or takes what it was found to be before.
func (r *runner) one(ctx context.Context, s suite, out io.Writer) outcome {
	o, kept := r.results.passed(s)
	if kept {
		return o
	}
	fmt.Fprintf(out, "\n== %s (budget %s)\n", s.name, s.budget)
	o = r.suite(ctx, s, out)
	if err := r.results.keep(s, o); err != nil {
		o.Why = append(o.Why, err.Error())
	}
	return o
}

// build builds the program once for all suites.
func (r *runner) build(ctx context.Context, path string) outcome {
	s := suite{name: "build", budget: 10 * time.Minute, command: []string{"go", "build", "-o", path, "./cmd/frontdesk"},
		env: []string{"GOGC=400", "GOMEMLIMIT=3GiB"}} // the compiler takes memory rather than time
	o := r.suite(ctx, s, r.out)
	if len(o.Why) == 0 {
		r.binary = path
	}
	return o
}

// suite runs one suite within its budget, and prints what it says.
func (r *runner) suite(ctx context.Context, s suite, out io.Writer) outcome {
	ctx, cancel := context.WithTimeout(ctx, s.budget+time.Minute) // go test ends by itself, and shows where it hangs
	defer cancel()
	args := s.command
	if len(s.test) > 0 {
		args = goTest(s)
	}
	command := exec.CommandContext(ctx, args[0], args[1:]...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGTERM) }
	command.WaitDelay = 10 * time.Second
	command.Env = append(os.Environ(), s.env...)
	if r.binary != "" && !slices.Contains(s.env, "FRONTDESK_TEST_RACE=1") {
		command.Env = append(command.Env, "FRONTDESK_BINARY="+r.binary)
	}
	began := time.Now()
	res, err := read(command, out, s)
	o := outcome{Suite: s.name, Budget: s.budget, Time: time.Since(began)}
	if state := command.ProcessState; state != nil {
		o.CPU = (state.UserTime() + state.SystemTime()).Round(100 * time.Millisecond)
	}
	o.Why = judge(s, res, o.Time, err)
	o.Passed, o.Failed, o.Skipped = res.passed, len(res.failed), len(res.skipped)
	o.Words, o.Summaries, o.Slowest = res.lastWords(), res.summaries, res.slowest()
	return o
}

// goTest is the command of a suite of Go tests. It does not vet: the suite static does, wholly.
func goTest(s suite) []string {
	args := []string{"go"}
	rest := s.test
	if rest[0] == "-C" {
		args, rest = append(args, rest[:2]...), rest[2:]
	}
	return append(append(args, "test", "-json", "-count=1", "-vet=off", "-timeout="+s.budget.String()), rest...)
}

// read runs a command and reads what it says in the form that the suite has.
func read(command *exec.Cmd, out io.Writer, s suite) (*result, error) {
	command.Stderr = out
	res := newResult()
	pipe, err := command.StdoutPipe()
	if err != nil {
		return res, err
	}
	if err := command.Start(); err != nil {
		return res, err
	}
	switch {
	case len(s.test) > 0:
		err = res.readGo(pipe, out)
	case s.node:
		err = res.readNode(io.TeeReader(pipe, out))
	default:
		err = res.readLast(io.TeeReader(pipe, out))
	}
	return res, errors.Join(err, command.Wait())
}

// judge says why a suite does not pass; nothing where it does.
func judge(s suite, res *result, took time.Duration, err error) []string {
	permit, listErr := readAllowed(allowedSkips)
	if s.anySkip {
		permit = nil
	}
	why := res.verdict(permit, len(s.test) > 0 || s.node)
	if listErr != nil {
		why = append(why, listErr.Error())
	}
	if err != nil && len(why) == 0 {
		why = append(why, err.Error())
	}
	if took > s.budget {
		why = append(why, fmt.Sprintf("took %s, the budget is %s", took.Round(time.Millisecond), s.budget))
	}
	return why
}

// allowedSkips is the list of tests that may be skipped.
const allowedSkips = "test/allowed-skips.txt"

// report prints the table, the slowest tests, go test's own lines, and the last words of what
// failed.
func (r *runner) report(outcomes []outcome, took time.Duration, interrupted error) bool {
	var slowest []timed
	var failed []string
	passed, bad := 0, 0
	fmt.Fprintf(r.out, "\n== all suites, after %s\n", took.Round(time.Second))
	w := tabwriter.NewWriter(r.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "tests\tfailed\tskipped\tseconds\tbudget\tCPU seconds\t  suite")
	for _, o := range outcomes {
		note := ""
		switch {
		case o.Kept:
			note = " (passed before)"
		case len(o.Why) > 0:
			note = " FAILED"
			failed = append(failed, o.Suite)
		}
		fmt.Fprintf(w, "%d\t%d\t%d\t%.0f\t%.0f\t%.0f\t  %s%s\n", o.Passed, o.Failed, o.Skipped, o.Time.Seconds(),
			o.Budget.Seconds(), o.CPU.Seconds(), o.Suite, note)
		slowest = append(slowest, o.Slowest...)
		passed, bad = passed+o.Passed, bad+o.Failed
	}
	w.Flush()
	fmt.Fprintln(r.out, "\nThe slowest tests, in seconds:")
	for _, t := range longest(slowest) {
		fmt.Fprintf(r.out, "%8.1f  %s\n", t.Seconds, t.Test)
	}
	fmt.Fprintln(r.out)
	for _, o := range outcomes {
		for _, line := range o.Summaries {
			fmt.Fprint(r.out, line)
		}
	}
	for _, o := range outcomes {
		if len(o.Why) > 0 {
			fmt.Fprintf(r.out, "\nsuite %s does not pass:\n%s  %s\n", o.Suite, strings.Join(o.Words, ""),
				strings.Join(o.Why, "\n  "))
		}
	}
	if interrupted != nil {
		failed = append(failed, "interrupted")
	}
	fmt.Fprintf(r.out, "\n%d passed, %d failed\n", passed, max(bad, len(failed)))
	return len(failed) == 0
}

// longest are the ten that took longest.
func longest(tests []timed) []timed {
	slices.SortStableFunc(tests, func(a, b timed) int { return cmp.Compare(b.Seconds, a.Seconds) })
	return tests[:min(10, len(tests))]
}
