package desk

import (
	"frontdesk/internal/session"
)

// Session is a conversation as its caller carries it (NLWeb 0.55 §3.4). It is no authority for anything.
type Session struct {
	Conversation string // its id, of the caller's choice or of ours
	State        string // sealed; empty for none
}

// recall brings back the conversation that the question is part of.
func (d *Desk) recall(in *inquiry) {
	if in.Session != nil && d.config.Conversations != nil {
		in.talk = d.config.Conversations.Open(in.Session.Conversation, in.Party, in.Session.State)
	}
}

// conclude adds the question to the conversation and hands it back to the caller. A question that was asked back is none
// yet: it comes again with its answers; nor is one whose answer is promised, which is one with its answer.
func (d *Desk) conclude(in *inquiry, reply *Reply) {
	if in.Session == nil || d.config.Conversations == nil {
		return
	}
	if reply.Elicitation == nil && reply.Promise == nil {
		in.talk.Add(in.turn())
	}
	reply.Session = &Session{Conversation: in.talk.ID, State: d.config.Conversations.Seal(in.talk, in.Party)}
}

// turn is the question as a turn of the conversation.
func (in *inquiry) turn() session.Turn {
	t := session.Turn{Text: in.Text, Attributes: in.Attributes, Types: in.Types, Sites: in.Sites, Given: in.asked.Limit}
	if in.understood.Asked != in.Text {
		t.Whole = in.understood.Asked
	}
	return t
}
