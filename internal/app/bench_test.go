package app

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/ask"
	askquestions "frontdesk/internal/ask/questions"
	"frontdesk/internal/content"
	"frontdesk/internal/identity/visitors"
)

// shelf is a server with n generated products, as it runs by default except that its log goes
// nowhere, and questions that they answer.
func shelf(b *testing.B, n int) (*App, []string) {
	b.Helper()
	loaded, err := Load(
		Layers{Flags: map[string]string{"keys": b.TempDir(), "store": filepath.Join(b.TempDir(), "bench.db"),
			"ask.min_score": "0"}})
	if err != nil {
		b.Fatal(err)
	}
	s, err := Build(b.Context(), Options{Loaded: loaded, Log: NewLog(Log{Level: "info", Format: "text"}, io.Discard)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
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
	items := make([]content.Item, n)
	for i := range items {
		items[i] = product(fmt.Sprintf("https://lamps.example/p/%d", i), words(8), words(80))
	}
	fill(b, s, items...)
	questions := make([]string, 64)
	for i := range questions {
		questions[i] = words(4)
	}
	return s, questions
}

func product(url, name, text string) content.Item {
	return content.Item{
		URL: url, Types: []string{"Product"}, Name: name, Description: text, Language: "en",
		Passages: []content.Passage{{ID: content.PassageID(text, 0), Text: text}},
		Object: fmt.Appendf(nil, `{"@type":"Product","url":%q,"name":%q,"description":%q,"image":"https://lamps.example/i.jpg",`+
			`"offers":{"price":49.5,"priceCurrency":"EUR"}}`, url, name, text),
	}
}

// BenchmarkAsk compares a whole POST /ask over loopback and keep-alive (ten items, JSON) with its
// parts, in one run: "floor" is a handler that drops the request's body and writes the same bytes
// from memory; "search" is the same handler after the items were found and rendered, so that the
// work is done where a server does it, between two system calls, and "select" is that work by
// itself in a loop; "ask" passes all that a request passes, event, log line and counters with it.
// The metric over-floor of "ask" is (ask - (search - floor)) / floor: what an ask costs beside its
// search.
func BenchmarkAsk(b *testing.B) {
	s, questions := shelf(b, 7000)
	d := s.Ask
	var bodies, answers [][]byte
	for _, q := range questions {
		bodies = append(bodies, fmt.Appendf(nil, `{"query":{"text":%q}}`, q))
		answers = append(answers, send(s, asking(q)).Body.Bytes())
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
			if name == "ask" && perOp["floor"] > 0 && perOp["search"] > 0 {
				b.ReportMetric(float64(perOp["ask"]-perOp["search"]+perOp["floor"])/float64(perOp["floor"]),
					"over-floor")
			}
		})
	}
	memory := func(before func(i int)) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			i, _ := strconv.Atoi(r.Header.Get("X-Index"))
			before(i)
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", strconv.Itoa(len(answers[i])))
			_, _ = w.Write(answers[i])
		})
	}
	buffers := sync.Pool{New: func() any { return new([]byte) }}
	find := func(i int) {
		answer, err := answerTo(d.Ask(context.Background(), ask.Question{Text: questions[i]}))
		if err != nil {
			b.Error(err)
			return
		}
		buffer := buffers.Get().(*[]byte)
		*buffer = (*buffer)[:0]
		for result, err := range answer.Results(context.Background()) {
			if err != nil {
				b.Error(err)
			}
			*buffer = result.AppendJSON(*buffer)
		}
		buffers.Put(buffer)
	}
	b.Run("select", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			find(i % len(questions))
		}
	})
	overHTTP("floor", memory(func(int) {}))
	overHTTP("search", memory(find))
	overHTTP("ask", s)
}

// BenchmarkFront is what every request costs beside its handler: routing, event, log, metrics,
// headers.
func BenchmarkFront(b *testing.B) {
	loaded, err := Load(
		Layers{Flags: map[string]string{"keys": b.TempDir(), "store": filepath.Join(b.TempDir(), "bench.db")}})
	if err != nil {
		b.Fatal(err)
	}
	s, err := Build(b.Context(), Options{
		Loaded: loaded, Log: NewLog(Log{Level: "info", Format: "text"}, io.Discard),
		Pages: map[string]http.Handler{"/nothing": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(200)
		})},
	})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	r, w := httptest.NewRequest("GET", "/nothing", nil), httptest.NewRecorder()
	b.ReportAllocs()
	for b.Loop() {
		s.ServeHTTP(w, r)
	}
}

// answerTo takes the answer out of a reply.
func answerTo(reply *ask.Reply, err error) (*ask.Answer, error) {
	if err != nil {
		return nil, err
	}
	return reply.Answer, nil
}

// BenchmarkAskCounted is an ask that nobody counts, and the same with what counts it: the keeper of
// questions and the counter of visitors. The metric counting-us of the second is the difference in
// microseconds.
func BenchmarkAskCounted(b *testing.B) {
	s, questions := shelf(b, 7000)
	source := askquestions.Source{Protocol: "mcp", Kind: askquestions.OtherAgent, Agent: "GPTBot",
		Address: "agent GPTBot"}
	var plain time.Duration
	for _, counted := range []bool{false, true} {
		b.Run(fmt.Sprint("counted=", counted), func(b *testing.B) {
			ctx := b.Context()
			if counted {
				ctx = askquestions.With(ctx, source)
			}
			for i := 0; b.Loop(); i++ {
				if _, err := answerTo(s.Ask.Ask(ctx, ask.Question{Text: questions[i%len(questions)]})); err != nil {
					b.Fatal(err)
				}
				if counted {
					s.Counter.Count(visitors.Visit{Agent: "GPTBot", Known: "word", Channel: "mcp",
						What: visitors.Asked})
				}
			}
			each := b.Elapsed() / time.Duration(b.N)
			if !counted {
				plain = each
				return
			}
			b.ReportMetric(float64(each-plain)/float64(time.Microsecond), "counting-us")
		})
	}
}
