// Package nlweb is NLWeb 0.55 on the wire: the request of ask, the forms of a response, the codes
// of failures and the events of a stream. It decodes strictly where the protocol is definite and
// tolerantly where it is open (NLWeb 0.55 §2.2): unknown members are kept, never refused.
//
// Server, client and checker share it. It has no I/O and no clock.
package nlweb

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/wire/strictjson"
)

// Version is the protocol's version that we speak and answer with, whatever was asked.
const Version = "0.55"

// AskRequest is the body of POST /ask (NLWeb 0.55 §3).
type AskRequest struct {
	Query   *Query                      `json:"query"`
	Context Contexts                    `json:"context,omitzero"`
	Prefer  Prefer                      `json:"prefer,omitzero"`
	Meta    RequestMeta                 `json:"meta,omitzero"`
	Other   map[string]strictjson.Value `json:",embed"`
}

// Query is what is asked (NLWeb 0.55 §3.1). Limit and MinScore are extensions of ours.
type Query struct {
	Text     string   `json:"text"`
	Site     List     `json:"site,omitzero"`
	ItemType List     `json:"itemType,omitzero"`
	Limit    *Count   `json:"limit,omitzero"`     // results wanted at most, 1 to 1,000
	MinScore *float64 `json:"min_score,omitzero"` // results scoring less are left out, 0 to 100
	// Filters are the further attributes, which the protocol leaves open.
	Filters map[string]strictjson.Value `json:",embed"`
}

// Count is a whole number. On the wire a text that is one is taken, too: models and forms write
// "5".
type Count int

// UnmarshalJSONFrom reads either form.
func (c *Count) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	switch dec.PeekKind() {
	case '0', '"':
		token, err := dec.ReadToken()
		if err != nil {
			return err
		}
		text := strings.TrimSpace(token.String())
		if whole, fraction, ok := strings.Cut(text, "."); ok && fraction != "" && strings.Trim(fraction, "0") == "" {
			text = whole // 5.0 is an integer of JSON Schema, and what some clients write
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			return &strictjson.Error{Pointer: string(dec.StackPointer()), Problem: "expected a whole number"}
		}
		*c = Count(n)
		return nil
	}
	return wrongKind(dec, "expected a whole number")
}

// numResults is the name of Limit in NLWeb 0.54 and in the flat dialect.
const numResults = "num_results"

// Context is one context object (NLWeb 0.55 §3.2). The named attributes are those of
// ConversationalContext, the default type; Other holds those of every other type.
type Context struct {
	Type   string                      `json:"@type,omitzero"`
	Prev   Texts                       `json:"prev,omitzero"` // earlier questions, oldest first
	Text   string                      `json:"text,omitzero"`
	Memory Texts                       `json:"memory,omitzero"`
	Other  map[string]strictjson.Value `json:",embed"`
}

// Contexts are the request's contexts; on the wire one object or an array of them.
type Contexts []Context

// Prefer says how the answer should look (NLWeb 0.55 §3.3).
type Prefer struct {
	Streaming      *bool  `json:"streaming,omitzero"`
	ResponseFormat List   `json:"response_format,omitzero"` // in order of preference
	Mode           List   `json:"mode,omitzero"`
	AcceptLanguage string `json:"accept-language,omitzero"`
	UserAgent      string `json:"user-agent,omitzero"`
	// Fresh asks the desk to read its sources again before it answers, if its owner allows that.
	// (An extension of ours.)
	Fresh bool `json:"fresh,omitzero"`
	// Closest asks for the nearest items as results where nothing is an answer. (An extension of
	// ours.)
	Closest bool `json:"closest,omitzero"`
	// Deltas says that delta events of a stream are understood. (An extension of ours.)
	Deltas bool `json:"deltas,omitzero"`
	// Elicitation false says that questions cannot be answered: nothing is asked back. (An
	// extension of ours.)
	Elicitation *bool                       `json:"elicitation,omitzero"`
	Other       map[string]strictjson.Value `json:",embed"`
}

// RequestMeta is the request's own metadata (NLWeb 0.55 §3.4). None of it is authority for
// anything.
type RequestMeta struct {
	Version        strictjson.Value `json:"version,omitzero"`
	SessionContext strictjson.Value `json:"session_context,omitzero"` // an object
	User           strictjson.Value `json:"user,omitzero"`            // a string or an object
	Remember       *bool            `json:"remember,omitzero"`
	// a string or a number of the caller's making; comes back as a string
	RequestID strictjson.Value            `json:"request_id,omitzero"`
	Other     map[string]strictjson.Value `json:",embed"`
}

// DecodeAsk reads the body of POST /ask. It refuses what NLWeb 0.55 §7.4 calls a malformed
// structure, with an error that names the place: a body that is no JSON object, a section or
// attribute of the wrong type, no query.text.
func DecodeAsk(body []byte) (*AskRequest, error) {
	var req AskRequest
	if err := strictjson.DecodeTolerant(body, &req); err != nil {
		return nil, err
	}
	switch {
	case req.Query == nil:
		return nil, &strictjson.Error{Pointer: "/query", Problem: `missing; send {"query": {"text": "your question"}}`}
	case strings.TrimSpace(req.Query.Text) == "":
		return nil, &strictjson.Error{Pointer: "/query/text", Problem: "missing or empty; write the question here"}
	}
	if err := req.Meta.check(); err != nil {
		return nil, err
	}
	var err error
	if req.Query.Limit == nil {
		req.Query.Limit, err = older(req.Query.Filters, "/query/")
	}
	return &req, err
}

// older takes num_results out of members that have no place of their own; nil for none.
func older(members map[string]strictjson.Value, at string) (*Count, error) {
	value := members[numResults]
	delete(members, numResults)
	if len(value) == 0 || value.Kind() == 'n' {
		return nil, nil
	}
	var c Count
	if err := json.Unmarshal(value, &c); err != nil {
		return nil, &strictjson.Error{Pointer: at + numResults, Problem: "expected a whole number"}
	}
	return &c, nil
}

// check looks at what the decoder took as it came.
func (m *RequestMeta) check() error {
	if !holds(m.User, '"', '{') {
		return &strictjson.Error{Pointer: "/meta/user", Problem: "expected a string or an object"}
	}
	if !holds(m.SessionContext, '{') {
		return &strictjson.Error{Pointer: "/meta/session_context", Problem: "expected an object"}
	}
	return nil
}

// holds says whether a value is absent, null or of one of the kinds.
func holds(v strictjson.Value, kinds ...jsontext.Kind) bool {
	return len(v) == 0 || v.Kind() == 'n' || slices.Contains(kinds, v.Kind())
}

// List is a list of tokens that is written as a string with commas or as an array of strings.
// Tokens are trimmed; empty ones and repetitions are dropped. It holds at most maxList tokens.
type List []string

// maxList is far beyond what anybody wants to list, and keeps a long list from costing much.
const maxList = 200

// UnmarshalJSONFrom reads either form.
func (l *List) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var texts Texts
	if err := texts.UnmarshalJSONFrom(dec); err != nil {
		return err
	}
	var err error
	*l, err = tokens(string(dec.StackPointer()), texts)
	return err
}

// tokens splits texts at their commas. The pointer is for the error when there are too many.
func tokens(pointer string, texts []string) (List, error) {
	var l List
	for _, text := range texts {
		for token := range strings.SplitSeq(text, ",") {
			if token = strings.TrimSpace(token); token == "" || slices.Contains(l, token) {
				continue
			}
			if len(l) == maxList {
				return nil, &strictjson.Error{Pointer: pointer, Problem: fmt.Sprintf("more than %d values", maxList)}
			}
			l = append(l, token)
		}
	}
	return l, nil
}

// MarshalJSONTo writes the tokens as the protocol has them, one string with commas, or where a
// token holds a comma itself as an array.
func (l List) MarshalJSONTo(enc *jsontext.Encoder) error {
	if slices.ContainsFunc(l, func(token string) bool { return strings.Contains(token, ",") }) {
		return json.MarshalEncode(enc, []string(l))
	}
	return enc.WriteToken(jsontext.String(strings.Join(l, ", ")))
}

// Texts is one string or an array of strings.
type Texts []string

// UnmarshalJSONFrom reads either form.
func (t *Texts) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	switch dec.PeekKind() {
	case '"':
		token, err := dec.ReadToken()
		if err != nil {
			return err
		}
		*t = Texts{token.String()}
		return nil
	case 'n':
		*t = nil
		return dec.SkipValue()
	case '[':
		return json.UnmarshalDecode(dec, (*[]string)(t))
	}
	return wrongKind(dec, "expected a string or an array of strings")
}

// UnmarshalJSONFrom reads one context or an array of them.
func (c *Contexts) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	switch dec.PeekKind() {
	case 'n':
		*c = nil
		return dec.SkipValue()
	case '{':
		*c = make(Contexts, 1)
		return json.UnmarshalDecode(dec, &(*c)[0])
	case '[':
		return json.UnmarshalDecode(dec, (*[]Context)(c))
	}
	return wrongKind(dec, "expected an object or an array of objects")
}

// MarshalJSONTo writes one context as an object, several as an array.
func (c Contexts) MarshalJSONTo(enc *jsontext.Encoder) error {
	if len(c) == 1 {
		return json.MarshalEncode(enc, c[0])
	}
	return json.MarshalEncode(enc, []Context(c))
}

// wrongKind skips the value, so that the decoder's state stays sound, and reports the problem at
// its place.
func wrongKind(dec *jsontext.Decoder, problem string) error {
	if err := dec.SkipValue(); err != nil {
		return err
	}
	return &strictjson.Error{Pointer: string(dec.StackPointer()), Problem: problem}
}
