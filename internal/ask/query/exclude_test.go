package query

import (
	"slices"
	"testing"

	"frontdesk/internal/content/facets"
)

// leavingOut is a catalog of kinds that people leave out.
func leavingOut() Asking {
	at := asking()
	broader := map[string]string{"MusicEvent": "Event", "TheaterEvent": "Event", "NewsArticle": "Article"}
	at.IsA = func(typ, ancestor string) bool { return typ == ancestor || broader[typ] == ancestor }
	var slots []facets.Known
	for _, s := range []facets.Slot{
		facets.Location, facets.Brand, facets.Color, facets.Material, facets.Category, facets.Ingredient, facets.Diet,
	} {
		slots = append(slots, facets.Known{Slot: s, Count: 5})
	}
	at.Lexicon = facets.NewLexicon(facets.Taught{
		Items: 100, Slots: append(slots, facets.Known{Slot: facets.Price, Kind: facets.Figures, Unit: "EUR", Count: 9}),
		Types: map[string]int{"Product": 40, "Event": 4, "MusicEvent": 6, "TheaterEvent": 5, "Article": 10, "Book": 8,
			"JobPosting": 3, "Recipe": 9},
		Values: map[facets.Slot][]facets.Value{
			facets.Category: {{Text: "Lamps", Count: 9}, {Text: "Cookbook", Count: 3}, {Text: "Krimi", Count: 2},
				{Text: "Roman", Count: 2}, {Text: "jazz", Count: 3}, {Text: "Shoes", Count: 5}},
			facets.Color:    {{Text: "black", Count: 3}, {Text: "white", Count: 4}},
			facets.Location: {{Text: "Paris", Count: 4}}, facets.Brand: {{Text: "Fleet", Count: 3}},
		},
	})
	return at
}

func TestWhatIsLeftOutIsNotSearchedFor(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ question, want, beside string }{
		{"lamp without switch", "lamp; without switch", "lamp without switch"},
		{"lamps that don't need a switch", "without switch; category: Lamps", ""},
		{"shoes without laces; preferably without laces",
			"without laces; preferably without laces; category: Shoes", ""},
		{"Lack ohne Lösemittel", "Lack; without Lösemittel", "Lack ohne Lösemittel"},
		{"cirque sans animaux", "cirque; without animaux", "cirque sans animaux"},
		{"lamps, preferably under 50 euros", "lamps; preferably price under €50; preferably category: Lamps", ""},
		{"anything but books", "kind: not Book", ""},
		{"no books", "kind: not Book", ""},
		{"nothing but books", "kind: Book", ""},
		{"no books or articles", "kind: not Book; kind: not Article", ""},
		{"not cookbooks", "category: not Cookbook", ""},
		{"books but not cookbooks", "kind: Book; category: not Cookbook", ""},
		{"lamps, no books", "kind: not Book; category: Lamps", ""},
		{"lamps but no floor lamps", "without floor lamps; category: Lamps", ""},
		{"everything except lamps", "category: not Lamps", ""},
		{"jobs not full time", "kind: JobPosting; without full time", ""},
		{"jobs that are not remote", "kind: JobPosting; without remote", ""},
		{"dinner, no soup", "dinner; kind: Recipe; without soup", ""},
		{"events but no theatre", "kind: Event; kind: not TheaterEvent", ""},
		{"je ne veux pas de théâtre", "kind: not TheaterEvent", ""},
		{"concerts mais pas de jazz", "kind: MusicEvent; category: not jazz", ""},
		{"événements en dehors de Paris", "kind: Event; place: not Paris", ""},
		{"Bücher, keine Krimis", "kind: Book; category: not Krimi", ""},
		{"keine Romane", "category: not Roman", ""},
		{"alles außer Büchern", "kind: not Book", ""},
		{"todo menos libros", "kind: not Book", ""},
		{"não quero teatro", "kind: not TheaterEvent", ""},
		{"本以外", "kind: not Book", ""},
		// What is no wish.
		{"watch the game not your phone tshirt", "watch the game not your phone tshirt", ""},
		{"belt no buckle", "belt; preferably without buckle", "belt no buckle"},
	} {
		at := leavingOut()
		if got := read(row.question, at); got != row.want {
			t.Errorf("%s\n got %s\nwant %s", row.question, got, row.want)
		}
		if got := Read(row.question, at).Beside; got != row.beside {
			t.Errorf("%s: %q beside, want %q", row.question, got, row.beside)
		}
	}
}

// TestWhoIsNotWantedIsNoWishForThem holds that a negation counts for a name that words lead to.
func TestWhoIsNotWantedIsNoWishForThem(t *testing.T) {
	t.Parallel()
	at := asking()
	for _, question := range []string{
		"articles not by Thackeray", "articles not written by Priya Thackeray", "articles not made by Priya Thackeray",
		"Artikel, nicht von Priya Thackeray", "articles pas écrits par Priya Thackeray",
		"artículos no escritos por Priya Thackeray", "articoli non scritti da Priya Thackeray",
		"artigos não escritos por Priya Thackeray",
	} {
		got := Read(question, at)
		for _, c := range got.Constraints {
			if c.Slot == facets.Author && !c.Not {
				t.Errorf("%s: %s", question, read(question, at))
			}
		}
		if !slices.ContainsFunc(got.Constraints, func(c facets.Constraint) bool { return c.Not }) {
			t.Errorf("%s leaves nothing out: %s", question, read(question, at))
		}
	}
}

// TestFoodThatIsSoldIsNoRecipe holds that where things state what is in them, somebody who cannot
// have something asks for these, too.
func TestFoodThatIsSoldIsNoRecipe(t *testing.T) {
	t.Parallel()
	shop := func(declaring int) Asking {
		at := town(map[string]int{"Recipe": 12, "Product": 80}, facets.Known{Slot: facets.Allergens, Count: declaring},
			facets.Known{Slot: facets.Ingredient, Count: 12}, facets.Known{Slot: facets.Diet, Count: 12})
		return at
	}
	for _, row := range []struct{ question, sold, cooked string }{
		{"Suppe ohne Schweinefleisch", "Suppe; without pork", "Suppe; kind: Recipe; without pork"},
		{"cake without nuts", "cake; without nuts", "cake; kind: Recipe; without nuts"},
		{"recipes without nuts", "kind: Recipe; without nuts", "kind: Recipe; without nuts"},
	} {
		if got := read(row.question, shop(40)); got != row.sold {
			t.Errorf("%s, where food is sold: %s, want %s", row.question, got, row.sold)
		}
		if got := read(row.question, shop(4)); got != row.cooked {
			t.Errorf("%s, where it is not: %s, want %s", row.question, got, row.cooked)
		}
	}
}

func TestAnotherKindOfThingBeginsAnew(t *testing.T) {
	t.Parallel()
	at := leavingOut()
	for _, row := range []struct {
		before, now string
		want        Relation
	}{
		{"lamps under $50", "shoes", Apart},
		{"lamps", "shoes under $30", Apart},
		{"lamps under $50", "what about shoes", Onward},
		{"lamps", "only black", Onward},
		{"lamps", "lamps under $30", Onward},
		{"vegan dinner", "that cook in under 40 minutes", Onward},
	} {
		before, now := Read(row.before, at), Read(row.now, at)
		if got := Relate(row.now, &now, &before); got.Relation != row.want {
			t.Errorf("%q after %q: %v, want %v", row.now, row.before, got.Relation, row.want)
		}
	}
}
