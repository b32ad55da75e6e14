package accounts

import (
	"context"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
)

// Clerk does for the operator what a Book does, each time in a transaction of its own. Its methods may be called from several
// goroutines, and their errors are the Book's.
type Clerk struct {
	DB   *store.DB
	Book *Book
	Now  func() time.Time
}

func (c *Clerk) do(ctx context.Context, fn func(tx *store.Tx, now time.Time) error) error {
	return c.DB.UpdateBatched(ctx, func(tx *store.Tx) error { return fn(tx, c.Now().UTC().Truncate(time.Microsecond)) })
}

// Open is Book.Open.
func (c *Clerk) Open(ctx context.Context, buyer, currency string, limit int64) error {
	return c.do(ctx, func(tx *store.Tx, now time.Time) error { return c.Book.Open(ctx, tx, buyer, currency, limit, now) })
}

// Payment is money that the operator moves, see Book.Pay.
type Payment struct {
	Did                        string // Credit, Debit or Lapse
	Buyer, Currency, Reference string
	Amount                     int64
	// Seen is the last line of the journal that the operator saw. Where the same payment stands behind it, it was sent twice.
	Seen int64
}

// Pay is Book.Pay for a payment that was not sent before; otherwise it is fail.Invalid.
func (c *Clerk) Pay(ctx context.Context, p Payment) (moved int64, err error) {
	err = c.do(ctx, func(tx *store.Tx, now time.Time) error {
		again, err := c.Book.Booked(ctx, tx, p.Did, p.Buyer, p.Currency, p.Amount, p.Reference, p.Seen)
		switch {
		case err != nil:
			return err
		case again:
			return fail.New(fail.Invalid, "the same amount with the same reference was booked a moment ago, and is not booked twice; if it is meant to be, load the page again and send it once more")
		}
		moved, err = c.Book.Pay(ctx, tx, p.Did, p.Buyer, p.Currency, p.Amount, p.Reference, now)
		return err
	})
	return moved, err
}

// SetLimit is Book.SetLimit.
func (c *Clerk) SetLimit(ctx context.Context, buyer, currency string, limit int64) error {
	return c.do(ctx, func(tx *store.Tx, now time.Time) error { return c.Book.SetLimit(ctx, tx, buyer, currency, limit, now) })
}

// SetStatus is Book.SetAccountStatus.
func (c *Clerk) SetStatus(ctx context.Context, buyer, currency, status string) error {
	return c.do(ctx, func(tx *store.Tx, now time.Time) error {
		return c.Book.SetAccountStatus(ctx, tx, buyer, currency, status, now)
	})
}

// Grant gives a buyer a licence or, by its kind, a subscription with quotas: Book.AddLicence, or Book.AddSubscription and
// Book.SetQuota, all or nothing.
func (c *Clerk) Grant(ctx context.Context, g Grant, quotas ...QuotaRow) error {
	return c.do(ctx, func(tx *store.Tx, now time.Time) error {
		if g.Begins.IsZero() {
			g.Begins = now
		}
		if g.Kind == GrantLicence {
			return c.Book.AddLicence(ctx, tx, g.Licence, now)
		}
		if err := c.Book.AddSubscription(ctx, tx, g.Licence, g.Currency, now); err != nil {
			return err
		}
		for _, row := range quotas {
			if err := c.Book.SetQuota(ctx, tx, g.ID, row, now); err != nil {
				return err
			}
		}
		return nil
	})
}

// SetGrantStatus is Book.SetLicenceStatus.
func (c *Clerk) SetGrantStatus(ctx context.Context, id, status string) error {
	return c.do(ctx, func(tx *store.Tx, now time.Time) error { return c.Book.SetLicenceStatus(ctx, tx, id, status, now) })
}

// SetQuota is Book.SetQuota.
func (c *Clerk) SetQuota(ctx context.Context, subscription string, row QuotaRow) error {
	return c.do(ctx, func(tx *store.Tx, now time.Time) error { return c.Book.SetQuota(ctx, tx, subscription, row, now) })
}
