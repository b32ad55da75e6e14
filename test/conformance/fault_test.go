package conformance

import (
	"net/http"
	"strings"
)

// faultRows are about a server whose content can no longer be read. (That a fault in a program's
// own doing is 500 INTERNAL_ERROR is held where it can be brought about: in internal/app.)
var faultRows = []row{
	{75, "a failure in the middle of a stream", func(p *probe) {
		p.on(p.at.faulty, func() {
			s := p.streamAsk(query("supper", "limit", 60, "prefer", object{"streaming": true}))
			p.must(len(s.events) > 3, "only %d events", len(s.events))
			p.expect(len(p.items(s)) == 32, "%d results before the failure", len(p.items(s)))
			broken, last := s.events[len(s.events)-2], s.events[len(s.events)-1]
			p.expect(broken.name == "error" && s.count("error") == 1, "the event before the last is %s", broken.name)
			fault, _ := broken.data["error"].(object)
			p.expect(str(fault["code"]) != "", "the error has no code: %v", broken.data)
			p.expect(metaOf(broken)["response_type"] == "failure", "the error has response_type %v",
				metaOf(broken)["response_type"])
			p.expect(last.name == "complete" && s.count("complete") == 1, "the last event is %s", last.name)
			p.expectDiscreet(text(broken.data))
		})
	}},
	{117, "a fault tells nothing of the inside", func(p *probe) {
		p.on(p.at.faulty, func() {
			for _, r := range []reply{p.ask(query("mushroom pie knife pan", "limit", 100)),
				p.ask(query("mushroom pie knife pan", "limit", 100, "prefer", object{"streaming": true}))} {
				p.expect(r.status >= 500, "status %d: %s", r.status, clip(r.raw))
				p.must(r.body != nil && r.meta("response_type") == "failure", "no failure: %s", clip(r.raw))
				fault, _ := r.body["error"].(object)
				p.expect(fault["code"] == "UNAVAILABLE" || fault["code"] == "INTERNAL_ERROR", "error.code is %v",
					fault["code"])
				p.expect(r.status != http.StatusServiceUnavailable || r.header.Get("Retry-After") != "",
					"503 without Retry-After")
				p.expectDiscreet(string(r.raw))
			}
			p.expect(p.send("GET", "/healthz", "").status == http.StatusOK, "the process is gone")
		})
	}},
}

// expectDiscreet holds that a text names nothing of the inside.
func (p *probe) expectDiscreet(told string) {
	for _, word := range []string{
		"content_item", "sqlite", "SQL", "no such table", "goroutine", ".go:", "/tmp", "frontdesk.db",
	} {
		p.expect(!strings.Contains(told, word), "the failure tells of %q: %s", word, clip([]byte(told)))
	}
}

var wrongFaults = []wrong{
	{name: "streams that end without a word", rows: []int{75},
		reply: eachEvent("error", func(string) []string { return nil })},
	{name: "errors without a code", rows: []int{75}, reply: eachFailure(func(fault object) { delete(fault, "code") })},
	{name: "the cause of a fault", rows: []int{75, 117},
		reply: eachFailure(func(fault object) { fault["message"] = "SQL logic error: no such table: content_item" })},
	{name: "faults as success", rows: []int{117}, reply: func(x *exchange) {
		if x.status >= 500 {
			x.status = http.StatusOK
		}
	}},
}
