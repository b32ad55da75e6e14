// Package load measures the built frontdesk with made-up content: how long ingest and a warm start
// take, and what memory and disk they need.
//
// The short form holds generous bounds in every test run. The long one prints a table:
//
//	FRONTDESK_LOAD=10000,100000,1000000 go test ./test/load -v -timeout 4h
package load

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/testkit/process"
)

func TestMain(m *testing.M) { process.Main(m) }

// figures are what was measured for one size.
type figures struct {
	passages, items int
	source          int64 // bytes of the content files
	ingest          time.Duration
	ingestMemory    int64
	again           time.Duration // a second run, in which nothing changed
	disk            int64
	start           time.Duration // until the server answers questions
	startCPU        time.Duration // processor time of that, on all cores
	memory          int64         // of the server, after the questions
	latency         []latency     // of questions over HTTP, ten results, by manner
}

// The short form is about the size of a shop with some thousand products, and its bounds leave room
// for a slow machine: they find what got worse by a lot.
const (
	shortPassages = 10_000
	maxIngest     = 30 * time.Second
	maxStart      = 10 * time.Second
	maxMemory     = 200 << 20
)

// Not parallel: it measures what the process takes.
func TestLoadStaysWithinBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("short: measures the real program")
	}
	sizes := []int{shortPassages}
	if list := os.Getenv("FRONTDESK_LOAD"); list != "" {
		sizes = nil
		for entry := range strings.SplitSeq(list, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(entry))
			if err != nil || n < 1 {
				t.Fatalf("FRONTDESK_LOAD is %q; it must be numbers of passages with commas between", list)
			}
			sizes = append(sizes, n)
		}
	}
	t.Log("passages | items | content | ingest | its memory | unchanged again | disk | warm " +
		"start | its CPU time | memory")
	for _, passages := range sizes {
		f := measure(t, passages)
		t.Logf("%d | %d | %s | %.1f s | %s | %.1f s | %s | %.2f s | %.2f s | %s", f.passages, f.items,
			megabytes(f.source),
			f.ingest.Seconds(), megabytes(f.ingestMemory), f.again.Seconds(), megabytes(f.disk), f.start.Seconds(),
			f.startCPU.Seconds(), megabytes(f.memory))
		t.Log(f.row() + " (p50 / p95 / p99 in ms)")
		if passages <= shortPassages && (f.ingest > maxIngest || f.start > maxStart || f.memory > maxMemory) {
			t.Errorf("ingest took %s of %s, a warm start %s of %s, memory %s of %s", f.ingest, maxIngest,
				f.start, maxStart,
				megabytes(f.memory), megabytes(maxMemory))
		}
	}
}

func megabytes(bytes int64) string { return strconv.FormatInt((bytes+1<<19)>>20, 10) + " MB" }

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func measure(t *testing.T, passages int) figures {
	t.Helper()
	source, data := t.TempDir(), t.TempDir()
	c := newCorpus(passages)
	c.write(t, source)
	f := figures{items: c.items(), source: size(t, source)}

	first := ingest(t, data, source)
	f.ingest, f.ingestMemory, f.disk = first.Time, first.MaxRSS, size(t, data)
	f.again = ingest(t, data, source).Time
	f.passages = passages

	began := time.Now()
	server := process.StartWithin(t, 10*time.Minute, "serve", "--listen", "127.0.0.1:0", "--metrics-listen", "off",
		"--data", data)
	f.start, f.startCPU = time.Since(began), server.CPU(t)
	for _, m := range manners {
		f.latency = append(f.latency, m.measure(t, server, c))
	}
	f.memory = server.RSS(t)
	return f
}

func ingest(t *testing.T, data, source string) process.Usage {
	t.Helper()
	usage := process.Measure(t, time.Hour, "ingest", "--data", data, source)
	if usage.Err != nil {
		t.Fatalf("ingest: %v\n%s", usage.Err, usage.Output)
	}
	return usage
}

// questions is how many questions are timed.
const questions = 500

// size is how much space the files of a directory take.
func size(t testing.TB, dir string) (total int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		total += info.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return total
}
