package http

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestASilentClientOfAStreamIsLeft has the operating system break off a connection on which nothing
// is acknowledged, while a stream is told there, and no longer than that.
func TestASilentClientOfAStreamIsLeft(t *testing.T) {
	t.Parallel()
	waits := make(chan time.Duration, 1)
	look := func(r *http.Request) {
		c, ok := r.Context().Value(connKey{}).(*limitedConn)
		if !ok {
			t.Error("the request is on no line")
			waits <- -1
			return
		}
		waits <- userTimeout(t, c.Conn.(*net.TCPConn))
	}
	mux := http.NewServeMux()
	mux.Handle("/stream", Attended(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { look(r) })))
	mux.HandleFunc("/other", func(_ http.ResponseWriter, r *http.Request) { look(r) })
	for _, secure := range []bool{false, true} {
		server := httptest.NewUnstartedServer(mux)
		server.Config.ConnContext = withConn
		server.Config.ConnState = NoteState
		// so that all requests are on one connection
		server.Listener = newConnLimiter(server.Listener, connBounds{most: 1})
		if secure {
			server.StartTLS()
		} else {
			server.Start()
		}
		for _, c := range []struct {
			path string
			want time.Duration
		}{{"/other", 0}, {"/stream", silent}, {"/other", 0}} {
			response, err := server.Client().Get(server.URL + c.path)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, response.Body)
			response.Body.Close()
			if got := <-waits; got != c.want {
				t.Errorf("TLS %v: on %s the system waits for %s, want %s", secure, c.path, got, c.want)
			}
		}
		server.Close()
	}
}

// userTimeout is for how long the system lets what was sent be unacknowledged.
func userTimeout(t *testing.T, conn *net.TCPConn) (most time.Duration) {
	raw, err := conn.SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) {
			ms, failed := unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT)
			if failed != nil {
				t.Error(failed)
			}
			most = time.Duration(ms) * time.Millisecond
		})
	}
	if err != nil {
		t.Error(err)
	}
	return most
}
