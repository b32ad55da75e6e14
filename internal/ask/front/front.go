// Package front answers for sites that other nodes hold: it asks them in NLWeb, by package client,
// and makes one answer of theirs. It owns which node is asked, for how long, what of an answer is
// believed, and the order of what came. It knows nothing of content, terms or search: each node
// decides what leaves it, and records that. How an answer is written is package nlweb's.
//
// Enter at [New] and [Front.Ask].
package front

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/client"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	wire "frontdesk/wire/nlweb"
)

// UserAgent is how a front calls itself to the nodes.
const UserAgent = "frontdesk-front"

// The most that is read of a node's answer, and of one event where it streams, though it was not
// asked to; in bytes.
const (
	maxAnswer = 16 << 20
	maxEvent  = 1 << 20
)

// Options are what a Front needs.
type Options struct {
	Settings Settings
	Sites    *released.Sites // all that there are
	// Admit is asked before the nodes are, with the ids of the sites of a question, nil for all.
	// Nil admits everything.
	Admit func(ctx context.Context, sites []string) error
	// Asker is the address from which a context's request came; nil tells the nodes of none.
	Asker func(context.Context) (from netip.Addr, ok bool)
	// Forwarded has the nodes be told the asker's address as RFC 7239 says, and not as
	// X-Forwarded-For.
	Forwarded bool
}

// Front asks nodes. Its methods may be called from many goroutines.
type Front struct {
	sites   *released.Sites
	admit   func(context.Context, []string) error
	timeout time.Duration
	nodes   []*node
}

// node is one that is asked.
type node struct {
	name   string
	sites  []string
	client *client.Client
}

// New makes a front.
func New(o Options) (*Front, error) {
	if err := fail.Missing("front.New", map[string]bool{"Sites": o.Sites != nil,
		"Nodes": len(o.Settings.Nodes) > 0}); err != nil {
		return nil, err
	}
	f := &Front{sites: o.Sites, admit: o.Admit, timeout: o.Settings.Timeout}
	if f.admit == nil {
		f.admit = func(context.Context, []string) error { return nil }
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy, transport.MaxIdleConnsPerHost = nil, 64 // the addresses are the owner's own
	web := &http.Client{
		Transport: passing{transport, o.Asker, o.Forwarded},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("a node does not answer from another address; name that one in spread.nodes")
		},
	}
	for i, n := range o.Settings.Nodes {
		key, err := n.key()
		if err != nil {
			return nil, fmt.Errorf("spread.nodes[%d]: %w", i, err)
		}
		asked, err := client.New(n.URL, client.Options{
			HTTP: web, Token: client.StaticToken(key), UserAgent: UserAgent, MaxAnswer: maxAnswer, MaxEvent: maxEvent,
			Retries: -1, Silence: f.timeout,
		})
		if err != nil {
			return nil, fmt.Errorf("spread.nodes[%d]: %w", i, err)
		}
		f.nodes = append(f.nodes, &node{name: o.Settings.name(i), sites: n.Sites, client: asked})
	}
	return f, nil
}

// passing tells nodes for whom the front asks. A node believes it where its `proxies` name the
// front.
type passing struct {
	http.RoundTripper
	asker     func(context.Context) (netip.Addr, bool)
	forwarded bool
}

// RoundTrip makes one request.
func (p passing) RoundTrip(r *http.Request) (*http.Response, error) {
	if p.asker == nil {
		return p.RoundTripper.RoundTrip(r)
	}
	if from, ok := p.asker(r.Context()); ok {
		r = r.Clone(r.Context())
		switch {
		case !p.forwarded:
			r.Header.Set("X-Forwarded-For", from.String())
		case from.Is4():
			r.Header.Set("Forwarded", "for="+from.String())
		default:
			r.Header.Set("Forwarded", `for="[`+from.String()+`]"`)
		}
	}
	return p.RoundTripper.RoundTrip(r)
}

// Question is what is asked of the nodes.
type Question struct {
	Request *wire.AskRequest // not changed
	Session wire.Session     // as it came, within its bounds
	Limit   int              // results at most, of each node and of all
	Whole   bool             // all that the nodes give, beyond Limit
	// Format is that in which a promised answer is wanted.
	Format string
}

// Reply is what the nodes answered, taken together. With an error it is there too, where a node
// said more of it.
type Reply struct {
	// Meta has what the nodes say of the question: the session, what was understood, what is
	// missing.
	Meta    wire.Meta
	Results []Result // the best first
	Summary *Result  // of the node with the best result; nil for none
	// Elicitation is set instead of results where the one node that was asked asks back.
	Elicitation *wire.Elicitation
	// Promise is set instead of results where the one node that was asked promises an answer.
	Promise *wire.Promise
	// Format is that of the answer of a promise.
	Format string
}

// Ask asks the nodes that hold the sites of a question, and takes their answers together. It
// returns fail.Invalid for sites that nobody holds, fail.NoResults, fail.Unavailable where no node
// answered, and what a node refuses.
func (f *Front) Ask(ctx context.Context, q Question) (*Reply, error) {
	if q.Request.Query == nil {
		return nil, fail.New(fail.Malformed, "query is missing; ask with {\"query\": {\"text\": \"a question\"}}")
	}
	ids, err := f.sites.Resolve(q.Request.Query.Site)
	if err != nil {
		return nil, err
	}
	if err := f.admit(ctx, ids); err != nil {
		return nil, err
	}
	targets := f.targets(ids)
	several := len(targets) > 1
	if several && slices.ContainsFunc(q.Request.Prefer.Mode, func(m string) bool {
		return strings.EqualFold(m,
			wire.ModeReport)
	}) {
		return nil, fail.New(fail.UnsupportedMode,
			"a report is made by one node, and these sites are at several; name a site")
	}
	if q.Session.ConversationID == "" {
		q.Session.ConversationID = strings.ToLower(rand.Text())
	}
	states := unpack(q.Session.StateToken)
	asked := question(q)
	outcomes := f.gather(ctx, targets, func(ctx context.Context, t target) outcome {
		own := asked
		own.Sites, own.NoQuestions = t.named, own.NoQuestions || several
		own.Session = []byte(wire.Session{ConversationID: q.Session.ConversationID, StateToken: states[t.name]}.JSON())
		answer, err := t.client.Ask(ctx, own)
		var promise *client.Promise
		if errors.As(err, &promise) && several {
			answer, err = t.client.Wait(ctx, promise, nil)
		}
		return t.read(answer, err)
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	limit := q.Limit
	if q.Whole {
		limit *= len(targets)
	}
	reply, err := merged(outcomes, limit)
	for _, o := range outcomes {
		if session := wire.ReadSession(o.meta.SessionContext); session.StateToken != "" {
			states[o.name] = session.StateToken
		}
	}
	q.Session.StateToken = pack(states)
	reply.Meta.SessionContext = q.Session.JSON()
	if reply.Promise != nil {
		reply.Promise.Token = encode(promised{Node: targets[0].name, Token: reply.Promise.Token, Format: q.Format})
	}
	note(ctx, targets, reply)
	return reply, err
}

// question is what goes to each node: as it was asked, but for who asks. What a front cannot keep
// to (remember, user) does not go.
func question(q Question) client.Question {
	r := q.Request
	asked := client.Question{
		Text: r.Query.Text, Types: r.Query.ItemType, Limit: q.Limit, MinScore: r.Query.MinScore, Context: r.Context,
		Language: r.Prefer.AcceptLanguage, Closest: r.Prefer.Closest, Filters: map[string]any{},
	}
	for name, value := range r.Query.Filters {
		asked.Filters[name] = value
	}
	for _, mode := range r.Prefer.Mode {
		switch mode = strings.ToLower(mode); mode {
		case wire.ModeList, wire.ModeSummarize, wire.ModeReport: // the others are named among what is ignored
			asked.Modes = append(asked.Modes, mode)
		}
	}
	asked.NoQuestions = r.Prefer.Elicitation != nil && !*r.Prefer.Elicitation
	return asked
}

// target is a node that is asked, with the sites that it is asked for.
type target struct {
	*node
	named []string // nil for all that it holds
}

// targets are the nodes that hold some sites; nil means all sites.
func (f *Front) targets(ids []string) (all []target) {
	for _, n := range f.nodes {
		t := target{node: n}
		for _, site := range n.sites {
			if slices.Contains(ids, site) {
				t.named = append(t.named, site)
			}
		}
		if ids == nil || len(t.named) > 0 {
			all = append(all, t)
		}
	}
	return all
}

// asks are the sites that a node is asked for.
func (t target) asks() []string {
	if t.named != nil {
		return t.named
	}
	return t.sites
}

// gather asks nodes at once, each for as long as one may take.
func (f *Front) gather(ctx context.Context, targets []target, ask func(context.Context, target) outcome) []outcome {
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	outcomes := make([]outcome, len(targets))
	var asking sync.WaitGroup
	for i, t := range targets[1:] {
		asking.Go(func() { outcomes[i+1] = ask(ctx, t) })
	}
	outcomes[0] = ask(ctx, targets[0])
	asking.Wait()
	return outcomes
}

// note tells a request's event which nodes were asked, and which did not answer.
func note(ctx context.Context, targets []target, reply *Reply) {
	e := httpx.EventFrom(ctx)
	e.Set("nodes", len(targets))
	var missing []string
	for _, u := range reply.Meta.Unanswered {
		missing = append(missing, u.Node+" "+u.Reason)
	}
	if len(missing) > 0 {
		e.Set("unanswered", strings.Join(missing, ", "))
	}
}

// promised is a promise of a node, as the front's token has it.
type promised struct {
	Node   string `json:"n"`
	Token  string `json:"t"`
	Format string `json:"f,omitzero"`
}

// encode writes what a caller carries for the front. It is no secret: what is one in it is a
// node's.
func encode(v any) string {
	text, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic("front: encode a token: " + err.Error()) // texts alone
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// decode reads what encode wrote; false for anything else.
func decode(token string, v any) bool {
	text, err := base64.RawURLEncoding.DecodeString(token)
	return err == nil && json.Unmarshal(text, v) == nil
}

// pack makes one state_token of those of the nodes.
func pack(states map[string]string) string {
	if len(states) == 0 {
		return ""
	}
	return encode(states)
}

// unpack takes a state_token apart; what is none of ours holds nothing.
func unpack(token string) map[string]string {
	states := map[string]string{}
	if !decode(token, &states) || states == nil {
		return map[string]string{}
	}
	return states
}

// Await says what became of a promise of a node, or has the node cancel it first. It returns
// fail.UnknownPromise for a token that no node knows.
func (f *Front) Await(ctx context.Context, token string, cancelled bool) (*Reply, error) {
	var p promised
	at := -1
	if decode(token, &p) {
		at = slices.IndexFunc(f.nodes, func(n *node) bool { return n.name == p.Node })
	}
	if at < 0 {
		return nil, fail.New(fail.UnknownPromise,
			"there is no promise of this token here, or not any more; ask the question again")
	}
	t := target{node: f.nodes[at]}
	outcomes := f.gather(ctx, []target{t}, func(ctx context.Context, t target) outcome {
		look := t.client.Await
		if cancelled {
			look = t.client.Cancel
		}
		answer, err := look(ctx, p.Token)
		if answer == nil && err == nil {
			return outcome{target: t, failed: fail.New(fail.Cancelled, "the question was taken back")}
		}
		return t.read(answer, err)
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	reply, err := merged(outcomes, len(outcomes[0].results))
	if reply.Format = p.Format; reply.Promise != nil {
		reply.Promise.Token = token
	}
	if session := wire.ReadSession(outcomes[0].meta.SessionContext); session.ConversationID != "" {
		if session.StateToken != "" {
			session.StateToken = pack(map[string]string{t.name: session.StateToken})
		}
		reply.Meta.SessionContext = session.JSON()
	}
	note(ctx, []target{t}, reply)
	return reply, err
}

// Forget has all nodes forget what they keep of a conversation. It returns fail.Unavailable where
// one did not.
func (f *Front) Forget(ctx context.Context, session wire.Session) error {
	states := unpack(session.StateToken)
	var targets []target
	for _, n := range f.nodes {
		if states[n.name] != "" {
			targets = append(targets, target{node: n})
		}
	}
	if len(targets) == 0 {
		return nil // without its state no node knows the conversation
	}
	for _, o := range f.gather(ctx, targets, func(ctx context.Context, t target) outcome {
		own := []byte(wire.Session{ConversationID: session.ConversationID, StateToken: states[t.name]}.JSON())
		return t.read(nil, t.client.Converse(client.Question{Session: own}).Forget(ctx))
	}) {
		switch {
		case o.reason != "":
			return unavailable([]outcome{o})
		case o.failed != nil:
			return o.failed
		}
	}
	return nil
}
