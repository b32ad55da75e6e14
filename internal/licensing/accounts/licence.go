package accounts

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/policy"
)

// Item is the resource that a purchase is about.
type Item struct {
	URL    string
	Labels []string // editorial domains, as the terms give them
}

// Scope is for what a licence or subscription is good. An empty field is no condition; all that are
// given must hold.
type Scope struct {
	Site   string   // the id of one
	Labels []string // of which the item must have one
	Paths  []string // globs as the terms have them, of which the item's address must match one
	URL    string   // of one item
}

// Covers says whether the scope takes in an item of a site.
func (s Scope) Covers(site string, item Item) bool {
	return (s.Site == "" || s.Site == site) && (s.URL == "" || s.URL == item.URL) &&
		(len(s.Labels) == 0 ||
			slices.ContainsFunc(s.Labels, func(label string) bool { return slices.Contains(item.Labels, label) })) &&
		(len(s.Paths) == 0 || s.matches(item.URL))
}

func (s Scope) matches(url string) bool {
	matcher, err := policy.Options{}.Matcher(policy.Match{Path: s.Paths})
	return err == nil && matcher.Matches(policy.Facts{URL: url})
}

// check says what is wrong with a scope.
func (s Scope) check() error {
	for _, text := range slices.Concat(s.Labels, s.Paths) {
		if text == "" || strings.ContainsAny(text, "\r\n") {
			return fail.New(fail.Invalid, "%.60q is no label and no path; leave it out", text)
		}
	}
	if len(s.Paths) == 0 {
		return nil
	}
	if _, err := (policy.Options{}).Matcher(policy.Match{Path: s.Paths}); err != nil {
		return fail.New(fail.Invalid, "a path of the scope is wrong: %v", err)
	}
	return nil
}

// Licence is a buyer's right to what a scope covers, for a time.
type Licence struct {
	ID    string
	Buyer string // DOMAIN/ID, or DOMAIN/* for all of a domain
	Scope
	// Paid is the pricing model for which nothing is charged under the licence; empty for none.
	Paid    string
	Begins  time.Time
	Ends    time.Time // zero for never
	Status  string    // Active, Suspended or Ended
	Created time.Time
}

// Check says whether a licence is good for a purchase: nil or a *Refused.
func (l Licence) Check(c Charge) error {
	own, domain := holders(c.Buyer)
	switch {
	case l.Buyer != own && l.Buyer != domain:
		return unknownLicence(l.ID)
	case l.Status == Ended || !l.Ends.IsZero() && !c.Now.Before(l.Ends):
		return refuse(ExpiredLicence, "%.60q is over; ask the operator of this exchange to renew it, or go "+
			"without", l.ID)
	case l.Status != Active:
		return refuse(InvalidLicence, "%.60q is suspended; ask the operator of this exchange why, or go without", l.ID)
	case c.Now.Before(l.Begins):
		return refuse(InvalidLicence, "%.60q is not good yet; wait, or go without", l.ID)
	case !l.Covers(c.Site, c.Item):
		return refuse(InvalidLicence, "%.60q does not cover this resource; go without", l.ID)
	}
	return nil
}

// unknownLicence tells one that is somebody else's like one that is not there.
func unknownLicence(id string) error {
	return refuse(InvalidLicence, "there is no licence or subscription %.60q of yours; look for a slip in it, or go "+
		"without", id)
}

// checkLicence checks the licence that a purchase names, and says whether it has the purchase paid.
func (b *Ledger) checkLicence(ctx context.Context, tx *store.Tx, c Charge) (paid bool, err error) {
	if c.Licence == "" {
		return false, nil
	}
	found, err := selectLicences(ctx, tx, `WHERE id = $1`, c.Licence)
	switch {
	case err != nil:
		return false, err
	case len(found) == 0:
		return false, unknownLicence(c.Licence)
	}
	l := found[0]
	if err := l.Check(c); err != nil {
		return false, err
	}
	return l.Paid != "" && l.Paid == c.Price.Model, nil
}

// grant gives a buyer the licence or the subscription that a model grants.
func (b *Ledger) grant(ctx context.Context, tx *store.Tx, c Charge, model Model, h *Hold) error {
	if model.Grants == "" {
		return nil
	}
	l := licence{Licence: Licence{ID: "lic-" + c.ID, Buyer: c.Buyer, Scope: c.Scope, Paid: c.Price.Model, Begins: c.Now,
		Status: Active, Created: c.Now}, kind: model.Grants}
	months := c.Price.Months
	if model.Grants == GrantSubscription {
		l.ID, l.Paid, months = "sub-"+c.ID, "", max(months, 1)
	}
	if months > 0 {
		l.Ends = addMonths(c.Now, months)
	}
	l.Site = c.Site
	if len(l.Labels) == 0 && len(l.Paths) == 0 {
		l.URL = c.Item.URL
	}
	h.Granted = l.ID
	return insertLicence(ctx, tx, l)
}

// Subscription gives what a buyer subscribed to under an id, without its quotas. It is
// fail.NotFound where there is none.
func (b *Ledger) Subscription(ctx context.Context, tx *store.Tx, id string) (Licence, error) {
	l, err := findLicence(ctx, tx, id)
	if err == nil && l.kind != GrantSubscription {
		err = fail.New(fail.NotFound, "%.60q is a licence, and no subscription", id)
	}
	return l.Licence, err
}

// licence is a row of account_licence: a licence or a subscription.
type licence struct {
	Licence
	kind     string // GrantLicence or GrantSubscription
	currency string // in which a subscription counts what is spent
}

const licenceColumns = `id, kind, buyer, site, labels, paths, url, paid, currency, begins, ends, status, created`

func insertLicence(ctx context.Context, tx *store.Tx, l licence) error {
	_, err := tx.Exec(ctx, `INSERT INTO account_licence (`+licenceColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		l.ID, l.kind, l.Buyer, l.Site, strings.Join(l.Labels, "\n"), strings.Join(l.Paths, "\n"), l.URL, l.Paid,
		l.currency,
		store.Micros(l.Begins), store.Micros(l.Ends), l.Status, store.Micros(l.Created))
	if err != nil {
		return fmt.Errorf("keep a licence: %w", err)
	}
	return nil
}

func setStatus(ctx context.Context, tx *store.Tx, id, status string) error {
	if _, err := tx.Exec(ctx, `UPDATE account_licence SET status = $1 WHERE id = $2`, status, id); err != nil {
		return fmt.Errorf("change a licence: %w", err)
	}
	return nil
}

func selectLicences(ctx context.Context, tx *store.Tx, where string, args ...any) ([]licence, error) {
	return collect(ctx, tx, `SELECT `+licenceColumns+` FROM account_licence `+where, scanLicence, args...)
}

func scanLicence(row store.Scanner) (l licence, err error) {
	var labels, paths string
	err = row.Scan(&l.ID, &l.kind, &l.Buyer, &l.Site, &labels, &paths, &l.URL, &l.Paid, &l.currency, &l.Begins, &l.Ends,
		&l.Status, &l.Created)
	l.Labels, l.Paths = lines(labels), lines(paths)
	return l, err
}

// lines takes apart what was joined by line ends.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// addMonths is a time some months later: on the same day of the month, or on its last where it has
// no such day.
func addMonths(at time.Time, months int) time.Time {
	at = at.UTC()
	year, month, day := at.Date()
	last := time.Date(year, month+time.Month(months)+1, 0, 0, 0, 0, 0, time.UTC).Day()
	return time.Date(year, month+time.Month(months), min(day, last), at.Hour(), at.Minute(), at.Second(),
		at.Nanosecond(), time.UTC)
}
