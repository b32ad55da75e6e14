// Suites runs the tests by suites and tells a person what happened: the output of what failed,
// every test that was skipped, a table of the suites with their time, and go test's own summary
// line of each package.
//
// A suite fails where a test or a build failed, where nothing ran at all, where it took longer than
// its budget, and where a test was skipped that test/allowed-skips.txt does not name: a part that
// could not run is not a part that passed.
//
//	go run ./test/suites              what every change is checked by
//	go run ./test/suites -nightly     everything else, part by part
//	go run ./test/suites -part night  one part of it, or several: -part night,fuzz
//	go run ./test/suites -list        what there is, with budgets
//
// test.sh installs what the tests need and starts a database, then calls this. Plan.go is the table
// of suites.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

func main() {
	nightly := flag.Bool("nightly", false, "run all parts of the nightly run")
	parts := flag.String("part", "", "run these parts of the nightly run, or these suites, with commas between")
	list := flag.Bool("list", false, "list the suites, and run none")
	resume := flag.Bool("resume", false, "leave out what passed already on this commit, on this machine")
	flag.Parse()
	chosen, err := choose(plan(), *nightly, *parts)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if *list {
		printPlan(os.Stdout, plan())
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	results, err := openResults(*resume)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	r := runner{out: os.Stdout, results: results}
	if !r.run(ctx, chosen) {
		os.Exit(1)
	}
}

// choose gives the suites that are to run: those of every change, all of the nightly run, or what
// is named.
func choose(all []suite, nightly bool, names string) ([]suite, error) {
	var chosen []suite
	wanted := strings.FieldsFunc(names, func(r rune) bool { return r == ',' || r == ' ' })
	known := map[string]bool{}
	for _, s := range all {
		known[s.name], known[s.part] = true, true
		named := slices.Contains(wanted, s.name) || s.part != "" && slices.Contains(wanted, s.part)
		if named || len(wanted) == 0 && nightly == (s.part != "") {
			chosen = append(chosen, s)
		}
	}
	for _, name := range wanted {
		if !known[name] {
			return nil, fmt.Errorf("there is no suite or part %q; -list names them", name)
		}
	}
	return chosen, nil
}
