package intake

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/infra/fail"
)

// Reason says why a submission or a bind is refused. The handlers know the protocol's code of each.
type Reason string

// The reasons.
const (
	InputInvalid   Reason = "input_invalid"   // INVALID_INPUT: a scope that is missing, a malformed field of bind_data
	SchemaMismatch Reason = "schema_mismatch" // SCHEMA_MISMATCH: intake_data does not conform to the intake's schema
	Revised        Reason = "revised"         // 409: the session has submitted something else before
	OfferUnknown   Reason = "offer_unknown"   // OFFER_NOT_FOUND: no such offer, or of another session, agent or intake
	OfferExpired   Reason = "offer_expired"   // OFFER_EXPIRED
	OfferBound     Reason = "offer_bound"     // 409: it was bound with other data
	BindIncomplete Reason = "bind_incomplete" // BIND_INCOMPLETE: required members of bind_data are missing or empty
	Busy           Reason = "busy"            // SERVICE_UNAVAILABLE; RetryAfter says when
)

// Refusal is the outcome of a submission or a bind that is refused.
type Refusal struct {
	Reason     Reason
	Message    string // safe for strangers
	RetryAfter time.Duration
}

// Error gives reason and message.
func (r *Refusal) Error() string { return string(r.Reason) + ": " + r.Message }

func refuse(reason Reason, format string, args ...any) *Refusal {
	return &Refusal{Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// busy is the refusal for what cannot be done at the moment; any other error stays as it is.
func busy(err error) error {
	coded := fail.From(err)
	switch {
	case coded.Code == fail.Unavailable:
		return &Refusal{Reason: Busy, Message: coded.Detail, RetryAfter: max(coded.RetryAfter, time.Second)}
	case errors.Is(err, context.DeadlineExceeded):
		const slow = "The answer takes longer than it may at the moment; send the same request again."
		return &Refusal{Reason: Busy, Message: slow, RetryAfter: 5 * time.Second}
	}
	return err
}
