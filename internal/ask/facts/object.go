package facts

import (
	lang "frontdesk/internal/infra/language"

	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/internal/content/facets"
)

// The bounds of what is read of an object and told of it.
const (
	maxValues = 400 // of one property
	maxTold   = 12  // values in a sentence
	maxRunes  = 240 // of one value
)

// Object is a schema.org object that may answer. The zero Object answers nothing.
type Object struct{ things []thing }

// thing is an object's members by their names.
type thing map[string]any

// Read reads an object from JSON. One that is broken says nothing. What a page is about speaks
// after the page itself.
func Read(object []byte) Object {
	var root any
	err := json.Unmarshal(object, &root, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return Object{}
	}
	var o Object
	for _, value := range elements(root) {
		whole, ok := value.(map[string]any)
		if !ok {
			continue
		}
		o.things = append(o.things, whole)
		for _, about := range elements(whole["mainEntity"]) {
			if part, ok := about.(map[string]any); ok && term(part["@type"]) != "Question" {
				o.things = append(o.things, part)
			}
		}
		if len(o.things) >= maxValues {
			break
		}
	}
	return o
}

// find gives the values at a path of members: "offers.shippingDetails".
func (t thing) find(path string) []any {
	found := []any{map[string]any(t)}
	for member := range strings.SplitSeq(path, ".") {
		var next []any
		for _, value := range found {
			if object, ok := value.(map[string]any); ok {
				next = append(next, elements(object[member])...)
			}
			if len(next) > maxValues {
				next = next[:maxValues]
				break
			}
		}
		found = next
	}
	return found
}

// find gives the values at a path of the things of an object.
func (o Object) find(path string) (all []any) {
	for _, thing := range o.things {
		all = append(all, thing.find(path)...)
	}
	return all
}

// elements are the elements of a list and of lists in it, or else the value alone.
func elements(value any) []any {
	switch v := value.(type) {
	case nil:
		return nil
	case []any:
		var all []any
		for _, element := range v {
			if all = append(all, elements(element)...); len(all) >= maxValues {
				return all[:maxValues]
			}
		}
		return all
	}
	return []any{value}
}

// member gives a member of an object, nil of anything else.
func member(value any, name string) any {
	object, _ := value.(map[string]any)
	return object[name]
}

// text is what a value says in words: a text, a figure, or what an object is called.
func text(value any) string {
	switch v := value.(type) {
	case string:
		return clip(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		for _, element := range elements(v) {
			return text(element)
		}
	case map[string]any:
		for _, name := range []string{"name", "legalName", "@value", "value", "alternateName"} {
			if said := text(v[name]); said != "" {
				return said
			}
		}
		id, _ := v["@id"].(string)
		if tail := lastSegment(id); strings.Contains(id, "schema.org/") || strings.Contains(id, "purl.org/") {
			return tail
		}
	}
	return ""
}

// clip brings a text to one line that is not too long for a sentence.
func clip(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")
	n := 0
	for i := range s {
		if n++; n > maxRunes {
			return strings.TrimSpace(s[:i]) + "…"
		}
	}
	return s
}

// term is a text, or the last segment of the address of a schema.org term: "InStock" of
// "https://schema.org/InStock".
func term(value any) string {
	said := text(value)
	if said == "" {
		id, _ := member(value, "@id").(string)
		said = clip(id)
	}
	if strings.HasPrefix(said, "http:") || strings.HasPrefix(said, "https:") || strings.HasPrefix(said, "schema:") {
		return lastSegment(said)
	}
	return said
}

// lastSegment is what stands behind the last mark of an address.
func lastSegment(address string) string {
	return address[strings.LastIndexAny(address, "/#:")+1:]
}

// number reads a figure: a number, or a text that begins with one.
func number(value any) (float64, bool) {
	switch v := value.(type) {
	case float64:
		return v, !math.IsInf(v, 0) && !math.IsNaN(v)
	case string:
		v = strings.TrimSpace(v)
		if figure, err := strconv.ParseFloat(v, 64); err == nil {
			return figure, !math.IsInf(figure, 0) && !math.IsNaN(figure)
		}
		money, n := facets.ReadMoney(v)
		return money.Amount, n > 0
	case map[string]any:
		for _, name := range []string{"value", "@value"} {
			if figure, ok := number(v[name]); ok {
				return figure, true
			}
		}
	}
	return 0, false
}

// names says whether a value holds words as whole words, whatever their case and accents.
func names(value, words string) bool {
	value, words = facets.Fold(value), facets.Fold(words)
	if first, _ := utf8.DecodeRuneInString(words); lang.Joined(first) {
		return strings.Contains(value, words) // Japanese has no blanks between words
	}
	return words != "" && strings.Contains(" "+value+" ", " "+words+" ")
}

// texts are the different texts at the intent's paths, of the first path that has any, or else of
// its property.
func (t *teller) texts() []string { return t.textsOf(t.intent.name) }

// textsOf are the texts of another intent than the one that is asked.
func (t *teller) textsOf(name string) []string {
	for _, path := range intents()[name].paths {
		var said []string
		for _, value := range t.thing.find(path) {
			said = added(said, term(value))
		}
		if len(said) > 0 {
			t.state(path, said...)
			return said
		}
	}
	var said []string
	for _, p := range t.named(name) {
		said = added(said, t.propertyText(p))
	}
	return said
}

// added adds a text that is not there yet.
func added(list []string, said string) []string {
	if said == "" {
		return list
	}
	if slices.Contains(list, said) {
		return list
	}
	return append(list, said)
}
