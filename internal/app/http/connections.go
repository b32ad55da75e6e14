package http

import (
	"container/list"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"frontdesk/internal/infra/metrics"
	"frontdesk/internal/infra/ratelimit"

	"github.com/prometheus/client_golang/prometheus"
)

// connLimiter is a listener that lets only so many connections in at a time, and only so many from
// one client address. Where there is no room, the connection that has idled longest is closed for
// the new one: idle are those between two requests, and those whose first request is not there yet.
// Nobody is thus kept out by connections on which nothing happens.
//
// It learns from http.Server.ConnState what happens on connections. Beyond what x/net's
// LimitListener does, they can be told how long a client may stay silent (line.attend).
type connLimiter struct {
	net.Listener
	bounds connBounds

	mu      sync.Mutex
	room    *sync.Cond // told when a connection ends or becomes idle, and of the end
	closed  bool
	open    int
	idle    list.List      // of *line; the front one has idled longest
	origins map[string]int // connections by the address that they come from
	scarce  rarely
}

// connBounds are what lines lets in, and whom it tells of the rest.
type connBounds struct {
	most   int                   // connections at a time
	each   int                   // of them from one address; 0 for as many
	exempt func(netip.Addr) bool // addresses without a bound: trusted proxies; nil for none
	// ends a request that waits for its body, where no connection idles; nil for nothing
	relieve func() bool
	shown   func(netip.Addr) string // what the log may tell of an address; nil for nothing
	log     *slog.Logger
	figures *connFigures
}

func newConnLimiter(listener net.Listener, bounds connBounds) *connLimiter {
	if bounds.log == nil {
		bounds.log = slog.New(slog.DiscardHandler)
	}
	if bounds.figures == nil {
		bounds.figures = newConnFigures(prometheus.NewRegistry())
	}
	l := &connLimiter{Listener: listener, bounds: bounds, origins: map[string]int{}}
	l.room = sync.NewCond(&l.mu)
	return l
}

// Accept gives the next connection for which there is room.
func (l *connLimiter) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			if l.starves(err) {
				continue
			}
			return nil, err
		}
		c := &limitedConn{Conn: conn, of: l}
		c.from, c.origin = originOf(conn)
		if l.bounds.each == 0 || !c.from.IsValid() || l.bounds.exempt != nil && l.bounds.exempt(c.from) {
			c.origin = ""
		}
		admitted, err := l.admit(c)
		if admitted {
			return c, nil
		}
		_ = conn.Close()
		if err != nil {
			return nil, err
		}
	}
}

// originOf is the address that a connection comes from, and what counts as one address; none where
// there is no network.
func originOf(conn net.Conn) (netip.Addr, string) {
	tcp, ok := conn.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return netip.Addr{}, ""
	}
	from := tcp.AddrPort().Addr().Unmap()
	return from, ratelimit.Network(from)
}

// admit makes room for a connection, waits for it where nothing idles, and counts it. It refuses
// one from an address that has as many as it may have and is busy on all of them.
func (l *connLimiter) admit(c *limitedConn) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.origin != "" && l.origins[c.origin] >= l.bounds.each {
		if !l.shed(c.origin, l.bounds.figures.address) {
			l.bounds.figures.refused.Inc()
			l.tell(c.from, "an address has as many connections as limits.connections_per_address lets in, "+
				"all of them busy: further ones are refused; "+
				"if it is a proxy of yours, name it in proxies")
			return false, nil
		}
		l.tell(c.from, "an address has as many connections as limits.connections_per_address lets in: "+
			"those that idle are closed for new ones; "+
			"if it is a proxy of yours, name it in proxies")
	}
	for l.open >= l.bounds.most && !l.closed {
		if l.shed("", l.bounds.figures.full) {
			l.tell(c.from,
				"there are as many connections as limits.connections lets in: those that idle are closed for new ones")
			continue
		}
		l.tell(c.from, "there are as many connections as limits.connections lets in, all of them busy: new ones wait")
		if l.bounds.relieve != nil {
			l.mu.Unlock()
			l.bounds.relieve()
			l.mu.Lock()
			if l.open < l.bounds.most || l.idle.Len() > 0 {
				continue
			}
		}
		l.room.Wait()
	}
	if l.closed {
		return false, net.ErrClosed
	}
	l.open++
	if c.origin != "" {
		l.origins[c.origin]++
	}
	c.state = connBusy
	l.bounds.figures.busy.Inc()
	l.rest(c)
	return true, nil
}

// shed closes the connection that has idled longest, of one origin or of all, and says whether
// there was one. It is called with the lock held.
func (l *connLimiter) shed(origin string, count prometheus.Counter) bool {
	for at := l.idle.Front(); at != nil; at = at.Next() {
		if c := at.Value.(*limitedConn); origin == "" || c.origin == origin {
			count.Inc()
			l.forget(c)
			_ = c.Conn.Close() // net/http, which waits for a request on it, finds out and closes it, too
			return true
		}
	}
	return false
}

// starves says whether a connection could not be taken for want of file descriptors and one was
// freed for it.
func (l *connLimiter) starves(err error) bool {
	if !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE) {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bounds.figures.starved.Inc()
	l.tell(netip.Addr{},
		"there are no file descriptors left for new connections: those that idle are closed for new ones; "+
			"raise the limit of open files (LimitNOFILE of systemd, ulimit -n) or lower limits.connections")
	return l.shed("", l.bounds.figures.full)
}

// tell warns, with the lock held. from goes into the log only as far as log.clients has it.
func (l *connLimiter) tell(from netip.Addr, what string) {
	times, ok := l.scarce.now(what)
	if !ok {
		return
	}
	attrs := []slog.Attr{slog.Int("open", l.open), slog.Int("idle", l.idle.Len()), slog.Int("times", times)}
	if l.bounds.shown != nil {
		if client := l.bounds.shown(from); client != "" {
			attrs = append(attrs, slog.String("client", client))
		}
	}
	l.bounds.log.LogAttrs(context.Background(), slog.LevelWarn, what, attrs...)
}

// rest notes that a connection idles, with the lock held.
func (l *connLimiter) rest(c *limitedConn) {
	if c.state == connBusy {
		c.state, c.place = connIdle, l.idle.PushBack(c)
		l.bounds.figures.busy.Dec()
		l.bounds.figures.idle.Inc()
		l.room.Broadcast()
	}
}

// work notes that a request is in work on a connection, with the lock held.
func (l *connLimiter) work(c *limitedConn) {
	if c.state == connIdle {
		l.idle.Remove(c.place)
		c.state, c.place = connBusy, nil
		l.bounds.figures.idle.Dec()
		l.bounds.figures.busy.Inc()
	}
}

// forget notes that a connection is gone, with the lock held.
func (l *connLimiter) forget(c *limitedConn) {
	l.work(c)
	if c.state != connBusy {
		return
	}
	c.state = connGone
	l.bounds.figures.busy.Dec()
	l.open--
	if c.origin != "" {
		if l.origins[c.origin]--; l.origins[c.origin] == 0 {
			delete(l.origins, c.origin)
		}
	}
	l.room.Broadcast()
}

// Close ends Accept.
func (l *connLimiter) Close() error {
	l.mu.Lock()
	l.closed = true
	l.room.Broadcast()
	l.mu.Unlock()
	return l.Listener.Close()
}

// limitedConn is one connection.
type limitedConn struct {
	net.Conn
	of     *connLimiter
	from   netip.Addr
	origin string // as of network; empty where its connections are not counted

	state connState     // these two under the lock of lines
	place *list.Element // in lines.idle
}

// connState is what happens on a connection.
type connState int

const (
	connGone connState = iota
	connIdle
	connBusy
)

// Close makes room for another.
func (c *limitedConn) Close() error {
	c.of.mu.Lock()
	c.of.forget(c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// connOf is the line below what net/http has of a connection; nil where there is none.
func connOf(conn net.Conn) *limitedConn {
	if secured, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = secured.NetConn()
	}
	c, _ := conn.(*limitedConn)
	return c
}

// NoteState is for http.Server.ConnState.
func NoteState(conn net.Conn, state http.ConnState) {
	c := connOf(conn)
	if c == nil {
		return
	}
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	switch state {
	case http.StateNew, http.StateIdle:
		c.of.rest(c)
	case http.StateActive, http.StateHijacked:
		c.of.work(c)
	}
}

// connFigures are the metrics of connections.
type connFigures struct {
	idle, busy                      prometheus.Gauge
	full, address, refused, starved prometheus.Counter
}

func newConnFigures(registry *prometheus.Registry) *connFigures {
	open := metrics.Gauge(registry, "connections", "Connections of clients: busy with a request, or idle.", "state")
	shed := metrics.Counter(registry, "connections_shed_total",
		"Connections that were closed or not let in: idle ones because there were too many (full) or too many "+
			"from one address (address), and new ones from an address that was busy on all that it may have (refused).",
		"reason")
	starved := metrics.Counter(registry, "connections_starved_total",
		"Connections that could not be taken at once, for want of file descriptors.").WithLabelValues()
	return &connFigures{
		idle: open.WithLabelValues("idle"), busy: open.WithLabelValues("busy"), full: shed.WithLabelValues("full"),
		address: shed.WithLabelValues("address"), refused: shed.WithLabelValues("refused"), starved: starved,
	}
}

// attend has the connection break off whose client does not acknowledge for so long what was sent;
// 0 is for as long as the operating system waits, a quarter of an hour or so. Where there are no
// means to do so it does nothing.
func (c *limitedConn) attend(most time.Duration) {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		_ = setUserTimeout(tcp, most)
	}
}

// connKey is of the context of requests: the line on which they came.
type connKey struct{}

// withConn is for http.Server.ConnContext.
func withConn(ctx context.Context, conn net.Conn) context.Context {
	if c := connOf(conn); c != nil {
		return context.WithValue(ctx, connKey{}, c)
	}
	return ctx
}

// silent is how long a client of a stream may acknowledge nothing of what it is sent, or answer no
// ping, before it counts as gone: a client whose power or network fails says nothing, and what is
// written to it goes on being taken by the operating system.
const silent = 10 * time.Second

// Attended is for answers that last: it finds out that their clients are gone. Over HTTP/2, where a
// connection carries more than one answer, pings do that.
func Attended(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connKey{}).(*limitedConn); ok && r.ProtoMajor == 1 {
			c.attend(silent)
			defer c.attend(0)
		}
		next.ServeHTTP(w, r)
	})
}
