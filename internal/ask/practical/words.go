package practical

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"frontdesk/internal/ask/facts"
	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/content/facets"
	lang "frontdesk/internal/infra/language"
)

// sayPrefix begins the names of texts in [words].
const sayPrefix = "say-"

// WordsOf are the words of a name in [words], in a language, as they stand there; none where there
// is no such table.
func WordsOf(language, name string) []string { return all()[language].words[name] }

// untold are names of [words] that make the examples of the training or stand beside numbers, and
// are no hint in a question.
var untold = []string{"thing", "person", "clock-lead", "clock-unit"}

// lexical is the names that folded words of up to mostWords have. Words of scripts without blanks
// stand in unspaced.
type lexical struct{ spaced, unspaced map[string][]string }

// lexicon is that of all languages.
var lexicon = sync.OnceValue(func() *lexical {
	l := &lexical{map[string][]string{}, map[string][]string{}}
	for _, language := range Languages {
		t := all()[language]
		for _, name := range t.names {
			if strings.HasPrefix(name, sayPrefix) || slices.Contains(untold, name) {
				continue
			}
			for _, entry := range t.words[name] {
				word, _, _ := strings.Cut(entry, " = ")
				if word = facets.Fold(word); lang.IsJoined(word) {
					l.unspaced[word] = append(l.unspaced[word], name)
				} else {
					l.spaced[word] = append(l.spaced[word], name)
				}
			}
		}
		for _, country := range facts.CountryNames(language) {
			if country = facets.Fold(country); lang.IsJoined(country) {
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
	case isHoliday(name):
		return "holiday"
	}
	return name
}

// mostWords is how many words an entry of the lexicon has at most that is found.
const mostWords = 5

// NamesOf gives the names, sorted, that a folded text says in any of the languages; "country"
// stands for any country. A word within a longer name does not count: the "christmas" of "christmas
// eve".
func NamesOf(folded string) []string {
	l, found := lexicon(), map[string]bool{}
	words := strings.Fields(folded)
	covered := 0 // up to which word
	for i := range words {
		if lang.IsJoined(words[i]) {
			l.within(words[i], found)
			continue
		}
		for n := min(mostWords, len(words)-i); n >= 1 && i+n > covered; n-- {
			names := l.spaced[strings.Join(words[i:i+n], " ")]
			for _, name := range names {
				found[name] = true
			}
			if len(names) > 0 {
				covered = i + n
				break
			}
			if n == 1 {
				l.partOfDay(words[i], found)
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// partOfDay finds the day and the part of it in a compound of both: "Samstagnachmittag".
func (l *lexical) partOfDay(word string, found map[string]bool) {
	for at := range word {
		for _, day := range l.spaced[word[:at]] {
			for _, part := range l.spaced[word[at:]] {
				if slices.Contains(weekdays, day) &&
					slices.ContainsFunc(parts, func(p partOfDay) bool { return p.name == part }) {
					found[day], found[part] = true, true
				}
			}
		}
	}
}

// within finds the names of the words in a text without blanks.
func (l *lexical) within(text string, found map[string]bool) {
	var words []string
	for word := range l.unspaced {
		if strings.Contains(text, word) {
			words = append(words, word)
		}
	}
	slices.SortFunc(words, func(a, b string) int { // longer ones, which may overlap, are taken out in one order
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	for _, word := range words {
		rest := text
		for _, longer := range words {
			if len(longer) > len(word) && strings.Contains(longer, word) {
				rest = strings.ReplaceAll(rest, longer, " ")
			}
		}
		if strings.Contains(rest, word) {
			for _, name := range l.unspaced[word] {
				found[name] = true
			}
		}
	}
}

// Has says whether folded words stand in a folded text, as whole words where the script has blanks
// between them.
func Has(folded, words string) bool {
	switch {
	case words == "":
		return false
	case lang.IsJoined(words):
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

// Say is a text of [words] in a language, English where there is no such table, with its places
// filled in.
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

// Chat is what is said to a greeting, thanks or a question for help: which kinds of things there
// are, and examples of questions.
func Chat(language, intent string, kinds, examples []string) string {
	speaker, has := i18n.For(language), ""
	if len(kinds) > 0 {
		has = Say(language, "has", "kinds", speaker.List(kinds))
	}
	quoted := make([]string, len(examples))
	for i, example := range examples {
		quoted[i] = speaker.Say(i18n.Quotes, example)
	}
	text := Say(language, intent, "has", has, "examples", speaker.Any(quoted))
	return strings.Join(strings.Fields(text), " ")
}

// Begins says whether a folded text begins with one of the words of some names, in any of the
// languages.
func Begins(folded string, names ...string) bool {
	for _, language := range Languages {
		for _, name := range names {
			for _, word := range WordsOf(language, name) {
				rest, is := strings.CutPrefix(folded, facets.Fold(word))
				if is && (rest == "" || rest[0] == ' ' || lang.IsJoined(folded)) {
					return true
				}
			}
		}
	}
	return false
}
