package reports

import (
	"context"
	"iter"
	"strings"

	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
)

// detail is a transaction with what the book has of it, and what was delivered under it.
type detail struct {
	transactions.Transaction
	hold     accounts.Hold
	got      transactions.DeliveryTotal
	usage    transactions.UsageDetails
	disputed disputes.Case // the zero value of what is not disputed
}

// atOnce is of how many transactions the rest is looked up at once.
const atOnce = 200

// transactions gives transactions in detail, the oldest first.
func (b Reporter) transactions(ctx context.Context, want Request) iter.Seq2[detail, error] {
	return func(yield func(detail, error) bool) {
		var some []detail
		give := func() (more bool) {
			err := b.complete(ctx, some)
			for _, d := range some {
				if !yield(d, err) || err != nil {
					return false
				}
			}
			some = some[:0]
			return true
		}
		for t, err := range b.Transactions.Each(ctx, transactions.Filter{Buyer: want.Buyer, Site: want.Site,
			Since: want.Since, Until: want.Until, After: want.After}) {
			if err != nil {
				yield(detail{}, err)
				return
			}
			if some = append(some, detail{Transaction: t, usage: t.Report.Usage()}); len(some) == atOnce && !give() {
				return
			}
		}
		give()
	}
}

// complete looks up what the book has of transactions, and what was delivered.
func (b Reporter) complete(ctx context.Context, some []detail) error {
	ids, at := make([]string, len(some)), map[string]int{}
	for i, d := range some {
		ids[i], at[d.ID] = d.ID, i
	}
	holds, err := b.Accounts.PurchasesOf(ctx, ids...)
	if err != nil {
		return err
	}
	for _, h := range holds {
		some[at[h.ID]].hold = h
	}
	got, err := b.Transactions.Delivered(ctx, ids...)
	for id, n := range got {
		some[at[id]].got = n
	}
	if err != nil {
		return err
	}
	disputed, err := b.disputed(ctx, ids)
	for id, c := range disputed {
		some[at[id]].disputed = c
	}
	return err
}

// amount is an amount in the transaction's currency; nil where it costs nothing in any.
func (d detail) amount(units int64) any {
	if d.hold.Currency == "" {
		return nil
	}
	return policy.Amount(units)
}

// stated is "yes" or "no"; nil for what nobody says.
func stated(is *bool) any {
	if is == nil {
		return nil
	}
	return yes(*is)
}

// listed writes some things into one cell; nil for none.
func listed[T any](all []T, in func(T) string) any {
	words := make([]string, 0, len(all))
	for _, one := range all {
		words = append(words, in(one))
	}
	return text(strings.Join(words, "; "))
}

// marked says whether the report is marked so; nil where there is none.
func (d detail) marked(so bool) any {
	switch {
	case d.Report.ID == "":
		return nil
	case so:
		return "yes"
	}
	return "no"
}

var details = []column[detail]{
	{"time", func(d detail) any { return moment(d.Made) }},
	{"transaction", func(d detail) any { return d.ID }},
	{"billing", func(d detail) any { return d.Billing }},
	{"offer", func(d detail) any { return d.Offer }},
	{"buyer", func(d detail) any { return d.Buyer }},
	{"account", func(d detail) any { return text(d.hold.Holder) }},
	{"site", func(d detail) any { return d.Site }},
	{"uri", func(d detail) any { return d.URI }},
	{"model", func(d detail) any { return d.Price.Model }},
	{"rate", func(d detail) any { return policy.Amount(d.Price.Rate) }},
	{"currency", func(d detail) any { return text(d.hold.Currency) }},
	{"unit", func(d detail) any { return text(d.Unit) }},
	{"estimated", func(d detail) any { return d.Estimate }},
	{"authorised", func(d detail) any { return d.amount(d.hold.Authorised) }},
	{"charged", func(d detail) any { return d.amount(d.hold.Charged) }},
	{"worth", func(d detail) any { return d.amount(d.Value) }},
	{"subscription", func(d detail) any { return text(d.Subscription) }},
	{"licence", func(d detail) any { return text(d.hold.Licence) }},
	{"state", func(d detail) any { return text(string(d.hold.State)) }},
	{"delivery", func(d detail) any { return d.Method }},
	{"deliveries", func(d detail) any { return d.got.Times }},
	{"delivered_bytes", func(d detail) any { return d.got.Bytes }},
	{"obligation", func(d detail) any { return d.Obligation.String() }},
	{"due", func(d detail) any { return moment(d.Due) }},
	{"report", func(d detail) any { return text(d.Report.ID) }},
	{"reported", func(d detail) any { return moment(d.Report.Made) }},
	{"consumed", func(d detail) any {
		if d.Report.ID == "" {
			return nil
		}
		return d.Report.Consumed
	}},
	{"off_estimate", func(d detail) any { return d.marked(d.Report.Deviant) }},
	{"displayed_to_user", func(d detail) any { return stated(d.usage.Shown) }},
	{"citation_included", func(d detail) any { return stated(d.usage.Cited) }},
	{"attribution", func(d detail) any { return listed(d.usage.Attribution, transactions.Attribution.String) }},
	{"subfn", func(d detail) any { return listed(d.usage.SubFunctions, func(name string) string { return name }) }},
	{"assets", func(d detail) any {
		return listed(d.usage.Assets, func(a transactions.Asset) string { return a.URI })
	}},
	{"report_exchange", func(d detail) any { return text(d.usage.Exchange) }},
	{"entry", func(d detail) any { return d.Entry }},
	{"dispute", func(d detail) any { return text(d.disputed.ID) }},
	{"dispute_reason", func(d detail) any { return text(string(d.disputed.Reason)) }},
	{"dispute_status", func(d detail) any { return text(string(d.disputed.Status)) }},
	{"dispute_resolution", func(d detail) any { return text(string(d.disputed.Resolution)) }},
	{"credited", func(d detail) any {
		if d.disputed.Currency == "" {
			return nil
		}
		return policy.Amount(d.disputed.Credit)
	}},
	{"declared_use", func(d detail) any { return text(strings.Join(d.Declared, " ")) }},
	{"reported_use", func(d detail) any { return text(strings.Join(d.usage.Words(), " ")) }},
	{"prohibited_use", func(d detail) any { return d.marked(d.Report.Prohibited) }},
	{"future_date", func(d detail) any { return d.marked(d.Report.Future) }},
}
