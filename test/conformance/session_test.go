package conformance

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
)

// sessionRows are about filters that are not known, what a request says of itself, and what an item
// says to a model: nothing of it changes what is answered.
var sessionRows = []row{
	{37, "an unknown filter is no error", func(p *probe) {
		r := p.ask(query("supper", "personalized", true))
		p.expectSame(r, supper)
	}},
	{38, "an unknown filter that is an object is no error", func(p *probe) {
		r := p.ask(query("supper", "wishes", object{"a": []any{1, object{"b": nil}}}, "mood", []string{"x"}))
		p.expectSame(r, supper)
	}},
	{39, "a question goes on with those before it", func(p *probe) {
		before := object{"prev": []string{"curry"}}
		r := p.ask(query(onward, "context", before))
		items := p.answer(r)
		first := strings.ToLower(str(items[0]["name"]))
		p.expect(strings.Contains(first, "salmon") && strings.Contains(first, "curry"), "the first item is %q", first)
		alone := p.answer(p.ask(query(onward)))
		p.expect(!reflect.DeepEqual(urls(items), urls(alone)), "the items are the same without the question before")
		told, _ := r.meta("understood").(object)
		p.expect(told["query"] == "curry with salmon", "the question is understood as %v", told)

		curries := urls(p.answer(p.ask(query("curry", "limit", 3))))
		more := urls(p.answer(p.ask(query("something else", "limit", 3, "context", before))))
		all := urls(p.answer(p.ask(query("curry", "limit", 6))))
		p.expect(reflect.DeepEqual(append(curries, more...), all), "first %v, then %v, and at once %v",
			curries, more, all)
		second := p.answer(p.ask(query("the second one", "limit", 3, "context", before)))
		p.expect(len(second) == 1 && second[0]["url"] == curries[1], "the second one is %v, want %v",
			urls(second), curries[1])
		p.failure(p.ask(query("number 40", "context", before)), http.StatusOK, "NO_RESULTS")
		p.expectSame(p.ask(query("supper", "context", before)), supper) // which is something else
		p.expectSame(p.ask(query("start over: supper", "context", before)), supper)
	}},
	{40, "what is known of a person holds", func(p *probe) {
		for _, context := range []any{
			object{"memory": "vegetarian, has a sweet tooth"},
			object{"memory": []string{"has a sweet tooth", "vegetarian"}},
			object{"@type": "UserDiet", "restrictions": []string{"vegetarian"}},
		} {
			r := p.ask(query("curry", "context", context, "limit", 5))
			for _, item := range p.answer(r) {
				name := strings.ToLower(str(item["name"]))
				p.expect(!strings.Contains(name, "chicken") && !strings.Contains(name, "beef"),
					"%q for a vegetarian", name)
			}
			p.expect(strings.Contains(text(r.meta("understood")), `"from":"memory"`),
				"nothing tells that the diet was heeded: %v", r.meta("understood"))
		}
	}},
	{41, "a memory is a text or several", func(p *probe) {
		for _, memory := range []any{"likes lentil", []string{"likes lentil", "has a pan"}} {
			items := p.answer(p.ask(query("soup", "context", object{"memory": memory})))
			p.expect(strings.Contains(strings.ToLower(str(items[0]["name"])), "soup"), "the first item is %v",
				items[0]["name"])
		}
	}},
	{42, "a context of another type is read by its names, and its definition never fetched", func(p *probe) {
		var fetched atomic.Int64
		elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { fetched.Add(1) }))
		defer elsewhere.Close()
		r := p.ask(query("soup", "context", []object{
			{"@type": "UserDiet", "@context": elsewhere.URL + "/diet",
				"restrictions": []string{"vegetarian", "nut-free"}, "shoe_size": 43},
			{"@type": "https://elsewhere.example/Mood", "mood": object{"a": []any{1, nil}}},
		}))
		p.answer(r)
		ignored := text(r.meta("ignored"))
		p.expect(strings.Contains(ignored, `"/context/0/shoe_size"`) && strings.Contains(ignored, `"/context/1/mood"`), "ignored are %s", ignored)
		p.expect(!strings.Contains(ignored, "restrictions"), "ignored are %s", ignored)
		p.expect(fetched.Load() == 0, "the definition of the context was fetched")
	}},
	{43, "an earlier question may stand alone", func(p *probe) {
		p.expectSame(p.ask(query(onward, "context", object{"prev": "curry"})),
			query(onward, "context", object{"prev": []string{"curry"}}))
		p.failure(p.ask(query(onward, "context", object{"prev": 5})), http.StatusBadRequest, "INVALID_QUERY")
	}},
	{79, "an answer has a session, whole and streamed", func(p *probe) {
		for _, meta := range []object{{}, {"session_context": object{"conversation_id": "c-1", "step": 2}}} {
			p.session(p.ask(query("supper", "meta", meta)).meta("session_context"), meta)
			s := p.streamAsk(query("supper", "meta", meta, "prefer", object{"streaming": true}))
			p.must(len(s.events) > 0, "no event")
			p.session(metaOf(s.events[len(s.events)-1])["session_context"], meta)
		}
		first, second := p.ask(supper), p.ask(supper)
		p.expect(!reflect.DeepEqual(first.meta("session_context"), second.meta("session_context")),
			"two conversations are one: %v", first.meta("session_context"))
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
		r := p.ask(query("supper", "meta",
			object{"session_context": object{"conversation_id": "c", "mine": []any{1.5, "x", nil}}}))
		p.answer(r)
		session, _ := r.meta("session_context").(object)
		p.expect(text(session["mine"]) == `[1.5,"x",null]`, "unknown keys come back as %v", session)
		r = p.ask(query("supper", "meta",
			object{"session_context": object{"conversation_id": "c", "blob": strings.Repeat("x", 100_000)}}))
		p.must(r.status < 500 && r.body != nil, "status %d: %s", r.status, clip(r.raw))
		p.expect(len(r.raw) < 100_000, "a session of 100 kB comes back")
		p.expect(r.meta("response_type") == "failure" || strings.Contains(text(r.meta("ignored")), "session_context"),
			"nothing tells that the session was dropped: %s", clip(r.raw))
	}},
	{82, "a session has its own turns and never sees another's", func(p *probe) {
		for _, remember := range []any{true, nil} {
			meta := object{"session_context": object{"conversation_id": "c-one"}}
			if remember != nil {
				meta["remember"] = remember
			}
			asked := p.ask(query("curry", "meta", meta))
			p.answer(asked)
			p.expectFollows(object{"session_context": asked.meta("session_context")}, "curry")
			p.answer(p.ask(query("soup", "meta",
				object{"remember": true, "session_context": object{"conversation_id": "c-two"}})))
			p.expectForgotten(object{"session_context": object{"conversation_id": "c-one"}}) // which anybody could know
			p.expectForgotten(object{"session_context": object{"conversation_id": "c-two",
				"state_token": asked.session()["state_token"]}})
			p.expectForgotten(object{})
		}
	}},
	{83, "a user is a text or a person", func(p *probe) {
		for _, user := range []any{"user_12345", object{"@type": "Person", "@context": "https://schema.org",
			"identifier": "user_12345", "name": "Jane Smith"}} {
			p.expectSame(p.ask(query("supper", "meta", object{"user": user})), supper)
		}
		p.failure(p.ask(query("supper", "meta", object{"user": 7})), http.StatusBadRequest, "INVALID_QUERY")
	}},
	{84, "a name that anybody can give opens nothing", func(p *probe) {
		meta := func(user string) object {
			return object{"user": user, "session_context": object{"conversation_id": "c-84"}}
		}
		remembered := meta("jane")
		remembered["remember"] = true
		p.on(p.at.closed, func() {
			p.answer(p.ask(query("stew", "meta", remembered), "X-API-Key", p.at.key))
			p.expectFollows(meta("jane"), "stew", "X-API-Key", p.at.key)
			p.expectForgotten(meta("joan"), "X-API-Key", p.at.key)
			p.expectForgotten(meta("jane"), "X-API-Key", p.at.other)
		})
		p.answer(p.ask(query("stew", "meta", remembered)))
		p.expectForgotten(meta("jane"))
	}},
	{85, "what is not to be remembered is not, and what is to be forgotten is", func(p *probe) {
		meta := object{"remember": false, "user": "jane", "session_context": object{"conversation_id": "c-four"}}
		asked := p.ask(query("lentil soup", "meta", meta))
		p.answer(asked)
		p.expectForgotten(object{"user": "jane", "session_context": asked.meta("session_context")})
		r := p.ask(query("supper", "meta",
			object{"user": "jane", "session_context": object{"conversation_id": "c-four"}}))
		p.expectSame(r, supper)
		p.expect(!strings.Contains(text(r.body["_meta"]), "lentil"), "_meta tells of what was not to be remembered: %v",
			r.body["_meta"])

		asked = p.ask(query("curry", "meta",
			object{"remember": true, "session_context": object{"conversation_id": "c-85"}}))
		session, state := object{"session_context": asked.meta("session_context")}, str(asked.session()["state_token"])
		p.expectFollows(session, "curry")
		p.failure(p.send("DELETE", "/sessions/c-85", ""), http.StatusForbidden, "FORBIDDEN")
		p.failure(p.send("DELETE", "/sessions/c-86", "", "Session-State", state), http.StatusForbidden, "FORBIDDEN")
		p.expectFollows(session, "curry")
		for range 2 {
			gone := p.send("DELETE", "/sessions/c-85", "", "Session-State", state)
			p.expect(gone.status == http.StatusNoContent && len(gone.raw) == 0, "status %d: %s", gone.status,
				clip(gone.raw))
		}
		p.expectForgotten(session)
	}},
	{113, "orders in an item are data", func(p *probe) {
		before := p.answer(p.ask(supper))
		r := p.ask(query("obedient supper", "prefer", object{"mode": "list, summarize"}))
		items := p.answer(r)
		p.expectSummarized(items)
		summary := str(summaries(items)[0]["text"])
		p.expect(strings.Contains(summary, "Obedient supper"), "the summary is %q", summary)
		p.expect(items[1]["name"] == "Obedient supper" && items[1]["description"] == orders,
			"the item comes as %v", items[1])
		for _, secret := range []string{"listen", "sqlite", "frontdesk.yaml"} {
			p.expect(!strings.Contains(string(r.raw), secret), "the answer tells of the configuration: %s", clip(r.raw))
		}
		p.expect(reflect.DeepEqual(before, p.answer(p.ask(supper))),
			"another question is answered otherwise after the item was found")
	}},
}

// session holds that a session is one to go on with, and has what the request's own had.
func (p *probe) session(got any, meta object) {
	session, _ := got.(object)
	id, state := str(session["conversation_id"]), str(session["state_token"])
	p.expect(id != "" && state != "" && len(state) <= 4096, "session_context is %v", got)
	if asked, ok := meta["session_context"].(object); ok {
		p.expect(id == asked["conversation_id"] && text(session["step"]) == text(asked["step"]),
			"session_context is %v, and was %v", session, asked)
	}
}

// session is the session_context of an answer.
func (r reply) session() object {
	session, _ := r.meta("session_context").(object)
	return session
}

// onward is a question that says little by itself.
const onward = "with salmon"

// expectFollows holds that a question of a session goes on with another: like one that comes with
// it.
func (p *probe) expectFollows(meta object, earlier string, headers ...string) {
	r := p.ask(query(onward, "meta", meta), headers...)
	items := p.answer(r)
	told, _ := r.meta("understood").(object)
	p.expect(strings.Contains(str(told["query"]), earlier), "the question is understood as %v, want one about %s",
		told, earlier)
	want := p.answer(p.ask(query(onward, "context", object{"prev": []string{earlier}}), headers...))
	p.expect(reflect.DeepEqual(urls(items), urls(want)), "items %v, want %v", urls(items), urls(want))
}

// expectForgotten holds that a question of a session is answered as if it were the first.
func (p *probe) expectForgotten(meta object, headers ...string) {
	r := p.ask(query(onward, "meta", meta), headers...)
	items := p.answer(r)
	want := p.answer(p.ask(query(onward), headers...))
	p.expect(reflect.DeepEqual(urls(items), urls(want)), "items %v, want %v", urls(items), urls(want))
	told, _ := r.meta("understood").(object)
	p.expect(told["query"] == nil, "the question is understood as %v", told)
}

// expectSame holds that a reply has the items that a plain request gets.
func (p *probe) expectSame(r reply, request object) {
	got, want := p.answer(r), p.answer(p.ask(request))
	p.expect(reflect.DeepEqual(urls(got), urls(want)), "items %v, want %v", urls(got), urls(want))
}

var wrongSessions = []wrong{
	{name: "contexts not heeded", rows: []int{39, 40, 42, 43, 82, 84, 85},
		ask: func(x *exchange) { x.asked = bytes.ReplaceAll(x.asked, []byte(`"context":`), []byte(`"was":`)) }},
	{name: "memories refused", rows: []int{41}, reply: refuse(`"memory"`)},
	{name: "definitions fetched", rows: []int{42}, ask: func(x *exchange) {
		if _, rest, ok := strings.Cut(string(x.asked), `"@context":"`); ok {
			address, _, _ := strings.Cut(rest, `"`)
			if response, err := client.Get(address); err == nil {
				response.Body.Close()
			}
		}
	}},
	{name: "an earlier question alone refused", rows: []int{43}, reply: refuse(`"prev":"`)},
	{name: "sessions not heeded", rows: []int{80, 82, 84, 85}, ask: func(x *exchange) {
		x.asked = bytes.ReplaceAll(x.asked, []byte(`"session_context":`), []byte(`"was":`))
	}},
	{name: "nothing forgotten", rows: []int{85}, ask: func(x *exchange) {
		if x.request.Method == "DELETE" {
			x.request.URL.Path = "/sessions/other"
		}
	}, reply: func(x *exchange) {
		if x.request.Method == "DELETE" {
			x.status, x.body = 204, nil
		}
	}},
	{name: "users not told apart", rows: []int{84}, ask: drop("meta", "user")},
	{name: "unknown filters refused", rows: []int{37}, reply: refuse("personalized")},
	{name: "filters that are objects refused", rows: []int{38}, reply: refuse("wishes")},
	{name: "no session in streams", rows: []int{79}, reply: eachEvent("complete", func(e string) []string {
		return []string{strings.Replace(e, `"session_context":`, `"was":`, 1)}
	})},
	{name: "one session for all", rows: []int{79},
		reply: setMeta("session_context", object{"conversation_id": "c-1", "step": 2, "state_token": "x"})},
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
