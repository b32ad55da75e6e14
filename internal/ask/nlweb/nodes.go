package nlweb

import (
	"context"
	"iter"
	"net/http"
	"strings"

	"frontdesk/internal/ask"
	"frontdesk/internal/ask/front"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/httpx"
	wire "frontdesk/wire/nlweb"
)

// onlyFront says to a front that another front asked it, which could go round in a circle.
const onlyFront = "this is a front, and a front asked it; name nodes that hold sites in spread.nodes"

// fromNodes answers a question that was settled with what the nodes say.
func (d *door) fromNodes(ctx context.Context, x *exchange, question ask.Question) (*composed, error) {
	reply, err := d.askNodes(ctx, x, front.Question{Limit: question.Limit})
	if err != nil {
		return nil, err
	}
	return d.composeNodes(ctx, x, reply), nil
}

// askNodes asks the nodes, and notes what they say of the question.
func (d *door) askNodes(ctx context.Context, x *exchange, q front.Question) (*front.Reply, error) {
	if remember := x.request.Meta.Remember; remember != nil && *remember {
		x.ignore("/meta/remember", "nothing is remembered across nodes; send session_context along")
	}
	q.Request, q.Session, q.Format = x.request, x.session, x.meta.ResponseFormat
	reply, err := d.config.Nodes.Ask(ctx, q)
	x.heard(reply)
	return reply, err
}

// heard notes what nodes say of a question.
func (x *exchange) heard(reply *front.Reply) {
	if reply == nil {
		return
	}
	m := reply.Meta
	x.meta.SessionContext, x.meta.Understood, x.meta.Model, x.meta.Closest = m.SessionContext, m.Understood,
		m.Model, m.Closest
	x.meta.Partial, x.meta.Unanswered = m.Partial, m.Unanswered
	if m.Language != "" {
		x.meta.Language = m.Language
	}
	for _, i := range m.Ignored {
		x.ignore(i.Name, i.Reason)
	}
}

// composeNodes makes a response of what nodes answered.
func (d *door) composeNodes(ctx context.Context, x *exchange, reply *front.Reply) *composed {
	note := httpx.EventFrom(ctx)
	x.measure(d.config.Now())
	if reply.Elicitation != nil || reply.Promise != nil {
		x.undress()
		x.meta.ResponseType, x.meta.ResponseFormat = wire.TypeElicitation, ""
		status := http.StatusOK
		if reply.Promise != nil {
			x.meta.ResponseType, status = wire.TypePromise, http.StatusAccepted
		}
		note.Set("response", x.meta.ResponseType)
		return compact(status, wire.Response{Meta: x.meta, Elicitation: reply.Elicitation, Promise: reply.Promise})
	}
	x.meta.ResponseType = wire.TypeAnswer
	var told told
	c := &composed{Status: http.StatusOK}
	if reply.Summary != nil {
		told.report = reply.Summary.Text
		if x.meta.ResponseFormat == wire.FormatConversational {
			c.items = append(c.items, reply.Summary.JSON)
		}
	}
	for _, r := range reply.Results {
		c.items = append(c.items, r.JSON)
		if r.Type == wire.TypeReport {
			told.report = r.Text
			continue
		}
		if told.count++; x.meta.ResponseFormat == wire.FormatChatGPT && len(told.lines) < maxTold {
			told.line(x, r.Name, r.Type, released.Excerpt(strings.Join(strings.Fields(r.Description), " "), maxBrief))
		}
	}
	noteAnswer(note, x, told.count)
	c.Meta = x.meta
	c.rest = x.appendMembers(nil, told, nil)
	for i, item := range c.items {
		if i > 0 {
			c.rest = append(c.rest, ',')
		}
		c.rest = append(c.rest, item...)
	}
	c.rest = append(c.rest, ']')
	if x.meta.ResponseFormat == wire.FormatChatGPT {
		c.Text = told.text(nil)
	}
	return c
}

// streamNodes sends what nodes answered as a stream. All of it is there before the first event: the
// order is known once each node has answered.
func (d *door) streamNodes(w http.ResponseWriter, r *http.Request, x *exchange, whole *composed) {
	e := httpx.EventFrom(r.Context())
	e.Set("stream", true)
	rest := func(_ context.Context, w http.ResponseWriter) {
		s := d.open(w, x)
		for i, item := range whole.items {
			s.result(i, func(dst []byte) []byte { return append(dst, item...) })
			if s.flush(); s.err != nil {
				e.Set("left_after", i)
				return
			}
		}
		_ = s.complete(x, whole.Text)
	}
	if later, ok := w.(detacher); !ok || !later.Detach(r.Context(), rest) {
		rest(r.Context(), w)
	}
}

// awaitNodes checks on a promise that a node made, or cancels it.
func (d *door) awaitNodes(ctx context.Context, own *exchange, request *wire.AwaitRequest) *composed {
	reply, err := d.config.Nodes.Await(ctx, request.PromiseToken, request.Action == wire.ActionCancel)
	own.heard(reply)
	if err != nil {
		return own.failed(ctx, err)
	}
	if own.meta.ResponseFormat = wire.FormatConversational; reply.Format != "" {
		own.meta.ResponseFormat = reply.Format
	}
	if reply.Elicitation == nil && reply.Promise == nil {
		own.dress(d.config.Widget)
	}
	return d.composeNodes(ctx, own, reply)
}

// flatNodes are results of nodes in the flat dialect.
func flatNodes(reply *front.Reply) iter.Seq2[wire.LegacyResult, error] {
	return func(yield func(wire.LegacyResult, error) bool) {
		for _, r := range reply.Results {
			if !yield(wire.LegacyResult{
				URL: valid(r.URL), Name: valid(r.Name), Site: r.Site, Score: int(r.Score + 0.5),
				Description: valid(r.Description), SchemaObject: r.JSON,
			}, nil) {
				return
			}
		}
	}
}

// flatResults are the results of an answer of this node in the flat dialect.
func flatResults(results iter.Seq2[released.Result, error]) iter.Seq2[wire.LegacyResult, error] {
	return func(yield func(wire.LegacyResult, error) bool) {
		for r, err := range results {
			var flat wire.LegacyResult
			if err == nil {
				flat = legacyResult(r)
			}
			if !yield(flat, err) {
				return
			}
		}
	}
}
