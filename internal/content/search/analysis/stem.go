package analysis

import (
	"embed"
	"strings"
	"unicode/utf8"

	"github.com/kljensen/snowball/french"
	"github.com/kljensen/snowball/spanish"

	"frontdesk/internal/infra/language"
)

//go:embed forms
var formTables embed.FS

// irregularForms gives the words of a language by those of their forms that no rule tells, with
// their accents and without.
func irregularForms(tag string) map[string]string {
	of := map[string]string{}
	for _, words := range language.Records(formTables, "forms/"+tag+".txt") {
		for _, form := range words {
			of[form] = words[0]
			of[Fold(form)] = Fold(words[0])
		}
	}
	return of
}

// withForms has a stemmer take irregular forms for the word that they are of.
func withForms(tag string, stem func(string, bool) string) func(string, bool) string {
	forms := irregularForms(tag)
	return func(word string, stops bool) string {
		if of, ok := forms[word]; ok {
			word = of
		}
		return stem(word, stops)
	}
}

// stemFrench takes off the plural behind a vowel, which the library leaves: vélos, tissus, menus.
func stemFrench(word string, stops bool) string {
	singular, ok := strings.CutSuffix(word, "s")
	if ok && utf8.RuneCountInString(word) > 3 && strings.IndexByte("aiou", singular[len(singular)-1]) >= 0 {
		word = singular
	}
	return french.Stem(word, stops)
}

// stemSpanish takes off the plural behind a consonant first, since the library takes "er" for the
// ending of a verb only where it is the last: taller, talleres. What ends in "z" has "ces" there:
// luz, luces.
func stemSpanish(word string, stops bool) string {
	singular, ok := strings.CutSuffix(word, "es")
	if ok && utf8.RuneCountInString(word) > 4 {
		switch last := singular[len(singular)-1]; {
		case last == 'c':
			word = singular[:len(singular)-1] + "z"
		case strings.IndexByte("dlnrz", last) >= 0:
			word = singular
		}
	}
	return spanish.Stem(word, stops)
}

// For some languages without a stemmer of the library, endings of number, case and gender are taken
// off here: lightly, so that words of different meaning stay apart.

// ending is an ending of a word and what stands in its place; the word keeps at least so many
// letters before it.
type ending struct {
	from, to string
	least    int
}

// endings are tried in order; the first that fits counts.
var (
	germanEndings = []ending{
		{"ern", "", 4}, {"eln", "el", 2}, {"em", "", 4}, {"er", "", 4}, {"es", "", 4}, {"en", "", 3}, {"e", "", 3},
	}
	portugueseEndings = []ending{
		{"ões", "ão", 1}, {"ães", "ão", 1}, {"oes", "ao", 2}, {"aes", "ao", 1}, {"ais", "al", 2}, {"éis", "el", 2},
		{"eis", "el", 3}, {"óis", "ol", 2}, {"les", "l", 3}, {"res", "r", 3}, {"zes", "z", 2}, {"ns", "m", 2},
		{"uis", "ul", 2}, {"as", "a", 2}, {"es", "e", 2}, {"is", "il", 3}, {"os", "o", 2}, {"us", "u", 3},
		{"ãs", "ã", 2}, {"ás", "á", 2}, {"és", "é", 2}, {"ês", "ê", 2}, {"ôs", "ô", 2}, {"ús", "ú", 2},
	}
	italianEndings = []ending{{"che", "c", 2}, {"chi", "c", 2}, {"ghe", "g", 2}, {"ghi", "g", 2}, {"a", "", 3},
		{"e", "", 3}, {"i", "", 3}, {"o", "", 3}}
)

// shorten takes the first ending that fits off a word.
func shorten(word string, endings []ending) string {
	for _, e := range endings {
		if stem, ok := strings.CutSuffix(word, e.from); ok && len([]rune(stem)) >= e.least {
			return stem + e.to
		}
	}
	return word
}

// stemGerman takes off the endings of nouns and adjectives: Rezepte, Schuhen, Kindern, vegane; and
// the s of Autos, Hotels and genitives, except after letters with which it belongs to the word
// (Preis, Gans).
func stemGerman(word string, _ bool) string {
	if n := len(word); n > 5 && word[n-1] == 's' && strings.IndexByte("adfghklmnorty", word[n-2]) >= 0 {
		word = word[:n-1]
	}
	return shorten(word, germanEndings)
}

// stemPortuguese takes off the plural.
func stemPortuguese(word string, _ bool) string { return shorten(word, portugueseEndings) }

// stemItalian takes off the vowel that tells number and gender, and what it does to the letters
// before it.
func stemItalian(word string, _ bool) string { return shorten(word, italianEndings) }
