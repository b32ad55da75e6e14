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
