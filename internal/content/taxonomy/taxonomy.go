// Package taxonomy knows the classes of what people leave out: allergens and other foods,
// materials, and what a thing is powered by. It finds classes in the words of a question (Named)
// and reads which of them a text states, states the absence of, or speaks of at all (In).
//
// What it knows is data. classes.txt has the classes and what stands above them. words has a table
// a language: "class: words" are how the class is called, by people who ask and by items; "class
// has:" what states it although it is called otherwise; "class free:" what states its absence;
// "class not:" what looks like a word of it and is none; and "class before:" and "class after:"
// what beside a word of it makes something else of it. A word with a star at its end begins
// compounds, one with a star before it ends them. statements has a table a language of how texts
// state things. Words are written as they are spelled, with their accents.
//
// It is pure, and knows nothing of items or of questions.
package taxonomy

import (
	"maps"
	"slices"

	"frontdesk/internal/infra/language"
)

// Kind is what a class is a class of.
type Kind string

// The kinds.
const (
	Food     Kind = "food"
	Material Kind = "material"
	Power    Kind = "power"
)

// class is one class.
type class struct {
	name     string
	kind     Kind
	above    string
	with     []string
	inside   string // the class of things that it is in, unless they say otherwise
	unproven bool
	names    map[string]string // by language, the first of the words that call it
	not      [][]string        // phrases that look like words of it and are none
	before   []string
	after    []string
}

// Languages are those that have tables.
var Languages = language.TagsIn(files, "words")

// KindOf gives the kind of a class; empty for a name that is none.
func KindOf(name string) Kind {
	if c := tables().classes[name]; c != nil {
		return c.kind
	}
	return ""
}

// Of gives the classes of a kind.
func Of(kind Kind) []string {
	all := tables().classes
	return slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(name string) bool { return all[name].kind != kind })
}

// Provable says whether a list of what is in an item proves that a class is not in it by leaving it
// out. Gluten and sugar are in too much that does not say so.
func Provable(name string) bool {
	c := tables().classes[name]
	return c != nil && !c.unproven
}

// Above gives the classes above a class, the nearest first: what states the class states these,
// too.
func Above(name string) (above []string) {
	classes := tables().classes
	for c := classes[name]; c != nil && c.above != ""; c = classes[c.above] {
		above = append(above, c.above)
	}
	return above
}

// Within gives the classes any of which an item must not state for somebody who leaves a class out,
// the class itself first.
func Within(name string) []string {
	if tables().classes[name] == nil {
		return []string{name}
	}
	all := []string{name}
	for i := 0; i < len(all); i++ {
		for _, further := range tables().within[all[i]] {
			if !slices.Contains(all, further) &&
				(i == 0 || tables().classes[further].above == all[i] || tables().classes[all[0]].inside != "") {
				all = append(all, further)
			}
		}
	}
	return all
}

// Inside says whether a class is in what states another only as long as that does not say to be
// without it: lactose in dairy.
func Inside(name, other string) bool {
	c := tables().classes[name]
	return c != nil && c.inside != "" && (other == c.inside || slices.Contains(Above(other), c.inside))
}

// Name is what a class is called in a language, or else in English.
func Name(name, language string) string {
	c := tables().classes[name]
	if c == nil {
		return name
	}
	if said, ok := c.names[language]; ok {
		return said
	}
	return c.names["en"]
}

// Named finds the class that a phrase calls by its name, in any of our languages: "nuts",
// "Haselnüsse", "gluten". A phrase without accents may be one that is spelled with them.
func Named(phrase string) (name string, ok bool) {
	phrase = plain(phrase)
	if name, ok = tables().called[phrase]; ok {
		return name, true
	}
	bare := strip(phrase)
	if bare != phrase {
		return "", false
	}
	name, ok = tables().calledBare[bare]
	return name, ok
}

// IsFood says whether a word without accents, in the singular, is a food that belongs to a class:
// "chicken", "cashew".
func IsFood(word string) bool { return tables().bare[word] == Food }
