package ask

import (
	"testing"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/content/facets"
)

func TestADetailIsToldFromTheItemsOwnFacts(t *testing.T) {
	t.Parallel()
	pie := source{Name: "Fish pie", Facts: facets.Read([]byte(`{"@type":"Recipe","name":"Fish pie","totalTime":"PT1H15M","recipeYield":"6 servings",
		"suitableForDiet":"https://schema.org/GlutenFreeDiet","recipeIngredient":["400 g haddock","50 g butter","1 leek"],"nutrition":{"calories":"420 calories"},
		"author":{"name":"Priya"},"offers":{"price":"9.50","priceCurrency":"EUR"}}`))}
	for _, row := range []struct {
		slot           facets.Slot
		supposed, want string
	}{
		{facets.TotalTime, "", "Fish pie: time 1 h 15 min."},
		{facets.Duration, "", "Fish pie: time 1 h 15 min."}, // what is asked as a duration is a time to cook
		{facets.Price, "", "Fish pie: price €9.50."},
		{facets.Calories, "", "Fish pie: calories 420 kcal."},
		{facets.Author, "", "Fish pie: author Priya."},
		{facets.Diet, "glutenfree", "Fish pie: yes, gluten-free."},
		{facets.Diet, "vegan", "Fish pie: no, not vegan, contains fish and dairy."},
		{facets.Diet, "halal", "Fish pie: diet is not stated."}, // nothing speaks against it, and nothing says it
		{facets.Ingredient, "butter", "Fish pie: contains butter."},
		{facets.Ingredient, "dairy", "Fish pie: contains dairy."},
		{facets.Ingredient, "ginger", "Fish pie: ginger is not among the ingredients."},
		{facets.Start, "", "Fish pie: date is not stated."},
		{"weight", "", "Fish pie: weight is not stated."},
	} {
		if got := tellDetail(i18n.For("en"), pie, row.slot, row.supposed); got != row.want {
			t.Errorf("%s %s\n got %s\nwant %s", row.slot, row.supposed, got, row.want)
		}
	}
}

func TestADetailOmitsNeitherADeclaredAllergenNorTheEndOfWhatLasts(t *testing.T) {
	t.Parallel()
	bar := source{Name: "Bar", Facts: facets.Read([]byte(`{"@type":"Product","allergens":"sulphites","recipeIngredient":["oats","cocoa"]}`))}
	if got, want := tellDetail(i18n.For("en"), bar, facets.Ingredient, "sulphites"), "Bar: contains sulphites."; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	show := source{Name: "Show", Facts: facets.Read([]byte(`{"@type":"Event","startDate":"2026-10-01","endDate":"2027-01-31"}`))}
	if got, want := tellDetail(i18n.For("en"), show, facets.Start, ""), "Show: date 1 October 2026–31 January 2027."; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAComparisonSaysWhichIsLowestOfWhatBothState(t *testing.T) {
	t.Parallel()
	item := func(name, object string) source { return source{Name: name, Facts: facets.Read([]byte(object))} }
	a := item("A", `{"offers":{"price":20,"priceCurrency":"EUR"},"aggregateRating":{"ratingValue":4.5,"ratingCount":3},"weight":"2 kg"}`)
	b := item("B", `{"offers":{"price":15.5,"priceCurrency":"EUR"},"aggregateRating":{"ratingValue":4.5,"ratingCount":9}}`)
	c := item("C", `{"offers":{"price":15.5,"priceCurrency":"USD"}}`)
	en := i18n.For("en")
	if got, want := compare(en, []source{a, b}, ""), "price: A €20, B €15.50; lowest: B. rating: A 4.5, B 4.5."; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if got, want := compare(i18n.For("de"), []source{a, b}, facets.Price), "Preis: A 20 €, B 15,50 €; am niedrigsten: B."; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if got := compare(en, []source{a, c}, facets.Price); got != "" {
		t.Errorf("prices in two currencies are compared: %s", got)
	}
}
