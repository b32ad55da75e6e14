package enforcement

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/receipt"
)

var usual = Rules{Warn: 3, Limit: 5, Providers: 5, Tokens: 2, Failures: 1, Hashes: 0.5, Cases: 5, Of: 100}

var (
	bot  = Party{Agent, "buyer.example/bot"}
	news = Party{Provider, "news"}
)

func TestRulesAreJudgedAsWritten(t *testing.T) {
	t.Parallel()
	of := func(n int64, pairs ...any) counts {
		c := counts{transactions: n, reports: n}
		for i := 0; i < len(pairs); i += 2 {
			c[pairs[i].(string)] = int64(pairs[i+1].(int))
		}
		return c
	}
	for _, v := range []struct {
		name   string
		party  Party
		counts counts
		months int
		same   int
		want   []Level
	}{
		{"one of three", bot, of(3, disputes, 1), 0, 0, nil},
		{"four of a hundred are too few to tell", bot, of(100, disputes, 4), 0, 0, nil},
		{"five of ninety-nine", bot, of(99, disputes, 5), 0, 0, nil},
		{"three percent", bot, of(1000, disputes, 30), 0, 0, nil},
		{"more than three percent", bot, of(1000, disputes, 31), 1, 0, []Level{Warning}},
		{"five percent", bot, of(1000, disputes, 50), 1, 0, []Level{Warning}},
		{"more than five percent", bot, of(1000, disputes, 51), 1, 0, []Level{Warning, RateLimited}},
		{"the second month", bot, of(1000, disputes, 31), 2, 0, []Level{Warning}},
		{"the third month", bot, of(1000, disputes, 31), 3, 0, []Level{ImprovementPlan}},
		{"the third month beyond five percent", bot, of(1000, disputes, 51), 3, 0,
			[]Level{ImprovementPlan, RateLimited}},
		{"the fourth month", bot, of(1000, disputes, 31), 4, 0, []Level{RateLimited}},
		{"the eleventh month", bot, of(1000, disputes, 31), 11, 0, []Level{RateLimited}},
		{"the twelfth month", bot, of(1000, disputes, 31), 12, 0, []Level{Closure, RateLimited}},
		{"one reason at four sites", bot, of(10, disputes, 4), 0, 4, nil},
		{"one reason at five sites", bot, of(10, disputes, 5), 0, 5, []Level{Flagged}},
		{"two percent of reports", news, of(1000, deviant, 20), 0, 0, nil},
		{"more than two percent of reports", news, of(1000, deviant, 21), 1, 0, []Level{Investigated, Warning}},
		{"more than two percent of few reports on many purchases", news,
			counts{transactions: 10_000, reports: 1000, deviant: 21}, 1, 0, []Level{Investigated, Warning}},
		{"less than two percent of many reports on few purchases", news,
			counts{transactions: 100, reports: 10_000, deviant: 21}, 0, 0, nil},
		{"one percent of deliveries", news, of(1000, string(FailedDelivery), 10), 0, 0, nil},
		{"more than one percent of deliveries", news, of(1000, string(FailedDelivery), 11), 4, 0,
			[]Level{Investigated, RateLimited}},
		{"half a percent of hashes", news, of(1000, string(WrongHash), 5), 0, 0, nil},
		{"more than half a percent of hashes", news, of(1000, string(WrongHash), 6), 3, 0,
			[]Level{Investigated, ImprovementPlan}},
		{"disputes say nothing of a site", news, of(1000, disputes, 900), 1, 0, nil},
	} {
		var got []Level
		for _, f := range usual.judge(v.party, v.counts, v.months, v.same) {
			if got = append(got, f.step); f.cause == "" {
				t.Errorf("%s: no cause for %s", v.name, f.step)
			}
		}
		if !slices.Equal(got, v.want) {
			t.Errorf("%s: %v, want %v", v.name, got, v.want)
		}
	}
	if due := (Rules{Cases: 1, Of: 1}).judge(bot, of(1, disputes, 1), 1, 9); due != nil {
		t.Errorf("rules that are off: %v", due)
	}
}

// court is a ledger, and disputes of its transactions.
type court struct {
	*testing.T
	db     *store.DB
	ledger *ledger.Ledger
	mu     sync.Mutex
	now    time.Time
	cases  map[string]Dispute
	closed []Party
	n      int
}

func each(t *testing.T, suite func(c *court)) {
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		c := &court{T: t, db: open(t, ledger.Schema, Schema), now: time.Date(2027, 1, 31, 23, 0, 0, 0, time.UTC),
			cases: map[string]Dispute{}}
		secret, _, err := note.GenerateKey(nil, "desk.example/ledger")
		if err != nil {
			t.Fatal(err)
		}
		signer, err := note.NewSigner(secret)
		if err != nil {
			t.Fatal(err)
		}
		c.ledger = ledger.New(c.db, ledger.Options{Origin: "desk.example/ledger",
			Signers: func(string) []note.Signer { return []note.Signer{signer} }, Now: c.clock})
		if c.db.Engine() != store.SQLite { // which gives its entries their places as they come
			ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
			var running sync.WaitGroup
			running.Go(func() { c.ledger.Run(ctx) })
			t.Cleanup(func() { stop(); running.Wait() })
		}
		suite(c)
	})
}

func (c *court) clock() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *court) pass(to time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = to
}

func (c *court) keeper(rules Rules) *Enforcer {
	return New(Config{
		DB: c.db, Ledger: c.ledger, Rules: rules, Now: c.clock, Log: slog.New(slog.DiscardHandler),
		Dispute: func(_ context.Context, _ *store.Tx, transaction string) (Dispute, bool, error) {
			d, ok := c.cases[transaction]
			return d, ok, nil
		},
		Close: func(_ context.Context, p Party) error { c.closed = append(c.closed, p); return nil },
	})
}

// happens puts entries into the ledger.
func (c *court) happens(all ...receipt.Entry) {
	c.Helper()
	if err := c.db.Update(c.Context(),
		func(tx *store.Tx) error { _, err := c.ledger.AppendAll(c.Context(), tx, all); return err }); err != nil {
		c.Fatal(err)
	}
	deadline := time.Now().Add(20 * time.Second)
	for c.db.Engine() != store.SQLite {
		h, err := c.ledger.Head(c.Context())
		if err == nil && h.Waiting == 0 {
			return
		}
		if time.Now().After(deadline) {
			c.Fatalf("the ledger does not go on: %+v, %v", h, err)
		}
		<-time.After(10 * time.Millisecond)
	}
}

// buys has the bot buy n times of a site, and dispute the first of them.
func (c *court) buys(n, disputed int, site, reason string, fault Fault) {
	c.Helper()
	var all []receipt.Entry
	for i := range n {
		c.n++
		id := fmt.Sprintf("txn-%06d", c.n)
		e := receipt.Entry{Time: c.clock(), Site: site, Party: "requester:" + bot.ID, Subject: id, Kind: "transaction"}
		all = append(all, e)
		if i < disputed {
			c.cases[id] = Dispute{ID: "dsp-" + id, Buyer: bot.ID, Site: site, Reason: reason, Filed: c.clock(),
				Fault: fault}
			e.Kind = "dispute"
			all = append(all, e, e) // filed, and moved
		}
	}
	c.happens(all...)
}

func (c *court) once(k *Enforcer) {
	c.Helper()
	if err := k.RunOnce(c.Context()); err != nil {
		c.Fatal(err)
	}
}

func (c *court) steps(all bool) (steps []string) {
	c.Helper()
	list, err := NewReader(c.db).Sanctions(c.Context(), all, 100)
	if err != nil {
		c.Fatal(err)
	}
	for _, m := range list {
		steps = append(steps, fmt.Sprintf("%s %s %s %s", m.Month, m.Level, m.Kind, m.Party.ID))
	}
	slices.Sort(steps)
	return steps
}

func (c *court) wants(got []string, want ...string) {
	c.Helper()
	if !slices.Equal(got, want) {
		c.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestMeasuresAreTakenOnceAndOutliveAProcess(t *testing.T) {
	t.Parallel()
	each(t, func(c *court) {
		k := c.keeper(usual)
		c.buys(100, 5, "news", "delivery_failed", "")
		c.once(k)
		c.wants(c.steps(true), "2027-01 warn agent buyer.example/bot")
		if limited, closed := k.Restricted(bot); limited || closed {
			c.Error("a warning holds")
		}
		c.buys(20, 10, "news", "delivery_failed", FailedDelivery)
		other := c.keeper(usual) // of another node, at the same time
		var both sync.WaitGroup
		for _, one := range []*Enforcer{k, other} {
			both.Go(func() {
				if err := one.RunOnce(c.Context()); err != nil {
					c.Error(err)
				}
			})
		}
		both.Wait()
		c.once(k)
		c.once(other)
		c.wants(c.steps(true), "2027-01 investigate provider news", "2027-01 limit agent buyer.example/bot",
			"2027-01 warn agent buyer.example/bot", "2027-01 warn provider news")
		for _, one := range []*Enforcer{k, other, c.keeper(usual)} {
			c.once(one)
			if limited, closed := one.Restricted(bot); !limited || closed {
				c.Error("it is not held to a rate")
			}
		}
		var rates Rates
		if err := c.db.View(c.Context(), func(tx *store.Tx) (err error) {
			rates, err = RatesOf(c.Context(), tx, bot, MonthOf(c.clock()))
			return err
		}); err != nil || rates.Transactions != 120 || rates.Disputes != 15 || rates.Disputed != 12.5 {
			c.Errorf("%+v, %v", rates, err)
		}

		list, err := NewReader(c.db).Sanctions(c.Context(), false, 100)
		if err != nil {
			c.Fatal(err)
		}
		at := slices.IndexFunc(list, func(m Sanction) bool { return m.Level == RateLimited })
		if err := k.Confirm(c.Context(), list[at].ID, "ada", ""); fail.From(err).Code != fail.Invalid ||
			c.closed != nil {
			c.Errorf("confirmed what is no end: %v", err)
		}
		if err := k.Lift(c.Context(), list[at].ID, "ada", strings.Repeat("a", maxNote+1)); fail.From(err).Code !=
			fail.TooLong {
			c.Errorf("a long note: %v", err)
		}
		for i, want := range []fail.Code{"", fail.NotFound} {
			err := k.Lift(c.Context(), list[at].ID, "ada", "a mistake of ours")
			if (err != nil) != (want != "") || err != nil && fail.From(err).Code != want {
				c.Errorf("%d: %v", i, err)
			}
		}
		if limited, _ := k.Restricted(bot); limited {
			c.Error("it is held although that was lifted")
		}
		c.buys(20, 10, "news", "delivery_failed", "") // which is not held against it again in this month
		c.once(k)
		if limited, _ := k.Restricted(bot); limited {
			c.Error("what was lifted is taken again in the same month")
		}
		facts := map[string]int{}
		for r, err := range c.ledger.Read(c.Context(), ledger.Filter{Kind: "measure"}) {
			if err != nil {
				c.Fatal(err)
			}
			for _, did := range []string{"taken", "lifted"} {
				if strings.Contains(string(r.Entry.Body), `"did":"`+did+`"`) {
					facts[did]++
				}
			}
		}
		if c.db.Engine() == store.SQLite && !reflect.DeepEqual(facts, map[string]int{"taken": 4, "lifted": 1}) {
			c.Errorf("the ledger tells of %v", facts)
		}
	})
}

func TestMonthsInARowGraduateToTheEnd(t *testing.T) {
	t.Parallel()
	each(t, func(c *court) {
		k := c.keeper(usual)
		var want []string
		for month := range 13 {
			at := time.Date(2027, time.Month(1+month), 10, 0, 0, 0, 0, time.UTC)
			c.pass(at)
			c.buys(100, 5, "news", "delivery_failed", FailedDelivery)
			c.once(k)
			m := MonthOf(at).String()
			switch {
			case month < 2:
				want = append(want, m+" warn agent buyer.example/bot", m+" warn provider news")
			case month == 2:
				want = append(want, m+" plan agent buyer.example/bot", m+" plan provider news")
			default:
				want = append(want, m+" limit agent buyer.example/bot", m+" limit provider news")
			}
			if month >= 11 {
				want = append(want, m+" end agent buyer.example/bot", m+" end provider news")
			}
			want = append(want, m+" investigate provider news")
		}
		slices.Sort(want)
		c.wants(c.steps(true), want...)
		if limited, closed := k.Restricted(bot); !limited || closed {
			c.Error("an end that nobody has confirmed closes")
		}
		end := newID(bot, MonthOf(c.clock()), Closure)
		for i, code := range []fail.Code{"", fail.Invalid} {
			if err := k.Confirm(c.Context(), end, "ada", "as agreed"); (err != nil) != (code != "") || err != nil &&
				fail.From(err).Code != code {
				c.Errorf("%d: %v", i, err)
			}
		}
		if limited, closed := k.Restricted(bot); limited || !closed || !reflect.DeepEqual(c.closed, []Party{bot}) {
			c.Errorf("a confirmed end: limited %t, closed %t, %v", limited, closed, c.closed)
		}
		if limited, closed := k.Restricted(news); !limited || closed {
			c.Error("the end of another was confirmed")
		}
	})
}

func TestAMonthThatWasWellBeginsAnew(t *testing.T) {
	t.Parallel()
	each(t, func(c *court) {
		k := c.keeper(usual)
		for _, month := range []time.Month{1, 2, 4, 5} {
			c.pass(time.Date(2027, month, 10, 0, 0, 0, 0, time.UTC))
			c.buys(100, 5, "news", "delivery_failed", "")
			c.once(k)
		}
		c.wants(c.steps(true), "2027-01 warn agent buyer.example/bot", "2027-02 warn agent buyer.example/bot",
			"2027-04 warn agent buyer.example/bot", "2027-05 warn agent buyer.example/bot")
	})
}

// TestWhatIsLongOverHoldsNobody has a ledger counted that is older than this room.
func TestWhatIsLongOverHoldsNobody(t *testing.T) {
	t.Parallel()
	each(t, func(c *court) {
		c.buys(100, 50, "news", "delivery_failed", FailedDelivery)
		c.pass(c.clock().AddDate(1, 0, 0))
		c.once(c.keeper(usual))
		c.wants(c.steps(true))
	})
}

// TestTheLastMonthIsLookedAtStill counts what came at the end of a month after it.
func TestTheLastMonthIsLookedAtStill(t *testing.T) {
	t.Parallel()
	for _, v := range []struct {
		at   time.Time
		want []string
	}{
		{time.Date(2027, 2, 28, 23, 59, 0, 0, time.UTC), []string{"2027-01 warn agent buyer.example/bot"}},
		{time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC), nil},
	} {
		each(t, func(c *court) {
			c.buys(100, 5, "news", "delivery_failed", "")
			c.pass(v.at)
			c.once(c.keeper(usual))
			c.wants(c.steps(true), v.want...)
		})
	}
}

func TestOneReasonAtManySitesIsFlagged(t *testing.T) {
	t.Parallel()
	each(t, func(c *court) {
		k := c.keeper(usual)
		for i := range 5 {
			c.wants(c.steps(true))
			c.buys(1, 1, fmt.Sprintf("site-%d", i), "content_mismatch", "")
			c.once(k)
		}
		c.wants(c.steps(true), "2027-01 flag agent buyer.example/bot")
	})
}

// TestAFaultCountsAsItStands has a decision changed by an appeal: what was counted by the first is
// taken back.
func TestAFaultCountsAsItStands(t *testing.T) {
	t.Parallel()
	each(t, func(c *court) {
		k := c.keeper(usual)
		c.buys(1, 1, "news", "content_mismatch", WrongHash)
		c.once(k)
		rates := func() (r Rates) {
			c.Helper()
			if err := c.db.View(c.Context(), func(tx *store.Tx) (err error) {
				r, err = RatesOf(c.Context(), tx, news, MonthOf(c.clock()))
				return err
			}); err != nil {
				c.Fatal(err)
			}
			return r
		}
		if r := rates(); r.Hashes != 100 || r.Failures != 0 {
			c.Errorf("%+v", r)
		}
		for id, d := range c.cases {
			d.Fault = FailedDelivery
			c.cases[id] = d
			c.happens(receipt.Entry{Time: c.clock(), Site: "news", Party: "requester:" + bot.ID, Subject: id,
				Kind: "dispute"})
		}
		c.once(k)
		if r := rates(); r.Hashes != 0 || r.Failures != 100 {
			c.Errorf("%+v", r)
		}
		c.happens(receipt.Entry{Time: c.clock(), Site: "news", Kind: "usage", Body: []byte(`{"deviant":true}`)},
			receipt.Entry{Time: c.clock(), Site: "news", Kind: "usage", Body: []byte(`{}`)})
		c.once(k)
		if r := rates(); r.Tokens != 50 || r.Reports != 2 {
			c.Errorf("%+v", r)
		}
	})
}
