package disputes

import (
	"context"
	"fmt"
	"reflect"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

func update(t *testing.T, db *store.DB, fn func(ctx context.Context, tx *store.Tx) error) {
	t.Helper()
	if err := db.Update(t.Context(), func(tx *store.Tx) error { return fn(t.Context(), tx) }); err != nil {
		t.Fatal(err)
	}
}

// one of n, which was filed and waits for evidence.
func filed(n int) (Case, []Step) {
	id := fmt.Sprint("dsp-", n)
	c := Case{
		ID: id, Transaction: fmt.Sprint("txn-", n), Buyer: "buyer.example/bot", Site: "site", Billing: "bill",
		Report: "rep", Request: "r", Reason: IncompleteContent,
		Method: "sha256", Hash: "00", Description: "words", Mutability: "static", Status: EvidenceNeeded,
		Rule: RuleNoRecord, Short: true,
		Filed: moment, Changed: moment, Due: moment.Add(time.Hour), Steps: 2,
	}
	steps := []Step{
		{Dispute: id, N: 1, At: moment, To: Filed, By: ByBuyer, Entry: "e1"},
		{Dispute: id, N: 2, At: moment, From: Filed, To: EvidenceNeeded, By: ByRule, Rule: RuleNoRecord,
			Evidence: []Evidence{{"delivery", "dlv-1", "status 404"}}, Entry: "e2"},
	}
	return c, steps
}

// TestADisputeIsKept puts, reads, moves and lists disputes.
func TestADisputeIsKept(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		db := open(t, Schema)
		c, steps := filed(1)
		update(t, db, func(ctx context.Context, tx *store.Tx) error {
			if fresh, err := Put(ctx, tx, c, steps); !fresh || err != nil {
				t.Errorf("put: %t, %v", fresh, err)
			}
			twice := c
			twice.ID = "dsp-9"
			fresh, err := Put(ctx, tx, twice, steps)
			if fresh {
				t.Error("one transaction has two disputes")
			}
			return err
		})
		r := NewReader(db)
		for _, id := range []string{"dsp-1", "txn-1"} {
			got, told, ok, err := r.Dispute(t.Context(), id)
			if err != nil || !ok || !reflect.DeepEqual(got, c) || !reflect.DeepEqual(told, steps) {
				t.Errorf("%s: %+v\n%+v\n%t, %v", id, got, told, ok, err)
			}
		}
		after := c
		after.Status, after.Resolution, after.Rule, after.Tier, after.Credit, after.Currency, after.Due = Resolved,
			Credit, RuleCases, 2, 5, "USD", time.Time{}
		moved := []Step{{At: moment, From: EvidenceNeeded, To: UnderReview, By: ByRule},
			{At: moment, From: UnderReview, To: Resolved, By: ByRule, Resolution: Credit, Rule: RuleCases}}
		update(t, db, func(ctx context.Context, tx *store.Tx) error {
			for i, want := range []bool{true, false} {
				if ok, err := Advance(ctx, tx, c, after, moved); ok != want || err != nil {
					t.Errorf("move %d: %t, %v", i, ok, err)
				}
			}
			return nil
		})
		if got, told, _, err := r.Dispute(t.Context(), "dsp-1"); err != nil || got.Status != Resolved ||
			got.Credit != 5 || got.Steps != 4 || len(told) != 4 || told[3].N != 4 {
			t.Errorf("%+v, %+v, %v", got, told, err)
		}
		second, more := filed(2)
		update(t, db,
			func(ctx context.Context, tx *store.Tx) error { _, err := Put(ctx, tx, second, more); return err })
		for _, c := range []struct {
			want Filter
			n    int
		}{
			{Filter{Limit: 9}, 2}, {Filter{Limit: 1}, 1}, {Filter{Limit: 9, Open: true}, 1},
			{Filter{Limit: 9, Status: Resolved}, 1}, {Filter{Limit: 9, Before: "dsp-2"}, 1},
			{Filter{Limit: 9, Buyer: "x"}, 0}, {Filter{Limit: 9, Since: moment, Until: moment.Add(1000)}, 2},
			{Filter{Limit: 9, Until: moment}, 0},
			{Filter{Limit: 9, Site: "site", Reason: IncompleteContent, Resolution: Credit}, 1},
		} {
			if all, err := r.Disputes(t.Context(), c.want); err != nil || len(all) != c.n {
				t.Errorf("%+v: %d, %v", c.want, len(all), err)
			}
		}
		if all, err := r.Tallies(t.Context(), time.Time{}, time.Time{}); err != nil || len(all) != 2 ||
			all[1].Count != 1 || all[1].Credit != 5 {
			t.Errorf("%+v, %v", all, err)
		}
	})
}

// TestADisputeIsDueWhenThereIsEvidence has it wait, and be heard.
func TestADisputeIsDueWhenThereIsEvidence(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		db := open(t, Schema)
		for n := range 4 {
			c, steps := filed(n)
			update(t, db,
				func(ctx context.Context, tx *store.Tx) error { _, err := Put(ctx, tx, c, steps); return err })
		}
		update(t, db, func(ctx context.Context, tx *store.Tx) error {
			if all, err := Due(ctx, tx, moment.Add(time.Minute), 9); len(all) != 0 || err != nil {
				t.Errorf("%d are due, %v", len(all), err)
			}
			if err := Reconsider(ctx, tx, "txn-2", moment.Add(time.Minute)); err != nil {
				return err
			}
			if all, err := Due(ctx, tx, moment.Add(time.Minute), 9); len(all) != 1 || all[0].ID != "dsp-2" ||
				err != nil {
				t.Errorf("%+v are due, %v", all, err)
			}
			if all, err := Due(ctx, tx, moment.Add(time.Hour), 9); len(all) != 4 || err != nil {
				t.Errorf("%d are due, %v", len(all), err)
			}
			if n, err := CountShort(ctx, tx, "site", moment, 3); n != 3 || err != nil {
				t.Errorf("%d are short, %v", n, err)
			}
			if n, err := CountByBuyer(ctx, tx, "buyer.example/bot", moment, 9); n != 4 || err != nil {
				t.Errorf("%d of the buyer, %v", n, err)
			}
			if n, err := CountByBuyer(ctx, tx, "buyer.example/bot", moment.Add(1000), 9); n != 0 || err != nil {
				t.Errorf("%d of the buyer later, %v", n, err)
			}
			return nil
		})
	})
}

// TestARequestIsKnownByItsID keeps one request for each id of a buyer.
func TestARequestIsKnownByItsID(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		db := open(t, Schema)
		update(t, db, func(ctx context.Context, tx *store.Tx) error {
			r := Request{Digest: [32]byte{1}, Dispute: "dsp-1", Made: moment}
			for i, want := range []bool{true, false} {
				if fresh, err := PutRequest(ctx, tx, "a/b", "id", r); fresh != want || err != nil {
					t.Errorf("request %d: %t, %v", i, fresh, err)
				}
			}
			if got, ok, err := FindRequest(ctx, tx, "a/b", "id"); !ok || err != nil || got != r {
				t.Errorf("%+v, %t, %v", got, ok, err)
			}
			if _, ok, err := FindRequest(ctx, tx, "a/c", "id"); ok || err != nil {
				t.Errorf("another's request is found: %v", err)
			}
			return nil
		})
	})
}

// TestWhatWasWrittenIsForgotten forgets the buyer's words of disputes that are over, or of one at
// once.
func TestWhatWasWrittenIsForgotten(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		db := open(t, Schema)
		update(t, db, func(ctx context.Context, tx *store.Tx) error {
			for n := range 3 {
				c, steps := filed(n)
				if n == 0 {
					c.Status = Final
					steps = append(steps, Step{From: EvidenceNeeded, To: UnderReview},
						Step{From: UnderReview, To: Resolved}, Step{From: Resolved, To: Final})
				}
				if _, err := Put(ctx, tx, c, steps); err != nil {
					return err
				}
			}
			if n, err := Forget(ctx, tx, moment, 9); n != 0 || err != nil {
				t.Errorf("%d forgotten too early, %v", n, err)
			}
			if n, err := Forget(ctx, tx, moment.Add(time.Hour), 9); n != 1 || err != nil {
				t.Errorf("%d forgotten, %v", n, err)
			}
			if there, err := Erase(ctx, tx, "dsp-1"); !there || err != nil {
				t.Errorf("%t, %v", there, err)
			}
			if there, err := Erase(ctx, tx, "dsp-7"); there || err != nil {
				t.Errorf("%t, %v", there, err)
			}
			for id, want := range map[string]string{"dsp-0": "", "dsp-1": "", "dsp-2": "words"} {
				if c, _, err := Find(ctx, tx, id); c.Description != want || err != nil {
					t.Errorf("%s: %q, %v", id, c.Description, err)
				}
			}
			return nil
		})
	})
}

// TestNoOtherMoves tries every move between two statuses, and lets through those of the protocol
// alone.
func TestNoOtherMoves(t *testing.T) {
	t.Parallel()
	want := "filed>auto_resolved filed>evidence_needed auto_resolved>appealed auto_resolved>final " +
		"evidence_needed>under_review under_review>escalated under_review>resolved " +
		"escalated>settled resolved>appealed resolved>final appealed>under_review settled>final "
	got := ""
	for _, from := range Statuses {
		for _, to := range Statuses {
			c := Case{Status: to}
			may := c.follows(from, []Step{{From: from, To: to}}) == nil
			if may != from.May(to) {
				t.Errorf("%s to %s: %t", from, to, may)
			}
			if may {
				got += string(from) + ">" + string(to) + " "
			}
		}
	}
	if got != want {
		t.Errorf("the moves are\n%s, want\n%s", got, want)
	}
	if (Case{Status: Filed}).follows("", nil) == nil || (Case{Status: Final}).follows("", []Step{{To: Filed}}) == nil {
		t.Error("a case that its steps do not lead to is taken")
	}
}
