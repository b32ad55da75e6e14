package content_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

// generator makes varied items like those of a shop: an object of about 900 bytes, and passages of
// about 120 words.
type generator struct {
	random *rand.Rand
	words  []string
}

func newGenerator() *generator {
	g := &generator{random: rand.New(rand.NewPCG(1, 2)), words: make([]string, 50_000)}
	for i := range g.words {
		g.words[i] = fmt.Sprintf("%c%x", 'a'+rune(i%26), g.random.Uint32N(1<<20))
	}
	return g
}

func (g *generator) text(words int) string {
	var b strings.Builder
	for range words {
		b.WriteString(g.words[g.random.IntN(len(g.words))])
		b.WriteByte(' ')
	}
	return b.String()
}

func (g *generator) item(i, passages int) content.Item {
	item := content.Item{
		URL:         fmt.Sprintf("https://shop.example/products/%d", i),
		Types:       []string{"Product"},
		Name:        g.text(8),
		Description: g.text(25),
		Keys:        g.text(12),
		Language:    "en",
		Image:       fmt.Sprintf("https://shop.example/images/%d.jpg", i),
		Modified:    time.UnixMicro(int64(i+1) * 1e9).UTC(),
		Origin:      fmt.Sprintf("products.jsonl:%d", i+1),
	}
	item.Object = fmt.Appendf(nil, `{"@type":"Product","url":%q,"name":%q,"description":%q}`, item.URL, item.Name, g.text(90))
	for range passages {
		body := g.text(120)
		item.Passages = append(item.Passages, content.Passage{ID: content.PassageID(body, 0), Text: body})
	}
	return item
}

func generate(count, passages int) (items []content.Item) {
	g := newGenerator()
	for i := range count {
		items = append(items, g.item(i, passages))
	}
	return items
}

func ingest(
	t testing.TB, catalog *content.Catalog, items []content.Item, options content.CommitOptions,
) content.Summary {
	t.Helper()
	run, err := catalog.Begin(context.Background(), "shop", "products")
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Put(context.Background(), items...); err != nil {
		t.Fatal(err)
	}
	summary, err := run.Commit(context.Background(), options)
	if err != nil {
		t.Fatal(err)
	}
	return summary
}

// engines runs a benchmark on SQLite, and on PostgreSQL if there is one. Each call of open gives a
// new database.
func engines(b *testing.B, bench func(b *testing.B, open func() *content.Catalog)) {
	on := func(fresh storetest.Fresh) func(*testing.B) {
		return func(b *testing.B) {
			bench(b, func() *content.Catalog {
				return content.New(storetest.Open(b, fresh(b), content.Schema), content.Options{})
			})
		}
	}
	b.Run(store.SQLite, on(storetest.NewSQLite))
	b.Run(store.PostgreSQL, on(storetest.NewPostgres))
}

const benchItems = 10_000

// BenchmarkIngest fills a source with 10,000 new items of two passages, then puts the same again.
func BenchmarkIngest(b *testing.B) {
	items := generate(benchItems, 2)
	engines(b, func(b *testing.B, open func() *content.Catalog) {
		var fresh, again time.Duration
		for range b.N {
			catalog := open()
			begin := time.Now()
			ingest(b, catalog, items, content.CommitOptions{})
			middle := time.Now()
			if s := ingest(b, catalog, items, content.CommitOptions{}); s.Unchanged != benchItems {
				b.Fatalf("%+v", s)
			}
			fresh += middle.Sub(begin)
			again += time.Since(middle)
		}
		b.ReportMetric(benchItems*float64(b.N)/fresh.Seconds(), "items/s")
		b.ReportMetric(benchItems*float64(b.N)/again.Seconds(), "unchanged/s")
	})
}

// BenchmarkLoad10 loads ten whole items of 10,000, as one answer needs them.
func BenchmarkLoad10(b *testing.B) {
	items := generate(benchItems, 2)
	engines(b, func(b *testing.B, open func() *content.Catalog) {
		catalog := open()
		ingest(b, catalog, items, content.CommitOptions{})
		var refs []content.Ref
		_, err := catalog.Changes(b.Context(), nil, func(change content.Change) error {
			refs = append(refs, change.Entry.Ref)
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		b.ResetTimer()
		for i := range b.N {
			ten := make([]content.Ref, 10)
			for k := range ten {
				ten[k] = refs[(i*7919+k*104729)%len(refs)]
			}
			loaded, err := catalog.LoadItems(b.Context(), ten...)
			if err != nil || loaded[9].URL == "" {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkChanges reads a catalog of 10,000 items whole, as a process does that starts.
func BenchmarkChanges(b *testing.B) {
	items := generate(benchItems, 2)
	engines(b, func(b *testing.B, open func() *content.Catalog) {
		catalog := open()
		ingest(b, catalog, items, content.CommitOptions{})
		b.ResetTimer()
		for range b.N {
			n := 0
			_, err := catalog.Changes(b.Context(), nil, func(content.Change) error { n++; return nil })
			if err != nil || n != benchItems {
				b.Fatal(n, err)
			}
		}
		b.ReportMetric(benchItems*float64(b.N)/b.Elapsed().Seconds(), "items/s")
	})
}

// BenchmarkScale fills an empty catalog with as many passages as FRONTDESK_PASSAGES says, five to
// an item, reads it all, changes one item in a hundred and follows that:
//
//	FRONTDESK_PASSAGES=1000000 go test -run xxx -bench Scale -benchtime 1x -timeout 30m \
//		./internal/content
func BenchmarkScale(b *testing.B) {
	wanted, _ := strconv.Atoi(os.Getenv("FRONTDESK_PASSAGES"))
	if wanted == 0 {
		b.Skip("set FRONTDESK_PASSAGES to the number of passages")
	}
	engines(b, func(b *testing.B, open func() *content.Catalog) {
		for range b.N {
			catalog := open()
			lastReport = time.Now()
			scaleRun(b, catalog, wanted/5, func(int) bool { return false })
			report(b, "fill")
			at, n := readAll(b, catalog, nil)
			report(b, "read")
			scaleRun(b, catalog, wanted/5, func(i int) bool { return i%100 == 0 })
			report(b, "update")
			if _, changed := readAll(b, catalog, at); n != wanted/5 || changed != (wanted/5+99)/100 {
				b.Errorf("%d items, %d changed", n, changed)
			}
			report(b, "follow")
		}
	})
}

// scaleRun puts all items again, some of them changed.
func scaleRun(b *testing.B, catalog *content.Catalog, items int, changed func(int) bool) {
	run, err := catalog.Begin(b.Context(), "shop", "products")
	if err != nil {
		b.Fatal(err)
	}
	for g, i := newGenerator(), 0; i < items; i++ {
		item := g.item(i, 5)
		if changed(i) {
			item.Description += "!"
		}
		if err := run.Put(b.Context(), item); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := run.Commit(b.Context(), content.CommitOptions{}); err != nil {
		b.Fatal(err)
	}
}

func readAll(
	b *testing.B, catalog *content.Catalog, from map[content.SourceKey]int64,
) (to map[content.SourceKey]int64, n int) {
	to, err := catalog.Changes(b.Context(), from, func(content.Change) error { n++; return nil })
	if err != nil {
		b.Fatal(err)
	}
	return to, n
}

var lastReport time.Time

// report logs how long a stage took, and the most memory that the process has had.
func report(b *testing.B, stage string) {
	status, _ := os.ReadFile("/proc/self/status")
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	peak, _, _ = strings.Cut(peak, "\n")
	b.Logf("%-6s %8.2f s, peak memory %s", stage, time.Since(lastReport).Seconds(), strings.TrimSpace(peak))
	lastReport = time.Now()
}
