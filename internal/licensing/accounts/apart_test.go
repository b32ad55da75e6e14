package accounts_test

import (
	"testing"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/testkit/storetest"
)

// TestHoldsAreKeptWhenTheirTableChanges opens a database as it was before account_hold stood in the
// order of its key.
func TestHoldsAreKeptWhenTheirTableChanges(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		was := accounts.Schema
		was.Steps = was.Steps[:2]
		dsn := fresh(t)
		const columns = `id, buyer, holder, site, model, currency, rate, quantity, value, authorised, charged, state, reported, subscription, licence, uses, granted, created, due, closed`
		read := func(db *store.DB) (all [][20]string) {
			t.Helper()
			if err := db.View(t.Context(), func(tx *store.Tx) error {
				rows, err := tx.Query(t.Context(), `SELECT `+columns+` FROM account_hold ORDER BY id`)
				if err != nil {
					return err
				}
				defer rows.Close()
				for rows.Next() {
					var row [20]string
					var targets []any
					for i := range row {
						targets = append(targets, &row[i])
					}
					if err := rows.Scan(targets...); err != nil {
						return err
					}
					all = append(all, row)
				}
				return rows.Err()
			}); err != nil {
				t.Fatal(err)
			}
			return all
		}
		before := storetest.Open(t, dsn, was)
		if err := before.Update(t.Context(), func(tx *store.Tx) error {
			for _, id := range []string{"txn-b", "txn-a", "txn-c"} {
				if _, err := tx.Exec(t.Context(), `INSERT INTO account_hold (`+columns+`)
					VALUES ($1, 'b', 'h', 's', 'per_access', 'USD', 1, 2, 3, 4, 5, 'held', 6, 'sub', 'lic', 'uses', 'granted', 7, 8, 9)`, id); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		want := read(before)
		if err := before.Close(); err != nil {
			t.Fatal(err)
		}
		got := read(storetest.Open(t, dsn, accounts.Schema))
		if len(got) != 3 {
			t.Fatalf("there are %d holds, want 3", len(got))
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%v became %v", want[i], got[i])
			}
		}
	})
}
