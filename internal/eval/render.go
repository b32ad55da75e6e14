package eval

import (
	"encoding/json"
	"fmt"
	"io"
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
func (r Report) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.3f ms", float64(d)/float64(time.Millisecond))
}
