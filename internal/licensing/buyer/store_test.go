package buyer_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/client"
	"frontdesk/internal/licensing/buyer"
	rampv1 "frontdesk/wire/ramp/v1"
)

// clock is a time that a test sets.
type clock struct{ now atomic.Int64 }

func (c *clock) set(at string) {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		panic(err)
	}
	c.now.Store(t.UnixMicro())
}

func (c *clock) Now() time.Time { return time.UnixMicro(c.now.Load()).UTC() }

func limits(t *testing.T, texts ...string) (all buyer.Limits) {
	t.Helper()
	for _, text := range texts {
		amount, period, _ := strings.Cut(text, "/")
		money, err := buyer.ParseMoney(amount)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, buyer.Limit{Money: money, Period: buyer.Period(period)})
	}
	return all
}

func open(t *testing.T, file string, c *clock, texts ...string) *buyer.PurchaseStore {
	t.Helper()
	w, err := buyer.Open(t.Context(), buyer.StoreConfig{File: file, Limits: limits(t, texts...), Now: c.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// purchase is one that was not made.
func purchase(rate float64, currency string) *client.Purchase {
	return &client.Purchase{
		Exchange: "https://exchange.example", ID: client.NewPurchase(), URI: "https://site.example/soup",
		Offer: &rampv1.Offer{OfferId: "o", Pricing: &rampv1.Pricing{Rate: rate, Currency: currency,
			Model: rampv1.PricingModel_PRICING_MODEL_PER_ACCESS}},
	}
}

// begin says whether a purchase may be made.
func begin(t *testing.T, w *buyer.PurchaseStore, p *client.Purchase) bool {
	t.Helper()
	_, again, err := w.Begin(t.Context(), p)
	var beyond *buyer.OverLimitError
	if err != nil && !errors.As(err, &beyond) || again {
		t.Fatal(again, err)
	}
	return err == nil
}

// TestNothingIsSpentBeyondALimit has 64 purchases at once, from two processes on one file, spend
// what fits and not a unit more, and a restart forget nothing of it.
func TestNothingIsSpentBeyondALimit(t *testing.T) {
	t.Parallel()
	file, c := filepath.Join(t.TempDir(), "buyer.db"), &clock{}
	c.set("2026-05-01T10:00:00Z")
	wallets := []*buyer.PurchaseStore{open(t, file, c, "1USD/month"), open(t, file, c, "1USD/month")}
	var went atomic.Int64
	var wait sync.WaitGroup
	for i := range 64 {
		wait.Go(func() {
			_, _, err := wallets[i%2].Begin(t.Context(), purchase(0.03, "USD"))
			var beyond *buyer.OverLimitError
			switch {
			case err == nil:
				went.Add(1)
			case !errors.As(err, &beyond):
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if went.Load() != 33 {
		t.Errorf("%d of 0.03 USD under 1 USD", went.Load())
	}
	for _, w := range wallets {
		w.Close()
	}
	w := open(t, file, c, "1USD/month")
	if begin(t, w, purchase(0.02, "USD")) || !begin(t, w, purchase(0.01, "USD")) ||
		begin(t, w, purchase(0.00000001, "USD")) {
		t.Error("a restart changed what is left")
	}
	stands, err := w.Usage(t.Context())
	if err != nil || len(stands) != 1 || stands[0].Spent.String() != "1 USD" ||
		stands[0].Until.Format(time.RFC3339) != "2026-06-01T00:00:00Z" {
		t.Errorf("%+v, %v", stands, err)
	}
}

// TestEachLimitCounts holds periods, sessions, single purchases and currencies.
func TestEachLimitCounts(t *testing.T) {
	t.Parallel()
	file, c := filepath.Join(t.TempDir(), "buyer.db"), &clock{}
	c.set("2026-05-31T23:59:00Z") // a Sunday
	all := []string{"10USD/month", "4USD/week", "3USD/day", "2USD/session", "1.5USD/purchase"}
	w := open(t, file, c, all...)
	buy := func(rate float64, currency string, want bool) {
		t.Helper()
		if got := begin(t, w, purchase(rate, currency)); got != want {
			t.Errorf("%v %s at %s: %t", rate, currency, c.Now(), got)
		}
	}
	buy(1.51, "USD", false) // a purchase
	buy(0.01, "EUR", false) // no limit in it
	buy(0, "EUR", true)     // free
	buy(0, "", true)
	buy(1.5, "usd", true)
	buy(0.51, "USD", false) // the session
	w = open(t, file, c, all...)
	buy(1.5, "USD", true) // another session
	w = open(t, file, c, all...)
	buy(0.01, "USD", false) // the day
	c.set("2026-05-30T12:00:00Z")
	buy(0.01, "USD", false) // a clock that went back gives nothing
	c.set("2026-06-01T00:00:00Z")
	buy(1.5, "USD", true) // the next day, week and month
	if _, err := buyer.Open(t.Context(), buyer.StoreConfig{File: file, Limits: limits(t, "1USD/session")}); err == nil {
		t.Error("a limit for a session alone was taken")
	}
	if _, err := buyer.Open(t.Context(),
		buyer.StoreConfig{File: file, Limits: limits(t, "1USD/day", "2USD/day")}); err == nil {
		t.Error("two limits for a day were taken")
	}
}

// TestWhatIsNotKnownCounts holds that a purchase counts from before it is made until it is known to
// be denied, once, and with what was charged where that is more.
func TestWhatIsNotKnownCounts(t *testing.T) {
	t.Parallel()
	file, c := filepath.Join(t.TempDir(), "buyer.db"), &clock{}
	c.set("2026-05-01T10:00:00Z")
	w := open(t, file, c, "1USD/day")
	p := purchase(0.6, "USD")
	if !begin(t, w, p) || begin(t, w, purchase(0.6, "USD")) {
		t.Fatal("what was begun does not count")
	}
	if _, again, err := w.Begin(t.Context(), p); !again || err != nil {
		t.Errorf("begun again: %t, %v", again, err)
	}
	if err := w.Settle(t.Context(), p, buyer.Denied); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.Begin(t.Context(), p); err == nil {
		t.Error("what was denied was begun again")
	}
	other := purchase(0.6, "USD")
	if !begin(t, w, other) {
		t.Fatal("what was denied counts")
	}
	other.Result = &rampv1.TransactionResultItem{TransactionId: "txn-1",
		Cost: &rampv1.Cost{Amount: 0.9, Currency: "USD"}}
	if err := w.Settle(t.Context(), other, buyer.Bought); err != nil {
		t.Fatal(err)
	}
	if begin(t, w, purchase(0.2, "USD")) {
		t.Error("what was charged beyond the offer does not count")
	}
	kept, err := w.Find(t.Context(), "txn-1")
	if err != nil || kept.ID != other.ID || kept.Counted.String() != "0.9 USD" || kept.State != buyer.Bought {
		t.Errorf("%+v, %v", kept, err)
	}
	third := purchase(0, "USD")
	begin(t, w, third)
	third.Result = &rampv1.TransactionResultItem{TransactionId: "txn-1"}
	if err := w.Settle(t.Context(), third, buyer.Bought); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Find(t.Context(), "txn-1"); !errors.Is(err, buyer.ErrSeveral) {
		t.Errorf("one transaction of two: %v", err)
	}
	if _, err := w.Find(t.Context(), ""); !errors.Is(err, buyer.ErrUnknown) {
		t.Errorf("no id: %v", err)
	}
}

// TestAFileThatCannotBeReadBuysNothing holds that a wallet fails closed.
func TestAFileThatCannotBeReadBuysNothing(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "buyer.db")
	if err := os.WriteFile(file, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if w, err := buyer.Open(t.Context(), buyer.StoreConfig{File: file}); err == nil {
		w.Close()
		t.Error("a broken file was opened")
	}
	w := open(t, filepath.Join(t.TempDir(), "buyer.db"), &clock{}, "1USD/day")
	w.Close()
	if _, _, err := w.Begin(t.Context(), purchase(0.01, "USD")); err == nil {
		t.Error("a closed wallet let something be bought")
	}
}

func TestAmountsAreRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"0.05USD": "0.05 USD", "10 eur": "10 EUR",
		"0.00000001USD": "0.00000001 USD", "9999999999USD": "9999999999 USD"} {
		if got, err := buyer.ParseMoney(text); err != nil || got.String() != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "5", "USD", "-1USD", "1e3USD", "0.000000001USD", "10USDT", "1,5USD",
		"12345678901USD"} {
		if got, err := buyer.ParseMoney(text); err == nil {
			t.Errorf("%s: %v", text, got)
		}
	}
	for _, text := range []string{"5USD", "5USD/year", "5USD/session", "/day"} {
		if got, err := buyer.ParseLimit(text); err == nil {
			t.Errorf("%s: %v", text, got)
		}
	}
	if got, err := buyer.ParseLimit("5 usd/Week"); err != nil || got.String() != "5 USD" || got.Period != buyer.Week {
		t.Errorf("%+v, %v", got, err)
	}
}

// FuzzBegin holds that no price of an offer lets more be spent than the limit.
func FuzzBegin(f *testing.F) {
	for _, rate := range []float64{0, -1, 1e300, 0.1, 0.30000000000000004, 1e-9, 5e-324} {
		f.Add(rate, int32(3), "USD")
	}
	w, err := buyer.Open(f.Context(), buyer.StoreConfig{File: filepath.Join(f.TempDir(), "buyer.db"),
		Limits: buyer.Limits{{Money: buyer.Money{Amount: 1e8, Currency: "USD"}, Period: buyer.Month}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { w.Close() })
	f.Fuzz(func(t *testing.T, rate float64, quantity int32, currency string) {
		p := purchase(rate, strings.ToValidUTF8(currency, "?"))
		p.Offer.Pricing.Model, p.Offer.Pricing.EstimatedQuantity = rampv1.PricingModel_PRICING_MODEL_PER_TOKEN,
			&quantity
		kept, _, err := w.Begin(t.Context(), p)
		if err != nil {
			return
		}
		if kept.Counted.Amount > 0 && kept.Counted.Currency != "USD" || kept.Counted.Amount < 0 ||
			kept.Counted.Value() < client.CostOf(p.Offer).Amount-1e-8 {
			t.Errorf("%v x %d %q counts as %s", rate, quantity, currency, kept.Counted)
		}
		if err := w.Settle(t.Context(), p, buyer.Denied); err != nil {
			t.Fatal(err)
		}
	})
}
