package search

import (
	"sync"

	"frontdesk/internal/content/search/analysis"
	"frontdesk/internal/infra/language"
)

// plausibleStems are the stems of the words that the tables of languages hold for what was meant.
var plausibleStems = sync.OnceValue(func() map[string]bool {
	english, stems := analysis.NewAnalyzer().Language("en"), map[string]bool{}
	for list := range language.Each("plausible") {
		for _, word := range list.Phrases {
			stems[english.Stem(word)] = true
		}
	}
	return stems
})

// The rarity below which a word is one of everyday speech, and how many letters it has at least:
// shorter ones are syllables of other words.
const (
	everydayRarity  = 0.7
	everydayLetters = 3
)

// isPlausible says whether a word, in lower case, is one that nobody need have mistyped.
func (a *asking) isPlausible(word string) bool {
	return len(word) >= everydayLetters && rarity(word) < everydayRarity ||
		plausibleStems()[a.snapshot.analyzer.Language("en").Stem(word)]
}
