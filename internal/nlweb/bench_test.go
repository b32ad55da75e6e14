package nlweb

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/desk"
	"frontdesk/internal/store/storetest"
	"frontdesk/internal/terms"
)

// shelf is a desk over n generated products, and questions that they answer.
func shelf(b *testing.B, n int) (*desk.Desk, []string) {
	b.Helper()
	ctx := context.Background()
	db := storetest.Chosen(b, content.Schema)
	random := rand.New(rand.NewPCG(1, 2))
	vocabulary := make([]string, 5000)
	for i := range vocabulary {
		vocabulary[i] = fmt.Sprintf("%c%c%cord%d", 'a'+i%26, 'a'+i/26%26, 'a'+i/676, i%97)
	}
	words := func(n int) string {
		picked := make([]string, n)
		for i := range picked {
			f := random.Float64()
			picked[i] = vocabulary[int(f*f*f*float64(len(vocabulary)))]
		}
		return strings.Join(picked, " ")
	}
	var items []content.Item
	for i := range n {
		items = append(items, thing(fmt.Sprintf("https://lamps.example/p/%d", i), "Product", "en", words(8), words(80),
			`"offers":{"price":49.5,"priceCurrency":"EUR"},"image":"https://lamps.example/i.jpg"`))
	}
	catalog := content.New(db, content.Options{})
	run, err := catalog.Begin(ctx, "lamps", "files")
	if err != nil {
		b.Fatal(err)
	}
	if err := run.Put(ctx, items...); err != nil {
		b.Fatal(err)
	}
	if _, err := run.Commit(ctx, content.CommitOptions{}); err != nil {
		b.Fatal(err)
	}
	rules, err := terms.New(nil)
	if err != nil {
		b.Fatal(err)
	}
	d, err := desk.New(desk.Config{Catalog: catalog, Terms: func() *terms.Terms { return rules }, Sites: []desk.Site{{ID: "lamps"}}})
	if err != nil {
		b.Fatal(err)
	}
	if err := d.Refresh(ctx); err != nil {
		b.Fatal(err)
	}
	questions := make([]string, 64)
	for i := range questions {
		questions[i] = words(4)
	}
	return d, questions
}

// BenchmarkAsk compares a whole POST /ask over loopback and keep-alive (ten items, JSON) with its parts, in one
// run: "floor" is a handler that drops the request's body and writes the same bytes from memory, "select" is the
// desk's own work of finding and rendering. The metric over-floor of "ask" is (ask - select) / floor.
func BenchmarkAsk(b *testing.B) {
	d, questions := shelf(b, 7000)
	var bodies, answers [][]byte
	h := Handler(d, Config{})
	for _, q := range questions {
		body := fmt.Sprintf(`{"query":{"text":%q}}`, q)
		bodies = append(bodies, []byte(body))
		answers = append(answers, post(b, h, "", body).Body.Bytes())
	}
	perOp := map[string]time.Duration{}
	overHTTP := func(name string, h http.Handler) {
		server := httptest.NewServer(h)
		defer server.Close()
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				r, _ := http.NewRequest("POST", server.URL+"/ask", bytes.NewReader(bodies[i%len(bodies)]))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("X-Index", fmt.Sprint(i%len(bodies)))
				response, err := server.Client().Do(r)
				if err != nil {
					b.Fatal(err)
				}
				n, _ := io.Copy(io.Discard, response.Body)
				response.Body.Close()
				if response.StatusCode != 200 || n < 1000 {
					b.Fatalf("status %d, %d bytes", response.StatusCode, n)
				}
			}
			perOp[name] = b.Elapsed() / time.Duration(b.N)
			if name == "ask" && perOp["floor"] > 0 {
				b.ReportMetric(float64(perOp["ask"]-perOp["select"])/float64(perOp["floor"]), "over-floor")
			}
		})
	}
	overHTTP("floor", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		var i int
		_, _ = fmt.Sscan(r.Header.Get("X-Index"), &i)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", fmt.Sprint(len(answers[i])))
		_, _ = w.Write(answers[i])
	}))
	b.Run("select", func(b *testing.B) {
		b.ReportAllocs()
		var dst []byte
		for i := 0; b.Loop(); i++ {
			answer, err := d.Ask(context.Background(), desk.Question{Text: questions[i%len(questions)]})
			if err != nil {
				b.Fatal(err)
			}
			dst = dst[:0]
			for result, err := range answer.Results(context.Background()) {
				if err != nil {
					b.Fatal(err)
				}
				dst = result.AppendJSON(dst)
			}
		}
		perOp["select"] = b.Elapsed() / time.Duration(b.N)
	})
	overHTTP("ask", h)
}
