package app

import (
	apphttp "frontdesk/internal/app/http"

	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"weak"

	"frontdesk/internal/content"
)

// lamps fills a server with items whose answer does not fit into the buffers between server and
// client.
func lamps(t *testing.T, s *App) {
	t.Helper()
	items := make([]content.Item, 1000)
	for i := range items {
		items[i] = product(fmt.Sprintf("https://lamps.example/p/%d", i), fmt.Sprintf("lamp %d", i),
			strings.Repeat("lamp oil wick light ", 300))
	}
	fill(t, s, items...)
}

// asker is one connection, with what it takes to ask on it and to read answers.
type asker struct {
	net.Conn
	in *bufio.Reader
}

func connect(t *testing.T, address string) *asker {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &asker{conn, bufio.NewReader(conn)}
}

// streamOf is a request for a stream of so many results.
func streamOf(limit int, protocol string) string {
	body := fmt.Sprintf(`{"query":{"text":"lamp","limit":%d,"min_score":0},"prefer":{"streaming":true}}`, limit)
	return fmt.Sprintf("POST /ask %s\r\nHost: lamps.example\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\n\r\n%s", protocol, len(body), body)
}

// read reads an answer and holds that it is a whole stream of so many results.
func (a *asker) read(t *testing.T, limit int) *http.Response {
	t.Helper()
	response, err := http.ReadResponse(a.in, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	if n := strings.Count(string(text), "event: result\n"); err != nil || n != limit ||
		!strings.Contains(string(text), "event: complete\n") {
		t.Fatalf("status %s: %d of %d results, %v", response.Status, n, limit, err)
	}
	return response
}

func TestStreamLeavesItsConnectionToTheNextRequest(t *testing.T) {
	t.Parallel()
	s, log := open(t, "")
	lamps(t, s)
	address, stop := run(t, s)
	defer stop()
	a := connect(t, address)
	for range 3 {
		io.WriteString(a, streamOf(40, "HTTP/1.1"))
		response := a.read(t, 40)
		for name, want := range map[string]string{
			"Content-Type": "text/event-stream", "Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff",
			"Access-Control-Allow-Origin": "*", "Connection": "",
		} {
			if got := response.Header.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		if response.Header.Get("Date") == "" || response.Header.Get("X-Request-Id") == "" {
			t.Errorf("headers: %v", response.Header)
		}
		io.WriteString(a, "GET /healthz HTTP/1.1\r\nHost: lamps.example\r\n\r\n")
		if response, err := http.ReadResponse(a.in, nil); err != nil || response.StatusCode != 200 {
			t.Fatalf("the next request: %v, %v", response, err)
		} else if _, err := io.ReadAll(response.Body); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(log.String(), `"results":40`); n != 3 || s.front.InWork.Load() != 0 {
		t.Errorf("%d streams are in the log, %d requests in work:\n%s", n, s.front.InWork.Load(), log)
	}
}

func TestStreamClosesAConnectionThatCannotGoOn(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "")
	lamps(t, s)
	address, stop := run(t, s)
	defer stop()
	for name, text := range map[string]string{
		"another request was sent at once": streamOf(10, "HTTP/1.1") + streamOf(10, "HTTP/1.1"),
		"the client says close": strings.Replace(streamOf(10, "HTTP/1.1"), "Host:",
			"Connection: close\r\nHost:", 1),
		"HTTP/1.0": streamOf(10, "HTTP/1.0"),
	} {
		a := connect(t, address)
		io.WriteString(a, text)
		if response := a.read(t, 10); !response.Close {
			t.Errorf("%s: the answer does not say that the connection is closed: %v", name, response.Header)
		}
		if _, err := a.in.ReadByte(); err == nil {
			t.Errorf("%s: the connection goes on", name)
		}
	}
}

func TestStoppingServerCutsAStreamThatNobodyReads(t *testing.T) {
	t.Parallel()
	s, log := open(t, "ask: {stranger_limit: 1000}\nlimits: {shutdown_timeout: 50ms}")
	lamps(t, s)
	address, stop := run(t, s)
	a := connect(t, address)
	a.Conn.(*net.TCPConn).SetReadBuffer(4096)
	io.WriteString(a, streamOf(1000, "HTTP/1.1"))
	if _, err := a.in.Peek(1); err != nil {
		t.Fatal(err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "requests were cut off") {
		t.Errorf("the log does not tell:\n%s", log)
	}
	if err := s.front.Detached.Wait(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestStreamHoldsNothingOfItsRequest holds that a stream that waits for its client keeps no
// request, and so none of the buffers that net/http read it with.
func TestStreamHoldsNothingOfItsRequest(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "ask: {stranger_limit: 1000}\nlimits: {shutdown_timeout: 50ms}")
	lamps(t, s)
	var asked weak.Pointer[url.URL] // which each copy of the request shares
	routes := s.front.Routes
	s.front.Routes = http.NewServeMux()
	s.front.Routes.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		asked = weak.Make(r.URL)
		routes.ServeHTTP(w, r)
	})
	address, stop := run(t, s)
	defer stop()
	a := connect(t, address)
	a.Conn.(*net.TCPConn).SetReadBuffer(4096)
	io.WriteString(a, streamOf(1000, "HTTP/1.1"))
	if _, err := a.in.Peek(1); err != nil {
		t.Fatal(err)
	}
	for range 100 { // the handlers may still be returning
		if runtime.GC(); asked.Value() == nil {
			return
		}
	}
	t.Error("the request is still held while its answer waits")
}

// TestPanicInAStreamIsSeenByItsClient holds that an answer that broke off is not taken for a whole
// one.
func TestPanicInAStreamIsSeenByItsClient(t *testing.T) {
	t.Parallel()
	s, log := open(t, "")
	s.front.Routes.HandleFunc("/broken", func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		begun := w.(*apphttp.Recorder).Detach(r.Context(), func(_ context.Context, w http.ResponseWriter) {
			io.WriteString(w, "half")
			http.NewResponseController(w).Flush()
			panic("at the disco")
		})
		if !begun || w.(*apphttp.Recorder).Detach(r.Context(), nil) {
			t.Error("an answer is set aside once")
		}
	})
	address, stop := run(t, s)
	defer stop()
	response, err := http.Post(address+"/broken", "text/plain", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); err == nil || string(text) != "half" {
		t.Errorf("%q, %v", text, err)
	}
	if err := s.front.Detached.Wait(t.Context()); err != nil || s.front.InWork.Load() != 0 {
		t.Errorf("%v, %d requests in work", err, s.front.InWork.Load())
	}
	if !strings.Contains(log.String(), "at the disco") {
		t.Errorf("the log does not tell:\n%s", log)
	}
}
