package app

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/disputes/accesslog"
	"frontdesk/internal/licensing/disputes/enforcement"
)

// TestThreeSidesAreToldAsTheyAreCounted has purchases agree, differ in each way, and be of nobody,
// and holds that the report, the console and what the measures count in the background say the same
// of them; and that nothing of it tells an address that was signed.
func TestThreeSidesAreToldAsTheyAreCounted(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "site: {name: Example, url: \"https://example.com\"}\n"+
		"ramp: {enabled: true, signatures: none, measures: {cases: 2, of: 1}}\n"+soldSoup)
	m.credit(10_000_000)
	if _, err := m.exchange.Goods.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	day := m.clock.Now().Truncate(24 * time.Hour)
	unrecorded, unused, agrees := m.ownsUsed("1", "all"), m.ownsUsed("2", "0"), m.ownsUsed("3", "all")
	m.logs(unused, 200)
	m.logs(agrees, 200)
	w := httptest.NewRecorder()
	if m.ServeHTTP(w, httptest.NewRequest("GET", unused.Endpoint, nil)); w.Code != 200 {
		t.Fatal(w.Code, w.Body)
	}
	var forged strings.Builder
	for n := range 3 {
		fmt.Fprintf(&forged, `{"time":%q,"url":"https://example.com/soup?n=%d&agent_id=ab&txn_id=txn-nobodys-%d&expires=1&sig=51651651","status":200,"bytes":10}`+"\n", m.clock.Now().Format(time.RFC3339), n, n)
	}
	if log, err := m.ImportLog(t.Context(), strings.NewReader(forged.String()),
		accesslog.Source{By: "cdn"}); err != nil || log.Stray != 3 {
		t.Fatalf("%+v, %v", log, err)
	}

	// While the day is not over for two days nothing is counted, and the page says so.
	p := m.atConsole(identity.Viewer)
	p.sees("/console/sales/reconciliation", 200, "No day with deliveries or reports was counted yet", `aria-current="page"`)
	page := "/console/sales/reconciliation?day=" + day.Format(time.DateOnly)
	p.sees(page, 200, "The day is not counted yet", "Used, not delivered", unrecorded.Transaction)
	key, _ := makeKey(t, m.App, identity.Key{Name: "books", Scopes: []string{"reports"}})
	report := func(query string) string {
		t.Helper()
		w := send(m, posted("GET", "/api/v1/reports/"+query, "", identity.KeyHeader, key))
		if w.Code != 200 {
			t.Fatalf("%s: %d %s", query, w.Code, w.Body)
		}
		for _, signed := range []string{"sig=", "expires=", "agent_id=", "51651651"} {
			if strings.Contains(w.Body.String(), signed) {
				t.Errorf("%s tells %s: %s", query, signed, w.Body)
			}
		}
		return w.Body.String()
	}
	if text := report("reconciliation?format=jsonl") + report("reconciliation-days?format=jsonl"); text != "" {
		t.Error(text)
	}
	m.clock.Advance(72*time.Hour - m.clock.Now().Sub(day)) // to the moment
	if text := report("reconciliation-days?format=csv"); text !=
		"day,site,compared,differences,differences_percent,not_told\n2027-05-04,local,6,5,83.3,0\n" {
		t.Error(text)
	}
	type difference struct{ Difference, Transaction, Why, Logged, Day string }
	got := map[string]difference{}
	for line := range strings.Lines(report("reconciliation?from=2027-05-04&to=2027-05-05&format=jsonl")) {
		var d difference
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			t.Fatal(err)
		}
		got[d.Transaction] = d
	}
	for transaction, want := range map[string]difference{
		unrecorded.Transaction: {Difference: "used_not_delivered", Logged: "no"}, unused.Transaction: {
			Difference: "delivered_not_used", Logged: "yes",
		}, "txn-nobodys-2": {Difference: "delivered_not_bought"},
	} {
		d := got[transaction]
		if d.Difference != want.Difference || d.Logged != want.Logged || d.Why == "" || d.Day != "2027-05-04" {
			t.Errorf("%s: %+v", transaction, d)
		}
	}
	if len(got) != 5 {
		t.Errorf("%v", got)
	}
	if text := report("reconciliation?from=2027-05-05&format=csv"); strings.Count(text, "\n") != 1 {
		t.Error(text)
	}
	for _, wrong := range []string{
		"reconciliation?grace=x", "transaction-detail?grace=1h", "reconciliation?from=2027-05-05&to=2027-05-04",
	} {
		if w := send(m, posted("GET", "/api/v1/reports/"+wrong, "", identity.KeyHeader, key)); w.Code != 422 &&
			w.Code != 400 {
			t.Errorf("%s: %d", wrong, w.Code)
		}
	}

	// What is counted in the background is the same.
	if m.db.Engine() == store.SQLite { // elsewhere entries have their place once a server runs
		if err := m.exchange.measures.RunOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		days, err := enforcement.NewReader(m.db).Days(t.Context(), enforcement.Filter{Limit: 9})
		if err != nil || len(days) != 1 || !days[0].At.Equal(day) ||
			days[0].Reconciled != (enforcement.Reconciled{Of: 6, Gaps: 5}) {
			t.Errorf("%+v, %v", days, err)
		}
		if err := m.db.View(t.Context(), func(tx *store.Tx) error {
			r, err := enforcement.RatesOf(t.Context(), tx,
				enforcement.Party{Kind: enforcement.Provider, ID: days[0].Site}, enforcement.MonthOf(day))
			if r.Reconciled != 6 || int(r.Gap) != 83 {
				t.Errorf("%+v", r)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		p = m.atConsole(identity.Viewer)
		p.sees("/console/sales/reconciliation", 200, "5 (83.3 %)", "Differences of 2027-05-04")
		p.sees("/console/sales/reconciliation", 200, "The first day that was counted is",
			"/console/sales/reports/reconciliation-days.csv")
		p.sees("/console/sales/reconciliation?day=2027-05-03", 200, "The day is before counting began")
		p.sees("/console/sales/reports/reconciliation-days.csv", 200, ",6,5,83.3,0")
		p.sees("/console/sales/reconciliation?site=nobodys", 200, "Nothing fits")
		p.sees(page+"&site="+days[0].Site, 200, "These are the differences that were counted", "5 (83.3 %)",
			"/console/sales/transactions/"+unrecorded.Transaction, "reported as not used at all",
			"/console/sales/transactions/"+unused.Transaction, "txn-nobodys-1", "reconciliation.csv")
	}
	p = m.atConsole(identity.Viewer)
	p.sees(page+"&kind=delivered_not_used", 200, unused.Transaction)
	if strings.Contains(p.page, unrecorded.Transaction) || strings.Contains(p.page, "txn-nobodys") {
		t.Error("the page tells of other kinds")
	}
	p.sees(page+"&kind=delivered_not_bought", 200, "txn-nobodys-0")
	p.sees("/console/sales/reconciliation?day=2027-05-05", 200, "Nothing differs")
	for _, form := range []string{"csv", "jsonl"} {
		p.sees("/console/sales/reports/reconciliation."+form+"?since=2027-05-04&until=2027-05-04", 200,
			unrecorded.Transaction, "txn-nobodys-0")
		if strings.Contains(p.page, "51651651") {
			t.Error(p.page)
		}
	}
	p.sees("/console/sales/reports/reconciliation-days.csv?since=2027-05-04&until=2027-05-04", 200, ",6,5,83.3,0")

	// Leakage tells of what logs have, too.
	p.sees("/console/sales/leakage?kind=logged", 200, "txn-nobodys-0", "txn-nobodys-2", "cdn", `aria-current="true">Logged, not bought`)
	if strings.Contains(p.page, "/console/sales/deliveries/log-") {
		t.Error("what a log tells is linked to a page that there is not")
	}
	p.sees("/console/sales/leakage?kind=logged&day=2027-05-05", 200, "Nothing fits")
	p.sees("/console/sales/leakage", 200, "Nothing was delivered without a purchase")
}
