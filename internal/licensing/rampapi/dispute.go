package rampapi

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/structpb"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/wire/contenthash"
	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// Keys of the ext of disputes. A request says by extAppeal against the decision of which dispute it
// appeals, and by extPrefer that it would rather have "redelivery" than a credit; an answer says by
// the others why the dispute stands where it does, what was given back, and from where it can be
// fetched once more.
const (
	extAppeal      = "ramp.appeal"
	extPrefer      = "ramp.prefer"
	extExplanation = "ramp.explanation"
	extCredit      = "ramp.credit"
	extRedelivery  = "ramp.redelivery_url"
	extExpires     = "ramp.redelivery_expires_at"
)

// dispute takes up a dispute, or says where it stands (RAMP v1, DisputeTransaction).
func (d *handlers) dispute(ctx context.Context, c *call, request *rampv1.DisputeRequest) (*rampv1.DisputeResponse,
	error) {
	if err := c.exceeded(); err != nil {
		return nil, err
	}
	filed, err := disputed(request)
	if err != nil {
		return nil, err
	}
	switch {
	case c.who.Signed != "":
		filed.By = &c.who
	case d.Trusted == nil || !d.Trusted(ctx):
		return nil,
			fail.New(fail.Unauthorized, "a dispute is signed by the buyer, over HTTP (RFC 9421); sign the request, "+
				"with your domain as keyid")
	}
	if d.FetchAt != nil {
		filed.FetchAt = d.FetchAt(ctx)
	}
	heard, err := d.services.Exchange.Dispute(ctx, filed)
	if err != nil {
		return orElse(err, func() (*rampv1.DisputeResponse, bool, error) {
			return d.disputedElsewhere(ctx, c, request)
		})
	}
	e := httpx.EventFrom(ctx)
	e.Set("accepted", heard.Problem == "")
	e.Set("again", heard.Replayed)
	if heard.Case.ID != "" {
		e.Set("dispute", heard.Case.ID)
		e.Set("status", string(heard.Case.Status))
	}
	return standsAt(heard, d.Now())
}

// disputed is a request in the service's words.
func disputed(r *rampv1.DisputeRequest) (exchange.DisputeRequest, error) {
	name, ok := rampv1.DisputeReason_name[int32(r.Reason)]
	if !ok {
		return exchange.DisputeRequest{},
			&wire.Invalid{Path: "reason", Problem: fmt.Sprintf("%d is none; there are 1 to 5", r.Reason)}
	}
	out := exchange.DisputeRequest{
		ID: r.Id, Transaction: r.TransactionId, Billing: r.BillingId, Report: r.ReportId,
		Description: r.GetDescription(),
		Reason:      exchange.DisputeReason(strings.ToLower(strings.TrimPrefix(name, "DISPUTE_REASON_"))),
	}
	text, err := wire.Marshal(r)
	if err != nil {
		return exchange.DisputeRequest{}, err
	}
	out.Digest = sha256.Sum256(text)
	if out.Hash, err = received(r.GetReceivedContentHash(), r.GetReceivedHashMethod()); err != nil {
		return exchange.DisputeRequest{}, err
	}
	for key, value := range r.GetExt().GetFields() {
		text, isText := value.GetKind().(*structpb.Value_StringValue)
		switch {
		case key == extAppeal && isText && text.StringValue != "":
			out.Appeal = text.StringValue
		case key == extAppeal:
			return exchange.DisputeRequest{},
				&wire.Invalid{Path: "ext." + extAppeal, Problem: "has to be the dispute_id of the dispute against " +
					"whose decision you appeal"}
		case key == extPrefer && isText && (text.StringValue == "credit" || text.StringValue == "redelivery"):
			out.Redelivery = text.StringValue == "redelivery"
		case key == extPrefer:
			return exchange.DisputeRequest{}, &wire.Invalid{Path: "ext." + extPrefer, Problem: `has to be "credit" or "redelivery"`}
		}
	}
	return out, nil
}

// received reads the hash of what a buyer received: with its method before it, beside it, or
// neither; the zero Hash for none.
func received(hash, method string) (contenthash.Hash, error) {
	if hash == "" {
		return contenthash.Hash{}, nil
	}
	before, _, named := strings.Cut(hash, ":")
	for _, m := range []string{method, before} {
		if _, ok := contenthash.ParseMethod(m); !ok && m != "" && (m == method || named) {
			return contenthash.Hash{},
				&wire.Invalid{Path: "received_hash_method", Problem: "hashes are compared here as sha256 or " +
					"simhash-v1; compute that which the offer tells of what you received"}
		}
	}
	h, ok := contenthash.Parse(hash, method)
	if !ok {
		return h,
			&wire.Invalid{Path: "received_content_hash",
				Problem: "has to be the hash of what you received: of sha256 64 hexadecimal digits, of simhash-v1 16"}
	}
	return h, nil
}

// standsAt is where a dispute stands, in the protocol's words.
func standsAt(h *exchange.DisputeResult, now time.Time) (*rampv1.DisputeResponse, error) {
	c := &h.Case
	out := &rampv1.DisputeResponse{Accepted: h.Problem == "", DisputeId: c.ID,
		Status: rampv1.DisputeStatus(rampv1.DisputeStatus_value["DISPUTE_STATUS_"+strings.ToUpper(string(c.Status))])}
	if !out.Accepted {
		out.RejectionReason, out.Resolution = &h.Problem, rampv1.ResolutionType_RESOLUTION_TYPE_REJECTED.Enum()
		return out, nil
	}
	if c.Resolution != "" {
		out.Resolution = rampv1.ResolutionType(rampv1.ResolutionType_value["RESOLUTION_TYPE_"+
			strings.ToUpper(string(c.Resolution))]).Enum()
	}
	switch wait := c.Due.Sub(now); {
	case !c.Status.Open():
		out.EstimatedResolution = optional("0s")
	case !c.Due.IsZero():
		out.EstimatedResolution = optional(fmt.Sprintf("%ds", int64((max(wait, 0)+reviewEvery)/time.Second)))
	}
	ext := map[string]any{}
	if text := h.Explanation(); text != "" {
		ext[extExplanation] = text
	}
	if string(c.Resolution) == "credit" && c.Currency != "" {
		ext[extCredit] = map[string]any{"amount": amount(c.Credit), "currency": c.Currency}
	}
	if h.URL != "" {
		ext[extRedelivery], ext[extExpires] = h.URL, h.URLExpires.UTC().Format(time.RFC3339)
	}
	if len(ext) == 0 {
		return out, nil
	}
	var err error
	out.Ext, err = structpb.NewStruct(ext)
	return out, err
}

// reviewEvery is how long a dispute that is due may wait for its review.
const reviewEvery = time.Minute
