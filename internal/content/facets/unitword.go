package facets

import (
	"iter"
	"maps"
	"slices"
	"strconv"
	"sync"

	"frontdesk/internal/infra/language"
)

// firstUnits are the words for units of the first language.
var firstUnits = sync.OnceValue(func() (words []string) {
	for _, key := range []string{"currency", "time.unit"} {
		for list := range language.Tables()[0].Each(key) {
			for _, word := range list.Phrases {
				words = append(words, Fold(word))
			}
		}
	}
	return words
})

// UnitWords gives the folded words for currencies and spans of time, each with what it means; words
// of equal meaning are said alike. Those of the first language come first, the order is always the
// same.
func UnitWords() iter.Seq2[string, string] {
	meanings := maps.Clone(currencyWords())
	for word, minutes := range minuteWords() {
		meanings[word] = strconv.FormatFloat(minutes, 'g', -1, 64)
	}
	return func(yield func(word, meaning string) bool) {
		others := slices.DeleteFunc(slices.Sorted(maps.Keys(meanings)), func(word string) bool {
			return slices.Contains(firstUnits(), word)
		})
		for _, word := range slices.Concat(firstUnits(), others) {
			if !yield(word, meanings[word]) {
				return
			}
		}
	}
}
