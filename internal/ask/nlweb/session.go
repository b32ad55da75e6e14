package nlweb

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"frontdesk/internal/ask"
	"frontdesk/internal/infra/httpx"
	wire "frontdesk/wire/nlweb"
	"frontdesk/wire/strictjson"
)

// The bounds of a session, in bytes. What the caller keeps in it beside our own members comes back
// up to maxSession, and its conversation_id up to maxConversation.
const (
	maxSession      = 8 << 10
	maxConversation = 256
	maxState        = 64 << 10 // more than we make, also of several nodes
)

// echo sends the session back (NLWeb 0.55 §3.4), with a failure too: its keys are the caller's to
// send along again.
func (x *exchange) echo() {
	raw := x.request.Meta.SessionContext
	if raw.Kind() != '{' {
		return
	}
	x.session = wire.ReadSession(raw)
	if len(raw)-len(x.session.StateToken) > maxSession || len(x.session.StateToken) > maxState {
		x.ignore("/meta/session_context", fmt.Sprintf("larger than %d bytes", maxSession))
		x.session.Other, x.session.StateToken = nil, ""
	}
	if len(x.session.ConversationID) > maxConversation {
		x.ignore("/meta/session_context/conversation_id", fmt.Sprintf("longer than %d bytes", maxConversation))
		x.session.ConversationID = ""
	}
	if x.session.ConversationID != "" || x.session.StateToken != "" || len(x.session.Other) > 0 {
		x.meta.SessionContext = x.session.JSON()
	}
}

// keep sends back the session as the answer leaves it, and names the answer.
func (x *exchange) keep(reply *ask.Reply) {
	if reply == nil {
		return
	}
	x.meta.AnswerID = reply.AnswerID
	if reply.Session == nil {
		return
	}
	x.session.ConversationID, x.session.StateToken = reply.Session.Conversation, reply.Session.State
	x.meta.SessionContext = x.session.JSON()
}

// maxRequestID is the most characters of a request's id that come back.
const maxRequestID = 128

// identify sends the request's own id back, and notes it in the log: so that whoever asked finds it
// there.
func (x *exchange) identify(ctx context.Context) {
	raw := x.request.Meta.RequestID
	id := string(raw)
	if raw.Kind() == '"' && json.Unmarshal(raw, &id) != nil {
		id = ""
	}
	switch {
	case id == "" || raw.Kind() == 'n':
	case raw.Kind() != '"' && raw.Kind() != '0', len(id) > maxRequestID,
		strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' }):
		x.ignore("/meta/request_id",
			fmt.Sprintf("expected at most %d letters, digits and signs of ASCII", maxRequestID))
	default:
		x.meta.RequestID = id
		httpx.EventFrom(ctx).Set("request_id", id)
	}
}

// origin is where one of several contexts stands in the request.
func origin(i, of int) string {
	if of == 1 {
		return "/context"
	}
	return fmt.Sprintf("/context/%d", i)
}

// allNames are the texts by which meta.user calls somebody, all of them.
func allNames(user strictjson.Value) (all []string) {
	var name string
	if user.Kind() == '"' && json.Unmarshal(user, &name) == nil {
		return []string{name}
	}
	var members map[string]strictjson.Value
	if user.Kind() != '{' || json.Unmarshal(user, &members) != nil {
		return nil
	}
	for _, member := range slices.Sorted(maps.Keys(members)) {
		if v := members[member]; v.Kind() == '"' && json.Unmarshal(v, &name) == nil {
			all = append(all, name)
		}
	}
	return all
}

// person is the name by which meta.user calls somebody, of a text or of an object; empty for none.
// It proves nothing.
func person(user strictjson.Value) string {
	var name string
	if user.Kind() == '"' && json.Unmarshal(user, &name) == nil {
		return name
	}
	var members map[string]strictjson.Value
	if user.Kind() != '{' || json.Unmarshal(user, &members) != nil {
		return ""
	}
	for _, member := range []string{"identifier", "@id", "id", "email", "url", "name"} {
		if v := members[member]; v.Kind() == '"' && json.Unmarshal(v, &name) == nil && name != "" {
			return member + ":" + name
		}
	}
	return ""
}
