package nlweb

import (
	"context"
	"net/http"

	"frontdesk/internal/desk"
	"frontdesk/internal/event"
	wire "frontdesk/wire/nlweb"
)

// askBack answers with an elicitation (NLWeb 0.55 §4.1.3).
func (d *door) askBack(ctx context.Context, w http.ResponseWriter, x *exchange, e *desk.Elicitation) {
	send(w, http.StatusOK, marshal(d.elicitation(ctx, x, e)), []byte("\n"))
}

// elicitation puts an elicitation on the wire. It has no format: what was asked for is that of the answer.
func (d *door) elicitation(ctx context.Context, x *exchange, e *desk.Elicitation) wire.Response {
	x.meta.ResponseType, x.meta.ResponseFormat = wire.TypeElicitation, ""
	x.undress()
	x.measure(d.config.Now())
	note := event.From(ctx)
	note.Set("response", wire.TypeElicitation)
	note.Set("questions", len(e.Prompts))
	asked := &wire.Elicitation{Text: valid(e.Text)}
	for _, p := range e.Prompts {
		question := wire.Question{ID: valid(p.ID), Text: valid(p.Text), Type: string(p.Kind), Default: p.Default}
		for _, option := range p.Options {
			question.Options = append(question.Options, valid(option))
		}
		asked.Questions = append(asked.Questions, question)
	}
	return wire.Response{Meta: x.meta, Elicitation: asked}
}
