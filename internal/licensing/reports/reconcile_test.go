package reports_test

import (
	"context"
	"maps"
	"slices"
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

// TestThreeSidesAreReconciled holds purchases against deliveries and reports: what contradicts
// what, and what contradicts nothing.
func TestThreeSidesAreReconciled(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		s := newShop(t, open(t, accounts.Schema, transactions.Schema, accesslog.Schema, disputes.Schema))
		s.do(func(ctx context.Context, tx *store.Tx) error { return s.book.Open(ctx, tx, bot, "USD", 10*coin, noon) })
		n := 0
		buy := func(site, method string, consumed int64, delivered bool) string { // consumed -1 for no report
			n++
			at := noon.Add(time.Duration(n) * time.Second)
			id := transactions.NewID("txn", at)
			s.sell(id, bot, site, "per_access", 0.01, 0, at)
			s.do(func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.Exec(ctx, `UPDATE deal_transaction SET method = $1 WHERE id = $2`, method, id)
				if err == nil && consumed >= 0 {
					err = transactions.PutReport(ctx, tx, id, transactions.Report{ID: "rep-" + id, BuyerID: id,
						Made: at, Consumed: consumed}, transactions.Fulfilled)
				}
				if err == nil && delivered {
					_, err = transactions.PutDelivery(ctx, tx, transactions.Delivery{ID: "dlv-" + id, Transaction: id,
						Site: site, State: transactions.DeliveryEnded, Status: 200, Bytes: 17, At: at})
				}
				return err
			})
			return id
		}
		buy("news", "direct", 7, true)
		buy("news", "direct", -1, true)
		buy("news", "direct", -1, false) // of which nobody says anything
		buy("news", "direct", 0, false)
		// used, and not delivered
		unrecorded := buy("news", "direct", 7, false)
		// delivered, and not used
		unused := buy("news", "direct", 0, true)
		// taken back
		undone := buy("news", "direct", 7, false)
		s.do(func(ctx context.Context, tx *store.Tx) error { return transactions.MarkFailed(ctx, tx, undone) }) //
		s.do(func(ctx context.Context, tx *store.Tx) error {
			_, err := transactions.PutDelivery(ctx, tx,
				transactions.Delivery{ID: "dlv-stray", Transaction: "txn-nobodys", Site: "shop",
					State: transactions.DeliveryEnded, Status: 200, At: noon, Stray: true})
			return err
		})
		buy("silent", "instructions", 7, false) // by a CDN that tells nothing
		buy("cdn", "instructions", 7, true)
		unlogged := buy("cdn", "instructions", 7, false)
		got, err := s.books.Reconcile(t.Context(), noon, noon.Add(time.Hour))
		want := map[string]reports.Reconciled{"news": {Of: 5, Gaps: 2}, "shop": {Of: 1, Gaps: 1},
			"cdn": {Of: 2, Gaps: 1}, "silent": {Untold: 1}}
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("%v, %v; want %v", got, err, want)
		}
		// The reports say the same, purchase by purchase, however they are paged.
		days, err := s.write(reports.Request{Report: reports.Days, Form: reports.CSV})
		if want := "day,site,compared,differences,differences_percent,not_told\n2026-03-18,cdn,2,1,50.0,0\n" +
			"2026-03-18,news,5,2,40.0,0\n2026-03-18,shop,1,1,100.0,0\n2026-03-18,silent,0,0,,1\n"; err != nil ||
			days != want {
			t.Errorf("%s, %v", days, err)
		}
		rows, err := s.write(reports.Request{Report: reports.Reconciliation, Form: reports.CSV})
		if want := []string{"day,", unrecorded, unused, unlogged, "2026-03-18,shop,delivered_not_bought"}; err != nil ||
			strings.Count(rows, "\n") != len(want) {
			t.Errorf("%s, %v", rows, err)
		} else {
			for i, line := range strings.Split(strings.TrimSpace(rows), "\n") {
				if !strings.Contains(line, want[i]) {
					t.Errorf("%s has no %s", line, want[i])
				}
			}
		}
		for want, words := range map[string]string{unrecorded: "7 tokens reported as used, and no delivery is recorded",
			unused: "a delivery of 17 bytes is recorded", unlogged: "neither an edge nor an imported log"} {
			if !strings.Contains(rows, words) {
				t.Errorf("%s: %q is not told in %s", want, words, rows)
			}
		}
		var paged []string
		for want := (reports.Request{Since: noon, Until: noon.Add(time.Hour)}); len(paged) < 9; {
			all, next, err := s.books.Differences(t.Context(), want, "", func(site string) bool {
				return site == "silent"
			}, 1)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range all {
				paged = append(paged, d.Sale.ID)
			}
			if want.After = next; next == "" {
				break
			}
		}
		if !slices.Equal(paged, []string{unrecorded, unused, unlogged}) {
			t.Errorf("page by page: %v", paged)
		}
		for name, want := range map[string]reports.Request{
			"of another site": {Site: "nobodys"}, "before": {Until: noon.Truncate(24 * time.Hour)},
			"later": {Since: noon}, "not ripe": {Grace: reports.MinAge},
		} {
			want.Report, want.Form = reports.Reconciliation, reports.Lines
			if rows, err := s.write(want); err != nil || rows != "" {
				t.Errorf("%s: %s, %v", name, rows, err)
			}
		}
		if rows, err := s.write(reports.Request{Report: reports.Reconciliation, Form: reports.Lines,
			Site: "news"}); err != nil || strings.Count(rows, "\n") != 2 || strings.Contains(rows, unlogged) {
			t.Errorf("of a site: %s, %v", rows, err)
		}
		if got, err = s.books.Reconcile(t.Context(), noon.Add(time.Hour), noon.Add(2*time.Hour)); err != nil ||
			len(got) != 0 {
			t.Errorf("later: %v, %v", got, err)
		}
	})
}
