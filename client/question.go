package client

import (
	"encoding/json"

	"frontdesk/wire/nlweb"
	"frontdesk/wire/strictjson"
)

// Question is what is asked (NLWeb 0.55 §3). Only Text is needed.
type Question struct {
	// Text is the question in words.
	Text string
	// Sites are names or hosts of sites to ask; none is all that the desk serves.
	Sites []string
	// Types are schema.org types that are wanted, such as "Recipe"; none is all.
	Types []string
	// Filters are further attributes of what is wanted, such as "price": "less than $20". A desk
	// that does not know one says so in Meta.Ignored.
	Filters map[string]any
	// Limit is how many results are wanted; 0 leaves it to the desk. (Frontdesk's own; others may
	// ignore it.)
	Limit int
	// MinScore is the score, 0 to 100, below which results are left out; nil leaves it to the desk.
	// (Frontdesk's own.)
	MinScore *float64
	// Previous are the questions before this one, oldest first.
	Previous []string
	// Context says what else the desk should know (§3.2).
	Context []nlweb.Context
	// Modes are "list", "summarize" or both; none is "list".
	Modes []string
	// Format is nlweb.FormatConversational or nlweb.FormatChatGPT; empty is the former.
	Format string
	// Language is the language in which an answer is liked, such as "en" (RFC 9110 §12.5.4).
	Language string
	// NoQuestions asks the desk to answer at once, and ask nothing back. (Frontdesk's own; others
	// may ignore it.)
	NoQuestions bool
	// Closest asks for the nearest items where nothing is an answer: see Failure.Closest.
	// (Frontdesk's own.)
	Closest bool
	// Session is the session_context of an earlier answer, to go on with it.
	Session json.RawMessage
	// User is who asks: a string or something that JSON makes an object. It is no proof of
	// anything.
	User any
	// Remember asks the desk to remember the question.
	Remember bool
	// Written, when not nil, is given the sentences of a summary that a model writes, as they come
	// in a stream; the summary has the last word: it is another text where what was written did not
	// pass. (Frontdesk's own.)
	Written func(sentence string)
}

// request is the question on the wire.
func (q Question) request(streaming bool) wireRequest {
	r := wireRequest{
		Query: wireQuery{
			Text: q.Text, Site: q.Sites, ItemType: q.Types, Limit: q.Limit, MinScore: q.MinScore, Filters: q.Filters,
		},
		Context: q.Context,
		Prefer: nlweb.Prefer{Streaming: &streaming, Mode: q.Modes, AcceptLanguage: q.Language,
			Deltas: streaming && q.Written != nil, Closest: q.Closest},
		Meta: wireMeta{Version: nlweb.Version, Session: strictjson.Value(q.Session), User: q.User,
			Remember: q.Remember},
	}
	if q.Format != "" {
		r.Prefer.ResponseFormat = nlweb.List{q.Format}
	}
	if q.NoQuestions {
		no := false
		r.Prefer.Elicitation = &no
	}
	if len(q.Previous) > 0 {
		r.Context = append(r.Context[:len(r.Context):len(r.Context)],
			nlweb.Context{Type: "ConversationalContext", Prev: q.Previous})
	}
	return r
}

// wireRequest is nlweb.AskRequest for one who writes it: filters and user are any value.
type wireRequest struct {
	Query   wireQuery      `json:"query"`
	Context nlweb.Contexts `json:"context,omitzero"`
	Prefer  nlweb.Prefer   `json:"prefer"`
	Meta    wireMeta       `json:"meta"`
}

type wireQuery struct {
	Text     string         `json:"text"`
	Site     nlweb.List     `json:"site,omitempty"`
	ItemType nlweb.List     `json:"itemType,omitempty"`
	Limit    int            `json:"limit,omitzero"`
	MinScore *float64       `json:"min_score,omitzero"`
	Filters  map[string]any `json:",embed"`
}

type wireMeta struct {
	Version  string           `json:"version"`
	Session  strictjson.Value `json:"session_context,omitzero"`
	User     any              `json:"user,omitzero"`
	Remember bool             `json:"remember,omitzero"`
}
