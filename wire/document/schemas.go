package document

import (
	"bytes"
	"embed"
	"errors"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"frontdesk/wire/sign"
)

// Schemas are those of one protocol's documents. They are safe for concurrent use.
type Schemas struct {
	// Files has each kind's schema as schema/KIND.json. Its "description"s are what findings say to
	// write.
	Files embed.FS
	// Kinds are all of them.
	Kinds []string
	// Name is what their identifiers begin with.
	Name string
	// Discreet findings show no values, and no names that the schemas do not have unless they are
	// plain.
	Discreet bool
	// Unknown advises what to do about a member that a kind's document has no place for; "" is to
	// remove it. It may be nil.
	Unknown func(kind, name string) string

	once       sync.Once
	validators map[string]*jsonschema.Schema
	values     map[string]any // by identifier
}

// Text is the schema of a kind; nil for none.
func (s *Schemas) Text(kind string) []byte {
	text, err := s.Files.ReadFile("schema/" + kind + ".json")
	if err != nil {
		return nil
	}
	return text
}

// Judge says whether a text fits the schema of a kind. The value and the canonical form are there
// where it is JSON.
//
// In canonical form a whole number is written as one, however the sender wrote it (5.0, 1e3), and
// no number's text can cost the schema's arithmetic much.
func (s *Schemas) Judge(kind string, text []byte) (value any, canonical []byte, findings Findings) {
	canonical, wrong := Canonical(text)
	if wrong != nil {
		if s.Discreet {
			wrong.Pointer = PlainPart(wrong.Pointer)
		}
		return nil, nil, Findings{*wrong}
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(canonical))
	if err != nil {
		return nil, nil, Findings{{Rule: RuleJSON, Detail: err.Error(), Mend: "write one JSON object", Severity: Wrong}}
	}
	s.compile()
	var invalid *jsonschema.ValidationError
	if errors.As(s.validators[kind].Validate(value), &invalid) {
		for _, leaf := range Leaves(invalid) {
			findings = append(findings, s.describe(kind, leaf)...)
		}
	}
	return value, canonical, findings
}

// Said is how the schema of a kind says what belongs to a member.
func (s *Schemas) Said(kind string, path ...string) string {
	s.compile()
	schema, _ := s.values[s.id(kind)].(map[string]any)
	for _, name := range path {
		schema = member(schema, name)
	}
	return said(schema)
}

// With does something while another schema stands in for a kind's, for tests of what each
// constraint is good for. Nothing else may use the schemas meanwhile.
func (s *Schemas) With(kind string, text []byte, do func()) error {
	s.compile()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	validator, err := s.compileOne(kind, value)
	if err != nil {
		return err
	}
	validatorBefore, valueBefore := s.validators[kind], s.values[s.id(kind)]
	defer func() { s.validators[kind], s.values[s.id(kind)] = validatorBefore, valueBefore }()
	s.validators[kind], s.values[s.id(kind)] = validator, value
	do()
	return nil
}

// compile makes the schemas ready when the first is needed.
func (s *Schemas) compile() {
	s.once.Do(func() {
		s.validators, s.values = map[string]*jsonschema.Schema{}, map[string]any{}
		for _, kind := range s.Kinds {
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(s.Text(kind)))
			if err != nil {
				panic(err) // an embedded file is broken
			}
			if s.validators[kind], err = s.compileOne(kind, value); err != nil {
				panic(err)
			}
			s.values[s.id(kind)] = value
		}
	})
}

func (s *Schemas) compileOne(kind string, value any) (*jsonschema.Schema, error) {
	compiler := Compiler()
	if err := compiler.AddResource(s.id(kind), value); err != nil {
		return nil, err
	}
	return compiler.Compile(s.id(kind))
}

func (s *Schemas) id(kind string) string { return s.Name + kind }

// at is the part of the schemas that an address names.
func (s *Schemas) at(address string) map[string]any {
	id, fragment, _ := strings.Cut(address, "#")
	at := s.values[id]
	for token := range strings.SplitSeq(strings.TrimPrefix(fragment, "/"), "/") {
		if token == "" {
			continue
		}
		if unescaped, err := url.PathUnescape(token); err == nil {
			token = strings.NewReplacer("~1", "/", "~0", "~").Replace(unescaped)
		}
		object, _ := at.(map[string]any)
		at = object[token]
	}
	schema, _ := at.(map[string]any)
	return schema
}

// Compiler makes schemas of 2020-12 ready, with formats asserted as the rest of the program reads
// them. What it compiles refers to nothing outside: no loader could fetch it.
func Compiler() *jsonschema.Compiler {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	compiler.UseLoader(jsonschema.SchemeURLLoader{})
	for _, format := range formats {
		compiler.RegisterFormat(format)
	}
	return compiler
}

// Leaves are the errors of a tree of them that say something by themselves. Of alternatives none of
// which fits, and of a list without what it must contain, that is all that is said.
func Leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError { return leaves(e, nil) }

func leaves(e *jsonschema.ValidationError, all []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf, *kind.Contains, *kind.MinContains, *kind.MaxContains, *kind.PropertyNames:
		return append(all, e)
	}
	if len(e.Causes) == 0 {
		return append(all, e)
	}
	for _, cause := range e.Causes {
		all = leaves(cause, all)
	}
	return all
}

var formats = []*jsonschema.Format{
	{Name: "email", Validate: func(v any) error {
		text, ok := v.(string)
		if !ok || len(text) <= 254 && mailAddress.MatchString(text) {
			return nil
		}
		return errors.New("is no e-mail address")
	}},
	{Name: "date-time", Validate: func(v any) error {
		text, ok := v.(string)
		if !ok {
			return nil
		}
		_, err := sign.ParseTime(text)
		return err
	}},
	{Name: "uri", Validate: func(v any) error {
		text, ok := v.(string)
		if !ok {
			return nil
		}
		return checkURI(text)
	}},
}

// mailAddress is one of RFC 5321 without quotes and address literals, which nobody has.
var mailAddress = regexp.MustCompile(`^` + mailAtom + `(?:\.` + mailAtom + `)*@` + hostLabel + `(?:\.` + hostLabel + `)*$`)

const (
	mailAtom  = "[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]{1,64}"
	hostLabel = `[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?`
)

// checkURI wants an absolute URI of RFC 3986: ASCII, percent-encoded, with a scheme.
func checkURI(text string) error {
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			return errors.New("has characters that must be percent-encoded")
		}
	}
	u, err := url.Parse(text)
	if err != nil || !u.IsAbs() {
		return errors.New("is no absolute address")
	}
	return nil
}
