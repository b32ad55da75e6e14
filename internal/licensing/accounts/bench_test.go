package accounts_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/testkit/storetest"
)

// BenchmarkAuthorize is what the book adds to a purchase: 256 of them in one transaction, so that
// the commit counts for little.
func BenchmarkAuthorize(b *testing.B) {
	for name, change := range map[string]func(*accounts.Charge){
		"flat":         func(*accounts.Charge) {},
		"metered":      func(c *accounts.Charge) { c.Price.Model, c.Quantity = "per_token", 100 },
		"free":         func(c *accounts.Charge) { c.Price = price("free", 0) },
		"subscription": func(c *accounts.Charge) { c.Subscription = "sub" },
	} {
		b.Run(name, func(b *testing.B) {
			book := richBench(b)
			for n := 0; b.Loop(); n++ {
				if n%256 > 0 {
					continue
				}
				book.do(func(ctx context.Context, tx *store.Tx) error {
					for i := range 256 {
						c := charge(fmt.Sprint(name, n+i), price("per_access", 0.01))
						change(&c)
						if _, err := book.Authorize(ctx, tx, c); err != nil {
							return err
						}
					}
					return nil
				})
			}
		})
	}
}

// BenchmarkPurchases has 64 buyers at once, each purchase in a transaction of its own that is
// durable: with what the book writes, and with nothing but one small row as the floor.
func BenchmarkPurchases(b *testing.B) {
	run := func(name string, work func(book *bench, ctx context.Context, tx *store.Tx, n int64) error) {
		b.Run(name, func(b *testing.B) {
			book := richBench(b)
			var n atomic.Int64
			b.SetParallelism(32) // times the processors
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					id := n.Add(1)
					if err := book.try(func(ctx context.Context,
						tx *store.Tx) error {
						return work(book, ctx, tx, id)
					}); err != nil {
						b.Error(err)
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "purchases/s")
		})
	}
	run("book", func(book *bench, ctx context.Context, tx *store.Tx, n int64) error {
		c := charge(fmt.Sprint(n), price("per_access", 0.01))
		c.Buyer = fmt.Sprintf("buyer.example.com/%d", n%64)
		_, err := book.Authorize(ctx, tx, c)
		return err
	})
	run("floor", func(_ *bench, ctx context.Context, tx *store.Tx, n int64) error {
		_, err := tx.Exec(ctx, `INSERT INTO account_quota (subscription, unit, most, used, months, span, anchor, resets, round) VALUES ($1, 'floor', 0, 0, 0, 0, 0, 0, 0)`, fmt.Sprint(n))
		return err
	})
}

// BenchmarkEntitled asks for the subscriptions of a buyer who has one with two quotas.
func BenchmarkEntitled(b *testing.B) {
	book := richBench(b)
	ctx := b.Context()
	if err := book.db.View(ctx, func(tx *store.Tx) error {
		for b.Loop() {
			if all, err := book.SubscriptionsFor(ctx, tx, buyer, "news", noon); err != nil || len(all) != 1 {
				return fmt.Errorf("%v, %w", all, err)
			}
		}
		return nil
	}); err != nil {
		b.Fatal(err)
	}
}

func richBench(b *testing.B) *bench {
	book := newBench(b, storetest.Chosen(b, accounts.Schema), accounts.Options{})
	book.pay("buyer.example.com/*", 10_000_000)
	for n := range 64 {
		book.pay(fmt.Sprintf("buyer.example.com/%d", n), 1_000_000)
	}
	book.subscribe("sub", accounts.Scope{}, accounts.QuotaSetting{Unit: accounts.Accesses, Limit: 1 << 30, Months: 1},
		accounts.QuotaSetting{Unit: accounts.Burst, Limit: 1 << 30, Span: time.Minute})
	return book
}
