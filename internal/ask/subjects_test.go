package ask

import "testing"

func TestAnItemIsNamedByMostOfTheWords(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		words, name, typ string
		want             bool
	}{
		{"the fish pie", "Harbour Fish Pie", "Recipe", true},
		{"stew", "Beef Stew", "Recipe", true},
		{"accountant job", "Accountant", "JobPosting", true},
		{"film screening", "Harbour Film Night", "ScreeningEvent", true},
		{"herring festival", "Pickled Herring Salad", "Recipe", false}, // half of it
		{"lentil soup", "Green Lentil Cottage Pie", "Recipe", false},
		{"leash", "Inflatable Paddle Board, Fin, Leash, Hand Pump", "Product", false}, // what comes with it
		{"paddle board with leash", "Inflatable Paddle Board, Fin, Leash, Hand Pump", "Product", true},
		{"it", "Beef Stew", "Recipe", false},
	} {
		if got := named(row.words, row.name, row.typ) > leastNamed; got != row.want {
			t.Errorf("%q names %q: %v, want %v", row.words, row.name, got, row.want)
		}
	}
}
