package exchange_test

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/testkit/process"
)

// BenchmarkPurchases says how many purchases a second PostgreSQL makes durable of 64 clients at
// once, of as many buyers and of one, beside their floor: the rows of a purchase, written in the
// same tables by the same store with nothing else done, a transaction each of 64 buyers, and ten
// purchases to a transaction of one. Floor and purchases take turns, so that what else the machine
// does slows both. The ledger is sequenced meanwhile. It counts what of the processors a purchase
// takes: of this process, which is a node without its network, and of all that is called postgres.
// The server has to have fsync on:
//
//	export FRONTDESK_TEST_ENGINE=postgres FRONTDESK_TEST_POSTGRES=DSN
//	go test ./internal/licensing/exchange -run xxx -bench Purchases -benchtime 5x
func BenchmarkPurchases(b *testing.B) {
	d := shop(b)
	if d.DB.Engine() != store.PostgreSQL {
		b.Skip("it measures PostgreSQL")
	}
	const clients = 64
	for i := range clients {
		d.Credit(b, fmt.Sprintf("rich-%d.example/bot", i), 1_000_000*dollar)
	}
	floor := newRows(b, d)
	ctx, cancel := context.WithCancel(b.Context())
	var sequencer sync.WaitGroup
	sequencer.Go(func() { d.Ledger.Run(ctx) })
	defer sequencer.Wait()
	defer cancel()
	public, private, _ := ed25519.GenerateKey(nil)
	d.Signed = func(_ string, document, signature []byte) bool { return ed25519.Verify(public, document, signature) }
	d.Selling.Validity = 24 * time.Hour
	seal := func(p *exchange.OfferDraft) (document, signature []byte, err error) {
		document = fmt.Appendf(make([]byte, 0, 1500), "%s %01400d", p.ID, 0) // the size that offers have
		return document, ed25519.Sign(private, document), nil
	}
	for name, buyers := range map[string]int{"of 64 buyers": clients, "of one buyer": 1} {
		b.Run(name, func(b *testing.B) {
			const each = 1280
			var spent [2]time.Duration
			var node, server time.Duration
			for b.Loop() {
				b.StopTimer()
				d.Clock.Advance(time.Millisecond)
				orders := make(chan exchange.Order, each)
				for i := range each {
					q := asking(address("a/1"))
					q.By.Domain = fmt.Sprintf("rich-%d.example", i%buyers)
					groups, err := d.Discover(ctx, q, seal)
					if err != nil {
						b.Fatal(err)
					}
					orders <- d.OrderRequest(q.By, groups[0].Offers[0])
				}
				close(orders)
				b.StartTimer()
				size := 1
				if buyers == 1 {
					size = 10
				}
				var written atomic.Int64
				spent[0] += at64(b, func(client int) error {
					for written.Add(int64(size)) <= each {
						if err := floor.write(ctx, client%buyers, size); err != nil {
							return err
						}
					}
					return nil
				})
				node, server = node-ownCPU(), server-process.CPUTime(b, "postgres")
				spent[1] += at64(b, func(int) error {
					for order := range orders {
						out, err := d.Execute(ctx, order)
						if err == nil && out.Items[0].Denial != "" {
							err = fmt.Errorf("denied: %s", out.Items[0].Denial)
						}
						if err != nil {
							return err
						}
					}
					return nil
				})
				node, server = node+ownCPU(), server+process.CPUTime(b, "postgres")
			}
			n := float64(b.N * each)
			b.ReportMetric(float64(node.Microseconds())/n, "node-µs")
			b.ReportMetric(float64(server.Microseconds())/n, "postgres-µs")
			b.ReportMetric(n/spent[0].Seconds(), "floor/s")
			b.ReportMetric(n/spent[1].Seconds(), "purchases/s")
			b.ReportMetric(spent[1].Seconds()/spent[0].Seconds(), "times-floor")
			b.ReportMetric(0, "ns/op")
		})
	}
	b.Log(d.DB.Collisions())
	d.CheckInvariants(b)
}

// ownCPU is how long this process has had of the processors.
func ownCPU() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// at64 has 64 do something at once, and gives how long that takes.
func at64(b *testing.B, do func(client int) error) time.Duration {
	var all sync.WaitGroup
	began := time.Now()
	for client := range 64 {
		all.Go(func() {
			if err := do(client); err != nil {
				b.Error(err)
			}
		})
	}
	all.Wait()
	return time.Since(began)
}

// rows are those that a purchase leaves, as a floor writes them: by table, in copies of the tables.
type rows struct {
	db      *store.DB
	n       atomic.Int64
	queries []string
	values  [][]any
	keys    []int // which of the values is another in each row
}

// newRows buys once, and takes what that leaves for a pattern.
func newRows(b *testing.B, d *dealer) *rows {
	d.BuyAt(b, "a/1")
	r := &rows{db: d.DB}
	d.Write(b, func(ctx context.Context, tx *store.Tx) error {
		if _, err := tx.Exec(ctx, `CREATE TABLE floor_balance (LIKE account_balance INCLUDING ALL)`); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `INSERT INTO floor_balance SELECT * FROM account_balance`); err != nil {
			return err
		}
		for table, key := range map[string]string{"account_journal": "line", "account_hold": "id",
			"ledger_pending": "id", "deal_transaction": "id", "deal_request": "id"} {
			if _, err := tx.Exec(ctx, `CREATE TABLE floor_`+table+` (LIKE `+table+` INCLUDING ALL)`); err != nil {
				return err
			}
			if err := r.pattern(ctx, tx, table, key); err != nil {
				return err
			}
		}
		return nil
	})
	return r
}

func (r *rows) pattern(ctx context.Context, tx *store.Tx, table, key string) error {
	found, err := tx.Query(ctx, `SELECT * FROM `+table+` LIMIT 1`)
	if err != nil {
		return err
	}
	defer found.Close()
	columns, err := found.Columns()
	if err != nil {
		return err
	}
	values := make([]any, len(columns))
	into := make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
		if columns[i] == key {
			r.keys = append(r.keys, i)
		}
	}
	if !found.Next() {
		return fmt.Errorf("a purchase leaves nothing in %s", table)
	}
	if err := found.Scan(into...); err != nil {
		return err
	}
	r.queries = append(r.queries, `INSERT INTO floor_`+table+` (`+strings.Join(columns, ", ")+`) VALUES (`+
		store.Params(1, len(columns))+`)`)
	r.values = append(r.values, values)
	return nil
}

// write writes the rows of some purchases of a buyer.
func (r *rows) write(ctx context.Context, buyer, purchases int) error {
	account := fmt.Sprintf("rich-%d.example/bot", buyer)
	return r.db.UpdateBatched(ctx, []string{account}, func(tx *store.Tx) error {
		for range purchases {
			n := r.n.Add(1)
			if err := tx.ExecOne(ctx, `UPDATE floor_balance SET available = available - 1, earned = earned + 1, lines = lines + 1 WHERE buyer = $1`, account); err != nil {
				return err
			}
			for i, query := range r.queries {
				values := append([]any(nil), r.values[i]...)
				switch key := &values[r.keys[i]]; old := (*key).(type) {
				case int64:
					*key = n
				case string:
					*key = fmt.Sprintf("%.12s%016d", old, n)
				case []byte:
					*key = fmt.Appendf(nil, "%016d", n)
				}
				if err := tx.ExecOne(ctx, query, values...); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
