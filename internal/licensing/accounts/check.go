package accounts

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/infra/store"
)

// Finding is something in the book that is not as it must be.
type Finding struct {
	Where   string `json:"where"` // "account BUYER USD", "purchase ID", "subscription ID", ...
	Problem string `json:"problem"`
}

// maxFindings is how many are told at most of each sort.
const maxFindings = 100

// invariants are queries that give a row for everything that is not as it must be: where, and two
// numbers that should be equal.
var invariants = []struct{ problem, query string }{
	{"the sides of the balance are %[1]d together, not %[2]d", `
		SELECT 'account ' || buyer || ' ' || currency, available + held + earned + outside, 0 FROM account_balance WHERE available + held + earned + outside <> 0`},
	{"a line of the journal adds %[1]d instead of %[2]d", `
		SELECT 'line ' || line || ' of ' || buyer || ' ' || currency, available + held + earned + outside, 0 FROM account_journal
		WHERE available + held + earned + outside <> 0`},
	{"%[1]d is available, and the journal makes %[2]d", `
		SELECT 'account ' || b.buyer || ' ' || b.currency, b.available, COALESCE(j.available, 0) FROM account_balance b ` + journalled + ` WHERE b.available <> COALESCE(j.available, 0)`},
	{"%[1]d is held, and the journal makes %[2]d", `
		SELECT 'account ' || b.buyer || ' ' || b.currency, b.held, COALESCE(j.held, 0) FROM account_balance b ` + journalled + ` WHERE b.held <> COALESCE(j.held, 0)`},
	{"%[1]d was earned, and the journal makes %[2]d", `
		SELECT 'account ' || b.buyer || ' ' || b.currency, b.earned, COALESCE(j.earned, 0) FROM account_balance b ` + journalled + ` WHERE b.earned <> COALESCE(j.earned, 0)`},
	{"the journal ends with line %[1]d and has %[2]d", `
		SELECT 'account ' || b.buyer || ' ' || b.currency, b.lines, COALESCE(j.n, 0) FROM account_balance b ` + journalled + `
		WHERE b.lines <> COALESCE(j.n, 0) OR b.lines <> COALESCE(j.last, 0)`},
	{"a line of the journal says that %[1]d was available after it, and the lines make %[2]d", `
		SELECT 'line ' || line || ' of ' || buyer || ' ' || currency, after, made FROM (SELECT buyer, currency, line, after,
			SUM(available) OVER (PARTITION BY buyer, currency ORDER BY line) AS made FROM account_journal) j WHERE after <> made`},
	{"the journal has %[1]d lines of an account that there is not (%[2]d)", `
		SELECT 'account ' || j.buyer || ' ' || j.currency, COUNT(*), 0 FROM account_journal j LEFT JOIN account_balance b
			ON b.buyer = j.buyer AND b.currency = j.currency WHERE b.buyer IS NULL GROUP BY j.buyer, j.currency`},
	{"%[1]d is held, and purchases hold %[2]d", `
		SELECT 'account ' || b.buyer || ' ' || b.currency, b.held, COALESCE(h.held, 0) FROM account_balance b LEFT JOIN
			(SELECT holder, currency, SUM(authorised) AS held FROM account_hold WHERE state = 'held' GROUP BY holder, currency) h
			ON h.holder = b.buyer AND h.currency = b.currency WHERE b.held <> COALESCE(h.held, 0)`},
	{"%[1]d is charged, and the journal makes %[2]d", `
		SELECT 'purchase ' || h.id, h.charged, COALESCE(j.earned, 0) FROM account_hold h LEFT JOIN
			(SELECT reference, SUM(earned) AS earned FROM account_journal WHERE earned <> 0 GROUP BY reference) j ON j.reference = h.id
		WHERE h.charged <> COALESCE(j.earned, 0)`},
	{"the journal has %[1]d earned by a purchase that there is not (%[2]d)", `
		SELECT 'purchase ' || j.reference, SUM(j.earned), 0 FROM account_journal j LEFT JOIN account_hold h ON h.id = j.reference
		WHERE j.earned <> 0 AND h.id IS NULL GROUP BY j.reference`},
	{"%[1]d is charged, and %[2]d was authorised", `
		SELECT 'purchase ' || id, charged, authorised FROM account_hold WHERE charged > authorised AND model <> 'revenue_share'
			OR charged <> 0 AND state IN ('held', 'released')`},
	{"%[1]d was earned, and the journal makes %[2]d", `
		SELECT 'revenue of ' || COALESCE(r.site, j.site) || ' from ' || COALESCE(r.buyer, j.buyer), COALESCE(r.earned, 0), COALESCE(j.earned, 0)
		FROM (SELECT site, buyer, currency, at - at % 86400000000 AS day, SUM(earned) AS earned FROM account_journal WHERE earned <> 0
			GROUP BY site, buyer, currency, at - at % 86400000000) j
		FULL JOIN (SELECT site, buyer, currency, day, SUM(earned) AS earned FROM (SELECT site, buyer, currency, day, earned FROM account_revenue
			UNION ALL SELECT site, buyer, currency, day, earned FROM ` + lateEarnings + `) e GROUP BY site, buyer, currency, day) r ON r.site = j.site AND r.buyer = j.buyer AND r.currency = j.currency AND r.day = j.day
		WHERE COALESCE(r.earned, 0) <> COALESCE(j.earned, 0)`},
}

// journalled joins what the journal makes of each account.
const journalled = `LEFT JOIN (SELECT buyer, currency, SUM(available) AS available, SUM(held) AS held, SUM(earned) AS earned, COUNT(*) AS n, MAX(line) AS last
	FROM account_journal GROUP BY buyer, currency) j ON j.buyer = b.buyer AND j.currency = b.currency`

// Check derives the whole book anew, as of one moment, and says everything that is not as it must
// be: that all movements balance and make the balances, that purchases hold and were charged what
// the journal says, that the revenue of each day is that of the journal, and that quotas are what
// their purchases took.
func Check(ctx context.Context, db *store.DB) (all []Finding, err error) {
	err = db.View(ctx, func(tx *store.Tx) error {
		all = nil
		for _, i := range invariants {
			found, err := collect(ctx, tx, i.query+fmt.Sprintf(` LIMIT %d`, maxFindings),
				func(row store.Scanner) (f Finding, err error) {
					var is, should int64
					err = row.Scan(&f.Where, &is, &should)
					f.Problem = fmt.Sprintf(i.problem, is, should)
					return f, err
				})
			if err != nil {
				return err
			}
			all = append(all, found...)
		}
		found, err := checkQuotas(ctx, tx)
		all = append(all, found...)
		return err
	})
	return all, err
}

// checkQuotas counts what purchases took of each quota in its present round.
func checkQuotas(ctx context.Context, tx *store.Tx) (all []Finding, err error) {
	type place struct {
		subscription, unit string
		round              int64
	}
	left := map[place]int64{} // what is said to be used, and no purchase took
	if _, err := collect(ctx, tx, `SELECT subscription, unit, used, round FROM account_quota`,
		func(row store.Scanner) (p place, err error) {
			var used int64
			err = row.Scan(&p.subscription, &p.unit, &used, &p.round)
			left[p] = used
			return p, err
		}); err != nil {
		return nil, err
	}
	held := `SELECT subscription, uses FROM account_hold WHERE subscription <> '' AND state <> 'released'`
	err = tx.Each(ctx, held, func(row store.Scanner) error {
		var subscription, text string
		if err := row.Scan(&subscription, &text); err != nil {
			return err
		}
		uses, wrong := readUses(text)
		if wrong != nil {
			all = append(all, Finding{"subscription " + subscription, wrong.Error()})
		}
		for _, u := range uses {
			p := place{subscription, u.unit, u.round}
			if _, present := left[p]; present {
				left[p] -= u.n
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for p, n := range left {
		if n != 0 {
			all = append(all,
				Finding{"subscription " + p.subscription,
					fmt.Sprintf("%d more of the %s are counted as used than purchases took", n, p.unit)})
		}
	}
	slices.SortFunc(all, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.Where, b.Where), strings.Compare(a.Problem, b.Problem))
	})
	return all[:min(len(all), maxFindings)], nil
}
