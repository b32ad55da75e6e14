package intent

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"frontdesk/wire/sign"
	"frontdesk/wire/strictjson"
)

// Kind is one of the protocol's four documents.
type Kind string

// The documents.
const (
	KindDeclaration Kind = "declaration" // aip.json
	KindRequest     Kind = "request"     // RetrieveRequest
	KindResponse    Kind = "response"    // RetrieveResponse
	KindEvent       Kind = "event"       // access or citation
)

// Kinds are all of them.
var Kinds = []Kind{KindDeclaration, KindRequest, KindResponse, KindEvent}

// Severity says how bad a finding is.
type Severity string

// The severities.
const (
	// Wrong is what makes a document invalid.
	Wrong Severity = "error"
	// Doubtful is what the protocol allows, or does not settle, and others may stumble over.
	Doubtful Severity = "warning"
)

// The rules that programs tell apart. All others are named by document and member ("request intent.domain"), or by
// what the prose asks for.
const (
	RuleJSON      = "json"                 // it is no JSON that everybody reads alike
	RuleVersion   = "aip_version"          // a version that is not spoken
	RuleForbidden = "extensions-forbidden" // an extension that carries what the protocol keeps out
)

// Finding is one thing that is wrong with a document, or doubtful.
type Finding struct {
	Pointer  string   `json:"pointer"` // RFC 6901; "" is the whole document
	Rule     string   `json:"rule"`
	Detail   string   `json:"detail"` // what is there
	Mend     string   `json:"mend"`   // what to do
	Severity Severity `json:"severity"`
}

// String is the finding in one line.
func (f Finding) String() string {
	where := f.Pointer
	if where == "" {
		where = "the document"
	}
	return fmt.Sprintf("%s: %s: %s; %s", f.Severity, where, f.Detail, f.Mend)
}

// Findings are those of one document, in its order.
type Findings []Finding

// Valid says whether nothing is wrong; doubts do not count.
func (f Findings) Valid() bool { return f.First() == nil }

// First gives the first finding that makes the document invalid, nil where there is none. One of the RuleJSON or
// RuleVersion comes before all others, and one of RuleForbidden after.
func (f Findings) First() *Finding {
	var first *Finding
	for i := range f {
		if f[i].Severity == Wrong && (first == nil || rank(f[i]) < rank(*first)) {
			first = &f[i]
		}
	}
	return first
}

func rank(f Finding) int {
	switch f.Rule {
	case RuleJSON:
		return 0
	case RuleVersion:
		return 1
	case RuleForbidden:
		return 3
	}
	return 2
}

// Options say what is accepted beyond the strict reading.
type Options struct {
	// Versions are those spoken; nil is 0.1 alone.
	Versions []string
	// AnyLanguage takes any well-formed language tag in a request, not only those like en-US.
	AnyLanguage bool
	// WeakEvents takes events whose access or citation is incomplete, or does not go with their type: the protocol's
	// prose asks for both, its schema for neither.
	WeakEvents bool
	// NullReason takes a revocation_reason of null in a declaration, as published examples have it.
	NullReason bool
	// Now is when declarations are judged for having ended; the zero time judges none.
	Now time.Time
}

func (o Options) speaks(version string) bool {
	if o.Versions == nil {
		return version == Version01
	}
	return slices.Contains(o.Versions, version)
}

// Check judges a document: first whether it is JSON that everybody reads alike, then by the schema of its kind, then
// by the rules of the protocol's prose. No findings, or doubtful ones alone, mean that it is valid.
func Check(k Kind, text []byte, o Options) Findings {
	_, findings := check(k, text, o)
	return findings
}

// ReadDeclaration checks and reads aip.json. The declaration is nil where it is not valid.
func ReadDeclaration(text []byte, o Options) (*Declaration, Findings) {
	return read[Declaration](KindDeclaration, text, o)
}

// ReadRequest checks and reads a RetrieveRequest, which is nil where it is not valid. One that is wrong only in what its
// extensions carry (RuleForbidden first) is given, too: it can be read, and is to be denied.
func ReadRequest(text []byte, o Options) (*RetrieveRequest, Findings) {
	document, findings := check(KindRequest, text, o)
	if first := findings.First(); first != nil && first.Rule != RuleForbidden {
		return nil, findings
	}
	return document.(*RetrieveRequest), findings
}

// ReadResponse checks and reads a RetrieveResponse, which is nil where it is not valid.
func ReadResponse(text []byte, o Options) (*RetrieveResponse, Findings) {
	return read[RetrieveResponse](KindResponse, text, o)
}

// ReadEvent checks and reads an event, which is nil where it is not valid.
func ReadEvent(text []byte, o Options) (*Event, Findings) {
	return read[Event](KindEvent, text, o)
}

func read[T any](k Kind, text []byte, o Options) (*T, Findings) {
	document, findings := check(k, text, o)
	if !findings.Valid() {
		return nil, findings
	}
	return document.(*T), findings
}

// check gives the document, too, where it could be read at all.
func check(k Kind, text []byte, o Options) (document any, findings Findings) {
	// In canonical form a whole number is written as one, however the sender wrote it (5.0, 1e3), and no number's text
	// can cost the schema's arithmetic much.
	canonical, err := canonical(text)
	if err != nil {
		return nil, Findings{*err}
	}
	value, broken := jsonschema.UnmarshalJSON(bytes.NewReader(canonical))
	if broken != nil {
		return nil, Findings{{Rule: RuleJSON, Detail: broken.Error(), Mend: "write one JSON object", Severity: Wrong}}
	}
	validators, _ := compiled()
	var invalid *jsonschema.ValidationError
	if errors.As(validators[k].Validate(value), &invalid) {
		for _, leaf := range leaves(invalid, nil) {
			findings = append(findings, describe(k, leaf)...)
		}
	}
	findings = accept(findings, value, o)
	if k == KindEvent && !o.WeakEvents {
		findings = append(findings, completeEvent(value)...)
	}
	switch document, findings := decode(k, canonical, findings); d := document.(type) {
	case *Declaration:
		return d, append(findings, d.rules(o)...)
	case *RetrieveRequest:
		return d, append(findings, d.rules(o)...)
	case *RetrieveResponse:
		return d, append(findings, d.rules(o)...)
	case *Event:
		return d, append(findings, d.rules(o)...)
	default:
		return nil, findings
	}
}

// canonical reads strictly, in the words of strictjson, and gives the canonical form.
func canonical(text []byte) ([]byte, *Finding) {
	var value strictjson.Value
	err := strictjson.Decode(text, &value)
	if err == nil {
		if canonical, wrong := sign.Canonical(text); wrong == nil {
			return canonical, nil
		} else {
			err = wrong
		}
	}
	finding := Finding{Rule: RuleJSON, Detail: err.Error(), Mend: "write one JSON object in UTF-8 that any reader takes the same way", Severity: Wrong}
	var placed *strictjson.Error
	if errors.As(err, &placed) {
		finding.Pointer, finding.Detail = placed.Pointer, placed.Problem
	}
	return nil, &finding
}

// decode reads what the schema let pass. What it did not is read where it can be, so that more than one thing is found
// at a time.
func decode(k Kind, canonical []byte, findings Findings) (any, Findings) {
	var document any
	switch k {
	case KindDeclaration:
		document = new(Declaration)
	case KindRequest:
		document = new(RetrieveRequest)
	case KindResponse:
		document = new(RetrieveResponse)
	case KindEvent:
		document = new(Event)
	}
	err := strictjson.Decode(canonical, document)
	if err == nil {
		return document, findings
	}
	var placed *strictjson.Error
	if findings.Valid() && errors.As(err, &placed) { // the schema and the types disagree; refuse
		findings = append(findings, Finding{placed.Pointer, RuleJSON, placed.Problem, "write what the protocol has here", Wrong})
	}
	return nil, findings
}

//go:embed schema/*.json
var schemaFiles embed.FS

// Schema is our JSON Schema (2020-12) of a document. What prose adds is not in it; see [Check].
func Schema(k Kind) []byte {
	text, err := schemaFiles.ReadFile("schema/" + string(k) + ".json")
	if err != nil {
		return nil
	}
	return text
}

// compiled gives the schemas, ready to validate with and as they stand, made when the first is needed.
var compiled = sync.OnceValues(compile)

func compile() (map[Kind]*jsonschema.Schema, map[string]any) {
	validators, values := map[Kind]*jsonschema.Schema{}, map[string]any{}
	for _, k := range Kinds {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema(k)))
		if err != nil {
			panic(err) // an embedded file is broken
		}
		if validators[k], err = compileOne(k, value); err != nil {
			panic(err)
		}
		values[schemaID(k)] = value
	}
	return validators, values
}

// compileOne makes a validator of a schema. It refers to nothing outside, and no loader could fetch it.
func compileOne(k Kind, value any) (*jsonschema.Schema, error) {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	compiler.UseLoader(jsonschema.SchemeURLLoader{})
	for _, format := range formats {
		compiler.RegisterFormat(format)
	}
	if err := compiler.AddResource(schemaID(k), value); err != nil {
		return nil, err
	}
	return compiler.Compile(schemaID(k))
}

func schemaID(k Kind) string { return "urn:frontdesk:intent:" + string(k) }

// formats are read as the rest of the house reads them.
var formats = []*jsonschema.Format{
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

// leaves are the errors of a tree of them that say something by themselves.
func leaves(e *jsonschema.ValidationError, all []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return append(all, e)
	}
	for _, cause := range e.Causes {
		all = leaves(cause, all)
	}
	return all
}

// describe turns one of the library's errors into findings of ours.
func describe(k Kind, e *jsonschema.ValidationError) Findings {
	at := pointer(e.InstanceLocation)
	schema := schemaAt(e.SchemaURL)
	finding := Finding{Pointer: at, Rule: ruleAt(k, e.InstanceLocation), Mend: "write " + said(schema), Severity: Wrong}
	switch problem := e.ErrorKind.(type) {
	case *kind.Required:
		return missing(k, e, schema, problem.Missing)
	case *kind.AdditionalProperties:
		return unknown(k, e, schema, problem.Properties)
	case *kind.Type:
		finding.Detail = fmt.Sprintf("is %s, and must be %s", article(problem.Got), oneOf(problem.Want))
	case *kind.Enum:
		finding.Detail = fmt.Sprintf("is %s, which is none of the values it may have", quoted(problem.Got))
		if finding.Pointer == "/aip_version" {
			finding.Rule = RuleVersion
		}
	case *kind.Pattern:
		finding.Detail = fmt.Sprintf("%s has not the form it must have", quoted(problem.Got))
	case *kind.Format:
		finding.Detail = fmt.Sprintf("%s is no %s", quoted(problem.Got), formatNames[problem.Want])
	case *kind.MinLength:
		finding.Detail = fmt.Sprintf("has %d characters, and needs at least %d", problem.Got, problem.Want)
	case *kind.MaxLength:
		finding.Detail = fmt.Sprintf("has %d characters, and may have at most %d", problem.Got, problem.Want)
	case *kind.MinItems:
		finding.Detail = fmt.Sprintf("has %d elements, and needs at least %d", problem.Got, problem.Want)
	case *kind.Minimum:
		finding.Detail = fmt.Sprintf("is %s, and must be at least %s", problem.Got.RatString(), problem.Want.RatString())
	case *kind.Maximum:
		finding.Detail = fmt.Sprintf("is %s, and must be at most %s", problem.Got.RatString(), problem.Want.RatString())
	default:
		finding.Detail = "does not fit the schema"
	}
	return Findings{finding}
}

var formatNames = map[string]string{
	"date-time": "time of RFC 3339", "date": "day like 2006-01-02", "uri": "absolute web address", "hostname": "domain name",
}

// missing are findings of members that must be there.
func missing(k Kind, e *jsonschema.ValidationError, schema map[string]any, names []string) (found Findings) {
	for _, name := range names {
		mend := fmt.Sprintf("add %q: %s", name, said(member(schema, name)))
		found = append(found, Finding{pointer(e.InstanceLocation), ruleAt(k, append(slices.Clone(e.InstanceLocation), name)), fmt.Sprintf("%q is missing", name), mend, Wrong})
	}
	return found
}

// unknown are findings of members that may not be there.
func unknown(k Kind, e *jsonschema.ValidationError, schema map[string]any, names []string) (found Findings) {
	slices.Sort(names)
	for _, name := range names {
		at := append(slices.Clone(e.InstanceLocation), name)
		mend := "remove it"
		if right := otherCase(schema, name); right != "" {
			mend = fmt.Sprintf("write it %q", right)
		} else if (lookout{slices.Concat(commercial, identity, operator, engagement)}).named(name) != "" {
			mend = "remove it: the protocol has no place for prices, offers, advertising, scores or persons, not in extensions either"
		} else if member(schemaAt(schemaID(k)+"#"), "extensions") != nil {
			mend = "remove it, or put it into the document's extensions under a name like vendor." + name
		}
		found = append(found, Finding{pointer(at), ruleAt(k, at), "is unknown, and this object is closed", mend, Wrong})
	}
	return found
}

// otherCase is the known member that a name is in another case or spelling.
func otherCase(schema map[string]any, name string) string {
	plain := func(s string) string { return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s)) }
	properties, _ := schema["properties"].(map[string]any)
	for right := range properties {
		if plain(right) == plain(name) {
			return right
		}
	}
	return ""
}

// ruleAt names the rule of a member: the document and the member without its indexes.
func ruleAt(k Kind, location []string) string {
	var names []string
	for _, token := range location {
		if _, err := strconv.Atoi(token); err != nil {
			names = append(names, token)
		}
	}
	if len(names) == 0 {
		return string(k)
	}
	return string(k) + " " + strings.Join(names, ".")
}

func pointer(location []string) string {
	var b strings.Builder
	for _, token := range location {
		b.WriteString("/" + escape(token))
	}
	return b.String()
}

// schemaAt is the part of our schemas that an address names.
func schemaAt(address string) map[string]any {
	id, fragment, _ := strings.Cut(address, "#")
	_, values := compiled()
	at := values[id]
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

func member(schema map[string]any, name string) map[string]any {
	properties, _ := schema["properties"].(map[string]any)
	found, _ := properties[name].(map[string]any)
	return found
}

// said is how a schema says what belongs there.
func said(schema map[string]any) string {
	text, _ := schema["description"].(string)
	if text == "" {
		return "what the protocol has here"
	}
	return text
}

func article(name string) string {
	switch name {
	case "null":
		return "null"
	case "boolean":
		return "true or false"
	case "object", "array", "integer":
		return "an " + name
	}
	return "a " + name
}

func oneOf(names []string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = article(name)
	}
	return strings.Join(all, " or ")
}

// quoted shows a value of somebody else's, shortened.
func quoted(value any) string {
	text := fmt.Sprint(value)
	if runes := []rune(text); len(runes) > 60 {
		text = string(runes[:60]) + "…"
	}
	return strconv.Quote(text)
}

// languageTag is the form of a tag of BCP 47 that is well-formed: subtags of letters and digits.
var languageTag = regexp.MustCompile(`^(?:[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*|[xX](?:-[A-Za-z0-9]{1,8})+)$`)

// accept takes back findings of what the options accept, or makes doubts of them.
func accept(findings Findings, value any, o Options) (left Findings) {
	for _, f := range findings {
		switch f.Rule {
		case "request context.language":
			language, _ := valueAt(value, "context", "language").(string)
			if o.AnyLanguage && languageTag.MatchString(language) {
				continue
			}
		case "declaration compliance.revocation_reason":
			compliance, _ := valueAt(value, "compliance").(map[string]any)
			if reason, there := compliance["revocation_reason"]; o.NullReason && there && reason == nil {
				f.Severity = Doubtful
			}
		}
		left = append(left, f)
	}
	return left
}

// completeEvent wants all of an access, and of a citation what it cites: the schema asks for none of it.
func completeEvent(value any) (found Findings) {
	for _, part := range []string{EventAccess, EventCitation} {
		names := []string{"chunks_returned", "token_count", "retrieval_mode"}
		if part == EventCitation {
			names = []string{"source_url", "chunk_ids"}
		}
		object, ok := valueAt(value, part).(map[string]any)
		if !ok {
			continue
		}
		for _, name := range names {
			if _, there := object[name]; !there {
				mend := fmt.Sprintf("add %q: %s", name, said(member(member(schemaAt(schemaID(KindEvent)), part), name)))
				found = append(found, wrong("/"+part, "event "+part+"."+name, fmt.Sprintf("%q is missing", name), mend))
			}
		}
		if ids, ok := object["chunk_ids"].([]any); ok && len(ids) == 0 {
			found = append(found, wrong("/citation/chunk_ids", "event citation.chunk_ids", "names no passage", "name those that were shown"))
		}
	}
	return found
}

// visibleID says whether an id has 1 to 256 visible characters.
func visibleID(id string) bool { return visibleCharacters.MatchString(id) }

var visibleCharacters = regexp.MustCompile(`^[^\s\p{C}\p{Z}]{1,256}$`)

func valueAt(value any, path ...string) any {
	for _, name := range path {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}
