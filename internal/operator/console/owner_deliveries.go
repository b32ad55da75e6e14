package console

import (
	"context"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/reports"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/operator/console/frame"
)

// deliveriesBody is what was delivered.
type deliveriesBody struct {
	listed
	By    string // an edge's name
	State string
	Rows  []deliveryRow
}

// deliveryRow is a delivery.
type deliveryRow struct {
	transactions.Delivery
	Who  string // delivered it
	Sent string // how much
	How  string // it went
	Bad  bool
	Kind string // its media type, without what stands behind it
}

// deliveryRows are rows of a table, with where their links begin.
type deliveryRows struct {
	Base string
	Rows []deliveryRow
}

// deliveryStates are how deliveries went.
var deliveryStates = []transactions.DeliveryState{
	transactions.DeliveryEnded, transactions.DeliveryCut, transactions.DeliveryBegun,
}

// Paged says whether the delivery has a page of its own; what a log tells has none.
func (d deliveryRow) Paged() bool { return !strings.HasPrefix(d.ID, "log-") }

func newDeliveryRow(v *frame.Visit, d transactions.Delivery) deliveryRow {
	row := deliveryRow{
		Delivery: d, Who: d.By, Bad: d.State == transactions.DeliveryCut,
		How: known(v, "deliveries.is", string(d.State)),
	}
	if d.By == "" {
		row.Who = v.Say("deliveries.here")
	}
	row.Kind, _, _ = strings.Cut(d.Media, ";")
	row.Sent = sizeSays(v, d.Bytes)
	switch {
	case d.State == transactions.DeliveryBegun:
		row.Sent = v.Say("deliveries.announced", sizeSays(v, d.Announced))
	case d.Bound:
		row.How, row.Sent = v.Say("deliveries.unseen"), v.Say("deliveries.at_most", row.Sent)
	case d.State == transactions.DeliveryCut && d.Announced > 0:
		row.Sent = v.Say("deliveries.of", row.Sent, sizeSays(v, d.Announced))
	}
	if d.Seconds > 0 {
		row.Sent = v.Say("deliveries.in", row.Sent, spanSays(v, time.Duration(d.Seconds)*time.Second))
	}
	if d.Status == http.StatusPartialContent {
		row.How += ", " + v.Say("deliveries.part")
	}
	return row
}

// sizeSays writes a size for people.
func sizeSays(v *frame.Visit, bytes int64) string {
	units := []string{"", "KB", "MB", "GB", "TB"}
	size, unit := float64(bytes), 0
	for size >= 1000 && unit < len(units)-1 {
		size, unit = size/1000, unit+1
	}
	if unit == 0 {
		return v.Count("list.bytes", int(bytes))
	}
	return strconv.FormatFloat(size, 'g', 3, 64) + " " + units[unit]
}

// deliveries lists what was delivered, the newest first, or the delivery of an id, or those under
// the transaction of one.
func (o *owner) deliveries(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	body := deliveriesBody{listed: o.choose(r, "sales/deliveries")}
	body.By, body.State = body.Asked("by"), body.Asked("state")
	from, row := o.config.Sales.Deals, func(d transactions.Delivery) deliveryRow { return newDeliveryRow(v, d) }
	one, ok, err := from.Delivery(ctx, body.Find)
	if ok || err != nil {
		body.Rows = []deliveryRow{row(one)}
		return v.Say("sales.deliveries"), body, err
	}
	under, err := from.DeliveriesOf(ctx, body.Find, "", 1)
	if err != nil {
		return "", nil, err
	}
	want := transactions.DeliveryFilter{
		Site: body.Site, By: body.By, State: transactions.DeliveryState(body.State),
		Since: body.since, Until: body.until,
	}
	body.Rows, err = filled(ctx, r, &body.listed, frame.Parts[deliveryRow]{
		Cells: deliveryRow.cells,
		Read: func(ctx context.Context, place string, limit int) ([]deliveryRow, string, error) {
			if len(under) > 0 {
				all, err := from.DeliveriesOf(ctx, body.Find, place, limit+1)
				all, next := cut(all, limit, func(d transactions.Delivery) string { return d.ID })
				return mapped(all, row), next, err
			}
			want.Before, want.Limit = place, limit
			all, next, err := from.Deliveries(ctx, want)
			return mapped(all, row), next, err
		},
	})
	return v.Say("sales.deliveries"), body, err
}

// States are those by which deliveries are listed, for the form.
func (b deliveriesBody) States() []option {
	return optionsOf(deliveryStates, transactions.DeliveryState(b.State))
}

// deliveryBody is the page of one delivery.
type deliveryBody struct {
	deliveryRow
	Digest string // SHA-256, as text
	Known  bool   // its transaction is known by now
}

// delivery shows one delivery.
func (o *owner) delivery(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	d, ok, err := o.config.Sales.Deals.Delivery(ctx, r.PathValue("id"))
	if err != nil {
		return "", nil, err
	}
	if !ok {
		return "", nil, frame.Fail(fail.NotFound, "fault.delivery")
	}
	body := deliveryBody{deliveryRow: newDeliveryRow(v, d), Digest: hex.EncodeToString(d.Sum)}
	if d.Transaction != "" {
		if _, body.Known, err = o.config.Sales.Deals.Transaction(ctx, d.Transaction); err != nil {
			return "", nil, err
		}
	}
	return v.Say("deliveries.one") + " " + d.ID, body, nil
}

// leakageBody is what was delivered and not bought, or bought and not delivered.
type leakageBody struct {
	listed
	Kind  string
	Kinds []tab
	Grace string
	Sent  []deliveryRow
	Sold  []transactionRow
}

// The kinds of leaks.
const (
	leakUnbought  = "unbought"
	leakLogged    = "logged"
	leakUnfetched = "undelivered"
)

var leakKinds = []string{leakUnbought, leakLogged, leakUnfetched}

// leakage lists what was delivered under a transaction that nobody knows, or what was bought and
// never fetched, the newest first, as far as it is older than others may take to tell of a
// delivery.
func (o *owner) leakage(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	body := leakageBody{listed: o.choose(r, "sales/leakage", "kind"), Grace: spanSays(v, reports.Grace)}
	if body.Kind = body.Asked("kind"); !slices.Contains(leakKinds, body.Kind) {
		body.Kind = leakUnbought
	}
	for _, k := range leakKinds {
		at := frame.Link(r, "sales/leakage", map[string]string{"kind": k})
		body.Kinds = append(body.Kinds, tab{Name: k, Link: at, Chosen: k == body.Kind})
	}
	if latest := o.Now().Add(-reports.Grace); body.until.IsZero() || body.until.After(latest) {
		body.until = latest
	}
	var err error
	if body.Kind == leakUnfetched {
		body.Sold, err = filled(ctx, r, &body.listed, frame.Parts[transactionRow]{
			Cells: transactionRow.cells,
			Read: func(ctx context.Context, place string, limit int) (rows []transactionRow, next string, err error) {
				all, next, err := o.config.Sales.Deals.Transactions(ctx, transactions.Filter{
					Site: body.Site, Unfetched: true, Since: body.since, Until: body.until, Before: place, Limit: limit,
				})
				if err == nil {
					all, err = o.unlogged(ctx, all)
				}
				if err == nil {
					rows, err = o.withHolds(ctx, v, all)
				}
				return rows, next, err
			},
		})
	} else {
		body.Sent, err = filled(ctx, r, &body.listed, frame.Parts[deliveryRow]{
			Cells: deliveryRow.cells,
			Read: func(ctx context.Context, place string, limit int) ([]deliveryRow, string, error) {
				all, next, err := o.strays(ctx, body, place, limit)
				return mapped(all, func(d transactions.Delivery) deliveryRow { return newDeliveryRow(v, d) }), next, err
			},
		})
	}
	return v.Say("sales.leakage"), body, err
}

// strays gives what was delivered and not bought: as this front desk and its edges know, or as
// imported logs tell.
func (o *owner) strays(ctx context.Context, body leakageBody, place string, limit int) (
	[]transactions.Delivery, string, error,
) {
	if body.Kind == leakLogged {
		return o.config.Sales.Reports.LoggedStrays(ctx, body.Site, body.since, body.until, place, limit)
	}
	return o.config.Sales.Deals.Deliveries(ctx, transactions.DeliveryFilter{
		Site: body.Site, Stray: true, Unbought: true, Since: body.since, Until: body.until, Before: place, Limit: limit,
	})
}

// unlogged gives those transactions of which no imported log tells that something was delivered.
func (o *owner) unlogged(ctx context.Context, all []transactions.Transaction) ([]transactions.Transaction, error) {
	ids := make([]string, len(all))
	for i, t := range all {
		ids[i] = t.ID
	}
	logged, err := o.config.Sales.Reports.AccessLog.Fetched(ctx, ids...)
	return slices.DeleteFunc(all, func(t transactions.Transaction) bool { return logged[t.ID] }), err
}
