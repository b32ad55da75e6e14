package store_test

import (
	"fmt"
	"testing"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

var counts = store.Schema{ID: "counts", Steps: []string{`
CREATE TABLE counts (
	day   BIGINT NOT NULL,
	name  {{text}} NOT NULL,
	good  BIGINT NOT NULL,
	wrong BIGINT NOT NULL,
	PRIMARY KEY (day, name)
) {{clustered}}`}}

// TestAddAddsToRowsAndMakesThoseThatAreMissing adds so many rows that they are several statements.
func TestAddAddsToRowsAndMakesThoseThatAreMissing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, counts)
		const many = 64 + 16 + 4 + 3
		add := func(from int) {
			var rows [][]any
			for n := range many {
				rows = append(rows, []any{int64(7), fmt.Sprint("n", from+n), int64(n), int64(1)})
			}
			if err := db.Update(t.Context(), func(tx *store.Tx) error {
				return tx.Add(t.Context(), "counts", "day name", "good wrong", rows)
			}); err != nil {
				t.Fatal(err)
			}
		}
		add(0)
		add(many - 1) // the last one again, and others
		var rows, good, wrong int
		if err := ask(t, db, `SELECT COUNT(*), CAST(SUM(good) AS BIGINT), CAST(SUM(wrong) AS BIGINT) FROM counts`,
			&rows, &good, &wrong); err != nil {
			t.Fatal(err)
		}
		if rows != 2*many-1 || good != many*(many-1) || wrong != 2*many {
			t.Errorf("%d rows, %d and %d", rows, good, wrong)
		}
		var twice int
		if err := ask(t, db, fmt.Sprintf(`SELECT wrong FROM counts WHERE name = 'n%d'`, many-1), &twice); err != nil || twice != 2 {
			t.Errorf("counted %d times, %v", twice, err)
		}
	})
}
