package app

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/disputes/accesslog"
	"frontdesk/internal/licensing/disputes/enforcement"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/wire/receipt"
)

// contested records that something was disputed now, as the exchange does, and that the purchase
// happened.
func contested(t *testing.T, s *App, id, transaction, buyer string, change func(*disputes.Case)) {
	t.Helper()
	now := s.now().UTC()
	c := disputes.Case{
		ID: id, Transaction: transaction, Buyer: buyer, Site: "main", Billing: "bill", Report: "rep-1", Request: "r",
		Reason: disputes.DeliveryFailed, Mutability: "static", Level: 1,
		Description: `it broke <b>"&'ü`, Status: disputes.EvidenceNeeded, Filed: now, Changed: now, Due: now.Add(time.Hour),
	}
	steps := []disputes.Step{
		{N: 1, At: now, To: disputes.Filed, By: disputes.ByBuyer},
		{N: 2, At: now, From: disputes.Filed, To: disputes.EvidenceNeeded, By: disputes.ByRule,
			Rule: disputes.RuleNoRecord, Evidence: []disputes.Evidence{{Source: "delivery", Finding: "nothing <i>"}}},
	}
	if change != nil {
		change(&c)
		if c.Status == disputes.AutoResolved {
			steps[1].To, steps[1].Resolution = c.Status, c.Resolution
		}
	}
	if err := s.db.Update(t.Context(), func(tx *store.Tx) error {
		if _, err := disputes.Put(t.Context(), tx, c, steps); err != nil {
			return err
		}
		_, err := s.Ledger.AppendAll(t.Context(), tx, []receipt.Entry{
			{Time: now, Kind: "transaction", Site: c.Site, Party: "requester:" + buyer, Subject: transaction},
			{Time: now, Kind: "dispute", Site: c.Site, Party: "requester:" + buyer, Subject: transaction},
		})
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func TestTheConsoleShowsDisputes(t *testing.T) {
	t.Parallel()
	s, p, _, c := salesOf(t, identity.Viewer)
	p.sees("/console/sales/disputes", 200, "Nobody has disputed anything yet", `aria-current="page"`, "No sanctions are in force")
	p.sees("/console/sales/measures", 200, "No sanction is in force")
	funds(t, s)
	sale := sold(t, s, saleBuyer, perAccess, 0, nil)
	contested(t, s, "dsp-1", sale.ID, saleBuyer, nil)
	c.Advance(time.Second)
	contested(t, s, "dsp-2", "txn-gone", oddBuyer, func(d *disputes.Case) {
		d.Status, d.Resolution, d.Rule, d.Reason, d.Credit, d.Currency, d.Due = disputes.AutoResolved, disputes.Credit,
			disputes.RuleStatus, disputes.WrongContent, 2_000_000, "USD", time.Time{}
	})
	line := `{"time":"2027-01-31T12:30:05Z","host":"cdn.example.net","url":"/a?txn_id=` + sale.ID + `&sig=secret","status":503,"bytes":12,"cache":"miss"}`
	if _, err := s.ImportLog(t.Context(), strings.NewReader(line), accesslog.Source{By: `cdn-<b>`}); err != nil {
		t.Fatal(err)
	}
	delivered(t, s, "dlv-cut", sale.ID, func(d *transactions.Delivery) {
		d.State, d.Bytes = transactions.DeliveryCut, 1200
	})

	p.sees("/console/sales/disputes", 200, "buyer.example.com/research-bot", "x.example/&lt;b&gt;",
		"waits for evidence", "decided at once", "credited 0.02 USD", "wrong content")
	p.sees("/console/sales/disputes?status=evidence_needed", 200, "dsp-1")
	if strings.Contains(p.page, "dsp-2") {
		t.Error("what is decided is among what waits")
	}
	for query, has := range map[string]string{"reason=wrong_content": "dsp-2", "buyer=" +
		url.QueryEscape(oddBuyer): "dsp-2", "site=main": "dsp-1", "day=" + c.Now().Format(time.DateOnly): "dsp-1"} {
		p.sees("/console/sales/disputes?"+query, 200, has)
	}
	p.sees("/console/sales/disputes?buyer=nobody", 200, "Nothing fits what you chose")
	p.sees("/console/sales/disputes?q=none", 200, "Nothing fits what you chose")
	for _, find := range []string{"dsp-1", sale.ID} {
		p.sees("/console/sales/disputes?q="+find, 200, `href="/console/sales/disputes/dsp-1"`)
		if n := strings.Count(p.page, `class="when"`); n != 1 {
			t.Errorf("%s finds %d", find, n)
		}
	}
	p.sees("/console/sales/disputes/dsp-1", 200, "it broke &lt;b&gt;", "waits for evidence", "Moves on by itself",
		sale.ID, "https://example.com/soup", "0.02 USD", "attested at level 1",
		"log cdn-&lt;b&gt;", "HTTP 503", "cache: miss", "cdn.example.net/a", "edge edge-&lt;b&gt;", "broke off",
		"1.2 KB", "no_record", "nothing &lt;i&gt;")
	if strings.Contains(p.page, "secret") || strings.Contains(p.page, `name="as"`) {
		t.Errorf("the page of a dispute shows what it should not: %s", p.page)
	}
	p.sees("/console/sales/disputes/dsp-none", 404)
	if w := p.post("/console/sales/disputes/dsp-1", "as", "credit"); w.Code != http.StatusForbidden {
		t.Errorf("a viewer decides: %d %s", w.Code, w.Body)
	}
}

// TestAMeasureHoldsABuyerUntilItIsLifted has a buyer dispute too much: it is held to a few
// requests, in the protocol's words, until an operator lifts that at the console.
func TestAMeasureHoldsABuyerUntilItIsLifted(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "ramp: {enabled: true, measures: {cases: 1, of: 1, rate: 2/1m}}\n"+soldSoup)
	if m.db.Engine() != store.SQLite {
		t.Skip("the ledger goes on by itself on SQLite alone; the room's own tests are run on both engines")
	}
	buyer := m.domain() + "/bot"
	ask := func() string { return refused(send(m, posted("POST", discover, m.query(m.inBody(m.key))))) }
	for range 4 {
		if code := ask(); code != "" {
			t.Fatalf("before: %s", code)
		}
	}
	contested(t, m.App, "dsp-1", "txn-1", buyer, nil)
	if err := m.exchange.measures.RunOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"", "", "resource_exhausted"} {
		if code := ask(); code != want {
			t.Errorf("request %d: %q", i, code)
		}
	}

	if err := m.exchange.measures.Lift(t.Context(), enforcement.MonthOf(m.now()).String()+".limit.agent."+buyer, "ana",
		"ours"); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		if code := ask(); code != "" {
			t.Errorf("request %d after it was lifted: %q", i, code)
		}
	}
}

func TestMeasuresAreLiftedAtTheConsole(t *testing.T) {
	t.Parallel()
	for _, role := range []string{identity.Viewer, identity.Operator} {
		s, p, _, _ := salesOf(t, role)
		if s.db.Engine() != store.SQLite {
			t.Skip("the ledger goes on by itself on SQLite alone; the room's own tests are run on both engines")
		}
		contested(t, s, "dsp-1", "txn-1", oddBuyer, nil)
		strict := enforcement.New(enforcement.Config{DB: s.db, Ledger: s.Ledger,
			Rules: enforcement.Rules{Warn: 3, Limit: 5, Cases: 1, Of: 1}, Now: s.now, Log: s.log, Dispute: disputed})
		if err := strict.RunOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.sees("/console/sales/disputes", 200, "Sanctions in force: 2")
		p.sees("/console/sales/measures", 200, "held to a rate", "warned", "1 disputes of 1 (100.0 %)",
			"x.example/&lt;b&gt;")
		limit, want := enforcement.MonthOf(s.now()).String()+".limit.agent."+oddBuyer, http.StatusForbidden
		if role == identity.Operator {
			if want = http.StatusSeeOther; !strings.Contains(p.page, `value="lift"`) || strings.Contains(p.page, `value="confirm"`) {
				t.Errorf("an operator is shown %s", p.page)
			}
			if w := p.post("/console/sales/measures", "measure", limit, "do",
				"confirm"); w.Code != http.StatusBadRequest {
				t.Errorf("a limit is confirmed: %d %s", w.Code, w.Body)
			}
			if w := p.post("/console/sales/measures", "form", "forged", "measure", limit, "do",
				"lift"); w.Code != http.StatusForbidden {
				t.Errorf("a forged form lifts: %d %s", w.Code, w.Body)
			}
			p.sees("/console/sales/measures", 200)
		}
		if w := p.post("/console/sales/measures", "measure", limit, "do", "lift", "note", "ours <b>"); w.Code != want {
			t.Errorf("%s lifts: %d %s", role, w.Code, w.Body)
		}
		if role == identity.Viewer {
			continue
		}
		p.sees("/console/sales/measures?all=1", 200, "lifted", "ours &lt;b&gt;")
		did := ""
		for r, err := range s.Ledger.Read(t.Context(), ledger.Filter{Kind: "measure"}) {
			if err != nil {
				t.Fatal(err)
			}
			did += string(r.Entry.Body)
		}
		if !strings.Contains(did, `"by":"key:`) || !strings.Contains(did, `"did":"lifted"`) || strings.Contains(did, "ours") {
			t.Errorf("the ledger tells %s", did)
		}
	}
}

func TestAMeasureHoldsASite(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "ramp: {enabled: true, measures: {cases: 1, of: 1, rate: 2/1m}}\n"+soldSoup)
	if m.db.Engine() != store.SQLite {
		t.Skip("the ledger goes on by itself on SQLite alone; the room's own tests are run on both engines")
	}
	for month := range 12 {
		if month > 0 {
			m.clock.Advance(31 * 24 * time.Hour)
		}
		id := string(rune('a' + month))
		contested(t, m.App, "dsp-"+id, "txn-"+id, m.domain()+"/bot", func(d *disputes.Case) {
			d.Status, d.Resolution, d.Rule, d.Due = disputes.AutoResolved, disputes.Credit,
				disputes.RuleStatus, time.Time{}
		})
		if err := m.exchange.measures.RunOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []exchange.Denial{"", "", exchange.TooManyPurchases} {
		if got := m.exchange.heldSite(context.Background(), "main"); got != want {
			t.Errorf("purchase %d: %q", i, got)
		}
	}
	list, err := enforcement.NewReader(m.db).Sanctions(t.Context(), false, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range list {
		if one.Level == enforcement.Closure {
			if err := m.exchange.measures.Confirm(t.Context(), one.ID, "ana", ""); err != nil {
				t.Errorf("%s: %v", one.ID, err)
			}
		}
	}
	if got := m.exchange.heldSite(context.Background(), "main"); got != exchange.ContentUnavailable {
		t.Errorf("a site that was closed: %q", got)
	}
	if left, held := m.exchange.heldBuyer(context.Background(), m.domain()+"/bot"); !held || left.OK ||
		left.Limit == 0 {
		t.Errorf("a buyer that was closed: %+v, %t", left, held)
	}
}
