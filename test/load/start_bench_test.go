package load

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"frontdesk/client"
	"frontdesk/internal/testkit/process"
)

// asked is how many questions a server answers before its memory is looked at.
const asked = 10_000

// BenchmarkStart measures starts of the built server with content that was read before: the first,
// which makes the index, and the next, from the files that the first left. FRONTDESK_LOAD names
// other sizes, in passages.
func BenchmarkStart(b *testing.B) {
	sizes := "10000,100000"
	if list := os.Getenv("FRONTDESK_LOAD"); list != "" {
		sizes = list
	}
	for entry := range strings.SplitSeq(sizes, ",") {
		passages, err := strconv.Atoi(strings.TrimSpace(entry))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(passages), func(b *testing.B) {
			source, data := b.TempDir(), b.TempDir()
			c := newCorpus(passages)
			c.write(b, source)
			usage := process.Measure(b, time.Hour, "ingest", "--data", data, source)
			if usage.Err != nil {
				b.Fatalf("ingest: %v\n%s", usage.Err, usage.Output)
			}
			b.ReportMetric(usage.Time.Seconds(), "s/ingest")
			for range b.N {
				for _, start := range []string{"first", "next"} {
					measureStart(b, c, data, start)
				}
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

func measureStart(b *testing.B, c *corpus, data, start string) {
	began := time.Now()
	server := process.StartWithin(b, 20*time.Minute, "serve", "--listen", "127.0.0.1:0", "--metrics-listen", "off",
		"--data", data)
	b.ReportMetric(time.Since(began).Seconds(), "s/"+start)
	b.ReportMetric(server.CPU(b).Seconds(), "cpu-s/"+start)
	if fromFiles := strings.Contains(server.Log(), "from_files=true"); fromFiles != (start == "next") {
		b.Fatalf("the %s start is from files: %v\n%s", start, fromFiles, server.Log())
	}
	desk, err := client.New(server.URL, client.Options{})
	if err != nil {
		b.Fatal(err)
	}
	times := make([]time.Duration, asked)
	for i := range times {
		began := time.Now()
		if _, err := desk.Ask(b.Context(), client.Question{Text: c.question(i)}); err != nil &&
			!client.IsNoResults(err) {
			b.Fatal(err)
		}
		times[i] = time.Since(began)
	}
	slices.Sort(times)
	b.ReportMetric(milliseconds(times[asked/2]), "ms/p50-"+start)
	b.ReportMetric(milliseconds(times[asked*99/100]), "ms/p99-"+start)
	anonymous, mapped := server.Memory(b)
	b.ReportMetric(float64(anonymous)/(1<<20), "anonymous-MiB/"+start)
	b.ReportMetric(float64(mapped)/(1<<20), "mapped-MiB/"+start)
	server.End(b) // which writes the index, if it has not yet
	if kept := size(b, filepath.Join(data, "index")); start == "next" {
		b.ReportMetric(float64(kept)/(1<<20), "files-MiB")
	}
}
