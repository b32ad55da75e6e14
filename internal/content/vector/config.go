package vector

import (
	"frontdesk/internal/content/search"
)

// Settings is the section model.vectors: how items are found by meaning. An embedding model turns
// their texts and the questions into vectors, and those that point the same way belong together.
// Changes need a restart.
type Settings struct {
	// Fusion is how results of words and results of meaning become one list: `scores` brings both
	// scores to one scale and averages them, `ranks` uses the places in the two lists.
	Fusion string `yaml:"fusion" check:"oneof=scores ranks"`
	// Share is the weight of meaning in that list, 0 to 1; words have the rest.
	Share float64 `yaml:"share" check:"0..1"`
	// Alone lets vectors find items that share no word with the question. Otherwise vectors only
	// order the items that words find.
	Alone bool `yaml:"alone"`
	// Apart is how far such an item must stand out, as a share of unrelated questions, 0 to 1: it
	// must be closer to the question than the nearest item is to this share of them. A higher
	// number finds fewer items.
	Apart float64 `yaml:"apart" check:"0..1"`
	// Passages is the most passages of an item that are turned into vectors.
	Passages int `yaml:"passages" check:"1..64"`
	// Most is the most vectors in memory; further texts are found by words only. A vector of 768
	// numbers takes 3 KB. Up to 100,000, a question is compared with all vectors; beyond that, with
	// those of the items that words find.
	Most int `yaml:"most" check:"1..10000000"`
	// Pace is the most texts that are turned into vectors in a minute, `0` for as many as the
	// endpoint takes.
	Pace int `yaml:"pace" check:"0..1000000"`
	// TextPrefix is put before the texts of items, as some models want it, such as `"passage: "`.
	TextPrefix string `yaml:"text_prefix"`
	// QuestionPrefix is put before questions, such as `"query: "`.
	QuestionPrefix string `yaml:"question_prefix"`
	// Version makes all vectors again when you change it. Change it if the same name means another
	// model.
	Version string `yaml:"version"`
}

// The ways to make one list of two.
const (
	ByScores = "scores"
	ByRanks  = "ranks"
)

// DefaultSettings are those where nothing is said.
func DefaultSettings() Settings {
	return Settings{Fusion: ByScores, Share: search.DefaultFusion.Share, Alone: true, Apart: 0.95, Passages: 8,
		Most: search.MaxScan}
}
