package offers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/types"

	"frontdesk/wire/document"
)

// shape is what expressions know of a value before there is one: its type, and how large it may be.
// Shapes of what is submitted are made of the intake's schema, those of tables of the tables.
type shape struct {
	typ    *types.Type
	fields map[string]*field // of an object with known members
	elem   *shape            // of a list's elements and a map's values
	most   uint64            // letters of a text, elements of a list or map
	enum   []string          // what a text may be; nil where it may be anything
}

// field is a member of an object.
type field struct {
	*shape
	optional bool
}

// The sizes that are assumed where a schema sets none: they fill a whole request.
const (
	anyText = 64 << 10
	anyList = 32 << 10
	anyMap  = 8 << 10
)

func scalar(t *types.Type) *shape { return &shape{typ: t} }

func text(most uint64) *shape { return &shape{typ: types.StringType, most: most} }

func listOf(elem *shape, most uint64) *shape {
	return &shape{typ: types.NewListType(elem.typ), elem: elem, most: most}
}

func mapOf(elem *shape, most uint64) *shape {
	return &shape{typ: types.NewMapType(types.StringType, elem.typ), elem: elem, most: most}
}

// anything is a value of which nothing is known.
func anything() *shape { return &shape{typ: types.DynType, most: anyText} }

// isObject says whether the members are known.
func (s *shape) isObject() bool { return s.fields != nil }

// world is all shapes with names, by the name of their type. The sign in the names keeps
// expressions from saying them.
type world map[string]*shape

// object names a shape with members.
func (w world) object(name string, fields map[string]*field) *shape {
	s := &shape{typ: types.NewObjectType(name), fields: fields, most: uint64(len(fields))}
	w[name] = s
	return s
}

// schema is what is read of a JSON Schema. What else stands in one does not change the type of a
// value.
type schema struct {
	Type       json.RawMessage            `json:"type"`
	Enum       []json.RawMessage          `json:"enum"`
	Const      json.RawMessage            `json:"const"`
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
	Items      json.RawMessage            `json:"items"`
	Prefix     []json.RawMessage          `json:"prefixItems"`
	Additional json.RawMessage            `json:"additionalProperties"`
	MaxLength  *float64                   `json:"maxLength"`
	MaxItems   *float64                   `json:"maxItems"`
	Unique     bool                       `json:"uniqueItems"`
	Ref        string                     `json:"$ref"`
	All        []json.RawMessage          `json:"allOf"`
}

// reader makes shapes of a schema. It never fails: what it does not understand may be anything.
type reader struct {
	world world
	root  json.RawMessage
	count int // of shapes that were made
}

// How deep the shapes of a schema go, and how many there are; what lies beyond may be anything.
// References let a short schema describe a great many.
const (
	maxNesting = 12
	maxShapes  = 2000
)

// read gives the shape of what conforms to a schema; name is for what is an object.
func (r *reader) read(raw json.RawMessage, name string, depth int) *shape {
	var s schema
	if r.count++; r.count > maxShapes || depth > maxNesting || json.Unmarshal(raw, &s) != nil {
		return anything()
	}
	if s.Ref != "" && len(s.Type) == 0 {
		return r.read(r.resolve(s.Ref), name, depth+1)
	}
	var typ string
	if json.Unmarshal(s.Type, &typ) != nil {
		typ = kindOfAll(s)
	}
	switch typ {
	case "string":
		return textOf(s)
	case "integer":
		return scalar(types.IntType)
	case "number":
		return scalar(types.DoubleType)
	case "boolean":
		return scalar(types.BoolType)
	case "array":
		return r.list(s, name, depth)
	case "object":
		return r.object(s, name, depth)
	}
	return anything()
}

// kindOfAll is the type that all allowed values have, where the schema names none; empty when they
// differ.
func kindOfAll(s schema) string {
	allowed := s.Enum
	if s.Const != nil {
		allowed = []json.RawMessage{s.Const}
	}
	if len(s.Type) > 0 || len(allowed) == 0 {
		return ""
	}
	for _, value := range allowed {
		if value[0] != '"' {
			return ""
		}
	}
	return "string"
}

func textOf(s schema) *shape {
	allowed := s.Enum
	if s.Const != nil {
		allowed = []json.RawMessage{s.Const}
	}
	t := text(bound(s.MaxLength, anyText))
	if allowed == nil {
		return t
	}
	t.most, t.enum = 0, []string{}
	for _, value := range allowed {
		var one string
		if json.Unmarshal(value, &one) == nil {
			t.enum, t.most = append(t.enum, one), max(t.most, uint64(len(one)))
		}
	}
	return t
}

func bound(given *float64, otherwise uint64) uint64 {
	if given == nil || *given < 0 || *given > float64(otherwise) {
		return otherwise
	}
	return uint64(*given)
}

func (r *reader) list(s schema, name string, depth int) *shape {
	elem := anything()
	if len(s.Prefix) == 0 && s.Items != nil {
		elem = r.read(s.Items, name+".items", depth+1)
	}
	most := bound(s.MaxItems, anyList)
	if s.Unique && elem.enum != nil {
		most = min(most, uint64(len(elem.enum)))
	}
	return listOf(elem, most)
}

func (r *reader) object(s schema, name string, depth int) *shape {
	if len(s.Properties) == 0 && depth > 0 {
		if len(s.Additional) > 0 && s.Additional[0] == '{' {
			return mapOf(r.read(s.Additional, name+".values", depth+1), anyMap)
		}
		return mapOf(anything(), anyMap)
	}
	required := slices.Clone(s.Required)
	for _, raw := range s.All {
		var part schema
		if json.Unmarshal(raw, &part) == nil {
			required = append(required, part.Required...)
		}
	}
	fields := map[string]*field{}
	for member, raw := range s.Properties {
		fields[spelled(member)] = &field{r.read(raw, name+"."+member, depth+1), !slices.Contains(required, member)}
	}
	return r.world.object(name, fields)
}

// resolve finds what a reference within the schema leads to; false, a schema that nothing conforms
// to, if nothing.
func (r *reader) resolve(ref string) json.RawMessage {
	path, ok := strings.CutPrefix(ref, "#")
	at := r.root
	for step := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if !ok || step == "" {
			break
		}
		var members map[string]json.RawMessage
		if json.Unmarshal(at, &members) != nil {
			return json.RawMessage("false")
		}
		if at, ok = members[strings.NewReplacer("~1", "/", "~0", "~").Replace(step)]; !ok {
			return json.RawMessage("false")
		}
	}
	return at
}

// tables gives the shape of constants, and the constants as expressions take them. Numbers of one
// table are whole only if all of them are.
func (w world) tables(all map[string]any) (*shape, map[string]any) {
	fields, values := map[string]*field{}, map[string]any{}
	for name, table := range all {
		s, value := w.constant(table, !decimals(table), "@tables."+name)
		fields[spelled(name)], values[spelled(name)] = &field{shape: s}, value
	}
	return w.object("@tables", fields), values
}

// decimals says whether a number that is not whole stands in a value.
func decimals(value any) bool {
	switch v := value.(type) {
	case json.Number:
		_, err := strconv.ParseInt(string(v), 10, 64)
		return err != nil
	case []any:
		return slices.ContainsFunc(v, decimals)
	case map[string]any:
		for _, one := range v {
			if decimals(one) {
				return true
			}
		}
	}
	return false
}

// constant gives the shape of a value that is known, and the value as expressions take it.
func (w world) constant(value any, whole bool, name string) (*shape, any) {
	switch v := value.(type) {
	case string:
		return text(uint64(len(v))), v
	case bool:
		return scalar(types.BoolType), v
	case json.Number:
		if n, err := v.Int64(); err == nil && whole {
			return scalar(types.IntType), n
		}
		f, _ := v.Float64() // one out of range is infinite, which no answer takes
		return scalar(types.DoubleType), f
	case []any:
		shapes, values := make([]*shape, len(v)), make([]any, len(v))
		for i, one := range v {
			shapes[i], values[i] = w.constant(one, whole, name+".items")
		}
		return listOf(w.common(shapes), uint64(len(v))), values
	case map[string]any:
		return w.table(v, whole, name)
	}
	return anything(), types.NullValue
}

// table is keys and values: a map, so that an expression may choose the key, or where the values
// are of several types an object with members.
func (w world) table(v map[string]any, whole bool, name string) (*shape, any) {
	var shapes []*shape
	fields, values, members := map[string]*field{}, map[string]any{}, map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(v)) {
		s, value := w.constant(v[key], whole, name+"."+key)
		shapes, values[key] = append(shapes, s), value
		members[spelled(key)], fields[spelled(key)] = value, &field{shape: s}
	}
	if elem := w.common(shapes); elem.typ.Kind() != types.DynKind {
		return mapOf(elem, uint64(len(v))), values
	}
	return w.object(name, fields), members
}

// common is the shape that values share, and anything if they share none.
func (w world) common(shapes []*shape) *shape {
	if len(shapes) == 0 {
		return anything()
	}
	shared := *shapes[0]
	for _, s := range shapes[1:] {
		switch {
		case shared.isObject() && s.isObject():
			shared = *w.object(shared.typ.TypeName(), shareFields(shared.fields, s.fields))
		case !shared.typ.IsExactType(s.typ):
			return anything()
		}
		shared.most = max(shared.most, s.most)
	}
	return &shared
}

// shareFields are the members of two objects: optional where one of them lacks it, anything where
// they differ.
func shareFields(a, b map[string]*field) map[string]*field {
	all := map[string]*field{}
	for name, f := range a {
		other, both := b[name]
		switch {
		case !both:
			all[name] = &field{f.shape, true}
		case !f.typ.IsExactType(other.typ):
			all[name] = &field{anything(), f.optional || other.optional}
		default:
			all[name] = &field{f.shape, f.optional || other.optional}
		}
	}
	for name, f := range b {
		if all[name] == nil {
			all[name] = &field{f.shape, true}
		}
	}
	return all
}

// maxWhole is the largest whole number that every reader of JSON takes alike (RFC 8259, 6), up and
// down.
const maxWhole = 1<<53 - 1

// errNumber is a whole number in what was submitted that is none to compute with.
func errNumber() error {
	return &UnusableData{Detail: fmt.Sprintf("is too large for a whole number; give one between -%d and %[1]d",
		int64(maxWhole))}
}

// read reads JSON as expressions take it: numbers as the shape says.
func (s *shape) read(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, errors.New("what was submitted is no JSON")
	}
	return s.value(value)
}

// value converts what was decoded.
func (s *shape) value(value any) (any, error) {
	switch v := value.(type) {
	case json.Number:
		return s.number(v)
	case []any:
		elem := s.elem
		if elem == nil {
			elem = anything()
		}
		for i, one := range v {
			converted, err := elem.value(one)
			if err != nil {
				return nil, under(strconv.Itoa(i), err)
			}
			v[i] = converted
		}
	case map[string]any:
		for _, name := range slices.Collect(maps.Keys(v)) {
			known := unlike(name)
			if s.isObject() {
				known = spelled(name)
			}
			converted, err := s.member(known).value(v[name])
			if err != nil && s.fields[known] == nil { // the name may be a datum itself
				return nil, errNumber()
			}
			if err != nil {
				return nil, under(name, err)
			}
			delete(v, name)
			v[known] = converted
		}
	case nil:
		return types.NullValue, nil
	}
	return value, nil
}

// member is the shape of a member.
func (s *shape) member(name string) *shape {
	if f, known := s.fields[name]; known {
		return f.shape
	}
	if s.elem != nil {
		return s.elem
	}
	return anything()
}

// under is an error of reading a value, at a name or an index in what it is in.
func under(name string, err error) error {
	var unfit *UnusableData
	if errors.As(err, &unfit) {
		return &UnusableData{Pointer: document.Pointer(name) + unfit.Pointer, Detail: unfit.Detail}
	}
	return err
}

// number reads a number. By JSON Schema 3.0 is a whole number, too. One that need not be whole is a
// double where it is too large for a whole number.
func (s *shape) number(n json.Number) (any, error) {
	whole, err := strconv.ParseInt(string(n), 10, 64)
	if err == nil && s.typ.Kind() != types.DoubleKind && -maxWhole <= whole && whole <= maxWhole {
		return whole, nil
	}
	f, err := n.Float64()
	switch {
	case err != nil || math.IsInf(f, 0):
		return nil, errNumber()
	case s.typ.Kind() != types.IntKind:
		return f, nil
	case f != math.Trunc(f) || math.Abs(f) > maxWhole:
		return nil, errNumber()
	}
	return int64(f), nil
}
