package accounts

import (
	"context"
	"fmt"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/policy"
)

// Charge is a purchase to authorize.
type Charge struct {
	ID    string // of the transaction; that of the hold, too, and so unique
	Buyer string // DOMAIN/ID
	Site  string // whose the resource is
	Item  Item
	Price policy.Money
	// Quantity is the estimated use, in the unit of the pricing model; 0 if unknown.
	Quantity int64
	// Tokens is the estimate in tokens, for quotas; 0 for unknown.
	Tokens int64
	// Licence is that which the buyer names, empty for none; it must be the buyer's, valid, and
	// cover the item.
	Licence string
	// Subscription is that under which the purchase is made, empty for one that is paid. Subscriber
	// is whose it is where somebody else's may be used; empty for the buyer's, or its domain's.
	Subscription, Subscriber string
	// Due is when a hold is charged in full if no report came. Models that charge on a report need
	// it.
	Due time.Time
	// Timed says that the seller measures for how long it is used (Book.Meter). Where the model
	// counts minutes, those are what is charged, whatever is reported, or nothing.
	Timed bool
	// Scope is for what a licence or subscription is good that the model grants; without it, for
	// the item's address alone.
	Scope Scope
	Now   time.Time
}

// Hold is a purchase as the accounts know it, from its authorization to its settlement.
type Hold struct {
	ID           string
	Buyer        string // who bought
	Holder       string // whose account, subscription or licence it was: the buyer's, or its domain's
	Site         string
	Model        string
	Currency     string
	Rate         int64 // in 1e-8 of the currency; of revenue_share the share
	Quantity     int64 // that was estimated; 0 for unknown
	Value        int64 // what it would have cost if nothing made it cheaper
	Authorised   int64
	Charged      int64 // so far
	State        State
	Reported     int64 // the quantity; -1 while there is no report
	Subscription string
	Licence      string // that was named
	Granted      string // the licence or subscription that the purchase granted
	Created      time.Time
	Due          time.Time // when it is closed for want of a report; zero for never
	Closed       time.Time // zero while it is held
	// Quotas are those of the subscription, as they are after the purchase. Authorize and Release
	// set them.
	Quotas []Quota

	uses []use
}

// State is how far a purchase is.
type State string

// The states of a purchase.
const (
	Held     State = "held"     // a report settles it
	Settled  State = "settled"  // what is charged is final
	Expired  State = "expired"  // no report came in time
	Released State = "released" // taken back: nothing is charged
	Credited State = "credited" // a part of what was charged was given back
)

// Authorize lets a purchase through, or gives a *Refused and writes nothing. What the model charges
// at once is charged, what it charges later is held, and quotas are counted down, all in the
// caller's transaction.
func (b *Ledger) Authorize(ctx context.Context, tx *store.Tx, c Charge) (Hold, error) {
	model, ok := Models[c.Price.Model]
	if !ok {
		return Hold{}, fail.New(fail.Internal, "there is no pricing model %q", c.Price.Model)
	}
	h := Hold{
		ID: c.ID, Buyer: c.Buyer, Holder: c.Buyer, Site: c.Site, Model: c.Price.Model, Currency: c.Price.Currency,
		Rate: c.Price.Rate, Quantity: c.Quantity,
		Value: Value(c.Price, c.Quantity), State: Settled, Reported: -1, Subscription: c.Subscription,
		Licence: c.Licence, Created: c.Now, Closed: c.Now,
	}
	free, err := b.checkLicence(ctx, tx, c)
	if err != nil {
		return Hold{}, err
	}
	switch {
	case c.Subscription != "":
		err = b.take(ctx, tx, c, &h)
	case free || model.Charging == Never:
	default:
		err = b.pay(ctx, tx, c, model, &h)
	}
	if err != nil {
		return Hold{}, err
	}
	if c.Timed {
		if err := openMeter(ctx, tx, c.ID); err != nil {
			return Hold{}, err
		}
	}
	return h, insertHold(ctx, tx, h)
}

// pay charges or holds what a purchase costs.
func (b *Ledger) pay(ctx context.Context, tx *store.Tx, c Charge, model Model, h *Hold) error {
	if model.Charging == OnReport && c.Due.IsZero() {
		return fail.New(fail.Internal, "a purchase by %s has no time by which it is charged without a report",
			c.Price.Model)
	}
	if model.Charging == AfterSale {
		purse, err := b.anyAccount(ctx, tx, c.Buyer)
		h.Holder, h.State, h.Due, h.Closed = purse, Held, c.Due, time.Time{}
		return err
	}
	h.Authorised = h.Value
	purse, found, err := b.account(ctx, tx, c.Buyer, c.Price.Currency, c.Now)
	if err != nil {
		return err
	}
	if purse.Available+purse.limit(b.options.Credit) < h.Authorised {
		return refuse(InsufficientBalance, "the account %s has not enough in %s for this; ask the operator of this "+
			"exchange for credit, or buy less", purse.Buyer, c.Price.Currency)
	}
	if !found {
		if err := insertAccount(ctx, tx, purse.Balance); err != nil {
			return err
		}
	}
	h.Holder = purse.Buyer
	move := movement{at: c.Now, kind: "charge", reference: c.ID, site: c.Site, available: -h.Authorised,
		earned: h.Authorised}
	if model.Charging == OnReport {
		move.kind, move.held, move.earned = "hold", h.Authorised, 0
		h.State, h.Due, h.Closed = Held, c.Due, time.Time{}
	} else {
		h.Charged = h.Authorised
	}
	if err := postTo(ctx, tx, purse, move); err != nil {
		return err
	}
	return b.grant(ctx, tx, c, model, h)
}

// Report is a buyer's report of use.
type Report struct {
	Quantity int64 // in what the model counts
	// Reported is the quantity as the report gave it, in units of TimeUnit.
	Reported int64
	TimeUnit time.Duration // 0 for no unit of time
	// Revenue is what was earned with the resource, in 1e-8 of Currency, for revenue_share.
	Revenue  int64
	Currency string
	Now      time.Time
}

// Settlement is what a report changed.
type Settlement struct {
	Hold
	// Deviant says that the quantity differs from the estimate, or from what was measured, by more
	// than the tolerance.
	Deviant bool
	// Measured is the seller's own measurement of the reported quantity; 0 if there is none.
	Measured time.Duration
	// Late says that the time for the report was over, and the purchase closed without it. What was
	// charged stands; a share of revenue is charged all the same.
	Late bool
	// GivenBack is what was held and is available again.
	GivenBack int64
}

// Settle takes in the report on a purchase, once: a second is fail.Invalid. It is fail.NotFound
// where there is no such purchase, and fail.Invalid where it was taken back, or where a share of
// revenue is in a currency in which the buyer has no account.
func (b *Ledger) Settle(ctx context.Context, tx *store.Tx, id string, r Report) (Settlement, error) {
	h, err := findHold(ctx, tx, id)
	switch {
	case err != nil:
		return Settlement{}, err
	case h.State == Released:
		return Settlement{}, fail.New(fail.Invalid, "this purchase was taken back; there is nothing to report")
	case h.Reported >= 0:
		return Settlement{}, fail.New(fail.Invalid, "this purchase was reported already")
	case r.Quantity < 0 || r.Revenue < 0:
		return Settlement{}, fail.New(fail.Invalid, "a report has no quantity and no revenue below 0")
	}
	if h.State == Held && !h.Due.IsZero() && !r.Now.Before(h.Due) { // the sweep has not come by yet
		if err := lapse(ctx, tx, &h, r.Now); err != nil {
			return Settlement{}, err
		}
	}
	s := Settlement{Hold: h, Deviant: b.outside(h.Quantity, r.Quantity), Late: h.State == Expired}
	s.Reported = r.Quantity
	charge, isMeasured, err := measured(ctx, tx, h)
	if err == nil && !isMeasured {
		charge = b.settled(h, r.Quantity)
	}
	if err == nil {
		err = s.compare(ctx, tx, r)
	}
	if err != nil {
		return Settlement{}, err
	}
	switch {
	case Models[h.Model].Charging == AfterSale && h.State != Settled:
		err = b.shareOut(ctx, tx, &s, r)
	case h.State == Held:
		s.Charged = charge
		s.GivenBack = h.Authorised - s.Charged
		err = post(ctx, tx, h.Holder, h.Currency, movement{
			at: r.Now, kind: "settle", reference: id, site: h.Site, held: -h.Authorised, earned: s.Charged,
			available: s.GivenBack,
		})
	}
	if h.State == Held {
		s.State, s.Closed = Settled, r.Now
	}
	if err != nil {
		return Settlement{}, err
	}
	return s, updateHold(ctx, tx, s.Hold)
}

// shareOut charges a share of what was earned. It is owed whatever stands on the account: there was
// nothing to hold.
func (b *Ledger) shareOut(ctx context.Context, tx *store.Tx, s *Settlement, r Report) error {
	amount := Share(r.Revenue, s.Rate)
	if amount == tooMuch || amount > most {
		return fail.New(fail.Invalid, "no revenue is this large; report it in whole units of the currency and "+
			"decimals of it")
	}
	s.Currency, s.Charged = r.Currency, amount
	if amount == 0 {
		return nil
	}
	purse, found, err := findAccount(ctx, tx, s.Buyer, r.Currency)
	if err == nil && !found {
		err = fail.New(fail.Invalid, "there is no account of %s in %.3q; report the revenue in a currency in which "+
			"there is one", s.Buyer, r.Currency)
	}
	if err != nil {
		return err
	}
	s.Holder = purse.Buyer
	return post(ctx, tx, purse.Buyer, r.Currency, movement{at: r.Now, kind: "share", reference: s.ID, site: s.Site,
		available: -amount, earned: amount})
}

// outside says whether a reported quantity is further off the estimate than the tolerance.
func (b *Ledger) outside(estimate, reported int64) bool {
	if estimate <= 0 {
		return false
	}
	off := reported - estimate
	return Product(max(off, -off), 100) > Product(estimate, b.options.Tolerance)
}

// settled is what a report of a quantity charges of a purchase that is held: what was used, but not
// more than was authorised, and not less than the tolerance leaves of it. Without an estimate there
// is nothing to compare with, and the rate for one is the price.
func (b *Ledger) settled(h Hold, quantity int64) int64 {
	if h.Quantity <= 0 {
		return h.Authorised
	}
	least := h.Authorised - portion(h.Authorised, min(b.options.Tolerance, 100), 100)
	return min(max(Product(h.Rate, quantity), least), h.Authorised)
}

// Release takes a purchase back: what is held or was charged is available again, and quotas are as
// if it had not been, as far as they have not begun anew since. Taking back again changes nothing.
// What a purchase granted ends with it. It is fail.NotFound where there is no such purchase.
func (b *Ledger) Release(ctx context.Context, tx *store.Tx, id string, now time.Time) (Hold, error) {
	h, err := findHold(ctx, tx, id)
	if err != nil || h.State == Released {
		return h, err
	}
	return b.release(ctx, tx, h, "release", now)
}

func (b *Ledger) release(ctx context.Context, tx *store.Tx, h Hold, kind string, now time.Time) (Hold, error) {
	move := movement{at: now, kind: kind, reference: h.ID, site: h.Site, available: h.Charged, earned: -h.Charged}
	if h.State == Held {
		move.available, move.held = h.Charged+h.Authorised, -h.Authorised
	}
	if move.available != 0 {
		if err := post(ctx, tx, h.Holder, h.Currency, move); err != nil {
			return Hold{}, err
		}
	}
	if err := b.putBack(ctx, tx, &h, now); err != nil {
		return Hold{}, err
	}
	if h.Granted != "" {
		if err := setStatus(ctx, tx, h.Granted, Ended); err != nil {
			return Hold{}, err
		}
	}
	h.State, h.Charged, h.Closed = Released, 0, now
	return h, updateHold(ctx, tx, h)
}

// Credit gives back what a purchase was charged, once: an amount of it, or all of it for 0, and
// then what is still held, its quotas and what it granted, too, as Release does. It gives what was
// given back, and the purchase as it is then: Released where that was all. It is fail.NotFound
// where there is no such purchase, and fail.Invalid where it was given back before, or was charged
// less.
func (b *Ledger) Credit(ctx context.Context, tx *store.Tx, id string, amount int64, now time.Time) (given int64, h Hold,
	err error) {
	h, err = findHold(ctx, tx, id)
	switch {
	case err != nil:
		return 0, h, err
	case h.State == Released || h.State == Credited:
		return 0, h, fail.New(fail.Invalid, "this purchase was given back already")
	case amount < 0 || amount > h.Charged:
		return 0, h,
			fail.New(fail.Invalid, "more than was charged cannot be given back; name less, or nothing for all of it")
	}
	if given = h.Charged; amount == 0 || amount == h.Charged {
		h, err = b.release(ctx, tx, h, refund, now)
		return given, h, err
	}
	if h.State == Held {
		return 0, h,
			fail.New(fail.Invalid, "what a purchase costs is not settled yet; give back all of it, or wait for "+
				"its report")
	}
	if err := post(ctx, tx, h.Holder, h.Currency,
		movement{at: now, kind: refund, reference: id, site: h.Site, available: amount, earned: -amount}); err != nil {
		return 0, h, err
	}
	h.Charged, h.State = h.Charged-amount, Credited
	return amount, h, updateHold(ctx, tx, h)
}

// refund is the kind of the line of the journal that gives back what was disputed.
const refund = "refund"

// CountPurchases counts the purchases of a buyer since a time, up to a bound.
func (b *Ledger) CountPurchases(ctx context.Context, tx *store.Tx, buyer string, since time.Time, most int) (n int,
	err error) {
	own, domain := holders(buyer)
	err = tx.QueryRow(ctx, `SELECT COUNT(*) FROM (SELECT 1 FROM account_hold WHERE holder IN ($1, $2) AND created >= $3 AND buyer = $1 LIMIT $4) AS bought`,
		own, domain, store.Micros(since), most).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count purchases: %w", err)
	}
	return n, nil
}

// Overdue gives purchases whose report did not come in time, the oldest first, at most a number of
// them: their ids by whose account they are paid from.
func Overdue(ctx context.Context, tx *store.Tx, now time.Time, limit int) (map[string][]string, error) {
	holds, err := selectHolds(ctx, tx, `WHERE state = 'held' AND due > 0 AND due <= $1 ORDER BY due, id LIMIT $2`, store.Micros(now), limit)
	ids := map[string][]string{}
	for _, h := range holds {
		ids[h.Holder] = append(ids[h.Holder], h.ID)
	}
	return ids, err
}

// Expire closes those of some purchases whose report did not come in time, and gives them: what was
// held is charged in full, or, of those that were measured, what they were used.
func (b *Ledger) Expire(ctx context.Context, tx *store.Tx, now time.Time, ids ...string) ([]Hold, error) {
	args := []any{store.Micros(now)}
	for _, id := range ids {
		args = append(args, id)
	}
	holds, err := selectHolds(ctx, tx, `WHERE state = 'held' AND due > 0 AND due <= $1 AND id IN (`+store.Params(2, len(ids))+`) ORDER BY due, id`, args...)
	if err != nil {
		return nil, err
	}
	for i := range holds {
		if err := lapse(ctx, tx, &holds[i], now); err != nil {
			return nil, err
		}
		if err := updateHold(ctx, tx, holds[i]); err != nil {
			return nil, err
		}
	}
	return holds, nil
}

// lapse charges what is held of a purchase: in full, or by its meter. The caller writes what it is
// then.
func lapse(ctx context.Context, tx *store.Tx, h *Hold, now time.Time) error {
	charge, isMeasured, err := measured(ctx, tx, *h)
	if err != nil {
		return err
	}
	if !isMeasured {
		charge = h.Authorised
	}
	if h.Authorised > 0 {
		if err := post(ctx, tx, h.Holder, h.Currency, movement{
			at: now, kind: "expire", reference: h.ID, site: h.Site, held: -h.Authorised, earned: charge,
			available: h.Authorised - charge,
		}); err != nil {
			return err
		}
	}
	h.State, h.Charged, h.Closed = Expired, charge, now
	return nil
}

const holdColumns = `id, buyer, holder, site, model, currency, rate, quantity, value, authorised, charged, state, reported, subscription, licence, uses, granted, created, due, closed`

func insertHold(ctx context.Context, tx *store.Tx, h Hold) error {
	err := tx.ExecOne(ctx, `INSERT INTO account_hold (`+holdColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)`,
		h.ID, h.Buyer, h.Holder, h.Site, h.Model, h.Currency, h.Rate, h.Quantity, h.Value, h.Authorised, h.Charged,
		string(h.State), h.Reported,
		h.Subscription, h.Licence, writeUses(h.uses), h.Granted, store.Micros(h.Created), store.Micros(h.Due),
		store.Micros(h.Closed))
	if err != nil {
		return fmt.Errorf("keep a purchase: %w", err)
	}
	return nil
}

// updateHold writes what changes of a purchase.
func updateHold(ctx context.Context, tx *store.Tx, h Hold) error {
	err := tx.ExecOne(ctx, `UPDATE account_hold SET holder = $1, currency = $2, charged = $3, state = $4, reported = $5, uses = $6, closed = $7 WHERE id = $8`,
		h.Holder, h.Currency, h.Charged, string(h.State), h.Reported, writeUses(h.uses), store.Micros(h.Closed), h.ID)
	if err != nil {
		return fmt.Errorf("change a purchase: %w", err)
	}
	return nil
}

// findHold reads a purchase.
func findHold(ctx context.Context, tx *store.Tx, id string) (Hold, error) {
	holds, err := selectHolds(ctx, tx, `WHERE id = $1`, id)
	if err == nil && len(holds) == 0 {
		err = fail.New(fail.NotFound, "there is no purchase of this id")
	}
	if err != nil {
		return Hold{}, err
	}
	return holds[0], nil
}

func selectHolds(ctx context.Context, tx *store.Tx, where string, args ...any) ([]Hold, error) {
	return collect(ctx, tx, `SELECT `+holdColumns+` FROM account_hold `+where, scanHold, args...)
}

func scanHold(row store.Scanner) (h Hold, err error) {
	var uses string
	err = row.Scan(&h.ID, &h.Buyer, &h.Holder, &h.Site, &h.Model, &h.Currency, &h.Rate, &h.Quantity, &h.Value,
		&h.Authorised, &h.Charged, (*string)(&h.State), &h.Reported,
		&h.Subscription, &h.Licence, &uses, &h.Granted, &h.Created, &h.Due, &h.Closed)
	if err != nil {
		return h, err
	}
	h.uses, err = readUses(uses)
	return h, err
}

// collect reads the rows of a query.
func collect[T any](ctx context.Context, tx *store.Tx, query string, scan func(store.Scanner) (T, error),
	args ...any) (all []T, err error) {
	if all, err = store.All(ctx, tx, query, scan, args...); err != nil {
		return nil, fmt.Errorf("read the book: %w", err)
	}
	return all, nil
}
