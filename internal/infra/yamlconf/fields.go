package yamlconf

import (
	"iter"
	"reflect"
	"slices"
	"strings"
)

// Field is a field of a section that YAML sets.
type Field struct {
	reflect.StructField
	Key     string // as the document has it; empty for what no key sets, such as the line
	Value   reflect.Value
	Section reflect.Type // the struct that declares it
	options []string
}

// Required says whether the key must be there with a value.
func (f Field) Required() bool { return slices.Contains(f.options, "required") }

// IsSection says whether the field holds keys of its own, and IsList whether it holds several of
// such.
func (f Field) IsSection() bool { return f.Type.Kind() == reflect.Struct }

// IsList says whether the field is a list of sections.
func (f Field) IsList() bool {
	return f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct
}

// Fields gives the fields of a section in order. Those of an embedded struct count as the section's
// own, so that two packages can own a part of one section each.
func Fields(section reflect.Value) iter.Seq[Field] {
	return func(yield func(Field) bool) { fields(section, yield) }
}

func fields(section reflect.Value, yield func(Field) bool) bool {
	t := section.Type()
	for i := range t.NumField() {
		field := t.Field(i)
		tag, tagged := field.Tag.Lookup("yaml")
		switch {
		case field.Anonymous && !tagged:
			if !fields(section.Field(i), yield) {
				return false
			}
		case tagged:
			parts := strings.Split(tag, ",")
			if !yield(Field{field, parts[0], section.Field(i), t, parts[1:]}) {
				return false
			}
		}
	}
	return true
}

// Keys gives the fields of a section that have a key.
func Keys(section reflect.Value) iter.Seq[Field] {
	return func(yield func(Field) bool) { fields(section, func(f Field) bool { return f.Key == "" || yield(f) }) }
}
