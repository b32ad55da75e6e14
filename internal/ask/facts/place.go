package facts

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"frontdesk/internal/content/facets"
)

// tellList says the texts of a property.
func tellList(t *teller) string {
	said := t.texts()
	if len(said) == 0 {
		return ""
	}
	return t.tell(said)
}

// tellNamed says the names or codes of a property.
func tellNamed(t *teller) string {
	said := t.texts()
	if len(said) == 0 {
		return ""
	}
	return t.tellOr(said)
}

// tellAddress says where a place is.
func tellAddress(t *teller) string {
	for _, path := range t.intent.paths {
		for _, value := range t.thing.find(path) {
			said := t.address(value)
			if path == "location" {
				said = t.place(value)
			}
			if said != "" {
				t.state(path, said)
				return t.say("tell.address", "name", t.name, "value", said)
			}
		}
	}
	return ""
}

// address words a PostalAddress or an address in one text, as its country writes it.
func (t *teller) address(value any) string {
	if written, ok := value.(string); ok {
		return clip(written)
	}
	part := func(name string) string { return text(member(value, name)) }
	country := term(member(value, "addressCountry"))
	town := []string{part("postalCode"), part("addressLocality")}
	if region := part("addressRegion"); postalCodeLast(country) {
		town = []string{part("addressLocality"), region, part("postalCode")}
	}
	var lines []string
	for _, line := range []string{
		part("streetAddress"), strings.Join(slices.DeleteFunc(town, func(s string) bool { return s == "" }), " "),
		t.country(country),
	} {
		lines = added(lines, line)
	}
	if part("streetAddress") == "" && part("addressLocality") == "" {
		return ""
	}
	return strings.Join(lines, ", ")
}

// tellPlace says where something takes place.
func tellPlace(t *teller) string {
	for _, path := range t.intent.paths {
		var said []string
		for _, value := range t.thing.find(path) {
			said = added(said, t.place(value))
		}
		if len(said) > 0 {
			t.state(path, said...)
			return t.say("tell.place", "name", t.name, "value", t.list(said))
		}
	}
	return ""
}

// place words a Place: its name and its address.
func (t *teller) place(value any) string {
	if term(member(value, "@type")) == "VirtualLocation" {
		return t.say("place.online")
	}
	name := text(value)
	where := t.address(member(value, "address"))
	switch {
	case name == "" || strings.Contains(where, name):
		return where
	case where == "":
		return name
	}
	return t.say("place", "name", name, "address", where)
}

// tellContact says who is there to talk to, and how to reach them.
func tellContact(t *teller) string {
	for _, value := range t.thing.find("contactPoint") {
		if t.Supposed != "" && !names(text(member(value, "contactType")), t.Supposed) {
			continue
		}
		person := text(member(value, "name"))
		var ways []string
		for _, way := range []string{"telephone", "email"} {
			ways = added(ways, text(member(value, way)))
		}
		reach := strings.Join(ways, ", ")
		switch {
		case person == "" && reach == "":
			continue
		case person == "":
			t.state("contactPoint", ways...)
			return t.say("contact", "name", t.name, "ways", reach)
		case reach == "":
			t.state("contactPoint", person)
			return t.say("tell.contact-person", "name", t.name, "value", person)
		}
		t.state("contactPoint", append([]string{person}, ways...)...)
		return t.say("tell.contact-person", "name", t.name, "value",
			t.say("contact.person", "name", person, "ways", reach))
	}
	return ""
}

// tellLanguage says in which languages a thing is, or which a person speaks. A name of a language
// is known in each language.
func tellLanguage(t *teller) string {
	said := t.texts()
	for i, name := range said {
		said[i] = t.languageName(name)
	}
	if len(said) == 0 {
		return ""
	}
	for word := range strings.FieldsSeq(t.Supposed) {
		if tag, known := languageTags()[facets.Fold(word)]; known {
			t.Supposed = t.languageName(tag)
		}
	}
	t.answer.Values = said
	return t.tellOr(said)
}

// languageName is what a tag or a name of a language is called in the asker's.
func (t *teller) languageName(name string) string {
	tag, known := languageTags()[facets.Fold(name)]
	if !known {
		tag, _, _ = strings.Cut(strings.ToLower(name), "-")
	}
	return cmp.Or(t.coded["languages"][tag], name)
}

// languageTags are the tags of languages by their folded names, in any language.
var languageTags = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, l := range languages() {
		for tag, name := range l.coded["languages"] {
			all[facets.Fold(name)] = tag
		}
	}
	return all
})
