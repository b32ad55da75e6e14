package nlweb

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/ask"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	wire "frontdesk/wire/nlweb"
)

// wantsStream says whether the answer is to be a stream. prefer.streaming decides where it is set
// (NLWeb 0.55 §7.2); otherwise the Accept header does (§7.3), if it names event streams and not
// JSON ahead of them.
func wantsStream(r *http.Request, request *wire.AskRequest) bool {
	if request.Prefer.Streaming != nil {
		return *request.Prefer.Streaming
	}
	return accepted(r) == typeStream
}

// The media types between which the Accept header decides.
const typeStream, typeJSON = "text/event-stream", "application/json"

// accepted returns which of the two media types the Accept header names first; empty for neither.
func accepted(r *http.Request) string {
	for _, accept := range r.Header.Values("Accept") {
		for kind := range strings.SplitSeq(accept, ",") {
			kind, _, _ = strings.Cut(kind, ";")
			switch kind = strings.ToLower(strings.TrimSpace(kind)); kind {
			case typeStream, typeJSON:
				return kind
			}
		}
	}
	return ""
}

// detacher is a writer that can have the rest of an answer written after the handler has returned,
// where that costs less while the client takes its time.
type detacher interface {
	Detach(context.Context, func(context.Context, http.ResponseWriter)) bool
}

// stream answers with events (NLWeb 0.55 §6): start, a result for each item as it is rendered,
// complete last.
func (d *door) stream(w http.ResponseWriter, r *http.Request, x *exchange, answer *ask.Answer) error {
	x.request = nil // it is understood, and need not wait for the client
	e := httpx.EventFrom(r.Context())
	rest := func(ctx context.Context, w http.ResponseWriter) { _ = d.events(ctx, w, e, x, answer) }
	if later, ok := w.(detacher); ok && later.Detach(r.Context(), rest) {
		return nil
	}
	return d.events(r.Context(), w, e, x, answer)
}

// events sends a stream. Between its events it waits for the client, which may take long: what it
// waits in must be few and small frames, or each idle stream holds a stack of twice the size. So
// the work on an event is done and returned from before the event is sent.
func (d *door) events(ctx context.Context, w http.ResponseWriter, e *httpx.Event, x *exchange,
	answer *ask.Answer) error {
	t := d.tell(ctx, w, e, x, answer)
	defer t.pen.close()
	for t.next(ctx) {
		t.s.flush()
	}
	return t.end()
}

// telling is a stream on its way.
type telling struct {
	x      *exchange
	e      *httpx.Event
	s      *events
	pen    *pen
	answer *ask.Answer
	drain  *ask.Drain
	index  int // of the next result
	told   told
	err    error // that ended it
	left   bool  // by the client
}

// tell begins a stream: its start, and a summary that is there already.
func (d *door) tell(ctx context.Context, w http.ResponseWriter, e *httpx.Event, x *exchange,
	answer *ask.Answer) *telling {
	x.measure(d.config.Now())
	x.model(answer.Model())
	t := &telling{x: x, e: e, s: d.open(w, x), answer: answer}
	e.Set("stream", true)
	if t.pen, t.err = x.newPen(ctx, answer, &t.index); t.err != nil {
		return t
	}
	t.pen.send(t.s)
	t.drain = answer.Drain()
	return t
}

// next puts the next result together, after what was written of a summary meanwhile, and says
// whether there is one to send.
func (t *telling) next(ctx context.Context) bool {
	if t.err != nil {
		return false
	}
	if t.told.count > 0 {
		t.pen.told(t.s)
	}
	result, more, err := t.drain.Next(ctx)
	if (more || err != nil) && (ctx.Err() != nil || t.s.err != nil) {
		t.left = true // the client has gone: the rest of the work is not done
		return false
	}
	if t.err = err; err != nil || !more {
		return false
	}
	t.s.result(t.index, result.AppendJSON)
	t.index++
	t.told.add(t.x, result)
	return true
}

// end completes the stream.
func (t *telling) end() error {
	switch {
	case t.left:
		t.e.Set("left_after", t.index)
		return nil
	case t.err != nil:
		return t.fail(fail.From(t.err))
	}
	summary := t.pen.finish(t.s)
	t.x.model(t.answer.Model())
	noteAnswer(t.e, t.x, t.told.count)
	return t.s.complete(t.x, t.told.text(summary))
}

// fail completes a stream that cannot go on.
func (t *telling) fail(cause *fail.Error) error {
	noteFailure(t.e, cause)
	t.pen.leave(t.s)
	t.s.event(wire.EventError, appendFailure(nil, t.x, cause))
	if t.index == 0 {
		t.x.meta.ResponseType = wire.TypeFailure
		t.x.undress()
	} else {
		t.x.partial(cause, t.index)
	}
	return t.s.complete(t.x, t.told.text(nil))
}

// streamFailure answers a question that nothing matches, asked for as a stream: start, error,
// complete.
func (d *door) streamFailure(w http.ResponseWriter, r *http.Request, x *exchange, cause *fail.Error) error {
	e := httpx.EventFrom(r.Context())
	e.Set("stream", true)
	noteFailure(e, cause)
	x.meta.ResponseType, x.meta.ResponseFormat = wire.TypeFailure, ""
	x.undress()
	x.measure(d.config.Now())
	s := d.open(w, x)
	s.event(wire.EventError, appendFailure(nil, x, cause))
	return s.complete(x, "")
}

// appendFailure appends the data of an error event: the failure response of §4.1.4.
func appendFailure(dst []byte, x *exchange, cause *fail.Error) []byte {
	return append(dst, marshal(wire.Response{
		Meta:  x.failureMeta(cause),
		Error: &wire.Failure{Code: words[cause.Code].code, Message: x.word(cause)},
	})...)
}

// events writes server-sent events. Each must be taken within the door's WriteTimeout, so that a
// client that does not read holds nothing for long. After a failed write it does nothing more.
type events struct {
	w       http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
	pooled  *[]byte
	buffer  []byte // the event that is being put together
	err     error
}

// put begins an event.
func (s *events) put(text string) {
	s.pooled = buffers.Get().(*[]byte)
	s.buffer = append((*s.pooled)[:0], text...)
}

// begin sends the head of a stream.
func (d *door) begin(w http.ResponseWriter) *events {
	header := w.Header()
	header.Set("Content-Type", typeStream)
	header.Set("Cache-Control", "no-cache")
	header.Set("X-Accel-Buffering", "no") // or nginx would gather the events
	w.WriteHeader(http.StatusOK)
	return &events{w: w, control: http.NewResponseController(w), timeout: d.config.WriteTimeout}
}

// open begins the stream with its start event.
func (d *door) open(w http.ResponseWriter, x *exchange) *events {
	s := d.begin(w)
	x.meta.Streaming = true
	s.event(wire.EventStart, append(x.appendMeta([]byte{'{'}), '}'))
	return s
}

// event sends one event; without a name it is a bare data line. Its data is JSON without line
// breaks, and so fits one data line.
func (s *events) event(name string, data []byte) {
	s.put("")
	if name != "" {
		s.buffer = append(append(append(s.buffer, "event: "...), name...), '\n')
	}
	s.buffer = append(s.buffer, "data: "...)
	s.buffer = append(s.buffer, data...)
	s.flush()
}

// comment sends what every client passes over.
func (s *events) comment(text string) {
	s.put(": " + text)
	s.flush()
}

// result puts one item together, with its place in the whole answer; flush sends it.
func (s *events) result(index int, appendItem func([]byte) []byte) {
	s.put("event: " + wire.EventResult + "\ndata: {\"index\":")
	s.buffer = strconv.AppendInt(s.buffer, int64(index), 10)
	s.buffer = append(s.buffer, `,"item":`...)
	s.buffer = append(appendItem(s.buffer), '}')
}

// complete ends the stream. It carries the whole _meta again, and for chatgpt_app the content.
func (s *events) complete(x *exchange, content string) error {
	x.meta.Streaming = false
	data := x.appendMeta([]byte{'{'})
	if x.meta.ResponseFormat == wire.FormatChatGPT && x.meta.ResponseType == wire.TypeAnswer {
		data = appendContent(append(data, `,"content":`...), content)
	}
	s.event(wire.EventComplete, append(data, '}'))
	return nil
}

// flush sends the event. The writer has a copy of it before the client takes its time over it.
func (s *events) flush() {
	if s.err == nil {
		s.buffer = append(s.buffer, "\n\n"...)
		// A writer without deadlines, as in some tests, is written to all the same.
		_ = s.control.SetWriteDeadline(time.Now().Add(s.timeout))
		_, s.err = s.w.Write(s.buffer)
	}
	*s.pooled = s.buffer
	release(s.pooled)
	s.pooled, s.buffer = nil, nil
	if s.err == nil {
		s.err = s.control.Flush()
	}
}
