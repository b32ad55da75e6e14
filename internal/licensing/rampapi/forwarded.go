package rampapi

import (
	"context"
	"mime"
	"strings"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// forwarded holds that a query passed through the intermediaries that it names (RAMP v1,
// IntermediaryHop), and has the log name them.
func (d *handlers) forwarded(ctx context.Context, query *rampv1.ResourceQuery, came requesters.Call) error {
	if len(query.Intermediaries) == 0 {
		return nil
	}
	if d.Forwarded == nil {
		return fail.New(fail.Unauthorized, "intermediaries[0]: the signatures of intermediaries are not verified "+
			"here, so none is believed; send the query yourself")
	}
	if err := d.Forwarded(ctx, query, asItCame(came), came.Fetch); err != nil {
		return d.suspected(ctx, err)
	}
	httpx.EventFrom(ctx).Set("via", strings.Join(wire.Via(query), " "))
	return nil
}

// asItCame is a message's own JSON; nil of one that came in another form, within others, or
// compressed.
func asItCame(came requesters.Call) wire.ReceivedQuery {
	kind, _, _ := mime.ParseMediaType(came.Header.Get("Content-Type"))
	if coding := came.Header.Get("Content-Encoding"); kind != "application/json" || coding != "" &&
		!strings.EqualFold(coding, "identity") {
		return nil
	}
	return came.Body
}
