package understand

import "testing"

// TestWhatSomebodyMustNotEatIsNeverAWish holds the forms in which people say so outside English.
func TestWhatSomebodyMustNotEatIsNeverAWish(t *testing.T) {
	for _, row := range []struct{ question, want string }{
		{"alérgica al marisco, ¿qué ceno?", "kind: Recipe; without marisco"},
		{"soy alérgico a los cacahuetes", "kind: Recipe; without cacahuetes"},
		{"recetas, intolerancia al huevo", "kind: Recipe; without huevo"},
		{"no como carne", "kind: Recipe; without carne"},
		{"recetas, no me gusta el ajo", "kind: Recipe; without ajo"},
		{"soy vegano", "diet: vegan"},
		{"celíaco", "diet: gluten-free"},
		{"je ne mange pas de viande", "kind: Recipe; without viande"},
		{"recettes, je suis intolérante au lactose", "kind: Recipe; without lactose"},
		{"recettes, je suis allergique aux crustacés", "kind: Recipe; without crustaces"},
		{"ich esse kein Fleisch", "kind: Recipe; without fleisch"},
		{"Rezepte bei Nussallergie", "kind: Recipe; without nuss"},
		{"Rezepte, ich vertrage keine Eier", "kind: Recipe; without eier"},
		{"não como carne", "kind: Recipe; without carne"},
		{"receitas, alérgica ao amendoim", "kind: Recipe; without amendoim"},
		{"海老アレルギー", "without 海老"},
		{"えびなしの料理", "without えび"},
		{"卵を使わない料理", "without 卵"},
		{"魚以外のレシピ", "kind: Recipe; without 魚"},
		{"二人分のレシピ", "kind: Recipe; servings 2 to 4"},
	} {
		if got := read(row.question, asking()); got != row.want {
			t.Errorf("%s\n got %s\nwant %s", row.question, got, row.want)
		}
	}
}

// TestQuestionsOfSitesThatNobodyTunedForAreRead holds what went wrong on a hardware shop, a calendar and a job board.
func TestQuestionsOfSitesThatNobodyTunedForAreRead(t *testing.T) {
	for _, row := range []struct{ question, want string }{
		{"concerts in Berlin or Net Loft", "kind: MusicEvent; place: Berlin and Net Loft"},
		{"concert à Berlin ou à Net Loft", "kind: MusicEvent; place: Berlin and Net Loft"},
		{"only Nike", "brand: Nike"},
		{"nur Nike", "brand: Nike"},
		{"Farbe weder rot noch blau", "Farbe; colour: not rot and red; colour: not blau and blue"},
		{"nichts von Nike", "brand: not Nike"},
		{"the 100 recipe", "the 100; kind: Recipe"},
		{"cheap products", "kind: Product; by price, lowest first"},
		{"günstige Produkte", "kind: Product; by price, lowest first"},
		{"drei Starter", "kind: Recipe; category: Starter; 3 results"},
		// Asked on Friday, 20 November 2026.
		{"événements la semaine prochaine", "kind: Event; date 2026-11-23 to 2026-11-29"},
		{"événements le mois prochain", "kind: Event; date 2026-12-01 to 2026-12-31"},
		{"eventos la semana que viene", "kind: Event; date 2026-11-23 to 2026-11-29"},
		{"événements entre le 1er et le 10 décembre", "kind: Event; date 2026-12-01 to 2026-12-10"},
		{"Konzerte vom 1. bis zum 10. Dezember", "kind: MusicEvent; date 2026-12-01 to 2026-12-10"},
		{"events between 1 and 10 December", "kind: Event; date 2026-12-01 to 2026-12-10"},
		{"concerts vendredi soir", "kind: MusicEvent; date on 2026-11-20"},
		{"pas trop cher", "pas trop cher"},
	} {
		if got := read(row.question, asking()); got != row.want {
			t.Errorf("%s\n got %s\nwant %s", row.question, got, row.want)
		}
	}
	at := asking()
	at.Now = fridayNoon.AddDate(0, 0, 2)
	if got, want := read("what to do this weekend", at), "date on 2026-11-22"; got != want {
		t.Errorf("on a Sunday: %s, want %s", got, want)
	}
}
