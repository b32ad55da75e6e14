package intake

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"frontdesk/wire/strictjson"
)

// Options say what is read beyond the protocol's schemas, and what not.
type Options struct {
	// Lenient takes a bind that carries aip_version, or platform and name of its agent, which the schema of binds has no
	// place for.
	Lenient bool
	// StrictUpstream takes only categories that the published schema takes, which has no digits and no hyphens and so
	// refuses one of the protocol's own.
	StrictUpstream bool
}

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
	return fmt.Sprintf("%s: %s", p.Pointer, p.Detail)
}

// ReadManifest reads a manifest. The error is a *[Problem].
func ReadManifest(body []byte, o Options) (*Manifest, error) { return read[Manifest](body) }

// ReadRequest reads a request. That its intake_data conforms to the intake's schema is for [Schema.Validate] to say. The
// error is a *[Problem].
func ReadRequest(body []byte, o Options) (*Request, error) { return read[Request](body) }

// ReadResponse reads a response. The error is a *[Problem].
func ReadResponse(body []byte, o Options) (*Response, error) { return read[Response](body) }

// ReadBind reads a bind. That it has what its offer requires is for [Bind.Missing] to say. The error is a *[Problem].
func ReadBind(body []byte, o Options) (*Bind, error) { return read[Bind](body) }

// ReadBound reads the answer to a bind, in our form. The error is a *[Problem].
func ReadBound(body []byte, o Options) (*Bound, error) { return read[Bound](body) }

func read[T any](body []byte) (*T, error) {
	message := new(T)
	err := strictjson.Decode(body, message)
	if err == nil {
		return message, nil
	}
	problem := &Problem{Code: CodeInvalidInput, Detail: err.Error()}
	var placed *strictjson.Error
	if errors.As(err, &placed) {
		problem.Pointer, problem.Detail = placed.Pointer, placed.Problem
	}
	return nil, problem
}

// SessionOf is the session that an error answers to: that of the message where it can be read and is a UUID, as it came,
// and else [Nil].
func SessionOf(body []byte) string {
	var message struct {
		SessionID string                      `json:"session_id"`
		Others    map[string]strictjson.Value `json:",embed"`
	}
	if strictjson.DecodeTolerant(body, &message) != nil || !anyUUID.MatchString(message.SessionID) {
		return Nil
	}
	return message.SessionID
}

var anyUUID = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)

// SameSession compares sessions as UUIDs are: whatever the case of their letters.
func SameSession(a, b string) bool { return strings.EqualFold(a, b) }

// Missing are the names of required bind_data that a bind does not have, or has as null, as "" or as blanks alone.
func (b *Bind) Missing(requires []string) []string {
	var members map[string]strictjson.Value
	if strictjson.Decode(b.BindData, &members) != nil {
		return requires
	}
	var missing []string
	for _, name := range requires {
		if value := members[name]; empty(value) {
			missing = append(missing, name)
		}
	}
	return missing
}

func empty(value strictjson.Value) bool {
	if len(value) == 0 || value.Kind() == 'n' {
		return true
	}
	var text string
	return value.Kind() == '"' && strictjson.Decode(value, &text) == nil && strings.TrimSpace(text) == ""
}
