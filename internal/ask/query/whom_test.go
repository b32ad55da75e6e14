package query

import (
	"testing"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/content/facets"
)

// gathering is a catalog of events, rooms and goods that tell for whom and when they are.
func gathering() Asking {
	at := shopping()
	at.Lexicon = facets.NewLexicon(facets.Taught{
		Items: 40, Types: map[string]int{"Event": 10, "Product": 20, "Accommodation": 5, "Course": 5},
		Slots: []facets.Known{
			{Slot: facets.Price, Kind: facets.Figures, Unit: "EUR", Count: 30},
			{Slot: facets.Age, Kind: facets.Figures, Count: 9}, {Slot: facets.Yield, Kind: facets.Figures, Count: 9},
			{Slot: facets.Start, Kind: facets.Times, Count: 10},
			{Slot: facets.StartTime, Kind: facets.Figures, Count: 10},
			{Slot: "weight", Kind: facets.Figures, Unit: "g", Count: 10},
			{Slot: "capacity", Kind: facets.Figures, Unit: "ml", Count: 10},
		},
	})
	return at
}

// TestConditionsOnWhomAndWhenAreRead holds ages, people, amounts and times of day in several
// languages.
func TestConditionsOnWhomAndWhenAreRead(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"a hat for a 7 year old":                   "a hat; age 7",
		"Mütze für meinen 5-jährigen Sohn":         "Mütze; age 5",
		"veranstaltung für meine tochter, 7 jahre": "kind: Event; age 7",
		"jouet pour ma fille de 9 ans":             "jouet; age 9",
		"libros para un niño de 4 años":            "libros; age 4",
		"room for 4 people":                        "kind: Accommodation; people 4",
		"tents that sleep three or more":           "tents; people at least 3",
		"cabañas en que duermen 4 o más":           "cabañas; people at least 4",
		"camera per tre persone":                   "kind: Accommodation; people 3",
		"yarn 500g":                                "yarn; weight 485 g to 515 g",
		"bottle 1 l":                               "bottle; capacity 970 ml to 1,030 ml",
		"events after 6 pm":                        "kind: Event; start time at least 18:00",
		"veranstaltungen nach 19 uhr":              "kind: Event; start time at least 19:00",
		"eventi dopo le 20":                        "kind: Event; start time at least 20:00",
		"événements le soir":                       "kind: Event; start time 17:00 to 24:00",
		"gifts under 10 euros":                     "kind: Product; price under €10",
		"veranstaltungen dienstagabend":            "kind: Event; date on 24 November 2026; start time 17:00 to 24:00",
		"was ist im juni los":                      "kind: Event; date 1 June 2027 to 30 June 2027",
	} {
		u := Read(question, gathering())
		if got := u.Say(i18n.For("en")); got != want {
			t.Errorf("%q is read as\n     %q\nwant %q", question, got, want)
		}
	}
}

// TestWhatJoinsANegationToItsThingIsNoPartOfIt holds exclusions behind words that only join.
func TestWhatJoinsANegationToItsThingIsNoPartOfIt(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"tazas que no sean azules":       "azules",
		"cursos que no sean de torno":    "torno",
		"tasse mais pas en porcelaine":   "porcelaine",
		"vino rosso ma non sangiovese":   "sangiovese",
		"livros que não sejam de Santos": "Santos",
	} {
		u := Read(question, shopping())
		found := false
		for _, c := range u.Constraints {
			found = found || c.Not && !c.Soft && len(c.Values) == 1 && facets.Fold(c.Values[0]) == facets.Fold(want)
			found = found || c.Not && !c.Soft && len(facets.TraitValues(c.Slot, want)) > 0
		}
		if !found {
			t.Errorf("%q leaves out %+v, want %q", question, u.Constraints, want)
		}
	}
}

// TestWordsForAnyFoodGiveWay holds that they do beside what somebody eats alone.
func TestWordsForAnyFoodGiveWay(t *testing.T) {
	t.Parallel()
	at := gathering()
	at.Lexicon = facets.NewLexicon(facets.Taught{Items: 9, Types: map[string]int{"MenuItem": 9}, Slots: []facets.Known{
		{Slot: facets.Diet, Count: 9}, {Slot: facets.Ingredient, Count: 9},
		{Slot: facets.Yield, Kind: facets.Figures, Count: 9},
		{Slot: facets.Price, Kind: facets.Figures, Unit: "EUR", Count: 9},
	}})
	for question, want := range map[string]bool{
		"hauptgericht ohne gluten": true, "dolci senza latte": true, "a dessert without eggs": true,
		"un postre sin nueces": true, "steak ohne gluten": false, "dolci sotto i 5 euro": false,
		"un dulce para una amiga alérgica a las nueces": true, "was kann man oben ohne Gluten essen?": true,
		"we come by on Friday with my friend who eats no eggs, do we have to bring our own food along?": false,
	} {
		if got := Read(question, at).Broad; got != want {
			t.Errorf("%q is broad: %v", question, got)
		}
	}
	if u := Read("pudding, one of us is allergic to eggs", at); len(u.Constraints) != 1 {
		t.Errorf("one of us is a number of people: %+v", u.Constraints)
	}
}
