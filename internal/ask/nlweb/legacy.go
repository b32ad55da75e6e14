package nlweb

import (
	"context"
	"crypto/rand"
	"errors"
	"iter"
	"net/http"
	"strings"
	"time"

	"frontdesk/internal/ask"
	"frontdesk/internal/ask/front"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	wire "frontdesk/wire/nlweb"
)

// maxBatch is how many items one message of a stream in the flat dialect carries.
const maxBatch = 10

// maxID is how much of a query_id comes back, in characters.
const maxID = 128

// legacy is a question in the flat dialect on its way.
type legacy struct {
	*exchange
	id, site string
	nothing  string       // in words, that nothing was found
	nodes    *front.Reply // where others answer; nil else
}

// legacyGet answers GET with a query.
func (d *door) legacyGet(w http.ResponseWriter, r *http.Request) error {
	start := d.config.Now()
	request, err := wire.ParseLegacy(r.URL.Query())
	if err != nil {
		return malformed(err)
	}
	return d.legacy(w, r, start, request)
}

// legacyPost answers a body in the flat dialect.
func (d *door) legacyPost(w http.ResponseWriter, r *http.Request, start time.Time, body []byte) error {
	request, err := wire.DecodeLegacy(body)
	if err != nil {
		return malformed(err)
	}
	return d.legacy(w, r, start, request)
}

// legacy answers a question in the flat dialect in kind. It is understood as the same question of
// NLWeb 0.55 would be, and what fails is told in 0.55's envelope, which says more than the flat
// dialect could.
func (d *door) legacy(w http.ResponseWriter, r *http.Request, start time.Time, request *wire.LegacyRequest) error {
	httpx.EventFrom(r.Context()).Set("dialect", "flat")
	x := legacy{
		exchange: &exchange{request: request.Ask(), start: start, meta: wire.Meta{Version: wire.Version}},
		id:       firstRunes(request.ID(), maxID), site: strings.Join(request.Site, ","),
	}
	heedLanguage(x.request, languageOf(r))
	x.speak()
	if x.id == "" {
		x.id = strings.ToLower(rand.Text())
	}
	if x.site == "" {
		x.site = "all"
	}
	if err := x.negotiate(); err != nil {
		return err
	}
	question, err := d.question(r.Context(), x.request)
	if err != nil {
		return err
	}
	question.AnswersOnly = true
	// Without an answer nothing fits: to these clients that is one without results, and a message.
	var answer *ask.Answer
	var reply *ask.Reply
	if d.config.Nodes != nil {
		x.request.Prefer.Elicitation = new(false)
		x.nodes, err = d.askNodes(r.Context(), x.exchange, front.Question{Limit: question.Limit})
		x.meta.SessionContext = nil // which this dialect has none of
	} else {
		reply, err = d.service.Ask(r.Context(), question)
		x.tell(reply)
	}
	var coded *fail.Error
	switch {
	case err == nil && x.nodes != nil:
	case err == nil:
		answer = reply.Answer
	case !errors.As(err, &coded) || coded.Code != fail.NoResults:
		return err
	default:
		x.nothing = x.word(coded)
	}
	x.meta.ResponseType = wire.TypeAnswer
	if !legacyStream(r, request) {
		return d.legacyWhole(w, r, x, answer)
	}
	e := httpx.EventFrom(r.Context())
	rest := func(ctx context.Context, w http.ResponseWriter) { d.legacyEvents(ctx, w, e, x, answer) }
	if later, ok := w.(detacher); !ok || !later.Detach(r.Context(), rest) {
		rest(r.Context(), w)
	}
	return nil
}

// legacyStream says whether the answer is to be a stream: yes, unless the request says no, or says
// nothing and accepts JSON rather than events.
func legacyStream(r *http.Request, request *wire.LegacyRequest) bool {
	stream, given := request.WantsStream()
	if given {
		return stream
	}
	return accepted(r) != typeJSON
}

// legacyWhole answers with one object.
func (d *door) legacyWhole(w http.ResponseWriter, r *http.Request, x legacy, answer *ask.Answer) error {
	ctx := r.Context()
	response := wire.LegacyResponse{QueryID: x.id, Site: x.site, Query: x.request.Query.Text, Message: x.nothing,
		Results: []wire.LegacyResult{}}
	draft, err := x.legacyDraft(ctx, answer)
	if err != nil {
		return err
	}
	response.Summary = x.summary(ctx, draft)
	for result, err := range x.results(ctx, answer) {
		if err != nil {
			return err
		}
		response.Results = append(response.Results, result)
	}
	if answer != nil {
		x.model(answer.Model())
	}
	noteAnswer(httpx.EventFrom(ctx), x.exchange, len(response.Results))
	x.measure(d.config.Now())
	x.meta.ResponseFormat = "" // which 0.55 has no name for
	response.Meta = x.meta
	send(w, http.StatusOK, marshal(response), []byte("\n"))
	return nil
}

// legacyEvents answers with events without names: batches of results, a summary where one was asked
// for, complete last.
func (d *door) legacyEvents(ctx context.Context, w http.ResponseWriter, e *httpx.Event, x legacy, answer *ask.Answer) {
	e.Set("stream", true)
	s := d.begin(w)
	tell := func(m wire.LegacyMessage) {
		m.QueryID = x.id
		s.event("", marshal(m))
	}
	say := func(kind, text string) { tell(wire.LegacyMessage{MessageType: kind, Message: text, Content: text}) }
	failure := func(err error) {
		noteFailure(e, fail.From(err))
		say(wire.LegacyError, x.word(fail.From(err)))
		tell(wire.LegacyMessage{MessageType: wire.LegacyComplete})
	}
	draft, err := x.legacyDraft(ctx, answer)
	if err != nil {
		failure(err)
		return
	}
	var batch []wire.LegacyResult
	count := 0
	flush := func() {
		if len(batch) > 0 {
			tell(wire.LegacyMessage{MessageType: wire.LegacyResultBatch, Results: batch})
			batch = batch[:0]
		}
	}
	for result, err := range x.results(ctx, answer) {
		if ctx.Err() != nil || s.err != nil {
			e.Set("left_after", count)
			return // the client has gone: the rest of the work is not done
		}
		if err != nil {
			flush()
			failure(err)
			return
		}
		count++
		if batch = append(batch, result); len(batch) == maxBatch {
			flush()
		}
	}
	flush()
	if summary := x.summary(ctx, draft); summary != "" {
		say(wire.LegacySummary, summary)
	}
	if x.nothing != "" {
		say(wire.LegacyNoResults, x.nothing)
	}
	noteAnswer(e, x.exchange, count)
	tell(wire.LegacyMessage{MessageType: wire.LegacyComplete})
}

func (x legacy) legacyDraft(ctx context.Context, answer *ask.Answer) (*ask.Draft, error) {
	if answer == nil {
		return nil, nil
	}
	return x.draft(ctx, answer)
}

// summary is a summary in the flat dialect, which has nothing but a text.
func (x legacy) summary(ctx context.Context, draft *ask.Draft) string {
	switch {
	case x.nodes != nil && x.nodes.Summary != nil:
		return valid(x.nodes.Summary.Text)
	case draft == nil:
		return ""
	}
	return valid(draft.Write(ctx, nil).Text)
}

// results are the results of an answer in the flat dialect.
func (x legacy) results(ctx context.Context, answer *ask.Answer) iter.Seq2[wire.LegacyResult, error] {
	if x.nodes != nil {
		return flatNodes(x.nodes)
	}
	return flatResults(legacyResults(ctx, answer))
}

// legacyResults gives the results of an answer for the last time, none when there is no answer.
func legacyResults(ctx context.Context, answer *ask.Answer) iter.Seq2[released.Result, error] {
	return func(yield func(released.Result, error) bool) {
		if answer == nil {
			return
		}
		for drain := answer.Drain(); ; {
			result, more, err := drain.Next(ctx)
			if (more || err != nil) && !yield(result, err) || !more {
				return
			}
		}
	}
}

// legacyResult is a released item in the flat dialect.
func legacyResult(r released.Result) wire.LegacyResult {
	return wire.LegacyResult{
		URL: valid(r.URL()), Name: valid(r.Name()), Site: r.Site(), Score: int(r.Score() + 0.5),
		Description: valid(r.Description()), SchemaObject: r.AppendObject(nil),
	}
}

// valid replaces what is not UTF-8, which the encoder would refuse.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func firstRunes(s string, n int) string {
	if runes := []rune(s); len(runes) > n {
		return string(runes[:n])
	}
	return s
}
