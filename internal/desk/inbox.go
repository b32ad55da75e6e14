package desk

import (
	"cmp"
	"context"
	"time"

	"frontdesk/internal/fail"
	"frontdesk/internal/store"
	"frontdesk/internal/submission"
	"frontdesk/internal/submission/engine"
	"frontdesk/wire/strictjson"
)

// Request is a submission as the business sees it: what is sealed is opened, as far as it is still there.
type Request struct {
	submission.Record
	Now    submission.State   // its state by the clock
	Input  strictjson.Value   // intake_data; nil where it is not kept, or erased
	Told   *submission.Answer // what the agent is told; nil where it is erased
	Bind   *submission.Bind   // nil where it was not bound
	Fields strictjson.Value   // bind_data; nil where there is none, or it is erased
}

// Inbox gives submissions, the latest first.
func (d *Desk) Inbox(ctx context.Context, f submission.Filter) ([]Request, error) {
	if d.intaking == nil {
		return nil, nil
	}
	var all []Request
	var ids []string
	now := d.config.Now()
	err := d.intaking.DB.View(ctx, func(tx *store.Tx) error {
		all, ids = nil, nil
		records, err := submission.List(ctx, tx, f, now)
		for _, r := range records {
			q := Request{Record: r, Now: r.Standing(now)}
			b, bound, err := submission.FindBind(ctx, tx, r.Offer)
			if err != nil {
				return err
			}
			ids = append(ids, r.DataKey, r.OfferKey)
			if bound {
				q.Bind = &b
				ids = append(ids, b.Key)
			}
			all = append(all, q)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	keys, err := d.intaking.Vault.Keys(ctx, ids...)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if err := all[i].open(keys); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (q *Request) open(keys map[string]submission.Key) (err error) {
	if q.Input, err = q.OpenData(keys); err != nil {
		return err
	}
	if q.Told, err = q.OpenAnswer(keys); err != nil {
		return err
	}
	if q.Bind != nil {
		q.Fields, err = q.Bind.OpenData(keys)
	}
	return err
}

// AnswerByHand gives a submission that waits the answer that a person wrote; by names who. The agent gets it when it
// submits the same again. The error is fail.NotFound for one that does not wait any more, or fail.Invalid for an answer
// that is none.
func (d *Desk) AnswerByHand(ctx context.Context, id string, outcome engine.Outcome, by string) error {
	now := d.config.Now().UTC().Truncate(time.Microsecond)
	if err := outcome.Check(now); err != nil {
		return fail.New(fail.Invalid, "this is no answer: %v", err)
	}
	if outcome.Status == engine.Waiting {
		return fail.New(fail.Invalid, "this is no answer: write an offer, or decline")
	}
	gone := fail.New(fail.NotFound, "no request of this id waits for an answer any more")
	var r submission.Record
	known := false
	err := d.intaking.DB.View(ctx, func(tx *store.Tx) (err error) {
		r, known, err = submission.Find(ctx, tx, id)
		return err
	})
	if err != nil {
		return err
	}
	in := d.intake(r.Intake)
	switch {
	case !known || r.Standing(now) != submission.Waiting:
		return gone
	case in == nil:
		return fail.New(fail.Invalid, "intake %q is not declared any more, so that nothing can be offered for it", r.Intake)
	}
	key, err := d.intaking.Vault.Key(ctx, r.OfferKey)
	if err != nil {
		return err
	}
	answer := in.answer(&r, outcome, now)
	if err := r.SealAnswer(key, answer); err != nil {
		return err
	}
	body := answerBody{Intake: r.Intake, Request: r.ID, By: by, Outcome: engine.Status(r.State)}
	if body.Offer, err = offerOf(r, answer, key); err != nil {
		return err
	}
	err = d.intaking.DB.Update(ctx, func(tx *store.Tx) error {
		if was, known, err := submission.Find(ctx, tx, id); err != nil || !known || was.Standing(now) != submission.Waiting {
			return cmp.Or[error](err, gone)
		}
		if _, err := d.record(ctx, tx, kindOffer, r, key, body); err != nil {
			return err
		}
		return submission.Update(ctx, tx, r, now)
	})
	if err == nil {
		d.eraseSoon()
	}
	return err
}

// DoneByHand marks a bind as done that waits in the inbox, or that its sink did not take; by names who did it. The error is
// fail.NotFound for an offer that is not bound.
func (d *Desk) DoneByHand(ctx context.Context, offer, by string) error {
	bound := false
	err := d.intaking.DB.View(ctx, func(tx *store.Tx) error {
		p, _, err := look(ctx, tx, offer)
		bound = p.bind != nil
		return err
	})
	if err != nil {
		return err
	}
	if !bound {
		return fail.New(fail.NotFound, "there is no offer of this id that is bound")
	}
	d.config.Log.InfoContext(ctx, "a bind was marked as done", "offer", offer, "by", by)
	return d.done(ctx, offer)
}

// Funnel counts what became of the submissions since a time, by intake and platform.
func (d *Desk) Funnel(ctx context.Context, since time.Time) (all []submission.Count, err error) {
	if d.intaking == nil {
		return nil, nil
	}
	err = d.intaking.DB.View(ctx, func(tx *store.Tx) error {
		all, err = submission.Counts(ctx, tx, since, d.config.Now())
		return err
	})
	return all, err
}
