package query

import "testing"

// TestItalianIsReadLikeTheOtherLanguages asks on Friday, 20 November 2026.
func TestItalianIsReadLikeTheOtherLanguages(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ question, want string }{
		{"ricette senza glutine", "kind: Recipe; diet: gluten-free"},
		{"ricette con meno di 400 calorie", "kind: Recipe; calories under 400 kcal"},
		{"ricette pronte in 30 minuti", "kind: Recipe; time at most 30 min"},
		{"ricette sotto i 20 minuti", "kind: Recipe; time under 20 min"},
		{"ricette in meno di mezz'ora", "kind: Recipe; time under 30 min"},
		{"ricette entro un'ora e mezza", "kind: Recipe; time at most 1 h 30 min"},
		{"prodotti sotto i 50 euro", "kind: Product; price under €50"},
		{"prodotti tra 20 e 30 euro", "kind: Product; price €20 to €30"},
		{"prodotti dai 20 ai 30 euro", "kind: Product; price €20 to €30"},
		{"prodotti oltre 20 €", "kind: Product; price over €20"},
		{"il prodotto più economico", "kind: Product; by price, lowest first"},
		{"i prodotti più cari", "kind: Product; by price, highest first"},
		{"i cinque prodotti meno costosi", "kind: Product; by price, lowest first; 5 results"},
		{"mi serve una lampada rossa sotto i 50 euro", "una lampada; price under €50; colour: red"},
		{"ricette per quattro persone", "kind: Recipe; people 4"},
		{"ricette vegane senza noci", "kind: Recipe; without nuts; diet: vegan"},
		{"non mangio carne", "kind: Recipe; without meat"},
		{"ricette, sono allergica ai crostacei", "kind: Recipe; without shellfish"},
		{"concerti questo fine settimana", "kind: MusicEvent; date 21 November 2026 to 22 November 2026"},
		{"eventi la settimana prossima", "kind: Event; date 23 November 2026 to 29 November 2026"},
		{"eventi la prossima settimana", "kind: Event; date 23 November 2026 to 29 November 2026"},
		{"eventi domani", "kind: Event; date on 21 November 2026"},
		{"eventi dal 3 al 10 dicembre", "kind: Event; date 3 December 2026 to 10 December 2026"},
		{"eventi a dicembre", "kind: Event; date 1 December 2026 to 31 December 2026"},
		{"eventi dopo Natale", "kind: Event; date from 27 December 2026 on"},
		{"eventi gratuiti", "kind: Event; free of charge"},
		{"eventi in corso", "kind: Event; date on 20 November 2026"},
		{"articoli dell'ultimo mese", "kind: Article; published 20 October 2026 to 20 November 2026"},
		{"articoli pubblicati dopo il 2025", "kind: Article; published from 1 January 2026 on"},
		{"prodotti Nike disponibili", "kind: Product; availability: In stock; preferably brand: Nike"},
		{"prodotti non di Nike", "kind: Product; brand: not Nike"},
		{"con almeno 4 stelle", "rating at least 4"},
		{"ricette ricche di proteine", "kind: Recipe; preferably protein at least 20 g"},
		{"qual è la differenza tra Lemon Tart e Apple Pie", "Lemon Tart Apple Pie [compare Lemon Tart | Apple Pie ]"},
	} {
		if got := read(row.question, asking()); got != row.want {
			t.Errorf("%s\n got %s\nwant %s", row.question, got, row.want)
		}
	}
}
