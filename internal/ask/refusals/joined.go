package refusals

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/content/taxonomy"
	"frontdesk/internal/infra/language"
)

// joined is a way of a script without blanks, in which the thing stands before it: "卵なし".
type joined struct{ after, kind string }

// Within is a thing that a text without blanks does not want. Class is empty for one of none.
type Within struct {
	Said, Thing, Class string // Said is all that says so
	Allergy            bool
}

// Within finds what a text of a script without blanks does not want, and what is said around that.
// A wish to be without something counts for classes, an allergy and a way of the list "named" for
// any other thing, too.
func (f *Forms) Within(text string) (found []Within, beside []string) {
	for _, form := range f.joined {
		for rest := text; ; {
			at := strings.Index(rest, form.after)
			if at < 0 {
				break
			}
			end := at + len(form.after)
			things := thingsBefore(rest[:at], form.kind != "wish")
			for i, thing := range things {
				thing.Allergy = form.kind == "allergy"
				if thing.Said = thing.Thing; i == 0 {
					thing.Said += form.after
				}
				found = append(found, thing)
			}
			if len(things) > 0 {
				text = strings.Replace(text, things[0].Thing+form.after, " ", 1)
			}
			rest = rest[end:]
		}
	}
	if len(found) > 0 {
		for phrase := range f.beside {
			if language.IsJoined(phrase) && strings.Contains(text, phrase) {
				beside = append(beside, phrase)
			}
		}
	}
	return found, beside
}

// longestThing is how many letters a thing has at most that is known by its name; that of another
// has as many as people write without a particle.
const (
	longestThing   = 12
	longestUnknown = 8
)

// joins are what joins things of a list.
var joins = sync.OnceValue(func() (joins []string) {
	for list := range language.Each("within.join") {
		joins = append(joins, list.Phrases...)
	}
	return joins
})

// thingsBefore gives the thing at the end of a text, and those that are listed before it.
func thingsBefore(text string, any bool) (things []Within) {
	for range mostListed {
		thing := classAtEnd(text)
		if thing.Thing == "" && any && len(things) == 0 {
			thing.Thing = nounAtEnd(text)
		}
		if thing.Thing == "" {
			return things
		}
		things = append(things, thing)
		text = strings.TrimSuffix(text, thing.Thing)
		listed := false
		for _, join := range joins() {
			if before, ok := strings.CutSuffix(text, join); ok {
				text, listed = before, true
				break
			}
		}
		if !listed {
			return things
		}
	}
	return things
}

// classAtEnd finds the longest name of a class, or of a food that belongs to one, at the end of a
// text.
func classAtEnd(text string) (longest Within) {
	for i, n := len(text), 0; i > 0 && n < longestThing; n++ {
		_, size := utf8.DecodeLastRuneInString(text[:i])
		i -= size
		if class, ok := taxonomy.Named(text[i:]); ok {
			longest = Within{Thing: text[i:], Class: class}
		} else if taxonomy.IsFood(text[i:]) {
			longest = Within{Thing: text[i:]}
		}
	}
	if word := nounAtEnd(text); longest.Class != "" && len(word) > len(longest.Thing) && !states(word, longest.Class) {
		return Within{} // a doughnut is no nut
	}
	return longest
}

// states says whether a word states a class.
func states(word, class string) bool {
	return slices.ContainsFunc(taxonomy.In(word, taxonomy.Has), func(s taxonomy.Statement) bool {
		return s.Class == class
	})
}

// nounAtEnd is the word at the end of a text as nouns are written.
func nounAtEnd(text string) string {
	i := len(text)
	for n := 0; i > 0 && n < longestUnknown; n++ {
		c, size := utf8.DecodeLastRuneInString(text[:i])
		if c != 'ー' && !unicode.In(c, unicode.Han, unicode.Katakana) {
			break
		}
		i -= size
	}
	return text[i:]
}
