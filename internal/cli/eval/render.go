package eval

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// WriteText writes the report as a small table for people.
func (r Report) WriteText(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "queries\t%d\t%d answered\n", r.Queries, r.Answered)
	if r.Unjudged > 0 {
		fmt.Fprintf(table, "left out\t%d\twithout a relevant document in the judgments\n", r.Unjudged)
	}
	fmt.Fprintf(table, "nDCG@10\t%.4f\tlinear gain\n", r.NDCG10)
	fmt.Fprintf(table, "MAP\t%.4f\tgrade 1 and more\n", r.MAP)
	fmt.Fprintf(table, "P@10\t%.4f\t\n", r.P10)
	fmt.Fprintf(table, "recall@100\t%.4f\t\n", r.Recall100)
	if r.Latency != (Latency{}) {
		fmt.Fprintf(table, "latency p50\t%s\t\n", milliseconds(r.Latency.P50))
		fmt.Fprintf(table, "latency p95\t%s\t\n", milliseconds(r.Latency.P95))
		fmt.Fprintf(table, "latency p99\t%s\t\n", milliseconds(r.Latency.P99))
	}
	return table.Flush()
}

// WriteJSON writes the report as one indented JSON object, the figures of each query included.
func (r Report) WriteJSON(w io.Writer) error { return writeJSON(w, r) }

// WriteJSON writes the report as one indented JSON object, the result of each question included.
func (r ConstrainedReport) WriteJSON(w io.Writer) error { return writeJSON(w, r) }

func writeJSON(w io.Writer, report any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(report)
}

// ReadReport reads what WriteJSON of a Report wrote.
func ReadReport(r io.Reader) (report Report, err error) { return report, readJSON(r, &report) }

// ReadConstrainedReport reads what WriteJSON of a ConstrainedReport wrote.
func ReadConstrainedReport(r io.Reader) (report ConstrainedReport, err error) {
	return report, readJSON(r, &report)
}

func readJSON(r io.Reader, report any) error {
	if err := json.NewDecoder(r).Decode(report); err != nil {
		return fmt.Errorf("this is no report that eval --json wrote: %w", err)
	}
	return nil
}

// WriteText writes the tallies as a table for people and, if misses are wanted, below it each
// question whose answer has something wrong.
func (r ConstrainedReport) WriteText(w io.Writer, misses bool) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "\tquestions\tprecision@5\tfound@5\tin order\tcounted\twhole\n")
	for _, t := range append(slices.Clone(r.Kinds), r.ConstrainedTally) {
		order, counted := "", ""
		if t.Ordered > 0 {
			order = fmt.Sprintf("%.3f of %d", t.Order, t.Ordered)
		}
		if t.Counting > 0 {
			counted = fmt.Sprintf("%d of %d", t.Counts, t.Counting)
		}
		fmt.Fprintf(table, "%s\t%d\t%.3f\t%.3f\t%s\t%s\t%d\n", cmp.Or(t.Kind, "all"), t.Questions, t.Precision, t.Found,
			order, counted, t.Whole)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if r.Unasked > 0 {
		fmt.Fprintf(w, "%d questions left out: they are asked at a time of their own\n", r.Unasked)
	}
	if !misses {
		return nil
	}
	for _, q := range r.ByQuestion {
		if !q.Whole() {
			q.writeText(w)
		}
	}
	return nil
}

// writeText writes what is wrong with one answer.
func (r ConstrainedResult) writeText(w io.Writer) {
	fmt.Fprintf(w, "\n%s %s: %q", r.ID, r.Kind, r.Text)
	if len(r.Prev) > 0 {
		fmt.Fprintf(w, " after %q", r.Prev)
	}
	fmt.Fprintf(w, "\n  precision %.2f, found %.2f, %d results, %d items are right\n", r.Precision, r.Found,
		r.Results, r.Right)
	if r.Order != nil && *r.Order < 1 {
		fmt.Fprintf(w, "  in order %.2f\n", *r.Order)
	}
	if r.Counted != nil && !*r.Counted {
		fmt.Fprint(w, "  not as many as asked for\n")
	}
	for _, url := range r.Wrong {
		fmt.Fprintf(w, "  wrong: %s\n", url)
	}
}

// WriteText writes the comparison as a table for people.
func (c Comparison) WriteText(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "\tbefore\tafter\tchange\tinterval\tbetter\tworse\n")
	for _, d := range c {
		fmt.Fprintf(table, "%s\t%.4f\t%.4f\t%+.4f\t%+.4f to %+.4f\t%d\t%d of %d\n",
			d.Figure, d.Before, d.After, d.Change.Mean, d.Change.Low, d.Change.High, d.Better, d.Worse, d.Questions)
	}
	return table.Flush()
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.3f ms", float64(d)/float64(time.Millisecond))
}
