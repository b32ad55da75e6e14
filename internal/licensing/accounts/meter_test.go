package accounts_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/testkit/storetest"
)

// meter counts use from one second after noon to another, and gives how many were used in all.
func (b *bench) meter(id string, from, to float64) (used float64) {
	b.t.Helper()
	at := func(s float64) time.Time { return noon.Add(time.Duration(s * float64(time.Second))) }
	b.do(func(ctx context.Context, tx *store.Tx) error {
		all, err := b.Meter(ctx, tx, id, at(from), at(to))
		used = all.Seconds()
		return err
	})
	return used
}

// timed is a purchase of five minutes at 0.10 each that is measured.
func (b *bench) timed(id, model string) accounts.Hold {
	b.t.Helper()
	c := charge(id, price(model, 0.10))
	c.Quantity, c.Timed = 5, true
	h, err := b.authorize(c)
	if err != nil {
		b.t.Fatal(err)
	}
	return h
}

// TestAMeterCountsEachMomentOnce has two streams at a time, ones that are told late, one of which
// began before all others, and one of nothing.
func TestAMeterCountsEachMomentOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.Chosen(t, accounts.Schema), accounts.Options{})
	b.pay(buyer, 10)
	b.timed("live", "per_minute")
	for _, step := range []struct{ from, to, used float64 }{
		{0, 5, 5}, {0, 5, 5}, {2, 7, 7}, {5, 6, 7}, {10, 12.5, 9.5}, {8, 9, 10.5}, {13, 12, 10.5}, {12.5, 12.5, 10.5},
		{6, 9.5, 12}, {20, 21, 13}, {30, 31, 14},
		{-1, 40, 41}, {-2, 41, 43}, {-9, 0, 50},
	} {
		if used := b.meter("live", step.from, step.to); used != step.used {
			t.Errorf("from %v to %v: %v were used, want %v", step.from, step.to, used, step.used)
		}
	}
	if used := b.meter("nothing", 0, 5); used != 0 {
		t.Errorf("%v were used of nothing", used)
	}
}

// TestWhatIsMeasuredIsCharged settles purchases of five minutes at 0.10 each, of which some seconds
// were used.
func TestWhatIsMeasuredIsCharged(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.Chosen(t, accounts.Schema), accounts.Options{})
	b.pay(buyer, 100)
	in := func(n int64, of time.Duration) accounts.Report {
		return accounts.Report{Quantity: max(1, n*int64(of/time.Second)/60), Reported: n, TimeUnit: of, Now: noon}
	}
	for _, c := range []struct {
		name    string
		used    float64
		report  accounts.Report
		minutes int64
		outside bool
	}{
		{"as it was", 125, accounts.Report{Quantity: 3, Now: noon}, 3, false},
		{"rounded down", 125, accounts.Report{Quantity: 2, Now: noon}, 3, false},
		{"less than was used", 125, accounts.Report{Quantity: 1, Now: noon}, 3, true},
		{"more than was used", 125, accounts.Report{Quantity: 4, Now: noon}, 3, true},
		{"nothing of what was used", 125, accounts.Report{Now: noon}, 3, true},
		{"in seconds", 125, in(125, time.Second), 3, false},
		{"in seconds by another clock", 125, in(123, time.Second), 3, false},
		{"in seconds that are others", 125, in(122, time.Second), 3, true},
		{"in hours", 125, in(1, time.Hour), 3, false},
		{"in too many hours", 125, in(2, time.Hour), 3, true},
		{"never opened", 0, accounts.Report{Now: noon}, 0, false},
		{"a moment", 0.001, accounts.Report{Quantity: 1, Now: noon}, 1, false},
		{"whole minutes", 120, accounts.Report{Quantity: 2, Now: noon}, 2, false},
		{"never above what was authorised", 3000, accounts.Report{Quantity: 50, Now: noon}, 5, false},
	} {
		b.timed(c.name, "per_minute")
		b.meter(c.name, 0, c.used)
		s, err := b.settle(c.name, c.report)
		if err != nil || s.Charged != c.minutes*coin/10 || s.Deviant != c.outside || s.GivenBack != coin/2-s.Charged ||
			s.State != accounts.Settled {
			t.Errorf("%s: %+v, %v", c.name, s, err)
		}
	}
	b.sound()
}

// TestWhatIsMeasuredSettlesWithoutAReport lets purchases expire, before and after their reports
// come, and takes one back.
func TestWhatIsMeasuredSettlesWithoutAReport(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.Chosen(t, accounts.Schema), accounts.Options{})
	b.pay(buyer, 10)
	for _, id := range []string{"swept", "unswept", "unused", "back"} {
		b.timed(id, "per_minute")
	}
	for _, id := range []string{"swept", "unswept", "back"} {
		b.meter(id, 0, 61)
	}
	if _, err := b.release("back", noon); err != nil {
		t.Fatal(err)
	}
	late := noon.Add(24 * time.Hour)
	s, err := b.settle("unswept", accounts.Report{Quantity: 5, Now: late})
	if err != nil || s.Charged != coin/5 || !s.Late || !s.Deviant {
		t.Errorf("a report that is late: %+v, %v", s, err)
	}
	charged := map[string]int64{}
	for _, h := range b.expire(late) {
		charged[h.ID] = h.Charged
	}
	if len(charged) != 2 || charged["swept"] != coin/5 || charged["unused"] != 0 {
		t.Errorf("charged %v", charged)
	}
	if got := b.balance(buyer); got.Held != 0 || got.Available != 10*coin-2*coin/5 {
		t.Errorf("%+v", got)
	}
	b.sound()
}

// TestAMeterOfAnotherModelMovesNoMoney measures what is paid by the access, and what a subscription
// pays.
func TestAMeterOfAnotherModelMovesNoMoney(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.Chosen(t, accounts.Schema), accounts.Options{})
	b.pay(buyer, 10)
	if h := b.timed("access", "per_access"); h.Charged != coin/10 {
		t.Errorf("%+v", h)
	}
	b.meter("access", 0, 90)
	s, err := b.settle("access", accounts.Report{Quantity: 5, Now: noon})
	if err != nil || s.Charged != coin/10 || s.Deviant || s.Measured != 0 {
		t.Errorf("counted in something else: %+v, %v", s, err)
	}
	b.timed("told", "per_access")
	b.meter("told", 0, 90)
	s, err = b.settle("told", accounts.Report{Quantity: 300, Reported: 300, TimeUnit: time.Second, Now: noon})
	if err != nil || s.Charged != coin/10 || !s.Deviant || s.Measured != 90*time.Second {
		t.Errorf("told in seconds that are others: %+v, %v", s, err)
	}
	b.sound()
}

// TestAMeterCountsWhateverTheOrder tells a meter of made-up times, and holds what it counts against
// their union.
func TestAMeterCountsWhateverTheOrder(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.Chosen(t, accounts.Schema), accounts.Options{})
	b.pay(buyer, 1_000)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		id := fmt.Sprintf("live-%d", n)
		b.timed(id, "per_minute")
		told := map[int]bool{}
		for range rapid.IntRange(1, 12).Draw(rt, "times") {
			from := rapid.IntRange(0, 40).Draw(rt, "from")
			to := from + rapid.IntRange(0, 15).Draw(rt, "for")
			for s := from; s < to; s++ {
				told[s] = true
			}
			if used := b.meter(id, float64(from), float64(to)); used != float64(len(told)) {
				rt.Fatalf("from %d to %d: %v were used, want %d", from, to, used, len(told))
			}
		}
	})
}
