package accounts

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
)

// Reader reads accounts for pages, commands and reports, in transactions of its own. Its methods
// may be called concurrently.
type Reader struct{ db *store.DB }

// NewReader returns a reader of a database with [Schema].
func NewReader(db *store.DB) *Reader { return &Reader{db} }

// Balances gives the accounts of a buyer, or all of them for an empty one, by buyer and currency.
func (r *Reader) Balances(ctx context.Context, buyer string) ([]Balance, error) {
	where, args := equals(condition{"buyer", buyer})
	return view(ctx, r.db, `SELECT `+balanceColumns+` FROM account_balance`+where+` ORDER BY buyer, currency`, scanBalance, args...)
}

// JournalLine is one movement of an account: the amount added to each side, in units of 1e-8.
type JournalLine struct {
	Number    int64 // from 1, without gaps
	At        time.Time
	Kind      string // credit, debit, expire, hold, charge, settle, share, release
	Reference string // of a purchase its id; of a payment the operator's own
	Site      string // which earned; empty for none
	Available int64
	Held      int64
	Earned    int64
	Outside   int64
	After     int64 // what was available with it
}

// Statement gives the lines of an account, the newest first: those with a number below before, or
// all for 0, and at most limit of them. It is fail.NotFound where there is no such account.
func (r *Reader) Statement(ctx context.Context, buyer, currency string, before int64, limit int) (all []JournalLine,
	err error) {
	err = r.db.View(ctx, func(tx *store.Tx) error {
		balance, err := findBalance(ctx, tx, buyer, currency)
		if err != nil {
			return err
		}
		if before <= 0 {
			before = balance.Lines + 1
		}
		all, err = collect(ctx, tx, `SELECT line, at, kind, reference, site, available, held, earned, outside, after FROM account_journal
			WHERE buyer = $1 AND currency = $2 AND line < $3 ORDER BY line DESC LIMIT $4`, scanLine, buyer, currency, before, limit)
		return err
	})
	return all, err
}

func scanLine(row store.Scanner) (l JournalLine, err error) {
	err = row.Scan(&l.Number, &l.At, &l.Kind, &l.Reference, &l.Site, &l.Available, &l.Held, &l.Earned, &l.Outside,
		&l.After)
	return l, err
}

// Purchase gives what the book has of a purchase. It is fail.NotFound where it has none of that id.
func (r *Reader) Purchase(ctx context.Context, id string) (h Hold, err error) {
	return store.Get(ctx, r.db, func(tx *store.Tx) (Hold, error) { return findHold(ctx, tx, id) })
}

// PurchaseFilter selects purchases. An empty field is no condition.
type PurchaseFilter struct {
	Holder, Site string
	Since, Until time.Time // when they were made: Since ≤ time < Until
	Before       string    // the id of one; those that are older than it
	Limit        int       // how many at most; 0 for all
}

// Purchases gives purchases, the newest first.
func (r *Reader) Purchases(ctx context.Context, w PurchaseFilter) (all []Hold, err error) {
	where, args := equals(condition{"holder", w.Holder}, condition{"site", w.Site},
		condition{"created >=", w.Since}, condition{"created <", w.Until})
	err = r.db.View(ctx, func(tx *store.Tx) error {
		if w.Before != "" {
			before, err := findHold(ctx, tx, w.Before)
			if err != nil {
				return err
			}
			n := len(args)
			args = append(args, store.Micros(before.Created), w.Before)
			where += orWhere(where) + fmt.Sprintf(`created <= $%d AND (created < $%d OR id < $%d)`, n+1, n+1, n+2)
		}
		query := `SELECT ` + holdColumns + ` FROM account_hold` + where + ` ORDER BY created DESC, id DESC`
		if w.Limit > 0 {
			query += fmt.Sprintf(` LIMIT %d`, w.Limit)
		}
		all, err = collect(ctx, tx, query, scanHold, args...)
		return err
	})
	return all, err
}

// orWhere begins another condition behind those that there are.
func orWhere(where string) string {
	if where == "" {
		return " WHERE "
	}
	return " AND "
}

// Subscriptions gives the subscriptions of a buyer, or all of them for an empty one, by id, with
// their quotas as they are at a time.
func (r *Reader) Subscriptions(ctx context.Context, buyer string, now time.Time) (all []Subscription, err error) {
	where, args := equals(condition{"kind", GrantSubscription}, condition{"buyer", buyer})
	err = r.db.View(ctx, func(tx *store.Tx) error {
		found, err := selectLicences(ctx, tx, where+` ORDER BY id`, args...)
		if err == nil {
			all, err = withQuotas(ctx, tx, found, now)
		}
		return err
	})
	return all, err
}

// Licence gives the licence or subscription of an id; one that is a licence has no quotas. It is
// fail.NotFound where there is none.
func (r *Reader) Licence(ctx context.Context, id string, now time.Time) (s Subscription, kind string, err error) {
	err = r.db.View(ctx, func(tx *store.Tx) error {
		l, err := findLicence(ctx, tx, id)
		if err != nil {
			return err
		}
		all, err := withQuotas(ctx, tx, []licence{l}, now)
		if err == nil {
			s, kind = all[0], l.kind
		}
		return err
	})
	return s, kind, err
}

// condition is what a column must be; the zero value of want is no condition.
type condition struct {
	column string // with an operator behind it where that is not =
	want   any
}

// equals makes the condition of a query.
func equals(all ...condition) (where string, args []any) {
	var parts []string
	for _, c := range all {
		switch want := c.want.(type) {
		case string:
			if want == "" {
				continue
			}
		case time.Time:
			if want.IsZero() {
				continue
			}
			c.want = store.Micros(want)
		}
		column := c.column
		if !strings.Contains(column, " ") {
			column += " ="
		}
		args = append(args, c.want)
		parts = append(parts, fmt.Sprintf("%s $%d", column, len(args)))
	}
	if len(parts) == 0 {
		return "", nil
	}
	return " WHERE " + strings.Join(parts, " AND "), args
}

// view is collect in a transaction of its own.
func view[T any](ctx context.Context, db *store.DB, query string, scan func(store.Scanner) (T, error),
	args ...any) (all []T, err error) {
	err = db.View(ctx, func(tx *store.Tx) (err error) {
		all, err = collect(ctx, tx, query, scan, args...)
		return err
	})
	return all, err
}

// Earning is what a site earned from a buyer on a day.
type Earning struct {
	Day       time.Time // its beginning, by UTC
	Site      string
	Buyer     string // whose account it came from
	Currency  string
	Amount    int64 // in 1e-8 of the currency; below 0 where more was taken back than earned
	Movements int64 // charges and what was taken back of them
}

// Earnings gives what a site earned, or all sites for an empty one, by day, site, buyer and
// currency: Since ≤ day < Until, where zero times are no condition. It reads on while it is asked,
// so that its answer is not of one moment, and of each site it holds no more than a page.
func (r *Reader) Earnings(ctx context.Context, site string, since, until time.Time) iter.Seq2[Earning, error] {
	return func(yield func(Earning, error) bool) {
		sites := []string{site}
		if site == "" {
			if err := r.db.View(ctx, func(tx *store.Tx) (err error) {
				sites, err = earningSites(ctx, tx)
				return err
			}); err != nil {
				yield(Earning{}, err)
				return
			}
		}
		pages := make([]earningPage, len(sites)) // each in the order of its site, of which the first is told next
		for i, site := range sites {
			pages[i] = earningPage{since: since, until: until, last: Earning{Site: site}}
			if err := pages[i].fill(ctx, r.db); err != nil {
				yield(Earning{}, err)
				return
			}
		}
		for {
			next := -1
			for i := range pages { // sites stand in their order
				if len(pages[i].rows) > 0 && (next < 0 || pages[i].rows[0].Day.Before(pages[next].rows[0].Day)) {
					next = i
				}
			}
			if next < 0 {
				return
			}
			page := &pages[next]
			if !yield(page.rows[0], nil) {
				return
			}
			if page.rows = page.rows[1:]; len(page.rows) > 0 {
				continue
			}
			if err := page.fill(ctx, r.db); err != nil {
				yield(Earning{}, err)
				return
			}
		}
	}
}

// pageRows is how many rows are read at once of what is read on and on.
const pageRows = 500

// earningPage is the next rows of what one site earned.
type earningPage struct {
	since, until time.Time
	last         Earning // that was read; its day is zero before the first
	rows         []Earning
	done         bool // there are no more behind them
}

// fill reads the next rows, if there are any.
func (p *earningPage) fill(ctx context.Context, db *store.DB) (err error) {
	if p.done {
		return nil
	}
	where, args := equals(condition{"site", p.last.Site}, condition{"day >=", p.since}, condition{"day <", p.until})
	if !p.last.Day.IsZero() {
		n := len(args)
		args = append(args, store.Micros(p.last.Day), p.last.Buyer, p.last.Currency)
		where += fmt.Sprintf(` AND (day, buyer, currency) > ($%d, $%d, $%d)`, n+1, n+2, n+3)
	}
	var all [2][]Earning
	if err := db.View(ctx, func(tx *store.Tx) (err error) {
		for i, from := range []string{`account_revenue`, lateEarnings} {
			if all[i], err = collect(ctx, tx, `SELECT day, site, buyer, currency, earned, movements FROM `+from+where+fmt.Sprintf(` ORDER BY day, buyer, currency LIMIT %d`, pageRows), scanEarning, args...); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	p.done = len(all[0]) < pageRows && len(all[1]) < pageRows
	if p.rows = added(all[0], all[1]); len(p.rows) > pageRows {
		p.rows, p.done = p.rows[:pageRows], false // those behind may not be all that there are
	}
	if len(p.rows) > 0 {
		p.last = p.rows[len(p.rows)-1]
	}
	return nil
}

// added puts two lists into one, in the order of both, which is that of days, buyers and
// currencies, and adds up what both have.
func added(a, b []Earning) (all []Earning) {
	for len(a) > 0 && len(b) > 0 {
		order := cmp.Or(a[0].Day.Compare(b[0].Day), strings.Compare(a[0].Buyer, b[0].Buyer),
			strings.Compare(a[0].Currency, b[0].Currency))
		switch {
		case order < 0:
			all, a = append(all, a[0]), a[1:]
		case order > 0:
			all, b = append(all, b[0]), b[1:]
		default:
			both := a[0]
			both.Amount, both.Movements = both.Amount+b[0].Amount, both.Movements+b[0].Movements
			all, a, b = append(all, both), a[1:], b[1:]
		}
	}
	return append(append(all, a...), b...)
}

func scanEarning(row store.Scanner) (e Earning, err error) {
	err = row.Scan(&e.Day, &e.Site, &e.Buyer, &e.Currency, &e.Amount, &e.Movements)
	return e, err
}

// InvoiceLine is one charge of a buyer, or a refund of one.
type InvoiceLine struct {
	At       time.Time
	Purchase string
	Buyer    string // who bought; the account may be its domain's
	Site     string
	Model    string
	Kind     string // charge, settle, expire, share, release or refund
	Rate     int64  // in 1e-8 of the currency; of revenue_share the share
	Quantity int64  // as estimated; 0 for unknown
	Reported int64  // -1 for none
	Currency string
	Amount   int64 // in 1e-8 of the currency; below 0 for what was taken back

	line int64 // of the journal
}

// Invoice gives what was charged to the account of a buyer in a currency, the oldest first: Since ≤
// time < Until. It is fail.NotFound, before the first row, where there is no such account. It reads
// on while it is asked, a page at a time; what is charged meanwhile stands behind what it has read.
func (r *Reader) Invoice(ctx context.Context, buyer, currency string, since, until time.Time) iter.Seq2[InvoiceLine,
	error] {
	return func(yield func(InvoiceLine, error) bool) {
		if until.IsZero() || !since.Before(until) {
			yield(InvoiceLine{}, fail.New(fail.Invalid, "an invoice is for a time that ends after it begins"))
			return
		}
		for last := int64(0); ; {
			var page []InvoiceLine
			err := r.db.View(ctx, func(tx *store.Tx) error {
				_, err := findBalance(ctx, tx, buyer, currency)
				if err == nil {
					page, err = collect(ctx, tx, `SELECT j.line, j.at, h.id, h.buyer, h.site, h.model, j.kind, h.rate, h.quantity, h.reported, j.currency, j.earned
						FROM account_journal j JOIN account_hold h ON h.id = j.reference
						WHERE j.buyer = $1 AND j.currency = $2 AND j.line > $3 AND j.earned <> 0 AND j.at >= $4 AND j.at < $5 ORDER BY j.line LIMIT $6`,
						scanCharged, buyer, currency, last, store.Micros(since), store.Micros(until), pageRows)
				}
				return err
			})
			if err != nil {
				yield(InvoiceLine{}, err)
				return
			}
			for _, c := range page {
				if !yield(c, nil) {
					return
				}
			}
			if len(page) < pageRows {
				return
			}
			last = page[len(page)-1].line
		}
	}
}

func scanCharged(row store.Scanner) (c InvoiceLine, err error) {
	err = row.Scan(&c.line, &c.At, &c.Purchase, &c.Buyer, &c.Site, &c.Model, &c.Kind, &c.Rate, &c.Quantity, &c.Reported,
		&c.Currency, &c.Amount)
	return c, err
}
