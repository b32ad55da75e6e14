package delivery_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/delivery"
	"frontdesk/internal/licensing/delivery/botstats"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/wire/edge"
)

var outside = delivery.Edge{Name: "edge-1", Sites: []string{"site"}}

// told has the service take a batch.
func (d *dealer) told(t testing.TB, from delivery.Edge, b edge.Batch) *delivery.BatchResult {
	t.Helper()
	got, err := d.Delivery.Delivered(t.Context(), from, b)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// record is a delivery under a transaction that an edge tells of.
func (d *dealer) record(id string, t transactions.Transaction, state edge.State, bytes int64) edge.Delivery {
	one := edge.Delivery{
		ID: id, Transaction: t.ID, Agent: t.Agent, URI: "https://site.example/a/1", Form: "hmac", State: state,
		Announced: 19, Bytes: bytes, At: d.Clock.Now().Add(-time.Minute),
	}
	if state != edge.Begun {
		one.Status, one.SHA256, one.Ended = 200, strings.Repeat("ab", 32), d.Clock.Now().Add(-time.Second)
	}
	return one
}

// batch is a batch of some deliveries.
func batchOf(id string, all ...edge.Delivery) edge.Batch {
	return edge.Batch{Version: edge.Version, ID: id, Deliveries: all}
}

// delivered are all deliveries that are kept, by their ids.
func (d *dealer) deliveries(t testing.TB) map[string]transactions.Delivery {
	t.Helper()
	all := map[string]transactions.Delivery{}
	for one, err := range transactions.NewReader(d.DB).EachDelivery(t.Context(), transactions.DeliveryFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		all[one.ID] = one
	}
	return all
}

// TestWhatSignsAnAddressIsNotKept has an edge tell addresses with all that signed them: neither the
// record nor the ledger has any of that.
func TestWhatSignsAnAddressIsNotKept(t *testing.T) {
	t.Parallel()
	d := shop(t)
	sale := d.BuyAt(t, "a/1").Transaction
	one, none := d.record("one", sale, edge.Ended, 19), d.record("none", sale, edge.Ended, 7)
	one.URI += "?agent_id=ab&txn_id=" + sale.ID + "&expires=1&sig=51651651"
	none.Transaction, none.URI = "txn-nobody", none.URI+"?page=2"
	d.told(t, outside, batchOf("b1", one, none))
	all := d.deliveries(t)
	if got := all["edge-1_one"].URI; got != "https://site.example/a/1" {
		t.Errorf("kept as %s", got)
	}
	if got := all["edge-1_none"].URI; got != "https://site.example/a/1?page=2" {
		t.Errorf("kept as %s", got)
	}
	for _, e := range d.Entries(t, "delivery") {
		if strings.Contains(fmt.Sprint(e["body"]), "sig=") {
			t.Errorf("the ledger has %s", e["body"])
		}
	}
}

func TestWhatAnEdgeTellsIsRecordedOnce(t *testing.T) {
	t.Parallel()
	d := shop(t)
	sale := d.BuyAt(t, "a/1").Transaction
	begun, ended := d.record("one", sale, edge.Begun, 19), d.record("one", sale, edge.Ended, 19)
	if got := d.told(t, outside, batchOf("b1", begun)); *got != (delivery.BatchResult{Deliveries: 1}) ||
		len(d.Entries(t, "delivery")) != 0 {
		t.Errorf("begun: %+v, %d entries", got, len(d.Entries(t, "delivery")))
	}
	for n := range 2 {
		if got := d.told(t, outside, batchOf("b2", ended)); got.Deliveries != 1-n {
			t.Errorf("ended: %+v", got)
		}
		if got := d.told(t, outside, batchOf("b1", begun)); got.Deliveries != 0 {
			t.Errorf("begun after its end: %+v", got)
		}
	}
	cut := d.record("two", sale, edge.Cut, 7)
	cut.AtMost = true
	if got := d.told(t, outside, batchOf("b3", cut, cut)); *got != (delivery.BatchResult{Deliveries: 1}) {
		t.Errorf("cut: %+v", got)
	}
	if got := d.told(t, outside, batchOf("b4", d.record("one", sale, edge.Cut, 4))); got.Conflicting != 1 {
		t.Errorf("told otherwise: %+v", got)
	}
	all, entries := d.deliveries(t), d.Entries(t, "delivery")
	if len(all) != 2 || len(entries) != 2 {
		t.Fatalf("%d deliveries, %d entries", len(all), len(entries))
	}
	sum, _ := hex.DecodeString(ended.SHA256)
	want := transactions.Delivery{
		ID: "edge-1_one", Transaction: sale.ID, By: "edge-1", Site: "site", URI: ended.URI,
		State: transactions.DeliveryEnded, Status: 200, Announced: 19, Bytes: 19, Sum: sum,
		At: ended.At, Ended: ended.Ended, Entry: entries[0]["id"].(string),
	}
	if got := all["edge-1_one"]; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if got := all["edge-1_two"]; got.State != transactions.DeliveryCut || !got.Bound || got.Bytes != 7 {
		t.Errorf("%+v", got)
	}
	body := entries[1]["body"].(map[string]any)
	if entries[1]["subject"] != sale.ID || entries[1]["party"] != "requester:"+sale.Buyer ||
		body["state"] != "unknown" || body["bytes"] != 7.0 || body["by"] != "edge-1" ||
		body["delivery_id"] != "edge-1_two" {
		t.Errorf("%v", entries[1])
	}
	d.CheckInvariants(t)
}

func TestWhatNobodyBoughtIsKeptAllTheSame(t *testing.T) {
	t.Parallel()
	d := shop(t)
	sale := d.BuyAt(t, "a/1").Transaction
	none, unknown := d.record("none", transactions.Transaction{}, edge.Ended, 5),
		d.record("unknown", transactions.Transaction{ID: "txn-nobody"}, edge.Ended, 6)
	if got := d.told(t, outside, batchOf("b1", none, unknown)); *got !=
		(delivery.BatchResult{Deliveries: 2, Stray: 2}) {
		t.Errorf("%+v", got)
	}
	foreign := delivery.Edge{Name: "edge-2", Sites: []string{"other"}}
	// Another edge has the id of the first one's delivery, and tells of a transaction that is not
	// of its site.
	if got := d.told(t, foreign, batchOf("b2", d.record("none", sale, edge.Ended, 7))); *got !=
		(delivery.BatchResult{Deliveries: 1, Stray: 1}) {
		t.Errorf("%+v", got)
	}
	var strays []string
	for one, err := range transactions.NewReader(d.DB).EachDelivery(t.Context(),
		transactions.DeliveryFilter{Stray: true}) {
		if err != nil {
			t.Fatal(err)
		}
		strays = append(strays, one.ID+" "+one.Site+" "+one.Transaction)
	}
	slices.Sort(strays)
	if want := []string{"edge-1_none site ", "edge-1_unknown site txn-nobody",
		"edge-2_none other " + sale.ID}; !slices.Equal(strays, want) {
		t.Errorf("%q, want %q", strays, want)
	}
	for _, e := range d.Entries(t, "delivery") {
		if !strings.HasPrefix(e["party"].(string), "edge:") || e["body"].(map[string]any)["stray"] != true ||
			e["subject"] == sale.ID {
			t.Errorf("%v", e)
		}
	}
	d.CheckInvariants(t)
}

func TestAnEdgesClockThatIsAheadMovesNothingIntoTheFuture(t *testing.T) {
	t.Parallel()
	d := shop(t)
	one := d.record("one", d.BuyAt(t, "a/1").Transaction, edge.Ended, 19)
	one.At, one.Ended = d.Clock.Now().Add(time.Hour), d.Clock.Now().Add(2*time.Hour)
	d.told(t, outside, batchOf("b1", one))
	got := d.deliveries(t)["edge-1_one"]
	if !got.At.Equal(d.Clock.Now()) || !got.Ended.Equal(d.Clock.Now()) {
		t.Errorf("%+v", got)
	}
	if body := d.Entries(t, "delivery")[0]["body"].(map[string]any); body["began"] != one.At.Format(time.RFC3339Nano) {
		t.Errorf("the entry hides what the edge has told: %v", body)
	}
}

func TestSightingsOfABatchCountOnce(t *testing.T) {
	t.Parallel()
	d := shop(t)
	b := edge.Batch{Version: edge.Version, ID: "b1", Sightings: []edge.Sighting{
		{Hour: d.Clock.Now().Truncate(time.Hour), Host: "site.example", Agent: "GPTBot", Path: "/a/",
			Outcome: "refused", Count: 3},
		{Hour: d.Clock.Now().Truncate(time.Hour), Host: "elsewhere.example", Agent: "CCBot", Outcome: "limited",
			Count: 1},
	}}
	same := b // told by an edge whose folder is a copy, under the same id
	same.Sightings = slices.Clone(b.Sightings)
	same.Sightings[0].Count = 5
	for n, batch := range []edge.Batch{b, b, same, b} {
		if got, want := d.told(t, outside, batch).Sightings, []int{2, 0, 2, 0}[n]; got != want {
			t.Errorf("%d: %d counted, want %d", n, got, want)
		}
	}
	got, err := botstats.NewReader(d.DB).Paths(t.Context(),
		botstats.Filter{Site: "site", Since: d.Clock.Now(), Until: d.Clock.Now().Add(time.Hour)}, 9)
	if want := []botstats.Path{{Path: "/a/", Agent: "GPTBot", Outcome: "refused", Count: 8},
		{Agent: "CCBot", Outcome: "limited", Count: 2}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

// TestWhateverFailsAnEdgeTellsAgain has every step of taking a batch fail: without a trace, or
// after all was durable. In the end each delivery is there once, with one entry.
func TestWhateverFailsAnEdgeTellsAgain(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"edge's delivery", "edge's deliveries", "edge told"} {
		for at := range 3 {
			d := shop(t)
			sale := d.BuyAt(t, "a/1").Transaction
			var all []edge.Delivery
			for n := range delivery.ToldAtOnce + 20 {
				all = append(all, d.record(fmt.Sprint("d", n), sale, edge.Ended, 19))
			}
			b := batchOf("b1", all...)
			b.Sightings = []edge.Sighting{{Hour: d.Clock.Now().Truncate(time.Hour), Host: "site.example",
				Agent: "GPTBot", Path: "/a/", Outcome: "refused", Count: 3}}
			passed := 0
			d.Fault = func(now string) error {
				if now == step {
					if passed++; passed == 1+at {
						return errors.New("the disk is full")
					}
				}
				return nil
			}
			for tries := 0; ; tries++ {
				if _, err := d.Delivery.Delivered(t.Context(), outside, b); err == nil {
					break
				} else if tries > 2 {
					t.Fatal(err)
				}
			}
			var entries []string
			for _, e := range d.Entries(t, "delivery") {
				entries = append(entries, e["id"].(string))
			}
			var kept []string
			for _, one := range d.deliveries(t) {
				kept = append(kept, one.Entry)
			}
			slices.Sort(entries)
			slices.Sort(kept)
			if len(kept) != len(all) || !slices.Equal(entries, kept) {
				t.Errorf("%s, %d: %d deliveries, %d entries", step, at, len(kept), len(entries))
			}
			var counted int
			d.Write(t, func(ctx context.Context, tx *store.Tx) error {
				return tx.QueryRow(ctx, `SELECT CAST(SUM(count) AS BIGINT) FROM traffic_day`).Scan(&counted)
			})
			if counted != 3 {
				t.Errorf("%s, %d: seen %d times", step, at, counted)
			}
			if t.Failed() {
				return
			}
		}
	}
}
