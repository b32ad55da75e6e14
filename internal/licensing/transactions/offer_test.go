package transactions

import (
	"crypto/ed25519"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/storetest"
)

var start = time.Date(2027, 5, 4, 12, 0, 0, 123000, time.UTC)

func put(t *testing.T, db *store.DB, offers ...*Offer) {
	t.Helper()
	if err := db.Update(t.Context(), func(tx *store.Tx) error { return PutOffers(t.Context(), tx, offers...) }); err !=
		nil {
		t.Fatal(err)
	}
}

func find(t *testing.T, db *store.DB, id string) (o *Offer, ok bool) {
	t.Helper()
	err := db.View(t.Context(), func(tx *store.Tx) (err error) {
		o, ok, err = FindOffer(t.Context(), tx, id)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return o, ok
}

// offer is one with something in every field.
func offer(expires time.Time, subscription string) *Offer {
	return &Offer{
		ID: NewOfferID(expires, subscription != ""), Site: "main", URI: "https://site.example/a?b",
		URL:  "https://site.example/a",
		Item: content.Ref{Site: "main", Source: "pages", ID: "abc", Since: 3}, Buyer: "buyer.example/bot",
		Functions: []string{"ai-input"},
		Package:   Package{ID: "PKG-main-1", Title: "A “title”", Seller: "site.example", Citation: true},
		Terms:     "v1", Rule: 2, Labels: []string{"finance"},
		Price: policy.Money{Model: "per_token", Rate: 1515, Currency: "USD"}, Quantity: 3200, Unit: "tokens",
		Subscription: subscription, Delivery: "direct",
		Report: Duty{Seconds: 86400, Fields: []string{"consumed_quantity"}},
		Hash:   "00ff", Mutability: "static", Issued: start, Expires: expires, Document: []byte(`{"offer_id":"x"}`),
		Signature: make([]byte, ed25519.SignatureSize),
	}
}

func TestOffersComeBackAsTheyWerePut(t *testing.T) {
	t.Parallel()
	db := storetest.Chosen(t, Schema)
	paid, subscribed := offer(start.Add(5*time.Minute), ""), offer(start.Add(5*time.Minute), "gold")
	put(t, db, paid, subscribed)
	for _, want := range []*Offer{paid, subscribed} {
		got, ok := find(t, db, want.ID)
		if diff := cmp.Diff(want, got); !ok || diff != "" {
			t.Errorf("ok %v: %s", ok, diff)
		}
	}
	for _, other := range []string{
		"", "x", NewOfferID(start, false), "sub-" + paid.ID, strings.TrimPrefix(subscribed.ID, "sub-"),
		strings.ToUpper(paid.ID), paid.ID + " ", paid.ID[:38],
	} {
		if _, ok := find(t, db, other); ok {
			t.Errorf("%q finds an offer", other)
		}
	}
	err := db.Update(t.Context(), func(tx *store.Tx) error { return PutOffers(t.Context(), tx, paid) })
	if err == nil {
		t.Error("an id was given twice")
	}
}

func TestAnOfferEndsAtItsTime(t *testing.T) {
	t.Parallel()
	o := offer(start, "")
	if !o.Ended(start) || o.Ended(start.Add(-time.Microsecond)) {
		t.Error("it ends at another time than its own")
	}
	o.Signature[0] = 1
	if !o.HasSignature(slices.Clone(o.Signature)) || o.HasSignature(make([]byte, ed25519.SignatureSize)) ||
		o.HasSignature(nil) || (&Offer{}).HasSignature(nil) {
		t.Error("it bears another signature than its own")
	}
}

func TestIDsSortByTheEndAndDiffer(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	rapid.Check(t, func(t *rapid.T) {
		a := time.UnixMicro(rapid.Int64Range(0, 1<<52).Draw(t, "a")).UTC()
		b := time.UnixMicro(rapid.Int64Range(0, 1<<52).Draw(t, "b")).UTC()
		one, other := NewOfferID(a, false), NewOfferID(b, false)
		if seen[one] || one == other {
			t.Fatal("an id came twice")
		}
		seen[one] = true
		if a.Before(b) != (one < other) && !a.Equal(b) {
			t.Fatalf("%s of %s and %s of %s do not sort as their times", one, a, other, b)
		}
		key, ok := offerKey(one)
		if !ok || !endOf(key).Equal(a) && a.UnixMicro() != 0 {
			t.Fatalf("%s does not say %s", one, a)
		}
	})
}

func TestOffersAreForgottenByTheirEnd(t *testing.T) {
	t.Parallel()
	db := storetest.Chosen(t, Schema)
	var offers []*Offer
	for i := range 10 {
		offers = append(offers, offer(start.Add(time.Duration(i)*time.Millisecond), []string{"", "gold"}[i%2]))
	}
	put(t, db, offers...)
	forget := func(before time.Time, most int, want int64) {
		t.Helper()
		var n int64
		err := db.Update(t.Context(), func(tx *store.Tx) (err error) {
			n, err = ForgetOffers(t.Context(), tx, before, most)
			return err
		})
		if err != nil || n != want {
			t.Fatalf("%d were forgotten, want %d; %v", n, want, err)
		}
	}
	there := func(o *Offer, want bool) {
		t.Helper()
		if _, ok := find(t, db, o.ID); ok != want {
			t.Errorf("the offer that ended at %s is there: %v", o.Expires, ok)
		}
	}
	last := offers[len(offers)-1]
	forget(last.Expires, 6, 6)
	there(offers[5], false)
	there(offers[6], true)
	forget(last.Expires, 6, 3)
	there(last, true) // it had not ended before
	forget(last.Expires.Add(time.Microsecond), 6, 1)
}

func TestOffersAreListedByTheirEnd(t *testing.T) {
	t.Parallel()
	db := storetest.Chosen(t, Schema)
	var want []*Offer
	for i := range 5 {
		want = append(want, offer(start.Add(-time.Duration(i)*time.Minute), []string{"", "gold"}[i%2]))
	}
	put(t, db, want[3], want[0], want[4], want[1], want[2])
	list := func(before string, limit int) (got []*Offer) {
		t.Helper()
		if err := db.View(t.Context(), func(tx *store.Tx) (err error) {
			got, err = ListOffers(t.Context(), tx, before, limit)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return got
	}
	if diff := cmp.Diff(want[:2], list("", 2)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want[2:], list(want[1].ID, 10)); diff != "" {
		t.Error(diff)
	}
	if got := list("no id", 10); got != nil {
		t.Errorf("after what is no id there are %d", len(got))
	}
}

// FuzzOfferID finds offers by whatever a stranger sends.
func FuzzOfferID(f *testing.F) {
	f.Add(NewOfferID(start, true))
	f.Add(NewOfferID(start, false))
	f.Add("sub-sub-")
	f.Fuzz(func(t *testing.T, id string) {
		if key, ok := offerKey(id); ok && base32Sorted.EncodeToString(key) != strings.TrimPrefix(id, subscribed) {
			t.Errorf("%q and %q are the same offer", id, base32Sorted.EncodeToString(key))
		}
	})
}
