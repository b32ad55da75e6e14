// Package search finds the items of a site that answer a question. It holds an index in memory,
// derived from content and never the only copy of anything: words in, ranked items out, each with
// the passage that fits best.
//
// It owns how a question is understood, scored and corrected. What a word is, and in which
// language, is analysis's; how items lie in memory, and which of them score best for weighted
// words, is segment's. Somebody else brings it content's change feed. It knows no rules: what may
// be found is a [Selection] that the caller computes.
//
// Enter by [New] and [Index.Apply]; a [Snapshot] answers a [Query]. Readers never wait for the
// writer; equal content and an equal question give an equal result.
package search

import "frontdesk/internal/content/vector/words"

// Document is one item as the index takes it.
type Document struct {
	// Ref is the caller's name for this version of the item; hits carry it back and selections are
	// made from it.
	Ref any
	// Key identifies the item over its versions and breaks ties between equal scores.
	Key string
	// Language is a BCP 47 tag ("en", "pt-br"); when empty, it is guessed from the words.
	Language string
	// Title is the item's name. A word found here counts most.
	Title string
	// Keys are words beside name and text by which the item may be found: brand, category, author,
	// keywords.
	Keys string
	// Passages are the item's running text, in order.
	Passages []string
	// Reserved says that keys and passages are found but not shown, or not all of them: no word is
	// corrected to one that stands there alone.
	Reserved bool
}

// Options configure an Index; the zero value is good.
type Options struct {
	// Workers is how many goroutines build the index; 0 is one per core.
	Workers int
	// Language is assumed for documents that name none and whose words tell none; empty is "en".
	Language string
	// Table gives the directions of words, by which they stand for others; nil for none.
	Table *words.Table
}

// Query is one question to a Snapshot.
type Query struct {
	// Text is the question as a person or an agent wrote it. Any input is safe.
	Text string
	// Core are those words of Text that an answer has to have, in any order; empty means all. The
	// others lift items and are no evidence: what is not wanted, which items name whether or not
	// they have it. An item with nothing but a negation and the word behind it is not found.
	Core string
	// Limit is how many items are wanted; 0 is 10, and MaxLimit is the most.
	Limit int
	// Within restricts the items; nil means all. A selection of another snapshot admits nothing:
	// see [Snapshot.Refresh].
	Within *Selection
	// MinScore is the score below which an item is no answer; usually DefaultMinScore, and 0 keeps
	// every item that shares a word with the question.
	MinScore float64
	// Languages are those in which the question is understood; empty means all that the index
	// holds.
	Languages []string
	// Prefer are BCP 47 tags of the languages in which items are wanted, the best first. The first
	// that the index holds counts: items in others stand behind items that fit as well.
	Prefer []string
	// Names are words of the text that name a place, a brand or a person: nothing else stands for
	// one, however alike.
	Names []string
	// Literal takes the question by its own words: none is corrected, and none is added by what the
	// best items have in common.
	Literal bool
	// AsSpelled corrects no word, and OwnWords adds none by what the best items have in common;
	// Literal does either.
	AsSpelled, OwnWords bool
	// Meaning tells of a text how much items mean what it does, as cosines: that lifts what words
	// found. Nil where it is not known, and for a text of which it is not.
	Meaning func(text string) func(ref any) float64
	// Near finds items by their direction too; nil for words alone.
	Near *Near
	// Share leaves out the items whose score is below this share of the best one's.
	Share float64
	// Settle, when not nil, is given the hits before it is looked up which passage of each fits
	// best, and gives those that are wanted, in any order. Looking that up takes longer than
	// finding them.
	Settle func(hits []Hit) []Hit
	// Further is how many passages beside the best are wanted of each item.
	Further int

	kin   bool           // words that no item has stand for those that point in about their direction
	named map[Place]bool // where it is told of which hits the question is the name; nil for nowhere
}

// The limits of a question.
const (
	DefaultLimit    = 10
	MaxLimit        = 1000
	MaxWords        = 64   // distinct words that count; the rest is reported as Dropped
	MaxQuestionSize = 4096 // bytes that are read
)

// limit is how many items are wanted.
func (q *Query) limit() int {
	if q.Limit <= 0 {
		return DefaultLimit
	}
	return min(q.Limit, MaxLimit)
}

// Result is what a question found.
type Result struct {
	// Hits are the items, best first; equal scores are ordered by Key.
	Hits []Hit
	// Terms tell what became of each of the question's words, in the question's order.
	// They are those of the corrected question when something was corrected.
	Terms []Term
	// Corrections are the words of the question that were taken for others, in its order.
	Corrections []Correction
}

// Hit is one item found.
type Hit struct {
	Ref any
	// Score is 0 to 100: how much was found of what the question could have scored.
	Score float64
	// Passage is the ordinal of the passage that fits the question best; 0 when there is none.
	Passage int
	// Further are the ordinals of other passages that have words of the question, those that fit
	// better first; up to [Query.Further] of them.
	Further []int
	// At is where the item stands in the snapshot.
	At Place
}

// Term is one distinct word of the question.
type Term struct {
	// Word is the word as it was written, folded to lower case.
	Word string
	// Stems are the forms under which the word is looked up, as [Analyzer.Words] gives them.
	Stems []string
	// Use is what became of the word.
	Use Use
	// Weight is the word's share of what the question can score; all weights together are 1 at
	// most.
	Weight float64
}

// Use says what became of a word of the question.
type Use uint8

// The uses of a word.
const (
	Used Use = iota // looked up and found in the index
	// looked up, but no document has it; it lowers every score, unless it has no weight as it is
	// vague
	Unknown
	Stop    // a function word, not looked up
	Dropped // beyond the limits of a question
)

// String names the use in one word.
func (u Use) String() string {
	return [...]string{"used", "unknown", "stop", "dropped"}[u]
}
