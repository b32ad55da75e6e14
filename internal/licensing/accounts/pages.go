package accounts

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/infra/store"
)

// AccountFilter selects a page of accounts.
type AccountFilter struct {
	Begins        string // with what their buyers begin; empty for all
	Buyer, Listed string // the account, by buyer and currency, after which to go on; empty for the beginning
	Limit         int
}

// Accounts gives accounts by buyer and currency.
func (r *Reader) Accounts(ctx context.Context, w AccountFilter) ([]Balance, error) {
	return view(ctx, r.db, `SELECT `+balanceColumns+` FROM account_balance WHERE buyer >= $1 AND buyer < $2 AND (buyer > $3 OR currency > $4)
		ORDER BY buyer, currency LIMIT $5`, scanBalance, max(w.Begins, w.Buyer), w.Begins+afterAll, w.Buyer, w.Listed, w.Limit)
}

// afterAll sorts behind every text that a buyer's key can go on with.
const afterAll = "\U0010ffff"

// Account gives an account. It is fail.NotFound where there is none.
func (r *Reader) Account(ctx context.Context, buyer, currency string) (b Balance, err error) {
	return store.Get(ctx, r.db, func(tx *store.Tx) (Balance, error) { return findBalance(ctx, tx, buyer, currency) })
}

// PurchasesOf gives what the book has of some purchases, by their ids, in no order.
func (r *Reader) PurchasesOf(ctx context.Context, ids ...string) ([]Hold, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	return view(ctx, r.db, `SELECT `+holdColumns+` FROM account_hold WHERE id IN (`+store.Params(1, len(ids))+`)`, scanHold, args...)
}

// Grant is a licence, or a subscription with its quotas.
type Grant struct {
	Subscription
	Kind string // GrantLicence or GrantSubscription
}

// GrantFilter selects licences and subscriptions. An empty field is no condition.
type GrantFilter struct {
	Kind  string // GrantLicence or GrantSubscription
	Buyer string
	After string // the id of one, behind which to begin
	Limit int    // how many at most; at least 1
}

// Grants gives licences and subscriptions by their ids, with quotas as they are at a time.
func (r *Reader) Grants(ctx context.Context, w GrantFilter, now time.Time) (all []Grant, err error) {
	where, args := ` WHERE id > $1`, []any{w.After}
	for _, c := range []struct{ is, want string }{{"buyer =", w.Buyer}, {"kind =", w.Kind}} {
		if c.want != "" {
			args = append(args, c.want)
			where += fmt.Sprintf(" AND %s $%d", c.is, len(args))
		}
	}
	args = append(args, w.Limit)
	where += fmt.Sprintf(" ORDER BY id LIMIT $%d", len(args))
	err = r.db.View(ctx, func(tx *store.Tx) error {
		all = nil
		found, err := selectLicences(ctx, tx, where, args...)
		if err != nil {
			return err
		}
		for _, l := range found {
			g := Grant{Subscription{Licence: l.Licence, Currency: l.currency}, l.kind}
			if l.kind == GrantSubscription {
				with, err := withQuotas(ctx, tx, []licence{l}, now)
				if err != nil {
					return err
				}
				g.Subscription = with[0]
			}
			all = append(all, g)
		}
		return nil
	})
	return all, err
}

// PaymentBooked says whether a payment by the operator stands in the journal of an account behind a
// line: of the same kind, amount and reference. So whoever sends a form twice finds out.
func (b *Ledger) PaymentBooked(ctx context.Context, tx *store.Tx, did, buyer, currency string, amount int64,
	reference string, after int64) (bool, error) {
	found, err := collect(ctx, tx, `SELECT line FROM account_journal WHERE buyer = $1 AND currency = $2 AND line > $3 AND kind = $4 AND reference = $5
		AND ABS(outside) = $6 LIMIT 1`, func(row store.Scanner) (line int64, err error) { return line, row.Scan(&line) }, buyer, currency, after, did, reference, amount)
	return len(found) > 0, err
}

// BuyerRevenue is the revenue from one buyer, or from several, by day.
type BuyerRevenue struct {
	Buyer     string // whose account it came from; empty for all others
	Amount    int64  // in 1e-8 of the currency; below 0 where more was taken back than earned
	Movements int64  // charges and what was taken back of them
	Last      time.Time
	Days      map[time.Time]int64 // Amount by day, by UTC
}

func (t *BuyerRevenue) add(r row) {
	day := time.Unix(r.day, 0).UTC()
	t.Amount, t.Movements = t.Amount+r.amount, t.Movements+r.movements
	if day.After(t.Last) {
		t.Last = day
	}
	t.Days[day] += r.amount
}

// CurrencyRevenue is the revenue in one currency.
type CurrencyRevenue struct {
	Currency string
	All      BuyerRevenue
	// those that paid the most, the most first; the others together are the last, if there are any
	Buyers []BuyerRevenue
}

// Revenue gives what a site earned, or all for "", in some days by currency and buyer: Since ≤ day
// < Until. Of the buyers, at most so many are told apart. Currencies in which the most moved come
// first. Each day is read once.
func (r *Reader) Revenue(ctx context.Context, site string, since, until time.Time, most int) (all []CurrencyRevenue,
	err error) {
	var sums map[string]map[string]*sum
	err = r.db.View(ctx, func(tx *store.Tx) error {
		sites := []string{site}
		if site == "" {
			if sites, err = earningSites(ctx, tx); err != nil {
				return err
			}
		}
		sums = map[string]map[string]*sum{}
		for _, site := range sites {
			if err := eachOf(ctx, tx, site, since, until, func(e Earning) { add(sums, e) }); err != nil {
				return err
			}
		}
		return nil
	})
	for currency, buyers := range sums {
		all = append(all, takings(currency, buyers, most))
	}
	slices.SortFunc(all, func(a, b CurrencyRevenue) int {
		return cmp.Or(cmp.Compare(b.All.Movements, a.All.Movements), cmp.Compare(a.Currency, b.Currency))
	})
	return all, err
}

// sum is what came from a buyer, with what each row that was read adds to it.
type sum struct {
	amount int64
	rows   []row
}

type row struct {
	day               int64 // the beginning of the day, in seconds since 1970
	amount, movements int64
}

// add adds to what came from buyers, by currency.
func add(sums map[string]map[string]*sum, e Earning) {
	buyers := sums[e.Currency]
	if buyers == nil {
		buyers = map[string]*sum{}
		sums[e.Currency] = buyers
	}
	of := buyers[e.Buyer]
	if of == nil {
		of = &sum{}
		buyers[e.Buyer] = of
	}
	of.amount += e.Amount
	of.rows = append(of.rows, row{e.Day.Unix(), e.Amount, e.Movements})
}

// takings tells apart the buyers that paid the most.
func takings(currency string, buyers map[string]*sum, most int) CurrencyRevenue {
	t := CurrencyRevenue{Currency: currency, All: BuyerRevenue{Days: map[time.Time]int64{}}}
	names := slices.SortedFunc(maps.Keys(buyers), func(a, b string) int {
		return cmp.Or(cmp.Compare(buyers[b].amount, buyers[a].amount), cmp.Compare(a, b))
	})
	for i, name := range names {
		switch {
		case i < most:
			t.Buyers = append(t.Buyers, BuyerRevenue{Buyer: name, Days: map[time.Time]int64{}})
		case i == most:
			t.Buyers = append(t.Buyers, BuyerRevenue{Days: map[time.Time]int64{}})
		}
		for _, r := range buyers[name].rows {
			t.All.add(r)
			t.Buyers[min(i, most)].add(r)
		}
	}
	return t
}

// earningSites are the sites that ever earned anything.
func earningSites(ctx context.Context, tx *store.Tx) (sites []string, err error) {
	last := "" // no site is called so
	for {
		next, err := collect(ctx, tx, `SELECT MIN(site) FROM account_revenue WHERE site > $1 UNION ALL SELECT MIN(late_site) FROM account_balance WHERE late_site > $1`,
			func(row store.Scanner) (site sql.NullString, err error) { return site, row.Scan(&site) }, last)
		next = slices.DeleteFunc(next, func(site sql.NullString) bool { return !site.Valid })
		if err != nil || len(next) == 0 {
			return sites, err
		}
		last = slices.MinFunc(next, func(a, b sql.NullString) int { return strings.Compare(a.String, b.String) }).String
		sites = append(sites, last)
	}
}

// eachOf calls fn with what a site earned.
func eachOf(ctx context.Context, tx *store.Tx, site string, since, until time.Time, fn func(Earning)) error {
	where, args := equals(condition{"site", site}, condition{"day >=", since}, condition{"day <", until})
	for _, from := range []string{`account_revenue`, lateEarnings} {
		if _, err := collect(ctx, tx, `SELECT day, buyer, currency, earned, movements FROM `+from+where,
			func(row store.Scanner) (none struct{}, err error) {
				e := Earning{Site: site}
				if err = row.Scan(&e.Day, &e.Buyer, &e.Currency, &e.Amount, &e.Movements); err == nil {
					fn(e)
				}
				return none, err
			}, args...); err != nil {
			return err
		}
	}
	return nil
}
