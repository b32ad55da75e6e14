package reports

import (
	"context"
	"io"
	"iter"
	"strings"

	"frontdesk/internal/policy"
)

// Audit gives what was sold of a host's addresses, for whom it belongs to (RAMP v1, the provider's
// audit view): the oldest first, from behind want.After on, and at most so many of them for a limit
// above 0. Of who bought it tells the domain. Of want, Since, Until and After count; no more than a
// bounded number of transactions of others are passed over for a page with a limit, and next is
// from where to go on, empty when there are no more.
func (b Reporter) Audit(ctx context.Context, want Request, host string, limit int) (rows []map[string]any, next string,
	err error) {
	for d, err := range b.sales(ctx, want, host, limit, &next) {
		if err != nil {
			return nil, "", err
		}
		rows = append(rows, object(audited, d))
	}
	return rows, next, nil
}

// WriteAudit writes all that Audit gives as lines of JSON.
func (b Reporter) WriteAudit(ctx context.Context, w io.Writer, want Request, host string) error {
	var next string
	return write(w, Lines, b.sales(ctx, want, host, 0, &next), audited)
}

// auditLooked is how many transactions are looked at for one page.
const auditLooked = 5000

// sales gives transactions of a host's addresses in detail.
func (b Reporter) sales(ctx context.Context, want Request, host string, limit int, next *string) iter.Seq2[detail,
	error] {
	return func(yield func(detail, error) bool) {
		looked, given, last := 0, 0, ""
		for d, err := range b.transactions(ctx, Request{Since: want.Since, Until: want.Until, After: want.After}) {
			if err != nil {
				yield(detail{}, err)
				return
			}
			if limit > 0 && (given == limit || looked == auditLooked) {
				*next = last
				return
			}
			looked, last = looked+1, d.ID
			if of, ok := policy.Host(d.URI); !ok || of != host {
				continue
			}
			given++
			if !yield(d, nil) {
				return
			}
		}
	}
}

// buyerDomain is what is told of who bought: not the id of an agent, which its domain may have
// given to a person's.
func buyerDomain(buyer string) string {
	domain, _, _ := strings.Cut(buyer, "/")
	return domain
}

// audited are the columns of what is told to whom the content belongs.
var audited = func() (all []column[detail]) {
	told := map[string]bool{
		"time": true, "transaction": true, "uri": true, "model": true, "rate": true, "currency": true, "unit": true,
		"estimated": true, "authorised": true, "charged": true, "worth": true,
		"state": true, "delivery": true, "deliveries": true, "delivered_bytes": true, "obligation": true, "due": true,
		"reported": true, "consumed": true, "entry": true,
		"dispute_reason": true, "dispute_status": true, "dispute_resolution": true, "credited": true,
		"declared_use": true, "reported_use": true, "prohibited_use": true, "future_date": true,
	}
	for _, c := range details {
		if told[c.name] {
			all = append(all, c)
		}
	}
	return append(all, column[detail]{"buyer_domain", func(d detail) any { return buyerDomain(d.Buyer) }})
}()

// object is a row as an object.
func object[R any](columns []column[R], row R) map[string]any {
	o := map[string]any{}
	for _, c := range columns {
		if v := c.value(row); v != nil {
			o[c.name] = v
		}
	}
	return o
}
