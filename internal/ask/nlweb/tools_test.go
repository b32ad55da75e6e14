package nlweb

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/infra/httpx"
)

// called uses the tool ask and reads its object.
func called(t *testing.T, ask httpx.Tool, call httpx.Call) (httpx.Result, map[string]any) {
	t.Helper()
	result := ask.Call(t.Context(), call)
	var object, meta map[string]any
	if err := json.Unmarshal(result.Object, &object); err != nil {
		t.Fatalf("%v: %s", err, result.Object)
	}
	if err := json.Unmarshal(result.Meta, &meta); err != nil || !cmp.Equal(object["_meta"], any(meta)) {
		t.Fatalf("the metadata apart is %s, in the object %v: %v", result.Meta, object["_meta"], err)
	}
	return result, object
}

func TestAskToolHasTheProtocolsSchemaAndTheSitesFilters(t *testing.T) {
	t.Parallel()
	d, _ := fixture(t)
	ask := Tools(d, Config{Title: "The Lamp House", About: "Lamps and how to read by them."})[0]
	if ask.Name != "ask" || ask.Title != "Ask The Lamp House" || !ask.ReadOnly || ask.OpenWorld ||
		len(ask.Description) < 20 {
		t.Errorf("the tool is %+v", ask)
	}
	type object = map[string]any
	var schema object
	if err := json.Unmarshal(ask.Input, &schema); err != nil {
		t.Fatal(err)
	}
	properties, _ := schema["properties"].(object)
	for _, name := range []string{"query", "context", "prefer", "meta"} {
		if section, _ := properties[name].(object); section["type"] != "object" || section["description"] == "" {
			t.Errorf("section %s is %v", name, properties[name])
		}
	}
	query, _ := properties["query"].(object)
	if !cmp.Equal(schema["required"], any([]any{"query"})) || !cmp.Equal(query["required"], any([]any{"text"})) ||
		query["additionalProperties"] != true {
		t.Errorf("required are %v and %v, further attributes %v", schema["required"], query["required"],
			query["additionalProperties"])
	}
	for _, want := range []string{"lamps", "garten", "Product (2)", "Article (2)", "Recipe (1)"} {
		if !strings.Contains(string(ask.Input), want) {
			t.Errorf("the schema does not name %s: %s", want, ask.Input)
		}
	}
	for _, hidden := range []string{"zirconium", "Laser", "drafts"} {
		if strings.Contains(string(ask.Input)+ask.Description, hidden) {
			t.Errorf("the tool tells of what is blocked: %s", hidden)
		}
	}
	if again := Tools(d, Config{Title: "The Lamp House",
		About: "Lamps and how to read by them."})[0]; string(again.Input) != string(ask.Input) {
		t.Error("the schema is not the same twice")
	}
}

func TestAskToolAnswersWithTheObjectOfTheHTTPBinding(t *testing.T) {
	t.Parallel()
	d, _ := fixture(t, 40)
	config := Config{Now: noon}
	ask, handler := Tools(d, config)[0], Handler(d, config)
	for _, arguments := range []string{
		`{"query":{"text":"brass lamp"}}`,
		`{"query":{"text":"lamp","limit":50},"prefer":{"mode":"list, summarize","streaming":false}}`,
		`{"query":{"text":"lamp","site":"lamps","price":"less than 20"},"meta":{"session_context":{"conversation_id":"x"}}}`,
		`{"query":{"text":"lamp"},"prefer":{"response_format":"chatgpt_app"}}`,
		`{"query":{"text":"Rosen"},"prefer":{"response_format":"chatgpt_app","mode":"summarize"}}`,
		`{"query":{"text":"lamp"},"prefer":{"response_format":"pdf"}}`,
		`{"query":{"text":"lamp"},"prefer":{"mode":"teleport"}}`,
		`{"query":{"text":"lamp","site":"nowhere"}}`,
		`{"query":{"text":"xylophone"}}`,
		`{"query":{"text":"xylophone"},"meta":{"session_context":{"conversation_id":"x"}}}`,
		`{"query":{"text":"lamp","site":"nowhere"},"meta":{"session_context":{"conversation_id":"x"}}}`,
		`{"query":{"text":" "}}`,
		`{"query":{"text":"` + strings.Repeat("lamp ", 1000) + `"}}`,
		`{"query":"lamp","prefer":{}}`,
	} {
		// A query that is a text is answered in the flat dialect over HTTP, and here as 0.55
		// answers.
		nested := strings.Replace(arguments, `"query":"lamp"`, `"query":{"text":"lamp"}`, 1)
		w, r := httptest.NewRecorder(), httptest.NewRequest("POST", "/ask", strings.NewReader(nested))
		r.Header.Set("Content-Type", "application/json")
		handler.ServeHTTP(w, r)
		result, _ := called(t, ask, httpx.Call{Arguments: []byte(arguments)})
		if diff := cmp.Diff(strings.TrimSpace(w.Body.String()), string(result.Object)); diff != "" {
			t.Errorf("%s (-/ask +tool):\n%s", arguments, diff)
		}
	}
}

func TestAskToolTellsFailuresFromOutcomes(t *testing.T) {
	t.Parallel()
	d, _ := fixture(t)
	ask := Tools(d, Config{})[0]
	for arguments, want := range map[string]string{
		``: "INVALID_QUERY true", `null`: "INVALID_QUERY true", `{}`: "INVALID_QUERY true",
		`{"query":{"text":3}}`: "INVALID_QUERY true", `{`: "INVALID_QUERY true",
		`{"query":{"text":"xylophone"}}`:                                     "NO_RESULTS false",
		`{"query":{"text":"lamp"},"prefer":{"mode":"teleport"}}`:             "UNSUPPORTED_MODE true",
		`{"query":{"text":"lamp"},"a":"` + strings.Repeat("x", 1<<20) + `"}`: "TOO_LARGE true",
	} {
		result, object := called(t, ask, httpx.Call{Arguments: []byte(arguments)})
		failure, _ := object["error"].(map[string]any)
		if got := fmt.Sprint(failure["code"], " ", result.IsError); got != want || failure["message"] == "" {
			t.Errorf("%.60s: %s %v, want %s", arguments, got, failure["message"], want)
		}
	}
	if result, _ := called(t, ask, httpx.Call{Arguments: []byte(`{"query":{"text":"lamp"}}`)}); result.IsError || result.Text != "" {
		t.Errorf("an answer is %+v", result)
	}
	if result, _ := called(t, ask,
		httpx.Call{Arguments: []byte(`{"query":{"text":"lamp"},"prefer":{"response_format":"chatgpt_app"}}`)}); !strings.Contains(result.Text, "Brass reading lamp") {
		t.Errorf("the text of a chatgpt_app answer is %q", result.Text)
	}
}

func TestAskToolTellsOfItemsAsTheyAreFound(t *testing.T) {
	t.Parallel()
	d, _ := fixture(t, 100)
	ask := Tools(d, Config{})[0]
	for limit, most := range map[int]int{1: 1, 10: 10, 200: maxReports} {
		var steps []int
		last := 0
		_, object := called(t, ask, httpx.Call{
			Arguments: fmt.Appendf(nil, `{"query":{"text":"lamp","limit":%d}}`, limit),
			Progress: func(done, total int, message string) {
				steps, last = append(steps, done), total
				if message == "" {
					t.Error("progress without a word")
				}
			},
		})
		results, _ := object["results"].([]any)
		if len(steps) == 0 || len(steps) > most || !slices.IsSorted(steps) || steps[len(steps)-1] != len(results) ||
			last != len(results) {
			t.Errorf("limit %d: told at %v of %d, and there were %d", limit, steps, last, len(results))
		}
	}
}

func TestAskToolStopsWhenItsCallerLeaves(t *testing.T) {
	t.Parallel()
	d, _ := fixture(t, 100)
	ctx, leave := context.WithCancel(t.Context())
	told := 0
	result := Tools(d, Config{})[0].Call(ctx, httpx.Call{
		Arguments: []byte(`{"query":{"text":"lamp","limit":200}}`),
		Progress: func(int, int, string) {
			told++
			leave()
		},
	})
	if !result.IsError || told > 4 { // the items of a part are found together
		t.Errorf("told %d times, then %s", told, result.Object)
	}
}
