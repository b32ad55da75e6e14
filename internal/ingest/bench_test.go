package ingest

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"frontdesk/internal/content"
)

// products makes lines of products with texts of about the length that shops write, none like another.
func products(n int) string {
	r := rand.New(rand.NewPCG(1, 2))
	text := func(words int) string {
		var out []string
		for len(out) < words {
			sentence := 6 + r.IntN(20)
			out = append(out, "The")
			for range sentence {
				out = append(out, fmt.Sprintf("word%d", int(r.ExpFloat64()*400)))
			}
			out[len(out)-1] += "."
		}
		return strings.Join(out, " ")
	}
	var lines strings.Builder
	for i := range n {
		line, err := json.Marshal(map[string]any{
			"@context": "https://schema.org", "@type": "Product", "url": fmt.Sprintf("https://shop.example/p/%d", i), "sku": fmt.Sprint(i),
			"name": text(12), "description": strings.ReplaceAll(text(40+r.IntN(240)), ". The", ".\nThe"), "color": "red",
			"brand": map[string]any{"@type": "Brand", "name": fmt.Sprintf("Brand %d", r.IntN(500))}, "image": fmt.Sprintf("https://img.example/%d.jpg", i),
			"category": "Home > Kitchen > Pans", "offers": map[string]any{"@type": "Offer", "price": 19.9, "priceCurrency": "EUR"},
			"aggregateRating": map[string]any{"@type": "AggregateRating", "ratingValue": 4.5, "ratingCount": r.IntN(1000)},
		})
		if err != nil {
			panic(err)
		}
		lines.Write(line)
		lines.WriteByte('\n')
	}
	return lines.String()
}

func benchmarkItems(b *testing.B, source Source, bytes int) {
	b.SetBytes(int64(bytes))
	b.ReportAllocs()
	for b.Loop() {
		items := 0
		err := Items(context.Background(), source, func(content.Item) error { items++; return nil }, func(p Problem) { b.Fatal(p) })
		if err != nil || items == 0 {
			b.Fatal(err)
		}
	}
}

// BenchmarkProducts reads and maps as many products as the judged collection of shopping questions has; with
// ITEMS=FILE it reads that file instead.
func BenchmarkProducts(b *testing.B) {
	if name := os.Getenv("ITEMS"); name != "" {
		info, err := os.Stat(name)
		if err != nil {
			b.Fatal(err)
		}
		benchmarkItems(b, Source{Site: "shop.example", Path: name}, int(info.Size()))
		return
	}
	lines := products(6764)
	benchmarkItems(b, Source{Site: "shop.example", FS: fstest.MapFS{"items.jsonl.gz": {Data: []byte(zip(b, lines))}}}, len(lines))
}

// BenchmarkPage reads an article's page, whose main text has to be found.
func BenchmarkPage(b *testing.B) {
	var page strings.Builder
	page.WriteString(`<html lang="en"><head><title>A page</title><script type="application/ld+json">{"@type":"NewsArticle","headline":"A page"}</script></head><body><nav>`)
	for i := range 100 {
		fmt.Fprintf(&page, `<li><a href="/%d">Section %d of the site</a></li>`, i, i)
	}
	page.WriteString("</nav><main><article><h1>A page</h1>")
	for range 60 {
		page.WriteString("<p>" + strings.Repeat("There is a sentence here, and it has some <em>words</em> in it. ", 6) + "</p>")
	}
	page.WriteString("</article></main><footer>The end</footer></body></html>")
	benchmarkItems(b, Source{Site: "news.example", FS: fstest.MapFS{"a.html": {Data: []byte(page.String())}}}, page.Len())
}
