package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Questions of the two classes that the fixture makes slow: one takes longer than any test, one
// takes a moment.
var (
	leisurely = query("a quick supper at leisure")
	soon      = query("a quick supper in a while", "limit", 5)
)

// promised holds that a reply is a promise, and returns it.
func (p *probe) promised(r reply) object {
	p.must(r.status == http.StatusAccepted, "status %d, want 202: %s", r.status, clip(r.raw))
	p.expect(isType(r.header, "application/json"), "content type %q, want application/json",
		r.header.Get("Content-Type"))
	p.must(r.body != nil, "the body is not one JSON object: %s", clip(r.raw))
	return p.promiseIn(r.body)
}

// promiseIn holds that an NLWeb object is a promise, and returns it.
func (p *probe) promiseIn(body object) object {
	meta, _ := body["_meta"].(object)
	p.expect(meta["response_type"] == "promise" && meta["version"] == "0.55", "_meta is %v", meta)
	promise, ok := body["promise"].(object)
	p.must(ok, "there is no promise: %v", body)
	p.must(str(promise["token"]) != "", "the promise has no token: %v", promise)
	for _, name := range []string{"results", "structuredData", "error", "elicitation"} {
		_, there := body[name]
		p.expect(!there, "a promise carries %s", name)
	}
	if estimate, there := promise["estimated_time"]; there {
		seconds, ok := estimate.(float64)
		p.expect(ok && seconds >= 0 && seconds == float64(int(seconds)), "estimated_time is %v", estimate)
	}
	if progress, there := promise["progress"]; there {
		part, ok := progress.(float64)
		p.expect(ok && part >= 0 && part <= 1, "progress is %v", progress)
	}
	if message, there := promise["message"]; there {
		p.expect(str(message) != "", "message is %v", message)
	}
	return promise
}

func (p *probe) await(token, action string, headers ...string) reply {
	return p.send("POST", "/await", text(object{"promise_token": token, "action": action}), headers...)
}

// kept checks on a promise until it is one no more, and holds that it makes progress on the way.
func (p *probe) kept(token string, headers ...string) reply {
	last := 0.0
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		r := p.await(token, "checkin", headers...)
		if r.status != http.StatusAccepted {
			return r
		}
		promise := p.promised(r)
		p.must(promise["token"] == token, "the token has changed to %v", promise["token"])
		if progress, ok := promise["progress"].(float64); ok {
			p.must(progress >= last, "the progress falls from %g to %g", last, progress)
			last = progress
		}
		<-time.After(20 * time.Millisecond)
	}
	p.must(false, "the promise is not kept within 20 seconds")
	return reply{}
}

// callAwait uses the tool await, and returns the result and the NLWeb object in its last text part.
func (p *probe) callAwait(token, action string) (result, answer object) {
	return p.callTool("await", object{"promise_token": token, "action": action})
}

// cancelled holds that a promise is cancelled; it is how rows leave no work behind.
func (p *probe) cancelled(token string, headers ...string) {
	p.failure(p.await(token, "cancel", headers...), http.StatusOK, "CANCELLED")
}

// promiseRows are about answers for later (NLWeb 0.55 §4.1.2, §4.2).
var promiseRows = []row{
	{93, "work that takes long is promised", func(p *probe) {
		token := str(p.promised(p.ask(leisurely))["token"])
		p.cancelled(token)
		// The type of the response precedes its first byte, so that a promise is no stream.
		streamed := p.ask(query("a supper at leisure", "prefer", object{"streaming": true}), "Accept",
			"text/event-stream")
		p.cancelled(str(p.promised(streamed)["token"]))
		p.answer(p.ask(supper)) // which takes no time and is not promised
	}},
	{94, "a promise tells how far it is", func(p *probe) {
		promise := p.promised(p.ask(leisurely))
		seconds, ok := promise["estimated_time"].(float64)
		p.expect(ok && seconds > 3000 && seconds <= 3600, "estimated_time is %v, of an hour", promise["estimated_time"])
		p.expect(promise["progress"] == 0.0, "progress is %v at the beginning", promise["progress"])
		p.expect(str(promise["message"]) != "", "there is no message")
		p.cancelled(str(promise["token"]))
		german := p.promised(p.ask(query("a supper at leisure", "prefer", object{"accept-language": "de"})))
		p.expect(strings.Contains(str(german["message"]), "Frage"), "the message in German is %v", german["message"])
		p.cancelled(str(german["token"]))
	}},
	{95, "checkin while it is worked on", func(p *probe) {
		session := object{"conversation_id": "c-95"}
		token := str(
			p.promised(p.ask(query("a supper at leisure", "meta", object{"session_context": session})))["token"])
		last := 0.0
		for range 5 {
			r := p.await(token, "checkin")
			promise := p.promised(r)
			p.expect(promise["token"] == token, "the token has changed to %v", promise["token"])
			progress, _ := promise["progress"].(float64)
			p.expect(progress >= last, "the progress falls from %g to %g", last, progress)
			last = progress
			got, _ := r.meta("session_context").(object)
			p.expect(got["conversation_id"] == "c-95", "session_context is %v", got)
		}
		p.cancelled(token)
	}},
	{96, "a promise is kept in the form that was asked for", func(p *probe) {
		now, later := query("a quick supper", "limit", 5), query("a quick supper in a while", "limit", 5)
		for _, prefer := range []object{
			nil, {"mode": "list, summarize"}, {"response_format": "chatgpt_app"}, {"streaming": true},
		} {
			now["prefer"], later["prefer"] = prefer, prefer
			r := p.kept(str(p.promised(p.ask(later))["token"]))
			p.must(r.status == http.StatusOK && r.meta("response_type") == "answer", "status %d: %s", r.status,
				clip(r.raw))
			p.expect(isType(r.header, "application/json"), "content type %q", r.header.Get("Content-Type"))
			format := "conversational_search"
			if asked := prefer["response_format"]; asked != nil {
				format = str(asked)
				items, ok := objects(r.body["structuredData"])
				content, has := objects(r.body["content"])
				p.expect(ok && has && len(items) == 5 && len(content) == 1, "structuredData %v, content %v", len(items),
					len(content))
			} else {
				items := p.answer(r)
				p.expect(len(items)-len(summaries(items)) == 5, "%d items", len(items))
				p.expect(len(summaries(items)) == 1 == (prefer["mode"] != nil), "%d summaries", len(summaries(items)))
			}
			p.expect(r.meta("response_format") == format, "response_format is %v, want %s",
				r.meta("response_format"), format)
			session, _ := r.meta("session_context").(object)
			p.expect(str(session["conversation_id"]) != "", "session_context is %v", session)
		}
		p.failure(p.kept(str(p.promised(p.ask(query("zzyzx qwrtp in a while qqq", "itemType", "Volcano")))["token"])),
			http.StatusOK, "NO_RESULTS")
	}},
	{97, "what is kept stays the same", func(p *probe) {
		token := str(p.promised(p.ask(soon))["token"])
		first := p.kept(token)
		p.answer(first)
		for range 3 {
			again := p.await(token, "checkin")
			p.expect(again.status == http.StatusOK && bytes.Equal(again.raw, first.raw), "the answer is now %s",
				clip(again.raw))
		}
	}},
	{98, "cancel ends the work", func(p *probe) {
		token := str(p.promised(p.ask(leisurely))["token"])
		p.failure(p.await(token, "cancel"), http.StatusOK, "CANCELLED")
	}},
	{99, "what is cancelled stays so", func(p *probe) {
		token := str(p.promised(p.ask(leisurely))["token"])
		for _, action := range []string{"cancel", "checkin", "cancel", "checkin"} {
			p.failure(p.await(token, action), http.StatusOK, "CANCELLED")
		}
	}},
	{100, "cancel comes too late", func(p *probe) {
		token := str(p.promised(p.ask(soon))["token"])
		want := p.answer(p.kept(token))
		for range 2 {
			p.expect(reflect.DeepEqual(p.answer(p.await(token, "cancel")), want), "the answer has changed")
		}
	}},
	{101, "tokens of others are told like those of nobody", func(p *probe) {
		said := map[string]bool{}
		unknown := func(r reply) {
			p.failure(r, http.StatusOK, "PROMISE_NOT_FOUND")
			fault, _ := r.body["error"].(object)
			said[str(fault["message"])+text(r.body["_meta"])] = true
		}
		for _, token := range []string{"x", "promise_AAAAAAAAAAAAAAAAAAAAAAAAAA"} {
			unknown(p.await(token, "checkin"))
			unknown(p.await(token, "cancel"))
		}
		p.on(p.at.closed, func() {
			token := str(p.promised(p.ask(leisurely, "X-API-Key", p.at.key))["token"])
			for _, action := range []string{"checkin", "cancel"} {
				unknown(p.await(token, action, "X-API-Key", p.at.other))
				unknown(p.await(token+"x", action, "X-API-Key", p.at.key))
			}
			p.promised(p.await(token, "checkin", "X-API-Key", p.at.key)) // which nobody else has cancelled
			p.expectRefused(p.await(token, "checkin"))
			p.cancelled(token, "Authorization", "Bearer "+p.at.key)
		})
		p.expect(len(said) == 1, "they are told apart: %v", said)
	}},
	{102, "await that cannot be meant", func(p *probe) {
		for _, body := range []any{
			object{"action": "checkin"}, object{"promise_token": "", "action": "checkin"}, object{"promise_token": "x"},
			object{"promise_token": "x", "action": "poll"},
			object{"promise_token": 7, "action": "checkin"}, object{"promise_token": "x", "action": []any{}}, object{},
			"[]", `"x"`, "{", object{"promise_token": "x", "action": "checkin", "meta": "x"},
		} {
			p.failure(p.send("POST", "/await", text(body)), http.StatusBadRequest, "INVALID_QUERY")
		}
		p.failure(p.send("PUT", "/await", "{}"), http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED")
	}},
	{103, "tokens cannot be guessed", func(p *probe) {
		seen, beginnings := map[string]bool{}, map[string]bool{}
		var mu sync.Mutex
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				own := &probe{base: p.base, at: p.at}
				for range 50 {
					r := own.ask(leisurely)
					promise, _ := r.body["promise"].(object)
					token := str(promise["token"])
					random := token[strings.LastIndexByte(token, '_')+1:]
					mu.Lock()
					seen[token] = true
					beginnings[random[:min(len(random), 13)]] = true
					mu.Unlock()
					// of 5 bits each
					p.expect(regexp.MustCompile(`^[A-Za-z0-9]{26,}$`).MatchString(random), "the token %q has less than 128 bits", token)
					own.await(token, "cancel")
				}
			})
		}
		all.Wait()
		p.expect(len(seen) == 1000, "%d tokens of 1000 are distinct", len(seen))
		p.expect(len(beginnings) == 1000, "%d of 1000 begin differently", len(beginnings))
	}},
	{104, "promises outlive a restart", func(p *probe) {
		var kept, running string
		var answer []byte
		p.at.restart(func(base string) {
			p.on(base, func() {
				kept = str(p.promised(p.ask(soon))["token"])
				answer = p.kept(kept).raw
				running = str(p.promised(p.ask(leisurely))["token"])
			})
		}, func(base string) {
			p.on(base, func() {
				p.answer(p.await(kept, "checkin"))
				p.expect(bytes.Equal(p.await(kept, "checkin").raw, answer), "the answer has changed")
				p.promised(p.await(running, "checkin"))
				p.cancelled(running)
			})
		})
	}},
	{125, "the schema of await is that of the protocol", func(p *probe) {
		tool := p.tool("await")
		p.expect(len([]rune(str(tool["description"]))) >= 20, "the description is %q", tool["description"])
		schema, _ := tool["inputSchema"].(object)
		p.expect(schema["type"] == "object" && contains(schema["required"], "promise_token") &&
			contains(schema["required"], "action"), "the schema requires %v", schema["required"])
		properties, _ := schema["properties"].(object)
		action, _ := properties["action"].(object)
		p.expect(reflect.DeepEqual(action["enum"], []any{"checkin", "cancel"}), "action is one of %v", action["enum"])
		token, _ := properties["promise_token"].(object)
		meta, _ := properties["meta"].(object)
		p.expect(token["type"] == "string" && meta["type"] == "object", "promise_token is of type %v, meta of %v",
			token["type"], meta["type"])
	}},
	{130, "tools/call ask promises", func(p *probe) {
		result, answer := p.callAsk(leisurely)
		promise := p.promiseIn(answer)
		p.expect(result["isError"] != true, "a promise is an error")
		meta, _ := result["_meta"].(object)
		p.expect(meta["response_type"] == "promise", "the result's _meta is %v", meta)
		p.cancelled(str(promise["token"]))
	}},
	{131, "tools/call await, and tokens from the one way in at the other", func(p *probe) {
		_, answer := p.callAsk(soon)
		token := str(p.promiseIn(answer)["token"])
		overHTTP := p.kept(token)
		p.answer(overHTTP)
		result, answer := p.callAwait(token, "checkin")
		p.expect(result["isError"] != true && reflect.DeepEqual(answer, overHTTP.body), "the tool gives %s",
			clip([]byte(text(answer))))

		token = str(p.promised(p.ask(leisurely))["token"])
		_, answer = p.callAwait(token, "checkin")
		p.expect(p.promiseIn(answer)["token"] == token, "the token has changed")
		for _, action := range []string{"cancel", "checkin", "cancel"} {
			_, answer = p.callAwait(token, action)
			fault, _ := answer["error"].(object)
			p.expect(fault["code"] == "CANCELLED", "%s gives %v", action, answer)
		}
		p.failure(p.await(token, "checkin"), http.StatusOK, "CANCELLED")

		result, answer = p.callAwait("promise_x", "checkin")
		fault, _ := answer["error"].(object)
		p.expect(result["isError"] == true && fault["code"] == "PROMISE_NOT_FOUND", "an unknown token gives %v", answer)
		result, answer = p.callAwait(token, "poll")
		fault, _ = answer["error"].(object)
		p.expect(result["isError"] == true && fault["code"] == "INVALID_QUERY", "an unknown action gives %v", answer)
	}},
}

// onPath limits what a wrong server does to requests for one address.
func onPath(path string, change func(*exchange)) func(*exchange) {
	return func(x *exchange) {
		if x.request.URL.Path == path {
			change(x)
		}
	}
}

// eachPromise edits the promise of an answer over HTTP.
func eachPromise(edit func(promise object)) func(*exchange) {
	return func(x *exchange) {
		change(x, func(body object) {
			if promise, ok := body["promise"].(object); ok {
				edit(promise)
			}
		})
	}
}

var wrongPromises = []wrong{
	{name: "promises with status 200", rows: []int{93, 94, 95, 98, 99}, reply: func(x *exchange) {
		if x.status == http.StatusAccepted {
			x.status = http.StatusOK
		}
	}},
	{name: "promises without a token", rows: []int{93},
		reply: eachPromise(func(promise object) { delete(promise, "token") })},
	{name: "promises of every question", rows: []int{93}, ask: func(x *exchange) {
		x.asked = bytes.Replace(x.asked, []byte(`"supper"`), []byte(`"supper at leisure"`), 1)
	}},
	{name: "progress as a text", rows: []int{94},
		reply: eachPromise(func(promise object) { promise["progress"] = "half" })},
	{name: "promises in English alone", rows: []int{94}, ask: drop("prefer", "accept-language")},
	{name: "progress that falls", rows: []int{95}, reply: func() func(*exchange) {
		var checks atomic.Int64
		return eachPromise(func(promise object) { promise["progress"] = 1 / float64(checks.Add(1)) })
	}()},
	{name: "another token at each checkin", rows: []int{95, 131}, reply: func() func(*exchange) {
		var checks atomic.Int64
		return onPath("/await", eachPromise(func(promise object) { promise["token"] = fmt.Sprint("t", checks.Add(1)) }))
	}()},
	{name: "promises in another form than was asked for", rows: []int{96}, ask: drop("prefer", "response_format")},
	{name: "promises in other words than were asked for", rows: []int{96}, ask: drop("prefer", "mode")},
	{name: "promised answers that change", rows: []int{97, 100, 104}, reply: func() func(*exchange) {
		var answers atomic.Int64
		return onPath("/await", eachItem(func(item object) { item["score"] = answers.Add(1) }))
	}()},
	{name: "cancel not heeded", rows: []int{98, 99},
		ask: func(x *exchange) { x.asked = bytes.Replace(x.asked, []byte("cancel"), []byte("checkin"), 1) }},
	{name: "cancelled work that goes on", rows: []int{99}, reply: onPath("/await", func(x *exchange) {
		if bytes.Contains(x.asked, []byte("checkin")) && bytes.Contains(x.body, []byte("CANCELLED")) {
			x.status, x.body = http.StatusAccepted, []byte(`{"_meta":{"response_type":"promise","version":"0.55"},"promise":{"token":"x"}}`)
		}
	})},
	{name: "a late cancel that breaks", rows: []int{100}, reply: onPath("/await", func(x *exchange) {
		if bytes.Contains(x.asked, []byte("cancel")) && bytes.Contains(x.body, []byte("results")) {
			x.status = http.StatusInternalServerError
		}
	})},
	{name: "tokens of others told apart", rows: []int{101}, reply: onPath("/await", func(x *exchange) {
		var asked object
		if json.Unmarshal(x.asked, &asked) == nil && len(str(asked["promise_token"])) == len("promise_")+26 &&
			bytes.Contains(x.body, []byte("PROMISE_NOT_FOUND")) {
			eachFailure(func(fault object) { fault["message"] = "This promise is somebody else's." })(x)
		}
	})},
	{name: "tokens for everybody", rows: []int{101}, ask: func() func(*exchange) {
		var key atomic.Value
		return func(x *exchange) {
			if x.request.URL.Path == "/ask" {
				key.Store(x.request.Header.Get("X-API-Key"))
			} else if first, ok := key.Load().(string); ok && first != "" {
				x.request.Header.Set("X-API-Key", first)
			}
		}
	}()},
	{name: "every await taken", rows: []int{102},
		reply: onPath("/await", func(x *exchange) { x.status = http.StatusOK })},
	tokensThatCount(),
	{name: "promises forgotten", rows: []int{97, 100, 104}, reply: func() func(*exchange) {
		var answers atomic.Int64
		return onPath("/await", func(x *exchange) {
			if bytes.Contains(x.body, []byte("results")) && answers.Add(1) > 1 {
				x.body = []byte(`{"_meta":{"response_type":"failure","version":"0.55"},"error":{"code":"PROMISE_NOT_FOUND","message":"none"}}`)
			}
		})
	}()},
	{name: "no tool to await with", rows: []int{123, 125}, reply: inResult(func(result object) {
		tools, _ := objects(result["tools"])
		var others []any
		for _, tool := range tools {
			if tool["name"] != "await" {
				others = append(others, tool)
			}
		}
		if tools != nil {
			result["tools"] = others
		}
	})},
	{name: "another schema of await", rows: []int{125}, reply: inResult(func(result object) {
		tools, _ := objects(result["tools"])
		for _, tool := range tools {
			tool["inputSchema"] = object{"type": "object", "required": []any{"token"}}
		}
	})},
	{name: "promises by MCP without a token", rows: []int{130, 131},
		reply: inText(func(answer object) { delete(answer, "promise") })},
	{name: "awaited by MCP in vain", rows: []int{131}, reply: inText(func(answer object) {
		if answer["results"] != nil {
			delete(answer, "results")
		}
	})},
}

// tokensThatCount is a server whose tokens are numbers. It takes them for the real ones, so that
// what is cancelled ends.
func tokensThatCount() wrong {
	var tokens atomic.Int64
	var real sync.Map
	return wrong{
		name: "tokens that count", rows: []int{103},
		ask: onPath("/await", func(x *exchange) {
			var asked object
			if json.Unmarshal(x.asked, &asked) != nil {
				return
			}
			if token, known := real.Load(asked["promise_token"]); known {
				asked["promise_token"] = token
				x.asked = []byte(text(asked))
			}
		}),
		reply: onPath("/ask", eachPromise(func(promise object) {
			token := fmt.Sprintf("promise_%026d", tokens.Add(1))
			real.Store(token, promise["token"])
			promise["token"] = token
		})),
	}
}
