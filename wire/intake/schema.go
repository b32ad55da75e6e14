package intake

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"frontdesk/wire/sign"
	"frontdesk/wire/strictjson"
)

// Schema is the input_schema of an intake, ready to validate with. It is safe for concurrent use.
type Schema struct {
	compiled *jsonschema.Schema
	hash     string
}

// Violation is one thing in which data does not conform to its schema. It names members and never shows what they hold.
type Violation struct {
	Pointer string // RFC 6901, into the data
	Keyword string // of JSON Schema, such as "enum"
	Detail  string // what is wrong and what to do
}

// CompileSchema makes a schema ready: JSON Schema 2020-12 of an object, with formats asserted, without references to
// elsewhere, with patterns that RE2 has. One that could make validation slow is refused. The error says what to do.
func CompileSchema(raw []byte) (*Schema, error) {
	canonical, err := sign.Canonical(raw)
	if err != nil {
		return nil, fmt.Errorf("the schema is no JSON that everybody reads alike: %w", err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(canonical))
	if err != nil {
		return nil, err
	}
	if root, ok := value.(map[string]any); !ok || root["type"] != "object" {
		return nil, errors.New(`the schema describes no object; write "type": "object" at its top`)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	compiler.UseLoader(jsonschema.SchemeURLLoader{})
	if err := compiler.AddResource(inputSchema, value); err != nil {
		return nil, err
	}
	compiled, err := compiler.Compile(inputSchema)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(canonical)
	return &Schema{compiled, hex.EncodeToString(sum[:])}, nil
}

const inputSchema = "urn:frontdesk:intake:input"

// Hash is the SHA-256 of the schema's canonical form, in hex: the same for the same schema, however it is written.
func (s *Schema) Hash() string { return s.hash }

// Validate says in what data does not conform, in the data's order; nothing where it does.
func (s *Schema) Validate(data strictjson.Value) (found []Violation) {
	canonical, err := sign.Canonical(data)
	if err != nil {
		return []Violation{{Detail: err.Error()}}
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(canonical))
	if err != nil {
		return []Violation{{Detail: err.Error()}}
	}
	var invalid *jsonschema.ValidationError
	if errors.As(s.compiled.Validate(value), &invalid) {
		found = violations(invalid, nil)
	}
	return found
}

func violations(e *jsonschema.ValidationError, all []Violation) []Violation {
	for _, cause := range e.Causes {
		all = violations(cause, all)
	}
	if len(e.Causes) == 0 {
		keyword := strings.Join(e.ErrorKind.KeywordPath(), "/")
		all = append(all, Violation{pointer(e.InstanceLocation), keyword, "does not conform to " + keyword})
	}
	return all
}

func pointer(location []string) string {
	var b strings.Builder
	for _, token := range location {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(token))
	}
	return b.String()
}

// Declared parts data at its top into the members that the schema declares and the names of the others, in order. The
// data is an object that [Schema.Validate] let pass.
func (s *Schema) Declared(data strictjson.Value) (kept strictjson.Value, undeclared []string) {
	var members map[string]strictjson.Value
	if strictjson.Decode(data, &members) != nil {
		return strictjson.Value("{}"), nil
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if s.compiled.Properties[name] == nil {
			undeclared = append(undeclared, name)
			delete(members, name)
		}
	}
	text, err := json.Marshal(members)
	if err != nil {
		return strictjson.Value("{}"), undeclared
	}
	return text, undeclared
}
