package measure

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"frontdesk/internal/store"
)

// TestPurchasesAreReconciledOnce has several keepers reconcile what is old enough, each moment once, in the month that it is of.
func TestPurchasesAreReconciledOnce(t *testing.T) {
	each(t, func(c *court) {
		var spans [][2]time.Time
		keeper := func() *Keeper {
			return New(Config{DB: c.db, Ledger: c.ledger, Rules: usual, Now: c.clock, Log: slog.New(slog.DiscardHandler),
				Reconcile: func(_ context.Context, since, until time.Time) (map[string]Reconciled, error) {
					spans = append(spans, [2]time.Time{since, until})
					return map[string]Reconciled{"news": {Of: 60, Gaps: 9}}, nil
				}})
		}
		c.now = time.Date(2027, 2, 3, 12, 0, 0, 0, time.UTC) // so until the first at noon: all of January, and half a day
		for range 3 {
			if err := keeper().Once(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if len(spans) != 32 || !spans[0][0].Equal(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)) || !spans[31][1].Equal(time.Date(2027, 2, 1, 12, 0, 0, 0, time.UTC)) {
			t.Fatalf("%d spans: %v", len(spans), spans)
		}
		for i, s := range spans[1:] {
			if !s[0].Equal(spans[i][1]) || !s[0].Before(s[1]) || MonthOf(s[0]) != MonthOf(s[1].Add(-time.Microsecond)) {
				t.Errorf("%v after %v", s, spans[i])
			}
		}
		c.now = c.now.Add(59 * time.Minute) // too little to begin with
		if err := keeper().Once(t.Context()); err != nil || len(spans) != 32 {
			t.Errorf("%d spans, %v", len(spans), err)
		}
		if err := c.db.View(t.Context(), func(tx *store.Tx) error {
			for month, want := range map[Month]int64{MonthOf(c.now) - 1: 31 * 60, MonthOf(c.now): 60} {
				r, err := RatesOf(t.Context(), tx, news, month)
				if err != nil || r.Reconciled != want || r.Gap != 15 {
					t.Errorf("%s: %+v, %v", month, r, err)
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	})
}
