// Package strictjson reads JSON in the same strict way for every handler: duplicate members,
// members in the wrong case, data after the value, invalid UTF-8 and nesting beyond a limit are
// errors that name the place by JSON pointer. Numbers keep their text wherever a caller decodes
// into [Value].
//
// It is part of wire: no I/O, no clock, and usable by clients.
package strictjson

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxDepth is how deep objects and arrays may nest.
const MaxDepth = 64

// Value is one JSON value in its original spelling.
type Value = jsontext.Value

// Error says what is wrong with a JSON text and where. Its text is safe to show to whoever sent the
// JSON.
type Error struct {
	Pointer string // RFC 6901; "" is the whole text
	Problem string
}

// Error gives problem and place in one sentence.
func (e *Error) Error() string {
	if e.Pointer == "" {
		return e.Problem
	}
	return fmt.Sprintf("at %s: %s", e.Pointer, e.Problem)
}

// Decode reads the one JSON value of data into v, and refuses members that v does not name.
func Decode(data []byte, v any) error { return decode(data, v, json.RejectUnknownMembers(true)) }

// DecodeTolerant is Decode for protocols that demand that unknown members be ignored. A struct may
// take them up in a field of type map[string]Value tagged `json:",embed"`; then a member that
// differs from a known one in case alone is still an error, since ignoring it would change what was
// asked.
func DecodeTolerant(data []byte, v any) error {
	if err := decode(data, v); err != nil {
		return err
	}
	return checkCase(reflect.ValueOf(v), "")
}

func decode(data []byte, v any, opts ...json.Options) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return &Error{Problem: "no JSON: the text is empty"}
	}
	if err := checkDepth(data); err != nil {
		return err
	}
	if err := json.Unmarshal(data, v, opts...); err != nil {
		return describe(err)
	}
	return nil
}

// Null gives the place of the first null in a JSON text, by JSON pointer, for handlers for which
// null is no other word for nothing. Of what cannot be read it tells only what stands before that.
func Null(data []byte) (pointer string, found bool) {
	d := jsontext.NewDecoder(bytes.NewReader(data))
	for {
		token, err := d.ReadToken()
		if err != nil {
			return "", false
		}
		if token.Kind() == 'n' {
			return string(d.StackPointer()), true
		}
	}
}

// checkDepth walks the bytes once, before anything is parsed, so that nesting costs no stack.
func checkDepth(data []byte) error {
	depth, inString := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > MaxDepth {
				return &Error{Problem: fmt.Sprintf("objects and arrays nest deeper than %d levels", MaxDepth)}
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

// describe turns the library's error into ours, in words that do not name Go types.
func describe(err error) error {
	var ours *Error
	if errors.As(err, &ours) {
		var sem *json.SemanticError
		if ours.Pointer == "" && errors.As(err, &sem) {
			return &Error{Pointer: string(sem.JSONPointer), Problem: ours.Problem}
		}
		return ours
	}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		return &Error{Pointer: string(syntax.JSONPointer), Problem: syntaxProblem(syntax)}
	}
	var sem *json.SemanticError
	if errors.As(err, &sem) {
		return &Error{Pointer: string(sem.JSONPointer), Problem: semanticProblem(sem)}
	}
	return &Error{Problem: "the JSON ends too early or cannot be read"}
}

func syntaxProblem(e *jsontext.SyntacticError) string {
	switch {
	case errors.Is(e.Err, jsontext.ErrDuplicateName):
		return "this member stands twice in its object"
	case strings.Contains(e.Err.Error(), "UTF-8"):
		return fmt.Sprintf("invalid UTF-8 near byte %d", e.ByteOffset)
	case strings.Contains(e.Err.Error(), "after top-level value"):
		return fmt.Sprintf("more data after the JSON value at byte %d", e.ByteOffset)
	}
	what, _, _ := strings.Cut(e.Err.Error(), " `") // what follows is a piece of the text, which is not to be told
	return fmt.Sprintf("not JSON near byte %d: %s", e.ByteOffset, what)
}

func semanticProblem(e *json.SemanticError) string {
	if errors.Is(e.Err, json.ErrUnknownName) {
		return "unknown member"
	}
	if e.GoType == nil {
		return "this value does not fit here"
	}
	if errors.Is(e.Err, strconv.ErrRange) {
		return fmt.Sprintf("expected %s that is not so large, found %s", kindOf(e.GoType), KindName(e.JSONKind))
	}
	return fmt.Sprintf("expected %s, found %s", kindOf(e.GoType), KindName(e.JSONKind))
}

func kindOf(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "a whole number"
}

// KindName names a kind of JSON values for people.
func KindName(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "true or false"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{':
		return "an object"
	case '[':
		return "an array"
	}
	return "something else"
}

// checkCase looks through structs for embedded unknown members that are known ones in another case.
func checkCase(v reflect.Value, pointer string) error {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return checkCase(v.Elem(), pointer)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Struct {
			return nil
		}
		for i := range v.Len() {
			if err := checkCase(v.Index(i), fmt.Sprintf("%s/%d", pointer, i)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		return checkStruct(v, pointer)
	}
	return nil
}

func checkStruct(v reflect.Value, pointer string) error {
	plan := planOf(v.Type())
	for _, below := range plan.below {
		if err := checkCase(v.Field(below.index), pointer+"/"+below.name); err != nil {
			return err
		}
	}
	if plan.embed < 0 || v.Field(plan.embed).Len() == 0 {
		return nil
	}
	for name := range v.Field(plan.embed).Interface().(map[string]Value) {
		if right, ok := plan.names[strings.ToLower(name)]; ok {
			return &Error{Pointer: pointer + "/" + escape(name),
				Problem: fmt.Sprintf("unknown member; write it %q", right)}
		}
	}
	return nil
}

// plan is what checkStruct needs to know of a type.
type plan struct {
	names map[string]string // members, lower case to right case
	below []member          // fields that hold further members of ours
	embed int               // the field that takes up unknown members; -1 if there is none
}

type member struct {
	index int
	name  string
}

var plans sync.Map // reflect.Type to *plan

func planOf(t reflect.Type) *plan {
	if kept, ok := plans.Load(t); ok {
		return kept.(*plan)
	}
	p := &plan{names: map[string]string{}, embed: -1}
	for i := range t.NumField() {
		field := t.Field(i)
		name, rest, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case !field.IsExported() || name == "-":
		case rest == "embed" && field.Type == reflect.TypeFor[map[string]Value]():
			p.embed = i
		case name != "":
			p.names[strings.ToLower(name)] = name
			if holdsStructs(field.Type) {
				p.below = append(p.below, member{i, name})
			}
		}
	}
	kept, _ := plans.LoadOrStore(t, p)
	return kept.(*plan)
}

// holdsStructs says whether values of a type can have members of ours below them.
func holdsStructs(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct
}

func escape(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }
