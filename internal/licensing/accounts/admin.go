package accounts

import (
	"context"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
)

// Admin does for the operator what a Book does, each time in a transaction of its own. Its methods may be called from several
// goroutines, and their errors are the Book's.
type Admin struct {
	DB     *store.DB
	Ledger *Ledger
	Now    func() time.Time
}

func (c *Admin) do(ctx context.Context, fn func(tx *store.Tx, now time.Time) error) error {
	return c.DB.UpdateBatched(ctx, func(tx *store.Tx) error { return fn(tx, c.Now().UTC().Truncate(time.Microsecond)) })
}

// Open is Book.Open.
func (c *Admin) Open(ctx context.Context, buyer, currency string, limit int64) error {
	return c.do(ctx, func(tx *store.Tx, now time.Time) error { return c.Ledger.Open(ctx, tx, buyer, currency, limit, now) })
}

// Payment is money that the operator moves, see Book.Pay.
type Payment struct {
	Action                     string // Credit, Debit or Lapse
	Buyer, Currency, Reference string
	Amount                     int64
	// Seen is the last line of the journal that the operator saw. Where the same payment stands behind it, it was sent twice.
	Seen int64
}

// Pay is Book.Pay for a payment that was not sent before; otherwise it is fail.Invalid.
func (c *Admin) Pay(ctx context.Context, p Payment) (moved int64, err error) {
	err = c.do(ctx, func(tx *store.Tx, now time.Time) error {
		again, err := c.Ledger.PaymentBooked(ctx, tx, p.Action, p.Buyer, p.Currency, p.Amount, p.Reference, p.Seen)
		switch {
		case err != nil:
			return err
		case again:
			return fail.New(fail.Invalid, "the same amount with the same reference was booked a moment ago, and is not booked twice; if it is meant to be, load the page again and send it once more")
		}
		moved, err = c.Ledger.Pay(ctx, tx, p.Action, p.Buyer, p.Currency, p.Amount, p.Reference, now)
		return err
	})
	return moved, err
}

// SetLimit is Book.SetLimit.
func (c *Admin) SetLimit(ctx context.Context, buyer, currency string, limit int64) error {
	return c.do(ctx, func(tx *store.Tx, now time.Time) error {
		return c.Ledger.SetLimit(ctx, tx, buyer, currency, limit, now)
	})
}

// SetStatus is Book.SetAccountStatus.
func (c *Admin) SetStatus(ctx context.Context, buyer, currency, status string) error {
	return c.do(ctx, func(tx *store.Tx, now time.Time) error {
		return c.Ledger.SetAccountStatus(ctx, tx, buyer, currency, status, now)
	})
}

// Grant gives a buyer a licence or, by its kind, a subscription with quotas: Book.AddLicence, or Book.AddSubscription and
// Book.SetQuota, all or nothing.
func (c *Admin) Grant(ctx context.Context, g Grant, quotas ...QuotaSetting) error {
	return c.do(ctx, func(tx *store.Tx, now time.Time) error {
		if g.Begins.IsZero() {
			g.Begins = now
		}
		if g.Kind == GrantLicence {
			return c.Ledger.AddLicence(ctx, tx, g.Licence, now)
		}
		if err := c.Ledger.AddSubscription(ctx, tx, g.Licence, g.Currency, now); err != nil {
			return err
		}
		for _, row := range quotas {
			if err := c.Ledger.SetQuota(ctx, tx, g.ID, row, now); err != nil {
				return err
			}
		}
		return nil
	})
}

// SetGrantStatus is Book.SetLicenceStatus.
func (c *Admin) SetGrantStatus(ctx context.Context, id, status string) error {
	return c.do(ctx, func(tx *store.Tx, now time.Time) error { return c.Ledger.SetLicenceStatus(ctx, tx, id, status, now) })
}

// SetQuota is Book.SetQuota.
func (c *Admin) SetQuota(ctx context.Context, subscription string, row QuotaSetting) error {
	return c.do(ctx, func(tx *store.Tx, now time.Time) error { return c.Ledger.SetQuota(ctx, tx, subscription, row, now) })
}
