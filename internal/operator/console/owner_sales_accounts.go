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
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/console/frame"
	"frontdesk/internal/policy"
)

// accountsBody is the accounts.
type accountsBody struct {
	listed
	Open operator.OpenAccount // as the form has it
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
		AvailableIs: frame.Amount(b.Available, b.Currency), HeldIs: frame.Amount(b.Held, b.Currency),
		EarnedIs: frame.Amount(b.Earned, b.Currency), PaidIn: frame.Amount(-b.Outside, b.Currency)}
	if b.Limit >= 0 {
		row.LimitIs, row.LimitAsAmount = money(b.Limit, b.Currency), policy.Amount(b.Limit)
	}
	return row
}

// accounts lists accounts by buyer and currency.
func (o *owner) accounts(ctx context.Context, r *http.Request, v *frame.Visit) (_ string, _ any, err error) {
	body := accountsBody{listed: o.choose(r, "sales/accounts")}
	body.Rows, err = filled(ctx, r, &body.listed, frame.Parts[accountRow]{
		At: func(a accountRow) time.Time { return a.Created }, Cells: accountRow.cells,
		Read: func(ctx context.Context, place string, limit int) ([]accountRow, string, error) {
			wanted := accounts.AccountFilter{Limit: limit + 1}
			wanted.Listed, wanted.Buyer, _ = strings.Cut(place, " ")
			all, err := o.config.Sales.Accounts.Accounts(ctx, wanted)
			all, next := cut(all, limit, func(b accounts.Balance) string { return b.Currency + " " + b.Buyer })
			return mapped(all, newAccountRow), next, err
		},
	})
	return v.Say("sales.accounts"), body, err
}

// accountForms open an account.
var accountForms = formOperations{
	of:   map[string]any{"": operator.OpenAccount{}},
	done: func(r *http.Request, _ string) (did, to string) { return "opened an account", accountLink(r) },
}

// accountLink is the page of the account that a form names.
func accountLink(r *http.Request) string {
	return link("account", "buyer", field1(r, "buyer"), "currency", strings.ToUpper(field1(r, "currency")))
}

// do carries out an operation for the operator who sends a form.
func do[Out any](o *owner, r *http.Request, v *frame.Visit, in operator.Doer[Out]) (Out, error) {
	return in.Do(operator.WithActor(r.Context(), v.Actor()), o.config.Sales.Operator)
}

// field1 is a field of a form without the blanks around it.
func field1(r *http.Request, name string) string { return strings.TrimSpace(r.PostForm.Get(name)) }

// accountBody is the page of one account.
type accountBody struct {
	accountRow
	Lines  []journalRow
	Rows   []transactionRow
	More   string // where the other purchases are
	Grants string // where the buyer's licences and subscriptions are
	Rights []grantRow
	Buyers []requesters.Registration // who pays from it
	Before bool                      // this is not the first page of the journal
	Older  string                    // where older movements are; empty for none
	Newest string
	Pay    operator.Pay
	Bound  operator.LimitAccount
	Change operator.AccountArguments
}

// journalRow is a movement.
type journalRow struct {
	accounts.JournalLine
	Is                             string // the end of a key of words
	Purchase                       bool   // Reference is that of one
	AvailableIs, HeldIs, AfterIs   string
	EarnedIs                       string
	AvailableDown, HeldDown, Moved bool
}

func newJournalRow(l accounts.JournalLine, currency string) journalRow {
	signed := func(n int64) string {
		switch {
		case n == 0:
			return ""
		case n > 0:
			return "+" + frame.Amount(n, currency)
		}
		return "−" + frame.Amount(-n, currency)
	}
	row := journalRow{
		JournalLine: l, Is: l.Kind, Purchase: l.Outside == 0, AvailableIs: signed(l.Available), HeldIs: signed(l.Held),
		EarnedIs: signed(l.Earned), AfterIs: frame.Amount(l.After, currency),
	}
	if l.Kind == "expire" && row.Purchase {
		row.Is = "unreported"
	}
	return row
}

// purchasesShown is how many purchases the page of an account shows.
const purchasesShown = 10

// account shows one account: what stands on it, its movements and purchases, and what an operator
// can do.
func (o *owner) account(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	q, c := r.URL.Query(), o.config.Sales
	buyer, currency := q.Get("buyer"), q.Get("currency")
	balance, err := c.Accounts.Account(ctx, buyer, currency)
	if fail.From(err).Code == fail.NotFound && err != nil {
		return "", nil, frame.Fail(fail.NotFound, "fault.account")
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
	body := accountBody{accountRow: newAccountRow(balance), Grants: link("grants", "buyer", buyer), Before: before > 0}
	body.Newest = body.Link
	body.Pay = operator.Pay{AccountName: operator.AccountName{Currency: currency, Buyer: buyer}, Seen: balance.Lines}
	body.Bound = operator.LimitAccount{Buyer: buyer, Currency: currency, Amount: body.LimitAsAmount}
	body.Change = operator.AccountArguments{Buyer: buyer, Currency: currency}
	for i, l := range lines {
		if i == perPage {
			body.Older = link("account", "buyer", buyer, "currency", currency, "before",
				strconv.FormatInt(lines[i-1].Number, 10))
			break
		}
		body.Lines = append(body.Lines, newJournalRow(l, currency))
	}
	if !body.Before {
		if len(holds) > purchasesShown {
			body.More = link("transactions", "account", buyer)
		}
		if body.Rows, _, err = o.boughtFrom(ctx, v, buyer, "", purchasesShown); err != nil {
			return "", nil, err
		}
		if err := o.fillRights(ctx, v, &body); err != nil {
			return "", nil, err
		}
	}
	return buyer, body, nil
}

// fillRights fills in who pays from an account, and the first licences and subscriptions of it.
func (o *owner) fillRights(ctx context.Context, v *frame.Visit, body *accountBody) error {
	now := o.Now()
	wanted := accounts.GrantFilter{Buyer: body.Buyer, Limit: purchasesShown}
	grants, err := o.config.Sales.Accounts.Grants(ctx, wanted, now)
	if err != nil {
		return err
	}
	body.Rights = mapped(grants, func(g accounts.Grant) grantRow { return newGrantRow(v, g, now) })
	domain, id, _ := strings.Cut(body.Buyer, "/")
	body.Buyers, err = o.config.Sales.Requesters(ctx, domain, "", perPage)
	body.Buyers = slices.DeleteFunc(body.Buyers, func(g requesters.Registration) bool {
		return g.Domain != domain || id != requesters.EveryID && g.ID != id && g.ID != requesters.EveryID
	})
	return err
}

// rowsOf are rows of a table, with the page that they are on.
type rowsOf[Row any] struct {
	Sheet frame.Sheet
	Rows  []Row
}

// requestersOf are those who signed up, as a table has them.
func requestersOf(s frame.Sheet, rows []requesters.Registration) rowsOf[requesters.Registration] {
	return rowsOf[requesters.Registration]{s, rows}
}

// oneAccountForms book, and change an account.
var oneAccountForms = formOperations{
	of: map[string]any{
		accounts.Credit: operator.Pay{}, accounts.Debit: operator.Pay{}, accounts.Lapse: operator.Pay{},
		"limit": operator.LimitAccount{}, "suspend": operator.SuspendAccount{}, "resume": operator.ResumeAccount{},
	},
	done: func(r *http.Request, do string) (did, to string) { return "changed an account: " + do, accountLink(r) },
}

// grantsBody is licences and subscriptions.
type grantsBody struct {
	listed
	Rows []grantRow
	// What the form has: one of them is given, on the same terms.
	Subscription operator.AddSubscription
	License      operator.AddLicense
	Units, Where []option
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
	Of                string // the currency of what is spent
	Limit, Used, Left int64
	Period            string // how long it is; empty for the whole time
	Full              bool   // nothing is left
}

func newGrantRow(v *frame.Visit, g accounts.Grant, now time.Time) grantRow {
	row := grantRow{Grant: g, Link: link("grant", "id", g.ID), Is: g.Status, Good: g.Status == accounts.Active,
		Pays: known(v, "price.model", g.Paid)}
	switch {
	case row.Good && !g.Ends.IsZero() && !now.Before(g.Ends):
		row.Is, row.Good = "over", false
	case row.Good && now.Before(g.Begins):
		row.Is, row.Good = "early", false
	}
	if g.Site != "" {
		row.For = append(row.For, v.Say("list.site")+" "+g.Site)
	}
	for _, label := range g.Labels {
		row.For = append(row.For, v.Say("grants.label", label))
	}
	row.For = append(row.For, g.Paths...)
	if g.URL != "" {
		row.For = append(row.For, g.URL)
	}
	row.Granted = strings.HasPrefix(g.ID, "lic-txn-") || strings.HasPrefix(g.ID, "sub-txn-")
	for _, q := range g.Subscription.Quotas {
		one := quotaRow{Quota: q, Period: periodSays(v, q)}
		one.Limit, one.Used, one.Left = q.Counts()
		one.Full = one.Left == 0
		if q.Unit == accounts.SpendCents {
			one.Of = g.Currency
		}
		row.Quotas = append(row.Quotas, one)
	}
	return row
}

// periodSays is how long a period of a quota is; empty for the whole time.
func periodSays(v *frame.Visit, q accounts.Quota) string {
	switch {
	case q.Months > 0:
		return v.Count("span.months", q.Months)
	case q.Span > 0:
		return spanSays(v, q.Span)
	}
	return ""
}

// grants lists licences and subscriptions by their ids.
func (o *owner) grants(ctx context.Context, r *http.Request, v *frame.Visit) (_ string, _ any, err error) {
	body := grantsBody{listed: o.choose(r, "sales/grants"), Units: quotaUnits("USD")}
	body.Subscription.Buyer = body.Buyer
	for _, site := range body.Sites {
		body.Where = append(body.Where, option{Name: site.ID, Says: site.Name})
	}
	now := o.Now()
	body.Rows, err = filled(ctx, r, &body.listed, frame.Parts[grantRow]{
		At: func(g grantRow) time.Time { return g.Created }, Cells: grantRow.cells,
		Read: func(ctx context.Context, place string, limit int) ([]grantRow, string, error) {
			wanted := accounts.GrantFilter{Buyer: body.Buyer, After: place, Limit: limit + 1}
			all, err := o.config.Sales.Accounts.Grants(ctx, wanted, now)
			all, next := cut(all, limit, func(g accounts.Grant) string { return g.ID })
			return mapped(all, func(g accounts.Grant) grantRow { return newGrantRow(v, g, now) }), next, err
		},
	})
	return v.Say("grants.title"), body, err
}

// grantForms give a buyer a licence or a subscription, as the radio buttons say.
var grantForms = formOperations{
	of: map[string]any{
		accounts.GrantLicence: operator.AddLicense{}, accounts.GrantSubscription: operator.AddSubscription{},
	},
	by: "kind",
	done: func(r *http.Request, do string) (did, to string) {
		return "gave a " + do, link("grant", "id", field1(r, "id"))
	},
}

// grantBody is the page of a licence or a subscription.
type grantBody struct {
	grantRow
	Subscribes      bool
	Units           []option
	Quota           operator.SetQuota // as the form has it
	Suspend, Resume bool
	End             bool
}

// quotaUnits are the units of quotas. Without a currency nothing that is spent is counted.
func quotaUnits(currency string) (all []option) {
	for _, unit := range accounts.Units {
		if unit != accounts.SpendCents || currency != "" {
			all = append(all, option{Name: unit})
		}
	}
	return all
}

// grant shows one licence or subscription.
func (o *owner) grant(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	s, kind, err := o.config.Sales.Accounts.Licence(ctx, r.URL.Query().Get("id"), o.Now())
	if err != nil {
		return "", nil, err
	}
	body := grantBody{grantRow: newGrantRow(v, accounts.Grant{Subscription: s, Kind: kind}, o.Now()),
		Subscribes: kind == accounts.GrantSubscription}
	body.Suspend, body.Resume, body.End = s.Status == accounts.Active, s.Status == accounts.Suspended,
		s.Status != accounts.Ended
	body.Units, body.Quota.ID = quotaUnits(s.Currency), s.ID
	return s.ID, body, nil
}

// oneGrantForms change a licence or a subscription.
var oneGrantForms = formOperations{
	of: map[string]any{
		"suspend": operator.SuspendGrant{}, "resume": operator.ResumeGrant{}, "end": operator.EndGrant{},
		"quota": operator.SetQuota{},
	},
	done: func(r *http.Request, do string) (did, to string) {
		return "changed " + field1(r, "id") + ": " + do, link("grant", "id", field1(r, "id"))
	},
}
