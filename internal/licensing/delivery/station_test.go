package delivery_test

import (
	"context"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/delivery"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
)

const perMinute = "0.10" // dollars

// station is a shop with a broadcast at live/1 by the minute, and stories below /s that are told as
// streams. Its time is that of the bubble that the test is in.
type station struct {
	*dealer
	t    *testing.T
	stop chan struct{}
}

// onAir has a test take place in a bubble, at a station.
func onAir(t *testing.T, test func(*station)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := newDealer(t)
		s := &station{dealer: d, t: t, stop: make(chan struct{})}
		began, since := d.Clock.Now(), time.Now()
		d.Now = func() time.Time { return began.Add(time.Since(since)) }
		d.Stopping = s.stop
		d.Reopen(t, "site")
		s.rule(policy.Rule{})
		s.publish("First words.")
		s.Credit(t, bot.Account(), funds)
		test(s)
		after(time.Second) // so that what is kept in the background is, where it has to be tried again, too
		synctest.Wait()
		s.CheckInvariants(t)
	})
}

// rule puts a rule before those of the station.
func (s *station) rule(first policy.Rule) {
	s.t.Helper()
	streams := licensed("/s/**", cent)
	streams.Delivery = []string{"streaming"}
	rules := []policy.Rule{streams,
		licensed("/live/**", policy.Price{Model: "per_minute", Rate: perMinute, Currency: "USD"})}
	if first.Access != "" {
		rules = append([]policy.Rule{first}, rules...)
	}
	s.Price(s.t, rules...)
}

// publish puts a text on air, and more things beside it.
func (s *station) publish(text string, more ...content.Item) {
	s.t.Helper()
	s.Fill(s.t, "site", "pages", append(more, live("live/1", text), story("s/1", "Told as a stream."))...)
}

// live is a text that is made while it is told.
func live(path, text string) content.Item {
	one := story(path, text)
	one.Object = []byte(`{"@type":"Article","url":"` + address(path) + `","isLiveBroadcast":true}`)
	return one
}

// listener is a client of a stream.
type listener struct {
	mu     sync.Mutex
	events []delivery.StreamEvent
	why    delivery.Ending
	err    error
	over   chan struct{}
	leave  context.CancelFunc
	refuse error // what send gives from now on
}

// listen opens a stream.
func (s *station) listen(at exchange.ItemResult, after string) *listener {
	s.t.Helper()
	const below = "https://site.example/deliver/"
	ctx, cancel := context.WithCancel(context.Background())
	l := &listener{over: make(chan struct{}), leave: cancel}
	u, err := url.Parse(at.URL)
	if err != nil || !strings.HasPrefix(at.URL, below+at.Transaction.ID+exchange.StreamPath+"?") {
		s.t.Fatalf("the address of a stream is %s", at.URL)
	}
	stream, err := s.Delivery.OpenStream(ctx, below, at.Transaction.ID, u.RawQuery, after)
	if err != nil {
		l.err = err
		close(l.over)
		return l
	}
	go func() {
		defer close(l.over)
		l.why = stream.Run(ctx, l.take)
	}()
	synctest.Wait()
	return l
}

func (l *listener) take(e delivery.StreamEvent) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refuse == nil {
		l.events = append(l.events, e)
	}
	return l.refuse
}

// end waits until the stream is over.
func (l *listener) end() delivery.Ending {
	<-l.over
	return l.why
}

// told is what was told, as a line: s for the start, =text of a version, +text that goes on, 5s for
// the time, e:reason.
func (l *listener) told() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []string
	for _, e := range l.events {
		switch {
		case e.Start != nil:
			all = append(all, "s")
		case e.Content != nil && e.Content.Offset == 0:
			all = append(all, "="+e.Content.Text)
		case e.Content != nil:
			all = append(all, "+"+e.Content.Text)
		case e.Time != nil:
			all = append(all, e.Time.Used.String())
		case e.End != nil:
			all = append(all, "e:"+string(e.End.Reason))
		}
	}
	return strings.Join(all, " | ")
}

// records are the deliveries under a transaction.
func (s *station) records(t transactions.Transaction) (all []transactions.Delivery) {
	s.t.Helper()
	all, err := transactions.NewReader(s.DB).DeliveriesOf(context.Background(), t.ID, "", 100)
	if err != nil {
		s.t.Fatal(err)
	}
	return all
}

func (s *station) metered(t transactions.Transaction) (used time.Duration) {
	s.t.Helper()
	s.Write(s.t, func(ctx context.Context, tx *store.Tx) (err error) {
		used, _, err = s.Book.MeteredTime(ctx, tx, t.ID)
		return err
	})
	return used
}

// report reports the use of a purchase.
func (s *station) report(t transactions.Transaction, n int64, unit string) *exchange.UsageReceipt {
	s.t.Helper()
	filed, err := s.ReportUsage(context.Background(), exchange.UsageReport{
		Reporter: &bot, ID: "r-" + t.ID, Transaction: t.ID, Billing: t.Billing,
		Fields: []string{"transaction_id", "consumed_quantity"}, Consumed: n, Unit: unit,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return filed
}

// after lets time pass.
func after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}
