package owner

import (
	"fmt"
	"strings"
	"time"

	"frontdesk/internal/app/server"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
)

// Licenses has the commands for licences of buyers.
type Licenses struct {
	Add     licenseAdd     `cmd:"" help:"Give a buyer a licence."`
	Suspend licenseSuspend `cmd:"" help:"Let a licence be good for nothing, until it is resumed."`
	Resume  licenseResume  `cmd:"" help:"Let a licence be good again."`
	End     licenseEnd     `cmd:"" help:"End a licence for good."`
	List    licenseList    `cmd:"" help:"List the licences."`
}

// Subscriptions has the commands for subscriptions of buyers.
type Subscriptions struct {
	Add     subscriptionAdd   `cmd:"" help:"Give a buyer a subscription."`
	Quota   subscriptionQuota `cmd:"" help:"Set a quota of a subscription."`
	Suspend licenseSuspend    `cmd:"" help:"Let a subscription be good for nothing, until it is resumed."`
	Resume  licenseResume     `cmd:"" help:"Let a subscription be good again."`
	End     licenseEnd        `cmd:"" help:"End a subscription for good."`
	List    subscriptionList  `cmd:"" help:"List the subscriptions with what is left of their quotas."`
}

type licenseAdd struct {
	command.ConfigFlags
	licenceFlags
	Paid string `placeholder:"MODEL" help:"The pricing model for which nothing is charged under the licence, such as training. Without it, the licence lets buy, and what is bought is charged."`
}

// Help is the command's example.
func (licenseAdd) Help() string {
	return "A requester names a licence as license_id; it must be the requester's, or its domain's, and cover what is bought.\n\n" +
		"Example:\n\n\tfrontdesk ramp license add lic-2027-118 'buyer.example.com/*' --path '/archive/**' --paid training --ends 2028-01-01T00:00:00Z"
}

// Run adds a licence.
func (c licenseAdd) Run(env *command.Environment) error {
	if err := changeAccounts(env, c.ConfigFlags, func(book *accounts.Ledger, tx *store.Tx, now time.Time) error {
		l := c.licence(now)
		l.Paid = c.Paid
		return book.AddLicence(env.Ctx, tx, l, now)
	}); err != nil {
		return err
	}
	env.Print("%s has the licence %s.\n", command.Clean(c.Buyer), command.Clean(c.ID))
	return nil
}

// licenceID names a licence or a subscription.
type licenceID struct {
	command.ConfigFlags
	ID string `arg:"" name:"id" help:"Its id, as the list shows it."`
}

func (c licenceID) set(env *command.Environment, status, told string) error {
	if err := changeAccounts(env, c.ConfigFlags, func(book *accounts.Ledger, tx *store.Tx, now time.Time) error {
		return book.SetLicenceStatus(env.Ctx, tx, c.ID, status, now)
	}); err != nil {
		return err
	}
	env.Print(told, command.Clean(c.ID))
	return nil
}

type licenseSuspend struct{ licenceID }

// Run suspends a licence or a subscription.
func (c licenseSuspend) Run(env *command.Environment) error {
	return c.set(env, accounts.Suspended, "%s is good for nothing until it is resumed.\n")
}

type licenseResume struct{ licenceID }

// Run resumes a licence or a subscription.
func (c licenseResume) Run(env *command.Environment) error {
	return c.set(env, accounts.Active, "%s is good again.\n")
}

type licenseEnd struct{ licenceID }

// Run ends a licence or a subscription.
func (c licenseEnd) Run(env *command.Environment) error {
	return c.set(env, accounts.Ended, "%s has ended.\n")
}

type licenseList struct {
	command.ConfigFlags
	Buyer string `arg:"" optional:"" help:"Only the licences of this buyer."`
	JSON  bool   `name:"json" help:"Print a JSON array."`
}

// Run lists the licences.
func (c licenseList) Run(env *command.Environment) error {
	return readAccounts(env, c.ConfigFlags, func(house *server.House) error {
		all, err := house.ReadAccounts.Licences(env.Ctx, c.Buyer)
		if err != nil {
			return err
		}
		shown := []shownLicence{}
		for _, l := range all {
			shown = append(shown, showLicence(accounts.Subscription{Licence: l}))
		}
		switch {
		case c.JSON:
			return command.PrintJSON(env, shown)
		case len(shown) == 0:
			env.Print("There are no licences. Give one with `frontdesk ramp license add ID BUYER`.\n")
			return nil
		}
		table := env.Table("ID", "BUYER", "STATUS", "BEGINS", "ENDS", "PAID", "GOOD FOR")
		for i, l := range shown {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", command.Clean(l.ID), command.Clean(l.Buyer), l.Status, command.Day(&l.Begins), command.Day(l.Ends), command.OrElse(l.Paid, "-"), goodFor(all[i].Scope))
		}
		return table.Flush()
	})
}

type subscriptionAdd struct {
	command.ConfigFlags
	licenceFlags
	Currency string   `placeholder:"CODE" help:"In which currency spend_cents are counted, like USD. It needs one that has such a quota."`
	Quota    []string `placeholder:"UNIT=LIMIT/PERIOD" help:"What it gives in each period, such as accesses=1000/1mo, tokens=5000000/1mo, spend_cents=10000/1mo or burst=10/1m; may be repeated."`
}

// Help is the command's example.
func (subscriptionAdd) Help() string {
	return "Under a subscription nothing is charged. Without quotas it has no bounds; without a period, a quota is for the whole time.\n\n" +
		"Example:\n\n\tfrontdesk ramp subscription add sub-acme 'buyer.example.com/*' --label finance.markets --quota accesses=1000/1mo --quota burst=10/1m"
}

// Run adds a subscription.
func (c subscriptionAdd) Run(env *command.Environment) error {
	var rows []accounts.QuotaSetting
	for _, text := range c.Quota {
		row, err := parseQuota(text)
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	if err := changeAccounts(env, c.ConfigFlags, func(book *accounts.Ledger, tx *store.Tx, now time.Time) error {
		err := book.AddSubscription(env.Ctx, tx, c.licence(now), c.Currency, now)
		for _, row := range rows {
			if err == nil {
				err = book.SetQuota(env.Ctx, tx, c.ID, row, now)
			}
		}
		return err
	}); err != nil {
		return err
	}
	env.Print("%s has the subscription %s.\n", command.Clean(c.Buyer), command.Clean(c.ID))
	return nil
}

type subscriptionQuota struct {
	licenceID
	Quota string `arg:"" name:"unit=limit/period" help:"Such as accesses=1000/1mo, or accesses=1000 for the whole time."`
	Anew  bool   `help:"Forget what was used of it."`
}

// Help is the command's example.
func (subscriptionQuota) Help() string {
	return "What was used stays, unless --anew forgets it. A period counts from when the quota was first set, or its period changed.\n\n" +
		"Example:\n\n\tfrontdesk ramp subscription quota sub-acme accesses=2000/1mo"
}

// Run sets a quota.
func (c subscriptionQuota) Run(env *command.Environment) error {
	row, err := parseQuota(c.Quota)
	if err != nil {
		return err
	}
	row.Restart = c.Anew
	if err := changeAccounts(env, c.ConfigFlags, func(book *accounts.Ledger, tx *store.Tx, now time.Time) error {
		return book.SetQuota(env.Ctx, tx, c.ID, row, now)
	}); err != nil {
		return err
	}
	env.Print("The quota of %s is set.\n", command.Clean(c.ID))
	return nil
}

type subscriptionList struct {
	command.ConfigFlags
	Buyer string `arg:"" optional:"" help:"Only the subscriptions of this buyer."`
	JSON  bool   `name:"json" help:"Print a JSON array."`
}

// Run lists the subscriptions.
func (c subscriptionList) Run(env *command.Environment) error {
	return readAccounts(env, c.ConfigFlags, func(house *server.House) error {
		all, err := house.ReadAccounts.Subscriptions(env.Ctx, c.Buyer, time.Now())
		if err != nil {
			return err
		}
		shown := []shownLicence{}
		for _, s := range all {
			shown = append(shown, showLicence(s))
		}
		switch {
		case c.JSON:
			return command.PrintJSON(env, shown)
		case len(shown) == 0:
			env.Print("There are no subscriptions. Give one with `frontdesk ramp subscription add ID BUYER`.\n")
			return nil
		}
		table := env.Table("ID", "BUYER", "STATUS", "BEGINS", "ENDS", "LEFT", "GOOD FOR")
		for i, s := range shown {
			var left []string
			for _, q := range s.Quotas {
				left = append(left, fmt.Sprintf("%d of %d %s", q.Left, q.Limit, q.Unit))
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", command.Clean(s.ID), command.Clean(s.Buyer), s.Status, command.Day(&s.Begins), command.Day(s.Ends),
				command.OrElse(strings.Join(left, ", "), "no bounds"), goodFor(all[i].Scope))
		}
		return table.Flush()
	})
}
