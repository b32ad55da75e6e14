package accounts_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/testkit/storetest"
)

// names are accounts as texts.
func names(all []accounts.Balance) (out []string) {
	for _, b := range all {
		out = append(out, b.Buyer+" "+b.Currency)
	}
	return out
}

func TestAccountsAreListedPageByPage(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		b := newBench(t, open(t, accounts.Schema), accounts.Options{})
		var want []string
		b.do(func(ctx context.Context, tx *store.Tx) error {
			want = nil
			for _, buyer := range []string{"a.example/*", "a.example/x", "a.example/ü", "ab.example/x", "b.example/x"} {
				for _, currency := range []string{"EUR", "USD"} {
					if err := b.Open(ctx, tx, buyer, currency, -1, noon); err != nil {
						return err
					}
					want = append(want, buyer+" "+currency)
				}
			}
			return nil
		})
		r := accounts.NewReader(b.db)
		for _, begins := range []string{"", "a", "a.example/", "a.example/x", "b", "c"} {
			var got, some []string
			for _, name := range want {
				if len(name) >= len(begins) && name[:len(begins)] == begins {
					some = append(some, name)
				}
			}
			w := accounts.AccountFilter{Begins: begins, Limit: 3}
			for {
				page, err := r.Accounts(t.Context(), w)
				if err != nil || len(got) > len(want) {
					t.Fatal(got, err)
				}
				if got = append(got, names(page)...); len(page) < w.Limit {
					break
				}
				w.Buyer, w.Listed = page[2].Buyer, page[2].Currency
			}
			if !slices.Equal(got, some) {
				t.Errorf("beginning with %q: %q, want %q", begins, got, some)
			}
		}
		if one, err := r.Account(t.Context(), "a.example/ü", "EUR"); err != nil || one.Currency != "EUR" {
			t.Errorf("%+v, %v", one, err)
		}
		if _, err := r.Account(t.Context(), "a.example/ü", "CHF"); fail.From(err).Code != fail.NotFound {
			t.Errorf("an account that there is not: %v", err)
		}
	})
}

func TestPurchasesAreListedPageByPage(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		b := newBench(t, open(t, accounts.Schema), accounts.Options{})
		b.pay(buyer, 10)
		var want []string
		for n := range 7 {
			c := charge(fmt.Sprint("txn-", n), price("per_access", 0.01))
			c.Now = noon.Add(time.Duration(n/2) * time.Second) // two at once
			if _, err := b.authorize(c); err != nil {
				t.Fatal(err)
			}
			want = append([]string{c.ID}, want...)
		}
		r := accounts.NewReader(b.db)
		var got []string
		w := accounts.PurchaseFilter{Holder: buyer, Limit: 2}
		for {
			page, err := r.Purchases(t.Context(), w)
			if err != nil || len(got) > 7 {
				t.Fatal(got, err)
			}
			for _, h := range page {
				got = append(got, h.ID)
			}
			if len(page) < 2 {
				break
			}
			w.Before = page[1].ID
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
		if _, err := r.Purchases(t.Context(), accounts.PurchaseFilter{Before: "txn-none"}); fail.From(err).Code !=
			fail.NotFound {
			t.Errorf("after what there is not: %v", err)
		}
		some, err := r.PurchasesOf(t.Context(), "txn-3", "txn-none", "txn-1")
		if err != nil || len(some) != 2 || some[0].ID == some[1].ID {
			t.Errorf("%+v, %v", some, err)
		}
	})
}

func TestGrantsAreListedWithTheirQuotas(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		b := newBench(t, open(t, accounts.Schema), accounts.Options{})
		b.do(func(ctx context.Context, tx *store.Tx) error {
			for n, id := range []string{"d", "a", "c", "b"} {
				l := accounts.Licence{ID: id, Buyer: []string{buyer, "other.example/x"}[n/3], Begins: noon}
				if err := b.AddLicence(ctx, tx, l, noon); err != nil {
					return err
				}
				l.ID = "sub-" + id
				if err := b.AddSubscription(ctx, tx, l, "", noon); err != nil {
					return err
				}
				if err := b.SetQuota(ctx, tx, l.ID, accounts.QuotaSetting{Unit: accounts.Accesses, Limit: int64(n + 1)},
					noon); err != nil {
					return err
				}
			}
			return nil
		})
		list := func(buyer, after string, limit int) (out []string) {
			t.Helper()
			all, err := accounts.NewReader(b.db).Grants(t.Context(),
				accounts.GrantFilter{Buyer: buyer, After: after, Limit: limit}, noon)
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range all {
				out = append(out, g.ID+" "+g.Kind)
				if (g.Kind == accounts.GrantSubscription) != (len(g.Quotas) == 1) {
					t.Errorf("%s has %d quotas", g.ID, len(g.Quotas))
				}
			}
			return out
		}
		if got, want := list("", "", 5), []string{"a licence", "b licence", "c licence", "d licence",
			"sub-a subscription"}; !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
		if got, want := list("", "sub-a", 5),
			[]string{"sub-b subscription", "sub-c subscription", "sub-d subscription"}; !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
		if got, want := list("other.example/x", "a", 5), []string{"b licence", "sub-b subscription"}; !slices.Equal(got,
			want) {
			t.Errorf("%q", got)
		}
	})
}

// TestWhatIsBookedTwiceIsFound tells a payment that was sent twice from two payments.
func TestWhatIsBookedTwiceIsFound(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		b := newBench(t, open(t, accounts.Schema), accounts.Options{})
		b.pay(buyer, 10)
		b.do(func(ctx context.Context, tx *store.Tx) error {
			if _, err := b.Pay(ctx, tx, accounts.Debit, buyer, "USD", 3*coin, "INV-1", noon); err != nil {
				return err
			}
			_, err := b.Pay(ctx, tx, accounts.Credit, buyer, "USD", 3*coin, "INV-1", noon)
			return err
		})
		for _, c := range []struct {
			did, reference string
			amount, after  int64
			want           bool
		}{
			{accounts.Credit, "INV-1", 3 * coin, 0, true}, {accounts.Debit, "INV-1", 3 * coin, 0, true},
			{accounts.Credit, "INV-1", 3 * coin, 2, true},
			{accounts.Debit, "INV-1", 3 * coin, 2, false}, {accounts.Credit, "INV-2", 3 * coin, 0, false},
			{accounts.Credit, "INV-1", 4 * coin, 0, false},
			{accounts.Lapse, "INV-1", 3 * coin, 0, false}, {accounts.Credit, "", 10 * coin, 0, true},
			{accounts.Credit, "", 10 * coin, 1, false},
		} {
			b.do(func(ctx context.Context, tx *store.Tx) error {
				if got, err := b.PaymentBooked(ctx, tx, c.did, buyer, "USD", c.amount, c.reference, c.after); err !=
					nil || got != c.want {
					t.Errorf("%+v: %v, %v", c, got, err)
				}
				return nil
			})
		}
	})
}

func TestTakingsAddUp(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		b := newBench(t, open(t, accounts.Schema), accounts.Options{})
		b.do(func(ctx context.Context, tx *store.Tx) error {
			for n := range 5 {
				for _, currency := range []string{"EUR", "USD"} {
					if err := b.Open(ctx, tx, fmt.Sprint("b.example/", n), currency, 100*coin, noon); err != nil {
						return err
					}
				}
			}
			return nil
		})
		day := func(n int) time.Time { return noon.Truncate(24*time.Hour).AddDate(0, 0, n) }
		for n := range 20 { // buyer 4 pays the most; the last four days in euros
			c := charge(fmt.Sprint("txn-", n), price("per_access", float64(n%5+1)))
			c.Buyer, c.Site, c.Now = fmt.Sprint("b.example/", n%5), []string{"news", "shop"}[n%2],
				noon.AddDate(0, 0, n/5)
			if n >= 16 {
				c.Price.Currency = "EUR"
			}
			if _, err := b.authorize(c); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := b.release("txn-4", noon.AddDate(0, 0, 1)); err != nil {
			t.Fatal(err)
		}
		r := accounts.NewReader(b.db)
		all, err := r.Revenue(t.Context(), "", day(0), day(4), 2)
		if err != nil || len(all) != 2 || all[0].Currency != "USD" || all[1].Currency != "EUR" {
			t.Fatalf("%+v, %v", all, err)
		}
		usd := all[0]
		if len(usd.Buyers) != 3 || usd.Buyers[0].Buyer != "b.example/3" || usd.Buyers[1].Buyer != "b.example/4" ||
			usd.Buyers[2].Buyer != "" {
			t.Errorf("%+v", usd.Buyers)
		}
		if usd.All.Amount != (45+1-5)*coin || usd.All.Movements != 17 || usd.All.Days[day(0)] != 15*coin ||
			usd.All.Days[day(1)] != 10*coin || !usd.All.Last.Equal(day(3)) {
			t.Errorf("%+v", usd.All)
		}
		var amount, movements int64
		days := map[time.Time]int64{}
		for _, of := range usd.Buyers {
			amount, movements = amount+of.Amount, movements+of.Movements
			for d, n := range of.Days {
				days[d] += n
			}
		}
		if amount != usd.All.Amount || movements != usd.All.Movements || fmt.Sprint(days) != fmt.Sprint(usd.All.Days) {
			t.Errorf("the buyers' are %d in %d movements, %v", amount, movements, days)
		}
		one, err := r.Revenue(t.Context(), "shop", day(1), day(2), 9)
		if err != nil || len(one) != 1 || one[0].All.Amount != (1+3+5)*coin || len(one[0].Buyers) != 3 {
			t.Errorf("of one site and day: %+v, %v", one, err)
		}
		if none, err := r.Revenue(t.Context(), "blog", day(0), day(9), 9); err != nil || len(none) != 0 {
			t.Errorf("of no site: %+v, %v", none, err)
		}
	})
}
