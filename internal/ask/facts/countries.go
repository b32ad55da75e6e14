package facts

import (
	lang "frontdesk/internal/infra/language"

	"maps"
	"slices"
	"strings"
	"sync"

	"frontdesk/internal/content/facets"
)

// countryNames are the codes of countries by their folded names, in all languages, and how many
// words the longest has.
var countryNames = sync.OnceValue(func() (c struct {
	codes   map[string]string
	longest int
}) {
	c.codes = map[string]string{}
	for _, l := range languages() {
		for _, list := range []string{"countries", "countries.to"} {
			for code, name := range l.coded[list] {
				folded := facets.Fold(name)
				c.codes[folded] = code
				c.longest = max(c.longest, len(strings.Fields(folded)))
			}
		}
	}
	return c
})

// CountriesIn are the codes of the countries that a text names in any of the languages, sorted.
func CountriesIn(text string) []string {
	known, named := countryNames(), map[string]bool{}
	folded := facets.Fold(text)
	words := strings.Fields(folded)
	for i := range words {
		for n := 1; n <= known.longest && i+n <= len(words); n++ {
			if code, ok := known.codes[strings.Join(words[i:i+n], " ")]; ok {
				named[code] = true
			}
		}
	}
	if lang.IsJoined(folded) {
		for name, code := range known.codes {
			if lang.IsJoined(name) && strings.Contains(folded, name) {
				named[code] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(named))
}

// CountryNames are the names of countries in a language, sorted.
func CountryNames(language string) []string {
	return slices.Sorted(maps.Values(languageFor(language).coded["countries"]))
}

// European says whether a country, by its code, is in Europe.
func European(code string) bool { return slices.Contains(codes().europe, strings.ToUpper(code)) }
