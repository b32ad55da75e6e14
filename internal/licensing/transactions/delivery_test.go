package transactions

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

// sent is a delivery that has begun.
func sent(transaction string, at time.Time) Delivery {
	return Delivery{
		ID: NewID("dlv", at), Transaction: transaction, Site: "news", URI: "https://news.example/a",
		Media: "text/plain", State: DeliveryBegun, Status: 200, Announced: 7,
		Sum: []byte("12345678901234567890123456789012"), Whole: true, At: at,
	}
}

func deliver(t *testing.T, db *store.DB, all ...Delivery) {
	t.Helper()
	update(t, db, func(ctx context.Context, tx *store.Tx) error {
		for _, d := range all {
			if fresh, err := PutDelivery(ctx, tx, d); err != nil || !fresh {
				return fmt.Errorf("%s: fresh is %t: %w", d.ID, fresh, err)
			}
		}
		return nil
	})
}

func TestADeliveryIsRecordedOnceAndEndsOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		db := open(t, Schema)
		r := NewReader(db)
		begun := sent("txn-1", moment)
		over := Delivery{
			ID: "theirs_1", Transaction: "txn-unknown", By: "edge-1", Media: "text/html", State: DeliveryCut,
			Status: 206, Announced: 9, Bytes: 9, Bound: true, At: moment,
			Ended: moment.Add(time.Second), Seconds: 1, Stray: true, Entry: "e2",
		}
		deliver(t, db, begun, over)
		found := func(id string) Delivery {
			t.Helper()
			var d Delivery
			update(t, db, func(ctx context.Context, tx *store.Tx) (err error) {
				d, _, err = FindDelivery(ctx, tx, id)
				return err
			})
			return d
		}
		for _, want := range []Delivery{begun, over} {
			if got := found(want.ID); !reflect.DeepEqual(got, want) {
				t.Errorf("\n%+v\n%+v", got, want)
			}
		}
		if counts, err := r.Delivered(t.Context(), "txn-1", "txn-unknown", "txn-none"); err != nil ||
			!reflect.DeepEqual(counts, map[string]DeliveryTotal{"txn-unknown": {1, 9}}) {
			t.Errorf("while one is under way: %v, %v", counts, err)
		}
		update(t, db, func(ctx context.Context, tx *store.Tx) error {
			again := begun
			again.Transaction = "another"
			if fresh, err := PutDelivery(ctx, tx, again); fresh || err != nil {
				t.Errorf("recorded twice: %t, %v", fresh, err)
			}
			end := begun
			end.State, end.Bytes, end.Ended, end.Entry, end.Transaction = DeliveryEnded, 7, moment.Add(time.Second),
				"e1", "another"
			if ended, err := EndDelivery(ctx, tx, end); !ended || err != nil {
				t.Errorf("the end: %t, %v", ended, err)
			}
			end.Bytes = 8
			if ended, err := EndDelivery(ctx, tx, end); ended || err != nil {
				t.Errorf("ended twice: %t, %v", ended, err)
			}
			if ended, err := EndDelivery(ctx, tx, sent("txn-none", moment)); ended || err != nil {
				t.Errorf("the end of nothing: %t, %v", ended, err)
			}
			return nil
		})
		begun.State, begun.Bytes, begun.Ended, begun.Entry = DeliveryEnded, 7, moment.Add(time.Second), "e1"
		if got := found(begun.ID); !reflect.DeepEqual(got, begun) {
			t.Errorf("\n%+v\n%+v", got, begun)
		}
		if counts, err := r.Delivered(t.Context(), "txn-1"); err != nil || counts["txn-1"] != (DeliveryTotal{1, 7}) {
			t.Errorf("%v, %v", counts, err)
		}
		if events, err := r.Events(t.Context(), "txn-1", 9); err != nil || len(events) != 1 ||
			events[0] != (Event{"txn-1", "e1", "delivery", begun.Ended, 7}) {
			t.Errorf("%+v, %v", events, err)
		}
	})
}

func TestDeliveriesAreFoundByTransactionAndByTime(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		db := open(t, Schema)
		r := NewReader(db)
		var all []Delivery
		for n := range 9 {
			d := sent([]string{"txn-1", "txn-2"}[n%2], moment.Add(time.Duration(n/2)*time.Second)) // two in each second
			if n%3 == 0 {
				d.By, d.State, d.Stray, d.Site = "edge", DeliveryCut, true, "shop"
			}
			all = append(all, d)
		}
		slices.SortFunc(all, func(a, b Delivery) int {
			if a.At.Equal(b.At) {
				return map[bool]int{true: -1, false: 1}[a.ID < b.ID]
			}
			return a.At.Compare(b.At)
		})
		deliver(t, db, all...)
		only := func(fits func(Delivery) bool) (out []string) {
			for _, d := range all {
				if fits(d) {
					out = append(out, d.ID)
				}
			}
			return out
		}
		for name, c := range map[string]struct {
			w    DeliveryFilter
			fits func(Delivery) bool
		}{
			"all":        {DeliveryFilter{}, func(Delivery) bool { return true }},
			"of a site":  {DeliveryFilter{Site: "shop"}, func(d Delivery) bool { return d.Site == "shop" }},
			"by another": {DeliveryFilter{By: "edge"}, func(d Delivery) bool { return d.By == "edge" }},
			"by nobody":  {DeliveryFilter{By: "none"}, func(Delivery) bool { return false }},
			"that were cut": {DeliveryFilter{State: DeliveryCut}, func(d Delivery) bool {
				return d.State == DeliveryCut
			}},
			"of nothing": {DeliveryFilter{Stray: true}, func(d Delivery) bool { return d.Stray }},
			"of a time": {DeliveryFilter{Since: all[2].At, Until: all[6].At}, func(d Delivery) bool {
				return !d.At.Before(all[2].At) && d.At.Before(all[6].At)
			}},
			"of all of that": {DeliveryFilter{Site: "shop", Stray: true, Since: all[2].At}, func(d Delivery) bool {
				return d.Stray && !d.At.Before(all[2].At)
			}},
		} {
			want := only(c.fits)
			var each []string
			for d, err := range r.EachDelivery(t.Context(), c.w) {
				if err != nil {
					t.Fatal(err)
				}
				each = append(each, d.ID)
			}
			if !slices.Equal(each, want) {
				t.Errorf("each %s: %v, want %v", name, each, want)
			}
			var got []string
			w := c.w
			for w.Limit = 2; ; {
				page, next, err := r.Deliveries(t.Context(), w)
				if err != nil || len(got) > len(all) {
					t.Fatal(len(got), err)
				}
				for _, d := range page {
					got = append(got, d.ID)
				}
				if w.Before = next; next == "" {
					break
				}
			}
			slices.Reverse(got)
			if !slices.Equal(got, want) {
				t.Errorf("%s, page by page: %v, want %v", name, got, want)
			}
		}
		first, err := r.DeliveriesOf(t.Context(), "txn-1", "", 2)
		if err != nil || len(first) != 2 || first[0].Transaction != "txn-1" {
			t.Fatal(first, err)
		}
		if rest, err := r.DeliveriesOf(t.Context(), "txn-1", first[1].ID, 9); err != nil || len(rest) != 3 {
			t.Errorf("%v, %v", rest, err)
		}
		update(t, db, func(ctx context.Context, tx *store.Tx) error {
			old, err := OpenDeliveries(ctx, tx, all[4].At, 2)
			if want := only(func(d Delivery) bool { return d.State == DeliveryBegun && d.At.Before(all[4].At) }); err !=
				nil || len(old) != 2 || old[0].ID != want[0] || old[1].ID != want[1] {
				t.Errorf("%v, %v, want %v", old, err, want)
			}
			n, err := CountDeliveries(ctx, tx, "txn-1", 3)
			if n != 3 || err != nil {
				t.Errorf("up to three: %d, %v", n, err)
			}
			if n, err = CountDeliveries(ctx, tx, "txn-1", 99); n != 5 || err != nil {
				t.Errorf("%d, %v", n, err)
			}
			return nil
		})
	})
}

// TestDeliveriesAreKeptWhenTheyGetATable opens a database as it was before deal_delivery.
func TestDeliveriesAreKeptWhenTheyGetATable(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		was := Schema
		was.Steps = was.Steps[:4]
		dsn := fresh(t)
		before := storetest.Open(t, dsn, was)
		b := bought(1)
		update(t, before, func(ctx context.Context, tx *store.Tx) error {
			if _, err := tx.Exec(ctx, `INSERT INTO deal_transaction (id, billing, request, offer, buyer, agent, site, uri, source, item, version, made,
				expires, model, rate, currency, months, unit, estimate, amount, value, subscription, quotas, method, failed, entry, document, duty, due,
				fields, report, report_of, reported, consumed, settled, deviant)
				VALUES ($1, 'bill', 'request', 'offer', $2, 'agent', $3, $4, 'pages', 'item', 1, $5, $6, 'per_access', 1, 'USD', 0, '', 0, 1, 1, '', $7,
				'direct', 0, 'entry', $7, 1, 0, 'usage', '', '', 0, 0, 0, 0)`,
				b.ID, b.Buyer, b.Site, b.URI, store.Micros(b.Made), store.Micros(b.Expires), []byte{}); err != nil {
				return err
			}
			for n, kind := range []string{"delivery", "usage", "delivery"} {
				if _, err := tx.Exec(ctx, `INSERT INTO deal_event (id, entry, kind, at, bytes) VALUES ($1, $2, $3, $4, $5)`, b.ID, fmt.Sprint("e", n), kind, store.Micros(moment), 40+n); err != nil {
					return err
				}
			}
			return nil
		})
		if err := before.Close(); err != nil {
			t.Fatal(err)
		}
		r := NewReader(storetest.Open(t, dsn, Schema))
		events, err := r.Events(t.Context(), b.ID, 9)
		if want := []Event{{b.ID, "e0", "delivery", moment, 40}, {b.ID, "e1", "usage", moment, 0},
			{b.ID, "e2", "delivery", moment, 42}}; err != nil || !slices.Equal(events, want) {
			t.Errorf("%+v, %v", events, err)
		}
		all, _, err := r.Deliveries(t.Context(), DeliveryFilter{Limit: 9})
		if err != nil || len(all) != 2 || all[0].Transaction != b.ID || all[0].State != DeliveryEnded ||
			all[0].Site != "news" || all[0].Sum != nil || all[0].Ended != moment {
			t.Errorf("%+v, %v", all, err)
		}
		kept, ok, err := r.Transaction(t.Context(), b.ID)
		if err != nil || !ok || kept.Buyer != b.Buyer || kept.Declared != nil || kept.Functions.Permit != nil ||
			kept.Report != (Report{}) {
			t.Errorf("%+v, %v", kept, err)
		}
	})
}
