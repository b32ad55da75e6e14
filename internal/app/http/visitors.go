package http

import (
	"net/http"
	"slices"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/identity/visitors"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/infra/ratelimit"
	"frontdesk/wire/nlweb"
)

// Visitors counts who comes, by the one event of each request, and holds agents to what the owner
// says of them.
type Visitors struct {
	Directory  *visitors.Directory
	Counter    *visitors.Counter
	Treatments *visitors.Treatments
	Gate       *Auth // who knows keys, and counts together; nil where only this process asks
}

// robots is the path of the file that says what robots may do. It is refused to nobody: who cannot
// have it may read everything (RFC 9309 §2.3.1.3).
const robots = "/robots.txt"

// treat says why a request is refused for what the owner says of its agent; nil where it is not. Of
// an agent that has to prove who it is, the request that is given back says so where the address
// asks for a proof of its own.
func (v *Visitors) treat(answer *Recorder, r *http.Request, at *Route) (*http.Request, error) {
	if v == nil || v.Gate == nil || at == nil || at.Channel == "" || r.URL.Path == robots {
		return r, nil
	}
	told, ok := v.Treatments.For(answer.agent, r.Header.Get("User-Agent"))
	if !ok {
		return r, nil
	}
	var err error
	switch told.Action {
	case visitors.Limit:
		err = v.limit(answer, r, told)
	case visitors.RequireKey:
		r, err = v.proven(answer, r, at, told)
	case visitors.Block:
		err = fail.New(fail.Forbidden,
			"the owner of this site does not answer %s; to ask for access, turn to the owner",
			called(told))
	}
	if err != nil {
		httpx.EventFrom(r.Context()).Set("treatment", string(told.Action))
	}
	return r, err
}

// called is what an agent is called in a refusal.
func called(told visitors.Treatment) string {
	if told.Agent == visitors.Others {
		return "programs that it does not know"
	}
	return told.Agent
}

// limit counts a request of an agent that may send so many a minute. Those that only claim to be it
// have a limit of their own, so that nobody can use up that of the agent itself; and programs that
// are not told apart have one for each address.
func (v *Visitors) limit(answer *Recorder, r *http.Request, told visitors.Treatment) error {
	rate := ratelimit.Rate{Requests: told.Rate, Per: time.Minute, Burst: told.Rate}
	meter, key := v.Gate.Agent.WithRate(rate), told.Agent+" "+answer.agent.Known
	if told.Agent == visitors.Others {
		key += ratelimit.Network(v.Gate.address.Client(r))
	}
	status := meter.Allow(r.Context(), key, 1)
	if status.OK {
		return nil
	}
	answer.rateLimits = &RateLimitState{}
	return v.Gate.limited(r.Context(), answer.rateLimits, meter, status, "too many requests came from "+called(told))
}

// proven lets an agent in that proves who it is: by a signature, by its address, or by a key of
// this front desk. Where the address asks for a proof of its own, what it says of that counts.
func (v *Visitors) proven(answer *Recorder, r *http.Request, at *Route,
	told visitors.Treatment) (*http.Request, error) {
	if answer.agent.Proves() {
		return r, nil
	}
	_, known, err := v.Gate.Identify(r, nil)
	switch {
	case err != nil || known:
		return r, err
	case at.Proves:
		return r.WithContext(identity.WithProof(r.Context())), nil
	}
	return r, fail.New(fail.Unauthorized,
		"the owner of this site answers %s only where it proves who it is: sign requests "+
			"(HTTP Message Signatures, as Web Bot Auth has it), or send an API key as `%s: KEY`; "+
			"to get one, turn to the owner",
		called(told), identity.KeyHeader)
}

// refuse answers a request that is refused, in the words of its address.
func (v *Visitors) refuse(answer *Recorder, r *http.Request, at *Route, err error) {
	answer.route = at
	if challenge := v.Gate.Challenge(r, at, err); challenge != "" {
		answer.Header().Set("WWW-Authenticate", challenge)
	}
	at.fail(answer, r, err)
}

// count counts a request that is done, at an address that is for agents.
func (v *Visitors) count(r *http.Request, answer *Recorder, status int, happened *httpx.Event) {
	if v == nil || answer.route == nil || answer.route.Channel == "" || r.Method == http.MethodOptions {
		return
	}
	became := resultOf(happened)
	what, counts := became.what(r, answer.route, status, happened)
	if !counts {
		return
	}
	agent, known := v.Directory.Who(answer.agent, became.party, r.Header.Get("User-Agent"))
	v.Counter.Count(visitors.Visit{Agent: agent, Known: known, Channel: answer.route.Channel, What: what})
}

// result is what the event of a request says of how it ended.
type result struct {
	party, rpc string
	denied     bool
	failed     bool // although the status of HTTP does not tell
	bought     bool
}

// denials are the words for a refusal in the events of protocols whose status does not tell.
var denials = map[string][]string{
	"code":    {nlweb.CodeUnauthorized, nlweb.CodeForbidden, nlweb.CodeRateLimited},
	"failure": {"unauthenticated", "permission_denied", "resource_exhausted"},
}

// resultOf reads an event.
func resultOf(happened *httpx.Event) (r result) {
	again := false
	for _, a := range happened.Attrs() {
		switch a.Key {
		case "party":
			r.party = a.Value.String()
		case "rpc", "tool":
			r.rpc = a.Value.String()
		case "limit", "refused", "denial", "treatment":
			r.denied = true
		case "code", "failure":
			r.denied = r.denied || slices.Contains(denials[a.Key], a.Value.String())
			r.failed = r.failed || a.Key == "failure"
		case "granted":
			r.bought = a.Value.String() != "0"
		case "again":
			again = a.Value.String() == "true"
		}
	}
	r.bought = r.bought && !again
	return r
}

// asking are the channels on which every request that changes something asks for something.
var asking = []string{"intent", "intake", "ramp"}

// reading are the calls over MCP that read; others, but for those of tools, are only how a
// conversation is held.
var reading = []string{"resources/read", "resources/list", "tools/list", "prompts/list"}

// what says as what a request counts; counts is false for one that failed, or that neither asks nor
// reads.
func (r result) what(request *http.Request, at *Route, status int,
	happened *httpx.Event) (what visitors.What, counts bool) {
	switch {
	case r.denied, status == http.StatusUnauthorized, status == http.StatusPaymentRequired,
		status == http.StatusForbidden, status == http.StatusTooManyRequests:
		return visitors.Denied, true
	case status >= http.StatusBadRequest, r.failed:
		return 0, false
	case r.bought:
		return visitors.Paid, true
	case at.Asks != nil && at.Asks(request.Method, happened),
		request.Method == http.MethodPost && slices.Contains(asking, at.Channel):
		return visitors.Asked, true
	case request.Method == http.MethodPost:
		return visitors.Read, slices.Contains(reading, r.rpc)
	}
	return visitors.Read, true
}
