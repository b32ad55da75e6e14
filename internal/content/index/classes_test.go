package index

import (
	"slices"
	"testing"

	"frontdesk/internal/content/facets"
)

func TestWhatItemsStateDecidesWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	v := stocked(t,
		`{"@type":"Product","name":"plain bar","additionalProperty":{"@type":"PropertyValue","name":"Contains","value":"milk"}}`,
		`{"@type":"Product","name":"quiet bar"}`,
		`{"@type":"Product","name":"crunchy bar","description":"Chocolate around roasted hazelnuts."}`,
		`{"@type":"Product","name":"nougat bar","description":"Contains hazelnuts."}`,
		`{"@type":"Product","name":"careful bar","description":"May contain traces of nuts."}`,
		`{"@type":"Product","name":"cotton jumper","material":"cotton","description":"For those whom wool itches."}`,
		`{"@type":"Product","name":"merino jumper","material":"merino"}`,
	)
	for _, row := range []struct {
		text  string
		c     facets.Constraint
		first string
		rest  []string
	}{
		{"bar", facets.Constraint{Slot: facets.Ingredient, Not: true, Values: []string{"hazelnuts"}}, "plain bar",
			[]string{"careful bar", "quiet bar"}},
		{"bar", facets.Constraint{Slot: facets.Ingredient, Not: true, Allergy: true, Values: []string{"hazelnuts"}},
			"plain bar", []string{"quiet bar"}},
		{"bar", facets.Constraint{Slot: facets.Ingredient, Not: true, Values: []string{"dairy"}}, "", nil},
		{"jumper", facets.Constraint{Slot: facets.Material, Not: true, Values: []string{"wool"}}, "cotton jumper", nil},
	} {
		got, relaxed := found(v, Question{Text: row.text, Constraints: []facets.Constraint{row.c}})
		if len(relaxed) > 0 || row.first != "" && (len(got) == 0 || got[0] != row.first) {
			t.Errorf("%s without %q: %q, relaxed %v, want %s first", row.text, row.c.Values, got, relaxed, row.first)
			continue
		}
		if row.first == "" {
			if slices.Contains(got, "plain bar") {
				t.Errorf("%s without %q shows what states it: %q", row.text, row.c.Values, got)
			}
			continue
		}
		rest := slices.Clone(got[1:])
		slices.Sort(rest)
		if !slices.Equal(rest, row.rest) {
			t.Errorf("%s without %q: %q follow, want %q", row.text, row.c.Values, rest, row.rest)
		}
	}
}

// What is not wanted is left out in whatever language it is said.
func TestWhatIsSaidInAnotherLanguageIsLeftOut(t *testing.T) {
	t.Parallel()
	v := stocked(t,
		`{"@type":"Recipe","name":"garlic soup","recipeIngredient":["bread","oil"]}`,
		`{"@type":"Recipe","name":"farm soup","recipeIngredient":["leek","cloves of garlic"]}`,
		`{"@type":"Recipe","name":"leek soup","recipeIngredient":["leek"]}`,
	)
	for _, said := range []string{"garlic", "Knoblauch", "ail", "ajo", "alho", "aglio", "にんにく"} {
		for _, slot := range []facets.Slot{facets.Ingredient, facets.Mention} {
			c := facets.Constraint{Slot: slot, Not: true, Values: []string{said}}
			if got, _ := found(v, Question{Text: "soup", Constraints: []facets.Constraint{c}}); !slices.Equal(got,
				[]string{"leek soup"}) {
				t.Errorf("soup without %s (%s): %q", said, slot, got)
			}
		}
	}
}

// What declares its allergens in any language and does not name gluten is free of it; what says
// nothing is not known to be.
func TestDeclaredAllergensTellWhatIsFreeOfGluten(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Allergens", "Allergene", "Allergènes", "Alérgenos", "Allergeni"} {
		v := stocked(t,
			`{"@type":"MenuItem","name":"lentil stew","additionalProperty":{"@type":"PropertyValue","name":"`+name+`","value":"celery"}}`,
			`{"@type":"MenuItem","name":"noodle stew","additionalProperty":{"@type":"PropertyValue","name":"`+name+`","value":"gluten, egg"}}`,
			`{"@type":"MenuItem","name":"quiet stew"}`,
		)
		c := facets.Constraint{Slot: facets.Diet, Values: []string{"glutenfree"}}
		if got, _ := found(v, Question{Text: "stew", Constraints: []facets.Constraint{c}}); !slices.Equal(got,
			[]string{"lentil stew"}) {
			t.Errorf("free of gluten, by %s: %q", name, got)
		}
	}
}

// Sugar is no allergen: a list of these does not tell what is without it.
func TestDeclaredAllergensDoNotTellWhatIsFreeOfSugar(t *testing.T) {
	t.Parallel()
	v := stocked(t,
		`{"@type":"Product","name":"plum jam","additionalProperty":{"@type":"PropertyValue","name":"Allergens","value":"none"}}`,
		`{"@type":"Product","name":"pear jam","description":"No added sugar.","additionalProperty":{"@type":"PropertyValue","name":"Allergens","value":"none"}}`,
	)
	c := facets.Constraint{Slot: facets.Diet, Values: []string{"sugarfree"}}
	if got, _ := found(v, Question{Text: "jam", Constraints: []facets.Constraint{c}}); !slices.Equal(got,
		[]string{"pear jam"}) {
		t.Errorf("free of sugar: %q", got)
	}
}

// An adjective that no item has as it is inflected leaves out what has it otherwise.
func TestAnInflectedAdjectiveIsLeftOut(t *testing.T) {
	t.Parallel()
	v := stocked(t,
		`{"@type":"Product","name":"Bohrhammer leicht","inLanguage":"de"}`,
		`{"@type":"Product","name":"Abbruchhammer schwer","inLanguage":"de"}`,
	)
	for _, said := range []string{"schwer", "schwere", "schweren", "schweres"} {
		c := facets.Constraint{Slot: facets.Mention, Not: true, Values: []string{said}, Source: facets.FromText}
		if got, _ := found(v, Question{Text: "hammer", Constraints: []facets.Constraint{c}}); !slices.Equal(got,
			[]string{"Bohrhammer leicht"}) {
			t.Errorf("not %s: %q", said, got)
		}
	}
}

// A question for whatever can be eaten is answered by food, and not by what speaks of meals.
func TestABroadQuestionForFoodIsAnsweredByFood(t *testing.T) {
	t.Parallel()
	v := stocked(t,
		`{"@type":"MenuItem","name":"leek soup","additionalProperty":{"@type":"PropertyValue","name":"Allergens","value":"celery"}}`,
		`{"@type":"MenuItem","name":"cheese toast","additionalProperty":{"@type":"PropertyValue","name":"Allergens","value":"milk"}}`,
		`{"@type":"Question","name":"May I work there over lunch?","acceptedAnswer":{"@type":"Answer","text":"Not at lunch."}}`,
		`{"@type":"Product","name":"lunch bag","material":"cotton"}`,
	)
	c := facets.Constraint{Slot: facets.Ingredient, Not: true, Values: []string{"dairy"}}
	for _, text := range []string{"lunch", "lunch for a friend"} {
		got, _ := found(v, Question{Text: text, Broad: true, Constraints: []facets.Constraint{c}})
		if !slices.Equal(got, []string{"leek soup"}) {
			t.Errorf("%s without dairy: %q", text, got)
		}
	}
}

// A list of allergens may lack what the text says is in it: who wants none is not shown it,
// allergic or not.
func TestFoodThatTheTextStatesIsLeftOut(t *testing.T) {
	t.Parallel()
	v := stocked(t,
		`{"@type":"MenuItem","name":"apple strudel","description":"There are walnuts in the filling.","additionalProperty":{"@type":"PropertyValue","name":"Allergens","value":"gluten, egg"}}`,
		`{"@type":"MenuItem","name":"plum strudel","description":"With custard.","additionalProperty":{"@type":"PropertyValue","name":"Allergens","value":"gluten, egg"}}`,
	)
	for _, allergy := range []bool{false, true} {
		c := facets.Constraint{Slot: facets.Ingredient, Not: true, Values: []string{"nuts"}, Allergy: allergy}
		if got, _ := found(v, Question{Text: "strudel", Constraints: []facets.Constraint{c}}); !slices.Equal(got,
			[]string{"plum strudel"}) {
			t.Errorf("allergic %v: %q", allergy, got)
		}
	}
}
