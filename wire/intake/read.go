package intake

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"

	"frontdesk/wire/strictjson"
)

// Problem is why a message is refused. Its text names members and never shows what they hold.
type Problem struct {
	Code    string // CodeInvalidInput, or CodeBindIncomplete
	Pointer string // RFC 6901; "" is the whole message
	Detail  string // what is wrong and what to do
}

// Error is the problem in one sentence.
func (p *Problem) Error() string {
	if p.Pointer == "" {
		return p.Detail
	}
	return fmt.Sprintf("%s %s", p.Pointer, p.Detail)
}

// ReadManifest reads a manifest. It refuses what is no manifest by the schema, and versions that
// are not spoken; that an intake's own schema or address is good is for [CompileSchema] to say, and
// for [Check]. The error is a *[Problem].
func ReadManifest(body []byte, o Options) (*Manifest, error) {
	return read[Manifest](KindManifest, body, o)
}

// ReadRequest reads a request. That its intake_data conforms to the intake's schema is for
// [Schema.Validate] to say. The error is a *[Problem].
func ReadRequest(body []byte, o Options) (*Request, error) {
	return read[Request](KindRequest, body, o)
}

// ReadResponse reads a response. That it answers its request is for [CheckOffer] to say. The error
// is a *[Problem].
func ReadResponse(body []byte, o Options) (*Response, error) {
	return read[Response](KindResponse, body, o)
}

// ReadBind reads a bind. That it has what its offer requires is for [Bind.Missing] to say. The
// error is a *[Problem], with CodeBindIncomplete where bind_data, or what one of its fields should
// hold, is missing and nothing else is wrong.
func ReadBind(body []byte, o Options) (*Bind, error) { return read[Bind](KindBind, body, o) }

// ReadBound reads the answer to a bind, in our form. The error is a *[Problem].
func ReadBound(body []byte, o Options) (*Bound, error) { return read[Bound](KindBound, body, o) }

func read[T any](k Kind, body []byte, o Options) (*T, error) {
	message, findings := check(k, body, o)
	if problem := problemOf(k, body, findings); problem != nil {
		return nil, problem
	}
	return any(message).(*T), nil
}

// problemOf is what is told of findings: the first that invalidates the message, and what is merely
// missing of bind_data after all others.
func problemOf(k Kind, body []byte, findings Findings) error {
	var incomplete *Finding
	var others Findings
	for i, f := range findings {
		if k == KindBind && f.Severity == Wrong && missesData(body, f) {
			if incomplete == nil {
				incomplete = &findings[i]
			}
			continue
		}
		others = append(others, f)
	}
	code, first := CodeInvalidInput, others.First()
	if first == nil {
		code, first = CodeBindIncomplete, incomplete
	}
	if first == nil {
		return nil
	}
	return &Problem{code, first.Pointer, first.Detail + "; " + first.Mend}
}

// missesData says whether a finding about a bind is that data is missing: all of it, or what a
// field holds.
func missesData(body []byte, f Finding) bool {
	name, inside := strings.CutPrefix(f.Pointer, "/bind_data/")
	if f.Rule != "bind bind_data" && (!inside || strings.Contains(name, "/")) {
		return false
	}
	var message struct {
		Data   strictjson.Value            `json:"bind_data"`
		Others map[string]strictjson.Value `json:",embed"`
	}
	if strictjson.DecodeTolerant(body, &message) != nil {
		return false
	}
	if !inside {
		return len(message.Data) == 0 || message.Data.Kind() == 'n'
	}
	var fields map[string]strictjson.Value
	return strictjson.Decode(message.Data, &fields) == nil && empty(fields[name])
}

// SessionOf is the session that an error answers to: that of the message where it can be read and
// is a UUID, as it came, and else [Nil].
func SessionOf(body []byte) string {
	var message struct {
		SessionID strictjson.Value            `json:"session_id"`
		Others    map[string]strictjson.Value `json:",embed"`
	}
	var session string
	if strictjson.DecodeTolerant(body, &message) != nil || len(message.SessionID) == 0 ||
		strictjson.Decode(message.SessionID, &session) != nil || !anyUUID.MatchString(session) {
		return Nil
	}
	return session
}

// SameSession compares sessions as UUIDs are: whatever the case of their letters.
func SameSession(a, b string) bool { return strings.EqualFold(a, b) }

// Missing are the names of required bind_data that a bind does not have, or has as null, as "" or
// as blanks alone.
func (b *Bind) Missing(requires []string) (missing []string) {
	var fields map[string]strictjson.Value
	if strictjson.Decode(b.BindData, &fields) != nil {
		return requires
	}
	for _, name := range requires {
		if empty(fields[name]) {
			missing = append(missing, name)
		}
	}
	return missing
}

// empty says whether a value is not there, or null, or a text of blanks alone, or an object or a
// list without anything.
func empty(value strictjson.Value) bool {
	switch value.Kind() {
	case 'n', 0:
		return true
	case '"':
		var text string
		return strictjson.Decode(value, &text) == nil && strings.TrimSpace(text) == ""
	case '{', '[':
		return hollow.Match(value)
	}
	return false
}

var hollow = regexp.MustCompile(`^[{\[]\s*[}\]]$`)

// object writes members as an object, in the order of their names.
func object(members map[string]strictjson.Value) strictjson.Value {
	text, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		panic(err) // values that were read can be written
	}
	return text
}

// list writes elements as an array.
func list(elements []strictjson.Value) strictjson.Value {
	text, err := json.Marshal(elements)
	if err != nil {
		panic(err) // values that were read can be written
	}
	return text
}
