package accounts

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
)

// The units of quotas, as RAMP v1's SubscriptionQuotaInfo names them.
const (
	Accesses   = "accesses"    // purchases
	Tokens     = "tokens"      // as estimated when they are bought
	SpendCents = "spend_cents" // what the purchases would have cost, in hundredths of the subscription's currency
	Burst      = "burst"       // purchases, within a short span
)

// Units are the units of quotas.
var Units = []string{Accesses, Tokens, SpendCents, Burst}

// cent is a hundredth of a currency in units of amounts: quotas of SpendCents are counted in these,
// so that what costs less than a cent is counted as what it is.
const cent = unit / 100

// maxQuota bounds a quota in its unit: RAMP v1 writes it in 32 bits.
const maxQuota = 1<<31 - 1

// Quota is how much of something a subscription gives in each period.
type Quota struct {
	Unit   string
	Months int           // how long a period is, in months; or
	Span   time.Duration // as a span; neither for the whole time of the subscription
	Resets time.Time     // when the next period begins; zero for never

	most, used int64 // in units of amounts for SpendCents
	anchor     time.Time
	round      int64
}

// Period writes how long a period is, as ParsePeriod reads it; empty for the whole time of the
// subscription.
func (q Quota) Period() string {
	switch {
	case q.Months > 0:
		return strconv.Itoa(q.Months) + "mo"
	case q.Span > 0:
		return q.Span.String()
	}
	return ""
}

// ParsePeriod reads how long a period of a quota is: months like "1mo", a span like "24h", or
// nothing for the whole time of the subscription. The error says how to write one.
func ParsePeriod(text string) (months int, span time.Duration, err error) {
	if text == "" {
		return 0, 0, nil
	}
	if number, ok := strings.CutSuffix(text, "mo"); ok {
		months, err = strconv.Atoi(number)
	} else {
		span, err = time.ParseDuration(text)
	}
	if err != nil || months <= 0 && span <= 0 {
		return 0, 0, fmt.Errorf("%.40q is no period; write months like 1mo, or a span like 24h or 1m", text)
	}
	return months, span, nil
}

// Counts gives the limit, what is used of it and what is left, in the quota's unit. Of cents that
// are spent in part, none is left.
func (q Quota) Counts() (limit, used, left int64) {
	limit, used = q.most, q.used
	if q.Unit == SpendCents {
		limit, used = q.most/cent, (q.used+cent-1)/cent
	}
	return limit, used, max(limit-used, 0)
}

// at is a quota as it is at a time: what was used of a period that is over is forgotten.
func (q Quota) at(now time.Time) Quota {
	if q.Resets.IsZero() || now.Before(q.Resets) {
		return q
	}
	q.used = 0
	q.round++
	q.Resets = q.next(now)
	return q
}

// next is when the period that holds a time is over; zero for never.
func (q Quota) next(now time.Time) time.Time {
	switch {
	case q.Span > 0:
		return q.anchor.Add((now.Sub(q.anchor)/q.Span + 1) * q.Span)
	case q.Months > 0:
		passed := (now.Year()-q.anchor.Year())*12 + int(now.Month()) - int(q.anchor.Month())
		for n := max(passed/q.Months-1, 0); ; n++ {
			if end := addMonths(q.anchor, (n+1)*q.Months); now.Before(end) {
				return end
			}
		}
	}
	return time.Time{}
}

// takes is what a purchase takes of the quota. One whose size in tokens nobody knows takes one.
func (q Quota) takes(c Charge) int64 {
	switch q.Unit {
	case Tokens:
		return max(c.Tokens, 1)
	case SpendCents:
		return Value(c.Price, c.Quantity)
	}
	return 1
}

// Subscription is a licence under which purchases are free, within quotas.
type Subscription struct {
	Licence
	Currency string // in which SpendCents are counted; empty without such a quota
	Quotas   []Quota
}

// Check says whether a subscription is good for a purchase and has enough left for it: nil or a
// *Refused.
func (s Subscription) Check(c Charge) error {
	of := c
	if c.Subscriber != "" {
		of.Buyer = c.Subscriber
	}
	if err := s.Licence.Check(of); err != nil {
		return err
	}
	for _, q := range s.Quotas {
		q = q.at(c.Now)
		n := q.takes(c)
		switch {
		case q.Unit == SpendCents && n > 0 && c.Price.Currency != s.Currency:
			return refuse(InvalidLicence, "%.60q is counted in %s, and this costs %s; go without", s.ID, s.Currency,
				c.Price.Currency)
		case n > q.most-q.used && q.Resets.IsZero():
			return refuse(QuotaExceeded, "%.60q has not enough %s left for this; pay for it, or ask for more", s.ID,
				q.Unit)
		case n > q.most-q.used:
			return refuse(QuotaExceeded, "%.60q has not enough %s left for this before %s; wait, pay for it, or ask "+
				"for more", s.ID, q.Unit, q.Resets.Format(time.RFC3339))
		}
	}
	return nil
}

// SubscriptionsFor returns the subscriptions of a buyer, or of its whole domain, to a site at a
// time, by id.
func (b *Ledger) SubscriptionsFor(ctx context.Context, tx *store.Tx, buyer, site string, now time.Time) ([]Subscription,
	error) {
	own, domain := holders(buyer)
	at := store.Micros(now)
	found, err := selectLicences(ctx, tx, `WHERE buyer IN ($1, $2) AND kind = 'subscription' AND status = 'active' AND site IN ('', $3)
		AND begins <= $4 AND (ends = 0 OR ends > $4) ORDER BY id`, own, domain, site, at)
	if err != nil {
		return nil, err
	}
	return withQuotas(ctx, tx, found, now)
}

func withQuotas(ctx context.Context, tx *store.Tx, found []licence, now time.Time) (all []Subscription, err error) {
	at := map[string]int{} // the place of each by its id
	for i, l := range found {
		at[l.ID] = i
		all = append(all, Subscription{Licence: l.Licence, Currency: l.currency})
	}
	for part := range slices.Chunk(found, licencesAtOnce) {
		ids := make([]any, len(part))
		for i := range part {
			ids[i] = part[i].ID
		}
		rows, err := collect(ctx, tx, `SELECT `+quotaColumns+`, subscription FROM account_quota WHERE subscription IN (`+store.Params(1, len(ids))+`) ORDER BY subscription, unit`,
			func(row store.Scanner) (q quotaOf, err error) {
				q.Quota, err = scanQuota(row, &q.subscription)
				return q, err
			}, ids...)
		if err != nil {
			return nil, err
		}
		for _, q := range rows {
			s := &all[at[q.subscription]]
			s.Quotas = append(s.Quotas, q.at(now))
		}
	}
	return all, nil
}

// licencesAtOnce is of how many subscriptions quotas are read with one query.
const licencesAtOnce = 500

// quotaOf is a quota and whose it is.
type quotaOf struct {
	Quota
	subscription string
}

// take counts a purchase under its subscription.
func (b *Ledger) take(ctx context.Context, tx *store.Tx, c Charge, h *Hold) error {
	found, err := selectLicences(ctx, tx, `WHERE id = $1 AND kind = 'subscription'`, c.Subscription)
	switch {
	case err != nil:
		return err
	case len(found) == 0:
		return unknownLicence(c.Subscription)
	}
	all, err := withQuotas(ctx, tx, found, c.Now)
	if err != nil {
		return err
	}
	s := all[0]
	if err := s.Check(c); err != nil {
		return err
	}
	h.Holder = s.Buyer
	for _, q := range s.Quotas {
		n := q.takes(c)
		q.used += n
		h.uses = append(h.uses, use{q.Unit, n, q.round})
		h.Quotas = append(h.Quotas, q)
		if err := updateQuota(ctx, tx, s.ID, q); err != nil {
			return err
		}
	}
	return nil
}

// putBack takes back what a purchase took of quotas, where they have not begun anew since.
func (b *Ledger) putBack(ctx context.Context, tx *store.Tx, h *Hold, now time.Time) error {
	if h.Subscription == "" {
		return nil
	}
	all, err := quotas(ctx, tx, h.Subscription)
	if err != nil {
		return err
	}
	for _, q := range all {
		for _, u := range h.uses {
			if u.unit == q.Unit && u.round == q.round {
				q.used -= u.n
				if err := updateQuota(ctx, tx, h.Subscription, q); err != nil {
					return err
				}
			}
		}
		h.Quotas = append(h.Quotas, q.at(now))
	}
	return nil
}

func quotas(ctx context.Context, tx *store.Tx, subscription string) ([]Quota, error) {
	return collect(ctx, tx, `SELECT `+quotaColumns+` FROM account_quota WHERE subscription = $1 ORDER BY unit`,
		func(row store.Scanner) (Quota, error) { return scanQuota(row) }, subscription)
}

const quotaColumns = `unit, most, used, months, span, anchor, resets, round`

// scanQuota reads a row of quotaColumns, and what stands behind them.
func scanQuota(row store.Scanner, more ...any) (q Quota, err error) {
	var span int64
	targets := []any{&q.Unit, &q.most, &q.used, &q.Months, &span, &q.anchor, &q.Resets, &q.round}
	err = row.Scan(append(targets, more...)...)
	q.Span = time.Duration(span) * time.Microsecond
	return q, err
}

// updateQuota writes what changes of a quota by use.
func updateQuota(ctx context.Context, tx *store.Tx, subscription string, q Quota) error {
	if _, err := tx.Exec(ctx, `UPDATE account_quota SET used = $1, resets = $2, round = $3 WHERE subscription = $4 AND unit = $5`,
		q.used, store.Micros(q.Resets), q.round, subscription, q.Unit); err != nil {
		return fmt.Errorf("count a quota: %w", err)
	}
	return nil
}

// use is what a purchase took of a quota.
type use struct {
	unit  string
	n     int64
	round int64 // of the quota
}

// writeUses writes uses as a row keeps them, like "accesses=1@0 tokens=3200@7".
func writeUses(uses []use) string {
	var parts []string
	for _, u := range uses {
		parts = append(parts, fmt.Sprintf("%s=%d@%d", u.unit, u.n, u.round))
	}
	return strings.Join(parts, " ")
}

func readUses(text string) (uses []use, err error) {
	for part := range strings.FieldsSeq(text) {
		unit, rest, _ := strings.Cut(part, "=")
		amount, round, _ := strings.Cut(rest, "@")
		u := use{unit: unit}
		if u.n, err = strconv.ParseInt(amount, 10, 64); err == nil {
			u.round, err = strconv.ParseInt(round, 10, 64)
		}
		if err != nil {
			return nil, fail.New(fail.Internal, "what a purchase took of quotas cannot be read: %.60q", text)
		}
		uses = append(uses, u)
	}
	return uses, nil
}
