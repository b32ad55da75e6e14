package desk

import (
	"context"
	"errors"
	"time"

	"frontdesk/internal/outbox"
	"frontdesk/wire/intake"
	"frontdesk/wire/strictjson"
)

// Binding is how an agent accepts an offer. Its envelope was read by intake.ReadBind.
type Binding struct {
	Intake    string // id of the intake at whose address it came
	Offer     string
	Session   string // as it came
	Agent     intake.Agent
	Data      strictjson.Value // bind_data, as it came
	Confirmed string           // metadata.user_confirmed_at; may be empty
}

// Bind binds an offer: once, however often and by however many it is asked at a time. It gives the answer as it was
// recorded, the JSON of an intake.Bound. The same bind again gets the same bytes.
//
// The order of checks: offer, session and agent; an answer that was given before; expiry; scopes; required fields;
// their form. The error is a *[Refusal] of OfferUnknown, OfferBound, OfferExpired, InputInvalid or BindIncomplete, or
// any other, which is ours.
func (d *Desk) Bind(ctx context.Context, b Binding) ([]byte, error) {
	return nil, errors.New("offers are not bound yet")
}

// BoundOffer is an offer that was bound, opened for those whom it concerns.
type BoundOffer struct {
	Offer
	Intake, Session, Agent, Platform string
	Entry                            string           // of the ledger
	Submitted, Bound                 time.Time        // when
	Input                            strictjson.Value // what was submitted; nil where it is not kept
	Data                             strictjson.Value // bind_data
}

// Deliver does the effect of a bind, which the outbox has a reference to: it opens what was bound, and has send tell the
// business of it, under the effect's id. When that has gone well the bind is done, and what was bound with is erased as
// the intake's retention says. The error is send's, or outbox.ErrNever for what was erased meanwhile.
func (d *Desk) Deliver(ctx context.Context, e outbox.Effect, send func(context.Context, BoundOffer) error) error {
	return errors.New("offers are not bound yet")
}
