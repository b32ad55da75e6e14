package nlweb

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/ask"
	"frontdesk/internal/ask/elicitation"
	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/ask/session"
	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/storetest"
	wire "frontdesk/wire/nlweb"
)

// foreign answers from a site in a language that nobody speaks, so that every word of another is
// our own.
func foreign(t *testing.T) *ask.Service {
	t.Helper()
	ctx := context.Background()
	db := storetest.Chosen(t, content.Schema, session.PromiseSchema)
	catalog := content.New(db, content.Options{})
	run, err := catalog.Begin(ctx, "zorvik", "files")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 24 {
		diet := []string{"VeganDiet", "VegetarianDiet", "GlutenFreeDiet"}[i%3]
		items := []content.Item{
			thing(fmt.Sprintf("https://zorvik.example/r/%d", i), "Recipe", "", fmt.Sprintf("Mirelu tavok %s", names[i]),
				"Brinolu kasteb ulvoma.", fmt.Sprintf(
					`"totalTime":"PT%dM","suitableForDiet":"https://schema.org/%s","aggregateRating":{"ratingValue":%d.5,"ratingCount":7},"recipeIngredient":["milk","vurbo"],"offers":{"price":%d,"priceCurrency":"EUR"}`,
					5+5*i, diet, 1+i%4, 1000+i)),
			thing(fmt.Sprintf("https://zorvik.example/e/%d", i), "Event", "", fmt.Sprintf("Feltri dagomu %s", names[i]),
				"Ruvano selti.", fmt.Sprintf(
					`"startDate":"2026-12-%02dT19:30:00Z","offers":{"price":12.5,"priceCurrency":"EUR","availability":"https://schema.org/InStock"}`, 1+i)),
		}
		if err := run.Put(ctx, items...); err != nil {
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
	promises, err := session.NewPromises(db,
		session.PromiseOptions{Secret: make([]byte, 32), Keep: time.Hour, Each: 100, Kept: 100, All: 100})
	if err != nil {
		t.Fatal(err)
	}
	corpus := contentOf(t, db, rules, released.Site{ID: "zorvik"}, released.Site{ID: "leerlo"})
	later, err := ask.NewPromises(ask.PromiseDeps{
		Store: promises, Corpus: corpus, After: time.Hour,
		Slow: []ask.Slow{{Words: "lenturo", For: time.Hour}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return answering(t, corpus, ask.Deps{
		Now: noon, Promises: later,
		Conversations: session.NewConversations(
			session.ConversationOptions{Secret: []byte("0123456789abcdef0123456789abcdef"), Now: noon}),
		Elicitation: elicitation.New(
			elicitation.Config{Mode: elicitation.Auto, Rounds: 2, Questions: 3, MoreThan: 5, Words: 2}),
	})
}

// names are words of no language.
var names = strings.Fields("abo ceda difu gaho kelju lumri nasko obrati pexu quvo razdi sumpa tevlo umbri vaxo wulda " +
	"xefti yorba zimlu aklo bendu corvi dolma estru")

// outcomes are questions, each with what becomes of it and a word that says so in English.
var outcomes = []struct{ name, body, outcome, english string }{
	{"a list with conditions and an order", `{"query":{"text":"mirelu","price":{"max":1010,"unit":"EUR"},"suitableForDiet":"VeganDiet","totalTime":{"max":90},"sort":{"by":"price","order":"ascending"},"limit":3}}`, "answer", "at most"},
	{"what is not wanted, days and places", `{"query":{"text":"feltri","startDate":"2026-12-05","availability":"InStock"}}`, "answer", "5 December 2026"},
	{"a summary", `{"query":{"text":"mirelu tavok","sort":"price"},"prefer":{"mode":"list, summarize"}}`, "answer", "recipes"},
	{"a summary of days", `{"query":{"text":"feltri dagomu","sort":"startDate"},"prefer":{"mode":"list, summarize"}}`, "answer", "events"},
	{"a report", `{"query":{"text":"*"},"prefer":{"mode":"report"}}`, "answer", "items match"},
	{"texts for a chat", `{"query":{"text":"mirelu tavok","sort":"price"},"prefer":{"response_format":"chatgpt_app"}}`, "answer", "Recipe"},
	{"a summary for a chat", `{"query":{"text":"mirelu tavok","sort":"price"},"prefer":{"response_format":"chatgpt_app","mode":"summarize"}}`, "answer", "recipes"},
	{"conditions that give way", `{"query":{"text":"mirelu tavok","price":{"max":3,"unit":"EUR"},"sort":"price"},"prefer":{"closest":true}}`, "answer", "at most"},
	{"conditions that nothing meets", `{"query":{"text":"mirelu tavok","price":{"max":3,"unit":"EUR"},"sort":"price"}}`, "failure", "at most"},
	{"a detail", `{"query":{"text":"how long does mirelu tavok abo take"}}`, "answer", "takes"},
	{"a diet that is broken", `{"query":{"text":"is mirelu tavok ceda vegan"}}`, "answer", "contains dairy"},
	{"an ingredient", `{"query":{"text":"does mirelu tavok abo contain milk"}}`, "answer", "lists"},
	{"a comparison", `{"query":{"text":"compare mirelu tavok abo and mirelu tavok ceda"}}`, "answer", "lowest"},
	{"a day", `{"query":{"text":"when is feltri dagomu abo"}}`, "answer", "1 December 2026"},
	{"a spelling", `{"query":{"text":"mireluu tavok abo","sort":"price"}}`, "answer", "by price"},
	{"a number", `{"query":{"text":"top 3 mirelu tavok"}}`, "answer", "3 results"},
	{"a question back", `{"query":{"text":"mirelu"}}`, "elicitation", "no preference"},
	{"nothing", `{"query":{"text":"qqqzz"}}`, "failure", "Nothing here matches"},
	{"nothing of a type", `{"query":{"text":"qqqzz","itemType":"Recipe"}}`, "failure", "Nothing here of type"},
	{"nothing on a site", `{"query":{"text":"mirelu","site":"leerlo"}}`, "failure", "Nothing on leerlo"},
	{"nothing in a stream", `{"query":{"text":"qqqzz"},"prefer":{"streaming":true}}`, "failure", "Nothing here matches"},
	{"a stream with a summary", `{"query":{"text":"feltri dagomu","sort":"price"},"prefer":{"streaming":true,"mode":"list, summarize"}}`, "answer", "events"},
	{"no more", `{"query":{"text":"more","limit":30},"context":{"prev":["mirelu tavok abo"]}}`, "failure", "nothing more"},
	{"no such place", `{"query":{"text":"the 70th one"},"context":{"prev":["feltri dagomu"]}}`, "failure", "no such item"},
	{"a promise", `{"query":{"text":"lenturo mirelu"},"prefer":{"elicitation":false}}`, "promise", "waits"},
	{"a question that is too long", `{"query":{"text":"` + strings.Repeat("x", 4001) + `"}}`, "failure", "characters"},
}

var (
	word     = regexp.MustCompile(`\p{L}{2,}`)
	elsewise = strings.Fields("the of is are this that here there nothing not and or with without for from at it its " +
		"an question answer try again ask other words time results " +
		"recipe recipes event events item items product products dairy meat")
)

// englishOnly gives the words that we have in English and not in a language.
func englishOnly(language string) map[string]bool {
	only := map[string]bool{}
	at := 0
	for i, l := range i18n.Languages {
		if l == language {
			at = i
		}
	}
	for _, w := range elsewise {
		only[w] = true
	}
	for _, said := range i18n.All() {
		for _, w := range word.FindAllString(said[0], -1) {
			only[strings.ToLower(w)] = true
		}
	}
	for _, said := range i18n.All() {
		for _, w := range word.FindAllString(said[at], -1) {
			delete(only, strings.ToLower(w))
		}
	}
	if thing := (i18n.For(language)).Kind("Product"); language != "en" {
		delete(only, strings.ToLower(thing))
	}
	return only
}

// ours gathers the texts of a response that are for reading: not names of members, values of the
// items or the question.
func ours(v any, under string) []string {
	var texts []string
	switch v := v.(type) {
	case map[string]any:
		typ, _ := v["@type"].(string)
		for name, member := range v {
			switch {
			case under == "item" && (name != "text" || typ != ask.TypeReport && typ != wire.TypeSummary):
			case name == "results":
				for _, item := range member.([]any) {
					texts = append(texts, ours(item, "item")...)
				}
			case name == "text", name == "answer", name == "message", name == "options":
				texts = append(texts, ours(member, "text")...)
			case name != "structuredData":
				texts = append(texts, ours(member, name)...)
			}
		}
	case []any:
		for _, one := range v {
			texts = append(texts, ours(one, under)...)
		}
	case string:
		if under == "text" {
			texts = append(texts, v)
		}
	}
	return texts
}

// read gives the objects of an answer: one, or those of its events.
func read(t *testing.T, w *httptest.ResponseRecorder) (all []any) {
	t.Helper()
	var docs []string
	for line := range strings.Lines(w.Body.String()) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			docs = append(docs, data)
		}
	}
	if docs == nil {
		docs = []string{w.Body.String()}
	}
	for _, doc := range docs {
		var v map[string]any
		if err := json.Unmarshal([]byte(doc), &v); err != nil {
			t.Fatalf("%v: %s", err, doc)
		}
		if item, ok := v["item"]; ok {
			all = append(all, map[string]any{"results": []any{item}})
			continue
		}
		all = append(all, v)
	}
	return all
}

func TestEveryOutcomeIsToldInTheLanguageAskedFor(t *testing.T) {
	t.Parallel()
	d := foreign(t)
	h, await := Handler(d, Config{Now: noon}), Await(d, Config{Now: noon})
	for _, language := range i18n.Languages {
		foreign := englishOnly(language)
		check := func(t *testing.T, all []any, english string) {
			t.Helper()
			said := strings.Join(ours(all, ""), " | ")
			if language == "en" {
				if !strings.Contains(said, english) {
					t.Errorf("%q is not in %q", english, said)
				}
				return
			}
			if said == "" {
				t.Error("nothing is said")
			}
			for _, w := range word.FindAllString(said, -1) {
				if foreign[strings.ToLower(w)] {
					t.Errorf("%q is said in %s: %s", w, language, said)
				}
			}
		}
		for _, o := range outcomes {
			t.Run(language+"/"+o.name, func(t *testing.T) {
				w, _ := asking(t, h, o.body, "Accept-Language", language+"-XX,"+language+";q=0.9,sv;q=0.1")
				all := read(t, w)
				meta := all[len(all)-1].(map[string]any)["_meta"].(map[string]any)
				if meta["response_type"] != o.outcome || meta["language"] != language {
					t.Fatalf("%v in the language %v: %s", meta["response_type"], meta["language"], w.Body)
				}
				check(t, all, o.english)
			})
		}
		t.Run(language+"/promises", func(t *testing.T) {
			_, promised := asking(t, h, `{"query":{"text":"lenturo mirelu"},"prefer":{"elicitation":false,"accept-language":"`+language+`"}}`, "Accept-Language", "sv")
			token := `{"promise_token":"` + promised.Promise.Token + `","action":"`
			for _, step := range []struct{ body, english string }{
				{token + `checkin"}`, "waits for its turn"}, {token + `cancel"}`, "taken back"}, {`{"promise_token":"` + strings.Repeat("a", 26) + `","action":"checkin"}`, "mistyped"},
			} {
				w, _ := asking(t, await, step.body, "Accept-Language", language)
				check(t, read(t, w), step.english)
			}
		})
		t.Run(language+"/a tool", func(t *testing.T) {
			var told []string
			result := Tools(d, Config{Now: noon})[0].Call(t.Context(), httpx.Call{
				Arguments: []byte(`{"query":{"text":"mirelu tavok","sort":"price","limit":4},"prefer":{"accept-language":"` + language + `","response_format":"chatgpt_app"}}`),
				Progress:  func(_, _ int, message string) { told = append(told, message) },
			})
			check(t,
				[]any{map[string]any{"text": result.Text}, map[string]any{"text": strings.Join(told, " ")}}, "1 of 4")

			// The transport's languages count where the arguments name none.
			result = Tools(d, Config{Now: noon})[0].Call(t.Context(),
				httpx.Call{Arguments: []byte(`{"query":{"text":"qqqzz"}}`), Languages: language + ",en;q=0.5"})
			var failed wire.Response
			if err := json.Unmarshal(result.Object, &failed); err != nil || failed.Meta.Language != language {
				t.Errorf("a caller that reads %s is told %s (%v)", language, result.Object, err)
			}
			result = Tools(d, Config{Now: noon})[1].Call(t.Context(), httpx.Call{
				Arguments: []byte(`{"promise_token":"` + strings.Repeat("a", 26) + `","action":"checkin"}`), Languages: language,
			})
			var none any
			if err := json.Unmarshal(result.Object, &none); err != nil {
				t.Fatal(err)
			}
			check(t, []any{none}, "mistyped")
		})
	}
}

func TestThePreferenceOutweighsTheHeaderAndTheLanguageIsStatedWhenOneIsPreferred(t *testing.T) {
	t.Parallel()
	h := Handler(foreign(t), Config{Now: noon})
	for _, row := range []struct{ prefer, header, want, says string }{
		{"", "", "", "Nothing here"},
		{"de", "fr", "de", "Dazu gibt es hier nichts"},
		{"", "fr-CA", "fr", "Rien ici"},
		{"sv", "de", "en", "Nothing here"}, // of what is preferred, nothing is spoken here
		{"sv, es;q=0.5", "", "es", "Aquí nada"},
	} {
		prefer := ""
		if row.prefer != "" {
			prefer = `"accept-language":"` + row.prefer + `"`
		}
		headers := []string{}
		if row.header != "" {
			headers = []string{"Accept-Language", row.header}
		}
		_, got := asking(t, h, `{"query":{"text":"qqqzz"},"prefer":{`+prefer+`}}`, headers...)
		if got.Meta.Language != row.want || !strings.HasPrefix(got.Error.Message, row.says) {
			t.Errorf("prefer %q, header %q: %q, in %q", row.prefer, row.header, got.Error.Message, got.Meta.Language)
		}
	}
	// What is wrong with a request is for those who write programs, and in English.
	if _, got := asking(t, h,
		`{"query":{"text":"mirelu","site":"nowhere"},"prefer":{"accept-language":"de"}}`); got.Meta.Language != "en" || !strings.Contains(got.Error.Message, "is not served here") {
		t.Errorf("%+v %+v", got.Meta, got.Error)
	}
}
