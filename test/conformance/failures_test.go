package conformance

import (
	"net/http"
	"strings"
)

// failureRows are about requests that get no answer.
var failureRows = []row{
	{14, "a body that is no JSON", func(p *probe) {
		for _, body := range []string{"supper", "{", `{"query": {"text": "supper"}} trailing`, `{"query": {"text": "supper"}`, "\xff\xfe"} {
			p.failure(p.ask(body), http.StatusBadRequest, "INVALID_QUERY")
		}
	}},
	{15, "a body that is no object", func(p *probe) {
		for _, body := range []string{`[]`, `"supper"`, `1`, `null`, `true`} {
			p.failure(p.ask(body), http.StatusBadRequest, "INVALID_QUERY")
		}
	}},
	{16, "no query", func(p *probe) {
		p.failure(p.ask(`{}`), http.StatusBadRequest, "INVALID_QUERY")
		p.failure(p.ask(`{"prefer": {"mode": "list"}}`), http.StatusBadRequest, "INVALID_QUERY")
	}},
	{17, "a query without text", func(p *probe) {
		p.failure(p.ask(`{"query": {}}`), http.StatusBadRequest, "INVALID_QUERY")
		p.failure(p.ask(`{"query": {"itemType": "Recipe"}}`), http.StatusBadRequest, "INVALID_QUERY")
	}},
	{18, "an empty text", func(p *probe) {
		for _, question := range []string{"", " ", "\t\n", "\u00a0"} {
			p.failure(p.ask(query(question)), http.StatusBadRequest, "INVALID_QUERY")
		}
	}},
	{19, "a text that is no string", func(p *probe) {
		for _, value := range []string{`1`, `["supper"]`, `{"a": "supper"}`, `true`, `null`} {
			p.failure(p.ask(`{"query": {"text": `+value+`}}`), http.StatusBadRequest, "INVALID_QUERY")
		}
	}},
	{20, "a section that is no object", func(p *probe) {
		for _, section := range []string{"context", "prefer", "meta"} {
			p.failure(p.ask(`{"query": {"text": "supper"}, "`+section+`": "text"}`), http.StatusBadRequest, "INVALID_QUERY")
		}
		p.failure(p.ask(`{"query": ["supper"], "prefer": {}}`), http.StatusBadRequest, "INVALID_QUERY")
	}},
	{21, "every failure has the envelope", func(p *probe) {
		for _, body := range []string{
			`{`, `{}`, text(query("zzyzx")), text(query("supper", "prefer", object{"mode": "teleport"})),
		} {
			r := p.ask(body)
			p.must(r.body != nil, "the body is not one JSON object: %s", clip(r.raw))
			fault, _ := r.body["error"].(object)
			p.expect(str(fault["code"]) != "", "no error.code: %s", clip(r.raw))
			p.expect(str(fault["message"]) != "", "no error.message: %s", clip(r.raw))
			for _, name := range []string{"results", "content", "structuredData"} {
				_, there := r.body[name]
				p.expect(!there, "a failure has a member %s", name)
			}
		}
	}},
	{22, "nothing matches", func(p *probe) {
		for _, question := range []string{"zzyzx qwrtp", "recipes from planet Mars zzyzx", "?!"} {
			r := p.ask(query(question, "itemType", "Recipe"))
			if question != "recipes from planet Mars zzyzx" { // "recipes" may match
				p.failure(r, http.StatusOK, "NO_RESULTS")
			}
		}
	}},
	{23, "a method that ask does not have", func(p *probe) {
		for _, method := range []string{"PUT", "DELETE", "PATCH"} {
			r := p.send(method, "/ask", `{}`)
			p.failure(r, http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED")
			p.expect(strings.Contains(r.header.Get("Allow"), "POST"), "Allow is %q", r.header.Get("Allow"))
		}
	}},
	{24, "an unknown path", func(p *probe) {
		for _, path := range []string{"/nothing", "/ask/more", "/.well-known/nothing.json"} {
			p.failure(p.send("GET", path, "", "Accept", "application/json"), http.StatusNotFound, "NOT_FOUND")
			p.failure(p.send("POST", path, `{}`), http.StatusNotFound, "NOT_FOUND")
		}
	}},
	{25, "a body over the limit", func(p *probe) {
		body := text(object{"query": object{"text": "supper"}, "padding": strings.Repeat("x", 8<<20)})
		p.failure(p.ask(body), http.StatusRequestEntityTooLarge, "TOO_LARGE")
	}},
	{26, "a text of 100,000 characters", func(p *probe) {
		p.failure(p.ask(query(strings.Repeat("supper ", 100_000/7))), http.StatusOK, "TOKEN_LIMIT")
	}},
	{27, "nesting of 10,000 levels", func(p *probe) {
		for _, body := range []string{
			strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
			`{"query": {"text": "supper"}, "a": ` + strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_001),
			`{"query": {"text": "supper", "price": ` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + "}}",
		} {
			p.failure(p.ask(body), http.StatusBadRequest, "INVALID_QUERY")
		}
		p.answer(p.ask(supper))
	}},
}
