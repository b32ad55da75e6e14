package server

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"frontdesk/internal/content"
)

// BenchmarkAsk asks over a loopback connection that is kept alive, for ten results as JSON, beside a handler that
// writes the same bytes from memory: the difference is what reading, searching, deciding, rendering, counting and
// logging cost.
func BenchmarkAsk(b *testing.B) {
	loaded, err := Load(Layers{Flags: map[string]string{"store": filepath.Join(b.TempDir(), "bench.db")}})
	if err != nil {
		b.Fatal(err)
	}
	s, err := New(b.Context(), Options{Loaded: loaded, Log: NewLog(Log{Level: "info", Format: "text"}, io.Discard)})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	run, err := s.Catalog.Begin(b.Context(), DefaultSite, "bench")
	if err != nil {
		b.Fatal(err)
	}
	for i := range 2000 {
		url := fmt.Sprintf("https://example.com/%d", i)
		name := fmt.Sprintf("Soup %d with %s and %s", i, []string{"lentils", "carrots", "beans"}[i%3], []string{"lemon", "cumin", "mint", "dill"}[i%4])
		err := run.Put(b.Context(), content.Item{
			URL: url, Types: []string{"Recipe"}, Name: name, Description: "A soup for a cold evening, ready in half an hour.",
			Object: fmt.Appendf(nil, `{"@type":"Recipe","url":%q,"name":%q,"description":"A soup for a cold evening, ready in half an hour.","totalTime":"PT30M","recipeYield":4}`, url, name),
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	if _, err := run.Commit(b.Context(), content.CommitOptions{}); err != nil {
		b.Fatal(err)
	}
	if err := s.Desk.Refresh(b.Context()); err != nil {
		b.Fatal(err)
	}
	w := send(s, ask("soup with lentils and mint"))
	if w.Code != 200 || w.Body.Len() < 1000 {
		b.Fatalf("%d %s", w.Code, w.Body)
	}
	ready := w.Body.Bytes()
	b.Run("frontdesk", func(b *testing.B) { hammer(b, s) })
	b.Run("memory", func(b *testing.B) {
		hammer(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", fmt.Sprint(len(ready)))
			w.Write(ready)
		}))
	})
}

// hammer asks one question after the other over one connection.
func hammer(b *testing.B, handler http.Handler) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	web := &http.Server{Handler: handler}
	go web.Serve(listener)
	defer web.Close()
	address := "http://" + listener.Addr().String() + "/ask"
	body := []byte(`{"query":{"text":"soup with lentils and mint"}}`)
	b.ReportAllocs()
	for b.Loop() {
		response, err := http.Post(address, "application/json", bytes.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != 200 {
			b.Fatal(response.Status, err)
		}
		response.Body.Close()
	}
}

// BenchmarkFront is what every request costs beside its handler: routing, event, log, metrics, headers.
func BenchmarkFront(b *testing.B) {
	loaded, err := Load(Layers{Flags: map[string]string{"store": filepath.Join(b.TempDir(), "bench.db")}})
	if err != nil {
		b.Fatal(err)
	}
	s, err := New(b.Context(), Options{
		Loaded: loaded, Log: NewLog(Log{Level: "info", Format: "text"}, io.Discard),
		Pages: map[string]http.Handler{"/nothing": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(200) })},
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
