package accounts_test

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/storetest"
)

// balance is what stands on the account of a buyer in dollars.
func (b *bench) balance(buyer string) accounts.Balance {
	b.t.Helper()
	all, err := accounts.NewReader(b.db).Balances(b.t.Context(), buyer)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, one := range all {
		if one.Currency == "USD" {
			return one
		}
	}
	b.t.Fatalf("%s has no account", buyer)
	return accounts.Balance{}
}

// sound says that the book is as it must be.
func (b *bench) sound() {
	b.t.Helper()
	found, err := accounts.Check(b.t.Context(), b.db)
	if err != nil || len(found) > 0 {
		b.t.Errorf("the book is not as it must be: %v, %v", found, err)
	}
}

func (b *bench) settle(id string, r accounts.Report) (s accounts.Settlement, err error) {
	err = b.try(func(ctx context.Context, tx *store.Tx) (err error) {
		s, err = b.Settle(ctx, tx, id, r)
		return err
	})
	return s, err
}

// expireAll closes all purchases that are overdue.
func expireAll(ctx context.Context, tx *store.Tx, b *accounts.Ledger, now time.Time) ([]accounts.Hold, error) {
	due, err := accounts.Overdue(ctx, tx, now, 100)
	if err != nil {
		return nil, err
	}
	ids := slices.Concat(slices.Collect(maps.Values(due))...)
	if len(ids) == 0 {
		return nil, nil
	}
	return b.Expire(ctx, tx, now, ids...)
}

func (b *bench) expire(now time.Time) (all []accounts.Hold) {
	b.t.Helper()
	b.do(func(ctx context.Context, tx *store.Tx) (err error) {
		all, err = expireAll(ctx, tx, b.Ledger, now)
		return err
	})
	return all
}

func (b *bench) release(id string, now time.Time) (h accounts.Hold, err error) {
	err = b.try(func(ctx context.Context, tx *store.Tx) (err error) {
		h, err = b.Release(ctx, tx, id, now)
		return err
	})
	return h, err
}

// amounts are what stands on an account that had ten coins, in millionths of a coin.
type amounts struct{ available, held, earned int64 }

func (b *bench) amounts() amounts {
	b.t.Helper()
	all := b.balance(buyer)
	return amounts{all.Available / 100, all.Held / 100, all.Earned / 100}
}

// TestEachModelChargesAsTheTableSays follows a purchase by each of the twelve pricing models: what
// it authorises, what a report of 90 of the 100 that were estimated charges, what is charged
// without a report, and what taking it back leaves.
func TestEachModelChargesAsTheTableSays(t *testing.T) {
	t.Parallel()
	const start = 10_000_000
	flat := amounts{start - 20_000, 0, 20_000}
	held, used, all := amounts{start - 2_000_000, 2_000_000, 0}, amounts{start - 1_800_000, 0, 1_800_000},
		amounts{start - 2_000_000, 0, 2_000_000}
	untouched := amounts{start, 0, 0}
	for model, want := range map[string]struct{ bought, reported, expired amounts }{
		"per_access":    {flat, flat, flat},
		"per_fetch":     {flat, flat, flat},
		"subscription":  {flat, flat, flat},
		"training":      {flat, flat, flat},
		"per_token":     {held, used, all},
		"per_page":      {held, used, all},
		"per_minute":    {held, used, all},
		"per_record":    {held, used, all},
		"revenue_share": {untouched, amounts{start - 100_000, 0, 100_000}, untouched}, // 2 % of 5 coins
		"free":          {untouched, untouched, untouched},
		"attribution":   {untouched, untouched, untouched},
		"contribution":  {untouched, untouched, untouched},
	} {
		t.Run(model, func(t *testing.T) {
			b := newBench(t, storetest.Chosen(t, accounts.Schema), accounts.Options{})
			b.pay(buyer, 10)
			buy := func(id string) {
				t.Helper()
				c := charge(id, policy.Money{Model: model, Rate: 2_000_000, Currency: "USD"})
				c.Quantity = 100
				if _, err := b.authorize(c); err != nil {
					t.Fatal(err)
				}
			}
			be := func(step string, want amounts) {
				t.Helper()
				if have := b.amounts(); have != want {
					t.Errorf("%s: %+v, want %+v", step, have, want)
				}
				b.sound()
			}
			for _, way := range []struct {
				id   string
				end  func(id string)
				want amounts
			}{
				{"reported", func(id string) {
					if _, err := b.settle(id, accounts.Report{Quantity: 90, Revenue: 5 * coin, Currency: "USD",
						Now: noon.Add(time.Hour)}); err != nil {
						t.Fatal(err)
					}
				}, want.reported},
				{"expired", func(string) { b.expire(noon.Add(24 * time.Hour)) }, want.expired},
				{"released", func(string) {}, want.bought},
			} {
				buy(way.id)
				be("bought, to be "+way.id, want.bought)
				way.end(way.id)
				be(way.id, way.want)
				if _, err := b.release(way.id, noon); err != nil {
					t.Fatal(err)
				}
				be(way.id+" and taken back", untouched)
			}
		})
	}
}

// TestTheTableHasAllModelsOfRAMP holds that no pricing model is without a row.
func TestTheTableHasAllModelsOfRAMP(t *testing.T) {
	t.Parallel()
	for _, model := range []string{
		"per_access", "per_token", "per_fetch", "subscription", "free", "attribution", "contribution", "training",
		"revenue_share", "per_page",
		"per_minute", "per_record", "flat",
	} {
		if _, ok := accounts.Models[model]; !ok {
			t.Errorf("%s has no row", model)
		}
	}
	if fields := accounts.Models["attribution"].Fields; len(fields) != 1 || fields[0] != "attribution" {
		t.Errorf("attribution asks for %v", fields)
	}
}

// TestAReportChargesWithinTheTolerance settles 100 that were estimated at 0.02 each.
func TestAReportChargesWithinTheTolerance(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.Chosen(t, accounts.Schema), accounts.Options{})
	b.pay(buyer, 1000)
	for _, c := range []struct {
		name     string
		estimate int64
		reported int64
		charged  int64 // in hundredths of a coin
		outside  bool
	}{
		{"exactly", 100, 100, 200, false},
		{"less", 100, 81, 162, false},
		{"the least", 100, 80, 160, false},
		{"far less", 100, 79, 160, true},
		{"nothing", 100, 0, 160, true},
		{"more is not above what was authorised", 100, 101, 200, false},
		{"the most", 100, 120, 200, false},
		{"far more", 100, 121, 200, true},
		{"as much as there are numbers", 100, 1<<62 + 1, 200, true},
		{"without an estimate the rate is the price", 0, 3200, 2, false},
		{"without an estimate nothing", 0, 0, 2, false},
	} {
		purchase := charge(c.name, price("per_token", 0.02))
		purchase.Quantity = c.estimate
		if _, err := b.authorize(purchase); err != nil {
			t.Fatal(err)
		}
		s, err := b.settle(c.name, accounts.Report{Quantity: c.reported, Now: noon})
		if err != nil || s.Charged != c.charged*1_000_000 || s.Deviant != c.outside || s.State != accounts.Settled ||
			s.GivenBack != s.Authorised-s.Charged {
			t.Errorf("%s: %+v, %v", c.name, s, err)
		}
	}
	b.sound()
}

// TestAPurchaseIsReportedOnce has a report repeated, come too late, and come of what there is not.
func TestAPurchaseIsReportedOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.Chosen(t, accounts.Schema), accounts.Options{})
	b.pay(buyer, 10)
	for _, id := range []string{"twice", "late", "back", "unswept"} {
		c := charge(id, price("per_token", 0.01))
		c.Quantity = 100
		if _, err := b.authorize(c); err != nil {
			t.Fatal(err)
		}
	}
	report := accounts.Report{Quantity: 90, Now: noon}
	if _, err := b.settle("twice", report); err != nil {
		t.Fatal(err)
	}
	if _, err := b.settle("twice", report); fail.From(err).Code != fail.Invalid {
		t.Errorf("a second report: %v", err)
	}
	if _, err := b.settle("nobody", report); fail.From(err).Code != fail.NotFound {
		t.Errorf("a report of nothing: %v", err)
	}
	if _, err := b.release("back", noon); err != nil {
		t.Fatal(err)
	}
	if _, err := b.settle("back", report); fail.From(err).Code != fail.Invalid {
		t.Errorf("a report of what was taken back: %v", err)
	}
	if early := b.expire(noon.Add(24*time.Hour - time.Microsecond)); len(early) > 0 {
		t.Errorf("closed before it was due: %+v", early)
	}
	report.Now = noon.Add(24 * time.Hour) // whether the sweep came by or not
	if s, err := b.settle("unswept", report); err != nil || !s.Late || s.Charged != coin || s.GivenBack != 0 ||
		s.State != accounts.Expired {
		t.Errorf("a late report before the sweep: %+v, %v", s, err)
	}
	closed := b.expire(noon.Add(24 * time.Hour))
	if len(closed) != 1 || closed[0].ID != "late" || closed[0].Charged != coin {
		t.Errorf("closed %+v", closed)
	}
	if s, err := b.settle("late", report); err != nil || !s.Late || s.Charged != coin || s.GivenBack != 0 ||
		s.State != accounts.Expired {
		t.Errorf("a late report: %+v, %v", s, err)
	}
	if _, err := b.settle("late", report); fail.From(err).Code != fail.Invalid {
		t.Errorf("a second late report: %v", err)
	}
	b.sound()
}

// TestAShareIsOwedWhateverIsThere reports revenue whose share is more than is available.
func TestAShareIsOwedWhateverIsThere(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.Chosen(t, accounts.Schema), accounts.Options{})
	share := policy.Money{Model: "revenue_share", Rate: coin / 10}
	if _, err := b.authorize(charge("early", share)); reason(err) != accounts.InsufficientBalance {
		t.Errorf("without any account: %v", err)
	}
	b.pay(buyer, 1)
	if _, err := b.authorize(charge("share", share)); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []accounts.Report{
		{Revenue: 50 * coin, Currency: "EUR", Now: noon}, {Revenue: 1 << 62, Currency: "USD", Now: noon},
		{Revenue: -1, Currency: "USD", Now: noon},
	} {
		if _, err := b.settle("share", wrong); fail.From(err).Code != fail.Invalid {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
	s, err := b.settle("share", accounts.Report{Revenue: 50 * coin, Currency: "USD", Now: noon})
	if err != nil || s.Charged != 5*coin || b.balance(buyer).Available != -4*coin {
		t.Errorf("%+v, %v; %d are available", s, err, b.balance(buyer).Available)
	}
	if _, err := b.authorize(charge("next", price("per_access", 0.01))); reason(err) != accounts.InsufficientBalance {
		t.Errorf("a purchase by who owes: %v", err)
	}
	if _, err := b.authorize(charge("late", share)); err != nil {
		t.Fatal(err)
	}
	b.expire(noon.Add(24 * time.Hour))
	late, err := b.settle("late", accounts.Report{Revenue: 20 * coin, Currency: "USD", Now: noon.Add(48 * time.Hour)})
	if err != nil || !late.Late || late.Charged != 2*coin || late.State != accounts.Expired ||
		b.balance(buyer).Available != -6*coin {
		t.Errorf("a late report: %+v, %v; %d are available", late, err, b.balance(buyer).Available)
	}
	b.do(func(ctx context.Context, tx *store.Tx) error {
		return b.AddLicence(ctx, tx, accounts.Licence{ID: "lic", Buyer: buyer, Paid: "revenue_share"}, noon)
	})
	paid := charge("paid", share)
	paid.Licence = "lic"
	if _, err := b.authorize(paid); err != nil {
		t.Fatal(err)
	}
	if s, err := b.settle("paid", accounts.Report{Revenue: 20 * coin, Currency: "USD", Now: noon}); err != nil ||
		s.Charged != 0 || b.balance(buyer).Available != -6*coin {
		t.Errorf("under a licence that has it paid: %+v, %v; %d are available", s, err, b.balance(buyer).Available)
	}
	if _, err := b.release("late", noon); err != nil || b.balance(buyer).Available != -4*coin {
		t.Errorf("taken back: %v; %d are available", err, b.balance(buyer).Available)
	}
	b.sound()
}

// TestAModelGrantsWhatItSays buys a licence for training and a subscription, uses both, and takes
// them back.
func TestAModelGrantsWhatItSays(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.Chosen(t, accounts.Schema), accounts.Options{})
	b.pay(buyer, 1000)
	year := policy.Money{Model: "training", Rate: 100 * coin, Currency: "USD", Months: 12}
	bought, err := b.authorize(charge("one", year))
	if err != nil || bought.Granted != "lic-one" {
		t.Fatalf("%+v, %v", bought, err)
	}
	again := charge("two", year)
	again.Licence = bought.Granted
	if h, err := b.authorize(again); err != nil || h.Authorised != 0 || h.Charged != 0 || h.Value != 100*coin ||
		h.Granted != "" {
		t.Errorf("training under its licence: %+v, %v", h, err)
	}
	other := again
	other.ID, other.Price = "three", price("per_access", 0.5)
	if h, err := b.authorize(other); err != nil || h.Charged != coin/2 {
		t.Errorf("another model under the licence: %+v, %v", h, err)
	}
	elsewhere := again
	elsewhere.ID, elsewhere.Item.URL = "four", "https://news.example/premium/b"
	if _, err := b.authorize(elsewhere); reason(err) != accounts.InvalidLicence {
		t.Errorf("another item under the licence: %v", err)
	}
	over := again
	over.ID, over.Now = "five", time.Date(2027, 3, 18, 12, 0, 0, 0, time.UTC)
	if _, err := b.authorize(over); reason(err) != accounts.ExpiredLicence {
		t.Errorf("after a year: %v", err)
	}
	over.ID, over.Now = "six", over.Now.Add(-time.Microsecond)
	if _, err := b.authorize(over); err != nil {
		t.Errorf("within the year: %v", err)
	}
	if _, err := b.release("one", noon); err != nil {
		t.Fatal(err)
	}
	again.ID = "seven"
	if _, err := b.authorize(again); reason(err) != accounts.ExpiredLicence {
		t.Errorf("after the purchase was taken back: %v", err)
	}

	month := charge("month", policy.Money{Model: "subscription", Rate: 29 * coin, Currency: "USD"})
	month.Scope = accounts.Scope{Paths: []string{"/premium/**"}}
	if _, err := b.authorize(month); err != nil {
		t.Fatal(err)
	}
	under := charge("under", price("per_access", 0.5))
	under.Subscription, under.Item.URL = "sub-month", "https://news.example/premium/b"
	if h, err := b.authorize(under); err != nil || h.Charged != 0 || h.Value != coin/2 ||
		h.Subscription != "sub-month" {
		t.Errorf("under the subscription: %+v, %v", h, err)
	}
	under.ID, under.Now = "after", time.Date(2026, 4, 18, 12, 0, 0, 0, time.UTC)
	if _, err := b.authorize(under); reason(err) != accounts.ExpiredLicence {
		t.Errorf("after a month: %v", err)
	}
	b.sound()
}
