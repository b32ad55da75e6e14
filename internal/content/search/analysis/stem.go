package analysis

import "strings"

// For some languages without a stemmer of the library, endings of number, case and gender are taken off here: lightly,
// so that words of different meaning stay apart.

// ending is an ending of a word and what stands in its place; the word keeps at least so many letters before it.
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
		{"ões", "ão", 1}, {"ães", "ão", 1}, {"oes", "ao", 2}, {"aes", "ao", 1}, {"ais", "al", 2}, {"éis", "el", 2}, {"eis", "el", 3}, {"óis", "ol", 2}, {"les", "l", 3},
		{"res", "r", 3}, {"zes", "z", 2}, {"ns", "m", 2},
		{"as", "a", 2}, {"es", "e", 2}, {"is", "il", 3}, {"os", "o", 2}, {"us", "u", 3}, {"ãs", "ã", 2},
	}
	italianEndings = []ending{{"che", "c", 2}, {"chi", "c", 2}, {"ghe", "g", 2}, {"ghi", "g", 2}, {"a", "", 3}, {"e", "", 3}, {"i", "", 3}, {"o", "", 3}}
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

// stemGerman takes off the endings of nouns and adjectives: Rezepte, Schuhen, Kindern, vegane; and the s of Autos,
// Hotels and genitives, except after letters with which it belongs to the word (Preis, Gans).
func stemGerman(word string, _ bool) string {
	if n := len(word); n > 5 && word[n-1] == 's' && strings.IndexByte("adfghklmnorty", word[n-2]) >= 0 {
		word = word[:n-1]
	}
	return shorten(word, germanEndings)
}

// stemPortuguese takes off the plural.
func stemPortuguese(word string, _ bool) string { return shorten(word, portugueseEndings) }

// stemItalian takes off the vowel that tells number and gender, and what it does to the letters before it.
func stemItalian(word string, _ bool) string { return shorten(word, italianEndings) }
