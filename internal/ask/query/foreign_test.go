package query

import (
	"strings"
	"testing"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/content/facets"
)

// TestWhatSomebodyMustNotEatIsNeverAWish holds the forms in which people say so outside English.
func TestWhatSomebodyMustNotEatIsNeverAWish(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ question, want string }{
		{"alérgica al marisco, ¿qué ceno?", "kind: Recipe; without shellfish"},
		{"soy alérgico a los cacahuetes", "kind: Recipe; without peanuts"},
		{"recetas, intolerancia al huevo", "kind: Recipe; without eggs"},
		{"no como carne", "kind: Recipe; without meat"},
		{"recetas, no me gusta el ajo", "kind: Recipe; without ajo"},
		{"soy vegano", "diet: vegan"},
		{"celíaco", "diet: gluten-free"},
		{"je ne mange pas de viande", "kind: Recipe; without meat"},
		{"recettes, je suis intolérante au lactose", "kind: Recipe; without lactose"},
		{"recettes, je suis allergique aux crustacés", "kind: Recipe; without shellfish"},
		{"ich esse kein Fleisch", "kind: Recipe; without meat"},
		{"Rezepte bei Nussallergie", "kind: Recipe; without nuts"},
		{"Rezepte, ich vertrage keine Eier", "kind: Recipe; without eggs"},
		{"não como carne", "kind: Recipe; without meat"},
		{"receitas, alérgica ao amendoim", "kind: Recipe; without peanuts"},
		{"海老アレルギー", "without 海老"},
		{"えびなしの料理", "without えび"},
		{"卵を使わない料理", "without eggs"},
		{"赤いランプ", "ランプ; colour: red"},
		{"魚以外のレシピ", "kind: Recipe; without fish"},
		{"二人分のレシピ", "kind: Recipe; people 2 to 4"},
	} {
		if got := read(row.question, asking()); got != row.want {
			t.Errorf("%s\n got %s\nwant %s", row.question, got, row.want)
		}
	}
}

// TestQuestionsOfSitesThatNobodyTunedForAreRead holds what went wrong on a hardware shop, a
// calendar and a job board.
func TestQuestionsOfSitesThatNobodyTunedForAreRead(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ question, want string }{
		{"concerts in Berlin or Net Loft", "kind: MusicEvent; place: Berlin or Net Loft"},
		{"concert à Berlin ou à Net Loft", "kind: MusicEvent; place: Berlin or Net Loft"},
		{"only Nike", "brand: Nike"},
		{"nur Nike", "brand: Nike"},
		{"Farbe weder rot noch blau", "Farbe; colour: not red; colour: not blue"},
		{"nichts von Nike", "brand: not Nike"},
		{"the 100 recipe", "the 100; kind: Recipe"},
		{"cheap products", "kind: Product; by price, lowest first"},
		{"günstige Produkte", "kind: Product; by price, lowest first"},
		{"drei Starter", "kind: Recipe; category: Starter; 3 results"},
		// Asked on Friday, 20 November 2026.
		{"événements la semaine prochaine", "kind: Event; date 23 November 2026 to 29 November 2026"},
		{"événements le mois prochain", "kind: Event; date 1 December 2026 to 31 December 2026"},
		{"eventos la semana que viene", "kind: Event; date 23 November 2026 to 29 November 2026"},
		{"événements entre le 1er et le 10 décembre", "kind: Event; date 1 December 2026 to 10 December 2026"},
		{"Konzerte vom 1. bis zum 10. Dezember", "kind: MusicEvent; date 1 December 2026 to 10 December 2026"},
		{"events between 1 and 10 December", "kind: Event; date 1 December 2026 to 10 December 2026"},
		{"concerts vendredi soir", "kind: MusicEvent; date on 20 November 2026"},
		{"pas trop cher", "preferably low price"},
		{"how many Starter do you have", "category: Starter"},
	} {
		if got := read(row.question, asking()); got != row.want {
			t.Errorf("%s\n got %s\nwant %s", row.question, got, row.want)
		}
	}
	at := asking()
	at.Now = fridayNoon.AddDate(0, 0, 2)
	if got, want := read("what to do this weekend", at), "date on 22 November 2026"; got != want {
		t.Errorf("on a Sunday: %s, want %s", got, want)
	}
}

func TestWhatJobsPayIsTheirSalary(t *testing.T) {
	t.Parallel()
	at := asking()
	at.Lexicon = facets.NewLexicon(facets.Taught{Items: 10, Types: map[string]int{"JobPosting": 10},
		Slots: []facets.Known{{Slot: salary, Kind: facets.Figures, Unit: "GBP", Count: 9}}})
	for _, row := range []struct{ question, want string }{
		{"jobs over £60k", "kind: JobPosting; salary over £60,000"},
		{"jobs paying more than 50000", "kind: JobPosting; salary over 50,000"},
		{"best paid jobs", "kind: JobPosting; by salary, highest first"},
	} {
		if got := read(row.question, at); got != row.want {
			t.Errorf("%s\n got %s\nwant %s", row.question, got, row.want)
		}
	}
}

// TestFollowUpsKeepAndDropTheRightThings holds follow-ups that are read by the same rules as what
// was asked before them.
func TestFollowUpsKeepAndDropTheRightThings(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ before, now, want string }{
		{"concerts à Berlin", "et à Net Loft ?", "kind: MusicEvent; place: Net Loft"},
		{"events in Berlin", "what about Net Loft", "kind: Event; place: Net Loft"},
		{"Kitchen things under $100", "nur Nike", "price under $100; brand: Nike; preferably category: Kitchen"},
		{"Nike lamp under $100", "Marke egal", "lamp; price under $100"},
		{"cheapest products", "what about recipes?", "kind: Recipe; by price, lowest first"},
	} {
		earlier := Read(row.before, asking())
		said := Read(row.now, asking())
		if turn := Relate(row.now, &said, &earlier); turn.Relation != Onward {
			t.Errorf("%s, %s: %v", row.before, row.now, turn)
			continue
		}
		next := Follow(row.now, said, earlier, false, func(text string) Understood { return Read(text, asking()) })
		if got := next.Say(i18n.For("en")); got != row.want {
			t.Errorf("%s, %s\n got %s\nwant %s", row.before, row.now, got, row.want)
		}
	}
}

// TestPronounsAndBareVerbsAskOfWhatWasToldOf holds "wie viel kostet es?" and its like behind an
// answer.
func TestPronounsAndBareVerbsAskOfWhatWasToldOf(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ question, named string }{
		{"wie viel kostet es?", "wie viel kostet Kombizange ?"},
		{"was kostet das?", "was kostet Kombizange ?"},
		{"¿cuánto tarda?", "¿cuánto tarda Kombizange ?"},
		{"y cuánto cuesta", "y cuánto cuesta Kombizange"},
		{"combien ça coûte ?", "combien Kombizange coûte ?"},
		{"quanto custa?", "quanto custa Kombizange ?"},
	} {
		said, earlier := Read(row.question, asking()), Read("Kombizange", asking())
		turn := Relate(row.question, &said, &earlier)
		if turn.Relation != Pick || !turn.Same {
			t.Errorf("%s: %+v", row.question, turn)
			continue
		}
		got := strings.TrimSpace(turn.Before + " Kombizange " + turn.After)
		if got != row.named {
			t.Errorf("%s becomes %s, want %s", row.question, got, row.named)
		}
	}
}

func TestWhenJobsCloseIsAskedForAheadOfTime(t *testing.T) {
	t.Parallel()
	at := asking()
	at.Lexicon = facets.NewLexicon(
		facets.Taught{Items: 10, Types: map[string]int{"JobPosting": 10}, Slots: []facets.Known{
			{Slot: deadline, Kind: facets.Times, Count: 9}, {Slot: facets.Published, Kind: facets.Times, Count: 9},
		}})
	if got, want := read("jobs closing before December 10", at),
		"kind: JobPosting; closing date until 9 December 2026"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := read("jobs posted before December 10", at),
		"kind: JobPosting; published until 9 December 2025"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestAListOfWhatMustNotBeInIsReadToItsEnd holds that a diet's name at its head does not end it.
func TestAListOfWhatMustNotBeInIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ question, want string }{
		{"recetas sin huevos, leche o nueces", "kind: Recipe; without eggs; without dairy; without nuts"},
		{"Rezepte ohne Gluten, Eier oder Nüsse", "kind: Recipe; diet: gluten-free; without eggs; without nuts"},
		{"recettes sans gluten ni oeufs", "kind: Recipe; diet: gluten-free; without eggs"},
		{"recipes with no gluten, eggs or nuts", "kind: Recipe; diet: gluten-free; without eggs; without nuts"},
		{"receitas sem leite ou ovos", "kind: Recipe; without dairy; without eggs"},
		{"no como cerdo", "kind: Recipe; without pork"},
		{"no tolero la lactosa", "kind: Recipe; without lactose"},
		{"anything but recipes", "kind: not Recipe"},
		{"événements du 1er au 5 décembre", "kind: Event; date 1 December 2026 to 5 December 2026"},
		{"recipes with chicken or fish", "with chicken or fish; kind: Recipe"},
	} {
		if got := read(row.question, asking()); got != row.want {
			t.Errorf("%s\n got %s\nwant %s", row.question, got, row.want)
		}
	}
}
