package reports

import (
	"context"
	"iter"
	"strings"

	"frontdesk/internal/licensing/transactions"
)

// citation is one place at which a buyer named the source of what it bought, as its report says.
type citation struct {
	detail
	at transactions.Attribution
}

// citations gives where items were cited, in the order in which they were bought: one for each
// attribution of a report, and one without an address for a report that says that the source was
// named and not where.
func (b Reporter) citations(ctx context.Context, want Request) iter.Seq2[citation, error] {
	return func(yield func(citation, error) bool) {
		for d, err := range b.transactions(ctx, want) {
			if err != nil {
				yield(citation{}, err)
				return
			}
			places := d.usage.Attribution
			if len(places) == 0 && d.usage.Cited != nil && *d.usage.Cited {
				places = []transactions.Attribution{{}}
			}
			for _, at := range places {
				if !yield(citation{d, at}, nil) {
					return
				}
			}
		}
	}
}

var cited = []column[citation]{
	{"reported", func(c citation) any { return moment(c.Report.Made) }},
	{"site", func(c citation) any { return c.Site }},
	{"uri", func(c citation) any { return c.URI }},
	{"displayed_url", func(c citation) any { return text(c.at.URL) }},
	{"format", func(c citation) any {
		return text(strings.ToLower(strings.TrimPrefix(c.at.Format, "CITATION_FORMAT_")))
	}},
	{"visible_to_user", func(c citation) any { return stated(c.at.Visible) }},
	{"displayed_to_user", func(c citation) any { return stated(c.usage.Shown) }},
	{"reported_use", func(c citation) any { return text(strings.Join(c.usage.Words(), " ")) }},
	{"subfn", func(c citation) any { return listed(c.usage.SubFunctions, func(name string) string { return name }) }},
	{"assets", func(c citation) any {
		return listed(c.usage.Assets, func(a transactions.Asset) string { return a.URI })
	}},
	{"report_exchange", func(c citation) any { return text(c.usage.Exchange) }},
	{"buyer", func(c citation) any { return c.Buyer }},
	{"bought", func(c citation) any { return moment(c.Made) }},
	{"transaction", func(c citation) any { return c.ID }},
	{"report", func(c citation) any { return c.Report.ID }},
}
