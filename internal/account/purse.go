package account

import (
	"context"
	"fmt"
	"time"

	"frontdesk/internal/fail"
	"frontdesk/internal/store"
)

// Balance is what stands on the account of a buyer in a currency, in 1e-8 of it. Its four sides are always 0 together.
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

// post writes a line into the journal of an account that is there, and moves its balance. It is the one way for money to
// move.
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
	return enter(ctx, tx, buyer, currency, m, line, after)
}

// postTo is post to an account as the same transaction has read it.
func postTo(ctx context.Context, tx *store.Tx, to Balance, m movement) error {
	if m.available+m.held+m.earned+m.outside != 0 {
		return fail.New(fail.Internal, "a movement of kind %q does not balance", m.kind)
	}
	err := tx.Put(ctx, `UPDATE account_balance SET available = available + $1, held = held + $2, earned = earned + $3, outside = outside + $4, lines = lines + 1
		WHERE buyer = $5 AND currency = $6 AND lines = $7`, m.available, m.held, m.earned, m.outside, to.Buyer, to.Currency, to.Lines)
	if err != nil {
		return fmt.Errorf("write into the journal: %w", err)
	}
	return enter(ctx, tx, to.Buyer, to.Currency, m, to.Lines+1, to.Available+m.available)
}

// enter writes a movement into the journal as a line, after which so much is available, and what a site earned by it.
func enter(ctx context.Context, tx *store.Tx, buyer, currency string, m movement, line, after int64) error {
	err := tx.Put(ctx, `INSERT INTO account_journal (buyer, currency, line, at, kind, reference, site, available, held, earned, outside, after)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		buyer, currency, line, store.Micros(m.at), m.kind, m.reference, m.site, m.available, m.held, m.earned, m.outside, after)
	if err == nil && m.earned != 0 {
		err = tx.Put(ctx, `INSERT INTO account_revenue (site, day, buyer, currency, earned, movements) VALUES ($1, $2, $3, $4, $5, 1)
			ON CONFLICT (site, day, buyer, currency) DO UPDATE SET earned = account_revenue.earned + EXCLUDED.earned, movements = account_revenue.movements + 1`,
			m.site, dayOf(m.at), buyer, currency, m.earned)
	}
	if err != nil {
		return fmt.Errorf("write into the journal: %w", err)
	}
	return nil
}

// dayOf is the day of a time by UTC, as its first microsecond.
func dayOf(at time.Time) int64 { return store.Micros(at.UTC().Truncate(24 * time.Hour)) }

const balanceColumns = `buyer, currency, available, held, earned, outside, own, status, lines, created`

func scanBalance(rows store.Rows) (b Balance, err error) {
	var created int64
	err = rows.Scan(&b.Buyer, &b.Currency, &b.Available, &b.Held, &b.Earned, &b.Outside, &b.Limit, &b.Status, &b.Lines, &created)
	b.Created = store.FromMicros(created)
	return b, err
}

// findPurse gives the account that a buyer pays from in a currency: its own, else its domain's.
func findPurse(ctx context.Context, tx *store.Tx, buyer, currency string) (purse Balance, found bool, err error) {
	own, domain := holders(buyer)
	// For a list of values SQLite makes a table, which costs more than the rest.
	all, err := collect(ctx, tx, `SELECT `+balanceColumns+` FROM account_balance WHERE buyer = $1 AND currency = $2
		UNION ALL SELECT `+balanceColumns+` FROM account_balance WHERE buyer = $3 AND currency = $2`, scanBalance, own, currency, domain)
	for _, b := range all {
		if !found || b.Buyer == own {
			purse, found = b, true
		}
	}
	return purse, found, err
}

// purse is findPurse for a purchase: an account that is there must be active. Where everybody has credit, one that is not
// there is given as it would be; it is for the caller to make.
func (b *Book) purse(ctx context.Context, tx *store.Tx, buyer, currency string, now time.Time) (purse Balance, found bool, err error) {
	purse, found, err = findPurse(ctx, tx, buyer, currency)
	switch {
	case err != nil:
	case found && purse.Status != Active:
		err = suspendedPurse(purse.Buyer)
	case found:
	case b.options.Credit <= 0:
		err = refuse(InsufficientBalance, "%s has no account in %s here; ask the operator of this exchange for one", buyer, currency)
	default:
		purse = Balance{Buyer: buyer, Currency: currency, Limit: -1, Status: Active, Created: now}
	}
	return purse, found, err
}

func suspendedPurse(buyer string) error {
	return refuse(InvalidLicence, "the account %s is suspended; ask the operator of this exchange why", buyer)
}

func insertPurse(ctx context.Context, tx *store.Tx, b Balance) error {
	_, err := tx.Exec(ctx, `INSERT INTO account_balance (`+balanceColumns+`) VALUES ($1, $2, 0, 0, 0, 0, $3, $4, 0, $5)`,
		b.Buyer, b.Currency, b.Limit, b.Status, store.Micros(b.Created))
	if err != nil {
		return fmt.Errorf("open an account: %w", err)
	}
	return nil
}

// anyPurse gives whose account a buyer pays from in whatever currency.
func (b *Book) anyPurse(ctx context.Context, tx *store.Tx, buyer string) (string, error) {
	own, domain := holders(buyer)
	all, err := collect(ctx, tx, `SELECT `+balanceColumns+` FROM account_balance WHERE buyer IN ($1, $2)`, scanBalance, own, domain)
	if err != nil {
		return "", err
	}
	for _, purse := range all {
		if purse.Status != Active {
			return "", suspendedPurse(purse.Buyer)
		}
	}
	if len(all) == 0 {
		return "", refuse(InsufficientBalance, "%s has no account here from which a share could be paid; ask the operator of this exchange for one", buyer)
	}
	return buyer, nil
}
