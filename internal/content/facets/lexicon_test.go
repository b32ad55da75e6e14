package facets_test

import (
	"testing"

	"frontdesk/internal/content/facets"
)

func TestLexiconFindsValuesInAnyForm(t *testing.T) {
	t.Parallel()
	l := facets.NewLexicon(facets.Taught{
		Items: 10,
		Types: map[string]int{"Product": 10},
		Slots: []facets.Known{{Slot: facets.Price, Kind: facets.Figures, Unit: "EUR", Count: 7}, {Slot: facets.Brand, Count: 9}},
		Values: map[facets.Slot][]facets.Value{
			facets.Brand: {{"Nörd & Co", 4}, {"NORD CO", 2}, {"one two three four five", 1}, {"Orange", 1}},
			facets.Color: {{"orange", 3}, {"", 2}},
		},
	})
	if got := l.Meanings("nord co"); len(got) != 1 || got[0] != (facets.Meaning{Slot: facets.Brand, Value: "Nörd & Co", Count: 6}) {
		t.Errorf("nord co means %v", got)
	}
	if got := l.Meanings("orange"); len(got) != 2 || got[0].Slot != facets.Color {
		t.Errorf("orange means %v, want the colour first, which more items have", got)
	}
	if l.Meanings("one two three four five") != nil || l.Meanings("") != nil {
		t.Error("a phrase that is too long or empty has a meaning")
	}
	if known, ok := l.Slot("PRICE"); !ok || known.Unit != "EUR" || l.Currency() != "EUR" {
		t.Errorf("PRICE is %v, %v in %s", known, ok, l.Currency())
	}
	if _, ok := l.Slot("personalized"); ok {
		t.Error("an attribute that no item has is known")
	}
	var none *facets.Lexicon
	if _, ok := none.Slot("price"); ok || none.Meanings("x") != nil || none.Items() != 0 || none.Types() != nil || none.Currency() != "" {
		t.Error("a nil lexicon knows something")
	}
}
