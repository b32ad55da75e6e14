package desk

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/account"
	"frontdesk/internal/content"
	"frontdesk/internal/deal"
	"frontdesk/internal/fail"
	"frontdesk/internal/store"
	"frontdesk/internal/terms"
)

const perMinute = "0.10" // dollars

// station is a shop with a broadcast at live/1 by the minute, and stories below /s that are told as streams. Its time is that of the
// bubble that the test is in.
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
		began, since := d.clock.Now(), time.Now()
		d.config.Now = func() time.Time { return began.Add(time.Since(since)) }
		d.OpenGoods(d.wares)
		d.dealing.Stopping = s.stop
		s.rule(terms.Rule{})
		s.publish("First words.")
		s.credit(t, bot.Account(), funds)
		test(s)
		after(time.Second) // so that what is kept in the background is, where it has to be tried again, too
		synctest.Wait()
		s.sound(t)
	})
}

// rule puts a rule before those of the station.
func (s *station) rule(first terms.Rule) {
	s.t.Helper()
	streams := licensed("/s/**", cent)
	streams.Delivery = []string{"streaming"}
	rules := []terms.Rule{streams, licensed("/live/**", terms.Price{Model: "per_minute", Rate: perMinute, Currency: "USD"})}
	if first.Access != "" {
		rules = append([]terms.Rule{first}, rules...)
	}
	s.price(s.t, rules...)
}

// publish puts a text on air, and more things beside it.
func (s *station) publish(text string, more ...content.Item) {
	s.t.Helper()
	s.fill(s.t, "site", "pages", append(more, live("live/1", text), story("s/1", "Told as a stream."))...)
	if err := s.Refresh(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
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
	events []StreamEvent
	why    Ending
	err    error
	over   chan struct{}
	leave  context.CancelFunc
	refuse error // what send gives from now on
}

// listen opens a stream.
func (s *station) listen(at PurchasedItem, after string) *listener {
	s.t.Helper()
	const below = "https://site.example/deliver/"
	ctx, cancel := context.WithCancel(context.Background())
	l := &listener{over: make(chan struct{}), leave: cancel}
	u, err := url.Parse(at.URL)
	if err != nil || !strings.HasPrefix(at.URL, below+at.Transaction.ID+StreamPath+"?") {
		s.t.Fatalf("the address of a stream is %s", at.URL)
	}
	stream, err := s.OpenStream(ctx, below, at.Transaction.ID, u.RawQuery, after)
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

func (l *listener) take(e StreamEvent) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refuse == nil {
		l.events = append(l.events, e)
	}
	return l.refuse
}

// end waits until the stream is over.
func (l *listener) end() Ending {
	<-l.over
	return l.why
}

// told is what was told, as a line: s for the start, =text of a version, +text that goes on, 5s for the time, e:reason.
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
func (s *station) records(t deal.Transaction) (all []deal.Delivery) {
	s.t.Helper()
	all, err := deal.NewReader(s.db).DeliveriesOf(context.Background(), t.ID, "", 100)
	if err != nil {
		s.t.Fatal(err)
	}
	return all
}

func (s *station) metered(t deal.Transaction) (used time.Duration) {
	s.t.Helper()
	s.update(s.t, func(ctx context.Context, tx *store.Tx) (err error) {
		used, _, err = s.book.Metered(ctx, tx, t.ID)
		return err
	})
	return used
}

// report reports the use of a purchase.
func (s *station) report(t deal.Transaction, n int64, unit string) *Filed {
	s.t.Helper()
	filed, err := s.Report(context.Background(), Used{
		Reporter: &bot, ID: "r-" + t.ID, Transaction: t.ID, Billing: t.Billing, Fields: []string{"transaction_id", "consumed_quantity"}, Consumed: n, Unit: unit,
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

// TestWhatIsLiveIsOfferedAsAStream holds what is offered, what is authorised for it, and who is not offered a stream.
func TestWhatIsLiveIsOfferedAsAStream(t *testing.T) {
	onAir(t, func(s *station) {
		onAir := s.offered(t, bot, "live/1")
		if onAir.Delivery != "streaming" || onAir.Mutability != "live" || onAir.Hash != "" || onAir.Quantity != 5 || onAir.Unit != "minutes" {
			t.Errorf("%+v", onAir)
		}
		text := s.offered(t, bot, "s/1")
		if text.Delivery != "streaming" || text.Mutability != "static" || text.Hash == "" {
			t.Errorf("%+v", text)
		}
		got := s.bought(t, "live/1")
		if b := s.balance(t); got.Transaction.Method != "streaming" || got.Transaction.Amount != 5*dollar/10 || b.Held != 5*dollar/10 {
			t.Errorf("%+v, %+v", got.Transaction, b)
		}
		rule := licensed("/live/**", terms.Price{Model: "per_minute", Rate: perMinute, Currency: "USD", Estimate: 3})
		s.rule(rule)
		if got := s.offered(t, bot, "live/1"); got.Quantity != 3 {
			t.Errorf("by the owner's estimate %d minutes", got.Quantity)
		}
		rule.Delivery = []string{"direct"}
		s.rule(rule)
		if got := s.offered(t, bot, "live/1"); got.Delivery != "direct" {
			t.Errorf("where streams are not allowed: %+v", got)
		}
	})
}

// TestATextIsToldInParts tells a long text, breaks off, goes on, and is held against the offer.
func TestATextIsToldInParts(t *testing.T) {
	onAir(t, func(s *station) {
		words := strings.Repeat("Wörter in Mengen. ", 2000)
		s.publish("x", story("s/2", words))
		got := s.bought(t, "s/2")
		l := s.listen(got, "")
		if why := l.end(); why != StreamComplete {
			t.Fatal(why, l.err)
		}
		var text strings.Builder
		ids := []string{}
		for _, e := range l.events {
			if c := e.Content; c != nil {
				if c.Offset != text.Len() || len(c.Text) > streamPart || c.Last != (c.Offset+len(c.Text) == c.Size) {
					t.Errorf("a part at %d of %d bytes, last %v of %d", c.Offset, len(c.Text), c.Last, c.Size)
				}
				text.WriteString(c.Text)
				ids = append(ids, e.ID)
			}
		}
		sum := fmt.Sprintf("%x", sha256.Sum256([]byte(text.String())))
		last := l.events[len(l.events)-1].End
		if sum != s.offered(t, bot, "s/2").Hash || last.Digest != sum || last.Bytes != int64(text.Len()) || l.events[len(l.events)-2].Content.Digest != sum {
			t.Errorf("what was told has the digest %s; %+v", sum, last)
		}
		if first := s.listen(got, ids[0]); first.end() != StreamComplete || first.events[1].Content.Offset != streamPart-(streamPart-len(l.events[1].Content.Text)) {
			t.Errorf("it goes on at %+v", first.events[1].Content)
		}
		if all := s.listen(got, ids[len(ids)-1]); !errors.Is(all.err, ErrStreamed) {
			t.Errorf("behind its end: %v", all.err)
		}
		for _, unknown := range []string{"nothing", "0123456789abcdef.8192", ids[0] + "9999999999", strings.Replace(ids[0], ".", ".-", 1)} {
			if anew := s.listen(got, unknown); anew.end() != StreamComplete || anew.events[1].Content.Offset != 0 {
				t.Errorf("after %s it goes on at %d", unknown, anew.events[1].Content.Offset)
			}
		}
		records := s.records(got.Transaction)
		whole := 0
		for _, r := range records {
			if r.Bytes == int64(text.Len()) {
				whole++
			}
			if r.State != deal.DeliveryEnded || r.Announced != r.Bytes || r.Bytes == int64(text.Len()) != (fmt.Sprintf("%x", r.Sum) == sum) || r.Entry == "" {
				t.Errorf("%+v", r)
			}
		}
		if len(records) != 6 || whole != 5 {
			t.Errorf("%d records, %d of all of it", len(records), whole)
		}
	})
}

// TestWhatIsLiveFollowsTheFeed tells the version that is there and each that comes, and ends with the purchase.
func TestWhatIsLiveFollowsTheFeed(t *testing.T) {
	onAir(t, func(s *station) {
		got := s.bought(t, "live/1")
		l := s.listen(got, "")
		after(3 * time.Second)
		s.publish("Second words.")
		after(time.Second)
		s.publish("Second words.", story("s/9", "Something else is new."))
		after(2 * time.Second)
		if want := `s | =First words. | 2s | =Second words. | 4s | 6s`; l.told() != want {
			t.Errorf("told %q, want %q", l.told(), want)
		}
		if l.end() != StreamExpired {
			t.Error(l.why)
		}
		last := l.events[len(l.events)-1].End
		if last.Used != 5*time.Minute || last.Bytes != int64(len("First words.Second words.")) || last.Digest != fmt.Sprintf("%x", sha256.Sum256([]byte("First words.Second words."))) {
			t.Errorf("%+v", last)
		}
		if used := s.metered(got.Transaction); used != 5*time.Minute {
			t.Errorf("metered %s", used)
		}
		if r := s.records(got.Transaction)[0]; r.State != deal.DeliveryEnded || r.Seconds != 300 || r.Bytes != last.Bytes {
			t.Errorf("%+v", r)
		}
		if again := s.listen(got, ""); fail.From(again.err).Code != fail.Forbidden {
			t.Errorf("after its end: %v", again.err)
		}
		if filed := s.report(got.Transaction, 300, "seconds"); filed.Settled != 5*dollar/10 || filed.Deviant {
			t.Errorf("%+v", filed)
		}
	})
}

// TestWhatWasUsedIsCharged leaves early, and reports it so and otherwise.
func TestWhatWasUsedIsCharged(t *testing.T) {
	for _, c := range []struct {
		n       int64
		unit    string
		deviant bool
	}{{125, "seconds", false}, {3, "minutes", false}, {2, "", false}, {1, "hours", false}, {5, "minutes", true}, {100, "seconds", true}, {0, "", true}} {
		onAir(t, func(s *station) {
			got := s.bought(t, "live/1")
			l := s.listen(got, "")
			after(125 * time.Second)
			l.leave()
			if l.end() != streamLeft || s.metered(got.Transaction) != 125*time.Second {
				t.Errorf("%s after %s", l.why, s.metered(got.Transaction))
			}
			if r := s.records(got.Transaction)[0]; r.State != deal.DeliveryEnded || r.Seconds != 125 {
				t.Errorf("%+v", r)
			}
			if filed := s.report(got.Transaction, c.n, c.unit); filed.Settled != 3*dollar/10 || filed.Deviant != c.deviant || filed.Problem != "" {
				t.Errorf("%d %s: %+v", c.n, c.unit, filed)
			}
			if b := s.balance(t); b.Held != 0 || b.Earned != 3*dollar/10 {
				t.Errorf("%+v", b)
			}
		})
	}
}

// TestSeveralStreamsOfOnePurchaseCountOnce opens three at a time, and too many.
func TestSeveralStreamsOfOnePurchaseCountOnce(t *testing.T) {
	onAir(t, func(s *station) {
		got := s.bought(t, "live/1")
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
		for range mostStreams {
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
		if n := len(s.records(got.Transaction)); n != 3+mostStreams {
			t.Errorf("%d records", n)
		}
	})
}

// TestStreamsEnd has streams end for each reason that there is.
func TestStreamsEnd(t *testing.T) {
	for _, c := range []struct {
		want Ending
		do   func(*station, deal.Transaction)
	}{
		{StreamForbids, func(s *station, _ deal.Transaction) {
			s.rule(terms.Rule{Match: terms.Match{Path: []string{"/live/**"}}, Access: terms.Blocked})
		}},
		{StreamGone, func(s *station, _ deal.Transaction) { s.stock(s.t, story("s/1", "Alone.")); s.goods.tell() }},
		{StreamStopping, func(s *station, _ deal.Transaction) { close(s.stop) }},
		{StreamReported, func(s *station, t deal.Transaction) { s.report(t, 1, "minutes") }},
		{StreamFailed, func(s *station, _ deal.Transaction) {
			s.fault = func(step string) error {
				if step == "stream goes on" {
					return errors.New("the disk is full")
				}
				return nil
			}
			s.publish("Nobody may hear this.")
		}},
	} {
		onAir(t, func(s *station) {
			got := s.bought(t, "live/1")
			l := s.listen(got, "")
			after(7 * time.Second)
			c.do(s, got.Transaction)
			after(streamBeat)
			select {
			case <-l.over:
			default:
				t.Fatalf("%s: it goes on", c.want)
			}
			if l.why != c.want || !strings.HasSuffix(l.told(), " | e:"+string(c.want)) || strings.Contains(l.told(), "Nobody") {
				t.Errorf("%s: %q", c.want, l.told())
			}
			if used := s.metered(got.Transaction); c.want != StreamReported && (used < 7*time.Second || used > 7*time.Second+streamBeat) {
				t.Errorf("%s: metered %s", c.want, used)
			}
			if err := s.AwaitStreams(context.Background()); err != nil {
				t.Error(err)
			}
			again := s.listen(got, "")
			again.leave()
			again.end()
			code := fail.Code("")
			if again.err != nil {
				code = fail.From(again.err).Code
			}
			if want := map[Ending]fail.Code{StreamForbids: fail.NotFound, StreamGone: fail.NotFound, StreamStopping: fail.Unavailable, StreamReported: fail.Forbidden}[c.want]; code != want {
				t.Errorf("%s: opened again: %v", c.want, again.err)
			}
		})
	}
}

// TestAClientThatIsGoneIsNotCharged has a client vanish, whose writes fail after a while.
func TestAClientThatIsGoneIsNotCharged(t *testing.T) {
	onAir(t, func(s *station) {
		got := s.bought(t, "live/1")
		l := s.listen(got, "")
		after(12 * time.Second)
		l.mu.Lock()
		l.refuse = errors.New("broken pipe")
		l.mu.Unlock()
		if l.end() != streamLeft {
			t.Error(l.why)
		}
		if used := s.metered(got.Transaction); used != 12*time.Second { // as far as it took what was sent
			t.Errorf("metered %s", used)
		}
		if r := s.records(got.Transaction)[0]; r.State != deal.DeliveryCut || r.Seconds != 12 {
			t.Errorf("%+v", r)
		}
	})
}

// TestWhatIsKeptOutlivesTheProcess looks, from another desk on the same database, at a purchase whose stream nobody ends.
func TestWhatIsKeptOutlivesTheProcess(t *testing.T) {
	onAir(t, func(s *station) {
		got := s.bought(t, "live/1")
		l := s.listen(got, "")
		after(63 * time.Second)
		used := s.metered(got.Transaction)
		if used > 63*time.Second || used < 63*time.Second-streamBeat-streamKeep {
			t.Errorf("of 63 seconds %s are kept", used)
		}
		r := s.records(got.Transaction)[0]
		if r.State != deal.DeliveryBegun || r.Announced != int64(len("First words.")) || time.Duration(r.Seconds)*time.Second > used {
			t.Errorf("%+v", r)
		}
		// As if the process ended here: what is kept settles, once the report is overdue.
		var closed []account.Hold
		s.update(t, func(ctx context.Context, tx *store.Tx) (err error) {
			closed, err = s.book.Expire(ctx, tx, got.Transaction.Due, 10)
			return err
		})
		if len(closed) != 1 || closed[0].Charged != int64((used+time.Minute-1)/time.Minute)*dollar/10 {
			t.Errorf("%+v", closed)
		}
		l.leave()
		l.end()
	})
}

// TestNothingIsToldThatIsNotRecorded fails each step of the record.
func TestNothingIsToldThatIsNotRecorded(t *testing.T) {
	onAir(t, func(s *station) {
		got := s.bought(t, "live/1")
		s.fault = func(step string) error {
			if step == "stream begins" {
				return errors.New("the disk is full")
			}
			return nil
		}
		if l := s.listen(got, ""); l.err == nil || len(l.events) > 0 || len(s.records(got.Transaction)) > 0 {
			t.Errorf("%v: %q", l.err, l.told())
		}
		s.fault = func(step string) error {
			if step == "stream ends" {
				return errors.New("the disk is full")
			}
			return nil
		}
		l := s.listen(got, "")
		after(time.Second)
		l.leave()
		l.end()
		if r := s.records(got.Transaction)[0]; r.State != deal.DeliveryBegun || r.Announced == 0 {
			t.Errorf("%+v", r)
		}
		s.fault = nil
	})
}

// TestAnAddressOfAStreamOpensNothingElse tries addresses in each other's place.
func TestAnAddressOfAStreamOpensNothingElse(t *testing.T) {
	onAir(t, func(s *station) {
		const at = "https://site.example/deliver/"
		live, text := s.bought(t, "live/1"), s.bought(t, "s/1")
		_, query, _ := strings.Cut(live.URL, "?")
		if _, err := s.Fetch(t.Context(), at, live.Transaction.ID, query); fail.From(err).Code != fail.Forbidden {
			t.Errorf("fetched whole: %v", err)
		}
		for name, c := range map[string][2]string{
			"another's":    {text.Transaction.ID, query},
			"with more":    {live.Transaction.ID, query + "&x=1"},
			"without":      {live.Transaction.ID, ""},
			"another form": {"%74" + live.Transaction.ID[1:], query},
		} {
			if _, err := s.OpenStream(t.Context(), at, c[0], c[1], ""); fail.From(err).Code != fail.Forbidden {
				t.Errorf("%s: %v", name, err)
			}
		}
		if all := slices.Concat(s.records(live.Transaction), s.records(text.Transaction)); len(all) > 0 {
			t.Errorf("%+v", all)
		}
	})
}
