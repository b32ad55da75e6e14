package exchange_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
)

// report is one on something that was bought, of a quantity.
func report(item exchange.ItemResult, consumed int64) exchange.UsageReport {
	return exchange.UsageReport{
		Reporter: &bot, ID: "report of " + item.Transaction.ID, Transaction: item.Transaction.ID,
		Billing: item.Transaction.Billing,
		Fields:  []string{"transaction_id", "consumed_quantity", "function"}, Consumed: consumed,
		UsageDetails: transactions.UsageDetails{Functions: []string{"FUNCTION_AI_INPUT"}},
	}
}

func (d *dealer) filed(t testing.TB, u exchange.UsageReport) *exchange.UsageReceipt {
	t.Helper()
	filed, err := d.ReportUsage(context.Background(), u)
	if err != nil {
		t.Fatal(err)
	}
	return filed
}

func (d *dealer) transaction(t testing.TB, id string) (found transactions.Transaction) {
	t.Helper()
	d.Write(t, func(ctx context.Context, tx *store.Tx) (err error) {
		found, _, err = transactions.FindTransaction(ctx, tx, id)
		return err
	})
	return found
}

func TestAReportSettlesWhatWasHeld(t *testing.T) {
	t.Parallel()
	d := shop(t)
	item := d.BuyAt(t, "t/1")
	estimate, held := item.Transaction.Estimate, item.Transaction.Amount
	if b := d.Balance(t); b.Held != held || held != estimate*dollar/1000 ||
		item.Transaction.Obligation != transactions.Pending {
		t.Fatalf("%+v, %+v", b, item.Transaction)
	}
	used := report(item, estimate-100)
	filed := d.filed(t, used)
	if filed.Problem != "" || filed.Replayed || filed.Late || filed.Deviant || filed.Settled != held-100*dollar/1000 ||
		!strings.HasPrefix(filed.ID, "rep-") {
		t.Errorf("%+v", filed)
	}
	if b := d.Balance(t); b.Held != 0 || b.Earned != filed.Settled || b.Available != funds-filed.Settled {
		t.Errorf("%+v", b)
	}
	kept := d.transaction(t, item.Transaction.ID)
	if kept.Obligation != transactions.Fulfilled ||
		kept.Report != (transactions.Report{ID: filed.ID, BuyerID: used.ID, Made: d.Clock.Now(),
			Consumed: estimate - 100, Settled: filed.Settled, Details: used.UsageDetails.JSON()}) {
		t.Errorf("%+v", kept)
	}
	entries := d.Entries(t, "usage")
	if len(entries) != 1 || entries[0]["subject"] != item.Transaction.ID ||
		entries[0]["body"].(map[string]any)["state"] != "fulfilled" {
		t.Errorf("%v", entries)
	}
	again := d.filed(t, used)
	if !again.Replayed || again.ID != filed.ID || again.Settled != filed.Settled {
		t.Errorf("filed again: %+v", again)
	}
	other := used
	other.ID = "another"
	if got := d.filed(t, other); got.Problem == "" || got.ID != "" ||
		!strings.Contains(got.Problem, "already reported") {
		t.Errorf("another report: %+v", got)
	}
	if n := len(d.Entries(t, "usage")); n != 1 {
		t.Errorf("%d entries", n)
	}
	d.CheckInvariants(t)
}

// TestAReportIsTakenOrToldWhyNot holds the checks of a report (RAMP v1, ReportUsage; our reading,
// reporting).
func TestAReportIsTakenOrToldWhyNot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		change  func(u *exchange.UsageReport)
		code    fail.Code // of the error; empty for none
		problem string    // part of why it is not taken; empty for one that is
	}{
		{"as it should be", func(*exchange.UsageReport) {}, "", ""},
		{"unsigned", func(u *exchange.UsageReport) { u.Reporter = nil }, "", ""},
		{"by its domain", func(u *exchange.UsageReport) { u.Reporter = &requesters.Requester{Domain: bot.Domain} },
			"", ""},
		{"by another", func(u *exchange.UsageReport) {
			u.Reporter = &requesters.Requester{Domain: bot.Domain, ID: "other"}
		}, fail.NotFound, ""},
		{"by another domain", func(u *exchange.UsageReport) {
			u.Reporter = &requesters.Requester{Domain: "other.example"}
		}, fail.NotFound, ""},
		{"of nothing", func(u *exchange.UsageReport) { u.Transaction = "txn-0" }, fail.NotFound, ""},
		{"of another bill", func(u *exchange.UsageReport) { u.Billing = "bill-0" }, fail.Invalid, ""},
		{"without what is required", func(u *exchange.UsageReport) { u.Fields = []string{"transaction_id"} }, "",
			"consumed_quantity"},
		{"in another unit", func(u *exchange.UsageReport) { u.Unit = "pages" }, "", "counted in tokens"},
		{"in the unit", func(u *exchange.UsageReport) { u.Unit = "Tokens" }, "", ""},
		{"of nothing used", func(u *exchange.UsageReport) { u.Consumed = 0 }, "", ""},
		{"of far too much", func(u *exchange.UsageReport) { u.Consumed = 1 << 31 }, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := shop(t)
			item := d.BuyAt(t, "t/1")
			u := report(item, item.Transaction.Estimate)
			c.change(&u)
			filed, err := d.ReportUsage(t.Context(), u)
			switch {
			case c.code != "":
				if err == nil || fail.From(err).Code != c.code {
					t.Fatalf("%+v, %v", filed, err)
				}
			case err != nil:
				t.Fatal(err)
			case (filed.Problem == "") != (c.problem == "") || !strings.Contains(filed.Problem, c.problem) ||
				(filed.ID == "") != (c.problem != ""):
				t.Errorf("%+v", filed)
			}
			if taken := err == nil && filed.Problem == ""; taken != (len(d.Entries(t, "usage")) == 1) ||
				taken != (d.transaction(t, item.Transaction.ID).Obligation == transactions.Fulfilled) {
				t.Errorf("%+v, %+v", filed, d.transaction(t, item.Transaction.ID))
			}
			d.CheckInvariants(t)
		})
	}
}

// TestAReportOfAProhibitedUseOrOfTheFutureIsMarked takes reports of uses that the offer does not
// permit, and of times that are yet to come, and keeps that they are so.
func TestAReportOfAProhibitedUseOrOfTheFutureIsMarked(t *testing.T) {
	for _, c := range []struct {
		name               string
		permit, prohibit   []string
		functions          []string
		ahead              time.Duration
		used               string
		prohibited, future bool
	}{
		{"what is prohibited", nil, []string{"ai-train"}, []string{"FUNCTION_AI_INPUT", "FUNCTION_AI_TRAIN"}, 0,
			"ai-input ai-train", true, false},
		{"all, of which something is prohibited", nil, []string{"ai-train"}, []string{"FUNCTION_ALL"}, 0, "all", true,
			false},
		{"what is not permitted", []string{"ai-input"}, nil, []string{"FUNCTION_SEARCH"}, 0, "search", true, false},
		{"what is permitted", []string{"ai-all"}, nil, []string{"FUNCTION_AI_INDEX"}, 0, "ai-index", false, false},
		{"training below input", nil, []string{"ai-train"}, []string{"FUNCTION_AI_INPUT", "SUB_FUNCTION_TRAINING"}, 0,
			"ai-input", true, false},
		{"what is below input", nil, []string{"ai-train"}, []string{"FUNCTION_AI_INPUT", "SUB_FUNCTION_RAG"}, 0,
			"ai-input", false, false},
		{"no function", []string{"ai-input"}, nil, nil, 0, "", false, false},
		{"now, by a clock that is fast", nil, nil, []string{"FUNCTION_AI_INPUT"}, 5 * time.Minute, "ai-input", false,
			false},
		{"tomorrow", nil, nil, []string{"FUNCTION_AI_INPUT"}, 5*time.Minute + time.Second, "ai-input", false, true},
		{"yesterday", nil, nil, []string{"FUNCTION_AI_INPUT"}, -24 * time.Hour, "ai-input", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := shop(t)
			rule := licensed("/a/**", cent)
			rule.Functions = policy.Functions{Permit: c.permit, Prohibit: c.prohibit}
			d.Price(t, rule)
			item := d.BuyAt(t, "a/1")
			d.Price(t, policy.Rule{Access: policy.Blocked}) // what was sold counts, not what is for sale now
			used := report(item, 1)
			used.Functions, used.At = nil, d.Clock.Now().Add(c.ahead)
			for _, name := range c.functions {
				if strings.HasPrefix(name, "SUB_") {
					used.SubFunctions = append(used.SubFunctions, name)
				} else {
					used.Functions = append(used.Functions, name)
				}
			}
			filed := d.filed(t, used)
			kept := d.transaction(t, item.Transaction.ID)
			if filed.Problem != "" || strings.Join(kept.Report.Usage().Words(), " ") != c.used ||
				kept.Report.Prohibited != c.prohibited || kept.Report.Future != c.future {
				t.Errorf("%+v, %+v", filed, kept.Report)
			}
			body := d.Entries(t, "usage")[0]["body"].(map[string]any)
			if (body["prohibited"] == true) != c.prohibited || (body["future"] == true) != c.future ||
				body["timestamp"] != used.At.Format(time.RFC3339) {
				t.Errorf("the ledger has %v", body)
			}
			d.CheckInvariants(t)
		})
	}
}

// TestAQuantityOutsideOfToleranceCountsAndIsMarked charges at most what was authorised, and at
// least as much as the tolerance allows (docs/accounts.md).
func TestAQuantityOutsideOfToleranceCountsAndIsMarked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		percent, charged int64
		deviant          bool
	}{{0, 80, true}, {79, 80, true}, {80, 80, false}, {90, 90, false}, {100, 100, false}, {120, 100, false},
		{121, 100, true}, {1000, 100, true}} {
		d := shop(t)
		d.Stock(t, story("t/2", strings.Repeat("word ", 2500)))
		item := d.BuyAt(t, "t/2")
		if item.Transaction.Estimate%100 != 0 {
			t.Fatalf("%d tokens are no round number", item.Transaction.Estimate)
		}
		filed := d.filed(t, report(item, item.Transaction.Estimate/100*c.percent))
		if filed.Deviant != c.deviant || filed.Settled != item.Transaction.Amount/100*c.charged {
			t.Errorf("%+v: %+v of %d", c, filed, item.Transaction.Amount)
		}
		if filed.ID == "" {
			t.Error("it is not taken")
		}
		d.CheckInvariants(t)
	}
}

func TestALateReportLiftsTheBlock(t *testing.T) {
	t.Parallel()
	for _, swept := range []bool{false, true} {
		d := shop(t)
		d.Reports = exchange.ReportRules{}
		item := d.BuyAt(t, "t/1")
		d.Clock.Advance(24*time.Hour - 1000)
		buy := func() exchange.Denial {
			return d.Buy(t, d.OrderRequest(bot, d.FirstOffer(t, bot, "a/1"))).Items[0].Denial
		}
		if got := buy(); got != "" {
			t.Errorf("before the window is over it is denied: %s", got)
		}
		d.Clock.Advance(1000)
		if swept {
			if err := d.MaintainOnce(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := d.transaction(t, item.Transaction.ID).Obligation; got != transactions.Expired {
				t.Errorf("swept, it is %s", got)
			}
			if b := d.Balance(t); b.Held != 0 {
				t.Errorf("what was held is held for ever: %+v", b)
			}
		}
		if got := buy(); got != exchange.ReportingOverdue {
			t.Errorf("overdue, it is denied for %q", got)
		}
		filed := d.filed(t, report(item, 10))
		if !filed.Late || filed.Problem != "" || d.transaction(t, item.Transaction.ID).Obligation != transactions.Late {
			t.Errorf("%+v", filed)
		}
		if b := d.Balance(t); filed.Settled != item.Transaction.Amount || b.Held != 0 {
			t.Errorf("swept %v: a late report settles %d of %d, %+v", swept, filed.Settled, item.Transaction.Amount, b)
		}
		if got := buy(); got != "" {
			t.Errorf("reported, it is denied for %q", got)
		}
		d.CheckInvariants(t)
	}
}

func TestAShareOfTheRevenueIsChargedWhenItIsReported(t *testing.T) {
	t.Parallel()
	d := shop(t)
	item := d.BuyAt(t, "r/1")
	if item.Transaction.Amount != 0 || !slices.Contains(item.Transaction.Fields, "ramp.revenue") {
		t.Fatalf("%+v", item.Transaction)
	}
	u := report(item, 1)
	u.Fields = append(u.Fields, item.Transaction.Fields...)
	u.Revenue, u.Currency = 3*dollar, "EUR"
	if got := d.filed(t, u); got.Problem == "" {
		t.Errorf("a share in a currency in which there is no account: %+v", got)
	}
	u.Currency = "USD"
	if got := d.filed(t, u); got.Problem != "" || got.Settled != 3*dollar/10 {
		t.Errorf("%+v", got)
	}
	if b := d.Balance(t); b.Available != funds-3*dollar/10 {
		t.Errorf("%+v", b)
	}
	d.CheckInvariants(t)
}

// TestWhatIsReportedOfAUseIsKept holds that everything a report says is in the ledger's entry and
// beside the purchase (our reading, D26).
func TestWhatIsReportedOfAUseIsKept(t *testing.T) {
	t.Parallel()
	d := shop(t)
	item := d.BuyAt(t, "n/1")
	yes, no := true, false
	u := report(item, 1)
	u.Fields = append(u.Fields, item.Transaction.Fields...)
	u.UsageDetails = transactions.UsageDetails{
		Functions: []string{"FUNCTION_AI_INPUT"}, SubFunctions: []string{"SUB_FUNCTION_RAG"}, Shown: &yes, Cited: &no,
		Exchange: "exchange.example", Request: "q-1",
		Attribution: []transactions.Attribution{{URL: "https://site.example/n/1", Format: "CITATION_FORMAT_LINK",
			Visible: &yes}, {Format: "CITATION_FORMAT_INLINE", Visible: &no}},
		Assets: []transactions.Asset{{URI: "https://site.example/n/1", Title: "Named", Package: "pkg-1"}},
	}
	if got := d.filed(t, u); got.Problem != "" {
		t.Fatalf("%+v", got)
	}
	kept := d.transaction(t, item.Transaction.ID)
	if got := kept.Report.Usage(); !reflect.DeepEqual(got, u.UsageDetails) {
		t.Errorf("beside the purchase:\n%+v\n%+v", got, u.UsageDetails)
	}
	body := d.Entries(t, "usage")[0]["body"].(map[string]any)
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"assets":[{"package_id":"pkg-1","title":"Named","uri":"https://site.example/n/1"}]`,
		`"attribution":[{"displayed_url":"https://site.example/n/1","format":"CITATION_FORMAT_LINK","visible_to_user":true},{"format":"CITATION_FORMAT_INLINE","visible_to_user":false}]`,
		`"citation_included":false`, `"displayed_to_user":true`, `"exchange":"exchange.example"`, `"request_id":"q-1"`, `"subfn":["SUB_FUNCTION_RAG"]`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the entry lacks %s:\n%s", want, text)
		}
	}
	d.CheckInvariants(t)
}

// TestAnAttributionIsOwedUntilPeopleSeeIt holds what satisfies an offer that is paid for by naming
// the source (our reading, D26).
func TestAnAttributionIsOwedUntilPeopleSeeIt(t *testing.T) {
	t.Parallel()
	d := shop(t)
	item := d.BuyAt(t, "n/1")
	if item.Transaction.Obligation != transactions.Pending || !slices.Contains(item.Transaction.Fields, "attribution") {
		t.Fatalf("%+v", item.Transaction)
	}
	no := false
	hidden := report(item, 1)
	// and no "attribution" among its fields
	hidden.Attribution = []transactions.Attribution{{URL: "https://site.example/n/1", Visible: &no}}
	if got := d.filed(t, hidden); !strings.Contains(got.Problem, "attribution that people see") {
		t.Errorf("%+v", got)
	}
	if got := d.transaction(t, item.Transaction.ID); got.Obligation != transactions.Pending || got.Report.ID != "" {
		t.Errorf("%+v", got)
	}
	// What never came can be reported as not used, which a dispute needs; what was delivered
	// cannot.
	if got := d.filed(t, report(item, 0)); got.Problem != "" {
		t.Errorf("nothing came: %+v", got)
	}
	came := d.BuyAt(t, "n/1")
	d.Write(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := transactions.PutDelivery(ctx, tx, transactions.Delivery{ID: "dlv-1", Transaction: came.Transaction.ID,
			Site: came.Transaction.Site, State: transactions.DeliveryEnded, Bytes: 17, At: d.Clock.Now()})
		return err
	})
	if got := d.filed(t, report(came, 0)); !strings.Contains(got.Problem, "lacks attribution") {
		t.Errorf("it came: %+v", got)
	}
}

// TestAReportOnSomethingTakenBack is told so.
func TestAReportOnSomethingTakenBack(t *testing.T) {
	t.Parallel()
	d := shop(t)
	p := d.OrderRequest(bot, d.FirstOffer(t, bot, "t/1"))
	d.NoKeys = errors.New("away")
	if _, err := d.Execute(t.Context(), p); err == nil {
		t.Fatal("there was no failure")
	}
	var item exchange.ItemResult
	d.Write(t, func(ctx context.Context, tx *store.Tx) error {
		return tx.QueryRow(ctx, `SELECT id, billing FROM deal_transaction`).Scan(&item.Transaction.ID, &item.Transaction.Billing)
	})
	if got := d.filed(t, report(item, 5)); got.Problem == "" {
		t.Errorf("%+v", got)
	}
	d.CheckInvariants(t)
}

func TestWhateverFailsAReportIsFiledOnceOrNotAtAll(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"settled", "usage recorded", "reported"} {
		t.Run(step, func(t *testing.T) {
			d := shop(t)
			item := d.BuyAt(t, "t/1")
			u, failed := report(item, item.Transaction.Estimate), false
			d.Fault = func(at string) error {
				if at == step && !failed {
					failed = true
					return errors.New("the disk is full")
				}
				return nil
			}
			if _, err := d.ReportUsage(t.Context(), u); err == nil {
				t.Fatal("nothing failed")
			}
			d.CheckInvariants(t)
			durable := step == "reported"
			if n := len(d.Entries(t, "usage")); (n == 1) != durable {
				t.Errorf("%d entries", n)
			}
			if got := d.filed(t, u); got.Replayed != durable || got.ID == "" {
				t.Errorf("%+v", got)
			}
			if n := len(d.Entries(t, "usage")); n != 1 {
				t.Errorf("%d entries", n)
			}
			d.CheckInvariants(t)
		})
	}
}

// TestARequestIsForgottenAfterItsDayAndAnother keeps what was bought.
func TestARequestIsForgottenAfterItsDayAndAnother(t *testing.T) {
	t.Parallel()
	d := shop(t)
	d.BuyAt(t, "a/1")
	at := func(requests int) {
		t.Helper()
		if err := d.MaintainOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := d.Rows(t, "deal_request"); n != requests {
			t.Errorf("%d requests", n)
		}
	}
	day := 24 * time.Hour
	d.Clock.Advance(d.Clock.Now().Truncate(day).Add(2*day - time.Millisecond).Sub(d.Clock.Now()))
	at(1)
	d.Clock.Advance(time.Millisecond)
	at(0)
	if n := d.Rows(t, "deal_transaction"); n != 1 {
		t.Errorf("%d transactions", n)
	}
}

// TestAnOfferIsRememberedAfterItsEnd for as long as the owner says.
func TestAnOfferIsRememberedAfterItsEnd(t *testing.T) {
	t.Parallel()
	d := shop(t)
	ends := d.FirstOffer(t, bot, "a/1").Expires
	at := func(now time.Time, offers int) {
		t.Helper()
		d.Clock.Advance(now.Sub(d.Clock.Now()))
		if err := d.MaintainOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := d.Rows(t, "deal_offer"); n != offers {
			t.Errorf("%d offers %s after the end", n, now.Sub(ends))
		}
	}
	at(ends.Add(time.Hour), 1)
	at(ends.Add(time.Hour+time.Microsecond), 0)
}

func TestWhatWasBoughtIsFetched(t *testing.T) {
	t.Parallel()
	d := shop(t)
	item := d.BuyAt(t, "a/1")
	base, query, _ := strings.Cut(item.URL, "?")
	refused := func(what, base, query string, code fail.Code) {
		t.Helper()
		if got, _, err := d.Delivers(t.Context(), "https://site.example/deliver/",
			strings.TrimPrefix(base, "https://site.example/deliver/"), query); err == nil ||
			fail.From(err).Code != code {
			t.Errorf("%s: %q, %v", what, got, err)
		}
	}
	text, got, err := d.Delivers(t.Context(), "https://site.example/deliver/", item.Transaction.ID, query)
	if err != nil {
		t.Fatal(err)
	}
	if text != "One two three four." || got.Hash != sha256.Sum256([]byte(text)) ||
		got.Media != "text/plain; charset=utf-8" {
		t.Errorf("%q, %+v", text, got)
	}
	entries := d.Entries(t, "delivery")
	if len(entries) != 1 || entries[0]["subject"] != item.Transaction.ID ||
		entries[0]["body"].(map[string]any)["sha256"] != hex.EncodeToString(got.Hash[:]) {
		t.Errorf("%v", entries)
	}
	if want := d.FirstOffer(t, bot, "a/1").Hash; want != hex.EncodeToString(got.Hash[:]) {
		t.Errorf("the offer said %s", want)
	}
	other := d.BuyAt(t, "a/2")
	otherBase, otherQuery, _ := strings.Cut(other.URL, "?")
	refused("another's query", base, otherQuery, fail.Forbidden)
	refused("another's address", otherBase, query, fail.Forbidden)
	refused("no query", base, "", fail.Forbidden)
	if _, err := d.Delivery.Fetch(t.Context(), "https://other.example/deliver/", item.Transaction.ID,
		query); err == nil {
		t.Error("it opens at another front desk")
	}
	refused("something changed", base, strings.Replace(query, "sig=", "sig=0", 1), fail.Forbidden)
	d.Price(t, policy.Rule{Access: policy.Blocked})
	refused("blocked since", base, query, fail.NotFound)
	d.Price(t, licensed("/a/**", cent))
	d.Stock(t, story("a/1", "Something else."))
	if got, _, err := d.Delivers(t.Context(), "https://site.example/deliver/", item.Transaction.ID, query); err !=
		nil || got != "One two three four." && got != "Something else." {
		t.Errorf("after a change: %q, %v", got, err)
	}
	var again, oddly string
	for range 2 { // the version that was bought is swept away
		d.Stock(t, story("a/1", "Something else."), story("a/9", "Nothing else is there."))
	}
	again, oddly, _ = strings.Cut(d.Buy(t, d.OrderRequest(bot, d.FirstOffer(t, bot, "x/../a/1"))).Items[0].URL, "?")
	for range 3 {
		d.Stock(t, story("a/1", "By now it is this."), story("a/8", "And this."))
		d.Stock(t, story("a/1", "By now it is this."), story("a/7", "Or this."))
	}
	if got, _, err := d.Delivers(t.Context(), "https://site.example/deliver/",
		strings.TrimPrefix(again, "https://site.example/deliver/"), oddly); err != nil || got != "By now it is this." {
		t.Errorf("by another spelling of its address, after its version is gone: %q, %v", got, err)
	}
	d.Clock.Advance(5 * time.Minute)
	refused("too late", base, query, fail.Forbidden)
	if n := len(d.Entries(t, "delivery")); n != 3 {
		t.Errorf("%d deliveries", n)
	}
	d.CheckInvariants(t)
}
