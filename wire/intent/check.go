package intent

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"frontdesk/wire/document"
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

// What is found is told in the words of package document.
type (
	// Finding is one thing that is wrong with a document, or doubtful.
	Finding = document.Finding
	// Findings are those of one document, in its order.
	Findings = document.Findings
)

// The severities.
const (
	Wrong    = document.Wrong    // makes a document invalid
	Doubtful = document.Doubtful // the protocol allows it, or does not settle it
)

// The rules that programs tell apart.
const (
	RuleJSON      = document.RuleJSON
	RuleVersion   = document.RuleVersion
	RuleForbidden = document.RuleForbidden
)

// Options say what is accepted beyond the strict reading.
type Options struct {
	// Versions are those spoken; nil is 0.1 alone.
	Versions []string
	// AnyLanguage takes any well-formed language tag in a request, not only those like en-US.
	AnyLanguage bool
	// WeakEvents takes events whose access or citation is incomplete, or does not go with their
	// type: the protocol's prose asks for both, its schema for neither.
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

// Check judges a document: first whether it is JSON that everybody reads alike, then by the schema
// of its kind, then by the rules of the protocol's prose. No findings, or doubtful ones alone, mean
// that it is valid.
func Check(k Kind, text []byte, o Options) Findings {
	_, findings := check(k, text, o)
	return findings
}

// ReadDeclaration checks and reads aip.json. The declaration is nil where it is not valid.
func ReadDeclaration(text []byte, o Options) (*Declaration, Findings) {
	return read[Declaration](KindDeclaration, text, o)
}

// ReadRequest checks and reads a RetrieveRequest, which is nil where it is not valid. One that is
// wrong only in what its extensions carry (RuleForbidden first) is given, too: it can be read, and
// is to be denied.
func ReadRequest(text []byte, o Options) (*RetrieveRequest, Findings) {
	request, findings := check(KindRequest, text, o)
	if first := findings.First(); first != nil && first.Rule != RuleForbidden {
		return nil, findings
	}
	return request.(*RetrieveRequest), findings
}

// ReadResponse checks and reads a RetrieveResponse, which is nil where it is not valid.
func ReadResponse(text []byte, o Options) (*RetrieveResponse, Findings) {
	return read[RetrieveResponse](KindResponse, text, o)
}

// ReadEvent checks and reads an event, which is nil where it is not valid.
func ReadEvent(text []byte, o Options) (*Event, Findings) { return read[Event](KindEvent, text, o) }

func read[T any](k Kind, text []byte, o Options) (*T, Findings) {
	d, findings := check(k, text, o)
	if !findings.Valid() {
		return nil, findings
	}
	return d.(*T), findings
}

// check gives the document, too, where it could be read at all.
func check(k Kind, text []byte, o Options) (read any, findings Findings) {
	value, canonical, findings := schemas.Judge(string(k), text)
	if canonical == nil {
		return nil, findings
	}
	findings = accept(findings, value, o)
	if k == KindEvent && !o.WeakEvents {
		findings = append(findings, completeEvent(value)...)
	}
	var into any
	switch k {
	case KindDeclaration:
		into = new(Declaration)
	case KindRequest:
		into = new(RetrieveRequest)
	case KindResponse:
		into = new(RetrieveResponse)
	case KindEvent:
		into = new(Event)
	}
	ok, findings := document.Decode(canonical, into, findings)
	if !ok {
		return nil, findings
	}
	return into, append(findings, into.(interface{ rules(Options) Findings }).rules(o)...)
}

//go:embed schema/*.json
var schemaFiles embed.FS

var schemas = &document.Schemas{
	Files: schemaFiles, Kinds: []string{string(KindDeclaration), string(KindRequest), string(KindResponse),
		string(KindEvent)}, Name: "urn:frontdesk:intent:",
	Unknown: adviseUnknown,
}

// adviseUnknown says what to do about a member that a document has no place for.
func adviseUnknown(_, name string) string {
	if (lookout{slices.Concat(commercial, identity, operator, engagement)}).named(name) != "" {
		return "remove it: the protocol has no place for prices, offers, advertising, scores or persons, not in " +
			"extensions either"
	}
	return "remove it, or put it into the document's extensions under a name like vendor." + name
}

// Schema is our JSON Schema (2020-12) of a document. What prose adds is not in it; see [Check].
func Schema(k Kind) []byte { return schemas.Text(string(k)) }

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

// completeEvent wants all of an access, and of a citation what it cites: the schema asks for none
// of it.
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
				mend := fmt.Sprintf("add %q: %s", name, schemas.Said(string(KindEvent), part, name))
				found = append(found, wrong("/"+part, "event "+part+"."+name, fmt.Sprintf("%q is missing", name), mend))
			}
		}
		if ids, ok := object["chunk_ids"].([]any); ok && len(ids) == 0 {
			found = append(found, wrong("/citation/chunk_ids", "event citation.chunk_ids", "names no passage",
				"name those that were shown"))
		}
	}
	return found
}

// visibleID says whether an id has 1 to 256 visible characters.
func visibleID(id string) bool {
	hidden := func(r rune) bool { return unicode.In(r, unicode.C, unicode.Z) }
	n := utf8.RuneCountInString(id)
	return n >= 1 && n <= 256 && !strings.ContainsFunc(id, hidden)
}

func valueAt(value any, path ...string) any {
	for _, name := range path {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}
