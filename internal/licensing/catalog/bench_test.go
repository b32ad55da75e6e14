package catalog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/testkit/storetest"
)

// article is an item as a news site has it: about 150 bytes of text and 300 of markup, for the
// catalog alone is measured.
func article(i int) content.Item {
	address := fmt.Sprintf("https://news.example/2026/%02d/%02d/a-story-about-something-%d", i%12+1, i%28+1, i)
	name := fmt.Sprintf("A story about something, number %d", i)
	body := fmt.Sprintf("Number %d happened yesterday, and nobody was prepared for it. Those who were there say so, "+
		"and those who were not say something else.", i)
	return content.Item{
		URL: address, Types: []string{"NewsArticle"}, Name: name, Description: name, Language: "en",
		Publisher: "The News",
		Published: time.Unix(int64(i)*60, 0).UTC(), Modified: time.Unix(int64(i)*60+30, 0).UTC(), Origin: "feed",
		Object: fmt.Appendf(nil, `{"@type":"NewsArticle","url":%q,"headline":%q,"author":{"@type":"Person","name":"Writer %d"},"publisher":{"@type":"Organization","name":"The News"},"datePublished":"2026-01-02T03:04:05Z"}`,
			address, name, i%500),
		Passages: []content.Passage{{ID: content.PassageID(body, 0), Text: body}},
	}
}

func fill(b testing.TB, db *content.Catalog, from, to int) {
	b.Helper()
	run, err := db.Begin(b.Context(), "news", "feed")
	if err != nil {
		b.Fatal(err)
	}
	for i := from; i < to; i += 1000 {
		var items []content.Item
		for k := i; k < min(i+1000, to); k++ {
			items = append(items, article(k))
		}
		if err := run.Put(b.Context(), items...); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := run.Commit(b.Context(), content.CommitOptions{Partial: true}); err != nil {
		b.Fatal(err)
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkCatalog fills a database with as many items as FRONTDESK_ENTRIES says (100,000 without),
// and measures how long the catalog takes to load from it and from its file, what it holds in
// memory, and a lookup:
//
//	FRONTDESK_ENTRIES=1000000 go test -run xxx -bench Catalog \
//		-benchtime 1x -timeout 30m ./internal/licensing/catalog
func BenchmarkCatalog(b *testing.B) {
	entries, _ := strconv.Atoi(os.Getenv("FRONTDESK_ENTRIES"))
	if entries == 0 {
		entries = 100_000
	}
	engines := map[string]storetest.Fresh{store.SQLite: storetest.NewSQLite, store.PostgreSQL: storetest.NewPostgres}
	for engine, fresh := range engines {
		b.Run(engine, func(b *testing.B) {
			db := content.New(storetest.Open(b, fresh(b), content.Schema), content.Options{})
			fill(b, db, 0, entries)
			file := filepath.Join(b.TempDir(), "catalog")
			for range b.N {
				measure(b, db, file, entries)
			}
		})
	}
}

// processor is how much time of processors the process took so far: the measure when others use the
// same machine.
func processor() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func measure(b *testing.B, db *content.Catalog, file string, entries int) {
	os.Remove(file)
	load := func(what string) *catalog.Catalog {
		before, begin, used := heap(), time.Now(), processor()
		c, err := catalog.New(catalog.Config{Content: db, Snapshot: file})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := c.Refresh(b.Context()); err != nil || c.Len() != entries {
			b.Fatal(c.Len(), err)
		}
		b.ReportMetric(time.Since(begin).Seconds(), "s/load-"+what)
		b.ReportMetric((processor() - used).Seconds(), "cpu-s/load-"+what)
		b.ReportMetric(float64(heap()-before)/float64(entries), "bytes/entry-"+what)
		return c
	}
	c := load("sql")
	begin := time.Now()
	if err := c.Save(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(time.Since(begin).Seconds(), "s/save")
	c = load("file")
	const lookups = 200_000
	addresses := make([]string, lookups)
	for i := range addresses {
		addresses[i] = article(i * 7919 % entries).URL
	}
	used := processor()
	begin = time.Now()
	for _, address := range addresses {
		if found := c.Find(address); len(found) != 1 || found[0].URL != address {
			b.Fatal(found)
		}
	}
	b.ReportMetric(float64(time.Since(begin).Nanoseconds())/lookups, "ns/lookup")
	b.ReportMetric(float64((processor()-used).Nanoseconds())/lookups, "cpu-ns/lookup")
	begin = time.Now()
	for _, address := range addresses {
		if found := c.Find(address + "x"); len(found) != 0 {
			b.Fatal(found)
		}
	}
	b.ReportMetric(float64(time.Since(begin).Nanoseconds())/lookups, "ns/miss")
}
