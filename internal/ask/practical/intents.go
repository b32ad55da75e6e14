package practical

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"frontdesk/internal/content/facets"
)

//go:embed intents.txt
var intentText string

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
	for line := range strings.Lines(intentText) {
		if columns := strings.Fields(line); len(columns) == 4 && columns[0] != "#" {
			all[columns[0]] = Intent{
				Name: columns[0], Facts: listed(columns[1], "+"), Values: listed(columns[2], ","), notes: listed(columns[3], ","),
			}
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

// Fit says how well a page, by how its title was weighed, fits a question, by how that was weighed: 0 to 1.
func Fit(question, title map[string]float64) float64 {
	fit := 0.0
	for intent, asked := range question {
		if intent == None || asked < 0.01 {
			continue
		}
		told := 0.0
		for _, related := range kin()[intent] {
			told += title[related]
		}
		if len(kin()[intent]) == 0 {
			told = title[intent]
		}
		fit += asked * told
	}
	return fit / max(1-question[None], 0.01)
}

// common are the words, folded, by which questions with many intents are asked: they do not say what is asked of.
var common = sync.OnceValue(func() map[string]bool {
	const many = 6
	of := map[string]map[string]bool{}
	for _, language := range Languages {
		for _, p := range all()[language].phrases {
			if p.Intent == None || p.Title {
				continue
			}
			for word := range fields(facets.Fold(p.Text)) {
				key := language + " " + word
				if of[key] == nil {
					of[key] = map[string]bool{}
				}
				of[key][p.Intent] = true
			}
		}
	}
	words := map[string]bool{}
	for key, intents := range of {
		if len(intents) >= many {
			_, word, _ := strings.Cut(key, " ")
			words[word] = true
		}
	}
	return words
})

// Common says whether folded words are ones by which anything may be asked: "how", "do", "you".
func Common(words string) bool { return each(words, common()) }

// each says whether all words are in a set.
func each(words string, set map[string]bool) bool {
	for word := range fields(words) {
		if !set[word] {
			return false
		}
	}
	return true
}

// usual are the folded words by which more than one question for an intent is asked, or that its pages are called by, and
// under None those of any intent.
var usual = sync.OnceValue(func() map[string]map[string]bool {
	counts := map[string]int{}
	words := map[string]map[string]bool{None: {}}
	for _, language := range Languages {
		for _, p := range all()[language].phrases {
			if p.Intent == None {
				continue
			}
			if words[p.Intent] == nil {
				words[p.Intent] = map[string]bool{}
			}
			for word := range fields(facets.Fold(p.Text)) {
				key := language + " " + p.Intent + " " + word
				if counts[key]++; p.Title || counts[key] > 1 {
					words[p.Intent][word] = true
				}
				words[None][word] = true
			}
		}
	}
	for _, language := range Languages {
		for name, phrases := range all()[language].words {
			if slices.Contains(untold, name) || name == "place" || strings.HasPrefix(name, sayPrefix) {
				continue
			}
			for _, phrase := range phrases {
				for word := range fields(facets.Fold(phrase)) {
					words[None][word] = true
				}
			}
		}
		for _, person := range WordsOf(language, "person") {
			for word := range fields(facets.Fold(person)) {
				for _, intent := range words {
					delete(intent, word)
				}
			}
		}
	}
	return words
})

// Usual says whether folded words are ones by which an intent is asked for; with None, any intent.
func Usual(intent, words string) bool { return each(words, usual()[intent]) }
