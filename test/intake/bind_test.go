package intake

import (
	"bytes"
	"strings"
	"sync"
	"time"
)

// unbound is a row about a bind that is refused; afterwards the offer can be bound.
func unbound(number int, name string, status int, code string, changes ...func(object)) row {
	return row{number, name, func(p *probe) {
		type made struct{ request, offer object }
		var all []made
		var sessions []string
		for _, change := range changes {
			request, offer := p.offer("quote")
			p.refused(p.bind("quote", request, offer, change), status, code)
			all, sessions = append(all, made{request, offer}), append(sessions, request["session_id"].(string))
		}
		p.expect(len(p.at.ledger("bind", sessions...)) == 0, "the ledger has what was refused")
		for _, one := range all {
			p.bound(p.bind("quote", one.request, one.offer), one.request, one.offer)
		}
	}}
}

var bindRows = []row{
	{48, "an offer is accepted", func(p *probe) {
		request, offer := p.offer("quote")
		r := p.bind("quote", request, offer,
			set("metadata", object{"user_confirmed_at": "2026-03-01T10:00:00Z", "timestamp": "2026-03-01T10:00:01Z"}))
		p.bound(r, request, offer)
		p.expect(r.body["message"] == "We will write to you.", "the message is %v", r.body["message"])
		told := p.told(offer)
		p.must(len(told) == 1, "the business was told %d times", len(told))
		for _, what := range []string{"kim@example.com", "Kim Doe", "quote", request["session_id"].(string)} {
			p.expect(strings.Contains(told[0]["text"].(string), what), "the business was not told of %s: %v", what,
				told[0]["text"])
		}
		entries := p.at.ledger("bind", request["session_id"].(string))
		p.must(len(entries) == 1, "the ledger has %d binds", len(entries))
		entry := string(text(entries[0]))
		p.expect(strings.Contains(entry, "email") && strings.Contains(entry, "asserted") &&
			!strings.Contains(entry, "kim@example.com"), "the entry is %s", entry)
	}},
	unbound(49, "an unknown offer", 404, "OFFER_NOT_FOUND", set("offer_id", uuid()), set("offer_id", "x"),
		set("offer_id", strings.Repeat("x", 1000))),
	unbound(50, "another session", 404, "OFFER_NOT_FOUND", set("session_id", uuid())),
	unbound(51, "another agent", 404, "OFFER_NOT_FOUND", set("agent.id", "agent-2")),
	{52, "an offer that has expired", func(p *probe) {
		request, offer := p.offer("brief", set("intake_data", object{}))
		expires, err := time.Parse(time.RFC3339, offer["expires"].(string))
		p.must(err == nil, "it expires at %v", offer["expires"])
		incomplete := set("bind_data", object{}) // which binds nothing before
		for deadline := time.Now().Add(30 * time.Second); ; {
			began := time.Now()
			r := p.bind("brief", request, offer, incomplete)
			if !began.Before(expires) {
				p.refused(r, 410, "OFFER_EXPIRED")
				break
			}
			if time.Now().Before(expires) {
				p.refused(r, 400, "BIND_INCOMPLETE")
			}
			p.must(len(p.faults) == 0 && time.Now().Before(deadline), "it never expires")
			<-time.After(100 * time.Millisecond)
		}
		p.refused(p.bind("brief", request, offer, set("bind_data", object{"email": "kim@example.com"})), 410,
			"OFFER_EXPIRED")
		p.refused(p.bind("brief", request, offer, set("session_id", uuid())), 404, "OFFER_NOT_FOUND")
	}},
	unbound(53, "no consent to bind", 400, "INVALID_INPUT", set("agent.consent_scope", []any{"intake", "offer"}),
		set("agent.consent_scope", []any{})),
	{54, "a field that is missing", func(p *probe) {
		request, offer := p.offer("quote")
		r := p.bind("quote", request, offer, set("bind_data", object{"email": "kim.marker54@example.com"}))
		p.refused(r, 400, "BIND_INCOMPLETE")
		p.expect(bytes.Contains(r.raw, []byte("full_name")) && !bytes.Contains(r.raw, []byte("marker54")),
			"it names not the field alone: %s", clip(r.raw))
		p.refused(p.bind("quote", request, offer, set("bind_data", object{})), 400, "BIND_INCOMPLETE")
		p.refused(p.bind("quote", request, offer, set("bind_data", nil)), 400, "BIND_INCOMPLETE")
		p.bound(p.bind("quote", request, offer), request, offer)
	}},
	unbound(55, "a field that is empty", 400, "BIND_INCOMPLETE", set("bind_data.email", ""),
		set("bind_data.email", nil), set("bind_data.full_name", "  "),
		func(o object) { o["bind_data"].(object)["full_name"] = nil }),
	unbound(56, "no e-mail address", 400, "INVALID_INPUT", set("bind_data.email", "kim at example"),
		set("bind_data.email", 7)),
	{57, "a field that nobody asked for", func(p *probe) {
		request, offer := p.offer("quote")
		p.bound(p.bind("quote", request, offer, set("bind_data.shoe_size", "marker57")), request, offer)
		told := p.told(offer)
		p.must(len(told) == 1, "the business was told %d times", len(told))
		p.expect(!strings.Contains(told[0]["text"].(string), "marker57"), "it was passed on: %v", told[0]["text"])
		p.expect(!strings.Contains(p.at.exported(offer["id"].(string)), "marker57"), "it was kept")
	}},
	{58, "a version in a bind", func(p *probe) { p.lenient(set("aip_version", "0.1.0")) }},
	{59, "the agent's platform in a bind",
		func(p *probe) { p.lenient(set("agent.platform", "anthropic"), set("agent.name", "Claude")) }},
	{60, "the same bind again", func(p *probe) {
		request, offer := p.offer("quote")
		first := p.bind("quote", request, offer)
		p.bound(first, request, offer)
		p.expect(len(p.told(offer)) == 1, "the business was not told once")
		for range 3 {
			again := p.bind("quote", request, offer)
			p.expect(again.status == 200 && bytes.Equal(again.raw, first.raw), "the answer is another: %s",
				clip(again.raw))
		}
		p.fence()
		p.expect(len(p.told(offer)) == 1, "the business was told again")
		p.expect(len(p.at.ledger("bind", request["session_id"].(string))) == 1, "the ledger has it not once")
	}},
	{61, "another bind of the offer", func(p *probe) {
		request, offer := p.offer("quote")
		p.bound(p.bind("quote", request, offer), request, offer)
		p.refused(p.bind("quote", request, offer, set("bind_data.email", "other@example.com")), 409,
			"OFFER_ALREADY_BOUND")
		p.fence()
		p.expect(len(p.told(offer)) == 1, "the business was told of both")
	}},
	{62, "two at the same time", func(p *probe) {
		request, offer := p.offer("quote")
		body := acceptance(request, offer)
		replies := make([]reply, 16)
		var all sync.WaitGroup
		for i := range replies {
			all.Go(func() {
				alone := &probe{at: p.at}
				defer func() { _ = recover() }()
				replies[i] = alone.send(
					message{method: "POST", url: p.at.base + "/intake/quote/bind", body: text(body)})
			})
		}
		all.Wait()
		for _, r := range replies {
			p.expect(r.status == 200 && bytes.Equal(r.raw, replies[0].raw), "status %d: %s", r.status, clip(r.raw))
		}
		p.fence()
		told := p.told(offer)
		p.expect(len(told) == 1, "the business was told %d times", len(told))
		p.expect(len(p.at.ledger("bind", request["session_id"].(string))) == 1, "the ledger has it not once")
	}},
	{63, "an offer that cannot be accepted", func(p *probe) {
		request, offer := p.offer("calculator", set("intake_data", object{"days": 3}))
		for _, intake := range []string{"calculator", "quote"} {
			p.refused(p.bind(intake, request, offer), 404, "OFFER_NOT_FOUND")
		}
		request, offer = p.offer("quote")
		p.refused(p.bind("forgetful", request, offer), 404, "OFFER_NOT_FOUND") // at another intake
		p.bound(p.bind("quote", request, offer), request, offer)
	}},
	{64, "nothing personal is told elsewhere", func(p *probe) {
		request, offer := p.offer("quote", set("intake_data.note", "marker64a"))
		p.refused(p.bind("quote", request, offer, set("bind_data.email", "marker64b at example")), 400, "INVALID_INPUT")
		p.refused(p.bind("quote", request, offer, set("bind_data.full_name", ""),
			set("bind_data.email", "marker64c@example.com")), 400, "BIND_INCOMPLETE")
		r := p.bind("quote", request, offer, set("bind_data.email", "marker64d@example.com"))
		p.bound(r, request, offer)
		p.refused(p.bind("quote", request, offer, set("bind_data.email", "marker64e@example.com")), 409,
			"OFFER_ALREADY_BOUND")
		p.expect(strings.Contains(p.told(offer)[0]["text"].(string), "marker64d"),
			"the business was told something else")
		told := p.at.everything()
		p.must(strings.Contains(told, "/intake/") && strings.Contains(told, "frontdesk_"),
			"log and figures tell nothing of intakes: %s", clip([]byte(told)))
		if at := strings.Index(told, "marker64"); at >= 0 {
			p.expect(false, "it is told: %s", told[max(0, at-200):at+50])
		}
		p.expect(len(p.at.stored("marker64")) == 0, "it is stored in clear in %v", p.at.stored("marker64"))
	}},
	{65, "what is kept, and how long", func(p *probe) {
		request, offer := p.offer("quote", set("intake_data.note", "marker65a"))
		p.expect(strings.Contains(p.at.exported(request["session_id"].(string)), "marker65a"),
			"what is kept until it is bound is not there: %s", p.at.exported(request["session_id"].(string)))
		p.bound(p.bind("quote", request, offer), request, offer)
		p.expect(len(p.told(offer)) == 1, "the business was not told")
		for deadline := time.Now().
			Add(30 * time.Second); strings.Contains(p.at.exported(request["session_id"].(string)), "marker65a"); {
			p.must(len(p.faults) == 0 && time.Now().Before(deadline),
				"what is kept until it is bound is there afterwards")
		}
		forgotten, _ := p.offer("forgetful", set("intake_data", object{"note": "marker65b"}))
		out := p.at.exported(forgotten["session_id"].(string))
		p.expect(strings.Contains(out, "forgetful") && !strings.Contains(out, "marker65b"),
			"what is not kept is there: %s", out)
		for _, marker := range []string{"marker65a", "marker65b"} {
			p.expect(len(p.at.stored(marker)) == 0, "it is stored in clear in %v", p.at.stored(marker))
		}
	}},
	{66, "a restart between", func(p *probe) {
		var request, offer object
		p.at.killed(func(base string) {
			p.at.base = base
			request, offer = p.offer("quote")
		}, func(base string) {
			p.at.base = base
			p.bound(p.bind("quote", request, offer), request, offer)
			p.expect(len(p.told(offer)) == 1, "the business was not told once")
		})
	}},
}

// fence waits until the business was told of all that was accepted before: it is told in the order
// of acceptance.
func (p *probe) fence() {
	request, offer := p.offer("quote")
	p.bound(p.bind("quote", request, offer), request, offer)
	p.must(len(p.told(offer)) > 0, "the business was told nothing")
}

// lenient holds that a bind with more than the schema has is refused, and taken where it is to be.
func (p *probe) lenient(changes ...func(object)) {
	request, offer := p.offer("quote")
	for _, change := range changes {
		p.refused(p.bind("quote", request, offer, change), 400, "INVALID_INPUT")
	}
	p.at.base = p.at.lenient
	request, offer = p.offer("quote")
	p.bound(p.bind("quote", request, offer, changes...), request, offer)
}
