package llm_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/infra/llm"
	scripted "frontdesk/internal/testkit/model"
)

// book is a book of days that processes share.
type book struct {
	mu     sync.Mutex
	days   map[string]llm.DailyUsage
	broken bool
}

func (b *book) Add(_ context.Context, day string, more llm.DailyUsage) (llm.DailyUsage, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.broken {
		return llm.DailyUsage{}, errors.New("the disk is full")
	}
	if b.days == nil {
		b.days = map[string]llm.DailyUsage{}
	}
	sum := b.days[day]
	b.days[day] = llm.DailyUsage{Tokens: sum.Tokens + more.Tokens, Cost: sum.Cost + more.Cost}
	return b.days[day], nil
}

// outcome is what became of an order that a client was asked for, other each time so that none is
// remembered.
func outcome(t *testing.T, d *desk, question string) llm.Reason {
	t.Helper()
	tab := d.WithBudget()
	_, ok := tab.Rerank(t.Context(), question, soups())
	report, _ := tab.Report()
	if reason := report.Uses[llm.Rerank]; ok == (reason != "") {
		t.Fatalf("ok %v with the reason %q", ok, reason)
	}
	return report.Uses[llm.Rerank]
}

func TestADayBoundsWhatIsTaken(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t) // which says how many tokens a call took
	price := llm.Price{Input: 2e8, Output: 8e8, Currency: "USD"}
	plain := open(t, endpoint.URL, func(o *llm.Options) { o.Price = price })
	tab := plain.WithBudget()
	tab.Rerank(t.Context(), "how much is one", soups())
	one, _ := tab.Report()
	if one.Input+one.Output == 0 || one.Cost == 0 {
		t.Fatalf("a call took %+v", one)
	}
	for name, bound := range map[string]llm.DailyLimit{
		// the last one must be able to take 1,000 and its prompt
		"tokens": {Tokens: 2*int64(one.Input+one.Output) + 2000},
		"cost":   {Cost: 2*one.Cost + price.Input*1000/1e6 + price.Output*1000/1e6},
	} {
		t.Run(name, func(t *testing.T) {
			shared := &book{}
			limited := func(o *llm.Options) { o.Price, o.DailyLimit = price, bound; o.DailyLimit.Add = shared.Add }
			d := open(t, endpoint.URL, limited)
			used := 0
			for ; outcome(t, d, strings.Repeat("soup ", used+1)) == ""; used++ {
				if used > 20 {
					t.Fatal("it is never used up")
				}
			}
			if used < 2 {
				t.Errorf("%d calls were let through", used)
			}
			if got := d.Today(); bound.Tokens > 0 && got.Tokens > bound.Tokens ||
				bound.Cost > 0 && got.Cost > bound.Cost || got.Tokens == 0 {
				t.Errorf("taken are %+v of %+v", got, bound)
			}
			if got := outcome(t, d, "once more"); got != llm.DailyLimitReached {
				t.Errorf("then the reason is %q", got)
			}
			if strings.Count(d.log.String(), "used up") != 1 {
				t.Errorf("the log says %s", d.log)
			}
			// A restart forgets nothing, and another process has its part of it.
			if got := outcome(t, open(t, endpoint.URL, limited), "after a restart"); got != llm.DailyLimitReached {
				t.Errorf("after a restart the reason is %q", got)
			}
			d.clock.Advance(12 * time.Hour) // which is midnight
			if got := outcome(t, d, "the next day"); got != "" {
				t.Errorf("on the next day the reason is %q", got)
			}
			shared.mu.Lock()
			defer shared.mu.Unlock()
			if days := maps.Clone(shared.days); len(days) != 2 {
				t.Errorf("the book has %v", days)
			}
		})
	}
}

func TestNoDayIsBrokenByQuestionsAtTheSameTime(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	bound := llm.DailyLimit{Tokens: 5000}
	d := open(t, endpoint.URL, func(o *llm.Options) { o.DailyLimit = bound; o.MaxCalls = 50 })
	var all sync.WaitGroup
	for i := range 30 {
		all.Go(func() { d.WithBudget().Rerank(t.Context(), strings.Repeat("soup ", i+1), soups()) })
	}
	all.Wait()
	if got := d.Today(); got.Tokens > bound.Tokens || got.Tokens == 0 {
		t.Errorf("taken are %+v of %+v", got, bound)
	}
}

func TestWhatIsNotCountedCountsAsTheMost(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	d := open(t, endpoint.URL, func(o *llm.Options) { o.DailyLimit = llm.DailyLimit{Tokens: 1e6} })
	endpoint.Set(scripted.Behaviours{Chat: &scripted.Behaviour{Mode: "status", Status: 503}})
	outcome(t, d, "soup")
	if got := d.Today(); got.Tokens != 0 {
		t.Errorf("a call that failed took %+v", got)
	}
	endpoint.Set(scripted.Behaviours{Chat: &scripted.Behaviour{Reply: "no order at all", Mode: "cut"}})
	outcome(t, d, "soup")
	if got := d.Today(); got.Tokens < 1000 {
		t.Errorf("a call that broke off took %+v, and nobody knows how much", got)
	}
}

func TestVectorsOfItemsLeaveHalfADay(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	d := open(t, endpoint.URL, func(o *llm.Options) { o.DailyLimit = llm.DailyLimit{Tokens: 4000} })
	var err error
	for n := 0; err == nil && n < 100; n++ {
		_, err = d.Embed(t.Context(), []string{strings.Repeat("soup ", 200)})
	}
	var f *llm.Error
	if !errors.As(err, &f) || f.Reason != llm.DailyLimitReached || f.RetryAfter != 12*time.Hour {
		t.Fatalf("in the end: %v", err)
	}
	if got := d.Today(); got.Tokens > 2000 || got.Tokens < 1000 {
		t.Errorf("taken are %+v", got)
	}
	if got := outcome(t, d, "soup"); got != "" {
		t.Errorf("a question is left without: %q", got)
	}
}

func TestWithoutItsBookAProcessCountsByItself(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	shared := &book{broken: true}
	d := open(t, endpoint.URL, func(o *llm.Options) { o.DailyLimit = llm.DailyLimit{Tokens: 1e6, Add: shared.Add} })
	if got := outcome(t, d, "soup"); got != "" {
		t.Fatalf("the reason is %q", got)
	}
	before := d.Today()
	shared.mu.Lock()
	shared.broken = false
	shared.mu.Unlock()
	if before.Tokens == 0 || !strings.Contains(d.log.String(), "cannot be written down") {
		t.Errorf("counted are %+v, and the log says %s", before, d.log)
	}
	outcome(t, d, "soup once more")
	if got := shared.days["2026-05-01"]; got != d.Today() || got.Tokens <= before.Tokens {
		t.Errorf("the book has %+v, and %+v are counted", got, d.Today())
	}
}
