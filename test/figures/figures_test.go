package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

const printed = `goos: linux
cpu: AMD EPYC
BenchmarkAsk/floor-2         	     100	     50000 ns/op	     120 B/op
BenchmarkAsk/ask-2           	      90	    100000 ns/op	         1.500 over-floor
--- BENCH: BenchmarkAsk/ask-2
    ask_test.go:7: a page has 100 bytes
BenchmarkToolsCall-16 	 3 	 9 ns/op 	 767.7 µs/ask
Benchmarkesci/bleve-one-field 7 0.302 median-ms 0.685 nDCG@10
PASS
`

func TestWhatBenchmarksPrintIsRead(t *testing.T) {
	t.Parallel()
	found := samples{}
	if err := found.read([]byte(printed)); err != nil {
		t.Fatal(err)
	}
	if err := found.read([]byte(" {\"map\": 0.5, \"latency\": {\"p50\": 3}, \"name\": \"x\"}\n")); err != nil {
		t.Fatal(err)
	}
	for cell, want := range map[string]float64{
		"Ask/floor:ns/op": 50000, "x Ask/ask:over-floor": 1.5, "Ask/ask:ns/op / Ask/floor:ns/op": 2,
		"ToolsCall:µs/ask": 767.7, "esci/bleve-one-field:nDCG@10": 0.685, "json:map": 0.5,
	} {
		if got, err := found.value(cell); err != nil || got != want {
			t.Errorf("%s is %v, %v; want %v", cell, got, err, want)
		}
	}
	if len(found) != 9 {
		t.Errorf("%d values were found: %v", len(found), found)
	}
	for _, broken := range []string{"BenchmarkA-2 1 7 ns/op 8\n", "BenchmarkA-2 1 many ns/op\n", "{1}"} {
		if err := (samples{}).read([]byte(broken)); err == nil {
			t.Errorf("%q is read", broken)
		}
	}
}

func TestValuesAreMediansOfRuns(t *testing.T) {
	t.Parallel()
	found := samples{"work:ns/op": {30, 10, 20}, "floor:ns/op": {10, 10, 5}, "even:ns/op": {4, 1, 2, 3}}
	// of 3, 1 and 4
	for cell, want := range map[string]float64{"work:ns/op": 20, "even:ns/op": 2.5, "work:ns/op / floor:ns/op": 3} {
		for range 2 { // the samples stay in the order of the runs
			if got, err := found.value(cell); err != nil || got != want {
				t.Errorf("%s is %v, %v; want %v", cell, got, err, want)
			}
		}
	}
}

func TestCellWithoutValueFails(t *testing.T) {
	t.Parallel()
	found := samples{"work:ns/op": {1, 2}, "floor:ns/op": {1}}
	for _, cell := range []string{"gone:ns/op", "work:times-floor", "x work:times-floor", "gone:ns/op / work:ns/op",
		"work:ns/op / gone:ns/op", "work:ns/op / floor:ns/op"} {
		if got, err := found.value(cell); err == nil || !strings.Contains(err.Error(), "finds no value") {
			t.Errorf("%s is %v, %v", cell, got, err)
		}
	}
}

func TestOnlyRatiosThatDriftAreTold(t *testing.T) {
	t.Parallel()
	kept := map[string]float64{"x up:f": 2, "x down:f": 2, "x near:f": 2, "a:ns/op / b:ns/op": 1, "a:ns/op": 100,
		"x gone:f": 7, "gone:ns/op": 1}
	now := map[string]float64{"x up:f": 2.42, "x down:f": 1.58, "x near:f": 2.38, "a:ns/op / b:ns/op": 1.19,
		"a:ns/op": 900, "x new:f": 3}
	told := strings.Join(drift(kept, now), "\n")
	for _, want := range []string{"x up:f: 2.42, was 2 (+21 %)", "x down:f: 1.58, was 2 (-21 %)",
		"x new:f: 3, which the page does not tell", "x gone:f: gone, was 7"} {
		if !strings.Contains(told, want) {
			t.Errorf("not told: %s", want)
		}
	}
	if lines := strings.Count(told, "\n") + 1; lines != 4 {
		t.Errorf("%d lines are told:\n%s", lines, told)
	}
	if same := drift(kept, kept); len(same) > 0 {
		t.Errorf("told where nothing differs: %q", same)
	}
}

func TestFiguresAreShownWithTheirUnits(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		"a:ns/op": "1.23 µs", "a:cpu-ns/op": "1.23 µs", "a:µs/ask": "1.23 ms", "a:ms-median": "1.23 s",
		"a:s/load-sql": "1,235 s", "a:entries/s": "1,235", "a:bytes/entry": "1,235", "x a:f": "1,235",
	} {
		if got := show(cell, map[string]float64{cell: 1234.6}); got != want {
			t.Errorf("%s is shown as %q, want %q", cell, got, want)
		}
	}
	for x, want := range map[float64]string{0: "0", 75: "75", 0.016: "0.0160", 0.777: "0.777", 2.345: "2.35",
		31.26: "31.3", 1234567: "1,234,567", 999.6: "1,000"} {
		if got := digits(x); got != want {
			t.Errorf("%v is shown as %q, want %q", x, got, want)
		}
	}
}

// TestThePageIsWhatTheFiguresRenderTo holds that nobody edits the page by hand.
func TestThePageIsWhatTheFiguresRenderTo(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../" + figuresFile)
	kept := map[string]measured{}
	if err == nil {
		err = json.Unmarshal(text, &kept)
	}
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../" + pageFile)
	if err != nil {
		t.Fatal(err)
	}
	if want := render(sections, kept); string(page) != want {
		t.Errorf("%s is not what %s renders to: run go run ./test/figures -page", pageFile, figuresFile)
	}
	for name := range kept {
		if !slices.ContainsFunc(sections, func(s section) bool { return s.name == name }) {
			t.Errorf("%s has figures of %s, which is no section", figuresFile, name)
		}
	}
}

func TestSectionsAreWellFormed(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, s := range sections {
		if names[s.name] || s.name == "" || s.runs < 1 || len(s.rows) == 0 {
			t.Errorf("section %q", s.name)
		}
		names[s.name] = true
		for _, r := range s.rows {
			if len(r.cells) != len(s.columns) {
				t.Errorf("section %s, row %s: %d cells for %d columns", s.name, r.label, len(r.cells), len(s.columns))
			}
		}
		if strings.Contains(strings.ReplaceAll(s.command, "'^", ""), "' ") && strings.Count(s.command, "'") != 2 {
			t.Errorf("section %s: the command is quoted in a way that is not read: %s", s.name, s.command)
		}
	}
	if all, err := choose("", ""); err != nil || slices.ContainsFunc(all, section.needsData) || len(all) < 15 {
		t.Errorf("%d sections without data, %v", len(all), err)
	}
	if two, err := choose("ask,commit", ""); err != nil || len(two) != 2 {
		t.Errorf("%v, %v", two, err)
	}
	for _, wrong := range []string{"nothing", "peers"} { // the second needs data
		if _, err := choose(wrong, ""); err == nil {
			t.Errorf("%s is measured", wrong)
		}
	}
}
