package accounts_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/storetest"
)

// coin is one of a currency.
const coin = 100_000_000

const buyer = "buyer.example.com/research-bot"

// noon is when tests begin.
var noon = time.Date(2026, 3, 18, 12, 0, 0, 0, time.UTC)

// price is a price in dollars, by its model and its rate in coins.
func price(model string, rate float64) policy.Money {
	return policy.Money{Model: model, Rate: int64(rate * coin), Currency: "USD"}
}

// bench is a book with a database, as one test uses it.
type bench struct {
	*accounts.Ledger
	t     testing.TB
	db    *store.DB
	calls atomic.Int64
}

func newBench(t testing.TB, db *store.DB, options accounts.Options) *bench {
	return &bench{Ledger: accounts.New(options), t: t, db: db}
}

// try runs fn in a transaction whose lock nobody else has, as when this process does not know whose
// account it is: what two write collides, and nothing else keeps them apart.
func (b *bench) try(fn func(ctx context.Context, tx *store.Tx) error) error {
	alone := []string{fmt.Sprint(b.calls.Add(1))}
	return b.db.UpdateBatched(b.t.Context(), alone, func(tx *store.Tx) error { return fn(b.t.Context(), tx) })
}

// do is try for what must be done.
func (b *bench) do(fn func(ctx context.Context, tx *store.Tx) error) {
	b.t.Helper()
	if err := b.try(fn); err != nil {
		b.t.Fatal(err)
	}
}

// pay opens an account and pays in coins.
func (b *bench) pay(buyer string, coins float64) {
	b.t.Helper()
	b.do(func(ctx context.Context, tx *store.Tx) error {
		if err := b.Open(ctx, tx, buyer, "USD", -1, noon); err != nil || coins == 0 {
			return err
		}
		_, err := b.Pay(ctx, tx, accounts.Credit, buyer, "USD", int64(coins*coin), "", noon)
		return err
	})
}

// charge is a purchase at noon, to be changed by the test.
func charge(id string, price policy.Money) accounts.Charge {
	return accounts.Charge{ID: id, Buyer: buyer, Site: "news",
		Item: accounts.Item{URL: "https://news.example/premium/a"}, Price: price, Due: noon.Add(24 * time.Hour),
		Now: noon}
}

func (b *bench) authorize(c accounts.Charge) (h accounts.Hold, err error) {
	err = b.try(func(ctx context.Context, tx *store.Tx) (err error) {
		h, err = b.Authorize(ctx, tx, c)
		return err
	})
	return h, err
}

func reason(err error) accounts.Reason {
	var refused *accounts.Denial
	if errors.As(err, &refused) {
		return refused.Reason
	}
	return ""
}

func TestAPurchaseWithoutMoneyIsRefused(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		b := newBench(t, open(t, accounts.Schema), accounts.Options{})
		if _, err := b.authorize(charge("txn-1", price("per_access", 0.02))); reason(err) !=
			accounts.InsufficientBalance {
			t.Errorf("without an account: %v", err)
		}
		b.pay(buyer, 0.03)
		if h, err := b.authorize(charge("txn-2", price("per_access", 0.02))); err != nil || h.Charged != 2_000_000 ||
			h.State != accounts.Settled {
			t.Errorf("%+v, %v", h, err)
		}
		if _, err := b.authorize(charge("txn-3", price("per_access", 0.02))); reason(err) !=
			accounts.InsufficientBalance {
			t.Errorf("with too little: %v", err)
		}
	})
}
