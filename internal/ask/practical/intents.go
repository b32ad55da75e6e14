package practical

import (
	"slices"
	"strings"
	"sync"

	"frontdesk/internal/content/facets"
	lang "frontdesk/internal/infra/language"
)

// Intent is what answers a practical question; intents.txt describes the members.
type Intent struct {
	Name   string
	Facts  []string // intents of package facts
	Values []string // kinds of values
	notes  []string
}

// Is says whether a note is on the intent.
func (i Intent) Is(note string) bool { return slices.Contains(i.notes, note) }

// IntentOf gives an intent by its name; the zero Intent where there is none.
func IntentOf(name string) Intent { return intents()[name] }

var intents = sync.OnceValue(func() map[string]Intent {
	all := map[string]Intent{}
	for _, columns := range lang.Records(tables, "intents.txt") {
		all[columns[0]] = Intent{
			Name: columns[0], Facts: listed(columns[1], "+"), Values: listed(columns[2], ","),
			notes: listed(columns[3], ","),
		}
	}
	return all
})

func listed(column, between string) []string {
	if column == "-" {
		return nil
	}
	return strings.Split(column, between)
}

// kin are the intents whose pages may be called the same, each with itself.
var kin = sync.OnceValue(func() map[string][]string {
	titled := map[string][]string{}
	for _, language := range Languages {
		for _, p := range all()[language].phrases {
			if title := facets.Fold(p.Text); p.Title && !slices.Contains(titled[title], p.Intent) {
				titled[title] = append(titled[title], p.Intent)
			}
		}
	}
	related := map[string][]string{}
	for _, intents := range titled {
		for _, intent := range intents {
			for _, other := range intents {
				if !slices.Contains(related[intent], other) {
					related[intent] = append(related[intent], other)
				}
			}
		}
	}
	return related
})

// ofKin is how much a title fits that is one of kin.
const ofKin = 0.8

// Fit says how well a page, by how its title was weighed, fits a question, by how that was weighed:
// 0 to 1.
func Fit(question, title map[string]float64) float64 {
	fit := 0.0
	for intent, asked := range question {
		if intent == None || asked < 0.01 {
			continue
		}
		told := title[intent]
		for _, related := range kin()[intent] {
			if related != intent {
				told += ofKin * title[related]
			}
		}
		fit += asked * told
	}
	return fit / max(1-question[None], 0.01)
}

// vocabulary is what is known of the words of one language's phrases, all folded.
type vocabulary struct {
	known  map[string]bool            // in any phrase
	common map[string]bool            // in questions of many intents: "how", "do"
	usual  map[string]map[string]bool // in several questions of an intent or in its titles; under None, in any
}

var vocabularies = sync.OnceValue(func() map[string]vocabulary {
	read := map[string]vocabulary{}
	for _, language := range Languages {
		read[language] = vocabularyOf(language)
	}
	return read
})

func vocabularyOf(language string) vocabulary {
	const many = 4 // intents that a common word has
	v := vocabulary{known: map[string]bool{}, common: map[string]bool{}, usual: map[string]map[string]bool{None: {}}}
	counts, intents := map[string]int{}, map[string]int{}
	for _, p := range all()[language].phrases {
		for word := range fields(facets.Fold(p.Text)) {
			v.known[word] = true
			if p.Intent == None {
				continue
			}
			if v.usual[p.Intent] == nil {
				v.usual[p.Intent] = map[string]bool{}
			}
			key := p.Intent + " " + word
			if counts[key]++; counts[key] == 1 && !p.Title {
				if intents[word]++; intents[word] == many {
					v.common[word] = true
				}
			}
			if p.Title || counts[key] > 1 {
				v.usual[p.Intent][word] = true
			}
			v.usual[None][word] = true
		}
	}
	for name, phrases := range all()[language].words {
		if slices.Contains(untold, name) || name == "place" || strings.HasPrefix(name, sayPrefix) {
			continue
		}
		for _, phrase := range phrases {
			for word := range fields(facets.Fold(phrase)) {
				v.known[word], v.usual[None][word] = true, true
			}
		}
	}
	for _, person := range WordsOf(language, "person") { // by which somebody is meant
		for word := range fields(facets.Fold(person)) {
			for _, of := range v.usual {
				delete(of, word)
			}
		}
	}
	return v
}

// languageOf is the language whose phrases have most of a folded text's words; the first of even
// ones is the preferred.
func languageOf(folded, preferred string) string {
	best, most := preferred, -1
	for _, language := range append([]string{preferred}, Languages...) {
		known, n := vocabularies()[language].known, 0
		for word := range fields(folded) {
			if known[word] || lang.IsJoined(word) && language == "ja" {
				n++
			}
		}
		if n > most {
			best, most = language, n
		}
	}
	return best
}

// Common says whether folded words are ones by which anything may be asked in the question's
// language: "how", "do", "you".
func (a *Asked) Common(words string) bool { return each(words, vocabularies()[a.Language].common) }

// Usual says whether folded words are ones by which what is asked is asked for in the question's
// language.
func (a *Asked) Usual(words string) bool {
	return each(words, vocabularies()[a.Language].usual[a.Intent])
}

// IsPractical says whether folded words are ones by which practical questions are asked in the
// question's language.
func (a *Asked) IsPractical(words string) bool {
	return each(words, vocabularies()[a.Language].usual[None])
}

// each says whether all words are in a set.
func each(words string, set map[string]bool) bool {
	for word := range fields(words) {
		if !set[word] {
			return false
		}
	}
	return true
}
