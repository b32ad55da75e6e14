package nlweb

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/event"
	"frontdesk/internal/fail"
	wire "frontdesk/wire/nlweb"
)

// wantsStream says whether the answer is to be a stream. prefer.streaming decides where it is set (NLWeb 0.55
// §7.2); otherwise the Accept header does (§7.3), if it names event streams and not JSON ahead of them.
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

// detacher is a writer that can have the rest of an answer written after the handler has returned, where that costs
// less while the client takes its time.
type detacher interface {
	Detach(context.Context, func(context.Context, http.ResponseWriter)) bool
}

// stream answers with events (NLWeb 0.55 §6): start, a result for each item as it is rendered, complete last.
func (d *door) stream(w http.ResponseWriter, r *http.Request, x *exchange, answer *desk.Answer) error {
	x.request = nil // it is understood, and need not wait for the client
	e := event.From(r.Context())
	rest := func(ctx context.Context, w http.ResponseWriter) { _ = d.events(ctx, w, e, x, answer) }
	if later, ok := w.(detacher); ok && later.Detach(r.Context(), rest) {
		return nil
	}
	return d.events(r.Context(), w, e, x, answer)
}

// events sends a stream.
func (d *door) events(ctx context.Context, w http.ResponseWriter, e *event.Event, x *exchange, answer *desk.Answer) error {
	x.measure(d.config.Now())
	x.model(answer.Model())
	s := d.open(w, x)
	e.Set("stream", true)
	index, told := 0, told{}
	pen, err := x.newPen(ctx, answer, &index)
	defer pen.close()
	failure := func(err error) error {
		noteFailure(e, fail.From(err))
		pen.leave(s)
		s.event(wire.EventError, appendFailure(nil, x, fail.From(err)))
		if index == 0 {
			x.meta.ResponseType = wire.TypeFailure
			x.undress()
		} else {
			x.partial(err, index)
		}
		return s.complete(x, told.text(nil))
	}
	if err != nil {
		return failure(err)
	}
	pen.send(s)
	for result, err := range answer.Drain(ctx) {
		if ctx.Err() != nil || s.err != nil {
			e.Set("left_after", index)
			return nil // the client has gone: the rest of the work is not done
		}
		if err != nil {
			return failure(err)
		}
		s.result(&index, result.AppendJSON)
		told.add(x, result)
		pen.told(s)
	}
	summary := pen.finish(s)
	x.model(answer.Model())
	noteAnswer(e, x, told.count)
	return s.complete(x, told.text(summary))
}

// streamFailure answers a question that nothing matches, asked for as a stream: start, error, complete.
func (d *door) streamFailure(w http.ResponseWriter, r *http.Request, x *exchange, cause *fail.Error) error {
	e := event.From(r.Context())
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

// events writes server-sent events. Each must be taken within the door's WriteTimeout, so that a client that does
// not read holds nothing for long. After a failed write it does nothing more.
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

// event sends one event; without a name it is a bare data line. Its data is JSON without line breaks, and so fits
// one data line.
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

// result sends one item with its place in the whole answer.
func (s *events) result(index *int, appendItem func([]byte) []byte) {
	s.put("event: " + wire.EventResult + "\ndata: {\"index\":")
	s.buffer = strconv.AppendInt(s.buffer, int64(*index), 10)
	s.buffer = append(s.buffer, `,"item":`...)
	s.buffer = append(appendItem(s.buffer), '}')
	*index++
	s.flush()
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
