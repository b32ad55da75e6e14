package conformance

import (
	"net/http"
	"reflect"
	"slices"
	"strings"
)

// prefer is a question that states a preference.
func prefer(name string, value any) object { return query("supper", "prefer", object{name: value}) }

// formatRows are about modes and response formats.
var formatRows = []row{
	{44, "mode list has items", func(p *probe) {
		items := p.answer(p.ask(prefer("mode", "list")))
		p.expectItems(items)
		p.expect(len(summaries(items)) == 0, "list mode has a summary")
	}},
	{45, "mode summarize has items and a summary", func(p *probe) {
		p.expectSummarized(p.answer(p.ask(prefer("mode", "summarize"))))
	}},
	{46, "modes come as a list in any spelling", func(p *probe) {
		want := p.answer(p.ask(prefer("mode", "list, summarize")))
		p.expectSummarized(want)
		for _, spelling := range []any{
			"summarize,list", " LIST , Summarize ", []string{"summarize", "list"}, "list,,list,summarize",
		} {
			got := p.answer(p.ask(prefer("mode", spelling)))
			p.expect(reflect.DeepEqual(urls(got), urls(want)), "mode %v has other items", spelling)
			p.expectSummarized(got)
		}
	}},
	{47, "the summary names only items of the answer", func(p *probe) {
		items := p.answer(p.ask(query("lentil soup", "prefer", object{"mode": "summarize"}, "limit", 3)))
		p.expectSummarized(items)
		for _, other := range append(recipes(kitchen, 0, 36), recipes(shop, 36, 6)...) {
			name := str(other["name"])
			inAnswer := slices.ContainsFunc(items, func(item object) bool { return item["name"] == name })
			for _, summary := range summaries(items) {
				p.expect(inAnswer || !names(str(summary["text"]), name),
					"the summary names %q, which is not in the answer: %v", name, summary["text"])
			}
		}
	}},
	{48, "an unknown mode", func(p *probe) {
		p.failure(p.ask(prefer("mode", "teleport")), http.StatusOK, "UNSUPPORTED_MODE")
		p.failure(p.ask(prefer("mode", "generate")), http.StatusOK, "UNSUPPORTED_MODE")
	}},
	{49, "an unknown mode beside a known one is named as ignored", func(p *probe) {
		r := p.ask(prefer("mode", "list, teleport"))
		p.expect(len(summaries(p.answer(r))) == 0, "list mode has a summary")
		p.expect(strings.Contains(text(r.body["_meta"]), "teleport"),
			"_meta does not name the mode that was ignored: %v", r.body["_meta"])
	}},
	{50, "an empty mode is the default", func(p *probe) {
		p.expect(len(summaries(p.answer(p.ask(prefer("mode", ""))))) == 0, "the default mode has a summary")
	}},
	{51, "chatgpt_app has content and structuredData", func(p *probe) {
		r := p.chatGPT(supper)
		_, there := r.body["results"]
		p.expect(!there, "chatgpt_app has a member results")
	}},
	{52, "content elements are texts", func(p *probe) {
		for _, request := range []object{query("supper"), query("supper", "prefer", object{"mode": "summarize"})} {
			content, ok := objects(p.chatGPT(request).body["content"])
			p.must(ok && len(content) > 0, "content is no array of objects")
			for _, element := range content {
				p.expect(element["type"] == "text" && str(element["text"]) != "", "content element %v", element)
			}
		}
	}},
	{53, "structuredData follows the rules for items", func(p *probe) {
		items, _ := objects(p.chatGPT(supper).body["structuredData"])
		p.must(len(items) > 0, "structuredData is empty")
		p.expectItems(items)
	}},
	{54, "chatgpt_app names the widget, and other formats do not", func(p *probe) {
		r := p.chatGPT(supper)
		p.expect(str(r.meta("openai/outputTemplate")) != "", "openai/outputTemplate is %v",
			r.meta("openai/outputTemplate"))
		_, ok := r.meta("openai/widgetAccessible").(bool)
		p.expect(ok, "openai/widgetAccessible is %v", r.meta("openai/widgetAccessible"))
		r = p.ask(supper)
		p.expect(r.meta("openai/outputTemplate") == nil && r.meta("openai/widgetAccessible") == nil,
			"a widget for another format: %v", r.body["_meta"])
	}},
	{55, "an unknown format", func(p *probe) {
		p.failure(p.ask(prefer("response_format", "pdf")), http.StatusOK, "UNSUPPORTED_FORMAT")
	}},
	{56, "the first known format of a list", func(p *probe) {
		for _, spelling := range []any{"pdf, conversational_search", []string{"pdf", "conversational_search"},
			"conversational_search, chatgpt_app", "conv_search"} {
			r := p.ask(prefer("response_format", spelling))
			p.answer(r)
			p.expect(r.meta("response_format") == "conversational_search", "format %v for %v",
				r.meta("response_format"), spelling)
		}
		r := p.ask(prefer("response_format", []string{"chatgptapp", "conversational_search"}))
		p.expect(r.meta("response_format") == "chatgpt_app", "format %v, want chatgpt_app", r.meta("response_format"))
	}},
	{57, "no format is conversational_search", func(p *probe) {
		r := p.ask(query("supper", "prefer", object{}))
		p.answer(r)
		p.expect(r.meta("response_format") == "conversational_search", "format %v", r.meta("response_format"))
	}},
	{58, "both formats have the same items in the same order", func(p *probe) {
		one := p.answer(p.ask(query("quick supper")))
		other, _ := objects(p.chatGPT(query("quick supper")).body["structuredData"])
		p.expect(reflect.DeepEqual(urls(one), urls(other)), "items %v and %v", urls(one), urls(other))
	}},
	{59, "accept-language is accepted", func(p *probe) { p.answer(p.ask(prefer("accept-language", "en"))) }},
	{60, "any user-agent is accepted", func(p *probe) {
		for _, agent := range []string{"mobile", "Copilot/1.0.0", "anything at all"} {
			p.answer(p.ask(prefer("user-agent", agent)))
		}
	}},
}

// chatGPT asks in the chatgpt_app format and holds its frame.
func (p *probe) chatGPT(request object) reply {
	asked := object{"response_format": "chatgpt_app"}
	if more, ok := request["prefer"].(object); ok {
		for name, value := range more {
			asked[name] = value
		}
	}
	r := p.ask(object{"query": request["query"], "prefer": asked})
	p.must(r.status == http.StatusOK && r.body != nil, "status %d: %s", r.status, clip(r.raw))
	p.expect(r.meta("response_type") == "answer", "_meta.response_type is %v", r.meta("response_type"))
	p.expect(r.meta("response_format") == "chatgpt_app", "_meta.response_format is %v", r.meta("response_format"))
	content, ok := r.body["content"].([]any)
	p.must(ok && len(content) > 0, "content is no non-empty array: %s", clip(r.raw))
	_, ok = r.body["structuredData"].([]any)
	p.must(ok, "structuredData is no array: %s", clip(r.raw))
	return r
}

// summaries returns the items that are summaries.
func summaries(items []object) []object {
	return slices.DeleteFunc(slices.Clone(items), func(item object) bool { return !isOfType(item, "SearchSummary") })
}

// expectSummarized holds that an answer has exactly one summary with a text, and other items.
func (p *probe) expectSummarized(items []object) {
	found := summaries(items)
	p.must(len(found) == 1, "%d summaries, want 1", len(found))
	p.expect(strings.TrimSpace(str(found[0]["text"])) != "", "the summary has no text: %v", found[0])
	p.expect(len(items) > 1, "no item beside the summary")
}

// names says whether a text names an item as a whole: "number 3" is not named by "number 30".
func names(text, name string) bool {
	for rest := text; ; {
		i := strings.Index(strings.ToLower(rest), strings.ToLower(name))
		if i < 0 {
			return false
		}
		rest = rest[i+len(name):]
		if rest == "" || rest[0] < '0' || rest[0] > '9' {
			return true
		}
	}
}
