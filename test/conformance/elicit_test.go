package conformance

import (
	"net/http"
	"reflect"
	"slices"
	"strings"
)

// vague is of the class of questions that the fixture asks back for, with one question of each
// kind.
func vague(more ...any) object { return query("What is there for supper?", more...) }

// elicited holds that a reply is a question back, and returns its questions.
func (p *probe) elicited(r reply) []object {
	p.must(r.status == http.StatusOK && r.body != nil, "status %d: %s", r.status, clip(r.raw))
	p.expect(isType(r.header, "application/json"), "content type %q, want application/json",
		r.header.Get("Content-Type"))
	return p.questionsIn(r.body)
}

// questionsIn holds that an NLWeb object is a question back, and returns its questions.
func (p *probe) questionsIn(body object) []object {
	meta, _ := body["_meta"].(object)
	p.expect(meta["response_type"] == "elicitation" && meta["version"] == "0.55", "_meta is %v", meta)
	back, ok := body["elicitation"].(object)
	p.must(ok, "there is no elicitation: %v", body)
	if told, there := back["text"]; there {
		p.expect(str(told) != "", "text is %v", told)
	}
	questions, ok := objects(back["questions"])
	p.must(ok && len(questions) > 0, "questions is no non-empty array: %v", back["questions"])
	return questions
}

func idsOf(questions []object) (ids []string) {
	for _, q := range questions {
		ids = append(ids, str(q["id"]))
	}
	return ids
}

// again is the vague question once more, with the session of a reply and answers.
func again(r reply, answers ...any) object {
	return vague(append(answers, "meta", object{"session_context": r.meta("session_context")})...)
}

var questionTypes = []string{"single_select", "multi_select", "free_text", "number", "boolean"}

// elicitRows are about questions that are asked back (NLWeb 0.55 §4.1.3), and what becomes of their
// answers.
var elicitRows = []row{
	{86, "a vague question is asked back, over HTTP and MCP", func(p *probe) {
		over := p.elicited(p.ask(vague()))
		result, answer := p.callAsk(vague())
		p.expect(reflect.DeepEqual(p.questionsIn(answer), over), "over MCP it asks %v", answer["elicitation"])
		p.expect(result["isError"] != true, "a question back is an error to the tool")
		meta, _ := result["_meta"].(object)
		p.expect(meta["response_type"] == "elicitation", "the result's _meta is %v", meta)
	}},
	{87, "a question has id, text and one of the five types", func(p *probe) {
		var types []string
		for _, q := range p.elicited(p.ask(vague())) {
			p.expect(str(q["id"]) != "" && str(q["text"]) != "", "a question is %v", q)
			p.expect(slices.Contains(questionTypes, str(q["type"])), "the type is %v", q["type"])
			types = append(types, str(q["type"]))
		}
		slices.Sort(types)
		p.expect(len(slices.Compact(types)) == len(questionTypes),
			"the fixture's questions are of the types %v alone", types)
	}},
	{88, "who has to choose has options", func(p *probe) {
		for _, q := range p.elicited(p.ask(vague())) {
			options, ok := q["options"].([]any)
			if !strings.HasSuffix(str(q["type"]), "_select") {
				p.expect(!ok, "a %v has options", q["type"])
				continue
			}
			p.expect(len(options) > 1 && !slices.ContainsFunc(options, func(o any) bool { return str(o) == "" }),
				"the options are %v", q["options"])
		}
	}},
	{89, "questions are told apart, and there are no results", func(p *probe) {
		r := p.ask(vague())
		ids := idsOf(p.elicited(r))
		slices.Sort(ids)
		p.expect(len(slices.Compact(ids)) == len(ids), "the ids are %v", ids)
		for _, name := range []string{"results", "structuredData", "content", "promise", "error"} {
			_, there := r.body[name]
			p.expect(!there, "an elicitation carries %s", name)
		}
	}},
	{90, "an answered question is not asked again, and two rounds are enough", func(p *probe) {
		first := p.ask(vague())
		p.elicited(first)
		answers := []any{"diet", []string{"vegetarian"}, "time", "under 40 minutes"}
		second := p.ask(again(first, answers...))
		if second.meta("response_type") == "elicitation" {
			for _, id := range idsOf(p.elicited(second)) {
				p.expect(!slices.Contains(idsOf(p.elicited(first)), id), "%s is asked again", id)
			}
			second = p.ask(again(second, answers...))
		}
		p.meets(p.answer(second))
		p.meets(
			p.answer(p.ask(vague("prefer", object{"elicitation": false}, "context",
				object{"answers": object{"diet": "vegetarian", "time": "under 40 minutes"}}))))
		p.meets(p.answer(p.ask(query("vegetarian supper recipes under 40 minutes"))))
		p.answer(p.ask(again(first))) // passing over all questions is an answer, too
	}},
	{91, "no preference is no condition", func(p *probe) {
		first := p.ask(vague())
		want := urls(p.answer(p.ask(vague("prefer", object{"elicitation": false}))))
		for _, said := range []string{"no preference", "none", "egal"} {
			var answers []any
			for _, id := range idsOf(p.elicited(first)) {
				answers = append(answers, id, said)
			}
			got := urls(p.answer(p.ask(again(first, answers...))))
			p.expect(reflect.DeepEqual(got, want), "%q: %v, want %v", said, got, want)
		}
	}},
	{92, "a question is asked back as JSON where a stream was preferred", func(p *probe) {
		whole := p.elicited(p.ask(vague()))
		streamed := p.elicited(p.ask(vague("prefer", object{"streaming": true}), "Accept", "text/event-stream"))
		p.expect(reflect.DeepEqual(whole, streamed), "a stream is asked %v", streamed)
	}},
}

// meets holds that items are recipes for vegetarians that cook for less than 40 minutes.
func (p *probe) meets(items []object) {
	for _, item := range items {
		p.expect(strings.Contains(text(item["suitableForDiet"]), "Vegetarian"), "%v is suitable for %v", item["name"],
			item["suitableForDiet"])
		p.expect(slices.Contains([]string{"PT5M", "PT10M", "PT15M", "PT20M", "PT25M", "PT30M", "PT35M"},
			str(item["cookTime"])), "%v cooks for %v", item["name"], item["cookTime"])
	}
}

// eachQuestion changes the questions that are asked back.
func eachQuestion(edit func(object)) func(*exchange) {
	return func(x *exchange) {
		change(x, func(body object) {
			back, _ := body["elicitation"].(object)
			questions, _ := objects(back["questions"])
			for _, q := range questions {
				edit(q)
			}
		})
	}
}

// besideElicitation puts a member beside an elicitation.
func besideElicitation(name string, value any) func(*exchange) {
	return func(x *exchange) {
		change(x, func(body object) {
			if body["elicitation"] != nil {
				body[name] = value
			}
		})
	}
}

var wrongElicitations = []wrong{
	{name: "nothing asked back", rows: []int{86, 87, 88, 89, 90, 91, 92}, ask: put("prefer", "elicitation", false)},
	{name: "questions without text", rows: []int{87}, reply: eachQuestion(func(q object) { delete(q, "text") })},
	{name: "questions of another type", rows: []int{87}, reply: eachQuestion(func(q object) { q["type"] = "text" })},
	{name: "no options", rows: []int{88}, reply: eachQuestion(func(q object) { delete(q, "options") })},
	{name: "questions with one id", rows: []int{89}, reply: eachQuestion(func(q object) { q["id"] = "same" })},
	{name: "results beside questions", rows: []int{89}, reply: besideElicitation("results", []any{})},
	{name: "answers and sessions lost", rows: []int{90, 91}, ask: func(x *exchange) {
		x.edit("query", func(q object) {
			for _, name := range []string{"diet", "time", "budget", "quick", "else"} {
				delete(q, name)
			}
		})
		x.edit("meta", func(m object) { delete(m, "session_context") })
	}},
	{name: "no preference taken for a word", rows: []int{91}, ask: func(x *exchange) {
		x.edit("query", func(q object) {
			if q["else"] != nil {
				q["else"] = "lentil soup"
			}
		})
	}},
	{name: "questions as a stream", rows: []int{86, 92}, reply: setHeader("Content-Type", "text/event-stream")},
}
