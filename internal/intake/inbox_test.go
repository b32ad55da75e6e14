package intake

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/intake/offers"
	"frontdesk/internal/intake/vault"
	wire "frontdesk/wire/intake"
	"frontdesk/wire/strictjson"
)

// furnished is a service with a submission of every state: by number of its session, how it stands.
// Each came an hour after the one before.
func furnished(t *testing.T) (*taker, []vault.State) {
	t.Helper()
	k := newTaker(t)
	k.intake.Bind.Sink = ""
	k.intake.Retention = wire.RetainIndefinite
	want := []vault.State{vault.Waiting, vault.Declined, vault.Bound, vault.Expired, vault.Erased, vault.Offered,
		vault.Bound}
	for n, state := range want {
		k.clock.Advance(time.Hour)
		k.engine.say = func(offers.Request) (offers.Outcome, error) {
			switch state {
			case vault.Waiting:
				return offers.Outcome{Status: offers.Waiting, RetryAfter: time.Minute}, nil
			case vault.Declined:
				return offers.Outcome{Status: offers.Declined, Reason: "No."}, nil
			case vault.Expired:
				return offers.Outcome{Status: offers.Offered, Summary: "Soon over.",
					Expires: k.clock.Now().Add(time.Minute)}, nil
			}
			return usualOutcome(), nil
		}
		s := k.submission(n, `{"age":41}`)
		if s.Agent.ID = fmt.Sprint("agent-", n%2); n%3 == 0 {
			s.Agent.Platform = "telephone"
		}
		out := k.submitted(t, s)
		switch state {
		case vault.Bound:
			b := k.binding(n, out.Offer.ID, person)
			b.Agent.ID = s.Agent.ID
			k.bound(t, b)
		case vault.Erased:
			if _, err := k.Erase(t.Context(), sessionID(n), "key:1"); err != nil {
				t.Fatal(err)
			}
		}
	}
	return k, want
}

// listed are the sessions' numbers of what a filter finds, in its order.
func (k *taker) listed(t *testing.T, f vault.Filter) (numbers []int) {
	t.Helper()
	all, err := k.Inbox(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		var n int
		fmt.Sscanf(l.Session[24:], "%x", &n)
		numbers = append(numbers, n)
		if l.Data != nil || l.Answer != nil || l.Digest != nil ||
			l.Bind != nil && (l.Bind.Data != nil || l.Bind.Answer != nil) {
			t.Errorf("session %d is listed with what is sealed", n)
		}
	}
	return numbers
}

func TestTheInboxListsWhatIsLookedFor(t *testing.T) {
	t.Parallel()
	k, want := furnished(t)
	begun := k.clock.Now().Add(-time.Duration(len(want)) * time.Hour)
	bound, err := k.Inbox(t.Context(), vault.Filter{Find: sessionID(2)})
	if err != nil || len(bound) != 1 || bound[0].Bind == nil || bound[0].Bind.Entry == "" ||
		!bound[0].Bind.CreatedAt.Equal(begun.Add(3*time.Hour)) || !bound[0].Bind.Done.IsZero() {
		t.Fatalf("%+v, %v", bound, err)
	}
	for name, c := range map[string]struct {
		filter vault.Filter
		want   []int
	}{
		"everything": {vault.Filter{}, []int{6, 5, 4, 3, 2, 1, 0}},
		"waiting":    {vault.Filter{State: vault.Waiting}, []int{0}},
		"declined":   {vault.Filter{State: vault.Declined}, []int{1}},
		"bound":      {vault.Filter{State: vault.Bound}, []int{6, 2}},
		"expired":    {vault.Filter{State: vault.Expired}, []int{3}},
		"erased":     {vault.Filter{State: vault.Erased}, []int{4}},
		"offered":    {vault.Filter{State: vault.Offered}, []int{5}},
		"an intake":  {vault.Filter{Intake: "assessment"}, []int{6, 5, 4, 3, 2, 1, 0}},
		"another":    {vault.Filter{Intake: "trial"}, nil},
		"a platform": {vault.Filter{Platform: "telephone"}, []int{6, 3, 0}},
		"a time": {vault.Filter{Since: begun.Add(2 * time.Hour), Until: begun.Add(4 * time.Hour)},
			[]int{2, 1}},
		"a session":         {vault.Filter{Find: strings.ToUpper(sessionID(5))}, []int{5}},
		"an agent":          {vault.Filter{Find: "agent-1"}, []int{5, 3, 1}},
		"an offer":          {vault.Filter{Find: bound[0].Offer}, []int{2}},
		"a submission":      {vault.Filter{Find: bound[0].ID}, []int{2}},
		"nobody":            {vault.Filter{Find: "agent"}, nil},
		"a few":             {vault.Filter{Limit: 2}, []int{6, 5}},
		"what comes before": {vault.Filter{Before: bound[0].ID}, []int{1, 0}},
		"all at once": {vault.Filter{Intake: "assessment", Platform: "chat", State: vault.Bound, Since: begun,
			Find: "agent-0"}, []int{2}},
	} {
		if got := k.listed(t, c.filter); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	// By the clock, and when it was noted: the same.
	k.clock.Advance(8 * 24 * time.Hour)
	for range 2 {
		if got := k.listed(t, vault.Filter{State: vault.Expired}); !slices.Equal(got, []int{5, 3, 0}) {
			t.Errorf("a week later %v have expired", got)
		}
		if got := k.listed(t, vault.Filter{State: vault.Declined}); !slices.Equal(got, []int{1}) {
			t.Errorf("a week later %v were declined", got)
		}
		if err := k.EraseDue(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheFunnelCountsWhatBecameOfSubmissions(t *testing.T) {
	t.Parallel()
	k, _ := furnished(t)
	count := func(since time.Time) (sum vault.DayCount, days int) {
		t.Helper()
		all, err := k.CountByDay(t.Context(), since)
		if err != nil {
			t.Fatal(err)
		}
		for _, tally := range all {
			if tally.Day.Hour() != 0 || tally.Day.After(k.clock.Now()) || tally.Intake != "assessment" {
				t.Errorf("%+v", tally)
			}
			sum.Waiting, sum.Unanswered, sum.Declined, sum.Open = sum.Waiting+tally.Waiting, sum.Unanswered+
				tally.Unanswered, sum.Declined+tally.Declined, sum.Open+tally.Open
			sum.Bound, sum.Expired, sum.Erased = sum.Bound+tally.Bound, sum.Expired+tally.Expired, sum.Erased+
				tally.Erased
		}
		return sum, len(all)
	}
	begun := k.clock.Now().AddDate(0, 0, -1)
	got, rows := count(begun)
	if want := (vault.DayCount{Waiting: 1, Declined: 1, Open: 1, Bound: 2, Expired: 1, Erased: 1}); got != want ||
		rows != 3 {
		t.Errorf("%+v in %d rows", got, rows) // by chat, by telephone, and by one whose name was erased
	}
	if got, rows := count(k.clock.Now().AddDate(0, 0, 1)); rows != 0 {
		t.Errorf("of tomorrow: %+v", got)
	}
	k.clock.Advance(8 * 24 * time.Hour)
	for range 2 {
		got, _ := count(begun)
		if want := (vault.DayCount{Unanswered: 1, Declined: 1, Bound: 2, Expired: 2, Erased: 1}); got != want {
			t.Errorf("a week later: %+v", got)
		}
		if err := k.EraseDue(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWhatWaitsForAPersonIsListedUntilSomebodyHasSeenToIt(t *testing.T) {
	t.Parallel()
	k, _ := furnished(t)
	k.clock.Advance(time.Hour)
	wait := k.submission(7, `{"age":41}`)
	k.engine.say = func(offers.Request) (offers.Outcome, error) {
		return offers.Outcome{Status: offers.Waiting, RetryAfter: time.Minute}, nil
	}
	k.submitted(t, wait)
	sees := func(answer, do, failed, open int) Tasks {
		t.Helper()
		todo, err := k.ListTasks(t.Context())
		if err != nil || len(todo.ToAnswer) != answer || len(todo.ToComplete) != do || len(todo.Failed) != failed {
			t.Fatalf("%d to answer, %d to do, %d failed: %v", len(todo.ToAnswer), len(todo.ToComplete),
				len(todo.Failed), err)
		}
		if n, err := k.CountTasks(t.Context()); err != nil || n != open {
			t.Fatalf("%d are open, want %d: %v", n, open, err)
		}
		return todo
	}
	todo := sees(2, 2, 0, 4)
	if todo.ToAnswer[0].Session != sessionID(0) || todo.ToComplete[0].Session != sessionID(2) {
		t.Error("the oldest is not the first")
	}
	if err := k.MarkDone(t.Context(), todo.ToComplete[0].Offer, "key:1"); err != nil {
		t.Fatal(err)
	}
	if err := k.Answer(t.Context(), todo.ToAnswer[0].ID, offers.Outcome{Status: offers.Declined, Reason: "No."},
		"key:1"); err != nil {
		t.Fatal(err)
	}
	sees(1, 1, 0, 2)
	if _, err := k.Erase(t.Context(), todo.ToComplete[1].Session, "key:1"); err != nil {
		t.Fatal(err)
	}
	k.clock.Advance(8 * 24 * time.Hour)
	sees(0, 0, 0, 0)

	// One whose delivery fails.
	k.intake.Bind.Sink = "crm"
	k.engine.say = nil
	out := k.submitted(t, k.submission(9, `{"age":41}`))
	k.bound(t, k.binding(9, out.Offer.ID, person))
	sees(0, 0, 0, 0)
	k.deliver(t, errors.New("crm answered with status 503"))
	failed := sees(0, 0, 1, 0).Failed[0]
	if failed.Offer != out.Offer.ID || failed.Effect.Reason != "crm answered with status 503" ||
		failed.Effect.Attempts != 1 {
		t.Errorf("%+v", failed)
	}
	q, err := k.Find(t.Context(), failed.ID)
	if err != nil || q.Effect == nil || q.Effect.Reason != failed.Effect.Reason || len(q.Entries) != 2 ||
		string(q.Fields) != person {
		t.Errorf("%+v, %v", q, err)
	}
	if there, err := k.Redeliver(t.Context(), out.Offer.ID); err != nil || !there {
		t.Errorf("%v, %v", there, err)
	}
	if told := k.deliver(t, nil); told == nil || string(told.Data) != person {
		t.Errorf("asked for, it is not delivered at once: %+v", told)
	}
	sees(0, 0, 0, 0)
	if there, err := k.Redeliver(t.Context(), out.Offer.ID); err != nil || there {
		t.Errorf("what is delivered can be delivered again: %v, %v", there, err)
	}
	if q, err := k.Find(t.Context(), failed.ID); err != nil || q.Effect != nil || q.Bind.Done.IsZero() {
		t.Errorf("%+v, %v", q, err)
	}
}

func TestASubmissionIsOpenedAsFarAsItIsKept(t *testing.T) {
	t.Parallel()
	k, _ := furnished(t)
	look := func(n int) *Request {
		t.Helper()
		all, err := k.Inbox(t.Context(), vault.Filter{Find: sessionID(n)})
		if err != nil || len(all) != 1 {
			t.Fatalf("%d, %v", len(all), err)
		}
		q, err := k.Find(t.Context(), all[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	if q := look(2); string(q.Input) != `{"age":41}` || q.OpenedAnswer.Summary != "Two jars a week." ||
		string(q.Fields) != person || q.StateNow != vault.Bound {
		t.Errorf("bound: %+v", q)
	}
	if err := k.EraseDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if q := look(4); q.Input != nil || q.OpenedAnswer != nil || q.StateNow != vault.Erased || q.Agent != "" ||
		len(q.Entries) == 0 {
		t.Errorf("erased: %+v", q)
	}
	id := look(0).ID
	if err := k.Answer(t.Context(), id, offers.Outcome{Status: offers.Offered, Summary: "Come on Monday."},
		"key:1"); err != nil {
		t.Fatal(err)
	}
	q := look(0)
	if len(q.Entries) != 2 || q.Entries[1].Kind != "offer" || q.Entries[1].ID == id ||
		q.OpenedAnswer.Summary != "Come on Monday." {
		t.Errorf("answered by hand: %+v", q)
	}
	var out bytes.Buffer
	if err := k.Export(t.Context(), q.Offer, &out); err != nil || strings.Count(out.String(), q.Entries[1].ID) != 2 ||
		!strings.Contains(out.String(), `"by": "key:1"`) {
		t.Errorf("the export does not have the entry of the answer: %v, %s", err, out.String())
	}
	for _, id := range []string{"", "soup", "0190163d-8694-739b-aea5-966c26f8ad90"} {
		if _, err := k.Find(t.Context(), id); fail.From(err).Code != fail.NotFound {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestADraftIsWhatTheAgentWillBeTold(t *testing.T) {
	t.Parallel()
	k, _ := furnished(t)
	all, err := k.Inbox(t.Context(), vault.Filter{State: vault.Waiting})
	if err != nil || len(all) != 1 {
		t.Fatal(err)
	}
	q, err := k.Find(t.Context(), all[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	rows := k.rowsOf(t, "ledger_pending") + k.rowsOf(t, "ledger_entry")
	o := offers.Outcome{Status: offers.Offered, Summary: "Come on Monday.", Expires: k.clock.Now().Add(90 * time.Hour)}
	draft, err := k.Draft(q, o)
	if err != nil {
		t.Fatal(err)
	}
	if now := k.rowsOf(t, "ledger_pending") + k.rowsOf(t, "ledger_entry"); now != rows || q.Offer != "" {
		t.Error("a draft is recorded")
	}
	if err := k.Answer(t.Context(), q.ID, o, "key:1"); err != nil {
		t.Fatal(err)
	}
	s := k.submission(0, `{"age":41}`)
	s.Agent.ID = "agent-0"
	told := k.submitted(t, s)
	draft.Offer.ID = told.Offer.ID
	if draft.Status != told.Status || fmt.Sprint(*draft.Offer) != fmt.Sprint(*told.Offer) {
		t.Errorf("the draft says\n%+v, and the agent is told\n%+v", *draft.Offer, *told.Offer)
	}
	if d, err := k.Draft(q, offers.Outcome{Status: offers.Declined, Reason: "No."}); err != nil || d.Reason != "No." ||
		d.Offer != nil {
		t.Errorf("%+v, %v", d, err)
	}
	deep := strictjson.Value(strings.Repeat(`{"a":`, 63) + "1" + strings.Repeat("}", 63))
	for _, wrong := range []offers.Outcome{
		{}, {Status: offers.Offered}, {Status: offers.Waiting, RetryAfter: time.Minute},
		{Status: offers.Offered, Summary: "Come.", Details: deep},
		{Status: offers.Offered, Summary: "Come.", Details: strictjson.Value(`{"a":1e400}`)},
	} {
		if _, err := k.Draft(q, wrong); fail.From(err).Code != fail.Invalid {
			t.Errorf("%+v is drafted: %v", wrong, err)
		}
	}
}

// TestARequestNamesTheEntriesOfItsErasing follows a bound request whose data go one after another,
// and the rest on demand.
func TestARequestNamesTheEntriesOfItsErasing(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	k.intake.Retention = wire.Retain30Days
	offer := k.submitted(t, k.submission(1, `{"age":41}`)).Offer.ID
	other := k.submitted(t, k.submission(2, `{"age":42}`)).Offer.ID
	k.clock.Advance(time.Hour)
	k.bound(t, k.binding(1, offer, person))
	named := func(offer string) (kinds []string, erasing []string) {
		t.Helper()
		q := k.request(t, vault.Filter{Find: offer})
		for _, e := range q.Entries {
			kinds = append(kinds, e.Kind)
			if e.Kind == kindErase {
				erasing = append(erasing, e.ID)
			}
		}
		return kinds, erasing
	}
	for _, step := range []struct {
		after       time.Duration
		deliver     bool
		by          string
		kinds, also string // of the one and of the other
	}{
		{0, true, "", "intake bind", "intake"},
		{30*day - time.Hour, false, "", "intake bind erase", "intake erase"},
		{time.Hour, false, "", "intake bind erase erase", "intake erase"},
		{time.Hour, false, "", "intake bind erase erase", "intake erase"},
		{0, false, "key:1", "intake bind erase erase erase", "intake erase"}, // though nothing was left of it
	} {
		k.clock.Advance(step.after)
		if step.deliver && k.deliver(t, nil) == nil {
			t.Fatal("nothing was told")
		}
		if err := k.EraseDue(t.Context()); err != nil {
			t.Fatal(err)
		}
		if step.by != "" {
			if _, err := k.Erase(t.Context(), offer, step.by); err != nil {
				t.Fatal(err)
			}
		}
		one, erasing := named(offer)
		also, _ := named(other)
		if strings.Join(one, " ") != step.kinds || strings.Join(also, " ") != step.also {
			t.Errorf("after %s: %v and %v; want %s and %s", step.after, one, also, step.kinds, step.also)
		}
		known := k.ledgerEntries(t, "erase")
		for _, id := range erasing {
			if !slices.ContainsFunc(known, func(entry map[string]any) bool { return entry["id"] == id }) {
				t.Errorf("after %s there is no entry %s of an erasing", step.after, id)
			}
		}
	}
	third := k.submitted(t, k.submission(3, `{"age":43}`)).Offer.ID
	if _, err := k.Erase(t.Context(), third, "key:1"); err != nil {
		t.Fatal(err)
	}
	if kinds, _ := named(third); strings.Join(kinds, " ") != "intake erase" {
		t.Errorf("erased on demand: %v", kinds)
	}
}
