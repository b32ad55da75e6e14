package broker

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"frontdesk/client"
	"frontdesk/internal/testkit/process"
)

// TestKeysRotateBetweenOfferAndPurchase has keys be rotated after offers were made, when the
// Broker's purchase is on its way: that by which the Exchange signs offers, which is rotated once
// more before the report, and that of the Broker. What was offered is sold once, is fetched and can
// be reported.
func TestKeysRotateBetweenOfferAndPurchase(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "sqlite:"+t.TempDir()+"/broker.db", 1, 4,
		"  budgets: [{requester: \"*\", amount: \"1000\", currency: USD}]\n")
	b, paid := m.broker(), 0.0
	exchanges := func() { process.MustRun(t, "keys", "rotate", "site", "--config", m.exchange.config) }
	brokers := func() {
		process.MustRun(t, "keys", "agent", "--id", domainOf(m.through.URL), "--rotate", "--overlap", "1h", "--config",
			m.configs[0])
	}
	for i, one := range []struct {
		name   string
		rotate func()
		twice  bool
	}{{"the Exchange's", exchanges, true}, {"the Broker's", brokers, false}} {
		var times atomic.Int64
		before := func() {
			if times.Add(1) == 1 {
				one.rotate()
			}
		}
		m.at.before.Store(&before)
		o := &order{Resolving: client.Resolving{ID: fmt.Sprint("rotate-", i), URIs: []string{m.thing(i)}}}
		if err := insists(func() (lost, err error) { return o.ask(t.Context(), b) }); err != nil {
			t.Fatalf("%s key: %v", one.name, err)
		}
		if times.Load() == 0 {
			t.Fatal("nothing was bought")
		}
		m.at.before.Store(nil)
		paid += 0.02
		if lost, err := fetches(b, &o.answer.Items[0]); lost != nil || err != nil {
			t.Errorf("%s key: %v %v", one.name, lost, err)
		}
		if one.twice {
			one.rotate()
		}
		err := insists(func() (lost, err error) { // an unknown key is looked for every 30 seconds at the most
			_, lost = b.Report(t.Context(), &o.answer.Items[0], client.Use{ID: fmt.Sprint("use-", i), Quantity: 1})
			return lost, nil
		})
		if err != nil {
			t.Errorf("a report after %s key was rotated: %v", one.name, err)
		}
		if spent, held, err := m.purse(b); err != nil || held != 0 || !near(spent, paid*1.1) ||
			!near(m.books(), m.credit-paid) {
			t.Errorf("%s key: %v are spent, %v held, and charged %v: %v", one.name, spent, held,
				m.credit-m.books(), err)
		}
	}
}

func domainOf(url string) string { return strings.TrimPrefix(url, "http://") }
