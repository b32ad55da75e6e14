package search

import (
	"math/bits"
	"strings"
	"sync"
	"unicode"

	"github.com/kljensen/snowball/english"
	"github.com/kljensen/snowball/french"
	"github.com/kljensen/snowball/hungarian"
	"github.com/kljensen/snowball/norwegian"
	"github.com/kljensen/snowball/russian"
	"github.com/kljensen/snowball/spanish"
	"github.com/kljensen/snowball/swedish"
)

// tongue is what the analyzer knows of one language.
type tongue struct {
	tag      string
	index    uint8
	stemmer  func(word string, stemStopWords bool) string // nil when there is none
	stops    map[string]bool                              // folded function words; in questions they are not looked up
	negates  map[string]bool                              // folded words after which comes what is not wanted
	same     map[string][]string                          // by folded word, others that stand for it in questions
	composes bool                                         // see composing
	cache    cache
}

var stemmers = map[string]func(string, bool) string{
	"en": english.Stem, "es": spanish.Stem, "fr": french.Stem, "hu": hungarian.Stem, "no": norwegian.Stem,
	"ru": russian.Stem, "sv": swedish.Stem,
	"de": stemGerman, "it": stemItalian, "pt": stemPortuguese,
}

// plainTongues are languages with neither a stemmer nor a list of function words here, whose items can be told from
// others all the same.
const plainTongues = "ar bg cs el fi he hi id ja ko ro th tr uk vi zh"

// newTongues makes one tongue for each language that has a stemmer or a list of function words, for some that have
// neither, and one, under the empty tag, for all others.
func newTongues() map[string]*tongue {
	tongues := map[string]*tongue{"": {}}
	for tag := range strings.FieldsSeq(plainTongues) {
		tongues[tag] = &tongue{tag: tag}
	}
	for tag, stem := range stemmers {
		tongues[tag] = &tongue{tag: tag, stemmer: stem}
	}
	for tag, list := range functionWords {
		if tongues[tag] == nil {
			tongues[tag] = &tongue{tag: tag}
		}
		tongues[tag].stops, tongues[tag].negates = folded(list), folded(negations[tag])
		tongues[tag].same = sameWords(tag)
	}
	for _, tag := range composing {
		tongues[tag].composes = true
	}
	return tongues
}

// composing are languages in which a thing and its kind are one word: a Gummihammer is a Hammer.
var composing = []string{"de", "nl", "sv", "no", "da"}

func folded(list string) map[string]bool {
	words := make(map[string]bool)
	for word := range strings.FieldsSeq(list) {
		words[fold(word)] = true
	}
	return words
}

// primary is the language of a BCP 47 tag, in the spelling of our tables: "pt" for "pt-BR", "no" for "nb".
func primary(tag string) string {
	tag, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
	tag, _, _ = strings.Cut(tag, "_")
	switch tag {
	case "nb", "nn":
		return "no"
	}
	return tag
}

// isStop says whether a word, folded, is a function word.
func (t *tongue) isStop(word string) bool { return t.stops[word] }

// stem reduces a word, in lower case with its accents, to its stem. Words with anything but letters stay.
func (t *tongue) stem(word string) (stem string) {
	if t.stemmer == nil || strings.IndexFunc(word, notLetter) >= 0 {
		return word
	}
	// The stemmers are not ours; whatever a strange word does to them must not end the process.
	defer func() {
		if recover() != nil {
			stem = word
		}
	}()
	if stem = t.stemmer(word, true); stem == "" {
		return word
	}
	return stem
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

// guess names the language of a text by its function words: the language that most of them belong to, when they
// are enough to tell. Ties go to the tag that comes first in order.
func (a *Analyzer) guess(text string) string {
	var counts [64]int // by place in functionTags
	words := 0
	scan(text, func(start, end int, _ kind) bool {
		for of := functionWordsOf()[fold(text[start:end])]; of != 0; of &= of - 1 {
			counts[bits.TrailingZeros64(of)]++
		}
		words++
		return words < guessWords
	})
	best := 0
	for i := range functionTags {
		if counts[i] > counts[best] {
			best = i
		}
	}
	if counts[best] < 3 || counts[best]*8 < words {
		return ""
	}
	return functionTags[best]
}

// guessWords is how many words of a text are looked at to guess its language.
const guessWords = 100

// functionWordsOf tells for each folded function word of any language which languages it belongs to: bit i is the
// i-th of functionTags.
var functionWordsOf = sync.OnceValue(func() map[string]uint64 {
	all := map[string]uint64{}
	for i, tag := range functionTags {
		for word := range strings.FieldsSeq(functionWords[tag]) {
			all[fold(word)] |= 1 << i
		}
	}
	return all
})
