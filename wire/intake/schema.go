package intake

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"frontdesk/wire/document"
	"frontdesk/wire/sign"
	"frontdesk/wire/strictjson"
)

// Schema is the input_schema of an intake, ready to validate with. It is safe for concurrent use.
type Schema struct {
	compiled *jsonschema.Schema
	work     *work
	declared map[string]bool // names of members that stand somewhere in it
	ignored  []string        // formats that nobody asserts
	hash     string
}

// Violation is one thing in which data does not conform to its schema. It names members and never
// shows what they hold.
type Violation struct {
	Pointer string // RFC 6901, into the data; it ends before a name that could be a datum
	Keyword string // of JSON Schema, such as "enum"; "" where the data could not be judged at all
	Detail  string // what is wrong, after the pointer; with what the schema takes where that is short
}

// String is the violation in one sentence.
func (v Violation) String() string {
	if v.Pointer == "" {
		return v.Detail
	}
	return v.Pointer + " " + v.Detail
}

// maxViolations are as many as are told of one message.
const maxViolations = 20

const inputSchema = "urn:frontdesk:intake:input"

// CompileSchema makes a schema ready: JSON Schema 2020-12 of an object, with formats asserted,
// without references to elsewhere, with patterns that JavaScript and RE2 read alike. One that could
// make validation slow is refused: it may have 128 KiB, 64 levels, 2000 subschemas, and no more
// than a bounded work for a value of the data. The error names the place and says what to do.
func CompileSchema(raw []byte) (*Schema, error) {
	if len(raw) > maxSchema {
		return nil, fmt.Errorf("the schema has %d bytes, and may have at most %d; say it shorter", len(raw), maxSchema)
	}
	canonical, found := document.Canonical(raw)
	if found != nil {
		return nil, fmt.Errorf("the schema is no JSON that everybody reads alike: %s",
			&strictjson.Error{Pointer: found.Pointer, Problem: found.Detail})
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(canonical))
	if err != nil {
		return nil, fmt.Errorf("the schema is no JSON: %w", err)
	}
	root, ok := value.(map[string]any)
	if !ok || root["type"] != "object" {
		return nil, errors.New(`the schema describes no object; write "type": "object" at its top`)
	}
	looked, err := lookThrough(root)
	if err != nil {
		return nil, err
	}
	compiler := document.Compiler()
	compiler.UseRegexpEngine(func(source string) (jsonschema.Regexp, error) { return compilePattern(source) })
	if err := compiler.AddResource(inputSchema, value); err != nil {
		return nil, compileProblem(err)
	}
	compiled, err := compiler.Compile(inputSchema)
	if err != nil {
		return nil, compileProblem(err)
	}
	s := &Schema{compiled: compiled, declared: looked.declared, ignored: looked.ignored}
	if s.work, err = measure(compiled); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(canonical)
	s.hash = hex.EncodeToString(sum[:])
	return s, nil
}

// compileProblem tells what the library found in a schema.
func compileProblem(err error) error {
	var invalid *jsonschema.SchemaValidationError
	var inside *jsonschema.ValidationError
	if errors.As(err, &invalid) && errors.As(invalid.Err, &inside) {
		for _, leaf := range document.Leaves(inside) {
			return fmt.Errorf("at %s: %s; write it as JSON Schema 2020-12 has it", shownPlace(leaf.InstanceLocation),
				document.Describe(leaf.ErrorKind, true))
		}
	}
	return fmt.Errorf("the schema is no JSON Schema 2020-12: %s", strings.ReplaceAll(err.Error(), inputSchema, ""))
}

func shownPlace(location []string) string {
	if len(location) == 0 {
		return "its top"
	}
	return document.Pointer(location...)
}

// Hash is the SHA-256 of the schema's canonical form, in hex: the same for the same schema, however
// it is written.
func (s *Schema) Hash() string { return s.hash }

// Validate says in what data does not conform, ordered by place; nothing where it does. Numbers are
// compared as the doubles that they denote. Data that would take too long to judge does not
// conform.
func (s *Schema) Validate(data strictjson.Value) []Violation {
	canonical, err := sign.Canonical(data)
	if err != nil {
		return []Violation{{Detail: "is no JSON that everybody reads alike"}}
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(canonical))
	if err != nil {
		return []Violation{{Detail: "is no JSON"}}
	}
	if !s.work.affordable(canonical, value) {
		return []Violation{{Detail: "is too much to be judged by this intake's schema; send less"}}
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(s.compiled.Validate(value), &invalid) {
		return nil
	}
	var found []Violation
	for _, leaf := range document.Leaves(invalid) {
		found = append(found, s.violation(leaf))
	}
	slices.SortFunc(found, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Keyword, b.Keyword),
			cmp.Compare(a.Detail, b.Detail))
	})
	found = slices.Compact(found)
	return found[:min(len(found), maxViolations)]
}

// violation tells one of the library's errors without showing values.
func (s *Schema) violation(e *jsonschema.ValidationError) Violation {
	location := s.tellable(e.InstanceLocation)
	v := Violation{Pointer: document.Pointer(location...)}
	if path := e.ErrorKind.KeywordPath(); len(path) > 0 {
		v.Keyword = path[0]
	}
	switch problem := e.ErrorKind.(type) {
	case *kind.Not:
		v.Keyword, v.Detail = "not", document.Describe(problem, false)
	case *kind.Required:
		v.Detail = "lacks the required " + quotedList(problem.Missing, len(problem.Missing))
	case *kind.DependentRequired:
		v.Detail = "lacks " + quotedList(problem.Missing, len(problem.Missing)) + ", which another member requires"
	case *kind.AdditionalProperties:
		v.Detail = "has members that it may not have"
		if names := slices.DeleteFunc(slices.Sorted(slices.Values(problem.Properties)), func(name string) bool {
			return !s.tells(name)
		}); len(names) > 0 {
			v.Detail += ": " + quotedList(names, 10)
		}
	case *kind.Enum:
		v.Detail = "is none of the values it may have"
		if texts := shortTexts(problem.Want); texts != nil {
			v.Detail += ": " + strings.Join(texts, ", ")
		}
	default:
		v.Detail = document.Describe(problem, false)
	}
	return v
}

// tellable is a place up to a name that could be a datum.
func (s *Schema) tellable(location []string) []string {
	for i, name := range location {
		if !s.tells(name) {
			return location[:i]
		}
	}
	return location
}

// tells says whether a name may be told: it is an index, or the schema's, or one that programs
// give.
func (s *Schema) tells(name string) bool {
	_, err := strconv.Atoi(name)
	return err == nil && len(name) < 6 || s.declared[name] || document.Plain(name)
}

// shortTexts are values as JSON has them that a person can take in, nil where they are too many or
// too long.
func shortTexts(values []any) (texts []string) {
	if len(values) > 20 {
		return nil
	}
	length := 0
	for _, value := range values {
		text := fmt.Sprint(value)
		switch value := value.(type) {
		case string:
			text = strconv.Quote(value)
		case nil:
			text = "null"
		}
		if length += len(text); length > 400 {
			return nil
		}
		texts = append(texts, text)
	}
	return texts
}

func quotedList(names []string, most int) string {
	quoted := make([]string, 0, len(names))
	for _, name := range names[:min(len(names), most)] {
		quoted = append(quoted, strconv.Quote(name))
	}
	return strings.Join(quoted, ", ")
}
