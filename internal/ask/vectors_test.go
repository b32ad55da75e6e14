package ask

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/ask/nearness"
	"frontdesk/internal/content"
	"frontdesk/internal/content/search"
	"frontdesk/internal/content/vector"
	"frontdesk/internal/infra/llm"
	"frontdesk/internal/policy"
	scripted "frontdesk/internal/testkit/model"
)

// pointing gives a bench vectors from a scripted endpoint, whose texts resemble each other as far
// as they share groups of letters.
func (b *bench) pointing(t *testing.T, endpoint *scripted.Endpoint) {
	t.Helper()
	b.consult(t, endpoint, func(o *llm.Options) {
		o.Chat, o.Embedding = "", "pointer"
		o.Timeouts = map[llm.Use]time.Duration{llm.Embed: time.Minute}
	})
	vectors, err := nearness.New(nearness.Deps{
		Keeper: vector.New(vector.Options{Catalog: b.content.Catalog, DB: b.db, Model: b.deps.LLM}),
		Corpus: b.content.Corpus, Fusion: search.DefaultFusion, Apart: 0.95,
	})
	if err != nil {
		t.Fatal(err)
	}
	b.vectors = vectors
	b.deps.Reading.MinScore = search.DefaultMinScore
	b.pointed(t)
}

// pointed brings the vectors up to the content.
func (b *bench) pointed(t *testing.T) {
	t.Helper()
	if _, err := b.vectors.(*nearness.Vectors).Step(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// wares are two kettles, and many things that resemble them no more than by chance.
func wares(site string) []content.Item {
	items := []content.Item{
		item(site, "kettle", "Product", "Copper kettle", "A copper kettle."),
		item(site, "pot", "Product", "Iron kettle", "An iron kettle."),
	}
	r := rand.New(rand.NewPCG(3, 3))
	word := func() string {
		letters := make([]byte, 4+r.IntN(6))
		for i := range letters {
			letters[i] = "abdefghiklmnoprstuvwyz"[r.IntN(22)]
		}
		return string(letters)
	}
	for i := range 120 {
		items = append(items,
			item(site, fmt.Sprintf("other/%03d", i), "Product", word()+" "+word(), strings.Repeat(word()+" ", 3)))
	}
	return items
}

// alike is a question that shares letters with the kettles, and no word.
var alike = Question{Text: "ettl oppe pper"}

func (b *bench) found(t *testing.T, q Question) ([]string, *ModelUse) {
	t.Helper()
	reply, err := b.Ask(context.Background(), q)
	if err != nil {
		return nil, reply.Model()
	}
	var all []string
	for r, err := range reply.Answer.Results(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, strings.TrimPrefix(r.URL(), "https://shop.example/"))
	}
	return all, reply.Model()
}

func TestItemsAreFoundByMeaningBesideWords(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	b := newBench(t, "shop")
	b.fill(t, "shop", "s", wares("shop")...)
	if got, _ := b.found(t, alike); len(got) > 0 && got[0] == "kettle" {
		t.Fatalf("by words alone: %v; want the copper kettle not first", got)
	}
	b.pointing(t, endpoint)
	got, use := b.found(t, alike)
	if len(got) == 0 || got[0] != "kettle" {
		t.Errorf("found %v; want the copper kettle first", got)
	}
	if reason, tried := use.Uses["embed"]; !tried || reason != "" || use.Calls != 1 || use.Tokens == 0 {
		t.Errorf("the model did %+v", use)
	}
	if _, use = b.found(t, alike); use.Calls != 0 || use.Uses["embed"] != "" {
		t.Errorf("asked again, the model did %+v; want no call", use)
	}
	if got, _ := b.found(t, Question{Text: "cajun jacquard quicksilver jinx"}); got != nil {
		t.Errorf("what resembles nothing finds %v", got)
	}
	if got, _ := b.found(t, Question{Text: "iron kettle"}); len(got) == 0 || got[0] != "pot" {
		t.Errorf("found %v; want what has the words first", got)
	}
	if got, _ := b.found(t, Question{Text: alike.Text, Types: []string{"Recipe"}}); got != nil {
		t.Errorf("of another type: %v", got)
	}

	b.fill(t, "shop", "s", wares("shop")[1:]...) // the copper kettle is gone, and the vectors do not know yet
	if got, _ := b.found(t, alike); slices.Contains(got, "kettle") {
		t.Errorf("what is gone is found: %v", got)
	}
	b.pointed(t)
	if got, _ := b.found(t, Question{Text: "kettledrums ironware"}); len(got) == 0 || got[0] != "pot" {
		t.Errorf("after a change: %v", got)
	}
}

// TestWhateverTheEndpointDoesAQuestionIsAnsweredByItsWords holds answers against those without a
// model, byte for byte.
func TestWhateverTheEndpointDoesAQuestionIsAnsweredByItsWords(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	b := newBench(t, "shop")
	b.fill(t, "shop", "s", wares("shop")...)
	b.deps.Reading.MinScore = search.DefaultMinScore
	question := Question{Text: "copper kettle"}
	plain := b.asked(t, question)
	b.pointing(t, endpoint)
	for mode, tc := range map[string]struct {
		behaviour scripted.Behaviour
		reason    string
	}{
		"slow":           {scripted.Behaviour{Mode: "stall"}, "slow"},
		"half":           {scripted.Behaviour{Mode: "half"}, "slow"},
		"fails":          {scripted.Behaviour{Mode: "status", Status: 500}, "failed"},
		"limits":         {scripted.Behaviour{Mode: "status", Status: 429}, "limited"},
		"no numbers":     {scripted.Behaviour{Mode: "nan"}, "garbled"},
		"no direction":   {scripted.Behaviour{Mode: "zero"}, "garbled"},
		"another length": {scripted.Behaviour{Dimensions: 13}, "garbled"},
		"garbage":        {scripted.Behaviour{Mode: "garbage"}, "garbled"},
		"endless":        {scripted.Behaviour{Mode: "endless"}, "garbled"},
	} {
		endpoint.Set(scripted.Behaviours{Embed: &tc.behaviour})
		b.consult(t, endpoint, func(o *llm.Options) {
			o.Chat, o.Embedding, o.Timeouts = "", "pointer",
				map[llm.Use]time.Duration{llm.Embed: 150 * time.Millisecond}
		})
		if got := b.asked(t, question); fmt.Sprint(got) != fmt.Sprint(plain) {
			t.Errorf("%s: %v; want %v", mode, got, plain)
		}
		reply, err := b.Ask(t.Context(), question)
		if err != nil {
			t.Fatal(err)
		}
		got := reply.Model().Uses["embed"]
		later := map[string][]string{"endless": {"too long", "slow"}, "limits": {"resting"}}[mode]
		if got != tc.reason && !slices.Contains(later, got) {
			t.Errorf("%s: the model's part is %q; want %q", mode, got, tc.reason)
		}
	}
}

func TestOnlyTextThatTheTermsAllowAsInputBecomesAVector(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	b := newBench(t, "shop")
	paid := item("shop", "paid/a", "Product", "Paid lamp", "One two SECRETPAID three.")
	paid.Passages = append(paid.Passages, content.Passage{ID: "p2", Text: "More SECRETPASSAGE."})
	within := item("shop", "within", "LiveBlogPosting", "Ticker", "A SECRETWITHIN text.")
	within.Object = []byte(`{"@type":"LiveBlogPosting","name":"Ticker","description":"Own text.","liveBlogUpdate":[{"@type":"BlogPosting","url":"/blocked/1"}]}`)
	b.fill(t, "shop", "s", append(wares("shop"), paid, within,
		item("shop", "mute/a", "Product", "Mute lamp", "SECRETMUTE"),
		item("shop", "blocked/a", "Product", "Blocked lamp", "SECRETBLOCKED"))...)
	b.fill(t, "former", "s", item("former", "x", "Product", "SECRETSITE", "SECRETSITE"))
	rules := []policy.Rule{
		{Match: policy.Match{Path: []string{"/blocked/**"}}, Access: policy.Blocked},
		{Match: policy.Match{Path: []string{"/mute/**"}}, Access: policy.Open,
			Functions: policy.Functions{Prohibit: []string{"ai-input"}}},
		{Match: policy.Match{Path: []string{"/paid/**"}}, Access: policy.Licensed, Excerpt: policy.Excerpt{Words: 2},
			Functions: policy.Functions{Permit: []string{"search", "ai-input"}}},
		{Access: policy.Open},
	}
	b.obey(t, rules...)
	b.pointing(t, endpoint)
	requests, _ := endpoint.Requests()
	var sent []string
	for _, r := range requests {
		sent = append(sent, r.Body.Input...)
	}
	all := strings.Join(sent, "|")
	if strings.Contains(all, "SECRET") || strings.Contains(all, "Mute") || strings.Contains(all, "Blocked") {
		t.Errorf("text left that must not: %s", all)
	}
	for _, want := range []string{"Paid lamp One two …", "Ticker Own text.", "Copper kettle A copper kettle."} {
		if !slices.Contains(sent, want) {
			t.Errorf("%q was not sent", want)
		}
	}

	if got, _ := b.found(t, alike); len(got) == 0 || got[0] != "kettle" {
		t.Fatalf("found %v", got)
	}
	mute := policy.Rule{Match: policy.Match{Path: []string{"/kettle"}}, Access: policy.Open,
		Functions: policy.Functions{Prohibit: []string{"ai-input"}}}
	b.obey(t, append([]policy.Rule{mute}, rules...)...)
	if got, _ := b.found(t, alike); slices.Contains(got, "kettle") { // the vectors have not followed yet
		t.Errorf("found %v by text that must no longer be input", got)
	}
	b.pointed(t)
	if got, _ := b.found(t, alike); slices.Contains(got, "kettle") {
		t.Errorf("found %v by text that must no longer be input", got)
	}
	if got, _ := b.found(t, Question{Text: "iron kettle"}); !slices.Contains(got, "pot") {
		t.Errorf("found %v", got)
	}
}
