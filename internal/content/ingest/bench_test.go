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
	"frontdesk/internal/content/ingest/document"
	"frontdesk/internal/testkit/contenttest"
)

// products makes lines of products with texts of about the length that shops write, none like
// another.
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
			"@context": "https://schema.org", "@type": "Product", "url": fmt.Sprintf("https://shop.example/p/%d", i),
			"sku":  fmt.Sprint(i),
			"name": text(12), "description": strings.ReplaceAll(text(40+r.IntN(240)), ". The", ".\nThe"),
			"color":    "red",
			"brand":    map[string]any{"@type": "Brand", "name": fmt.Sprintf("Brand %d", r.IntN(500))},
			"image":    fmt.Sprintf("https://img.example/%d.jpg", i),
			"category": "Home > Kitchen > Pans",
			"offers":   map[string]any{"@type": "Offer", "price": 19.9, "priceCurrency": "EUR"},
			"aggregateRating": map[string]any{"@type": "AggregateRating", "ratingValue": 4.5,
				"ratingCount": r.IntN(1000)},
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
		err := itemsOf(context.Background(), source, func(content.Item) error {
			items++
			return nil
		}, func(p document.Problem) {
			b.Fatal(p)
		})
		if err != nil || items == 0 {
			b.Fatal(err)
		}
	}
}

// BenchmarkProducts reads and maps as many products as the judged collection of shopping questions
// has; with ITEMS=FILE it reads that file instead.
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
	benchmarkItems(b,
		Source{Site: "shop.example", FS: fstest.MapFS{"items.jsonl.gz": {Data: []byte(contenttest.Gzip(b, lines))}}},
		len(lines))
}

// bigPage is a page of about 100 KB, as sites write them: much around a text, and classes and
// styles on everything.
func bigPage(data string) string {
	var page strings.Builder
	page.WriteString(`<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>A page | A site</title><style>` + strings.Repeat(".wp-block{color:#123456;margin:0 auto}\n", 400) + `</style>` + data + `</head><body class="single has-sidebar"><div id="page"><header class="site-header"><nav><ul>`)
	for i := range 100 {
		fmt.Fprintf(&page, `<li class="menu-item menu-item-%d"><a href="/%d" class="menu-link">Section %d of the site</a></li>`, i, i, i)
	}
	page.WriteString(`</ul></nav></header><main><article class="post"><h1>A page</h1><div class="entry-content">`)
	for i := range 40 {
		page.WriteString(`<p class="wp-block-paragraph has-text">` +
			strings.Repeat("There is a sentence here, and it has some <em>words</em> in it. ", 6) + "</p>")
		if i%8 == 0 {
			page.WriteString(`<figure class="wp-block-image"><img src="/i.jpg" srcset="` + strings.Repeat("/i-100x100.jpg 100w, ", 12) + `" alt=""></figure><h2>Another part</h2>`)
		}
	}
	page.WriteString(`</div></article></main><aside class="sidebar"><ul>`)
	for i := range 120 {
		fmt.Fprintf(&page, `<li class="card card--related"><a href="/related/%d"><img src="/t.jpg" loading="lazy" alt=""><span class="card__title">Another page of the site, number %d</span></a></li>`, i, i)
	}
	page.WriteString(`</ul></aside><footer>The end</footer></div><script>` + strings.Repeat("window.dataLayer.push({event:'view',value:1});", 500) + `</script></body></html>`)
	return page.String()
}

// benchmarkPages reads many pages on all cores and reports how many a second.
func benchmarkPages(b *testing.B, page string) {
	const count = 200
	files := fstest.MapFS{}
	for i := range count {
		files[fmt.Sprintf("%03d.html", i)] = &fstest.MapFile{Data: []byte(page)}
	}
	benchmarkItems(b, Source{Site: "news.example", FS: files}, count*len(page))
	b.ReportMetric(float64(count*b.N)/b.Elapsed().Seconds(), "pages/s")
}

// BenchmarkPageOfText reads pages whose main text has to be found.
func BenchmarkPageOfText(b *testing.B) { benchmarkPages(b, bigPage("")) }

// BenchmarkPageOfData reads the same pages with data that says enough.
func BenchmarkPageOfData(b *testing.B) {
	recipe := `{"@context":"https://schema.org","@type":"Recipe","name":"A page","description":"What it says.","recipeIngredient":["Flour"],"recipeInstructions":[` +
		strings.Repeat(`{"@type":"HowToStep","text":"Stir for a while, and then stir some more."},`, 9) + `{"@type":"HowToStep","text":"Eat."}],"totalTime":"PT1H"}`
	benchmarkPages(b, bigPage(`<script type="application/ld+json">`+recipe+`</script>`))
}
