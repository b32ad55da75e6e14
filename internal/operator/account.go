package operator

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/policy"
	"frontdesk/wire/strictjson"
)

// Accounts are those from which buyers pay.
const (
	accountsPath = "/admin/accounts"
	accountPath  = accountsPath + "/{currency}/{domain}/{id...}"
)

var accountOperations = []Operation{
	Define[ListAccounts]("accounts", "GET", accountsPath, "List the accounts"),
	Define[OpenAccount]("openAccount", "POST", accountsPath, "Open an account for a buyer"),
	Define[ShowAccount]("account", "GET", accountPath, "Read an account with its newest movements"),
	Define[Pay]("pay", "POST", accountPath, "Book a payment"),
	Define[ChangeAccount]("changeAccount", "PATCH", accountPath, "Set an account's limit and state"),
	Command[Credit](), Command[Debit](), Command[Expire](), Command[LimitAccount](),
	Command[SuspendAccount](), Command[ResumeAccount](), Command[Statement](), Command[Purchases](),
}

// Limit is how far below nothing an account may go; below 0 for as far as is configured.
type Limit int64

// Cell writes an amount.
func (l Limit) Cell() string {
	if l < 0 {
		return "configured"
	}
	return policy.Amount(int64(l))
}

// MarshalJSON writes an amount as a string, and null for what is configured.
func (l Limit) MarshalJSON() ([]byte, error) {
	if l < 0 {
		return []byte("null"), nil
	}
	return Amount(l).MarshalJSON()
}

// limitOf reads a limit of a request; null and nothing are as far as is configured.
func limitOf(value strictjson.Value) (int64, error) {
	if len(value) == 0 || value.Kind() == 'n' {
		return -1, nil
	}
	var text string
	if err := strictjson.Decode(value, &text); err != nil {
		return 0, invalid(`limit: write it as a text, like "500"`)
	}
	return amountOf("limit", text)
}

// amountOf reads an amount.
func amountOf(field, text string) (int64, error) {
	n, err := policy.ParseAmount(text)
	return n, wrong(field, err)
}

// moment is now, as tables keep it.
func (o *Operator) moment() time.Time { return o.Now().UTC().Truncate(time.Microsecond) }

// Balance is an account.
type Balance struct {
	Buyer     string  `json:"buyer" column:"1:BUYER"`
	Currency  string  `json:"currency" column:"2:CURRENCY"`
	Available Amount  `json:"available" column:"3:AVAILABLE"`
	Held      Amount  `json:"held" column:"4:HELD"`
	Earned    Amount  `json:"earned" column:"5:EARNED"`
	Limit     Limit   `json:"limit" column:"6:LIMIT"`
	State     string  `json:"state" cli:"status" column:"7:STATUS"`
	Created   Instant `json:"created" column:"8:CREATED"`
}

func showBalance(b accounts.Balance) Balance {
	return Balance{
		b.Buyer, b.Currency, Amount(b.Available), Amount(b.Held), Amount(b.Earned), Limit(b.Limit), b.Status,
		Instant{b.Created},
	}
}

// ListAccounts lists accounts by buyer and currency.
type ListAccounts struct {
	Buyer string `query:"buyer" arg:"" optional:"" help:"Only the accounts of this buyer."`
	Page
	Printed
}

// AccountPage is a page of accounts.
type AccountPage struct {
	Accounts []Balance `json:"accounts"`
	Next     string    `json:"next,omitempty"`
}

// Empty is what the command says where there are none.
func (ListAccounts) Empty() string {
	return "There are no accounts. Open one with `frontdesk ramp account open BUYER CURRENCY`."
}

func (in ListAccounts) Do(ctx context.Context, o *Operator) (page AccountPage, err error) {
	var all []accounts.Balance
	if in.Buyer != "" || in.Limit == 0 {
		all, err = o.Balances.Balances(ctx, in.Buyer) // one in each currency
	} else {
		after := accounts.AccountFilter{Limit: in.rows()}
		after.Listed, after.Buyer, _ = strings.Cut(in.After, "/")
		all, err = o.Balances.Accounts(ctx, after)
	}
	all, page.Next = part(in.Page, all, func(b accounts.Balance) string { return b.Currency + "/" + b.Buyer })
	page.Accounts = each(all, showBalance)
	return page, err
}

// OpenAccount opens an account.
type OpenAccount struct {
	Buyer    string  `json:"buyer" arg:"" help:"DOMAIN/ID, like buyer.example.com/research-bot, or DOMAIN/* for all of a domain that have no account of their own." form:"buyer" label:"buyer_or_domain" max:"240"`
	Currency string  `json:"currency" arg:"" help:"The account's currency, like USD." form:"currency" label:"currency" input:"currency"`
	Own      *string `json:"-" name:"limit" placeholder:"AMOUNT" help:"How far below nothing it may go. Without it, as far as ramp.accounts.credit says." form:"limit" label:"limit" input:"decimal"`
	// Limit is how far below nothing it may go, as a text; null for as far as is configured.
	Limit strictjson.Value `json:"limit" kong:"-"`
}

// OpenedAccount is an account that was opened.
type OpenedAccount struct{ Balance }

// Fresh says that it was made.
func (OpenedAccount) Fresh() bool { return true }

// Example is of the command.
func (OpenAccount) Example() string {
	return "Examples:\n\n\tfrontdesk ramp account open buyer.example.com/research-bot USD\n" +
		"\tfrontdesk ramp account open 'buyer.example.com/*' EUR --limit 500"
}

func (in OpenAccount) Do(ctx context.Context, o *Operator) (out OpenedAccount, err error) {
	limit, err := limitOf(in.Limit)
	if in.Own != nil {
		limit, err = amountOf("limit", *in.Own)
	}
	if err == nil {
		err = o.change(ctx, in.Buyer, func(tx *store.Tx, now time.Time) error {
			return o.Accounts.Open(ctx, tx, in.Buyer, in.Currency, limit, now)
		})
	}
	if err == nil {
		out.Balance, err = AccountName{in.Currency, in.Buyer}.show(ctx, o)
	}
	return out, err
}

// Say tells whose it is.
func (in OpenAccount) Say(OpenedAccount) string {
	return fmt.Sprintf("%s has an account in %s.", in.Buyer, in.Currency)
}

// AccountName names an account in requests.
type AccountName struct {
	Currency string `json:"-" path:"currency" kong:"-" help:"Such as USD." form:"currency" input:"hidden"`
	Buyer    string `json:"-" path:"domain,id" kong:"-" help:"Of the buyer: its domain, its id, or * for all." form:"buyer" input:"hidden"`
}

func (n AccountName) show(ctx context.Context, o *Operator) (Balance, error) {
	all, err := o.Balances.Balances(ctx, n.Buyer)
	for _, one := range all {
		if one.Currency == n.Currency {
			return showBalance(one), err
		}
	}
	if err == nil {
		err = fail.New(fail.NotFound, "%.60s has no account in %.3s; GET %s lists those there are",
			n.Buyer, n.Currency, accountsPath)
	}
	return Balance{}, err
}

// AccountArguments name an account on the command line.
type AccountArguments struct {
	Buyer    string `arg:"" help:"DOMAIN/ID, like buyer.example.com/research-bot, or DOMAIN/* for all of a domain that have no account of their own." form:"buyer" input:"hidden"`
	Currency string `arg:"" help:"The account's currency, like USD." form:"currency" input:"hidden"`
}

func (a AccountArguments) name() AccountName { return AccountName{a.Currency, a.Buyer} }

// ShowAccount tells of an account, with its newest movements.
type ShowAccount struct {
	AccountName
	Before int64 `json:"-" query:"before" most:"9223372036854775807" kong:"-" help:"The number of a movement before which to go on."`
	Lines  int   `json:"-" query:"lines" most:"1000" usual:"20" kong:"-" help:"How many movements, up to 1000; without it, 20."`
}

// AccountWithLines is an account with movements, the newest first.
type AccountWithLines struct {
	Balance
	Lines []Line `json:"lines"`
}

// Line is a movement.
type Line struct {
	Number    int64  `json:"number" column:"1:NUMBER"`
	Time      Exact  `json:"time" cli:"at" column:"2:TIME"`
	Kind      string `json:"kind" column:"3:KIND"`
	Reference string `json:"reference,omitempty" column:"9:REFERENCE"`
	Site      string `json:"site,omitempty" column:"8:SITE"`
	Available Amount `json:"available" column:"4:AVAILABLE"`
	Held      Amount `json:"held" column:"5:HELD"`
	Earned    Amount `json:"earned" column:"6:EARNED"`
	After     Amount `json:"after" column:"7:AFTER"`
}

func (o *Operator) lines(ctx context.Context, n AccountName, before int64, limit int) ([]Line, error) {
	all, err := o.Balances.Statement(ctx, n.Buyer, n.Currency, before, limit)
	return each(all, func(l accounts.JournalLine) Line {
		return Line{
			l.Number, Exact{l.At}, l.Kind, l.Reference, l.Site, Amount(l.Available), Amount(l.Held), Amount(l.Earned),
			Amount(l.After),
		}
	}), err
}

func (in ShowAccount) Do(ctx context.Context, o *Operator) (out AccountWithLines, err error) {
	if out.Balance, err = in.show(ctx, o); err != nil {
		return out, err
	}
	out.Lines, err = o.lines(ctx, in.AccountName, in.Before, in.Lines)
	return out, err
}

// Statement lists the movements of an account.
type Statement struct {
	AccountArguments
	Before int64 `placeholder:"N" help:"Only movements with a number below this one."`
	Limit  int   `default:"20" placeholder:"N" help:"How many at most (${default}), the newest first."`
	Printed
}

func (in Statement) Do(ctx context.Context, o *Operator) ([]Line, error) {
	return o.lines(ctx, in.name(), in.Before, in.Limit)
}

// Pay books a payment. One that was booked under its reference before is not booked twice.
type Pay struct {
	AccountName
	Kind      string `json:"kind" required:"" enum:"credit,debit,expire" form:"do" label:"do" input:"radio" choices:"credit|debit|expire"`
	Amount    string `json:"amount" required:"" form:"amount" label:"amount" of:"currency" input:"decimal" example:"250.00"` // a decimal number
	Reference string `json:"reference" form:"reference" label:"reference" max:"64"`                                          // under which it is booked once
	// Seen is the last movement that a person saw: the same payment behind it was sent twice.
	Seen int64 `json:"-" form:"seen" input:"hidden"`
}

// Paid is what a payment moved.
type Paid struct {
	Moved Amount `json:"moved"`
	// Again says that the payment was booked before, under its reference, and is not booked
	// twice.
	Again   bool    `json:"again"`
	Account Balance `json:"account"`
}

func (in Pay) Do(ctx context.Context, o *Operator) (out Paid, err error) {
	if in.Kind != accounts.Credit && in.Kind != accounts.Debit && in.Kind != accounts.Lapse {
		return out, invalid("kind has to be %s, %s or %s", accounts.Credit, accounts.Debit, accounts.Lapse)
	}
	amount, err := amountOf("amount", in.Amount)
	if err != nil {
		return out, err
	}
	if err := o.change(ctx, in.Buyer, func(tx *store.Tx, now time.Time) error {
		out.Moved, out.Again, err = in.pay(ctx, o.Accounts, tx, amount, now)
		return err
	}); err != nil {
		return out, err
	}
	out.Account, err = in.show(ctx, o)
	return out, err
}

func (in Pay) pay(
	ctx context.Context, book *accounts.Ledger, tx *store.Tx, amount int64, now time.Time,
) (moved Amount, again bool, err error) {
	if in.Seen > 0 {
		again, err := book.PaymentBooked(ctx, tx, in.Kind, in.Buyer, in.Currency, amount, in.Reference, in.Seen)
		if err == nil && again {
			err = invalid("the same amount with the same reference was booked a moment ago, and is not " +
				"booked twice; " +
				"if it is meant to be, load the page again and send it once more")
		}
		if err != nil {
			return 0, false, err
		}
	}
	before, known, err := book.LastPayment(ctx, tx, in.Kind, in.Buyer, in.Currency, in.Reference)
	switch {
	case err != nil:
		return 0, false, err
	case known && (before == amount || in.Kind == accounts.Lapse && before < amount):
		return Amount(before), true, nil
	case known:
		return 0, false, invalid("a %s of %s was booked under this reference before; use another "+
			"reference for another payment",
			in.Kind, policy.Amount(before))
	}
	n, err := book.Pay(ctx, tx, in.Kind, in.Buyer, in.Currency, amount, in.Reference, now)
	return Amount(n), false, err
}

// Payment is what the command line says of a payment.
type Payment struct {
	Buyer     string `arg:"" help:"Whose account it is, as frontdesk ramp account list shows it."`
	Amount    string `arg:"" help:"How much, like 250 or 19.90."`
	Currency  string `arg:"" help:"The account's currency, like USD."`
	Reference string `placeholder:"TEXT" help:"Your own reference, such as the number of an invoice. It must name no person. A payment is booked once under a reference."`
}

func (p Payment) pay(ctx context.Context, o *Operator, kind string) (Paid, error) {
	in := Pay{AccountName: AccountName{p.Currency, p.Buyer}, Kind: kind, Amount: p.Amount, Reference: p.Reference}
	return in.Do(ctx, o)
}

func (p Payment) say(out Paid, format string, of ...any) string {
	if out.Again {
		format, of = "%s %s was booked under this reference before, and is not booked twice.", nil
	}
	return fmt.Sprintf(format, append([]any{out.Moved, p.Currency}, of...)...)
}

// Credit books what a buyer paid in.
type Credit struct{ Payment }

// Example is of the command.
func (Credit) Example() string {
	return "Example:\n\n\tfrontdesk ramp account credit buyer.example.com/research-bot 250 USD " +
		"--reference INV-2027-118"
}

func (in Credit) Do(ctx context.Context, o *Operator) (Paid, error) {
	return in.pay(ctx, o, accounts.Credit)
}

// Say tells how much.
func (in Credit) Say(out Paid) string { return in.say(out, "%s %s more is available to %s.", in.Buyer) }

// Debit books what is paid back.
type Debit struct{ Payment }

func (in Debit) Do(ctx context.Context, o *Operator) (Paid, error) {
	return in.pay(ctx, o, accounts.Debit)
}

// Say tells how much.
func (in Debit) Say(out Paid) string { return in.say(out, "%s %s less is available to %s.", in.Buyer) }

// Expire lets what was paid in lapse.
type Expire struct{ Payment }

// Example is of the command.
func (Expire) Example() string {
	return "What is available is taken, up to the amount; what is held for purchases stays.\n\n" +
		"Example:\n\n\tfrontdesk ramp account expire buyer.example.com/research-bot 100 USD"
}

func (in Expire) Do(ctx context.Context, o *Operator) (Paid, error) {
	return in.pay(ctx, o, accounts.Lapse)
}

// Say tells how much.
func (in Expire) Say(out Paid) string { return in.say(out, "%s %s of %s has lapsed.", in.Buyer) }

// ChangeAccount sets an account's limit and state.
type ChangeAccount struct {
	AccountName
	// Limit is how far below nothing it may go, as a text; null for as far as is configured.
	Limit strictjson.Value `json:"limit"`
	State *string          `json:"state" enum:"active,suspended"`
}

func (in ChangeAccount) Do(ctx context.Context, o *Operator) (out Balance, err error) {
	if err := o.change(ctx, in.Buyer, func(tx *store.Tx, now time.Time) error {
		if len(in.Limit) > 0 {
			limit, err := limitOf(in.Limit)
			if err == nil {
				err = o.Accounts.SetLimit(ctx, tx, in.Buyer, in.Currency, limit, now)
			}
			if err != nil {
				return err
			}
		}
		if in.State == nil {
			return nil
		}
		return o.Accounts.SetAccountStatus(ctx, tx, in.Buyer, in.Currency, *in.State, now)
	}); err != nil {
		return out, err
	}
	return in.show(ctx, o)
}

// LimitAccount says how far below nothing an account may go.
type LimitAccount struct {
	Buyer    string `arg:"" help:"Whose account it is." form:"buyer" input:"hidden"`
	Amount   string `arg:"" help:"How far below nothing it may go, like 500; or configured, for as far as ramp.accounts.credit says." form:"limit,optional" label:"limit" input:"decimal"`
	Currency string `arg:"" help:"The account's currency, like USD." form:"currency" input:"hidden"`
}

func (in LimitAccount) Do(ctx context.Context, o *Operator) (Balance, error) {
	change := ChangeAccount{AccountName: AccountName{in.Currency, in.Buyer}, Limit: strictjson.Value("null")}
	if in.Amount != "" && in.Amount != "configured" {
		if _, err := amountOf("limit", in.Amount); err != nil {
			return Balance{}, err
		}
		change.Limit = strictjson.Value(fmt.Sprintf("%q", in.Amount))
	}
	return change.Do(ctx, o)
}

// Say tells of it.
func (in LimitAccount) Say(Balance) string {
	return fmt.Sprintf("The limit of %s in %s is set.", in.Buyer, in.Currency)
}

func (a AccountArguments) setStatus(ctx context.Context, o *Operator, status string) (Balance, error) {
	return ChangeAccount{AccountName: a.name(), State: &status}.Do(ctx, o)
}

// SuspendAccount lets nothing be bought from an account.
type SuspendAccount struct{ AccountArguments }

func (in SuspendAccount) Do(ctx context.Context, o *Operator) (Balance, error) {
	return in.setStatus(ctx, o, accounts.Suspended)
}

// Say tells until when.
func (in SuspendAccount) Say(Balance) string {
	return fmt.Sprintf("Nothing is bought from the account of %s in %s until it is resumed.", in.Buyer, in.Currency)
}

// ResumeAccount lets an account be bought from again.
type ResumeAccount struct{ AccountArguments }

func (in ResumeAccount) Do(ctx context.Context, o *Operator) (Balance, error) {
	return in.setStatus(ctx, o, accounts.Active)
}

// Say tells of it.
func (in ResumeAccount) Say(Balance) string {
	return fmt.Sprintf("The account of %s in %s can be bought from again.", in.Buyer, in.Currency)
}

// Purchases lists what was bought from accounts.
type Purchases struct {
	Buyer string    `arg:"" optional:"" help:"Only what was bought from the account, or under the subscription, of this buyer."`
	Site  string    `placeholder:"ID" help:"Only of this site."`
	Since time.Time `placeholder:"TIME" help:"Only what was bought at this time (RFC 3339) or later."`
	Until time.Time `placeholder:"TIME" help:"Only what was bought before this time."`
	Limit int       `default:"20" placeholder:"N" help:"How many at most (${default}), the newest first; 0 for all."`
	Printed
}

// Purchase is a purchase.
type Purchase struct {
	At           Exact  `json:"at" column:"1:TIME"`
	ID           string `json:"transaction" column:"2:TRANSACTION"`
	Buyer        string `json:"buyer" column:"3:BUYER"`
	Account      string `json:"account"`
	Site         string `json:"site" column:"4:SITE"`
	Model        string `json:"model" column:"5:MODEL"`
	Value        Amount `json:"value"`
	Authorised   Amount `json:"authorised" column:"6:AUTHORISED"`
	Charged      Amount `json:"charged" column:"7:CHARGED"`
	Currency     string `json:"currency,omitempty" column:"8:CURRENCY"`
	State        string `json:"state" column:"9:STATE"`
	Estimated    int64  `json:"estimated,omitempty"`
	Reported     *int64 `json:"reported,omitempty"`
	Subscription string `json:"subscription,omitempty" column:"a:SUBSCRIPTION"`
	License      string `json:"license,omitempty"`
	Granted      string `json:"granted,omitempty"`
	Due          Exact  `json:"due,omitzero"`
}

func (in Purchases) Do(ctx context.Context, o *Operator) ([]Purchase, error) {
	all, err := o.Balances.Purchases(ctx, accounts.PurchaseFilter{
		Holder: in.Buyer, Site: in.Site, Since: in.Since, Until: in.Until, Limit: in.Limit,
	})
	return each(all, func(h accounts.Hold) Purchase {
		p := Purchase{
			ID: h.ID, Buyer: h.Buyer, Account: h.Holder, Site: h.Site, Model: h.Model, Currency: h.Currency,
			Value: Amount(h.Value), Authorised: Amount(h.Authorised), Charged: Amount(h.Charged),
			State: string(h.State), Estimated: h.Quantity, Subscription: h.Subscription, License: h.Licence,
			Granted: h.Granted, At: Exact{h.Created}, Due: Exact{h.Due},
		}
		if h.Reported >= 0 {
			p.Reported = &h.Reported
		}
		return p
	}), err
}

// allRows is a limit that none reaches.
const allRows = math.MaxInt32
