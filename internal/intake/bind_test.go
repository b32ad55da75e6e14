package intake

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/infra/outbox"
	"frontdesk/internal/intake/offers"
	"frontdesk/internal/intake/vault"
	"frontdesk/internal/testkit/storetest"
	wire "frontdesk/wire/intake"
)

func TestAnOfferIsBoundOnceAndToldOnce(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	k.intake.Bind.Message = "We call you."
	offer := k.submitted(t, k.submission(1, `{"age":41}`)).Offer.ID
	k.clock.Advance(time.Hour)
	first := k.bound(t, k.binding(1, offer, `{"email":"jane@example.com","full_name":"Jane Doe","fax":"12"}`))
	answer, err := wire.ReadBound(first, wire.Options{})
	if err != nil || answer.SessionID != sessionID(1) || answer.OfferID != offer || answer.Status != wire.StatusBound ||
		answer.Message != "We call you." || answer.BoundAt != "2027-05-04T13:00:00Z" {
		t.Fatalf("%s: %v", first, err)
	}
	k.clock.Advance(time.Minute)
	for name, same := range map[string]string{"the same": person,
		"the same in other words": ` {"full_name":"Jane Doe", "email":"jane\u0040example.com"}`, "more that is not taken": `{"email":"jane@example.com","full_name":"Jane Doe","fax":"13"}`} {
		if again := k.bound(t, k.binding(1, offer, same)); string(again) != string(first) {
			t.Errorf("%s: %s", name, again)
		}
	}
	for name, other := range map[string]string{"another name": `{"email":"jane@example.com","full_name":"John Doe"}`, "less": `{"email":"jane@example.com"}`, "nothing": `{}`} {
		if _, err := k.Bind(t.Context(), k.binding(1, offer, other)); refusedWith(t, err).Reason != OfferBound {
			t.Errorf("%s: %v", name, err)
		}
	}
	told := k.deliver(t, nil)
	if told == nil || string(told.Data) != person || string(told.Input) != `{"age":41}` ||
		told.Summary != "Two jars a week." || told.ID != offer || told.Intake != "assessment" ||
		told.Agent != "agent-7" {
		t.Fatalf("told is %+v", told)
	}
	if again := k.deliver(t, nil); again != nil {
		t.Error("the business is told twice")
	}
	entries := k.ledgerEntries(t, "bind")
	if len(entries) != 1 {
		t.Fatalf("there are %d entries", len(entries))
	}
	body := entries[0]["body"].(map[string]any)
	if told.Entry != entries[0]["id"] || entries[0]["subject"] != offer || entries[0]["request"] != sessionID(1) ||
		entries[0]["party"] != "agent:agent-7" || body["outcome"] != "bound" ||
		body["effect"] != "crm" || body["user_confirmed_at"] != "2027-05-04T09:59:58Z" ||
		fmt.Sprint(body["fields"]) != "[email full_name]" || fmt.Sprint(body["consent_scope"]) != "[intake bind]" ||
		body["consent"] != "asserted by the agent, not proven" || len(body["bind_data_hash"].(string)) != 64 {
		t.Errorf("the entry is %v", entries[0])
	}
	if q := k.request(t, vault.Filter{State: vault.Bound}); q.Bind == nil || q.Bind.Done.IsZero() ||
		string(q.Fields) != person {
		t.Errorf("the inbox has %+v", q)
	}
}

func TestWhatIsNoBindIsRefusedAndLeavesNoTrace(t *testing.T) {
	t.Parallel()
	fields, err := wire.CompileSchema([]byte(`{"type":"object","properties":{"start":{"type":"string","format":"date"},"email":{"type":"string","format":"email"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		data   string
		change func(*taker, *BindRequest)
		reason Reason
		told   string
	}{
		{name: "an offer that there is not", change: func(_ *taker, b *BindRequest) { b.Offer = "x" },
			reason: OfferUnknown},
		{name: "another session", change: func(_ *taker, b *BindRequest) { b.Session = sessionID(2) },
			reason: OfferUnknown},
		{name: "another agent", change: func(_ *taker, b *BindRequest) { b.Agent.ID = "agent-8" },
			reason: OfferUnknown},
		{name: "another intake", change: func(k *taker, b *BindRequest) {
			other := *k.intake
			other.ID, b.Intake = "other", "other"
			k.others = append(k.others, &other)
		}, reason: OfferUnknown},
		{name: "an intake that there is not", change: func(_ *taker, b *BindRequest) { b.Intake = "other" },
			reason: OfferUnknown},
		{name: "an intake that binds no more", change: func(k *taker, _ *BindRequest) { k.intake.Binding = false },
			reason: OfferUnknown},
		{name: "an offer that has just expired", change: func(k *taker, _ *BindRequest) {
			k.clock.Advance(7 * 24 * time.Hour)
		}, reason: OfferExpired},
		{name: "no consent to bind", change: func(_ *taker, b *BindRequest) {
			b.Agent.ConsentScope = []wire.Scope{wire.ScopeIntake}
		}, reason: InputInvalid, told: `"bind"`},
		{name: "no consent that the intake needs", change: func(k *taker, _ *BindRequest) {
			k.intake.Bind.Consent = []wire.Scope{wire.ScopePayment}
		}, reason: InputInvalid, told: `"payment"`},
		{name: "a field is missing", data: `{"email":"jane@example.com"}`, reason: BindIncomplete, told: "full_name"},
		{name: "a field is empty", data: `{"email":"jane@example.com","full_name":" "}`, reason: BindIncomplete, told: "full_name"},
		{name: "a field is null", data: `{"email":null,"full_name":"Jane Doe"}`, reason: BindIncomplete, told: "email"},
		{name: "a declared field is malformed", data: `{"email":"jane@example.com","full_name":"Jane Doe","start":"soon"}`, reason: InputInvalid, told: "/bind_data/start"},
		{name: "a required field is malformed", data: `{"email":"jane","full_name":"Jane Doe"}`, reason: InputInvalid, told: "/bind_data/email"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newTaker(t)
			k.intake.Bind.Fields = fields
			offer := k.submitted(t, k.submission(1, `{"age":41}`)).Offer.ID
			if c.data == "" {
				c.data = person
			}
			b := k.binding(1, offer, c.data)
			if c.change != nil {
				c.change(k, &b)
			}
			_, err := k.Bind(t.Context(), b)
			r := refusedWith(t, err)
			if r.Reason != c.reason || !strings.Contains(r.Message, c.told) {
				t.Errorf("%v", r)
			}
			for _, value := range []string{"jane", "Jane", "soon"} {
				if strings.Contains(r.Message, value) {
					t.Errorf("the message holds a value: %s", r.Message)
				}
			}
			if n := k.rowsOf(t, "submission_bind") + k.rowsOf(t, "outbox_effect") +
				len(k.ledgerEntries(t, "bind")); n != 0 {
				t.Errorf("%d traces of what was refused", n)
			}
		})
	}
}

func TestAnOfferThatCannotBeBoundIsNotThere(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	k.intake.Binding = false
	out := k.submitted(t, k.submission(1, `{"age":41}`))
	if out.Offer.Binding || out.Offer.Requires != nil {
		t.Errorf("%+v", out.Offer)
	}
	k.intake.Binding = true // what was offered stays what it was
	if _, err := k.Bind(t.Context(), k.binding(1, out.Offer.ID, person)); refusedWith(t, err).Reason != OfferUnknown {
		t.Error(err)
	}
}

func TestAnOfferIsBoundUntilItsLastInstant(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	until := k.clock.Now().Add(90 * time.Minute)
	k.engine.say = func(offers.Request) (offers.Outcome, error) {
		return offers.Outcome{Status: offers.Offered, Summary: "Now.", Expires: until, BindRequires: []string{},
			TermsURL: "https://site.example/terms"}, nil
	}
	out := k.submitted(t, k.submission(1, `{"age":41}`))
	if !out.Offer.Expires.Equal(until) || out.Offer.TermsURL != "https://site.example/terms" ||
		len(out.Offer.Requires) != 0 {
		t.Errorf("%+v", out.Offer)
	}
	k.clock.Advance(90*time.Minute - time.Nanosecond)
	first := k.bound(t, k.binding(1, out.Offer.ID, `{}`))
	k.clock.Advance(time.Hour)
	if again := k.bound(t, k.binding(1, out.Offer.ID, `{}`)); string(again) != string(first) {
		t.Error("what is bound expired")
	}
}

// TestAThousandBindsAreOne has many bind one offer at once: half with the same data as the first,
// half with other.
func TestAThousandBindsAreOne(t *testing.T) {
	t.Parallel()
	clients := 1000
	if testing.Short() {
		clients = 100
	}
	k := newTaker(t)
	offer := k.submitted(t, k.submission(1, `{"age":41}`)).Offer.ID
	answers, data := make([]string, clients), make([]string, clients)
	var all sync.WaitGroup
	for i := range clients {
		data[i] = fmt.Sprintf(`{"email":"jane%d@example.com","full_name":"Jane Doe"}`, i%2)
		all.Go(func() {
			out, err := k.Bind(t.Context(), k.binding(1, offer, data[i]))
			var refusal *Refusal
			switch {
			case errors.As(err, &refusal):
				answers[i] = string(refusal.Reason)
			case err != nil:
				t.Error(err)
			default:
				answers[i] = string(out)
			}
		})
	}
	all.Wait()
	if n := k.rowsOf(t, "submission_bind") + k.rowsOf(t, "outbox_effect") + len(k.ledgerEntries(t, "bind")); n != 3 {
		t.Errorf("%d traces of one bind", n)
	}
	told := 0
	for k.deliver(t, nil) != nil {
		told++
	}
	fields := string(k.request(t, vault.Filter{}).Fields)
	for i, answer := range answers {
		if bound := strings.HasPrefix(answer, "{"); bound != (data[i] == fields) ||
			!bound && answer != string(OfferBound) {
			t.Fatalf("with %s, and %s bound, the answer is %s", data[i], fields, answer)
		}
	}
	slices.Sort(answers)
	if kinds := slices.Compact(answers); len(kinds) != 2 || told != 1 {
		t.Errorf("%d different answers, and the business was told %d times", len(kinds), told)
	}
}

func TestAnEffectThatFailsIsDoneLater(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	offer := k.submitted(t, k.submission(1, `{"age":41}`)).Offer.ID
	k.bound(t, k.binding(1, offer, person))
	if k.deliver(t, errors.New("the server does not answer")) == nil || k.deliver(t, nil) != nil {
		t.Error("a failed effect is not kept for later")
	}
	if q := k.request(t, vault.Filter{}); !q.Bind.Done.IsZero() {
		t.Error("a bind is done of which nobody was told")
	}
	k.clock.Advance(time.Minute)
	if k.deliver(t, nil) == nil || k.rowsOf(t, "outbox_effect") != 0 {
		t.Error("a failed effect is not done later")
	}
	if n, err := k.CountTasks(t.Context()); err != nil || n != 0 {
		t.Errorf("%d requests are open: %v", n, err)
	}
}

// TestABindWhoseVaultIsMissingIsKept gives a service another vault, as whoever moves a server and
// forgets it.
func TestABindWhoseVaultIsMissingIsKept(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	offer := k.submitted(t, k.submission(1, `{"age":41}`)).Offer.ID
	k.bound(t, k.binding(1, offer, person))
	right, at := k.taking.Vault, k.places.vault
	if err := k.checkVault(t.Context()); err != nil {
		t.Errorf("the vault is the right one: %v", err)
	}
	k.places.vault = storetest.ChosenDSN(t)
	k.taking.Vault = k.openVault(t, "")
	k.restart(t)
	if err := k.checkVault(t.Context()); err == nil || !strings.Contains(err.Error(), "intakes.vault") {
		t.Errorf("another vault is taken for the right one: %v", err)
	}
	if k.deliver(t, nil) != nil || k.rowsOf(t, "outbox_effect") != 1 {
		t.Error("what cannot be opened is told, or forgotten")
	}
	k.places.vault, k.taking.Vault = at, right
	k.restart(t)
	k.clock.Advance(time.Minute)
	if told := k.deliver(t, nil); told == nil || string(told.Data) != person {
		t.Errorf("told is %+v", told)
	}
}

func TestABindWaitsInTheInboxUntilItIsMarkedAsDone(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	k.intake.Bind.Sink = ""
	offer := k.submitted(t, k.submission(1, `{"age":41}`)).Offer.ID
	if err := k.MarkDone(t.Context(), offer, "key:1"); err == nil {
		t.Error("an offer that is not bound is done")
	}
	k.bound(t, k.binding(1, offer, person))
	if n := k.rowsOf(t, "outbox_effect"); n != 0 {
		t.Errorf("%d effects", n)
	}
	if n, err := k.CountTasks(t.Context()); err != nil || n != 1 {
		t.Errorf("%d requests are open: %v", n, err)
	}
	if q := k.request(t, vault.Filter{}); string(q.Fields) != person {
		t.Errorf("the inbox has %s", q.Fields)
	}
	if err := k.MarkDone(t.Context(), offer, "key:1"); err != nil {
		t.Fatal(err)
	}
	if n, err := k.CountTasks(t.Context()); err != nil || n != 0 {
		t.Errorf("%d requests are open: %v", n, err)
	}
	if body := k.ledgerEntries(t, "bind")[0]["body"].(map[string]any); body["effect"] != "inbox" {
		t.Errorf("the entry says %v", body)
	}
}

func TestAnEffectIsAReferenceAlone(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	offer := k.submitted(t, k.submission(1, `{"age":41}`)).Offer.ID
	k.bound(t, k.binding(1, offer, person))
	var got outbox.Effect
	box := outbox.New(outbox.Options{DB: k.db, Sinks: []string{"crm"}, Now: k.clock.Now,
		Deliver: func(_ context.Context, e outbox.Effect) error {
			got = e
			return nil
		}})
	if _, err := box.RunOne(t.Context(), "crm"); err != nil {
		t.Fatal(err)
	}
	var body map[string]string
	if err := json.Unmarshal(got.Body, &body); err != nil || len(body) != 1 || body["offer"] != offer ||
		got.ID != effectID(offer) {
		t.Errorf("the effect %s is %s", got.ID, got.Body)
	}
}

// TestWhoIsMoreThanAnIDIsSealed keeps what may be a person's out of the rows of the database, which
// backups have, and lets those read it whom it concerns until it is erased.
func TestWhoIsMoreThanAnIDIsSealed(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	const who = "agent-of-jane@example.com"
	s := k.submission(1, `{"age":41}`)
	s.Agent.ID = who
	offer := k.submitted(t, s).Offer.ID
	if again := k.submitted(t, s); !again.Replay {
		t.Error("the same agent is another one when it comes again")
	}
	b := k.binding(1, offer, person)
	b.Agent.ID = "agent-of-joan@example.com"
	if _, err := k.Bind(t.Context(), b); refusedWith(t, err).Reason != OfferUnknown {
		t.Errorf("another agent: %v", err)
	}
	q := k.request(t, vault.Filter{Find: who})
	b.Agent.ID = q.Agent
	if _, err := k.Bind(t.Context(), b); refusedWith(t, err).Reason != OfferUnknown {
		t.Errorf("an agent by its hash: %v", err)
	}
	b.Agent.ID = who
	k.bound(t, b)
	if q := k.request(t, vault.Filter{Find: sessionID(1)}); strings.Contains(q.Agent, "jane") || q.From() != who {
		t.Errorf("kept is %q, told %q", q.Agent, q.From())
	}
	err := k.Deliver(t.Context(), outbox.Effect{Body: []byte(`{"offer":"` + offer + `"}`)},
		func(_ context.Context, told BoundOffer) error {
			if told.Agent != who {
				t.Errorf("the business is told of %q", told.Agent)
			}
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := k.Export(t.Context(), offer, &out); err != nil {
		t.Fatal(err)
	}
	var read struct {
		Submissions []struct {
			Agent string            `json:"agent_id"`
			Keys  map[string][]byte `json:"hash_keys"`
		} `json:"submissions"`
	}
	if err := json.Unmarshal(out.Bytes(), &read); err != nil || len(read.Submissions) != 1 ||
		read.Submissions[0].Agent != who {
		t.Fatalf("%v, %s", err, out.String())
	}
	for _, kind := range []string{"intake", "bind"} {
		if party := k.ledgerEntries(t, kind)[0]["party"]; party !=
			"agent:hmac:"+hmacHex(read.Submissions[0].Keys["agent"], who) {
			t.Errorf("the party of the entry %q is %v, which the export does not prove", kind, party)
		}
	}
	if _, err := k.Erase(t.Context(), offer, "key:1"); err != nil {
		t.Fatal(err)
	}
	if q := k.request(t, vault.Filter{Find: sessionID(1)}); q.From() != "" {
		t.Errorf("told is %q", q.From())
	}
}

// TestWhoIsMoreThanAnIDIsHashed keeps what may be a person's out of the ledger.
func TestWhoIsMoreThanAnIDIsHashed(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	for i, id := range []string{"jane@example.com", "the agent of Jane Doe", strings.Repeat("x", 4000)} {
		s := k.submission(i, `{"age":41}`)
		s.Agent.ID, s.Agent.Platform, s.Agent.Name = id, "Jane Doe's own", "Jane's"
		offer := k.submitted(t, s).Offer.ID
		b := k.binding(i, offer, person)
		b.Agent.ID = id
		k.bound(t, b)
	}
	for _, kind := range []string{"intake", "bind"} {
		entries := k.ledgerEntries(t, kind)
		if len(entries) != 3 {
			t.Fatalf("%d entries", len(entries))
		}
		for _, entry := range entries {
			text, _ := json.Marshal(entry)
			if !strings.HasPrefix(entry["party"].(string), "agent:hmac:") ||
				strings.Contains(strings.ToLower(string(text)), "jane") {
				t.Errorf("the entry is %s", text)
			}
		}
	}
}
