package exchange_test

import (
	"testing"

	"frontdesk/internal/content"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/policy"
)

func TestItemIsSoldOnlyWithWhatMayBeSoldWithIt(t *testing.T) {
	t.Parallel()
	b := newDealer(t, "mag")
	b.SetRules(t,
		policy.Rule{Match: policy.Match{Path: []string{"/secret/**"}}, Access: policy.Blocked},
		policy.Rule{Match: policy.Match{Path: []string{"/recipes/**"}}, Access: policy.Licensed},
		policy.Rule{Match: policy.Match{Path: []string{"/free/**"}}, Access: policy.Open},
		policy.Rule{Access: policy.Licensed},
	)
	for name, one := range map[string]struct {
		path, typ, members string
		want               bool
	}{
		"by itself":                  {"lists/1", "ItemList", `"numberOfItems":2`, true},
		"with a part of its own":     {"lists/1", "ItemList", `"itemListElement":{"position":1,"text":"x"}`, true},
		"with a thing of its rule":   {"lists/1", "ItemList", `"itemListElement":{"@type":"ListItem","text":"x"}`, true},
		"with what is open":          {"lists/1", "ItemList", `"itemListElement":[{"url":"/free/1","text":"x"}]`, true},
		"with a mention":             {"lists/1", "ItemList", `"itemListElement":[{"url":"/recipes/1","name":"x"}]`, true},
		"with another's text":        {"lists/1", "ItemList", `"itemListElement":[{"url":"/recipes/1","recipeInstructions":"x"}]`, false},
		"with it further within":     {"lists/1", "ItemList", `"itemListElement":[{"a":[{"@id":"https://mag.example/recipes/1","text":"x"}]}]`, false},
		"within its own part":        {"recipes/list", "ItemList", `"itemListElement":[{"url":"/recipes/1","text":"x"}]`, true},
		"with a mention of a secret": {"lists/1", "ItemList", `"itemListElement":[{"url":"/secret/1","name":"x"}]`, false},
		"a text beside it":           {"recipes/story", "Article", `"author":{"@type":"Person","url":"/people/1","description":"x"}`, true},
		"in a text":                  {"recipes/story", "Article", `"articleBody":{"@type":"Comment","url":"/people/1","text":"x"}`, false},
	} {
		i := item("mag", one.path, one.typ, "One", "One.")
		i.Object = []byte(`{"@type":"` + one.typ + `",` + one.members + `}`)
		b.Fill(t, "mag", "s", i)
		entry := b.Goods.Find(i.URL)[0]
		if got, err := b.Assortment.SellsWhole(t.Context(), b.Terms(), &entry); err != nil || got != one.want {
			t.Errorf("%s: sold %v, %v", name, got, err)
		}
	}
	gone := b.Goods.Find("https://mag.example/recipes/story")
	if len(gone) == 1 {
		gone[0].ID, gone[0].Mixed = content.ItemID("mag", "s", "elsewhere"), true
		if got, err := b.Assortment.SellsWhole(t.Context(), b.Terms(), &gone[0]); err != nil || got {
			t.Error("what is no more is sold", err)
		}
	}
}

func TestNoOfferIsMadeOfWhatWouldSellAnothersText(t *testing.T) {
	t.Parallel()
	s := newDealer(t)
	s.SetRules(t, licensed("/recipes/**", policy.Price{Model: "per_access", Rate: "5", Currency: "USD"}),
		licensed("/**", cent))
	list := item("site", "list", "ItemList", "A list", "A list.")
	list.Object = []byte(`{"@type":"ItemList","itemListElement":[{"@type":"Recipe","url":"/recipes/1","recipeInstructions":"all of it"}]}`)
	s.Stock(t, list)
	for range 2 { // the second time from memory
		if got := s.Absent(t, asking(address("list"))); got != exchange.NotInCatalog {
			t.Errorf("%q", got)
		}
	}
	s.SetRules(t, licensed("/**", cent))
	if got := s.Absent(t, asking(address("list"))); got != "" {
		t.Errorf("what is under one rule is not sold: %q", got)
	}
}
