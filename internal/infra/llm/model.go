// Package llm calls the owner's language model: any server that speaks the chat completions and
// embeddings of OpenAI's HTTP interface. It reranks items, writes summaries, words a follow-up as a
// question of its own, and turns texts into vectors.
//
// No answer depends on it. Each use has a budget of time and tokens, an Error says why one failed,
// and its caller goes on without. An endpoint that fails several times in a row is not called for a
// while (a circuit breaker), and then tried beside the questions, so that a dead one costs them
// nothing. What all calls may take in a day is bounded, and kept in the database (UsageStore) so
// that restarts and other processes count too.
//
// What goes to the model is data, never instruction: it is bounded JSON, and the reply is checked.
// An order must be a permutation. A summary must cite what it was given, and may hold no address
// and no figure that is not there.
//
// Enter at New, then Client.WithBudget for one answer. The package must not decide which texts may
// go out: package ask does, by the owner's terms. The endpoint is the owner's own choice, so it is
// called directly and not through package fetch; redirects are not followed.
package llm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// Use is a purpose for which a model is called.
type Use string

// The uses of a model.
const (
	Rerank    Use = "rerank"    // the order of the best items
	Summarize Use = "summarize" // a text about them
	Rewrite   Use = "rewrite"   // a follow-up as a question of its own
	Embed     Use = "embed"     // texts as vectors
)

// check is the use of calls that only try the endpoint.
const check Use = "check"

// Uses lists every use.
var Uses = []Use{Rerank, Summarize, Rewrite, Embed}

// Options are what a Client needs. The zero value of a bound takes its default.
type Options struct {
	// URL is the base address, such as http://127.0.0.1:11434/v1; /chat/completions and /embeddings
	// are put behind it.
	URL string
	// Key is sent as a bearer token; empty for none. It appears nowhere else.
	Key string
	// Chat and Embedding name the models; a use without its model is off.
	Chat, Embedding string
	// Disabled are uses that are not wanted although there is a model for them.
	Disabled []Use
	// Timeouts bounds each use, from the call to the last byte.
	Timeouts map[Use]time.Duration
	// MaxAnswerTokens is the most that one answer may take, all of its calls together; 0 is 32,000.
	MaxAnswerTokens int
	// MaxReplyTokens is the most tokens that one reply may have; 0 is 1,000.
	MaxReplyTokens int
	// MaxCalls is the most calls in flight at a time, of chat and of embeddings each; 0 is 8.
	MaxCalls int
	// DailyLimit bounds what all answers together may take in a day; the zero value does not.
	DailyLimit DailyLimit
	// Price is what tokens cost; the zero value counts no cost.
	Price Price
	// Observe is told of each call when it is done, and of each that was not made; nil for nobody.
	Observe func(Call)
	// Trace gives the value of the header traceparent (W3C Trace Context) for calls made under a
	// context; nil sends none.
	Trace func(context.Context) string
	Log   *slog.Logger
	// Now is the clock of the breaker; nil is time.Now.
	Now func() time.Time
}

// Call is one call of the endpoint.
type Call struct {
	Use      Use
	Reason   Reason        // why it failed, or was not made; empty when it was of use
	Duration time.Duration // 0 for one that was not made
	Usage
}

// Usage is what calls took, as far as the endpoint says.
type Usage struct {
	Input, Output int   // tokens
	Cost          Money // by Options.Price
}

func (u *Usage) add(more Usage) {
	u.Input += more.Input
	u.Output += more.Output
	u.Cost += more.Cost
}

// DefaultTimeouts bounds each use when Options.Timeouts does not.
var DefaultTimeouts = map[Use]time.Duration{
	Rerank: 1500 * time.Millisecond, Summarize: 10 * time.Second, Rewrite: 1500 * time.Millisecond, Embed: time.Second,
}

// Client calls one endpoint. Its methods may be called from many goroutines. A nil Client does
// nothing: it has no use.
type Client struct {
	options     Options
	base        string
	http        *http.Client
	slots       map[endpoint]chan struct{}
	breakers    map[Use]*breaker
	replies     *replyCache
	dailyBudget *dailyBudget // nil without bounds of a day
	dialect     dialect
	inFlight    atomic.Int64
	warned      atomic.Bool // that the endpoint refuses us

	background context.Context // of what is tried beside the questions
	stop       context.CancelFunc
}

// New returns a client; it calls nobody yet.
func New(options Options) (*Client, error) {
	base := strings.TrimRight(options.URL, "/")
	if base == "" {
		return nil, errors.New("the model has no address")
	}
	options.MaxAnswerTokens, options.MaxReplyTokens, options.MaxCalls = or(options.MaxAnswerTokens,
		32000), or(options.MaxReplyTokens, 1000), or(options.MaxCalls, 8)
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	c := &Client{
		options: options, base: base,
		http: &http.Client{Transport: newTransport(options.MaxCalls), CheckRedirect: noRedirect},
		slots: map[endpoint]chan struct{}{chatPath: make(chan struct{}, options.MaxCalls),
			embedPath: make(chan struct{}, options.MaxCalls)},
		breakers: map[Use]*breaker{}, replies: newReplyCache(),
	}
	for _, use := range Uses {
		c.breakers[use] = newBreaker()
	}
	if options.DailyLimit.Tokens > 0 || options.DailyLimit.Cost > 0 {
		c.dailyBudget = &dailyBudget{bound: options.DailyLimit, now: options.Now, log: options.Log}
	}
	c.background, c.stop = context.WithCancel(context.Background())
	return c, nil
}

func or(n, fallback int) int {
	if n == 0 {
		return fallback
	}
	return n
}

// Close ends what the client does by itself, and its idle connections.
func (c *Client) Close() {
	if c == nil {
		return
	}
	c.stop()
	c.http.CloseIdleConnections()
}

// Enabled says whether a use is configured and has a model.
func (c *Client) Enabled(use Use) bool {
	if c == nil {
		return false
	}
	if slices.Contains(c.options.Disabled, use) {
		return false
	}
	return c.model(use) != ""
}

// Name is the model of a use; empty when it has none.
func (c *Client) Name(use Use) string {
	if c == nil {
		return ""
	}
	return c.model(use)
}

func (c *Client) model(use Use) string {
	if use == Embed {
		return c.options.Embedding
	}
	return c.options.Chat
}

// Timeout is how long a call for a use may take.
func (c *Client) Timeout(use Use) time.Duration {
	if d := c.options.Timeouts[use]; d > 0 {
		return d
	}
	return DefaultTimeouts[use]
}

// InFlight is how many calls are being made.
func (c *Client) InFlight() int64 { return c.inFlight.Load() }

// CircuitOpen says whether calls for a use are suspended, because it failed several times in a row.
func (c *Client) CircuitOpen(use Use) bool { return c.breakers[use].open() }

// Check tries the endpoint with the shortest of calls, for each kind that is used. It is for the
// owner who has just started the server: the error says what is wrong and what to do.
func (c *Client) Check(ctx context.Context) error {
	var failed []error
	if c.Enabled(Rerank) || c.Enabled(Summarize) || c.Enabled(Rewrite) {
		if err := c.try(ctx, Summarize); err != nil {
			failed = append(failed, fmt.Errorf("the model %q at %s: %w", c.options.Chat, redact(c.base), err))
		}
	}
	if c.Enabled(Embed) {
		if err := c.try(ctx, Embed); err != nil {
			failed = append(failed, fmt.Errorf("the model %q at %s: %w", c.options.Embedding, redact(c.base), err))
		}
	}
	return errors.Join(failed...)
}

// try makes the shortest of calls for a use. It goes past the breaker.
func (c *Client) try(ctx context.Context, use Use) error {
	ctx, cancel := context.WithTimeoutCause(ctx, max(c.Timeout(use), 5*time.Second), errSlow)
	defer cancel()
	began := c.options.Now()
	var usage Usage
	var err error
	if use == Embed {
		_, usage, err = c.embed(ctx, []string{"front desk"})
	} else {
		_, usage, err = c.chat(ctx, prompt{system: "Reply with the word OK.", user: "OK?", reply: 1, probe: true})
	}
	c.observe(Call{Use: check, Reason: reasonOf(err), Duration: c.options.Now().Sub(began), Usage: usage})
	return err
}
