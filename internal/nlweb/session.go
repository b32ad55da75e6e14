package nlweb

import (
	"fmt"

	"frontdesk/internal/desk"
	wire "frontdesk/wire/nlweb"
)

// The bounds of a session, in bytes. What the caller keeps in it beside our own members comes back up to maxSession, and
// its conversation_id up to maxConversation.
const (
	maxSession      = 8 << 10
	maxConversation = 256
	maxState        = 8 << 10 // more than the desk makes
)

// echo sends the session back (NLWeb 0.55 §3.4), with a failure too: its keys are the caller's to send along again.
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

// keep sends back the session as the desk leaves it.
func (x *exchange) keep(reply *desk.Reply) {
	if reply == nil || reply.Session == nil {
		return
	}
	x.session.ConversationID, x.session.StateToken = reply.Session.Conversation, reply.Session.State
	x.meta.SessionContext = x.session.JSON()
}
