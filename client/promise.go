package client

import (
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/wire/nlweb"
)

// Promise is an answer for later (NLWeb 0.55 §4.1.2). Ask, Stream and Await give it as an error,
// for which errors.Is says that it is ErrPromised. The token is all it takes to have the answer, or
// that and the same credential.
type Promise struct {
	Token    string
	Message  string        // for people, in the desk's words; may be empty
	Progress float64       // 0 to 1; 0 where the desk does not say
	Left     time.Duration // until the answer is expected; 0 where the desk does not say
	Meta     nlweb.Meta
	Raw      stdjson.RawMessage // the whole response
}

// Error is the desk's message.
func (p *Promise) Error() string {
	if p.Message == "" {
		return "the front desk promises an answer for later"
	}
	return fmt.Sprintf("the front desk promises an answer for later: %s", p.Message)
}

// Is says that a promise is ErrPromised.
func (p *Promise) Is(target error) bool { return target == ErrPromised }

// promiseOf reads a promise; nil when there is no token.
func promiseOf(m map[string]jsontext.Value, meta nlweb.Meta, raw []byte) *Promise {
	told, _ := members(m["promise"])
	p := &Promise{Token: word(told["token"]), Message: word(told["message"]), Meta: meta, Raw: raw}
	if p.Token == "" {
		return nil
	}
	var seconds float64
	_ = json.Unmarshal(told["progress"], &p.Progress) // which need not be there
	_ = json.Unmarshal(told["estimated_time"], &seconds)
	p.Progress = min(max(p.Progress, 0), 1)
	p.Left = time.Duration(min(max(seconds, 0), math.MaxInt32)) * time.Second
	return p
}

// Await gives the answer of a promise, or the Promise as an error while it is worked on. A token
// that the desk does not know, or that is somebody else's, is a Failure.
func (c *Client) Await(ctx context.Context, token string) (*Answer, error) {
	return c.await(ctx, token, nlweb.ActionCheckin)
}

// Cancel ends the work on a promise. It gives no answer, or the answer if that was there already.
func (c *Client) Cancel(ctx context.Context, token string) (*Answer, error) {
	answer, err := c.await(ctx, token, nlweb.ActionCancel)
	var failure *Failure
	if errors.As(err, &failure) && failure.Code == nlweb.CodeCancelled {
		return nil, nil
	}
	return answer, err
}

func (c *Client) await(ctx context.Context, token, action string) (*Answer, error) {
	body, err := json.Marshal(nlweb.AwaitRequest{PromiseToken: token, Action: action})
	if err != nil {
		return nil, fmt.Errorf("the token cannot be written as JSON: %w", err)
	}
	response, err := c.persist(ctx, request{address: c.awaits, body: body, accept: typeJSON, repeatable: true})
	if err != nil {
		return nil, err
	}
	defer response.body.Close()
	return c.readAnswer(response)
}

// How long Wait waits between two looks, and how often it comes back to a desk that cannot be
// reached, as one that is started anew.
const (
	firstLook      = 200 * time.Millisecond
	longestLook    = 10 * time.Second
	maxUnreachable = 6
)

// Wait gives the answer of a promise when it is there. It looks seldom: after the time that the
// desk expects to need, and otherwise ever less often. Progress, when not nil, is told of each
// look. When ctx ends the promise stays what it is, and can be awaited again or cancelled.
func (c *Client) Wait(ctx context.Context, promise *Promise, progress func(*Promise)) (*Answer, error) {
	away := 0
	for pause := firstLook; ; pause = min(pause*3/2, longestLook) {
		wait := pause
		if promise.Left > wait {
			wait = min(promise.Left, longestLook)
		}
		if err := sleep(ctx, wait); err != nil {
			return nil, err
		}
		answer, err := c.Await(ctx, promise.Token)
		var unreachable *Unreachable
		switch next := (*Promise)(nil); {
		case errors.As(err, &next):
			promise, away = next, 0
			if progress != nil {
				progress(promise)
			}
		case errors.As(err, &unreachable) && away < maxUnreachable:
			away++
		default:
			return answer, err
		}
	}
}

// AskAndWait is Ask, and Wait where the answer is promised. Progress, when not nil, is told of the
// promise and of each look at it.
func (c *Client) AskAndWait(ctx context.Context, q Question, progress func(*Promise)) (*Answer, error) {
	answer, err := c.Ask(ctx, q)
	var promise *Promise
	if !errors.As(err, &promise) {
		return answer, err
	}
	if progress != nil {
		progress(promise)
	}
	return c.Wait(ctx, promise, progress)
}
