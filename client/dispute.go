package client

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/structpb"

	"frontdesk/wire/contenthash"
	rampv1 "frontdesk/wire/ramp/v1"
)

// Dispute is a dispute of something bought (RAMP v1, DisputeTransaction).
type Dispute struct {
	// of the request; made up and put in where it is empty, so that the same Dispute asks again
	// where it stands
	ID       string
	ReportID string // of the report on the purchase, which Exchange.Report gives
	Reason   rampv1.DisputeReason
	// of what came: SHA-256 in hex, or with its method before it, as "simhash-v1:..."; empty for
	// none
	Hash        string
	Description string // for people
	// PreferRedelivery says that you would rather fetch it again than be paid back, where that can
	// be.
	PreferRedelivery bool
	// Appeal is the id of the dispute against whose decision this appeals.
	Appeal string
}

// Disputed is where a dispute stands.
type Disputed struct {
	ID          string `json:"dispute_id"`
	Status      string `json:"status"`               // of DisputeStatus, without its prefix: FILED, AUTO_RESOLVED, ...
	Resolution  string `json:"resolution,omitempty"` // of ResolutionType, without its prefix; empty while there is none
	Estimated   string `json:"estimated_resolution,omitempty"`
	Explanation string `json:"explanation,omitempty"`
	// Credit is what was given back, and Currency in which.
	Credit   float64 `json:"credit,omitempty"`
	Currency string  `json:"currency,omitempty"`
	// RedeliveryURL is from where it can be fetched again, until RedeliveryExpires.
	RedeliveryURL     string    `json:"redelivery_url,omitempty"`
	RedeliveryExpires time.Time `json:"redelivery_expires_at,omitzero"`
}

// Decided says whether the dispute is decided.
func (d *Disputed) Decided() bool {
	switch d.Status {
	case "AUTO_RESOLVED", "RESOLVED", "SETTLED", "FINAL":
		return true
	}
	return false
}

// NotDisputed is the error of a dispute that the Exchange does not take up.
type NotDisputed struct {
	Reason  string
	Dispute string // the one that there is already; empty for none
}

// Error is the reason.
func (n *NotDisputed) Error() string {
	return "the Exchange did not take up the dispute: " + orSilent(n.Reason)
}

// ParseDisputeReason reads a reason as people write it: delivery-failed, content-mismatch,
// incomplete-content, wrong-content or expired-before-fetch.
func ParseDisputeReason(text string) (rampv1.DisputeReason, error) {
	n, ok := rampv1.DisputeReason_value["DISPUTE_REASON_"+strings.ToUpper(strings.ReplaceAll(text, "-", "_"))]
	if !ok || n == 0 {
		return 0, fmt.Errorf("%.40q is no reason; there are delivery-failed, content-mismatch, incomplete-content, "+
			"wrong-content and expired-before-fetch", text)
	}
	return rampv1.DisputeReason(n), nil
}

// Dispute disputes something bought, or, with the same Dispute again, says where that stands. The
// error is a *NotDisputed for one that is not taken up. An Exchange takes disputes that are signed
// over HTTP.
func (x *Exchange) Dispute(ctx context.Context, b *Bought, d *Dispute) (*Disputed, error) {
	if b.Denied() {
		return nil, errors.New("this was not bought, so there is nothing to dispute")
	}
	if d.ID == "" {
		d.ID = newSession()
	}
	request := &rampv1.DisputeRequest{
		Ver: rampVersion, Id: d.ID, TransactionId: b.Result.TransactionId, BillingId: b.Result.BillingId,
		Reason: d.Reason, ReportId: d.ReportID,
	}
	if d.Description != "" {
		request.Description = &d.Description
	}
	if d.Hash != "" {
		method := string(contenthash.SHA256)
		if h, ok := contenthash.Parse(d.Hash, ""); ok {
			method = string(h.Method)
		}
		request.ReceivedContentHash, request.ReceivedHashMethod = &d.Hash, &method
	}
	ext := map[string]*structpb.Value{}
	if d.PreferRedelivery {
		ext["ramp.prefer"] = structpb.NewStringValue("redelivery")
	}
	if d.Appeal != "" {
		ext["ramp.appeal"] = structpb.NewStringValue(d.Appeal)
		request.ExtCritical = []string{"ramp.appeal"}
	}
	if len(ext) > 0 {
		request.Ext = &structpb.Struct{Fields: ext}
	}
	answer := &rampv1.DisputeResponse{}
	if _, err := x.call(ctx, "DisputeTransaction", request, answer); err != nil {
		return nil, err
	}
	if !answer.Accepted {
		return nil, &NotDisputed{answer.GetRejectionReason(), answer.DisputeId}
	}
	return disputedBy(answer), nil
}

// disputedBy reads where a dispute stands.
func disputedBy(a *rampv1.DisputeResponse) *Disputed {
	out := &Disputed{ID: a.DisputeId, Status: strings.TrimPrefix(a.Status.String(), "DISPUTE_STATUS_"),
		Estimated: a.GetEstimatedResolution()}
	if a.Resolution != nil {
		out.Resolution = strings.TrimPrefix(a.GetResolution().String(), "RESOLUTION_TYPE_")
	}
	ext := a.GetExt().GetFields()
	out.Explanation, out.RedeliveryURL = ext["ramp.explanation"].GetStringValue(),
		ext["ramp.redelivery_url"].GetStringValue()
	credit := ext["ramp.credit"].GetStructValue().GetFields()
	out.Credit, out.Currency = credit["amount"].GetNumberValue(), credit["currency"].GetStringValue()
	out.RedeliveryExpires, _ = time.Parse(time.RFC3339, ext["ramp.redelivery_expires_at"].GetStringValue())
	return out
}
