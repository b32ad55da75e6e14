package nlweb

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"frontdesk/wire/strictjson"
)

func TestDecodeAskRefusesMalformedStructure(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`[]`:                                   "expected an object, found an array",
		`"hi"`:                                 "expected an object, found a string",
		`{}`:                                   "/query: missing",
		`{"query":null}`:                       "/query: missing",
		`{"query":{}}`:                         "/query/text: missing or empty",
		`{"query":{"text":" \t"}}`:             "/query/text: missing or empty",
		`{"query":{"text":3}}`:                 "/query/text: expected a string",
		`{"query":{"text":["a"]}}`:             "/query/text: expected a string",
		`{"query":"soup"}`:                     "/query: expected an object, found a string",
		`{"query":{"text":"a"},"context":"b"}`: "/context: expected an object or an array of objects",
		`{"query":{"text":"a"},"context":{"prev":1}}`:          "/context/prev: expected a string or an array of strings",
		`{"query":{"text":"a"},"prefer":"b"}`:                  "/prefer: expected an object",
		`{"query":{"text":"a"},"prefer":{"mode":{}}}`:          "/prefer/mode: expected a string or an array",
		`{"query":{"text":"a"},"meta":"b"}`:                    "/meta: expected an object",
		`{"query":{"text":"a"},"meta":{"user":3}}`:             "/meta/user: expected a string or an object",
		`{"query":{"text":"a"},"meta":{"session_context":[]}}`: "/meta/session_context: expected an object",
		`{"query":{"text":"a","limit":"ten"}}`:                 "/query/limit: expected a whole number",
		`{"query":{"text":"a","limit":1.5}}`:                   "/query/limit",
		`{"query":{"text":"a","itemtype":"Recipe"}}`:           `/query/itemtype: unknown member; write it "itemType"`,
		`{"query":{"text":"a"},"query":{"text":"b"}}`:          "/query: this member stands twice",
		`{"query":{"text":"a","site":` + numbers(201) + `}}`:   "/query/site: more than 200 values",
	} {
		_, err := DecodeAsk([]byte(in))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got: %v\nwant: %s", in, err, want)
		}
	}
}

// numbers writes an array of so many different strings.
func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"%d"`, i)
	}
	return "[" + b.String()[1:] + "]"
}

func TestDecodeAskAcceptsEveryForm(t *testing.T) {
	t.Parallel()
	req, err := DecodeAsk([]byte(`{
		"query": {"text": "soup", "site": ["a.example", "b.example"], "itemType": "Recipe, Article", "price": {"max": 20}},
		"context": [{"@type": "UserDiet", "allergies": ["nuts"]}, {"prev": "stew", "memory": ["vegan", "no, thanks"]}],
		"prefer": {"mode": " LIST ,, Summarize, LIST ", "response_format": ["pdf", "chatgpt_app"], "streaming": null},
		"meta": {"version": 0.55, "session_context": {"k": 1.0}, "user": {"@type": "Person"}},
		"more": true}`))
	if err != nil {
		t.Fatal(err)
	}
	want := &AskRequest{
		Query: &Query{
			Text: "soup", Site: List{"a.example", "b.example"}, ItemType: List{"Recipe", "Article"},
			Filters: map[string]strictjson.Value{"price": strictjson.Value(`{"max": 20}`)},
		},
		Context: Contexts{
			{Type: "UserDiet", Other: map[string]strictjson.Value{"allergies": strictjson.Value(`["nuts"]`)}},
			{Prev: Texts{"stew"}, Memory: Texts{"vegan", "no, thanks"}},
		},
		Prefer: Prefer{Mode: List{"LIST", "Summarize"}, ResponseFormat: List{"pdf", "chatgpt_app"}},
		Meta: RequestMeta{
			Version: strictjson.Value("0.55"), SessionContext: strictjson.Value(`{"k": 1.0}`), User: strictjson.Value(`{"@type": "Person"}`),
		},
		Other: map[string]strictjson.Value{"more": strictjson.Value("true")},
	}
	if diff := cmp.Diff(want, req); diff != "" {
		t.Error(diff)
	}
}

func TestWrittenRequestIsReadTheSame(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"query":{"text":"soup"}}`,
		`{"query":{"text":"soup","site":"a.example, b.example","itemType":"Recipe","price":{"max":20}},"context":{"prev":["stew"]},"prefer":{"mode":"list, summarize"}}`,
		`{"query":{"text":"soup"},"context":[{"@type":"UserDiet","diet":"vegan"},{"memory":["no, thanks"]}],"meta":{"session_context":{"a":1},"user":"u"}}`,
	} {
		req, err := DecodeAsk([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		written, err := json.Marshal(req)
		if err != nil || string(written) != body {
			t.Errorf("%v\n got %s\nwant %s", err, written, body)
		}
	}
	if written, err := json.Marshal(List{"a, b", "c"}); err != nil || string(written) != `["a, b","c"]` {
		t.Errorf("a token with a comma is written as %s, %v", written, err)
	}
}

func FuzzDecodeAsk(f *testing.F) {
	f.Add([]byte(`{"query":{"text":"a","site":["x"]},"context":{"prev":["b"]},"prefer":{"mode":"list"},"meta":{"user":"u"}}`))
	f.Add([]byte(`{"query":{"text":"a"},"context":[{"@type":"X"}],"meta":{"session_context":{}}}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		req, err := DecodeAsk(in)
		if err == nil && strings.TrimSpace(req.Query.Text) == "" {
			t.Fatal("accepted a request without a question")
		}
	})
}

func BenchmarkDecodeAsk(b *testing.B) {
	body := []byte(`{"query":{"text":"a quick vegan dinner","site":"kitchen","limit":5},"prefer":{"mode":"list, summarize","streaming":true},"meta":{"version":"0.55"}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeAsk(body); err != nil {
			b.Fatal(err)
		}
	}
}
