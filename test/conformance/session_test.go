package conformance

import (
	"net/http"
	"reflect"
	"strings"
)

// sessionRows are about filters that are not known, what a request says of itself, and what an item says to a model:
// nothing of it changes what is answered.
var sessionRows = []row{
	{37, "an unknown filter is no error", func(p *probe) {
		r := p.ask(query("supper", "personalized", true))
		p.expectSame(r, supper)
	}},
	{38, "an unknown filter that is an object is no error", func(p *probe) {
		r := p.ask(query("supper", "wishes", object{"a": []any{1, object{"b": nil}}}, "mood", []string{"x"}))
		p.expectSame(r, supper)
	}},
	{79, "an answer has a session, whole and streamed", func(p *probe) {
		for _, meta := range []object{{}, {"session_context": object{"conversation_id": "c-1", "step": 2}}} {
			p.session(p.ask(query("supper", "meta", meta)).meta("session_context"), meta)
			s := p.streamAsk(query("supper", "meta", meta, "prefer", object{"streaming": true}))
			p.must(len(s.events) > 0, "no event")
			p.session(metaOf(s.events[len(s.events)-1])["session_context"], meta)
		}
		first, second := p.ask(supper), p.ask(supper)
		p.expect(!reflect.DeepEqual(first.meta("session_context"), second.meta("session_context")), "two conversations are one: %v", first.meta("session_context"))
	}},
	{80, "a conversation keeps its id", func(p *probe) {
		for _, id := range []string{"conv_98765", "ü/\"7"} {
			r := p.ask(query("supper", "meta", object{"session_context": object{"conversation_id": id}}))
			p.answer(r)
			session, _ := r.meta("session_context").(object)
			p.expect(session["conversation_id"] == id, "session_context is %v", r.meta("session_context"))
			lost := p.ask(query("zzyzx qwrtp", "meta", object{"session_context": object{"conversation_id": id}}))
			p.failure(lost, http.StatusOK, "NO_RESULTS")
		}
	}},
	{81, "a session of any keys and any size", func(p *probe) {
		r := p.ask(query("supper", "meta", object{"session_context": object{"conversation_id": "c", "mine": []any{1.5, "x", nil}}}))
		p.answer(r)
		session, _ := r.meta("session_context").(object)
		p.expect(text(session["mine"]) == `[1.5,"x",null]`, "unknown keys come back as %v", session)
		r = p.ask(query("supper", "meta", object{"session_context": object{"conversation_id": "c", "blob": strings.Repeat("x", 100_000)}}))
		p.must(r.status < 500 && r.body != nil, "status %d: %s", r.status, clip(r.raw))
		p.expect(len(r.raw) < 100_000, "a session of 100 kB comes back")
		p.expect(r.meta("response_type") == "failure" || strings.Contains(text(r.meta("ignored")), "session_context"), "nothing tells that the session was dropped: %s", clip(r.raw))
	}},
	{82, "a session never sees another's turns", func(p *probe) {
		remember := func(question, conversation string) {
			p.answer(p.ask(query(question, "meta", object{"remember": true, "session_context": object{"conversation_id": conversation}})))
		}
		remember("salmon curry", "c-one")
		remember("tofu pie", "c-two")
		follow := p.ask(query("supper", "meta", object{"session_context": object{"conversation_id": "c-three"}}))
		p.expectSame(follow, supper)
	}},
	{83, "a user is a text or a person", func(p *probe) {
		for _, user := range []any{"user_12345", object{"@type": "Person", "@context": "https://schema.org", "identifier": "user_12345", "name": "Jane Smith"}} {
			p.expectSame(p.ask(query("supper", "meta", object{"user": user})), supper)
		}
		p.failure(p.ask(query("supper", "meta", object{"user": 7})), http.StatusBadRequest, "INVALID_QUERY")
	}},
	{84, "a name that anybody can give opens nothing", func(p *probe) {
		p.answer(p.ask(query("mushroom tacos", "meta", object{"user": "jane", "remember": true})))
		p.expectSame(p.ask(query("supper", "meta", object{"user": "jane"})), supper)
		p.on(p.at.closed, func() {
			p.answer(p.ask(query("beef stew", "meta", object{"user": "jane", "remember": true}), "X-API-Key", p.at.key))
		})
		p.expectSame(p.ask(query("supper", "meta", object{"user": "jane"})), supper)
	}},
	{85, "what is not to be remembered is not", func(p *probe) {
		meta := object{"remember": false, "user": "jane", "session_context": object{"conversation_id": "c-four"}}
		p.answer(p.ask(query("lentil soup", "meta", meta)))
		r := p.ask(query("supper", "meta", object{"user": "jane", "session_context": object{"conversation_id": "c-four"}}))
		p.expectSame(r, supper)
		p.expect(!strings.Contains(text(r.body["_meta"]), "lentil"), "_meta tells of what was not to be remembered: %v", r.body["_meta"])
	}},
	{113, "orders in an item are data", func(p *probe) {
		before := p.answer(p.ask(supper))
		r := p.ask(query("obedient supper", "prefer", object{"mode": "list, summarize"}))
		items := p.answer(r)
		p.expectSummarized(items)
		summary := str(summaries(items)[0]["text"])
		p.expect(strings.Contains(summary, "Obedient supper"), "the summary is %q", summary)
		p.expect(items[1]["name"] == "Obedient supper" && items[1]["description"] == orders, "the item comes as %v", items[1])
		for _, secret := range []string{"listen", "sqlite", "frontdesk.yaml"} {
			p.expect(!strings.Contains(string(r.raw), secret), "the answer tells of the configuration: %s", clip(r.raw))
		}
		p.expect(reflect.DeepEqual(before, p.answer(p.ask(supper))), "another question is answered otherwise after the item was found")
	}},
}

// session holds that a session is one to go on with, and has what the request's own had.
func (p *probe) session(got any, meta object) {
	session, _ := got.(object)
	id, state := str(session["conversation_id"]), str(session["state_token"])
	p.expect(id != "" && state != "" && len(state) <= 4096, "session_context is %v", got)
	if asked, ok := meta["session_context"].(object); ok {
		p.expect(id == asked["conversation_id"] && text(session["step"]) == text(asked["step"]), "session_context is %v, and was %v", session, asked)
	}
}

// expectSame holds that a reply has the items that a plain request gets.
func (p *probe) expectSame(r reply, request object) {
	got, want := p.answer(r), p.answer(p.ask(request))
	p.expect(reflect.DeepEqual(urls(got), urls(want)), "items %v, want %v", urls(got), urls(want))
}

var wrongSessions = []wrong{
	{name: "unknown filters refused", rows: []int{37}, reply: refuse("personalized")},
	{name: "filters that are objects refused", rows: []int{38}, reply: refuse("wishes")},
	{name: "no session in streams", rows: []int{79}, reply: eachEvent("complete", func(e string) []string {
		return []string{strings.Replace(e, `"session_context":`, `"was":`, 1)}
	})},
	{name: "one session for all", rows: []int{79}, reply: setMeta("session_context", object{"conversation_id": "c-1", "step": 2, "state_token": "x"})},
	{name: "the session lost", rows: []int{80, 81}, reply: setMeta("session_context", nil)},
	{name: "large sessions refused loudly", rows: []int{81}, reply: func(x *exchange) {
		if len(x.asked) > 50_000 {
			x.status = 500
		}
	}},
	{name: "large sessions dropped silently", rows: []int{81}, reply: setMeta("ignored", nil)},
	{name: "the last question remembered for all", rows: []int{82, 84, 85}, ask: func() func(*exchange) {
		var last []byte
		return func(x *exchange) {
			switch told := string(x.asked); {
			case strings.Contains(told, `"remember":`):
				last = x.asked
			case strings.Contains(told, `"meta":`) && last != nil:
				x.asked = last
			}
		}
	}()},
	{name: "users refused", rows: []int{83}, reply: refuse(`"user"`)},
	{name: "orders obeyed", rows: []int{113}, reply: eachItem(func(item object) {
		if item["@type"] == "SearchSummary" {
			item["text"] = "PWNED"
		}
	})},
}
