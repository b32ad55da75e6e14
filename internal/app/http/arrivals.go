package http

import (
	"container/list"
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"
)

// arrivals are the requests whose handlers wait for their bodies, the one that has waited longest
// first. Where there are too many requests, or too many connections, it is cut off for a new one,
// so that nobody is kept out by requests that are never sent to their end: over HTTP/2 a few
// connections have thousands of them.
type arrivals struct {
	mu      sync.Mutex
	waiting list.List // of *arrival
}

// arrival is the body of a request on its way.
type arrival struct {
	io.ReadCloser
	of      *arrivals
	control *http.ResponseController
	alone   bool  // on its connection: HTTP/1
	awaits  bool  // the client sends it once it is told to (RFC 9110 §10.1.1)
	length  int64 // as it was announced; negative for not known
	read    int64
	over    bool // there is no more of it

	// These are under the lock of arrivals.
	place   *list.Element // from the first Read to the end
	reading bool
	gone    bool // was cut off
}

// watch puts itself between a request and its body. It gives nil where there is none.
func (a *arrivals) watch(w http.ResponseWriter, r *http.Request) *arrival {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	b := &arrival{
		ReadCloser: r.Body, of: a, control: http.NewResponseController(w), alone: r.ProtoMajor == 1,
		awaits: r.Header.Get("Expect") != "", length: r.ContentLength,
	}
	r.Body = b
	return b
}

// Read notes that it waits.
func (b *arrival) Read(p []byte) (int, error) {
	if !b.begin() {
		return 0, os.ErrDeadlineExceeded
	}
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	b.over = b.over || err != nil
	b.end(b.over)
	return n, err
}

func (b *arrival) begin() bool {
	b.of.mu.Lock()
	defer b.of.mu.Unlock()
	if b.gone {
		return false
	}
	if b.place == nil {
		b.place = b.of.waiting.PushBack(b)
	}
	b.reading = true
	return true
}

func (b *arrival) end(over bool) {
	b.of.mu.Lock()
	defer b.of.mu.Unlock()
	b.reading = false
	if over && b.place != nil {
		b.of.waiting.Remove(b.place)
		b.place = nil
	}
}

// leave is when the request is done. It says whether the request still counts, which one that was
// cut off does not.
func (b *arrival) leave() bool {
	if b == nil {
		return true
	}
	b.end(true)
	b.of.mu.Lock()
	defer b.of.mu.Unlock()
	return !b.gone
}

// cutLongest cuts off the request that has waited longest for its body, if there is one: reading it
// fails as after limits.read_timeout.
func (a *arrivals) cutLongest() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for at := a.waiting.Front(); at != nil; at = at.Next() {
		if b := at.Value.(*arrival); b.reading && b.control.SetReadDeadline(time.Unix(1, 0)) == nil {
			a.waiting.Remove(at)
			b.place, b.gone = nil, true
			return true
		}
	}
	return false
}

// mostDiscarded is how much of a body that no handler has read net/http reads to its end by itself.
const mostDiscarded = 256 << 10

// lingers says whether the rest of a body has to be read once the request is refused: else the
// connection is reset while the client still sends, and many clients never see the answer then.
// Over HTTP/2 streams end without that.
func (b *arrival) lingers(status int) bool {
	return b != nil && b.alone && status >= http.StatusBadRequest && !b.over && (!b.awaits || b.read > 0) &&
		(b.length-b.read > mostDiscarded || b.length < 0 && status == http.StatusRequestEntityTooLarge)
}

// relieve ends a request that waits for its body, for one that is there, and says whether there was
// one.
func (f *RequestHandler) relieve() bool {
	if !f.arrivals.cutLongest() {
		return false
	}
	f.InWork.Add(-1)
	f.Metrics.cut.Inc()
	if times, ok := f.scarce.now("cut"); ok {
		f.Log.Warn("there are too many requests: those that have waited longest for their "+
			"bodies are cut off for new ones", "times", times)
	}
	return true
}

// mostLingered is how much of a body is read once its request is refused. The client of a larger
// one may see its connection reset.
const mostLingered = 64 << 20

// linger sends the answer, and reads what the client still sends, for as long as a request may take
// to come.
func (b *arrival) linger() {
	if err := b.control.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(b, mostLingered))
}

// Waiting counts the requests whose handlers wait for their bodies at present.
func (f *RequestHandler) Waiting() (n int) {
	f.arrivals.mu.Lock()
	defer f.arrivals.mu.Unlock()
	for at := f.arrivals.waiting.Front(); at != nil; at = at.Next() {
		if at.Value.(*arrival).reading {
			n++
		}
	}
	return n
}
