package reports_test

import (
	"context"
	"encoding/json"
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

// TestReportsThatAreReadInPagesAreWhole has more rows of each report than are read at once, of
// several sites and buyers.
func TestReportsThatAreReadInPagesAreWhole(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		s := newShop(t, open(t, accounts.Schema, transactions.Schema, accesslog.Schema, disputes.Schema))
		s.do(func(ctx context.Context, tx *store.Tx) error {
			if err := s.book.Open(ctx, tx, bot, "USD", 1000*coin, noon); err != nil {
				return err
			}
			return s.book.Open(ctx, tx, domain, "USD", 1000*coin, noon)
		})
		const sales = 1203
		s.do(func(ctx context.Context, tx *store.Tx) error { // rows of the book, as so many sales leave them
			for n := range sales {
				day := store.Micros(noon.Truncate(24*time.Hour).AddDate(0, 0, n/7))
				if _, err := tx.Exec(ctx, `INSERT INTO account_revenue (site, day, buyer, currency, earned, movements) VALUES ($1, $2, $3, 'USD', $4, 1)`,
					[]string{"news", "shop"}[n%2], day, fmt.Sprintf("b%04d.example/x", n),
					int64(n+1)*coin); err != nil {
					return err
				}
			}
			return nil
		})
		text, err := s.write(reports.Request{Report: reports.Revenue, Form: reports.CSV})
		if err != nil {
			t.Fatal(err)
		}
		rows := strings.Split(strings.TrimSuffix(text, "\n"), "\n")[1:]
		seen := map[string]bool{}
		for i, row := range rows {
			part := strings.Split(row, ",")
			seen[part[2]] = true
			if i > 0 {
				before := strings.Split(rows[i-1], ",")
				if strings.Join(before[:3], ",") >= strings.Join(part[:3], ",") {
					t.Fatalf("%s stands before %s", rows[i-1], row)
				}
			}
		}
		if len(rows) != sales || len(seen) != sales {
			t.Errorf("%d rows of %d buyers", len(rows), len(seen))
		}
	})
}

// TestAnInvoiceIsReadInPages has more lines than are read at once.
func TestAnInvoiceIsReadInPages(t *testing.T) {
	t.Parallel()
	s := newShop(t, storetest.OpenSQLite(t, accounts.Schema, transactions.Schema, accesslog.Schema, disputes.Schema))
	s.do(func(ctx context.Context, tx *store.Tx) error {
		return s.book.Open(ctx, tx, bot, "USD", 1000*coin, noon)
	})
	const sales = 1003
	for n := range sales {
		at := noon.Add(time.Duration(n) * time.Second)
		s.sell(transactions.NewID("txn", at), bot, "news", "per_access", 0.01, 0, at)
	}
	text, err := s.write(reports.Request{Report: reports.Invoice, Form: reports.JSON, Buyer: bot, Currency: "USD",
		Since: noon})
	var told struct {
		Rows []struct{ Time, Transaction, Amount string }
	}
	if err != nil || json.Unmarshal([]byte(text), &told) != nil || len(told.Rows) != sales {
		t.Fatalf("%v, %d rows", err, len(told.Rows))
	}
	for n, row := range told.Rows {
		if row.Time != noon.Add(time.Duration(n)*time.Second).Format(time.RFC3339) || row.Amount != "0.01" {
			t.Fatalf("row %d is %+v", n, row)
		}
	}
}

// TestAReportOfNothingIsWholeInEveryForm has no rows.
func TestAReportOfNothingIsWholeInEveryForm(t *testing.T) {
	t.Parallel()
	s := newShop(t, storetest.OpenSQLite(t, accounts.Schema, transactions.Schema, accesslog.Schema, disputes.Schema))
	for form, want := range map[string]string{reports.CSV: "day,site,buyer,currency,amount,movements\n",
		reports.Lines: "", reports.JSON: "{\"rows\": [\n]}\n"} {
		if text, err := s.write(reports.Request{Report: reports.Revenue, Form: form}); err != nil || text != want {
			t.Errorf("%s: %q, %v", form, text, err)
		}
	}
}
