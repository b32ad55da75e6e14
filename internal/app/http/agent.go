package http

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"frontdesk/internal/content/released"
	"frontdesk/internal/identity/agents"
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
}

// identify names in a request's context who sends it, and notes it in the request's event. It may
// wait for a directory of keys.
func (f *RequestHandler) identify(answer *Recorder, r *http.Request) *http.Request {
	if f.Agents == nil {
		return r
	}
	answer.perParty = f.Agents.Depends()
	ctx := f.Identify(r.Context(),
		agents.Request{Method: r.Method, Target: f.Address.target(r, answer.route == gated), Header: r.Header,
			Elsewhere: answer.route != gated && f.Agents.Elsewhere(r), From: f.Address.Client(r)})
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
// wait for a directory of keys.
func (f *RequestHandler) Identify(ctx context.Context, r agents.Request) context.Context {
	agent := f.Agents.Verifier.Identify(ctx, r)
	if agent == (agents.Agent{}) {
		return ctx
	}
	for _, noted := range [][2]string{{"agent", agent.Name}, {"agent_id", agent.ID}, {"agent_operator", agent.Operator},
		{"agent_known", agent.Known}, {"agent_signature", string(agent.Signature)}, {"agent_refused", agent.Why}} {
		if noted[1] != "" {
			httpx.EventFrom(ctx).Set(noted[0], noted[1])
		}
	}
	operator := "other"
	if f.Agents.Operators[agent.Operator] {
		operator = agent.Operator
	}
	if !r.Again {
		f.Metrics.agents.WithLabelValues(operator, agent.Known, string(agent.Signature)).Inc()
	}
	return released.WithParty(agents.With(ctx, agent), partyOf(agent))
}

// target is the absolute URI of a request as its sender wrote it. At the gate it is that of the
// site behind it.
func (o *ClientAddress) target(r *http.Request, atGate bool) string {
	uri := r.RequestURI
	if !strings.HasPrefix(uri, "/") { // the form for proxies (RFC 9112 §3.2.2)
		if u, err := url.Parse(uri); err == nil {
			uri = u.RequestURI()
		}
	}
	if atGate {
		scheme := map[bool]string{true: "https", false: "http"}[o.Secure(r)]
		return scheme + "://" + o.Host(r) + uri
	}
	if rest, ok := strings.CutPrefix(uri, o.Prefix); ok && (rest == "" || strings.ContainsAny(rest[:1], "/?")) {
		uri = rest
	}
	return o.PublicURL(r) + uri
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

// forPartyAlone keeps shared caches from handing on what depends on who asks, whatever a handler, or
// the origin behind the gate, tells them.
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
	for name := range header { // for caches of one kind (RFC 9213, Edge Architecture)
		if name == "Surrogate-Control" || strings.HasSuffix(name, "Cdn-Cache-Control") {
			header.Del(name)
		}
	}
	header.Add("Vary", "Authorization, Signature, Signature-Input, Signature-Agent, User-Agent")
}
