package edge

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"net/http"
	"time"

	"frontdesk/internal/licensing/edge/deliverylog"
)

// outlet is where an answer leaves: it gives a client time for as long as it goes on taking, and
// notes of what is delivered against a signature how much of it left.
type outlet struct {
	http.ResponseWriter
	control *http.ResponseController
	wait    time.Duration
	next    time.Time // from when the client's time is counted anew
	status  int
	whole   bool // the handler has returned without breaking off
	failed  bool // the connection did not take something
	early   int  // informational answers of the origin
	giveUp  func()
	own     [len(ownHeaders)][]string // what this server had set before the origin was asked

	record *deliverylog.OpenDelivery // nil where nothing is delivered against a signature
	silent bool                      // what is written is none of the content
	length int64                     // of the content as it was announced; -1 where it was not
	sent   int64
	sum    hash.Hash
}

// ownHeaders are headers that this server sets itself, where it does, and no origin.
var ownHeaders = [...]string{"X-Request-Id", "Traceresponse", "Strict-Transport-Security"}

// maxEarly is how many informational answers an origin may send before its answer.
const maxEarly = 32

func newOutlet(w http.ResponseWriter, wait time.Duration, giveUp func()) *outlet {
	o := &outlet{ResponseWriter: w, control: http.NewResponseController(w), wait: wait, giveUp: giveUp}
	header := w.Header()
	for i, name := range ownHeaders {
		o.own[i] = header[name]
	}
	return o
}

// restore sets this server's own headers again, which the proxy clears with those of an
// informational answer.
func (o *outlet) restore() {
	header := o.Header()
	for i, name := range ownHeaders {
		if len(o.own[i]) > 0 {
			header[name] = o.own[i]
		}
	}
}

// begin records that content is about to be delivered. The error wraps errRecord: then it must not
// be.
func (o *outlet) begin(s *deliverylog.Log, v verdict, length int64) error {
	open, err := s.Begin(deliverylog.Delivery{Transaction: v.grant.Transaction, Agent: v.grant.Agent, URI: v.content,
		Form: string(v.form), Length: length})
	if err != nil {
		return fmt.Errorf("%w: %w", errRecord, err)
	}
	o.record, o.length, o.sum = open, length, sha256.New()
	return nil
}

// Unwrap gives http.ResponseController the writer that can flush and has deadlines.
func (o *outlet) Unwrap() http.ResponseWriter { return o.ResponseWriter }

// WriteHeader notes the status.
func (o *outlet) WriteHeader(status int) {
	if status < 200 && status != http.StatusSwitchingProtocols { // an origin's early hints are not passed on
		if o.early++; o.early > maxEarly {
			o.giveUp()
		}
		return
	}
	if o.status == 0 {
		o.status = status
	}
	o.extend() // also for an answer without a body
	o.ResponseWriter.WriteHeader(status)
}

// extend gives the client its time for the next part.
func (o *outlet) extend() {
	if now := time.Now(); now.After(o.next) {
		o.next = now.Add(o.wait / 4)
		_ = o.control.SetWriteDeadline(now.Add(o.wait))
	}
}

// Write sends a part of the answer.
func (o *outlet) Write(p []byte) (int, error) {
	if o.status == 0 {
		o.status = http.StatusOK
	}
	o.extend()
	counts := o.record != nil && !o.silent
	if counts {
		if err := o.record.Announce(o.sent, int64(len(p))); err != nil {
			o.failed = true
			return 0, err
		}
	}
	n, err := o.ResponseWriter.Write(p)
	if counts {
		o.sent += int64(n)
		o.sum.Write(p[:n])
	}
	o.failed = o.failed || err != nil
	return n, err
}

// end records how a delivery ended.
func (o *outlet) end() {
	if o.record == nil {
		return
	}
	if o.control.Flush() != nil { // what is still in a buffer is counted as sent
		o.failed = true
	}
	if o.whole && !o.failed && (o.length < 0 || o.sent == o.length) {
		o.record.End(o.status, o.sent, o.sum.Sum(nil))
	} else {
		o.record.Cut(o.status, o.sent, o.sum.Sum(nil))
	}
}
