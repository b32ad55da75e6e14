package http

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"
)

// detachedStreams writes answers that take as long as their clients take: streams of events. Under
// net/http each of them would hold two goroutines, one with the deep stack of a whole request, and
// 10 KiB of buffers, mostly to wait. Over HTTP/1.1 the connection is taken out of net/http's hands
// instead (http.Hijacker) once the question is understood; the rest of the answer is written by one
// goroutine that holds what is still to be sent and little else. Then the connection goes back, for
// the next request on it. Streams over HTTP/2 stay where they are: there one connection's buffers
// serve many.
type detachedStreams struct {
	mu   sync.Mutex
	open map[*stream]struct{}
	idle chan struct{}  // closed when the last one has ended, while somebody waits for that
	back *returnedConns // where connections go on; nil when they are closed instead
}

// stream is one answer that is written aside.
type stream struct {
	cancel context.CancelFunc
	conn   net.Conn
}

// detachedRest is the rest of an answer, still to be written.
type detachedRest struct {
	ctx   context.Context // of the handler
	write func(context.Context, http.ResponseWriter)
}

// Detach has the rest of the answer written after the handlers have returned, and says whether it
// will be; then the handler must not touch writer and request any more. The request's body must
// have been read to its end, and nothing must have been written. The context that fn gets has the
// values of ctx, and ends when the server cuts the answer off.
func (w *Recorder) Detach(ctx context.Context, fn func(context.Context, http.ResponseWriter)) bool {
	if !w.detachable || w.status != 0 || w.rest != nil {
		return false
	}
	w.rest = &detachedRest{ctx, fn}
	return true
}

// detachable says whether an answer can be written aside: the request is one of HTTP/1.1 with a
// body that a door reads whole before it answers.
func detachable(w http.ResponseWriter, r *http.Request) bool {
	_, ok := w.(http.Hijacker)
	return ok && r.Method == http.MethodPost && r.ProtoMajor == 1 && r.ProtoMinor >= 1
}

// setAside writes the rest of an answer on a goroutine of its own, and done is what it does at its
// end. It says no when the connection cannot be had.
func (f *RequestHandler) setAside(answer *Recorder, r *http.Request, ended func(*http.Request)) bool {
	ctx, cancel := context.WithCancel(context.WithoutCancel(answer.rest.ctx))
	s := &stream{cancel: cancel}
	f.Detached.begin(s) // before the hijacking, after which http.Server.Shutdown does not know it any more
	header := answer.Header()
	conn, buffered, err := http.NewResponseController(answer.ResponseWriter).Hijack()
	if err != nil {
		f.Detached.end(s)
		return false
	}
	keep := f.Detached.back != nil && !r.Close && buffered.Reader.Buffered() == 0 && len(r.TransferEncoding) == 0
	f.Detached.took(s, conn)
	out := &chunks{conn: conn, header: header, keep: keep}
	answer.ResponseWriter = out
	// What is needed of the request; the request itself holds buffers of net/http.
	brief := (&http.Request{Method: r.Method, URL: &url.URL{Path: r.URL.Path},
		RemoteAddr: f.Address.sender(r)}).WithContext(ctx)
	go f.writeAside(s, answer, brief, ended)
	return true
}

func (f *RequestHandler) writeAside(s *stream, answer *Recorder, r *http.Request, ended func(*http.Request)) {
	out, id := answer.ResponseWriter.(*chunks), answer.Header().Get("X-Request-Id")
	defer f.Detached.end(s)
	defer func() {
		if broken := recover(); broken != nil {
			f.recovered(answer, r, id, broken)
		}
		ended(r) // before the client can know it
		if answer.aborted || out.finish() != nil || !out.keep || !f.Detached.back.give(s.conn) {
			s.conn.Close()
		}
	}()
	answer.rest.write(r.Context(), answer)
}

func (a *detachedStreams) begin(s *stream) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open == nil {
		a.open = map[*stream]struct{}{}
	}
	a.open[s] = struct{}{}
}

func (a *detachedStreams) took(s *stream, conn net.Conn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s.conn = conn
}

func (a *detachedStreams) end(s *stream) {
	s.cancel()
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.open, s)
	if len(a.open) == 0 && a.idle != nil {
		close(a.idle)
		a.idle = nil
	}
}

// Wait returns when nothing is written aside any more, or with the context's error.
func (a *detachedStreams) Wait(ctx context.Context) error {
	a.mu.Lock()
	if len(a.open) == 0 {
		a.mu.Unlock()
		return nil
	}
	if a.idle == nil {
		a.idle = make(chan struct{})
	}
	idle := a.idle
	a.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// cut ends what is written aside, at once.
func (a *detachedStreams) cut() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for s := range a.open {
		s.cancel()
		if s.conn != nil {
			s.conn.Close()
		}
	}
}

// chunks writes a response of HTTP/1.1 in chunks (RFC 9112 §7.1), one for each Flush.
type chunks struct {
	conn   net.Conn
	header http.Header
	keep   bool // the connection goes on afterwards
	begun  bool
	buffer []byte
	err    error
}

// Header is the header that the first Flush sends.
func (c *chunks) Header() http.Header { return c.header }

// WriteHeader begins the response.
func (c *chunks) WriteHeader(status int) {
	if c.begun {
		return
	}
	c.begun = true
	c.header["Date"] = []string{time.Now().UTC().Format(http.TimeFormat)}
	c.header["Transfer-Encoding"] = []string{"chunked"}
	if !c.keep {
		c.header["Connection"] = []string{"close"}
	}
	c.buffer = append(c.buffer, "HTTP/1.1 "...)
	c.buffer = strconv.AppendInt(c.buffer, int64(status), 10)
	c.buffer = append(append(append(c.buffer, ' '), http.StatusText(status)...), "\r\n"...)
	_ = c.header.Write((*appender)(&c.buffer))
	c.buffer = append(c.buffer, "\r\n"...)
	c.header = nil
}

// appender is a slice to write to.
type appender []byte

func (a *appender) Write(p []byte) (int, error) {
	*a = append(*a, p...)
	return len(p), nil
}

// Write takes one chunk.
func (c *chunks) Write(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	if !c.begun {
		c.WriteHeader(http.StatusOK)
	}
	if len(p) == 0 {
		return 0, nil // a chunk of no length would be the end
	}
	if need := len(c.buffer) + len(p) + chunkFrame; cap(c.buffer) < need ||
		cap(c.buffer) > maxKept && cap(c.buffer) > 2*need {
		c.buffer = append(make([]byte, 0, need), c.buffer...)
	}
	c.buffer = strconv.AppendInt(c.buffer, int64(len(p)), 16)
	c.buffer = append(append(append(c.buffer, "\r\n"...), p...), "\r\n"...)
	return len(p), nil
}

// chunkFrame is what stands around a chunk at most; a buffer larger than maxKept is not kept for a
// small one.
const (
	chunkFrame = 20
	maxKept    = 8 << 10
)

// FlushError sends what was written.
func (c *chunks) FlushError() error {
	if c.err == nil && len(c.buffer) > 0 {
		_, c.err = c.conn.Write(c.buffer)
		c.buffer = c.buffer[:0]
	}
	return c.err
}

// SetWriteDeadline bounds the next Flush.
func (c *chunks) SetWriteDeadline(deadline time.Time) error { return c.conn.SetWriteDeadline(deadline) }

// finish ends the response.
func (c *chunks) finish() error {
	if c.err != nil {
		return c.err
	}
	if !c.begun {
		return errors.New("nothing was answered")
	}
	c.buffer = append(c.buffer, "0\r\n\r\n"...)
	return c.FlushError()
}

// returnedConns is a listener for connections that have served a stream, so that the server takes
// them up again. To net/http they are new: the next request on them must come within
// limits.header_timeout.
type returnedConns struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newReturnedConns() *returnedConns {
	return &returnedConns{conns: make(chan net.Conn), closed: make(chan struct{})}
}

// give hands a connection over; no when the server takes none any more.
func (l *returnedConns) give(conn net.Conn) bool {
	if conn.SetDeadline(time.Time{}) != nil {
		return false
	}
	select {
	case l.conns <- conn:
		return true
	case <-l.closed:
		return false
	}
}

// Accept gives the next connection.
func (l *returnedConns) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (l *returnedConns) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr is that of no network.
func (l *returnedConns) Addr() net.Addr { return &net.UnixAddr{Name: "returned", Net: "inside"} }
