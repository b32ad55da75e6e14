package hostile

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestGigabyteBodyIsNotTaken streams a gigabyte, with its length announced and in chunks: the
// server refuses it after little of it, with an answer or by closing.
func TestGigabyteBodyIsNotTaken(t *testing.T) {
	t.Parallel()
	s := start(t)
	const gigabyte = 1 << 30
	head := "POST /ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	block := strings.Repeat(" ", 64<<10)
	for name, tc := range map[string]struct{ head, before, after string }{
		"with its length": {head + fmt.Sprintf("Content-Length: %d\r\n\r\n", gigabyte), "", ""},
		"in chunks":       {head + "Transfer-Encoding: chunked\r\n\r\n", "10000\r\n", "\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			c := dial(t, s.Addr)
			c.say(tc.head, tc.before, `{"query":{"text":"supper"},"x":"`, block[32:], tc.after)
			heard := make(chan *reply)
			go func() { heard <- c.hear() }()
			sent := 0
			for sent < gigabyte && c.say(tc.before, block, tc.after) {
				sent += len(block)
			}
			if sent >= gigabyte/4 {
				t.Errorf("the server took %d MiB", sent>>20)
			}
			// A reset may overtake the answer on its way; where there is one, it is clear.
			if r := <-heard; r != nil {
				r.isFailure(t, http.StatusRequestEntityTooLarge, "TOO_LARGE")
			}
			healthy(t, s.Addr)
			s.bounded(t)
		})
	}
}

// TestSlowClientsAreLetGo dribbles: a client may not hold a connection for longer than the timeouts
// allow.
func TestSlowClientsAreLetGo(t *testing.T) {
	s := start(t)
	for name, text := range map[string]string{
		"its headers":    "POST /ask HTTP/1.1\r\nHost: localhost\r\nX-Slow: " + strings.Repeat("a", 1000),
		"its body":       post(strings.Repeat(" ", 1000)),
		"its first line": "POST /" + strings.Repeat("a", 1000),
		"its chunks": "POST /ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
			"Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1\r\n \r\n", 500),
		"its blank lines":  strings.Repeat("\r\n", 500),
		"nothing whatever": "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := dial(t, s.Addr)
			done := make(chan time.Duration)
			began := time.Now()
			go func() { c.closes(); done <- time.Since(began) }()
			if took := c.dribble(text, done); took > slowLimit {
				t.Errorf("the server held a client that dribbles for %s, want at most %s", took, slowLimit)
			}
		})
	}
}

// dribble says a text byte by byte until the server has had enough, and returns when that was.
func (c *conn) dribble(text string, done <-chan time.Duration) time.Duration {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	sent := strings.Index(text, "\r\n\r\n") // a head that is complete goes at once
	if sent > 0 {
		c.say(text[:sent])
	} else {
		sent = 0
	}
	for {
		select {
		case took := <-done:
			return took
		case <-tick.C:
			if sent < len(text) {
				c.say(text[sent : sent+1])
				sent++
			}
		}
	}
}

// TestClientThatDoesNotReadIsLetGo asks for long streams and never reads them.
func TestClientThatDoesNotReadIsLetGo(t *testing.T) {
	t.Parallel()
	s := start(t)
	before := s.goroutines(t)
	for range 50 {
		c := dial(t, s.Addr)
		if tcp, ok := c.Conn.(*net.TCPConn); ok {
			tcp.SetReadBuffer(4 << 10)
		}
		for range 40 { // more than the buffers between us hold
			c.say(post(`{"query":{"text":"supper","limit":1000},"prefer":{"streaming":true}}`))
		}
	}
	healthy(t, s.Addr)
	s.settles(t, before)
	s.bounded(t)
}

// TestHalfOpenConnectionsLeaveRoom opens many connections that never finish a request.
func TestHalfOpenConnectionsLeaveRoom(t *testing.T) {
	t.Parallel()
	s := start(t)
	before := s.goroutines(t)
	for i := range 600 {
		c := dial(t, s.Addr)
		switch i % 3 {
		case 1:
			c.say("POST /ask HT")
		case 2:
			c.say("POST /ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
				"Content-Length: 100\r\n\r\n{")
		}
	}
	began := time.Now()
	healthy(t, s.Addr)
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("a well-meaning client waited %s", took)
	}
	s.settles(t, before)
	s.bounded(t)
}

// TestClientsThatLeaveMidStreamLeaveNothingBehind reads a little of long streams and goes away, by
// closing and by a reset.
func TestClientsThatLeaveMidStreamLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	s := start(t)
	before := s.goroutines(t)
	for i := range 200 {
		c := dial(t, s.Addr)
		c.say(post(`{"query":{"text":"supper","limit":1000},"prefer":{"streaming":true,"mode":"list, summarize"}}`))
		if _, err := io.ReadFull(c.answer, make([]byte, 1+i%64)); err != nil {
			t.Fatal(err)
		}
		if tcp, ok := c.Conn.(*net.TCPConn); ok && i%2 == 0 {
			tcp.SetLinger(0)
		}
		c.Close()
	}
	healthy(t, s.Addr)
	s.settles(t, before)
	s.bounded(t)
}

// TestMalformedHTTPIsRefused sends what is no HTTP, or HTTP that two readers could read in two
// ways.
func TestMalformedHTTPIsRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	json := "Content-Type: application/json\r\n"
	for name, tc := range map[string]struct {
		request  string
		statuses []int // any of these, or the connection closed
	}{
		"garbage":                 {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", []int{400}},
		"garbage after a request": {post(supper) + "}}}}}\r\n\r\n", []int{200}},
		"headers of a megabyte": {"GET /ask HTTP/1.1\r\nHost: localhost\r\nX-Big: " +
			strings.Repeat("a", 1<<20+8<<10) + "\r\n\r\n", []int{431}},
		"a hundred thousand headers": {
			"GET /ask HTTP/1.1\r\nHost: localhost\r\n" + strings.Repeat("A: b\r\n", 250_000) + "\r\n", []int{431},
		},
		"a path of a megabyte": {
			"GET /" + strings.Repeat("a", 1<<20+8<<10) + " HTTP/1.1\r\nHost: localhost\r\n\r\n", []int{431, 414, 404},
		},
		"a path upwards": {
			"GET /../../../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", []int{400, 404, 301, 307},
		},
		"a path upwards, escaped": {
			"GET /assets/%2e%2e/%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n",
			[]int{400, 404, 301, 307},
		},
		"a nul in the path": {"GET /ask%00 HTTP/1.1\r\nHost: localhost\r\n\r\n", []int{400, 404}},
		"two lengths": {"POST /ask HTTP/1.1\r\nHost: localhost\r\n" + json +
			"Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}    ", []int{400}},
		"a length below zero": {
			"POST /ask HTTP/1.1\r\nHost: localhost\r\n" + json + "Content-Length: -1\r\n\r\n", []int{400},
		},
		"a length beyond numbers": {"POST /ask HTTP/1.1\r\nHost: localhost\r\n" + json +
			"Content-Length: 99999999999999999999\r\n\r\n", []int{400}},
		"a chunk without size": {
			"POST /ask HTTP/1.1\r\nHost: localhost\r\n" + json + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", []int{400},
		},
		"a chunk size beyond numbers": {"POST /ask HTTP/1.1\r\nHost: localhost\r\n" + json +
			"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n", []int{400}},
		"an unknown transfer encoding": {"POST /ask HTTP/1.1\r\nHost: localhost\r\n" + json +
			"Transfer-Encoding: gzip, chunked\r\n\r\n", []int{501, 400}},
		"no host":                    {"GET /ask HTTP/1.1\r\n\r\n", []int{400}},
		"a folded header":            {"GET /ask HTTP/1.1\r\nHost: localhost\r\n folded\r\n\r\n", []int{400}},
		"a blank in a header's name": {"GET /ask HTTP/1.1\r\nHost : localhost\r\n\r\n", []int{400}},
		"a version from the future":  {"GET /ask HTTP/9.1\r\nHost: localhost\r\n\r\n", []int{505, 400}},
		"the preface of HTTP/2": {
			"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + strings.Repeat("\xff", 100), []int{400, 505},
		},
		"a proxy's request": {
			"CONNECT elsewhere.example:443 HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n", []int{400, 404, 405},
		},
		"an address of somebody else": {
			"GET http://elsewhere.example/ask HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n", []int{200, 400, 404, 421},
		},
		"an upgrade": {
			"GET /ask HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
			[]int{200, 400},
		},
		"a body that ends too early": {post(supper)[:len(post(supper))-10], []int{400}},
		"a question that never arrives": {"POST /ask HTTP/1.1\r\nHost: localhost\r\n" + json +
			"Transfer-Encoding: chunked\r\n\r\n5\r\n{\"qu", []int{400}},
	} {
		t.Run(name, func(t *testing.T) {
			c := dial(t, s.Addr)
			c.say(tc.request)
			if tcp, ok := c.Conn.(*net.TCPConn); ok {
				tcp.CloseWrite()
			}
			r := c.hear()
			if r == nil {
				return // closed
			}
			for _, status := range tc.statuses {
				if r.status == status {
					return
				}
			}
			t.Errorf("status %d, want one of %v or a closed connection: %.200q", r.status, tc.statuses, r.body)
		})
	}
	healthy(t, s.Addr)
	s.bounded(t)
}
