package query

import (
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/content/facets"
)

// Readable says whether the value of an attribute is a condition in any of our languages, or that
// anything will do, as far as that can be told without a catalog: of a name that only a catalog can
// know it always may be.
func Readable(name string, value jsontext.Value, now time.Time) bool {
	if _, known := readName(name, everything()); !known {
		return true
	}
	return slices.ContainsFunc(i18n.Languages, func(language string) bool {
		var u Understood
		u.heed(name, value, facets.FromAttribute,
			Asking{Lexicon: everything(), Now: now, Languages: []string{language}})
		return len(u.Ignored) == 0
	})
}

// everything is the lexicon of a catalog that says all that attributes can be about.
var everything = sync.OnceValue(func() *facets.Lexicon {
	var all []facets.Known
	for _, meaning := range attributeNames() {
		all = append(all, facets.Known{Slot: meaning.slot, Kind: heeder{}.kindOf(meaning.slot), Count: 1})
	}
	return facets.NewLexicon(
		facets.Taught{Items: 1, Slots: append(all, facets.Known{Slot: facets.Keywords, Kind: facets.Words, Count: 1})})
})
