// Report reads `go test -json` on its input and tells a person what happened: the output of what failed, every
// test that was skipped, and go test's own summary line of each package.
//
// It fails where a test or a build failed, where nothing ran at all, and where a test was skipped that the list of
// allowed skips does not name: a part that could not run is not a part that passed.
//
//	go test -json ./... | go run ./test/report -suite rooms -budget 5m -allowed test/allowed-skips.txt
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

func main() {
	suite := flag.String("suite", "tests", "name of the suite, for the headings")
	budget := flag.Duration("budget", 0, "time that the suite may take; 0 for no limit")
	allowed := flag.String("allowed", "", "file that lists the tests that may be skipped; without it any test may")
	summary := flag.String("summary", "", "file to which the summary lines are appended")
	failures := flag.String("failures", "", "file to which it is appended why the suite does not pass")
	flag.Parse()

	started := time.Now()
	err := run(os.Stdin, os.Stdout, options{
		suite: *suite, budget: *budget, allowed: *allowed, summary: *summary, failures: *failures,
		elapsed: func() time.Duration { return time.Since(started) },
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// options are the flags as values.
type options struct {
	suite             string
	budget            time.Duration
	allowed           string
	summary, failures string
	elapsed           func() time.Duration
}

// run reads events from in, reports to out, and returns why the suite as a whole does not pass.
func run(in io.Reader, out io.Writer, opt options) error {
	permit, err := readAllowed(opt.allowed)
	if err != nil {
		return err
	}
	result, err := read(in, out)
	if err != nil {
		return fmt.Errorf("%s: %w", opt.suite, err)
	}
	verdict := result.verdict(permit)
	took := opt.elapsed().Round(100 * time.Millisecond)
	if opt.budget > 0 && took > opt.budget {
		verdict = append(verdict, fmt.Sprintf("took %s, the budget is %s", took, opt.budget))
	}
	result.printSkips(out, permit)
	line := fmt.Sprintf("suite %s: %d tests passed, %d failed, %d skipped, %s of %s\n",
		opt.suite, result.passed, len(result.failed), len(result.skipped), took, opt.budget)
	fmt.Fprint(out, line)
	if err := appendTo(opt.summary, append(result.summaries, line)); err != nil {
		return err
	}
	if err := appendTo(opt.failures, result.lastWords(verdict)); err != nil {
		return err
	}
	if len(verdict) == 0 {
		return nil
	}
	return fmt.Errorf("suite %s does not pass:\n  %s", opt.suite, strings.Join(verdict, "\n  "))
}

// appendTo adds lines to a file that is shown at the end of a longer run: who sees no more than that end sees what
// ran and what failed. Without a path it does nothing.
func appendTo(path string, lines []string) error {
	if path == "" || len(lines) == 0 {
		return nil
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	for _, line := range lines {
		if _, err := io.WriteString(file, line); err != nil {
			return err
		}
	}
	return file.Close()
}
