package nlweb

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestTheShapeOfQueryDecidesTheDialect(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]bool{
		`{"query":"soup"}`: true,
		`{"site":"a","prev":[{"x":[1]}],"query":"soup"}`: true,
		`{"query":""}`:                  true,
		`{"query":{"text":"soup"}}`:     false,
		`{"query":["soup"]}`:            false,
		`{"query":5}`:                   false,
		`{"text":"soup"}`:               false,
		`{"a":{"query":"soup"}}`:        false,
		`["query","soup"]`:              false,
		`"query"`:                       false,
		`{"query"`:                      false,
		``:                              false,
		"{\"\xff\":1,\"query\":\"so\"}": false,
	} {
		if got := IsLegacy([]byte(body)); got != want {
			t.Errorf("%q: %t, want %t", body, got, want)
		}
	}
}

func TestLegacyQuestionIsTheSameFromBodyAndParameters(t *testing.T) {
	t.Parallel()
	body, err := DecodeLegacy([]byte(`{"query":"soup","site":["a.example","b.example"],"prev":"[\"stew\",\"vegan ones\"]",
		"generate_mode":"Generate","streaming":"False","query_id":"q","item_type":"Recipe","decontextualized_query":""}`))
	if err != nil {
		t.Fatal(err)
	}
	get, err := ParseLegacy(url.Values{
		"query": {"soup"}, "site": {"a.example", "b.example"}, "prev": {`["stew","vegan ones"]`}, "generate_mode": {"Generate"},
		"streaming": {"False"}, "query_id": {"q"}, "item_type": {"Recipe"}, "other": {"x"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := &AskRequest{
		Query:   &Query{Text: "soup", Site: List{"a.example", "b.example"}, ItemType: List{"Recipe"}},
		Context: Contexts{{Prev: Texts{"stew", "vegan ones"}}},
		Prefer:  Prefer{Mode: List{"summarize"}},
	}
	for name, r := range map[string]*LegacyRequest{"body": body, "parameters": get} {
		if diff := cmp.Diff(want, r.Ask()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if stream, given := r.WantsStream(); stream || !given || r.ID() != "q" {
			t.Errorf("%s: stream %t, given %t, id %q", name, stream, given, r.ID())
		}
	}
}

func TestLegacyStreamingIsOnUnlessSaidOtherwise(t *testing.T) {
	t.Parallel()
	for member, want := range map[string][2]bool{
		``: {true, false}, `,"streaming":null`: {true, false}, `,"streaming":true`: {true, true}, `,"streaming":"yes"`: {true, true},
		`,"streaming":1`: {true, true}, `,"streaming":false`: {false, true}, `,"streaming":0`: {false, true},
		`,"streaming":"false"`: {false, true}, `,"streaming":" FALSE "`: {false, true}, `,"streaming":"0"`: {false, true},
	} {
		r, err := DecodeLegacy([]byte(`{"query":"soup"` + member + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if stream, given := r.WantsStream(); stream != want[0] || given != want[1] {
			t.Errorf("%s: stream %t, given %t", member, stream, given)
		}
	}
}

func TestLegacyPrevIsAListOrTheTextOfOneOrAQuestion(t *testing.T) {
	t.Parallel()
	for prev, want := range map[string][]string{
		`["a","b"]`: {"a", "b"}, `[]`: nil, `""`: nil, `"a, b"`: {"a, b"}, `"[1]"`: {"[1]"}, `"[\"a\"]"`: {"a"}, `"[a"`: {"[a"}, `null`: nil,
	} {
		r, err := DecodeLegacy([]byte(`{"query":"soup","prev":` + prev + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(r.Prev, want) {
			t.Errorf("%s: %q, want %q", prev, r.Prev, want)
		}
	}
}

func TestLegacyRefusesWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"query":" "}`:                             "/query: empty",
		`{"query":"a","query_id":[]}`:               "/query_id: expected a string",
		`{"query":"a","site":{}}`:                   "/site: expected a string or an array",
		`{"query":"a","Site":"b"}`:                  `write it "site"`,
		`{"query":"a"} x`:                           "more data",
		`{"query":"a","site":` + numbers(201) + `}`: "more than 200",
	} {
		if _, err := DecodeLegacy([]byte(body)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got: %v\nwant: %s", body, err, want)
		}
	}
	many := make([]string, 201)
	for i := range many {
		many[i] = strings.Repeat("x", i+1)
	}
	for want, parameters := range map[string]url.Values{
		"/query: empty":         {"query": {"\t"}},
		"/site: more than":      {"query": {"a"}, "site": many},
		"/item_type: more than": {"query": {"a"}, "item_type": {strings.Join(many, ",")}},
	} {
		if _, err := ParseLegacy(parameters); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got: %v\nwant: %s", err, want)
		}
	}
}

func FuzzLegacy(f *testing.F) {
	f.Add([]byte(`{"query":"a","site":["x"],"prev":"[\"b\"]","streaming":0,"query_id":1e3}`), "query=a&site=x&prev=[]&streaming=0")
	f.Fuzz(func(t *testing.T, body []byte, parameters string) {
		if r, err := DecodeLegacy(body); err == nil {
			if !IsLegacy(body) || strings.TrimSpace(r.Ask().Query.Text) == "" {
				t.Fatalf("%q was read as a question in the flat dialect", body)
			}
			r.WantsStream()
			r.ID()
		}
		values, _ := url.ParseQuery(parameters)
		if r, err := ParseLegacy(values); err == nil {
			if r.Query != values.Get("query") {
				t.Fatalf("%q gave %q", parameters, r.Query)
			}
			r.WantsStream()
			r.ID()
		}
	})
}

// TestArgumentsMayBeFlat holds that the arguments of the tool ask may have a query that is a
// string, as models write it, beside members of either dialect, and a limit that is a text.
func TestArgumentsMayBeFlat(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]*AskRequest{
		`{"query":"soup"}`:                              {Query: &Query{Text: "soup"}},
		`{"query":{"text":"soup","limit":"5"}}`:         {Query: &Query{Text: "soup", Limit: new(Count(5))}},
		`{"query":{"text":"soup","limit":5.0}}`:         {Query: &Query{Text: "soup", Limit: new(Count(5))}},
		`{"query":{"text":"soup","num_results":9}}`:     {Query: &Query{Text: "soup", Limit: new(Count(9))}},
		`{"query":"soup","limit":"5","itemType":"Pan"}`: {Query: &Query{Text: "soup", Limit: new(Count(5)), ItemType: List{"Pan"}}},
		`{"query":"soup","site":["a","b"],"prev":["stew"],"generate_mode":"summarize","num_results":" 3 "}`: {
			Query:   &Query{Text: "soup", Site: List{"a", "b"}, Limit: new(Count(3))},
			Context: Contexts{{Prev: Texts{"stew"}}}, Prefer: Prefer{Mode: List{"summarize"}},
		},
		`{"query":"soup","prefer":{"mode":"list","accept-language":"de"},"context":{"memory":"vegan"}}`: {
			Query:   &Query{Text: "soup"},
			Context: Contexts{{Memory: Texts{"vegan"}}}, Prefer: Prefer{Mode: List{"list"}, AcceptLanguage: "de"},
		},
	} {
		got, err := DecodeArguments([]byte(text))
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("%s: %v %s", text, err, diff)
		}
	}
	for text, want := range map[string]string{
		`{"query":"  "}`:                          "/query: empty",
		`{"query":"soup","limit":"five"}`:         "/limit: expected a whole number",
		`{"query":"soup","num_results":1.5}`:      "/num_results: expected a whole number",
		`{"query":"soup","limit":".0"}`:           "/limit: expected a whole number",
		`{"query":{"text":"soup","limit":"1.5"}}`: "/query/limit: expected a whole number",
		`{"query":"soup","prefer":"list"}`:        "/prefer",
		`{"query":"soup","itemType":7}`:           "/itemType",
	} {
		if _, err := DecodeArguments([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	get, err := ParseLegacy(url.Values{"query": {"soup"}, "num_results": {"4"}})
	if err != nil || *get.Ask().Query.Limit != 4 {
		t.Errorf("%+v %v", get, err)
	}
	if _, err := ParseLegacy(url.Values{"query": {"soup"}, "limit": {"x"}}); err == nil ||
		!strings.Contains(err.Error(), "/limit") {
		t.Error(err)
	}
}
