package console

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/operator"
	"frontdesk/internal/policy"
)

// accountsBody is the accounts.
type accountsBody struct {
	listed
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
func (o *owner) accounts(ctx context.Context, r *http.Request, _ *visit) (string, any, error) {
	body := accountsBody{listed: o.choose(r, "accounts")}
	wanted := accounts.AccountFilter{Begins: body.Find, Limit: perPage + 1}
	wanted.Listed, wanted.Buyer, _ = strings.Cut(body.before, " ")
	all, err := o.config.Sales.Accounts.Accounts(ctx, wanted)
	body.Rows = rows(&body.listed, all, newAccountRow, func(b accounts.Balance) string { return b.Currency + " " + b.Buyer })
	return "Accounts", body, err
}

// openAccount opens an account.
func (o *owner) openAccount(r *http.Request, v *visit) (did, to string, err error) {
	in := operator.OpenAccount{Buyer: field1(r, "buyer"), Currency: strings.ToUpper(field1(r, "currency"))}
	if limit := field1(r, "limit"); limit != "" {
		in.Own = &limit
	}
	_, err = do(o, r, v, in)
	return "opened an account", link("account", "buyer", in.Buyer, "currency", in.Currency), err
}

// do carries out an operation for the operator who sends a form.
func do[Out any](o *owner, r *http.Request, v *visit, in operator.Doer[Out]) (Out, error) {
	return in.Do(operator.WithActor(r.Context(), by(v)), o.config.Sales.Operator)
}

// field1 is a field of a form without the blanks around it.
func field1(r *http.Request, name string) string { return strings.TrimSpace(r.PostForm.Get(name)) }

// accountBody is the page of one account.
type accountBody struct {
	accountRow
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
func (o *owner) account(ctx context.Context, r *http.Request, _ *visit) (string, any, error) {
	q, c := r.URL.Query(), o.config.Sales
	buyer, currency := q.Get("buyer"), q.Get("currency")
	balance, err := c.Accounts.Account(ctx, buyer, currency)
	if fail.From(err).Code == fail.NotFound && err != nil {
		return "", nil, fail.New(fail.NotFound, "There is no such account.")
	}
	if err != nil {
		return "", nil, err
	}
	before, _ := strconv.ParseInt(q.Get("before"), 10, 64)
	lines, err := c.Accounts.Statement(ctx, buyer, currency, before, perPage+1)
	if err != nil {
		return "", nil, err
	}
	holds, err := c.Accounts.Purchases(ctx, accounts.PurchaseFilter{Holder: buyer, Limit: purchasesShown + 1})
	if err != nil {
		return "", nil, err
	}
	body := accountBody{accountRow: newAccountRow(balance), Seen: balance.Lines, Grants: link("grants", "buyer", buyer), Before: before > 0}
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
			return "", nil, err
		}
		body.Rows = body.Rows[:min(len(body.Rows), purchasesShown)]
	}
	return "Account of " + buyer, body, nil
}

// changeAccount does for an operator what a form of an account's page asks for.
func (o *owner) changeAccount(r *http.Request, v *visit) (did, to string, err error) {
	buyer, currency, what := field1(r, "buyer"), field1(r, "currency"), field1(r, "do")
	account := operator.AccountArguments{Buyer: buyer, Currency: currency}
	switch what {
	case accounts.Credit, accounts.Debit, accounts.Lapse:
		in := operator.Pay{
			AccountName: operator.AccountName{Currency: currency, Buyer: buyer}, Kind: what,
			Amount: field1(r, "amount"), Reference: field1(r, "reference"),
		}
		in.Seen, _ = strconv.ParseInt(field1(r, "seen"), 10, 64)
		var paid operator.Paid
		if paid, err = do(o, r, v, in); err == nil && paid.Again {
			err = fail.New(fail.Invalid, "This payment was booked under its reference before, and is not booked twice.")
		}
	case "limit":
		_, err = do(o, r, v, operator.LimitAccount{Buyer: buyer, Currency: currency, Amount: field1(r, "limit")})
	case "suspend":
		_, err = do(o, r, v, operator.SuspendAccount{AccountArguments: account})
	case "resume":
		_, err = do(o, r, v, operator.ResumeAccount{AccountArguments: account})
	default:
		err = fail.New(fail.Invalid, "Nothing of this kind can be done with an account here.")
	}
	return "changed an account: " + what, link("account", "buyer", buyer, "currency", currency), err
}

// grantsBody is licences and subscriptions.
type grantsBody struct {
	listed
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
func (o *owner) grants(ctx context.Context, r *http.Request, _ *visit) (string, any, error) {
	body := grantsBody{listed: o.choose(r, "grants"), Units: accounts.Units}
	now := o.config.Now()
	wanted := accounts.GrantFilter{Buyer: body.Buyer, After: body.before, Limit: perPage + 1}
	all, err := o.config.Sales.Accounts.Grants(ctx, wanted, now)
	row := func(g accounts.Grant) grantRow { return newGrantRow(g, now) }
	body.Rows = rows(&body.listed, all, row, func(g accounts.Grant) string { return g.ID })
	return "Licences and subscriptions", body, err
}

// addGrant gives a buyer a licence or a subscription.
func (o *owner) addGrant(r *http.Request, v *visit) (did, to string, err error) {
	in := operator.GrantTerms{
		ID: field1(r, "id"), Buyer: field1(r, "buyer"), Site: field1(r, "site"), Item: field1(r, "item"),
		Labels: strings.Fields(r.PostForm.Get("labels")), Paths: strings.Fields(r.PostForm.Get("paths")),
	}
	if day := field1(r, "ends"); day != "" {
		ends, err := time.Parse(time.DateOnly, day)
		if err != nil {
			return "", "", fail.New(fail.Invalid, "The day on which it ends is no day; write it like 2028-01-31.")
		}
		in.Ends = ends.Format(time.RFC3339)
	}
	kind := field1(r, "kind")
	switch kind {
	case accounts.GrantLicence:
		_, err = do(o, r, v, operator.AddLicense{GrantTerms: in, Paid: field1(r, "paid")})
	case accounts.GrantSubscription:
		add := operator.AddSubscription{GrantTerms: in, Currency: strings.ToUpper(field1(r, "currency"))}
		if field1(r, "most") != "" {
			add.Quotas, err = quotaIn(r)
		}
		if err == nil {
			_, err = do(o, r, v, add)
		}
	default:
		err = fail.New(fail.Invalid, "A licence or a subscription can be given here.")
	}
	return "gave a " + kind, link("grant", "id", in.ID), err
}

// quotaIn reads a quota of a form.
func quotaIn(r *http.Request) ([]operator.Quota, error) {
	q := operator.Quota{Unit: field1(r, "unit"), Anew: r.PostForm.Get("anew") != ""}
	var err error
	if q.Limit, err = strconv.ParseInt(field1(r, "most"), 10, 64); err != nil {
		return nil, fail.New(fail.Invalid, "How much a quota gives is a whole number.")
	}
	long := field1(r, "long")
	if long == "" {
		return []operator.Quota{q}, nil
	}
	n, err := strconv.Atoi(long)
	if err != nil || n < 1 || n > 1_000_000 {
		return nil, fail.New(fail.Invalid,
			"How long a period is is a whole number of at least 1; leave it out for the whole time of the subscription.")
	}
	switch period := field1(r, "period"); period {
	case "months":
		q.Period = strconv.Itoa(n) + "mo"
	case "days":
		q.Period = strconv.Itoa(24*n) + "h"
	case "hours", "minutes":
		q.Period = strconv.Itoa(n) + period[:1]
	default:
		return nil, fail.New(fail.Invalid, "A period is of months, days, hours or minutes.")
	}
	return []operator.Quota{q}, nil
}

// grantBody is the page of a licence or a subscription.
type grantBody struct {
	grantRow
	Subscribes      bool
	Units           []quotaUnit
	Suspend, Resume bool
	End             bool
}

// quotaUnit is a unit of quotas.
type quotaUnit struct{ Name, Says string }

// grant shows one licence or subscription.
func (o *owner) grant(ctx context.Context, r *http.Request, _ *visit) (string, any, error) {
	s, kind, err := o.config.Sales.Accounts.Licence(ctx, r.URL.Query().Get("id"), o.config.Now())
	if err != nil {
		return "", nil, err
	}
	body := grantBody{grantRow: newGrantRow(accounts.Grant{Subscription: s, Kind: kind}, o.config.Now()), Subscribes: kind == accounts.GrantSubscription}
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
	return title + s.ID, body, nil
}

// changeGrant does for an operator what a form of the page of a licence or subscription asks for.
func (o *owner) changeGrant(r *http.Request, v *visit) (did, to string, err error) {
	of, what := operator.GrantID{ID: field1(r, "id")}, field1(r, "do")
	switch what {
	case "suspend":
		_, err = do(o, r, v, operator.SuspendGrant{GrantID: of})
	case "resume":
		_, err = do(o, r, v, operator.ResumeGrant{GrantID: of})
	case "end":
		_, err = do(o, r, v, operator.EndGrant{GrantID: of})
	case "quota":
		in := operator.ChangeSubscription{GrantChange: operator.GrantChange{GrantID: of}}
		if in.Quotas, err = quotaIn(r); err == nil {
			_, err = do(o, r, v, in)
		}
	default:
		err = fail.New(fail.Invalid, "Nothing of this kind can be done with a licence or subscription here.")
	}
	return "changed " + of.ID + ": " + what, link("grant", "id", of.ID), err
}
