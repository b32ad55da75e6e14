package nlweb

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/internal/ask"
	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	wire "frontdesk/wire/nlweb"
)

// buffers hold answers while they are put together.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxPooled is the largest buffer that is kept for the next answer.
const maxPooled = 1 << 20

// release gives a buffer back.
func release(buffer *[]byte) {
	if cap(*buffer) <= maxPooled {
		buffers.Put(buffer)
	}
}

// write answers with one JSON object. The items are ready bytes, so it is put together without an
// encoder.
func (d *door) write(ctx context.Context, w http.ResponseWriter, x *exchange, answer *ask.Answer) error {
	e := httpx.EventFrom(ctx)
	buffer := buffers.Get().(*[]byte)
	defer release(buffer)
	items, summary, told, err := d.items(ctx, x, answer, (*buffer)[:0])
	*buffer = items
	if err != nil {
		return err
	}
	x.measure(d.config.Now())
	noteAnswer(e, x, told.count)
	head := x.appendMembers(x.appendMeta([]byte{'{'}), told, summary)
	send(w, http.StatusOK, head, items, []byte("]}\n"))
	return nil
}

// appendMembers appends the members of an answer after its _meta, up to its first item.
func (x *exchange) appendMembers(dst []byte, told told, summary *ask.Summary) []byte {
	if x.meta.ResponseFormat == wire.FormatChatGPT {
		return append(appendContent(append(dst, `,"content":`...), told.text(summary)), `,"structuredData":[`...)
	}
	dst = append(dst, `,"results":[`...)
	if summary != nil {
		dst = appendSummary(dst, summary)
		if told.count > 0 || told.report != "" {
			dst = append(dst, ',')
		}
	}
	return dst
}

// items appends the answer's items with commas between, and gathers what a summary or a content
// text says of them.
func (d *door) items(ctx context.Context, x *exchange, answer *ask.Answer,
	dst []byte) (_ []byte, summary *ask.Summary, told told, _ error) {
	summary, err := x.summarize(ctx, answer)
	if err != nil {
		return dst, nil, told, err
	}
	var found func(int, released.Result)
	if x.report != nil {
		found = reporter(x.speaker, x.report, answer.Len())
	}
	x.model(answer.Model())
	for result, err := range answer.Results(ctx) {
		if err != nil && x.partial(err, told.count) {
			break
		}
		if err != nil {
			return dst, nil, told, err
		}
		if len(dst) > 0 {
			dst = append(dst, ',')
		}
		dst = result.AppendJSON(dst)
		told.add(x, result)
		if found != nil {
			found(told.count, result)
		}
	}
	return dst, summary, told, nil
}

// partial says whether an answer that ran out of time is given as far as it came, and notes that it
// is.
func (x *exchange) partial(err error, ready int) bool {
	coded := fail.From(err)
	if coded.Code != fail.Timeout || ready == 0 {
		return false
	}
	x.meta.Partial = &wire.Failure{Code: words[coded.Code].code, Message: x.speaker.Say(i18n.Partial, ready)}
	return true
}

// Values of headers that every JSON answer has; shared, and never changed.
var jsonType, noStore = []string{"application/json"}, []string{"no-store"}

// send writes a whole JSON body with its length, at once: parts written one by one would each be a
// packet.
func send(w http.ResponseWriter, status int, parts ...[]byte) {
	body := parts[0]
	if len(parts) > 1 {
		buffer := buffers.Get().(*[]byte)
		defer release(buffer)
		body = (*buffer)[:0]
		for _, part := range parts {
			body = append(body, part...)
		}
		*buffer = body
	}
	header := w.Header()
	header["Content-Type"], header["Cache-Control"] = jsonType, noStore
	header["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	_, _ = w.Write(body) // when it fails, the client has gone, and there is nobody left to tell
}

// measure notes how long it took until the first byte.
func (x *exchange) measure(now time.Time) {
	took := float64(now.Sub(x.start).Microseconds()) / 1000
	x.meta.ProcessingTime = &took
}

// appendMeta appends the member "_meta". It is part of every answer, and so written without
// reflection; a test holds it against the encoder.
func (x *exchange) appendMeta(dst []byte) []byte {
	m := &x.meta
	dst = append(dst, `"_meta":{"response_type":"`...)
	dst = append(dst, m.ResponseType...)
	if m.ResponseFormat != "" {
		dst = append(dst, `","response_format":"`...)
		dst = append(dst, m.ResponseFormat...)
	}
	dst = append(dst, `","version":"`...)
	dst = append(append(dst, m.Version...), '"')
	if m.Streaming {
		dst = append(dst, `,"streaming":true`...)
	}
	if len(m.SessionContext) > 0 {
		dst = append(append(dst, `,"session_context":`...), marshal(m.SessionContext)...)
	}
	if m.Language != "" {
		dst = quote(append(dst, `,"language":`...), m.Language)
	}
	if m.RequestID != "" {
		dst = quote(append(dst, `,"request_id":`...), m.RequestID)
	}
	if m.AnswerID != "" {
		dst = quote(append(dst, `,"answer_id":`...), m.AnswerID)
	}
	if m.OutputTemplate != "" {
		dst = quote(append(dst, `,"openai/outputTemplate":`...), m.OutputTemplate)
		dst = strconv.AppendBool(append(dst, `,"openai/widgetAccessible":`...), *m.WidgetAccessible)
	}
	if m.Understood != nil {
		dst = append(append(dst, `,"understood":`...), marshal(m.Understood)...)
	}
	if m.Model != nil {
		dst = append(append(dst, `,"model":`...), marshal(m.Model)...)
	}
	if len(m.Ignored) > 0 {
		dst = append(append(dst, `,"ignored":`...), marshal(m.Ignored)...)
	}
	if m.Partial != nil {
		dst = append(append(dst, `,"partial":`...), marshal(m.Partial)...)
	}
	if len(m.Unanswered) > 0 {
		dst = append(append(dst, `,"unanswered":`...), marshal(m.Unanswered)...)
	}
	if m.ProcessingTime != nil {
		dst = strconv.AppendFloat(append(dst, `,"processing_time_ms":`...), *m.ProcessingTime, 'f', -1, 64)
	}
	return append(dst, '}')
}

// quote appends a JSON string; invalid UTF-8 is replaced.
func quote(dst []byte, text string) []byte {
	dst, _ = jsontext.AppendQuote(dst, strings.ToValidUTF8(text, "\uFFFD"))
	return dst
}

// marshal encodes a value of ours, which always succeeds.
func marshal(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("nlweb: encode %T: %v", v, err))
	}
	return text
}

// appendContent appends the content of a chatgpt_app answer: one text (NLWeb 0.55 §4.1.1).
func appendContent(dst []byte, text string) []byte {
	return append(dst, marshal([]wire.Content{{Type: "text", Text: strings.ToValidUTF8(text, "\uFFFD")}})...)
}

// told counts the items, and gathers what the content of a chatgpt_app answer says of them when
// there is no summary.
type told struct {
	count  int
	report string // in words, of a report that stands before the items
	lines  []string
}

// maxTold is how many items the content names, and maxBrief how many words of the description of
// each.
const maxTold, maxBrief = 10, 30

func (t *told) add(x *exchange, result released.Result) {
	t.count++
	if x.meta.ResponseFormat == wire.FormatChatGPT && len(t.lines) < maxTold {
		t.line(x, result.Name(), result.Type(), result.ShortDescription(maxBrief))
	}
}

// line adds what the content says of one item.
func (t *told) line(x *exchange, name, kind, brief string) {
	line := strconv.Itoa(len(t.lines)+1) + ". " + name + " (" + x.speaker.Kind(kind) + ")"
	if brief != "" {
		line += ": " + brief
	}
	t.lines = append(t.lines, line)
}

func (t *told) text(summary *ask.Summary) string {
	var parts []string
	if summary != nil {
		parts = append(parts, summary.Text)
	}
	if t.report != "" {
		parts = append(parts, t.report)
	}
	if len(parts) == 0 {
		parts = t.lines
	}
	return strings.Join(parts, "\n")
}

// words are the protocol's word and HTTP's status for each of our codes (NLWeb 0.55 §4.1.4, §7.4).
// What needed understanding is answered with 200, as §7.4 says of failures at the application
// level.
var words = map[fail.Code]struct {
	code   string
	status int
}{
	fail.Malformed:         {wire.CodeInvalidQuery, http.StatusBadRequest},
	fail.Invalid:           {wire.CodeInvalidQuery, http.StatusOK},
	fail.NoResults:         {wire.CodeNoResults, http.StatusOK},
	fail.UnsupportedFormat: {wire.CodeUnsupportedFormat, http.StatusOK},
	fail.UnsupportedMode:   {wire.CodeUnsupportedMode, http.StatusOK},
	fail.TooLong:           {wire.CodeTokenLimit, http.StatusOK},
	fail.TooLarge:          {wire.CodeTooLarge, http.StatusRequestEntityTooLarge},
	fail.NotFound:          {wire.CodeNotFound, http.StatusNotFound},
	fail.Method:            {wire.CodeMethodNotAllowed, http.StatusMethodNotAllowed},
	fail.MediaType:         {wire.CodeUnsupportedMedia, http.StatusUnsupportedMediaType},
	fail.Unauthorized:      {wire.CodeUnauthorized, http.StatusUnauthorized},
	fail.Forbidden:         {wire.CodeForbidden, http.StatusForbidden},
	fail.Limited:           {wire.CodeRateLimited, http.StatusTooManyRequests},
	fail.Unavailable:       {wire.CodeUnavailable, http.StatusServiceUnavailable},
	fail.Timeout:           {wire.CodeTimeout, http.StatusOK},
	fail.Slow:              {wire.CodeTimeout, http.StatusRequestTimeout},
	fail.Cancelled:         {wire.CodeCancelled, http.StatusOK},
	fail.UnknownPromise:    {wire.CodePromiseNotFound, http.StatusOK},
	fail.Internal:          {wire.CodeInternalError, http.StatusInternalServerError},
}

// noteAnswer and noteFailure tell the request's event what became of it.
func noteAnswer(e *httpx.Event, x *exchange, results int) {
	e.Set("response", wire.TypeAnswer)
	e.Set("format", x.meta.ResponseFormat)
	e.Set("results", results)
	if x.meta.Model != nil {
		e.Set("model", x.meta.Model.Words())
	}
}

func noteFailure(e *httpx.Event, coded *fail.Error) {
	e.Set("response", wire.TypeFailure)
	e.Set("code", words[coded.Code].code)
	if cause := errors.Unwrap(coded); cause != nil {
		e.Set("error", cause.Error())
	}
}

// WriteError answers with a failure: the envelope of NLWeb 0.55 §4.1.4 with the status and headers
// of its code.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	x := &exchange{}
	if preferred := languageOf(r); preferred != "" {
		x.speaker = i18n.For(preferred)
	}
	x.writeFailure(w, r, err)
}

// failureMeta is the _meta of a failure: of what the answer's would have said, that which goes on
// to hold.
func (x *exchange) failureMeta(coded *fail.Error) wire.Meta {
	language := x.meta.Language
	if language != "" && !spoken(coded.Code) {
		language = "en"
	}
	return wire.Meta{
		Language:     language,
		ResponseType: wire.TypeFailure, Version: wire.Version, SessionContext: x.meta.SessionContext,
		Understood: x.meta.Understood, Closest: x.meta.Closest, Model: x.meta.Model, RequestID: x.meta.RequestID,
		Unanswered: x.meta.Unanswered,
	}
}

// writeFailure is WriteError for a request that was understood so far.
func (x *exchange) writeFailure(w http.ResponseWriter, r *http.Request, err error) {
	coded := fail.From(err)
	if coded.Code == fail.Slow {
		w.Header().Set("Connection", "close") // what is still to come is no request
	} else if r.Context().Err() != nil { // to which net/http ends the context, too
		return // the client has gone
	}
	word := words[coded.Code]
	noteFailure(httpx.EventFrom(r.Context()), coded)
	if coded.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(fail.Seconds(coded.RetryAfter)))
	}
	response := wire.Response{Meta: x.failureMeta(coded), Error: &wire.Failure{Code: word.code, Message: x.word(coded)}}
	send(w, word.status, marshal(response), []byte("\n"))
}
