package rampapi

import (
	"context"

	"github.com/go-json-experiment/json"
	"google.golang.org/protobuf/proto"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/strictjson"
)

// disputePath stands, behind the address of this front desk and before the id of a transaction, for
// what is signed to dispute that: no content is there, so that no signature that was made to ask,
// to buy or to see how one stands disputes anything, nor one purchase's another.
const disputePath = "/exchange/v1/disputes/"

// disputeTool takes up disputes, and tells where they stand. A DisputeRequest is signed over HTTP,
// which a tool's call is not; so its sender signs as a requester beside it.
func (d *handlers) disputeTool() httpx.Tool {
	requester := schema{"type": "object", "required": []any{"id", "domain", "uris", "signature"},
		"additionalProperties": false, "properties": schema{
			"id":     described("What the domain calls the requester that bought."),
			"domain": described("The host name that publishes the requester's key."),
			"uris": schema{"type": "array", "minItems": 1, "maxItems": 1, "items": schema{"type": "string"},
				"description": "Exactly the address that the call without requester names, which ends in " +
					disputePath + " and the transaction_id."},
			"scopes":    schema{"type": "array", "items": schema{"type": "string"}},
			"signature": described("The requester's Ed25519 signature over its domain, id, scopes and uris."),
		}}
	input := objectOf((&rampv1.DisputeRequest{}).ProtoReflect().Descriptor(), "", disputeNotes)
	input["properties"].(schema)["requester"] = requester
	return httpx.Tool{
		Name: ToolDispute, Title: "Dispute a purchase",
		Description: "Disputes by RAMP v1 a purchase that did not bring what was paid for, after its use was " +
			"reported; the same call again tells where it stands. Dispute only what you know to be wrong. " +
			d.whoDisputes(),
		Input: input.bytes(), Output: heard.bytes(), OpenWorld: true, Call: d.disputeCall,
	}
}

// whoDisputes says how a buyer shows that it is one.
func (d *handlers) whoDisputes() string {
	switch d.Signatures {
	case requesters.SignaturesRequired:
		return d.who()
	case requesters.SignaturesNone:
		return "requester may be left out."
	}
	return "requester.signature is made by whoever runs you, for this purchase; a call without it tells over which " +
		"address."
}

var disputeNotes = notes{
	"":    {"required": []any{"id", "transaction_id", "billing_id", "report_id", "reason"}},
	"ver": described("The version of the protocol: 1.0, which it also is where nothing is said."),
	"id": described("A name for this dispute that you make up. The same id with the same " +
		"arguments again asks where it stands."),
	"transaction_id": described("That of the purchase."),
	"billing_id":     described("That of the purchase."),
	"report_id":      described("That of the answer to the report on the purchase."),
	"reason":         described("What was wrong."),
	"description":    described("For people; nobody's personal data."),
	"received_content_hash": described("The hash of what came, by the method that the offer tells its hash by: of " +
		"sha256 64 hexadecimal digits, of simhash-v1 16. Needed where something else came than what was bought."),
	"received_hash_method": {"enum": []any{"sha256", "simhash-v1"},
		"description": "By which method; sha256 where nothing is said."},
	"ext_critical": described("Keys of ext that must be understood."),
	"ext": {"properties": schema{
		extPrefer: schema{"enum": []any{"credit", "redelivery"},
			"description": "redelivery: rather fetch it once more than be paid back, where that can be."},
		extAppeal: schema{"type": "string", "description": "The dispute_id of a dispute against whose decision this " +
			"appeals, once, within a week, with an id of its own and something new in received_content_hash or " +
			"description."},
	}},
}

var heard = answerOf(schema{
	"accepted": schema{"type": "boolean"}, "dispute_id": word, "status": word, "resolution": word,
	"estimated_resolution": word, "rejection_reason": word, "ext": schema{"type": "object"},
})

func (d *handlers) disputeCall(ctx context.Context, c httpx.Call) httpx.Result {
	httpx.EventFrom(ctx).Set("tool", "DisputeTransaction")
	err := d.enter(ctx, "DisputeTransaction")
	var request *rampv1.DisputeRequest
	var by *rampv1.ResourceQuery
	if err == nil {
		request, by, err = disputeArguments(c.Arguments, d)
	}
	out := &rampv1.DisputeResponse{}
	if err == nil {
		out, err = d.disputeBy(ctx, request, by)
	}
	if err != nil {
		return toolFailed(ctx, err)
	}
	object, err := wire.Marshal(out)
	if err != nil {
		return toolFailed(ctx, err)
	}
	return httpx.Result{Object: object, Meta: []byte("{}")}
}

// disputeArguments reads those of a call: a dispute, and beside it who disputes, as the requester
// of a query; by is nil where nobody is named.
func disputeArguments(text []byte, d *handlers) (request *rampv1.DisputeRequest, by *rampv1.ResourceQuery, err error) {
	var members map[string]strictjson.Value
	if len(text) > 0 {
		if err := strictjson.Decode(text, &members); err != nil {
			return nil, nil, fail.New(fail.Malformed, "the arguments do not fit: %v", err)
		}
	}
	if named, ok := members["requester"]; ok {
		text, err := json.Marshal(map[string]strictjson.Value{"requester": named})
		by = &rampv1.ResourceQuery{}
		if err == nil {
			err = arguments(text, by, d)
		}
		if err != nil {
			return nil, nil, err
		}
		by.Id = "dispute"
		delete(members, "requester")
	}
	rest, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		return nil, nil, err
	}
	request = &rampv1.DisputeRequest{}
	return request, by, arguments(rest, request, d)
}

// disputeBy has a dispute answered of whoever signed for it.
func (d *handlers) disputeBy(ctx context.Context, request *rampv1.DisputeRequest,
	by *rampv1.ResourceQuery) (*rampv1.DisputeResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, d.MaxDeadline)
	defer cancel()
	if err := fits(request, known); err != nil {
		return nil, err
	}
	address := d.Base(ctx) + disputePath + request.TransactionId
	var signed proto.Message = request // by nobody
	if by != nil {
		if uris := by.GetRequester().GetUris(); len(uris) != 1 || uris[0] != address {
			return nil, fail.New(fail.Invalid, "requester.uris: has to be [%q], and requester.signature over it",
				address)
		}
		signed = by
	}
	c, err := d.open(ctx, signed)
	if err != nil {
		return nil, err
	}
	if c.who.Signed == "" && (d.Trusted == nil || !d.Trusted(ctx)) {
		return nil,
			fail.New(fail.Unauthorized, "a dispute is signed by the buyer; send requester with its id, domain, uris "+
				"[%q] and the signature over them", address)
	}
	return d.dispute(ctx, c, request)
}
