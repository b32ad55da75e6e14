// Package analysis turns text into the terms that are indexed and looked up, and says what a word
// means in a question.
//
// It owns all that is known of languages: where words begin and end, how they are folded and
// stemmed, which are function words, vague or courtesy, which stand for one another, which deny
// what follows, which are made of others, and in which language a text is. It knows no index:
// whether a term is known somewhere is a function that its caller hands over.
//
// Enter by [Analyzer.Words] for the terms of a text. Who indexes or asks goes through a text with
// [Scan] and looks each run up in a [Language]. Everything is safe for concurrent use.
package analysis
