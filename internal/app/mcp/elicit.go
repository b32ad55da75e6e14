package mcp

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/infra/plain"
)

// What a tool has to ask a person is put to him by his client, where that can (its capability
// elicitation): by a request of ours, or since revision 2026-07-28 by a result that wants the call
// once more with the answers. It is done once for a call; what is asked then is in the result, as
// it is for every other client.

// formID names the form among the requests for input.
const formID = "questions"

// asksPeople says whether a client can put a form to a person. Where no session is kept, only the
// revisions that tell it with every request say so.
func asksPeople(session *sdk.ServerSession) bool {
	params := session.InitializeParams()
	if params == nil || params.Capabilities == nil {
		return false
	}
	can := params.Capabilities.Elicitation
	return can != nil && (can.Form != nil || can.URL == nil)
}

// asking is the result that asks. Its words may be those of sites.
func asking(form *httpx.Form) *sdk.CallToolResult {
	asked := &sdk.ElicitParams{Mode: "form", Message: plain.Sanitize(form.Message),
		RequestedSchema: json.RawMessage(plain.SanitizeJSON(form.Schema))}
	return &sdk.CallToolResult{
		InputRequests: sdk.InputRequestMap{formID: asked},
		RequestState:  form.State,
	}
}

// fillIn puts what a person answered into a call, and says whether he was asked. Who did not want
// to answer is answered without.
func fillIn(t httpx.Tool, params *sdk.CallToolParamsRaw, call *httpx.Call) bool {
	answer, asked := params.InputResponses[formID].(*sdk.ElicitResult)
	if asked && t.FillArguments != nil && answer.Action == "accept" {
		call.Arguments = t.FillArguments(call.Arguments, params.RequestState, answer.Content)
	}
	return asked
}

// asked notes that the handler of a call asks a person.
type asked struct{ it bool }

type askedKey struct{}

// unanswered has a call answered all the same when what was put to a person comes back as no answer
// that the protocol knows: an error of his client, or values that the form does not allow. What was
// asked is then in the result.
func unanswered(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, request sdk.Request) (sdk.Result, error) {
		call, ok := request.(*sdk.CallToolRequest)
		if !ok {
			return next(ctx, method, request)
		}
		var was asked
		result, err := next(context.WithValue(ctx, askedKey{}, &was), method, request)
		if err == nil || !was.it || ctx.Err() != nil {
			return result, err
		}
		params := *call.Params
		params.InputResponses = sdk.InputResponseMap{formID: &sdk.ElicitResult{Action: "cancel"}}
		return next(ctx, method, &sdk.CallToolRequest{Session: call.Session, Params: &params, Extra: call.Extra})
	}
}
