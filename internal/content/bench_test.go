package content_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/store"
	"frontdesk/internal/store/storetest"
)

// generate makes varied items like those of a shop: an object of about 900 bytes, and passages of about 120 words.
func generate(count, passages int) []content.Item {
	random := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 5000)
	for i := range words {
		words[i] = strings.ToLower(fmt.Sprintf("%c%x", 'a'+rune(i%26), random.Uint32N(1<<20)))
	}
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(words[random.IntN(len(words))])
			b.WriteByte(' ')
		}
		return b.String()
	}
	items := make([]content.Item, count)
	for i := range items {
		item := content.Item{
			URL:         fmt.Sprintf("https://shop.example/products/%d", i),
			Types:       []string{"Product"},
			Name:        text(8),
			Description: text(25),
			Keys:        text(12),
			Language:    "en",
			Image:       fmt.Sprintf("https://shop.example/images/%d.jpg", i),
			Modified:    time.UnixMicro(int64(i) * 1e9).UTC(),
			Origin:      fmt.Sprintf("products.jsonl:%d", i+1),
		}
		item.Object = []byte(fmt.Sprintf(`{"@type":"Product","url":%q,"name":%q,"description":%q}`, item.URL, item.Name, text(90)))
		for range passages {
			body := text(120)
			item.Passages = append(item.Passages, content.Passage{ID: content.PassageID(body, 0), Text: body})
		}
		items[i] = item
	}
	return items
}

func ingest(t testing.TB, catalog *content.Catalog, items []content.Item, options content.CommitOptions) content.Summary {
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

// engines runs a benchmark on SQLite, and on PostgreSQL if there is one.
func engines(b *testing.B, bench func(b *testing.B, db *store.DB)) {
	b.Run(store.SQLite, func(b *testing.B) { bench(b, storetest.Open(b, storetest.NewSQLite(b), content.Schema)) })
	b.Run(store.PostgreSQL, func(b *testing.B) {
		storetest.NeedPostgres(b)
		bench(b, storetest.Open(b, storetest.NewPostgres(b), content.Schema))
	})
}

const benchItems = 10_000

// BenchmarkIngest fills a source with 10,000 new items of two passages, then puts the same again.
func BenchmarkIngest(b *testing.B) {
	items := generate(benchItems, 2)
	engines(b, func(b *testing.B, db *store.DB) {
		catalog := content.New(db, content.Options{})
		var fresh, again time.Duration
		for range b.N {
			begin := time.Now()
			ingest(b, catalog, items, content.CommitOptions{})
			middle := time.Now()
			if s := ingest(b, catalog, items, content.CommitOptions{}); s.Unchanged != benchItems {
				b.Fatalf("%+v", s)
			}
			fresh += middle.Sub(begin)
			again += time.Since(middle)
			b.StopTimer()
			if err := catalog.Remove(b.Context(), "shop", "products"); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
		b.ReportMetric(benchItems*float64(b.N)/fresh.Seconds(), "items/s")
		b.ReportMetric(benchItems*float64(b.N)/again.Seconds(), "unchanged/s")
	})
}

// BenchmarkLoad10 loads ten whole items of 10,000, as one answer needs them.
func BenchmarkLoad10(b *testing.B) {
	items := generate(benchItems, 2)
	engines(b, func(b *testing.B, db *store.DB) {
		catalog := content.New(db, content.Options{})
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
			loaded, err := catalog.Load(b.Context(), ten...)
			if err != nil || loaded[9].URL == "" {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkChanges reads a catalog of 10,000 items whole, as a process does that starts.
func BenchmarkChanges(b *testing.B) {
	items := generate(benchItems, 2)
	engines(b, func(b *testing.B, db *store.DB) {
		catalog := content.New(db, content.Options{})
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
