package reports

import (
	"context"
	"iter"

	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/transactions"
)

// charged is a line of an invoice, with the dispute of its purchase; the zero value of one that is
// not disputed.
type charged struct {
	accounts.InvoiceLine
	disputed disputes.Case
}

// invoiced adds to lines of an invoice what is disputed of their purchases.
func (b Reporter) invoiced(ctx context.Context, lines iter.Seq2[accounts.InvoiceLine, error]) iter.Seq2[charged,
	error] {
	return func(yield func(charged, error) bool) {
		var some []charged
		give := func() (more bool) {
			ids := make([]string, len(some))
			for i, c := range some {
				ids[i] = c.Purchase
			}
			of, err := b.disputed(ctx, ids)
			for _, c := range some {
				c.disputed = of[c.Purchase]
				if !yield(c, err) || err != nil {
					return false
				}
			}
			some = some[:0]
			return true
		}
		for line, err := range lines {
			if err != nil {
				if len(some) == 0 || give() {
					yield(charged{}, err)
				}
				return
			}
			if some = append(some, charged{InvoiceLine: line}); len(some) == atOnce && !give() {
				return
			}
		}
		give()
	}
}

// disputed gives the disputes of some purchases.
func (b Reporter) disputed(ctx context.Context, ids []string) (map[string]disputes.Case, error) {
	if b.Disputes == nil {
		return nil, nil
	}
	return b.Disputes.Of(ctx, ids...)
}

// compliance is what a buyer had to report and did, and how much it disputed that it filed in the
// same time.
type compliance struct {
	transactions.Compliance
	disputes, open, credited int64
}

// complied gives how buyers comply, by their names.
func (b Reporter) complied(ctx context.Context, want Request) iter.Seq2[compliance, error] {
	return func(yield func(compliance, error) bool) {
		var tallies []disputes.Tally
		if b.Disputes != nil {
			var err error
			if tallies, err = b.Disputes.Tallies(ctx, want.Since, want.Until); err != nil {
				yield(compliance{}, err)
				return
			}
		}
		of := map[string]compliance{}
		for _, t := range tallies {
			c := of[t.Buyer]
			c.disputes += t.Count
			if t.Status.Open() {
				c.open += t.Count
			}
			if t.Resolution == disputes.Credit {
				c.credited += t.Count
			}
			of[t.Buyer] = c
		}
		for row, err := range b.Transactions.Compliance(ctx, want.Since, want.Until, b.Now()) {
			c := of[row.Buyer]
			c.Compliance = row
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}
