package ask

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"frontdesk/internal/ask/actions"
	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/contenttest"
	"frontdesk/internal/testkit/saletest"
)

// acting is a bench whose sites have the owner's actions.
func acting(t testing.TB, sites []string, templates ...actions.Template) *bench {
	t.Helper()
	set, err := actions.New(templates, content.IsA)
	if err != nil {
		t.Fatal(err)
	}
	return benchWith(t, released.Deps{
		Sites: contenttest.Sites(sites...),
		Actions: func(of policy.Facts, sold bool, object []byte) (told []byte, some bool) {
			return set.Append(nil, of, sold, object)
		},
	})
}

// withPotential is an item that names an action of its own.
func withPotential(site, path, name string) content.Item {
	i := item(site, path, "Product", name, "A lamp of folded paper whose text is for subscribers alone, all of it.")
	object := map[string]any{
		"@type": "Product", "url": i.URL, "name": name, "sku": "SKU-" + path,
		"potentialAction": map[string]any{"@type": "BuyAction", "target": i.URL + "/buy"},
	}
	i.Object, _ = json.Marshal(object)
	return i
}

func actionsOf(item map[string]any) []string {
	var names []string
	all, _ := item["actions"].([]any)
	for _, a := range all {
		names = append(names, fmt.Sprint(a.(map[string]any)["name"]))
	}
	return names
}

func TestActionsAreToldWithTheItemsThatTheyMatch(t *testing.T) {
	t.Parallel()
	b := acting(t, []string{"shop", "garden"}, actions.Template{
		Match: policy.Match{Site: []string{"shop"}, Type: []string{"Product"}}, Name: "order",
		Description: "Order {name}",
		HTTP:        actions.HTTPCall{Method: "POST", Endpoint: "https://shop.example/order", Params: `{"sku":"{sku}"}`},
	})
	b.fill(t, "shop", "files", item("shop", "lamp", "Product", "Paper lamp", "A lamp"),
		item("shop", "essay", "Article", "On the lamp", "A lamp"), withPotential("shop", "own", "Own lamp"))
	b.fill(t, "garden", "files", item("garden", "light", "Product", "Garden lamp", "A lamp"))
	want := map[string]string{"lamp": "[order]", "essay": "[]", "own": "[order buy]", "light": "[]"}
	items := b.asked(t, Question{Text: "lamp"})
	if len(items) != len(want) {
		t.Fatalf("%d items", len(items))
	}
	for _, item := range items {
		url := item["url"].(string)
		if got := fmt.Sprint(actionsOf(item)); got != want[url[strings.LastIndex(url, "/")+1:]] {
			t.Errorf("%s has actions %s", url, got)
		}
		if strings.HasSuffix(url, "/lamp") {
			first := item["actions"].([]any)[0].(map[string]any)
			if first["description"] != "Order Paper lamp" || first["params"].(map[string]any)["sku"] != "SKU-lamp" {
				t.Errorf("the action is %v", first)
			}
		}
	}
}

// TestAnActionOfALicensedItemSaysNoMoreThanItsNotice holds that actions are no way around the
// terms: neither the item's own, nor a template that asks for what was not released.
func TestAnActionOfALicensedItemSaysNoMoreThanItsNotice(t *testing.T) {
	t.Parallel()
	b := acting(t, []string{"shop"},
		actions.Template{Name: "subscribe", Description: "Subscribe to read {name}",
			HTTP: actions.HTTPCall{Method: "GET", Endpoint: "https://shop.example/subscribe?for={url}"}},
		actions.Template{Name: "leak", Description: "{sku}", MCP: actions.ToolCall{Server: "s", Tool: "t"}},
		actions.Template{Name: "excerpt", Description: "{description}", MCP: actions.ToolCall{Server: "s", Tool: "t"}},
	)
	b.fill(t, "shop", "files", withPotential("shop", "lamp", "Paper lamp"))
	open := b.asked(t, Question{Text: "lamp"})
	if got := fmt.Sprint(actionsOf(open[0])); got != "[subscribe leak excerpt buy]" {
		t.Errorf("while it is open: %s", got)
	}
	b.obey(t, policy.Rule{Access: policy.Licensed, Excerpt: policy.Excerpt{Words: 2}})
	licensed := b.asked(t, Question{Text: "lamp"})
	if got := fmt.Sprint(actionsOf(licensed[0])); got != "[subscribe excerpt]" {
		t.Errorf("when it is licensed: %s", got)
	}
	if text := fmt.Sprint(licensed[0]); strings.Contains(text, "SKU") || strings.Contains(text, "folded") ||
		strings.Contains(text, "/buy") {
		t.Errorf("told of a licensed item: %s", text)
	}
	b.obey(t, policy.Rule{Match: policy.Match{Path: []string{"/lamp/buy"}}, Access: policy.Blocked},
		policy.Rule{Access: policy.Open})
	if got := fmt.Sprint(actionsOf(b.asked(t, Question{Text: "lamp"})[0])); !strings.Contains(got, "subscribe") {
		t.Errorf("where another page is blocked: %s", got)
	}
}

// TestAnswersTellHowALicenceIsHad holds that the actions of selling are told with a licensed item
// just when a stranger is offered it, and never with what is open.
func TestAnswersTellHowALicenceIsHad(t *testing.T) {
	t.Parallel()
	set, err := actions.New(nil, content.IsA)
	if err == nil {
		err = set.Selling(actions.Template{
			Name: "license", Type: "BuyAction", Description: "License {url}", HTTP: actions.HTTPCall{Method: "POST",
				Endpoint: "https://desk.example/sell", Params: `{"requester":{"uris":["{url}"]}}`},
		})
	}
	s := saletest.New(t)
	s.Actions = func(of policy.Facts, sold bool, object []byte) (told []byte, some bool) {
		return set.Append(nil, of, sold, object)
	}
	s.Reopen(t, "site")
	b := &bench{content: s.Corpus, db: s.DB}
	if err == nil {
		b.Service, err = New(Deps{Corpus: s.Corpus.Corpus, Reading: Reading{MinScore: 1}})
	}
	if err != nil {
		t.Fatal(err)
	}
	s.Stock(t, item("site", "lamp", "NewsArticle", "Paper lamp",
		"A lamp of paper, and of other things that are told of further down."))
	of := func(change func(*policy.Rule)) policy.Rule {
		rule := saletest.Licensed("/**", saletest.Cent)
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
		s.SetRules(t, c.rule)
		got := b.asked(t, Question{Text: "lamp"})
		if len(got) == 0 {
			t.Errorf("%s: not found", name)
			continue
		}
		if told := fmt.Sprint(actionsOf(got[0])) == "[license]"; told != c.told {
			t.Errorf("%s: the actions are %v", name, got[0]["actions"])
		}
		if c.rule.Access != policy.Open {
			q := saletest.UnknownQuery(saletest.Address("lamp"))
			q.Functions = nil
			if offered := s.Absent(t, q) == ""; offered != c.told {
				t.Errorf("%s: a stranger is offered it: %v", name, offered)
			}
		}
	}
	s.SetRules(t, of(func(*policy.Rule) {}))
	params := b.asked(t, Question{Text: "lamp"})[0]["actions"].([]any)[0].(map[string]any)["params"]
	if got := fmt.Sprint(params); got != "map[requester:map[uris:["+saletest.Address("lamp")+"]]]" {
		t.Errorf("the query is for %s", got)
	}
	s.Selling.Price = policy.Money{Model: "per_access", Rate: 1, Currency: "USD"}
	s.SetRules(t, of(func(r *policy.Rule) { r.Price = policy.Price{} }))
	if got := actionsOf(b.asked(t, Question{Text: "lamp"})[0]); len(got) != 1 {
		t.Errorf("at the price of all that is licensed: %v", got)
	}
}

// TestNothingIsToldOfSalesWhereNothingIsSold holds the opposite: the same rules without the
// Exchange.
func TestNothingIsToldOfSalesWhereNothingIsSold(t *testing.T) {
	t.Parallel()
	set, err := actions.New(nil, content.IsA)
	if err == nil {
		err = set.Selling(actions.Template{Name: "license", Description: "License {url}",
			HTTP: actions.HTTPCall{Method: "POST", Endpoint: "https://desk.example/sell"}})
	}
	if err != nil {
		t.Fatal(err)
	}
	b := benchWith(t, released.Deps{
		Sites: contenttest.Sites("site"),
		Actions: func(of policy.Facts, sold bool, object []byte) (told []byte, some bool) {
			return set.Append(nil, of, sold, object)
		},
	})
	b.fill(t, "site", "pages", item("site", "lamp", "NewsArticle", "Paper lamp", "A lamp of paper"))
	b.obey(t, saletest.Licensed("/**", saletest.Cent))
	if got := b.asked(t, Question{Text: "lamp"}); len(got) != 1 || len(actionsOf(got[0])) != 0 {
		t.Errorf("%v", got)
	}
}
