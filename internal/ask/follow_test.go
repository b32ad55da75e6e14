package ask

import (
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/content"
)

// TestExclusionsHoldForTheConversation holds that what a person must not have stays out, whatever
// is asked for next, until it is wished for, and that a superlative without a kind is about what
// was wanted.
func TestExclusionsHoldForTheConversation(t *testing.T) {
	t.Parallel()
	b := newBench(t, "mag")
	made := func(price int, of ...string) map[string]any {
		return map[string]any{"recipeIngredient": of, "offers": map[string]any{"price": price, "priceCurrency": "EUR"}}
	}
	b.fill(t, "mag", "shop",
		stating("nutcake", "Hazelnut cake", made(3, "flour", "hazelnuts")),
		stating("plaincake", "Plain cake", made(5, "flour", "sugar")),
		stating("plumcake", "Plum cake", made(7, "flour", "plums")),
		stating("nutbread", "Walnut bread", made(4, "flour", "walnuts")),
		stating("ryebread", "Rye bread", made(6, "rye")),
	)
	for _, row := range []struct {
		turns []string
		want  []string
	}{
		{[]string{"cake without nuts", "which one is the cheapest?"}, []string{"plaincake", "plumcake"}},
		{[]string{"cake", "no nuts please", "which is the most expensive?"}, []string{"plumcake", "plaincake"}},
		{[]string{"I am allergic to nuts. cake?", "bread"}, []string{"ryebread"}},
		{[]string{"ich habe eine nussallergie, cake", "and bread?"}, []string{"ryebread"}},
		{[]string{"I am allergic to nuts. cake?", "bread", "which is the cheapest?"}, []string{"ryebread"}},
		{[]string{"bread", "which is the cheapest?"}, []string{"nutbread", "ryebread"}},
	} {
		last := len(row.turns) - 1
		q := Question{Text: row.turns[last]}
		q.Context.Previous = row.turns[:last]
		var names []string
		for _, result := range b.asked(t, q) {
			names = append(names, strings.TrimPrefix(result["url"].(string), "https://mag.example/"))
		}
		if !slices.Equal(names, row.want) {
			t.Errorf("%q: %q, want %q", row.turns, names, row.want)
		}
	}
}

// TestTurnsReplaceWhatTheyNameAnew holds that a place, a kind or a person comes in the place of the
// one before, also where the words before were the name of an item.
func TestTurnsReplaceWhatTheyNameAnew(t *testing.T) {
	t.Parallel()
	b := newBench(t, "mag")
	worn := func(audience string) map[string]any {
		return map[string]any{"audience": map[string]any{"suggestedGender": audience}}
	}
	b.fill(t, "mag", "shop",
		stating("linux", "Install on Linux", nil), stating("windows", "Install on Windows", nil),
		stating("python", "Python client library", nil), stating("go", "Go client library", nil),
		stating("large", "Tree hammock, large", nil), stating("small", "Tree hammock, small", nil),
		stating("spoon", "Large tree spoon", nil),
		stating("puppy", "Puppy lamb bites", map[string]any{"category": "Dog food"}),
		stating("kitten", "Kitten salmon pouches", map[string]any{"category": "Cat food"}),
		stating("flap", "Flap for kittens", map[string]any{"category": "Doors"}),
		stating("welpen", "Trockenfutter Welpen", nil), stating("kaninchen", "Trockenfutter Kaninchen", nil),
		stating("stall", "Kaninchenstall", nil), stating("jaula", "Jaula para conejos", nil),
		stating("cachorros", "Comida seca cachorros", nil), stating("conejos", "Comida seca conejos", nil),
		stating("men", "Moor hiking boots for men", worn("male")),
		stating("women", "Alm hiking boots for women", worn("female")),
	)
	b.fill(t, "mag", "flowers",
		stating("white", "白ゆりの花束", map[string]any{"color": "白"}),
		stating("red", "赤いバラの花束", map[string]any{"color": "赤"}),
	)
	for _, row := range []struct {
		turns []string
		first string
	}{
		{[]string{"花束", "赤いのはどれですか？"}, "red"},
		{[]string{"install on linux", "and on windows?"}, "windows"},
		{[]string{"python client library", "and for go?"}, "go"},
		{[]string{"go client library", "what about python?"}, "python"},
		{[]string{"moor hiking boots for men", "and for women?"}, "women"},
		{[]string{"tree hammocks", "the large one"}, "large"},
		{[]string{"food for puppies", "and for kittens?"}, "kitten"},
		{[]string{"food for kittens", "what about for puppies"}, "puppy"},
		{[]string{"Futter für Welpen", "und für Kaninchen?"}, "kaninchen"},
		{[]string{"comida para cachorros", "¿y para conejos?"}, "conejos"},
	} {
		last := len(row.turns) - 1
		q := Question{Text: row.turns[last]}
		q.Context.Previous = row.turns[:last]
		results := b.asked(t, q)
		if row.first == "go" && len(results) > 1 && results[1]["url"] == "https://mag.example/python" {
			t.Errorf("%q: what is not asked for any more is given", row.turns)
		}
		if len(results) == 0 || results[0]["url"] != "https://mag.example/"+row.first {
			t.Errorf("%q: %v, want %q first", row.turns, results, row.first)
		}
	}
}

// TestItIsAskedAmongWhatWasShown holds that a question goes on among the items before, and where
// none of them is meant, among those of their kind.
func TestItIsAskedAmongWhatWasShown(t *testing.T) {
	t.Parallel()
	b := newBench(t, "mag")
	b.fill(t, "mag", "shop",
		item("mag", "low", "Product", "Trail shoes low", "Light shoes of mesh."),
		item("mag", "mid", "Product", "Trail shoes mid", "With a membrane for wet days."),
		item("mag", "tent", "Product", "Dome tent", "A membrane against the wet."),
		item("mag", "post", "BlogPosting", "What a membrane does on wet days", "All about it."),
	)
	b.fill(t, "mag", "hotel",
		item("mag", "linde", "HotelRoom", "Doppelzimmer Linde", "Mit Blick auf den Platz."),
		item("mag", "erle", "HotelRoom", "Doppelzimmer Erle", "Mit Balkon."),
		item("mag", "muehle", "HotelRoom", "Familienzimmer Mühle", "Zwei Räume."),
		item("mag", "fest", "Event", "Balkon und Garten für die Familie", "Ein Vortrag."),
	)
	for _, row := range []struct {
		turns []string
		want  []string
	}{
		{[]string{"trail shoes", "which one has a membrane?"}, []string{"mid"}},
		{[]string{"doppelzimmer", "welches davon hat einen balkon?"}, []string{"erle"}},
		{[]string{"doppelzimmer", "und für eine familie?"}, []string{"muehle"}},
	} {
		last := len(row.turns) - 1
		q := Question{Text: row.turns[last]}
		q.Context.Previous = row.turns[:last]
		var names []string
		for _, result := range b.asked(t, q) {
			names = append(names, strings.TrimPrefix(result["url"].(string), "https://mag.example/"))
		}
		if !slices.Equal(names, row.want) {
			t.Errorf("%q: %q, want %q", row.turns, names, row.want)
		}
	}
}

// TestWhatComparesGoesBeyondWhatWasShown holds that what is cheaper is looked for among all of the
// kind where nothing that was wanted is, under the same conditions.
func TestWhatComparesGoesBeyondWhatWasShown(t *testing.T) {
	t.Parallel()
	priced := func(name string, price int, of ...string) content.Item {
		return stating(name, name, map[string]any{
			"recipeIngredient": of, "offers": map[string]any{"price": price, "priceCurrency": "EUR"},
		})
	}
	for _, row := range []struct {
		language string
		items    []content.Item
		turns    []string
		want     []string
	}{
		{"en", []content.Item{priced("Dwarf cherry tree", 40), priced("Oak tree", 90), priced("Fig tree", 25),
			priced("Tree spade", 12)},
			[]string{"dwarf cherry tree", "anything cheaper"}, []string{"Fig tree"}},
		{"en", []content.Item{priced("Dwarf cherry tree", 40), priced("Oak tree", 90), priced("Fig tree", 25),
			priced("Tree spade", 12)},
			[]string{"dwarf cherry tree", "something more expensive?"}, []string{"Oak tree"}},
		{"en", []content.Item{priced("Plum cake", 9, "flour", "plums"), priced("Nut cake", 5, "flour", "hazelnuts"),
			priced("Chocolate cake", 7, "flour", "cocoa")},
			[]string{"plum cake without nuts", "anything cheaper?"}, []string{"Chocolate cake"}},
		{"de", []content.Item{priced("Ferienhaus am See mit Steg", 150), priced("Ferienhaus Moor", 80),
			priced("Ferienhaus Berg", 190),
			priced("Kerze für den Abend", 5)},
			[]string{"Ferienhaus mit Steg", "günstiger?"}, []string{"Ferienhaus Moor"}},
		{"fr", []content.Item{priced("Table ronde en noyer", 700), priced("Table en pin", 120),
			priced("Nappe pour une table", 9)},
			[]string{"table ronde", "moins cher ?"}, []string{"Table en pin"}},
		{"it", []content.Item{priced("Lampada in ottone", 95), priced("Lampada di carta", 20), priced("Candela", 5)},
			[]string{"lampada in ottone", "qualcosa di meno caro?"}, []string{"Lampada di carta"}},
		{"es", []content.Item{priced("Mesa de roble", 95), priced("Mesa de pino", 20), priced("Mantel", 5)},
			[]string{"mesa de roble", "¿algo más barato?"}, []string{"Mesa de pino"}},
		{"pt", []content.Item{priced("Mesa redonda", 95), priced("Mesa quadrada", 20), priced("Toalha", 5)},
			[]string{"mesa redonda", "algo mais barato?"}, []string{"Mesa quadrada"}},
	} {
		b := newBench(t, "mag")
		for i := range row.items {
			row.items[i].Language, row.items[i].Description = row.language, ""
		}
		b.fill(t, "mag", "shop", row.items...)
		q := Question{Text: row.turns[1]}
		q.Context.Previous = row.turns[:1]
		var names []string
		for _, result := range b.asked(t, q) {
			names = append(names, result["name"].(string))
		}
		if !slices.Equal(names, row.want) {
			t.Errorf("%q: %q, want %q", row.turns, names, row.want)
		}
	}
}
