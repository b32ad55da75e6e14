package conformance

import (
	"net/http"
	"strconv"
	"strings"
)

// guardRows are about who may ask, and how often.
var guardRows = []row{
	{114, "a limit that is used up", func(p *probe) {
		p.on(p.at.limited, func() {
			var r reply
			for range 400 {
				if r = p.ask(supper); r.status != http.StatusOK {
					break
				}
			}
			p.failure(r, http.StatusTooManyRequests, "RATE_LIMITED")
			seconds, err := strconv.Atoi(r.header.Get("Retry-After"))
			p.expect(err == nil && seconds > 0, "Retry-After is %q", r.header.Get("Retry-After"))
			p.failure(p.send("GET", "/ask?query=supper&streaming=false", ""), http.StatusTooManyRequests,
				"RATE_LIMITED")
			rpc := p.rpc("tools/call", object{"name": "ask", "arguments": supper})
			p.expect(rpc.status == http.StatusTooManyRequests || strings.Contains(string(rpc.raw), "RATE_LIMITED"),
				"MCP answers on: status %d: %s", rpc.status, clip(rpc.raw))
			p.expect(p.send("GET", "/healthz", "").status == http.StatusOK, "a probe is refused")
		})
		p.answer(p.ask(supper)) // another server, and no limit there
	}},
	{115, "no credential where one is needed", func(p *probe) {
		p.on(p.at.closed, func() {
			for _, r := range []reply{p.ask(supper), p.ask(query("supper", "prefer", object{"streaming": true})),
				p.send("GET", "/ask?query=supper", "")} {
				p.expectRefused(r)
				p.failure(r, http.StatusUnauthorized, "UNAUTHORIZED")
			}
			p.expectRefused(p.rpc("tools/call", object{"name": "ask", "arguments": supper}))
			p.answer(p.ask(supper, "X-API-Key", p.at.key))
			p.answer(p.ask(supper, "Authorization", "Bearer "+p.at.key))
		})
	}},
	{116, "a wrong credential", func(p *probe) {
		p.on(p.at.closed, func() {
			for _, wrong := range []string{
				"x", p.at.key + "x", strings.ToUpper(p.at.key), "fd_aaaaaaaaaaaa_" + strings.Repeat("a", 52),
			} {
				for _, r := range []reply{
					p.ask(supper, "X-API-Key", wrong), p.ask(supper, "Authorization", "Bearer "+wrong),
				} {
					p.expect(r.status == http.StatusUnauthorized || r.status == http.StatusForbidden,
						"status %d for a wrong key", r.status)
					p.must(r.body != nil && r.meta("response_type") == "failure", "no failure: %s", clip(r.raw))
					p.expect(!strings.Contains(string(r.raw), wrong) || wrong == "x", "the key comes back: %s",
						clip(r.raw))
				}
			}
		})
	}},
}

// expectRefused holds a refusal for want of a credential.
func (p *probe) expectRefused(r reply) {
	p.expect(r.status == http.StatusUnauthorized, "status %d, want 401: %s", r.status, clip(r.raw))
	p.expect(strings.HasPrefix(r.header.Get("WWW-Authenticate"), "Bearer"), "WWW-Authenticate is %q",
		r.header.Get("WWW-Authenticate"))
	p.expect(r.body != nil, "the body is not one JSON object: %s", clip(r.raw))
}

var wrongGuards = []wrong{
	{name: "limits not heeded", rows: []int{114}, reply: func(x *exchange) {
		if x.status == http.StatusTooManyRequests {
			x.status = http.StatusOK
		}
	}},
	{name: "limits without a time", rows: []int{114}, reply: setHeader("Retry-After", "")},
	{name: "a key for everybody", rows: []int{115}, reply: func(x *exchange) {
		if x.status == http.StatusUnauthorized {
			x.status = http.StatusOK
		}
	}},
	{name: "refusals without a way in", rows: []int{115}, reply: setHeader("WWW-Authenticate", "")},
	{name: "keys in vain", rows: []int{115}, ask: func(x *exchange) { x.request.Header.Del("X-API-Key") }},
	{name: "wrong keys let in", rows: []int{116}, reply: func(x *exchange) {
		if strings.HasSuffix(x.request.Header.Get("X-API-Key"), "x") {
			x.status, x.body = http.StatusOK, []byte(`{"_meta":{"response_type":"answer","version":"0.55"},"results":[{}]}`)
		}
	}},
}
