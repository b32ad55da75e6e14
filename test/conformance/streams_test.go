package conformance

import (
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"
)

// streamed is a question whose answer is wanted as a stream.
var streamed = prefer("streaming", true)

// streamRows are about answers as server-sent events.
var streamRows = []row{
	{61, "a stream has its headers", func(p *probe) {
		s := p.streamAsk(streamed, "Accept", "text/event-stream")
		p.expect(s.status == http.StatusOK, "status %d, want 200", s.status)
		cache := s.header.Get("Cache-Control")
		p.expect(strings.Contains(cache, "no-cache") || strings.Contains(cache, "no-store"),
			"Cache-Control is %q", cache)
	}},
	{62, "start is first and sent once", func(p *probe) {
		s := p.streamAsk(streamed)
		p.must(len(s.events) > 0, "no event")
		p.expect(s.events[0].name == "start", "the first event is %s", s.events[0].name)
		p.expect(s.count("start") == 1, "%d start events", s.count("start"))
	}},
	{63, "start has the metadata", func(p *probe) {
		s := p.streamAsk(streamed)
		p.must(len(s.events) > 0, "no event")
		p.expectMeta(s.events[0])
		p.expect(metaOf(s.events[0])["streaming"] == true, "_meta.streaming of start is %v",
			metaOf(s.events[0])["streaming"])
	}},
	{64, "results have index and item", func(p *probe) {
		items := p.items(p.streamAsk(streamed))
		p.must(len(items) > 0, "no result")
		p.expectItems(items)
	}},
	{65, "indexes are 0 to n-1", func(p *probe) {
		s := p.streamAsk(streamed)
		p.expect(len(p.items(s)) == s.count("result"), "%d indexes for %d results", len(p.items(s)), s.count("result"))
		p.expect(len(p.items(s)) > 1, "too few results to tell")
	}},
	{66, "complete is last and sent once", func(p *probe) {
		s := p.streamAsk(streamed)
		p.must(len(s.events) > 0, "no event")
		last := s.events[len(s.events)-1]
		p.expect(last.name == "complete", "the last event is %s", last.name)
		p.expect(s.count("complete") == 1, "%d complete events", s.count("complete"))
		p.expectMeta(last)
	}},
	{67, "no other events", func(p *probe) {
		for _, e := range p.streamAsk(streamed).events {
			p.expect(slices.Contains([]string{"start", "result", "error", "complete"}, e.name),
				"unknown event %s", e.name)
		}
	}},
	{68, "every event is one JSON document", func(p *probe) {
		s := p.streamAsk(query("supper", "limit", 100, "prefer", object{"streaming": true, "mode": "list, summarize"}))
		p.expect(len(s.events) > 3, "only %d events", len(s.events))
	}},
	{69, "streamed and whole answers are equal", func(p *probe) {
		whole := p.answer(p.ask(query("quick supper", "limit", 30)))
		parts := p.items(p.streamAsk(query("quick supper", "limit", 30, "prefer", object{"streaming": true})))
		p.expect(reflect.DeepEqual(whole, parts), "whole %v\nparts %v", urls(whole), urls(parts))
	}},
	{70, "a summary is one of the results", func(p *probe) {
		p.expectSummarized(
			p.items(p.streamAsk(query("supper", "prefer", object{"streaming": true, "mode": "list, summarize"}))))
	}},
	{71, "streaming is preferred without an Accept header", func(p *probe) {
		p.expect(len(p.items(p.streamAsk(streamed))) > 0, "no result")
		p.expect(len(p.items(p.streamAsk(streamed, "Accept", "application/json"))) > 0,
			"Accept overrules prefer.streaming")
	}},
	{72, "no streaming is preferred with Accept text event-stream", func(p *probe) {
		p.answer(p.ask(prefer("streaming", false), "Accept", "text/event-stream"))
	}},
	{73, "Accept decides where nothing is preferred", func(p *probe) {
		p.expect(len(p.items(p.streamAsk(supper, "Accept", "text/event-stream"))) > 0, "no result")
		p.answer(p.ask(supper, "Accept", "application/json, text/event-stream"))
		p.answer(p.ask(supper, "Accept", "*/*"))
	}},
	{74, "nothing matches in a stream", func(p *probe) {
		s := p.streamAsk(query("zzyzx qwrtp", "prefer", object{"streaming": true}))
		p.must(len(s.events) == 3, "%d events, want start, error, complete", len(s.events))
		for i, name := range []string{"start", "error", "complete"} {
			p.expect(s.events[i].name == name, "event %d is %s, want %s", i, s.events[i].name, name)
		}
		fault, _ := s.events[1].data["error"].(object)
		p.expect(fault["code"] == "NO_RESULTS", "error.code is %v, want NO_RESULTS", fault["code"])
		p.expect(metaOf(s.events[2])["response_type"] == "failure", "complete has response_type %v, want failure",
			metaOf(s.events[2])["response_type"])
		// What is refused before anything is looked for is an ordinary answer: the stream has not
		// begun.
		r := p.ask(query("supper", "prefer", object{"streaming": true, "mode": "teleport"}))
		p.failure(r, http.StatusOK, "UNSUPPORTED_MODE")
	}},
	{76, "a client that leaves disturbs nobody", func(p *probe) {
		for range 20 {
			p.leave(query("supper", "limit", 1000, "prefer", object{"streaming": true, "mode": "list, summarize"}))
		}
		p.answer(p.ask(supper))
		p.expect(len(p.items(p.streamAsk(streamed))) > 0, "no result after clients left")
	}},
	{77, "start comes at once", func(p *probe) {
		s := p.streamAsk(query("supper", "limit", 1000, "prefer", object{"streaming": true}))
		p.must(len(s.events) > 0, "no event")
		p.expect(s.events[0].arrived < time.Second, "start came after %s", s.events[0].arrived)
	}},
	{78, "chatgpt_app streams its items and completes with content", func(p *probe) {
		asked := object{"streaming": true, "response_format": "chatgpt_app"}
		s := p.streamAsk(query("quick supper", "prefer", asked))
		items := p.items(s)
		p.must(len(items) > 0, "no result")
		p.expectItems(items)
		last := s.events[len(s.events)-1]
		content, ok := objects(last.data["content"])
		p.expect(ok && len(content) > 0 && content[0]["type"] == "text", "complete has no content: %v", last.data)
		p.expect(metaOf(last)["response_format"] == "chatgpt_app", "_meta.response_format of complete is %v",
			metaOf(last)["response_format"])
		whole, _ := objects(p.chatGPT(query("quick supper")).body["structuredData"])
		p.expect(reflect.DeepEqual(urls(items), urls(whole)), "streamed %v, whole %v", urls(items), urls(whole))
	}},
}

// expectMeta holds what the first and the last event of a stream have in common.
func (p *probe) expectMeta(e event) {
	want := object{"response_type": "answer", "response_format": "conversational_search", "version": "0.55"}
	for name, value := range want {
		p.expect(metaOf(e)[name] == value, "_meta.%s of %s is %v, want %v", name, e.name, metaOf(e)[name], value)
	}
}

func (s stream) count(name string) int {
	n := 0
	for _, e := range s.events {
		if e.name == name {
			n++
		}
	}
	return n
}
