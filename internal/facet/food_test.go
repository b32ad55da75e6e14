package facet

import (
	"slices"
	"testing"
)

func TestFoodsOfOtherLanguagesBelongToTheirClasses(t *testing.T) {
	for line, want := range map[string]string{
		"200 g de pan rallado": "gluten", "2 rebanadas de pan": "gluten", "4 Brötchen vom Vortag": "gluten", "100 g Semmelbrösel": "gluten", "2 tranches de pain": "gluten",
		"50 g de chapelure": "gluten", "200 g de macarrão": "gluten", "パン粉 大さじ2": "gluten", "150 g Frischkäse": "dairy", "100 g de fromage blanc": "dairy",
		"200 g de requesón": "dairy", "粉チーズ": "dairy", "50 g Pekannüsse": "nuts", "30 g de pignons": "nuts", "100 g de turrón": "nuts",
		"oil for the pan": "", "1 baking pan": "", "lavender": "",
	} {
		got := classesIn(Fold(line))
		if want == "" && len(got) > 0 || want != "" && !slices.Contains(got, want) {
			t.Errorf("%q is of %q, want %q", line, got, want)
		}
	}
	for word, want := range map[string]bool{"walnut": true, "pan": false, "rallado": false, "zip": false} {
		if IsFood(word) != want {
			t.Errorf("IsFood(%q) is %v", word, !want)
		}
	}
}
