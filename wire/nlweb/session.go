package nlweb

import (
	"github.com/go-json-experiment/json"

	"frontdesk/wire/strictjson"
)

// Session is a session_context (NLWeb 0.55 §3.4): the conversation that a question is part of. What
// a server gives the caller sends back with the next question, unread. StateToken is our own
// extension: what the conversation carries, sealed by the front desk. Other is the caller's, or
// another server's.
type Session struct {
	ConversationID string                      `json:"conversation_id,omitzero"`
	StateToken     string                      `json:"state_token,omitzero"`
	Other          map[string]strictjson.Value `json:",embed"`
}

// ReadSession reads a session_context. What is in it under our names and is none of ours, such as a
// number in place of conversation_id, stays among Other. Anything but an object has none of all.
func ReadSession(text strictjson.Value) (s Session) {
	if text.Kind() != '{' || json.Unmarshal(text, &s.Other) != nil {
		return Session{}
	}
	for name, member := range map[string]*string{"conversation_id": &s.ConversationID, "state_token": &s.StateToken} {
		if v := s.Other[name]; v.Kind() == '"' && json.Unmarshal(v, member) == nil {
			delete(s.Other, name)
		}
	}
	return s
}

// JSON is the session as an object, its members in one order.
func (s Session) JSON() strictjson.Value {
	if s.ConversationID != "" {
		delete(s.Other, "conversation_id") // for which there is a better one now
	}
	delete(s.Other, "state_token")
	text, err := json.Marshal(s, json.Deterministic(true))
	if err != nil {
		panic("nlweb: encode a session: " + err.Error()) // it was read as JSON, or is ours
	}
	return text
}
