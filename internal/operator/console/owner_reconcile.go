package console

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/licensing/disputes/enforcement"
	"frontdesk/internal/licensing/reports"
	"frontdesk/internal/operator/console/frame"
)

// reconciledBody is how deliveries, transactions and reports stand to one another, by day and site
// (RAMP v1, reconciliation); or where they contradict one another on one day.
type reconciledBody struct {
	listed
	Kind    string
	Kinds   []option
	Differ  bool // those days alone on which something differs
	Days    []reconciledRow
	Rows    []differenceRow
	Until   time.Time // before which days were counted; zero before there is any
	Since   time.Time // the first day that something was counted on; zero before there is any
	Early   bool      // the day is before that
	Sheet   string    // the address of the differences as CSV
	Lines   string    // and as lines of JSON
	Counted *reconciledRow
	Ripe    bool   // the day was counted
	More    string // the address of all that was delivered and not bought on the day; empty where all of it is shown
	Counts  bool   // days are counted at all
}

// reconciledKinds are the kinds of differences.
var reconciledKinds = []string{reports.Unrecorded, reports.Unused, reports.Unbought}

// reconciledRow is a day of a site.
type reconciledRow struct {
	enforcement.Day
	Part string // that differs
	Link string
}

// differenceRow is a difference.
type differenceRow struct{ reports.Difference }

func newDifferenceRow(d reports.Difference) differenceRow { return differenceRow{d} }

// Sold says whether a purchase differs, which has a page.
func (d differenceRow) Sold() bool { return d.Kind != reports.Unbought }

// OfLog is of a delivery that an imported log tells of: it has no page of its own.
func (d differenceRow) OfLog() bool { return strings.HasPrefix(d.Delivery.ID, "log-") }

// straysShown is how many deliveries that nobody bought a page of differences shows.
const straysShown = 25

func newReconciledRow(d enforcement.Day) reconciledRow {
	row := reconciledRow{Day: d, Link: link("reconciliation", "day", d.At.Format(time.DateOnly), "site", d.Site)}
	if d.Gaps > 0 {
		row.Part = strconv.FormatFloat(float64(d.Gaps)*100/float64(d.Of), 'f', 1, 64) + " %"
	}
	return row
}

// reconciliation lists what was counted, the latest day first, or where the three sides differ on
// one day.
func (o *owner) reconciliation(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	body := reconciledBody{listed: o.choose(r, "sales/reconciliation"), Counts: o.config.Sales.Disputes.Lift != nil}
	body.Kind, body.Differ = body.Asked("kind"), body.Asked("differ") != ""
	body.Kinds = optionsOf(reconciledKinds, body.Kind)
	var err error
	if body.Until, err = o.config.Sales.Disputes.Measures.ReconciledUntil(ctx); err != nil {
		return "", nil, err
	}
	if body.Since, err = o.config.Sales.Disputes.Measures.ReconciledSince(ctx); err != nil {
		return "", nil, err
	}
	if body.Day == "" {
		err = o.reconciledDays(ctx, r, &body)
		return v.Say("sales.reconciliation"), body, err
	}
	err = o.reconciledDay(ctx, r, v, &body)
	return v.Say("sales.reconciliation") + " " + body.Day, body, err
}

// reconciledDays lists what was counted.
func (o *owner) reconciledDays(ctx context.Context, r *http.Request, body *reconciledBody) (err error) {
	body.Days, err = filled(ctx, r, &body.listed, frame.Parts[reconciledRow]{
		Cells: reconciledRow.cells,
		Read: func(ctx context.Context, place string, limit int) ([]reconciledRow, string, error) {
			want := enforcement.Filter{
				Site: body.Site, Since: body.since, Until: body.until, Differing: body.Differ, Limit: limit + 1,
			}
			if day, site, ok := strings.Cut(place, "."); ok {
				want.After.At, _ = time.Parse(time.DateOnly, day)
				want.After.Site = site
			}
			all, err := o.config.Sales.Disputes.Measures.Days(ctx, want)
			all, next := cut(all, limit, func(d enforcement.Day) string {
				return d.At.Format(time.DateOnly) + "." + d.Site
			})
			return mapped(all, newReconciledRow), next, err
		},
	})
	return err
}

// reconciledDay lists the differences of a day. What is not counted yet may still change: there
// nobody's silence is taken for an answer.
func (o *owner) reconciledDay(ctx context.Context, r *http.Request, v *frame.Visit, body *reconciledBody) error {
	since, until := body.since, body.until
	body.Ripe, body.Early = !until.After(body.Until), since.Before(body.Since)
	body.Sheet = link("reports/reconciliation.csv", "site", body.Site, "since", body.Day, "until", body.Day)
	body.Lines = link("reports/reconciliation.jsonl", "site", body.Site, "since", body.Day, "until", body.Day)
	days, err := o.config.Sales.Disputes.Measures.Days(ctx,
		enforcement.Filter{Site: body.Site, Since: since, Until: until, Limit: perPage})
	if err != nil {
		return err
	}
	silent, gaps := map[string]bool{}, int64(0)
	for _, d := range days {
		silent[d.Site] = d.Untold > 0
		gaps += d.Gaps
		if body.Site != "" {
			row := newReconciledRow(d)
			body.Counted = &row
		}
	}
	want := reports.Request{Site: body.Site, Since: since, Until: until}
	body.Rows, err = filled(ctx, r, &body.listed, frame.Parts[differenceRow]{
		Cells: func(d differenceRow) []any {
			return append(d.cells(), v.Term("reconciled.kind", d.Kind), v.Told("difference", d.Why()))
		},
		Read: func(ctx context.Context, place string, limit int) (rows []differenceRow, next string, err error) {
			var all []reports.Difference
			if want.After = place; body.Kind != reports.Unbought {
				all, next, err = o.config.Sales.Reports.Differences(
					ctx, want, body.Kind, func(site string) bool { return silent[site] }, limit)
			}
			if err != nil || next != "" || body.Kind != "" && body.Kind != reports.Unbought {
				return mapped(all, newDifferenceRow), next, err // what nobody bought is on the last page
			}
			strays, err := o.config.Sales.Reports.Strays(ctx, body.Site, since, until, straysShown+1)
			if len(strays) > straysShown {
				strays = strays[:straysShown]
				body.More = link("leakage", "kind", leakUnbought, "site", body.Site, "day", body.Day)
			}
			return mapped(append(all, strays...), newDifferenceRow), "", err
		},
	})
	return err
}
