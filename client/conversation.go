package client

import (
	"context"
	stdjson "encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"

	"frontdesk/wire/nlweb"
	"frontdesk/wire/strictjson"
)

// maxPrevious is how many earlier questions a Conversation sends along.
const maxPrevious = 10

// Conversation asks one question after the other, each of which may go on with those before it: "a
// quick dinner", "only vegan", "the second one". It carries the desk's session_context, and the
// earlier questions for a desk that keeps none. It is for one goroutine.
type Conversation struct {
	client   *Client
	base     Question
	previous []string
	session  stdjson.RawMessage
}

// Converse begins a conversation. What base says besides its text, such as sites, language or user,
// holds for each of its questions; its Session and Previous go on with an earlier conversation.
func (c *Client) Converse(base Question) *Conversation {
	return &Conversation{client: c, base: base, previous: slices.Clone(base.Previous),
		session: slices.Clone(base.Session)}
}

// Next is the next question of the conversation, for who wants to change something in it, or to ask
// it in another way; Took then takes note of its answer.
func (v *Conversation) Next(text string) Question {
	q := v.base
	q.Text, q.Previous, q.Session = text, slices.Clone(v.previous), slices.Clone(v.session)
	return q
}

// Ask asks the next question, as Client.Ask does.
func (v *Conversation) Ask(ctx context.Context, text string) (*Answer, error) {
	q := v.Next(text)
	answer, err := v.client.Ask(ctx, q)
	v.Took(q, answer, err)
	return answer, err
}

// Took takes note of what a desk answered to a question of the conversation: an answer, or one of
// the errors that Ask has. A question that was asked back counts once it is answered.
func (v *Conversation) Took(q Question, answer *Answer, err error) {
	var meta nlweb.Meta
	var failure *Failure
	var promise *Promise
	switch {
	case err == nil && answer != nil:
		meta = answer.Meta
	case errors.As(err, &failure):
		meta = failure.Meta
	case errors.As(err, &promise):
		meta = promise.Meta
	default:
		return // the desk never heard it
	}
	if len(meta.SessionContext) > 0 {
		v.session = stdjson.RawMessage(meta.SessionContext)
	}
	if promise == nil && (answer == nil || answer.Elicitation == nil) {
		v.previous = append(v.previous, q.Text)
		v.previous = v.previous[max(0, len(v.previous)-maxPrevious):]
	}
}

// Session is the desk's session_context, to go on with the conversation at another time; nil while
// there is none.
func (v *Conversation) Session() stdjson.RawMessage { return slices.Clone(v.session) }

// Previous are the questions that were asked, oldest first, the last ten.
func (v *Conversation) Previous() []string { return slices.Clone(v.previous) }

// Forget has the desk forget what it keeps of the conversation, where it was asked to remember
// (Question.Remember), and begins a new one. It is an extension of Frontdesk's: another desk fails
// with a status of its own.
func (v *Conversation) Forget(ctx context.Context) error {
	session := nlweb.ReadSession(strictjson.Value(v.session))
	v.session, v.previous = nil, nil
	if session.ConversationID == "" {
		return nil
	}
	return v.client.forget(ctx, session)
}

func (c *Client) forget(ctx context.Context, session nlweb.Session) error {
	address := c.sessions.JoinPath(url.PathEscape(session.ConversationID)).String()
	for attempt := 0; ; attempt++ {
		response, err := c.remove(ctx, address, session.StateToken)
		if err != nil {
			return err
		}
		wait, again := c.again(ctx, response, attempt)
		if again {
			response.body.finish()
			if err := sleep(ctx, wait); err != nil {
				return err
			}
			continue
		}
		defer response.body.Close()
		if response.status == http.StatusNoContent || response.status == http.StatusOK {
			return nil
		}
		raw, err := io.ReadAll(response.body)
		if err != nil {
			return c.broken(response, err)
		}
		m, _ := members(raw)
		meta, _ := readMeta(m["_meta"])
		if failure := failureOf(m, meta, raw); failure != nil {
			failure.Status = response.status
			return failure
		}
		return c.notADesk(response, "the response to DELETE is no failure of NLWeb")
	}
}

// remove makes one attempt to delete what is at an address.
func (c *Client) remove(ctx context.Context, address, state string) (*reply, error) {
	return c.exchange(ctx, func(ctx context.Context) (*http.Request, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodDelete, address, nil)
		if err != nil {
			return nil, err
		}
		if err := c.head(ctx, request, requestHead); err != nil {
			return nil, err
		}
		request.Header.Del("Content-Type")
		if state != "" {
			request.Header.Set("Session-State", state)
		}
		return request, nil
	})
}

// requestHead is for the head of a request without a body.
var requestHead = request{accept: typeJSON, repeatable: true}
