package account_test

import (
	"bytes"
	"testing"
	"time"

	"frontdesk/internal/account"
	"frontdesk/internal/fail"
	"frontdesk/internal/store"
	"frontdesk/internal/store/storetest"
)

// TestReportsSayWhatWasEarnedAndCharged follows purchases of two days, one of them taken back, into both reports in both forms.
func TestReportsSayWhatWasEarnedAndCharged(t *testing.T) {
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		b := newBench(t, open(t, account.Schema), account.Options{})
		b.pay("buyer.example.com/*", 10)
		flat, metered, back := charge("txn-a", price("per_access", 0.02)), charge("txn-b", price("per_token", 0.001)), charge("txn-c", price("per_access", 1))
		flat.Buyer, metered.Quantity, metered.Site = "buyer.example.com/=cmd", 100, "shop"
		for _, c := range []account.Charge{flat, metered, back} {
			if _, err := b.authorize(c); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := b.settle("txn-b", account.Report{Quantity: 90, Now: noon.Add(20 * time.Hour)}); err != nil {
			t.Fatal(err)
		}
		if _, err := b.release("txn-c", noon.Add(21*time.Hour)); err != nil {
			t.Fatal(err)
		}
		reader := account.NewReader(b.db)
		earnings, err := reader.Earnings(t.Context(), "", time.Time{}, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		invoice, err := reader.Invoice(t.Context(), "buyer.example.com/*", "USD", noon, noon.Add(48*time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			write func(w *bytes.Buffer) error
			want  string
		}{
			{func(w *bytes.Buffer) error { return account.WriteEarnings(w, account.CSV, earnings) }, `day,site,buyer,currency,amount,movements
2026-03-18,news,buyer.example.com/*,USD,1.02,2
2026-03-19,news,buyer.example.com/*,USD,-1,1
2026-03-19,shop,buyer.example.com/*,USD,0.09,1
`},
			{func(w *bytes.Buffer) error { return account.WriteEarnings(w, account.Lines, earnings[2:]) },
				`{"amount":"0.09","buyer":"buyer.example.com/*","currency":"USD","day":"2026-03-19","movements":1,"site":"shop"}
`},
			{func(w *bytes.Buffer) error { return account.WriteInvoice(w, account.CSV, invoice) }, `time,transaction,buyer,site,model,kind,rate,estimated,reported,currency,amount
2026-03-18T12:00:00Z,txn-a,buyer.example.com/=cmd,news,per_access,charge,0.02,0,,USD,0.02
2026-03-18T12:00:00Z,txn-c,buyer.example.com/research-bot,news,per_access,charge,1,0,,USD,1
2026-03-19T08:00:00Z,txn-b,buyer.example.com/research-bot,shop,per_token,settle,0.001,100,90,USD,0.09
2026-03-19T09:00:00Z,txn-c,buyer.example.com/research-bot,news,per_access,release,1,0,,USD,-1
`},
			{func(w *bytes.Buffer) error { return account.WriteInvoice(w, account.Lines, invoice[2:3]) },
				`{"amount":"0.09","buyer":"buyer.example.com/research-bot","currency":"USD","estimated":100,"kind":"settle","model":"per_token","rate":"0.001","reported":90,"site":"shop","time":"2026-03-19T08:00:00Z","transaction":"txn-b"}
`},
		} {
			var out bytes.Buffer
			if err := c.write(&out); err != nil || out.String() != c.want {
				t.Errorf("%v\n%s\nwant\n%s", err, out.String(), c.want)
			}
		}
		if one, err := reader.Earnings(t.Context(), "shop", noon.Add(12*time.Hour), noon.Add(36*time.Hour)); err != nil || len(one) != 1 {
			t.Errorf("%+v, %v", one, err)
		}
		if err := account.WriteEarnings(new(bytes.Buffer), "xml", nil); fail.From(err).Code != fail.Invalid {
			t.Errorf("a form that there is not: %v", err)
		}
	})
}

// TestASpreadsheetTakesNoTextForAFormula has a buyer whose domain is a formula.
func TestASpreadsheetTakesNoTextForAFormula(t *testing.T) {
	var out bytes.Buffer
	if err := account.WriteEarnings(&out, account.CSV, []account.Earning{{Day: noon, Buyer: "=1+1/bot", Amount: -5}}); err != nil {
		t.Fatal(err)
	}
	if want := "2026-03-18,,'=1+1/bot,,-0.00000005,0\n"; !bytes.HasSuffix(out.Bytes(), []byte(want)) {
		t.Errorf("%s", out.String())
	}
}
