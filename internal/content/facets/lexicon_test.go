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
		Slots: []facets.Known{{Slot: facets.Price, Kind: facets.Figures, Unit: "EUR", Count: 7},
			{Slot: facets.Brand, Count: 9}},
		Values: map[facets.Slot][]facets.Value{
			facets.Brand: {{"Nörd & Co", 4}, {"NORD CO", 2}, {"one two three four five", 1}, {"Orange", 1}},
			facets.Color: {{"orange", 3}, {"", 2}},
		},
	})
	if got := l.Meanings("nord co"); len(got) != 1 ||
		got[0] != (facets.Meaning{Slot: facets.Brand, Value: "Nörd & Co", Count: 6}) {
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
	if _, ok := none.Slot("price"); ok || none.Meanings("x") != nil || none.Items() != 0 || none.Types() != nil ||
		none.Currency() != "" {
		t.Error("a nil lexicon knows something")
	}
}

// TestAnAmountIsOfWhatIsStatedInItsUnitAndSize holds that an amount alone is of a property only
// where its unit and its size make plain of which.
func TestAnAmountIsOfWhatIsStatedInItsUnitAndSize(t *testing.T) {
	t.Parallel()
	l := facets.NewLexicon(facets.Taught{
		Items: 10,
		Slots: []facets.Known{
			{Slot: "distance", Kind: facets.Figures, Unit: "cm", Count: 3},
			{Slot: "depth", Kind: facets.Figures, Unit: "cm", Count: 3},
			{Slot: "width", Kind: facets.Figures, Unit: "cm", Count: 3},
			{Slot: "numberOfPieces", Kind: facets.Figures, Count: 2}, {Slot: "grade", Count: 2},
		},
		Values: map[facets.Slot][]facets.Value{facets.Properties: {
			{"Distance: 2 km", 1}, {"Distance: 9 km", 1}, {"Depth: 4 m", 1}, {"Width: 3-5 m", 1},
			{"Number of pieces: 500", 2}, {"Grade: easy", 2},
		}},
	})
	for amount, want := range map[float64]facets.Slot{5e5: "distance", 400: "", 1e9: ""} {
		if slot, ok := l.InUnit(facets.Quantity{Value: amount, Unit: "cm"}); slot != want && ok || ok != (want != "") {
			t.Errorf("%v cm are of %q, %v; want %q", amount, slot, ok, want)
		}
	}
	for name, want := range map[string]facets.Slot{
		"number of pieces": "numberOfPieces", "distance": "distance", "grade": "", "pieces": "",
	} {
		if slot, _ := l.Figured(name); slot != want {
			t.Errorf("%q is the slot %q, want %q", name, slot, want)
		}
	}
}
