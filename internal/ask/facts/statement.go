package facts

import (
	"slices"
	"strings"
	"sync"

	lang "frontdesk/internal/infra/language"
)

// Statement is what a property of any name states of a thing.
type Statement struct {
	Names []string // what the property is called: by the object, and by people where it is known
	Value string   // in words
	Text  string   // a sentence in the asker's language
}

// Statements are what an object states by properties of names of its own, and by members of the
// vocabulary.
func (o Object) Statements(tag string) (all []Statement) {
	for _, thing := range o.things {
		t := teller{language: languageFor(tag), thing: thing}
		t.name = t.title()
		for _, p := range t.properties() {
			if said := t.stated(p); said != "" {
				all = append(all, Statement{[]string{p.name}, t.propertyValue(p), t.sentence(said)})
			}
			t.answer = Answer{}
		}
		all = append(all, t.members(thing, "")...)
	}
	return all
}

// Texts are the texts of members of an object, and of things that stand in them.
func (o Object) Texts(members []string) (all []string) {
	for _, thing := range o.things {
		for _, name := range members {
			for _, value := range elements(thing[name]) {
				said, ok := value.(string)
				if !ok {
					said, _ = member(value, "text").(string)
				}
				if said != "" && len(all) < maxValues {
					all = append(all, said)
				}
			}
		}
	}
	return all
}

// structural are members that name or show a thing, or that other forms tell in their own way.
var structural = []string{
	"name", "headline", "title", "alternateName", "description", "abstract", "text", "articleBody",
	"reviewBody", "image", "logo", "thumbnailUrl", "url", "sameAs", "identifier", "sku", "mainEntity",
	"mainEntityOfPage", "potentialAction", "offers", "aggregateRating", "review", "keywords", "additionalProperty",
	"additionalProperties", "amenityFeature", "openingHours", "openingHoursSpecification", "hasVariant", "hasPart",
	"isPartOf", "subjectOf", "provider", "worksFor", "recipeInstructions", "recipeIngredient", "step", "hasMenu",
	"inLanguage", "about",
}

// inner are members whose own members count as the thing's.
var inner = []string{"hasCourseInstance", "nutrition", "eventSchedule"}

// members gives what the members of an object state; path leads to the object.
func (t *teller) members(object thing, path string) (all []Statement) {
	var names []string
	for name := range object {
		if !strings.HasPrefix(name, "@") && !slices.Contains(structural, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		var said []string
		for _, value := range elements(object[name]) {
			if part, ok := value.(map[string]any); ok && slices.Contains(inner, name) {
				all = append(all, t.members(part, path+name+".")...)
				continue
			}
			if flag, ok := value.(bool); ok {
				value = t.say(map[bool]string{true: "word.yes", false: "word.no"}[flag])
			}
			said = added(said, t.worded(value))
		}
		if len(said) == 0 || len(said) > maxTold {
			continue
		}
		own := t.lists[namesPrefix+pathIntents()[path+name]]
		called := append(own[:len(own):len(own)], strings.ToLower(lang.SplitWords(name)))
		value := t.list(said)
		text := t.sentence(t.say("property", "name", t.name, "property", called[0], "value", value))
		all = append(all, Statement{called, value, text})
	}
	return all
}

// pathIntents are the intents that the properties at paths answer.
var pathIntents = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for name, in := range intents() {
		for _, path := range in.paths {
			if have := all[path]; have == "" || len(name) < len(have) || len(name) == len(have) && name < have {
				all[path] = name
			}
		}
	}
	return all
})
