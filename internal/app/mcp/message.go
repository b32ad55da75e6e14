package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"frontdesk/wire/strictjson"
)

// maxBatch is the most messages that may come at once, as revision 2025-03-26 allows.
const maxBatch = 10

// message is one JSON-RPC message, as far as it must be known before the SDK gets it.
type message struct {
	Version strictjson.Value `json:"jsonrpc"`
	ID      strictjson.Value `json:"id"`
	Method  strictjson.Value `json:"method"`
	Params  strictjson.Value `json:"params"`
	Result  strictjson.Value `json:"result"`
	Error   strictjson.Value `json:"error"`

	text    strictjson.Value // the message itself, when it is of a batch
	method  string
	dropped bool // a notification that cannot be understood
	meta    struct {
		Progress strictjson.Value `json:"progressToken"`
	}
}

// drops says whether nothing comes of a message: it is a notification that cannot be understood, or
// a request to which no answer is wanted.
func (m *message) drops() bool {
	return m.dropped || m.method != "" && !m.call() && !strings.HasPrefix(m.method, "notifications/")
}

// withoutDropped is a body without the messages of which nothing comes; empty when none is left.
func withoutDropped(body []byte, messages []message, batch bool) []byte {
	dropped := func(m message) bool { return m.drops() }
	switch {
	case !slices.ContainsFunc(messages, dropped):
		return body
	case !batch:
		return nil
	}
	var kept []byte
	for _, m := range slices.DeleteFunc(messages, dropped) {
		kept = append(append(kept, ','), m.text...)
	}
	if len(kept) == 0 {
		return nil
	}
	kept[0] = '['
	return append(kept, ']')
}

// call says whether an answer is expected.
func (m *message) call() bool { return m.method != "" && len(m.ID) > 0 }

// problem is what is wrong with a message: an error that answers it.
type problem struct {
	id   strictjson.Value // of the message, nil when it cannot be told
	code int64
	text string
}

// appendJSON appends the answer of JSON-RPC 2.0 §5.
func (p *problem) appendJSON(dst []byte) []byte {
	id := p.id
	if len(id) == 0 {
		id = strictjson.Value("null")
	}
	text, _ := json.Marshal(p.text)
	return fmt.Appendf(dst, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, p.code, text)
}

// shape is what the parameters of a method must be: the kinds of members, and which of them must be
// there.
type shape struct {
	members  map[string]jsontext.Kind
	required []string
}

var (
	anything = shape{}
	paged    = shape{members: map[string]jsontext.Kind{"cursor": '"'}}
	located  = shape{members: map[string]jsontext.Kind{"uri": '"'}, required: []string{"uri"}}
)

// methods are the protocol's for a server, with the shape of their parameters.
var methods = map[string]shape{
	"initialize": {
		members:  map[string]jsontext.Kind{"protocolVersion": '"', "capabilities": '{', "clientInfo": '{'},
		required: []string{"protocolVersion"},
	},
	"server/discover": anything,
	"ping":            anything,
	listTools:         paged,
	"tools/call": {members: map[string]jsontext.Kind{"name": '"', "arguments": '{'},
		required: []string{"name"}},
	listResources:           paged,
	listTemplates:           paged,
	readResource:            located,
	"resources/subscribe":   located,
	"resources/unsubscribe": located,
	"prompts/list":          paged,
	"prompts/get": {members: map[string]jsontext.Kind{"name": '"', "arguments": '{'},
		required: []string{"name"}},
	"completion/complete": {members: map[string]jsontext.Kind{"ref": '{', "argument": '{'},
		required: []string{"ref", "argument"}},
	"logging/setLevel": {members: map[string]jsontext.Kind{"level": '"'}, required: []string{"level"}},
	listen: {members: map[string]jsontext.Kind{"notifications": '{'},
		required: []string{"notifications"}},
	"notifications/cancelled":          anything,
	"notifications/progress":           anything,
	"notifications/initialized":        anything,
	"notifications/roots/list_changed": anything,
}

// removed are the methods that revision 2026-07-28 no longer has.
var removed = []string{"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"}

// offers says whether the server has a method: one of a capability that it declares. A build with
// Config.Configure declares what it likes; the SDK's server alone would answer for capabilities
// that nobody declared.
func (s *Server) offers(method string) bool {
	switch method {
	case listResources, listTemplates, readResource:
		return s.config.Ask != nil || s.config.Configure != nil
	case "prompts/list", "prompts/get", "completion/complete", "logging/setLevel", "resources/subscribe",
		"resources/unsubscribe":
		return s.config.Configure != nil
	}
	return true
}

// listen opens a stream for changes (revision 2026-07-28).
const listen = "subscriptions/listen"

// readMessages takes a body apart into its messages and says what is wrong with it: with the JSON
// (-32700), with a message (-32600), its method (-32601) or the method's parameters (-32602).
// offers says which methods there are.
func readMessages(body []byte, offers func(method string) bool) (messages []message, batch bool, wrong *problem) {
	value := jsontext.Value(bytes.TrimSpace(body))
	if !value.IsValid(jsontext.AllowDuplicateNames(true)) {
		return nil, false, &problem{code: jsonrpc.CodeParseError,
			text: "the body is not one JSON value; send a JSON-RPC 2.0 message"}
	}
	if value.Kind() != '[' {
		m, wrong := readMessage(value, offers)
		return []message{m}, false, wrong
	}
	var all []strictjson.Value
	switch err := strictjson.DecodeTolerant(value, &all); {
	case err != nil:
		return nil, true, &problem{code: jsonrpc.CodeInvalidRequest, text: err.Error()}
	case len(all) == 0:
		return nil, true, &problem{code: jsonrpc.CodeInvalidRequest,
			text: "the batch is empty; send a JSON-RPC 2.0 message"}
	case len(all) > maxBatch:
		return nil, true, &problem{code: jsonrpc.CodeInvalidRequest,
			text: fmt.Sprintf("the batch has %d messages; at most %d are taken at once", len(all), maxBatch)}
	}
	seen := map[string]bool{}
	for _, one := range all {
		m, wrong := readMessage(one, offers)
		m.text = one
		if wrong == nil && m.call() && seen[string(m.ID)] {
			wrong = &problem{id: m.ID, code: jsonrpc.CodeInvalidRequest,
				text: "two messages of the batch have this id; give each its own"}
		}
		if wrong != nil {
			return nil, true, wrong
		}
		seen[string(m.ID)] = true
		messages = append(messages, m)
	}
	return messages, true, nil
}

// readMessage checks one message (JSON-RPC 2.0 §4, and MCP's narrowing of it: an id is a string or
// a number, and parameters are an object).
func readMessage(value strictjson.Value, offers func(string) bool) (message, *problem) {
	var m message
	invalid := func(format string, args ...any) (message, *problem) {
		return m, &problem{id: m.ID, code: jsonrpc.CodeInvalidRequest, text: fmt.Sprintf(format, args...)}
	}
	if value.Kind() != '{' {
		return invalid("a message is a JSON object, like {\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/list\"}")
	}
	if err := strictjson.DecodeTolerant(value, &m); err != nil {
		m.ID = nil
		return invalid("%s", err.Error())
	}
	if len(m.ID) > 0 && !isID(m.ID) {
		m.ID = nil
		return invalid("the id is neither a string nor a whole number; leave it out for a notification")
	}
	if string(m.Version) != `"2.0"` {
		return invalid(`the member jsonrpc must be "2.0"`)
	}
	if len(m.Method) == 0 {
		if len(m.ID) == 0 || len(m.Result) == 0 && len(m.Error) == 0 {
			return invalid("the message has no method")
		}
		return m, nil // the answer to a request of ours
	}
	if json.Unmarshal(m.Method, &m.method) != nil || m.method == "" {
		m.method = ""
		return invalid("the method is not the name of one")
	}
	wrong := m.check(offers)
	if wrong != nil && !m.call() {
		m.dropped, wrong = true, nil // JSON-RPC 2.0 §4.1: nobody waits for what is wrong with it
	}
	return m, wrong
}

// isID says whether a value can name a request: a string, or a whole number that no program rounds.
func isID(id strictjson.Value) bool {
	if id.Kind() == '"' {
		return true
	}
	n, err := strconv.ParseInt(string(id), 10, 64)
	return err == nil && -1<<53 < n && n < 1<<53
}

// check looks at the method and its parameters.
func (m *message) check(offers func(string) bool) *problem {
	wanted, known := methods[m.method]
	if !known || !offers(m.method) {
		return &problem{id: m.ID, code: jsonrpc.CodeMethodNotFound, text: "there is no method of this name"}
	}
	bad := func(format string, args ...any) *problem {
		return &problem{id: m.ID, code: jsonrpc.CodeInvalidParams, text: fmt.Sprintf(format, args...)}
	}
	members := map[string]strictjson.Value{}
	if len(m.Params) > 0 {
		if m.Params.Kind() != '{' {
			return bad("the params of %s are not an object", m.method)
		}
		if err := strictjson.DecodeTolerant(m.Params, &members); err != nil {
			return bad("%s", err.Error())
		}
	}
	for _, name := range wanted.required {
		if len(members[name]) == 0 {
			return bad("the params of %s have no member %s", m.method, name)
		}
	}
	for name, kind := range wanted.members {
		if value := members[name]; len(value) > 0 && value.Kind() != kind && !(value.Kind() == 'n' && kind == '{') {
			return bad("the member %s of the params is not %s", name, kinds[kind])
		}
	}
	if meta := members["_meta"]; len(meta) > 0 {
		if err := strictjson.DecodeTolerant(meta, &m.meta); err != nil {
			return bad("the member _meta of the params is not an object that can be read")
		}
	}
	return nil
}

var kinds = map[jsontext.Kind]string{'"': "a string", '{': "an object"}
