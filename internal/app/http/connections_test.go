package http

import (
	"bufio"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

func appendField(block []byte, name, value string) []byte {
	var out sink
	_ = hpack.NewEncoder(&out).WriteField(hpack.HeaderField{Name: name, Value: value})
	return append(block, out...)
}

type sink []byte

func (s *sink) Write(p []byte) (int, error) { *s = append(*s, p...); return len(p), nil }

// TestLinesLetSoManyIn holds how many connections are open at a time where a request is in work on
// each, and that one that is closed twice makes room for one.
func TestLinesLetSoManyIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pipes := newPipes()
		l := newConnLimiter(pipes, connBounds{most: 2})
		in, over := arriving(l, http.StateActive)
		for range 5 {
			go pipes.dial("")
		}
		synctest.Wait()
		if len(in) != 2 {
			t.Fatalf("%d came in", len(in))
		}
		one := <-in
		one.Close()
		one.Close()
		synctest.Wait()
		if len(in) != 2 {
			t.Errorf("after one left, %d are in that are not let go", len(in))
		}
		NoteState(<-in, http.StateIdle)
		synctest.Wait()
		if len(in) != 2 {
			t.Errorf("after one began to idle, %d are in that are not let go", len(in))
		}
		l.Close()
		if err := <-over; err == nil {
			t.Error("it goes on")
		}
		pipes.Close()
		synctest.Wait()
	})
}

// arriving takes all connections in, and says of each what happens on it.
func arriving(l *connLimiter, state http.ConnState) (in chan net.Conn, over chan error) {
	in, over = make(chan net.Conn, 99), make(chan error, 1)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				over <- err
				return
			}
			NoteState(conn, state)
			in <- conn
		}
	}()
	return in, over
}

// closed says whether the other side has closed a connection.
func closed(conn net.Conn) bool {
	_ = conn.SetReadDeadline(time.Now().Add(time.Millisecond))
	_, err := conn.Read(make([]byte, 1))
	return err != nil && !errors.Is(err, os.ErrDeadlineExceeded)
}

// TestTheConnectionThatIdledLongestMakesRoom has one more connection come than may be open.
func TestTheConnectionThatIdledLongestMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pipes := newPipes()
		log, figures := &logbook{}, NewMetrics()
		l := newConnLimiter(pipes,
			connBounds{most: 3, log: slog.New(slog.NewJSONHandler(log, nil)), figures: figures.lines})
		in, _ := arriving(l, http.StateNew)
		first, second, third := pipes.dial(""), pipes.dial(""), pipes.dial("")
		synctest.Wait()
		one, two := <-in, <-in
		<-in
		NoteState(one, http.StateActive) // is busy, and idles again after the others
		NoteState(one, http.StateIdle)
		NoteState(two, http.StateActive)
		fourth, fifth := pipes.dial(""), pipes.dial("")
		synctest.Wait()
		for name, c := range map[string]struct {
			conn net.Conn
			gone bool
		}{"that idled again": {first, true}, "that is busy": {second, false}, "that idled longest": {third, true},
			"new": {fourth, false}, "newest": {fifth, false}} {
			if closed(c.conn) != c.gone {
				t.Errorf("the one %s: closed is %v", name, !c.gone)
			}
		}
		if n := strings.Count(log.String(), "limits.connections lets in"); n != 1 {
			t.Errorf("the log tells it %d times:\n%s", n, log)
		}
		w := httptest.NewRecorder()
		figures.Handler(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
		for _, want := range []string{
			`frontdesk_connections{state="idle"} 2`, `frontdesk_connections{state="busy"} 1`, `frontdesk_connections_shed_total{reason="full"} 2`,
		} {
			if !strings.Contains(w.Body.String(), want+"\n") {
				t.Errorf("no %s in\n%s", want, w.Body)
			}
		}
		l.Close()
		pipes.Close()
		synctest.Wait()
	})
}

// TestOneAddressHasSoManyConnections has addresses come that may have two each.
func TestOneAddressHasSoManyConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pipes := newPipes()
		log := &logbook{}
		l := newConnLimiter(pipes, connBounds{
			most: 100, each: 2, exempt: netip.MustParsePrefix("10.0.0.0/8").Contains,
			log: slog.New(slog.NewJSONHandler(log, nil)), shown: NewClientAddress(AddressOptions{}).shown,
		})
		in, _ := arriving(l, http.StateActive)
		open := func(from ...string) (dialed, taken []net.Conn) {
			for _, one := range from {
				dialed = append(dialed, pipes.dial(one))
			}
			synctest.Wait()
			for len(in) > 0 {
				taken = append(taken, <-in)
			}
			return dialed, taken
		}
		if _, taken := open("10.1.1.1", "10.1.1.1", "10.1.1.1"); len(taken) != 3 {
			t.Errorf("a trusted proxy has %d", len(taken))
		}
		_, busy := open("192.0.2.1", "192.0.2.1")
		if _, taken := open("192.0.2.1", "192.0.2.2", "192.0.2.1"); len(taken) != 1 {
			t.Errorf("%d more came in, from an address that is busy and another", len(taken))
		}
		NoteState(busy[1], http.StateIdle)
		NoteState(busy[0], http.StateIdle)
		if _, taken := open("192.0.2.1"); len(taken) != 1 {
			t.Errorf("%d came in from an address with idle ones", len(taken))
		}
		if l.origins["192.0.2.1"] != 2 {
			t.Errorf("the address has %d", l.origins["192.0.2.1"])
		}
		if _, taken := open("2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8:0:1::1"); len(taken) != 3 {
			t.Errorf("%d came in from two networks", len(taken))
		}
		if strings.Contains(log.String(), "192.0.2") ||
			strings.Count(log.String(), "limits.connections_per_address") != 2 {
			t.Errorf("the log names the address, or does not tell:\n%s", log)
		}
		l.Close()
		pipes.Close()
		synctest.Wait()
	})
}

// TestWithoutFileDescriptorsIdleConnectionsMakeRoom has the system take no connection until one is
// closed.
func TestWithoutFileDescriptorsIdleConnectionsMakeRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pipes := newPipes()
		log := &logbook{}
		poor := &poor{pipes: pipes}
		l := newConnLimiter(poor, connBounds{most: 100, log: slog.New(slog.NewJSONHandler(log, nil))})
		in, over := arriving(l, http.StateNew)
		first := pipes.dial("")
		synctest.Wait()
		<-in
		poor.out.Store(1)
		pipes.dial("") // by the Accept that began before
		third := pipes.dial("")
		synctest.Wait()
		if !closed(first) || len(in) != 2 || closed(third) {
			t.Errorf("%d came in", len(in))
		}
		if !strings.Contains(log.String(), "no file descriptors left") || !strings.Contains(log.String(), `"level":"WARN"`) {
			t.Errorf("the log says:\n%s", log)
		}
		for len(in) > 0 {
			NoteState(<-in, http.StateActive)
		}
		poor.out.Store(2) // the connection that comes now is closed for the first of them
		pipes.dial("")
		if err := <-over; !errors.Is(err, syscall.EMFILE) { // net/http waits a little, and tries again
			t.Errorf("with no idle connection it says %v", err)
		}
		l.Close()
		pipes.Close()
		synctest.Wait()
	})
}

// poor is a listener for a process that has no file descriptors left, for so many attempts.
type poor struct {
	*pipes
	out atomic.Int32
}

func (p *poor) Accept() (net.Conn, error) {
	if p.out.Add(-1) >= 0 {
		return nil, &net.OpError{Op: "accept", Net: "tcp", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
	}
	return p.pipes.Accept()
}

// pipes is a listener for connections within the test.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func newPipes() *pipes { return &pipes{make(chan net.Conn), make(chan struct{})} }

// dial connects from an address; empty for from no network.
func (p *pipes) dial(from string) net.Conn {
	here, other := net.Pipe()
	there := net.Conn(other)
	if from != "" {
		there = placed{there, netip.MustParseAddr(from)}
	}
	select {
	case p.conns <- there:
	case <-p.closed:
	}
	return here
}

// placed is a connection from an address.
type placed struct {
	net.Conn
	from netip.Addr
}

func (p placed) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(p.from, 4711))
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	select {
	case <-p.closed:
	default:
		close(p.closed)
	}
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes", Net: "test"} }

// TestASilentClientOverHTTP2IsLeft answers a client that asks, and then says nothing more, not even
// to pings.
func TestASilentClientOverHTTP2IsLeft(t *testing.T) {
	public := &Server{Handler: &RequestHandler{},
		Limits: LimitSettings{Header: 64 << 10, WriteTimeout: 30 * time.Second}, Log: slog.New(slog.DiscardHandler)}
	server := public.server()
	synctest.Test(t, func(t *testing.T) {
		left := make(chan time.Duration, 1)
		server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			began := time.Now()
			_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // as streams have it
			_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
			beat := time.NewTicker(2 * time.Second)
			defer beat.Stop()
			for {
				select {
				case <-r.Context().Done():
					left <- time.Since(began)
					return
				case <-time.After(5*time.Minute - time.Since(began)):
					left <- 5 * time.Minute
					return
				case <-beat.C:
					_, _ = io.WriteString(w, "still here\n")
					_ = http.NewResponseController(w).Flush()
				}
			}
		})
		pipes := newPipes()
		go func() { _ = server.Serve(newConnLimiter(pipes, connBounds{most: 1})) }()
		conn := pipes.dial("")
		_, _ = io.WriteString(conn, http2.ClientPreface)
		frames := http2.NewFramer(conn, bufio.NewReader(conn))
		go func() { // what arrives is taken by the network, and read by nobody
			for {
				if _, err := frames.ReadFrame(); err != nil {
					return
				}
			}
		}()
		_ = frames.WriteSettings()
		var block []byte
		for _, field := range [][2]string{
			{":method", "GET"}, {":scheme", "http"}, {":authority", "desk.example"}, {":path", "/"},
		} {
			block = appendField(block, field[0], field[1])
		}
		_ = frames.WriteHeaders(
			http2.HeadersFrameParam{StreamID: 1, BlockFragment: block, EndHeaders: true, EndStream: true})
		if after := <-left; after > 3*silent {
			t.Errorf("the client was found to be gone after %s", after)
		}
		_ = server.Close()
	})
}

// logbook is what is logged; it may be written to while a test reads.
type logbook struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
