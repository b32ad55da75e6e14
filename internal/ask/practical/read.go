package practical

import (
	"maps"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/ask/facts"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/search/slips"
	lang "frontdesk/internal/infra/language"
)

// Asked is what a question asks of a site's owner, and for which day, country or people.
type Asked struct {
	Language  string // one of Languages, in which it seems to be asked
	Intent    string
	Weights   map[string]float64 // of all intents
	Practical float64            // how likely it is a practical question at all, 0 to 1
	Days      []facts.When       // that are asked for; none for any
	Timed     bool               // they are of a time of day
	Rest      string             // the question without the date and the time that it names
	Holiday   string             // the name of the holiday that is asked for; empty for none
	Countries []string           // codes
	Names     []string           // of [words] that it has words of
	Places    []Place
}

// Read reads a question of somebody who prefers a language, that is asked now.
func Read(text, language string, now time.Time) Asked {
	folded := facets.Fold(text)
	a := Asked{Language: languageOf(folded, language), Weights: Weigh(text), Intent: None}
	if 1-a.Weights[None] >= heard && !phrased(folded) {
		a.Weights = map[string]float64{None: 1}
	}
	best := 0.0
	for _, intent := range slices.Sorted(maps.Keys(a.Weights)) {
		if p := a.Weights[intent]; intent != None && p > best {
			a.Intent, best = intent, p
		}
	}
	a.Practical = 1 - a.Weights[None]
	a.Names = NamesOf(folded)
	a.Countries = facts.CountriesIn(text)
	a.Places = Places(folded)
	a.readWhen(text, now)
	return a
}

// heard is how likely a question has to be a practical one for its words to be looked at.
const heard = 0.2

// phrased says whether a folded text has a word of practical questions, a slip of one, or a word
// that contains one. Words that begin alike are not enough: "bonsai" is no "bonsoir".
func phrased(folded string) bool {
	const leastMade = 5 // letters
	for word := range fields(folded) {
		if lang.IsJoined(word) {
			return true
		}
		for _, language := range Languages {
			usual := vocabularies()[language].usual[None]
			if usual[word] {
				return true
			}
			for known := range usual {
				if len(known) >= leastMade && strings.Contains(word, known) || slipOf(word, known) {
					return true
				}
			}
		}
	}
	return false
}

// slipOf says whether a word is another with a letter wrong.
func slipOf(word, known string) bool {
	const least = 4 // letters
	return len(word) >= least && len(word) <= slips.Longest && len(known) <= slips.Longest &&
		slips.Cost([]rune(word), []rune(known), slips.Letter) <= slips.Letter
}

// Sure is how likely the most likely intent is.
func (a *Asked) Sure() float64 { return a.Weights[a.Intent] }

// KinSure is how likely it is that intent or one whose pages are called the same.
func (a *Asked) KinSure() (sure float64) {
	for _, related := range kin()[a.Intent] {
		sure += a.Weights[related]
	}
	return max(sure, a.Sure())
}

// Has says whether the question has words of a name.
func (a *Asked) Has(name string) bool { return slices.Contains(a.Names, name) }

// Subject gives the words of a question that tell more than its intent, folded: what is asked
// about.
func (a *Asked) Subject(text string) (subject []string) {
	for word := range strings.FieldsSeq(facets.Fold(text)) {
		if !a.Common(word) && !a.Usual(word) {
			subject = append(subject, word)
		}
	}
	return subject
}
