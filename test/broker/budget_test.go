package broker

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"frontdesk/client"
)

// TestBudgetsHoldAmongRequestsAndBrokers asks for 64 things at once, of Brokers that share a
// database, on a budget that ten of them use up: ten are bought, and the others are told how the
// budget stands. The Exchange has charged ten, and the same requests again are answered alike and
// buy nothing.
func TestBudgetsHoldAmongRequestsAndBrokers(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, store string, brokers int) {
		// 0.02 each, and a fee of a tenth
		m := openMarket(t, store, brokers, 64, "  budgets: [{requester: \"*\", amount: \"0.22\", currency: USD}]\n")
		told := make([]*client.Resolved, 64)
		for again := range 2 {
			var bought, refused atomic.Int64
			var wait sync.WaitGroup
			for i := range told {
				wait.Go(func() {
					o := &order{Resolving: client.Resolving{ID: fmt.Sprint("order-", i), URIs: []string{m.thing(i)}},
						answer: told[i]}
					b := m.broker()
					err := insists(func() (lost, err error) { return o.ask(t.Context(), b) })
					var why *client.ExchangeError
					switch {
					case err == nil:
						told[i] = o.answer
						bought.Add(1)
					case errors.As(err, &why) && why.Code == "resource_exhausted" && standing.MatchString(why.Message):
						refused.Add(1)
					default:
						t.Error(err)
					}
				})
			}
			wait.Wait()
			spent, held, err := m.purse(m.broker())
			if bought.Load() != 10 || refused.Load() != 54 || err != nil || !near(spent, 0.22) || held != 0 ||
				!near(m.books(), m.credit-0.2) {
				t.Errorf("asked %d times: %d bought and %d refused; %v spent and %v held; the Exchange has charged "+
					"%v: %v", again+1, bought.Load(), refused.Load(), spent, held, m.credit-m.books(), err)
			}
		}
	})
}
