package ask

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/index"
	"frontdesk/internal/infra/llm"
	"frontdesk/internal/policy"
	scripted "frontdesk/internal/testkit/model"
)

func TestMain(m *testing.M) { scripted.Main(m) }

// builtIn is an answer's summary that needs no model; empty when there is none.
func builtIn(t tester, a *Answer) string {
	t.Helper()
	draft, err := a.Draft(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if draft == nil {
		return ""
	}
	return draft.BuiltIn().Text
}

// consult gives a bench a model at a scripted endpoint.
func (b *bench) consult(t *testing.T, endpoint *scripted.Endpoint, change func(*llm.Options)) {
	t.Helper()
	options := llm.Options{URL: endpoint.URL, Chat: "talker",
		Timeouts: map[llm.Use]time.Duration{llm.Rerank: time.Minute, llm.Summarize: time.Minute}}
	if change != nil {
		change(&options)
	}
	client, err := llm.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	b.deps.LLM = client
}

// lamps are items that a question for lamps finds in their order: the earlier ones say it more
// often.
func lamps(site string, n int) []content.Item {
	var items []content.Item
	for i := range n {
		items = append(items, item(site, fmt.Sprintf("lamp/%02d", i), "Product", fmt.Sprintf("Lamp model %c", 'A'+i),
			strings.Repeat("lamp ", n-i)+strings.Repeat("thing ", i)))
	}
	return items
}

// places are the items' addresses in their order.
func places(items []map[string]any) []string {
	var all []string
	for _, item := range items {
		all = append(all, item["url"].(string))
	}
	return all
}

func TestModelPutsTheBestItemsIntoOrder(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	for _, tc := range []struct{ found, limit, ranked, want int }{
		{8, 0, 8, 8},    // all of them
		{25, 0, 20, 10}, // the best of twenty are among the ten
		{25, 25, 20, 25},
		{40, 40, 20, 40}, // more than one part
	} {
		b := newBench(t, "shop")
		b.fill(t, "shop", "s", lamps("shop", tc.found)...)
		plain := places(b.asked(t, Question{Text: "lamp", Limit: max(tc.found, tc.limit)}))
		before := b.asked(t, Question{Text: "lamp", Limit: tc.limit})
		b.consult(t, endpoint, nil)
		after := b.asked(t, Question{Text: "lamp", Limit: tc.limit})
		want := slices.Clone(plain)
		slices.Reverse(want[:tc.ranked]) // as the endpoint does
		if want = want[:tc.want]; !slices.Equal(places(after), want) {
			t.Errorf("%+v: order %v; want %v", tc, places(after), want)
		}
		for i := range after {
			if after[i]["score"] != before[i]["score"] {
				t.Errorf("%+v: place %d has the score %v; want %v as without a model", tc, i, after[i]["score"],
					before[i]["score"])
			}
		}
	}
}

func TestAnswerSaysWhatTheModelDid(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	b := newBench(t, "shop")
	b.fill(t, "shop", "s", lamps("shop", 3)...)
	ask := func() *Answer {
		a, err := answerTo(b.Ask(t.Context(), Question{Text: "lamp"}))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := ask(); a.Model() != nil {
		t.Errorf("without a model: %+v", a.Model())
	}
	b.consult(t, endpoint, func(o *llm.Options) { o.Price = llm.Price{Input: 1e8, Output: 1e8, Currency: "EUR"} })
	a := ask()
	draft, err := a.Draft(t.Context())
	if err != nil || draft == nil || !draft.Waits() {
		t.Fatalf("draft %+v, %v", draft, err)
	}
	s := draft.Write(t.Context(), nil)
	if s.Extractive || len(s.Cited) != 2 || s.Cited[0].URL != "https://shop.example/lamp/02" ||
		!strings.Contains(s.Text, "Lamp model C is worth a look [1].") {
		t.Errorf("summary %+v", s)
	}
	if use := a.Model(); use == nil || use.Uses["rerank"] != "" || use.Uses["summarize"] != "" || len(use.Uses) != 2 ||
		use.Calls != 2 || use.Tokens == 0 || use.Cost == "" || use.Currency != "EUR" {
		t.Errorf("the model did %+v", use)
	}

	endpoint.Set(scripted.Behaviours{Chat: &scripted.Behaviour{Reply: "Nonsense about https://evil.example."}})
	b.fill(t, "shop", "s", lamps("shop", 4)...)
	a = ask()
	draft, err = a.Draft(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s = draft.Write(t.Context(), nil)
	use := a.Model()
	if !s.Extractive || s.Text != builtIn(t, a) || use.Uses["rerank"] != "unusable" ||
		use.Uses["summarize"] != "unusable" {
		t.Errorf("summary %+v, the model did %+v", s, use)
	}
}

// TestOnlyWhatTheTermsAllowGoesToTheModel holds what leaves for the model against the terms: text
// that is no ai-input, and what a notice does not show, stays.
func TestOnlyWhatTheTermsAllowGoesToTheModel(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	b := newBench(t, "shop")
	paid := item("shop", "paid/a", "Product", "Paid lamp", "One lamp lamp lamp SECRETPAID of the lamps.")
	paid.Passages = append(paid.Passages, content.Passage{ID: "p2", Text: "The lamp is SECRETPASSAGE."})
	b.fill(t, "shop", "s", append(lamps("shop", 3), paid,
		item("shop", "mute/a", "Product", "Mute lamp", "lamp lamp lamp SECRETMUTE"),
		item("shop", "blocked/a", "Product", "Blocked lamp", "lamp lamp SECRETBLOCKED"))...)
	b.obey(t,
		policy.Rule{Match: policy.Match{Path: []string{"/blocked/**"}}, Access: policy.Blocked},
		policy.Rule{Match: policy.Match{Path: []string{"/mute/**"}}, Access: policy.Open,
			Functions: policy.Functions{Prohibit: []string{"ai-input"}}},
		policy.Rule{Match: policy.Match{Path: []string{"/paid/**"}}, Access: policy.Licensed,
			Excerpt: policy.Excerpt{Words: 2}},
		policy.Rule{Access: policy.Open})
	plain := places(b.asked(t, Question{Text: "lamp"}))
	b.consult(t, endpoint, nil)
	endpoint.Set(scripted.Behaviours{})
	a, err := answerTo(b.Ask(t.Context(), Question{Text: "lamp"}))
	if err != nil {
		t.Fatal(err)
	}
	draft, err := a.Draft(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	draft.Write(t.Context(), nil)
	requests, _ := endpoint.Requests()
	if len(requests) != 2 {
		t.Fatalf("%d requests came", len(requests))
	}
	for _, request := range requests {
		said := request.Body.Messages[1].Content
		if strings.Contains(said, "SECRET") || strings.Contains(said, "Mute") ||
			!strings.Contains(said, "Lamp model A") {
			t.Errorf("the model is told: %s", said)
		}
	}
	mute := func(order []string) int { return slices.Index(order, "https://shop.example/mute/a") }
	if now := places(b.asked(t, Question{Text: "lamp"})); mute(now) != mute(plain) || slices.Equal(now, plain) {
		t.Errorf("order %v, before %v; want only what the model may read to have moved", now, plain)
	}
}

func TestDeadModelLeavesTheBuiltInAnswer(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	b := newBench(t, "shop")
	b.fill(t, "shop", "s", lamps("shop", 5)...)
	plain := places(b.asked(t, Question{Text: "lamp"}))
	b.consult(t, endpoint, nil)
	endpoint.Kill()
	if got := places(b.asked(t, Question{Text: "lamp"})); !slices.Equal(got, plain) {
		t.Errorf("order %v; want %v", got, plain)
	}
}

// TestModelLiftsNothingDoubtful holds that an item of which a condition cannot be told stays behind
// those that meet it, however much a model likes it.
func TestModelLiftsNothingDoubtful(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	b := newBench(t, "shop")
	items := lamps("shop", 6)
	for i := range items[:4] {
		items[i].Object = fmt.Appendf(nil, `{"@type":"Product","name":%q,"offers":{"price":"%d","priceCurrency":"EUR"}}`, items[i].Name, 10+i)
	}
	b.fill(t, "shop", "s", items...)
	b.consult(t, endpoint, nil)
	under := 20.0
	in := &askState{Question: Question{Text: "lamp"}, caller: caller{tab: b.deps.LLM.WithBudget()}}
	for _, not := range []bool{false, true} { // under 20, and not over it: the latter lets in what has no price
		c := facets.Constraint{Slot: facets.Price, Max: &under, Unit: "EUR"}
		if not {
			c = facets.Constraint{Slot: facets.Price, Min: &under, Unit: "EUR", Not: true}
		}
		in.asked = index.Question{Text: "lamp", Limit: 10, Constraints: []facets.Constraint{c}}
		a := b.find(in, in.wide())
		if whole, err := a.preload(t.Context()); err != nil || !whole {
			t.Fatal(whole, err)
		}
		a.improve(t.Context(), in)
		var got []string
		for r, err := range a.Results(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, r.Name()[len("Lamp model "):])
		}
		want := []string{"D", "C", "B", "A"}
		if not {
			want = append(want, "F", "E")
		}
		if !slices.Equal(got, want) {
			t.Errorf("not %v: order %v; want %v", not, got, want)
		}
	}
}
