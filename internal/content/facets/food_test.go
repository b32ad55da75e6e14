package facets

import (
	"slices"
	"testing"
)

func TestNamesOfWhatNothingElseTellsToBeFoodAreOfTheirClasses(t *testing.T) {
	t.Parallel()
	chocolate := Read([]byte(`{"@type": "Product", "name": "Zartbitterschokolade mit Haselnüssen"}`))
	if got := chocolate.Values(Called); !slices.Equal(got, []string{"hazelnuts", "nuts"}) {
		t.Errorf("the name is of %q, want nuts", got)
	}
	if got := chocolate.Values(Contains); len(got) > 0 {
		t.Errorf("it contains %q, want nothing told", got)
	}
	cake := Read([]byte(`{"@type": "Recipe", "name": "Haselnusskuchen", "recipeIngredient": ["200 g Haselnüsse"]}`))
	if got := cake.Values(Called); len(got) > 0 {
		t.Errorf("the name of what has ingredients is of %q, want nothing", got)
	}
}
