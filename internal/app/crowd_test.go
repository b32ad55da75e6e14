package app

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// figures reads what the metrics tell, and what else is answered beside them.
func beside(t *testing.T, log *logbook, path string) (status int, text string) {
	t.Helper()
	var at struct{ Address string }
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, `"msg":"metrics"`) {
			if err := json.Unmarshal([]byte(line), &at); err != nil {
				t.Fatal(err)
			}
		}
	}
	response, err := http.Get("http://" + at.Address + path)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// one has a request be sent on a connection of its own, and gives the status of the answer.
func one(t *testing.T, address, request string) int {
	t.Helper()
	_, response := dialed(t, address, request)
	return response.StatusCode
}

func dialed(t *testing.T, address, request string) (net.Conn, *http.Response) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	_, _ = io.WriteString(conn, request)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, response.Body)
	return conn, response
}

const question = `{"query":{"text":"lentil soup"}}`

var asked1 = fmt.Sprintf("POST /ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
	"Content-Length: %d\r\n\r\n%s", len(question), question)

// TestIdleConnectionsKeepNobodyOut has as many connections idle as may be open, over either version
// of HTTP.
func TestIdleConnectionsKeepNobodyOut(t *testing.T) {
	t.Parallel()
	s, log := open(t, "limits: {connections: 4, connections_per_address: 4, idle_timeout: 1h}")
	address, _ := run(t, s)
	for range 2 {
		_, _ = dialed(t, address, asked1)
		preface(t, address)
	}
	for i := range 6 {
		if status := one(t, address, asked1); status != http.StatusOK {
			t.Errorf("question %d: %d", i, status)
		}
	}
	if _, text := beside(t, log, "/metrics"); !strings.Contains(text, `frontdesk_connections_shed_total{reason="address"} 6`) {
		t.Errorf("the figures say\n%s", text)
	}
	if strings.Count(log.String(), "limits.connections_per_address") != 1 {
		t.Errorf("the log says\n%s", log)
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if status, text := beside(t, log, path); status != http.StatusOK {
			t.Errorf("%s beside the figures: %d %s", path, status, text)
		}
	}
}

// preface begins an HTTP/2 connection and waits until the server has acknowledged that.
func preface(t *testing.T, address string) (net.Conn, *http2.Framer) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	_, _ = io.WriteString(conn, http2.ClientPreface)
	framer := http2.NewFramer(conn, bufio.NewReader(conn))
	_ = framer.WriteSettings()
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			t.Fatal(err)
		}
		if settings, ok := frame.(*http2.SettingsFrame); ok && settings.IsAck() {
			return conn, framer
		}
	}
}

// TestRequestsWithoutBodiesKeepNobodyOut has as many requests wait for their bodies as may be in
// work.
func TestRequestsWithoutBodiesKeepNobodyOut(t *testing.T) {
	t.Parallel()
	s, log := open(t, "limits: {requests: 4, read_timeout: 1h}")
	address, _ := run(t, s)
	var framers []*http2.Framer
	for i := range 10 {
		_, framer := preface(t, address)
		framers = append(framers, framer)
		var block []byte
		for _, field := range [][2]string{{":method", "POST"}, {":scheme", "http"}, {":authority", "localhost"},
			{":path", "/ask"}, {"content-type", "application/json"}} {
			block = headerField(block, field[0], field[1])
		}
		if err := framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block,
			EndHeaders: true}); err != nil {
			t.Fatal(err)
		}
		if i >= 4 { // the one that has waited longest is told that its body did not come
			for {
				frame, err := framers[i-4].ReadFrame()
				if err != nil {
					t.Fatal(err)
				}
				if data, ok := frame.(*http2.DataFrame); ok && data.StreamEnded() {
					break
				}
			}
		}
		for s.front.Waiting() < min(i+1, 4) {
			runtime.Gosched()
		}
	}
	if n := s.front.InWork.Load(); n != 4 {
		t.Errorf("%d are in work", n)
	}
	for i := range 6 {
		if status := one(t, address, asked1); status != http.StatusOK {
			t.Errorf("question %d: %d", i, status)
		}
	}
	_, text := beside(t, log, "/metrics")
	if !strings.Contains(text, "frontdesk_requests_cut_total ") ||
		strings.Contains(text, "frontdesk_requests_cut_total 0\n") {
		t.Errorf("the figures say\n%s", text)
	}
	if strings.Count(log.String(), "waited longest for their bodies") != 1 || !strings.Contains(log.String(), `"status":408`) {
		t.Errorf("the log says\n%s", log)
	}
}

// TestBusyConnectionsThatSendNoBodyKeepNobodyOut has a request wait for its body on every
// connection that may be open.
func TestBusyConnectionsThatSendNoBodyKeepNobodyOut(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "limits: {connections: 2, read_timeout: 1h}")
	address, _ := run(t, s)
	for range 2 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, strings.TrimSuffix(asked1, "}"))
	}
	if status := one(t, address, asked1); status != http.StatusOK {
		t.Errorf("%d", status)
	}
}

// TestABodyThatIsTooLargeIsToldSo sends all of it before it reads the answer, as many clients do.
func TestABodyThatIsTooLargeIsToldSo(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "ramp: {enabled: true, domain: desk.example}\nintent: {enabled: true, publisher: {id: house, "+
		"domain: example.com, name: House}, domains: [food], compliance: {last_updated: \"2026-11-01\"}}\n")
	address, _ := run(t, s)
	chunk := strings.Repeat(" ", 64<<10)
	const chunks = 512 // 32 MiB, more than systems buffer
	for _, path := range []string{
		"/ask", "/mcp", intentRetrieve, "/ramp.v1.ExchangeService/DiscoverResources", "/nowhere",
	} {
		for _, chunked := range []bool{false, true} {
			want := http.StatusRequestEntityTooLarge
			if path == "/nowhere" {
				if want = http.StatusNotFound; chunked {
					continue
				}
			}
			conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
			length := fmt.Sprintf("Content-Length: %d", chunks*len(chunk))
			if chunked {
				length = "Transfer-Encoding: chunked"
			}
			_, _ = fmt.Fprintf(conn,
				"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n%s\r\n\r\n", path, length)
			for i := 0; i < chunks && err == nil; i++ {
				if chunked {
					_, err = fmt.Fprintf(conn, "%x\r\n%s\r\n", len(chunk), chunk)
				} else {
					_, err = io.WriteString(conn, chunk)
				}
			}
			if err != nil {
				t.Errorf("%s, chunked %v: the body could not be sent: %v", path, chunked, err)
				continue
			}
			if chunked {
				_, _ = io.WriteString(conn, "0\r\n\r\n")
			}
			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Errorf("%s, chunked %v: %v", path, chunked, err)
			} else if response.StatusCode != want || !response.Close {
				t.Errorf("%s, chunked %v: %s, close %v", path, chunked, response.Status, response.Close)
			}
		}
	}
}

func headerField(block []byte, name, value string) []byte {
	var out bytes.Buffer
	_ = hpack.NewEncoder(&out).WriteField(hpack.HeaderField{Name: name, Value: value})
	return append(block, out.Bytes()...)
}
