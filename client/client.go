// Package client asks front desks: any server that speaks NLWeb 0.55 over HTTP, Frontdesk or
// another. As a platform, it asks publishers of the Agentic Intent Protocol for passages, and tells
// them what was shown: see [OpenPublisher]. As an agent, it submits to businesses of the Agent
// Intake Protocol and binds their offers: see [DiscoverIntakes]. As a buyer, it asks Exchanges of
// RAMP v1 for offers, buys, fetches and reports: see [OpenExchange]; has a Broker buy, see
// [OpenBroker]; or has the licensed text of what an answer found by one call more: see
// [Client.Fetch]. As a provider, it pushes what can be sold: see [OpenCatalog].
//
//	desk, err := client.New("https://www.example.com", client.Options{})
//	answer, err := desk.Ask(ctx, client.Question{Text: "a quick vegan dinner", Limit: 5})
//	for _, result := range answer.Results {
//		fmt.Println(result.Name, result.URL)
//	}
//
// Ask gives an answer whole, Stream gives its results as they are found. What the desk answers
// instead of an answer is a [Failure]; every other error says where the way to it ended. What comes
// from a desk is bounded in size and in silence, and is data: nothing of it is trusted, and a text
// of it may hold anything.
//
// The package stands on wire alone, and is meant for programs outside this module, too:
// docs/sdk.md, and docs/sdk-buy.md for those that buy. What it sends, and what it makes of an
// answer, is held by test/sdk/transcripts, which the clients in other languages (clients/) play as
// well.
package client

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// Options are a client's settings; the zero value is fit for most.
type Options struct {
	// HTTP makes the requests: its transport, cookies and timeout are heeded. Nil is a client with
	// a transport like http.DefaultTransport. Redirects that would lose the question or leave https
	// are refused in any case.
	HTTP *http.Client
	// Token gives the API key or access token of a request, sent as a bearer token (RFC 6750). It
	// is called for each attempt, so that it can renew what has expired. Nil, or an empty token,
	// sends none. See StaticToken.
	Token func(context.Context) (string, error)
	// UserAgent is the User-Agent header; empty is "frontdesk-client".
	UserAgent string
	// MaxAnswer is the most that is read of one answer, in bytes after decompression; 0 is 64 MiB.
	MaxAnswer int64
	// MaxEvent is the most that one event of a stream may have, in bytes; 0 is 8 MiB.
	MaxEvent int
	// Retries is how often a question is asked again when the desk says that it is too busy
	// (statuses 429 and 503); 0 is 3 times, below 0 is never.
	Retries int
	// MaxWait is the longest that one retry waits. A desk that wants more patience than this, or
	// than the context's deadline allows, gets no retry: the Failure says how long it asked to
	// wait. 0 is 30 seconds.
	MaxWait time.Duration
	// Silence is how long the desk may stay silent, before its answer begins and within it; 0 is
	// one minute.
	Silence time.Duration
	// Agent signs each request that is made over https, so that a server can say who asks it (Web
	// Bot Auth). Nil signs none.
	Agent *Agent
	// Buyer is who buys licensed content in Client.Fetch; nothing else needs it.
	Buyer Buyer
	// Verify says what ed25519.Verify says, and stands in its place where offers of an Exchange are
	// verified: for a program that verifies very many by few keys, and has a faster way. Nil is
	// ed25519.Verify.
	Verify func(public ed25519.PublicKey, message, signature []byte) bool
	// Now is the clock by which requests are signed, and offers and keys held to be in time; nil is
	// time.Now.
	Now func() time.Time
}

// StaticToken is an Options.Token that is always the same.
func StaticToken(token string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return token, nil }
}

// Client asks one front desk. It is safe for concurrent use.
type Client struct {
	http   *http.Client
	ask    string
	awaits string // the address of promises

	sessions  *url.URL // below which conversations are
	options   Options
	exchanges *sellersOpen
}

// New returns a client of the front desk at an address: the desk's own (https://www.example.com) or
// that of its endpoint, which ends in /ask.
func New(address string, options Options) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is no web address; write it like https://www.example.com", address)
	}
	if u.User != nil {
		return nil, fmt.Errorf("the address of %s holds a password; give it as Options.Token", u.Host)
	}
	if !strings.HasSuffix(u.Path, "/ask") {
		u = u.JoinPath("ask")
	}
	u.Fragment = ""
	options.fill()
	web := *options.HTTP
	web.CheckRedirect = guarded(options.HTTP.CheckRedirect)
	c := &Client{http: &web, ask: u.String(), options: options, exchanges: &sellersOpen{}}
	u.Path, u.RawPath = strings.TrimSuffix(u.Path, "ask")+"await", ""
	c.awaits = u.String()
	u.Path = strings.TrimSuffix(u.Path, "await") + "sessions"
	c.sessions = u
	return c, nil
}

func (o *Options) fill() {
	if o.HTTP == nil {
		o.HTTP = &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
	}
	if o.UserAgent == "" {
		o.UserAgent = "frontdesk-client"
	}
	if o.MaxAnswer <= 0 {
		o.MaxAnswer = 64 << 20
	}
	if o.MaxEvent <= 0 {
		o.MaxEvent = 8 << 20
	}
	if o.Retries == 0 {
		o.Retries = 3
	}
	if o.MaxWait <= 0 {
		o.MaxWait = 30 * time.Second
	}
	if o.Silence <= 0 {
		o.Silence = time.Minute
	}
	if o.Verify == nil {
		o.Verify = ed25519.Verify
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Agent != nil { // once, whoever takes over these options
		web := *o.HTTP
		web.Transport = o.Agent.transport(web.Transport, o.Now)
		o.HTTP, o.Agent = &web, nil
	}
}

// Address is that of the endpoint which is asked.
func (c *Client) Address() string { return c.ask }

// Ask asks a question and gives the whole answer. Its errors are of the types Failure, Promise,
// NotADesk, Broken and Unreachable, or the context's.
func (c *Client) Ask(ctx context.Context, q Question) (*Answer, error) {
	response, err := c.send(ctx, q, false)
	if err != nil {
		return nil, err
	}
	defer response.body.Close()
	if response.streams() { // though nobody asked for it
		answer, err := c.stream(response).Collect()
		if err != nil {
			return nil, err
		}
		return answer, nil
	}
	return c.readAnswer(response)
}

// reply is a response with a body that is watched for silence.
type reply struct {
	status int
	header http.Header
	body   *watched
}

// streams says whether a response is a stream of events.
func (r *reply) streams() bool {
	kind, _, _ := mime.ParseMediaType(r.header.Get("Content-Type"))
	return kind == typeEvents
}

// The types of content that a desk may answer with.
const (
	typeJSON   = "application/json"
	typeEvents = "text/event-stream"
)

// send asks until the desk has time. The caller closes the body.
func (c *Client) send(ctx context.Context, q Question, streaming bool) (*reply, error) {
	body, err := json.Marshal(q.request(streaming), json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("the question cannot be written as JSON: %w", err)
	}
	accept := typeJSON
	if streaming {
		accept = typeEvents + ", " + typeJSON + ";q=0.5"
	}
	// Asking changes nothing, unless it is to be remembered.
	return c.persist(ctx,
		request{address: c.ask, body: body, accept: accept, language: q.Language, repeatable: !q.Remember})
}

// request is one that can be made again.
type request struct {
	address    string
	body       []byte
	accept     string
	language   string
	repeatable bool // making it twice does no more than making it once
}

// persist makes a request until the desk has time. The caller closes the body.
func (c *Client) persist(ctx context.Context, r request) (*reply, error) {
	for attempt := 0; ; attempt++ {
		response, err := c.post(ctx, r)
		if err != nil {
			return nil, err
		}
		wait, again := c.again(ctx, response, attempt)
		if !again {
			return response, nil
		}
		response.body.finish()
		if err := sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// post makes one attempt.
func (c *Client) post(ctx context.Context, r request) (*reply, error) {
	return c.exchange(ctx, func(ctx context.Context) (*http.Request, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.address, bytes.NewReader(r.body))
		if err != nil {
			return nil, err
		}
		return request, c.head(ctx, request, r)
	})
}

// exchange makes one request, under a watch that the response's body keeps.
func (c *Client) exchange(ctx context.Context, compose func(context.Context) (*http.Request, error)) (*reply, error) {
	watch := newWatch(ctx, c.options.Silence)
	request, err := compose(watch.ctx)
	if err != nil {
		watch.end()
		return nil, err
	}
	response, err := c.http.Do(request)
	if err != nil {
		err = watch.cause(err)
		watch.end()
		return nil, unreachable(ctx, request.URL.Redacted(), err)
	}
	return &reply{response.StatusCode, response.Header, watch.over(response.Body, c.options.MaxAnswer)}, nil
}

// head fills a request's header.
func (c *Client) head(ctx context.Context, request *http.Request, r request) error {
	header := request.Header
	header.Set("Content-Type", typeJSON)
	header.Set("Accept", r.accept)
	header.Set("User-Agent", c.options.UserAgent)
	if r.language != "" {
		header.Set("Accept-Language", r.language)
	}
	if r.repeatable {
		// So net/http may ask again when a kept connection turns out to be closed. The header
		// itself is not sent (see http.Transport).
		header["Idempotency-Key"] = []string{}
	}
	if c.options.Token == nil {
		return nil
	}
	token, err := c.options.Token(ctx)
	if err != nil {
		return fmt.Errorf("no token for %s: %w", c.ask, err)
	}
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	return nil
}

// unreachable says that there was no response. The context's own end stays what it is.
func unreachable(ctx context.Context, address string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var wrapped *url.Error // which would repeat address and method
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return &Unreachable{URL: address, Err: err}
}

// maxRedirects is how many redirects are followed when the http.Client has no opinion.
const maxRedirects = 5

// guarded follows redirects that keep the question and its secrecy. (That a token does not go to
// another host is net/http's doing.)
func guarded(more func(*http.Request, []*http.Request) error) func(*http.Request, []*http.Request) error {
	return func(next *http.Request, via []*http.Request) error {
		last := via[len(via)-1]
		switch {
		case next.Method != http.MethodPost:
			return fmt.Errorf("the desk has moved to %s by a redirect that loses the question; use that address",
				next.URL.Redacted())
		case last.URL.Scheme == "https" && next.URL.Scheme != "https":
			return fmt.Errorf("the desk redirects to %s, which is not secured", next.URL.Redacted())
		case more != nil:
			return more(next, via)
		case len(via) > maxRedirects:
			return fmt.Errorf("more than %d redirects", maxRedirects)
		}
		return nil
	}
}
