package transactions

import (
	"context"
	"crypto/sha256"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/storetest"
)

var moment = time.Date(2026, 3, 18, 9, 0, 0, 123_456_000, time.UTC)

func bought(n int) Transaction {
	return Transaction{
		ID: NewID("txn", moment.Add(time.Duration(n)*time.Second)), Billing: NewID("bill", moment), Request: "r",
		Offer: fmt.Sprint("offer", n), Buyer: "buyer.example/bot",
		Agent: "a0", Site: "news", URI: "https://news.example/a", Item: content.Ref{Site: "news", Source: "pages",
			ID: "i", Since: 7}, Made: moment, Expires: moment.Add(5 * time.Minute),
		Price: policy.Money{Model: "per_token", Rate: 1515, Currency: "USD", Months: 1}, Unit: "tokens", Estimate: 3200,
		Amount: 4_848_000, Value: 4_848_001, Subscription: "s", Quotas: []byte("[]"),
		Method: "instructions", Entry: "e", Document: []byte(`{"offer_id":"x"}`), Obligation: Pending,
		Due: moment.Add(24 * time.Hour), Fields: []string{"function", "consumed_quantity"},
		Declared: []string{"search", "ai-input"}, Functions: policy.Functions{Permit: []string{"ai-all", "search"},
			Prohibit: []string{"ai-train"}},
	}
}

func update(t *testing.T, db *store.DB, fn func(ctx context.Context, tx *store.Tx) error) {
	t.Helper()
	if err := db.Update(t.Context(), func(tx *store.Tx) error { return fn(t.Context(), tx) }); err != nil {
		t.Fatal(err)
	}
}

func TestTransactionIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		db := open(t, Schema)
		want := bought(1)
		update(t, db, func(ctx context.Context, tx *store.Tx) error {
			if _, ok, err := FindTransaction(ctx, tx, want.ID); ok || err != nil {
				return fmt.Errorf("before: %v, %v", ok, err)
			}
			return PutTransaction(ctx, tx, want)
		})
		found := func() Transaction {
			t.Helper()
			var got Transaction
			if err := db.View(t.Context(), func(tx *store.Tx) (err error) {
				var ok bool
				if got, ok, err = FindTransaction(t.Context(), tx, want.ID); err == nil && !ok {
					err = fmt.Errorf("there is none")
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
			return got
		}
		if got := found(); !reflect.DeepEqual(got, want) {
			t.Errorf("\n%+v\n%+v", got, want)
		}
		want.Report, want.Obligation = Report{ID: "rep-1", BuyerID: "theirs", Made: moment.Add(time.Hour),
			Consumed: 3000, Settled: 4_545_000, Deviant: true,
			Details: UsageDetails{Functions: []string{"FUNCTION_AI_INPUT"}}.JSON()}, Late
		update(t, db,
			func(ctx context.Context, tx *store.Tx) error { return PutReport(ctx, tx, want.ID, want.Report, Late) })
		if got := found(); !reflect.DeepEqual(got, want) {
			t.Errorf("\n%+v\n%+v", got, want)
		}
		update(t, db, func(ctx context.Context, tx *store.Tx) error { return MarkFailed(ctx, tx, want.ID) })
		if got := found(); !got.Failed || got.Amount != 0 || got.Obligation != Waived {
			t.Errorf("after it failed: %+v", got)
		}
		if err := db.Update(t.Context(),
			func(tx *store.Tx) error { return PutReport(t.Context(), tx, "txn-none", Report{}, Late) }); err == nil {
			t.Error("what is not there was reported")
		}
	})
}

// putNew records a request unless it is there.
func putNew(ctx context.Context, tx *store.Tx, buyer, id string, r Request, since time.Time) (bool, error) {
	if there, _, err := BeforeRequest(ctx, tx, buyer, id, r.Made, since, 1); err != nil || there {
		return false, err
	}
	return PutRequest(ctx, tx, buyer, id, r, since)
}

func TestRequestIsKnownForItsTimeAndItsBuyer(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		db := open(t, Schema)
		want := Request{Digest: sha256.Sum256([]byte("a")), Made: moment,
			Lines: []OrderLine{{"o1", "txn-1", ""}, {"o2", "", "offer_expired"}}}
		day := 24 * time.Hour
		put := func(r Request, buyer string) (ok bool) {
			update(t, db, func(ctx context.Context, tx *store.Tx) (err error) {
				ok, err = putNew(ctx, tx, buyer, "id", r, r.Made.Add(-day))
				return err
			})
			return ok
		}
		if !put(want, "a b") {
			t.Fatal("a request that is new was there")
		}
		other := want
		other.Digest, other.Made = sha256.Sum256([]byte("b")), moment.Add(day-1000)
		if put(other, "a b") {
			t.Error("a request that is there was replaced")
		}
		find := func(buyer, id string, now time.Time) (r Request, ok bool) {
			if err := db.View(t.Context(), func(tx *store.Tx) (err error) {
				r, ok, err = FindRequest(t.Context(), tx, buyer, id, now.Add(-day))
				return err
			}); err != nil {
				t.Fatal(err)
			}
			return r, ok
		}
		if got, ok := find("a b", "id", moment.Add(day-1000)); !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%v, %+v", ok, got)
		}
		for name, is := range map[string]bool{"another buyer": first(find("a", "id", moment)),
			"another id":       first(find("a b", "id2", moment)),
			"blanks elsewhere": first(find("a", "b id", moment)),
			"too late":         first(find("a b", "id", moment.Add(day)))} {
			if is {
				t.Errorf("%s finds it", name)
			}
		}
		if other.Made = moment.Add(day); !put(other, "a b") {
			t.Error("a request whose time is over was not replaced")
		}
		if got, _ := find("a b", "id", other.Made); got.Digest != other.Digest {
			t.Error("the old one is found")
		}
		for _, bad := range []OrderLine{{"a b", "", ""}, {"a", "b\nc", ""}, {"a", "", "c d"}} {
			if err := db.Update(t.Context(), func(tx *store.Tx) error {
				_, err := PutRequest(t.Context(), tx, "x", "y", Request{Lines: []OrderLine{bad}}, moment)
				return err
			}); err == nil {
				t.Errorf("%q was recorded", bad)
			}
		}
		put(want, "c")
		forgotten := func(before time.Time) (n int64) {
			update(t, db, func(ctx context.Context, tx *store.Tx) (err error) {
				n, err = ForgetRequests(ctx, tx, before, 10)
				return err
			})
			return n
		}
		midnight := moment.Truncate(day) // of want; other is of the day behind
		if a, b, c := forgotten(midnight.Add(day-1000)), forgotten(midnight.Add(day)),
			forgotten(midnight.Add(2*day)); a != 0 || b != 2 || c != 1 {
			t.Errorf("%d, %d and %d were forgotten", a, b, c)
		}
	})
}

// TestARequestIsKnownAcrossMidnight is about two processes whose clocks differ.
func TestARequestIsKnownAcrossMidnight(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		const day = 24 * time.Hour
		midnight := moment.Truncate(day)
		for name, made := range map[string][2]time.Time{
			"before and after":        {midnight.Add(-time.Second), midnight.Add(time.Second)},
			"after and before":        {midnight.Add(time.Second), midnight.Add(-time.Second)},
			"nearly a day":            {midnight.Add(-time.Second), midnight.Add(day - 2*time.Second)},
			"a day ahead":             {midnight.Add(day + time.Hour), midnight.Add(2 * time.Hour)},
			"the first of a day":      {midnight, midnight.Add(day - 1000)},
			"the last and the first":  {midnight.Add(-1000), midnight},
			"within one":              {midnight.Add(time.Hour), midnight.Add(2 * time.Hour)},
			"a day and a moment less": {midnight.Add(1000), midnight.Add(day)},
		} {
			db := open(t, Schema)
			for i, at := range made {
				update(t, db, func(ctx context.Context, tx *store.Tx) error {
					r := Request{Made: at, Lines: []OrderLine{{"o1", "txn-1", ""}}}
					fresh, err := putNew(ctx, tx, "buyer.example/bot", "id", r, at.Add(-day))
					if fresh != (i == 0) {
						t.Errorf("%s: of the %d. it is said to be new: %t", name, i+1, fresh)
					}
					return err
				})
				update(t, db, func(ctx context.Context, tx *store.Tx) error {
					r, known, err := FindRequest(ctx, tx, "buyer.example/bot", "id", at.Add(-day))
					if !known || !r.Made.Equal(made[0]) {
						t.Errorf("%s: at the %d. time it is known as of %s: %t", name, i+1, r.Made, known)
					}
					return err
				})
			}
			update(t, db, func(ctx context.Context, tx *store.Tx) error {
				if err := ForgetRequest(ctx, tx, "buyer.example/bot", "id", made[1]); err != nil {
					return err
				}
				_, known, err := FindRequest(ctx, tx, "buyer.example/bot", "id", made[1].Add(-day))
				if known {
					t.Errorf("%s: it is not forgotten", name)
				}
				return err
			})
		}
	})
}

func first(_ Request, ok bool) bool { return ok }

func TestObligationsAreCounted(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		db := open(t, Schema)
		var all []Transaction
		update(t, db, func(ctx context.Context, tx *store.Tx) error {
			all = nil
			for n := range 6 {
				b := bought(n)
				b.Due = moment.Add(time.Duration(n) * time.Hour)
				if n == 5 {
					b.Obligation, b.Due = NoObligation, time.Time{}
				}
				all = append(all, b)
				if err := PutTransaction(ctx, tx, b); err != nil {
					return err
				}
			}
			return nil
		})
		counts := func(now time.Time) (overdue, ever, capped int) {
			if err := db.View(t.Context(), func(tx *store.Tx) (err error) {
				if overdue, err = Overdue(t.Context(), tx, all[0].Buyer, now, 100); err != nil {
					return err
				}
				if capped, err = Overdue(t.Context(), tx, all[0].Buyer, now, 2); err != nil {
					return err
				}
				ever, err = Obligations(t.Context(), tx, all[0].Buyer, 100)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			return overdue, ever, capped
		}
		if o, e, c := counts(moment.Add(2 * time.Hour)); o != 3 || e != 5 || c != 2 {
			t.Errorf("%d of %d are overdue (%d)", o, e, c)
		}
		var expired []string
		expire := func(now time.Time, most int) int {
			update(t, db, func(ctx context.Context, tx *store.Tx) (err error) {
				expired, err = Expire(ctx, tx, now, most)
				return err
			})
			return len(expired)
		}
		if n := expire(moment.Add(2*time.Hour-1000), 10); n != 2 || !slices.Contains(expired, all[0].ID) {
			t.Errorf("%d expired", n)
		}
		if n := expire(moment.Add(4*time.Hour), 2); n != 2 || slices.Contains(expired, all[0].ID) {
			t.Errorf("%d expired", n)
		}
		if o, e, _ := counts(moment.Add(2 * time.Hour)); o != 3 || e != 5 {
			t.Errorf("%d of %d are overdue, now that they expired", o, e)
		}
		update(t, db, func(ctx context.Context, tx *store.Tx) error {
			return PutReport(ctx, tx, all[0].ID, Report{ID: "r"}, Late)
		})
		if o, e, _ := counts(moment.Add(2 * time.Hour)); o != 2 || e != 5 {
			t.Errorf("%d of %d are overdue after a late report", o, e)
		}
	})
}

func TestIDsSortByTimeAndAreNeverTwiceTheSame(t *testing.T) {
	t.Parallel()
	if got := NewID("txn", time.UnixMilli(1469918176385)); !strings.HasPrefix(got, "txn-01ARYZ6S41") ||
		len(got) != 4+26 {
		t.Errorf("%s is no ULID of its time", got) // the time of the ULID specification's example
	}
	a, b := NewID("t", moment), NewID("t", moment.Add(time.Millisecond))
	if a >= b || NewID("t", moment) == a {
		t.Errorf("%s, %s", a, b)
	}
}
