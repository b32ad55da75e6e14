package exchange_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/testkit/saletest"
	"frontdesk/internal/testkit/storetest"
)

// TestALossOfPowerKeepsMoneyAndDeals loses the power at moments all over a run of discovering,
// buying one and several things, fetching, reporting, disputing, taking back and sweeping, with
// whatever a disk may then have of what was not synced. What an agent had been told by then is
// there, once, and can be proved with the site's public key alone: no address was given of a
// purchase that is not recorded, nothing is charged twice, and the sums of money and quotas hold.
// What an agent had not been told is there whole or not at all, and comes to be when it asks again.
func TestALossOfPowerKeepsMoneyAndDeals(t *testing.T) {
	t.Parallel()
	const each = 500 // of one run, whose requests come in an order of their own
	for n := storetest.Crashes(t, 12); n > 0; n -= each {
		loseThePower(t, min(n, each), uint64(n))
	}
}

// loseThePower loses it at so many moments of one run.
func loseThePower(t *testing.T, n int, seed uint64) {
	disk := storetest.NewDisk(t)
	folder, keys := t.TempDir(), t.TempDir()
	db, err := store.Open(t.Context(), store.Config{DSN: filepath.Join(folder, "store.DB"), Schemas: saletest.Schemas,
		Files: disk.Name})
	if err != nil {
		t.Fatal(err)
	}
	d := dealerOn(t, db, keys)
	d.AddStock(t)
	m := newMarket(t, d, disk.Now)
	begin := disk.Now()
	m.run()
	end := disk.Now()
	if t.Failed() {
		t.FailNow()
	}
	m.worthIt()
	d.CheckInvariants(t)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	source := rand.New(rand.NewPCG(7, seed))
	for i := range n {
		at := begin + (end-begin)*i/n
		m.survives(disk, at, source, keys)
		if t.Failed() {
			t.Fatalf("the power was lost at moment %d between %d and %d", at, begin, end)
		}
	}
	t.Logf("the power was lost %d times at %d moments of a run with %d requests to buy, %d reports and %d fetches", n,
		end-begin, len(m.purchases), len(m.reports), len(m.fetches))
}

// survives opens what a loss of power leaves as the next start would, and holds it against what the
// agents wrote down.
func (m *market) survives(disk *storetest.Disk, at int, source *rand.Rand, keys string) {
	t := m.t
	t.Helper()
	folder, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	if err := disk.Crash(at, source, folder); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), store.Config{DSN: filepath.Join(folder, "store.DB"), Schemas: saletest.Schemas,
		Readers: 1})
	if err != nil {
		t.Error(err)
		return
	}
	defer db.Close()
	after := dealerOn(t, db, keys)
	after.Clock.Advance(m.timeAt(at).Sub(after.Clock.Now()))
	after.Reports = m.Reports
	after.Price(t, licensed("/a/**", cent))
	if _, err := after.Goods.Refresh(t.Context()); err != nil {
		t.Error(err)
		return
	}
	if err := after.Ledger.Inspect(t.Context()); err != nil {
		t.Error(err)
		return
	}
	after.CheckInvariants(t)
	m.holds(after, at)
	if t.Failed() {
		return
	}
	// And it goes on: who heard nothing asks again, and is told once; who was told is told the
	// same.
	m.askAgain(after, at, source)
	if err := after.MaintainOnce(t.Context()); err != nil {
		t.Error(err)
	}
	after.CheckInvariants(t)
	m.once(after)
}

// errAway is why there are no keys that sign addresses.
var errAway = errors.New("the folder of secrets is away")

// run is what agents do while the power may fail: they buy, several at once, then some without
// success, then time passes and what was not reported is swept, while others report late, and then
// they buy again.
func (m *market) run() {
	early := m.quote(m.buyer(0), "*a/1")
	m.agents(4, 10, m.deal)
	m.buy(m.buyer(0), "early", early...) // when the subscription is used up
	m.NoKeys = errAway
	for i := range 4 {
		m.buy(m.buyer(0), fmt.Sprint("away-", i), m.quote(m.buyer(0), "a/1", "t/1")...)
	}
	m.NoKeys = nil
	for _, p := range m.unanswered() {
		m.buyAgain(p)
	}
	m.pass(24 * time.Hour)
	m.agents(3, 4, func(agent, i int) {
		switch {
		case agent == 0:
			m.sweep()
		case agent == 1:
			m.reportLate()
		default:
			m.buy(m.buyer(i), fmt.Sprint("blocked-", i), m.quote(m.buyer(i), "a/1")...) // some owe too many reports
		}
	})
	for m.reportLate() {
	}
	m.agents(2, 5, func(agent, i int) { m.deal(agent, 100+i) })
	m.pass(24 * time.Hour)
	m.sweep() // and the requests are forgotten
}

// worthIt holds that everything came about that the run is for.
func (m *market) worthIt() {
	t := m.t
	t.Helper()
	seen := map[exchange.Denial]int{}
	several, undone := 0, 0
	for _, p := range m.purchases {
		if p.failures > 0 {
			undone++
		}
		if p.answer == nil {
			continue
		}
		if len(p.answer.Items) > 1 {
			several++
		}
		for _, item := range p.answer.Items {
			seen[item.Denial]++
		}
	}
	late, settled := 0, 0
	for _, r := range m.reports {
		switch {
		case r.filed == nil || r.filed.ID == "":
		case r.filed.Late:
			late++
		default:
			settled++
		}
	}
	paidBack, waiting := 0, 0
	for _, r := range m.disputes {
		switch {
		case r.heard == nil:
		case r.heard.Case.Resolution == disputes.Credit:
			paidBack++
		default:
			waiting++
		}
	}
	if paidBack == 0 || waiting == 0 {
		t.Errorf("the run tests too little: of %d disputes %d were paid back, and %d wait", len(m.disputes), paidBack,
			waiting)
	}
	if seen[""] == 0 || seen[exchange.InsufficientBalance] == 0 || seen[exchange.QuotaExceeded] == 0 ||
		seen[exchange.ReportingOverdue] == 0 || several == 0 || undone == 0 || late == 0 || settled == 0 ||
		len(m.fetches) == 0 {
		t.Errorf("the run tests too little: %v, %d of several, %d undone, %d reports, %d late, %d fetches", seen,
			several, undone, settled, late, len(m.fetches))
	}
}

// once holds that no request of any agent has bought an offer twice, and that the money is all
// there.
func (m *market) once(d *dealer) {
	t := m.t
	t.Helper()
	d.Write(t, func(ctx context.Context, tx *store.Tx) error {
		var twice, out int64
		if err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM (SELECT 1 FROM deal_transaction WHERE failed = 0 GROUP BY buyer, offer HAVING COUNT(*) > 1) AS twice`).Scan(&twice); err != nil {
			return err
		}
		if twice > 0 {
			t.Errorf("%d offers were bought twice by one buyer", twice)
		}
		if err := tx.QueryRow(ctx, `SELECT CAST(COALESCE(SUM(available + held + earned), 0) AS BIGINT) FROM account_balance`).Scan(&out); err != nil {
			return err
		}
		if want := int64(funds + marketFunds); out != want {
			t.Errorf("%d were paid in, and %d are there", want, out)
		}
		return nil
	})
}
