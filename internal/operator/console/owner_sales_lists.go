package console

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/operator"
	"frontdesk/internal/policy"
	"frontdesk/wire/strictjson"
)

// listed is what the lists of the sales have in common.
type listed struct {
	Find  string // what was looked for
	Site  string
	Buyer string
	Day   string
	Sites []Site
	Any   bool   // something is filtered by
	Later bool   // this is not the first page
	First string // the address of the first page
	Next  string // of the next; empty for none
}

// choose reads what an address filters by, and gives the time of its day.
func (o *owner) choose(r *http.Request, page string) (l listed, since, until time.Time) {
	q := r.URL.Query()
	l = listed{Find: strings.TrimSpace(q.Get("find")), Site: q.Get("site"), Buyer: strings.TrimSpace(q.Get("buyer")), Sites: o.config.Sales.Sites, Later: q.Get("before") != ""}
	if len(l.Find) > maxFind {
		l.Find = ""
	}
	if day, err := time.Parse(time.DateOnly, q.Get("day")); err == nil {
		l.Day, since, until = q.Get("day"), day, day.AddDate(0, 0, 1)
	}
	l.Any = l.Find != "" || l.Site != "" || l.Buyer != "" || l.Day != ""
	l.First = l.from(page, "")
	return l, since, until
}

// from is the address of the page that begins behind something.
func (l listed) from(page, before string) string {
	return link(page, "find", l.Find, "site", l.Site, "buyer", l.Buyer, "day", l.Day, "before", before)
}

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

// absences say why nobody is offered something.
var absences = map[exchange.Absence]string{
	exchange.NotInCatalog: "not sold: what stands within it is not under the same rule", exchange.NotAuthorised: "not sold: its provider does not name this exchange",
	exchange.NotLicensed: "blocked by the terms", exchange.FunctionExcluded: "not sold: the terms permit no use of it",
	exchange.UserExcluded: "sold to known kinds of users alone", exchange.CountryExcluded: "sold to known countries alone", exchange.NotNow: "not sold: the terms name no way to deliver it that there is",
}

// shelf shows the catalog with prices.
func (o *owner) shelf(w http.ResponseWriter, r *http.Request, v *visit) error {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	body := shelfBody{}
	body.listed, _, _ = o.choose(r, "catalog")
	before, _ := strconv.Atoi(r.URL.Query().Get("before"))
	all, next, err := o.config.Sales.Shelf(ctx, exchange.CatalogFilter{Find: body.Find, Site: body.Site, Before: max(before, 0), Limit: perPage})
	if err != nil {
		return unread(err)
	}
	for _, s := range all {
		body.Rows = append(body.Rows, newShelfRow(s))
	}
	if next > 0 {
		body.Next = body.from("catalog", strconv.Itoa(next))
	}
	o.show(w, r, http.StatusOK, sheet{Title: "Catalog", Page: "sales-catalog", In: &v.in, CSRF: v.csrf(), Body: body})
	return nil
}

func newShelfRow(s exchange.CatalogRow) shelfRow {
	row := shelfRow{CatalogRow: s, Price: priceSays(s.Price), Why: absences[s.Absence], Owed: dutySays(s.Report)}
	if len(s.Types) > 0 {
		row.Type = s.Types[0]
	}
	if s.Absence != "" && row.Why == "" {
		row.Why = "not sold: " + string(s.Absence)
	}
	if s.Absence == "" && s.Price == (policy.Money{}) {
		row.Price = "subscribers alone"
	}
	if s.Price.Metered() && s.Worth > 0 {
		row.Note = "about " + money(s.Worth, s.Price.Currency)
		if s.Quantity > 0 {
			row.Note += " for " + strconv.FormatInt(s.Quantity, 10) + " " + s.Price.Unit()
		}
	}
	if len(s.Scopes) > 0 {
		row.Note = notes(row.Note, "takes the scope "+strings.Join(s.Scopes, " or "))
	}
	return row
}

// offersBody is the offers that were made.
type offersBody struct {
	listed
	Exact bool // an id was looked for
	Rows  []offerRow
}

// offerRow is an offer.
type offerRow struct {
	*transactions.Offer
	Cost  string
	Worth string
	Over  bool // it can be bought no more
	Owed  string
}

func newOfferRow(of *transactions.Offer, now time.Time) offerRow {
	row := offerRow{Offer: of, Cost: priceSays(of.Price), Over: of.Ended(now), Owed: dutySays(of.Report)}
	if of.Subscription != "" {
		row.Cost = "under the subscription " + of.Subscription
	} else if of.Price.Metered() {
		row.Worth = "about " + money(accounts.Value(of.Price, of.Quantity), of.Price.Currency)
	}
	return row
}

// offers lists the offers that are still known, those that end last first, or finds one by its id.
func (o *owner) offers(w http.ResponseWriter, r *http.Request, v *visit) error {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	body := offersBody{}
	want := transactions.OfferFilter{Before: r.URL.Query().Get("before"), Limit: perPage}
	body.listed, want.Since, want.Until = o.choose(r, "offers")
	want.Buyer, want.Site = body.Buyer, body.Site
	if strings.Contains(body.Find, "://") {
		want.URI = body.Find
	}
	if body.Exact = body.Find != "" && want.URI == ""; body.Exact {
		_, ok, err := o.config.Sales.Deals.Offer(ctx, body.Find)
		if err != nil {
			return unread(err)
		}
		if ok {
			o.to(w, r, "sales/offers/"+body.Find)
			return nil
		}
	} else {
		all, next, err := o.config.Sales.Deals.Offers(ctx, want)
		if err != nil {
			return unread(err)
		}
		if next != "" {
			body.Next = body.from("offers", next)
		}
		for _, of := range all {
			body.Rows = append(body.Rows, newOfferRow(of, o.config.Now()))
		}
	}
	o.show(w, r, http.StatusOK, sheet{Title: "Offers", Page: "sales-offers", In: &v.in, CSRF: v.csrf(), Body: body})
	return nil
}

// offerBody is the page of one offer.
type offerBody struct {
	offerRow
	Text string // its document, as it was signed
}

// offer shows one offer.
func (o *owner) offer(w http.ResponseWriter, r *http.Request, v *visit) error {
	of, ok, err := o.config.Sales.Deals.Offer(r.Context(), r.PathValue("id"))
	if err != nil {
		return unread(err)
	}
	if !ok {
		return fail.New(fail.NotFound, "There is no offer of this id any more; those that have ended are forgotten after a time.")
	}
	body := offerBody{newOfferRow(of, o.config.Now()), indented(of.Document)}
	o.show(w, r, http.StatusOK, sheet{Title: "Offer " + of.ID, Page: "sales-offer", In: &v.in, CSRF: v.csrf(), Body: body})
	return nil
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
	State   string
	Good    bool
	Duty    string
	DutyBad bool
}

// holdSays is how far a purchase is.
var holdSays = map[accounts.State]string{
	accounts.Held: "held until it is reported", accounts.Settled: "settled", accounts.Expired: "charged in full: no report came", accounts.Released: "taken back",
}

// dutiesSay is how an obligation to report stands.
var dutiesSay = map[transactions.Obligation]string{
	transactions.Pending: "report due", transactions.Fulfilled: "reported in time", transactions.Expired: "report overdue", transactions.Waived: "report waived", transactions.Late: "reported late",
}

func newTransactionRow(t transactions.Transaction, h accounts.Hold, now time.Time) transactionRow {
	row := transactionRow{Transaction: t, Hold: h, State: holdSays[h.State], Good: h.State == accounts.Settled}
	switch {
	case t.Failed:
		row.State = "taken back: nothing could be delivered"
	case t.Subscription != "":
		row.Cost = "subscription"
	case h.State == accounts.Held && h.Authorised > 0:
		row.Cost = money(h.Authorised, h.Currency)
	default:
		row.Cost = money(h.Charged, h.Currency)
	}
	if row.Cost == "" && !t.Failed {
		row.Cost = "free"
	}
	if t.Obligation == transactions.Pending && !now.Before(t.Due) {
		t.Obligation = transactions.Expired // nobody has looked yet
	}
	row.Duty, row.DutyBad = dutiesSay[t.Obligation], t.Obligation == transactions.Expired
	if t.Obligation == transactions.Pending {
		row.Duty += " until " + t.Due.UTC().Format("2 Jan, 15:04")
	}
	return row
}

// withHolds adds to transactions what the book has of them.
func (o *owner) withHolds(ctx context.Context, all []transactions.Transaction) (rows []transactionRow, err error) {
	ids := make([]string, len(all))
	for i, t := range all {
		ids[i] = t.ID
	}
	holds, err := o.config.Sales.Accounts.PurchasesOf(ctx, ids...)
	if err != nil {
		return nil, err
	}
	of := map[string]accounts.Hold{}
	for _, h := range holds {
		of[h.ID] = h
	}
	for _, t := range all {
		rows = append(rows, newTransactionRow(t, of[t.ID], o.config.Now()))
	}
	return rows, nil
}

// transactions lists what was bought, the newest first, or finds one purchase by its id.
func (o *owner) transactions(w http.ResponseWriter, r *http.Request, v *visit) error {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	body := transactionsBody{Account: r.URL.Query().Get("account")}
	var since, until time.Time
	body.listed, since, until = o.choose(r, "transactions")
	var err error
	switch before := r.URL.Query().Get("before"); {
	case body.Find != "":
		t, ok, err := o.config.Sales.Deals.Transaction(ctx, body.Find)
		if err != nil {
			return unread(err)
		}
		if ok {
			o.to(w, r, "sales/transactions/"+t.ID)
			return nil
		}
	case body.Account != "":
		body.First = link("transactions", "account", body.Account)
		body.Rows, body.Next, err = o.boughtFrom(ctx, body.Account, before)
	default:
		var all []transactions.Transaction
		var next string
		if all, next, err = o.config.Sales.Deals.Transactions(ctx, transactions.Filter{
			Buyer: body.Buyer, Site: body.Site, Since: since, Until: until, Before: before, Limit: perPage,
		}); err == nil {
			body.Rows, err = o.withHolds(ctx, all)
		}
		if next != "" {
			body.Next = body.from("transactions", next)
		}
	}
	if err != nil {
		return unread(err)
	}
	o.show(w, r, http.StatusOK, sheet{Title: "Transactions", Page: "sales-transactions", In: &v.in, CSRF: v.csrf(), Body: body})
	return nil
}

// boughtFrom lists what was bought from the accounts of a buyer, and gives the address of the next page.
func (o *owner) boughtFrom(ctx context.Context, buyer, before string) (rows []transactionRow, next string, err error) {
	holds, err := o.config.Sales.Accounts.Purchases(ctx, accounts.PurchaseFilter{Holder: buyer, Before: before, Limit: perPage + 1})
	if err != nil {
		return nil, "", err
	}
	if len(holds) > perPage {
		holds = holds[:perPage]
		next = link("transactions", "account", buyer, "before", holds[perPage-1].ID)
	}
	ids := make([]string, len(holds))
	for i, h := range holds {
		ids[i] = h.ID
	}
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
			rows = append(rows, newTransactionRow(t, h, o.config.Now()))
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
	Events []eventRow
	More   bool // there are more events than are shown
	// Principal is the domain of whom it was bought for under a delegation, and Delegation the id by which that is revoked; empty for none.
	Principal, Delegation string
	Usage                 transactions.UsageDetails // as far as it was reported
}

// eventRow is what befell a purchase.
type eventRow struct {
	transactions.Event
	Says string
}

// eventsShown is how many events of a purchase its page shows.
const eventsShown = 100

// transaction shows one purchase: the offer, the cost, what was delivered and reported, and the receipts.
func (o *owner) transaction(w http.ResponseWriter, r *http.Request, v *visit) error {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	t, ok, err := o.config.Sales.Deals.Transaction(ctx, r.PathValue("id"))
	if err != nil {
		return unread(err)
	}
	if !ok {
		return fail.New(fail.NotFound, "There is no transaction of this id.")
	}
	rows, err := o.withHolds(ctx, []transactions.Transaction{t})
	if err != nil {
		return unread(err)
	}
	events, err := o.config.Sales.Deals.Events(ctx, t.ID, eventsShown+1)
	if err != nil {
		return unread(err)
	}
	body := transactionBody{transactionRow: rows[0], Price: priceSays(t.Price), Text: indented(t.Document), Title: titleOf(t.Document), Usage: t.Report.Usage()}
	body.Principal, body.Delegation = o.delegated(ctx, t.Entry)
	for i, e := range events {
		if body.More = i == eventsShown; body.More {
			break
		}
		row := eventRow{e, eventSays[e.Kind]}
		if e.Kind == "delivery" {
			row.Says += ", " + plural(int(e.Bytes), "byte")
		}
		body.Events = append(body.Events, row)
	}
	o.show(w, r, http.StatusOK, sheet{Title: "Transaction " + t.ID, Page: "sales-transaction", In: &v.in, CSRF: v.csrf(), Body: body})
	return nil
}

// delegated says under whose delegation something was bought, as its entry of the ledger tells (RAMP v1, Delegation); nothing where there is none, or the entry has no place yet.
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

// eventSays is what befell a purchase, by the kind of its entry in the ledger.
var eventSays = map[string]string{"delivery": "Delivered", "usage": "Use reported", "transaction": "Taken back"}

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
	States []owedState
	Rows   []transactionRow
	Says   string // of the state
	Late   bool   // the state is one in which there is a report
}

// owedState is a state of obligations, with how many are in it.
type owedState struct {
	Name, Says, Count, Link string
	Chosen                  bool
}

// owedStates are the states by which obligations are listed, what needs somebody first.
var owedStates = []struct {
	name, says, about string
	state             transactions.Obligation
}{
	{"overdue", "Overdue", "The window is over, and no report came. Who owes too many buys nothing more until it has reported.", transactions.Expired},
	{"open", "Open", "A report may still come in time; what is due next is first.", transactions.Pending},
	{"met", "Met", "A report came in time.", transactions.Fulfilled},
	{"late", "Late", "A report came after its time, and lifted what its being overdue had closed.", transactions.Late},
	{"waived", "Waived", "Nothing could be delivered, so that there is nothing to report.", transactions.Waived},
}

// owed lists what buyers have to report, by its state.
func (o *owner) owed(w http.ResponseWriter, r *http.Request, v *visit) error {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	body := owedBody{State: r.URL.Query().Get("state")}
	body.listed, _, _ = o.choose(r, "owed")
	counts, err := o.config.Sales.Deals.OwedCount(ctx, body.Buyer, owedMost)
	if err != nil {
		return unread(err)
	}
	chosen := owedStates[0]
	for _, s := range owedStates {
		if s.name == body.State {
			chosen = s
		}
	}
	body.State, body.Says = chosen.name, chosen.about
	body.Late = chosen.state == transactions.Fulfilled || chosen.state == transactions.Late
	for _, s := range owedStates {
		body.States = append(body.States, owedState{s.name, s.says, counted(counts[s.state]), link("owed", "state", s.name, "buyer", body.Buyer), s.name == chosen.name})
	}
	all, err := o.config.Sales.Deals.Owed(ctx, transactions.ObligationFilter{State: chosen.state, Buyer: body.Buyer, After: r.URL.Query().Get("before"), Limit: perPage + 1})
	if err != nil {
		return unread(err)
	}
	body.First = link("owed", "state", chosen.name, "buyer", body.Buyer)
	if len(all) > perPage {
		all = all[:perPage]
		body.Next = link("owed", "state", chosen.name, "buyer", body.Buyer, "before", all[perPage-1].ID)
	}
	if body.Rows, err = o.withHolds(ctx, all); err != nil {
		return unread(err)
	}
	o.show(w, r, http.StatusOK, sheet{Title: "Reports due", Page: "sales-owed", In: &v.in, CSRF: v.csrf(), Body: body})
	return nil
}

// requestersBody is who signed up.
type requestersBody struct {
	listed
	May  bool
	Rows []requesters.Registration
}

// requesters lists who signed up, by domain and id.
func (o *owner) requesters(w http.ResponseWriter, r *http.Request, v *visit) error {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	body := requestersBody{May: v.in.Role == identity.Operator}
	body.listed, _, _ = o.choose(r, "requesters")
	all, err := o.config.Sales.Requesters(ctx, body.Find, r.URL.Query().Get("before"), perPage+1)
	if err != nil {
		return unread(err)
	}
	if len(all) > perPage {
		all = all[:perPage]
		body.Next = body.from("requesters", all[perPage-1].Account())
	}
	body.Rows = all
	o.show(w, r, http.StatusOK, sheet{Title: "Requesters", Page: "sales-requesters", In: &v.in, CSRF: v.csrf(), Body: body})
	return nil
}

// changeRequester suspends a requester or lets it in again.
func (o *owner) changeRequester(w http.ResponseWriter, r *http.Request, v *visit) (err error) {
	var of operator.RequesterName
	of.Domain, of.ID, _ = strings.Cut(r.PostForm.Get("requester"), "/")
	var g operator.Requester
	switch r.PostForm.Get("do") {
	case "suspend":
		g, err = do(o, r, v, operator.SuspendRequester{RequesterName: of})
	case "resume":
		g, err = do(o, r, v, operator.ResumeRequester{RequesterName: of})
	default:
		return fail.New(fail.Invalid, "A requester can be suspended or resumed here, and nothing else.")
	}
	if err != nil {
		return unread(err)
	}
	o.config.Note(r, v.in, "made the requester "+g.Account+" "+g.State)
	o.to(w, r, link("requesters", "find", g.Domain))
	return nil
}
