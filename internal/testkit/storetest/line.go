package storetest

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// Line is a way to the scratch PostgreSQL that a test can cut.
type Line struct {
	// DSN leads to a new schema by this way.
	DSN string

	target string
	mu     sync.Mutex
	cut    bool
	open   map[net.Conn]bool
}

// NewLine makes a way that goes with the test.
func NewLine(t testing.TB) *Line {
	t.Helper()
	at, err := url.Parse(NewPostgres(t))
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &Line{target: at.Host, open: map[net.Conn]bool{}}
	at.Host = listener.Addr().String()
	l.DSN = at.String()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go l.carry(conn)
		}
	}()
	t.Cleanup(func() {
		listener.Close()
		l.Cut()
	})
	return l
}

// carry carries what two ends say to each other.
func (l *Line) carry(near net.Conn) {
	far, err := net.Dial("tcp", l.target)
	if err != nil {
		near.Close()
		return
	}
	l.mu.Lock()
	l.open[near], l.open[far] = true, true
	cut := l.cut
	l.mu.Unlock()
	over := func() {
		near.Close()
		far.Close()
	}
	if cut {
		over()
	}
	go func() {
		_, _ = io.Copy(far, near)
		over()
	}()
	_, _ = io.Copy(near, far)
	over()
	l.mu.Lock()
	delete(l.open, near)
	delete(l.open, far)
	l.mu.Unlock()
}

// Cut breaks all connections, and lets none through until Mend.
func (l *Line) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = true
	for conn := range l.open {
		conn.Close()
	}
}

// Mend is the opposite of Cut.
func (l *Line) Mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = false
}
