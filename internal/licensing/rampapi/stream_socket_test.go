package rampapi

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/licensing/delivery"

	"github.com/coder/websocket"
)

// oneConn is a listener that gives one connection.
type oneConn struct {
	conn chan net.Conn
	over chan struct{}
}

func (l *oneConn) Accept() (net.Conn, error) {
	select {
	case c := <-l.conn:
		return c, nil
	case <-l.over:
		return nil, net.ErrClosed
	}
}
func (l *oneConn) Close() error   { close(l.over); return nil }
func (l *oneConn) Addr() net.Addr { return &net.UnixAddr{Name: "one", Net: "test"} }

// TestAClientThatAnswersNoPingIsGone tells the time over WebSocket to a client that answers, to one
// that reads and says nothing, as when a proxy goes on reading for it, and to one that leaves.
func TestAClientThatAnswersNoPingIsGone(t *testing.T) {
	for _, c := range []struct {
		name   string
		client func(net.Conn)
		gone   bool          // the event was not taken
		left   bool          // the client said that it leaves
		within time.Duration // after which that is known
	}{
		{"one that answers", func(conn net.Conn) {
			socket, _, err := websocket.Dial(context.Background(), "ws://desk.example/",
				&websocket.DialOptions{HTTPClient: &http.Client{Transport: &http.Transport{
					DialContext: func(context.Context, string, string) (net.Conn, error) { return conn, nil },
				}}})
			if err != nil {
				t.Error(err)
				return
			}
			for {
				if _, _, err := socket.Read(context.Background()); err != nil {
					return
				}
			}
		}, false, false, 0},
		{"one that says nothing", func(conn net.Conn) {
			greet(conn)
			_, _ = io.Copy(io.Discard, conn)
		}, true, false, streamWrite},
		{"one that leaves", func(conn net.Conn) {
			from := greet(conn)
			_, _ = from.ReadByte()
			go func() { _, _ = io.Copy(io.Discard, from) }()
			_, _ = conn.Write([]byte{0x88, 0x80, 0, 0, 0, 0}) // a frame that closes, masked with nothing
		}, false, true, 0},
		{"one whose connection breaks", func(conn net.Conn) {
			from := greet(conn)
			_, _ = from.ReadByte()
			_ = conn.Close()
		}, true, true, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			here, there := net.Pipe()
			l := &oneConn{make(chan net.Conn, 1), make(chan struct{})}
			l.conn <- there
			done := make(chan struct{})
			server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer close(done)
				socket, err := websocket.Accept(w, r, nil)
				if err != nil {
					t.Error(err)
					return
				}
				defer socket.CloseNow()
				ctx := listening(context.WithoutCancel(r.Context()), socket)
				began := time.Now()
				err = say(ctx, socket, delivery.StreamEvent{Time: &delivery.StreamTime{Used: time.Second}})
				took := time.Since(began)
				if c.left && err != nil {
					<-ctx.Done() // whoever sees first that the connection broke
				}
				if (err != nil) != c.gone || took != c.within || (ctx.Err() != nil) != c.left {
					t.Errorf("%s: %v after %s, and the stream goes on: %v", c.name, err, took, ctx.Err() == nil)
				}
			})}
			go func() { _ = server.Serve(l) }()
			go c.client(here)
			<-done
			here.Close()
			_ = server.Close()
		})
	}
}

// greet opens a WebSocket by hand.
func greet(conn net.Conn) *bufio.Reader {
	_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: desk.example\r\nUpgrade: websocket\r\nConnection: "+
		"Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
	from := bufio.NewReader(conn)
	_, _ = http.ReadResponse(from, nil)
	return from
}
