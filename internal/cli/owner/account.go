package owner

import (
	"fmt"
	"time"

	"frontdesk/internal/app/server"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/policy"
)

// Accounts has the commands for the accounts from which buyers pay.
type Accounts struct {
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
	command.ConfigFlags
	Buyer    string `arg:"" help:"DOMAIN/ID, like buyer.example.com/research-bot, or DOMAIN/* for all of a domain that have no account of their own."`
	Currency string `arg:"" help:"The account's currency, like USD."`
}

// amountFlags name an account and an amount.
type amountFlags struct {
	command.ConfigFlags
	Buyer     string `arg:"" help:"Whose account it is, as frontdesk ramp account list shows it."`
	Amount    string `arg:"" help:"How much, like 250 or 19.90."`
	Currency  string `arg:"" help:"The account's currency, like USD."`
	Reference string `placeholder:"TEXT" help:"Your own reference, such as the number of an invoice. It must name no person."`
}

// pay moves an amount, and gives how much.
func (c amountFlags) pay(env *command.Environment, did string) (moved int64, err error) {
	amount, err := command.ParseMoney(c.Amount)
	if err != nil {
		return 0, err
	}
	err = changeAccounts(env, c.ConfigFlags, func(book *accounts.Ledger, tx *store.Tx, now time.Time) (err error) {
		moved, err = book.Pay(env.Ctx, tx, did, c.Buyer, c.Currency, amount, c.Reference, now)
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
func (c accountOpen) Run(env *command.Environment) error {
	limit := int64(-1)
	if c.Limit != "" {
		var err error
		if limit, err = command.ParseMoney(c.Limit); err != nil {
			return err
		}
	}
	if err := changeAccounts(env, c.ConfigFlags, func(book *accounts.Ledger, tx *store.Tx, now time.Time) error {
		return book.Open(env.Ctx, tx, c.Buyer, c.Currency, limit, now)
	}); err != nil {
		return err
	}
	env.Print("%s has an account in %s.\n", command.Clean(c.Buyer), c.Currency)
	return nil
}

type accountCredit struct{ amountFlags }

// Help is the command's example.
func (accountCredit) Help() string {
	return "Example:\n\n\tfrontdesk ramp account credit buyer.example.com/research-bot 250 USD --reference INV-2027-118"
}

// Run books what was paid in.
func (c accountCredit) Run(env *command.Environment) error {
	moved, err := c.pay(env, accounts.Credit)
	if err == nil {
		env.Print("%s %s more is available to %s.\n", policy.Amount(moved), c.Currency, command.Clean(c.Buyer))
	}
	return err
}

type accountDebit struct{ amountFlags }

// Run books what is paid back.
func (c accountDebit) Run(env *command.Environment) error {
	moved, err := c.pay(env, accounts.Debit)
	if err == nil {
		env.Print("%s %s less is available to %s.\n", policy.Amount(moved), c.Currency, command.Clean(c.Buyer))
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
func (c accountExpire) Run(env *command.Environment) error {
	moved, err := c.pay(env, accounts.Lapse)
	if err == nil {
		env.Print("%s %s of %s has lapsed.\n", policy.Amount(moved), c.Currency, command.Clean(c.Buyer))
	}
	return err
}

type accountLimit struct {
	command.ConfigFlags
	Buyer    string `arg:"" help:"Whose account it is."`
	Amount   string `arg:"" help:"How far below nothing it may go, like 500; or configured, for as far as ramp.accounts.credit says."`
	Currency string `arg:"" help:"The account's currency, like USD."`
}

// Run sets a limit.
func (c accountLimit) Run(env *command.Environment) error {
	limit := int64(-1)
	if c.Amount != "configured" {
		var err error
		if limit, err = command.ParseMoney(c.Amount); err != nil {
			return err
		}
	}
	if err := changeAccounts(env, c.ConfigFlags, func(book *accounts.Ledger, tx *store.Tx, now time.Time) error {
		return book.SetLimit(env.Ctx, tx, c.Buyer, c.Currency, limit, now)
	}); err != nil {
		return err
	}
	env.Print("The limit of %s in %s is set.\n", command.Clean(c.Buyer), c.Currency)
	return nil
}

type accountSuspend struct{ accountFlags }

// Run suspends an account.
func (c accountSuspend) Run(env *command.Environment) error {
	return c.set(env, accounts.Suspended, "Nothing is bought from the account of %s in %s until it is resumed.\n")
}

type accountResume struct{ accountFlags }

// Run resumes an account.
func (c accountResume) Run(env *command.Environment) error {
	return c.set(env, accounts.Active, "The account of %s in %s can be bought from again.\n")
}

func (c accountFlags) set(env *command.Environment, status, told string) error {
	if err := changeAccounts(env, c.ConfigFlags, func(book *accounts.Ledger, tx *store.Tx, now time.Time) error {
		return book.SetAccountStatus(env.Ctx, tx, c.Buyer, c.Currency, status, now)
	}); err != nil {
		return err
	}
	env.Print(told, command.Clean(c.Buyer), c.Currency)
	return nil
}

type accountList struct {
	command.ConfigFlags
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
func (c accountList) Run(env *command.Environment) error {
	return readAccounts(env, c.ConfigFlags, func(house *server.House) error {
		all, err := house.ReadAccounts.Balances(env.Ctx, c.Buyer)
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
			return command.PrintJSON(env, shown)
		case len(shown) == 0:
			env.Print("There are no accounts. Open one with `frontdesk ramp account open BUYER CURRENCY`.\n")
			return nil
		}
		table := env.Table("BUYER", "CURRENCY", "AVAILABLE", "HELD", "EARNED", "LIMIT", "STATUS", "CREATED")
		for _, b := range shown {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", command.Clean(b.Buyer), b.Currency, b.Available, b.Held, b.Earned, b.Limit, b.Status, command.Day(&b.Created))
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
func (c accountStatement) Run(env *command.Environment) error {
	return readAccounts(env, c.ConfigFlags, func(house *server.House) error {
		all, err := house.ReadAccounts.Statement(env.Ctx, c.Buyer, c.Currency, c.Before, c.Limit)
		if err != nil {
			return err
		}
		shown := []shownLine{}
		for _, l := range all {
			shown = append(shown, shownLine{l.Number, l.At, l.Kind, l.Reference, l.Site, policy.Amount(l.Available), policy.Amount(l.Held), policy.Amount(l.Earned), policy.Amount(l.After)})
		}
		if c.JSON {
			return command.PrintJSON(env, shown)
		}
		table := env.Table("NUMBER", "TIME", "KIND", "AVAILABLE", "HELD", "EARNED", "AFTER", "SITE", "REFERENCE")
		for _, l := range shown {
			fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", l.Number, command.Day(&l.At), l.Kind, l.Available, l.Held, l.Earned, l.After, command.OrElse(command.Clean(l.Site), "-"), command.OrElse(command.Clean(l.Reference), "-"))
		}
		return table.Flush()
	})
}

type accountPurchases struct {
	command.ConfigFlags
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
func (c accountPurchases) Run(env *command.Environment) error {
	return readAccounts(env, c.ConfigFlags, func(house *server.House) error {
		all, err := house.ReadAccounts.Purchases(env.Ctx, accounts.PurchaseFilter{Holder: c.Buyer, Site: c.Site, Since: c.Since, Until: c.Until, Limit: c.Limit})
		if err != nil {
			return err
		}
		shown := []shownPurchase{}
		for _, h := range all {
			p := shownPurchase{
				ID: h.ID, Buyer: h.Buyer, Account: h.Holder, Site: h.Site, Model: h.Model, Currency: h.Currency, Value: policy.Amount(h.Value),
				Authorised: policy.Amount(h.Authorised), Charged: policy.Amount(h.Charged), State: string(h.State), Estimated: h.Quantity,
				Subscription: h.Subscription, License: h.Licence, Granted: h.Granted, At: h.Created, Due: command.Instant(h.Due),
			}
			if h.Reported >= 0 {
				p.Reported = &h.Reported
			}
			shown = append(shown, p)
		}
		if c.JSON {
			return command.PrintJSON(env, shown)
		}
		table := env.Table("TIME", "TRANSACTION", "BUYER", "SITE", "MODEL", "AUTHORISED", "CHARGED", "CURRENCY", "STATE", "SUBSCRIPTION")
		for _, p := range shown {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", command.Day(&p.At), command.Clean(p.ID), command.Clean(p.Buyer), command.Clean(p.Site), p.Model, p.Authorised, p.Charged,
				command.OrElse(p.Currency, "-"), p.State, command.OrElse(command.Clean(p.Subscription), "-"))
		}
		return table.Flush()
	})
}

type accountCheck struct {
	command.ConfigFlags
	JSON bool `name:"json" help:"Print a JSON array of what does not hold."`
}

// Run checks the book.
func (c accountCheck) Run(env *command.Environment) error {
	return readAccounts(env, c.ConfigFlags, func(house *server.House) error {
		found, err := house.CheckAccounts(env.Ctx)
		if err != nil {
			return err
		}
		if c.JSON {
			if err := command.PrintJSON(env, append([]accounts.Finding{}, found...)); err != nil {
				return err
			}
		} else {
			for _, f := range found {
				env.Print("%s: %s\n", command.Clean(f.Where), command.Clean(f.Problem))
			}
		}
		if len(found) > 0 {
			return command.ErrTold
		}
		if !c.JSON {
			env.Print("All balances, purchases, revenue and quotas are what the journal makes them.\n")
		}
		return nil
	})
}
