package console

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/console/frame"
	"frontdesk/internal/policy"
	"frontdesk/wire/strictjson"
)

// shelfBody is the catalog.
type shelfBody struct {
	listed
	Rows []shelfRow
}

// shelfRow is something that can be sold, or not.
type shelfRow struct {
	exchange.CatalogRow
	Type  string
	Price string
	Note  string
	Why   string // why it is not sold
	Owed  string
}

// shelf shows the catalog with prices. It is what can be sold now, so that it has no days.
func (o *owner) shelf(ctx context.Context, r *http.Request, v *frame.Visit) (_ string, _ any, err error) {
	body := shelfBody{listed: o.choose(r, "sales/catalog")}
	body.over = nil
	body.Rows, err = filled(ctx, r, &body.listed, o.entries(body.Find, body.Site, func(s exchange.CatalogRow) shelfRow {
		return newShelfRow(v, s)
	}))
	return v.Say("sales.catalog"), body, err
}

// entries are rows of what there is of the catalog of a site, of which the store finds words.
func (o *owner) entries(find, site string, row func(exchange.CatalogRow) shelfRow) frame.Parts[shelfRow] {
	return frame.Parts[shelfRow]{
		Read: func(ctx context.Context, place string, limit int) (rows []shelfRow, next string, err error) {
			before, _ := strconv.Atoi(place)
			all, n, err := o.config.Sales.Shelf(ctx, exchange.CatalogFilter{
				Find: find, Site: site, Before: max(before, 0), Limit: limit,
			})
			if n > 0 {
				next = strconv.Itoa(n)
			}
			return mapped(all, row), next, err
		},
	}
}

// Place is that of the rule that decides, as the page of terms counts them; 0 for none.
func (r shelfRow) Place() int { return r.Rule + 1 }

func newShelfRow(v *frame.Visit, s exchange.CatalogRow) shelfRow {
	row := shelfRow{CatalogRow: s, Price: priceSays(v, s.Price), Owed: dutySays(v, s.Report)}
	if len(s.Types) > 0 {
		row.Type = s.Types[0]
	}
	switch {
	case s.Absence != "":
		row.Why = v.Term("shelf.absent", s.Absence)
	case s.Price == (policy.Money{}):
		row.Price = v.Say("price.subscribers")
	}
	if s.Price.Metered() && s.Worth > 0 {
		row.Note = v.Say("price.about", money(s.Worth, s.Price.Currency))
		if s.Quantity > 0 {
			row.Note = v.Say("price.for", row.Note, units(v, s.Quantity, s.Price.Unit()))
		}
	}
	if len(s.Scopes) > 0 {
		row.Note = notes(row.Note, v.Say("price.scope", strings.Join(s.Scopes, " / ")))
	}
	return row
}

// units is how much of what a price counts.
func units(v *frame.Visit, n int64, unit string) string {
	return strings.TrimSpace(strconv.FormatInt(n, 10) + " " + known(v, "price.unit", unit))
}

// offersBody is the offers that were made.
type offersBody struct {
	listed
	Rows []offerRow
}

// offerRow is an offer.
type offerRow struct {
	*transactions.Offer
	Cost  string
	Worth string
	Over  bool // it can be bought no more
	Owed  string
}

// Place is that of the rule that decided, as the page of terms counts them.
func (r offerRow) Place() int { return r.Rule + 1 }

func newOfferRow(v *frame.Visit, of *transactions.Offer, now time.Time) offerRow {
	row := offerRow{Offer: of, Cost: priceSays(v, of.Price), Over: of.Ended(now), Owed: dutySays(v, of.Report)}
	if of.Subscription != "" {
		row.Cost = v.Say("price.subscription", of.Subscription)
	} else if of.Price.Metered() {
		row.Worth = v.Say("price.about", money(accounts.Value(of.Price, of.Quantity), of.Price.Currency))
	}
	return row
}

// offers lists the offers that are still known, those that end last first, or the one of an id.
func (o *owner) offers(ctx context.Context, r *http.Request, v *frame.Visit) (_ string, _ any, err error) {
	body := offersBody{listed: o.choose(r, "sales/offers")}
	want := transactions.OfferFilter{Buyer: body.Buyer, Site: body.Site, Since: body.since, Until: body.until}
	row := func(of *transactions.Offer) offerRow { return newOfferRow(v, of, o.Now()) }
	one, ok, err := o.config.Sales.Deals.Offer(ctx, body.Find)
	if ok || err != nil {
		if ok {
			body.Rows = []offerRow{row(one)}
		}
		return v.Say("sales.offers"), body, err
	}
	body.Rows, err = filled(ctx, r, &body.listed, frame.Parts[offerRow]{
		Cells: offerRow.cells,
		Read: func(ctx context.Context, place string, limit int) ([]offerRow, string, error) {
			want.Before, want.Limit = place, limit
			all, next, err := o.config.Sales.Deals.Offers(ctx, want)
			return mapped(all, row), next, err
		},
	})
	return v.Say("sales.offers"), body, err
}

// offerBody is the page of one offer.
type offerBody struct {
	offerRow
	Text string // its document, as it was signed
}

// offer shows one offer.
func (o *owner) offer(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	of, ok, err := o.config.Sales.Deals.Offer(ctx, r.PathValue("id"))
	if err != nil {
		return "", nil, err
	}
	if !ok {
		return "", nil, frame.Fail(fail.NotFound, "fault.offer")
	}
	return v.Say("offers.one") + " " + of.ID, offerBody{newOfferRow(v, of, o.Now()), indented(of.Document)}, nil
}

// transactionsBody is what was bought.
type transactionsBody struct {
	listed
	Account string // whose account it was bought from, in place of what else is filtered by
	Rows    []transactionRow
}

// transactionRow is a purchase.
type transactionRow struct {
	transactions.Transaction
	Hold    accounts.Hold
	Cost    string
	Model   string // of its price
	State   string
	Good    bool
	Duty    string
	DutyBad bool
}

// How far purchases are, and how obligations to report stand, as the keys of words end.
var (
	holds = []accounts.State{
		accounts.Held, accounts.Settled, accounts.Expired, accounts.Released, accounts.Credited,
	}
	duties = map[transactions.Obligation]string{
		transactions.Fulfilled: "in_time", transactions.Expired: "overdue", transactions.Waived: "waived",
		transactions.Late: "late",
	}
)

func newTransactionRow(v *frame.Visit, t transactions.Transaction, h accounts.Hold, now time.Time) transactionRow {
	row := transactionRow{Transaction: t, Hold: h, Good: h.State == accounts.Settled,
		Model: v.Term("price.model", t.Price.Model)}
	if slices.Contains(holds, h.State) {
		row.State = v.Say("purchases.is_" + string(h.State))
	}
	switch {
	case t.Failed:
		row.State = v.Say("purchases.failed")
	case t.Subscription != "":
		row.Cost = v.Say("purchases.subscription")
	case h.State == accounts.Held && h.Authorised > 0:
		row.Cost = money(h.Authorised, h.Currency)
	default:
		row.Cost = money(h.Charged, h.Currency)
	}
	if row.Cost == "" && !t.Failed {
		row.Cost = v.Say("purchases.free")
	}
	if t.Obligation == transactions.Pending && !now.Before(t.Due) {
		t.Obligation = transactions.Expired // nobody has looked yet
	}
	row.DutyBad = t.Obligation == transactions.Expired
	if t.Obligation == transactions.Pending {
		row.Duty = v.Say("purchases.due", v.Moment(t.Due))
	} else if duty, known := duties[t.Obligation]; known {
		row.Duty = v.Say("purchases.duty_" + duty)
	}
	return row
}

// withHolds adds to transactions what the book has of them.
func (o *owner) withHolds(
	ctx context.Context, v *frame.Visit, all []transactions.Transaction,
) (rows []transactionRow, err error) {
	ids := mapped(all, func(t transactions.Transaction) string { return t.ID })
	holds, err := o.config.Sales.Accounts.PurchasesOf(ctx, ids...)
	if err != nil {
		return nil, err
	}
	of := map[string]accounts.Hold{}
	for _, h := range holds {
		of[h.ID] = h
	}
	for _, t := range all {
		rows = append(rows, newTransactionRow(v, t, of[t.ID], o.Now()))
	}
	return rows, nil
}

// transactions lists what was bought, the newest first, or the purchase of an id.
func (o *owner) transactions(ctx context.Context, r *http.Request, v *frame.Visit) (_ string, _ any, err error) {
	body := transactionsBody{listed: o.choose(r, "sales/transactions")}
	body.Account = body.Asked("account")
	want := transactions.Filter{Buyer: body.Buyer, Site: body.Site, Since: body.since, Until: body.until}
	parts := frame.Parts[transactionRow]{
		Cells: transactionRow.cells,
		Read: func(ctx context.Context, place string, limit int) ([]transactionRow, string, error) {
			want.Before, want.Limit = place, limit
			all, next, err := o.config.Sales.Deals.Transactions(ctx, want)
			if err != nil {
				return nil, "", err
			}
			rows, err := o.withHolds(ctx, v, all)
			return rows, next, err
		},
	}
	if body.Account != "" {
		parts.At = func(t transactionRow) time.Time { return t.Made }
		parts.Read = func(ctx context.Context, place string, limit int) ([]transactionRow, string, error) {
			return o.boughtFrom(ctx, v, body.Account, place, limit)
		}
	} else if t, ok, err := o.config.Sales.Deals.Transaction(ctx, body.Find); err != nil {
		return "", nil, err
	} else if ok {
		body.Rows, err = o.withHolds(ctx, v, []transactions.Transaction{t})
		return v.Say("sales.transactions"), body, err
	}
	body.Rows, err = filled(ctx, r, &body.listed, parts)
	return v.Say("sales.transactions"), body, err
}

// boughtFrom lists what was bought from the accounts of a buyer, and gives the place behind which
// more is.
func (o *owner) boughtFrom(
	ctx context.Context, v *frame.Visit, buyer, before string, limit int,
) (rows []transactionRow, next string, err error) {
	holds, err := o.config.Sales.Accounts.Purchases(ctx, accounts.PurchaseFilter{
		Holder: buyer, Before: before, Limit: limit + 1,
	})
	if err != nil {
		return nil, "", err
	}
	holds, next = cut(holds, limit, func(h accounts.Hold) string { return h.ID })
	ids := mapped(holds, func(h accounts.Hold) string { return h.ID })
	all, err := o.config.Sales.Deals.ByIDs(ctx, ids...)
	if err != nil {
		return nil, "", err
	}
	of := map[string]transactions.Transaction{}
	for _, t := range all {
		of[t.ID] = t
	}
	for _, h := range holds {
		if t, ok := of[h.ID]; ok {
			rows = append(rows, newTransactionRow(v, t, h, o.Now()))
		}
	}
	return rows, next, nil
}

// transactionBody is the page of one purchase.
type transactionBody struct {
	transactionRow
	Price  string
	Title  string
	Text   string // the offer, as it was signed
	Events []transactions.Event
	More   bool // there are more events than are shown
	// Principal is the domain of whom it was bought for under a delegation, and Delegation the id
	// by which that is revoked; empty for none.
	Principal, Delegation string
	Usage                 transactions.UsageDetails // as far as it was reported
}

// eventsShown is how many events of a purchase its page shows.
const eventsShown = 100

// transaction shows one purchase: the offer, the cost, what was delivered and reported, and the
// receipts.
func (o *owner) transaction(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	t, ok, err := o.config.Sales.Deals.Transaction(ctx, r.PathValue("id"))
	if err != nil {
		return "", nil, err
	}
	if !ok {
		return "", nil, frame.Fail(fail.NotFound, "fault.purchase")
	}
	rows, err := o.withHolds(ctx, v, []transactions.Transaction{t})
	if err != nil {
		return "", nil, err
	}
	events, err := o.config.Sales.Deals.Events(ctx, t.ID, eventsShown+1)
	if err != nil {
		return "", nil, err
	}
	body := transactionBody{transactionRow: rows[0], Price: priceSays(v, t.Price), Text: indented(t.Document),
		Title: titleOf(t.Document), Usage: t.Report.Usage()}
	body.Principal, body.Delegation = o.delegated(ctx, t.Entry)
	for i, e := range events {
		if body.More = i == eventsShown; body.More {
			break
		}
		body.Events = append(body.Events, e)
	}
	return v.Say("purchases.one") + " " + t.ID, body, nil
}

// delegated says under whose delegation something was bought, as its entry of the ledger tells
// (RAMP v1, Delegation); nothing where there is none, or the entry has no place yet.
func (o *owner) delegated(ctx context.Context, entry string) (principal, id string) {
	if entry == "" {
		return "", ""
	}
	bought, err := o.config.Receipt(ctx, entry)
	if err != nil {
		return "", ""
	}
	for _, f := range fields(strictjson.Value(bought.Entry.Body)) {
		switch f.Name {
		case "principal_domain":
			principal = f.Text
		case "delegation":
			id = f.Text
		}
	}
	return principal, id
}

// titleOf is the title that an offer's document has.
func titleOf(document []byte) string {
	for _, f := range fields(strictjson.Value(document)) {
		if f.Name == "package" {
			for _, inner := range fields(strictjson.Value(f.Text)) {
				if inner.Name == "title" {
					return inner.Text
				}
			}
		}
	}
	return ""
}

// owedBody is what has to be reported.
type owedBody struct {
	listed
	State  string
	States []tab
	Rows   []transactionRow
	Late   bool // the state is one in which there is a report
}

// tab leads to a part of a list.
type tab struct {
	Name, Count, Link string
	Chosen            bool
}

// owedStates are the states by which obligations are listed, what needs somebody first.
var owedStates = []struct {
	name  string
	state transactions.Obligation
}{
	{"overdue", transactions.Expired}, {"open", transactions.Pending}, {"met", transactions.Fulfilled},
	{"late", transactions.Late}, {"waived", transactions.Waived},
}

// owed lists what buyers have to report, by its state.
func (o *owner) owed(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	body := owedBody{listed: o.choose(r, "sales/owed", "state")}
	counts, err := o.config.Sales.Deals.OwedCount(ctx, body.Buyer, owedMost)
	if err != nil {
		return "", nil, err
	}
	chosen := owedStates[0]
	for _, s := range owedStates {
		if s.name == r.URL.Query().Get("state") {
			chosen = s
		}
	}
	body.State = chosen.name
	body.Late = chosen.state == transactions.Fulfilled || chosen.state == transactions.Late
	for _, s := range owedStates {
		body.States = append(body.States, tab{
			s.name, counted(v, counts[s.state]), frame.Link(r, "sales/owed", map[string]string{"state": s.name}),
			s.name == chosen.name,
		})
	}
	want := transactions.ObligationFilter{
		State: chosen.state, Buyer: body.Buyer, Since: body.since, Until: body.until,
	}
	body.Rows, err = filled(ctx, r, &body.listed, frame.Parts[transactionRow]{
		Cells: transactionRow.cells,
		Read: func(ctx context.Context, place string, limit int) (rows []transactionRow, next string, err error) {
			want.After, want.Limit = place, limit+1
			all, err := o.config.Sales.Deals.Owed(ctx, want)
			if err == nil {
				all, next = cut(all, limit, func(t transactions.Transaction) string { return t.ID })
				rows, err = o.withHolds(ctx, v, all)
			}
			return rows, next, err
		},
	})
	return v.Say("sales.owed"), body, err
}

// requestersBody is who signed up.
type requestersBody struct {
	listed
	Rows []requesters.Registration
}

// requesters lists who signed up, by domain and id.
func (o *owner) requesters(ctx context.Context, r *http.Request, v *frame.Visit) (_ string, _ any, err error) {
	body := requestersBody{listed: o.choose(r, "sales/requesters")}
	body.Rows, err = filled(ctx, r, &body.listed, frame.Parts[requesters.Registration]{
		At: func(g requesters.Registration) time.Time { return g.Created }, Cells: requesterCells,
		Read: func(ctx context.Context, place string, limit int) ([]requesters.Registration, string, error) {
			all, err := o.config.Sales.Requesters(ctx, "", place, limit+1)
			all, next := cut(all, limit, requesters.Registration.Account)
			return all, next, err
		},
	})
	return v.Say("sales.requesters"), body, err
}

// changeRequester suspends a requester or lets it in again.
func (o *owner) changeRequester(r *http.Request, v *frame.Visit) (did, to string, err error) {
	var of operator.RequesterName
	of.Domain, of.ID, _ = strings.Cut(r.PostForm.Get("requester"), "/")
	var g operator.Requester
	switch r.PostForm.Get("do") {
	case "suspend":
		g, err = do(o, r, v, operator.SuspendRequester{RequesterName: of})
	case "resume":
		g, err = do(o, r, v, operator.ResumeRequester{RequesterName: of})
	default:
		return "", "", frame.Fail(fail.Invalid, "fault.deed")
	}
	if err != nil {
		return "", "", err
	}
	return "made the requester " + g.Account + " " + g.State, link("requesters", "q", g.Domain), nil
}
