package nlweb

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/internal/ask"
	"frontdesk/internal/ask/elicitation"
	"frontdesk/internal/ask/session"
	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/storetest"
	wire "frontdesk/wire/nlweb"
)

func TestAQuestionBackIsOneJSONObjectWithEveryKindOfQuestion(t *testing.T) {
	t.Parallel()
	asked := &elicitation.Elicitation{Text: "Tell me more:", Prompts: []elicitation.Prompt{
		{ID: "diet", Text: "Any diet?", Kind: elicitation.MultiSelect, Options: []string{"vegan", "no preference"}},
		{ID: "time", Text: "How long?", Kind: elicitation.SingleSelect, Options: []string{"under 20 minutes", "longer"},
			Default: jsontext.Value(`"longer"`)},
		{ID: "budget", Text: "How much?", Kind: elicitation.Number, Default: jsontext.Value(`20`)},
		{ID: "stock", Text: "In stock only?", Kind: elicitation.Boolean},
		{ID: "else", Text: "Anything \xff else?", Kind: elicitation.FreeText},
	}}
	const want = `{"_meta":{"response_type":"elicitation","version":"0.55","session_context":{"k":1},"processing_time_ms":0},` +
		`"elicitation":{"text":"Tell me more:","questions":[` +
		`{"id":"diet","text":"Any diet?","type":"multi_select","options":["vegan","no preference"]},` +
		`{"id":"time","text":"How long?","type":"single_select","options":["under 20 minutes","longer"],"default":"longer"},` +
		`{"id":"budget","text":"How much?","type":"number","default":20},` +
		`{"id":"stock","text":"In stock only?","type":"boolean"},` +
		`{"id":"else","text":"Anything ` + "\uFFFD" + ` else?","type":"free_text"}]}}`
	d := newDoor(nil, Config{Now: noon})
	x := func() *exchange {
		// A widget is for answers: an elicitation has neither format nor template.
		x := &exchange{start: noon(),
			meta: wire.Meta{Version: wire.Version, ResponseType: wire.TypeAnswer, ResponseFormat: wire.FormatChatGPT}}
		x.meta.SessionContext = []byte(`{"k":1}`)
		x.dress(Widget{Template: "ui://widget"})
		return x
	}
	w := httptest.NewRecorder()
	d.askBack(context.Background(), w, x(), &ask.Reply{Elicitation: asked})
	if got := w.Body.String(); w.Code != 200 || w.Header().Get("Content-Type") != "application/json" ||
		got != want+"\n" {
		t.Errorf("%d %s\n got %s\nwant %s", w.Code, w.Header().Get("Content-Type"), got, want)
	}
	result := d.compose(context.Background(), x(), &ask.Reply{Elicitation: asked}, nil).result()
	if string(result.Object) != want || result.IsError {
		t.Errorf("as a tool's result: failed %t\n got %s\nwant %s", result.IsError, result.Object, want)
	}
	if meta := `{"response_type":"elicitation","version":"0.55","session_context":{"k":1},"processing_time_ms":0}`; string(result.Meta) != meta {
		t.Errorf("the result's metadata is %s, want %s", result.Meta, meta)
	}
}

// vagueFixture answers from many recipes that are much alike, which asks back for a diet and a
// time.
func vagueFixture(t *testing.T) *ask.Service {
	t.Helper()
	ctx := context.Background()
	db := storetest.Chosen(t, content.Schema)
	catalog := content.New(db, content.Options{})
	run, err := catalog.Begin(ctx, "kitchen", "files")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		diet := []string{"VeganDiet", "VegetarianDiet", "GlutenFreeDiet"}[i%3]
		err := run.Put(ctx, thing(fmt.Sprintf("https://kitchen.example/%d", i), "Recipe", "en",
			fmt.Sprintf("Dinner number %d", i), "Something for dinner.",
			fmt.Sprintf(`"totalTime":"PT%dM","suitableForDiet":"https://schema.org/%s"`, 5+5*i, diet)))
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := run.Commit(ctx, content.CommitOptions{}); err != nil {
		t.Fatal(err)
	}
	rules, err := policy.New([]policy.Rule{{Access: policy.Open}})
	if err != nil {
		t.Fatal(err)
	}
	return answering(t, contentOf(t, db, rules, released.Site{ID: "kitchen"}), ask.Deps{
		Conversations: session.NewConversations(
			session.ConversationOptions{Secret: []byte("0123456789abcdef0123456789abcdef"), Now: noon}),
		Elicitation: elicitation.New(elicitation.Config{Mode: elicitation.Slots, Rounds: 2, Questions: 1, MoreThan: 5,
			Words: 2, Slots: []elicitation.Slot{
				{ID: "diet", Text: "Any diet?", Kind: "multi_select", Options: []string{"vegan", "vegetarian"},
					Filter: "suitableForDiet"},
				{ID: "time", Text: "How long?", Kind: "single_select", Options: []string{"under 20 minutes", "longer"},
					Filter: "totalTime"},
				{ID: "more", Text: "Anything else?", Kind: "free_text"},
			}}),
	})
}

// ask posts a body and returns the answer as it came and as it is understood.
func asking(t *testing.T, h http.Handler, body string, headers ...string) (*httptest.ResponseRecorder, wire.Response) {
	t.Helper()
	r := httptest.NewRequest("POST", "/ask", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	var response wire.Response
	_ = json.Unmarshal(w.Body.Bytes(), &response) // a stream is none
	return w, response
}

func questions(r wire.Response) string {
	if r.Elicitation == nil {
		return r.Meta.ResponseType
	}
	var ids []string
	for _, q := range r.Elicitation.Questions {
		ids = append(ids, q.ID)
	}
	return strings.Join(ids, ",")
}

func TestAConversationIsAskedBackTwiceAtMostAndNeverTheSame(t *testing.T) {
	t.Parallel()
	h := Handler(vagueFixture(t), Config{Now: noon})
	const vague = `{"query":{"text":"something for dinner"%s},"prefer":{"streaming":true},"meta":{"session_context":%s}}`
	w, first := asking(t, h, fmt.Sprintf(vague, "", "{}"), "Accept", "text/event-stream")
	if got := questions(first); got != "diet" || w.Code != 200 ||
		w.Header().Get("Content-Type") != "application/json" || first.Results != nil {
		t.Fatalf("%d %s asks %q: %s", w.Code, w.Header().Get("Content-Type"), got, w.Body)
	}
	_, second := asking(t, h, fmt.Sprintf(vague, `,"diet":["vegan"]`, first.Meta.SessionContext))
	if got := questions(second); got != "time" {
		t.Fatalf("with the diet and the session it asks %q", got)
	}
	w, third := asking(t, h, fmt.Sprintf(vague, `,"diet":["vegan"],"time":"longer"`, second.Meta.SessionContext))
	if !strings.Contains(w.Body.String(), "event: start") {
		t.Errorf("after two rounds it asks %q: %s", questions(third), w.Body)
	}
	w, _ = asking(t, h, fmt.Sprintf(vague, `,"diet":["no preference"]`, first.Meta.SessionContext))
	if !strings.Contains(w.Body.String(), "event: start") {
		t.Errorf("no preference is answered with %s", w.Body)
	}
	_, unanswered := asking(t, h, fmt.Sprintf(vague, "", first.Meta.SessionContext))
	if got := questions(unanswered); got != "time" {
		t.Errorf("asked once more without an answer it asks %q, which must not be the diet again", got)
	}
	_, stranger := asking(t, h, fmt.Sprintf(vague, "", `{"conversation_id":"x","state_token":"forged"}`))
	if got := questions(stranger); got != "diet" {
		t.Errorf("with a forged state it asks %q", got)
	}
}

func TestWhatIsNotVagueIsAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	h := Handler(vagueFixture(t), Config{Now: noon})
	for name, body := range map[string]string{
		"an exact name":           `{"query":{"text":"Dinner number 7"}}`,
		"enough words of its own": `{"query":{"text":"something number for dinner 3"}}`,
		"answers in a context":    `{"query":{"text":"something for dinner"},"context":{"answers":{"diet":"any"}}}`,
		"the flat dialect":        `{"query":"something for dinner","streaming":false}`,
		"who wants answers only":  `{"query":{"text":"something for dinner"},"prefer":{"elicitation":false}}`,
	} {
		w, response := asking(t, h, body)
		if response.Elicitation != nil || len(response.Results) == 0 {
			t.Errorf("%s: %s", name, w.Body)
		}
	}
}

func TestAnAnswerInAContextIsHeededAndNotToldAsIgnored(t *testing.T) {
	t.Parallel()
	h := Handler(vagueFixture(t), Config{Now: noon})
	for _, context := range []string{`{"more":"with number 3"}`, `{"answers":{"more":"with number 3"}}`, `{"time":"under 20 minutes"}`} {
		_, response := asking(t, h, `{"query":{"text":"something for dinner"},"prefer":{"elicitation":false},"context":`+context+`}`)
		if len(response.Meta.Ignored) > 0 || len(response.Results) == 0 {
			t.Errorf("%s: ignored are %v, there are %d results", context, response.Meta.Ignored, len(response.Results))
		}
	}
	_, response := asking(t, h, `{"query":{"text":"something for dinner"},"prefer":{"elicitation":false},"context":{"mood":"calm"}}`)
	if len(response.Meta.Ignored) != 1 {
		t.Errorf("what nobody asked for is not told as ignored: %v", response.Meta.Ignored)
	}
}

func TestTheToolAsksBackAsTheHTTPBindingDoes(t *testing.T) {
	t.Parallel()
	result := Tools(vagueFixture(t), Config{Now: noon})[0].Call(context.Background(), httpx.Call{Arguments: []byte(`{"query":{"text":"something for dinner"}}`)})
	var response wire.Response
	if err := json.Unmarshal(result.Object, &response); err != nil || questions(response) != "diet" || result.IsError ||
		!strings.Contains(string(result.Meta), `"elicitation"`) {
		t.Errorf("%v, failed %t, %s, meta %s", err, result.IsError, result.Object, result.Meta)
	}
}

func TestAnElicitationIsAFormForAPerson(t *testing.T) {
	t.Parallel()
	asked := &wire.Elicitation{Questions: []wire.Question{
		{ID: "diet", Text: "Diet?", Type: "multi_select", Options: []string{"vegan", "none"}},
		{ID: "time", Text: "Time?", Type: "single_select", Options: []string{"short", "long"}},
		{ID: "people", Text: "People?", Type: "number"}, {ID: "quick", Text: "Quick?", Type: "boolean"},
		{ID: "more", Text: "More?", Type: "free_text"},
	}}
	f := form(asked, []byte(`{"conversation_id":"c"}`))
	const want = `{"properties":{"diet":{"items":{"enum":["vegan","none"],"type":"string"},"title":"Diet?","type":"array"},"more":{"title":"More?","type":"string"},` +
		`"people":{"title":"People?","type":"number"},"quick":{"title":"Quick?","type":"boolean"},"time":{"enum":["short","long"],"title":"Time?","type":"string"}},"type":"object"}`
	if string(f.Schema) != want || f.Message != "Diet?" || f.State != `{"conversation_id":"c"}` {
		t.Errorf("%s, %q, %q", f.Schema, f.Message, f.State)
	}
	for _, row := range []struct{ arguments, state, want string }{
		{`{"query":{"text":"supper"}}`, f.State, `{"diet":["vegan"],"people":4,"text":"supper"} {"conversation_id":"c"}`},
		{`{"query":{"text":"supper","people":2},"meta":{"user":"u"}}`, f.State, `{"diet":["vegan"],"people":2,"text":"supper"} {"conversation_id":"c"}`},
		{`{"query":{"text":"supper"}}`, "no object", `{"diet":["vegan"],"people":4,"text":"supper"} `},
	} {
		filled := fill([]byte(row.arguments), row.state, map[string]any{"diet": []any{"vegan"}, "people": 4})
		request, err := wire.DecodeAsk(filled)
		if err != nil {
			t.Fatalf("%s: %v", filled, err)
		}
		query := marshal(request.Query)
		var members map[string]any
		if err := json.Unmarshal(query, &members); err != nil {
			t.Fatal(err)
		}
		sorted, err := json.Marshal(members)
		if got := string(sorted) + " " + string(request.Meta.SessionContext); err != nil || got != row.want {
			t.Errorf("%s is filled as %s, want %s", row.arguments, got, row.want)
		}
	}
	for _, odd := range []string{`[]`, `{"query":7}`, `{"query":{},"meta":[]}`} {
		if got := string(fill([]byte(odd), "", map[string]any{"a": 1})); got != odd {
			t.Errorf("%s becomes %s", odd, got)
		}
	}
}
