package accounts_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/testkit/storetest"
)

// TestTheOperatorMovesMoney opens an account, pays in, takes out, lets lapse, and looks at the
// statement.
func TestTheOperatorMovesMoney(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		b := newBench(t, open(t, accounts.Schema), accounts.Options{})
		b.pay(buyer, 10)
		move := func(did string, coins float64, want float64, code fail.Code) {
			t.Helper()
			var moved int64
			err := b.try(func(ctx context.Context, tx *store.Tx) (err error) {
				moved, err = b.Pay(ctx, tx, did, buyer, "USD", int64(coins*coin), "INV-7", noon)
				return err
			})
			if moved != int64(want*coin) || (err == nil) != (code == "") || err != nil && fail.From(err).Code != code {
				t.Errorf("%s %g: %d, %v", did, coins, moved, err)
			}
		}
		move(accounts.Debit, 4, 4, "")
		move(accounts.Debit, 6.00000001, 0, fail.Invalid)
		move(accounts.Credit, 0, 0, fail.Invalid)
		move(accounts.Credit, -1, 0, fail.Invalid)
		move(accounts.Credit, 1_000_000_000, 0, fail.Invalid)
		move("give", 1, 0, fail.Internal)
		move(accounts.Lapse, 100, 6, "")
		move(accounts.Lapse, 100, 0, "")
		move(accounts.Credit, 1, 1, "")
		all, err := accounts.NewReader(b.db).Statement(t.Context(), buyer, "USD", 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		var have []string
		for _, l := range all {
			have = append(have, fmt.Sprintf("%d %s %d %d", l.Number, l.Kind, l.Available/coin, l.After/coin))
		}
		if want := "4 credit 1 1, 3 expire -6 0, 2 debit -4 6, 1 credit 10 10"; strings.Join(have, ", ") != want {
			t.Errorf("%v, want %s", have, want)
		}
		if page, err := accounts.NewReader(b.db).Statement(t.Context(), buyer, "USD", 3, 1); err != nil ||
			len(page) != 1 || page[0].Number != 2 {
			t.Errorf("the next page: %+v, %v", page, err)
		}
		if _, err := accounts.NewReader(b.db).Statement(t.Context(), buyer, "EUR", 0, 1); fail.From(err).Code !=
			fail.NotFound {
			t.Errorf("an account that there is not: %v", err)
		}
		b.sound()
	})
}

// TestAnAccountGoesBelowNothingAsFarAsItsLimit buys on credit, by the configured limit and by one
// of its own.
func TestAnAccountGoesBelowNothingAsFarAsItsLimit(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.Chosen(t, accounts.Schema), accounts.Options{Credit: 2 * coin})
	buy := func(id string, coins float64, want accounts.Reason) {
		t.Helper()
		if _, err := b.authorize(charge(id, price("per_access", coins))); reason(err) != want || want == "" &&
			err != nil {
			t.Errorf("%s: %v, want %q", id, err, want)
		}
	}
	buy("too much for a stranger", 2.5, accounts.InsufficientBalance)
	if all, err := accounts.NewReader(b.db).Balances(t.Context(), ""); err != nil || len(all) > 0 {
		t.Errorf("a refused purchase left %+v, %v", all, err)
	}
	buy("a stranger's", 1.5, "")
	buy("above the limit", 0.51, accounts.InsufficientBalance)
	buy("up to the limit", 0.5, "")
	b.do(func(ctx context.Context, tx *store.Tx) error { return b.SetLimit(ctx, tx, buyer, "USD", 3*coin, noon) })
	buy("within its own limit", 1, "")
	b.do(func(ctx context.Context, tx *store.Tx) error { return b.SetLimit(ctx, tx, buyer, "USD", 0, noon) })
	buy("with no limit", 0.01, accounts.InsufficientBalance)
	b.sound()
}

// TestASuspendedAccountBuysNothing suspends an account and resumes it.
func TestASuspendedAccountBuysNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.Chosen(t, accounts.Schema), accounts.Options{})
	b.pay(buyer, 10)
	status := func(status string) {
		b.do(func(ctx context.Context, tx *store.Tx) error {
			return b.SetAccountStatus(ctx, tx, buyer, "USD", status, noon)
		})
	}
	status(accounts.Suspended)
	for _, model := range []string{"per_access", "revenue_share"} {
		if _, err := b.authorize(charge(model, price(model, 0.01))); reason(err) != accounts.InvalidLicence {
			t.Errorf("%s: %v", model, err)
		}
	}
	if _, err := b.authorize(charge("free", price("free", 0))); err != nil {
		t.Errorf("free of charge: %v", err)
	}
	status(accounts.Active)
	if _, err := b.authorize(charge("resumed", price("per_access", 0.01))); err != nil {
		t.Error(err)
	}
}

// TestABuyerWithoutAnAccountUsesThatOfItsDomain has several buyers of a domain, one with an account
// of its own.
func TestABuyerWithoutAnAccountUsesThatOfItsDomain(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.Chosen(t, accounts.Schema), accounts.Options{})
	b.pay("buyer.example.com/*", 10)
	b.pay("buyer.example.com/rich", 100)
	for who, want := range map[string]string{
		"buyer.example.com/one": "buyer.example.com/*", "buyer.example.com/rich": "buyer.example.com/rich",
		"buyer.example.com.evil.example/one": "", "example.com/one": "",
	} {
		c := charge("by "+who, price("per_access", 1))
		c.Buyer = who
		h, err := b.authorize(c)
		if want == "" && reason(err) != accounts.InsufficientBalance || want != "" &&
			(err != nil || h.Holder != want || h.Buyer != who) {
			t.Errorf("%s: %+v, %v", who, h, err)
		}
	}
	if left := b.balance("buyer.example.com/*").Available; left != 9*coin {
		t.Errorf("%d are left", left)
	}
	b.sound()
}

// TestWhatTheOperatorMayNotSayIsRefused goes through what commands may be given.
func TestWhatTheOperatorMayNotSayIsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.Chosen(t, accounts.Schema), accounts.Options{})
	b.pay(buyer, 1)
	b.subscribe("sub", accounts.Scope{})
	type call = func(ctx context.Context, tx *store.Tx) error
	licence := func(l accounts.Licence) call {
		return func(ctx context.Context, tx *store.Tx) error { return b.AddLicence(ctx, tx, l, noon) }
	}
	quota := func(subscription string, row accounts.QuotaSetting) call {
		return func(ctx context.Context, tx *store.Tx) error { return b.SetQuota(ctx, tx, subscription, row, noon) }
	}
	account1 := func(buyer, currency string, limit int64) call {
		return func(ctx context.Context, tx *store.Tx) error { return b.Open(ctx, tx, buyer, currency, limit, noon) }
	}
	for name, c := range map[string]struct {
		call call
		code fail.Code
	}{
		"a second account":     {account1(buyer, "USD", 0), fail.Invalid},
		"no currency":          {account1(buyer, "usd", 0), fail.Invalid},
		"no buyer":             {account1("buyer.example.com", "EUR", 0), fail.Invalid},
		"a buyer with a space": {account1("buyer.example.com/a b", "EUR", 0), fail.Invalid},
		"a limit below 0":      {account1(buyer, "EUR", -2), fail.Invalid},
		"a person in reference": {func(ctx context.Context, tx *store.Tx) error {
			_, err := b.Pay(ctx, tx, accounts.Credit, buyer, "USD", 1, "from jane@doe.example", noon)
			return err
		}, fail.Invalid},
		"a limit of nobody": {func(ctx context.Context, tx *store.Tx) error {
			return b.SetLimit(ctx, tx, "a/b", "USD",
				1, noon)
		}, fail.NotFound},
		"a status of nobody": {func(ctx context.Context, tx *store.Tx) error {
			return b.SetAccountStatus(ctx, tx, "a/b", "USD", accounts.Active, noon)
		}, fail.NotFound},
		"a status that is none": {func(ctx context.Context, tx *store.Tx) error {
			return b.SetAccountStatus(ctx, tx, buyer, "USD", "asleep", noon)
		}, fail.Invalid},
		"a licence without an id":  {licence(accounts.Licence{Buyer: buyer}), fail.Invalid},
		"a licence of an id twice": {licence(accounts.Licence{ID: "sub", Buyer: buyer}), fail.Invalid},
		"a licence of no time": {licence(accounts.Licence{ID: "l", Buyer: buyer, Begins: noon, Ends: noon}),
			fail.Invalid},
		"a licence for no path": {licence(accounts.Licence{ID: "l", Buyer: buyer,
			Scope: accounts.Scope{Paths: []string{"premium"}}}), fail.Invalid},
		"a licence for no label": {licence(accounts.Licence{ID: "l", Buyer: buyer,
			Scope: accounts.Scope{Labels: []string{"a\nb"}}}), fail.Invalid},
		"a licence of no model": {licence(accounts.Licence{ID: "l", Buyer: buyer, Paid: "per_wish"}), fail.Invalid},
		"a quota of nothing":    {quota("none", accounts.QuotaSetting{Unit: accounts.Accesses}), fail.NotFound},
		"a quota in no unit":    {quota("sub", accounts.QuotaSetting{Unit: "wishes"}), fail.Invalid},
		"a quota above 32 bits": {quota("sub", accounts.QuotaSetting{Unit: accounts.Tokens, Limit: 1 << 31}),
			fail.Invalid},
		"a quota below 0": {quota("sub", accounts.QuotaSetting{Unit: accounts.Tokens, Limit: -1}), fail.Invalid},
		"a quota of two periods": {quota("sub", accounts.QuotaSetting{Unit: accounts.Tokens, Limit: 1, Months: 1,
			Span: time.Hour}), fail.Invalid},
		"a quota of no period": {quota("sub",
			accounts.QuotaSetting{Unit: accounts.Tokens, Limit: 1, Span: time.Millisecond}), fail.Invalid},
	} {
		if err := b.try(c.call); err == nil || fail.From(err).Code != c.code {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
	b.do(func(ctx context.Context, tx *store.Tx) error {
		return b.SetLicenceStatus(ctx, tx, "sub", accounts.Ended, noon)
	})
	if err := b.try(func(ctx context.Context, tx *store.Tx) error {
		return b.SetLicenceStatus(ctx, tx, "sub", accounts.Active, noon)
	}); fail.From(err).Code != fail.Invalid {
		t.Errorf("what has ended begins again: %v", err)
	}
}

// TestEveryChangeOfTheOperatorIsTold holds that there is none without, and that one that cannot be
// told does not happen.
func TestEveryChangeOfTheOperatorIsTold(t *testing.T) {
	t.Parallel()
	var told []string
	var deaf error
	b := newBench(t, storetest.Chosen(t, accounts.Schema),
		accounts.Options{Changed: func(_ context.Context, _ *store.Tx, c accounts.Change) error {
			told = append(told, c.What+" "+c.Action)
			return deaf
		}})
	b.pay(buyer, 2)
	changes := []func(ctx context.Context, tx *store.Tx) error{
		func(ctx context.Context, tx *store.Tx) error { return b.Open(ctx, tx, buyer, "EUR", 0, noon) },
		func(ctx context.Context, tx *store.Tx) error {
			_, err := b.Pay(ctx, tx, accounts.Debit, buyer, "USD", coin, "", noon)
			return err
		},
		func(ctx context.Context, tx *store.Tx) error {
			_, err := b.Pay(ctx, tx, accounts.Lapse, buyer, "USD", coin, "", noon)
			return err
		},
		func(ctx context.Context, tx *store.Tx) error { return b.SetLimit(ctx, tx, buyer, "USD", 5, noon) },
		func(ctx context.Context, tx *store.Tx) error {
			return b.SetAccountStatus(ctx, tx, buyer, "USD", accounts.Suspended, noon)
		},
		func(ctx context.Context, tx *store.Tx) error {
			return b.AddLicence(ctx, tx, accounts.Licence{ID: "lic", Buyer: buyer}, noon)
		},
		func(ctx context.Context, tx *store.Tx) error {
			return b.AddSubscription(ctx, tx, accounts.Licence{ID: "sub", Buyer: buyer}, "", noon)
		},
		func(ctx context.Context, tx *store.Tx) error {
			return b.SetQuota(ctx, tx, "sub", accounts.QuotaSetting{Unit: accounts.Accesses, Limit: 1}, noon)
		},
		func(ctx context.Context, tx *store.Tx) error {
			return b.SetLicenceStatus(ctx, tx, "lic", accounts.Suspended, noon)
		},
		func(ctx context.Context, tx *store.Tx) error {
			return b.SetLicenceStatus(ctx, tx, "sub", accounts.Ended, noon)
		},
	}
	want := []string{"account open", "account credit"}
	for i, w := range []string{
		"account open", "account debit", "account expire", "account limit", "account suspend", "licence add",
		"subscription add", "subscription quota",
		"licence suspend", "subscription end",
	} {
		deaf = context.DeadlineExceeded
		if err := b.try(changes[i]); err == nil {
			t.Errorf("%s happened, and could not be told", w)
		}
		deaf = nil
		b.do(changes[i])
		want = append(want, w, w)
	}
	if strings.Join(told, ", ") != strings.Join(want, ", ") {
		t.Errorf("told %v, want %v", told, want)
	}
	b.sound()
}

func TestPaymentsAreKnownByTheirReference(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		b := newBench(t, open(t, accounts.Schema), accounts.Options{})
		b.pay(buyer, 7)
		b.do(func(ctx context.Context, tx *store.Tx) error {
			for _, p := range []struct {
				did, reference string
				amount         int64
			}{{accounts.Credit, "INV-1", 5 * coin}, {accounts.Credit, "INV-2", coin},
				{accounts.Debit, "INV-1", 2 * coin}} {
				if _, err := b.Pay(ctx, tx, p.did, buyer, "USD", p.amount, p.reference, noon); err != nil {
					return err
				}
			}
			for _, p := range []struct {
				did, currency, reference string
				amount                   int64
			}{
				{accounts.Credit, "USD", "INV-1", 5 * coin}, {accounts.Debit, "USD", "INV-1", 2 * coin},
				{accounts.Debit, "USD", "INV-2", 0}, {accounts.Credit, "EUR", "INV-1", 0},
				{accounts.Credit, "USD", "", 0},
			} {
				if amount, known, err := b.LastPayment(ctx, tx, p.did, buyer, p.currency, p.reference); err != nil ||
					amount != p.amount || known != (p.amount > 0) {
					t.Errorf("%+v: %d, %v, %v", p, amount, known, err)
				}
			}
			return nil
		})
	})
}

func TestPeriodsAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	for text, q := range map[string]accounts.Quota{"": {}, "1mo": {Months: 1}, "12mo": {Months: 12},
		"24h0m0s": {Span: 24 * time.Hour}} {
		if months, span, err := accounts.ParsePeriod(text); err != nil || months != q.Months || span != q.Span ||
			q.Period() != text {
			t.Errorf("%q: %d, %s, %v; written %q", text, months, span, err, q.Period())
		}
	}
	for _, text := range []string{"0mo", "-1mo", "mo", "0s", "-1h", "monthly", "1"} {
		if _, _, err := accounts.ParsePeriod(text); err == nil {
			t.Errorf("%q is taken for a period", text)
		}
	}
}
