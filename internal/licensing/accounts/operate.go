package accounts

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
)

// Open makes the account of a buyer in a currency, with nothing on it. limit is how far below 0 it
// may go, -1 for as far as is configured. It is fail.Invalid where there is one.
func (b *Ledger) Open(ctx context.Context, tx *store.Tx, buyer, currency string, limit int64, now time.Time) error {
	if err := CheckBuyer(buyer); err != nil {
		return err
	}
	if err := checkCurrency(currency); err != nil {
		return err
	}
	if limit < -1 || limit > MaxLimit {
		return fail.New(fail.Invalid, "a credit limit is at least 0 and at most %d", int64(MaxLimit/unit))
	}
	_, err := findBalance(ctx, tx, buyer, currency)
	switch {
	case err == nil:
		return fail.New(fail.Invalid, "%s has an account in %s already", buyer, currency)
	case fail.From(err).Code != fail.NotFound:
		return err
	}
	if err := insertAccount(ctx, tx, Balance{Buyer: buyer, Currency: currency, Limit: limit, Status: Active,
		Created: now}); err != nil {
		return err
	}
	return b.notify(ctx, tx, Change{What: "account", Action: "open", Buyer: buyer, Currency: currency, Amount: limit,
		At: now})
}

// The ways in which the operator moves money into and out of an account.
const (
	Credit = "credit" // it was paid in
	Debit  = "debit"  // it is paid out, or was paid in by mistake
	Lapse  = "expire" // what was paid in is no longer good
)

// maxReference is how long the reference of a payment may be.
const maxReference = 64

// Pay moves an amount of more than 0 into or out of an account: by Credit, Debit or Lapse. The
// reference is the operator's own, such as the number of an invoice; it names no person. More than
// is available cannot be taken out; of what lapses, what is there is taken. It gives what was
// moved. It is fail.NotFound where there is no such account.
func (b *Ledger) Pay(ctx context.Context, tx *store.Tx, did, buyer, currency string, amount int64, reference string,
	now time.Time) (int64, error) {
	if amount <= 0 || amount > most {
		return 0, fail.New(fail.Invalid, "an amount is more than 0 and at most %d", int64(most/unit))
	}
	if len(reference) > maxReference || strings.ContainsFunc(reference, unlikeNumber) {
		return 0,
			fail.New(fail.Invalid, "a reference has letters, digits and -_./: and is at most %d characters long, "+
				"such as the number of an invoice", maxReference)
	}
	balance, err := findBalance(ctx, tx, buyer, currency)
	if err != nil {
		return 0, err
	}
	sign := int64(-1)
	switch {
	case did == Credit && balance.Available+amount > most:
		return 0, fail.New(fail.Invalid, "no account holds more than %d", int64(most/unit))
	case did == Credit:
		sign = 1
	case did == Debit && amount > balance.Available:
		return 0, fail.New(fail.Invalid, "less than that is available on this account")
	case did == Lapse:
		if amount = min(amount, balance.Available); amount <= 0 {
			return 0, nil
		}
	case did != Debit:
		return 0, fail.New(fail.Internal, "there is no payment of kind %q", did)
	}
	if err := post(ctx, tx, buyer, currency, movement{at: now, kind: did, reference: reference,
		available: sign * amount, outside: -sign * amount}); err != nil {
		return 0, err
	}
	return amount,
		b.notify(ctx, tx, Change{What: "account", Action: did, Buyer: buyer, Currency: currency, Amount: amount,
			At: now})
}

// LastPayment gives what a payment of a kind moved that was booked to an account under a reference,
// the newest of several; known is false where there is none, and where the reference is empty.
func (b *Ledger) LastPayment(ctx context.Context, tx *store.Tx, did, buyer, currency, reference string) (amount int64,
	known bool, err error) {
	if reference == "" {
		return 0, false, nil
	}
	found, err := collect(ctx, tx, `SELECT available FROM account_journal WHERE buyer = $1 AND currency = $2 AND kind = $3 AND reference = $4
		AND kind IN ('credit', 'debit', 'expire') ORDER BY line DESC LIMIT 1`,
		func(row store.Scanner) (n int64, err error) { return n, row.Scan(&n) }, buyer, currency, did, reference)
	if err != nil || len(found) == 0 {
		return 0, false, err
	}
	return max(found[0], -found[0]), true, nil
}

func unlikeNumber(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_./:", r)
}

// SetLimit says how far below 0 an account may go, -1 for as far as is configured. It is
// fail.NotFound where there is no such account.
func (b *Ledger) SetLimit(ctx context.Context, tx *store.Tx, buyer, currency string, limit int64, now time.Time) error {
	if limit < -1 || limit > MaxLimit {
		return fail.New(fail.Invalid, "a credit limit is at least 0 and at most %d", int64(MaxLimit/unit))
	}
	n, err := tx.Exec(ctx, `UPDATE account_balance SET own = $1 WHERE buyer = $2 AND currency = $3`, limit, buyer, currency)
	if err != nil {
		return fmt.Errorf("change an account: %w", err)
	}
	if n == 0 {
		return noAccount(buyer, currency)
	}
	return b.notify(ctx, tx, Change{What: "account", Action: "limit", Buyer: buyer, Currency: currency, Amount: limit,
		At: now})
}

// SetAccountStatus makes an account Active or Suspended: from one that is suspended nothing is
// bought. It is fail.NotFound where there is no such account.
func (b *Ledger) SetAccountStatus(ctx context.Context, tx *store.Tx, buyer, currency, status string,
	now time.Time) error {
	did := map[string]string{Active: "resume", Suspended: "suspend"}[status]
	if did == "" {
		return fail.New(fail.Invalid, "an account is %s or %s", Active, Suspended)
	}
	n, err := tx.Exec(ctx, `UPDATE account_balance SET status = $1 WHERE buyer = $2 AND currency = $3`, status, buyer, currency)
	if err != nil {
		return fmt.Errorf("change an account: %w", err)
	}
	if n == 0 {
		return noAccount(buyer, currency)
	}
	return b.notify(ctx, tx, Change{What: "account", Action: did, Buyer: buyer, Currency: currency, At: now})
}

func noAccount(buyer, currency string) error {
	return fail.New(fail.NotFound, "%.60s has no account in %.3s; `frontdesk ramp account list` shows those there are",
		buyer, currency)
}

// findBalance reads an account.
func findBalance(ctx context.Context, tx *store.Tx, buyer, currency string) (Balance, error) {
	all, err := collect(ctx, tx, `SELECT `+balanceColumns+` FROM account_balance WHERE buyer = $1 AND currency = $2`, scanBalance, buyer, currency)
	if err == nil && len(all) == 0 {
		err = noAccount(buyer, currency)
	}
	if err != nil {
		return Balance{}, err
	}
	return all[0], nil
}

// checkCurrency says whether a text has the form of an ISO 4217 code.
func checkCurrency(code string) error {
	if len(code) != 3 || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return fail.New(fail.Invalid, "%.10q is no currency; write its ISO 4217 code, like USD", code)
	}
	return nil
}

// AddLicence gives a buyer a licence. Its status becomes Active. It is fail.Invalid where there is
// one of its id.
func (b *Ledger) AddLicence(ctx context.Context, tx *store.Tx, l Licence, now time.Time) error {
	if _, ok := Models[l.Paid]; !ok && l.Paid != "" {
		return fail.New(fail.Invalid, "there is no pricing model %.40q that a licence could have paid", l.Paid)
	}
	return b.add(ctx, tx, licence{Licence: l, kind: GrantLicence}, now)
}

// AddSubscription gives a buyer a subscription without quotas; SetQuota adds them. Its status
// becomes Active, and currency is in which SpendCents are counted, empty for a subscription that
// will have no such quota. It is fail.Invalid where there is one of its id.
func (b *Ledger) AddSubscription(ctx context.Context, tx *store.Tx, l Licence, currency string, now time.Time) error {
	if currency != "" {
		if err := checkCurrency(currency); err != nil {
			return err
		}
	}
	l.Paid = ""
	return b.add(ctx, tx, licence{Licence: l, kind: GrantSubscription, currency: currency}, now)
}

func (b *Ledger) add(ctx context.Context, tx *store.Tx, l licence, now time.Time) error {
	if err := CheckBuyer(l.Buyer); err != nil {
		return err
	}
	if err := l.Scope.check(); err != nil {
		return err
	}
	if l.ID == "" || len(l.ID) > maxReference || strings.ContainsFunc(l.ID, unlikeNumber) {
		return fail.New(fail.Invalid, "an id has letters, digits and -_./: and is at most %d characters long",
			maxReference)
	}
	if !l.Ends.IsZero() && !l.Begins.Before(l.Ends) {
		return fail.New(fail.Invalid, "it ends before it begins")
	}
	there, err := selectLicences(ctx, tx, `WHERE id = $1`, l.ID)
	if err == nil && len(there) > 0 {
		err = fail.New(fail.Invalid, "there is a %s %s already; choose another id", there[0].kind, l.ID)
	}
	if err != nil {
		return err
	}
	l.Status, l.Created = Active, now
	if err := insertLicence(ctx, tx, l); err != nil {
		return err
	}
	return b.notify(ctx, tx, Change{What: l.kind, Action: "add", ID: l.ID, Buyer: l.Buyer, Site: l.Site, At: now})
}

// SetLicenceStatus makes a licence or a subscription Active or Suspended, or Ended for good. It is
// fail.NotFound where there is none of that id.
func (b *Ledger) SetLicenceStatus(ctx context.Context, tx *store.Tx, id, status string, now time.Time) error {
	l, err := findLicence(ctx, tx, id)
	if err != nil {
		return err
	}
	did := map[string]string{Active: "resume", Suspended: "suspend", Ended: "end"}[status]
	switch {
	case did == "":
		return fail.New(fail.Invalid, "a licence is %s, %s or %s", Active, Suspended, Ended)
	case l.Status == Ended && status != Ended:
		return fail.New(fail.Invalid, "%s has ended for good; add another", id)
	}
	if err := setStatus(ctx, tx, id, status); err != nil {
		return err
	}
	return b.notify(ctx, tx, Change{What: l.kind, Action: did, ID: id, Buyer: l.Buyer, Site: l.Site, At: now})
}

func findLicence(ctx context.Context, tx *store.Tx, id string) (licence, error) {
	found, err := selectLicences(ctx, tx, `WHERE id = $1`, id)
	if err == nil && len(found) == 0 {
		err = fail.New(fail.NotFound, "there is no licence or subscription %.60q", id)
	}
	if err != nil {
		return licence{}, err
	}
	return found[0], nil
}

// QuotaSetting is a quota as the operator sets it.
type QuotaSetting struct {
	Unit   string // one of Units
	Limit  int64  // in the unit, 0 for none at all
	Months int    // how long a period is, in months; or
	Span   time.Duration
	// Restart forgets what was used in the current period.
	Restart bool
}

// maxPeriod bounds a period in months.
const maxPeriod = 1200

// SetQuota sets a quota of a subscription. Periods are counted from when it was set first, or its
// period changed. It is fail.NotFound where there is no such subscription.
func (b *Ledger) SetQuota(ctx context.Context, tx *store.Tx, subscription string, row QuotaSetting,
	now time.Time) error {
	l, err := findLicence(ctx, tx, subscription)
	switch {
	case err != nil:
		return err
	case l.kind != GrantSubscription:
		return fail.New(fail.Invalid, "%s is a licence; subscriptions have quotas", subscription)
	case !slices.Contains(Units, row.Unit):
		return fail.New(fail.Invalid, "%.40q is no unit of quotas; there are %s", row.Unit, strings.Join(Units, ", "))
	case row.Limit < 0 || row.Limit > maxQuota:
		return fail.New(fail.Invalid, "a quota is at least 0 and at most %d", int64(maxQuota))
	case row.Months < 0 || row.Months > maxPeriod || row.Span < 0 || row.Span != 0 &&
		(row.Months != 0 || row.Span < time.Second):
		return fail.New(fail.Invalid, "a period is 1 to %d months, or a span of a second or more; leave it out for "+
			"the whole time of the subscription", maxPeriod)
	case row.Unit == SpendCents && l.currency == "":
		return fail.New(fail.Invalid, "%s has no currency in which to count what is spent; add another that has one",
			subscription)
	}
	most := row.Limit
	if row.Unit == SpendCents {
		most *= cent
	}
	there, err := quotas(ctx, tx, subscription)
	if err != nil {
		return err
	}
	q := Quota{Unit: row.Unit, anchor: now}
	for _, old := range there {
		if old.Unit == row.Unit {
			q = old.at(now)
		}
	}
	if q.Months != row.Months || q.Span != row.Span {
		q.anchor = now
	}
	q.most, q.Months, q.Span = most, row.Months, row.Span
	if row.Restart {
		q.used = 0
		q.round++
	}
	q.Resets = q.next(now)
	_, err = tx.Exec(ctx, `INSERT INTO account_quota (subscription, unit, most, used, months, span, anchor, resets, round) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT (subscription, unit) DO UPDATE SET most = EXCLUDED.most, used = EXCLUDED.used, months = EXCLUDED.months, span = EXCLUDED.span,
		anchor = EXCLUDED.anchor, resets = EXCLUDED.resets, round = EXCLUDED.round`,
		subscription, q.Unit, q.most, q.used, q.Months, q.Span.Microseconds(), store.Micros(q.anchor),
		store.Micros(q.Resets), q.round)
	if err != nil {
		return fmt.Errorf("set a quota: %w", err)
	}
	return b.notify(ctx, tx, Change{What: GrantSubscription, Action: "quota", ID: subscription, Buyer: l.Buyer,
		Site: l.Site, Amount: row.Limit, Unit: row.Unit, At: now})
}
