package broker

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/clock"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// stand is how the budgets of a database stand, in all: what is held, and what is spent.
func stand(t *testing.T, db *store.DB) (held, spent int64) {
	t.Helper()
	err := db.View(context.Background(), func(tx *store.Tx) error {
		return tx.QueryRow(context.Background(), `SELECT COALESCE(SUM(held), 0), COALESCE(SUM(spent), 0) FROM broker_budget`).Scan(&held, &spent)
	})
	if err != nil {
		t.Fatal(err)
	}
	return held, spent
}

// budget gives a request a budget in USD.
func budget(r *rampv1.RAMPRequest, most float64, period time.Duration) *rampv1.RAMPRequest {
	r.Constraints = &rampv1.RequestConstraints{BudgetScope: proto.String("user:u-1"),
		PeriodBudget: &rampv1.Cost{Amount: most, Currency: "USD"}}
	if period > 0 {
		r.Constraints.BudgetPeriod = durationpb.New(period)
	}
	return r
}

// TestBudgetsHoldUnderManyRequestsAtOnce: 64 requests at once, through two Brokers with one
// database, spend what there is and no more.
func TestBudgetsHoldUnderManyRequestsAtOnce(t *testing.T) {
	t.Parallel()
	suite(t, func(t *testing.T, db *store.DB) {
		d := openDesk(t, db, 2, nil)
		other := New(d.Config)
		var bought, refused atomic.Int64
		var wait sync.WaitGroup
		for i := range 64 {
			b := d.Broker
			if i%2 == 1 {
				b = other
			}
			wait.Go(func() {
				r := budget(d.request(fmt.Sprint("r", i), fmt.Sprint("p", i)), 0.2, time.Hour) // 0.02 each: ten of them
				_, err := b.Resolve(context.Background(), Request{RAMPRequest: r, Account: "buyer.example/bot"})
				var told *Refusal
				switch {
				case err == nil:
					bought.Add(1)
				case errors.As(err, &told) && told.Code() == "resource_exhausted":
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		wait.Wait()
		held, spent := stand(t, db)
		if n := len(d.at[0].Bought()) + len(d.at[1].Bought()); n != 10 || bought.Load() != 10 || refused.Load() != 54 ||
			held != 0 || spent != 0.2*unit {
			t.Errorf("sold %d, bought %d, refused %d, held %d, spent %d", n, bought.Load(), refused.Load(), held, spent)
		}
	})
}

func TestBudgetsBeginAnewAndTellHowTheyStand(t *testing.T) {
	t.Parallel()
	suite(t, func(t *testing.T, db *store.DB) {
		now := clock.At(time.Now())
		d := openDesk(t, db, 1, func(c *Config) { c.Now = now.Now })
		d.at[0].Offer = func(_ string, o *rampv1.Offer) *rampv1.Offer {
			o.ExpiresAt = timestamppb.New(now.Now().Add(24 * time.Hour))
			return o
		}
		d.must(budget(d.request("r1", "a"), 0.03, time.Hour))
		told := d.refused(budget(d.request("r2", "b"), 0.03, time.Hour), "resource_exhausted")
		if details := told.Details(); details["remaining"] != 0.01 || details["spent"] != 0.02 ||
			details["currency"] != "USD" || details["budget"] != "user:u-1" {
			t.Errorf("told %v", details)
		}
		if _, err := d.Resolve(context.Background(), Request{RAMPRequest: budget(d.request("r2", "b"), 0.03, time.Hour),
			Account: "other.example/bot"}); err != nil {
			t.Error("another's budget of the same name:", err)
		}
		now.Advance(59 * time.Minute)
		d.refused(budget(d.request("r3", "b"), 0.03, time.Hour), "resource_exhausted")
		now.Advance(2 * time.Minute)
		d.must(budget(d.request("r4", "b"), 0.03, time.Hour))
	})
}

// TestABudgetThatIsGivenAPeriodBeginsAnew: what was spent while it was for all time does not count
// for all time under a period that it is given later, which began with the first that was spent.
func TestABudgetThatIsGivenAPeriodBeginsAnew(t *testing.T) {
	t.Parallel()
	suite(t, func(t *testing.T, db *store.DB) {
		now := clock.At(time.Now())
		d := openDesk(t, db, 1, func(c *Config) {
			c.Now, c.Budgets = now.Now, []Budget{{Account: "*", Amount: 0.03 * unit, Currency: "USD"}}
		})
		d.at[0].Offer = func(_ string, o *rampv1.Offer) *rampv1.Offer {
			o.ExpiresAt = timestamppb.New(now.Now().Add(24 * time.Hour))
			return o
		}
		d.must(d.request("r1", "a"))
		now.Advance(50 * time.Minute)
		d.refused(d.request("r2", "b"), "resource_exhausted")
		d.Budgets[0].Period = time.Hour
		if at := d.refused(d.request("r2", "b"), "resource_exhausted").Details()["resets_at"]; at !=
			now.Now().Add(10*time.Minute).UTC().Format(time.RFC3339) {
			t.Errorf("resets at %v, and it is %v", at, now.Now())
		}
		now.Advance(11 * time.Minute)
		d.must(d.request("r3", "b"))
		d.refused(d.request("r4", "c"), "resource_exhausted")
	})
}

// TestTheLastAddressesAreLeftOutOfWhatDoesNotFit holds for what one request may cost, for budgets,
// and with the fee.
func TestTheLastAddressesAreLeftOutOfWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fee  Fee
		want int
		set  func(*rampv1.RAMPRequest)
	}{
		"max_price": {Fee{}, 2, func(r *rampv1.RAMPRequest) {
			r.Constraints = &rampv1.RequestConstraints{MaxPrice: &rampv1.Cost{Amount: 0.05, Currency: "USD"}}
		}},
		"budget":            {Fee{}, 2, func(r *rampv1.RAMPRequest) { budget(r, 0.05, 0) }},
		"budget with a fee": {Fee{Share: unit / 2}, 1, func(r *rampv1.RAMPRequest) { budget(r, 0.05, 0) }},
		"budget with a fee for each": {Fee{Each: 0.005 * unit, Currency: "USD"}, 2, func(r *rampv1.RAMPRequest) {
			budget(r, 0.05, 0)
		}},
		"none": {Fee{}, 4, func(*rampv1.RAMPRequest) {}},
	} {
		t.Run(name, func(t *testing.T) {
			db := sqlite(t)
			d := openDesk(t, db, 2, func(c2 *Config) { c2.Fee = c.fee })
			r := d.request("r", "a", "b", "c", "d")
			c.set(r)
			got := items(t, d.must(r))
			for i, path := range []string{"a", "b", "c", "d"} {
				if _, is := got[d.at[0].URI(path)]; is != (i < c.want) {
					t.Errorf("%s bought: %v", path, is)
				}
			}
			for _, one := range got {
				if price, fee := one.GetCost().GetAmount(), one.GetBrokerFee().GetAmount(); price != 0.02 ||
					fee != amount(c.fee.of(0.02*unit, "USD")) {
					t.Errorf("costs %v and %v", price, fee)
				}
			}
		})
	}
}

var errCut = errors.New("cut off")

// TestABreakAtAnyStepBuysOnce: at each step the Broker ends, or the Exchange's answer is lost once
// or always; then the agent asks again, with another Broker on the same database. Each time one
// purchase was made, and the budget tells of it.
func TestABreakAtAnyStepBuysOnce(t *testing.T) {
	t.Parallel()
	suite(t, func(t *testing.T, db *store.DB) {
		n := 0
		for _, step := range []string{"begun", "executed", "settled"} {
			d := openDesk(t, db, 1, func(c *Config) {
				c.Fault = func(at string) error {
					if at == step {
						return errCut
					}
					return nil
				}
			})
			r := budget(d.request("break at "+step, "a"), 100, 0)
			if _, err := d.ask(r); !errors.Is(err, errCut) {
				t.Fatalf("%s: %v", step, err)
			}
			d.Fault = nil
			d.Broker = New(d.Config)
			got := d.must(r)
			n++
			held, spent := stand(t, db)
			if sold := d.at[0].Bought(); len(sold) != 1 || got.TransactionId == "" || held != 0 ||
				spent != int64(n)*2_000_000 {
				t.Errorf("%s: sold %v, held %d, spent %d", step, sold, held, spent)
			}
		}
	})
}

// lose cuts the connection after the purchase was made, the first so many times.
func lose(times int64) func(string, http.ResponseWriter, *http.Request) bool {
	var lost atomic.Int64
	return func(name string, _ http.ResponseWriter, _ *http.Request) bool {
		if name == "ExecuteTransaction" && lost.Add(1) <= times {
			panic(http.ErrAbortHandler)
		}
		return false
	}
}

func TestALostAnswerIsAskedForAgain(t *testing.T) {
	t.Parallel()
	suite(t, func(t *testing.T, db *store.DB) {
		d := openDesk(t, db, 2, nil)
		d.at[1].Price = 0.01
		d.at[1].After = lose(2)
		got := d.must(budget(d.request("r", "a"), 1, 0))
		if held, spent := stand(t, db); got.Exchange != d.at[1].Domain || len(d.at[1].Bought()) != 1 ||
			len(d.at[0].Bought()) != 0 || held != 0 || spent != 0.01*unit {
			t.Errorf("%v, held %d, spent %d", got, held, spent)
		}
	})
}

// TestAPartitionAfterThePurchaseLosesNothing: the Exchange sells and cannot be heard. What it costs
// stays held, nobody else is bought from, and it is found out as soon as it can be heard: by the
// agent's next request, or by the Broker itself.
func TestAPartitionAfterThePurchaseLosesNothing(t *testing.T) {
	t.Parallel()
	suite(t, func(t *testing.T, db *store.DB) {
		for _, by := range []string{"agent", "broker"} {
			now := clock.At(time.Now())
			d := openDesk(t, db, 2, func(c *Config) { c.Now = now.Now })
			d.Fault = func(step string) error { // it is not tried again until it can be heard
				if step == "unsure" {
					return errCut
				}
				return nil
			}
			d.at[1].Price = 0.01
			d.at[1].Lock()
			d.at[1].After = lose(1 << 40)
			d.at[1].Unlock()
			_, before := stand(t, db)
			r := budget(d.request("r by "+by, "a", "b"), 100, 0)
			d.at[1].Offer = func(uri string, o *rampv1.Offer) *rampv1.Offer {
				if strings.HasSuffix(uri, "b") {
					return nil
				}
				return o
			}
			got := d.must(r) // b is told, and a is open
			if open := got.GetExt().GetFields()[extOpen].GetListValue().GetValues(); len(items(t, got)) != 1 ||
				len(open) != 1 || open[0].GetStringValue() != d.at[0].URI("a") {
				t.Fatalf("answered %v", got)
			}
			if held, spent := stand(t, db); held != 0.01*unit || spent-before != 0.02*unit {
				t.Errorf("held %d, spent %d", held, spent-before)
			}
			d.at[1].Lock()
			d.at[1].After = nil
			d.at[1].Unlock()
			d.Fault = nil
			if by == "broker" {
				now.Advance(time.Minute)
				if err := d.look(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
			got = d.must(r)
			if held, spent := stand(t, db); len(items(t, got)) != 2 || len(d.at[1].Bought()) != 1 ||
				len(d.at[0].Bought()) != 1 || held != 0 || spent-before != 0.03*unit {
				t.Errorf("by %s: %v, held %d, spent %d", by, got, held, spent-before)
			}
		}
	})
}

func TestWhatNobodySaysForADayCountsAsSpent(t *testing.T) {
	t.Parallel()
	suite(t, func(t *testing.T, db *store.DB) {
		now := clock.At(time.Now())
		d := openDesk(t, db, 1, func(c *Config) { c.BuyWithin, c.Now = 50*time.Millisecond, now.Now })
		d.at[0].After = lose(1 << 40)
		d.refused(budget(d.request("r", "a"), 1, 0), "unavailable")
		now.Advance(25 * time.Hour)
		if err := d.look(context.Background()); err != nil {
			t.Fatal(err)
		}
		if held, spent := stand(t, db); held != 0 || spent != 0.02*unit {
			t.Errorf("held %d, spent %d", held, spent)
		}
	})
}

// TestDuplicatesAtOnceAreOne: the same request many times at once, at two Brokers with one
// database.
func TestDuplicatesAtOnceAreOne(t *testing.T) {
	t.Parallel()
	suite(t, func(t *testing.T, db *store.DB) {
		d := openDesk(t, db, 2, nil)
		other := New(d.Config)
		answers := make([]*rampv1.RAMPResponse, 16)
		var wait sync.WaitGroup
		for i := range answers {
			b := d.Broker
			if i%2 == 1 {
				b = other
			}
			wait.Go(func() {
				var err error
				if answers[i], err = b.Resolve(context.Background(),
					Request{RAMPRequest: budget(d.request("r", "a"), 1, 0), Account: "buyer.example/bot"}); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		for _, one := range answers {
			if !proto.Equal(one, answers[0]) {
				t.Errorf("%v differs from %v", one, answers[0])
			}
		}
		if held, spent := stand(t, db); len(d.at[0].Bought())+len(d.at[1].Bought()) != 1 || held != 0 ||
			spent != 0.02*unit {
			t.Errorf("held %d, spent %d", held, spent)
		}
	})
}

// TestKeysRotateInFlight: an Exchange rotates its key after the Broker has read it, and the Broker
// its own between two requests.
func TestKeysRotateInFlight(t *testing.T) {
	t.Parallel()
	key, id := brokerKey, "k"
	d := openDesk(t, sqlite(t), 1, func(c *Config) {
		c.Key = func() (ed25519.PrivateKey, string, error) { return key, id, nil }
	})
	x := d.at[0]
	x.Before = func(name string, _ http.ResponseWriter, _ *http.Request) bool {
		if name == "DiscoverResources" { // after the manifest and the keys were read
			x.Lock()
			x.Key = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{77}, ed25519.SeedSize))
			x.Keys = append(x.Keys[:1:1], ramp.Key{ID: "k2", Public: x.Key.Public().(ed25519.PublicKey),
				From: time.Unix(1, 0), Active: true})
			x.Unlock()
		}
		return false
	}
	d.must(d.request("r1", "a"))
	key, id = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{78}, ed25519.SeedSize)), "k-new"
	d.must(d.request("r2", "a"))
	hop := x.Queries()[1]
	left := 5
	if err := ramp.VerifyHop(hop, nil, 0, []ramp.Key{{Public: key.Public().(ed25519.PublicKey)}}, &left); err != nil {
		t.Error("the hop after the rotation:", err)
	}
}

func TestReportsAndDisputesFindTheExchange(t *testing.T) {
	t.Parallel()
	suite(t, func(t *testing.T, db *store.DB) {
		d := openDesk(t, db, 2, nil)
		d.at[1].Price = 0.01
		got := d.must(d.request("r", "a"))
		me := requesters.Requester{Domain: "buyer.example", ID: "bot", Signed: requesters.SignedHTTP}
		report := &rampv1.UsageReport{Ver: "1.0", Id: "u1", TransactionId: got.TransactionId, BillingId: got.BillingId,
			Usage: &rampv1.Usage{ConsumedQuantity: 1}, Timestamp: got.ExpiresAt}
		answer, is, err := d.Report(t.Context(), report, me)
		if err != nil || !is || !answer.Accepted || len(d.at[1].Reports()) != 1 || len(d.at[0].Reports()) != 0 ||
			!proto.Equal(d.at[1].Reports()[0], report) {
			t.Errorf("%v %v %v", answer, is, err)
		}
		dispute := &rampv1.DisputeRequest{Ver: "1.0", Id: "d1", TransactionId: got.TransactionId,
			BillingId: got.BillingId, ReportId: answer.GetReportId(),
			Reason: rampv1.DisputeReason_DISPUTE_REASON_WRONG_CONTENT}
		heard, is, err := d.Dispute(t.Context(), dispute, me)
		if err != nil || !is || !heard.Accepted || len(d.at[1].Disputes()) != 1 {
			t.Errorf("%v %v %v", heard, is, err)
		}
		for _, who := range []requesters.Requester{{Domain: "buyer.example", ID: "other",
			Signed: requesters.SignedHTTP}, {Domain: "evil.example", ID: "bot", Signed: requesters.SignedHTTP}} {
			if _, is, err := d.Dispute(t.Context(), dispute, who); is || err != nil {
				t.Errorf("%s disputes it: %v, %v", who.Account(), is, err)
			}
		}
		d.at[1].Before = func(name string, w http.ResponseWriter, _ *http.Request) bool {
			if name == "ReportUsage" {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = w.Write([]byte(`{"code":"invalid_argument","message":"billing_id: it is another"}`))
			}
			return name == "ReportUsage"
		}
		var told *Refusal
		if _, _, err := d.Report(t.Context(), report, me); !errors.As(err, &told) ||
			told.Code() != "invalid_argument" || !strings.Contains(told.Error(), "billing_id") {
			t.Error(err)
		}
	})
}

// TestWhatMayHaveBeenBoughtIsNotDeniedByARefusal: the Exchange sells, and its answer is lost. Then
// it lets the Broker in no more, since a key was taken back: that does not say that nothing was
// bought. Nobody else is bought from, what it costs stays held, and once the Exchange answers it is
// told.
func TestWhatMayHaveBeenBoughtIsNotDeniedByARefusal(t *testing.T) {
	t.Parallel()
	suite(t, func(t *testing.T, db *store.DB) {
		d := openDesk(t, db, 2, func(c *Config) { c.BuyWithin = 400 * time.Millisecond })
		d.at[1].Price = 0.01
		var shut, times atomic.Int64
		d.at[1].Before = func(name string, w http.ResponseWriter, _ *http.Request) bool {
			refuses := name == "ExecuteTransaction" && times.Add(1) > 1 && shut.Load() == 0
			if refuses {
				w.WriteHeader(http.StatusUnauthorized)
				_, _ = w.Write([]byte(`{"code":"unauthenticated","message":"the key is revoked"}`))
			}
			return refuses
		}
		d.at[1].After = lose(1)
		r := budget(d.request("r", "a"), 1, 0)
		for range 2 { // the second is of what is on record
			d.refused(r, "unavailable")
		}
		if held, spent := stand(t, db); held != 0.01*unit || spent != 0 || len(d.at[0].Bought()) != 0 {
			t.Errorf("held %d, spent %d, and the other sold %v", held, spent, d.at[0].Bought())
		}
		shut.Store(1)
		d.BuyWithin = 10 * time.Second
		got := d.must(r)
		if held, spent := stand(t, db); got.Exchange != d.at[1].Domain || len(d.at[1].Bought()) != 1 || held != 0 ||
			spent != 0.01*unit {
			t.Errorf("%v, held %d, spent %d", got, held, spent)
		}
	})
}

// TestWhatExchangesForgetIsNotAskedAgain: a purchase is open until Exchanges need not remember it
// any more. Asked then, they would make it anew, or say that the offer has ended, whatever came of
// it.
func TestWhatExchangesForgetIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	now := clock.At(time.Now())
	db := sqlite(t)
	d := openDesk(t, db, 1, func(c *Config) { c.BuyWithin, c.Now = 50*time.Millisecond, now.Now })
	d.at[0].After = lose(1 << 40)
	r := budget(d.request("r", "a"), 1, 0)
	d.refused(r, "unavailable")
	asked := d.at[0].Asked("ExecuteTransaction")
	now.Advance(23*time.Hour + 50*time.Minute) // by a clock that is ten minutes slow, a day is over
	d.Broker = New(d.Config)
	got, err := d.ask(r)
	if n := d.at[0].Asked("ExecuteTransaction"); n != asked || err != nil || got.GetExt().GetFields()[extOpen] == nil {
		t.Errorf("it was asked %d times more: %v, %v", n-asked, got, err)
	}
	if held, spent := stand(t, db); held != 0 || spent != 0.02*unit {
		t.Errorf("held %d, spent %d", held, spent)
	}
}

// TestAnOutageIsOneFailureHoweverManyWait: many requests at once meet an Exchange that fails, be it
// with its answer or with its manifest. It rests a second for that, as for one.
func TestAnOutageIsOneFailureHoweverManyWait(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"DiscoverResources", "ramp-exchange.json"} {
		now := clock.At(time.Now())
		d := openDesk(t, sqlite(t), 1, func(c *Config) { c.Now = now.Now })
		var down atomic.Bool
		down.Store(true)
		d.at[0].Before = func(at string, _ http.ResponseWriter, _ *http.Request) bool {
			if at == name && down.Load() {
				panic(http.ErrAbortHandler)
			}
			return false
		}
		var wait sync.WaitGroup
		for i := range 32 {
			wait.Go(func() {
				if _, err := d.ask(d.request(fmt.Sprint("r", i), "a")); err == nil {
					t.Error("who fails has sold")
				}
			})
		}
		wait.Wait()
		down.Store(false)
		now.Advance(2 * time.Second)
		d.must(d.request("after", "a"))
	}
}

// TestADeadExchangeKeepsNoOthersPurchaseOpen: purchases at two Exchanges are open. One of them
// takes what it is asked and says nothing, until the other is asked.
func TestADeadExchangeKeepsNoOthersPurchaseOpen(t *testing.T) {
	t.Parallel()
	now := clock.At(time.Now())
	d := openDesk(t, sqlite(t), 2, func(c *Config) { c.Now = now.Now })
	asked := make(chan struct{})
	var armed atomic.Bool
	for i, path := range []string{"a", "b"} {
		x := d.at[i]
		x.Offer = func(uri string, o *rampv1.Offer) *rampv1.Offer {
			if strings.HasSuffix(uri, path) {
				return o
			}
			return nil
		}
		x.Before = func(name string, _ http.ResponseWriter, r *http.Request) bool {
			switch {
			case name != "ExecuteTransaction":
				return false
			case !armed.Load():
				panic(http.ErrAbortHandler)
			case i == 1:
				close(asked)
				return false
			}
			body, err := io.ReadAll(r.Body) // or nobody notices that the Broker has gone
			if err != nil {
				t.Error(err)
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			select {
			case <-asked:
			case <-r.Context().Done():
				t.Error("the other one was not asked meanwhile")
			}
			return false
		}
	}
	d.BuyWithin = 50 * time.Millisecond
	for _, path := range []string{"a", "b"} {
		d.refused(budget(d.request(path, path), 1, 0), "unavailable")
		now.Advance(time.Second)
	}
	now.Advance(time.Minute)
	armed.Store(true)
	d.BuyWithin = 10 * time.Second
	if err := d.look(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"a", "b"} {
		d.must(budget(d.request(path, path), 1, 0))
	}
}

// TestWhoKeepsUsWaitingForDocumentsCostsTheOthersNothing: an Exchange that is cheaper signs with a
// key that it never shows, for five addresses; and nobody answers at the host of another address.
// The agent, who has not the patience for that, has the rest of the good one.
func TestWhoKeepsUsWaitingForDocumentsCostsTheOthersNothing(t *testing.T) {
	t.Parallel()
	d := openDesk(t, sqlite(t), 2, func(c *Config) { c.Deadline = 500 * time.Millisecond })
	d.must(d.request("warm", "z")) // manifests and keys are known
	before := []int{len(d.at[0].Bought()), len(d.at[1].Bought())}
	hole, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer hole.Close() // whoever connects waits
	liar, other := d.at[1], ed25519.NewKeyFromSeed(bytes.Repeat([]byte{99}, ed25519.SeedSize))
	liar.Lock()
	liar.Price, liar.Key = 0.01, other
	liar.Before = func(name string, _ http.ResponseWriter, r *http.Request) bool {
		if name == "keys" {
			<-r.Context().Done()
		}
		return name == "keys"
	}
	liar.Unlock()
	r := d.request("r", "a", "b", "c", "d", "e")
	r.Requester.Uris = append(r.Requester.Uris, "http://"+hole.Addr().String()+"/f")
	ctx, cancel := context.WithTimeout(t.Context(), documentWithin-time.Second)
	defer cancel()
	got, err := d.Resolve(ctx, Request{RAMPRequest: r, Account: "buyer.example/bot"})
	if err != nil {
		t.Fatal(err)
	}
	if all := items(t, got); len(all) != 5 || len(d.at[0].Bought()) != before[0]+5 || len(liar.Bought()) != before[1] {
		t.Errorf("bought %v", all)
	}
}

// TestAnOpenPurchaseIsMadeWithTheNewSignature: the agent's key is taken back while it is not known
// whether something was bought. It asks again under its new one.
func TestAnOpenPurchaseIsMadeWithTheNewSignature(t *testing.T) {
	t.Parallel()
	d := openDesk(t, sqlite(t), 1, func(c *Config) { c.BuyWithin = 50 * time.Millisecond })
	var shut atomic.Bool
	shut.Store(true)
	var signature atomic.Value
	d.at[0].Before = func(name string, w http.ResponseWriter, r *http.Request) bool {
		if name != "ExecuteTransaction" {
			return false
		}
		if shut.Load() {
			panic(http.ErrAbortHandler)
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		q := &rampv1.TransactionRequest{}
		if err := ramp.Unmarshal(body, q); err != nil {
			t.Error(err)
		}
		signature.Store(q.GetRequester().GetSignature())
		return false
	}
	r := budget(d.request("r", "a"), 1, 0)
	d.refused(r, "unavailable")
	shut.Store(false)
	d.BuyWithin = 10 * time.Second
	r.Requester.Signature = "bmV3"
	if d.must(r); signature.Load() != "bmV3" {
		t.Errorf("the purchase was signed %v", signature.Load())
	}
}
