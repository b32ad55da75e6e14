package desk

import (
	"context"
	"errors"
	"time"

	"frontdesk/internal/submission/engine"
	"frontdesk/wire/intake"
	"frontdesk/wire/strictjson"
)

// Submission is what an agent submits to an intake. Its envelope was read by intake.ReadRequest.
type Submission struct {
	Intake  string // id of the intake
	Agent   intake.Agent
	Session string           // as it came
	Data    strictjson.Value // intake_data, as it came
	// Locale and Timezone are those of the metadata; empty where there is none.
	Locale, Timezone string
}

// Submitted is what a submission is answered, as it was recorded.
type Submitted struct {
	Status engine.Status
	Offer  *Offer        // of what is offered
	Reason string        // why it was declined
	After  time.Duration // of one that waits: when asking again is worth it
	Again  bool          // it was answered before
	Entry  string        // of the ledger
}

// Offer is what a business offers.
type Offer struct {
	ID       string
	Summary  string
	Details  strictjson.Value // a JSON object, or nil
	Expires  time.Time        // in whole seconds
	Binding  bool             // it can be bound
	Requires []string         // the names of bind_data that a bind needs; of one that can be bound never nil
	TermsURL string           // may be empty
}

// Submit answers a submission: it holds it against the intake's schema and privacy, asks the intake's engine, and
// records question and answer, in one transaction, before it returns. The same submission of the same session is given
// the answer that it was given, for as long as that stands; asked twice at once, it is answered once.
//
// The error is a *[Refusal] of InputInvalid, SchemaMismatch, Revised or Busy; fail.NotFound for an intake that is not
// there; or any other, which is ours.
func (d *Desk) Submit(ctx context.Context, s Submission) (*Submitted, error) {
	return nil, errors.New("submissions are not taken yet")
}

// AnswerByHand gives a submission that waits the answer that a person wrote; by names who. The error is fail.NotFound
// for one that does not wait, or fail.Invalid for an answer that is none.
func (d *Desk) AnswerByHand(ctx context.Context, id string, answer engine.Outcome, by string) error {
	return errors.New("submissions are not taken yet")
}
