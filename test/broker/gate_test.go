package broker

import (
	"bytes"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// gate is an address before servers: a connection to it goes to the first of them that takes it,
// and a broken one is that of whoever came by it.
type gate struct {
	net.Listener
	URL   string
	nodes []string // host and port
	next  atomic.Int64
	// cut has whoever buys be taken to the server, and never back: the server's answer is dropped,
	// and with it the connection.
	cut  atomic.Bool
	cuts atomic.Int64 // how often it did
	// record has what is sent to servers be kept, by connection.
	record atomic.Bool
	// before, where it is set, is called before a purchase goes on to the server.
	before atomic.Pointer[func()]

	mu  sync.Mutex
	all map[net.Conn]bool
	log []*bytes.Buffer
}

// openGate opens one before servers, which need not listen yet.
func openGate(t testing.TB, nodes ...string) *gate {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{Listener: l, URL: "http://" + l.Addr().String(), nodes: nodes, all: map[net.Conn]bool{}}
	t.Cleanup(func() {
		l.Close()
		g.mu.Lock()
		defer g.mu.Unlock()
		for c := range g.all {
			c.Close()
		}
	})
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go g.pass(c)
		}
	}()
	return g
}

// recorded is what was sent to servers while it was to be kept.
func (g *gate) recorded() (all [][]byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, one := range g.log {
		if one.Len() > 0 {
			all = append(all, bytes.Clone(one.Bytes()))
		}
	}
	return all
}

// pass carries one connection there and back.
func (g *gate) pass(c net.Conn) {
	defer g.keep(c)()
	var to net.Conn
	first := g.next.Add(1)
	for i := range g.nodes {
		var err error
		if to, err = net.Dial("tcp", g.nodes[(int(first)+i)%len(g.nodes)]); err == nil {
			break
		}
	}
	if to == nil {
		return
	}
	defer g.keep(to)()
	var buys atomic.Bool
	go func() {
		defer to.Close()
		piece, kept := make([]byte, 64<<10), g.kept()
		for {
			n, err := c.Read(piece)
			if bytes.Contains(piece[:n], []byte("/ExecuteTransaction ")) {
				buys.Store(g.cut.Load())
				if before := g.before.Load(); before != nil {
					(*before)()
				}
			}
			if g.record.Load() {
				g.mu.Lock()
				kept.Write(piece[:n])
				g.mu.Unlock()
			}
			if _, wrong := to.Write(piece[:n]); err != nil || wrong != nil {
				return
			}
		}
	}()
	piece := make([]byte, 64<<10)
	for {
		n, err := to.Read(piece)
		if buys.Load() && n > 0 {
			g.cuts.Add(1)
			return
		}
		if _, wrong := c.Write(piece[:n]); err != nil || wrong != nil {
			return
		}
	}
}

// kept is where the record of a connection goes.
func (g *gate) kept() *bytes.Buffer {
	g.mu.Lock()
	defer g.mu.Unlock()
	one := &bytes.Buffer{}
	g.log = append(g.log, one)
	return one
}

// keep notes a connection, until the function it gives closes it.
func (g *gate) keep(c io.Closer) func() {
	conn := c.(net.Conn)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.all[conn] = true
	return func() {
		conn.Close()
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.all, conn)
	}
}
