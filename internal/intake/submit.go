package intake

import (
	"context"
	"errors"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/intake/offers"
	"frontdesk/internal/intake/vault"
	wire "frontdesk/wire/intake"
	"frontdesk/wire/strictjson"
)

// Submission is what an agent submits to an intake. Its envelope was read by wire.ReadRequest.
type Submission struct {
	Intake  string // id of the intake
	Agent   wire.Agent
	Session string           // as it came
	Data    strictjson.Value // intake_data, as it came
	// Locale and Timezone are those of the metadata; empty where there is none.
	Locale, Timezone string
}

// SubmitResult is the recorded answer to a submission.
type SubmitResult struct {
	Status     offers.Status
	Offer      *Offer        // of what is offered
	Reason     string        // why it was declined
	RetryAfter time.Duration // of one that waits: when asking again is worth it
	Replay     bool          // it was answered before, and this is that answer
	Entry      string        // of the ledger
}

// Offer is what a business offers.
type Offer struct {
	ID       string
	Summary  string
	Details  strictjson.Value // a JSON object, or nil
	Expires  time.Time        // in whole seconds
	Binding  bool             // it can be bound
	Requires []string         // the names of bind_data that a bind needs; may be empty
	TermsURL string           // may be empty
}

// answerTime is how long an engine may take (Agent Intake Protocol 0.1.0, Transport Requirements:
// 10 seconds for all).
const answerTime = 9 * time.Second

// Submit answers a submission. It holds the submission against the intake's schema and privacy,
// asks the intake's engine, and records question and answer in one transaction, before it returns.
// The same submission of the same session gets the answer that it got before, for as long as that
// stands. Submitted twice at once, it is answered once.
//
// The order of checks: the scopes, the schema, what looks personal. The error is a *[Refusal] of
// InputInvalid, SchemaMismatch, Revised or Busy; fail.NotFound for an intake that is not there; or
// any other, which is ours.
func (s *Service) Submit(ctx context.Context, submission Submission) (*SubmitResult, error) {
	definition := s.definition(submission.Intake)
	if definition == nil {
		return nil, fail.New(fail.NotFound,
			"There is no such intake here; the manifest at %s lists those that there are.", wire.WellKnown)
	}
	valid, err := s.validate(definition, submission)
	if err != nil {
		return nil, err
	}
	// Whoever submits the same meanwhile waits for the same answer; and when the first one leaves,
	// it is made all the same.
	made := s.submitting.DoChan(valid.name(), func() (any, error) {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
		defer cancel()
		return s.answer(limited, valid)
	})
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case got := <-made:
		if got.Err != nil {
			return nil, busy(got.Err)
		}
		return got.Val.(*SubmitResult), nil
	}
}

// errOvertaken says that another process has answered the session meanwhile.
var errOvertaken = errors.New("another process has answered this session at the same time")

// answer answers a submission as it was answered before, or asks the engine and records what it
// says. When another process was faster it looks again, and does not ask again.
func (s *Service) answer(ctx context.Context, v *validSubmission) (*SubmitResult, error) {
	var outcome *offers.Outcome
	for range 5 {
		previous, err := s.previousAnswers(ctx, v)
		if err != nil || previous.same != nil {
			return previous.same, err
		}
		if previous.other && s.deps.RefuseRevisions {
			return nil, refuse(Revised, "This session has submitted something else to this intake before, "+
				"and that is still answered; begin a new session for another.")
		}
		if outcome == nil {
			if outcome, err = s.askEngine(ctx, v, previous.last); err != nil {
				return nil, err
			}
		}
		result, err := s.recordSubmission(ctx, v, *outcome, previous.last)
		if !errors.Is(err, errOvertaken) {
			return result, err
		}
	}
	return nil, errOvertaken
}

// askEngine asks the intake's engine what to offer. Asked again, whether by this process or
// another, the question has the same id, for as long as nothing was submitted after last.
func (s *Service) askEngine(ctx context.Context, v *validSubmission, last string) (*offers.Outcome, error) {
	outcome, err := v.definition.Engine.Offer(ctx, offers.Request{
		ID: s.deps.Vault.DeriveID("question", v.Intake, strings.ToLower(v.Session), v.agent, string(v.canonical),
			last),
		Intake: v.Intake, Data: v.data, Agent: v.Agent, Session: v.Session, Locale: v.Locale, Timezone: v.Timezone,
		Now: s.deps.Now().UTC(), Lookup: s.deps.Lookup,
	})
	var unfit *offers.UnusableData
	switch {
	case errors.As(err, &unfit):
		return nil, refuse(SchemaMismatch, "/intake_data%s: %s", unfit.Pointer, unfit.Detail)
	case err != nil:
		return nil, err
	}
	return &outcome, nil
}

// recordSubmission records a submission with its answer, in one transaction: the entry of the
// ledger and the sealed record. The error is errOvertaken when something of the session was
// recorded after last.
func (s *Service) recordSubmission(
	ctx context.Context, v *validSubmission, o offers.Outcome, last string,
) (*SubmitResult, error) {
	sealed, err := s.seal(ctx, v, o)
	if err != nil {
		return nil, err
	}
	body, err := v.entryBody(sealed)
	if err != nil {
		return nil, err
	}
	record := sealed.record
	err = s.deps.DB.Update(ctx, func(tx *store.Tx) error {
		switch latest, err := vault.LatestID(ctx, tx, v.Session, v.Intake); {
		case err != nil:
			return err
		case latest != last:
			return errOvertaken
		}
		if err := s.deps.Fault("submit"); err != nil {
			return err
		}
		if record.ID, err = s.appendEntry(ctx, tx, entry{kindIntake, sealed, body}); err != nil {
			return err
		}
		if err := s.deps.Fault("submit recorded"); err != nil {
			return err
		}
		return vault.Put(ctx, tx, record)
	})
	if err == nil {
		err = s.deps.Fault("submit done")
	}
	if err != nil {
		return nil, err
	}
	return recordedAnswer(record, map[string]vault.Key{sealed.key.ID: sealed.key})
}

// maxSealedAgent is how many bytes of an agent's id are sealed with its answer, where the id is
// kept as a hash.
const maxSealedAgent = 1000

// seal makes the record of a submission and its answer, sealed with keys of its own.
func (s *Service) seal(ctx context.Context, v *validSubmission, o offers.Outcome) (a answeredRecord, err error) {
	now := s.deps.Now().UTC().Truncate(time.Microsecond)
	a.record = vault.Record{
		Intake: v.Intake, Session: strings.ToLower(v.Session), Agent: v.agent, Platform: plainName(v.Agent.Platform),
		Retention: v.definition.Retention, CreatedAt: now,
	}
	answer := v.definition.answer(&a.record, o, now)
	if v.agent != v.Agent.ID {
		answer.Agent = strings.ToValidUTF8(v.Agent.ID[:min(len(v.Agent.ID), maxSealedAgent)], "")
	}
	a.answer = &answer
	if a.key, err = s.deps.Vault.NewKey(ctx); err != nil {
		return a, err
	}
	a.record.Digest = v.digest(a.key)
	if err := a.record.SealAnswer(a.key, answer); err != nil {
		return a, err
	}
	// Where a person answers, what is submitted is kept until then.
	if a.record.Retention == wire.RetainNone && a.record.State != vault.Waiting {
		return a, nil
	}
	own, err := s.deps.Vault.NewKey(ctx)
	if err != nil {
		return a, err
	}
	return a, a.record.SealData(own, v.data)
}
