package facts

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/content/facets"
	lang "frontdesk/internal/infra/language"
)

// property is a PropertyValue or a LocationFeatureSpecification.
type property struct {
	path   string // of the list that it stands in
	name   string
	object any
}

// propertyPaths are where properties stand that schema.org has no name for.
var propertyPaths = []string{
	"additionalProperty", "additionalProperties", "amenityFeature", "containedInPlace.amenityFeature",
}

// isFeature says whether a property is a feature of a place, which is there when nothing else is
// said of it.
func (p property) isFeature() bool { return strings.HasSuffix(p.path, "amenityFeature") }

// properties are the thing's own properties. A bare text is a feature that is there.
func (t *teller) properties() (all []property) {
	for _, path := range propertyPaths {
		for _, value := range t.thing.find(path) {
			name := text(member(value, "name"))
			if name == "" {
				name = term(member(value, "propertyID"))
			}
			if bare, ok := value.(string); ok {
				name, value = clip(bare), map[string]any{"value": true}
			}
			if name != "" {
				all = append(all, property{path, name, value})
			}
		}
	}
	return all
}

// named are the properties that are called as a topic is in one of the languages.
func (t *teller) named(topic string) (found []property) {
	known := topicNames()
	for _, p := range t.properties() {
		if known[facets.Fold(p.name)] == topic {
			found = append(found, p)
		}
	}
	return found
}

// topicNames gives the intent that a folded name of a property belongs to.
var topicNames = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, l := range languages() {
		for list, names := range l.lists {
			if topic, ok := strings.CutPrefix(list, namesPrefix); ok {
				for _, name := range names {
					all[facets.Fold(name)] = topic
				}
			}
		}
	}
	return all
})

// namesPrefix is before the intent in the key of the names of its property.
const namesPrefix = "names."

// propertyText is the value of a property in words, noted as evidence.
func (t *teller) propertyText(p property) string {
	said := t.propertyValue(p)
	if said != "" {
		t.state(p.path, said)
	}
	return said
}

func (t *teller) propertyValue(p property) string {
	if _, figure := p.object.(map[string]any)["value"].(string); !figure {
		if said := t.quantity(p.object); said != "" {
			return said
		}
	}
	var said []string
	for _, value := range elements(member(p.object, "value")) {
		said = added(said, term(value))
	}
	unit := t.unit(p.object)
	if len(said) == 1 && unit != "" {
		if figure, ok := number(said[0]); ok {
			return t.measured(t.figures.Number(figure, -1), unit, figure)
		}
	}
	return t.list(said)
}

// truth reads a value that is for yes or no, in any of the languages.
func truth(value any) Verdict {
	switch v := value.(type) {
	case nil:
		return Neither
	case bool:
		return truthOf(v)
	}
	switch said := term(value); {
	case words("words.yes", said):
		return Yes
	case words("words.no", said):
		return No
	}
	return Neither
}

func truthOf(yes bool) Verdict {
	if yes {
		return Yes
	}
	return No
}

// tellFlag says whether a thing is so, from a property that is for yes or no.
func tellFlag(t *teller) string {
	for _, path := range t.intent.paths {
		path, wanted, listed := strings.Cut(path, "=")
		for _, value := range t.thing.find(path) {
			if listed && term(value) == wanted {
				t.state(path, wanted)
				return t.flagged(Yes)
			}
			if listed {
				continue
			}
			return t.flag(property{path, t.label(), map[string]any{"value": value}})
		}
	}
	for _, p := range t.named(t.intent.name) {
		if said := t.flag(p); said != "" {
			return said
		}
	}
	return ""
}

// flag says what a property that is for yes or no says, or its value where that is more than yes or
// no.
func (t *teller) flag(p property) string {
	value, stated := p.object.(map[string]any)["value"]
	is := truth(value)
	if !stated && p.isFeature() {
		is = Yes
	}
	if is == Neither {
		return t.property(p)
	}
	t.state(p.path, t.say(map[Verdict]string{Yes: "word.yes", No: "word.no"}[is]))
	return t.flagged(is)
}

// flagged says the intent's statement for yes or for no.
func (t *teller) flagged(is Verdict) string {
	t.answer.Verdict = is
	return t.say(map[Verdict]string{Yes: "yes.", No: "no."}[is]+t.intent.name, "name", t.name)
}

// label is what the intent's property is called in the asker's language.
func (t *teller) label() string {
	if names := t.lists[namesPrefix+t.intent.name]; len(names) > 0 {
		return names[0]
	}
	return t.intent.name
}

// property says a property as it stands.
func (t *teller) property(p property) string {
	value := t.propertyText(p)
	if value == "" {
		return ""
	}
	return t.say("property", "name", t.name, "property", p.name, "value", value)
}

// tellStated says what a property states, under the first of its names.
func tellStated(t *teller) string {
	for _, path := range t.intent.paths {
		var said []string
		for _, value := range t.thing.find(path) {
			said = added(said, t.worded(value))
		}
		if len(said) > 0 {
			t.state(path, said...)
			return t.say("property", "name", t.name, "property", t.label(), "value", t.list(said))
		}
	}
	for _, p := range t.named(t.intent.name) {
		if said := t.property(p); said != "" {
			return said
		}
	}
	return ""
}

// tellKind says whether a job is of a kind, such as full-time, or else names its kind.
func tellKind(t *teller) string {
	path, wanted, _ := strings.Cut(t.intent.paths[0], "=")
	var others []string
	for _, value := range t.thing.find(path) {
		kind, _ := facets.EmploymentOf(facets.Fold(term(value)))
		if term(value) == wanted || kind == wanted {
			t.state(path, t.say("word.yes"))
			t.answer.Verdict = Yes
			return t.say("property", "name", t.name, "property", t.label(), "value", t.say("word.yes"))
		}
		others = added(others, t.worded(value))
	}
	if len(others) == 0 {
		return ""
	}
	t.state(path, others...)
	t.answer.Verdict = No
	return t.say("property", "name", t.name, "property", t.lists[namesPrefix+"employment"][0], "value", t.list(others))
}

// worded words a value: a date, a figure, a span, a text or a term.
func (t *teller) worded(value any) string {
	if said := t.moments(text(value), ""); said != "" {
		return said
	}
	if said := t.measure(value); said != text(value) {
		return said
	}
	if kind, ok := facets.EmploymentOf(facets.Fold(term(value))); ok {
		return i18n.Jobs.In(t.figures, kind)
	}
	said := term(value)
	if known := t.coded["terms"][said]; known != "" || said == text(value) {
		return cmp.Or(known, said)
	}
	return strings.ToLower(lang.SplitWords(said)) // a term of the vocabulary
}

// tellProperty says the property that the asker's words call by its name, that of the longest name
// first: as its intent where that is known, else as it stands.
func tellProperty(t *teller) string {
	type candidate struct {
		name string // folded
		tell func() string
	}
	var all []candidate
	add := func(name string, tell func() string) {
		if calls(t.Property, name) {
			all = append(all, candidate{name, tell})
		}
	}
	for _, p := range t.properties() {
		add(facets.Fold(p.name), func() string { return t.stated(p) })
	}
	for name, topic := range topicNames() {
		add(name, func() string {
			known := *t
			known.intent = intents()[topic]
			said := forms[known.intent.form](&known)
			t.answer = known.answer
			return said
		})
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(len(b.name), len(a.name)), strings.Compare(a.name, b.name))
	})
	for _, c := range all {
		if said := c.tell(); said != "" {
			t.answer.Called = c.name
			return said
		}
	}
	return ""
}

// calls says whether words have a folded name among them, in any number; words without blanks
// between have it anywhere.
func calls(words, name string) bool {
	const shortest = 2
	said := facets.Fold(words)
	if strings.ContainsFunc(name,
		func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }) {
		return utf8.RuneCountInString(name) >= shortest && strings.Contains(said, name)
	}
	if strings.Contains(" "+said+" ", " "+name+" ") {
		return name != ""
	}
	singular := strings.Fields(said)
	for i, word := range singular {
		singular[i] = facets.Singular(word)
	}
	return name != "" && strings.Contains(" "+strings.Join(singular, " ")+" ", " "+facets.Singular(name)+" ")
}

// stated says a property as it stands, with its yes or no before it.
func (t *teller) stated(p property) string {
	is := truth(member(p.object, "value"))
	if is == Neither {
		return t.property(p)
	}
	t.answer.Verdict = is
	t.state(p.path, t.say(map[Verdict]string{Yes: "word.yes", No: "word.no"}[is]))
	return t.say("property", "name", t.name, "property", p.name, "value", t.answer.Values[len(t.answer.Values)-1])
}

// tellAmenities says which features a place has, or whether it has the one that was supposed.
func tellAmenities(t *teller) string {
	var has []string
	for _, p := range t.properties() {
		if !p.isFeature() {
			continue
		}
		if t.Supposed != "" && names(p.name, t.Supposed) {
			return t.feature(p)
		}
		if value, stated := p.object.(map[string]any)["value"]; !stated || truth(value) == Yes {
			has = added(has, p.name)
		}
	}
	if len(has) == 0 {
		return ""
	}
	t.state("amenityFeature", has...)
	return t.tell(has)
}

// feature says whether a place has one feature.
func (t *teller) feature(p property) string {
	value, stated := p.object.(map[string]any)["value"]
	switch is := truth(value); {
	case is == Yes, !stated:
		t.state(p.path, p.name)
		t.answer.Verdict = Yes
		return t.say("tell.amenities", "name", t.name, "value", p.name)
	case is == No:
		t.state(p.path, p.name)
		t.answer.Verdict = No
		return t.say("amenities.not", "name", t.name, "value", p.name)
	}
	return t.property(p)
}
