package nlweb

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json"

	"frontdesk/internal/ask"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"

	"frontdesk/internal/identity"
	wire "frontdesk/wire/nlweb"
)

// ToolAwait is the name of the tool that checks on promises (NLWeb 0.55 Appendix A.2).
const ToolAwait = "await"

// composed is a whole response, which can be sent now or later, over HTTP or as a tool's result.
type composed struct {
	Status int       `json:"status"`          // of HTTP
	Failed bool      `json:"failed,omitzero"` // the tool could not do what was asked
	Text   string    `json:"text,omitzero"`   // for a model to read ahead of the object
	Meta   wire.Meta `json:"meta"`
	rest   []byte    // the members of the object after _meta, each with a comma before
	items  [][]byte  // of an answer of other nodes, for a stream
}

// compose makes a response of what became of a question. x tells of the request, and is changed.
func (d *door) compose(ctx context.Context, x *exchange, reply *ask.Reply, err error) *composed {
	if err != nil {
		return x.failed(ctx, err)
	}
	switch {
	case reply.Elicitation != nil:
		return compact(http.StatusOK, d.elicitation(ctx, x, reply))
	case reply.Promise != nil:
		return compact(http.StatusAccepted, d.promise(ctx, x, reply.Promise))
	}
	buffer := buffers.Get().(*[]byte)
	defer release(buffer)
	items := (*buffer)[:0]
	var summary *ask.Summary
	var told told
	if reply.Report != nil {
		items = reply.Report.AppendJSON(items)
	}
	if reply.Answer != nil {
		items, summary, told, err = d.items(ctx, x, reply.Answer, items)
	}
	*buffer = items
	if err != nil {
		return x.failed(ctx, err)
	}
	if reply.Report != nil {
		told.report = reply.Report.Text
	}
	x.measure(d.config.Now())
	noteAnswer(httpx.EventFrom(ctx), x, told.count)
	c := &composed{Status: http.StatusOK, Meta: x.meta}
	c.rest = append(append(x.appendMembers(make([]byte, 0, len(items)+1024), told, summary), items...), ']')
	if x.meta.ResponseFormat == wire.FormatChatGPT {
		c.Text = told.text(summary)
	}
	return c
}

// failed is a failure: the envelope of NLWeb 0.55 §4.1.4. Nothing found and a question taken back
// are outcomes, not failures of a tool.
func (x *exchange) failed(ctx context.Context, err error) *composed {
	coded := fail.From(err)
	noteFailure(httpx.EventFrom(ctx), coded)
	word := words[coded.Code]
	c := compact(word.status, wire.Response{
		Meta:  x.failureMeta(coded),
		Error: &wire.Failure{Code: word.code, Message: x.word(coded)},
	})
	c.Failed = coded.Code != fail.NoResults && coded.Code != fail.Cancelled
	return c
}

// compact takes a response apart.
func compact(status int, response wire.Response) *composed {
	whole := marshal(response)
	return &composed{Status: status, Meta: response.Meta, rest: whole[len(`{"_meta":`)+len(marshal(response.Meta)) : len(whole)-1]}
}

// send sends the response over HTTP.
func (c *composed) send(w http.ResponseWriter) {
	x := exchange{meta: c.Meta}
	send(w, c.Status, x.appendMeta([]byte{'{'}), c.rest, []byte("}\n"))
}

// result is the response as a tool's result.
func (c *composed) result() httpx.Result {
	x := exchange{meta: c.Meta}
	object := x.appendMeta(append(make([]byte, 0, len(c.rest)+1024), '{'))
	return httpx.Result{
		Text: c.Text, Object: append(append(object, c.rest...), '}'), Meta: x.appendMeta(nil)[len(`"_meta":`):],
		IsError: c.Failed,
	}
}

// kept is the response as bytes, which parseKept reads: what is known of it on one line, and the
// members.
func (c *composed) kept() []byte { return append(append(marshal(c), '\n'), c.rest...) }

func parseKept(text []byte) (*composed, error) {
	head, rest, ok := bytes.Cut(text, []byte{'\n'})
	c := &composed{rest: rest}
	if err := json.Unmarshal(head, c); err != nil || !ok {
		return nil, fmt.Errorf("a kept answer cannot be read: %w", err)
	}
	return c, nil
}

// promise puts a promise on the wire (NLWeb 0.55 §4.1.2). It has no format: what was asked for is
// that of the answer.
func (d *door) promise(ctx context.Context, x *exchange, p *ask.Promise) wire.Response {
	x.meta.ResponseType, x.meta.ResponseFormat = wire.TypePromise, ""
	x.undress()
	x.measure(d.config.Now())
	note := httpx.EventFrom(ctx)
	note.Set("response", wire.TypePromise)
	note.Set("progress", p.Progress)
	progress := math.Round(p.Progress*1000) / 1000
	return wire.Response{Meta: x.meta, Promise: &wire.Promise{
		Token: p.Token, Message: p.Message, Progress: &progress, EstimatedTime: fail.Seconds(p.Left),
	}}
}

// record is the request as a promise keeps it: as part of a conversation.
func (x *exchange) record(s *ask.Session) ([]byte, error) {
	request, session := *x.request, x.session
	if session.Other = maps.Clone(session.Other); s != nil {
		session.ConversationID, session.StateToken = s.Conversation, s.State
	}
	request.Meta.SessionContext = session.JSON()
	text, err := json.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("write a request down: %w", err)
	}
	return text, nil
}

// Keeper answers promised questions for this door.
func Keeper(d *ask.Service, config Config) ask.Keeper { return newDoor(d, config).keeper() }

func (d *door) keeper() ask.Keeper {
	return ask.Keeper{
		Answer: func(ctx context.Context, party string, request []byte) (answer []byte, again bool) {
			if party != "" {
				ctx = identity.With(ctx, identity.Party{ID: party})
			}
			x, err := d.resume(request)
			var reply *ask.Reply
			if err == nil {
				var question ask.Question
				if question, err = d.settle(ctx, x); err == nil {
					question.AnswersOnly = true // which was asked back before the promise
					reply, err = d.service.Ask(ctx, question)
					x.tell(reply)
					x.keep(reply)
				}
			}
			return d.compose(ctx, x, reply, err).kept(), err != nil && fail.From(err).Code == fail.Unavailable
		},
		Failure: func(request []byte, err error) []byte {
			return d.resumed(request).failed(context.Background(), err).kept()
		},
	}
}

// resume takes a recorded request up again. The exchange is there with an error, too.
func (d *door) resume(request []byte) (*exchange, error) {
	x := &exchange{start: d.config.Now(), meta: wire.Meta{Version: wire.Version}}
	asked, err := wire.DecodeAsk(request)
	if err != nil {
		return x, fmt.Errorf("read a recorded request: %w", err)
	}
	x.request = asked
	return x, nil
}

// resumed takes a recorded request up to tell of it: what is known of its session, and the
// language.
func (d *door) resumed(request []byte) *exchange {
	x, err := d.resume(request)
	if err == nil {
		x.echo()
		x.speak()
	}
	return x
}

// Await serves /await (NLWeb 0.55 §4.2).
func Await(d *ask.Service, config Config) http.Handler {
	at := newDoor(d, config)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := at.read(w, r)
		if err != nil {
			WriteError(w, r, err)
			return
		}
		response, err := at.await(r.Context(), body, languageOf(r))
		if err != nil {
			WriteError(w, r, err)
			return
		}
		response.send(w)
	})
}

// await checks on a promise, or cancels it. What is told of a promise is in the language that its
// question wanted, and that there is none in the one that is preferred here.
func (d *door) await(ctx context.Context, body []byte, preferred string) (*composed, error) {
	request, err := wire.DecodeAwait(body)
	if err != nil {
		return nil, malformed(err)
	}
	httpx.EventFrom(ctx).Set("action", request.Action)
	own := &exchange{request: &wire.AskRequest{Meta: request.Meta, Prefer: wire.Prefer{AcceptLanguage: preferred}},
		meta: wire.Meta{Version: wire.Version}}
	own.speak()
	own.identify(ctx) // each look has an id of its own
	if d.config.Nodes != nil {
		return d.awaitNodes(ctx, own, request), nil
	}
	party, _ := identity.From(ctx)
	made, err := d.service.Await(ctx, ask.Awaiting{
		Party: party.ID, Token: request.PromiseToken, Cancel: request.Action == wire.ActionCancel,
		Languages: func(request []byte) []string { return d.resumed(request).languages() },
	})
	if made == nil && fail.From(err).Code == fail.UnknownPromise {
		return own.failed(ctx, err), nil
	}
	if made == nil {
		return nil, err
	}
	x := d.resumed(made.Request)
	x.meta.RequestID = own.meta.RequestID
	switch {
	case err != nil:
		return x.failed(ctx, err), nil
	case made.Promise != nil:
		return compact(http.StatusAccepted, d.promise(ctx, x, made.Promise)), nil
	}
	c, err := parseKept(made.Answer)
	if err != nil {
		return nil, err
	}
	if own.meta.RequestID != "" {
		c.Meta.RequestID = own.meta.RequestID
	}
	httpx.EventFrom(ctx).Set("response", c.Meta.ResponseType)
	return c, nil
}

// awaitTool is the tool that checks on promises and cancels them.
func (d *door) awaitTool() httpx.Tool {
	return httpx.Tool{
		Name: ToolAwait, Title: "Await an answer",
		Description: "Check status or cancel a long-running promise of ask: call it with the token after about " +
			"promise.estimated_time seconds, and again " +
			"until the answer is there.",
		Input: schema{
			"type": "object",
			"properties": schema{
				"promise_token": schema{"type": "string", "description": "The token of the promise."},
				"action": schema{"type": "string", "enum": []string{wire.ActionCheckin, wire.ActionCancel},
					"description": "checkin to learn how it stands or to have the answer, cancel to end the work."},
				"meta": schema{"type": "object", "description": "Protocol metadata."},
			},
			"required": []string{"promise_token", "action"},
		}.bytes(),
		Call: func(ctx context.Context, call httpx.Call) httpx.Result {
			x := &exchange{}
			arguments, err := d.arguments(call)
			if err != nil {
				return x.failed(ctx, err).result()
			}
			response, err := d.await(ctx, arguments, bounded(call.Languages))
			if err != nil {
				return x.failed(ctx, err).result()
			}
			return response.result()
		},
	}
}

// slowly asks what may take long: it gives the reply to go on with, or a whole response, which may
// be a promise. A stream goes on from the reply.
func (d *door) slowly(ctx context.Context, x *exchange, question ask.Question,
	stream bool) (*ask.Reply, *composed, error) {
	work := *x // what the work changes, while a promise is made of x
	work.meta.Ignored, work.session.Other, work.report = slices.Clone(x.meta.Ignored), maps.Clone(x.session.Other), nil
	var reply *ask.Reply
	var failed error
	text, promise, err := d.service.Patiently(ctx, question, d.keeper(),
		func(ctx context.Context, ready func() bool) []byte {
			reply, failed = d.service.Ask(ctx, question)
			work.tell(reply)
			work.keep(reply)
			if stream && ready() {
				return nil
			}
			return d.compose(ctx, &work, reply, failed).kept()
		})
	switch {
	case err != nil:
		return nil, nil, err
	case promise != nil:
		x.keep(&ask.Reply{Session: question.Session})
		return nil, compact(http.StatusAccepted, d.promise(ctx, x, promise)), nil
	case text == nil:
		*x = work
		return reply, nil, failed
	}
	c, err := parseKept(text)
	return nil, c, err
}
