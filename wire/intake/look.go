package intake

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"frontdesk/wire/document"
)

// The bounds of a schema.
const (
	maxSchema     = 128 << 10 // bytes
	maxSubschemas = 2000
	maxProgram    = 50_000 // instructions of all patterns together
)

// look goes through a schema as it is written, to refuse with the place what could not be judged,
// or would not be read alike everywhere, and to see what it declares.
type look struct {
	count    int
	program  int // instructions of the patterns so far
	declared map[string]bool
	ignored  []string
}

// draft is the one that is spoken.
const draft = "https://json-schema.org/draft/2020-12/schema"

func lookThrough(root map[string]any) (*look, error) {
	l := &look{declared: map[string]bool{}}
	if named, ok := root["$schema"]; ok && named != draft && named != draft+"#" {
		return nil, fmt.Errorf("at /$schema: this is another version of JSON Schema; write %q, or leave it out", draft)
	}
	if err := l.schema(nil, root); err != nil {
		return nil, err
	}
	slices.Sort(l.ignored)
	l.ignored = slices.Compact(l.ignored)
	return l, nil
}

// Where the keywords of 2020-12 have schemas: one, a list of them, or a map.
var (
	oneBelow = []string{"additionalProperties", "contains", "contentSchema", "else", "if", "items", "not",
		"propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"}
	listBelow = []string{"allOf", "anyOf", "oneOf", "prefixItems"}
	mapBelow  = []string{"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}
)

// schema looks at one schema and those below it.
func (l *look) schema(at []string, value any) error {
	schema, ok := value.(map[string]any)
	if !ok {
		return nil // true, false, or what the compiler refuses
	}
	if l.count++; l.count > maxSubschemas {
		return fmt.Errorf("the schema has more than %d subschemas; say it with fewer", maxSubschemas)
	}
	if err := l.keywords(at, schema); err != nil {
		return err
	}
	for _, keyword := range oneBelow {
		if err := l.schema(append(slices.Clone(at), keyword), schema[keyword]); err != nil {
			return err
		}
	}
	for _, keyword := range listBelow {
		below, _ := schema[keyword].([]any)
		for i, each := range below {
			if err := l.schema(append(slices.Clone(at), keyword, strconv.Itoa(i)), each); err != nil {
				return err
			}
		}
	}
	for _, keyword := range mapBelow {
		below, _ := schema[keyword].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(below)) {
			if err := l.named(append(slices.Clone(at), keyword), name, below[name]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *look) named(at []string, name string, value any) error {
	here := append(slices.Clone(at), name)
	switch at[len(at)-1] {
	case "properties":
		l.declared[name] = true
	case "patternProperties":
		if err := l.pattern(name); err != nil {
			return fmt.Errorf("at %s: %w", document.Pointer(here...), err)
		}
	}
	return l.schema(here, value)
}

// pattern looks at a pattern, by itself and with all others.
func (l *look) pattern(source string) error {
	p, err := compilePattern(source)
	if err != nil {
		return err
	}
	if l.program += p.instructions; l.program > maxProgram {
		return errors.New("the patterns repeat too much together; use minLength and maxLength for how long a " +
			"text may be")
	}
	return nil
}

// keywords looks at what a schema has by itself.
func (l *look) keywords(at []string, schema map[string]any) error {
	problem := func(keyword, detail string) error {
		return fmt.Errorf("at %s: %s", document.Pointer(append(slices.Clone(at), keyword)...), detail)
	}
	for _, keyword := range []string{"$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor",
		"$vocabulary"} {
		if _, there := schema[keyword]; there {
			return problem(keyword, "is not taken; write $ref and $defs")
		}
	}
	if len(at) > 0 {
		for _, keyword := range []string{"$id", "$schema"} {
			if _, there := schema[keyword]; there {
				return problem(keyword, "would make this a schema of its own; leave it out, and refer to it as "+
					"#/$defs/NAME")
			}
		}
	}
	if ref, ok := schema["$ref"].(string); ok && !strings.HasPrefix(ref, "#") {
		return problem("$ref", "leads out of the schema, and nothing is fetched; copy what it refers to into $defs, "+
			"and write #/$defs/NAME")
	}
	if source, ok := schema["pattern"].(string); ok {
		if err := l.pattern(source); err != nil {
			return problem("pattern", err.Error())
		}
	}
	if format, ok := schema["format"].(string); ok && !slices.Contains(asserted, format) {
		l.ignored = append(l.ignored, format)
	}
	return nil
}

// asserted are the formats that data is judged by.
var asserted = []string{
	"date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "iri", "iri-reference", "json-pointer",
	"period", "regex", "relative-json-pointer",
	"semver", "time", "uri", "uri-reference", "uri-template", "uuid",
}
