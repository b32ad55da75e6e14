package vector

import (
	"frontdesk/internal/content/search"
)

// Settings is the section model.vectors: how items are found by meaning. An embedding model turns
// their texts and the questions into vectors, and those that point the same way belong together.
// Changes need a restart.
type Settings struct {
	// Fusion is how what is found by words and what is found by meaning become one list: `scores`
	// brings both scores to one scale and averages them, `ranks` goes by the places in the two
	// lists.
	Fusion string `yaml:"fusion" check:"oneof=scores ranks"`
	// Share is how much meaning counts in that list, 0 to 1; words count the rest.
	Share float64 `yaml:"share" check:"0..1"`
	// Alone lets an item be an answer that shares no word with the question. Otherwise vectors only
	// order what words find.
	Alone bool `yaml:"alone"`
	// Apart is beside how many unrelated questions such an item must stand out, as a share, 0 to 1.
	// It has to resemble the question more than the nearest item resembles so many of a set of
	// questions on all kinds of matters. A higher number finds less beside the words.
	Apart float64 `yaml:"apart" check:"0..1"`
	// Passages is the most passages of an item that are turned into vectors.
	Passages int `yaml:"passages" check:"1..64"`
	// Most is the most vectors that are kept in memory; texts beyond it are found by words alone.
	// One of 768 numbers takes 3 KB. Up to 100,000 a question is held against all; beyond, against
	// those of the items found by words.
	Most int `yaml:"most" check:"1..10000000"`
	// Pace is the most texts that are turned into vectors in a minute, `0` for as many as the
	// endpoint takes.
	Pace int `yaml:"pace" check:"0..1000000"`
	// TextPrefix is put before the texts of items, as some models want it, such as `"passage: "`.
	TextPrefix string `yaml:"text_prefix"`
	// QuestionPrefix is put before questions, such as `"query: "`.
	QuestionPrefix string `yaml:"question_prefix"`
	// Version makes all vectors anew when it is changed, for when another model is behind the same
	// name.
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
