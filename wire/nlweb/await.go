package nlweb

import (
	"strings"

	"frontdesk/wire/strictjson"
)

// The actions of await (NLWeb 0.55 §4.2).
const (
	ActionCheckin = "checkin"
	ActionCancel  = "cancel"
)

// AwaitRequest is the body of POST /await (NLWeb 0.55 §4.2).
type AwaitRequest struct {
	PromiseToken string                      `json:"promise_token"` // of the promise
	Action       string                      `json:"action"`        // checkin to learn how it stands, cancel to end it
	Meta         RequestMeta                 `json:"meta,omitzero"`
	Other        map[string]strictjson.Value `json:",embed"`
}

// DecodeAwait reads the body of POST /await. It refuses what NLWeb 0.55 §7.4 calls a malformed
// structure, with an error that names the place: a body that is no JSON object, no token, an action
// that there is not.
func DecodeAwait(body []byte) (*AwaitRequest, error) {
	var req AwaitRequest
	if err := strictjson.DecodeTolerant(body, &req); err != nil {
		return nil, err
	}
	req.Action = strings.ToLower(strings.TrimSpace(req.Action))
	switch {
	case strings.TrimSpace(req.PromiseToken) == "":
		return nil,
			&strictjson.Error{Pointer: "/promise_token", Problem: "missing or empty; send the token of the promise"}
	case req.Action != ActionCheckin && req.Action != ActionCancel:
		return nil, &strictjson.Error{Pointer: "/action", Problem: `expected "checkin" or "cancel"`}
	}
	if err := req.Meta.check(); err != nil {
		return nil, err
	}
	return &req, nil
}
