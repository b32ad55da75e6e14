// Figures measures what docs/performance.md tells, and writes that page.
//
//	go run ./test/figures                    measures all, and writes the page and figures.json
//	go run ./test/figures -only ask,commit   measures these; the others stay as they were
//	go run ./test/figures -data DIR          measures what needs DIR/esci and DIR/cranfield, too
//	go run ./test/figures -drift             prints each ratio that is over 20 % off the page's
//	go run ./test/figures -page              writes the page from figures.json
//
// The collections are judged ones, and figures.json lies beside this file. -drift writes nothing,
// and -page measures nothing.
//
// It is run in the root of the repository. Sections.go is the table of what is measured. Drift is
// printed and fails nothing, since other programs use the machine, too. What fails is a benchmark
// that fails, and a cell of a table that finds no value.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	pageFile    = "docs/performance.md"
	figuresFile = "test/figures/figures.json"
	tolerance   = 0.2 // by how much a ratio may differ from the page's
	driftRuns   = 3   // at most, for each section
)

// measured is what was found out for a section, and when, where and beside what.
type measured struct {
	Commit  string             `json:"commit"`
	Date    string             `json:"date"`
	Machine string             `json:"machine"`
	Load    string             `json:"load"`   // average of the minute before
	Others  string             `json:"others"` // the part of the processors that other programs took meanwhile
	Runs    int                `json:"runs"`
	Values  map[string]float64 `json:"values"` // by cell
}

func main() {
	only := flag.String("only", "", "measure these sections alone, with commas between")
	data := flag.String("data", "", "folder of the judged collections esci and cranfield")
	compare := flag.Bool("drift", false,
		"write nothing, and print the ratios that differ by more than 20 % from the page's")
	page := flag.Bool("page", false, "measure nothing, and write the page from "+figuresFile)
	flag.Parse()
	chosen, err := choose(*only, *data)
	if *page {
		chosen = nil
	}
	if err == nil {
		err = run(os.Stdout, chosen, *data, *compare)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

// choose gives the sections that are named, or all; of those that need data, none without.
func choose(only, data string) (chosen []section, err error) {
	names := strings.FieldsFunc(only, func(r rune) bool { return r == ',' || r == ' ' })
	for _, s := range sections {
		if named := slices.Contains(names, s.name); named && s.needsData() && data == "" {
			return nil, fmt.Errorf("section %s needs -data DIR", s.name)
		} else if named || len(names) == 0 && (data != "" || !s.needsData()) {
			chosen = append(chosen, s)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(sections, func(s section) bool { return s.name == name }) {
			return nil, fmt.Errorf("there is no section %q", name)
		}
	}
	return chosen, nil
}

// run measures sections, and writes after each what is known by then; or tells how each has
// drifted.
func run(out io.Writer, chosen []section, data string, compare bool) error {
	kept := map[string]measured{}
	text, err := os.ReadFile(figuresFile)
	if err == nil {
		err = json.Unmarshal(text, &kept)
	}
	if data != "" && err == nil {
		data, err = filepath.Abs(data)
	}
	if err != nil {
		return fmt.Errorf("run it in the root of the repository: %w", err)
	}
	at := here()
	var failed error
	for _, s := range chosen {
		if compare {
			s.runs = min(s.runs, driftRuns)
		}
		now, err := s.measure(at, data)
		switch {
		case err != nil:
			failed = errors.Join(failed, fmt.Errorf("section %s: %w", s.name, err))
			fmt.Fprintf(out, "%s: failed\n", s.name)
		case compare:
			lines := drift(kept[s.name].Values, now.Values)
			fmt.Fprintf(out, "%s: %d ratios, %d drifted; other programs took %s of the processors\n", s.name,
				len(ratios(now.Values)), len(lines), cmp.Or(now.Others, "an unknown part"))
			for _, line := range lines {
				fmt.Fprintln(out, "  "+line)
			}
		default:
			kept[s.name] = now
			fmt.Fprintf(out, "%s: measured; other programs took %s of the processors\n", s.name,
				cmp.Or(now.Others, "an unknown part"))
			failed = errors.Join(failed, write(kept))
		}
	}
	if !compare {
		failed = errors.Join(failed, write(kept))
	}
	return failed
}

// write keeps the figures of the sections that exist, and writes the page.
func write(kept map[string]measured) error {
	maps.DeleteFunc(kept, func(name string, _ measured) bool {
		return !slices.ContainsFunc(sections, func(s section) bool { return s.name == name })
	})
	text, err := json.MarshalIndent(kept, "", "\t")
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(figuresFile, append(text, '\n'), 0o644),
		os.WriteFile(pageFile, []byte(render(sections, kept)), 0o644))
}

// isRatio tells a cell that says how many times something is something else, which holds on other
// machines, too.
func isRatio(cell string) bool { return strings.HasPrefix(cell, "x ") || strings.Contains(cell, " / ") }

func ratios(values map[string]float64) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(values)), func(cell string) bool { return !isRatio(cell) })
}

// drift tells which ratios differ by more than the tolerance, and which are new or gone.
func drift(kept, now map[string]float64) (lines []string) {
	for _, cell := range ratios(now) {
		before, known := kept[cell]
		switch change := now[cell]/before - 1; {
		case !known:
			lines = append(lines, fmt.Sprintf("%s: %s, which the page does not tell", cell, digits(now[cell])))
		case math.Abs(change) > tolerance:
			lines = append(lines,
				fmt.Sprintf("%s: %s, was %s (%+.0f %%)", cell, digits(now[cell]), digits(before), 100*change))
		}
	}
	for _, cell := range ratios(kept) {
		if _, there := now[cell]; !there {
			lines = append(lines, fmt.Sprintf("%s: gone, was %s", cell, digits(kept[cell])))
		}
	}
	return lines
}
