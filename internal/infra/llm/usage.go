package llm

import (
	"context"
	"fmt"

	"frontdesk/internal/infra/store"
)

// Schema is the table of daily usage: one row for each day of UTC ("2006-01-02"), with tokens and
// their cost in units of 1e-8 of the currency.
var Schema = store.Schema{
	ID: "spend",
	Steps: []string{`
CREATE TABLE spend_day (
	day    TEXT NOT NULL PRIMARY KEY,
	tokens BIGINT NOT NULL,
	cost   BIGINT NOT NULL
);
`},
}

// keepDays is how many days of usage are kept.
const keepDays = 31

// UsageStore keeps the daily usage in a database that has Schema. It may be used from many
// goroutines and processes.
type UsageStore struct{ db *store.DB }

// NewUsageStore returns the store of a database.
func NewUsageStore(db *store.DB) *UsageStore { return &UsageStore{db} }

// Add adds to what was spent on a day, and gives the sum of the day. It is durable when Add
// returns. Nothing more is read only.
func (b *UsageStore) Add(ctx context.Context, day string, more DailyUsage) (sum DailyUsage, err error) {
	if more == (DailyUsage{}) {
		err = b.db.View(ctx, func(tx *store.Tx) (err error) {
			sum, err = read(ctx, tx, day)
			return err
		})
		return sum, named(err)
	}
	err = b.db.Update(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec(ctx, `UPDATE spend_day SET tokens = tokens + $1, cost = cost + $2 WHERE day = $3`, more.Tokens, int64(more.Cost), day)
		if err != nil {
			return err
		}
		if n == 0 {
			if _, err := tx.Exec(ctx, `INSERT INTO spend_day (day, tokens, cost) VALUES ($1, $2, $3)`, day, more.Tokens, int64(more.Cost)); err != nil {
				return err
			}
			_, err = tx.Exec(ctx, `DELETE FROM spend_day WHERE day NOT IN (SELECT day FROM (SELECT day FROM spend_day ORDER BY day DESC LIMIT $1) AS latest)`, keepDays)
			if err != nil {
				return err
			}
		}
		sum, err = read(ctx, tx, day)
		return err
	})
	return sum, named(err)
}

func read(ctx context.Context, tx *store.Tx, day string) (sum DailyUsage, err error) {
	err = tx.QueryRow(ctx, `SELECT COALESCE(MAX(tokens), 0), COALESCE(MAX(cost), 0) FROM spend_day WHERE day = $1`, day).Scan(&sum.Tokens, &sum.Cost)
	return sum, err
}

func named(err error) error {
	if err != nil {
		return fmt.Errorf("the book of what the model took: %w", err)
	}
	return nil
}
