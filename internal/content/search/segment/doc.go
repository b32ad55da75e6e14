// Package segment is the index in memory: items as numbered words, for each word the units that
// have it and how much it counts there, and which units score best for weighted words.
//
// It owns the forward and the inverted index, their merging, which items are alive, the weight of a
// word in a unit (BM25F) and the search for the best (block-max MaxScore). It knows neither
// languages nor questions: terms come in as they are to be found, a language is a number, and the
// weights of words are its caller's.
//
// A writer fills a [Forward] and hands it to [Replace], which gives the views of the next snapshot.
// Who asks finds the numbers of words in a [View], and lets a [Matcher] find the best units. Views
// never change; any number of goroutines may read them.
package segment
