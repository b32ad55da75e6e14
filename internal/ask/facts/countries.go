package facts

import (
	"maps"
	"slices"

	"frontdesk/internal/content/facets"
)

// CountriesIn are the codes of the countries that a text names in any of the languages, in no order that matters.
func CountriesIn(text string) []string {
	folded := " " + facets.Fold(text) + " "
	named := map[string]bool{}
	for _, l := range languages() {
		for _, list := range []string{"countries", "countries.to"} {
			for code, name := range l.coded[list] {
				if names(folded, name) {
					named[code] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(named))
}

// CountryNames are the names of countries in a language, sorted.
func CountryNames(language string) []string {
	return slices.Sorted(maps.Values(languageFor(language).coded["countries"]))
}
