package transactions

import (
	"context"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

// sold puts some transactions in, which were made a second apart.
func sold(t *testing.T, db *store.DB, count int, change func(n int, b *Transaction)) (all []Transaction) {
	t.Helper()
	for n := range count {
		b := bought(n)
		b.Made = moment.Add(time.Duration(n) * time.Second)
		b.Billing = NewID("bill", b.Made)
		if change != nil {
			change(n, &b)
		}
		all = append(all, b)
	}
	update(t, db, func(ctx context.Context, tx *store.Tx) error {
		for _, b := range all {
			if err := PutTransaction(ctx, tx, b); err != nil {
				return err
			}
		}
		return nil
	})
	return all
}

func ids(all []Transaction) (out []string) {
	for _, t := range all {
		out = append(out, t.ID)
	}
	return out
}

func TestTransactionsAreListedTheNewestFirst(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		db := open(t, Schema)
		r := NewReader(db)
		if all, next, err := r.Transactions(t.Context(), Filter{Limit: 5}); len(all) != 0 || next != "" || err != nil {
			t.Errorf("of nothing: %v, %q, %v", all, next, err)
		}
		all := sold(t, db, 9, func(n int, b *Transaction) {
			b.Site, b.Buyer = []string{"news", "shop"}[n%2], []string{"a.example/x", "b.example/y", "c.example/z"}[n%3]
			b.Item.Site = b.Site
			if n == 8 {
				b.Price.Model = "per_access"
			}
		})
		want := ids(all)
		slices.Reverse(want)
		var got []string
		w := Filter{Limit: 4}
		for pages := 0; ; pages++ {
			page, next, err := r.Transactions(t.Context(), w)
			if err != nil || pages > 5 {
				t.Fatal(pages, err)
			}
			got = append(got, ids(page)...)
			if w.Before = next; next == "" {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("page by page:\n%v\n%v", got, want)
		}
		for name, c := range map[string]struct {
			w    Filter
			want []string
		}{
			"of a site":            {Filter{Site: "shop"}, []string{want[1], want[3], want[5], want[7]}},
			"of a buyer at a site": {Filter{Site: "shop", Buyer: "a.example/x"}, []string{all[3].ID}},
			"by a model":           {Filter{Model: "per_access"}, []string{all[8].ID}},
			"of a time": {Filter{Since: all[2].Made, Until: all[5].Made},
				[]string{all[4].ID, all[3].ID, all[2].ID}},
			"from a time on":        {Filter{Since: all[7].Made}, []string{all[8].ID, all[7].ID}},
			"of nobody":             {Filter{Buyer: "d.example/x"}, nil},
			"of a time, before one": {Filter{Since: all[2].Made, Before: all[4].ID}, []string{all[3].ID, all[2].ID}},
		} {
			c.w.Limit = 9
			page, next, err := r.Transactions(t.Context(), c.w)
			if err != nil || !slices.Equal(ids(page), c.want) || len(page) < 9 && next != "" {
				t.Errorf("%s: %v, %q, %v; want %v", name, ids(page), next, err, c.want)
			}
			var each []string
			if c.w.Before == "" {
				for one, err := range r.Each(t.Context(), c.w) {
					if err != nil {
						t.Fatal(err)
					}
					each = append(each, one.ID)
				}
				slices.Reverse(each)
				if !slices.Equal(each, c.want) {
					t.Errorf("each %s: %v, want %v", name, each, c.want)
				}
			}
		}
		for _, id := range []string{all[3].ID, all[3].Billing} {
			if one, ok, err := r.Transaction(t.Context(), id); err != nil || !ok || !reflect.DeepEqual(one, all[3]) {
				t.Errorf("%s: %v, %v, %+v", id, ok, err, one)
			}
		}
		for _, id := range []string{"", "x", "txn-", all[3].ID + "x", "bill-" + all[3].ID[4:],
			strings.ToLower(all[3].Billing)} {
			if _, ok, err := r.Transaction(t.Context(), id); ok || err != nil {
				t.Errorf("%q finds a transaction, or fails: %v", id, err)
			}
		}
		some, err := r.ByIDs(t.Context(), all[1].ID, "txn-none", all[5].ID)
		if got := ids(some); err != nil || len(got) != 2 || !slices.Contains(got, all[1].ID) ||
			!slices.Contains(got, all[5].ID) {
			t.Errorf("of some ids: %v, %v", got, err)
		}
	})
}

func TestAPageOfTransactionsLooksAtSoManyAndNoMore(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.NewSQLite(t), Schema)
	all := sold(t, db, looked+3, func(n int, b *Transaction) {
		if n == 1 {
			b.Buyer = "rare.example/x"
		}
	})
	r := NewReader(db)
	page, next, err := r.Transactions(t.Context(), Filter{Buyer: "rare.example/x", Limit: 10})
	if err != nil || len(page) != 0 || next != all[3].ID {
		t.Fatalf("%v, %q, %v", ids(page), next, err)
	}
	page, next, err = r.Transactions(t.Context(), Filter{Buyer: "rare.example/x", Limit: 10, Before: next})
	if err != nil || len(page) != 1 || page[0].ID != all[1].ID || next != "" {
		t.Fatalf("%v, %q, %v", ids(page), next, err)
	}
	n := 0
	for _, err := range r.Each(t.Context(), Filter{}) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	if n != len(all) {
		t.Errorf("each gives %d of %d", n, len(all))
	}
}

func TestObligationsAreListedByTheirEnd(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		db := open(t, Schema)
		all := sold(t, db, 12, func(n int, b *Transaction) {
			// two of each state, the second due first
			b.Obligation, b.Due = Obligation(n%6), moment.Add(time.Duration(12-n/6*6)*time.Hour)
			b.Buyer = []string{"a.example/x", "b.example/y"}[n/6]
		})
		r := NewReader(db)
		for state := Pending; state <= Late; state++ {
			first, second := all[int(state)+6], all[state]
			if state != Pending {
				first, second = second, first
			}
			for name, c := range map[string]struct {
				w    ObligationFilter
				want []string
			}{
				"all":      {ObligationFilter{Limit: 5}, []string{first.ID, second.ID}},
				"one":      {ObligationFilter{Limit: 1}, []string{first.ID}},
				"the next": {ObligationFilter{Limit: 5, After: first.ID}, []string{second.ID}},
				"no more":  {ObligationFilter{Limit: 5, After: second.ID}, nil},
				"a buyer":  {ObligationFilter{Limit: 5, Buyer: "b.example/y"}, []string{all[int(state)+6].ID}},
				"nobody":   {ObligationFilter{Limit: 5, Buyer: "c.example/y"}, nil},
				"unknown":  {ObligationFilter{Limit: 5, After: "txn-x"}, nil},
			} {
				c.w.State = state
				if got, err := r.Owed(t.Context(), c.w); err != nil || !slices.Equal(ids(got), c.want) {
					t.Errorf("%v, %s: %v, %v, want %v", state, name, ids(got), err, c.want)
				}
			}
		}
		for buyer, want := range map[string]int{"": 2, "a.example/x": 1, "c.example/x": 0} {
			counts, err := r.OwedCount(t.Context(), buyer, 10)
			if err != nil || len(counts) != 5 {
				t.Fatal(counts, err)
			}
			for state, n := range counts {
				if n != want {
					t.Errorf("%s: %d are %v, want %d", buyer, n, state, want)
				}
			}
		}
		if counts, err := r.OwedCount(t.Context(), "", 1); err != nil || counts[Expired] != 1 {
			t.Errorf("up to one: %v, %v", counts, err)
		}
		if _, err := r.Owed(t.Context(), ObligationFilter{State: NoObligation, Limit: 1}); err == nil {
			t.Error("no obligation is listed")
		}
	})
}

// every gives all rows, until one of them is an error.
func every[R any](rows iter.Seq2[R, error]) (all []R, err error) {
	for row, err := range rows {
		if err != nil {
			return all, err
		}
		all = append(all, row)
	}
	return all, nil
}

func TestComplianceIsCountedByBuyer(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		db := open(t, Schema)
		all := sold(t, db, 12, func(n int, b *Transaction) {
			b.Obligation, b.Due = Obligation(n%6), moment.Add(time.Hour)
			if n == 7 {
				b.Due = moment.Add(3 * time.Hour) // pending, and later than now
			}
			b.Buyer = []string{"a.example/x", "b.example/y"}[n/6]
		})
		update(t, db, func(ctx context.Context, tx *store.Tx) error {
			if err := PutReport(ctx, tx, all[2].ID, Report{ID: "rep-1", BuyerID: "x", Made: moment.Add(time.Minute),
				Deviant: true}, Fulfilled); err != nil {
				return err
			}
			return MarkFailed(ctx, tx, all[0].ID)
		})
		r := NewReader(db)
		got, err := every(r.Compliance(t.Context(), time.Time{}, time.Time{}, moment.Add(2*time.Hour)))
		want := []Compliance{
			{Buyer: "a.example/x", Purchases: 5, InTime: 1, Late: 1, Overdue: 2, Waived: 1, Reports: 1, Deviant: 1,
				LastPurchase: all[5].Made, LastReport: moment.Add(time.Minute), OldestOverdue: moment.Add(time.Hour)},
			{Buyer: "b.example/y", Purchases: 6, Pending: 1, InTime: 1, Late: 1, Overdue: 1, Waived: 1,
				LastPurchase: all[11].Made, OldestOverdue: moment.Add(time.Hour)},
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v\n%+v\n%+v", err, got, want)
		}
		got, err = every(r.Compliance(t.Context(), all[5].Made, all[7].Made, moment))
		if err != nil || len(got) != 2 || got[0].Purchases != 1 || got[1].Purchases != 1 || got[0].Late != 1 {
			t.Errorf("of a time: %+v, %v", got, err)
		}
	})
}

func TestWhatBefellATransactionIsListed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		db := open(t, Schema)
		want := []Event{{"txn-1", "e1", "transaction", moment, 0}, {"txn-1", "e2", "usage", moment.Add(time.Hour), 0}}
		update(t, db, func(ctx context.Context, tx *store.Tx) error {
			for _, e := range []Event{want[1], want[0], {"txn-2", "e0", "usage", moment, 0}} {
				if err := PutEvent(ctx, tx, e); err != nil {
					return err
				}
			}
			return nil
		})
		if got, err := NewReader(db).Events(t.Context(), "txn-1", 10); err != nil || !slices.Equal(got, want) {
			t.Errorf("%+v, %v", got, err)
		}
		if err := db.Update(t.Context(),
			func(tx *store.Tx) error { return PutEvent(t.Context(), tx, want[0]) }); err == nil {
			t.Error("an entry was told of twice")
		}
	})
}

// TestListsAreFoundInIndexes holds that a page reads no more than what it shows: nothing is sorted,
// and no table is read from its beginning.
func TestListsAreFoundInIndexes(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.NewSQLite(t), Schema)
	const from, deliveries = `SELECT id FROM deal_transaction WHERE `, `SELECT media FROM deal_delivery`
	literal := strings.NewReplacer("$1", "'x'", "$2", "'x'", "$3", "'x'")
	for query, want := range map[string]string{
		from + inState(Pending, "") +
			` ORDER BY due, id LIMIT 5`: "INDEX deal_transaction_due",
		from + inState(Pending, "x") +
			` ORDER BY due, id LIMIT 5`: "INDEX deal_transaction_owed",
		from + inState(Expired, "") +
			` AND due <= 5 ORDER BY due DESC, id DESC LIMIT 5`: "INDEX deal_transaction_ended",
		from + inState(Expired, "x") +
			` ORDER BY due DESC, id DESC LIMIT 5`: "INDEX deal_transaction_owed",
		from + `id < 'x' AND id > 'a' ORDER BY id DESC LIMIT 5`: "INDEX sqlite_autoindex_deal_transaction_1",
		`SELECT COUNT(*) FROM (SELECT 1 FROM deal_transaction WHERE ` + inState(Expired, "") +
			`) AS o`: "COVERING INDEX deal_transaction_ended",
		deliveries + DeliveryFilter{}.strays(sentBefore) +
			` ORDER BY began DESC, id DESC LIMIT 5`: "INDEX deal_delivery_began",
		deliveries + DeliveryFilter{}.strays(sentAfter) +
			` ORDER BY began, id LIMIT 5`: "INDEX deal_delivery_began",
		deliveries + DeliveryFilter{Stray: true}.strays(sentBefore) +
			` ORDER BY began DESC, id DESC LIMIT 5`: "INDEX deal_delivery_stray",
		deliveries + unended +
			` ORDER BY began, id LIMIT 5`: "INDEX deal_delivery_begun",
		`SELECT id FROM deal_transaction AS looked WHERE id > 'a' AND ` + unfetched +
			` ORDER BY id LIMIT 5`: "d USING COVERING INDEX deal_delivery_txn",
		`SELECT id FROM deal_delivery AS looked WHERE began > 5 AND stray = 1 AND ` + unbought +
			` ORDER BY began, id LIMIT 5`: "t USING INDEX sqlite_autoindex_deal_transaction_1",
		`SELECT billing FROM deal_transaction WHERE id IN (SELECT id FROM (SELECT id FROM deal_transaction WHERE id > 'a' ORDER BY id DESC LIMIT 5) AS l) ORDER BY id DESC`: "deal_transaction USING INDEX sqlite_autoindex_deal_transaction_1 (id=?)",
		deliveries + ` WHERE txn = $1 AND id > $2 ORDER BY id LIMIT 5`: "INDEX deal_delivery_txn",
	} {
		plan := ""
		if err := db.View(t.Context(), func(tx *store.Tx) error {
			rows, err := tx.Query(t.Context(), "EXPLAIN QUERY PLAN "+literal.Replace(query))
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				var id, parent, unused int
				var step string
				if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
					return err
				}
				plan += fmt.Sprintln(step)
			}
			return rows.Err()
		}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(plan, want) || strings.Contains(plan, "USE TEMP B-TREE FOR ORDER BY") ||
			strings.Contains(plan, "SCAN deal_transaction\n") || strings.Contains(plan, "SCAN deal_delivery\n") {
			t.Errorf("%s: it is found by\n%s", query, plan)
		}
	}
}

func TestOffersAreFoundByBuyerAddressAndDay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		db := open(t, Schema)
		var all []*Offer
		for n := range 700 { // more than are read at once; the later ones end later
			made := moment.Add(time.Duration(n) * time.Hour)
			all = append(all, &Offer{
				ID: NewOfferID(made.Add(5*time.Minute), false), Buyer: []string{"a.example/x", "b.example/y"}[n%2],
				URI: fmt.Sprint("https://x.example/", n%7), URL: "https://x.example/own",
				Site: "main", Issued: made, Expires: made.Add(5 * time.Minute), Document: []byte("{}"),
				Signature: []byte{1},
			})
		}
		update(t, db, func(ctx context.Context, tx *store.Tx) error {
			for part := range slices.Chunk(all, 100) {
				if err := PutOffers(ctx, tx, part...); err != nil {
					return err
				}
			}
			return nil
		})
		r := NewReader(db)
		for name, v := range map[string]struct {
			want OfferFilter
			fits func(n int) bool
		}{
			"all":           {OfferFilter{}, func(int) bool { return true }},
			"of a buyer":    {OfferFilter{Buyer: "b.example/y"}, func(n int) bool { return n%2 == 1 }},
			"of an address": {OfferFilter{URI: "https://x.example/3"}, func(n int) bool { return n%7 == 3 }},
			"of an item": {OfferFilter{URI: "https://x.example/own", Site: "main"}, func(int) bool {
				return true
			}},
			"of a site": {OfferFilter{Site: "other"}, func(int) bool { return false }},
			"of a day": {OfferFilter{Since: moment.Add(48 * time.Hour), Until: moment.Add(72 * time.Hour)},
				func(n int) bool { return n >= 48 && n < 72 }},
			"of both and all": {OfferFilter{Buyer: "a.example/x", URI: "https://x.example/4",
				Since: moment.Add(48 * time.Hour)}, func(n int) bool { return n%2 == 0 && n%7 == 4 && n >= 48 }},
		} {
			var got, want []string
			v.want.Limit = 40
			for pages := 0; pages == 0 || v.want.Before != ""; pages++ {
				page, next, err := r.Offers(t.Context(), v.want)
				if err != nil || len(page) > 40 || pages > 20 {
					t.Fatalf("%s: %d offers, %v", name, len(page), err)
				}
				for _, o := range page {
					got = append(got, o.ID)
				}
				v.want.Before = next
			}
			for n := len(all) - 1; n >= 0; n-- {
				if v.fits(n) {
					want = append(want, all[n].ID)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %d offers, not %d", name, len(got), len(want))
			}
		}
	})
}
