package reports

import (
	"context"
	"iter"
	"maps"
	"time"

	"frontdesk/internal/licensing/disputes/accesslog"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
)

// Grace is how old something is at the least that Leakage tells of, where no other span is wanted:
// what was bought may be fetched for some minutes, and what others delivered is told by them later.
const Grace = time.Hour

// The kinds of leaks.
const (
	unbought  = "delivery_without_transaction"
	unfetched = "transaction_without_delivery"
)

// leak is a delivery for which nobody knows a transaction, or a transaction under which nothing was
// delivered.
type leak struct {
	kind     string
	delivery transactions.Delivery
	sale     transactions.Transaction
}

// leaks gives the deliveries without a transaction, those that were recorded before those of
// imported logs, and then the transactions without a delivery, each the oldest first.
func (b Reporter) leaks(ctx context.Context, want Request) iter.Seq2[leak, error] {
	until := b.Now().Add(-want.Grace)
	if !want.Until.IsZero() && want.Until.Before(until) {
		until = want.Until
	}
	return func(yield func(leak, error) bool) {
		for l, err := range b.unbought(ctx, want, until) {
			if !yield(l, err) || err != nil {
				return
			}
		}
		for l, err := range b.unfetched(ctx, want, until) {
			if !yield(l, err) || err != nil {
				return
			}
		}
	}
}

// unbought gives deliveries whose transaction was not known when they were told of, and is not now.
func (b Reporter) unbought(ctx context.Context, want Request, until time.Time) iter.Seq2[leak, error] {
	all := both(b.Transactions.EachDelivery(ctx, transactions.DeliveryFilter{Site: want.Site, Stray: true,
		Since: want.Since, Until: until}), b.AccessLog.Strays(ctx, want.Site, want.Since, until))
	return without(all, func(some []transactions.Delivery) (map[string]bool, error) {
		return b.Transactions.PurchasedDeliveries(ctx, some...)
	},
		func(d transactions.Delivery) (string, leak) { return d.ID, leak{kind: unbought, delivery: d} })
}

// LoggedStrays gives what imported logs tell of under transactions that nobody knows by now, the
// newest first, up to so many: of a site, or of all where it is empty. It looks at a bounded number
// of lines, so that it never takes long: next is from where to go on (before), empty when there are
// no more.
func (b Reporter) LoggedStrays(ctx context.Context, site string, since, until time.Time, before string,
	limit int) (all []transactions.Delivery, next string, err error) {
	for range straysLooked {
		some, more, err := b.AccessLog.StraysBefore(ctx, since, until, before)
		if err != nil || len(some) == 0 {
			return all, "", err
		}
		bought, err := b.Transactions.PurchasedDeliveries(ctx, some...)
		if err != nil {
			return nil, "", err
		}
		for _, d := range some {
			if bought[d.ID] || site != "" && site != d.Site {
				continue
			}
			if all = append(all, d); len(all) == limit {
				return all, accesslog.StrayPlace(d), nil
			}
		}
		if before = more; before == "" {
			break
		}
	}
	return all, before, nil
}

// straysLooked is at how many pages of strays LoggedStrays looks at the most.
const straysLooked = 10

// both gives the rows of one after those of the other.
func both[R any](first, second iter.Seq2[R, error]) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		for _, rows := range []iter.Seq2[R, error]{first, second} {
			for row, err := range rows {
				if !yield(row, err) || err != nil {
					return
				}
			}
		}
	}
}

// unfetched gives transactions under which nothing was ever delivered, as far as anybody told, and
// that were not taken back.
func (b Reporter) unfetched(ctx context.Context, want Request, until time.Time) iter.Seq2[leak, error] {
	all := b.Transactions.Each(ctx, transactions.Filter{Site: want.Site, Since: want.Since, Until: until})
	return without(all, func(some []transactions.Transaction) (map[string]bool, error) {
		ids := make([]string, len(some))
		for i, t := range some {
			ids[i] = t.ID
		}
		has, err := b.Transactions.Fetched(ctx, ids...)
		if err != nil {
			return nil, err
		}
		logged, err := b.AccessLog.Fetched(ctx, ids...)
		maps.Copy(has, logged)
		for _, t := range some {
			if t.Failed {
				has[t.ID] = true
			}
		}
		return has, err
	}, func(t transactions.Transaction) (string, leak) { return t.ID, leak{kind: unfetched, sale: t} })
}

// without gives those rows as leaks that have no counterpart, which is looked up for many of them
// at once.
func without[R any](rows iter.Seq2[R, error], counterparts func([]R) (map[string]bool, error),
	as func(R) (id string, l leak)) iter.Seq2[leak, error] {
	return func(yield func(leak, error) bool) {
		var some []R
		give := func() (more bool) {
			has, err := counterparts(some)
			if err != nil {
				yield(leak{}, err)
				return false
			}
			for _, row := range some {
				if id, l := as(row); !has[id] && !yield(l, nil) {
					return false
				}
			}
			some = some[:0]
			return true
		}
		for row, err := range rows {
			if err != nil {
				yield(leak{}, err)
				return
			}
			if some = append(some, row); len(some) == atOnce && !give() {
				return
			}
		}
		give()
	}
}

// of gives what is told of a delivery, or else of a transaction.
func (l leak) of(delivery func(transactions.Delivery) any, sale func(transactions.Transaction) any) any {
	switch {
	case l.kind == unbought && delivery != nil:
		return delivery(l.delivery)
	case l.kind == unfetched && sale != nil:
		return sale(l.sale)
	}
	return nil
}

var leakage = []column[leak]{
	{"time", func(l leak) any {
		return l.of(func(d transactions.Delivery) any { return moment(d.At) },
			func(t transactions.Transaction) any { return moment(t.Made) })
	}},
	{"kind", func(l leak) any { return l.kind }},
	{"transaction", func(l leak) any {
		return l.of(func(d transactions.Delivery) any { return text(d.Transaction) },
			func(t transactions.Transaction) any { return t.ID })
	}},
	{"site", func(l leak) any {
		return l.of(func(d transactions.Delivery) any { return text(d.Site) },
			func(t transactions.Transaction) any { return t.Site })
	}},
	{"uri", func(l leak) any {
		return l.of(func(d transactions.Delivery) any { return text(d.URI) },
			func(t transactions.Transaction) any { return t.URI })
	}},
	{"delivery", func(l leak) any { return l.of(func(d transactions.Delivery) any { return d.ID }, nil) }},
	{"by", func(l leak) any { return l.of(func(d transactions.Delivery) any { return text(d.By) }, nil) }},
	{"status", func(l leak) any { return l.of(func(d transactions.Delivery) any { return int64(d.Status) }, nil) }},
	{"state", func(l leak) any { return l.of(func(d transactions.Delivery) any { return string(d.State) }, nil) }},
	{"bytes", func(l leak) any { return l.of(func(d transactions.Delivery) any { return d.Bytes }, nil) }},
	{"buyer", func(l leak) any { return l.of(nil, func(t transactions.Transaction) any { return t.Buyer }) }},
	{"method", func(l leak) any { return l.of(nil, func(t transactions.Transaction) any { return t.Method }) }},
	{"model", func(l leak) any { return l.of(nil, func(t transactions.Transaction) any { return t.Price.Model }) }},
	{"currency", func(l leak) any {
		return l.of(nil, func(t transactions.Transaction) any { return text(t.Price.Currency) })
	}},
	{"authorised", func(l leak) any {
		return l.of(nil, func(t transactions.Transaction) any {
			if t.Price.Currency == "" {
				return nil
			}
			return policy.Amount(t.Amount)
		})
	}},
	{"entry", func(l leak) any {
		return l.of(func(d transactions.Delivery) any { return text(d.Entry) },
			func(t transactions.Transaction) any { return text(t.Entry) })
	}},
}
