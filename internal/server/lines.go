package server

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// lines is a listener that lets only so many connections in at a time. Beyond what x/net's LimitListener does, its connections can be told
// how long a client may stay silent (line.attend).
type lines struct {
	net.Listener
	free   chan struct{} // one for each connection that may come
	closed chan struct{}
	once   sync.Once
}

func newLines(listener net.Listener, most int) *lines {
	return &lines{Listener: listener, free: make(chan struct{}, most), closed: make(chan struct{})}
}

// Accept gives the next connection, once there is room for it.
func (l *lines) Accept() (net.Conn, error) {
	select {
	case l.free <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.free
		return nil, err
	}
	return &line{Conn: conn, leave: func() { <-l.free }}, nil
}

// Close ends Accept.
func (l *lines) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// line is one connection.
type line struct {
	net.Conn
	leave func()
	once  sync.Once
}

// Close makes room for another.
func (c *line) Close() error {
	c.once.Do(c.leave)
	return c.Conn.Close()
}

// attend has the connection break off whose client does not acknowledge for so long what was sent; 0 is for as long as the operating
// system waits, a quarter of an hour or so. Where there are no means to do so it does nothing.
func (c *line) attend(most time.Duration) {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		_ = setUserTimeout(tcp, most)
	}
}

// lineKey is of the context of requests: the line on which they came.
type lineKey struct{}

// withLine is for http.Server.ConnContext.
func withLine(ctx context.Context, conn net.Conn) context.Context {
	if secured, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = secured.NetConn()
	}
	if c, ok := conn.(*line); ok {
		return context.WithValue(ctx, lineKey{}, c)
	}
	return ctx
}

// silent is how long a client of a stream may acknowledge nothing of what it is sent, or answer no ping, before it counts as gone: a
// client whose power or network fails says nothing, and what is written to it goes on being taken by the operating system.
const silent = 10 * time.Second

// attended is for answers that last: it finds out that their clients are gone. Over HTTP/2, where a connection carries more than one
// answer, pings do that.
func attended(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(lineKey{}).(*line); ok && r.ProtoMajor == 1 {
			c.attend(silent)
			defer c.attend(0)
		}
		next.ServeHTTP(w, r)
	})
}
