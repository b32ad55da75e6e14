package reports_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/disputes/accesslog"
	"frontdesk/internal/licensing/reports"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/testkit/storetest"
)

// TestLeakageIsWhatHasNoCounterpart holds what is told of deliveries and transactions that have
// none, and what is not.
func TestLeakageIsWhatHasNoCounterpart(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		// c was taken back
		s, a, b, c := furnished(t, open(t, accounts.Schema, transactions.Schema, accesslog.Schema, disputes.Schema))
		now := s.books.Now()
		young := transactions.NewID("txn", now.Add(-30*time.Minute))
		s.sell(young, bot, "news", "per_access", 0.01, 0, now.Add(-30*time.Minute))
		many := map[string]bool{}
		s.do(func(ctx context.Context, tx *store.Tx) error {
			put := func(id, transaction, by, site string, at time.Time, stray bool) error {
				fresh, err := transactions.PutDelivery(ctx, tx, transactions.Delivery{
					ID: id, Transaction: transaction, By: by, Site: site, URI: "https://news.example/x",
					State: transactions.DeliveryEnded, Status: 200, Bytes: 9, At: at, Ended: at, Stray: stray,
					Entry: "e-" + id,
				})
				if err == nil && !fresh {
					err = fmt.Errorf("%s was there", id)
				}
				return err
			}
			err := put("d-1", "txn-forged", "edge-1", "news", noon, true)
			if err == nil {
				err = put("d-2", b, "edge-1", "shop", noon, true) // which came to be known
			}
			if err == nil {
				err = put("d-3", "txn-late", "edge-1", "news", now.Add(-time.Minute), true) // which may yet
			}
			if err == nil {
				err = put("d-4", b, "", "shop", noon, false)
			}
			return err
		})
		row := func(id, text string) string { return strings.ReplaceAll(text, "ID", id) }
		const stray = "2026-03-18T12:00:00Z,delivery_without_transaction,txn-forged,news,https://news.example/x,d-1," +
			"edge-1,200,ended,9,,,,,,e-d-1\n"
		left := row(a[4:],
			"2026-03-18T12:00:00Z,transaction_without_delivery,txn-ID,news,https://news.example/a,,,,,,"+
				"buyer.example.com/=cmd,direct,per_access,USD,0.02,entry-ID\n")
		const head = "time,kind,transaction,site,uri,delivery,by,status,state,bytes,buyer,method," +
			"model,currency,authorised,entry\n"
		for name, v := range map[string]struct {
			want reports.Request
			text string
		}{
			"all":                {reports.Request{Grace: time.Hour}, head + stray + left},
			"of a site":          {reports.Request{Site: "shop", Grace: time.Hour}, head},
			"later":              {reports.Request{Since: noon.Add(time.Second), Grace: time.Hour}, head},
			"before":             {reports.Request{Until: noon, Grace: time.Hour}, head},
			"younger than grace": {reports.Request{Grace: 49 * time.Hour}, head},
		} {
			v.want.Report, v.want.Form = reports.Leakage, reports.CSV
			if text, err := s.write(v.want); err != nil || text != v.text {
				t.Errorf("%s: %v\n%s\nwant\n%s", name, err, text, v.text)
			}
		}
		text, err := s.write(reports.Request{Report: reports.Leakage, Form: reports.CSV})
		if err != nil || !strings.Contains(text, "txn-late") || !strings.Contains(text, young) ||
			strings.Contains(text, c) {
			t.Errorf("without grace: %s, %v", text, err)
		}

		// More than are looked up at once.
		for n := range 450 {
			at := noon.Add(time.Hour + time.Duration(n)*time.Second)
			id := transactions.NewID("txn", at)
			s.sell(id, bot, "news", "free", 0, 0, at)
			if n%3 != 0 {
				many[id] = true
				continue
			}
			s.do(func(ctx context.Context, tx *store.Tx) error {
				_, err := transactions.PutDelivery(ctx, tx, transactions.Delivery{ID: "m-" + id, Transaction: id,
					Site: "news", State: transactions.DeliveryBegun, At: at})
				return err
			})
		}
		text, err = s.write(reports.Request{Report: reports.Leakage, Form: reports.Lines, Since: noon.Add(time.Hour),
			Grace: time.Hour})
		if err != nil || strings.Count(text, "\n") != len(many) {
			t.Fatalf("%v, %d of %d", err, strings.Count(text, "\n"), len(many))
		}
		for id := range many {
			if !strings.Contains(text, id) {
				t.Errorf("%s is not there", id)
			}
		}
	})
}

// TestLogsAreCounterparts holds that an imported log is a delivery as good as a record: it accounts
// for what was bought, and leaks where nothing was.
func TestLogsAreCounterparts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		s, a, _, _ := furnished(t, open(t, accounts.Schema, transactions.Schema, accesslog.Schema, disputes.Schema))
		leaks := func() string {
			t.Helper()
			text, err := s.write(reports.Request{Report: reports.Leakage, Form: reports.CSV, Grace: time.Hour})
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		if before := leaks(); !strings.Contains(before, a) || strings.Contains(before, "txn-forged") {
			t.Fatalf("before the log: %s", before)
		}
		line := func(transaction string, status int) string {
			return fmt.Sprintf(`{"time":"2026-03-18T12:00:00Z","host":"cdn.example","url":"/x?txn_id=%s&sig=1","status":%d,"bytes":9}`+"\n", transaction, status)
		}
		keeper := accesslog.Importer{DB: s.db}
		for _, text := range []string{line(a, 403), line(a, 200) + line("txn-forged", 200) + line("txn-refused", 403)} {
			if text == line(a, 403) && !strings.Contains(leaks(), a) {
				t.Error("what was refused is no delivery")
			}
			if _, err := keeper.Import(t.Context(), strings.NewReader(text),
				accesslog.Source{By: "cdn-1"}); err != nil {
				t.Fatal(err)
			}
		}
		after := leaks()
		if strings.Contains(after, a) ||
			!strings.Contains(after,
				"2026-03-18T12:00:00Z,delivery_without_transaction,txn-forged,,cdn.example/x,log-") ||
			!strings.Contains(after, ",cdn-1,200,ended,9,") || strings.Contains(after, "txn-refused") {
			t.Errorf("with the log: %s", after)
		}
	})
}
