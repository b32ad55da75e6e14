package http

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"frontdesk/internal/content/released"
	"frontdesk/internal/identity"
	"frontdesk/internal/identity/agents"
	"frontdesk/internal/identity/visitors"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/policy"
)

// Agents tells which automated clients send requests, and names them to those who decide.
type Agents struct {
	Verifier *agents.Verifier
	// Operators are the origins of operators that the list names: the only ones that metrics tell
	// apart.
	Operators map[string]bool
	// Depends says whether the terms in force differ by party.
	Depends func() bool
	// Elsewhere says that nobody knows whether a request came to an address of this front desk.
	Elsewhere func(*http.Request) bool
	// MaxBody is how many bytes of a body are read to be held against a signed Content-Digest.
	MaxBody int64
}

// identify names in a request's context who sends it, and notes it in the request's event. It may
// wait for a directory of keys.
func (f *RequestHandler) identify(answer *Recorder, r *http.Request) *http.Request {
	if f.Agents == nil {
		return r
	}
	answer.perParty = f.Agents.Depends()
	asks := agents.Request{Method: r.Method, Header: r.Header, From: f.Address.Client(r), Body: f.Agents.body(r)}
	if answer.route == gated {
		asks.Target = f.Address.atSite(r, f.Gate.SiteURL(f.Address.Host(r)))
	} else {
		asks.Target, asks.Elsewhere = f.Address.target(r), f.Agents.Elsewhere(r)
	}
	ctx := f.told(r.Context(), asks)
	agent := agents.From(ctx)
	if agent.Signature != "" {
		answer.Header().Set(agents.HeaderOutcome, agent.Told())
	}
	if agent == (agents.Agent{}) {
		return r
	}
	answer.agent = agent
	return r.WithContext(ctx)
}

// Identify names in a context who sends a request, and notes it in the event of the context. It may
// wait for a directory of keys. It is for requests that come to another server, which asks here.
func (f *RequestHandler) Identify(ctx context.Context, r agents.Request) context.Context {
	ctx = f.told(ctx, r)
	if agent := agents.From(ctx); !r.Again && agent != (agents.Agent{}) {
		f.countAgent(agent, agent.Known)
	}
	return ctx
}

// told is Identify without the figures.
func (f *RequestHandler) told(ctx context.Context, r agents.Request) context.Context {
	agent := f.Agents.Verifier.Identify(ctx, r)
	if agent == (agents.Agent{}) {
		return ctx
	}
	for _, noted := range [][2]string{{"agent", agent.Name}, {"agent_id", agent.ID}, {"agent_operator", agent.Operator},
		{eventKnown, agent.Known}, {"agent_signature", string(agent.Signature)}, {"agent_refused", agent.Why}} {
		if noted[1] != "" {
			httpx.EventFrom(ctx).Set(noted[0], noted[1])
		}
	}
	return released.WithParty(agents.With(ctx, agent), partyOf(agent))
}

// eventKnown is where the event of a request says how its sender is known.
const eventKnown = "agent_known"

// known counts a request that is done by how its sender is known, and notes that where it is by a
// credential: which one is verified where a protocol asks for it.
func (f *RequestHandler) known(agent agents.Agent, happened *httpx.Event) {
	how := agent.Known
	if happened.Text("party") != "" && how != agents.BySignature {
		how = visitors.ByKey
		happened.Set(eventKnown, how)
	}
	if f.Agents != nil && (how != "" || agent.Signature != "") {
		f.countAgent(agent, how)
	}
}

// countAgent counts a request. A credential says nothing of who runs the program that shows it.
func (f *RequestHandler) countAgent(agent agents.Agent, how string) {
	operator := "other"
	if f.Agents.Operators[agent.Operator] && how != visitors.ByKey {
		operator = agent.Operator
	}
	f.Metrics.agents.WithLabelValues(operator, how, string(agent.Signature)).Inc()
}

// body gives what reads the body of a request, which can still be read afterwards.
func (a *Agents) body(r *http.Request) func() ([]byte, error) {
	return func() ([]byte, error) {
		if r.Body == nil || r.Body == http.NoBody {
			return nil, nil
		}
		if r.ContentLength > a.MaxBody {
			return nil, agents.ErrLargeBody
		}
		whole := r.Body
		read, err := io.ReadAll(io.LimitReader(whole, a.MaxBody+1))
		rest := io.Reader(whole)
		if err != nil {
			rest = broken{err}
		}
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(read), rest), whole}
		if err == nil && int64(len(read)) > a.MaxBody {
			err = agents.ErrLargeBody
		}
		return read, err
	}
}

// broken is what is left of a body that could not be read.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

// atSite is the absolute URI of a request to a site behind the gate as its sender wrote it. Over
// what it came, the address of the site says: before the gate there may be a proxy that tells
// nothing.
func (o *ClientAddress) atSite(r *http.Request, site string) string {
	scheme, _, _ := strings.Cut(site, "://")
	return scheme + "://" + o.Host(r) + requestURI(r)
}

// target is the absolute URI of a request as its sender wrote it.
func (o *ClientAddress) target(r *http.Request) string {
	uri := requestURI(r)
	if rest, ok := strings.CutPrefix(uri, o.Prefix); ok && (rest == "" || strings.ContainsAny(rest[:1], "/?")) {
		uri = rest
	}
	return o.PublicURL(r) + uri
}

// requestURI is path and query of a request as its sender wrote them.
func requestURI(r *http.Request) string {
	uri := r.RequestURI
	if !strings.HasPrefix(uri, "/") { // the form for proxies (RFC 9112 §3.2.2)
		if u, err := url.Parse(uri); err == nil {
			uri = u.RequestURI()
		}
	}
	return uri
}

// partyOf is an agent as rules ask for it.
func partyOf(agent agents.Agent) policy.Party {
	traits := traitsOf(agent.Origins(), agent.Name, agent.Kind)
	party := policy.Party{Said: traits}
	switch agent.Known {
	case agents.BySignature:
		traits.Classes = append(traits.Classes, policy.PartyVerified)
		party = policy.Party{Proven: traits}
		if said := agent.Said; said != nil {
			party.Said = traitsOf([]string{said.Origin}, said.UserAgent, said.Kind)
		}
	case agents.ByAddress:
		party = policy.Party{Proven: traits}
	}
	if agent.Claimed != "" { // which is enough to be prohibited
		party.Said.Operators = append(party.Said.Operators, agent.Claimed)
	}
	return party
}

// traitsOf are those of an automated client.
func traitsOf(operators []string, name, kind string) policy.Traits {
	traits := policy.Traits{Name: name, Classes: []string{policy.PartyAgent}, Operators: operators}
	if kind != "" {
		traits.Classes = append(traits.Classes, kind)
	}
	return traits
}

// forPartyAlone keeps shared caches from handing on what depends on who asks, whatever a handler,
// or the origin behind the gate, tells them.
func forPartyAlone(header http.Header) {
	kept := strings.Join(header.Values("Cache-Control"), ", ")
	directives := strings.FieldsFunc(strings.ToLower(kept), func(c rune) bool { return c == ',' || c == ' ' })
	switch {
	case kept == "" || strings.ContainsAny(kept, `"`) || slices.ContainsFunc(directives, func(d string) bool {
		return d == "public" || strings.HasPrefix(d, "s-maxage")
	}):
		kept = "private, no-cache"
	case !slices.Contains(directives, "private") && !slices.Contains(directives, "no-store"):
		kept = "private, " + kept
	}
	header.Set("Cache-Control", kept)
	httpx.DropTargetedCaching(header)
	header.Add("Vary", "Authorization, "+identity.KeyHeader+", "+varyBySignature+", User-Agent")
}

// varyBySignature are the headers of a signature, as Vary names them.
const varyBySignature = "Signature, Signature-Input, Signature-Agent"
