package intake

import (
	"context"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/intake/offers"
	"frontdesk/internal/intake/vault"
)

// Draft is what an agent will be answered when somebody answers a submission with an outcome, and
// records nothing. The id of its offer is another than that of the one that is made then. The error
// is fail.Invalid for an answer that is none.
func (s *Service) Draft(q *Request, outcome offers.Outcome) (*SubmitResult, error) {
	now := s.deps.Now().UTC().Truncate(time.Microsecond)
	definition, err := s.answerable(q.Record, outcome, now)
	if err != nil {
		return nil, err
	}
	r := q.Record
	told := definition.answer(&r, outcome, now)
	if r.Offer == "" {
		return &SubmitResult{Status: offers.Declined, Reason: told.Reason, Entry: r.ID}, nil
	}
	return &SubmitResult{Status: offers.Offered, Offer: offered(r, &told), Entry: r.ID}, nil
}

// answerable holds an answer by hand against what an answer must be, and gives the intake that it
// is of.
func (s *Service) answerable(r vault.Record, outcome offers.Outcome, now time.Time) (*Definition, error) {
	if err := outcome.Check(now); err != nil {
		return nil, fail.New(fail.Invalid, "this is no answer: %v", err)
	}
	if outcome.Status == offers.Waiting {
		return nil, fail.New(fail.Invalid, "this is no answer: write an offer, or decline")
	}
	definition := s.definition(r.Intake)
	if definition == nil {
		return nil, fail.New(fail.Invalid,
			"intake %q is not declared any more, so that nothing can be offered for it", r.Intake)
	}
	return definition, nil
}

// Answer gives a submission that waits the answer that a person wrote; by names who. The agent gets
// it when it submits the same again. The error is fail.NotFound for one that does not wait any
// more, or fail.Invalid for an answer that is none.
func (s *Service) Answer(ctx context.Context, id string, outcome offers.Outcome, by string) error {
	now := s.deps.Now().UTC().Truncate(time.Microsecond)
	waiting, err := store.Get(ctx, s.deps.DB, func(tx *store.Tx) (vault.Record, error) {
		return findWaiting(ctx, tx, id, now)
	})
	if err != nil {
		return err
	}
	definition, err := s.answerable(waiting, outcome, now)
	if err != nil {
		return err
	}
	reply := definition.answer(&waiting, outcome, now)
	answered, err := s.sealReply(ctx, waiting, reply)
	if err != nil {
		return err
	}
	record := answered.record
	body := answerBody{Intake: record.Intake, Request: record.ID, By: by, Outcome: offers.Status(record.State)}
	if body.Offer, err = answered.offerBody(); err != nil {
		return err
	}
	err = s.deps.DB.Update(ctx, func(tx *store.Tx) error {
		if _, err := findWaiting(ctx, tx, id, now); err != nil {
			return err
		}
		if record.Reply, err = s.appendEntry(ctx, tx, entry{kindOffer, answered, body}); err != nil {
			return err
		}
		return vault.Update(ctx, tx, record, now)
	})
	if err == nil {
		s.eraseSoon()
	}
	return err
}

// findWaiting finds a submission that waits for an answer. The error is fail.NotFound where there
// is none of the id.
func findWaiting(ctx context.Context, tx *store.Tx, id string, now time.Time) (vault.Record, error) {
	r, known, err := vault.Find(ctx, tx, id)
	if err == nil && (!known || r.StateAt(now) != vault.Waiting) {
		err = fail.New(fail.NotFound, "no request of this id waits for an answer any more")
	}
	return r, err
}

// sealReply seals a person's answer in the record of the submission that waited for it, under the
// key that it has.
func (s *Service) sealReply(
	ctx context.Context, waited vault.Record, answer vault.Answer,
) (a answeredRecord, err error) {
	key, err := s.deps.Vault.Key(ctx, waited.OfferKey)
	if err != nil {
		return a, err
	}
	before, err := waited.OpenAnswer(map[string]vault.Key{key.ID: key})
	if err != nil {
		return a, err
	}
	if before != nil {
		answer.Agent = before.Agent
	}
	a = answeredRecord{waited, &answer, key}
	return a, a.record.SealAnswer(key, answer)
}

// MarkDone marks a bind as done that waits in the inbox, or that its sink did not take; by names
// who did it. The error is fail.NotFound for an offer that is not bound.
func (s *Service) MarkDone(ctx context.Context, offer, by string) error {
	bound := false
	err := s.deps.DB.View(ctx, func(tx *store.Tx) error {
		o, _, err := findOffer(ctx, tx, offer)
		bound = o.bind != nil
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
