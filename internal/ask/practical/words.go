package practical

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"frontdesk/internal/ask/facts"
	"frontdesk/internal/content/facets"
)

// sayPrefix begins the names of texts in [words].
const sayPrefix = "say-"

// WordsOf are the words of a name in [words], in a language, as they stand there; none where there is no such table.
func WordsOf(language, name string) []string { return all()[language].words[name] }

// untold are names of [words] that make the examples of the training, and are no hint in a question.
var untold = []string{"thing", "person"}

// lexicon is the names that folded words of up to mostWords have, in any language. Words of scripts without blanks stand in
// unspaced.
var lexicon = sync.OnceValue(func() (l struct {
	spaced, unspaced map[string][]string
}) {
	l.spaced, l.unspaced = map[string][]string{}, map[string][]string{}
	for _, language := range Languages {
		t := all()[language]
		for _, name := range t.names {
			if strings.HasPrefix(name, sayPrefix) || slices.Contains(untold, name) {
				continue
			}
			for _, entry := range t.words[name] {
				word, _, _ := strings.Cut(entry, " = ")
				if word = facets.Fold(word); unspaced(word) {
					l.unspaced[word] = append(l.unspaced[word], name)
				} else {
					l.spaced[word] = append(l.spaced[word], name)
				}
			}
		}
		for _, country := range facts.CountryNames(language) {
			if country = facets.Fold(country); unspaced(country) {
				l.unspaced[country] = append(l.unspaced[country], "country")
			} else {
				l.spaced[country] = append(l.spaced[country], "country")
			}
		}
	}
	return l
})

// classOf brings names of the same kind together.
func classOf(name string) string {
	switch {
	case slices.Contains(weekdays, name):
		return "weekday"
	case slices.Contains(holidays, name):
		return "holiday"
	}
	return name
}

// weekdays are the names of the days of the week, from Sunday as in package time; holidays those of the days of a year.
var (
	weekdays = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}
	holidays = []string{
		"christmas-eve", "christmas-day", "boxing-day", "new-years-eve", "new-years-day", "good-friday", "easter-sunday",
		"easter-monday", "holiday",
	}
)

// mostWords is how many words an entry of the lexicon has at most that is found.
const mostWords = 3

// NamesOf are the names of which a folded text has words, in any of the languages, sorted; "country" for any country.
func NamesOf(folded string) []string {
	l, found := lexicon(), map[string]bool{}
	words := strings.Fields(folded)
	for i := range words {
		if unspaced(words[i]) {
			for word, names := range l.unspaced {
				if strings.Contains(words[i], word) {
					found[names[0]] = true
				}
			}
			continue
		}
		for n := 1; n <= mostWords && i+n <= len(words); n++ {
			for _, name := range l.spaced[strings.Join(words[i:i+n], " ")] {
				found[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// Has says whether folded words stand in a folded text, as whole words where the script has blanks between them.
func Has(folded, words string) bool {
	switch {
	case words == "":
		return false
	case unspaced(words):
		return strings.Contains(folded, words)
	}
	return strings.Contains(" "+folded+" ", " "+words+" ")
}

// Place is a word for a kind of place, and its schema.org type.
type Place struct{ Word, Type string }

// Places are the kinds of places that a folded text names, in any of the languages.
func Places(folded string) (found []Place) {
	for _, language := range Languages {
		for _, entry := range WordsOf(language, "place") {
			word, typ, _ := strings.Cut(entry, "=")
			if word = facets.Fold(word); Has(folded, word) {
				found = append(found, Place{word, strings.TrimSpace(typ)})
			}
		}
	}
	return found
}

// Say is a text of [words] in a language, English where there is no such table, with its places filled in.
func Say(language, name string, fill ...string) string {
	if _, known := all()[language]; !known {
		language = Languages[0]
	}
	text := strings.Join(WordsOf(language, sayPrefix+name), "")
	for i := 0; i+1 < len(fill); i += 2 {
		text = strings.ReplaceAll(text, "{"+fill[i]+"}", fill[i+1])
	}
	return text
}

// Begins says whether a folded text begins with one of the words of a name, in any of the languages.
func Begins(folded, name string) bool {
	for _, language := range Languages {
		for _, word := range WordsOf(language, name) {
			rest, is := strings.CutPrefix(folded, facets.Fold(word))
			if is && (rest == "" || rest[0] == ' ' || unspaced(folded)) {
				return true
			}
		}
	}
	return false
}
