package intake

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/intake/offers"
	"frontdesk/internal/intake/vault"
	wire "frontdesk/wire/intake"
)

func TestASubmissionIsAnsweredAndRecorded(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	out := k.submitted(t, k.submission(1, `{"age":41,"note":"tired"}`))
	if out.Status != offers.Offered || out.Replay || out.Offer == nil || len(out.Offer.ID) != 26 ||
		out.Offer.Summary != "Two jars a week." || !out.Offer.Binding ||
		!slices.Equal(out.Offer.Requires, []string{"email", "full_name"}) ||
		!out.Offer.Expires.Equal(k.clock.Now().Add(7*24*time.Hour)) {
		t.Fatalf("%+v %+v", out, out.Offer)
	}
	entries := k.ledgerEntries(t, "intake")
	if len(entries) != 1 {
		t.Fatalf("there are %d entries", len(entries))
	}
	entry := entries[0]
	body := entry["body"].(map[string]any)
	offer := body["offer"].(map[string]any)
	if entry["id"] != out.Entry || entry["request"] != sessionID(1) || entry["party"] != "agent:agent-7" ||
		entry["subject"] != out.Offer.ID || body["platform"] != "chat" ||
		body["consent"] != "asserted by the agent, not proven" || body["outcome"] != "offered" ||
		body["input_schema_hash"] != k.intake.Schema.Hash() ||
		len(body["intake_data_hash"].(string)) != 64 || offer["id"] != out.Offer.ID ||
		len(offer["hash"].(string)) != 64 || offer["expires"] != "2027-05-11T12:00:00Z" {
		t.Errorf("the entry is %v", entry)
	}
	if privacy := body["privacy"].(map[string]any); privacy["data_retention"] != "30_days" ||
		privacy["pii_required"] != false || privacy["redacted_acceptable"] != true {
		t.Errorf("the privacy block is %v", privacy)
	}
	q := k.request(t, vault.Filter{Find: strings.ToUpper(sessionID(1))})
	if string(q.Input) != `{"age":41,"note":"tired"}` || q.OpenedAnswer == nil ||
		q.OpenedAnswer.Summary != "Two jars a week." || q.StateNow != vault.Offered || q.Agent != "agent-7" ||
		q.ID != out.Entry {
		t.Errorf("the inbox has %+v", q)
	}
}

func TestTheSameSubmissionGetsTheSameOfferForAsLongAsItStands(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	first := k.submitted(t, k.submission(1, `{"age":41,"note":"tired"}`))
	again := k.submission(1, ` {"note" : "tired", "age":4.1e1} `)
	again.Session = strings.ToUpper(again.Session)
	if out := k.submitted(t, again); !out.Replay || out.Offer.ID != first.Offer.ID || out.Entry != first.Entry ||
		out.Offer.Expires != first.Offer.Expires {
		t.Errorf("asked again: %+v %+v", out, out.Offer)
	}
	for name, other := range map[string]Submission{
		"other data": k.submission(1, `{"age":42,"note":"tired"}`), "another session": k.submission(2, `{"age":41,"note":"tired"}`),
		"another agent": func() Submission {
			s := k.submission(1, `{"age":41,"note":"tired"}`)
			s.Agent.ID = "agent-8"
			return s
		}(),
	} {
		if out := k.submitted(t, other); out.Replay || out.Offer.ID == first.Offer.ID {
			t.Errorf("%s: %+v", name, out)
		}
	}
	if out := k.submitted(t, again); out.Offer.ID != first.Offer.ID {
		t.Error("a revision took the earlier offer away")
	}
	if n := k.engine.asked.Load(); n != 4 {
		t.Errorf("the engine was asked %d times", n)
	}
	k.clock.Advance(7*24*time.Hour - time.Nanosecond)
	if out := k.submitted(t, again); out.Offer.ID != first.Offer.ID {
		t.Error("the offer was gone before its time")
	}
	k.clock.Advance(time.Nanosecond)
	if out := k.submitted(t, again); out.Replay || out.Offer.ID == first.Offer.ID {
		t.Error("an offer that has expired was given again")
	}
	slices.Sort(k.engine.ids)
	if ids := slices.Compact(k.engine.ids); len(ids) != 5 {
		t.Errorf("the engine's questions have %d ids", len(ids))
	}
}

func TestARevisionIsRefusedWhereOneAnswerIsAll(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	k.taking.RefuseRevisions = true
	k.restart(t)
	k.submitted(t, k.submission(1, `{"age":41}`))
	_, err := k.Submit(t.Context(), k.submission(1, `{"age":42}`))
	if r := refusedWith(t, err); r.Reason != Revised {
		t.Errorf("%v", r)
	}
	k.submitted(t, k.submission(1, `{"age":41}`))
	k.submitted(t, k.submission(2, `{"age":42}`))
	k.clock.Advance(8 * 24 * time.Hour)
	k.submitted(t, k.submission(1, `{"age":42}`))
}

// Each undeclared member is looked at once: what is looked at for each of them makes a request of
// 60 KB take half a minute.
//
// Not parallel: it counts what is allocated.
func TestManyUndeclaredMembersAreSoonLookedThrough(t *testing.T) {
	k := newTaker(t)
	for name, member := range map[string]string{"names": `"k%d":1`, "personal names": `"email%d":1`, "texts": `"k%d":"0 1"`} {
		data := []byte(`{"age":1`)
		for i := range 3000 {
			data = fmt.Appendf(append(data, ','), member, i)
		}
		s := k.submission(1, string(append(data, '}')))
		var message string
		if n := testing.AllocsPerRun(1, func() {
			if _, err := k.validate(k.intake, s); err != nil {
				message = err.Error()
			}
		}); n > 300_000 {
			t.Errorf("%s: it takes %.0f allocations", name, n)
		}
		if name == "personal names" && (!strings.Contains(message, "/email0") || len(message) > 500) {
			t.Errorf("%s: %s", name, message)
		}
	}
}

func TestWhatIsSubmittedIsHeldAgainstSchemaConsentAndPrivacy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		data   string
		change func(*taker, *Submission)
		reason Reason // empty: it is answered
		told   string // that the message has
		never  string // that it does not have
		kept   string // what is kept
	}{
		{name: "a value beyond the maximum", data: `{"age":131}`, reason: SchemaMismatch, told: "/intake_data/age", never: "131 is"},
		{name: "a required member is missing", data: `{}`, reason: SchemaMismatch, told: "/intake_data"},
		{name: "zero is not missing", data: `{"age":0}`, kept: `{"age":0}`},
		{name: "a wrong enum", data: `{"age":1,"concern":"secret"}`, reason: SchemaMismatch, told: "/intake_data/concern", never: "secret"},
		{name: "what is undeclared is not kept", data: `{"age":1,"colour":"blue"}`, kept: `{"age":1}`},
		{name: "an undeclared e-mail", data: `{"age":1,"email":"x"}`, reason: SchemaMismatch, told: `/email`},
		{name: "an undeclared address in a value", data: `{"age":1,"colour":{"a":["jane@example.com"]}}`, reason: SchemaMismatch, told: `/colour`, never: "jane"},
		{name: "an undeclared name within another", data: `{"age":1,"customer":{"vorname":"Jana"}}`, reason: SchemaMismatch, told: `/customer/vorname`, never: "Jana"},
		{name: "an undeclared number of a phone in a second line", data: `{"age":1,"colour":"blue\n0664 1234567"}`, reason: SchemaMismatch, told: `/colour`},
		{name: "an undeclared address in other letters", data: `{"age":1,"colour":"jane\u0040example.com"}`, reason: SchemaMismatch, told: `/colour`},
		{name: "an undeclared name that is an address", data: `{"age":1,"jane@example.com":true}`, reason: SchemaMismatch, never: "jane"},
		{name: "an undeclared e-mail where personal data is asked for", data: `{"age":1,"email":"x"}`, change: func(k *taker, _ *Submission) {
			k.intake.PIIRequired = true
		}, kept: `{"age":1}`},
		{name: "an undeclared e-mail where such are left out", data: `{"age":1,"email":"x"}`, change: func(k *taker, _ *Submission) {
			k.intake.DropPersonal = true
		}, kept: `{"age":1}`},
		{name: "an optional text that is struck out", data: `{"age":1,"concern":"[redacted]"}`, kept: `{"age":1}`},
		{name: "an optional text that is struck out where that is not taken", data: `{"age":1,"concern":"[redacted]"}`,
			change: func(k *taker, _ *Submission) {
				k.intake.NoRedacted = true
			}, reason: SchemaMismatch, told: "concern"},
		{name: "a number that is struck out", data: `{"age":"[redacted]"}`, reason: SchemaMismatch, told: "/intake_data/age"},
		{name: "a scope that the intake needs", data: `{"age":1}`, change: func(k *taker, s *Submission) {
			k.intake.Scopes, s.Agent.ConsentScope = []wire.Scope{wire.ScopeOffer}, []wire.Scope{wire.ScopeIntake}
		}, reason: InputInvalid, told: `"offer"`},
		{name: "no consent to the intake", data: `{"age":1}`, change: func(_ *taker, s *Submission) {
			s.Agent.ConsentScope = []wire.Scope{wire.ScopeOffer}
		}, reason: InputInvalid, told: `"intake"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newTaker(t)
			s := k.submission(1, c.data)
			if c.change != nil {
				c.change(k, &s)
			}
			out, err := k.Submit(t.Context(), s)
			if c.reason == "" {
				if err != nil || out.Offer == nil {
					t.Fatalf("%+v, %v", out, err)
				}
				if q := k.request(t, vault.Filter{}); string(q.Input) != c.kept {
					t.Errorf("kept is %s", q.Input)
				}
				return
			}
			r := refusedWith(t, err)
			if r.Reason != c.reason || !strings.Contains(r.Message, c.told) ||
				c.never != "" && strings.Contains(r.Message, c.never) {
				t.Errorf("%v", r)
			}
			if n := k.rowsOf(t, "submission_record") + len(k.ledgerEntries(t, "intake")) +
				int(k.engine.asked.Load()); n != 0 {
				t.Errorf("%d traces of what was refused", n)
			}
		})
	}
	k := newTaker(t)
	s := k.submission(1, `{"age":1}`)
	s.Intake = "other"
	if _, err := k.Submit(t.Context(), s); fail.From(err).Code != fail.NotFound {
		t.Errorf("an intake that is not there: %v", err)
	}
}

func TestDataThatCannotBeComputedWithDoesNotFitTheSchema(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	k.engine.say = func(offers.Request) (offers.Outcome, error) {
		return offers.Outcome{}, &offers.UnusableData{Pointer: "/age", Detail: "is too large"}
	}
	_, err := k.Submit(t.Context(), k.submission(1, `{"age":41}`))
	if r := refusedWith(t, err); r.Reason != SchemaMismatch || r.Message != "/intake_data/age: is too large" {
		t.Error(r)
	}
	if n := k.rowsOf(t, "submission_record") + len(k.ledgerEntries(t, "intake")); n != 0 {
		t.Errorf("%d traces of what was refused", n)
	}
}

func TestADeclineIsRepeatedAndAnErrorIsNot(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	k.engine.say = func(offers.Request) (offers.Outcome, error) {
		return offers.Outcome{Status: offers.Declined, Reason: "We take on adults only."}, nil
	}
	first := k.submitted(t, k.submission(1, `{"age":11}`))
	again := k.submitted(t, k.submission(1, `{"age":11}`))
	if first.Status != offers.Declined || first.Reason != "We take on adults only." || first.Offer != nil ||
		again.Reason != first.Reason || !again.Replay || k.engine.asked.Load() != 1 {
		t.Errorf("%+v, then %+v", first, again)
	}
	busyNow := fail.New(fail.Unavailable, "the scheduler does not answer")
	busyNow.RetryAfter = 7 * time.Second
	for _, c := range []struct {
		err    error
		reason Reason
	}{{busyNow, Busy}, {errors.New("the rule offers[0] fails"), ""}, {context.DeadlineExceeded, Busy}} {
		k.engine.say = func(offers.Request) (offers.Outcome, error) { return offers.Outcome{}, c.err }
		_, err := k.Submit(t.Context(), k.submission(2, `{"age":22}`))
		var refusal *Refusal
		if errors.As(err, &refusal) != (c.reason != "") || c.reason != "" && refusal.Reason != c.reason ||
			c.reason == "" && !errors.Is(err, c.err) {
			t.Errorf("%v became %v", c.err, err)
		}
		if c.err == error(busyNow) && refusal.RetryAfter != 7*time.Second {
			t.Errorf("come back in %s", refusal.RetryAfter)
		}
	}
	if n := k.rowsOf(t, "submission_record"); n != 1 || len(k.ledgerEntries(t, "intake")) != 1 {
		t.Errorf("there are %d records", n)
	}
	k.engine.say = nil
	if out := k.submitted(t, k.submission(2, `{"age":22}`)); out.Offer == nil {
		t.Error("a failure stuck")
	}
	slices.Sort(k.engine.ids)
	if ids := slices.Compact(k.engine.ids); len(ids) != 2 {
		t.Errorf("a question that is asked again has another id: %d", len(ids))
	}
}

func TestAskedTwiceAtOnceThereIsOneOffer(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	const clients = 40
	entered, leave := make(chan struct{}, clients), make(chan struct{})
	k.engine.say = func(offers.Request) (offers.Outcome, error) {
		entered <- struct{}{}
		<-leave
		return usualOutcome(), nil
	}
	offers := make([]string, clients)
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			out, err := k.Submit(t.Context(), k.submission(1, `{"age":41}`))
			if err != nil {
				t.Error(err)
				return
			}
			offers[i] = out.Offer.ID
		})
	}
	<-entered
	close(leave)
	all.Wait()
	slices.Sort(offers)
	if offers = slices.Compact(offers); len(offers) != 1 || k.rowsOf(t, "submission_record") != 1 ||
		k.engine.asked.Load() != 1 {
		t.Errorf("%d offers, and the engine was asked %d times", len(offers), k.engine.asked.Load())
	}
}

// TestTwoProcessesMakeOneOffer has two services on one database answer the same submission at the
// same time: each asks its engine, under the same id, and one of them is overtaken.
func TestTwoProcessesMakeOneOffer(t *testing.T) {
	t.Parallel()
	at := newPlaces(t)
	nodes := []*taker{openTaker(t, at), openTaker(t, at)}
	var together sync.WaitGroup
	together.Add(2)
	given := make([]string, 2)
	var all sync.WaitGroup
	for i, k := range nodes {
		k.engine.say = func(offers.Request) (offers.Outcome, error) {
			together.Done()
			together.Wait()
			return usualOutcome(), nil
		}
		all.Go(func() {
			out, err := k.Submit(t.Context(), k.submission(1, `{"age":41}`))
			if err != nil {
				t.Error(err)
				return
			}
			given[i] = out.Offer.ID
		})
	}
	all.Wait()
	if given[0] != given[1] || given[0] == "" || nodes[0].rowsOf(t, "submission_record") != 1 ||
		len(nodes[0].ledgerEntries(t, "intake")) != 1 {
		t.Errorf("the given are %q", given)
	}
	if nodes[0].engine.ids[0] != nodes[1].engine.ids[0] {
		t.Error("the two processes asked under different ids")
	}
}

func TestWhoLeavesDoesNotUndoWhatOthersWaitFor(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	entered, leave := make(chan struct{}), make(chan struct{})
	k.engine.say = func(offers.Request) (offers.Outcome, error) {
		close(entered)
		<-leave
		return usualOutcome(), nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error)
	go func() {
		_, err := k.Submit(ctx, k.submission(1, `{"age":41}`))
		gone <- err
	}()
	<-entered
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("who left got %v", err)
	}
	close(leave)
	if out := k.submitted(t, k.submission(1, `{"age":41}`)); out.Offer == nil || k.engine.asked.Load() != 1 {
		t.Errorf("the engine was asked %d times", k.engine.asked.Load())
	}
}

func TestAPersonAnswersWhatWaits(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	k.intake.Retention = wire.RetainNone
	k.engine.say = func(offers.Request) (offers.Outcome, error) {
		return offers.Outcome{Status: offers.Waiting, RetryAfter: 5 * time.Minute}, nil
	}
	first := k.submitted(t, k.submission(1, `{"age":41}`))
	if first.Status != offers.Waiting || first.RetryAfter != 5*time.Minute || first.Offer != nil {
		t.Fatalf("%+v", first)
	}
	if again := k.submitted(t, k.submission(1, `{"age":41}`)); again.Status != offers.Waiting || !again.Replay ||
		k.engine.asked.Load() != 1 {
		t.Errorf("asked again: %+v", again)
	}
	q := k.request(t, vault.Filter{State: vault.Waiting})
	if string(q.Input) != `{"age":41}` || q.StateNow != vault.Waiting {
		t.Fatalf("the inbox has %+v", q)
	}
	for _, bad := range []offers.Outcome{{Status: offers.Offered}, {Status: offers.Waiting, RetryAfter: time.Minute},
		{}} {
		if err := k.Answer(t.Context(), q.ID, bad, "key:1"); fail.From(err).Code != fail.Invalid {
			t.Errorf("%+v is taken: %v", bad, err)
		}
	}
	if err := k.Answer(t.Context(), first.Entry, offers.Outcome{Status: offers.Offered, Summary: "Come on Monday."},
		"key:1"); err != nil {
		t.Fatal(err)
	}
	out := k.submitted(t, k.submission(1, `{"age":41}`))
	if out.Status != offers.Offered || out.Offer.Summary != "Come on Monday." ||
		!slices.Equal(out.Offer.Requires, []string{"email"}) {
		t.Errorf("%+v", out)
	}
	entries := k.ledgerEntries(t, "offer")
	if len(entries) != 1 || entries[0]["subject"] != out.Offer.ID ||
		entries[0]["body"].(map[string]any)["by"] != "key:1" {
		t.Errorf("the ledger has %v", entries)
	}
	for _, id := range []string{q.ID, "0190163d-8694-739b-aea5-966c26f8ad90"} {
		if err := k.Answer(t.Context(), id, offers.Outcome{Status: offers.Declined, Reason: "No."},
			"key:1"); fail.From(err).Code != fail.NotFound {
			t.Errorf("%s can be answered: %v", id, err)
		}
	}
	// Once it is answered, what was submitted is not needed any more.
	if err := k.EraseDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if q := k.request(t, vault.Filter{}); q.Input != nil || q.DataKey != "" || q.OpenedAnswer == nil {
		t.Errorf("the inbox still has %s", q.Input)
	}
	if len(k.bound(t, k.binding(1, out.Offer.ID, `{"email":"jane@example.com"}`))) == 0 {
		t.Error("the offer cannot be bound")
	}
}
