package query_test

import (
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/ask/query"
	"frontdesk/internal/content/facets"
)

// saying is a question as it is understood by itself: its words, what is left of them to search
// for, and more.
func saying(asked, left string, more ...func(*query.Understood)) query.Understood {
	u := query.Understood{Asked: asked, Text: left}
	for _, add := range more {
		add(&u)
	}
	return u
}

func holding(all ...facets.Constraint) func(*query.Understood) {
	return func(u *query.Understood) { u.Constraints = append(u.Constraints, all...) }
}

func ofType(types ...string) func(*query.Understood) {
	return func(u *query.Understood) { u.Types = types }
}

func valued(slot facets.Slot, said string, values ...string) facets.Constraint {
	return facets.Constraint{Slot: slot, Values: values, Said: said, Source: facets.FromText}
}

func not(c facets.Constraint) facets.Constraint { c.Not = true; return c }

func atMost(slot facets.Slot, most float64, said string) facets.Constraint {
	return facets.Constraint{Slot: slot, Max: &most, Said: said, Source: facets.FromText}
}

func atLeast(slot facets.Slot, least float64, said string) facets.Constraint {
	return facets.Constraint{Slot: slot, Min: &least, Said: said, Source: facets.FromText}
}

// reading understands questions by looking for what is said of some constraints in them; the other
// words are left.
func reading(known ...facets.Constraint) func(string) query.Understood {
	return func(asked string) query.Understood {
		u, left := saying(asked, ""), " "+asked+" "
		for _, c := range known {
			if strings.Contains(left, " "+c.Said+" ") {
				u.Constraints = append(u.Constraints, c)
				left = strings.Replace(left, " "+c.Said+" ", " ", 1)
			}
		}
		u.Text = strings.TrimSpace(left)
		return u
	}
}

// muffins is what was wanted before.
var muffins = saying("breakfast muffins under 30 minutes", "breakfast muffins",
	holding(atMost(facets.TotalTime, 30, "under 30 minutes")))

func TestAFollowUpGoesOn(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		text  string
		said  query.Understood
		whole string
		left  string
	}{
		{"high protein ones", saying("high protein ones", "high protein ones"),
			"high protein breakfast muffins under 30 minutes", "high protein breakfast muffins"},
		{"only vegan", saying("only vegan", "", holding(valued(facets.Diet, "vegan", "vegan"))),
			"vegan breakfast muffins under 30 minutes", "breakfast muffins"},
		{
			"and without nuts",
			saying("and without nuts", "", holding(not(valued(facets.Mention, "without nuts", "nuts")))),
			"breakfast muffins under 30 minutes without nuts", "breakfast muffins",
		},
		{"for two people?", saying("for two people?", "", holding(atLeast(facets.Yield, 2, "for two people"))),
			"breakfast muffins under 30 minutes for two people", "breakfast muffins"},
		{"with blueberries", saying("with blueberries", "blueberries"),
			"breakfast muffins under 30 minutes with blueberries", "breakfast muffins with blueberries"},
		{"what about with blueberries?", saying("what about with blueberries?", "blueberries"),
			"breakfast muffins under 30 minutes with blueberries", "breakfast muffins with blueberries"},
		{"what about pancakes?", saying("what about pancakes?", "pancakes"), "pancakes under 30 minutes", "pancakes"},
		{"cheaper than $5", saying("cheaper than $5", "", holding(atMost(facets.Price, 5, "cheaper than $5"))),
			"breakfast muffins under 30 minutes cheaper than $5", "breakfast muffins"},
		{
			"no dairy either",
			saying("no dairy either", "either", holding(not(valued(facets.Ingredient, "no dairy", "dairy")))),
			"breakfast muffins under 30 minutes no dairy", "breakfast muffins",
		},
		{"only those with 4.5 stars or more", saying("only those with 4.5 stars or more", "",
			holding(atLeast(facets.Rating, 4.5, "with 4.5 stars or more"))),
			"breakfast muffins under 30 minutes with 4.5 stars or more", "breakfast muffins"},
		{"under 20 minutes", saying("under 20 minutes", "", holding(atMost(facets.TotalTime, 20, "under 20 minutes"))),
			"breakfast muffins under 20 minutes", "breakfast muffins"},
		{"nur vegane bitte", saying("nur vegane bitte", "", holding(valued(facets.Diet, "vegane", "vegan"))),
			"vegane breakfast muffins under 30 minutes", "breakfast muffins"},
		{"et sans noix", saying("et sans noix", "", holding(not(valued(facets.Mention, "sans noix", "noix")))),
			"breakfast muffins under 30 minutes sans noix", "breakfast muffins"},
		{"pero sin nueces", saying("pero sin nueces", "", holding(not(valued(facets.Mention, "sin nueces", "nueces")))),
			"breakfast muffins under 30 minutes sin nueces", "breakfast muffins"},
		{"mas sem nozes", saying("mas sem nozes", "", holding(not(valued(facets.Mention, "sem nozes", "nozes")))),
			"breakfast muffins under 30 minutes sem nozes", "breakfast muffins"},
	} {
		if turn := query.Relate(row.text, &row.said, &muffins); turn.Relation != query.Onward {
			t.Errorf("%q: %+v", row.text, turn)
			continue
		}
		got := query.Follow(row.text, row.said, muffins, false,
			reading(append(row.said.Constraints, muffins.Constraints...)...))
		if got.Asked != row.whole || got.Text != row.left {
			t.Errorf("%q is %q, searched for %q; want %q, %q", row.text, got.Asked, got.Text, row.whole, row.left)
		}
	}
}

func TestWhatIsNewWinsOverWhatItContradicts(t *testing.T) {
	t.Parallel()
	dollars := func(c facets.Constraint) facets.Constraint { c.Unit = "USD"; return c }
	for name, row := range map[string]struct {
		before, now []facets.Constraint
		text        string
		want        []string // what is said of each that holds
	}{
		"another limit": {[]facets.Constraint{atMost(facets.Price, 50, "under 50")},
			[]facets.Constraint{atMost(facets.Price, 20, "under 20")}, "under 20", []string{"under 20"}},
		"a range": {[]facets.Constraint{dollars(atMost(facets.Price, 50, "under 50"))},
			[]facets.Constraint{dollars(atLeast(facets.Price, 20, "over 20"))}, "over 20",
			[]string{"under 50", "over 20"}},
		"an empty range": {[]facets.Constraint{atMost(facets.Price, 50, "under 50")},
			[]facets.Constraint{atLeast(facets.Price, 80, "over 80")}, "over 80", []string{"over 80"}},
		"another colour": {[]facets.Constraint{valued(facets.Color, "red", "red")},
			[]facets.Constraint{valued(facets.Color, "blue", "blue")}, "what about blue?", []string{"blue"}},
		"diets add up": {
			[]facets.Constraint{valued(facets.Diet, "vegan", "vegan")}, []facets.Constraint{
				valued(facets.Diet, "gluten free", "glutenfree"),
			}, "gluten free", []string{"vegan", "gluten free"},
		},
		"a diet instead": {
			[]facets.Constraint{valued(facets.Diet, "vegan", "vegan")}, []facets.Constraint{
				valued(facets.Diet, "vegetarian", "vegetarian"),
			}, "vegetarian instead", []string{"vegetarian"},
		},
		"exclusions add up": {[]facets.Constraint{not(valued(facets.Mention, "without nuts", "nuts"))},
			[]facets.Constraint{not(valued(facets.Mention, "without eggs", "eggs"))}, "and without eggs",
			[]string{"without nuts", "without eggs"}},
		"taken back": {[]facets.Constraint{not(valued(facets.Mention, "without nuts", "nuts"))},
			[]facets.Constraint{valued(facets.Ingredient, "with nuts", "nuts")}, "with nuts", []string{"with nuts"}},
		"let go": {[]facets.Constraint{valued(facets.Color, "red", "red"),
			atMost(facets.Price, 50, "under 50")}, nil, "any colour", []string{"under 50"}},
		"let go in German": {[]facets.Constraint{valued(facets.Color, "red", "red"),
			atMost(facets.Price, 50, "under 50")}, nil, "Preis egal", []string{"red"}},
	} {
		asked := "lamps"
		for _, c := range row.before {
			asked += " " + c.Said
		}
		got := query.Follow(row.text, saying(row.text, "", holding(row.now...)),
			saying(asked, "lamps", holding(row.before...)), false, reading(append(row.before, row.now...)...))
		var said []string
		for _, c := range got.Constraints {
			said = append(said, c.Said)
		}
		slices.Sort(said)
		slices.Sort(row.want)
		if !slices.Equal(said, row.want) {
			t.Errorf("%s: holding %q, want %q", name, said, row.want)
		}
		for _, c := range row.before {
			if !slices.Contains(row.want, c.Said) && strings.Contains(got.Asked, c.Said) {
				t.Errorf("%s: the question still says %q: %q", name, c.Said, got.Asked)
			}
		}
	}
}

func TestComparingWordsOrderWhatWasWanted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]facets.Sort{
		"cheaper ones": {By: facets.Price}, "something cheaper": {By: facets.Price},
		"anything less expensive?": {By: facets.Price}, "with more protein": {By: facets.Protein, Descending: true},
		"faster": {By: facets.TotalTime}, "newer ones": {By: facets.Published, Descending: true},
		"better rated ones": {By: facets.Rating, Descending: true}, "less sugar": {By: facets.Sugar},
		"günstigere": {By: facets.Price}, "moins cher": {By: facets.Price}, "más baratos": {By: facets.Price},
		"mais baratos": {By: facets.Price},
	} {
		said := saying(text, text)
		if turn := query.Relate(text, &said, &muffins); turn.Relation != query.Onward {
			t.Errorf("%q: %+v", text, turn)
		}
		got := query.Follow(text, said, muffins, false, reading(muffins.Constraints...))
		if got.Sort.By != want.By || got.Sort.Descending != want.Descending ||
			!strings.Contains(got.Text, "breakfast muffins") || len(got.Constraints) != 1 {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestFurtherItemsAreWanted(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"more", "Show me more", "something else", "anything else?", "others please", "next",
		"mehr", "noch andere?", "autre chose", "otra cosa", "outras opções", "もっと", "他には？"} {
		said := saying(text, text)
		if turn := query.Relate(text, &said, &muffins); turn.Relation != query.More {
			t.Errorf("%q: %+v", text, turn)
		}
	}
}

// What holds for some of the items is told apart from what goes on with the words before.
func TestItIsAskedWhichItemsSomethingHoldsFor(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		text     string
		relation query.Relation
		rest     string
	}{
		{"which of them are free", query.Among, "are free"},
		{"and which one is waterproof?", query.Among, "is waterproof?"},
		{"are any of them vegan", query.Among, "vegan"},
		{"welche davon haben einen Balkon?", query.Among, "haben einen Balkon?"},
		{"lequel est imperméable ?", query.Among, "imperméable ?"},
		{"¿cuáles tienen piscina?", query.Among, "tienen piscina?"},
		{"quali hanno la vista?", query.Among, "la vista?"},
		{"qual deles é vegano?", query.Among, "é vegano?"},
		{"and for children?", query.Onward, "for children?"},
		{"et pour les enfants ?", query.Onward, "pour les enfants ?"},
		{"und mit Balkon?", query.Onward, "mit Balkon?"},
		{"what about pancakes?", query.Onward, ""},
	} {
		said := saying(row.text, row.text)
		if turn := query.Relate(row.text, &said, &muffins); turn.Relation != row.relation || turn.Rest != row.rest {
			t.Errorf("%q: %+v", row.text, turn)
		}
	}
}

func TestItemsOfTheAnswerBeforeArePointedAt(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		text          string
		places        []int
		before, after string
	}{
		{"the second one", []int{1}, "", ""},
		{"Tell me more about the first", []int{0}, "", ""},
		{"the last one please", []int{-1}, "", ""},
		{"show me number 3", []int{2}, "", ""},
		{"#4", []int{3}, "", ""},
		{"the first two", []int{0, 1}, "", ""},
		{"compare the first three results", []int{0, 1, 2}, "compare", ""},
		{"compare the first two", []int{0, 1}, "compare", ""},
		{"how long does the second one take?", []int{1}, "how long does", "take?"},
		{"is it vegan?", []int{0}, "is", "vegan?"},
		{"how long does it take", []int{0}, "how long does", "take"},
		{"das zweite bitte", []int{1}, "", ""},
		{"le deuxième", []int{1}, "", ""},
		{"el segundo", []int{1}, "", ""},
		{"a última", []int{-1}, "", ""},
		{"2番目のもの", []int{1}, "", ""},
	} {
		said := saying(row.text, row.text)
		turn := query.Relate(row.text, &said, &muffins)
		if turn.Relation != query.Pick || !slices.Equal(turn.Places, row.places) || turn.Before != row.before ||
			turn.After != row.after {
			t.Errorf("%q: %+v", row.text, turn)
		}
	}
}

func TestAQuestionThatStandsByItselfBeginsAnew(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		said query.Understood
	}{
		{saying("wireless headphones with noise cancelling", "wireless headphones noise cancelling")},
		{saying("second hand bikes", "second hand bikes")},
		{saying("vegan recipes", "", ofType("Recipe"), holding(valued(facets.Diet, "vegan", "vegan")))},
		{saying("under armour running shoes for men", "under armour running shoes")},
		{saying("one pot pasta with beans", "one pot pasta with beans")},
		{saying("start over: show me lamps", "lamps")},
		{saying("never mind, desk lamps under $20", "desk lamps", holding(atMost(facets.Price, 20, "under $20")))},
		{saying("the first man on the moon book", "first man on the moon book")},
		{saying("what is the best cast iron skillet", "best cast iron skillet")},
		{saying("", "")},
	} {
		if turn := query.Relate(row.said.Asked, &row.said, &muffins); turn.Relation != query.Apart {
			t.Errorf("%q: %+v", row.said.Asked, turn)
		}
	}
	if got := query.Reset("never mind, desk lamps under $20"); got != "desk lamps under $20" {
		t.Errorf("without its beginning the question is %q", got)
	}
	if got := query.Reset("start over"); got != "start over" {
		t.Errorf("a question that is nothing else became %q", got)
	}
}

func FuzzFollow(f *testing.F) {
	f.Add("cheaper ones", "pasta", "pasta under 20 minutes", "under 20 minutes")
	f.Add("is the second one vegan", "", "ÜBER 3", "über 3")
	f.Fuzz(func(t *testing.T, text, left, before, told string) {
		said, earlier := saying(text, left, holding(atMost(facets.Price, 1, text))),
			saying(before, left, holding(atMost(facets.Price, 2, told)))
		turn := query.Relate(text, &said, &earlier)
		for _, place := range turn.Places {
			if place < -1 || place > 99 {
				t.Fatalf("%q points at place %d", text, place)
			}
		}
		got := query.Follow(text, said, earlier, false, reading(said.Constraints...))
		if len(got.Asked) > len(text)+len(before)+len(told)+2 || len(got.Constraints) > 2 {
			t.Fatalf("%q after %q became %q", text, before, got.Asked)
		}
		query.Reset(text)
	})
}
