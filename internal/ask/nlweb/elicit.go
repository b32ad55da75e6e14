package nlweb

import (
	"context"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/internal/ask"
	"frontdesk/internal/infra/httpx"

	wire "frontdesk/wire/nlweb"
)

// askBack answers with an elicitation (NLWeb 0.55 §4.1.3).
func (d *door) askBack(ctx context.Context, w http.ResponseWriter, x *exchange, reply *ask.Reply) {
	send(w, http.StatusOK, marshal(d.elicitation(ctx, x, reply)), []byte("\n"))
}

// elicitation puts the elicitation of a reply on the wire. It has no format: what was asked for is
// that of the answer.
func (d *door) elicitation(ctx context.Context, x *exchange, reply *ask.Reply) wire.Response {
	e := reply.Elicitation
	x.meta.ResponseType, x.meta.ResponseFormat = wire.TypeElicitation, ""
	x.undress()
	x.measure(d.config.Now())
	note := httpx.EventFrom(ctx)
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

// form puts an elicitation before a person, where a client of tools can do that. Its state is the
// session.
func form(asked *wire.Elicitation, session []byte) *httpx.Form {
	fields := schema{}
	for _, q := range asked.Questions {
		field := schema{"title": q.Text}
		switch q.Type {
		case "single_select":
			field["type"], field["enum"] = "string", q.Options
		case "multi_select":
			field["type"], field["items"] = "array", schema{"type": "string", "enum": q.Options}
		case "number", "boolean":
			field["type"] = q.Type
		default:
			field["type"] = "string"
		}
		fields[q.ID] = field
	}
	message := asked.Text
	if message == "" && len(asked.Questions) > 0 {
		message = asked.Questions[0].Text
	}
	return &httpx.Form{Message: message, Schema: schema{"type": "object", "properties": fields}.bytes(),
		State: string(session)}
}

// fill puts answers into the arguments of ask, as attributes of the query named by the questions'
// ids, and the session that was given out with the questions. Arguments that cannot be read stay
// what they are.
func fill(arguments []byte, state string, answers map[string]any) []byte {
	var request map[string]jsontext.Value
	query, meta := map[string]jsontext.Value{}, map[string]jsontext.Value{}
	if json.Unmarshal(arguments, &request) != nil || json.Unmarshal(request["query"], &query) != nil {
		return arguments
	}
	if m := request["meta"]; len(m) > 0 && json.Unmarshal(m, &meta) != nil {
		return arguments
	}
	for id, answer := range answers {
		if _, given := query[id]; given {
			continue // what was asked itself is not changed
		}
		if text, err := json.Marshal(answer); err == nil {
			query[id] = text
		}
	}
	if jsontext.Value(state).Kind() == '{' && jsontext.Value(state).IsValid() {
		meta["session_context"] = jsontext.Value(state)
	}
	request["query"], request["meta"] = marshal(query), marshal(meta)
	return marshal(request)
}
