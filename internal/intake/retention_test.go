package intake

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/intake/offers"
	"frontdesk/internal/intake/vault"
	wire "frontdesk/wire/intake"
)

const day = 24 * time.Hour

// there says what of a submission can still be read: its input, its answer, and what it was bound
// with.
func (k *taker) there(t testing.TB) string {
	t.Helper()
	if err := k.EraseDue(context.Background()); err != nil {
		t.Fatal(err)
	}
	all, err := k.Inbox(context.Background(), vault.Filter{})
	if err != nil || len(all) > 1 {
		t.Fatalf("the inbox has %d: %v", len(all), err)
	}
	if len(all) == 0 {
		return "nothing"
	}
	q := k.request(t, vault.Filter{})
	var parts, ids []string
	for _, part := range []struct {
		name string
		is   bool
		key  string
	}{{"input", q.Input != nil, q.DataKey}, {"answer", q.OpenedAnswer != nil, q.OfferKey},
		{"bind", q.Fields != nil, bindKey(q)}} {
		if part.is {
			parts, ids = append(parts, part.name), append(ids, part.key)
		} else if part.key != "" {
			t.Errorf("there is no %s, and it has a key", part.name)
		}
	}
	if n := k.keysLeft(t, ids...); n != len(ids) {
		t.Errorf("%d keys of %d", n, len(ids))
	}
	return strings.Join(append(parts, string(q.StateNow)), " ")
}

func bindKey(q Request) string {
	if q.Bind == nil {
		return ""
	}
	return q.Bind.Key
}

// TestRetentionIsCarriedOut follows a submission of each retention through its life, with an offer
// that stands for seven days: what can still be read at each time.
func TestRetentionIsCarriedOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		word wire.Retention
		life string // bound after an hour, told after two, unless it says otherwise
		when map[time.Duration]string
	}{
		{wire.RetainNone, "left",
			map[time.Duration]string{0: "answer offered", 7*day - 1: "answer offered", 7 * day: "expired",
				372*day - 1: "expired", 372 * day: "nothing"}},
		{wire.RetainSession, "left",
			map[time.Duration]string{0: "input answer offered", 7*day - 1: "input answer offered", 7 * day: "expired"}},
		{wire.Retain30Days, "left",
			map[time.Duration]string{7 * day: "input answer expired", 30*day - 1: "input answer expired",
				30 * day: "expired"}},
		{wire.Retain1Year, "left", map[time.Duration]string{365*day - 1: "input answer expired", 365 * day: "expired"}},
		{wire.RetainIndefinite, "left",
			map[time.Duration]string{7 * day: "input answer expired", 20000 * day: "input answer expired"}},
		{"", "left", map[time.Duration]string{20000 * day: "input answer expired"}},
		{wire.RetainNone, "told",
			map[time.Duration]string{time.Hour: "answer bind bound", 2 * time.Hour: "answer bound",
				7*day - 1: "answer bound", 7 * day: "bound", 372 * day: "nothing"}},
		{wire.RetainSession, "told",
			map[time.Duration]string{time.Hour - 1: "input answer offered", time.Hour: "answer bind bound",
				2 * time.Hour: "answer bound", 7 * day: "bound"}},
		{wire.Retain30Days, "told",
			map[time.Duration]string{time.Hour: "input answer bind bound", 30*day - 1: "input answer bind bound",
				30 * day: "bind bound", 30*day + 2*time.Hour - 1: "bind bound", 30*day + 2*time.Hour: "bound"}},
		{wire.Retain1Year, "told", map[time.Duration]string{365 * day: "bind bound", 365*day + 2*time.Hour: "bound"}},
		{wire.RetainIndefinite, "told", map[time.Duration]string{20000 * day: "input answer bind bound"}},
		{wire.RetainNone, "undone",
			map[time.Duration]string{time.Hour: "answer bind bound", 30*day + time.Hour - 1: "answer bind bound",
				30*day + time.Hour: "bound"}},
		{wire.RetainSession, "undone",
			map[time.Duration]string{time.Hour: "answer bind bound", 30*day + time.Hour: "bound"}},
		{wire.Retain30Days, "undone",
			map[time.Duration]string{30 * day: "answer bind bound", 60 * day: "bind bound",
				60*day + time.Hour: "bound"}},
		{wire.RetainNone, "waiting",
			map[time.Duration]string{0: "input answer waiting", 7*day - 1: "input answer waiting", 7 * day: "expired"}},
		{wire.Retain30Days, "waiting", map[time.Duration]string{7 * day: "input answer expired", 30 * day: "expired"}},
		{wire.RetainSession, "declined", map[time.Duration]string{0: "input answer declined", 7 * day: "declined"}},
		{wire.RetainNone, "declined", map[time.Duration]string{0: "answer declined", 7 * day: "declined"}},
	} {
		t.Run(fmt.Sprintf("%s %s", c.word, c.life), func(t *testing.T) {
			for at, want := range c.when {
				k := newTaker(t)
				begin := k.clock.Now()
				k.intake.Retention = c.word
				switch c.life {
				case "waiting":
					k.engine.say = func(offers.Request) (offers.Outcome, error) {
						return offers.Outcome{Status: offers.Waiting, RetryAfter: time.Minute}, nil
					}
				case "declined":
					k.engine.say = func(offers.Request) (offers.Outcome, error) {
						return offers.Outcome{Status: offers.Declined, Reason: "No."}, nil
					}
				}
				out := k.submitted(t, k.submission(1, `{"age":41}`))
				until := func(d time.Duration) { k.clock.Advance(begin.Add(min(d, at)).Sub(k.clock.Now())) }
				if until(time.Hour); (c.life == "told" || c.life == "undone") && at >= time.Hour {
					k.there(t)
					k.bound(t, k.binding(1, out.Offer.ID, person))
				}
				if until(2 * time.Hour); c.life == "told" && at >= 2*time.Hour {
					k.there(t)
					if k.deliver(t, nil) == nil {
						t.Fatal("nothing was told")
					}
				}
				until(at)
				if got := k.there(t); got != want {
					t.Errorf("after %s there is %q, want %q", at, got, want)
				}
			}
		})
	}
}

// TestAfterItsDataIsGoneAnOfferIsStillKnown asks for what is left of an offer once nothing can be
// read any more.
func TestAfterItsDataIsGoneAnOfferIsStillKnown(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	k.intake.Retention = wire.RetainNone
	expired := k.submitted(t, k.submission(1, `{"age":41}`)).Offer.ID
	bound := k.submitted(t, k.submission(2, `{"age":42}`)).Offer.ID
	first := k.bound(t, k.binding(2, bound, person))
	if k.deliver(t, nil) == nil {
		t.Fatal("nothing was told")
	}
	if err := k.EraseDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	// What it was bound with is gone, and can still be told from other data.
	if _, err := k.Bind(t.Context(), k.binding(2, bound, `{"email":"john@example.com","full_name":"Jane Doe"}`)); refusedWith(t, err).Reason != OfferBound {
		t.Error(err)
	}
	if again := k.bound(t, k.binding(2, bound, person)); !bytes.Equal(again, first) {
		t.Errorf("%s", again)
	}
	k.clock.Advance(8 * day)
	if err := k.EraseDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if again := k.bound(t, k.binding(2, bound, person)); !bytes.Equal(again, first) {
		t.Errorf("%s", again)
	}
	if _, err := k.Bind(t.Context(), k.binding(1, expired, person)); refusedWith(t, err).Reason != OfferExpired {
		t.Error(err)
	}
	stranger := k.binding(1, expired, person)
	stranger.Agent.ID = "agent-8"
	if _, err := k.Bind(t.Context(), stranger); refusedWith(t, err).Reason != OfferUnknown {
		t.Error(err)
	}
	if n := len(k.ledgerEntries(t, "erase")); n != 2 {
		t.Errorf("%d entries tell of what was erased", n)
	}
}

func TestWhatSomebodyAsksToEraseIsErased(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	k.intake.Retention = wire.RetainIndefinite
	var ids []string
	one := k.submitted(t, k.submission(1, `{"age":41}`)).Offer.ID
	k.submitted(t, k.submission(1, `{"age":42}`))
	other := k.submitted(t, k.submission(2, `{"age":43}`)).Offer.ID
	k.bound(t, k.binding(1, one, person))
	all, err := k.Inbox(t.Context(), vault.Filter{Find: sessionID(1)})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		ids = append(ids, l.DataKey, l.OfferKey)
		if l.Bind != nil {
			ids = append(ids, l.Bind.Key)
		}
	}
	if n := k.keysLeft(t, ids...); n != 5 {
		t.Fatalf("%d keys", n)
	}
	if n, err := k.Erase(t.Context(), strings.ToUpper(sessionID(1)), "key:1"); n != 2 || err != nil {
		t.Fatalf("%d were erased: %v", n, err)
	}
	if n := k.keysLeft(t, ids...); n != 0 {
		t.Errorf("%d keys are left", n)
	}
	for _, l := range all {
		q, err := k.Find(t.Context(), l.ID)
		if err != nil {
			t.Fatal(err)
		}
		if q.StateNow != vault.Erased || q.Input != nil || q.OpenedAnswer != nil || q.Fields != nil || q.Agent != "" ||
			q.Platform != "" || q.Data != nil || q.Answer != nil || q.Digest != nil {
			t.Errorf("left is %+v", q)
		}
	}
	if k.deliver(t, nil) != nil {
		t.Error("the business is told of what was erased")
	}
	if n := k.rowsOf(t, "outbox_effect"); n != 0 {
		t.Error("the effect of what was erased is kept")
	}
	if _, err := k.Bind(t.Context(), k.binding(1, one, person)); refusedWith(t, err).Reason != OfferUnknown {
		t.Error(err)
	}
	entries := k.ledgerEntries(t, "erase")
	body := entries[0]["body"].(map[string]any)
	if len(entries) != 1 || entries[0]["request"] != sessionID(1) || body["reason"] != "asked" ||
		body["by"] != "key:1" || body["intake_data"] != 2.0 || body["offers"] != 2.0 || body["bind_data"] != 1.0 {
		t.Errorf("the ledger has %v", entries)
	}
	if n, err := k.Erase(t.Context(), sessionID(1), "key:1"); n != 0 || err != nil ||
		len(k.ledgerEntries(t, "erase")) != 1 {
		t.Errorf("erased again: %d, %v", n, err)
	}
	if _, err := k.Erase(t.Context(), sessionID(9), "key:1"); fail.From(err).Code != fail.NotFound {
		t.Error(err)
	}
	if n, err := k.Erase(t.Context(), other, "key:1"); n != 1 || err != nil ||
		k.ledgerEntries(t, "erase")[1]["subject"] != other && k.ledgerEntries(t, "erase")[0]["subject"] != other {
		t.Errorf("%d, %v", n, err)
	}
	if again := k.submitted(t, k.submission(1, `{"age":41}`)); again.Replay || again.Offer.ID == one {
		t.Error("an offer that was erased is given again")
	}
}

func TestAnExportHasAllThatIsKnownAndProvesTheConsent(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	offer := k.submitted(t, k.submission(1, `{"age":41}`)).Offer.ID
	k.submitted(t, k.submission(2, `{"age":42}`))
	k.bound(t, k.binding(1, offer, person))
	var out bytes.Buffer
	if err := k.Export(t.Context(), offer, &out); err != nil {
		t.Fatal(err)
	}
	var read struct {
		Submissions []struct {
			Entry  string            `json:"entry"`
			State  string            `json:"state"`
			Agent  string            `json:"agent_id"`
			Input  json.RawMessage   `json:"intake_data"`
			Answer map[string]any    `json:"answer"`
			Keys   map[string][]byte `json:"hash_keys"`
			Bind   struct {
				Data json.RawMessage `json:"bind_data"`
			} `json:"bind"`
		} `json:"submissions"`
		Ledger []struct {
			Entry struct {
				Kind string         `json:"kind"`
				Body map[string]any `json:"body"`
			} `json:"entry"`
		} `json:"ledger"`
	}
	if err := json.Unmarshal(out.Bytes(), &read); err != nil || len(read.Submissions) != 1 || len(read.Ledger) != 2 {
		t.Fatalf("%s: %v", out.Bytes(), err)
	}
	one := read.Submissions[0]
	if one.State != "bound" || one.Agent != "agent-7" || squeezed(one.Input) != `{"age":41}` ||
		squeezed(one.Bind.Data) != person || one.Answer["summary"] != "Two jars a week." {
		t.Errorf("%s", out.Bytes())
	}
	for i, c := range []struct{ hash, data string }{{"intake_data", `{"age":41}`}, {"bind_data", person}} {
		if entry := read.Ledger[i].Entry; entry.Body[c.hash+"_hash"] != hmacHex(one.Keys[c.hash], c.data) {
			t.Errorf("the hash of %s in the entry %q does not prove it", c.hash, entry.Kind)
		}
	}
	if err := k.Export(t.Context(), "x", &out); fail.From(err).Code != fail.NotFound {
		t.Error(err)
	}
	if _, err := k.Erase(t.Context(), offer, "key:1"); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := k.Export(t.Context(), sessionID(1), &out); err != nil || strings.Contains(out.String(), "hash_keys") ||
		strings.Contains(out.String(), "jane") ||
		!strings.Contains(out.String(), `"kind": "erase"`) {
		t.Errorf("%s: %v", out.Bytes(), err)
	}
}

// TestErasingThatIsBrokenOffGoesOn lets each step of erasing fail, once before it has happened and
// once after: what was erased stays so, and the next time all is.
func TestErasingThatIsBrokenOffGoesOn(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"erase", "erase destroyed", "erase done"} {
		for _, asked := range []bool{false, true} {
			t.Run(fmt.Sprint(step, asked), func(t *testing.T) {
				k := newTaker(t)
				k.intake.Retention = wire.RetainSession
				offer := k.submitted(t, k.submission(1, `{"age":41}`)).Offer.ID
				k.bound(t, k.binding(1, offer, person))
				if k.deliver(t, nil) == nil {
					t.Fatal("nothing was told")
				}
				k.fault = func(at string) error {
					if at == step {
						return errors.New("the fault")
					}
					return nil
				}
				erase := func() error {
					if !asked {
						return k.EraseDue(t.Context())
					}
					_, err := k.Erase(t.Context(), offer, "key:1")
					return err
				}
				if err := erase(); err == nil {
					t.Fatal("there was no fault")
				}
				if step != "erase" { // keys first
					if q := k.request(t, vault.Filter{}); q.Input != nil || q.Fields != nil {
						t.Errorf("left is %s and %s", q.Input, q.Fields)
					}
				}
				k.fault = nil
				if asked { // and whoever erases what is due sees to it
					if err := k.EraseDue(t.Context()); err != nil {
						t.Fatal(err)
					}
				} else if err := erase(); err != nil {
					t.Fatal(err)
				}
				want := "answer bound"
				if asked {
					want = "erased"
				}
				if got := k.there(t); got != want {
					t.Errorf("there is %q", got)
				}
			})
		}
	}
}

// TestOneProcessErasesAndAnotherGoesOn has two processes keep retention on one database: while the
// one has the lease the other erases nothing, and when it ends, or is gone for minutes, the other
// does.
func TestOneProcessErasesAndAnotherGoesOn(t *testing.T) {
	t.Parallel()
	at := newPlaces(t)
	one, other := openTaker(t, at), openTaker(t, at)
	var swept time.Time
	step := func(k *taker, holder string) {
		t.Helper()
		if err := k.keepOnce(t.Context(), holder, &swept); err != nil {
			t.Fatal(err)
		}
	}
	due := func(n int) {
		t.Helper()
		one.intake.Retention = wire.RetainSession
		offer := one.submitted(t, one.submission(n, `{"age":41}`)).Offer.ID
		one.bound(t, one.binding(n, offer, person))
	}
	left := func(want int) {
		t.Helper()
		all, err := one.Inbox(t.Context(), vault.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, l := range all {
			if l.DataKey != "" {
				n++
			}
		}
		if n != want {
			t.Fatalf("%d inputs are left, want %d", n, want)
		}
	}
	due(1)
	step(one, "one")
	left(0)
	due(2)
	step(other, "other")
	left(1) // one has the lease
	step(one, "one")
	left(0)
	due(3)
	other.clock.Advance(6 * time.Minute)
	step(other, "other") // one is gone
	left(0)
	due(4)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	other.KeepRetention(ctx) // ends at once
	step(other, "other")
	left(0)
}
