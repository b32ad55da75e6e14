package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"frontdesk/client"
)

// caller gives what does a step.
func caller(t *testing.T, doc *transcript, p *player) func(context.Context, step) (any, error) {
	switch doc.Protocol {
	case "nlweb":
		return callNLWeb(t, doc.Options.client(p))
	case "intent":
		return callIntent(t, doc.Options.client(p), doc.Who)
	case "intake":
		return callIntake(t, doc.Options.client(p), doc.Who)
	case "ramp":
		return callRAMP(t, doc.Options.client(p), doc.Who)
	}
	t.Fatalf("no client plays the protocol %q", doc.Protocol)
	return nil
}

// question is a question as transcripts have it.
type question struct {
	Text, Format, Language        string
	Sites, Types, Previous, Modes []string
	Filters                       map[string]any
	Limit                         int
	MinScore                      *float64 `json:"min_score"`
	NoQuestions                   bool     `json:"no_questions"`
	Session                       json.RawMessage
	User                          any
	Remember                      bool
}

func (q question) asked() client.Question {
	return client.Question{Text: q.Text, Sites: q.Sites, Types: q.Types, Filters: q.Filters, Limit: q.Limit,
		MinScore: q.MinScore, Previous: q.Previous,
		Modes: q.Modes, Format: q.Format, Language: q.Language, NoQuestions: q.NoQuestions, Session: q.Session,
		User: q.User, Remember: q.Remember}
}

func callNLWeb(t *testing.T, options client.Options) func(context.Context, step) (any, error) {
	desk, err := client.New(address, options)
	if err != nil {
		t.Fatal(err)
	}
	conversation := desk.Converse(client.Question{})
	var before client.Question
	var asked *client.Answer
	return func(ctx context.Context, s step) (any, error) {
		var with struct {
			question
			Token   string
			Answers map[string]any
		}
		read(t, s.With, &with)
		q := with.asked()
		var answer *client.Answer
		var err error
		switch s.Do {
		case "answer":
			answer, err = desk.Ask(ctx, q)
		case "stream":
			var stream *client.Stream
			if stream, err = desk.Stream(ctx, q); err == nil {
				answer, err = stream.Collect()
			}
		case "wait":
			answer, err = desk.AskAndWait(ctx, q, nil)
		case "follow":
			answer, err = conversation.Ask(ctx, q.Text)
		case "reply":
			q = before.Answering(asked, with.Answers)
			answer, err = desk.Ask(ctx, q)
		case "await":
			answer, err = desk.Await(ctx, with.Token)
		case "cancel":
			answer, err = desk.Cancel(ctx, with.Token)
		case "forget":
			err = conversation.Forget(ctx)
		default:
			t.Fatalf("NLWeb has no %q", s.Do)
		}
		before, asked = q, answer
		if answer == nil {
			return nil, err
		}
		return map[string]any{"summary": answer.Summary, "cited": items(answer.Cited), "results": items(answer.Results),
			"meta": answer.Meta, "elicitation": answer.Elicitation}, err
	}
}

func read(t *testing.T, text json.RawMessage, into any) {
	t.Helper()
	if len(text) == 0 {
		return
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// errorOf is an error as transcripts have it.
func errorOf(err error) map[string]any {
	var failure *client.Failure
	var promise *client.Promise
	var stranger *client.NotADesk
	var broken *client.Broken
	var away *client.Unreachable
	switch {
	case errors.As(err, &failure):
		return map[string]any{"kind": "failure", "code": failure.Code, "message": failure.Message,
			"status":      failure.Status,
			"retry_after": failure.RetryAfter.Seconds(), "closest": items(failure.Closest())}
	case errors.As(err, &promise):
		return map[string]any{"kind": "promise", "token": promise.Token, "message": promise.Message,
			"progress": promise.Progress, "left": promise.Left.Seconds()}
	case errors.As(err, &stranger):
		return map[string]any{"kind": "not_a_desk", "status": stranger.Status}
	case errors.As(err, &broken):
		return map[string]any{"kind": "broken", "cause": cause(err)}
	case errors.As(err, &away):
		return map[string]any{"kind": "unreachable"}
	case err != nil:
		return errorOfProtocol(err)
	}
	return nil
}

func cause(err error) string {
	for of, name := range map[error]string{
		client.ErrTooLarge: "too_large", client.ErrSilent: "silent", client.ErrIncomplete: "incomplete",
	} {
		if errors.Is(err, of) {
			return name
		}
	}
	return "connection"
}

// items are results as transcripts have them.
func items(results []client.Result) []map[string]any {
	out := []map[string]any{}
	for _, r := range results {
		types := r.Types
		if types == nil {
			types = []string{}
		}
		out = append(out, map[string]any{"index": r.Index, "types": types, "name": r.Name, "url": r.URL,
			"description": r.Description, "site": r.Site, "score": r.Score})
	}
	return out
}
