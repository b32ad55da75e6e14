package intake

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/intake/offers"
	"frontdesk/internal/intake/vault"
	wire "frontdesk/wire/intake"
	"frontdesk/wire/sign"
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

// Submitted is what a submission is answered, as it was recorded.
type Submitted struct {
	Status offers.Status
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
	Requires []string         // the names of bind_data that a bind needs; may be empty
	TermsURL string           // may be empty
}

// answerTime is how long an engine may take (Agent Intake Protocol 0.1.0, Transport Requirements: 10 seconds for all).
const answerTime = 9 * time.Second

// Submit answers a submission: it holds it against the intake's schema and privacy, asks the intake's engine, and
// records question and answer, in one transaction, before it returns. The same submission of the same session is given
// the answer that it was given, for as long as that stands; asked twice at once, it is answered once.
//
// The order of checks: the scopes, the schema, what looks personal. The error is a *[Refusal] of InputInvalid,
// SchemaMismatch, Revised or Busy; fail.NotFound for an intake that is not there; or any other, which is ours.
func (s *Service) Submit(ctx context.Context, submission Submission) (*Submitted, error) {
	in := s.definition(submission.Intake)
	if in == nil {
		return nil, fail.New(fail.NotFound, "There is no such intake here; the manifest at %s lists those that there are.", wire.WellKnown)
	}
	a, err := s.examine(in, submission)
	if err != nil {
		return nil, err
	}
	// Whoever asks the same meanwhile waits for the same answer; and when the first one leaves, it is made all the same.
	made := s.submitting.DoChan(a.name(), func() (any, error) {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
		defer cancel()
		return s.submit(limited, a)
	})
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case got := <-made:
		if got.Err != nil {
			return nil, busy(got.Err)
		}
		return got.Val.(*Submitted), nil
	}
}

// busy is the refusal for what cannot be done at the moment; any other error stays as it is.
func busy(err error) error {
	coded := fail.From(err)
	switch {
	case coded.Code == fail.Unavailable:
		return &Refusal{Reason: Busy, Message: coded.Detail, RetryAfter: max(coded.RetryAfter, time.Second)}
	case errors.Is(err, context.DeadlineExceeded):
		return &Refusal{Reason: Busy, Message: "The answer takes longer than it may at the moment; send the same request again.", RetryAfter: 5 * time.Second}
	}
	return err
}

// applied is a submission that is fit to be answered.
type applied struct {
	Submission
	in        *Definition
	agent     string           // as it is kept
	data      strictjson.Value // the members that the schema declares
	canonical []byte           // the same in canonical form
}

// examine holds a submission against what an intake declares.
func (s *Service) examine(in *Definition, submission Submission) (*applied, error) {
	if missing := lacking(submission.Agent.ConsentScope, append([]wire.Scope{wire.ScopeIntake}, in.Scopes...)); len(missing) > 0 {
		return nil, refuse(InputInvalid, "/agent/consent_scope: this intake needs the consent of the person to %s, too; ask for it, and name it.", strings.Join(missing, " and "))
	}
	data, withheld := in.Schema.Withheld(submission.Data)
	if in.NoRedacted && len(withheld) > 0 {
		return nil, refuse(SchemaMismatch, "/intake_data: this intake takes no %s; give %s, or leave out what is optional.", wire.Redacted, strings.Join(withheld, ", "))
	}
	if found := in.Schema.Validate(data); len(found) > 0 {
		return nil, refuse(SchemaMismatch, "%s", mismatch(found))
	}
	kept, undeclared := in.Schema.Declared(data)
	if !in.PIIRequired && !in.DropPersonal {
		if personal := personal(undeclared); len(personal) > 0 {
			return nil, refuse(SchemaMismatch, "/intake_data: this intake takes no personal data, and members that it does not declare look like it: %s; leave them out.", strings.Join(personal, ", "))
		}
	}
	canonical, err := sign.Canonical(kept)
	if err != nil {
		return nil, refuse(SchemaMismatch, "/intake_data: it is no JSON that everybody reads alike: %v", err)
	}
	return &applied{Submission: submission, in: in, agent: s.agentID(submission.Agent.ID), data: kept, canonical: canonical}, nil
}

// lacking are those scopes of the needed ones that are not among some.
func lacking(given, needed []wire.Scope) (missing []string) {
	for _, scope := range needed {
		if !slices.Contains(given, scope) {
			missing = append(missing, fmt.Sprintf("%q", scope))
		}
	}
	return missing
}

// mostFindings is how much of what is wrong is told at once.
const mostFindings = 5

// mismatch says in what intake_data does not conform.
func mismatch(found []wire.Violation) string {
	var told []string
	for _, v := range found[:min(len(found), mostFindings)] {
		told = append(told, "/intake_data"+v.Pointer+": "+v.Detail)
	}
	if more := len(found) - mostFindings; more > 0 {
		told = append(told, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(told, "; ")
}

// personal are the places of undeclared members that look personal, the first few; a name that could be a datum itself is
// not told.
func personal(undeclared []wire.Undeclared) (places []string) {
	for _, u := range undeclared {
		if len(places) == mostFindings {
			return append(places, "and maybe more")
		}
		switch {
		case wire.PersonalText(u.Pointer) || len(u.Pointer) > 200:
			places = append(places, "one whose name is a datum itself")
		case u.Personal():
			places = append(places, u.Pointer)
		}
	}
	return places
}

// agentID is how the id of an agent is kept in clear: as it is, or as a hash under the vault's secret where it could be more
// than an id, such as an address of mail.
func (s *Service) agentID(agent string) string {
	if plain.MatchString(agent) && !wire.PersonalText(agent) && !strings.HasPrefix(agent, hashed) {
		return agent
	}
	return hashed + s.deps.Vault.Name("agent", agent)
}

// hashed begins what is kept of an agent's id that could be more than an id.
const hashed = "hmac:"

// mostAgent is how many bytes of an agent's id are sealed with what it is answered, where the id is kept as a hash.
const mostAgent = 1000

// name is the same for the same submission of the same session alone.
func (a *applied) name() string {
	sum := sha256.New()
	for _, part := range []string{a.Intake, strings.ToLower(a.Session), a.agent, string(a.canonical)} {
		fmt.Fprintf(sum, "%d %s", len(part), part)
	}
	return string(sum.Sum(nil))
}

// digest proves under a key what was submitted, and by whom.
func (a *applied) digest(key vault.Key) []byte {
	return key.Hash("submission", fmt.Appendf(nil, "%d %s%s", len(a.agent), a.agent, a.canonical))
}

// errOvertaken says that another process has answered the session meanwhile.
var errOvertaken = errors.New("another process has answered this session at the same time")

// submit answers a submission: as it was answered before, or anew.
func (s *Service) submit(ctx context.Context, a *applied) (*Submitted, error) {
	var outcome *offers.Outcome
	for range 5 {
		before, err := s.before(ctx, a)
		if err != nil || before.same != nil {
			return before.same, err
		}
		if before.other && s.deps.OneAnswer {
			return nil, refuse(Revised, "This session has submitted something else to this intake before, and that is still answered; begin a new session for another.")
		}
		if outcome == nil {
			o, err := a.in.Engine.Offer(ctx, s.question(a, before.last))
			var unfit *offers.Unfit
			switch {
			case errors.As(err, &unfit):
				return nil, refuse(SchemaMismatch, "/intake_data%s: %s", unfit.Pointer, unfit.Detail)
			case err != nil:
				return nil, err
			}
			outcome = &o
		}
		out, err := s.recordSubmission(ctx, a, *outcome, before.last)
		if !errors.Is(err, errOvertaken) {
			return out, err
		}
	}
	return nil, errOvertaken
}

// past is what a session has submitted to an intake before.
type past struct {
	same  *Submitted // the same, with its answer; nil for never, or no more
	other bool       // something else, whose answer stands
	last  string     // the id of what came last; empty for nothing
}

// before looks for what a session has submitted before.
func (s *Service) before(ctx context.Context, a *applied) (p past, err error) {
	var records []vault.Record
	err = s.deps.DB.View(ctx, func(tx *store.Tx) (err error) {
		records, err = vault.OfSession(ctx, tx, a.Session, a.Intake)
		return err
	})
	if err != nil || len(records) == 0 {
		return past{}, err
	}
	now, ids := s.deps.Now(), []string(nil)
	for _, r := range records {
		if r.Live(now) {
			ids = append(ids, r.OfferKey)
		}
	}
	keys, err := s.deps.Vault.Keys(ctx, ids...)
	if err != nil {
		return past{}, err
	}
	p.last = records[0].ID
	for _, r := range records {
		key, ok := keys[r.OfferKey]
		if !ok || !r.Live(now) {
			continue
		}
		p.other = true
		if !hmac.Equal(r.Digest, a.digest(key)) {
			continue
		}
		p.same, err = submitted(r, keys)
		return p, err
	}
	return p, nil
}

// submitted is what a submission was answered.
func submitted(r vault.Record, keys map[string]vault.Key) (*Submitted, error) {
	told, err := r.OpenAnswer(keys)
	if err != nil {
		return nil, err
	}
	if told == nil {
		return nil, fmt.Errorf("what was answered to submission %s is erased", r.ID)
	}
	out := &Submitted{Again: true, Entry: r.ID}
	switch {
	case r.Offer != "":
		out.Status, out.Offer = offers.Offered, offered(r, told)
	case told.Reason != "":
		out.Status, out.Reason = offers.Declined, told.Reason
	default:
		out.Status, out.After = offers.Waiting, time.Duration(told.After)*time.Second
	}
	return out, nil
}

// offered is an offer as it was made.
func offered(r vault.Record, told *vault.Answer) *Offer {
	return &Offer{ID: r.Offer, Summary: told.Summary, Details: told.Details, Expires: r.Expires, Binding: told.Binding, Requires: told.Requires, TermsURL: told.TermsURL}
}

// question is what an engine is asked. Asked again, whether by this process or another, it has the same id.
func (s *Service) question(a *applied, last string) offers.Question {
	return offers.Question{
		ID:     s.deps.Vault.Name("question", a.Intake, strings.ToLower(a.Session), a.agent, string(a.canonical), last),
		Intake: a.Intake, Data: a.data, Agent: a.Agent, Session: a.Session, Locale: a.Locale, Timezone: a.Timezone, Now: s.deps.Now().UTC(), Find: s.deps.Lookup,
	}
}

// recordSubmission records a submission with what an engine says to it. Of the session nothing may have been recorded
// since last.
func (s *Service) recordSubmission(ctx context.Context, a *applied, o offers.Outcome, last string) (*Submitted, error) {
	now := s.deps.Now().UTC().Truncate(time.Microsecond)
	r := vault.Record{
		Intake: a.Intake, Session: strings.ToLower(a.Session), Agent: a.agent, Platform: plainName(a.Agent.Platform), Retention: a.in.Retention, Made: now,
	}
	answer := a.in.answer(&r, o, now)
	if a.agent != a.Agent.ID {
		answer.Agent = strings.ToValidUTF8(a.Agent.ID[:min(len(a.Agent.ID), mostAgent)], "")
	}
	key, err := s.deps.Vault.Take(ctx)
	if err != nil {
		return nil, err
	}
	r.Digest = a.digest(key)
	if err := r.SealAnswer(key, answer); err != nil {
		return nil, err
	}
	if r.Retention != wire.RetainNone || r.State == vault.Waiting { // a person has to see what to answer to
		own, err := s.deps.Vault.Take(ctx)
		if err != nil {
			return nil, err
		}
		if err := r.SealData(own, a.data); err != nil {
			return nil, err
		}
	}
	body, err := a.consent(r, answer, key)
	if err != nil {
		return nil, err
	}
	err = s.deps.DB.Update(ctx, func(tx *store.Tx) error {
		if latest, err := vault.LastOf(ctx, tx, a.Session, a.Intake); err != nil || latest != last {
			return errors.Join(err, errOvertakenBy(latest != last))
		}
		if err := s.deps.Fault("submit"); err != nil {
			return err
		}
		if r.ID, err = s.record(ctx, tx, kindIntake, r, answer, key, body); err != nil {
			return err
		}
		if err := s.deps.Fault("submit recorded"); err != nil {
			return err
		}
		return vault.Put(ctx, tx, r)
	})
	if err == nil {
		err = s.deps.Fault("submit done")
	}
	if err != nil {
		return nil, err
	}
	out, err := submitted(r, map[string]vault.Key{key.ID: key})
	if err == nil {
		out.Again = false
	}
	return out, err
}

func errOvertakenBy(another bool) error {
	if another {
		return errOvertaken
	}
	return nil
}

// answer is an outcome as it is kept; it sets the record's state, offer and expiry.
func (in *Definition) answer(r *vault.Record, o offers.Outcome, now time.Time) vault.Answer {
	r.Expires = wholeSecond(now.Add(in.For))
	switch o.Status {
	case offers.Declined:
		r.State = vault.Declined
		return vault.Answer{Reason: o.Reason}
	case offers.Waiting:
		r.State = vault.Waiting
		return vault.Answer{After: int(o.After / time.Second)}
	}
	r.State, r.Offer = vault.Offered, strings.ToLower(rand.Text())
	if !o.Expires.IsZero() {
		r.Expires = wholeSecond(o.Expires)
	}
	a := vault.Answer{Summary: o.Summary, Details: o.Details, TermsURL: o.TermsURL, Binding: in.Binding}
	if a.TermsURL == "" {
		a.TermsURL = in.TermsURL
	}
	if in.Binding {
		if a.Requires = o.BindRequires; a.Requires == nil {
			a.Requires = in.Bind.Requires
		}
	}
	return a
}

// wholeSecond rounds a time up to a second: agents are told no fractions.
func wholeSecond(t time.Time) time.Time {
	return t.UTC().Add(time.Second - time.Nanosecond).Truncate(time.Second)
}
