package intake

import (
	"context"
	"crypto/hmac"
	"fmt"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/intake/offers"
	"frontdesk/internal/intake/vault"
)

// previousAnswers are the answers to what a session has submitted to an intake before.
type previousAnswers struct {
	same  *SubmitResult // the same, with its answer; nil for never, or no more
	other bool          // something else, whose answer stands
	last  string        // the id of what came last; empty for nothing
}

// previousAnswers looks for what the session of a submission has submitted before.
func (s *Service) previousAnswers(ctx context.Context, v *validSubmission) (p previousAnswers, err error) {
	records, err := store.Get(ctx, s.deps.DB, func(tx *store.Tx) ([]vault.Record, error) {
		return vault.ListBySession(ctx, tx, v.Session, v.Intake)
	})
	if err != nil || len(records) == 0 {
		return previousAnswers{}, err
	}
	now, ids := s.deps.Now(), []string(nil)
	for _, r := range records {
		if r.Live(now) {
			ids = append(ids, r.OfferKey)
		}
	}
	keys, err := s.deps.Vault.Keys(ctx, ids...)
	if err != nil {
		return previousAnswers{}, err
	}
	p.last = records[0].ID
	for _, r := range records {
		key, ok := keys[r.OfferKey]
		if !ok || !r.Live(now) {
			continue
		}
		p.other = true
		if !hmac.Equal(r.Digest, v.digest(key)) {
			continue
		}
		if p.same, err = recordedAnswer(r, keys); err == nil {
			p.same.Replay = true
		}
		return p, err
	}
	return p, nil
}

// recordedAnswer is the answer to a submission as it was recorded.
func recordedAnswer(r vault.Record, keys map[string]vault.Key) (*SubmitResult, error) {
	told, err := r.OpenAnswer(keys)
	if err != nil {
		return nil, err
	}
	if told == nil {
		return nil, fmt.Errorf("what was answered to submission %s is erased", r.ID)
	}
	out := &SubmitResult{Entry: r.ID}
	switch {
	case r.Offer != "":
		out.Status, out.Offer = offers.Offered, offered(r, told)
	case told.Reason != "":
		out.Status, out.Reason = offers.Declined, told.Reason
	default:
		out.Status, out.RetryAfter = offers.Waiting, time.Duration(told.RetryAfter)*time.Second
	}
	return out, nil
}

// offered is an offer as it was made.
func offered(r vault.Record, told *vault.Answer) *Offer {
	return &Offer{
		ID: r.Offer, Summary: told.Summary, Details: told.Details, Expires: r.Expires,
		Binding: told.Binding, Requires: told.Requires, TermsURL: told.TermsURL,
	}
}
