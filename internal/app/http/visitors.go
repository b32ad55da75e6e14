package http

import (
	"net/http"
	"slices"

	"frontdesk/internal/identity/visitors"
	"frontdesk/internal/infra/httpx"
	"frontdesk/wire/nlweb"
)

// Visitors counts who comes, by the one event of each request.
type Visitors struct {
	Directory *visitors.Directory
	Counter   *visitors.Counter
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
		case "limit", "refused", "denial":
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
func (r result) what(request *http.Request, at *Route, status int, happened *httpx.Event) (what visitors.What, counts bool) {
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
