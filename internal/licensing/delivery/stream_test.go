package delivery_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/delivery"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
)

// TestWhatIsLiveIsOfferedAsAStream holds what is offered, what is authorised for it, and who is not
// offered a stream.
func TestWhatIsLiveIsOfferedAsAStream(t *testing.T) {
	onAir(t, func(s *station) {
		onAir := s.FirstOffer(t, bot, "live/1")
		if onAir.Delivery != "streaming" || onAir.Mutability != "live" || onAir.Hash != "" || onAir.Quantity != 5 ||
			onAir.Unit != "minutes" {
			t.Errorf("%+v", onAir)
		}
		text := s.FirstOffer(t, bot, "s/1")
		if text.Delivery != "streaming" || text.Mutability != "static" || text.Hash == "" {
			t.Errorf("%+v", text)
		}
		got := s.BuyAt(t, "live/1")
		if b := s.Balance(t); got.Transaction.Method != "streaming" || got.Transaction.Amount != 5*dollar/10 ||
			b.Held != 5*dollar/10 {
			t.Errorf("%+v, %+v", got.Transaction, b)
		}
		rule := licensed("/live/**", policy.Price{Model: "per_minute", Rate: perMinute, Currency: "USD", Estimate: 3})
		s.rule(rule)
		if got := s.FirstOffer(t, bot, "live/1"); got.Quantity != 3 {
			t.Errorf("by the owner's estimate %d minutes", got.Quantity)
		}
		rule.Delivery = []string{"direct"}
		s.rule(rule)
		if got := s.FirstOffer(t, bot, "live/1"); got.Delivery != "direct" {
			t.Errorf("where streams are not allowed: %+v", got)
		}
	})
}

// TestATextIsToldInParts tells a long text, breaks off, goes on, and is held against the offer.
func TestATextIsToldInParts(t *testing.T) {
	onAir(t, func(s *station) {
		words := strings.Repeat("Wörter in Mengen. ", 2000)
		s.publish("x", story("s/2", words))
		got := s.BuyAt(t, "s/2")
		l := s.listen(got, "")
		if why := l.end(); why != delivery.StreamComplete {
			t.Fatal(why, l.err)
		}
		var text strings.Builder
		ids := []string{}
		for _, e := range l.events {
			if c := e.Content; c != nil {
				if c.Offset != text.Len() || len(c.Text) > delivery.StreamPart ||
					c.Last != (c.Offset+len(c.Text) == c.Size) {
					t.Errorf("a part at %d of %d bytes, last %v of %d", c.Offset, len(c.Text), c.Last, c.Size)
				}
				text.WriteString(c.Text)
				ids = append(ids, e.ID)
			}
		}
		sum := fmt.Sprintf("%x", sha256.Sum256([]byte(text.String())))
		last := l.events[len(l.events)-1].End
		if sum != s.FirstOffer(t, bot, "s/2").Hash || last.Digest != sum || last.Bytes != int64(text.Len()) ||
			l.events[len(l.events)-2].Content.Digest != sum {
			t.Errorf("what was told has the digest %s; %+v", sum, last)
		}
		if first := s.listen(got, ids[0]); first.end() != delivery.StreamComplete ||
			first.events[1].Content.Offset != delivery.StreamPart-(delivery.StreamPart-len(l.events[1].Content.Text)) {
			t.Errorf("it goes on at %+v", first.events[1].Content)
		}
		if all := s.listen(got, ids[len(ids)-1]); !errors.Is(all.err, delivery.ErrStreamed) {
			t.Errorf("behind its end: %v", all.err)
		}
		for _, unknown := range []string{"nothing", "0123456789abcdef.8192", ids[0] + "9999999999",
			strings.Replace(ids[0], ".", ".-", 1)} {
			if anew := s.listen(got, unknown); anew.end() != delivery.StreamComplete ||
				anew.events[1].Content.Offset != 0 {
				t.Errorf("after %s it goes on at %d", unknown, anew.events[1].Content.Offset)
			}
		}
		records := s.records(got.Transaction)
		whole := 0
		for _, r := range records {
			if r.Bytes == int64(text.Len()) {
				whole++
			}
			if r.State != transactions.DeliveryEnded || r.Announced != r.Bytes ||
				r.Bytes == int64(text.Len()) != (fmt.Sprintf("%x", r.Sum) == sum) || r.Entry == "" {
				t.Errorf("%+v", r)
			}
		}
		if len(records) != 6 || whole != 5 {
			t.Errorf("%d records, %d of all of it", len(records), whole)
		}
	})
}

// TestWhatIsLiveFollowsTheFeed tells the version that is there and each that comes, and ends with
// the purchase.
func TestWhatIsLiveFollowsTheFeed(t *testing.T) {
	onAir(t, func(s *station) {
		got := s.BuyAt(t, "live/1")
		l := s.listen(got, "")
		after(3 * time.Second)
		s.publish("Second words.")
		after(time.Second)
		s.publish("Second words.", story("s/9", "Something else is new."))
		after(2 * time.Second)
		if want := `s | =First words. | 2s | =Second words. | 4s | 6s`; l.told() != want {
			t.Errorf("told %q, want %q", l.told(), want)
		}
		if l.end() != delivery.StreamExpired {
			t.Error(l.why)
		}
		last := l.events[len(l.events)-1].End
		if last.Used != 5*time.Minute || last.Bytes != int64(len("First words.Second words.")) ||
			last.Digest != fmt.Sprintf("%x", sha256.Sum256([]byte("First words.Second words."))) {
			t.Errorf("%+v", last)
		}
		if used := s.metered(got.Transaction); used != 5*time.Minute {
			t.Errorf("metered %s", used)
		}
		if r := s.records(got.Transaction)[0]; r.State != transactions.DeliveryEnded || r.Seconds != 300 ||
			r.Bytes != last.Bytes {
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

// TestStreamsEnd has streams end for each reason that there is.
func TestStreamsEnd(t *testing.T) {
	for _, c := range []struct {
		want delivery.Ending
		do   func(*station, transactions.Transaction)
	}{
		{delivery.StreamForbidden, func(s *station, _ transactions.Transaction) {
			s.rule(policy.Rule{Match: policy.Match{Path: []string{"/live/**"}}, Access: policy.Blocked})
		}},
		{delivery.StreamGone, func(s *station, _ transactions.Transaction) { s.Stock(s.t, story("s/1", "Alone.")) }},
		{delivery.StreamStopping, func(s *station, _ transactions.Transaction) { close(s.stop) }},
		{delivery.StreamReported, func(s *station, t transactions.Transaction) { s.report(t, 1, "minutes") }},
		{delivery.StreamFailed, func(s *station, _ transactions.Transaction) {
			s.Fault = func(step string) error {
				if step == "stream goes on" {
					return errors.New("the disk is full")
				}
				return nil
			}
			s.publish("Nobody may hear this.")
		}},
	} {
		onAir(t, func(s *station) {
			got := s.BuyAt(t, "live/1")
			l := s.listen(got, "")
			after(7 * time.Second)
			c.do(s, got.Transaction)
			after(delivery.StreamBeat)
			select {
			case <-l.over:
			default:
				t.Fatalf("%s: it goes on", c.want)
			}
			if l.why != c.want || !strings.HasSuffix(l.told(), " | e:"+string(c.want)) ||
				strings.Contains(l.told(), "Nobody") {
				t.Errorf("%s: %q", c.want, l.told())
			}
			if used := s.metered(got.Transaction); c.want != delivery.StreamReported &&
				(used < 7*time.Second || used > 7*time.Second+delivery.StreamBeat) {
				t.Errorf("%s: metered %s", c.want, used)
			}
			if err := s.Delivery.AwaitStreams(context.Background()); err != nil {
				t.Error(err)
			}
			again := s.listen(got, "")
			again.leave()
			again.end()
			code := fail.Code("")
			if again.err != nil {
				code = fail.From(again.err).Code
			}
			if want := map[delivery.Ending]fail.Code{delivery.StreamForbidden: fail.NotFound,
				delivery.StreamGone: fail.NotFound, delivery.StreamStopping: fail.Unavailable,
				delivery.StreamReported: fail.Forbidden}[c.want]; code != want {
				t.Errorf("%s: opened again: %v", c.want, again.err)
			}
		})
	}
}

// TestNothingIsToldThatIsNotRecorded fails each step of the record.
func TestNothingIsToldThatIsNotRecorded(t *testing.T) {
	onAir(t, func(s *station) {
		got := s.BuyAt(t, "live/1")
		s.Fault = func(step string) error {
			if step == "stream begins" {
				return errors.New("the disk is full")
			}
			return nil
		}
		if l := s.listen(got, ""); l.err == nil || len(l.events) > 0 || len(s.records(got.Transaction)) > 0 {
			t.Errorf("%v: %q", l.err, l.told())
		}
		s.Fault = func(step string) error {
			if step == "stream ends" {
				return errors.New("the disk is full")
			}
			return nil
		}
		l := s.listen(got, "")
		after(time.Second)
		l.leave()
		l.end()
		if r := s.records(got.Transaction)[0]; r.State != transactions.DeliveryBegun || r.Announced == 0 {
			t.Errorf("%+v", r)
		}
		s.Fault = nil
	})
}

// TestAnAddressOfAStreamOpensNothingElse tries addresses in each other's place.
func TestAnAddressOfAStreamOpensNothingElse(t *testing.T) {
	onAir(t, func(s *station) {
		const at = "https://site.example/deliver/"
		live, text := s.BuyAt(t, "live/1"), s.BuyAt(t, "s/1")
		_, query, _ := strings.Cut(live.URL, "?")
		if _, err := s.Delivery.Fetch(t.Context(), at, live.Transaction.ID, query); fail.From(err).Code !=
			fail.Forbidden {
			t.Errorf("fetched whole: %v", err)
		}
		for name, c := range map[string][2]string{
			"another's":    {text.Transaction.ID, query},
			"with more":    {live.Transaction.ID, query + "&x=1"},
			"without":      {live.Transaction.ID, ""},
			"another form": {"%74" + live.Transaction.ID[1:], query},
		} {
			if _, err := s.Delivery.OpenStream(t.Context(), at, c[0], c[1], ""); fail.From(err).Code != fail.Forbidden {
				t.Errorf("%s: %v", name, err)
			}
		}
		if all := slices.Concat(s.records(live.Transaction), s.records(text.Transaction)); len(all) > 0 {
			t.Errorf("%+v", all)
		}
	})
}
