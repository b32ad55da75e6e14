// Command bench compares the search engine with its peers on judged collections: the same
// documents, the same questions, the same process, one core.
//
//	go run . --passes 21 PATH/esci PATH/cranfield
//
// For every engine and question it takes the median over the passes (--keep), after one that does
// not count, and then the median and the 99th percentile over the questions.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"frontdesk/internal/cli/eval"
)

func main() {
	passes := flag.Int("passes", 21, "how often each question is asked; the median counts")
	keep := flag.Float64("keep", 50,
		"which percentile of the passes counts for a question; 0 is the fastest pass, for a machine with other work")
	only := flag.String("only", "", "comma-separated engines to run: frontdesk, bleve, fts5")
	foreign := flag.String("foreign", "",
		"instead of comparing, count how many questions of this file are answered, and how many judged ones")
	lines := flag.Bool("go", false, "print what go test's benchmarks print, a line an engine, for programs to read")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr,
			"usage: go run . [--passes N] FOLDER...  (each with items.jsonl.gz, queries.tsv, qrels.txt)")
		os.Exit(2)
	}
	runtime.GOMAXPROCS(1)
	for _, dir := range flag.Args() {
		if err := compare(dir, settings{*passes, *keep, *only, *foreign, *lines}); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
	}
}

// settings are the flags.
type settings struct {
	passes  int
	keep    float64
	only    string
	foreign string
	lines   bool
}

// row is one line of the table.
type row struct {
	engine  string
	build   time.Duration
	figures eval.Figures
	median  time.Duration
	p99     time.Duration
}

func compare(dir string, with settings) error {
	c, err := loadCollection(dir)
	if err != nil {
		return err
	}
	if with.foreign != "" {
		return calibration(c, with)
	}
	var rows []row
	for _, make := range engines(with.only) {
		e, err := make()
		if err != nil {
			return err
		}
		r, err := measure(e, c, with)
		if err != nil {
			return fmt.Errorf("%s: %w", e.Name(), err)
		}
		rows = append(rows, r)
		if err := e.Close(); err != nil {
			return err
		}
	}
	show(c, with, rows)
	return nil
}

func engines(only string) []func() (engine, error) {
	all := []struct {
		name string
		make func() (engine, error)
	}{
		{"frontdesk", func() (engine, error) { return newFrontdesk(), nil }},
		{"bleve", func() (engine, error) { return newBleve(false) }},
		{"bleve", func() (engine, error) { return newBleve(true) }},
		{"fts5", func() (engine, error) { return newFTS5() }},
	}
	var wanted []func() (engine, error)
	for _, e := range all {
		if only == "" || slices.Contains(strings.Split(only, ","), e.name) {
			wanted = append(wanted, e.make)
		}
	}
	return wanted
}

// calibration counts, at the usual least score, the judged questions that are answered, and those
// of a file, a line each, that ask for what no shop and no journal has.
func calibration(c *collection, with settings) error {
	text, err := os.ReadFile(with.foreign)
	if err != nil {
		return err
	}
	f := newFrontdesk()
	if err := f.Add(c.Items); err != nil {
		return err
	}
	judged, strange := 0, 0
	for _, q := range c.Queries {
		if f.answers(q.Text) {
			judged++
		}
	}
	questions := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, q := range questions {
		if f.answers(q) {
			strange++
		}
	}
	if with.lines {
		fmt.Printf("BenchmarkAnswered/%s 1 %d judged %d of-judged %d foreign %d of-foreign\n", c.Name, judged,
			len(c.Queries), strange, len(questions))
		return nil
	}
	fmt.Printf("%s: %d of %d judged questions are answered, and %d of %d foreign ones\n", c.Name, judged,
		len(c.Queries), strange, len(questions))
	return nil
}

func measure(e engine, c *collection, with settings) (row, error) {
	start := time.Now()
	if err := e.Add(c.Items); err != nil {
		return row{}, err
	}
	r := row{engine: e.Name(), build: time.Since(start)}
	runs := make([]eval.Run, len(c.Queries))
	for i, q := range c.Queries {
		found, err := e.Find(q.Text, 1000)
		if err != nil {
			return r, err
		}
		runs[i] = eval.Run{Query: q.ID, Documents: found}
	}
	r.figures = eval.Score(c.Qrels, runs).Figures
	took, err := latencies(e, c.Queries, with)
	r.median, r.p99 = eval.Percentile(took, 50), eval.Percentile(took, 99)
	return r, err
}

// latencies gives, sorted, for each question the percentile of its passes that is kept.
func latencies(e engine, queries []eval.Query, with settings) ([]time.Duration, error) {
	times := make([][]time.Duration, len(queries))
	runtime.GC()
	for pass := range with.passes + 1 {
		for i, q := range queries {
			start := time.Now()
			if _, err := e.Find(q.Text, 10); err != nil {
				return nil, err
			}
			if pass > 0 {
				times[i] = append(times[i], time.Since(start))
			}
		}
	}
	kept := make([]time.Duration, len(queries))
	for i := range times {
		slices.Sort(times[i])
		kept[i] = eval.Percentile(times[i], with.keep)
	}
	slices.Sort(kept)
	return kept, nil
}

func show(c *collection, with settings, rows []row) {
	if with.lines {
		for _, r := range rows {
			fmt.Printf("Benchmark%s/%s %d %g build-s %g nDCG@10 %g MAP %g median-ms %g p99-ms\n", c.Name,
				strings.NewReplacer(", ", "-", " ", "-").Replace(r.engine), with.passes,
				r.build.Seconds(), r.figures.NDCG10, r.figures.MAP, ms(r.median), ms(r.p99))
		}
		return
	}
	fmt.Printf("\n%s: %d items, %d questions, top 10, one core, percentile %g of %d passes\n\n", c.Name, len(c.Items),
		len(c.Queries), with.keep, with.passes)
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "engine\tbuild s\tnDCG@10\tMAP\trecall@100\tmedian ms\tp99 ms\tmedian ratio\tp99 ratio\t")
	for _, r := range rows {
		fmt.Fprintf(table, "%s\t%.2f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.1f\t%.1f\t\n", r.engine, r.build.Seconds(),
			r.figures.NDCG10, r.figures.MAP, r.figures.Recall100, ms(r.median), ms(r.p99),
			ms(r.median)/ms(rows[0].median), ms(r.p99)/ms(rows[0].p99))
	}
	table.Flush()
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
