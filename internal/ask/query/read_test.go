package query

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/content/facets"
)

// fridayNoon is when the tests ask.
var fridayNoon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// asking is a small catalog of recipes, products, events and articles.
func asking() Asking {
	var slots []facets.Known
	for _, s := range []facets.Slot{
		facets.Price, facets.Rating, facets.Ratings, facets.TotalTime, facets.PrepTime, facets.CookTime,
		facets.Duration, facets.Yield, facets.Calories, facets.Protein, facets.Fat, facets.Carbohydrate, facets.Sugar,
		facets.Fiber, facets.Sodium, "weight", "pieces",
	} {
		slots = append(slots, facets.Known{Slot: s, Kind: facets.Figures, Count: 5})
	}
	for _, s := range []facets.Slot{facets.Published, facets.Start} {
		slots = append(slots, facets.Known{Slot: s, Kind: facets.Times, Count: 5})
	}
	for _, s := range []facets.Slot{
		facets.Location, facets.Brand, facets.Color, facets.Author, facets.Material, facets.Diet, facets.Ingredient,
		facets.Availability, facets.Language, facets.Category, facets.Size, facets.Cuisine,
		facets.Stated(facets.Color), facets.Stated(facets.Material), facets.Stated(facets.Size),
	} {
		slots = append(slots, facets.Known{Slot: s, Count: 5})
	}
	slots[0].Unit = "USD"
	broader := map[string]string{"MusicEvent": "Event", "NewsArticle": "Article"}
	return Asking{
		Now: fridayNoon,
		IsA: func(typ, ancestor string) bool { return typ == ancestor || broader[typ] == ancestor },
		Lexicon: facets.NewLexicon(facets.Taught{
			Items: 100, Types: map[string]int{"Recipe": 40, "Product": 40, "Event": 4, "MusicEvent": 2, "Article": 10,
				"NewsArticle": 3}, Slots: slots,
			Values: map[facets.Slot][]facets.Value{
				facets.Properties: {{Text: "Pieces: 500", Count: 2}},
				facets.Brand:      {{Text: "Merrow Ironworks", Count: 4}, {Text: "Nike", Count: 3}},
				facets.Color:      {{Text: "black", Count: 4}, {Text: "sea blue", Count: 2}, {Text: "C", Count: 3}},
				facets.Author:     {{Text: "Priya Thackeray", Count: 5}},
				facets.Location:   {{Text: "Berlin", Count: 2}, {Text: "Net Loft", Count: 3}},
				facets.Material:   {{Text: "oak", Count: 2}, {Text: "cast iron", Count: 4}},
				facets.Category: {{Text: "Kitchen", Count: 9}, {Text: "Starter", Count: 2},
					{Text: "Opinion", Count: 3}},
			},
		}),
	}
}

// read is what is understood of a question, in words.
func read(question string, at Asking) string {
	u := Read(question, at)
	whole := u
	whole.Constraints = slices.Clone(u.Constraints)
	for i := range whole.Constraints {
		whole.Constraints[i].Said = "" // so that all are told
	}
	said := whole.Say(i18n.For("en"))
	if u.Intent != List {
		said += " [" + u.Intent.String() + " " + strings.Join(u.Subjects, " | ") + " " + string(u.By) + "]"
	}
	return said
}

func TestQuestionsAreReadByRule(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ question, want string }{
		// Price.
		{"gifts under $20", "kind: Product; price under $20"},
		// Words that several languages share do not decide in which one a question is.
		{"chaussons à moins de 70 euros", "chaussons; price under €70"},
		{"chaussons de moins de 70 euros", "chaussons; price under €70"},
		{"matelas en dessous de 70 €", "matelas; price under €70"},
		{"botas de menos de 70 euros", "botas; price under €70"},
		{"botas a menos de 70 euros", "botas; price under €70"},
		{"stivali a meno di 70 euro", "stivali; price under €70"},
		{"events that don't cost anything", "kind: Event; free of charge"},
		{"pan of 3 kg or lighter", "pan; weight at most 3,000 g"},
		{"Topf von 3 kg oder schwerer", "Topf; weight at least 3,000 g"},
		{"what can i get for less than 15 dollars", "price under $15"},
		{"lamps between 40 and 60 dollars", "lamps; price $40 to $60"},
		{"lamp $10-15", "lamp; price $10 to $15"},
		{"a lantern or lamp, my budget is $60", "a lantern or lamp; price at most $60"},
		{"warm winter clothes no more than $30", "warm winter clothes; price at most $30"},
		{"20€ max lamp", "lamp; price at most €20"},
		{"lamps over 10 but under 30 dollars", "lamps; price over 10; price under $30"},
		{"stationery for 15 to 25 usd", "stationery; price $15 to $25"},
		{"lamp around $50", "lamp; price $40 to $60"},
		{"e-bikes unter 3000 euro", "e-bikes; price under €3,000"}, // "e" alone is a word of Italian
		{"free events for families", "for families; kind: Event; free of charge"},
		// Ratings.
		{"4 stars and up pans", "pans; rating at least 4"},
		{"pans rated above 4", "pans; rating over 4"},
		{"4.5+ star pans", "pans; rating at least 4.5"},
		{"pans with at least 100 reviews", "pans; number of ratings at least 100"},
		{"highly rated pans", "pans; rating at least 4"},
		// Time.
		{"vegan pasta under 20 minutes", "pasta; kind: Recipe; diet: vegan; time under 20 min"},
		{"30-minute dinners", "dinners; kind: Recipe; time at most 30 min"},
		{"dinner in half an hour", "dinner; kind: Recipe; time at most 30 min"},
		{"recipes that take less than an hour and a half", "kind: Recipe; time under 1 h 30 min"},
		{"recipes PT20M or less", "kind: Recipe; time at most 20 min"},
		{"recipes with less than 10 minutes prep time", "kind: Recipe; preparation time under 10 min"},
		{"quick vegan recipes", "kind: Recipe; preferably time at most 30 min; diet: vegan"},
		// Dates; the question is asked on Friday, 20 November 2026.
		{"events this weekend", "kind: Event; date 21 November 2026 to 22 November 2026"},
		{"what's on tomorrow", "kind: Event; date on 21 November 2026"},
		{"events next Friday", "kind: Event; date on 27 November 2026"},
		{"concerts in May", "kind: MusicEvent; date 1 May 2027 to 31 May 2027"},
		{"events in the next two weeks", "kind: Event; date 20 November 2026 to 4 December 2026"},
		{"events on 12 December 2026", "kind: Event; date on 12 December 2026"},
		{"articles published after 2020", "kind: Article; published from 1 January 2021 on"},
		{"articles from last year", "kind: Article; published 1 January 2025 to 31 December 2025"},
		{"news since last year", "kind: Article; published from 1 January 2025 on"},
		{"articles between 2019 and 2021", "kind: Article; published 1 January 2019 to 31 December 2021"},
		{"upcoming events", "kind: Event; date from 20 November 2026 on; by date, earliest first"},
		{"the next concert", "kind: MusicEvent; date from 20 November 2026 on; by date, earliest first"},
		// Places.
		{"events in berlin", "kind: Event; place: Berlin"},
		{"concerts at the net loft", "kind: MusicEvent; place: Net Loft"},
		// Quantities.
		{"less than 300 calories", "kind: Recipe; calories under 300 kcal"},
		{"recipes with at least 20g protein", "kind: Recipe; protein at least 20 g"},
		{"high protein breakfast with cinnamon",
			"breakfast with cinnamon; kind: Recipe; preferably protein at least 20 g"},
		{"dinner for 4 people", "dinner; kind: Recipe; people 4"},
		{"a soup that serves six", "a soup; kind: Recipe; people 6"},
		{"pan weighing less than 3 kg", "pan; weight under 3,000 g"},
		{"jigsaw with 1000 pieces", "jigsaw; pieces 1,000"},
		{"jigsaw with more than 600 pieces", "jigsaw; pieces over 600"},
		{"a jigsaw in pieces", "a jigsaw in pieces"},
		// Diets, allergens, exclusions.
		{"gluten free bread", "bread; kind: Recipe; diet: gluten-free"},
		{"recipes without nuts or eggs", "kind: Recipe; without nuts; without eggs"},
		{"no ginger soup please", "soup; kind: Recipe; without ginger"},
		{"i'm allergic to peanuts, what can i cook", "kind: Recipe; without peanuts"},
		{"sugar-free dessert", "dessert; kind: Recipe; diet: sugar-free"},
		{"parsnip-free soup", "soup; kind: Recipe; without parsnip"},
		{"a fuss-free soup", "a fuss-free soup"},
		{"shoes not from nike", "shoes; brand: not Nike"},
		{"kitchen things not made of oak", "material: not oak; category: Kitchen"},
		{"brown belt without buckle", "belt; without buckle; colour: brown"},
		{"has a theory of flows been developed for which the upwash is not constant over the whole of the wing",
			"has a theory of flows been developed for which the upwash is not constant over the whole of the wing"},
		{"no bake cheesecake", "no bake cheesecake"},
		{"vegan leather bag", "bag; material: faux leather"},
		// Words that the catalog taught.
		{"articles by priya thackeray", "kind: Article; author: Priya Thackeray"},
		{"articles written by priya", "kind: Article; author: Priya"},
		{"lamp in blue", "lamp; colour: blue"},
		{"red lamp", "lamp; colour: red"},
		{"wireless thermostat without c wire", "wireless thermostat; without c wire"},
		{"opinion pieces", "category: Opinion"},
		{"vegetarian starters", "kind: Recipe; diet: vegetarian; category: Starter"},
		{"pans in stock under $50", "pans; availability: In stock; price under $50"},
		// Orders and numbers.
		{"cheapest lamp", "lamp; by price, lowest first"},
		{"newest articles", "kind: Article; by published, latest first"},
		{"top rated soup", "soup; kind: Recipe; by rating, highest first"},
		{"three quick vegan recipes", "kind: Recipe; preferably time at most 30 min; diet: vegan; 3 results"},
		{"top 5 lamps", "lamps; 5 results"},
		// What looks like a condition and is none.
		{"no more than 5 ingredients", "no more than 5 ingredients"},
		{"why is the mud so expensive to dredge?", "why is the mud so expensive to dredge?"},
		{"under armour shoes", "under armour shoes"},
		{"may flowers", "may flowers"},
		{"what about one in oak", "what about; material: oak"},
		{"the one for whom food is not enough", "the one for whom food is not enough"},
		{"recipe book", "recipe book"},
		// Comparisons and details.
		{"compare Cast-Iron Skillet and Enamel Pot",
			"Cast-Iron Skillet Enamel Pot [compare Cast-Iron Skillet | Enamel Pot ]"},
		{"cast iron skillet vs carbon steel pan",
			"cast iron skillet carbon steel pan [compare cast iron skillet | carbon steel pan ]"},
		{"which is cheaper, the skillet or the pot?", "skillet pot [compare skillet | pot price]"},
		// Other languages.
		{"vegane Rezepte unter 30 Minuten", "kind: Recipe; diet: vegan; time under 30 min"},
		{"Konzerte am Wochenende", "kind: MusicEvent; date 21 November 2026 to 22 November 2026"},
		{"Lampen bis 50 Euro", "Lampen; price at most €50"},
		{"recettes végétariennes sans noix en moins de 30 minutes",
			"kind: Recipe; without nuts; diet: vegetarian; time under 30 min"},
		{"recetas veganas sin huevo en menos de 20 minutos",
			"kind: Recipe; without eggs; diet: vegan; time under 20 min"},
		{"receitas sem glúten até 30 minutos", "kind: Recipe; diet: gluten-free; time at most 30 min"},
		{"20分以内のヴィーガンレシピ", "kind: Recipe; time at most 20 min; diet: vegan"},
		{"卵なしのレシピ", "kind: Recipe; without eggs"},
		{"3000円以下の商品", "kind: Product; price at most ¥3,000"},
	} {
		if got := read(row.question, asking()); got != row.want {
			t.Errorf("%s\n got %s\nwant %s", row.question, got, row.want)
		}
	}
}

func TestOnlyWhatItemsSayNarrows(t *testing.T) {
	t.Parallel()
	at := asking()
	at.Lexicon = facets.NewLexicon(facets.Taught{Items: 10, Types: map[string]int{"Product": 10},
		Slots: []facets.Known{{Slot: facets.Brand, Count: 9}}})
	for _, question := range []string{"recipes under 20 minutes", "vegan soup", "lamp under $20", "red lamp",
		"concerts this weekend", "top rated lamp"} {
		if got := read(question, at); got != question {
			t.Errorf("%s is read as %s where no item says so", question, got)
		}
	}
	if got := read("vegan soup under $20", Asking{Now: fridayNoon}); got != "vegan soup under $20" {
		t.Errorf("without a lexicon: %s", got)
	}
}

func TestAttributesOutweighWords(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ question, attributes, want string }{
		{"lamp under $20", `{"price":"less than $30"}`, "lamp; price under $30"},
		{"lamp", `{"price":{"max":20}}`, "lamp; price at most 20"},
		{"lamp", `{"price":{"@type":"QuantitativeValue","minValue":5,"maxValue":"20","currency":"EUR"}}`, "lamp; price €5 to €20"},
		{"lamp", `{"price":20}`, "lamp; price at most 20"},
		{"lamp", `{"price":[10,20]}`, "lamp; price 10 to 20"},
		{"lamp", `{"minPrice":5,"max_price":"$20"}`, "lamp; price at most $20; price at least 5"},
		{"lamp under $20", `{"price":"any"}`, "lamp"},
		{"lamp under $20", `{"price":null}`, "lamp"},
		{"soup", `{"totalTime":"PT20M"}`, "soup; time at most 20 min"},
		{"soup", `{"cookTime":"half an hour"}`, "soup; cooking time at most 30 min"},
		{"soup", `{"rating":4}`, "soup; rating at least 4"},
		{"soup", `{"suitableForDiet":"VeganDiet, gluten-free"}`, "soup; diet: vegan; diet: gluten-free"},
		{"soup", `{"vegan":true}`, "soup; diet: vegan"},
		{"soup", `{"suitableForDiet":"no nuts please"}`, "soup; without nuts"},
		{"soup", `{"suitableForDiet":"no nuts"}`, "soup; without nuts"},
		{"soup", `{"suitableForDiet":["vegan","without celery"]}`, "soup; diet: vegan; without celery"},
		{"soup", `{"suitableForDiet":"I am allergic to nuts and shellfish"}`, "soup; without nuts; without shellfish"},
		{"soup", `{"dietary_restrictions":"vegan, no nuts"}`, "soup; diet: vegan; without nuts"},
		{"soup", `{"suitableForDiet":"I'm vegetarian and can't eat eggs"}`, "soup; diet: vegetarian; without eggs"},
		{"soup", `{"suitableForDiet":"keine Nüsse"}`, "soup; without nuts"},
		{"soup", `{"suitableForDiet":"not vegan"}`, "soup; diet: not vegan"},
		{"soup", `{"suitableForDiet":"moon phase"}`, "soup; diet: moon phase"},
		{"soup", `{"allergies":["peanuts","shellfish"]}`, "soup; without peanuts; without shellfish"},
		{"soup", `{"ingredients":"not ginger"}`, "soup; without ginger"},
		{"lamp", `{"color":"not red"}`, "lamp; colour: not red"},
		{"lamp", `{"brand":["Nike","Merrow Ironworks"]}`, "lamp; brand: Nike or Merrow Ironworks"},
		{"concerts", `{"startDate":"this weekend"}`, "kind: MusicEvent; date 21 November 2026 to 22 November 2026"},
		{"articles", `{"datePublished":"2024"}`, "kind: Article; published 1 January 2024 to 31 December 2024"},
		{"articles", `{"since":"2024"}`, "kind: Article; published from 1 January 2024 on"},
		{"events", `{"location":"Idaho"}`, "kind: Event; place: Idaho"},
		{"soup", `{"servings":4}`, "soup; people 4 to 6"},
		{"lamp", `{"sort":"price desc"}`, "lamp; by price, highest first"},
		{"lamp", `{"sort":"cheapest"}`, "lamp; by price, lowest first"},
		{"lamp", `{"budget":1e3}`, "lamp; price at most 1,000"},
		{"lamp", `{"budget":1e400}`, "lamp [ignored: budget]"},
		{"lamp", `{"budget":-5}`, "lamp [ignored: budget]"},
		{"lamp", `{"budget":"-5 dollars"}`, "lamp [ignored: budget]"},
		{"lamp", `{"price":{"min":-5,"max":20}}`, "lamp; price at most 20"},
		{"lamp", `{"price":{"max":-20}}`, "lamp [ignored: price]"},
		{"gift ideas", `{"price":"less than $20"}`, "gift; price under $20"},
	} {

		attributes := object(t, row.attributes)
		u := Read(row.question, asking())
		u.Heed(attributes, facets.FromAttribute, asking())
		got := u.Say(i18n.For("en"))
		for _, ignored := range u.Ignored {
			got += " [ignored: " + ignored.Name + "]"
		}
		if got != row.want {
			t.Errorf("%s %s\n got %s\nwant %s", row.question, row.attributes, got, row.want)
		}
	}
}

func TestUnknownAttributesAreSoftEvidenceAndNeverAnError(t *testing.T) {
	t.Parallel()
	u := Read("lamp", asking())
	u.Heed(object(t, `{"personalized":true,"mood":["calm evening","x"],"wishes":{"a":[1,{"b":null}]},"price":"whatever it takes to shine","sort":"by charm"}`), facets.FromAttribute, asking())
	if len(u.Constraints) != 0 || u.Sort.By != "" {
		t.Errorf("something filters: %s", u.Say(i18n.For("en")))
	}
	if len(u.Soft) != 2 || u.Soft[0] != "calm evening" || u.Soft[1] != "whatever it takes to shine" {
		t.Errorf("soft evidence is %q", u.Soft)
	}
	var names []string
	for _, i := range u.Ignored {
		names = append(names, i.Name)
		if i.Reason == "" {
			t.Errorf("%s is ignored without a reason", i.Name)
		}
	}
	if got := strings.Join(names, " "); got != "mood personalized price sort wishes" {
		t.Errorf("ignored are %s", got)
	}
}

func TestEveryPlainWordOfAConditionHasItsLanguages(t *testing.T) {
	t.Parallel()
	for _, language := range i18n.Languages {
		u := Read("three red lamps under $20 without nickel, cheapest first", asking())
		if said := u.Say(i18n.For(language)); said == "" || strings.Contains(said, "%!") {
			t.Errorf("in %s: %q", language, said)
		}
	}
}

func object(t testing.TB, text string) map[string]jsontext.Value {
	t.Helper()
	var m map[string]jsontext.Value
	dec := jsontext.NewDecoder(strings.NewReader(text))
	if _, err := dec.ReadToken(); err != nil {
		t.Fatal(err)
	}
	m = map[string]jsontext.Value{}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			t.Fatal(err)
		}
		key := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			t.Fatal(err)
		}
		m[key] = value.Clone()
	}
	return m
}

func FuzzReadEndsAndIsTheSameAgain(f *testing.F) {
	for _, seed := range []string{
		"gifts under $20", "between and", "no no no nuts, or and", "top top 5", "compare a and b and",
		"how long does take", "in may 2026 or next", "20分以内の卵なし", "1h20 prep",
		"free free-free", "not not", "\xff\xfe $ 5", "from 3 to", "for a family of", "l'été d'", "rated", "PT",
		"4+ + stars", "without", "is vegan", "vs vs vs", "Frühstück ohne Nüsse", "朝食は無料ですか",
		"free full time events older than a year that are over", "ingredients of of", "est-ce que est gratuit ?",
		"not not free", "no nuts or", "not red and", "weder Nüsse noch", "no nuts, or", "without milk,",
	} {
		f.Add(seed, `"`+"less than $20"+`"`)
	}
	f.Fuzz(func(t *testing.T, question, value string) {
		if len(question) > 4000 {
			question = question[:4000]
		}
		first, second := Read(question, asking()), Read(question, asking())
		if a, b := first.Say(i18n.For("de")), second.Say(i18n.For("de")); a != b {
			t.Fatalf("%q is %q and %q", question, a, b)
		}
		there := board()
		there.Has = func(word string) bool { return len(word)%2 == 0 }
		if a, b := read(question, there), read(question, there); a != b {
			t.Fatalf("%q is %q and %q", question, a, b)
		}
		for _, c := range first.Constraints {
			if c.Min != nil && c.Max != nil && *c.Min > *c.Max ||
				!c.From.IsZero() && !c.To.IsZero() && c.To.Before(c.From) {
				t.Fatalf("%q bounds nothing: %+v", question, c)
			}
		}
		if v := jsontext.Value(value); v.IsValid() {
			for _, name := range []string{"price", "diet", "startDate", "without", "sort", "count", "x", "totalTime"} {
				first.Heed(map[string]jsontext.Value{name: v}, facets.FromAttribute, asking())
			}
			_ = first.Say(i18n.For("en"))
		}
	})
}

// TestAnyTextIsReadInTimeInProportion holds that nothing in a long question costs more than the
// words around it do.
func TestAnyTextIsReadInTimeInProportion(t *testing.T) {
	t.Parallel()
	for _, word := range []string{
		"no ", "under ", "without nuts or ", "between 1 and ", "next ", "1 ", "a", "-", "vs ", "free ", "お", "in ",
	} {
		text := strings.Repeat(word, 4000/len(word))
		if got := Read(text, asking()); len(got.Constraints) > maxTokens {
			t.Errorf("%d constraints in repetitions of %q", len(got.Constraints), word)
		}
		l := split(text)
		if len(l.tokens) > maxTokens {
			t.Errorf("%d tokens of %q", len(l.tokens), word)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	at := asking()
	for _, row := range []struct{ name, question string }{
		{"plain", "mens slippers with a rubber sole"},
		{"constrained", "three quick vegan recipes without nuts under 30 minutes with at least 4 stars"},
	} {
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Read(row.question, at)
			}
		})
	}
}

// A bounded figure may be of any name where several are in its unit; one without a bound says
// nothing then.
func TestFiguresOfAnyNameInAUnit(t *testing.T) {
	t.Parallel()
	at := asking()
	at.Lexicon = facets.NewLexicon(facets.Taught{Items: 20, Types: map[string]int{"Product": 20}, Slots: []facets.Known{
		{Slot: facets.Measured("cm"), Kind: facets.Figures, Unit: "cm", Count: 9},
		{Slot: facets.Measured("°C"), Kind: facets.Figures, Unit: "°C", Count: 9},
	}})
	for question, want := range map[string]string{
		"bed at least 90 cm":          "bed; at least 90 cm",
		"Becken über 30 Grad":         "Becken; over 30 °C",
		"piscine à plus de 30 degrés": "piscine; over 30 °C",
		"piscina a más de 30 grados":  "piscina; over 30 °C",
		"vasca oltre 30 gradi":        "vasca; over 30 °C",
		"piscina acima de 30 graus":   "piscina; over 30 °C",
		"bed 90 cm":                   "bed 90 cm",
	} {
		if got := read(question, at); got != want {
			t.Errorf("%s\n got %s\nwant %s", question, got, want)
		}
	}
}
