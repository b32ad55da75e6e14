package analysis

import (
	"math/bits"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"github.com/kljensen/snowball/hungarian"
	"github.com/kljensen/snowball/norwegian"
	"github.com/kljensen/snowball/russian"
	"github.com/kljensen/snowball/swedish"
)

// Language is what the analyzer knows of one language.
type Language struct {
	// Tag is the primary language of a BCP 47 tag ("en"); empty for a language without inflection.
	Tag string
	// Index is the place among the analyzer's languages.
	Index uint8
	// Composes says that a thing and its kind are one word: a Gummihammer is a Hammer.
	Composes bool

	stemmer func(word string, stemStopWords bool) string // nil when there is none
	stops   map[string]bool                              // folded function words; in questions they are not looked up
	negates map[string]bool                              // folded words after which comes what is not wanted
	vague   map[string]bool                              // folded words that say little of what is asked for
	same    map[string][]string                          // by folded word, others that stand for it in questions
	cache   cache
}

var stemmers = map[string]func(string, bool) string{
	"en": withForms("en", english.Stem), "es": withForms("es", stemSpanish), "fr": withForms("fr", stemFrench),
	"hu": hungarian.Stem, "no": norwegian.Stem, "ru": russian.Stem, "sv": swedish.Stem,
	"de": withForms("de", stemGerman), "it": withForms("it", stemItalian), "pt": withForms("pt", stemPortuguese),
}

// plainLanguages are languages with neither a stemmer nor a list of function words here, whose
// items can be told from others all the same.
const plainLanguages = "ar bg cs el fi he hi id ja ko ro th tr uk vi zh"

// newLanguages makes one language for each language that has a stemmer or a list of function words,
// for some that have neither, and one, under the empty tag, for all others.
func newLanguages() map[string]*Language {
	byTag := map[string]*Language{"": {}}
	for tag := range strings.FieldsSeq(plainLanguages) {
		byTag[tag] = &Language{Tag: tag}
	}
	for tag, stem := range stemmers {
		byTag[tag] = &Language{Tag: tag, stemmer: stem}
	}
	for tag, list := range functionWords {
		if byTag[tag] == nil {
			byTag[tag] = &Language{Tag: tag}
		}
		byTag[tag].stops, byTag[tag].negates = folded(list), folded(negations[tag])
		byTag[tag].same = sameWords(tag)
	}
	for tag, words := range vagueWords() {
		byTag[tag].vague = words
	}
	for _, tag := range composing {
		byTag[tag].Composes = true
	}
	return byTag
}

// composing are the languages that compose words.
var composing = []string{"de", "nl", "sv", "no", "da"}

func folded(list string) map[string]bool {
	words := make(map[string]bool)
	for word := range strings.FieldsSeq(list) {
		words[Fold(word)] = true
	}
	return words
}

// primary is the language of a BCP 47 tag, in the spelling of our tables: "pt" for "pt-BR", "no"
// for "nb".
func primary(tag string) string {
	tag, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
	tag, _, _ = strings.Cut(tag, "_")
	switch tag {
	case "nb", "nn":
		return "no"
	}
	return tag
}

// IsStop says whether a word, folded, is a function word.
func (l *Language) IsStop(word string) bool { return l.stops[word] }

// reduce brings a word, in lower case with its accents, to its stem. Words with anything but
// letters stay.
func (l *Language) reduce(word string) (stem string) {
	if l.stemmer == nil || strings.IndexFunc(word, notLetter) >= 0 {
		return word
	}
	// The stemmers are not ours; whatever a strange word does to them must not end the process.
	defer func() {
		if recover() != nil {
			stem = word
		}
	}()
	if stem = l.stemmer(word, true); stem == "" {
		return word
	}
	return stem
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

// Guess names the language of a text by its function words: the language that most of them belong
// to, when they are enough to tell and no other has as many. Japanese is told by its Kana.
func (a *Analyzer) Guess(text string) string {
	var counts [64]int // by place in functionTags
	words, kana := 0, 0
	Scan(text, func(start, end int, k Kind) bool {
		if r, _ := utf8.DecodeRuneInString(text[start:end]); k == Gram &&
			unicode.In(r, unicode.Hiragana, unicode.Katakana) {
			kana++
		}
		for of := functionWordsOf()[Fold(text[start:end])]; of != 0; of &= of - 1 {
			counts[bits.TrailingZeros64(of)]++
		}
		words++
		return words < guessWords
	})
	if kana > 0 && kana*oneOfKana >= words {
		return "ja"
	}
	best, even := 0, false
	for i := 1; i < len(functionTags); i++ {
		switch {
		case counts[i] > counts[best]:
			best, even = i, false
		case counts[i] == counts[best]:
			even = true
		}
	}
	if even || counts[best] < 3 || counts[best]*8 < words {
		return ""
	}
	return functionTags[best]
}

// guessWords is how many words of a text are looked at to guess its language.
const guessWords = 100

// oneOfKana is of how many runs of a Japanese text one at least begins in Kana.
const oneOfKana = 4

// functionWordsOf tells for each folded function word of any language which languages it belongs
// to: bit i is the i-th of functionTags.
var functionWordsOf = sync.OnceValue(func() map[string]uint64 {
	all := map[string]uint64{}
	for i, tag := range functionTags {
		for word := range strings.FieldsSeq(functionWords[tag]) {
			all[Fold(word)] |= 1 << i
		}
	}
	return all
})
