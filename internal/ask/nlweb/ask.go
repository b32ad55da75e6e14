// Package nlweb is the door for NLWeb 0.55: it reads requests, calls package ask, and writes
// answers as JSON or as a stream of server-sent events. It owns the protocol's words and statuses
// and knows nothing of content, terms or search.
package nlweb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/ask"
	"frontdesk/internal/ask/front"
	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	wire "frontdesk/wire/nlweb"
	"frontdesk/wire/strictjson"
)

// Config are the door's settings; the zero value of each member has a default.
type Config struct {
	MaxBody      int64         // bytes of a request's body; 0 is 1 MiB
	WriteTimeout time.Duration // for a client to take one event of a stream; 0 is 30 seconds
	Limit        int           // results when the question names no number; 0 is ask.DefaultLimit
	// StrangerLimit is how many results a question of nobody who is known has at most; 0 for as
	// many as any other's. It is no less than Limit.
	StrangerLimit int
	Widget        Widget           // for answers in the format chatgpt_app
	Now           func() time.Time // nil is time.Now
	// Access says who may ask and how often, for GET /ask; nil says nothing of it.
	Access func(*http.Request) Access
	// Nodes are asked in place of the service, where this is the front of sites that others hold;
	// nil where it is not.
	Nodes *front.Front
	Title string // what people call what is asked here, for Tools; may be empty
	About string // a sentence about it, for Tools; may be empty
}

// Handler serves /ask.
func Handler(d *ask.Service, config Config) http.Handler { return newDoor(d, config) }

func newDoor(d *ask.Service, config Config) *door {
	if config.MaxBody == 0 {
		config.MaxBody = 1 << 20
	}
	if config.WriteTimeout == 0 {
		config.WriteTimeout = 30 * time.Second
	}
	if config.Limit == 0 {
		config.Limit = ask.DefaultLimit
	}
	if config.StrangerLimit > 0 {
		config.StrangerLimit = max(config.StrangerLimit, config.Limit)
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	return &door{service: d, config: config}
}

type door struct {
	service *ask.Service
	config  Config
}

// ServeHTTP answers POST with an answer and GET with how to ask, or, when it carries a query, with
// an answer in the flat dialect.
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPost:
		if err := d.ask(w, r); err != nil {
			WriteError(w, r, err)
		}
	case http.MethodGet, http.MethodHead:
		if !r.URL.Query().Has("query") {
			d.usage(w, r)
		} else if err := d.legacyGet(w, r); err != nil {
			WriteError(w, r, err)
		}
	default:
		w.Header().Set("Allow", "GET, HEAD, OPTIONS, POST")
		WriteError(w, r, fail.New(fail.Method, "%s is not for this address; POST a question to it", r.Method))
	}
}

// exchange is one ask on its way: what was asked, and what the answer's _meta will say.
type exchange struct {
	request *wire.AskRequest
	meta    wire.Meta
	modes   modes
	session wire.Session // as it came, within its bounds
	speaker i18n.Speaker // says what the door says itself
	start   time.Time
	report  func(done, total int, message string) // told of each item as it is rendered; nil for nobody
}

type modes struct{ list, summarize, report, deltas bool }

// reporting says what place a report has: instead of the items where nothing else is wanted.
func (m modes) reporting() ask.Reporting {
	switch {
	case !m.report:
		return ask.NoReport
	case m.list || m.summarize:
		return ask.ReportBeside
	}
	return ask.ReportAlone
}

// ask decides the type of the response before its first byte: an error returned here is an ordinary
// JSON failure (NLWeb 0.55 §6; the first byte of a stream rules out every other status).
func (d *door) ask(w http.ResponseWriter, r *http.Request) error {
	start := d.config.Now()
	body, err := d.read(w, r)
	if err != nil {
		return err
	}
	request, err := wire.DecodeAsk(body)
	if err != nil && wire.IsLegacy(body) {
		return d.legacyPost(w, r, start, body)
	}
	if err != nil {
		return malformed(err)
	}
	heedLanguage(request, languageOf(r))
	ctx := r.Context()
	if d.config.Nodes != nil && r.UserAgent() == front.UserAgent {
		return fail.New(fail.Malformed, onlyFront)
	}
	x := &exchange{request: request, start: start, meta: wire.Meta{Version: wire.Version}}
	stream := wantsStream(r, request)
	reply, whole, err := d.inquire(ctx, x, stream)
	var coded *fail.Error
	if errors.As(err, &coded) && coded.Code == fail.NoResults && stream {
		return d.streamFailure(w, r, x, coded)
	}
	// What is no answer is JSON even when a stream was preferred: there is nothing to wait for.
	switch {
	case err != nil:
	case whole != nil && stream && whole.items != nil:
		d.streamNodes(w, r, x, whole)
	case whole != nil:
		whole.send(w)
	case reply.Elicitation != nil:
		d.askBack(ctx, w, x, reply)
	case reply.Promise != nil:
		compact(http.StatusAccepted, d.promise(ctx, x, reply.Promise)).send(w)
	case stream:
		err = d.stream(w, r, x, reply.Answer)
	default:
		err = d.write(ctx, w, x, reply.Answer)
	}
	if err != nil {
		x.writeFailure(w, r, err)
	}
	return nil
}

// inquire settles how to answer, and asks. It gives the reply, or in its place a whole response.
func (d *door) inquire(ctx context.Context, x *exchange, stream bool) (*ask.Reply, *composed, error) {
	question, err := d.settle(ctx, x)
	if err != nil {
		return nil, nil, err
	}
	if d.config.Nodes != nil {
		whole, err := d.fromNodes(ctx, x, question)
		return nil, whole, err
	}
	if d.service.Promises() {
		question.Record = x.record
	}
	question.Summarize = x.modes.summarize && !stream
	if d.service.TakesLong(question) {
		// a report is one item, and no stream of them
		return d.slowly(ctx, x, question, stream && question.Report == ask.NoReport)
	}
	reply, err := d.service.Ask(ctx, question)
	x.tell(reply)
	x.keep(reply)
	return reply, nil, err
}

// settle settles how to answer, and makes a question of the request.
func (d *door) settle(ctx context.Context, x *exchange) (ask.Question, error) {
	x.echo()
	x.speak()
	x.identify(ctx)
	if err := x.negotiate(); err != nil {
		return ask.Question{}, err
	}
	if x.request.Prefer.Fresh && !d.service.CanReread() {
		x.ignore("/prefer/fresh", "the sources are not read again on demand here")
	}
	question, err := d.question(ctx, x.request)
	if question.Most > 0 && question.Limit > question.Most {
		x.ignore("/query/limit",
			fmt.Sprintf("who is not known here gets at most %d results; ask for more of them next", question.Most))
	}
	question.Report = x.modes.reporting()
	question.Session = &ask.Session{Conversation: x.session.ConversationID, State: x.session.StateToken}
	x.meta.ResponseType = wire.TypeAnswer
	x.dress(d.config.Widget)
	return question, err
}

// read takes the request's body within the bounds.
func (d *door) read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if typ := r.Header.Get("Content-Type"); typ != "application/json" && !isJSON(typ) {
		return nil, fail.New(fail.MediaType, "send the question as JSON, with Content-Type: application/json")
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return nil, fail.New(fail.MediaType, "send the body as it is, without Content-Encoding")
	}
	if r.ContentLength > d.config.MaxBody {
		return nil, d.tooLarge(w)
	}
	body, err := readAll(w, r, d.config.MaxBody)
	if err == nil {
		return body, nil
	}
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return nil, d.tooLarge(w)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, fail.New(fail.Slow, "the body did not come in time; send it at once")
	default:
		return nil, fail.New(fail.Malformed, "the body ended too early").Wrap(err)
	}
}

// isJSON says whether a media type is that of JSON, or of something written in it.
func isJSON(contentType string) bool {
	typ, _, err := mime.ParseMediaType(contentType)
	return err == nil && (typ == "application/json" || strings.HasSuffix(typ, "+json"))
}

// tooLarge ends the connection after the answer: the server would read on, for nothing.
func (d *door) tooLarge(w http.ResponseWriter) error {
	w.Header().Set("Connection", "close")
	return fail.New(fail.TooLarge, "the body is larger than %d bytes", d.config.MaxBody)
}

// usualBody is the length up to which a body gets its memory before it is there.
const usualBody = 16 << 10

// readAll reads a body of most bytes at most, which was not announced as longer. Mostly it has the
// length that it was announced with, to which net/http holds it.
func readAll(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	if r.ContentLength < 0 || r.ContentLength > usualBody {
		return io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	}
	whole := make([]byte, r.ContentLength)
	n, err := io.ReadFull(r.Body, whole)
	return whole[:n], err
}

// malformed turns an error of the decoder into ours, with the place among its fields.
func malformed(err error) error {
	var at *strictjson.Error
	if !errors.As(err, &at) {
		return fail.New(fail.Malformed, "the body cannot be read as JSON").Wrap(err)
	}
	e := fail.New(fail.Malformed, "%s", at.Error())
	e.Fields = []fail.Field{{Pointer: at.Pointer, Detail: at.Problem}}
	return e
}

// negotiate chooses format and modes among those asked for (NLWeb 0.55 §3.3). Unknown ones are
// ignored as long as one is known.
func (x *exchange) negotiate() error {
	prefer := x.request.Prefer
	x.modes.deltas = prefer.Deltas
	x.meta.ResponseFormat = wire.FormatConversational
	if len(prefer.ResponseFormat) > 0 {
		known := slices.IndexFunc(prefer.ResponseFormat, func(f string) bool { return format(f) != "" })
		if known < 0 {
			return fail.New(fail.UnsupportedFormat, "response_format must be %s or %s", wire.FormatConversational,
				wire.FormatChatGPT)
		}
		x.meta.ResponseFormat = format(prefer.ResponseFormat[known])
	}
	for _, mode := range prefer.Mode {
		switch strings.ToLower(mode) {
		case wire.ModeList:
			x.modes.list = true
		case wire.ModeSummarize:
			x.modes.summarize = true
		case wire.ModeReport:
			x.modes.report = true
		default:
			x.ignore("/prefer/mode", fmt.Sprintf("mode %q is not known", clip(mode)))
		}
	}
	if len(prefer.Mode) > 0 && !x.modes.list && !x.modes.summarize && !x.modes.report {
		return fail.New(fail.UnsupportedMode, "mode must be %s, %s or %s, or several of them", wire.ModeList,
			wire.ModeSummarize, wire.ModeReport)
	}
	return nil
}

// format returns the name of a format that we serve, also by its names in older dialects; empty for
// others.
func format(name string) string {
	switch strings.ToLower(name) {
	case wire.FormatConversational, "conv_search":
		return wire.FormatConversational
	case wire.FormatChatGPT, "chatgptapp":
		return wire.FormatChatGPT
	}
	return ""
}

// clip shortens what a stranger sent before it is sent back.
func clip(s string) string {
	if runes := []rune(s); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return s
}

// maxIgnored bounds what is told of unheeded attributes.
const maxIgnored = 16

func (x *exchange) ignore(pointer, reason string) {
	if len(x.meta.Ignored) < maxIgnored {
		x.meta.Ignored = append(x.meta.Ignored, wire.Ignored{Name: pointer, Reason: reason})
	}
}

// question makes a question of a request.
func (d *door) question(ctx context.Context, r *wire.AskRequest) (ask.Question, error) {
	q := r.Query
	asked := ask.Question{Text: q.Text, Sites: q.Site, Types: q.ItemType, MinScore: q.MinScore, Limit: d.config.Limit,
		Attributes: q.Filters, Fresh: r.Prefer.Fresh, Closest: r.Prefer.Closest}
	asked.Remember, asked.Person, asked.Names = r.Meta.Remember, person(r.Meta.User), allNames(r.Meta.User)
	for i, c := range r.Context {
		asked.Context.Previous = append(asked.Context.Previous, c.Prev...)
		asked.Context.Memory = append(asked.Context.Memory, c.Memory...)
		if c.Text != "" {
			asked.Context.Texts = append(asked.Context.Texts, c.Text)
		}
		if len(c.Other) > 0 {
			asked.Context.Others = append(asked.Context.Others, c.Other)
			asked.Context.Origins = append(asked.Context.Origins, origin(i, len(r.Context)))
		}
	}
	asked.Languages = languages(r)
	// An extension of ours: whoever cannot answer questions says so.
	asked.NoQuestions = r.Prefer.Elicitation != nil && !*r.Prefer.Elicitation
	if party, known := identity.From(ctx); known {
		asked.Party = party.ID
	} else {
		asked.Most = d.config.StrangerLimit
	}
	if q.Limit == nil {
		return asked, nil
	}
	asked.Numbered = true
	// which is a default in a Question, and an error when written down
	if asked.Limit = int(*q.Limit); asked.Limit == 0 {
		return asked, fail.New(fail.Malformed, "limit is 0; it must be between 1 and %d", ask.MaxLimit)
	}
	return asked, nil
}
