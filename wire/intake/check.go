package intake

import (
	"embed"
	"slices"
	"time"

	"frontdesk/wire/document"
	"frontdesk/wire/strictjson"
)

// Kind is one of the protocol's messages.
type Kind string

// The messages.
const (
	KindManifest Kind = "manifest" // agent-intake.json
	KindRequest  Kind = "request"  // submits an intake
	KindResponse Kind = "response" // answers it, or is an error of a bind
	KindBind     Kind = "bind"     // accepts an offer
	KindBound    Kind = "bound"    // answers that, in our form
)

// Kinds are all of them.
var Kinds = []Kind{KindManifest, KindRequest, KindResponse, KindBind, KindBound}

// What is found is told in the words of package document.
type (
	// Finding is one thing that is wrong with a message, or doubtful. It shows no values of
	// requests and binds.
	Finding = document.Finding
	// Findings are those of one message, in its order.
	Findings = document.Findings
)

// The severities.
const (
	Wrong    = document.Wrong    // breaks the protocol
	Doubtful = document.Doubtful // the protocol allows it, or does not settle it
)

// Options say what is read beyond the protocol's schemas, and what not.
type Options struct {
	// Lenient takes a bind that carries aip_version, or platform and name of its agent, which the
	// schema of binds has no place for.
	Lenient bool
	// StrictUpstream takes only categories that the published schema takes, which has no digits and
	// no hyphens and so refuses one of the protocol's own.
	StrictUpstream bool
	// Now is when [Check] judges certificates and offers for having ended; the zero time judges
	// none.
	Now time.Time
}

// Check judges a message: whether it is JSON that everybody reads alike, fits the schema of its
// kind, and keeps the rules of the protocol's prose; then, beyond what the Read functions refuse,
// what nobody should send all the same. No findings, or doubtful ones alone, mean that it is as it
// should be.
func Check(k Kind, body []byte, o Options) Findings {
	message, findings := check(k, body, o)
	switch m := message.(type) {
	case *Manifest:
		findings = append(findings, m.lint(o)...)
	case *Response:
		findings = append(findings, m.lint(o)...)
	}
	return findings
}

// judged is a message that has rules beyond its schema.
type judged interface{ rules(Options) Findings }

// check gives the message, too, where it could be read at all.
func check(k Kind, body []byte, o Options) (judged, Findings) {
	value, canonical, findings := schemas.Judge(string(k), body)
	if canonical == nil {
		return nil, findings
	}
	var into judged
	switch k {
	case KindManifest:
		into, body = new(Manifest), canonical // where whole numbers are written as such
	case KindRequest:
		into = new(Request)
	case KindResponse:
		into = new(Response)
	case KindBind:
		into = new(Bind)
		if o.Lenient {
			body, findings = lenient(body, value, findings)
		}
	case KindBound:
		into = new(Bound)
	}
	ok, findings := document.Decode(body, into, findings) // numbers of what was submitted keep their text
	if !ok {
		return nil, findings
	}
	return into, append(findings, into.rules(o)...)
}

// lenient takes back the findings about what a lenient reader of binds takes, and takes the version
// away, which the type has no place for.
func lenient(body []byte, value any, findings Findings) ([]byte, Findings) {
	object, _ := value.(map[string]any)
	agent, _ := object["agent"].(map[string]any)
	findings = slices.DeleteFunc(findings, func(f Finding) bool {
		var text bool
		switch f.Pointer {
		case "/aip_version":
			version, _ := object["aip_version"].(string)
			text = speaks(version)
		case "/agent/platform":
			_, text = agent["platform"].(string)
		case "/agent/name":
			_, text = agent["name"].(string)
		}
		return text
	})
	if _, there := object["aip_version"]; there {
		body = without(body, "aip_version")
	}
	return body, findings
}

// without is an object without one of its members. What is no object stays as it is.
func without(body []byte, name string) []byte {
	var members map[string]strictjson.Value
	if strictjson.Decode(body, &members) != nil {
		return body
	}
	delete(members, name)
	return object(members)
}

//go:embed schema/*.json
var schemaFiles embed.FS

var schemas = &document.Schemas{
	Files: schemaFiles, Kinds: []string{string(KindManifest), string(KindRequest), string(KindResponse),
		string(KindBind), string(KindBound)},
	Name: "urn:frontdesk:intake:", Discreet: true, Unknown: adviseUnknown,
}

// adviseUnknown says what to do about a member that a message has no place for.
func adviseUnknown(kind, name string) string {
	switch Kind(kind) {
	case KindRequest:
		return "remove it, put it into intake_data if the intake's input_schema declares it, or into metadata"
	case KindBind:
		if name == "platform" || name == "name" || name == "aip_version" {
			return "remove it: a bind has none"
		}
		return "remove it, or put it into metadata"
	case KindResponse:
		return "remove it, or put it into metadata, or into the offer's details"
	}
	return ""
}

// MessageSchema is our JSON Schema (2020-12) of a message. What prose adds is not in it; see
// [Check].
func MessageSchema(k Kind) []byte { return schemas.Text(string(k)) }
