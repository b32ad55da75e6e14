package desk

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"frontdesk/internal/ask/actions"
	"frontdesk/internal/content"
	"frontdesk/internal/content/index"
	"frontdesk/internal/policy"
)

// act gives a bench's desk the owner's actions.
func (b *bench) act(t tester, templates ...actions.Template) {
	t.Helper()
	set, err := actions.New(templates, content.IsA)
	if err != nil {
		t.Fatal(err)
	}
	b.config.Actions = set
}

// shown is what anybody is shown of the item at a path.
func (b *bench) shown(t tester, path string) map[string]any {
	t.Helper()
	v := b.corpus.Current()
	for _, l := range v.Directory() {
		if l.URL != address(path) {
			continue
		}
		cards, err := v.Render(context.Background(), []*index.Listing{l})
		if err != nil {
			t.Fatal(err)
		}
		var object map[string]any
		if err := json.Unmarshal(cards[0].As(index.Hit{Listing: l}).AppendJSON(nil), &object); err != nil {
			t.Fatal(err)
		}
		return object
	}
	t.Fatal("no such item is shown")
	return nil
}

func actionsOf(item map[string]any) []string {
	var names []string
	all, _ := item["actions"].([]any)
	for _, a := range all {
		names = append(names, fmt.Sprint(a.(map[string]any)["name"]))
	}
	return names
}

// TestAnswersTellHowALicenceIsHad holds that the actions of selling are told with a licensed item just when a stranger is offered
// it, and never with what is open.
func TestAnswersTellHowALicenceIsHad(t *testing.T) {
	t.Parallel()
	s := newSeller(t)
	s.act(t)
	if err := s.config.Actions.Selling(actions.Template{
		Name: "license", Type: "BuyAction", Description: "License {url}", HTTP: actions.HTTPCall{Method: "POST", Endpoint: "https://desk.example/sell", Params: `{"requester":{"uris":["{url}"]}}`},
	}); err != nil {
		t.Fatal(err)
	}
	s.stock(t, item("site", "lamp", "NewsArticle", "Paper lamp", "A lamp of paper, and of other things that are told of further down."))
	of := func(change func(*policy.Rule)) policy.Rule {
		rule := licensed("/**", cent)
		change(&rule)
		return rule
	}
	for name, c := range map[string]struct {
		rule policy.Rule
		told bool
	}{
		"sold":            {of(func(*policy.Rule) {}), true},
		"free":            {of(func(r *policy.Rule) { r.Price = policy.Price{Model: "free"} }), true},
		"without a price": {of(func(r *policy.Rule) { r.Price = policy.Price{} }), false},
		"with a scope":    {of(func(r *policy.Rule) { r.Scopes = []string{"news:read"} }), false},
		"for search alone": {of(func(r *policy.Rule) {
			r.Functions.Prohibit = []string{"ai-all"}
			r.Functions.Permit = []string{"search"}
		}), true},
		"by streams alone": {of(func(r *policy.Rule) { r.Delivery = []string{"streaming"} }), true},
		"open":             {of(func(r *policy.Rule) { r.Access = policy.Open }), false},
	} {
		s.obey(t, c.rule)
		got := s.shown(t, "lamp")
		if told := fmt.Sprint(actionsOf(got)) == "[license]"; told != c.told {
			t.Errorf("%s: the actions are %v", name, got["actions"])
		}
		if c.rule.Access != policy.Open {
			q := asking(address("lamp"))
			q.Functions = nil
			if offered := s.absent(t, q) == ""; offered != c.told {
				t.Errorf("%s: a stranger is offered it: %v", name, offered)
			}
		}
	}
	s.obey(t, of(func(*policy.Rule) {}))
	params := s.shown(t, "lamp")["actions"].([]any)[0].(map[string]any)["params"]
	if got := fmt.Sprint(params); got != "map[requester:map[uris:["+address("lamp")+"]]]" {
		t.Errorf("the query is for %s", got)
	}
	s.owner.Price = policy.Money{Model: "per_access", Rate: 1, Currency: "USD"}
	s.obey(t, of(func(r *policy.Rule) { r.Price = policy.Price{} }))
	if got := actionsOf(s.shown(t, "lamp")); len(got) != 1 {
		t.Errorf("at the price of all that is licensed: %v", got)
	}
}

// TestNothingIsToldOfSalesWhereNothingIsSold holds the opposite: the same rules without the Exchange.
func TestNothingIsToldOfSalesWhereNothingIsSold(t *testing.T) {
	t.Parallel()
	b := newBench(t, "site")
	b.act(t)
	if err := b.config.Actions.Selling(actions.Template{Name: "license", Description: "License {url}", HTTP: actions.HTTPCall{Method: "POST", Endpoint: "https://desk.example/sell"}}); err != nil {
		t.Fatal(err)
	}
	b.fill(t, "site", "pages", item("site", "lamp", "NewsArticle", "Paper lamp", "A lamp of paper"))
	b.obey(t, licensed("/**", cent))
	if got := b.shown(t, "lamp"); len(actionsOf(got)) != 0 {
		t.Errorf("%v", got)
	}
}
