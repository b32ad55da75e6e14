package enforcement

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
)

// TestPurchasesAreReconciledOnce has several keepers reconcile what is old enough, each moment
// once, in the month that it is of.
func TestPurchasesAreReconciledOnce(t *testing.T) {
	t.Parallel()
	each(t, func(c *court) {
		var spans [][2]time.Time
		keeper := func() *Enforcer {
			return New(Config{DB: c.db, Ledger: c.ledger, Rules: usual, Now: c.clock,
				Log: slog.New(slog.DiscardHandler),
				Reconcile: func(_ context.Context, since, until time.Time) (map[string]Reconciled, error) {
					spans = append(spans, [2]time.Time{since, until})
					return map[string]Reconciled{"news": {Of: 60, Gaps: 9, Untold: 2}}, nil
				}})
		}
		c.now = time.Date(2027, 2, 3, 12, 0, 0, 0, time.UTC) // so until the first at noon: all of January
		for range 3 {
			if err := keeper().RunOnce(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if len(spans) != 31 || !spans[0][0].Equal(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)) ||
			!spans[30][1].Equal(time.Date(2027, 2, 1, 0, 0, 0, 0, time.UTC)) {
			t.Fatalf("%d spans: %v", len(spans), spans)
		}
		for i, s := range spans[1:] {
			if !s[0].Equal(spans[i][1]) || !s[0].Before(s[1]) || MonthOf(s[0]) != MonthOf(s[1].Add(-time.Microsecond)) {
				t.Errorf("%v after %v", s, spans[i])
			}
		}
		c.now = time.Date(2027, 2, 3, 23, 59, 59, 0, time.UTC) // the first is not over for two days
		if err := keeper().RunOnce(t.Context()); err != nil || len(spans) != 31 {
			t.Errorf("%d spans, %v", len(spans), err)
		}
		c.now = c.now.Add(time.Second)
		if err := keeper().RunOnce(t.Context()); err != nil || len(spans) != 32 {
			t.Errorf("%d spans, %v", len(spans), err)
		}
		days, err := NewReader(c.db).Days(t.Context(), Filter{Limit: 2})
		if want := []Day{{spans[31][0], "news", Reconciled{60, 9, 2}},
			{spans[30][0], "news", Reconciled{60, 9, 2}}}; err != nil || !slices.Equal(days, want) {
			t.Errorf("%v, %v; want %v", days, err, want)
		}
		if days, err = NewReader(c.db).Days(t.Context(),
			Filter{Site: "news", Since: spans[3][0], Until: spans[6][0], Differing: true,
				After: Day{At: spans[5][0], Site: "news"}, Limit: 9}); err != nil || len(days) != 2 ||
			!days[0].At.Equal(spans[4][0]) {
			t.Errorf("%v, %v", days, err)
		}
		if days, err = NewReader(c.db).Days(t.Context(), Filter{Site: "shop", Limit: 9}); err != nil || len(days) != 0 {
			t.Errorf("%v, %v", days, err)
		}
		if until, err := NewReader(c.db).ReconciledUntil(t.Context()); err != nil || !until.Equal(spans[31][1]) {
			t.Errorf("%v, %v", until, err)
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
