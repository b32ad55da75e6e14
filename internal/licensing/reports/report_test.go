package reports_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/disputes/accesslog"
	"frontdesk/internal/licensing/reports"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/storetest"
)

const (
	coin   = 100_000_000
	domain = "buyer.example.com/*"
	bot    = "buyer.example.com/research-bot"
	odd    = "buyer.example.com/=cmd"
)

var noon = time.Date(2026, 3, 18, 12, 0, 0, 0, time.UTC)

// shop is a book and its deals.
type shop struct {
	t     *testing.T
	db    *store.DB
	book  *accounts.Ledger
	books reports.Reporter
}

func newShop(t *testing.T, db *store.DB) *shop {
	return &shop{t, db, accounts.New(accounts.Options{}), reports.Reporter{
		Accounts: accounts.NewReader(db), Transactions: transactions.NewReader(db), AccessLog: accesslog.NewReader(db),
		Disputes: disputes.NewReader(db), Now: func() time.Time { return noon.Add(48 * time.Hour) },
	}}
}

func (s *shop) do(fn func(ctx context.Context, tx *store.Tx) error) {
	s.t.Helper()
	if err := s.db.Update(s.t.Context(), func(tx *store.Tx) error { return fn(s.t.Context(), tx) }); err != nil {
		s.t.Fatal(err)
	}
}

// sell sells something for a rate, as the exchange does.
func (s *shop) sell(id, buyer, site, model string, rate float64, quantity int64, at time.Time) {
	s.t.Helper()
	price := policy.Money{Model: model, Rate: int64(rate * coin), Currency: "USD"}
	if model == "free" {
		price.Currency = ""
	}
	var declared []string
	if site == "shop" {
		declared = []string{"search", "ai-input"}
	}
	s.do(func(ctx context.Context, tx *store.Tx) error {
		due := at.Add(24 * time.Hour)
		h, err := s.book.Authorize(ctx, tx, accounts.Charge{ID: id, Buyer: buyer, Site: site,
			Item: accounts.Item{URL: "https://news.example/a"}, Price: price, Quantity: quantity, Due: due, Now: at})
		if err != nil {
			return err
		}
		return transactions.PutTransaction(ctx, tx, transactions.Transaction{
			ID: id, Billing: "bill-" + id[4:], Request: "r", Offer: "offer", Buyer: buyer, Agent: "00", Site: site,
			URI: "https://news.example/a", Item: content.Ref{Site: site},
			Made: at, Expires: at.Add(5 * time.Minute), Price: price, Unit: price.Unit(), Estimate: quantity,
			Amount: h.Authorised, Value: h.Value, Method: "direct", Entry: "entry-" + id[4:],
			Document: []byte("{}"), Obligation: transactions.Pending, Due: due,
			Declared: declared,
		})
	})
}

func (s *shop) write(w reports.Request) (string, error) {
	var out bytes.Buffer
	err := s.books.Write(s.t.Context(), &out, w)
	return out.String(), err
}

// furnished follows purchases of two days, one of them reported, one taken back.
func furnished(t *testing.T, db *store.DB) (s *shop, a, b, c string) {
	s = newShop(t, db)
	s.do(func(ctx context.Context, tx *store.Tx) error {
		if err := s.book.Open(ctx, tx, domain, "USD", -1, noon); err != nil {
			return err
		}
		_, err := s.book.Pay(ctx, tx, accounts.Credit, domain, "USD", 10*coin, "", noon)
		return err
	})
	id := func(n int) string {
		made := transactions.NewID("txn", noon.Add(time.Duration(n)*time.Second))
		return made[:len(made)-16] + "000000000000000" + "abc"[n:n+1]
	}
	a, b, c = id(0), id(1), id(2)
	s.sell(a, odd, "news", "per_access", 0.02, 0, noon)
	s.sell(b, bot, "shop", "per_token", 0.001, 100, noon.Add(time.Second))
	s.sell(c, bot, "news", "per_access", 1, 0, noon.Add(2*time.Second))
	s.do(func(ctx context.Context, tx *store.Tx) error {
		at, shown := noon.Add(20*time.Hour), true
		settled, err := s.book.Settle(ctx, tx, b, accounts.Report{Quantity: 90, Now: at})
		if err == nil {
			err = transactions.PutReport(ctx, tx, b, transactions.Report{ID: "rep-1", BuyerID: "x", Made: at,
				Consumed: 90, Settled: settled.Charged, Prohibited: true, Details: transactions.UsageDetails{
					Shown: &shown, Functions: []string{"FUNCTION_AI_INPUT", "FUNCTION_AI_TRAIN"},
					SubFunctions: []string{"SUB_FUNCTION_RAG"}, Exchange: "x.example",
					Assets: []transactions.Asset{{URI: "urn:a"}, {URI: "urn:b"}},
					Attribution: []transactions.Attribution{{URL: "=cmd", Format: "CITATION_FORMAT_LINK",
						Visible: &shown}, {Format: "CITATION_FORMAT_INLINE"}},
				}.JSON()}, transactions.Fulfilled)
		}
		if err == nil {
			_, err = transactions.PutDelivery(ctx, tx, transactions.Delivery{ID: "dlv-1", Transaction: b, Site: "shop",
				State: transactions.DeliveryEnded, Bytes: 17, At: noon})
		}
		if err == nil {
			_, err = transactions.PutDelivery(ctx, tx, transactions.Delivery{ID: "dlv-2", Transaction: b, Site: "shop",
				State: transactions.DeliveryCut, Bytes: 4, At: noon})
		}
		if err == nil {
			err = transactions.PutEvent(ctx, tx, transactions.Event{Transaction: b, Entry: "e3", Kind: "usage", At: at})
		}
		if err == nil {
			_, err = disputes.Put(ctx, tx, disputes.Case{
				ID: "dsp-1", Transaction: b, Buyer: bot, Site: "shop", Reason: disputes.DeliveryFailed,
				Status: disputes.AutoResolved, Resolution: disputes.Credit, Credit: 0.09 * coin, Currency: "USD",
				Description: "Jane Doe saw it", Filed: at, Changed: at,
			}, []disputes.Step{{N: 1, At: at, To: disputes.Filed, By: disputes.ByBuyer},
				{N: 2, At: at, From: disputes.Filed, To: disputes.AutoResolved, By: disputes.ByRule}})
		}
		if err == nil {
			_, err = s.book.Release(ctx, tx, c, noon.Add(21*time.Hour))
		}
		if err == nil {
			err = transactions.MarkFailed(ctx, tx, c)
		}
		return err
	})
	return s, a, b, c
}

// TestReportsSayWhatWasSold holds each report to the letter, in both forms.
func TestReportsSayWhatWasSold(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		s, a, b, c := furnished(t, open(t, accounts.Schema, transactions.Schema, accesslog.Schema, disputes.Schema))
		names := strings.NewReplacer("TXN-A", a, "TXN-B", b, "TXN-C", c, "ID-A", a[4:], "ID-B", b[4:], "ID-C", c[4:])
		for _, one := range []struct {
			want reports.Request
			text string
		}{
			{reports.Request{Report: reports.Revenue, Form: reports.CSV}, `day,site,buyer,currency,amount,movements
2026-03-18,news,buyer.example.com/*,USD,1.02,2
2026-03-19,news,buyer.example.com/*,USD,-1,1
2026-03-19,shop,buyer.example.com/*,USD,0.09,1
`},
			{reports.Request{Report: reports.Revenue, Form: reports.Lines, Site: "shop",
				Since: noon.Add(12 * time.Hour), Until: noon.Add(36 * time.Hour)},
				`{"amount":"0.09","buyer":"buyer.example.com/*","currency":"USD","day":"2026-03-19","movements":1,"site":"shop"}
`},
			{reports.Request{Report: reports.Pages, Form: reports.CSV}, `url,site,purchases,currency,charged,last_purchase
https://news.example/a,shop,1,USD,0.09,2026-03-18T12:00:01Z
https://news.example/a,news,1,USD,0.02,2026-03-18T12:00:00Z
`},
			{reports.Request{Report: reports.Pages, Form: reports.Lines, Site: "news", Since: noon.Add(time.Second)},
				""},
			{reports.Request{Report: reports.Invoice, Form: reports.CSV, Buyer: domain, Currency: "USD", Since: noon}, `time,transaction,buyer,site,model,kind,rate,estimated,reported,currency,amount,dispute,dispute_status
2026-03-18T12:00:00Z,TXN-A,buyer.example.com/=cmd,news,per_access,charge,0.02,0,,USD,0.02,,
2026-03-18T12:00:02Z,TXN-C,buyer.example.com/research-bot,news,per_access,charge,1,0,,USD,1,,
2026-03-19T08:00:00Z,TXN-B,buyer.example.com/research-bot,shop,per_token,settle,0.001,100,90,USD,0.09,dsp-1,auto_resolved
2026-03-19T09:00:00Z,TXN-C,buyer.example.com/research-bot,news,per_access,release,1,0,,USD,-1,,
`},
			{reports.Request{Report: reports.Invoice, Form: reports.Lines, Buyer: domain, Currency: "USD",
				Since: noon.Add(time.Hour), Until: noon.Add(20*time.Hour + 1000)},
				`{"amount":"0.09","buyer":"buyer.example.com/research-bot","currency":"USD","dispute":"dsp-1","dispute_status":"auto_resolved","estimated":100,"kind":"settle","model":"per_token","rate":"0.001","reported":90,"site":"shop","time":"2026-03-19T08:00:00Z","transaction":"TXN-B"}
`},
			{reports.Request{Report: reports.Compliance, Form: reports.CSV}, `buyer,purchases,in_time,late,overdue,pending,waived,in_time_percent,reports,off_estimate,near_estimate_percent,last_purchase,last_report,oldest_overdue,disputes,disputes_open,disputes_credited
buyer.example.com/=cmd,1,0,0,1,0,0,0.0,0,0,,2026-03-18T12:00:00Z,,2026-03-19T12:00:00Z,0,0,0
buyer.example.com/research-bot,1,1,0,0,0,1,100.0,1,0,100.0,2026-03-18T12:00:02Z,2026-03-19T08:00:00Z,,1,0,1
`},
			{reports.Request{Report: reports.Compliance, Form: reports.Lines, Until: noon.Add(time.Second)},
				`{"buyer":"buyer.example.com/=cmd","disputes":0,"disputes_credited":0,"disputes_open":0,"in_time":0,"in_time_percent":"0.0","last_purchase":"2026-03-18T12:00:00Z","late":0,"off_estimate":0,"oldest_overdue":"2026-03-19T12:00:00Z","overdue":1,"pending":0,"purchases":1,"reports":0,"waived":0}
`},
			{reports.Request{Report: reports.Transactions, Form: reports.CSV}, `time,transaction,billing,offer,buyer,account,site,uri,model,rate,currency,unit,estimated,authorised,charged,worth,subscription,licence,state,delivery,deliveries,delivered_bytes,obligation,due,report,reported,consumed,off_estimate,displayed_to_user,citation_included,attribution,subfn,assets,report_exchange,entry,dispute,dispute_reason,dispute_status,dispute_resolution,credited,declared_use,reported_use,prohibited_use,future_date
2026-03-18T12:00:00Z,TXN-A,bill-ID-A,offer,buyer.example.com/=cmd,buyer.example.com/*,news,https://news.example/a,per_access,0.02,USD,tokens,0,0.02,0.02,0.02,,,settled,direct,0,0,pending,2026-03-19T12:00:00Z,,,,,,,,,,,entry-ID-A,,,,,,,,,
2026-03-18T12:00:01Z,TXN-B,bill-ID-B,offer,buyer.example.com/research-bot,buyer.example.com/*,shop,https://news.example/a,per_token,0.001,USD,tokens,100,0.1,0.09,0.1,,,settled,direct,2,21,fulfilled,2026-03-19T12:00:01Z,rep-1,2026-03-19T08:00:00Z,90,no,yes,,"'=cmd (link, visible); without an address (inline)",SUB_FUNCTION_RAG,urn:a; urn:b,x.example,entry-ID-B,dsp-1,delivery_failed,auto_resolved,credit,0.09,search ai-input,ai-input ai-train,yes,no
2026-03-18T12:00:02Z,TXN-C,bill-ID-C,offer,buyer.example.com/research-bot,buyer.example.com/*,news,https://news.example/a,per_access,1,USD,tokens,0,1,0,1,,,released,direct,0,0,waived,2026-03-19T12:00:02Z,,,,,,,,,,,entry-ID-C,,,,,,,,,
`},
			{reports.Request{Report: reports.Citations, Form: reports.CSV}, `reported,site,uri,displayed_url,format,visible_to_user,displayed_to_user,reported_use,subfn,assets,report_exchange,buyer,bought,transaction,report
2026-03-19T08:00:00Z,shop,https://news.example/a,'=cmd,link,yes,yes,ai-input ai-train,SUB_FUNCTION_RAG,urn:a; urn:b,x.example,buyer.example.com/research-bot,2026-03-18T12:00:01Z,TXN-B,rep-1
2026-03-19T08:00:00Z,shop,https://news.example/a,,inline,,yes,ai-input ai-train,SUB_FUNCTION_RAG,urn:a; urn:b,x.example,buyer.example.com/research-bot,2026-03-18T12:00:01Z,TXN-B,rep-1
`},
			{reports.Request{Report: reports.Citations, Form: reports.Lines, Site: "news"}, ""},
			{reports.Request{Report: reports.Transactions, Form: reports.Lines, Site: "news", Buyer: odd},
				`{"account":"buyer.example.com/*","authorised":"0.02","billing":"bill-ID-A","buyer":"buyer.example.com/=cmd","charged":"0.02","currency":"USD","delivered_bytes":0,"deliveries":0,"delivery":"direct","due":"2026-03-19T12:00:00Z","entry":"entry-ID-A","estimated":0,"model":"per_access","obligation":"pending","offer":"offer","rate":"0.02","site":"news","state":"settled","time":"2026-03-18T12:00:00Z","transaction":"TXN-A","unit":"tokens","uri":"https://news.example/a","worth":"0.02"}
`},
			{reports.Request{Report: reports.Transactions, Form: reports.Lines, Since: noon.Add(time.Hour)}, ""},
		} {
			if text, err := s.write(one.want); err != nil || text != names.Replace(one.text) {
				t.Errorf("%+v: %v\n%s\nwant\n%s", one.want, err, text, names.Replace(one.text))
			}
		}
		for name, w := range map[string]reports.Request{
			"no such report":   {Report: "leaks", Form: reports.CSV},
			"no such form":     {Report: reports.Revenue, Form: "xml"},
			"nobody's invoice": {Report: reports.Invoice, Form: reports.CSV, Currency: "USD", Since: noon},
			"for all time":     {Report: reports.Invoice, Form: reports.CSV, Buyer: domain, Currency: "USD"},
			"no such account": {Report: reports.Invoice, Form: reports.CSV, Buyer: domain, Currency: "EUR",
				Since: noon},
			"the wrong way":      {Report: reports.Transactions, Form: reports.CSV, Since: noon, Until: noon},
			"all the wrong ways": {},
		} {
			text, err := s.write(w)
			if code := fail.From(err).Code; err == nil || code != fail.Invalid && code != fail.NotFound || text != "" {
				t.Errorf("%s: %v, %q", name, err, text)
			}
		}
	})
}

// TestALongReportIsWhole has more transactions than are looked up at once.
func TestALongReportIsWhole(t *testing.T) {
	t.Parallel()
	s := newShop(t, storetest.OpenSQLite(t, accounts.Schema, transactions.Schema, accesslog.Schema, disputes.Schema))
	want := map[string]bool{}
	s.do(func(ctx context.Context, tx *store.Tx) error { return s.book.Open(ctx, tx, bot, "USD", 10*coin, noon) })
	for n := range 431 {
		at := noon.Add(time.Duration(n) * time.Second)
		id := transactions.NewID("txn", at)
		s.sell(id, bot, "news", "per_access", 0.01, 0, at)
		want[id] = true
	}
	text, err := s.write(reports.Request{Report: reports.Transactions, Form: reports.CSV})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")[1:]
	for _, line := range lines {
		part := strings.Split(line, ",")
		if !want[part[1]] || part[18] != "settled" {
			t.Fatalf("this line is twice there, or not whole: %s", line)
		}
		delete(want, part[1])
	}
	if len(want) > 0 {
		t.Errorf("%d of them are not there", len(want))
	}
}

// TestASpreadsheetTakesNoTextForAFormula has a buyer whose domain is a formula.
func TestASpreadsheetTakesNoTextForAFormula(t *testing.T) {
	t.Parallel()
	s := newShop(t, storetest.OpenSQLite(t, accounts.Schema, transactions.Schema, accesslog.Schema, disputes.Schema))
	s.do(func(ctx context.Context, tx *store.Tx) error {
		return s.book.Open(ctx, tx, "=1+1/bot", "USD", 10*coin, noon)
	})
	id := transactions.NewID("txn", noon)
	s.sell(id, "=1+1/bot", "news", "per_access", 0.01, 0, noon)
	s.do(func(ctx context.Context, tx *store.Tx) error {
		_, err := s.book.Release(ctx, tx, id, noon.Add(24*time.Hour))
		return err
	})
	text, err := s.write(reports.Request{Report: reports.Revenue, Form: reports.CSV})
	if want := "2026-03-19,news,'=1+1/bot,USD,-0.01,1\n"; err != nil || !strings.HasSuffix(text, want) {
		t.Errorf("%v %s", err, fmt.Sprintf("%q", text))
	}
}
