package ask

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/ask/session"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
)

// TypeReport is the @type of a report among results.
const TypeReport = "SearchReport"

// Report is what all items say together that match a question: counts, values and ranges of what
// may be told of them. Items that the terms do not allow in a list of answers, or not as input to
// other texts, have no part in it.
type Report struct {
	Text    string // in words
	Counted index.Report
}

// The bounds of what a report tells.
const (
	maxReportFacets = 30
	maxReportValues = 20
	maxReportKinds  = 5 // types that its text names
)

// report counts all that matches.
func (s *Service) report(ctx context.Context, in *askState) (*Report, error) {
	say, told := i18n.For(in.Languages...), progressOf(ctx)
	told.tell(session.Progress{Message: say.Say(i18n.PromiseCounting)})
	g := s.view(in)
	asked := in.asked
	asked.Within = g.Permit
	all, err := g.Index.Report(ctx, asked, func(l *index.Doc) bool {
		decision := released.Decide(g.Terms, l)
		return decision.Allows(released.Search) && decision.Allows(released.Input)
	}, func(done, total int) {
		told.tell(session.Progress{Part: 0.99 * float64(done) / float64(max(done, total)),
			Message: say.Say(i18n.PromiseCounting)})
	})
	if err != nil {
		return nil, err
	}
	if all.Items == 0 {
		return nil, in.noResults()
	}
	r := &Report{Counted: all}
	r.Text = r.inWords(say)
	return r, nil
}

// inWords is a report in words: how many items there are, of which types, and what they cost and
// the like.
func (r *Report) inWords(say i18n.Speaker) string {
	var text []string
	for _, f := range r.Counted.Facets {
		switch {
		case f.Slot == "@type":
			var kinds []string
			for _, v := range f.Values[:min(len(f.Values), maxReportKinds)] {
				kinds = append(kinds, fmt.Sprintf("%s (%d)", say.Kind(v.Value), v.Items))
			}
			text = append([]string{say.Say(i18n.ReportItems, r.Counted.Items, say.List(kinds))}, text...)
		case f.Slot == facets.Price && f.Kind == facets.Figures:
			text = append(text, say.Say(i18n.ReportPrices, f.Items, say.With(f.Unit, say.Amount(f.Min)),
				say.With(f.Unit, say.Amount(f.Max)), say.With(f.Unit, say.Amount(f.Median))))
		case f.Slot == facets.Rating && f.Kind == facets.Figures:
			text = append(text, say.Say(i18n.ReportRatings, f.Items, say.Number(f.Min, -1), say.Number(f.Max, -1),
				say.Number(f.Median, -1)))
		}
	}
	return strings.Join(text, " ")
}

// AppendJSON appends the report as an item.
func (r *Report) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"@type":"`+TypeReport+`","text":`...)
	dst = released.AppendQuote(dst, r.Text)
	dst = strconv.AppendInt(append(dst, `,"numberOfItems":`...), int64(r.Counted.Items), 10)
	dst = appendTexts(dst, "words", r.Counted.Words)
	dst = appendTexts(dst, "words_passed_over", r.Counted.Passed)
	dst = append(dst, `,"facets":[`...)
	for i, f := range r.Counted.Facets[:min(len(r.Counted.Facets), maxReportFacets)] {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendFacet(dst, f)
	}
	return append(dst, "]}"...)
}

func appendTexts(dst []byte, name string, texts []string) []byte {
	if len(texts) == 0 {
		return dst
	}
	dst = append(append(append(dst, `,"`...), name...), `":[`...)
	for i, text := range texts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = released.AppendQuote(dst, text)
	}
	return append(dst, ']')
}

func appendFacet(dst []byte, f index.Facet) []byte {
	dst = released.AppendQuote(append(dst, `{"name":`...), string(f.Slot))
	dst = strconv.AppendInt(append(dst, `,"items":`...), int64(f.Items), 10)
	if f.Kind == facets.Words {
		dst = append(dst, `,"values":[`...)
		for i, v := range f.Values[:min(len(f.Values), maxReportValues)] {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = released.AppendQuote(append(dst, `{"value":`...), v.Value)
			dst = append(strconv.AppendInt(append(dst, `,"items":`...), int64(v.Items), 10), '}')
		}
		return append(dst, "]}"...)
	}
	written := func(v float64) []byte { return strconv.AppendFloat(nil, v, 'f', -1, 64) }
	if f.Kind == facets.Times {
		written = func(v float64) []byte {
			return released.AppendQuote(nil, time.Unix(int64(v), 0).UTC().Format(time.RFC3339))
		}
	}
	for _, part := range []struct {
		name  string
		value float64
	}{{"min", f.Min}, {"median", f.Median}, {"max", f.Max}} {
		dst = append(append(append(dst, `,"`...), part.name...), `":`...)
		dst = append(dst, written(part.value)...)
	}
	if f.Unit != "" {
		dst = released.AppendQuote(append(dst, `,"unit":`...), f.Unit)
	}
	return append(dst, '}')
}
