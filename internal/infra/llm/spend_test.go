package llm_test

import (
	"fmt"
	"sync"
	"testing"

	"frontdesk/internal/infra/llm"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

func TestTheBookAddsUpByDay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, llm.Schema)
		one, other := llm.NewUsageStore(db), llm.NewUsageStore(db)
		wait := sync.WaitGroup{}
		for i := range 20 {
			wait.Go(func() {
				book := []*llm.UsageStore{one, other}[i%2]
				if _, err := book.Add(t.Context(), "2026-05-01", llm.DailyUsage{Tokens: 10, Cost: 3}); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		for day, want := range map[string]llm.DailyUsage{"2026-05-01": {Tokens: 200, Cost: 60}, "2026-05-02": {}} {
			if got, err := other.Add(t.Context(), day, llm.DailyUsage{}); got != want || err != nil {
				t.Errorf("on %s: %+v, %v; want %+v", day, got, err, want)
			}
		}
	})
}

func TestTheBookGoesBackAMonth(t *testing.T) {
	t.Parallel()
	book := llm.NewUsageStore(storetest.OpenSQLite(t, llm.Schema))
	for day := range 40 {
		if _, err := book.Add(t.Context(), fmt.Sprintf("2026-%02d-%02d", 1+day/28, 1+day%28),
			llm.DailyUsage{Tokens: 1}); err != nil {
			t.Fatal(err)
		}
	}
	for day, want := range map[string]int64{"2026-01-09": 0, "2026-01-10": 1, "2026-02-12": 1} {
		if got, err := book.Add(t.Context(), day, llm.DailyUsage{}); got.Tokens != want || err != nil {
			t.Errorf("on %s: %+v, %v", day, got, err)
		}
	}
}
