package conformance

import (
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"strings"
)

// legacyRows are about the flat dialect that clients spoke before 0.55.
var legacyRows = []row{
	{121, "a query that is a string is answered in the flat dialect", func(p *probe) {
		want := p.answer(p.ask(query("supper", "site", kitchen)))
		asked := object{"query": "supper", "site": kitchen, "query_id": "q-1", "streaming": false}
		for _, r := range []reply{
			p.ask(asked), p.send("GET", "/ask?query=supper&query_id=q-1&streaming=false&site="+kitchen, ""),
		} {
			p.must(r.status == http.StatusOK && r.body != nil, "status %d: %s", r.status, clip(r.raw))
			p.expect(r.body["query_id"] == "q-1" && r.body["query"] == "supper" && r.body["site"] == kitchen,
				"the question does not come back: %s", clip(r.raw))
			_, there := r.body["summary"]
			p.expect(!there, "a summary that nobody asked for")
			p.expectFlat(r.body["results"], want)
		}
		r := p.ask(object{"query": "supper", "generate_mode": "generate", "streaming": "0"})
		p.must(r.body != nil, "the body is not one JSON object: %s", clip(r.raw))
		p.expect(str(r.body["summary"]) != "", "no summary: %s", clip(r.raw))

		p.expectFlatStream(p.ask(
			object{"query": "supper", "site": kitchen, "query_id": "q-1", "generate_mode": "summarize"}), want, true)
		p.expectFlatStream(p.send("GET",
			"/ask?"+url.Values{"query": {"supper"}, "site": {kitchen}, "query_id": {"q-1"}}.Encode(), ""), want, false)
		nothing := string(p.ask(object{"query": "unobtainium"}).raw)
		p.expect(strings.Contains(nothing, `"message_type":"no_results"`) && strings.Contains(nothing, `"message":"`),
			"nothing is said where nothing is found: %s", nothing)
		p.failure(p.send("GET", "/ask?query=", ""), http.StatusBadRequest, "INVALID_QUERY")
	}},
}

// expectFlat holds that results are the items wanted, in the flat dialect's form.
func (p *probe) expectFlat(results any, want []object) {
	items, ok := objects(results)
	p.must(ok, "results is no array of objects: %v", results)
	p.expect(reflect.DeepEqual(urls(items), urls(want)), "items %v, want %v", urls(items), urls(want))
	for _, item := range items {
		for _, name := range []string{"url", "name", "site", "description"} {
			p.expect(str(item[name]) != "", "%v has no %s", item["url"], name)
		}
		_, ok := item["score"].(float64)
		p.expect(ok, "%v has the score %v", item["url"], item["score"])
		whole, _ := item["schema_object"].(object)
		p.expect(str(whole["@type"]) != "" && whole["name"] == item["name"], "the schema_object of %v is %v",
			item["url"], whole)
	}
}

// expectFlatStream holds that a reply is a stream of unnamed data lines.
func (p *probe) expectFlatStream(r reply, want []object, summarized bool) {
	p.must(r.status == http.StatusOK && isType(r.header, "text/event-stream"), "status %d, %s: %s", r.status,
		r.header.Get("Content-Type"), clip(r.raw))
	var results []any
	var kinds []string
	for frame := range strings.SplitSeq(strings.TrimSuffix(string(r.raw), "\n\n"), "\n\n") {
		data, ok := strings.CutPrefix(frame, "data: ")
		var message object
		p.must(ok && !strings.Contains(data, "\n") && json.Unmarshal([]byte(data), &message) == nil,
			"the frame is not one data line with JSON: %q", frame)
		p.expect(message["query_id"] == "q-1", "query_id is %v", message["query_id"])
		kinds = append(kinds, str(message["message_type"]))
		switch message["message_type"] {
		case "result_batch":
			batch, ok := message["results"].([]any)
			p.expect(ok && len(batch) > 0, "a batch without results")
			results = append(results, batch...)
		case "summary":
			p.expect(summarized && str(message["content"]) != "" && message["message"] == message["content"],
				"a summary that is empty or that nobody asked for: %q", frame)
		}
	}
	p.expectFlat(results, want)
	told := strings.Join(kinds, " ")
	p.expect(strings.Contains(told, "summary") == summarized, "messages %s", told)
	p.expect(strings.Count(told, "complete") == 1 && strings.HasSuffix(told, "complete"),
		"messages %s, complete must be last", told)
}
