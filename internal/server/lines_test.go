package server

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// TestASilentClientOverHTTP2IsLeft answers a client that asks, and then says nothing more, not even to pings.
func TestASilentClientOverHTTP2IsLeft(t *testing.T) {
	s, _ := open(t, "")
	server := s.public()
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
		go func() { _ = server.Serve(newLines(pipes, 1)) }()
		conn := pipes.dial()
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
		for _, field := range [][2]string{{":method", "GET"}, {":scheme", "http"}, {":authority", "desk.example"}, {":path", "/"}} {
			block = appendField(block, field[0], field[1])
		}
		_ = frames.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block, EndHeaders: true, EndStream: true})
		if after := <-left; after > 3*silent {
			t.Errorf("the client was found to be gone after %s", after)
		}
		_ = server.Close()
	})
}

func appendField(block []byte, name, value string) []byte {
	var out sink
	_ = hpack.NewEncoder(&out).WriteField(hpack.HeaderField{Name: name, Value: value})
	return append(block, out...)
}

type sink []byte

func (s *sink) Write(p []byte) (int, error) { *s = append(*s, p...); return len(p), nil }

// TestLinesLetSoManyIn holds how many connections are open at a time, and that one that is closed twice makes room for one.
func TestLinesLetSoManyIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pipes := newPipes()
		l := newLines(pipes, 2)
		in := make(chan net.Conn, 9)
		over := make(chan error)
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					over <- err
					return
				}
				in <- conn
			}
		}()
		for range 5 {
			go pipes.dial()
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
		l.Close()
		if err := <-over; err == nil {
			t.Error("it goes on")
		}
		pipes.Close()
		synctest.Wait()
	})
}

// pipes is a listener for connections within the test.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func newPipes() *pipes { return &pipes{make(chan net.Conn), make(chan struct{})} }

func (p *pipes) dial() net.Conn {
	here, there := net.Pipe()
	select {
	case p.conns <- there:
	case <-p.closed:
	}
	return here
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
