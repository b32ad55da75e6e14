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

// deliveryStates say how deliveries went.
var deliveryStates = []struct {
	Name transactions.DeliveryState
	Says string
}{{transactions.DeliveryEnded, "delivered"}, {transactions.DeliveryCut, "broke off"}, {transactions.DeliveryBegun, "under way"}}

// Paged says whether the delivery has a page of its own; what a log tells has none.
func (d deliveryRow) Paged() bool { return !strings.HasPrefix(d.ID, "log-") }

func newDeliveryRow(d transactions.Delivery) deliveryRow {
	row := deliveryRow{Delivery: d, Who: d.By, Bad: d.State == transactions.DeliveryCut}
	if d.By == "" {
		row.Who = "this front desk"
	}
	row.Kind, _, _ = strings.Cut(d.Media, ";")
	for _, s := range deliveryStates {
		if s.Name == d.State {
			row.How = s.Says
		}
	}
	row.Sent = sizeSays(d.Bytes)
	switch {
	case d.State == transactions.DeliveryBegun:
		row.Sent = sizeSays(d.Announced) + " announced"
	case d.Bound:
		row.How, row.Sent = "nobody saw its end", "at most "+row.Sent
	case d.State == transactions.DeliveryCut && d.Announced > 0:
		row.Sent += " of " + sizeSays(d.Announced)
	}
	if d.Seconds > 0 {
		row.Sent += " in " + spanSays(time.Duration(d.Seconds)*time.Second)
	}
	if d.Status == http.StatusPartialContent {
		row.How += ", a part"
	}
	return row
}

// sizeSays writes a size for people.
func sizeSays(bytes int64) string {
	units := []string{"byte", "KB", "MB", "GB", "TB"}
	size, unit := float64(bytes), 0
	for size >= 1000 && unit < len(units)-1 {
		size, unit = size/1000, unit+1
	}
	if unit == 0 {
		return plural(int(bytes), "byte")
	}
	return strconv.FormatFloat(size, 'g', 3, 64) + " " + units[unit]
}

// deliveries lists what was delivered, the newest first, or finds one delivery by its id, or those under a transaction by its.
func (o *owner) deliveries(ctx context.Context, r *http.Request, _ *frame.Visit) (string, any, error) {
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
		body.Rows = append(body.Rows, newDeliveryRow(d))
	}
	return "Deliveries", body, err
}

// States are those by which deliveries are listed, for the form.
func (deliveriesBody) States() any { return deliveryStates }

// deliveryBody is the page of one delivery.
type deliveryBody struct {
	deliveryRow
	Digest string // SHA-256, as text
	Known  bool   // its transaction is known by now
}

// delivery shows one delivery.
func (o *owner) delivery(ctx context.Context, r *http.Request, _ *frame.Visit) (string, any, error) {
	d, ok, err := o.config.Sales.Deals.Delivery(ctx, r.PathValue("id"))
	if err != nil {
		return "", nil, err
	}
	if !ok {
		return "", nil, fail.New(fail.NotFound, "There is no delivery of this id.")
	}
	body := deliveryBody{deliveryRow: newDeliveryRow(d), Digest: hex.EncodeToString(d.Sum)}
	if d.Transaction != "" {
		if _, body.Known, err = o.config.Sales.Deals.Transaction(ctx, d.Transaction); err != nil {
			return "", nil, err
		}
	}
	return "Delivery " + d.ID, body, nil
}

// leakageBody is what was delivered and not bought, or bought and not delivered.
type leakageBody struct {
	listed
	Kind  string
	Kinds []leakKind
	About string
	Grace string
	Sent  []deliveryRow
	Sold  []transactionRow
}

// leakKind is a kind of leak.
type leakKind struct {
	Name, Says, Link string
	Chosen           bool
	about            string
}

// The kinds of leaks.
const (
	leakUnbought  = "unbought"
	leakLogged    = "logged"
	leakUnfetched = "undelivered"
)

var leakKinds = []leakKind{
	{Name: leakUnbought, Says: "Delivered, not bought", about: "Licensed content left the house under an id that is no " +
		"transaction here: an address was made with a stolen key, or books were lost."},
	{Name: leakLogged, Says: "Logged, not bought", about: "A log that was imported tells of content under an id that is " +
		"no transaction here: an address was made with a stolen key, or books were lost."},
	{Name: leakUnfetched, Says: "Bought, not delivered", about: "Somebody bought, and nobody tells that it was " +
		"delivered: it was never fetched, or whoever delivers it keeps no record, as a CDN."},
}

// leakage lists what was delivered under a transaction that nobody knows, or what was bought and never fetched, the newest first, as far as it is
// older than others may take to tell of a delivery.
func (o *owner) leakage(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	body := leakageBody{listed: o.choose(r, "leakage", "days", "until"), Grace: spanSays(reports.Grace)}
	chosen := leakKinds[0]
	for _, k := range leakKinds {
		if k.Name == r.URL.Query().Get("kind") {
			chosen = k
		}
	}
	body.Kind, body.About = chosen.Name, chosen.about
	for _, k := range leakKinds {
		k.Link, k.Chosen = link("leakage", "kind", k.Name, "site", body.Site, "day", body.Day), k.Name == body.Kind
		body.Kinds = append(body.Kinds, k)
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
			Site: body.Site, Stray: true, Unbought: true, Since: since, Until: until, Before: body.before, Limit: perPage,
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
		body.Sent = append(body.Sent, newDeliveryRow(d))
	}
	body.Next = body.next(next)
	return "Leakage", body, err
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
