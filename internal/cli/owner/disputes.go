package owner

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/app/server"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/operator/api"
	"frontdesk/internal/policy"
)

// Disputes has the commands by which the operator sees and decides disputes.
type Disputes struct {
	List   disputesList   `cmd:"" help:"List disputes, the newest first."`
	Show   disputesShow   `cmd:"" help:"Show a dispute, with every step and what was consulted for it."`
	Decide disputesDecide `cmd:"" help:"Decide a dispute that is not decided."`
	Erase  disputesErase  `cmd:"" help:"Forget what the buyer wrote of a dispute."`
}

type disputesList struct {
	command.ConfigFlags
	Buyer  string    `placeholder:"DOMAIN/ID" help:"Only what this requester disputes."`
	Site   string    `placeholder:"ID" help:"Only of this site."`
	Status string    `placeholder:"STATUS" help:"Only in this status, such as escalated."`
	Open   bool      `help:"Only those that are not decided."`
	Since  time.Time `placeholder:"TIME" help:"Only those filed at this time (RFC 3339) or later."`
	Limit  int       `default:"50" placeholder:"NUMBER" help:"How many at most (${default})."`
	JSON   bool      `name:"json" help:"As lines of JSON."`
}

// Help is the command's example.
func (disputesList) Help() string {
	return "Example:\n\n\tfrontdesk ramp disputes list --status escalated"
}

// Run lists disputes.
func (c disputesList) Run(env *command.Environment) error {
	if c.Status != "" && !slices.Contains(disputes.Statuses, disputes.Status(c.Status)) {
		return command.Usage("--status %s is none; write one of %s", c.Status, strings.Trim(fmt.Sprint(disputes.Statuses), "[]"))
	}
	return readAccounts(env, c.ConfigFlags, func(house *server.House) error {
		all, err := house.ReadDisputes().Disputes(env.Ctx, disputes.Filter{
			Buyer: c.Buyer, Site: c.Site, Status: disputes.Status(c.Status), Open: c.Open, Since: c.Since, Limit: c.Limit,
		})
		if err != nil {
			return err
		}
		if c.JSON {
			for _, one := range all {
				if err := json.NewEncoder(env.Stdout).Encode(api.ShowDispute(one, nil)); err != nil {
					return err
				}
			}
			return nil
		}
		if len(all) == 0 {
			env.Print("There are no such disputes.\n")
			return nil
		}
		table := env.Table("DISPUTE", "FILED", "BUYER", "REASON", "STATUS", "RESOLUTION", "RULE", "TRANSACTION")
		for _, one := range all {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", one.ID, one.Filed.Format(time.DateTime), command.Clean(one.Buyer), one.Reason, one.Status, one.Resolution, one.Rule, one.Transaction)
		}
		return table.Flush()
	})
}

type disputesShow struct {
	command.ConfigFlags
	ID string `arg:"" name:"id" help:"The id of the dispute, or of its transaction."`
}

// Run shows a dispute.
func (c disputesShow) Run(env *command.Environment) error {
	return readAccounts(env, c.ConfigFlags, func(house *server.House) error {
		one, steps, ok, err := house.ReadDisputes().Dispute(env.Ctx, c.ID)
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("there is no dispute %s; frontdesk ramp disputes list shows them", command.Clean(c.ID))
		}
		out := json.NewEncoder(env.Stdout)
		out.SetIndent("", "  ")
		return out.Encode(api.ShowDispute(one, steps))
	})
}

type disputesDecide struct {
	command.ConfigFlags
	ID         string `arg:"" name:"id" help:"The id of the dispute."`
	Resolution string `arg:"" enum:"credit,redelivery,rejected,investigation" help:"credit, redelivery, rejected, or investigation to look into it further."`
	Amount     string `placeholder:"AMOUNT" help:"Of a credit: how much is given back, like 0.05. Without it, all that was charged."`
	By         string `default:"operator" placeholder:"NAME" help:"Who decides, as the ledger tells it (${default})."`
	Note       string `placeholder:"TEXT" help:"Why, for people here: it is shown with the dispute, and is not in the ledger."`
}

// Help is the command's example.
func (disputesDecide) Help() string {
	return "What is given back is on the buyer's account at once; where it is all of it, nothing is fetched any more under the transaction. A decision is made once, and stands.\n\n" +
		"Examples:\n\n\tfrontdesk ramp disputes decide dsp-01HZY3 rejected\n\tfrontdesk ramp disputes decide dsp-01HZY3 credit --amount 0.05"
}

// Run decides a dispute.
func (c disputesDecide) Run(env *command.Environment) error {
	var amount int64
	if c.Amount != "" {
		var err error
		if amount, err = command.ParseMoney(c.Amount); err != nil {
			return err
		}
	}
	house, _, err := command.OpenKeys(env, c.ConfigFlags, true)
	if err != nil {
		return err
	}
	defer house.Close()
	one, err := house.Cases.DecideDispute(env.Ctx, exchange.Decision{Dispute: c.ID, Resolution: disputes.Resolution(c.Resolution), Amount: amount, By: c.By, Note: c.Note})
	if err != nil {
		return err
	}
	env.Print("%s is %s: %s", one.ID, one.Status, one.Resolution)
	if one.Resolution == disputes.Credit && one.Currency != "" {
		env.Print(" of %s %s", policy.Amount(one.Credit), one.Currency)
	}
	env.Print(".\n")
	return nil
}

type disputesErase struct {
	command.ConfigFlags
	ID string `arg:"" name:"id" help:"The id of the dispute."`
}

// Run forgets what was written.
func (c disputesErase) Run(env *command.Environment) error {
	house, _, err := command.OpenKeys(env, c.ConfigFlags, true)
	if err != nil {
		return err
	}
	defer house.Close()
	if err := house.Cases.EraseDispute(env.Ctx, c.ID); err != nil {
		return err
	}
	env.Print("What was written of %s is forgotten.\n", command.Clean(c.ID))
	return nil
}
