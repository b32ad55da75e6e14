package intake

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"frontdesk/wire/strictjson"
)

// A schema can make a validator slow in ways that do not show in its size: references that double
// with each level, many alternatives over a long list, patterns over long texts. So what a schema
// costs at most is computed when it is compiled, by the level of the data, and what given data can
// cost before it is judged. The figures are nanoseconds of a machine that is not the fastest, and
// far from exact; they are bounds, and only their size matters.
const (
	costEvaluation = 400 // of one schema looking at one value
	costChild      = 60  // of one member or element being passed by it
	costNumber     = 600 // of two numbers being compared
	costInstance   = 25  // of one instruction of a pattern, for one byte
	costUnique     = 300 // of one value below an array of unique elements

	// maxPerValue is what a schema may cost at one value of the data.
	maxPerValue = 20e6
	// maxWork is what judging data may cost.
	maxWork = 250e6
	// maxInPlace is how many schemas may lead to one another over the same value.
	maxInPlace = 64
)

// work is what a schema costs at most, by level of the data.
type work [strictjson.MaxDepth + 1]cost

// cost is what a value costs: by itself, by byte where it is a text, and by byte of its name where
// it is a member.
type cost struct{ value, textByte, nameByte float64 }

func (a cost) plus(b cost) cost {
	return cost{a.value + b.value, a.textByte + b.textByte, a.nameByte + b.nameByte}
}

func (a cost) most(b cost) cost {
	return cost{max(a.value, b.value), max(a.textByte, b.textByte), max(a.nameByte, b.nameByte)}
}

// affordable says whether data can be judged.
func (w *work) affordable(text []byte, value any) bool {
	var most cost
	for _, level := range w {
		most = most.most(level)
	}
	if float64(len(text))*(most.value+most.textByte+most.nameByte) <= maxWork {
		return true
	}
	return w.of(value, "", 0) <= maxWork
}

// of is what a value at a level costs, with all below it.
func (w *work) of(value any, name string, level int) float64 {
	if level >= len(w) {
		return math.Inf(1)
	}
	at := w[level]
	sum := at.value + at.nameByte*float64(len(name))
	switch value := value.(type) {
	case string:
		sum += at.textByte * float64(len(value))
	case []any:
		for _, each := range value {
			sum += w.of(each, "", level+1)
		}
	case map[string]any:
		for name, each := range value {
			sum += w.of(each, name, level+1)
		}
	}
	return sum
}

// measure computes what a schema costs, and makes the check of unique elements one that hostile
// data cannot slow down.
func measure(root *jsonschema.Schema) (*work, error) {
	m := &measurer{costs: map[*jsonschema.Schema]*work{}, depth: map[*jsonschema.Schema]int{}}
	if err := m.gather(root); err != nil {
		return nil, err
	}
	for level := range len(work{}) {
		for _, schema := range m.order {
			m.level(schema, level)
		}
	}
	for level, each := range m.costs[root] {
		if each.value > maxPerValue || each.textByte > maxPerValue || each.nameByte > maxPerValue {
			return nil,
				fmt.Errorf("the schema takes too long to judge what lies %d levels deep: its references, "+
					"alternatives or patterns multiply; refer to fewer schemas at each level", level)
		}
	}
	return m.costs[root], nil
}

// measurer goes through a compiled schema.
type measurer struct {
	order []*jsonschema.Schema // each after those that look at the same value by its leave
	costs map[*jsonschema.Schema]*work
	// how many schemas a schema leads to over the same value, in a row; 0 while they are counted
	depth map[*jsonschema.Schema]int
}

// gather finds all schemas, and refuses those that lead back to themselves over the same value.
func (m *measurer) gather(root *jsonschema.Schema) error {
	next := []*jsonschema.Schema{root}
	for len(next) > 0 {
		schema := next[len(next)-1]
		next = next[:len(next)-1]
		if m.costs[schema] != nil {
			continue
		}
		before := len(m.order)
		if err := m.follow(schema); err != nil {
			return err
		}
		for _, each := range m.order[before:] {
			next = append(next, deeper(each)...)
		}
	}
	return nil
}

func (m *measurer) follow(schema *jsonschema.Schema) error {
	if depth, known := m.depth[schema]; known {
		if depth == 0 {
			return errors.New("the schema refers back to itself without going a level deeper; refer to it from " +
				"properties or items alone")
		}
		return nil
	}
	if schema.DynamicRef != nil || schema.RecursiveRef != nil {
		return errors.New("the schema has dynamic references, which are not taken; write $ref and $defs")
	}
	m.depth[schema] = 0
	deepest := 0
	for _, each := range beside(schema) {
		if err := m.follow(each); err != nil {
			return err
		}
		deepest = max(deepest, m.depth[each])
	}
	if deepest++; deepest > maxInPlace {
		return fmt.Errorf("more than %d schemas refer to one another in a row; refer to the last of them", maxInPlace)
	}
	m.depth[schema] = deepest
	m.order, m.costs[schema] = append(m.order, schema), new(work)
	if schema.UniqueItems {
		schema.UniqueItems = false
		schema.Extensions = append(schema.Extensions, unique{})
	}
	return nil
}

// beside are the schemas that look at the same value as one.
func beside(s *jsonschema.Schema) []*jsonschema.Schema {
	all := slices.Concat([]*jsonschema.Schema{s.Ref, s.Not, s.If, s.Then, s.Else}, s.AllOf, s.AnyOf, s.OneOf)
	for _, each := range s.DependentSchemas {
		all = append(all, each)
	}
	for _, each := range s.Dependencies {
		if schema, ok := each.(*jsonschema.Schema); ok {
			all = append(all, schema)
		}
	}
	return slices.DeleteFunc(all, func(each *jsonschema.Schema) bool { return each == nil })
}

// deeper are the schemas that look at a member or an element of what one looks at, or at the name
// of a member.
func deeper(s *jsonschema.Schema) []*jsonschema.Schema {
	all := slices.Concat(slices.Collect(maps.Values(s.Properties)), slices.Collect(maps.Values(s.PatternProperties)),
		s.PrefixItems)
	all = append(all, additional(s), s.PropertyNames, s.UnevaluatedProperties, s.Items2020, s.Contains,
		s.UnevaluatedItems)
	return slices.DeleteFunc(all, func(each *jsonschema.Schema) bool { return each == nil })
}

func additional(s *jsonschema.Schema) *jsonschema.Schema {
	schema, _ := s.AdditionalProperties.(*jsonschema.Schema)
	return schema
}

// level computes what a schema costs for the values that lie a number of levels below the one that
// it looks at.
func (m *measurer) level(s *jsonschema.Schema, level int) {
	var sum cost
	switch level {
	case 0:
		sum = own(s)
	case 1:
		sum.value = costChild
		for pattern := range s.PatternProperties {
			sum.nameByte += matching(pattern)
		}
		if s.PropertyNames != nil {
			names := m.costs[s.PropertyNames][0]
			sum.value, sum.nameByte = sum.value+names.value, sum.nameByte+names.textByte
		}
	}
	if level > 0 && len(s.Extensions) > 0 {
		sum = sum.plus(cost{costUnique, 5, 5})
	}
	for _, each := range beside(s) {
		sum = sum.plus(m.costs[each][level])
	}
	if level > 0 {
		sum = sum.plus(m.below(s, level-1))
	}
	m.costs[s][level] = sum
}

// below is what the schemas of members or elements cost together: of the properties one looks at a
// member, of the patterns any number.
func (m *measurer) below(s *jsonschema.Schema, level int) cost {
	at := func(schema *jsonschema.Schema) cost {
		if schema == nil {
			return cost{}
		}
		return m.costs[schema][level]
	}
	member, element := at(additional(s)), at(s.Items2020)
	for _, each := range s.Properties {
		member = member.most(at(each))
	}
	for _, each := range s.PatternProperties {
		member = member.plus(at(each))
	}
	for _, each := range s.PrefixItems {
		element = element.most(at(each))
	}
	member = member.plus(at(s.UnevaluatedProperties))
	element = element.plus(at(s.Contains)).plus(at(s.UnevaluatedItems))
	return member.most(element)
}

// own is what a schema costs at a value by itself.
func own(s *jsonschema.Schema) cost {
	c := cost{value: costEvaluation + 30*float64(len(s.Required))}
	if s.Enum != nil {
		for _, each := range s.Enum.Values {
			c.value += comparing(each)
		}
	}
	if s.Const != nil {
		c.value += comparing(*s.Const)
	}
	for _, each := range s.DependentRequired {
		c.value += 30 * float64(1+len(each))
	}
	if s.MinLength != nil || s.MaxLength != nil {
		c.textByte++
	}
	switch {
	case s.Format == nil:
	case s.Format.Name == "regex":
		c.textByte += 2000
	default:
		c.textByte += 30
	}
	if s.Pattern != nil {
		c.textByte += matching(s.Pattern)
	}
	if s.Minimum != nil || s.Maximum != nil || s.ExclusiveMinimum != nil || s.ExclusiveMaximum != nil ||
		s.MultipleOf != nil || s.Types != nil {
		c.value += costNumber
	}
	return c
}

// comparing is what comparing a value with one of the schema's costs.
func comparing(value any) float64 {
	sum := 10.0
	switch value := value.(type) {
	case json.Number:
		sum = costNumber
	case []any:
		for _, each := range value {
			sum += comparing(each)
		}
	case map[string]any:
		for _, each := range value {
			sum += 50 + comparing(each)
		}
	}
	return sum
}

func matching(p jsonschema.Regexp) float64 {
	known, ok := p.(pattern)
	if !ok {
		return maxPerValue
	}
	return costInstance * float64(known.instructions)
}

// unique is uniqueItems, by the elements' texts: the library compares elements whose hashes are the
// same, and data can be made so that all of them are.
type unique struct{}

// Validate looks for an element that was there before.
func (unique) Validate(ctx *jsonschema.ValidatorContext, value any) {
	elements, _ := value.([]any)
	seen := make(map[string]int, len(elements))
	for i, each := range elements {
		text, err := json.Marshal(each) // members in the order of their names, numbers as the canonical form has them
		if err != nil {
			continue
		}
		if before, twice := seen[string(text)]; twice {
			ctx.AddError(&kind.UniqueItems{Duplicates: [2]int{before, i}})
			return
		}
		seen[string(text)] = i
	}
}
