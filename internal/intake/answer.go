package intake

import (
	"cmp"
	"context"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/intake/offers"
	"frontdesk/internal/intake/vault"
)

// Draft is what an agent will be answered when somebody answers a submission with an outcome, and records nothing. The id of
// its offer is another than that of the one that is made then. The error is fail.Invalid for an answer that is none.
func (s *Service) Draft(q *Request, outcome offers.Outcome) (*Submitted, error) {
	now := s.deps.Now().UTC().Truncate(time.Microsecond)
	in, err := s.answerable(q.Record, outcome, now)
	if err != nil {
		return nil, err
	}
	r := q.Record
	told := in.answer(&r, outcome, now)
	if r.Offer == "" {
		return &Submitted{Status: offers.Declined, Reason: told.Reason, Entry: r.ID}, nil
	}
	return &Submitted{Status: offers.Offered, Offer: offered(r, &told), Entry: r.ID}, nil
}

// answerable holds an answer by hand against what an answer must be, and gives the intake that it is of.
func (s *Service) answerable(r vault.Record, outcome offers.Outcome, now time.Time) (*Definition, error) {
	if err := outcome.Check(now); err != nil {
		return nil, fail.New(fail.Invalid, "this is no answer: %v", err)
	}
	if outcome.Status == offers.Waiting {
		return nil, fail.New(fail.Invalid, "this is no answer: write an offer, or decline")
	}
	in := s.definition(r.Intake)
	if in == nil {
		return nil, fail.New(fail.Invalid, "intake %q is not declared any more, so that nothing can be offered for it", r.Intake)
	}
	return in, nil
}

// AnswerByHand gives a submission that waits the answer that a person wrote; by names who. The agent gets it when it
// submits the same again. The error is fail.NotFound for one that does not wait any more, or fail.Invalid for an answer
// that is none.
func (s *Service) AnswerByHand(ctx context.Context, id string, outcome offers.Outcome, by string) error {
	now := s.deps.Now().UTC().Truncate(time.Microsecond)
	gone := fail.New(fail.NotFound, "no request of this id waits for an answer any more")
	var r vault.Record
	known := false
	err := s.deps.DB.View(ctx, func(tx *store.Tx) (err error) {
		r, known, err = vault.Find(ctx, tx, id)
		return err
	})
	if err != nil {
		return err
	}
	if !known || r.Standing(now) != vault.Waiting {
		return gone
	}
	in, err := s.answerable(r, outcome, now)
	if err != nil {
		return err
	}
	key, err := s.deps.Vault.Key(ctx, r.OfferKey)
	if err != nil {
		return err
	}
	waiting, err := r.OpenAnswer(map[string]vault.Key{key.ID: key})
	if err != nil {
		return err
	}
	answer := in.answer(&r, outcome, now)
	if waiting != nil {
		answer.Agent = waiting.Agent
	}
	if err := r.SealAnswer(key, answer); err != nil {
		return err
	}
	body := answerBody{Intake: r.Intake, Request: r.ID, By: by, Outcome: offers.Status(r.State)}
	if body.Offer, err = offerOf(r, answer, key); err != nil {
		return err
	}
	err = s.deps.DB.Update(ctx, func(tx *store.Tx) error {
		if was, known, err := vault.Find(ctx, tx, id); err != nil || !known || was.Standing(now) != vault.Waiting {
			return cmp.Or[error](err, gone)
		}
		if r.Reply, err = s.record(ctx, tx, kindOffer, r, answer, key, body); err != nil {
			return err
		}
		return vault.Update(ctx, tx, r, now)
	})
	if err == nil {
		s.eraseSoon()
	}
	return err
}

// DoneByHand marks a bind as done that waits in the inbox, or that its sink did not take; by names who did it. The error is
// fail.NotFound for an offer that is not bound.
func (s *Service) DoneByHand(ctx context.Context, offer, by string) error {
	bound := false
	err := s.deps.DB.View(ctx, func(tx *store.Tx) error {
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
	s.deps.Log.InfoContext(ctx, "a bind was marked as done", "offer", offer, "by", by)
	return s.done(ctx, offer)
}
