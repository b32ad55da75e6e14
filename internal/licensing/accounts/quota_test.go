package accounts_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/testkit/storetest"
)

// subscribe gives the buyer a subscription of an id with quotas.
func (b *bench) subscribe(id string, scope accounts.Scope, rows ...accounts.QuotaSetting) {
	b.t.Helper()
	b.do(func(ctx context.Context, tx *store.Tx) error {
		err := b.AddSubscription(ctx, tx, accounts.Licence{ID: id, Buyer: buyer, Scope: scope}, "USD", noon)
		for _, row := range rows {
			if err == nil {
				err = b.SetQuota(ctx, tx, id, row, noon)
			}
		}
		return err
	})
}

func (b *bench) entitled(buyer string, now time.Time) (all []accounts.Subscription) {
	b.t.Helper()
	if err := b.db.View(b.t.Context(), func(tx *store.Tx) (err error) {
		all, err = b.SubscriptionsFor(b.t.Context(), tx, buyer, "news", now)
		return err
	}); err != nil {
		b.t.Fatal(err)
	}
	return all
}

// counts are the limits, what is used and what is left, by unit.
func counts(quotas []accounts.Quota) map[string][3]int64 {
	all := map[string][3]int64{}
	for _, q := range quotas {
		limit, used, left := q.Counts()
		all[q.Unit] = [3]int64{limit, used, left}
	}
	return all
}

func under(id, subscription string, now time.Time) accounts.Charge {
	c := charge(id, price("per_token", 0.0000125))
	c.Quantity, c.Tokens, c.Subscription, c.Now = 1000, 1000, subscription, now // worth 1.25 cents
	return c
}

// TestAPurchaseCountsInEveryUnit buys under a subscription with all four quotas until one of them
// is used up.
func TestAPurchaseCountsInEveryUnit(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.Chosen(t, accounts.Schema), accounts.Options{})
	b.subscribe("sub", accounts.Scope{},
		accounts.QuotaSetting{Unit: accounts.Accesses, Limit: 100, Months: 1},
		accounts.QuotaSetting{Unit: accounts.Tokens, Limit: 2500, Months: 1},
		accounts.QuotaSetting{Unit: accounts.SpendCents, Limit: 500},
		accounts.QuotaSetting{Unit: accounts.Burst, Limit: 1, Span: time.Minute})
	h, err := b.authorize(under("1", "sub", noon))
	want := map[string][3]int64{"accesses": {100, 1, 99}, "tokens": {2500, 1000, 1500}, "spend_cents": {500, 2, 498},
		"burst": {1, 1, 0}}
	if have := counts(h.Quotas); err != nil || fmt.Sprint(have) != fmt.Sprint(want) {
		t.Fatalf("%v, %v; want %v", have, err, want)
	}
	if h.Charged != 0 || h.Authorised != 0 || h.Value != 1_250_000 || h.State != accounts.Settled {
		t.Errorf("%+v", h)
	}
	if _, err := b.authorize(under("2", "sub", noon.Add(time.Minute-time.Microsecond))); reason(err) !=
		accounts.QuotaExceeded {
		t.Errorf("within the burst's span: %v", err)
	}
	if _, err := b.authorize(under("2", "sub", noon.Add(time.Minute))); err != nil {
		t.Errorf("after the burst's span: %v", err)
	}
	if _, err := b.authorize(under("3", "sub", noon.Add(2*time.Minute))); reason(err) != accounts.QuotaExceeded {
		t.Errorf("500 tokens are left, and 1000 are taken: %v", err)
	}
	next := time.Date(2026, 4, 18, 12, 0, 0, 0, time.UTC)
	h, err = b.authorize(under("3", "sub", next))
	// 3.75 cents
	want = map[string][3]int64{"accesses": {100, 1, 99}, "tokens": {2500, 1000, 1500}, "spend_cents": {500, 4, 496},
		"burst": {1, 1, 0}}
	if have := counts(h.Quotas); err != nil || fmt.Sprint(have) != fmt.Sprint(want) {
		t.Errorf("in the next month: %v, %v; want %v", have, err, want)
	}
	b.sound()
}

// TestWhatIsTakenBackIsNotUsed takes purchases back, in the period in which they were made and
// after it.
func TestWhatIsTakenBackIsNotUsed(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.Chosen(t, accounts.Schema), accounts.Options{})
	b.subscribe("sub", accounts.Scope{}, accounts.QuotaSetting{Unit: accounts.Accesses, Limit: 3,
		Span: 30 * time.Minute}, accounts.QuotaSetting{Unit: accounts.Tokens, Limit: 9000})
	at := noon.Add(40 * time.Minute)
	for id, when := range map[string]time.Time{"old": noon, "new": at, "newer": at} {
		if _, err := b.authorize(under(id, "sub", when)); err != nil {
			t.Fatal(err)
		}
	}
	taking := func(id string, want map[string][3]int64) {
		t.Helper()
		var h accounts.Hold
		b.do(func(ctx context.Context, tx *store.Tx) (err error) {
			h, err = b.Release(ctx, tx, id, at)
			return err
		})
		if h.State != accounts.Released {
			t.Errorf("%+v", h)
		}
		if have := counts(b.entitled(buyer, at)[0].Quotas); fmt.Sprint(have) != fmt.Sprint(want) {
			t.Errorf("%s taken back: %v, want %v", id, have, want)
		}
		b.sound()
	}
	taking("old", map[string][3]int64{"accesses": {3, 2, 1}, "tokens": {9000, 2000, 7000}})
	taking("new", map[string][3]int64{"accesses": {3, 1, 2}, "tokens": {9000, 1000, 8000}})
	taking("new", map[string][3]int64{"accesses": {3, 1, 2}, "tokens": {9000, 1000, 8000}})
}

// TestASubscriptionIsGoodForWhoAndWhatItNames asks for purchases under subscriptions that are
// somebody's, for something, for a time.
func TestASubscriptionIsGoodForWhoAndWhatItNames(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.Chosen(t, accounts.Schema), accounts.Options{})
	add := func(l accounts.Licence) {
		b.do(func(ctx context.Context, tx *store.Tx) error { return b.AddSubscription(ctx, tx, l, "", noon) })
	}
	add(accounts.Licence{ID: "all", Buyer: "buyer.example.com/*"})
	add(accounts.Licence{ID: "labelled", Buyer: buyer, Scope: accounts.Scope{Labels: []string{"finance", "science"}}})
	add(accounts.Licence{ID: "premium", Buyer: buyer,
		Scope: accounts.Scope{Site: "news", Paths: []string{"/premium/**"}}})
	add(accounts.Licence{ID: "one", Buyer: buyer, Scope: accounts.Scope{URL: "https://news.example/premium/a"}})
	add(accounts.Licence{ID: "later", Buyer: buyer, Begins: noon.Add(time.Hour), Ends: noon.Add(2 * time.Hour)})
	add(accounts.Licence{ID: "other", Buyer: "other.example/bot"})
	b.do(func(ctx context.Context, tx *store.Tx) error {
		add := accounts.Licence{ID: "suspended", Buyer: buyer}
		if err := b.AddSubscription(ctx, tx, add, "", noon); err != nil {
			return err
		}
		return b.SetLicenceStatus(ctx, tx, "suspended", accounts.Suspended, noon)
	})
	for n, c := range []struct {
		subscription string
		change       func(*accounts.Charge)
		want         accounts.Reason
	}{
		{"all", func(*accounts.Charge) {}, ""},
		{"all", func(c *accounts.Charge) { c.Buyer = "buyer.example.com/another" }, ""},
		{"all", func(c *accounts.Charge) { c.Buyer = "buyer.example.com.evil.example/bot" }, accounts.InvalidLicence},
		{"all", func(c *accounts.Charge) { c.Site = "shop" }, ""},
		{"labelled", func(*accounts.Charge) {}, accounts.InvalidLicence},
		{"labelled", func(c *accounts.Charge) { c.Item.Labels = []string{"sports", "science"} }, ""},
		{"premium", func(*accounts.Charge) {}, ""},
		{"premium", func(c *accounts.Charge) { c.Item.URL = "https://news.example/premiums/a" },
			accounts.InvalidLicence},
		{"premium", func(c *accounts.Charge) { c.Site = "shop" }, accounts.InvalidLicence},
		{"one", func(*accounts.Charge) {}, ""},
		{"one", func(c *accounts.Charge) { c.Item.URL += "?page=2" }, accounts.InvalidLicence},
		{"later", func(*accounts.Charge) {}, accounts.InvalidLicence},
		{"later", func(c *accounts.Charge) { c.Now = noon.Add(time.Hour) }, ""},
		{"later", func(c *accounts.Charge) { c.Now = noon.Add(2 * time.Hour) }, accounts.ExpiredLicence},
		{"other", func(*accounts.Charge) {}, accounts.InvalidLicence},
		{"suspended", func(*accounts.Charge) {}, accounts.InvalidLicence},
		{"nothing", func(*accounts.Charge) {}, accounts.InvalidLicence},
	} {
		purchase := charge(fmt.Sprint(n), price("per_access", 1))
		purchase.Subscription = c.subscription
		c.change(&purchase)
		if _, err := b.authorize(purchase); reason(err) != c.want || c.want == "" && err != nil {
			t.Errorf("%s: %v, want %q", c.subscription, err, c.want)
		}
	}
	ids := func(all []accounts.Subscription) (ids []string) {
		for _, s := range all {
			ids = append(ids, s.ID)
		}
		return ids
	}
	if have := fmt.Sprint(ids(b.entitled(buyer, noon))); have != "[all labelled one premium]" {
		t.Errorf("entitled to %s", have)
	}
	if have := fmt.Sprint(ids(b.entitled("buyer.example.com/another", noon))); have != "[all]" {
		t.Errorf("another is entitled to %s", have)
	}
	b.sound()
}

// TestAPeriodEndsOnTheSameDayOfTheMonth follows a monthly quota that began on the last of January.
func TestAPeriodEndsOnTheSameDayOfTheMonth(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.Chosen(t, accounts.Schema), accounts.Options{})
	begin := time.Date(2027, 1, 31, 10, 0, 0, 0, time.UTC)
	b.do(func(ctx context.Context, tx *store.Tx) error {
		if err := b.AddSubscription(ctx, tx, accounts.Licence{ID: "sub", Buyer: buyer}, "", begin); err != nil {
			return err
		}
		return b.SetQuota(ctx, tx, "sub", accounts.QuotaSetting{Unit: accounts.Accesses, Limit: 1, Months: 1}, begin)
	})
	for _, c := range []struct{ at, resets time.Time }{
		{begin, time.Date(2027, 2, 28, 10, 0, 0, 0, time.UTC)},
		{time.Date(2027, 2, 28, 9, 59, 59, 0, time.UTC), time.Date(2027, 2, 28, 10, 0, 0, 0, time.UTC)},
		{time.Date(2027, 2, 28, 10, 0, 0, 0, time.UTC), time.Date(2027, 3, 31, 10, 0, 0, 0, time.UTC)},
		{time.Date(2028, 2, 29, 11, 0, 0, 0, time.UTC), time.Date(2028, 3, 31, 10, 0, 0, 0, time.UTC)},
		{time.Date(2127, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2127, 1, 31, 10, 0, 0, 0, time.UTC)},
	} {
		if have := b.entitled(buyer, c.at)[0].Quotas[0].Resets; !have.Equal(c.resets) {
			t.Errorf("at %s it begins anew at %s, want %s", c.at, have, c.resets)
		}
	}
}

// TestAQuotaThatIsSetAgainKeepsItsCount changes the limit, the period and the count of a quota.
func TestAQuotaThatIsSetAgainKeepsItsCount(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.Chosen(t, accounts.Schema), accounts.Options{})
	b.subscribe("sub", accounts.Scope{}, accounts.QuotaSetting{Unit: accounts.Accesses, Limit: 2, Months: 1})
	for _, id := range []string{"1", "2"} {
		if _, err := b.authorize(under(id, "sub", noon)); err != nil {
			t.Fatal(err)
		}
	}
	set := func(row accounts.QuotaSetting, want [3]int64) {
		t.Helper()
		row.Unit = accounts.Accesses
		b.do(func(ctx context.Context, tx *store.Tx) error { return b.SetQuota(ctx, tx, "sub", row, noon) })
		if have := counts(b.entitled(buyer, noon)[0].Quotas)[accounts.Accesses]; have != want {
			t.Errorf("%+v: %v, want %v", row, have, want)
		}
		b.sound()
	}
	set(accounts.QuotaSetting{Limit: 5, Months: 1}, [3]int64{5, 2, 3})
	set(accounts.QuotaSetting{Limit: 1, Months: 1}, [3]int64{1, 2, 0})
	if _, err := b.authorize(under("3", "sub", noon)); reason(err) != accounts.QuotaExceeded {
		t.Errorf("more than the new limit: %v", err)
	}
	set(accounts.QuotaSetting{Limit: 5, Span: time.Hour}, [3]int64{5, 2, 3})
	set(accounts.QuotaSetting{Limit: 5, Span: time.Hour, Restart: true}, [3]int64{5, 0, 5})
	if _, err := b.release("1", noon); err != nil {
		t.Fatal(err)
	}
	set(accounts.QuotaSetting{Limit: 5, Span: time.Hour}, [3]int64{5, 0, 5})
}

// TestAnUnknownSizeTakesOneToken buys what nobody knows the size of, until no token is left.
func TestAnUnknownSizeTakesOneToken(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.Chosen(t, accounts.Schema), accounts.Options{})
	b.subscribe("sub", accounts.Scope{}, accounts.QuotaSetting{Unit: accounts.Tokens, Limit: 1})
	c := under("1", "sub", noon)
	c.Tokens = 0
	if h, err := b.authorize(c); err != nil || counts(h.Quotas)[accounts.Tokens] != [3]int64{1, 1, 0} {
		t.Errorf("%v, %v", counts(h.Quotas), err)
	}
	c.ID = "2"
	if _, err := b.authorize(c); reason(err) != accounts.QuotaExceeded {
		t.Errorf("%v", err)
	}
	b.sound()
}

// TestASubscriptionCountsInItsCurrency has a purchase in dollars under one that counts its spending
// in euros.
func TestASubscriptionCountsInItsCurrency(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.Chosen(t, accounts.Schema), accounts.Options{})
	b.do(func(ctx context.Context, tx *store.Tx) error {
		if err := b.AddSubscription(ctx, tx, accounts.Licence{ID: "sub", Buyer: buyer}, "EUR", noon); err != nil {
			return err
		}
		return b.SetQuota(ctx, tx, "sub", accounts.QuotaSetting{Unit: accounts.SpendCents, Limit: 100}, noon)
	})
	if _, err := b.authorize(under("1", "sub", noon)); reason(err) != accounts.InvalidLicence {
		t.Errorf("dollars: %v", err)
	}
	free := under("2", "sub", noon)
	free.Price = price("free", 0)
	if _, err := b.authorize(free); err != nil {
		t.Errorf("free of charge: %v", err)
	}
	b.sound()
}
