package reports

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
)

// PageSales is what was bought of one page in a time, and what was charged for it until now.
type PageSales struct {
	URI, Site, Currency string // Currency is empty of purchases that cost nothing in any
	Purchases           int64  // without those that were taken back
	Charged             int64  // in 1e-8 of the currency
	Last                time.Time
}

// Pages says what was bought of each page, by site and currency, those with the most first: of
// purchases that were made in Since ≤ time < Until. It looks at so many of them, the newest, and
// whole says that there are no more; 0 is all.
func (b Reporter) Pages(ctx context.Context, want Request, most int) (all []PageSales, whole bool, err error) {
	type key struct{ uri, site, currency string }
	sums := map[key]*PageSales{}
	filter := transactions.Filter{Site: want.Site, Since: want.Since, Until: want.Until, Limit: atOnce}
	for seen := 0; !whole; whole = filter.Before == "" {
		if most > 0 && seen >= most {
			break
		}
		var bought []transactions.Transaction
		if bought, filter.Before, err = b.Transactions.Transactions(ctx, filter); err != nil {
			return nil, false, err
		}
		seen += len(bought)
		ids := make([]string, len(bought))
		at := map[string]*PageSales{}
		for i, t := range bought {
			ids[i] = t.ID
			if t.Failed {
				continue
			}
			of := key{t.URI, t.Site, t.Price.Currency}
			if t.Subscription != "" {
				of.currency = ""
			}
			sum := sums[of]
			if sum == nil { // the newest come first
				sum = &PageSales{URI: t.URI, Site: t.Site, Currency: of.currency, Last: t.Made}
				sums[of] = sum
			}
			sum.Purchases++
			at[t.ID] = sum
		}
		holds, err := b.Accounts.PurchasesOf(ctx, ids...)
		if err != nil {
			return nil, false, err
		}
		for _, h := range holds {
			if sum := at[h.ID]; sum != nil {
				sum.Charged += h.Charged
			}
		}
	}
	for _, sum := range sums {
		all = append(all, *sum)
	}
	slices.SortFunc(all, func(x, y PageSales) int {
		return cmp.Or(cmp.Compare(y.Charged, x.Charged), cmp.Compare(y.Purchases, x.Purchases),
			cmp.Compare(x.URI, y.URI), cmp.Compare(x.Site, y.Site), cmp.Compare(x.Currency, y.Currency))
	})
	return all, whole, nil
}

// pages gives what was bought of each page.
func (b Reporter) pages(ctx context.Context, want Request) iter.Seq2[PageSales, error] {
	return func(yield func(PageSales, error) bool) {
		all, _, err := b.Pages(ctx, want, 0)
		if err != nil {
			yield(PageSales{}, err)
			return
		}
		for _, one := range all {
			if !yield(one, nil) {
				return
			}
		}
	}
}

var paged = []column[PageSales]{
	{"url", func(p PageSales) any { return p.URI }},
	{"site", func(p PageSales) any { return p.Site }},
	{"purchases", func(p PageSales) any { return p.Purchases }},
	{"currency", func(p PageSales) any { return text(p.Currency) }},
	{"charged", func(p PageSales) any {
		if p.Currency == "" {
			return nil
		}
		return policy.Amount(p.Charged)
	}},
	{"last_purchase", func(p PageSales) any { return moment(p.Last) }},
}
