package cli

import (
	"fmt"
	"time"

	"frontdesk/internal/app/server"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/policy"
)

type rampAccountCommands struct {
	Open      accountOpen      `cmd:"" help:"Open an account for a buyer."`
	Credit    accountCredit    `cmd:"" help:"Book what a buyer paid in."`
	Debit     accountDebit     `cmd:"" help:"Book what is paid back to a buyer, or was booked by mistake."`
	Expire    accountExpire    `cmd:"" help:"Let what a buyer paid in lapse, or a part of it."`
	Limit     accountLimit     `cmd:"" help:"Say how far below nothing an account may go."`
	Suspend   accountSuspend   `cmd:"" help:"Let nothing be bought from an account, until it is resumed."`
	Resume    accountResume    `cmd:"" help:"Let an account be bought from again."`
	List      accountList      `cmd:"" help:"List the accounts with what stands on them."`
	Statement accountStatement `cmd:"" help:"List the movements of an account."`
	Purchases accountPurchases `cmd:"" help:"List what was bought from an account."`
	Check     accountCheck     `cmd:"" help:"Derive all balances and quotas anew, and name whatever does not hold."`
}

// accountFlags name an account.
type accountFlags struct {
	configFlags
	Buyer    string `arg:"" help:"DOMAIN/ID, like buyer.example.com/research-bot, or DOMAIN/* for all of a domain that have no account of their own."`
	Currency string `arg:"" help:"The account's currency, like USD."`
}

// amountFlags name an account and an amount.
type amountFlags struct {
	configFlags
	Buyer     string `arg:"" help:"Whose account it is, as frontdesk ramp account list shows it."`
	Amount    string `arg:"" help:"How much, like 250 or 19.90."`
	Currency  string `arg:"" help:"The account's currency, like USD."`
	Reference string `placeholder:"TEXT" help:"Your own reference, such as the number of an invoice. It must name no person."`
}

// pay moves an amount, and gives how much.
func (c amountFlags) pay(env *environment, did string) (moved int64, err error) {
	amount, err := parseMoney(c.Amount)
	if err != nil {
		return 0, err
	}
	err = changeAccounts(env, c.configFlags, func(book *accounts.Book, tx *store.Tx, now time.Time) (err error) {
		moved, err = book.Pay(env.ctx, tx, did, c.Buyer, c.Currency, amount, c.Reference, now)
		return err
	})
	return moved, err
}

type accountOpen struct {
	accountFlags
	Limit string `placeholder:"AMOUNT" help:"How far below nothing it may go. Without it, as far as ramp.accounts.credit says."`
}

// Help is the command's example.
func (accountOpen) Help() string {
	return "Examples:\n\n\tfrontdesk ramp account open buyer.example.com/research-bot USD\n\tfrontdesk ramp account open 'buyer.example.com/*' EUR --limit 500"
}

// Run opens an account.
func (c accountOpen) Run(env *environment) error {
	limit := int64(-1)
	if c.Limit != "" {
		var err error
		if limit, err = parseMoney(c.Limit); err != nil {
			return err
		}
	}
	if err := changeAccounts(env, c.configFlags, func(book *accounts.Book, tx *store.Tx, now time.Time) error {
		return book.Open(env.ctx, tx, c.Buyer, c.Currency, limit, now)
	}); err != nil {
		return err
	}
	env.print("%s has an account in %s.\n", clean(c.Buyer), c.Currency)
	return nil
}

type accountCredit struct{ amountFlags }

// Help is the command's example.
func (accountCredit) Help() string {
	return "Example:\n\n\tfrontdesk ramp account credit buyer.example.com/research-bot 250 USD --reference INV-2027-118"
}

// Run books what was paid in.
func (c accountCredit) Run(env *environment) error {
	moved, err := c.pay(env, accounts.Credit)
	if err == nil {
		env.print("%s %s more is available to %s.\n", policy.Amount(moved), c.Currency, clean(c.Buyer))
	}
	return err
}

type accountDebit struct{ amountFlags }

// Run books what is paid back.
func (c accountDebit) Run(env *environment) error {
	moved, err := c.pay(env, accounts.Debit)
	if err == nil {
		env.print("%s %s less is available to %s.\n", policy.Amount(moved), c.Currency, clean(c.Buyer))
	}
	return err
}

type accountExpire struct{ amountFlags }

// Help says what is taken.
func (accountExpire) Help() string {
	return "What is available is taken, up to the amount; what is held for purchases stays.\n\n" +
		"Example:\n\n\tfrontdesk ramp account expire buyer.example.com/research-bot 100 USD"
}

// Run lets an amount lapse.
func (c accountExpire) Run(env *environment) error {
	moved, err := c.pay(env, accounts.Lapse)
	if err == nil {
		env.print("%s %s of %s has lapsed.\n", policy.Amount(moved), c.Currency, clean(c.Buyer))
	}
	return err
}

type accountLimit struct {
	configFlags
	Buyer    string `arg:"" help:"Whose account it is."`
	Amount   string `arg:"" help:"How far below nothing it may go, like 500; or configured, for as far as ramp.accounts.credit says."`
	Currency string `arg:"" help:"The account's currency, like USD."`
}

// Run sets a limit.
func (c accountLimit) Run(env *environment) error {
	limit := int64(-1)
	if c.Amount != "configured" {
		var err error
		if limit, err = parseMoney(c.Amount); err != nil {
			return err
		}
	}
	if err := changeAccounts(env, c.configFlags, func(book *accounts.Book, tx *store.Tx, now time.Time) error {
		return book.SetLimit(env.ctx, tx, c.Buyer, c.Currency, limit, now)
	}); err != nil {
		return err
	}
	env.print("The limit of %s in %s is set.\n", clean(c.Buyer), c.Currency)
	return nil
}

type accountSuspend struct{ accountFlags }

// Run suspends an account.
func (c accountSuspend) Run(env *environment) error {
	return c.set(env, accounts.Suspended, "Nothing is bought from the account of %s in %s until it is resumed.\n")
}

type accountResume struct{ accountFlags }

// Run resumes an account.
func (c accountResume) Run(env *environment) error {
	return c.set(env, accounts.Active, "The account of %s in %s can be bought from again.\n")
}

func (c accountFlags) set(env *environment, status, told string) error {
	if err := changeAccounts(env, c.configFlags, func(book *accounts.Book, tx *store.Tx, now time.Time) error {
		return book.SetAccountStatus(env.ctx, tx, c.Buyer, c.Currency, status, now)
	}); err != nil {
		return err
	}
	env.print(told, clean(c.Buyer), c.Currency)
	return nil
}

type accountList struct {
	configFlags
	Buyer string `arg:"" optional:"" help:"Only the accounts of this buyer."`
	JSON  bool   `name:"json" help:"Print a JSON array."`
}

// shownBalance is an account as commands print it as JSON. Amounts are decimal numbers.
type shownBalance struct {
	Buyer     string    `json:"buyer"`
	Currency  string    `json:"currency"`
	Available string    `json:"available"`
	Held      string    `json:"held"`
	Earned    string    `json:"earned"`
	Limit     string    `json:"limit"` // "configured" without one of its own
	Status    string    `json:"status"`
	Created   time.Time `json:"created"`
}

// Run lists the accounts.
func (c accountList) Run(env *environment) error {
	return readAccounts(env, c.configFlags, func(house *server.House) error {
		all, err := house.ReadAccounts.Balances(env.ctx, c.Buyer)
		if err != nil {
			return err
		}
		shown := []shownBalance{}
		for _, b := range all {
			limit := "configured"
			if b.Limit >= 0 {
				limit = policy.Amount(b.Limit)
			}
			shown = append(shown, shownBalance{b.Buyer, b.Currency, policy.Amount(b.Available), policy.Amount(b.Held), policy.Amount(b.Earned), limit, b.Status, b.Created})
		}
		switch {
		case c.JSON:
			return printJSON(env, shown)
		case len(shown) == 0:
			env.print("There are no accounts. Open one with `frontdesk ramp account open BUYER CURRENCY`.\n")
			return nil
		}
		table := env.table("BUYER", "CURRENCY", "AVAILABLE", "HELD", "EARNED", "LIMIT", "STATUS", "CREATED")
		for _, b := range shown {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", clean(b.Buyer), b.Currency, b.Available, b.Held, b.Earned, b.Limit, b.Status, day(&b.Created))
		}
		return table.Flush()
	})
}

type accountStatement struct {
	accountFlags
	Before int64 `placeholder:"N" help:"Only movements with a number below this one."`
	Limit  int   `default:"20" placeholder:"N" help:"How many at most (${default}), the newest first."`
	JSON   bool  `name:"json" help:"Print a JSON array."`
}

// shownLine is a movement as commands print it as JSON. Amounts are decimal numbers.
type shownLine struct {
	Number    int64     `json:"number"`
	At        time.Time `json:"at"`
	Kind      string    `json:"kind"`
	Reference string    `json:"reference,omitempty"`
	Site      string    `json:"site,omitempty"`
	Available string    `json:"available"`
	Held      string    `json:"held"`
	Earned    string    `json:"earned"`
	After     string    `json:"after"`
}

// Run lists the movements of an account.
func (c accountStatement) Run(env *environment) error {
	return readAccounts(env, c.configFlags, func(house *server.House) error {
		all, err := house.ReadAccounts.Statement(env.ctx, c.Buyer, c.Currency, c.Before, c.Limit)
		if err != nil {
			return err
		}
		shown := []shownLine{}
		for _, l := range all {
			shown = append(shown, shownLine{l.Number, l.At, l.Kind, l.Reference, l.Site, policy.Amount(l.Available), policy.Amount(l.Held), policy.Amount(l.Earned), policy.Amount(l.After)})
		}
		if c.JSON {
			return printJSON(env, shown)
		}
		table := env.table("NUMBER", "TIME", "KIND", "AVAILABLE", "HELD", "EARNED", "AFTER", "SITE", "REFERENCE")
		for _, l := range shown {
			fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", l.Number, day(&l.At), l.Kind, l.Available, l.Held, l.Earned, l.After, orElse(clean(l.Site), "-"), orElse(clean(l.Reference), "-"))
		}
		return table.Flush()
	})
}

type accountPurchases struct {
	configFlags
	Buyer string    `arg:"" optional:"" help:"Only what was bought from the account, or under the subscription, of this buyer."`
	Site  string    `placeholder:"ID" help:"Only of this site."`
	Since time.Time `placeholder:"TIME" help:"Only what was bought at this time (RFC 3339) or later."`
	Until time.Time `placeholder:"TIME" help:"Only what was bought before this time."`
	Limit int       `default:"20" placeholder:"N" help:"How many at most (${default}), the newest first; 0 for all."`
	JSON  bool      `name:"json" help:"Print a JSON array."`
}

// shownPurchase is a purchase as commands print it as JSON. Amounts are decimal numbers.
type shownPurchase struct {
	ID           string     `json:"transaction"`
	Buyer        string     `json:"buyer"`
	Account      string     `json:"account"`
	Site         string     `json:"site"`
	Model        string     `json:"model"`
	Currency     string     `json:"currency,omitempty"`
	Value        string     `json:"value"`
	Authorised   string     `json:"authorised"`
	Charged      string     `json:"charged"`
	State        string     `json:"state"`
	Estimated    int64      `json:"estimated,omitempty"`
	Reported     *int64     `json:"reported,omitempty"`
	Subscription string     `json:"subscription,omitempty"`
	License      string     `json:"license,omitempty"`
	Granted      string     `json:"granted,omitempty"`
	At           time.Time  `json:"at"`
	Due          *time.Time `json:"due,omitempty"`
}

// Run lists purchases.
func (c accountPurchases) Run(env *environment) error {
	return readAccounts(env, c.configFlags, func(house *server.House) error {
		all, err := house.ReadAccounts.Purchases(env.ctx, accounts.Wanted{Holder: c.Buyer, Site: c.Site, Since: c.Since, Until: c.Until, Limit: c.Limit})
		if err != nil {
			return err
		}
		shown := []shownPurchase{}
		for _, h := range all {
			p := shownPurchase{
				ID: h.ID, Buyer: h.Buyer, Account: h.Holder, Site: h.Site, Model: h.Model, Currency: h.Currency, Value: policy.Amount(h.Value),
				Authorised: policy.Amount(h.Authorised), Charged: policy.Amount(h.Charged), State: string(h.State), Estimated: h.Quantity,
				Subscription: h.Subscription, License: h.Licence, Granted: h.Granted, At: h.Created, Due: instant(h.Due),
			}
			if h.Reported >= 0 {
				p.Reported = &h.Reported
			}
			shown = append(shown, p)
		}
		if c.JSON {
			return printJSON(env, shown)
		}
		table := env.table("TIME", "TRANSACTION", "BUYER", "SITE", "MODEL", "AUTHORISED", "CHARGED", "CURRENCY", "STATE", "SUBSCRIPTION")
		for _, p := range shown {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", day(&p.At), clean(p.ID), clean(p.Buyer), clean(p.Site), p.Model, p.Authorised, p.Charged,
				orElse(p.Currency, "-"), p.State, orElse(clean(p.Subscription), "-"))
		}
		return table.Flush()
	})
}

type accountCheck struct {
	configFlags
	JSON bool `name:"json" help:"Print a JSON array of what does not hold."`
}

// Run checks the book.
func (c accountCheck) Run(env *environment) error {
	return readAccounts(env, c.configFlags, func(house *server.House) error {
		found, err := house.CheckAccounts(env.ctx)
		if err != nil {
			return err
		}
		if c.JSON {
			if err := printJSON(env, append([]accounts.Finding{}, found...)); err != nil {
				return err
			}
		} else {
			for _, f := range found {
				env.print("%s: %s\n", clean(f.Where), clean(f.Problem))
			}
		}
		if len(found) > 0 {
			return errTold
		}
		if !c.JSON {
			env.print("All balances, purchases, revenue and quotas are what the journal makes them.\n")
		}
		return nil
	})
}
