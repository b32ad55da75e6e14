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
	Of    string // the transaction of which alone these are
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

// deliveries lists what was delivered, the newest first, or finds one delivery by its id, or those
// under a transaction by its.
func (o *owner) deliveries(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	body := deliveriesBody{listed: o.choose(r, "deliveries", "by", "state", "days", "until")}
	body.By, body.State = body.chosen.Get("by"), body.chosen.Get("state")
	var all []transactions.Delivery
	var next string
	var err error
	if body.Find != "" {
		one, ok, wrong := o.config.Sales.Deals.Delivery(ctx, body.Find)
		if ok && wrong == nil {
			return "", nil, frame.Elsewhere("sales/deliveries/" + one.ID)
		}
		body.Of = body.Find
		if err = wrong; err == nil {
			all, err = o.config.Sales.Deals.DeliveriesOf(ctx, body.Find, body.before, perPage+1)
		}
		if len(all) > perPage {
			all = all[:perPage]
			next = all[perPage-1].ID
		}
	} else {
		all, next, err = o.config.Sales.Deals.Deliveries(ctx, transactions.DeliveryFilter{
			Site: body.Site, By: body.By, State: transactions.DeliveryState(body.State),
			Since: body.since, Until: body.until, Before: body.before, Limit: perPage,
		})
	}
	body.Next = body.next(next)
	for _, d := range all {
		body.Rows = append(body.Rows, newDeliveryRow(v, d))
	}
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
	body := leakageBody{listed: o.choose(r, "leakage", "days", "until"), Grace: spanSays(v, reports.Grace)}
	if body.Kind = r.URL.Query().Get("kind"); !slices.Contains(leakKinds, body.Kind) {
		body.Kind = leakUnbought
	}
	for _, k := range leakKinds {
		at := link("leakage", "kind", k, "site", body.Site, "day", body.Day)
		body.Kinds = append(body.Kinds, tab{Name: k, Link: at, Chosen: k == body.Kind})
	}
	body.chosen.Set("kind", body.Kind)
	since, until := body.since, body.until
	if latest := o.Now().Add(-reports.Grace); until.IsZero() || until.After(latest) {
		until = latest
	}
	var sent []transactions.Delivery
	var next string
	var err error
	switch body.Kind {
	case leakLogged:
		sent, next, err = o.config.Sales.Reports.LoggedStrays(ctx, body.Site, since, until, body.before, perPage)
	case leakUnbought:
		sent, next, err = o.config.Sales.Deals.Deliveries(ctx, transactions.DeliveryFilter{
			Site: body.Site, Stray: true, Unbought: true, Since: since, Until: until, Before: body.before,
			Limit: perPage,
		})
	default:
		var all []transactions.Transaction
		if all, next, err = o.config.Sales.Deals.Transactions(ctx, transactions.Filter{
			Site: body.Site, Unfetched: true, Since: since, Until: until, Before: body.before, Limit: perPage,
		}); err == nil {
			all, err = o.unlogged(ctx, all)
		}
		if err == nil {
			body.Sold, err = o.withHolds(ctx, v, all)
		}
	}
	for _, d := range sent {
		body.Sent = append(body.Sent, newDeliveryRow(v, d))
	}
	body.Next = body.next(next)
	return v.Say("sales.leakage"), body, err
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
