package desk

import (
	"context"
	"errors"
	"io"
	"time"

	"frontdesk/internal/submission"
	"frontdesk/wire/strictjson"
)

// Request is a submission as the business sees it: what is sealed is opened, as far as it is still there.
type Request struct {
	submission.Record
	Input  strictjson.Value   // intake_data; nil where it is not kept or erased
	Told   *submission.Answer // what the agent was told; nil while it waits, or erased
	Bind   *submission.Bind   // nil where it was not bound
	Fields strictjson.Value   // bind_data; nil where there is none or erased
}

// Inbox gives submissions, the latest first.
func (d *Desk) Inbox(ctx context.Context, f submission.Filter) ([]Request, error) {
	return nil, errors.New("there is no inbox yet")
}

// DoneByHand marks a bind that waits in the inbox as done; by names who did it. The error is fail.NotFound for an offer
// that is not bound.
func (d *Desk) DoneByHand(ctx context.Context, offer, by string) error {
	return errors.New("there is no inbox yet")
}

// Funnel counts what became of the submissions since a time, by intake and platform.
func (d *Desk) Funnel(ctx context.Context, since time.Time) ([]submission.Count, error) {
	return nil, errors.New("there is no inbox yet")
}

// Erase destroys the keys of all that was submitted in a session, or of one offer, whatever its intake's retention says;
// by names who asks. It says how many submissions those were. The error is fail.NotFound where there is none.
func (d *Desk) Erase(ctx context.Context, sessionOrOffer, by string) (int, error) {
	return 0, errors.New("there is nothing to erase yet")
}

// ExportSubmissions writes all that is known of a session, or of one offer, as one JSON document, with the entries of
// the ledger. The error is fail.NotFound where there is nothing.
func (d *Desk) ExportSubmissions(ctx context.Context, sessionOrOffer string, w io.Writer) error {
	return errors.New("there is nothing to export yet")
}
