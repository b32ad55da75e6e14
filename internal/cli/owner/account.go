package owner

import (
	"frontdesk/internal/app"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/operator"
)

// Accounts has the commands for the accounts from which buyers pay.
type Accounts struct {
	Open      of[operator.OpenAccount]    `cmd:"" help:"Open an account for a buyer."`
	Credit    of[operator.Credit]         `cmd:"" help:"Book what a buyer paid in."`
	Debit     of[operator.Debit]          `cmd:"" help:"Book a refund to a buyer, or correct a booking."`
	Expire    of[operator.Expire]         `cmd:"" help:"Let what a buyer paid in lapse, or a part of it."`
	Limit     of[operator.LimitAccount]   `cmd:"" help:"Say how far below nothing an account may go."`
	Suspend   of[operator.SuspendAccount] `cmd:"" help:"Let nothing be bought from an account, until it is resumed."`
	Resume    of[operator.ResumeAccount]  `cmd:"" help:"Let an account be bought from again."`
	List      of[operator.ListAccounts]   `cmd:"" help:"List the accounts with what stands on them."`
	Statement of[operator.Statement]      `cmd:"" help:"List the movements of an account."`
	Purchases of[operator.Purchases]      `cmd:"" help:"List the purchases of an account."`
	Check     accountCheck                `cmd:"" help:"Derive all balances and quotas anew, and name whatever does not hold."`
}

// Licenses has the commands for licences of buyers.
type Licenses struct {
	Add     of[operator.AddLicense]   `cmd:"" help:"Give a buyer a licence."`
	Suspend of[operator.SuspendGrant] `cmd:"" help:"Let a licence be good for nothing, until it is resumed."`
	Resume  of[operator.ResumeGrant]  `cmd:"" help:"Let a licence be good again."`
	End     of[operator.EndGrant]     `cmd:"" help:"End a licence for good."`
	List    of[operator.ListLicenses] `cmd:"" help:"List the licences."`
}

// Subscriptions has the commands for subscriptions of buyers.
type Subscriptions struct {
	Add     of[operator.AddSubscription]   `cmd:"" help:"Give a buyer a subscription."`
	Quota   of[operator.SetQuota]          `cmd:"" help:"Set a quota of a subscription."`
	Suspend of[operator.SuspendGrant]      `cmd:"" help:"Let a subscription be good for nothing, until it is resumed."`
	Resume  of[operator.ResumeGrant]       `cmd:"" help:"Let a subscription be good again."`
	End     of[operator.EndGrant]          `cmd:"" help:"End a subscription for good."`
	List    of[operator.ListSubscriptions] `cmd:"" help:"List the subscriptions, with the rest of their quotas."`
}

// readAccounts opens the program and has fn read the book.
func readAccounts(env *command.Environment, flags command.ConfigFlags, fn func(program *app.App) error) error {
	program, err := command.OpenOperator(env, flags, false, false)
	if err != nil {
		return err
	}
	defer program.Close()
	return fn(program.App)
}

type accountCheck struct {
	command.ConfigFlags
	JSON bool `name:"json" help:"Print a JSON array of what does not hold."`
}

// Run checks the book.
func (c accountCheck) Run(env *command.Environment) error {
	return readAccounts(env, c.ConfigFlags, func(program *app.App) error {
		found, err := program.CheckAccounts(env.Ctx)
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
