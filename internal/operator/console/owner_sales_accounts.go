package console

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/policy"
)

// accountsBody is the accounts.
type accountsBody struct {
	listed
	May  bool
	Rows []accountRow
}

// accountRow is an account, with amounts as they are written.
type accountRow struct {
	accounts.Balance
	Link                           string
	AvailableIs, HeldIs, EarnedIs  string
	PaidIn, LimitIs, LimitAsAmount string
}

func newAccountRow(b accounts.Balance) accountRow {
	row := accountRow{
		Balance: b, Link: link("account", "buyer", b.Buyer, "currency", b.Currency),
		AvailableIs: amountOf(b.Available, b.Currency), HeldIs: amountOf(b.Held, b.Currency), EarnedIs: amountOf(b.Earned, b.Currency), PaidIn: amountOf(-b.Outside, b.Currency),
		LimitIs: "as configured",
	}
	if b.Limit >= 0 {
		row.LimitIs, row.LimitAsAmount = money(b.Limit, b.Currency), policy.Amount(b.Limit)
	}
	return row
}

// accounts lists accounts by buyer and currency.
func (o *owner) accounts(w http.ResponseWriter, r *http.Request, v *visit) error {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	body := accountsBody{May: v.in.Role == identity.Operator}
	body.listed, _, _ = o.choose(r, "accounts")
	wanted := accounts.AccountFilter{Begins: body.Find, Limit: perPage + 1}
	wanted.Listed, wanted.Buyer, _ = strings.Cut(r.URL.Query().Get("before"), " ")
	all, err := o.config.Sales.Accounts.Accounts(ctx, wanted)
	if err != nil {
		return unread(err)
	}
	for i, b := range all {
		if i == perPage {
			body.Next = body.from("accounts", all[i-1].Currency+" "+all[i-1].Buyer)
			break
		}
		body.Rows = append(body.Rows, newAccountRow(b))
	}
	o.show(w, r, http.StatusOK, sheet{Title: "Accounts", Page: "sales-accounts", In: &v.in, CSRF: v.csrf(), Body: body})
	return nil
}

// openAccount opens an account.
func (o *owner) openAccount(w http.ResponseWriter, r *http.Request, v *visit) error {
	buyer, currency := field1(r, "buyer"), strings.ToUpper(field1(r, "currency"))
	limit, err := limitOf(field1(r, "limit"))
	if err == nil {
		err = o.config.Sales.Clerk.Open(o.config.Sales.By(r.Context(), by(v)), buyer, currency, limit)
	}
	if err != nil {
		return wrong(err)
	}
	o.config.Note(r, v.in, "opened an account")
	o.to(w, r, link("account", "buyer", buyer, "currency", currency))
	return nil
}

// field1 is a field of a form without the blanks around it.
func field1(r *http.Request, name string) string { return strings.TrimSpace(r.PostForm.Get(name)) }

// limitOf reads a credit limit; -1 for none of the account's own.
func limitOf(text string) (int64, error) {
	if text == "" {
		return -1, nil
	}
	return amountIn(text)
}

// amountIn reads an amount as people write it.
func amountIn(text string) (int64, error) {
	n, err := policy.ParseAmount(text)
	if err != nil {
		return 0, fail.New(fail.Invalid, "%v", err)
	}
	return n, nil
}

// wrong is the error of a form: what is wrong with it as it is, and everything else as a page that cannot be shown.
func wrong(err error) error {
	if code := fail.From(err).Code; code == fail.Invalid || code == fail.NotFound {
		return err
	}
	return unread(err)
}

// accountBody is the page of one account.
type accountBody struct {
	accountRow
	May      bool
	Lines    []journalRow
	Seen     int64 // the last line of the journal
	Rows     []transactionRow
	More     string // where the other purchases are
	Grants   string // where the buyer's licences and subscriptions are
	Before   bool   // this is not the first page of the journal
	Older    string // where older movements are; empty for none
	Newest   string
	Statuses struct{ Suspend, Resume bool }
}

// journalRow is a movement.
type journalRow struct {
	accounts.JournalLine
	Says                           string
	Purchase                       bool // Reference is that of one
	AvailableIs, HeldIs, AfterIs   string
	EarnedIs                       string
	AvailableDown, HeldDown, Moved bool
}

// lineSays is what a movement is called.
var lineSays = map[string]string{
	"credit": "Paid in", "debit": "Paid out", "expire": "Lapsed", "hold": "Held", "charge": "Charged", "settle": "Settled by a report", "share": "Share of revenue", "release": "Taken back",
}

func newJournalRow(l accounts.JournalLine, currency string) journalRow {
	signed := func(n int64) string {
		switch {
		case n == 0:
			return ""
		case n > 0:
			return "+" + amountOf(n, currency)
		}
		return "−" + amountOf(-n, currency)
	}
	row := journalRow{
		JournalLine: l, Says: lineSays[l.Kind], Purchase: l.Outside == 0, AvailableIs: signed(l.Available), HeldIs: signed(l.Held), EarnedIs: signed(l.Earned), AfterIs: amountOf(l.After, currency),
	}
	if l.Kind == "expire" && row.Purchase {
		row.Says = "Charged without a report"
	}
	return row
}

// purchasesShown is how many purchases the page of an account shows.
const purchasesShown = 10

// account shows one account: what stands on it, its movements and purchases, and what an operator can do.
func (o *owner) account(w http.ResponseWriter, r *http.Request, v *visit) error {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	q, c := r.URL.Query(), o.config.Sales
	buyer, currency := q.Get("buyer"), q.Get("currency")
	balance, err := c.Accounts.Account(ctx, buyer, currency)
	if fail.From(err).Code == fail.NotFound && err != nil {
		return fail.New(fail.NotFound, "There is no such account.")
	}
	if err != nil {
		return unread(err)
	}
	before, _ := strconv.ParseInt(q.Get("before"), 10, 64)
	lines, err := c.Accounts.Statement(ctx, buyer, currency, before, perPage+1)
	if err != nil {
		return unread(err)
	}
	holds, err := c.Accounts.Purchases(ctx, accounts.PurchaseFilter{Holder: buyer, Limit: purchasesShown + 1})
	if err != nil {
		return unread(err)
	}
	body := accountBody{accountRow: newAccountRow(balance), May: v.in.Role == identity.Operator, Seen: balance.Lines, Grants: link("grants", "buyer", buyer), Before: before > 0}
	body.Newest = body.Link
	body.Statuses.Suspend, body.Statuses.Resume = balance.Status == accounts.Active, balance.Status == accounts.Suspended
	for i, l := range lines {
		if i == perPage {
			body.Older = link("account", "buyer", buyer, "currency", currency, "before", strconv.FormatInt(lines[i-1].Number, 10))
			break
		}
		body.Lines = append(body.Lines, newJournalRow(l, currency))
	}
	if !body.Before {
		if len(holds) > purchasesShown {
			body.More = link("transactions", "account", buyer)
		}
		if body.Rows, _, err = o.boughtFrom(ctx, buyer, ""); err != nil {
			return unread(err)
		}
		body.Rows = body.Rows[:min(len(body.Rows), purchasesShown)]
	}
	o.show(w, r, http.StatusOK, sheet{Title: "Account of " + buyer, Page: "sales-account", In: &v.in, CSRF: v.csrf(), Body: body})
	return nil
}

// changeAccount does for an operator what a form of an account's page asks for.
func (o *owner) changeAccount(w http.ResponseWriter, r *http.Request, v *visit) error {
	ctx, clerk := o.config.Sales.By(r.Context(), by(v)), o.config.Sales.Clerk
	buyer, currency, do := field1(r, "buyer"), field1(r, "currency"), field1(r, "do")
	var err error
	switch do {
	case accounts.Credit, accounts.Debit, accounts.Lapse:
		payment := accounts.Payment{Action: do, Buyer: buyer, Currency: currency, Reference: field1(r, "reference")}
		payment.Seen, _ = strconv.ParseInt(field1(r, "seen"), 10, 64)
		if payment.Amount, err = amountIn(field1(r, "amount")); err == nil {
			_, err = clerk.Pay(ctx, payment)
		}
	case "limit":
		var limit int64
		if limit, err = limitOf(field1(r, "limit")); err == nil {
			err = clerk.SetLimit(ctx, buyer, currency, limit)
		}
	case "suspend":
		err = clerk.SetStatus(ctx, buyer, currency, accounts.Suspended)
	case "resume":
		err = clerk.SetStatus(ctx, buyer, currency, accounts.Active)
	default:
		err = fail.New(fail.Invalid, "Nothing of this kind can be done with an account here.")
	}
	if err != nil {
		return wrong(err)
	}
	o.config.Note(r, v.in, "changed an account: "+do)
	o.to(w, r, link("account", "buyer", buyer, "currency", currency))
	return nil
}

// grantsBody is licences and subscriptions.
type grantsBody struct {
	listed
	May   bool
	Rows  []grantRow
	Units []string
}

// grantRow is a licence or a subscription.
type grantRow struct {
	accounts.Grant
	Link    string
	Good    bool   // it is active now
	Is      string // how it stands
	For     []string
	Pays    string
	Quotas  []quotaRow
	Granted bool // a purchase granted it
}

// quotaRow is a quota.
type quotaRow struct {
	accounts.Quota
	Says              string
	Limit, Used, Left int64
	Period            string
	Full              bool // nothing is left
}

func newGrantRow(g accounts.Grant, now time.Time) grantRow {
	row := grantRow{Grant: g, Link: link("grant", "id", g.ID), Is: g.Status, Good: g.Status == accounts.Active, Pays: strings.ReplaceAll(g.Paid, "_", " ")}
	switch {
	case row.Good && !g.Ends.IsZero() && !now.Before(g.Ends):
		row.Is, row.Good = "over", false
	case row.Good && now.Before(g.Begins):
		row.Is, row.Good = "not yet good", false
	}
	if g.Site != "" {
		row.For = append(row.For, "the site "+g.Site)
	}
	for _, label := range g.Labels {
		row.For = append(row.For, "label "+label)
	}
	row.For = append(row.For, g.Paths...)
	if g.URL != "" {
		row.For = append(row.For, g.URL)
	}
	row.Granted = strings.HasPrefix(g.ID, "lic-txn-") || strings.HasPrefix(g.ID, "sub-txn-")
	for _, q := range g.Subscription.Quotas {
		one := quotaRow{Quota: q, Says: unitSays[q.Unit], Period: periodSays(q)}
		one.Limit, one.Used, one.Left = q.Counts()
		one.Full = one.Left == 0
		if q.Unit == accounts.SpendCents {
			one.Says += " of " + g.Currency
		}
		row.Quotas = append(row.Quotas, one)
	}
	return row
}

// unitSays is what a quota counts.
var unitSays = map[string]string{accounts.Accesses: "purchases", accounts.Tokens: "tokens", accounts.SpendCents: "hundredths", accounts.Burst: "purchases in a short span"}

// periodSays is how long a period of a quota is.
func periodSays(q accounts.Quota) string {
	switch {
	case q.Months > 0:
		return "each " + strings.TrimPrefix(plural(q.Months, "month"), "1 ")
	case q.Span > 0:
		return "each " + strings.TrimPrefix(spanSays(q.Span), "1 ")
	}
	return "for the whole time"
}

// grants lists licences and subscriptions by their ids.
func (o *owner) grants(w http.ResponseWriter, r *http.Request, v *visit) error {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	body := grantsBody{May: v.in.Role == identity.Operator, Units: accounts.Units}
	body.listed, _, _ = o.choose(r, "grants")
	now := o.config.Now()
	all, err := o.config.Sales.Accounts.Grants(ctx, accounts.GrantFilter{Buyer: body.Buyer, After: r.URL.Query().Get("before"), Limit: perPage + 1}, now)
	if err != nil {
		return unread(err)
	}
	for i, g := range all {
		if i == perPage {
			body.Next = body.from("grants", all[i-1].ID)
			break
		}
		body.Rows = append(body.Rows, newGrantRow(g, now))
	}
	o.show(w, r, http.StatusOK, sheet{Title: "Licences and subscriptions", Page: "sales-grants", In: &v.in, CSRF: v.csrf(), Body: body})
	return nil
}

// addGrant gives a buyer a licence or a subscription.
func (o *owner) addGrant(w http.ResponseWriter, r *http.Request, v *visit) error {
	g := accounts.Grant{Kind: field1(r, "kind")}
	if g.Kind != accounts.GrantLicence && g.Kind != accounts.GrantSubscription {
		return fail.New(fail.Invalid, "A licence or a subscription can be given here.")
	}
	g.ID, g.Buyer, g.Currency = field1(r, "id"), field1(r, "buyer"), strings.ToUpper(field1(r, "currency"))
	g.Site, g.Labels, g.Paths, g.URL = field1(r, "site"), strings.Fields(r.PostForm.Get("labels")), strings.Fields(r.PostForm.Get("paths")), field1(r, "item")
	if g.Kind == accounts.GrantLicence {
		g.Paid = field1(r, "paid")
	}
	var err error
	if ends := field1(r, "ends"); ends != "" {
		if g.Ends, err = time.Parse(time.DateOnly, ends); err != nil {
			return fail.New(fail.Invalid, "The day on which it ends is no day; write it like 2028-01-31.")
		}
	}
	var quotas []accounts.QuotaSetting
	if g.Kind == accounts.GrantSubscription && field1(r, "most") != "" {
		row, err := quotaIn(r)
		if err != nil {
			return err
		}
		quotas = append(quotas, row)
	}
	if err := o.config.Sales.Clerk.Grant(o.config.Sales.By(r.Context(), by(v)), g, quotas...); err != nil {
		return wrong(err)
	}
	o.config.Note(r, v.in, "gave a "+g.Kind)
	o.to(w, r, link("grant", "id", g.ID))
	return nil
}

// quotaIn reads a quota of a form.
func quotaIn(r *http.Request) (row accounts.QuotaSetting, err error) {
	row.Unit, row.Restart = field1(r, "unit"), r.PostForm.Get("anew") != ""
	if row.Limit, err = strconv.ParseInt(field1(r, "most"), 10, 64); err != nil {
		return row, fail.New(fail.Invalid, "How much a quota gives is a whole number.")
	}
	long := field1(r, "long")
	n, err := strconv.Atoi(long)
	if long != "" && (err != nil || n < 1 || n > 1_000_000) {
		return row, fail.New(fail.Invalid, "How long a period is is a whole number of at least 1; leave it out for the whole time of the subscription.")
	}
	switch period := field1(r, "period"); {
	case long == "":
	case period == "months":
		row.Months = n
	default:
		span, known := map[string]time.Duration{"days": 24 * time.Hour, "hours": time.Hour, "minutes": time.Minute}[period]
		if !known {
			return row, fail.New(fail.Invalid, "A period is of months, days, hours or minutes.")
		}
		row.Span = time.Duration(n) * span
	}
	return row, nil
}

// grantBody is the page of a licence or a subscription.
type grantBody struct {
	grantRow
	May             bool
	Subscribes      bool
	Units           []quotaUnit
	Suspend, Resume bool
	End             bool
}

// quotaUnit is a unit of quotas.
type quotaUnit struct{ Name, Says string }

// grant shows one licence or subscription.
func (o *owner) grant(w http.ResponseWriter, r *http.Request, v *visit) error {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	s, kind, err := o.config.Sales.Accounts.Licence(ctx, r.URL.Query().Get("id"), o.config.Now())
	if err != nil {
		return unread(err)
	}
	body := grantBody{grantRow: newGrantRow(accounts.Grant{Subscription: s, Kind: kind}, o.config.Now()), May: v.in.Role == identity.Operator, Subscribes: kind == accounts.GrantSubscription}
	body.Suspend, body.Resume, body.End = s.Status == accounts.Active, s.Status == accounts.Suspended, s.Status != accounts.Ended
	for _, unit := range accounts.Units {
		if unit != accounts.SpendCents || s.Currency != "" {
			body.Units = append(body.Units, quotaUnit{unit, unitSays[unit]})
		}
	}
	title := "Licence "
	if body.Subscribes {
		title = "Subscription "
	}
	o.show(w, r, http.StatusOK, sheet{Title: title + s.ID, Page: "sales-grant", In: &v.in, CSRF: v.csrf(), Body: body})
	return nil
}

// changeGrant does for an operator what a form of the page of a licence or subscription asks for.
func (o *owner) changeGrant(w http.ResponseWriter, r *http.Request, v *visit) error {
	ctx, clerk, id, do := o.config.Sales.By(r.Context(), by(v)), o.config.Sales.Clerk, field1(r, "id"), field1(r, "do")
	var err error
	switch status, known := map[string]string{"suspend": accounts.Suspended, "resume": accounts.Active, "end": accounts.Ended}[do]; {
	case known:
		err = clerk.SetGrantStatus(ctx, id, status)
	case do == "quota":
		var row accounts.QuotaSetting
		if row, err = quotaIn(r); err == nil {
			err = clerk.SetQuota(ctx, id, row)
		}
	default:
		err = fail.New(fail.Invalid, "Nothing of this kind can be done with a licence or subscription here.")
	}
	if err != nil {
		return wrong(err)
	}
	o.config.Note(r, v.in, "changed "+id+": "+do)
	o.to(w, r, link("grant", "id", id))
	return nil
}
