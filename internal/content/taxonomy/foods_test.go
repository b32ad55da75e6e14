package taxonomy

import (
	"slices"
	"testing"
)

// classesIn gives the classes that a line of a list of ingredients states.
func classesIn(line string) []string {
	var c Contents
	c.Add(line, Has)
	return c.Has()
}

func TestFoodsOfOtherLanguagesBelongToTheirClasses(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"200 g de pan rallado": "gluten", "2 rebanadas de pan": "gluten", "4 Brötchen vom Vortag": "gluten",
		"100 g Semmelbrösel": "gluten", "2 tranches de pain": "gluten", "50 g de chapelure": "gluten",
		"200 g de macarrão": "gluten", "パン粉 大さじ2": "gluten", "150 g Frischkäse": "dairy",
		"100 g de fromage blanc": "dairy", "200 g de requesón": "dairy", "粉チーズ": "dairy", "50 g Pekannüsse": "nuts",
		"30 g de pignons": "nuts", "100 g de turrón": "nuts", "oil for the pan": "", "1 baking pan": "", "lavender": "",
	} {
		got := classesIn(line)
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

func TestGermanPluralsAndCompoundsBelongToTheirClasses(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"100 g Mandeln": "nuts", "50 g gehackte Haselnüsse": "nuts", "mit ganzen Haselnüssen": "nuts",
		"Haselnusskerne": "nuts", "200 g Mandelmehl": "nuts", "300 g Garnelen": "shellfish",
		"1 Liter Vollmilch": "dairy", "200 g Bergkäse": "dairy", "1 EL Butterschmalz": "dairy",
		"250 g Magerquark": "dairy", "200 ml Schlagsahne": "dairy", "500 g Schweinefleisch": "meat",
		"100 g Putenschinken": "meat", "150 g Räucherlachs": "fish", "Schinkenwürfel": "meat",
		"Vollmilchschokolade": "dairy", "Käsekuchen": "dairy", "milchfreier Kuchen": "",
		"400 ml Kokosmilch": "", "1 Kokosnuss": "", "Muskatnuss": "", "200 ml Hafermilch": "", "Mandelmilch": "nuts",
		"Kakaobutter": "", "Fruchtfleisch einer Tomate": "", "Buttersalat": "",
		"Sojasahne": "soy", "coconut": "", "buttons": "", "Sonnenmilch": "", "butternut squash": "",
	} {
		got := classesIn(line)
		if want == "" && len(got) > 0 || want != "" && !slices.Contains(got, want) {
			t.Errorf("%q is of %q, want %q", line, got, want)
		}
		if slices.Contains(got, "dairy") && want != "dairy" {
			t.Errorf("%q is of %q", line, got)
		}
	}
}
