package delivery_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/delivery"
	"frontdesk/internal/licensing/transactions"
)

// TestWhatWasUsedIsCharged leaves early, and reports it so and otherwise.
func TestWhatWasUsedIsCharged(t *testing.T) {
	for _, c := range []struct {
		n       int64
		unit    string
		deviant bool
	}{{125, "seconds", false}, {3, "minutes", false}, {2, "", false}, {1, "hours", false}, {5, "minutes", true},
		{100, "seconds", true}, {0, "", true}} {
		onAir(t, func(s *station) {
			got := s.BuyAt(t, "live/1")
			l := s.listen(got, "")
			after(125 * time.Second)
			l.leave()
			if l.end() != delivery.StreamLeft || s.metered(got.Transaction) != 125*time.Second {
				t.Errorf("%s after %s", l.why, s.metered(got.Transaction))
			}
			if r := s.records(got.Transaction)[0]; r.State != transactions.DeliveryEnded || r.Seconds != 125 {
				t.Errorf("%+v", r)
			}
			if filed := s.report(got.Transaction, c.n, c.unit); filed.Settled != 3*dollar/10 ||
				filed.Deviant != c.deviant || filed.Problem != "" {
				t.Errorf("%d %s: %+v", c.n, c.unit, filed)
			}
			if b := s.Balance(t); b.Held != 0 || b.Earned != 3*dollar/10 {
				t.Errorf("%+v", b)
			}
		})
	}
}

// TestSeveralStreamsOfOnePurchaseCountOnce opens three at a time, and too many.
func TestSeveralStreamsOfOnePurchaseCountOnce(t *testing.T) {
	onAir(t, func(s *station) {
		got := s.BuyAt(t, "live/1")
		a := s.listen(got, "")
		after(10 * time.Second)
		b := s.listen(got, "")
		after(7 * time.Second)
		c := s.listen(got, "")
		a.leave()
		after(3 * time.Second)
		b.leave()
		after(13 * time.Second)
		c.leave()
		for _, l := range []*listener{a, b, c} {
			l.end()
		}
		if used := s.metered(got.Transaction); used != 33*time.Second {
			t.Errorf("metered %s", used)
		}
		after(27 * time.Second)
		var all []*listener
		for range delivery.MostStreams {
			all = append(all, s.listen(got, ""))
		}
		if many := s.listen(got, ""); fail.From(many.err).Code != fail.Limited {
			t.Errorf("one too many: %v", many.err)
		}
		after(7 * time.Second)
		for _, l := range all {
			l.leave()
			l.end()
		}
		if used := s.metered(got.Transaction); used != 40*time.Second {
			t.Errorf("metered %s", used)
		}
		if n := len(s.records(got.Transaction)); n != 3+delivery.MostStreams {
			t.Errorf("%d records", n)
		}
	})
}

// TestAClientThatIsGoneIsNotCharged has a client vanish, whose writes fail after a while.
func TestAClientThatIsGoneIsNotCharged(t *testing.T) {
	onAir(t, func(s *station) {
		got := s.BuyAt(t, "live/1")
		l := s.listen(got, "")
		after(12 * time.Second)
		l.mu.Lock()
		l.refuse = errors.New("broken pipe")
		l.mu.Unlock()
		if l.end() != delivery.StreamLeft {
			t.Error(l.why)
		}
		if used := s.metered(got.Transaction); used != 12*time.Second { // as far as it took what was sent
			t.Errorf("metered %s", used)
		}
		if r := s.records(got.Transaction)[0]; r.State != transactions.DeliveryCut || r.Seconds != 12 {
			t.Errorf("%+v", r)
		}
	})
}

// TestWhatIsKeptOutlivesTheProcess looks, from another desk on the same database, at a purchase
// whose stream nobody ends.
func TestWhatIsKeptOutlivesTheProcess(t *testing.T) {
	onAir(t, func(s *station) {
		got := s.BuyAt(t, "live/1")
		l := s.listen(got, "")
		after(63 * time.Second)
		used := s.metered(got.Transaction)
		if used > 63*time.Second || used < 63*time.Second-delivery.StreamBeat-delivery.StreamKeep {
			t.Errorf("of 63 seconds %s are kept", used)
		}
		r := s.records(got.Transaction)[0]
		if r.State != transactions.DeliveryBegun || r.Announced != int64(len("First words.")) ||
			time.Duration(r.Seconds)*time.Second > used {
			t.Errorf("%+v", r)
		}
		// As if the process ended here: what is kept settles, once the report is overdue.
		var closed []accounts.Hold
		s.Write(t, func(ctx context.Context, tx *store.Tx) (err error) {
			closed, err = s.Book.Expire(ctx, tx, got.Transaction.Due, got.Transaction.ID)
			return err
		})
		if len(closed) != 1 || closed[0].Charged != int64((used+time.Minute-1)/time.Minute)*dollar/10 {
			t.Errorf("%+v", closed)
		}
		l.leave()
		l.end()
	})
}

// TestShortStreamsHideNoTime opens a moment's stream again and again beside one that goes on.
func TestShortStreamsHideNoTime(t *testing.T) {
	onAir(t, func(s *station) {
		got := s.BuyAt(t, "live/1")
		long := s.listen(got, "")
		for range 100 {
			after(600 * time.Millisecond)
			short := s.listen(got, "")
			short.leave()
			short.end()
		}
		long.leave()
		long.end()
		if used := s.metered(got.Transaction); used != time.Minute {
			t.Errorf("of a minute %s is metered", used)
		}
	})
}

// TestAStreamEndsThatWasReportedElsewhere reports a purchase whose stream is open where the report
// does not come in.
func TestAStreamEndsThatWasReportedElsewhere(t *testing.T) {
	onAir(t, func(s *station) {
		got, text := s.BuyAt(t, "live/1"), s.BuyAt(t, "s/1")
		l := s.listen(got, "")
		after(10 * time.Second)
		s.Reopen(s.t, "site") // which knows nothing of the stream, as another node
		s.report(got.Transaction, 10, "seconds")
		s.report(text.Transaction, 1, "")
		after(delivery.StreamKeep + time.Millisecond)
		l.leave()
		if l.end() != delivery.StreamReported {
			t.Errorf("it went on, until it was %s", l.why)
		}
	})
}
