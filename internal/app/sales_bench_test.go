package app

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/delivery/botstats"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/testkit/storetest"
)

// fortune is how much was sold in the benchmark of the pages of sales: so many transactions, each
// with what the book has of it and, but for one in a hundred, a delivery; as many rows of revenue,
// of a thousand buyers; and as many of the places where edges saw agents.
type fortune struct {
	sales  int
	buyers int
	now    time.Time
	ids    []string // of the transactions
}

const fortuneDays = 60

func (f *fortune) buyer(i int) string { return fmt.Sprintf("buyer%05d.example.com/bot", i%f.buyers) }

func (f *fortune) site(i int) string {
	if i%100 == 7 {
		return "other"
	}
	return "main"
}

// at is when a transaction was made.
func (f *fortune) at(i int) time.Time {
	return f.now.Add(-fortuneDays * 24 * time.Hour).Add(
		time.Duration(float64(fortuneDays*24*time.Hour) * float64(i) / float64(f.sales)))
}

func (f *fortune) uri(i int) string {
	return "https://www.example.com/premium/" + strconv.Itoa(i%50_000) + "/a-report-of-some-length"
}

func (f *fortune) transactions(yield func([]any) bool) {
	document := []byte(`{"offer_id":"x","package":{"id":"p","title":"A report of some length"},"pricing":{"model":"PRICING_MODEL_PER_ACCESS","rate":0.02,"currency":"USD"},"pad":"` + strings.Repeat("x", 800) + `"}`)
	for i, id := range f.ids {
		at, duty, due, failed := f.at(i), int64(transactions.NoObligation), int64(0), int64(0)
		switch {
		case i%1000 == 3:
			failed = 1
		case i%2 == 0:
			due = store.Micros(at.Add(24 * time.Hour))
			if duty = int64(transactions.Fulfilled); i%20 == 0 {
				duty = int64(transactions.Expired)
			}
			if f.now.Sub(at) < 24*time.Hour {
				duty = int64(transactions.Pending)
			}
		}
		if !yield([]any{
			id, transactions.NewID("bill", at), "r-" + strconv.Itoa(i), "ofr-" + strconv.Itoa(i), f.buyer(i), "00ff",
			f.site(i), f.uri(i), "pages", "i", int64(1), store.Micros(at), store.Micros(at.Add(5 * time.Minute)),
			"per_access", int64(2_000_000), "USD", int64(0), "", int64(1), int64(2_000_000), int64(2_000_000), "",
			[]byte{}, "instructions", failed, "entry-" + strconv.Itoa(i), duty, due, "", "", "", int64(0), int64(0),
			int64(0), int64(0), document,
		}) {
			return
		}
	}
}

func (f *fortune) holds(yield func([]any) bool) {
	for i, id := range f.ids {
		at := store.Micros(f.at(i))
		if !yield([]any{
			id, f.buyer(i), f.buyer(i), f.site(i), "per_access", "USD", int64(2_000_000), int64(1), int64(2_000_000),
			int64(2_000_000), int64(2_000_000), "settled", int64(-1), "", "", "", "",
			at, int64(0), at,
		}) {
			return
		}
	}
}

func (f *fortune) deliveries(yield func([]any) bool) {
	sum := make([]byte, 32)
	for i, txn := range f.ids {
		if i%100 == 3 {
			continue // bought, and never fetched
		}
		at := f.at(i).Add(30 * time.Second)
		state, ended, by, stray, id := transactions.DeliveryEnded, store.Micros(at.Add(time.Second)),
			"edge-"+strconv.Itoa(i%4), int64(0), transactions.NewID("dlv", at)
		switch {
		case i%40 == 0:
			state = transactions.DeliveryCut
		case i%100_000 == 1:
			state, ended = transactions.DeliveryBegun, 0
		case i%1000 == 5:
			txn, stray = txn+"x", 1
		case i%3 == 0:
			by = ""
		}
		if !yield([]any{
			id, txn, by, f.site(i), f.uri(i), "text/markdown; charset=utf-8", string(state), int64(200), int64(4711),
			int64(4711), int64(0), sum, int64(1), store.Micros(at), ended, int64(0), stray, "e-" + id,
		}) {
			return
		}
	}
}

// revenue has a row for each buyer on each day, so that a million sales of a thousand buyers are of
// a thousand days of them.
func (f *fortune) revenue(yield func([]any) bool) {
	days := f.sales / f.buyers
	for day := range days {
		at := f.now.UTC().Truncate(24*time.Hour).AddDate(0, 0, -day)
		for i := range f.buyers {
			if !yield([]any{f.site(i), store.Micros(at), f.buyer(i), "USD", int64(2_000_000), int64(1)}) {
				return
			}
		}
	}
}

// paths are sightings at the bound of a day's rows, of as many days as there are.
func (f *fortune) paths(yield func([]any) bool) {
	today := f.now.UTC().Truncate(24 * time.Hour)
	for n := range f.sales {
		day, path := n/botstats.MaxPaths, n%botstats.MaxPaths
		if !yield([]any{
			"main", store.Micros(today.AddDate(0, 0, -day)), "Bot" + strconv.Itoa(path%19),
			"/section/" + strconv.Itoa(path), outcomesOfBench[path%len(outcomesOfBench)], int64(1 + (n*7+path)%91),
		}) {
			return
		}
	}
}

var outcomesOfBench = []string{"refused", "delivered", "open", "blocked", "expired", "foreign", "invalid", "limited"}

// days are the sightings of the days of paths, of forty agents with every outcome.
func (f *fortune) days(yield func([]any) bool) {
	today := f.now.UTC().Truncate(24 * time.Hour)
	for day := range max(31, f.sales/botstats.MaxPaths) {
		for bot := range 40 {
			for n, outcome := range outcomesOfBench {
				if !yield([]any{"main", store.Micros(today.AddDate(0, 0, -day)), "Bot" + strconv.Itoa(bot), outcome,
					int64(1 + (day+n)%50)}) {
					return
				}
			}
		}
	}
}

// fortuneColumns are those of the tables that are filled, in the order in which the rows have them.
var fortuneColumns = map[string]string{
	"deal_transaction": `id billing request offer buyer agent site uri source item version made expires model rate currency months unit estimate amount value subscription quotas method failed entry duty due fields report report_of reported consumed settled deviant document`,
	"account_hold":     `id buyer holder site model currency rate quantity value authorised charged state reported subscription licence uses granted created due closed`,
	"deal_delivery":    `id txn source site uri media state status announced bytes bound sum whole began ended seconds stray entry`,
	"account_revenue":  `site day buyer currency earned movements`,
	"traffic_path":     `site day agent path outcome count`,
	"traffic_day":      `site day agent outcome count`,
}

func (f *fortune) fill(b *testing.B, s *App) {
	for i := range f.sales {
		f.ids = append(f.ids, transactions.NewID("txn", f.at(i)))
	}
	slices.Sort(f.ids)
	for table, rows := range map[string]iter.Seq[[]any]{
		"deal_transaction": f.transactions, "account_hold": f.holds, "deal_delivery": f.deliveries,
		"account_revenue": f.revenue, "traffic_path": f.paths, "traffic_day": f.days,
	} {
		if err := s.db.Update(b.Context(), func(tx *store.Tx) error {
			_, err := tx.BulkInsert(b.Context(), table, strings.Fields(fortuneColumns[table]), rows)
			return err
		}); err != nil {
			b.Fatalf("%s: %v", table, err)
		}
	}
	if err := s.db.Analyze(b.Context(), "deal_transaction", "account_hold", "deal_delivery", "account_revenue",
		"traffic_path", "traffic_day"); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkPagesOfSales opens the console's pages on what was sold, over as many sales as
// FRONTDESK_SALES says (10,000). The floor is a page of the same kind on which nothing is.
// FRONTDESK_SALES_KEEP names a folder in which what was made up stays for the next time.
func BenchmarkPagesOfSales(b *testing.B) {
	f := &fortune{sales: 10_000, buyers: 1000, now: time.Now().UTC()}
	if text := os.Getenv("FRONTDESK_SALES"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			b.Fatal(err)
		}
		f.sales = n
	}
	folder, dsn := b.TempDir(), ""
	kept := os.Getenv("FRONTDESK_SALES_KEEP")
	if folder = cmp.Or(kept, folder); kept != "" {
		dsn = "sqlite:" + filepath.Join(folder, "sales.db")
	} else {
		dsn = storetest.ChosenDSN(b, tables...)
	}
	_, known := os.Stat(filepath.Join(folder, "sales.db"))
	config := "url: https://desk.example\nsites:\n  - {id: main, name: Main, url: \"https://www.example.com\"}\n" +
		"  - {id: other, name: Other, url: \"https://other.example.net\"}\n" + rampConfig
	loaded, err := Load(Layers{File: write(b, b.TempDir(), "frontdesk.yaml", config), Flags: map[string]string{
		"listen": "127.0.0.1:0", "metrics.listen": "127.0.0.1:0", "data": folder, "keys": filepath.Join(folder, "keys"),
		"store": dsn,
	}})
	if err != nil {
		b.Fatal(err)
	}
	s, err := Build(b.Context(), Options{Loaded: loaded, Log: NewLog(Log{Level: "error"}, io.Discard)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	if kept == "" || known != nil {
		f.fill(b, s)
	}
	token, _ := tokenFor(b, s, identity.Viewer)
	p := newPerson(b, s).login(token)
	p.sees("/console/sales/deliveries", 200)
	day := f.now.AddDate(0, 0, -20).Format(time.DateOnly)
	var floor time.Duration
	for _, page := range []struct{ name, address string }{
		{"floor", "/deliveries?day=2020-01-01"},
		{"sales", ""}, {"sales of a site", "?site=other"}, {"reports due", "/owed"}, {"transactions", "/transactions"},
		{"transactions of a site", "/transactions?site=other"},
		{"transactions of nobody", "/transactions?buyer=nobody.example.com/x"},
		{"transactions of a day", "/transactions?day=" + day}, {"deliveries", "/deliveries"},
		{"deliveries of a site", "/deliveries?site=other"}, {"deliveries that broke off", "/deliveries?state=cut"},
		{"deliveries under way", "/deliveries?state=begun"}, {"deliveries of an edge", "/deliveries?by=edge-1"},
		{"deliveries of no edge", "/deliveries?by=nobody"}, {"deliveries of a day", "/deliveries?day=" + day},
		{"bots", "/bots"}, {"bots of an outcome", "/bots?outcome=delivered"}, {"bots of an agent", "/bots?agent=Bot3"},
		{"bots of a day", "/bots?day=" + day}, {"leakage", "/leakage"}, {"leakage of a site", "/leakage?site=other"}, {
			"never fetched", "/leakage?kind=undelivered",
		}, {"never fetched of a site", "/leakage?kind=undelivered&site=other"},
		{"never fetched of nowhere", "/leakage?kind=undelivered&site=none"},
	} {
		b.Run(strings.ReplaceAll(page.name, " ", "_"), func(b *testing.B) {
			var all []time.Duration
			for b.Loop() {
				from := time.Now()
				p.sees("/console/sales"+page.address, 200)
				all = append(all, time.Since(from))
			}
			slices.Sort(all)
			middle := all[len(all)/2]
			if page.name == "floor" {
				floor = middle
			}
			b.ReportMetric(float64(middle.Microseconds())/1000, "ms-median")
			b.ReportMetric(float64(all[len(all)-1].Microseconds())/1000, "ms-slowest")
			if floor > 0 {
				b.ReportMetric(float64(middle)/float64(floor), "x-floor")
			}
		})
	}
}
