package accounts

import (
	"context"
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
)

// Balance is an account of a buyer in a currency, in units of 1e-8. Its four sides always add up to
// 0.
type Balance struct {
	Buyer     string // DOMAIN/ID, or DOMAIN/* for all of a domain that have no account of their own in the currency
	Currency  string // ISO 4217
	Available int64  // may be below 0, down to the limit
	Held      int64  // for purchases that are not settled
	Earned    int64  // by sites, of all time
	Outside   int64  // what was paid in, less what was taken out, with the sign turned round
	Limit     int64  // how far below 0 purchases may go; -1 for as far as is configured
	Status    string // Active or Suspended
	Lines     int64  // of the journal
	Created   time.Time
}

// The statuses of accounts, licences and subscriptions.
const (
	Active    = "active"
	Suspended = "suspended"
	Ended     = "ended" // for good; not of accounts
)

// limit is how far below 0 purchases may go.
func (b Balance) limit(configured int64) int64 {
	if b.Limit < 0 {
		return configured
	}
	return b.Limit
}

// movement is a line of the journal: what is added to each side.
type movement struct {
	at                               time.Time
	kind                             string
	reference                        string // of a purchase its id
	site                             string // which earned
	available, held, earned, outside int64
}

// post writes a line into the journal of an account that is there, and moves its balance. It is the
// one way for money to move.
func post(ctx context.Context, tx *store.Tx, buyer, currency string, m movement) error {
	if m.available+m.held+m.earned+m.outside != 0 {
		return fail.New(fail.Internal, "a movement of kind %q does not balance", m.kind)
	}
	var line, after int64
	err := tx.QueryRow(ctx, `UPDATE account_balance SET available = available + $1, held = held + $2, earned = earned + $3, outside = outside + $4, lines = lines + 1
		WHERE buyer = $5 AND currency = $6 RETURNING lines, available`, m.available, m.held, m.earned, m.outside, buyer, currency).Scan(&line, &after)
	if err != nil {
		return fmt.Errorf("write into the journal: %w", err)
	}
	if err := enter(ctx, tx, buyer, currency, m, line, after); err != nil || m.earned == 0 {
		return err
	}
	return earn(ctx, tx, Earning{Day: m.at, Site: m.site, Buyer: buyer, Currency: currency, Amount: m.earned,
		Movements: 1})
}

// postTo is post to an account as the same transaction has read it. What a site earned is kept
// beside the balance, which is written anyway, as long as it is of one site and day: most buyers
// buy again of the same.
func postTo(ctx context.Context, tx *store.Tx, to payer, m movement) error {
	if m.available+m.held+m.earned+m.outside != 0 {
		return fail.New(fail.Internal, "a movement of kind %q does not balance", m.kind)
	}
	const (
		move  = `UPDATE account_balance SET available = available + $1, held = held + $2, earned = earned + $3, outside = outside + $4, lines = lines + 1 WHERE buyer = $5 AND currency = $6 AND lines = $7`
		again = `UPDATE account_balance SET available = available + $1, held = held + $2, earned = earned + $3, outside = outside + $4, lines = lines + 1,
			late_earned = late_earned + $3, late_movements = late_movements + 1 WHERE buyer = $5 AND currency = $6 AND lines = $7`
		anew = `UPDATE account_balance SET available = available + $1, held = held + $2, earned = earned + $3, outside = outside + $4, lines = lines + 1,
			late_earned = $3, late_movements = 1, late_site = $5, late_day = $6 WHERE buyer = $7 AND currency = $8 AND lines = $9`
	)
	args := []any{m.available, m.held, m.earned, m.outside, to.Buyer, to.Currency, to.Lines}
	late, now := to.late, Earning{Day: time.UnixMicro(dayOf(m.at)), Site: m.site, Buyer: to.Buyer,
		Currency: to.Currency, Amount: m.earned, Movements: 1}
	var err error
	switch {
	case m.earned == 0:
		err = tx.ExecOne(ctx, move, args...)
	case late.Movements > 0 && late.Day.Equal(now.Day) && late.Site == now.Site:
		err = tx.ExecOne(ctx, again, args...)
	case late.Movements > 0 && late.Day.Equal(now.Day): // the first site of the day keeps its place
		if err = tx.ExecOne(ctx, move, args...); err == nil {
			err = earn(ctx, tx, now)
		}
	default:
		if err = tx.ExecOne(ctx, anew, slices.Insert(args, 4, any(now.Site), any(store.Micros(now.Day)))...); err ==
			nil && late.Movements > 0 {
			err = earn(ctx, tx, late)
		}
	}
	if err != nil {
		return fmt.Errorf("write into the journal: %w", err)
	}
	return enter(ctx, tx, to.Buyer, to.Currency, m, to.Lines+1, to.Available+m.available)
}

// earn adds to what a site earned on a day.
func earn(ctx context.Context, tx *store.Tx, e Earning) error {
	err := tx.ExecOne(ctx, `INSERT INTO account_revenue (site, day, buyer, currency, earned, movements) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (site, day, buyer, currency) DO UPDATE SET earned = account_revenue.earned + EXCLUDED.earned, movements = account_revenue.movements + EXCLUDED.movements`,
		e.Site, dayOf(e.Day), e.Buyer, e.Currency, e.Amount, e.Movements)
	if err != nil {
		return fmt.Errorf("write what was earned: %w", err)
	}
	return nil
}

// lateRevenue is the step of Schema that keeps beside a balance what one site earned by it on one
// day, as in account_revenue, which does not have that: a purchase then changes a page less.
const lateRevenue = `
ALTER TABLE account_balance ADD COLUMN late_site {{text}} NOT NULL DEFAULT '';
ALTER TABLE account_balance ADD COLUMN late_day BIGINT NOT NULL DEFAULT 0;
ALTER TABLE account_balance ADD COLUMN late_earned BIGINT NOT NULL DEFAULT 0;
ALTER TABLE account_balance ADD COLUMN late_movements BIGINT NOT NULL DEFAULT 0;
CREATE INDEX account_balance_late ON account_balance (late_site, late_day, buyer, currency);
`

// lateEarnings are what is kept beside balances, as rows of account_revenue. Both have to be added
// up.
const lateEarnings = `(SELECT late_site AS site, late_day AS day, buyer, currency, late_earned AS earned, late_movements AS movements
	FROM account_balance WHERE late_movements > 0) AS late`

// enter writes a movement into the journal as a line, after which so much is available.
func enter(ctx context.Context, tx *store.Tx, buyer, currency string, m movement, line, after int64) error {
	err := tx.ExecOne(ctx, `INSERT INTO account_journal (buyer, currency, line, at, kind, reference, site, available, held, earned, outside, after)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		buyer, currency, line, store.Micros(m.at), m.kind, m.reference, m.site, m.available, m.held, m.earned,
		m.outside, after)
	if err != nil {
		return fmt.Errorf("write into the journal: %w", err)
	}
	return nil
}

// dayOf is the day of a time by UTC, as its first microsecond.
func dayOf(at time.Time) int64 { return store.Micros(at.UTC().Truncate(24 * time.Hour)) }

const balanceColumns = `buyer, currency, available, held, earned, outside, own, status, lines, created`

func scanBalance(row store.Scanner) (b Balance, err error) {
	err = row.Scan(&b.Buyer, &b.Currency, &b.Available, &b.Held, &b.Earned, &b.Outside, &b.Limit, &b.Status, &b.Lines,
		&b.Created)
	return b, err
}

// payer is an account with what is kept beside its balance of what a site earned.
type payer struct {
	Balance
	late Earning
}

const payerColumns = balanceColumns + `, late_site, late_day, late_earned, late_movements`

func scanPayer(row store.Scanner) (p payer, err error) {
	err = row.Scan(&p.Buyer, &p.Currency, &p.Available, &p.Held, &p.Balance.Earned, &p.Outside, &p.Limit, &p.Status,
		&p.Lines, &p.Created,
		&p.late.Site, &p.late.Day, &p.late.Amount, &p.late.Movements)
	p.late.Buyer, p.late.Currency = p.Buyer, p.Currency
	return p, err
}

// findAccount gives the account that a buyer pays from in a currency: its own, else its domain's.
func findAccount(ctx context.Context, tx *store.Tx, buyer, currency string) (purse payer, found bool, err error) {
	own, _ := holders(buyer)
	q := asksForAccount(buyer, currency)
	all, err := collect(ctx, tx, q.Query, scanPayer, q.Args...)
	for _, b := range all {
		if !found || b.Buyer == own {
			purse, found = b, true
		}
	}
	return purse, found, err
}

// asksForAccount asks for what findAccount gives.
func asksForAccount(buyer, currency string) store.Question {
	own, domain := holders(buyer)
	// For a list of values SQLite makes a table, which costs more than the rest.
	return store.Question{Query: `SELECT ` + payerColumns + ` FROM account_balance WHERE buyer = $1 AND currency = $2
		UNION ALL SELECT ` + payerColumns + ` FROM account_balance WHERE buyer = $3 AND currency = $2`,
		Args: []any{own, currency, domain}}
}

// Ahead has the account looked up from which a purchase is going to be paid, see [store.Tx.Ahead].
func Ahead(tx *store.Tx, buyer, currency string) {
	tx.Ahead(asksForAccount(buyer, currency))
}

// account is findPurse for a purchase: an account that is there must be active. Where everybody has
// credit, one that is not there is given as it would be; it is for the caller to make.
func (b *Ledger) account(ctx context.Context, tx *store.Tx, buyer, currency string, now time.Time) (purse payer,
	found bool, err error) {
	purse, found, err = findAccount(ctx, tx, buyer, currency)
	if found {
		b.pays(buyer, purse.Buyer)
	}
	switch {
	case err != nil:
	case found && purse.Status != Active:
		err = suspendedAccount(purse.Buyer)
	case found:
	case b.options.Credit <= 0:
		err = refuse(InsufficientBalance, "%s has no account in %s here; ask the operator of this exchange for one",
			buyer, currency)
	default:
		purse.Balance = Balance{Buyer: buyer, Currency: currency, Limit: -1, Status: Active, Created: now}
	}
	return purse, found, err
}

func suspendedAccount(buyer string) error {
	return refuse(InvalidLicence, "the account %s is suspended; ask the operator of this exchange why", buyer)
}

func insertAccount(ctx context.Context, tx *store.Tx, b Balance) error {
	// one that was opened meanwhile is a collision that way
	err := tx.ExecOne(ctx, `INSERT INTO account_balance (`+balanceColumns+`) VALUES ($1, $2, 0, 0, 0, 0, $3, $4, 0, $5)
		ON CONFLICT (buyer, currency) DO NOTHING`,
		b.Buyer, b.Currency, b.Limit, b.Status, store.Micros(b.Created))
	if err != nil {
		return fmt.Errorf("open an account: %w", err)
	}
	return nil
}

// anyAccount gives whose account a buyer pays from in whatever currency.
func (b *Ledger) anyAccount(ctx context.Context, tx *store.Tx, buyer string) (string, error) {
	own, domain := holders(buyer)
	all, err := collect(ctx, tx, `SELECT `+balanceColumns+` FROM account_balance WHERE buyer IN ($1, $2)`, scanBalance, own, domain)
	if err != nil {
		return "", err
	}
	for _, purse := range all {
		if purse.Status != Active {
			return "", suspendedAccount(purse.Buyer)
		}
	}
	if len(all) == 0 {
		return "",
			refuse(InsufficientBalance, "%s has no account here from which a share could be paid; ask the operator "+
				"of this exchange for one", buyer)
	}
	return buyer, nil
}
