package intake

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"frontdesk/wire/document"
	"frontdesk/wire/strictjson"
)

// Redacted is what an agent writes for what a person keeps to himself.
const Redacted = "[redacted]"

// Undeclared is a member that a schema does not declare. What its value holds in turn is
// undeclared, too, and comes after it.
type Undeclared struct {
	Pointer string           // RFC 6901, into the data
	Value   strictjson.Value // as it was written
}

// Declared parts data into what the schema declares, as it was written, and what it does not, in
// order. A member is declared where a schema that looks at its object names it in properties, takes
// its name by patternProperties, or has a schema for additionalProperties. In an object about whose
// members the schema says nothing at all everything is kept, and told of as undeclared. The data is
// an object that [Schema.Validate] let pass.
func (s *Schema) Declared(data strictjson.Value) (kept strictjson.Value, undeclared []Undeclared) {
	kept = s.keep(data, "", []*jsonschema.Schema{s.compiled}, &undeclared)
	return kept, undeclared
}

// keep gives what is declared of one value by the schemas that look at it.
func (s *Schema) keep(value strictjson.Value, at string, schemas []*jsonschema.Schema,
	undeclared *[]Undeclared) strictjson.Value {
	switch value.Kind() {
	case '{':
		return s.keepMembers(value, at, together(schemas), undeclared)
	case '[':
		schemas = together(schemas)
		var elements []strictjson.Value
		if strictjson.Decode(value, &elements) != nil {
			return value
		}
		before := len(*undeclared)
		for i, each := range elements {
			elements[i] = s.keep(each, at+"/"+strconv.Itoa(i), elementSchemas(schemas, i), undeclared)
		}
		if len(*undeclared) == before {
			return value
		}
		return list(elements)
	}
	return value
}

func (s *Schema) keepMembers(value strictjson.Value, at string, schemas []*jsonschema.Schema,
	undeclared *[]Undeclared) strictjson.Value {
	var members map[string]strictjson.Value
	if strictjson.Decode(value, &members) != nil {
		return value
	}
	before, open := len(*undeclared), free(schemas)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		here := at + "/" + document.Escape(name)
		below, known := memberSchemas(schemas, name)
		switch {
		case known:
			members[name] = s.keep(members[name], here, below, undeclared)
		default:
			*undeclared = append(*undeclared, Undeclared{here, members[name]})
			s.keep(members[name], here, nil, undeclared)
			if !open {
				delete(members, name)
			}
		}
	}
	if len(*undeclared) == before {
		return value
	}
	return object(members)
}

// free says whether schemas say nothing about the members of an object.
func free(schemas []*jsonschema.Schema) bool {
	return !slices.ContainsFunc(schemas, func(s *jsonschema.Schema) bool {
		return len(s.Properties) > 0 || len(s.PatternProperties) > 0 || s.AdditionalProperties != nil ||
			s.UnevaluatedProperties != nil
	})
}

// memberSchemas are those that look at a member, where any declares it.
func memberSchemas(schemas []*jsonschema.Schema, name string) (below []*jsonschema.Schema, known bool) {
	var others []*jsonschema.Schema
	for _, s := range schemas {
		here := len(below)
		if schema, ok := s.Properties[name]; ok {
			below = append(below, schema)
		}
		for pattern, schema := range s.PatternProperties {
			if pattern.MatchString(name) {
				below = append(below, schema)
			}
		}
		if schema := additional(s); schema != nil && len(below) == here && schema.Bool == nil {
			below = append(below, schema)
		}
		if schema := s.UnevaluatedProperties; schema != nil && schema.Bool == nil {
			others = append(others, schema)
		}
	}
	if len(below) == 0 {
		below = others
	}
	return below, len(below) > 0
}

func elementSchemas(schemas []*jsonschema.Schema, i int) (below []*jsonschema.Schema) {
	for _, s := range schemas {
		if i < len(s.PrefixItems) {
			below = append(below, s.PrefixItems[i])
		} else if s.Items2020 != nil {
			below = append(below, s.Items2020)
		}
		for _, each := range []*jsonschema.Schema{s.Contains, s.UnevaluatedItems} {
			if each != nil {
				below = append(below, each)
			}
		}
	}
	return below
}

// together are schemas and all that look at the same value by their leave.
func together(schemas []*jsonschema.Schema) (all []*jsonschema.Schema) {
	seen := map[*jsonschema.Schema]bool{}
	var add func(s *jsonschema.Schema)
	add = func(s *jsonschema.Schema) {
		if seen[s] {
			return
		}
		seen[s] = true
		all = append(all, s)
		for _, each := range beside(s) {
			add(each)
		}
	}
	for _, s := range schemas {
		add(s)
	}
	return all
}

// Personal says whether it looks personal: by its name, or by a text that it holds itself or in a
// list.
func (u Undeclared) Personal() bool { return Personal(u.Pointer) || holdsPersonal(u.Value) }

// holdsPersonal looks at texts, and not into objects, whose members are undeclared by themselves.
func holdsPersonal(value strictjson.Value) bool {
	switch value.Kind() {
	case '"':
		var text string
		return strictjson.Decode(value, &text) != nil || PersonalText(text)
	case '[':
		var elements []strictjson.Value
		return strictjson.Decode(value, &elements) != nil || slices.ContainsFunc(elements, holdsPersonal)
	}
	return false
}

// Withheld parts data into what an agent tells, as it was written, and the names of the top members
// that it keeps back: they hold [Redacted], and the schema declares them as strings and does not
// require them. What is kept back counts as not there. Whether an intake takes such data is for its
// manifest to say ([Privacy.TakesRedacted]).
func (s *Schema) Withheld(data strictjson.Value) (told strictjson.Value, withheld []string) {
	if !strings.Contains(string(data), "redacted") {
		return data, nil
	}
	var members map[string]strictjson.Value
	if strictjson.Decode(data, &members) != nil {
		return data, nil
	}
	schemas := together([]*jsonschema.Schema{s.compiled})
	for _, name := range slices.Sorted(maps.Keys(members)) {
		var text string
		if members[name].Kind() != '"' || strictjson.Decode(members[name], &text) != nil || text != Redacted ||
			!optionalString(schemas, name) {
			continue
		}
		withheld = append(withheld, name)
		delete(members, name)
	}
	if len(withheld) == 0 {
		return data, nil
	}
	return object(members), withheld
}

// optionalString says whether schemas declare a member as a string, and none requires it.
func optionalString(schemas []*jsonschema.Schema, name string) bool {
	declared := false
	for _, s := range schemas {
		if slices.Contains(s.Required, name) {
			return false
		}
		property, ok := s.Properties[name]
		if !ok {
			continue
		}
		for _, each := range together([]*jsonschema.Schema{property}) {
			declared = declared || each.Types != nil && slices.Contains(each.Types.ToStrings(), "string")
		}
	}
	return declared
}
