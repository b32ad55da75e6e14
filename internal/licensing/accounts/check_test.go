package accounts_test

import (
	"context"
	"testing"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/testkit/storetest"
)

// TestCheckFindsWhatWasChanged changes the book behind its back, one thing at a time.
func TestCheckFindsWhatWasChanged(t *testing.T) {
	t.Parallel()
	for name, statement := range map[string]string{
		"more is available":         `UPDATE account_balance SET available = available + 1, outside = outside - 1 WHERE buyer = $1`,
		"more is held":              `UPDATE account_balance SET held = held + 1, available = available - 1 WHERE buyer = $1`,
		"more was earned":           `UPDATE account_balance SET earned = earned + 1, available = available - 1 WHERE buyer = $1`,
		"a line is gone":            `DELETE FROM account_journal WHERE buyer = $1 AND line = 1`,
		"the last line is gone":     `DELETE FROM account_journal WHERE buyer = $1 AND kind = 'hold'`,
		"all lines are gone":        `DELETE FROM account_journal WHERE buyer = $1`,
		"a line is larger":          `UPDATE account_journal SET available = available + 1, outside = outside - 1 WHERE buyer = $1 AND line = 1`,
		"a line tells of another":   `UPDATE account_journal SET reference = 'nothing' WHERE buyer = $1 AND kind = 'charge'`,
		"a line is of another site": `UPDATE account_journal SET site = 'shop' WHERE buyer = $1 AND kind = 'charge'`,
		"a balance after a line":    `UPDATE account_journal SET after = after + 1 WHERE buyer = $1 AND line = 1`,
		"an account is gone":        `DELETE FROM account_balance WHERE buyer = $1`,
		"a purchase is gone":        `DELETE FROM account_hold WHERE buyer = $1 AND state = 'held'`,
		"a paid purchase is gone":   `DELETE FROM account_hold WHERE buyer = $1 AND charged > 0`,
		"a purchase is dearer":      `UPDATE account_hold SET charged = charged + 1, authorised = authorised + 1 WHERE buyer = $1 AND charged > 0`,
		"a purchase is taken back":  `UPDATE account_hold SET state = 'released' WHERE buyer = $1 AND state = 'held'`,
		"revenue is more":           `UPDATE account_revenue SET earned = earned + 1 WHERE buyer = $1`,
		"revenue is gone":           `DELETE FROM account_revenue WHERE buyer = $1`,
		"revenue of another day":    `UPDATE account_revenue SET day = day + 86400000000 WHERE buyer = $1`,
		"late revenue is more":      `UPDATE account_balance SET late_earned = late_earned + 1 WHERE buyer = $1`,
		"late revenue is gone":      `UPDATE account_balance SET late_movements = 0 WHERE buyer = $1`,
		"late revenue of a day":     `UPDATE account_balance SET late_day = late_day + 86400000000 WHERE buyer = $1`,
		"late revenue of a site":    `UPDATE account_balance SET late_site = 'shop' WHERE buyer = $1`,
		"a quota is less used":      `UPDATE account_quota SET used = 0 WHERE subscription <> $1`,
		"a use is not counted":      `UPDATE account_hold SET uses = '' WHERE buyer = $1 AND subscription <> ''`,
		"a use that is no number":   `UPDATE account_hold SET uses = 'accesses=many' WHERE buyer = $1 AND subscription <> ''`,
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, storetest.Chosen(t, accounts.Schema), accounts.Options{})
			b.pay(buyer, 10)
			b.subscribe("sub", accounts.Scope{}, accounts.QuotaSetting{Unit: accounts.Accesses, Limit: 9})
			elsewhere := charge("elsewhere", price("per_access", 1))
			elsewhere.Site = "elsewhere"
			for _, c := range []accounts.Charge{charge("flat", price("per_access", 1)), elsewhere,
				under("counted", "sub", noon), charge("held", price("per_token", 1))} {
				if _, err := b.authorize(c); err != nil {
					t.Fatal(err)
				}
			}
			b.sound()
			b.do(func(ctx context.Context, tx *store.Tx) error {
				n, err := tx.Exec(ctx, statement, buyer)
				if n == 0 {
					t.Error("nothing was changed")
				}
				return err
			})
			if found, err := accounts.Check(t.Context(), b.db); err != nil || len(found) == 0 {
				t.Errorf("%v, %v", found, err)
			}
		})
	}
}
