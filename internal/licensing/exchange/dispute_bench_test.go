package exchange_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/exchange"
)

// BenchmarkDispute says what a dispute costs that is decided at once, with its credit, beside its
// floor: one durable commit, through the same store, of a row of the size of the entries that it
// leaves in the ledger. It counts the pages that a dispute writes on SQLite, to which it makes no
// difference what else the machine does. At 64 clients it counts commits.
func BenchmarkDispute(b *testing.B) {
	d := shop(b)
	d.Credit(b, bot.Domain+"/*", 1_000_000*dollar)
	d.Selling.Validity = 24 * time.Hour
	ctx := context.Background()
	if err := d.DB.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, `CREATE TABLE floor (n BIGINT NOT NULL, entry `+map[string]string{store.SQLite: "BLOB", store.PostgreSQL: "BYTEA"}[d.DB.Engine()]+` NOT NULL)`)
		return err
	}); err != nil {
		b.Fatal(err)
	}
	entry := make([]byte, 1400)
	floor := func(n int64) error {
		return d.DB.Update(ctx, func(tx *store.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO floor (n, entry) VALUES ($1, $2)`, n, entry)
			return err
		})
	}
	requests := make(chan exchange.DisputeRequest, 1<<20)
	stock := func(n int) {
		for range n {
			item, r := d.reported(b, "a/1", 0, disputes.DeliveryFailed)
			d.log(b, item, cdn404)
			requests <- r
		}
	}
	file := func(int64) error {
		h, err := d.Dispute(ctx, <-requests)
		if err == nil && h.Case.Resolution != disputes.Credit {
			err = fmt.Errorf("decided otherwise: %+v", h)
		}
		return err
	}
	var n atomic.Int64
	b.Run("in turns", func(b *testing.B) { // so that what else the machine does slows both
		var spent [2]time.Duration
		var pages int64
		for b.Loop() {
			b.StopTimer()
			d.Clock.Advance(time.Millisecond) // so that what sorts by time comes in its order, as it does
			stock(1)
			b.StartTimer()
			for i, do := range []func(int64) error{floor, file} {
				began, before := time.Now(), d.DB.Pages()
				if err := do(n.Add(1)); err != nil {
					b.Fatal(err)
				}
				spent[i] += time.Since(began)
				if i == 1 {
					pages += d.DB.Pages() - before
				}
			}
		}
		b.ReportMetric(float64(spent[0].Nanoseconds())/float64(b.N), "floor-ns/op")
		b.ReportMetric(float64(spent[1].Nanoseconds())/float64(b.N), "dispute-ns/op")
		b.ReportMetric(spent[1].Seconds()/spent[0].Seconds(), "times-floor")
		b.ReportMetric(float64(pages)/float64(b.N), "pages/op")
	})
	b.Run("clients=64", func(b *testing.B) {
		stock(b.N)
		b.ResetTimer()
		before := d.DB.Commits()
		b.SetParallelism(32)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if err := file(n.Add(1)); err != nil {
					b.Error(err)
					return
				}
			}
		})
		b.ReportMetric(float64(d.DB.Commits()-before)/float64(b.N), "commits/op")
	})
}
