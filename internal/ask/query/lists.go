package query

import (
	"iter"
	"strings"
	"sync"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/infra/language"
)

// setOf are the folded phrases of some lists of the tables.
func setOf(lists iter.Seq[language.List], fold func(string) string) map[string]bool {
	set := map[string]bool{}
	for list := range lists {
		for _, phrase := range list.Phrases {
			set[fold(phrase)] = true
		}
	}
	return set
}

// grammars are what the list "grammar" of each language says.
var grammars = sync.OnceValue(func() (of []map[string]bool) {
	for _, table := range language.Tables() {
		of = append(of, setOf(table.Each("grammar"), foldPhrase))
	}
	return of
})

// nounFirst says whether most adjectives stand behind what they are said of in the question's
// language.
func (r *reader) nounFirst() bool { return r.best >= 0 && grammars()[r.best]["noun first"] }

// compounds says whether nouns are joined into one word in the question's language.
func (r *reader) compounds() bool { return r.best >= 0 && grammars()[r.best]["compounds"] }

// everywhere are the folded phrases of the lists of a key in all languages.
func everywhere(key string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool { return setOf(language.Each(key), foldPhrase) })
}

// argumentsOf are the folded phrases of the lists of a key in all languages, each with its
// argument.
func argumentsOf(key string) func() map[string]string {
	return sync.OnceValue(func() map[string]string {
		of := map[string]string{}
		for list := range language.Each(key) {
			for _, phrase := range list.Phrases {
				of[foldPhrase(phrase)] = list.Argument
			}
		}
		return of
	})
}

// slotsOf is argumentsOf where the arguments are slots.
func slotsOf(key string) func() map[string]facets.Slot {
	return sync.OnceValue(func() map[string]facets.Slot {
		of := map[string]facets.Slot{}
		for phrase, slot := range argumentsOf(key)() {
			of[phrase] = facets.Slot(slot)
		}
		return of
	})
}

// texts are the phrases of the lists of a key in all languages, folded as a text is that is not
// split into words.
func texts(key string) func() []string {
	return sync.OnceValue(func() (all []string) {
		for list := range language.Each(key) {
			for _, phrase := range list.Phrases {
				all = append(all, facets.Fold(phrase))
			}
		}
		return all
	})
}

// textSet are texts as a set.
func textSet(key string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool { return setOf(language.Each(key), facets.Fold) })
}

// written are the phrases of the lists of a key in all languages with their accents, in lower case.
func written(key string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool { return setOf(language.Each(key), strings.ToLower) })
}

// longest is how many words a phrase has at most.
func longest[V any](phrases map[string]V) (n int) {
	for phrase := range phrases {
		n = max(n, strings.Count(phrase, " ")+1)
	}
	return n
}

// longestAt finds the longest of some phrases at token i, and how many tokens it has; 0 when there
// is none.
func longestAt[V any](l *line, i int, phrases map[string]V) (meaning V, n int) {
	for n := min(longest(phrases), len(l.tokens)-i); n > 0; n-- {
		if meaning, ok := phrases[l.phrase(i, i+n)]; ok {
			return meaning, n
		}
	}
	return meaning, 0
}
