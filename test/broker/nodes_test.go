package broker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/client"
	"frontdesk/internal/testkit/process"
	"frontdesk/internal/testkit/storetest"
)

// TestBrokersBehindNginxKeepOneBudget has three Brokers with one PostgreSQL behind the nginx of
// docs/scale.md, and agents who buy through it until the operator's budget is used up, sending
// again what has no answer. Under that one Broker is paused, one is killed and one is added; the
// paused one goes on in the middle of what it did, and the killed one comes back. The budget is
// spent to the last thing that fits and not beyond; what is spent is what agents were told, and
// what the Exchange has charged.
func TestBrokersBehindNginxKeepOneBudget(t *testing.T) {
	t.Parallel()
	storetest.NeedPostgres(t)
	if testing.Short() {
		t.Skip("short: runs the real program several times")
	}
	const things, price = 150, 0.022 // with the fee
	var listens []string
	for range 4 {
		listens = append(listens, process.FreeAddress(t))
	}
	door := process.Nodes(t, listens...)
	budget := fmt.Sprintf("  budgets: [{requester: \"*\", amount: \"%.3f\", currency: USD}]\n", (things+0.5)*price)
	m := openMarketAt(t, door.URL, listens, storetest.NewPostgres(t), 20, budget)
	start := func(i int) *process.Server { return process.Start(t, "broker", "--config", m.configs[i]) }
	m.brokers = []*process.Server{start(0), start(1), start(2)}

	s := &spenders{crowd: crowd{m: m}, turns: make(chan struct{}, things)}
	var running sync.WaitGroup
	for worker := range 8 {
		running.Go(func() { s.spends(worker) })
	}
	s.buy(15)
	m.brokers[1].Pause()
	s.buy(15)
	m.brokers[2].Kill()
	s.buy(15)
	m.brokers = append(m.brokers, start(3))
	s.buy(15)
	m.brokers[1].Resume()
	s.buy(15)
	m.brokers[2] = start(2)
	close(s.turns)
	running.Wait()
	if err := errors.Join(s.faults...); err != nil {
		t.Fatal(err)
	}
	if n := s.bought.Load(); n != things {
		t.Errorf("%d things were bought, where the budget is for %d", n, things)
	}
	s.settles()
	if s.over.Load() == 0 {
		t.Error("nobody was told that the budget is used up")
	}
	t.Logf("%d things bought by %d requests, of which %d were sent more than once; "+
		"%d times it was told that the budget is used up", s.bought.Load(), len(s.all), s.again.Load(), s.over.Load())
}

// spenders are agents who buy until the budget is used up.
type spenders struct {
	crowd
	turns chan struct{} // each lets one thing be bought; closed, it lets all be
	over  atomic.Int64  // how often they were told that it is used up
}

// buy has so many more things be bought.
func (s *spenders) buy(n int64) {
	t := s.m.t
	t.Helper()
	want, began := s.bought.Load()+n, time.Now()
	for range n {
		s.turns <- struct{}{}
	}
	for ; s.bought.Load() < want; <-time.After(5 * time.Millisecond) {
		s.mu.Lock()
		failed := errors.Join(s.faults...)
		s.mu.Unlock()
		if failed != nil || time.Since(began) > 4*time.Minute {
			t.Fatalf("after %s %d of %d are bought: %v", time.Since(began), s.bought.Load(), want, failed)
		}
	}
	t.Logf("%d bought in %s", n, time.Since(began).Round(time.Millisecond))
}

func (s *spenders) spends(worker int) {
	b := s.m.broker()
	for i := 0; ; i++ {
		<-s.turns
		o := &order{Resolving: client.Resolving{ID: fmt.Sprintf("spend-%d-%d", worker, i),
			URIs: []string{s.m.thing((worker + i) % 20)}}}
		var short *client.ExchangeError
		times := 0
		err := insists(func() (lost, err error) {
			if times++; times == 2 {
				s.again.Add(1)
			}
			lost, err = o.ask(context.Background(), b)
			if errors.As(err, &short) && short.Code == "resource_exhausted" {
				return nil, nil
			}
			return lost, err
		})
		switch {
		case err != nil:
			s.mu.Lock()
			s.faults = append(s.faults, err)
			s.mu.Unlock()
			return
		case short == nil:
			s.mu.Lock()
			s.all = append(s.all, o)
			s.mu.Unlock()
			s.bought.Add(1)
		default:
			s.over.Add(1)
			if strings.Contains(short.Message, ", and 0 USD held") {
				return
			}
			<-time.After(20 * time.Millisecond) // what is held of others' requests may come back
		}
	}
}
