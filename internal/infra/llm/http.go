package llm

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// endpoint is a path behind the base address.
type endpoint string

const (
	chatPath  endpoint = "/chat/completions"
	embedPath endpoint = "/embeddings"
)

// The bounds of what comes back. What is longer is no reply.
const (
	maxHeader  = 64 << 10
	maxReply   = 1 << 20 // bytes of a whole chat reply
	maxStream  = 8 << 20 // bytes of a streamed one: each few letters come in an envelope
	maxLine    = 256 << 10
	maxProblem = 8 << 10   // of what is read of a refusal
	maxVector  = 256 << 10 // bytes of one vector as JSON
)

// newTransport is the way to the endpoint. A proxy of the environment is not used, as nowhere in
// this program: an owner who needs one names it as the endpoint's address.
func newTransport(calls int) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	return &http.Transport{
		DialContext:            (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    5 * time.Second,
		Protocols:              protocols,
		DisableCompression:     true, // so that what is bounded is what is read
		MaxResponseHeaderBytes: maxHeader,
		MaxIdleConnsPerHost:    calls,
		IdleConnTimeout:        90 * time.Second,
	}
}

// noRedirect hands a redirect out as the reply that it is: the address and the key are for the
// endpoint alone.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// dialect is what an endpoint was found not to understand. Servers differ in a few members of a
// request; one that is refused for such a member is asked again without it, and so from then on.
type dialect struct {
	completionTokens atomic.Bool // max_completion_tokens instead of max_tokens
	noTemperature    atomic.Bool
	noStreamOptions  atomic.Bool
}

// learn notes the member that a refusal names, and says whether that is news.
func (d *dialect) learn(parameter string) bool {
	known := map[string]*atomic.Bool{"max_tokens": &d.completionTokens, "temperature": &d.noTemperature,
		"stream_options": &d.noStreamOptions}
	if flag := known[parameter]; flag != nil {
		return flag.CompareAndSwap(false, true)
	}
	return false
}

// post sends a request that build makes, and hands the reply to read if it is a success.
func (c *Client) post(ctx context.Context, to endpoint, build func() any, read func(*http.Response) error) error {
	for {
		again, err := c.send(ctx, to, build(), read)
		if !again {
			return err
		}
	}
}

// send makes one exchange. It says whether the endpoint should be asked again, in another dialect.
func (c *Client) send(
	ctx context.Context, to endpoint, body any, read func(*http.Response) error,
) (again bool, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return false, fault(Failed, "encode the request: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+string(to), bytes.NewReader(text))
	if err != nil {
		return false, fault(Unreachable, "the address cannot be called")
	}
	c.dress(request)
	response, err := c.http.Do(request)
	if err != nil {
		return false, broken(ctx, err)
	}
	defer response.Body.Close()
	if f := statusFault(response, c.options.Now()); f != nil {
		return f.Status == http.StatusBadRequest && c.dialect.learn(refusedMember(response.Body)), f
	}
	err = read(response)
	var f *Error
	if err != nil && !errors.As(err, &f) {
		return false, broken(ctx, err)
	}
	return false, err
}

// dress puts the headers on a request.
func (c *Client) dress(request *http.Request) {
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("User-Agent", "Frontdesk/1.0")
	// Not sent: it lets net/http ask again where the server had closed a connection that was kept.
	request.Header["Idempotency-Key"] = []string{}
	if c.options.Key != "" {
		request.Header.Set("Authorization", "Bearer "+c.options.Key)
	}
	if c.options.Trace != nil {
		if parent := c.options.Trace(request.Context()); parent != "" {
			request.Header.Set("Traceparent", parent)
		}
	}
}

// refusedMember is the member of the request that a refusal is about. Nothing else of its text is
// read: it may repeat what was sent.
func refusedMember(body io.Reader) string {
	var problem struct {
		Error struct {
			Param string `json:"param"`
		} `json:"error"`
	}
	text, err := io.ReadAll(io.LimitReader(body, maxProblem))
	if err != nil || json.Unmarshal(text, &problem) != nil {
		return ""
	}
	return problem.Error.Param
}

// readBounded reads a whole body of most bytes at most.
func readBounded(body io.Reader, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(body, most+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(text)) > most:
		return nil, fault(TooLong, "more than %d bytes", most)
	}
	return text, nil
}

// within does one call of a use that takes so much at most: within its time, if the breaker allows
// it, there is room for one more in flight, and the day's bounds leave room.
func (c *Client) within(
	ctx context.Context, use Use, to endpoint, most size, call func(context.Context) (Usage, error),
) (Usage, error) {
	now, b := c.options.Now, c.breakers[use]
	allowed, try := b.allow(now())
	if try {
		go func() { b.tried(now(), c.tryAgain(use)) }()
	}
	if !allowed {
		return Usage{}, c.unmade(use, &Error{Reason: CircuitOpen})
	}
	leave, err := c.acquireSlot(ctx, use, to)
	if err != nil {
		return Usage{}, c.unmade(use, err)
	}
	defer leave()
	began := now()
	usage, err := c.allowed(ctx, to, most, func() (Usage, error) { return call(ctx) })
	if reasonOf(err) == DailyLimitReached {
		return usage, c.unmade(use, err)
	}
	if err != nil && ctx.Err() != nil { // whatever it was, the end of the time or of the caller's patience was first
		err = broken(ctx, err)
	}
	b.done(now(), err)
	c.observe(Call{Use: use, Reason: reasonOf(err), Duration: now().Sub(began), Usage: usage})
	c.logFailure(use, err)
	return usage, err
}

// acquireSlot waits for room for one more call, for no more than a part of the use's time: a call
// that begins late is one that fails.
func (c *Client) acquireSlot(ctx context.Context, use Use, to endpoint) (leave func(), err error) {
	slots := c.slots[to]
	select {
	case slots <- struct{}{}:
	default:
		patience := time.NewTimer(c.Timeout(use) / 4)
		defer patience.Stop()
		select {
		case slots <- struct{}{}:
		case <-patience.C:
			return nil, &Error{Reason: Busy}
		case <-ctx.Done():
			return nil, broken(ctx, ctx.Err())
		}
	}
	c.inFlight.Add(1)
	return func() { c.inFlight.Add(-1); <-slots }, nil
}

// tryAgain is try for a use that rests, beside the questions.
func (c *Client) tryAgain(use Use) error {
	err := c.try(c.background, use)
	if err == nil {
		c.options.Log.Info("the model answers again", "use", string(use))
	}
	return err
}

// unmade notes a call that is not made.
func (c *Client) unmade(use Use, err error) error {
	c.observe(Call{Use: use, Reason: reasonOf(err)})
	return err
}

func (c *Client) observe(call Call) {
	if c.options.Observe != nil {
		c.options.Observe(call)
	}
}

// logFailure logs a failure: as a warning when the owner has to do something, once, else at debug,
// since metrics count them.
func (c *Client) logFailure(use Use, err error) {
	reason := reasonOf(err)
	switch {
	case err == nil:
		c.warned.Store(false)
	case reason == Refused && c.warned.CompareAndSwap(false, true):
		c.options.Log.Warn("the model refuses the requests; questions are answered without it", "use", string(use),
			"error", err)
	case counts(reason):
		c.options.Log.Debug("the model was not used", "use", string(use), "error", err)
	}
}
