package facets

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/content/taxonomy"
)

// Words of allergens that are declared: the names of properties that do, what stands before them,
// and what declares none.
var allergenNames, allergenLeads, noAllergens = wordsOf("allergen.property"), wordsOf("allergen.lead"),
	wordsOf("allergen.no")

// properties reads PropertyValues under their own names: "Battery life" is the slot batteryLife.
func (r *reader) properties(_ string, v *node) {
	v.each(func(n *node) {
		name := camel(n.member("name").name())
		if name == "" {
			return
		}
		n.member("value").each(func(value *node) { r.property(n.member("name").name(), value) })
		if isSpoken(n.member("name").name()) {
			r.spoken("", n.member("value"))
			return
		}
		if name == string(Contains) || isIn(allergenNames(), Fold(n.member("name").name())) {
			r.allergen("", n.member("value"))
			return
		}
		if _, room := peopleOf()[Fold(n.member("name").name())]; room {
			r.holds("", n.member("value"))
		}
		if how, of := ageProperties()[Fold(n.member("name").name())]; of {
			if how == "upto" {
				n.member("value").each(func(v *node) {
					if most, ok := numberOf(v); ok {
						r.suits(0, most)
					}
				})
			} else {
				r.ages("", n.member("value"))
			}
		}
		if read := readers[name]; read != nil && name != "additionalProperty" {
			read(r, name, n.member("value"))
			return
		}
		if n.member("unitCode").kind != 0 || n.member("unitText").kind != 0 || n.member("minValue").kind != 0 ||
			n.member("maxValue").kind != 0 {
			if r.quantity(Slot(name), n) {
				return
			}
		}
		n.member("value").each(func(value *node) { r.other(name, value) })
	})
}

// property reads what a PropertyValue states of what is in the item, and the diet that it says yes
// to.
func (r *reader) property(name string, value *node) {
	text := value.name()
	if value.kind == '0' {
		text = value.text
	}
	if value.kind == 't' || value.kind == 'f' {
		text = map[bool]string{true: "yes", false: "no"}[value.kind == 't']
		r.word(Slot(camel(name)), text)
	}
	if len(text) > maxStatement {
		return
	}
	if t := traits(); text != "" && !t.sizes[Fold(name)] &&
		(t.attributesOf(Slot(camel(name))) == nil || !taxonomy.Affirms(text) && !taxonomy.Negates(text)) {
		r.word(Properties, name+propertySign+text)
	}
	if days := daysOf(text); len(days) > 0 {
		r.word(Slot(camel(name)), strings.Join(days, " "))
		for _, day := range days {
			r.word(Days, day)
		}
	}
	if diet, ok := DietOf(Fold(name)); ok && taxonomy.Affirms(text) {
		r.word(Diet, diet)
	}
	if kind := r.contents.AddProperty(name, text); kind != "" {
		r.word(declares, string(kind))
	} else {
		r.contents.Add(text, taxonomy.Mentioned)
	}
}

// material reads what an item is made of.
func (r *reader) material(name string, v *node) {
	v.each(func(n *node) {
		r.word(declares, string(taxonomy.Material))
		r.contents.AddList(n.name(), taxonomy.Material)
	})
	r.other(name, v)
}

// maxStatement bounds how long a text is that is read for what it states.
const maxStatement = 4000

func (r *reader) amenity(name string, v *node) {
	v.each(func(n *node) {
		value := n.member("value")
		if value.text != "false" && value.text != "0" {
			r.word(Slot(name), n.name())
		}
		if called := n.name(); value.kind == 't' || value.kind == 'f' {
			r.property(called, value)
			r.other(camel(called), value)
		}
	})
}

// allergen reads declared allergens: a list in words.
func (r *reader) allergen(_ string, v *node) {
	v.each(func(n *node) {
		r.word(declares, string(taxonomy.Food))
		r.contents.AddList(n.name(), taxonomy.Food)
		for part := range splitList(n.name()) {
			folded := Fold(part)
			for lead := range allergenLeads() {
				folded = strings.TrimPrefix(folded, lead+" ")
			}
			first, _, _ := strings.Cut(folded, " ")
			_, begins := noAllergens()[first]
			if _, ends := noAllergens()[folded[strings.LastIndexByte(folded, ' ')+1:]]; folded == "" || begins || ends {
				continue
			}
			r.word(Allergens, strings.TrimSpace(part))
		}
	})
}

// enumerated gives the name of a member of a schema.org enumeration, or the text itself: an address
// is no word.
func enumerated(text string) string {
	text = strings.TrimSpace(text)
	for _, prefix := range []string{"https://schema.org/", "http://schema.org/", "schema:"} {
		if rest, ok := strings.CutPrefix(text, prefix); ok {
			return rest
		}
	}
	if strings.Contains(text, "://") {
		return ""
	}
	return text
}

// camel makes a property's name of words: "Battery life (h)" becomes "batteryLifeH".
func camel(name string) string {
	if len(name) > maxRunes {
		return ""
	}
	if !strings.ContainsAny(name, " -_/()&.") && name != "" && name[0] < utf8.RuneSelf {
		return strings.ToLower(name[:1]) + name[1:]
	}
	var b strings.Builder
	for i, word := range strings.Fields(Fold(name)) {
		if first, size := utf8.DecodeRuneInString(word); i > 0 {
			b.WriteRune(unicode.ToUpper(first))
			b.WriteString(word[size:])
			continue
		}
		b.WriteString(word)
	}
	return b.String()
}
