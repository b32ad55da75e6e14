package facets

import (
	"iter"
	"maps"
	"slices"
	"strconv"
)

// englishUnits are the words for units that come first among equals.
var englishUnits = []string{"dollars", "dollar", "bucks", "euros", "pounds", "minutes", "minute", "hours", "hour", "seconds", "days", "weeks", "months", "years"}

// UnitWords gives the folded words for currencies and spans of time, each with what it means; words of equal meaning are said
// alike. Those of English come first, the order is always the same.
func UnitWords() iter.Seq2[string, string] {
	meanings := maps.Clone(currencyWords)
	for word, minutes := range minuteWords {
		meanings[word] = strconv.FormatFloat(minutes, 'g', -1, 64)
	}
	return func(yield func(word, meaning string) bool) {
		others := slices.DeleteFunc(slices.Sorted(maps.Keys(meanings)), func(word string) bool { return slices.Contains(englishUnits, word) })
		for _, word := range slices.Concat(englishUnits, others) {
			if !yield(word, meanings[word]) {
				return
			}
		}
	}
}
