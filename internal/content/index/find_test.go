package index

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/search"
	"frontdesk/internal/content/vector/words"
)

// stocked is a view of items that are given by their objects. Each has an @type, a name, and its
// address from the name.
func stocked(t testing.TB, objects ...string) *View {
	t.Helper()
	return stockedUnder(t, everything, objects...)
}

// stockedIn is stocked with items in a language.
func stockedIn(t testing.TB, language string, objects ...string) *View {
	t.Helper()
	return stockedAs(t, everything, language, objects)
}

func stockedUnder(t testing.TB, admission Admission, objects ...string) *View {
	t.Helper()
	return stockedAs(t, admission, "en", objects)
}

func stockedAs(t testing.TB, admission Admission, language string, objects []string) *View {
	t.Helper()
	ctx := context.Background()
	catalog := newCatalog(t)
	run, err := catalog.Begin(ctx, "site", "source")
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range objects {
		var o struct {
			Type             string `json:"@type"`
			Name, Color      string
			RecipeIngredient []string
			Description      string
		}
		if err := json.Unmarshal([]byte(object), &o); err != nil {
			t.Fatal(err, object)
		}
		item := content.Item{
			URL: "https://site.example/" + strings.ReplaceAll(o.Name, " ", "-"), Types: []string{o.Type}, Name: o.Name,
			Description: o.Description, Keys: strings.Join(o.RecipeIngredient, "\n") + "\n" + o.Color,
			Language: language, Object: []byte(object),
		}
		if err := run.Put(ctx, item); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := run.Commit(ctx, content.CommitOptions{AllowShrink: true}); err != nil {
		t.Fatal(err)
	}
	library := New(catalog, words.Builtin())
	if _, err := library.Refresh(ctx, admission); err != nil {
		t.Fatal(err)
	}
	return library.View()
}

// found asks and gives the names of what was found, in order, and what gave way.
func found(v *View, q Question) (names []string, relaxed []Relaxed) {
	q.Within = v.Select(func(*Doc) bool { return true })
	if q.Limit == 0 {
		q.Limit = 10
	}
	f := v.Find(q)
	for _, hit := range f.Hits {
		names = append(names, strings.ReplaceAll(strings.TrimPrefix(hit.URL, "https://site.example/"), "-", " "))
	}
	return names, f.Relaxed
}

func wantFound(t *testing.T, v *View, q Question, want ...string) {
	t.Helper()
	got, relaxed := found(v, q)
	if !slices.Equal(got, want) || len(relaxed) > 0 {
		t.Errorf("%+v finds %q, relaxed %v, want %q", q, got, relaxed, want)
	}
}

func limit(f float64) *float64 { return &f }

var lamps = []string{
	`{"@type":"Product","name":"red lamp","color":"Red","brand":{"name":"Nord"},"offers":{"price":"19.00","priceCurrency":"USD"},"aggregateRating":{"ratingValue":4.5,"ratingCount":10}}`,
	`{"@type":"Product","name":"blue lamp","color":"Blue/White","brand":"Süd","offers":[{"price":25,"priceCurrency":"USD"},{"price":40,"priceCurrency":"USD"}],"aggregateRating":{"ratingValue":9.6,"bestRating":10}}`,
	`{"@type":"Product","name":"big lamp","offers":{"@type":"AggregateOffer","lowPrice":"1.299,00 €","priceCurrency":"EUR"},"weight":{"@type":"QuantitativeValue","value":5,"unitCode":"KGM"}}`,
	`{"@type":"Product","name":"odd lamp","color":"Red"}`,
	`{"@type":"Book","name":"lamp book","offers":{"price":12,"priceCurrency":"USD"},"author":{"name":"Ann Lee"},"datePublished":"2019-05"}`,
}

func TestConditionsHold(t *testing.T) {
	t.Parallel()
	v := stocked(t, lamps...)
	under20 := facets.Constraint{Slot: facets.Price, Max: limit(20), Below: true, Unit: "USD"}
	for name, c := range map[string]struct {
		ask  Question
		want []string
	}{
		"below a price": {Question{Text: "lamp", Constraints: []facets.Constraint{under20},
			Sort: facets.Sort{By: facets.Price}}, []string{"lamp book", "red lamp"}},
		"of a type, below a price": {Question{Text: "lamp", Types: []string{"Product"},
			Constraints: []facets.Constraint{under20}}, []string{"red lamp"}},
		"without words": {
			Question{Types: []string{"Product"}, Constraints: []facets.Constraint{under20}}, []string{"red lamp"},
		},
		"a range meets a range": {
			Question{
				Text: "lamp", Constraints: []facets.Constraint{{Slot: facets.Price, Min: limit(30), Max: limit(50)}},
			}, []string{"blue lamp"},
		},
		"a bound itself": {Question{Text: "lamp",
			Constraints: []facets.Constraint{{Slot: facets.Price, Max: limit(12)}}}, []string{"lamp book"}},
		"another currency": {
			Question{
				Text: "lamp", Constraints: []facets.Constraint{{Slot: facets.Price, Min: limit(1000), Unit: "EUR"}},
			}, []string{"big lamp"},
		},
		"a rating on its scale": {Question{Text: "lamp",
			Constraints: []facets.Constraint{{Slot: facets.Rating, Min: limit(4.6)}}}, []string{"blue lamp"}},
		"a brand without its accent": {Question{Text: "lamp",
			Constraints: []facets.Constraint{{Slot: facets.Brand, Values: []string{"sud"}}}}, []string{"blue lamp"}},
		"a colour among several": {Question{Text: "lamp",
			Constraints: []facets.Constraint{{Slot: facets.Color, Values: []string{"white"}}}}, []string{"blue lamp"}},
		"not a colour, then unknown": {
			Question{
				Text: "lamp", Types: []string{"Product"},
				Constraints: []facets.Constraint{{Slot: facets.Color, Not: true, Values: []string{"red"}}},
			}, []string{"blue lamp", "big lamp"},
		},
		"a weight in its base unit": {Question{Text: "lamp",
			Constraints: []facets.Constraint{{Slot: "weight", Min: limit(4000), Unit: "g"}}}, []string{"big lamp"}},
		"an author": {
			Question{Constraints: []facets.Constraint{{Slot: facets.Author, Values: []string{"Lee"}}}},
			[]string{"lamp book"},
		},
		"sorted, unknown last": {
			Question{Text: "lamp", Types: []string{"Product"}, Sort: facets.Sort{By: facets.Price, Descending: true}},
			[]string{"big lamp", "blue lamp", "red lamp", "odd lamp"},
		},
		"no words and no conditions": {Question{}, nil},
		"a mention that is unwanted": {
			Question{
				Text: "lamp", Constraints: []facets.Constraint{
					{Slot: facets.Mention, Not: true, Values: []string{"book"}}, {Slot: facets.Price, Max: limit(20)},
				},
			}, []string{"red lamp"},
		},
	} {
		t.Run(name, func(t *testing.T) { wantFound(t, v, c.ask, c.want...) })
	}
}

func TestWhatNothingMeetsGivesWayAndIsTold(t *testing.T) {
	t.Parallel()
	v := stocked(t, lamps...)
	cheap := facets.Constraint{Slot: facets.Price, Max: limit(5), Source: facets.FromText}
	red := facets.Constraint{Slot: facets.Color, Values: []string{"red"}, Source: facets.FromText}
	asked := facets.Constraint{Slot: facets.Price, Max: limit(5), Source: facets.FromAttribute}
	got, relaxed := found(v,
		Question{Text: "lamp", Types: []string{"Product"}, Constraints: []facets.Constraint{red, cheap}})
	if !slices.Equal(got, []string{"odd lamp"}) || len(relaxed) != 1 || relaxed[0].Constraint.Slot != facets.Price ||
		!relaxed[0].Unknown {
		t.Errorf("a red lamp below 5 finds %q, relaxed %+v; want the red one that has no price, and that told",
			got, relaxed)
	}
	blue := Question{Within: v.all(), Limit: 10, Text: "blue lamp",
		Constraints: []facets.Constraint{{Slot: facets.Color, Values: []string{"blue"}, Source: facets.FromText},
			asked}}
	if got, _ = found(v, blue); len(got) == 0 || !v.Find(blue).Closest {
		t.Errorf("a blue lamp below 5 finds %q; want what is closest, and that told", got)
	}
	known := blue
	known.Constraints = []facets.Constraint{blue.Constraints[0],
		{Slot: facets.Price, Max: limit(5), Source: facets.FromMemory}}
	if got, _ = found(v, known); !slices.Equal(got, []string{"blue lamp"}) || v.Find(known).Closest {
		t.Errorf("a blue lamp for who is known to want it below 5 finds %q; want it as the answer", got)
	}
	if got, relaxed = found(v, Question{Text: "violin", Constraints: []facets.Constraint{red}}); len(got) > 0 ||
		len(relaxed) > 0 {
		t.Errorf("words that nothing has find %q, relaxed %+v", got, relaxed)
	}
}

var meals = []string{
	`{"@type":"Recipe","name":"walnut cake","recipeIngredient":["200 g walnuts","3 eggs"],"suitableForDiet":"https://schema.org/VegetarianDiet"}`,
	`{"@type":"Recipe","name":"lemon cake","recipeIngredient":["200 g flour","2 lemons","100 g butter"]}`,
	`{"@type":"Recipe","name":"oat cake","recipeIngredient":["200 g oats","100 ml oat milk"],"suitableForDiet":["VeganDiet"]}`,
	`{"@type":"Recipe","name":"beef cake","recipeIngredient":["500 g minced beef"]}`,
	`{"@type":"Article","name":"cake through the ages","description":"Of cakes with and without ginger."}`,
	`{"@type":"Recipe","name":"gingerbread cake","recipeIngredient":["1 tsp ground ginger"]}`,
	`{"@type":"Recipe","name":"secret cake"}`,
}

func TestWhatIsLeftOutStaysOut(t *testing.T) {
	t.Parallel()
	v := stocked(t, meals...)
	not := func(slot facets.Slot, words ...string) Question {
		return Question{Text: "cake", Types: []string{"Recipe"},
			Constraints: []facets.Constraint{{Slot: slot, Not: true, Values: words}}}
	}
	for name, c := range map[string]struct {
		ask  Question
		want string
	}{
		"an allergen by its kind": {
			not(facets.Ingredient, "nuts"), "beef cake,gingerbread cake,lemon cake,oat cake,secret cake",
		},
		"an ingredient": {
			not(facets.Ingredient, "ginger"), "beef cake,lemon cake,oat cake,secret cake,walnut cake",
		},
		"a kind in German": {
			not(facets.Ingredient, "Fleisch"), "gingerbread cake,lemon cake,oat cake,secret cake,walnut cake",
		},
		"dairy, not oat milk": {
			not(facets.Ingredient, "dairy"), "beef cake,gingerbread cake,oat cake,secret cake,walnut cake",
		},
		"nut-free as a diet": {
			Question{Text: "cake", Constraints: []facets.Constraint{{Slot: facets.Diet, Values: []string{"nutfree"}}}},
			"beef cake,gingerbread cake,lemon cake,oat cake",
		},
		"a declared diet": {Question{Text: "cake",
			Constraints: []facets.Constraint{{Slot: facets.Diet, Values: []string{"vegan"}}}}, "oat cake"},
		"a diet that follows": {
			Question{
				Text: "cake", Constraints: []facets.Constraint{{Slot: facets.Diet, Values: []string{"vegetarian"}}},
			}, "oat cake,walnut cake",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, relaxed := found(v, c.ask)
			slices.Sort(got)
			if strings.Join(got, ",") != c.want || len(relaxed) > 0 {
				t.Errorf("finds %q, relaxed %v, want %s", got, relaxed, c.want)
			}
		})
	}
	got, _ := found(v, Question{Text: "cake",
		Constraints: []facets.Constraint{{Slot: facets.Ingredient, Not: true, Values: []string{"ginger"}}}})
	if len(got) == 0 || got[len(got)-1] != "secret cake" || slices.Contains(got, "cake through the ages") {
		t.Errorf("what does not list its ingredients comes last, and nothing else than recipes; got %q", got)
	}
	if got, relaxed := found(v,
		Question{Text: "walnut",
			Constraints: []facets.Constraint{{Slot: facets.Ingredient, Not: true, Values: []string{"nuts"}}}}); len(
		got) > 0 {
		t.Errorf("walnut without nuts finds %q, relaxed %v: what must not be eaten never gives way", got, relaxed)
	}
}

func TestFacetsCountWhatItemsSay(t *testing.T) {
	t.Parallel()
	v := stocked(t, lamps...)
	told := v.FacetsOf(v.everything)
	by := map[facets.Slot]Facet{}
	for _, f := range told {
		by[f.Slot] = f
	}
	if f := by["@type"]; f.Items != 5 || f.Values[0] != (Count{"Product", 4}) {
		t.Errorf("types are %+v", f)
	}
	if f := by[facets.Price]; f.Items != 4 || f.Unit != "USD" || f.Min != 12 || f.Max != 40 ||
		f.Kind != facets.Figures {
		t.Errorf("prices are %+v", f)
	}
	if f := by[facets.Color]; f.Items != 3 || f.Values[0] != (Count{"Red", 2}) {
		t.Errorf("colours are %+v", f)
	}
	if f := by[facets.Published]; f.Kind != facets.Times {
		t.Errorf("dates are %+v", f)
	}
	if got := v.Facets(nil); len(got) != 1 || got[0].Items != 0 {
		t.Errorf("no hits say %+v", got)
	}
}

func TestOnlyOpenItemsTeachAndLicensedOnesHaveTheFactsOfTheirNotice(t *testing.T) {
	t.Parallel()
	licensed := Admission{Version: "1", Admit: func(*Doc) bool { return true },
		Released: func(l *Doc, object []byte) (released []byte, whole, open bool) {
			open = !strings.Contains(l.URL, "red")
			return object, open, open
		}}
	v := stockedUnder(t, licensed, lamps...)
	if got := v.Lexicon().Meanings("nord"); got != nil {
		t.Errorf("the brand of a licensed item teaches %v", got)
	}
	if got := v.Lexicon().Meanings("sud"); len(got) != 1 || got[0].Value != "Süd" || got[0].Slot != facets.Brand {
		t.Errorf("the brand of an open item teaches %v", got)
	}
	got, _ := found(v, Question{Text: "lamp", Constraints: []facets.Constraint{{Slot: facets.Price, Max: limit(20)}}})
	if !slices.Equal(got, []string{"lamp book"}) {
		t.Errorf("below 20 there is %q; the price of a licensed item must not be felt", got)
	}
	if known, ok := v.Lexicon().Slot("price"); !ok || known.Unit != "USD" && known.Unit != "EUR" || known.Count != 3 {
		t.Errorf("price is %+v", known)
	}
}

func TestCategoryIsTheOneThatIsNamed(t *testing.T) {
	t.Parallel()
	v := stocked(t,
		`{"@type":"Product","name":"breeze","category":"Home > Lighting & Ceiling Fans > Ceiling Fans"}`,
		`{"@type":"Product","name":"glow","category":"Home > Lighting & Ceiling Fans > Wall Lamps"}`,
		`{"@type":"Product","name":"old ceiling fan"}`,
	)
	ceiling := Question{Constraints: []facets.Constraint{{Slot: facets.Category, Values: []string{"ceiling fan"}}}}
	got, _ := found(v, ceiling)
	if sorted(got) != "breeze,old ceiling fan" {
		t.Errorf("ceiling fans are %q", got)
	}
	ceiling.Constraints[0].Values[0] = "Lighting"
	if got, _ := found(v, ceiling); sorted(got) != "breeze,glow" {
		t.Errorf("lighting is %q", got)
	}
}

func TestPreferencesOrderAndLeaveNothingOut(t *testing.T) {
	t.Parallel()
	v := stocked(t,
		`{"@type":"Product","name":"shade lamp","color":"Green"}`,
		`{"@type":"Product","name":"night lamp","color":"Red"}`,
		`{"@type":"Product","name":"lava lamp","color":"Blue"}`,
	)
	prefer := func(not bool) Question {
		return Question{Text: "lamp",
			Constraints: []facets.Constraint{{Slot: facets.Color, Not: not, Soft: true, Values: []string{"red"}}}}
	}
	if got, _ := found(v, prefer(false)); len(got) != 3 || got[0] != "night lamp" {
		t.Errorf("red ones first: %q", got)
	}
	if got, _ := found(v, prefer(true)); len(got) != 3 || got[2] != "night lamp" {
		t.Errorf("red ones last: %q", got)
	}
}

func TestWhatIsNotWantedIsCorrectedToo(t *testing.T) {
	t.Parallel()
	v := stocked(t,
		`{"@type":"Recipe","name":"Ginger cake","recipeIngredient":["flour","ginger"]}`,
		`{"@type":"Recipe","name":"Lemon cake","recipeIngredient":["flour","lemon"]}`,
	)
	q := Question{Text: "cake", Limit: 10, Within: v.Select(func(*Doc) bool { return true }),
		Constraints: []facets.Constraint{
			{Slot: facets.Ingredient, Not: true, Values: []string{"gingr"}, Source: facets.FromText},
		}}
	f := v.Find(q)
	if len(f.Hits) != 1 || f.Hits[0].URL != "https://site.example/Lemon-cake" {
		t.Errorf("hits %v", f.Hits)
	}
	if len(f.Corrections) != 1 || f.Corrections[0].To != "ginger" {
		t.Errorf("corrections %v", f.Corrections)
	}
	q.Text = "cake without gingr"
	if f := v.Find(q); len(f.Corrections) != 1 {
		t.Errorf("one word is corrected so often: %v", f.Corrections)
	}
	q.Text = "cake"
	if q.Constraints[0].Values[0] != "gingr" {
		t.Error("the caller's condition was changed")
	}
	for name, change := range map[string]func(q *Question){
		"taken as written":  func(q *Question) { q.Literal = true },
		"as an attribute":   func(q *Question) { q.Constraints[0].Source = facets.FromAttribute },
		"a word of our own": func(q *Question) { q.Constraints[0].Values = []string{"celery"} },
	} {
		changed := q
		changed.Constraints = slices.Clone(q.Constraints)
		change(&changed)
		if f := v.Find(changed); len(f.Hits) != 2 || len(f.Corrections) != 0 {
			t.Errorf("%s: %d hits, corrections %v", name, len(f.Hits), f.Corrections)
		}
	}
}

func TestWhatIsNotWantedComesLast(t *testing.T) {
	t.Parallel()
	v := stocked(t,
		`{"@type":"Product","name":"Desk lamp","description":"A lamp with a switch."}`, `{"@type":"Product","name":"Touch lamp","description":"A lamp, no switch."}`,
		`{"@type":"Product","name":"Wall lamp","description":"A lamp for the wall."}`, `{"@type":"Product","name":"Tote bag","description":"A bag without zip."}`)
	unwanted := facets.Constraint{Slot: facets.Mention, Not: true, Values: []string{"switch"}, Soft: true}
	wantFound(t, v, Question{Text: "lamp", Beside: "lamp without switch", Constraints: []facets.Constraint{unwanted}},
		"Touch lamp", "Wall lamp", "Desk lamp")
}

func TestItemsThatSayNothingOfAnAttributeStandAmongMany(t *testing.T) {
	t.Parallel()
	items := []string{
		`{"@type":"Product","name":"Champion hoodie","color":"Red"}`, `{"@type":"Product","name":"Champion hoodie for runners"}`,
		`{"@type":"Product","name":"Champion hoodie with zip","color":"Blue"}`,
	}
	for i := range besideItems {
		items = append(items, fmt.Sprintf(`{"@type":"Product","name":"Thing %d","color":"Green"}`, i))
	}
	v := stocked(t, items...)
	red := facets.Constraint{Slot: facets.Color, Values: []string{"red"}, Source: facets.FromText}
	q := Question{Text: "champion hoodie for runners", Literal: true, Constraints: []facets.Constraint{red}}
	wantFound(t, v, q, "Champion hoodie for runners", "Champion hoodie")
	wantFound(t, stocked(t, items[:3]...), q, "Champion hoodie")
}

func TestTypesAreLeftOutAndNeverGiveWay(t *testing.T) {
	t.Parallel()
	v := stocked(t, `{"@type":"Book","name":"On lamps"}`, `{"@type":"Product","name":"Wall lamp"}`)
	not := func(typ string) []facets.Constraint {
		return []facets.Constraint{{Slot: facets.OfType, Not: true, Values: []string{typ}, Source: facets.FromText}}
	}
	wantFound(t, v, Question{Text: "lamp", Constraints: not("Book")}, "Wall lamp")
	wantFound(t, v, Question{Constraints: not("Product")}, "On lamps")
	wantFound(t, v, Question{Constraints: not("CreativeWork")}, "Wall lamp")
	wantFound(t, v, Question{Text: "lamp", Constraints: append(not("Book"), not("Product")...)})
}

func TestDietsNeverGiveWay(t *testing.T) {
	t.Parallel()
	v := stocked(t, `{"@type":"Recipe","name":"Walnut bread","recipeIngredient":["100 g walnuts"],"suitableForDiet":"https://schema.org/VeganDiet"}`,
		`{"@type":"Recipe","name":"Walnut cheesecake","recipeIngredient":["500 g cream cheese","biscuits"]}`,
		`{"@type":"Recipe","name":"Lentil stew","recipeIngredient":["200 g lentils"],"suitableForDiet":"https://schema.org/VeganDiet"}`)
	vegan := facets.Constraint{Slot: facets.Diet, Values: []string{"vegan"}, Source: facets.FromText}
	nuts := facets.Constraint{Slot: facets.Ingredient, Not: true, Values: []string{"nuts"}, Source: facets.FromText}
	names, relaxed := found(v,
		Question{Text: "walnut", Types: []string{"Recipe"}, Constraints: []facets.Constraint{vegan, nuts}})
	if slices.Contains(names, "Walnut bread") || slices.Contains(names, "Walnut cheesecake") {
		t.Errorf("vegan and without nuts finds %q, relaxed %v", names, relaxed)
	}
	names, relaxed = found(v,
		Question{Text: "cheesecake", Types: []string{"Recipe"}, Constraints: []facets.Constraint{vegan}})
	if slices.Contains(names, "Walnut cheesecake") {
		t.Errorf("a vegan cheesecake is %q, relaxed %v", names, relaxed)
	}
}

// A season is an occasion: what states no time is for it, too. What states another time is not, and
// a month is a time.
func TestWhatStatesNoTimeIsForASeason(t *testing.T) {
	t.Parallel()
	v := stocked(t,
		`{"@type":"Product","name":"warm down jacket"}`,
		`{"@type":"Event","name":"warm summer night","startDate":"2027-07-10"}`,
	)
	day := func(year int, month time.Month) time.Time { return time.Date(year, month, 1, 0, 0, 0, 0, time.UTC) }
	for _, span := range []struct {
		from, to time.Time
		closest  bool
	}{
		{day(2026, time.December), day(2027, time.March), false},
		{day(2026, time.December), day(2027, time.January), true},
	} {
		c := facets.Constraint{Slot: facets.Start, From: span.from, To: span.to, Source: facets.FromText}
		found := v.Find(Question{
			Text: "warm", Constraints: []facets.Constraint{c}, Limit: 10, MinScore: search.DefaultMinScore,
			Within: v.Select(func(*Doc) bool { return true }),
		})
		if len(found.Hits) != 1 || !strings.Contains(found.Hits[0].URL, "jacket") || found.Closest != span.closest {
			t.Errorf("warm from %v to %v: %v, closest %v", span.from, span.to, found.Hits, found.Closest)
		}
	}
}
