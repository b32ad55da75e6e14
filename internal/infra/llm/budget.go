package llm

import (
	"context"
	"maps"
	"sync"
)

// BudgetedClient calls the model for one answer: within the answer's budget of tokens, and
// recording the outcome of each use for its _meta. A nil BudgetedClient has no model; it uses and
// records nothing.
type BudgetedClient struct {
	client *Client

	mu       sync.Mutex
	outcomes map[Use]Reason // empty for a use that was of use
	calls    int
	tokens   int // taken, as far as it can be known beforehand
	usage    Usage
}

// Report is what one answer used of the model.
type Report struct {
	Uses  map[Use]Reason // of the uses that were tried; empty for one that was used
	Calls int            // that were made of the endpoint
	Usage
	Currency string // of the cost; empty when none is counted
}

// WithBudget returns a client for one answer, with a budget of its own. A nil Client gives nil.
func (c *Client) WithBudget() *BudgetedClient {
	if c == nil {
		return nil
	}
	return &BudgetedClient{client: c, outcomes: map[Use]Reason{}}
}

// Report returns what was used so far; ok says whether any use was tried.
func (t *BudgetedClient) Report() (r Report, ok bool) {
	if t == nil {
		return r, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	r = Report{Uses: map[Use]Reason{}, Calls: t.calls, Usage: t.usage}
	maps.Copy(r.Uses, t.outcomes)
	if t.client.options.Price != (Price{}) {
		r.Currency = t.client.options.Price.Currency
	}
	return r, len(r.Uses) > 0
}

// Enabled says whether a use is configured and has a model.
func (t *BudgetedClient) Enabled(use Use) bool { return t.does(use) }

func (t *BudgetedClient) does(use Use) bool { return t != nil && t.client.Enabled(use) }

// Record notes the outcome of a use that the caller judged itself; a nil err is success.
func (t *BudgetedClient) Record(use Use, err error) {
	if t != nil {
		t.note(use, err)
	}
}

func (t *BudgetedClient) note(use Use, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.outcomes[use] = reasonOf(err)
}

// Embed turns one text into a vector, within the time of the use. Without ok there is none.
func (t *BudgetedClient) Embed(ctx context.Context, text string) (vector []float32, ok bool) {
	if !t.does(Embed) {
		return nil, false
	}
	err := t.take(ctx, Embed, embedPath, size{input: len(text)/3 + 16}, func(ctx context.Context) (Usage, error) {
		vectors, usage, err := t.client.embed(ctx, []string{text})
		if err == nil {
			vector = vectors[0]
		}
		return usage, err
	})
	return vector, err == nil
}

// ask makes one chat call, and hands what the model wrote to parse, whose error, an Error, makes
// the call a failure. What could be used is remembered.
func (t *BudgetedClient) ask(ctx context.Context, use Use, p prompt, parse func(string) error) (ok bool) {
	key := replyKey(use, p)
	if reply, known := t.client.replies.get(key); known && parse(reply) == nil {
		t.note(use, nil)
		return true
	}
	err := t.take(ctx, use, chatPath, size{input: p.size(), output: t.client.replyTokens(p)},
		func(ctx context.Context) (Usage, error) {
			reply, usage, err := t.client.chat(ctx, p)
			if err == nil {
				err = parse(reply)
			}
			if err == nil {
				t.client.replies.put(key, reply)
			}
			return usage, err
		})
	return err == nil
}

// take makes a call of at most so many tokens, within the time of its use and what is left of the
// answer's tokens, and notes how it went.
func (t *BudgetedClient) take(
	ctx context.Context, use Use, to endpoint, most size, call func(context.Context) (Usage, error),
) error {
	if !t.afford(most.input + most.output) {
		err := &Error{Reason: TokenBudget}
		t.note(use, err)
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, t.client.Timeout(use), errSlow)
	defer cancel()
	usage, err := t.client.within(ctx, use, to, most, func(ctx context.Context) (Usage, error) {
		t.mu.Lock()
		t.calls++
		t.mu.Unlock()
		return call(ctx)
	})
	t.mu.Lock()
	t.usage.add(usage)
	t.mu.Unlock()
	t.note(use, err)
	return err
}

// afford takes tokens from what is left for the answer, if there are as many.
func (t *BudgetedClient) afford(tokens int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tokens+tokens > t.client.options.MaxAnswerTokens {
		return false
	}
	t.tokens += tokens
	return true
}
