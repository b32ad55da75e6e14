package conformance

import (
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"testing"
)

// modelRows are about a server that has a language model.
var modelRows = []row{
	{118, "a model that is down", func(p *probe) {
		for _, question := range []string{"lentil soup", "chicken curry", "kitchen pan"} {
			body := query(question, "prefer", object{"mode": "list, summarize"})
			want := p.answer(p.ask(body))
			p.on(p.at.helpless, func() {
				p.expectTheSame(want, p.answer(p.ask(body)))
				p.expectFallback(p.ask(body).body)
				streamed := p.streamAsk(query(question, "prefer", object{"mode": "list, summarize", "streaming": true}))
				p.expectTheSame(want, p.items(streamed))
				last := streamed.events[len(streamed.events)-1]
				p.expect(last.name == "complete", "the last event is %s", last.name)
				p.expectFallback(last.data)
			})
		}
	}},
}

// expectTheSame holds that an answer has the same items in the same order, and the same summary.
func (p *probe) expectTheSame(want, got []object) {
	p.expect(slices.EqualFunc(want, got, func(a, b object) bool {
		return a["url"] == b["url"] && a["text"] == b["text"] && a["score"] == b["score"]
	}), "without its model the server answers otherwise: %d and %d results", len(want), len(got))
	p.expect(slices.ContainsFunc(got, func(item object) bool {
		return isOfType(item, "SearchSummary") && item["extractive"] == true
	}), "no extractive summary")
}

// expectFallback holds that an answer says that there was no model.
func (p *probe) expectFallback(body object) {
	meta, _ := body["_meta"].(object)
	used, _ := meta["model"].(object)
	p.expect(used["rerank"] == "fallback" && used["summarize"] == "fallback", "_meta.model is %v", used)
}

// nowhere is the address of a model that is down.
func nowhere(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return fmt.Sprintf("http://%s/v1", l.Addr())
}

var wrongModels = []wrong{
	{name: "no answer without its model", rows: []int{118}, reply: func(x *exchange) {
		if fellBack(x) {
			x.status = 503
		}
	}},
	{name: "nothing said of its model", rows: []int{118}, reply: setMeta("model", nil)},
	{name: "another order without its model", rows: []int{118}, reply: func(x *exchange) {
		if !fellBack(x) {
			return
		}
		change(x, func(body object) {
			if results, ok := body["results"].([]any); ok {
				slices.Reverse(results)
			}
		})
	}},
	{name: "a summary that claims to be the model's", rows: []int{118}, reply: eachItem(func(item object) {
		if item["@type"] == "SearchSummary" {
			item["extractive"] = false
		}
	})},
}

// fellBack says whether an answer went without a model.
func fellBack(x *exchange) bool {
	var body struct {
		Meta struct {
			Model object `json:"model"`
		} `json:"_meta"`
	}
	return json.Unmarshal(x.body, &body) == nil && body.Meta.Model != nil
}
