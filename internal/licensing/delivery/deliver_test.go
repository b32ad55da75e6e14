package delivery_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/delivery"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/saletest"
	"frontdesk/internal/testkit/storetest"
)

// deliveriesOf are the records of a transaction, the oldest first.
func (d *dealer) deliveriesOf(t testing.TB, transaction string) []transactions.Delivery {
	t.Helper()
	all, err := transactions.NewReader(d.DB).DeliveriesOf(context.Background(), transaction, "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestADeliveryIsOnRecordFromItsBeginningToItsEnd(t *testing.T) {
	t.Parallel()
	d := shop(t)
	item := d.BuyAt(t, "a/1")
	r := d.Rendition(t, item, released.Markdown)
	if len(d.deliveriesOf(t, item.Transaction.ID)) != 0 {
		t.Error("it is on record that something was sent, which nothing was")
	}
	sending, err := r.Begin(t.Context(), 206, 5)
	if err != nil {
		t.Fatal(err)
	}
	if string(sending.Body) != "# Story of a/1\n\nOne two three four.\n" || r.Size != int64(len(sending.Body)) {
		t.Errorf("%q", sending.Body)
	}
	all := d.deliveriesOf(t, item.Transaction.ID)
	want := transactions.Delivery{
		ID: all[0].ID, Transaction: item.Transaction.ID, Site: "site", URI: address("a/1"), Media: released.Markdown,
		State: transactions.DeliveryBegun, Status: 206, Announced: 5,
		Sum: r.Hash[:], Whole: true, At: d.Clock.Now(),
	}
	if len(all) != 1 || !sameDelivery(all[0], want) {
		t.Errorf("\n%+v\n%+v", all, want)
	}
	if n := len(d.Entries(t, "delivery")); n != 0 {
		t.Errorf("%d entries before the end", n)
	}
	d.Clock.Advance(time.Second)
	for range 2 { // which counts once
		if err := sending.End(t.Context(), 5); err != nil {
			t.Fatal(err)
		}
	}
	entries := d.Entries(t, "delivery")
	if len(entries) != 1 {
		t.Fatalf("%d entries", len(entries))
	}
	want.State, want.Bytes, want.Ended, want.Entry = transactions.DeliveryEnded, 5, d.Clock.Now(),
		entries[0]["id"].(string)
	if all = d.deliveriesOf(t, item.Transaction.ID); len(all) != 1 || !sameDelivery(all[0], want) {
		t.Errorf("\n%+v\n%+v", all, want)
	}
	body := entries[0]["body"].(map[string]any)
	if body["bytes"] != 5.0 || body["state"] != "ended" || body["status"] != 206.0 || body["delivery_id"] != want.ID ||
		body["media_type"] != released.Markdown {
		t.Errorf("%v", body)
	}
	cut, err := r.Begin(t.Context(), 200, r.Size)
	if err == nil {
		err = cut.End(t.Context(), 3)
	}
	if all = d.deliveriesOf(t, item.Transaction.ID); err != nil || len(all) != 2 ||
		all[1].State != transactions.DeliveryCut || all[1].Bytes != 3 || all[1].Bound {
		t.Errorf("%+v, %v", all, err)
	}
	d.CheckInvariants(t)
}

func sameDelivery(a, b transactions.Delivery) bool {
	sums := slices.Equal(a.Sum, b.Sum)
	a.Sum, b.Sum = nil, nil
	return sums && a.Transaction == b.Transaction && a.ID == b.ID && a.By == b.By && a.Site == b.Site &&
		a.URI == b.URI && a.Media == b.Media && a.State == b.State && a.Status == b.Status &&
		a.Announced == b.Announced && a.Bytes == b.Bytes && a.Bound == b.Bound && a.Whole == b.Whole &&
		a.At.Equal(b.At) && a.Ended.Equal(b.Ended) && a.Seconds == b.Seconds &&
		a.Stray == b.Stray && a.Entry == b.Entry
}

// TestADeliveryWhoseEndNobodySawCountsAsSent is of a process that died while it sent.
func TestADeliveryWhoseEndNobodySawCountsAsSent(t *testing.T) {
	t.Parallel()
	d := shop(t)
	item := d.BuyAt(t, "a/1")
	sending, err := d.Rendition(t, item, released.PlainText).Begin(t.Context(), 200, 19)
	if err != nil {
		t.Fatal(err)
	}
	state := func() transactions.Delivery {
		t.Helper()
		if err := d.MaintainOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		return d.deliveriesOf(t, item.Transaction.ID)[0]
	}
	d.Clock.Advance(time.Minute + delivery.DeliverySpare)
	if got := state(); got.State != transactions.DeliveryBegun {
		t.Errorf("while it may still go on: %+v", got)
	}
	d.Clock.Advance(time.Microsecond)
	if got := state(); got.State != transactions.DeliveryCut || !got.Bound || got.Bytes != 19 || got.Entry == "" ||
		!got.Ended.Equal(d.Clock.Now()) {
		t.Errorf("%+v", got)
	}
	if err := sending.End(t.Context(), 7); err != nil {
		t.Error(err)
	}
	if got := state(); got.Bytes != 19 {
		t.Errorf("it ended twice: %+v", got)
	}
	if entries := d.Entries(t, "delivery"); len(entries) != 1 ||
		entries[0]["body"].(map[string]any)["state"] != "unknown" {
		t.Errorf("%v", entries)
	}
	d.CheckInvariants(t)
}

// TestAnAddressIsOpenedSoOften holds for one after another, and for many at once.
func TestAnAddressIsOpenedSoOften(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		d := dealerOn(t, open(t, saletest.Schemas...), t.TempDir())
		d.AddStock(t)
		item, other := d.BuyAt(t, "a/1"), d.BuyAt(t, "a/2")
		r := d.Rendition(t, item, released.PlainText)
		for range delivery.MostDeliveries - 4 {
			if _, err := r.Begin(t.Context(), 206, 1); err != nil {
				t.Fatal(err)
			}
		}
		var all sync.WaitGroup
		var mu sync.Mutex
		begun, limited := 0, 0
		for range 16 {
			all.Go(func() {
				_, err := r.Begin(t.Context(), 206, 1)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					begun++
				case fail.From(err).Code == fail.Limited:
					limited++
				default:
					t.Error(err)
				}
			})
		}
		all.Wait()
		if n := len(d.deliveriesOf(t, item.Transaction.ID)); begun != 4 || limited != 12 ||
			n != delivery.MostDeliveries {
			t.Errorf("%d more have begun, %d were refused, %d are on record", begun, limited, n)
		}
		if _, err := d.Rendition(t, other, released.PlainText).Begin(t.Context(), 200, 1); err != nil {
			t.Errorf("another purchase: %v", err)
		}
	})
}

// TestNoTextLeavesWithoutARecord has every step of a delivery fail.
func TestNoTextLeavesWithoutARecord(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"delivery", "delivery begun", "delivery recorded", "delivered"} {
		t.Run(step, func(t *testing.T) {
			d := shop(t)
			item := d.BuyAt(t, "a/1")
			r := d.Rendition(t, item, released.PlainText)
			failed := false
			d.Fault = func(at string) error {
				if at == step && !failed {
					failed = true
					return errors.New("the disk is full")
				}
				return nil
			}
			sending, err := r.Begin(t.Context(), 200, r.Size)
			if begins := step == "delivery recorded" || step == "delivered"; begins != (err == nil) ||
				begins != (sending != nil) {
				t.Fatalf("%v", err)
			}
			if n := len(d.deliveriesOf(t, item.Transaction.ID)); (n == 0) != (step == "delivery") || n > 1 {
				t.Errorf("%d records", n)
			}
			if err == nil && sending.End(t.Context(), r.Size) == nil {
				t.Error("its end did not fail")
			}
			d.CheckInvariants(t)
			d.Clock.Advance(time.Hour)
			if err := d.MaintainOnce(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, one := range d.deliveriesOf(t, item.Transaction.ID) {
				if one.State == transactions.DeliveryBegun || one.Bound != (step != "delivered") {
					t.Errorf("%+v", one)
				}
			}
			d.CheckInvariants(t)
		})
	}
}

// TestAFormThatTellsMoreIsNotGiven holds that of a text that is sold as running text nobody gets
// the object, where that holds things that have a price of their own.
func TestAFormThatTellsMoreIsNotGiven(t *testing.T) {
	t.Parallel()
	d := shop(t)
	d.Price(t, licensed("/a/**", cent),
		licensed("/dear/**", policy.Price{Model: "per_access", Rate: "5", Currency: "USD"}))
	guide := item("site", "a/guide", "Article", "A guide", "All about it.")
	guide.Object = []byte(`{"@type":"Article","name":"A guide","hasPart":[{"@type":"Recipe","url":"https://site.example/dear/1","name":"Dear","recipeIngredient":["secret"]}]}`)
	d.Stock(t, story("a/1", "One."), guide)
	media := func(path string) []string {
		t.Helper()
		item := d.BuyAt(t, path)
		_, query, _ := strings.Cut(item.URL, "?")
		fetched, err := d.Delivery.Fetch(t.Context(), saletest.DeliverAt, item.Transaction.ID, query)
		if err != nil {
			t.Fatal(err)
		}
		return fetched.Media
	}
	if got := media("a/1"); !slices.Equal(got, []string{released.PlainText, released.Markdown, released.HTML,
		released.LinkedObject}) {
		t.Errorf("%v", got)
	}
	if got := media("a/guide"); !slices.Equal(got, []string{released.PlainText, released.Markdown, released.HTML}) {
		t.Errorf("%v", got)
	}
}

// TestWhatIsDeliveredIsOfTheSourceThatItWasBoughtFrom has two sources sell at one address: when the
// version that was bought is swept away, its own source's is given, and never the other's, which
// may have another price.
func TestWhatIsDeliveredIsOfTheSourceThatItWasBoughtFrom(t *testing.T) {
	t.Parallel()
	d := shop(t)
	d.Fill(t, "site", "other", story("a/1", "Theirs."), story("a/7", "And this."))
	if _, err := d.Goods.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	item := d.BuyAt(t, "a/1")
	bought, other := item.Transaction.Item.Source, "other"
	if bought == other {
		other = "pages"
	}
	gives := func() string {
		t.Helper()
		return d.Opens(t, item.Transaction.ID, item.Transaction.Agent)
	}
	anew := func(text string) { // until the versions before are swept away
		t.Helper()
		for n := range 6 {
			items := []content.Item{story("a/8", strings.Repeat("more ", n+1))}
			if text != "" {
				items = append(items, story("a/1", text))
			}
			d.Fill(t, "site", bought, items...)
			if _, err := d.Goods.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := gives(); got == "" || got == string(fail.NotFound) {
		t.Fatal(got)
	}
	anew("By now it is this.")
	if got := gives(); got != "By now it is this." {
		t.Errorf("when its version is gone: %s", got)
	}
	anew("")
	if len(d.Goods.Find(address("a/1"))) != 1 {
		t.Fatal("the other source has none: nothing is tested")
	}
	if got := gives(); got != string(fail.NotFound) {
		t.Errorf("when its source has it no more, and %s does: %s", other, got)
	}
}

// TestTermsThatAreTightenedHoldForWhatWasBought holds for each form, and for what is sent already.
func TestTermsThatAreTightenedHoldForWhatWasBought(t *testing.T) {
	t.Parallel()
	d := shop(t)
	item := d.BuyAt(t, "a/1")
	for name, c := range map[string]struct {
		rule policy.Rule
		want string
	}{
		"blocked": {policy.Rule{Access: policy.Blocked}, string(fail.NotFound)},
		"blocked by its path": {policy.Rule{Match: policy.Match{Path: []string{"/a/1"}}, Access: policy.Blocked},
			string(fail.NotFound)},
		"another path": {policy.Rule{Match: policy.Match{Path: []string{"/a/2"}}, Access: policy.Blocked},
			"One two three four."},
		"dearer": {licensed("/a/**", policy.Price{Model: "per_access", Rate: "9", Currency: "USD"}),
			"One two three four."},
		"open": {policy.Rule{Match: policy.Match{Path: []string{"/a/**"}}, Access: policy.Open},
			"One two three four."},
		"sold for other uses": {func() policy.Rule {
			r := licensed("/a/**", cent)
			r.Functions.Permit = []string{"search"}
			return r
		}(), "One two three four."},
		"delivered by streaming": {func() policy.Rule {
			r := licensed("/a/**", cent)
			r.Delivery = []string{"streaming"}
			return r
		}(), "One two three four."},
	} {
		d.Price(t, c.rule, licensed("/a/**", cent))
		if got := d.Opens(t, item.Transaction.ID, item.Transaction.Agent); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	d.Price(t, licensed("/a/**", cent))
	sending, err := d.Rendition(t, item, released.PlainText).Begin(t.Context(), 200, 19)
	if err != nil {
		t.Fatal(err)
	}
	d.Price(t, policy.Rule{Access: policy.Blocked})
	if err := sending.End(t.Context(), 19); err != nil { // it has left
		t.Error(err)
	}
	d.CheckInvariants(t)
}
