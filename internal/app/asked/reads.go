package asked

import (
	"context"
	"time"

	"frontdesk/internal/ask/questions"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/reports"
	"frontdesk/internal/licensing/transactions"
)

// readDays is of how many days Reads tells, with the present one.
const readDays = 30

// maxBought is how many purchases Reads looks at, the newest.
const maxBought = 20_000

// Reads says how often agents read each item in the last 30 days, by its address: in answers, as
// passages, and bought. It is nil where questions are kept for no time, since then hardly anything
// of that is counted.
func Reads(db *store.DB, keep time.Duration, now func() time.Time) func(context.Context) (map[string]int64, error) {
	if keep <= 0 {
		return nil
	}
	given, bought := questions.NewStore(db, now), reports.Reporter{
		Transactions: transactions.NewReader(db), Accounts: accounts.NewReader(db),
	}
	return func(ctx context.Context) (map[string]int64, error) {
		until := now()
		since := until.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-readDays)
		all, err := given.Given(ctx, since, until)
		if err != nil {
			return nil, err
		}
		pages, _, err := bought.Pages(ctx, reports.Request{Since: since}, maxBought)
		for _, page := range pages {
			all[page.URI] += page.Purchases
		}
		return all, err
	}
}
