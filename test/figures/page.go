package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

const header = `# Performance

<!-- go run ./test/figures writes this page. Nobody edits it: test/figures/sections.go has its words, test/figures/figures.json its figures. -->

One command measures and writes this page, ` + "`go run ./test/figures -data $DATA`" + `. Without ` + "`-data`" + ` it leaves the sections that need judged collections as they were, and
with ` + "`-only NAME,...`" + ` all others but those. ` + "`$DATA`" + ` is a folder with collections, ` + "`esci`" + ` (products of a shop) and ` + "`cranfield`" + ` (abstracts), each of
` + "`items.jsonl.gz`, `queries.tsv` and `qrels.txt`" + `.

Each section has its command, and says at which commit, on which day, on which machine and beside how much other work it was measured. A figure is the median of the runs.

A **floor** is what nobody can leave out, done by itself: for example the same signatures and one durable row. **Times the floor** is how long the work takes,
divided by its floor in the same run. Times hold for that machine alone; ratios hold better on others. The nightly run measures the ratios anew, and prints what has drifted by more
than 20 %, as ` + "`go run ./test/figures -drift`" + ` does.

SQLite is the store where no other is named. What takes long (a million entries, thousands of streams, an hour of load) is listed with its commands in
[testing.md](testing.md#long-runs).
`

// render is the page.
func render(sections []section, kept map[string]measured) string {
	var page strings.Builder
	page.WriteString(header)
	for _, s := range sections {
		fmt.Fprintf(&page, "\n## %s\n\n%s\n\n```\n%s\n```\n\n", s.heading, s.about, s.command)
		at, known := kept[s.name]
		if !known {
			page.WriteString("Not measured yet.\n")
			continue
		}
		fmt.Fprintf(&page, "| %s |\n|%s\n", strings.Join(append([]string{""}, s.columns...), " | "),
			strings.Repeat(" --- |", len(s.columns)+1))
		for _, r := range s.rows {
			fmt.Fprintf(&page, "| %s |", r.label)
			for _, cell := range r.cells {
				fmt.Fprintf(&page, " %s |", show(cell, at.Values))
			}
			page.WriteString("\n")
		}
		runs := "one run"
		if at.Runs > 1 {
			runs = fmt.Sprintf("medians of %d runs", at.Runs)
		}
		fmt.Fprintf(&page, "\nCommit %s, %s, %s; %s", at.Commit, at.Date, at.Machine, runs)
		if at.Others != "" {
			fmt.Fprintf(&page, "; load average %s before, and other programs took %s of the processors meanwhile",
				at.Load, at.Others)
		}
		page.WriteString(".\n")
	}
	return page.String()
}

// show writes a cell: a ratio as a number, a time with its unit, all else as a number whose unit
// the table's head tells.
func show(cell string, values map[string]float64) string {
	value, known := values[cell]
	switch {
	case cell == "":
		return ""
	case !known:
		return "not measured"
	case isRatio(cell):
		return digits(value)
	}
	unit := cell[strings.LastIndexByte(cell, ':')+1:]
	for _, scale := range []struct {
		mark string
		unit time.Duration
	}{{"ns", time.Nanosecond}, {"µs", time.Microsecond}, {"ms", time.Millisecond}, {"s", time.Second}} {
		for _, word := range strings.FieldsFunc(strings.TrimSuffix(unit, "/s"),
			func(r rune) bool { return r == '-' || r == '/' || r == '_' }) {
			if word == scale.mark {
				return duration(value * float64(scale.unit))
			}
		}
	}
	return digits(value)
}

// duration writes nanoseconds in the unit that suits them.
func duration(ns float64) string {
	for _, scale := range []struct {
		from float64
		unit string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
		if ns >= scale.from {
			return digits(ns/scale.from) + " " + scale.unit
		}
	}
	return digits(ns) + " ns"
}

// digits writes a number with three digits that say something, or all before the point.
func digits(x float64) string {
	if x == 0 || x == math.Trunc(x) && x < 1000 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	text := strconv.FormatFloat(x, 'f', max(0, 2-int(math.Floor(math.Log10(math.Abs(x))))), 64)
	for at := len(text) - 3; at > 0 && !strings.Contains(text, "."); at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
