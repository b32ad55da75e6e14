package app

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/disputes/accesslog"
	"frontdesk/internal/licensing/reports"
)

// TestReportsReachBackThirteenMonthsAndTellNoSignedAddress has purchases that differ, a leak that a
// log tells of, and a dispute, passes thirteen months with all that sweeps, and holds that every
// report and page still tells of them; that what is kept no longer than that is gone then, but not
// what is younger; and that none of it ever tells an address that was signed (RAMP v1, retention).
func TestReportsReachBackThirteenMonthsAndTellNoSignedAddress(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "site: {name: Example, url: \"https://example.com\"}\n"+
		"ramp: {enabled: true, signatures: none, measures: {cases: 1, of: 1}}\n"+soldSoup)
	if m.db.Engine() != store.SQLite {
		t.Skip("entries have their place once a server runs, but on SQLite")
	}
	m.credit(10_000_000)
	if _, err := m.exchange.Goods.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	key, _ := makeKey(t, m.App, identity.Key{Name: "books", Scopes: []string{"reports"}})
	day := m.clock.Now().Truncate(24 * time.Hour)
	begin := m.clock.Now()
	to := func(after time.Duration) { // and sweeps
		t.Helper()
		m.clock.Advance(begin.Add(after).Sub(m.clock.Now()))
		if err := m.exchange.Exchange.MaintainOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	leak := func(name string) {
		t.Helper()
		line := fmt.Sprintf(`{"time":%q,"url":"https://example.com/soup?agent_id=ab&txn_id=%s&expires=1&sig=51651651","status":200,"bytes":10}`, m.clock.Now().Format(time.RFC3339), name)
		if log, err := m.ImportLog(t.Context(), strings.NewReader(line), accesslog.Source{By: "cdn"}); err != nil ||
			log.Stray != 1 {
			t.Fatalf("%+v, %v", log, err)
		}
	}
	unrecorded, unused := m.ownsUsed("1", "all"), m.ownsUsed("2", "0")
	endpoint, err := url.Parse(unused.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	signature := endpoint.Query().Get("sig")
	if len(signature) < 16 {
		t.Fatal(unused.Endpoint)
	}
	if w := httptest.NewRecorder(); true {
		if m.ServeHTTP(w, httptest.NewRequest("GET", unused.Endpoint, nil)); w.Code != 200 {
			t.Fatal(w.Code, w.Body)
		}
	}
	m.logs(unused, 200)
	leak("txn-nobodys-old")
	contested(t, m.App, "dsp-old", unused.Transaction, m.domain()+"/bot", func(c *disputes.Case) {
		c.Status, c.Resolution, c.Rule = disputes.AutoResolved, disputes.Rejected, disputes.RuleStatus
	})
	to(3 * 24 * time.Hour)
	if err := m.exchange.measures.RunOnce(t.Context()); err != nil {
		t.Fatal(err)
	}

	// told are all reports, in every form, by the names by which they are asked for, and all pages
	// that tell of the same.
	told := func() map[string]string {
		t.Helper()
		all := map[string]string{}
		from, until := day.Format(time.DateOnly), day.AddDate(0, 0, 30).Format(time.DateOnly)
		for _, name := range []string{"provider-revenue", "compliance-status", "transaction-detail", "leakage-check",
			"reconciliation", "reconciliation-days"} {
			for _, form := range []string{"csv", "jsonl", "json"} {
				w := send(m, posted("GET", "/api/v1/reports/"+name+"?from="+from+"&to="+until+"&format="+form, "",
					identity.KeyHeader, key))
				if w.Code != 200 {
					t.Fatalf("%s as %s: %d %s", name, form, w.Code, w.Body)
				}
				var line bytes.Buffer // as `frontdesk ramp report` writes it
				want := reports.Request{Report: reports.ByRAMPName(name), Form: form, Since: day,
					Until: day.AddDate(0, 0, 30), Grace: reports.DefaultGrace(reports.ByRAMPName(name))}
				if err := m.Reports().Write(t.Context(), &line, want); err != nil {
					t.Fatal(err)
				}
				all[name+"."+form], all["ramp report "+name+"."+form] = w.Body.String(), line.String()
			}
		}
		p := m.atConsole(identity.Viewer)
		for _, page := range []string{
			"reconciliation", "reconciliation?day=" + from, "measures?all=1", "disputes", "disputes/dsp-old",
			"leakage?kind=logged", "leakage", "deliveries", "transactions/" + unused.Transaction,
			"reports/reconciliation.csv?since=" + from + "&until=" + until, "reports/reconciliation.jsonl?since=" +
				from + "&until=" + until, "reports/reconciliation-days.csv?since=" + from + "&until=" + until,
			"reports/leakage.csv?since=" + from + "&until=" + until,
			"reports/transactions.jsonl?since=" + from + "&until=" + until,
		} {
			p.sees("/console/sales/"+page, 200)
			all[page] = p.page
		}
		for name, text := range all {
			for _, signed := range []string{"sig=", "expires=", "agent_id=", "51651651", signature} {
				if strings.Contains(text, signed) {
					t.Errorf("%s tells %s", name, signed)
				}
			}
		}
		return all
	}
	everywhere := func(all map[string]string, what string, want bool, in ...string) {
		t.Helper()
		for name, text := range all {
			for _, one := range in {
				if (name == one || strings.HasPrefix(name, one+".") || strings.HasPrefix(name, one+"?") ||
					strings.HasSuffix(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, ".csv"), ".jsonl"),
						".json"), "ramp report "+one)) &&
					strings.Contains(text, what) != want {
					t.Errorf("%s tells of %s: %t, want %t", name, what, !want, want)
				}
			}
		}
	}
	differences := []string{"reconciliation", "reports/reconciliation.csv", "reports/reconciliation.jsonl"}
	lists := func(all map[string]string) map[string]string { // the first page lists days, and not what differs on them
		delete(all, "reconciliation")
		return all
	}

	all := lists(told())
	everywhere(all, "txn-nobodys-old", true, append(differences, "leakage-check", "leakage?kind=logged")...)
	if !strings.Contains(all["disputes/dsp-old"], "it broke") {
		t.Error("what the buyer wrote is not told at once")
	}

	to(10 * 24 * time.Hour)
	leak("txn-nobodys-young")
	to(60 * 24 * time.Hour)  // by when the dispute is over
	to(397 * 24 * time.Hour) // thirteen months
	all = lists(told())
	for _, id := range []string{unrecorded.Transaction, unused.Transaction, "txn-nobodys-old"} {
		everywhere(all, id, true, differences...)
	}
	everywhere(all, unused.Transaction, true, "transaction-detail", "reports/transactions.jsonl", "disputes/dsp-old",
		"transactions/"+unused.Transaction)
	everywhere(all, "txn-nobodys-old", true, "leakage-check", "leakage?kind=logged", "reports/leakage.csv")
	everywhere(all, m.domain()+"/bot", true, "compliance-status", "measures?all=1", "disputes")
	everywhere(all, day.Format(time.DateOnly), true, "reconciliation-days", "reports/reconciliation-days.csv")
	if strings.Contains(all["transactions/"+unused.Transaction], "Bought for") {
		t.Error("what was bought in the buyer's own name is told to be somebody else's")
	}
	if strings.Contains(all["disputes/dsp-old"], "it broke") {
		t.Error("what the buyer wrote is not forgotten after the dispute is over for long")
	}

	to(401 * 24 * time.Hour) // beyond what is kept of imported logs
	all = lists(told())
	everywhere(all, "txn-nobodys-old", false,
		append(differences, "leakage-check", "leakage?kind=logged", "reports/leakage.csv")...)
	everywhere(all, "txn-nobodys-young", true, "leakage-check", "leakage?kind=logged", "reports/leakage.csv")
	// the ledger keeps what was bought, and so do the reports
	for _, id := range []string{unrecorded.Transaction, unused.Transaction} {
		everywhere(all, id, true, differences...)
	}
	to(411 * 24 * time.Hour)
	everywhere(lists(told()), "txn-nobodys-young", false, "leakage-check", "leakage?kind=logged", "reports/leakage.csv")
}
