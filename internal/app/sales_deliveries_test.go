package app

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/transactions"
)

// delivered records a delivery that began now, of an edge of a hostile name unless it is changed.
func delivered(t *testing.T, s *App, id, transaction string, change func(*transactions.Delivery)) {
	t.Helper()
	d := transactions.Delivery{
		ID: id, Transaction: transaction, By: `edge-<b>"&'ü`, Site: "main", URI: "https://example.com/soup?<i>",
		Media: "text/markdown; charset=utf-8", State: transactions.DeliveryEnded, Status: 200,
		Announced: 4711, Bytes: 4711, Sum: make([]byte, 32), Whole: true, At: s.now(), Ended: s.now().Add(time.Second),
	}
	if change != nil {
		change(&d)
	}
	if err := s.db.Update(t.Context(), func(tx *store.Tx) error {
		fresh, err := transactions.PutDelivery(t.Context(), tx, d)
		if err == nil && !fresh {
			err = fmt.Errorf("there is a delivery %s", id)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// funds gives the buyer of the tests something to spend.
func funds(t *testing.T, s *App) {
	t.Helper()
	if err := s.ChangeAccounts(t.Context(), func(tx *store.Tx) error {
		if err := s.Accounts.Open(t.Context(), tx, saleBuyer, "USD", -1, s.now()); err != nil {
			return err
		}
		_, err := s.Accounts.Pay(t.Context(), tx, accounts.Credit, saleBuyer, "USD", 100_000_000_00, "", s.now())
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func TestTheConsoleShowsWhatWasDelivered(t *testing.T) {
	t.Parallel()
	s, p, _, c := salesOf(t, identity.Viewer)
	p.sees("/console/sales/deliveries", 200, "Nothing was delivered yet", `aria-current="page"`)
	funds(t, s)
	sale := sold(t, s, saleBuyer, perAccess, 0, nil)
	delivered(t, s, "dlv-whole", sale.ID, nil)
	c.Advance(time.Second)
	delivered(t, s, "dlv-cut", sale.ID, func(d *transactions.Delivery) {
		d.By, d.State, d.Bytes, d.Announced = "", transactions.DeliveryCut, 1200, 4_711_000
	})
	delivered(t, s, "dlv-part", sale.ID, func(d *transactions.Delivery) {
		d.Status, d.Bytes, d.Announced, d.Whole = 206, 10, 10, false
	})
	delivered(t, s, "dlv-begun", sale.ID, func(d *transactions.Delivery) {
		d.State, d.Bytes, d.Ended = transactions.DeliveryBegun, 0, time.Time{}
	})
	delivered(t, s, "dlv-lost", sale.ID, func(d *transactions.Delivery) {
		d.State, d.Bound = transactions.DeliveryCut, true
	})
	delivered(t, s, "dlv-stream", sale.ID, func(d *transactions.Delivery) { d.Announced, d.Seconds = 0, 120 })
	delivered(t, s, "dlv-stray", "txn-of-nobody", func(d *transactions.Delivery) {
		d.Stray, d.URI, d.Media = true, "", ""
	})

	p.sees("/console/sales/deliveries", 200, "edge-&lt;b&gt;", "this front desk", "https://example.com/soup?&lt;i&gt;",
		"text/markdown", "4.71 KB", "1.2 KB of 4.71 MB", "broke off", "delivered, a part",
		"10 bytes", "under way", "4.71 KB announced", "its end is not known", "at most 4.71 KB", "in 2 minutes",
		"unknown address")
	p.sees("/console/sales/deliveries?state=cut", 200, "dlv-cut", "dlv-lost")
	if strings.Contains(p.page, "dlv-whole") || strings.Contains(p.page, "<b>&quot;") {
		t.Error("what is delivered is among what broke off")
	}
	p.sees("/console/sales/deliveries?by="+url.QueryEscape(`edge-<b>"&'ü`), 200, "dlv-whole")
	if strings.Contains(p.page, "dlv-cut") {
		t.Error("what this front desk delivered is among what an edge did")
	}
	p.sees("/console/sales/deliveries?by=none", 200, "Nothing fits what you chose")
	p.sees("/console/sales/deliveries?day=2020-01-01", 200, "Nothing fits what you chose")
	p.sees("/console/sales/deliveries?site=main&day="+c.Now().Format(time.DateOnly), 200, "dlv-part")
	p.sees("/console/sales/deliveries?q="+sale.ID, 200, "dlv-whole", "dlv-stream")
	if strings.Contains(p.page, "dlv-stray") {
		t.Error("under a transaction is another's delivery")
	}
	p.sees("/console/sales/deliveries?q=none", 200, "Nothing fits what you chose")
	p.sees("/console/sales/deliveries?q=dlv-cut", 200, `href="/console/sales/deliveries/dlv-cut"`)
	if n := strings.Count(p.page, `class="when"`); n != 1 {
		t.Errorf("%d deliveries of one id", n)
	}
	p.sees("/console/sales/deliveries/dlv-cut", 200, "sales/transactions/"+sale.ID, "broke off",
		"1200 of 4711000 bytes announced", strings.Repeat("00", 32), "of the whole text")
	p.sees("/console/sales/deliveries/dlv-part", 200, "of the bytes that were sent", "HTTP 206")
	p.sees("/console/sales/deliveries/dlv-stray", 200, "txn-of-nobody", "not known here")
	p.sees("/console/sales/deliveries/none", 404, "There is no delivery of this id")
	p.sees("/console/sales/transactions/"+sale.ID, 200, "sales/deliveries?q="+sale.ID)
}

// TestTheConsoleShowsLeaks holds that what was delivered under no transaction, and what was bought
// and not delivered, is shown once it is old enough, and nothing else.
func TestTheConsoleShowsLeaks(t *testing.T) {
	t.Parallel()
	s, p, _, c := salesOf(t, identity.Viewer)
	p.sees("/console/sales/leakage", 200, "Nothing was delivered without a purchase", `aria-current="page"`)
	p.sees("/console/sales/leakage?kind=undelivered", 200, "Every purchase was delivered")
	funds(t, s)
	good, lost, failed := sold(t, s, saleBuyer, perAccess, 0, nil), sold(t, s, saleBuyer, perAccess, 0, nil),
		sold(t, s, saleBuyer, perAccess, 0, nil)
	delivered(t, s, "dlv-good", good.ID, nil)
	delivered(t, s, "dlv-early", lost.ID+"x", func(d *transactions.Delivery) { d.Stray = true })
	delivered(t, s, "dlv-known-since", good.ID, func(d *transactions.Delivery) { d.Stray = true })
	if err := s.db.Update(t.Context(),
		func(tx *store.Tx) error { return transactions.MarkFailed(t.Context(), tx, failed.ID) }); err != nil {
		t.Fatal(err)
	}
	p.sees("/console/sales/leakage", 200, "Nothing was delivered without a purchase") // yet
	c.Advance(time.Hour + time.Second)
	delivered(t, s, "dlv-young", "txn-young", func(d *transactions.Delivery) { d.Stray = true })
	young := sold(t, s, saleBuyer, perAccess, 0, nil)
	p.sees("/console/sales/leakage", 200, "dlv-early")
	for _, other := range []string{"dlv-good", "dlv-known-since", "dlv-young"} {
		if strings.Contains(p.page, other) {
			t.Errorf("%s is told as a leak", other)
		}
	}
	p.sees("/console/sales/leakage?kind=undelivered", 200, lost.ID, "by this front desk")
	for _, other := range []string{good.ID, failed.ID, young.ID} {
		if strings.Contains(p.page, other) {
			t.Errorf("%s is told as not delivered", other)
		}
	}
	p.sees("/console/sales/leakage?kind=undelivered&day=2020-01-01", 200, "Nothing fits what you chose")
	p.sees("/console/sales/leakage?site=other", 200, "Nothing fits what you chose")
}

// TestPagesOfDeliveriesGoOn pages through more than a page shows, where most of what is looked
// through fits, and where little does.
func TestPagesOfDeliveriesGoOn(t *testing.T) {
	t.Parallel()
	s, p, _, c := salesOf(t, identity.Viewer)
	funds(t, s)
	all, strays, unfetched := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for n := range 130 {
		sale := sold(t, s, saleBuyer, perAccess, 0, nil)
		id := fmt.Sprintf("dlv-%03d", n)
		switch {
		case n%2 == 0:
			unfetched[sale.ID] = true
			delivered(t, s, id, "txn-x"+id, func(d *transactions.Delivery) { d.Stray = true })
			strays[id] = true
		default:
			delivered(t, s, id, sale.ID, func(d *transactions.Delivery) { d.Stray = n%3 == 0 }) // known by now
		}
		all[id] = true
		c.Advance(time.Second)
	}
	c.Advance(time.Hour)
	next := regexp.MustCompile(`href="(/console/sales/[^"]*before=[^"]*)"`)
	for page, of := range map[string]struct {
		link *regexp.Regexp
		want map[string]bool
	}{
		"deliveries":               {regexp.MustCompile(`href="/console/sales/deliveries/(dlv-[0-9]+)"`), all},
		"leakage":                  {regexp.MustCompile(`href="/console/sales/deliveries/(dlv-[0-9]+)"`), strays},
		"leakage?kind=undelivered": {regexp.MustCompile(`href="/console/sales/transactions/(txn-[0-9A-Z]+)"`), unfetched},
	} {
		got, address := map[string]bool{}, "/console/sales/"+page
		for turns := 0; address != ""; turns++ {
			p.sees(address, 200)
			for _, found := range of.link.FindAllStringSubmatch(p.page, -1) {
				if got[found[1]] {
					t.Errorf("%s shows %s twice", page, found[1])
				}
				got[found[1]] = true
			}
			address = ""
			if more := next.FindStringSubmatch(p.page); more != nil && turns < 10 {
				address = strings.ReplaceAll(more[1], "&amp;", "&")
			}
		}
		if len(got) != len(of.want) {
			t.Errorf("%s shows %d, want %d", page, len(got), len(of.want))
		}
		for id := range of.want {
			if !got[id] {
				t.Errorf("%s does not show %s", page, id)
			}
		}
	}
}
