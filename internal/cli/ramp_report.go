package cli

import (
	"time"

	"frontdesk/internal/account"
	"frontdesk/internal/server"
)

type rampReportCommands struct {
	Use     reportUse     `cmd:"" default:"withargs" help:"As a buyer: report how something bought was used."`
	Revenue reportRevenue `cmd:"" help:"What sites earned, by day and buyer."`
	Invoice reportInvoice `cmd:"" help:"What was charged to a buyer, purchase by purchase."`
}

type reportRevenue struct {
	configFlags
	Site   string    `placeholder:"ID" help:"Only of this site."`
	Since  time.Time `placeholder:"TIME" help:"Only days that begin at this time (RFC 3339) or later."`
	Until  time.Time `placeholder:"TIME" help:"Only days that begin before this time."`
	Format string    `enum:"csv,jsonl" default:"csv" help:"csv for a spreadsheet, jsonl for lines of JSON (${default})."`
}

// Help is the command's example.
func (reportRevenue) Help() string {
	return "Days are those of UTC. What is taken back counts, below 0, on the day on which it was.\n\n" +
		"Example:\n\n\tfrontdesk ramp report revenue --since 2027-01-01T00:00:00Z --until 2027-02-01T00:00:00Z > january.csv"
}

// Run writes what sites earned.
func (c reportRevenue) Run(env *environment) error {
	return readAccounts(env, c.configFlags, func(house *server.House) error {
		all, err := house.ReadAccounts.Earnings(env.ctx, c.Site, c.Since, c.Until)
		if err != nil {
			return err
		}
		return account.WriteEarnings(env.stdout, c.Format, all)
	})
}

type reportInvoice struct {
	accountFlags
	Since  time.Time `required:"" placeholder:"TIME" help:"What was charged at this time (RFC 3339) or later."`
	Until  time.Time `placeholder:"TIME" help:"What was charged before this time. Without it, until now."`
	Format string    `enum:"csv,jsonl" default:"csv" help:"csv for a spreadsheet, jsonl for lines of JSON (${default})."`
}

// Help is the command's example.
func (reportInvoice) Help() string {
	return "What was taken back of a charge is a line of its own, below 0.\n\n" +
		"Example:\n\n\tfrontdesk ramp report invoice buyer.example.com/research-bot USD --since 2027-01-01T00:00:00Z --until 2027-02-01T00:00:00Z"
}

// Run writes an invoice.
func (c reportInvoice) Run(env *environment) error {
	until := c.Until
	if until.IsZero() {
		until = time.Now()
	}
	return readAccounts(env, c.configFlags, func(house *server.House) error {
		all, err := house.ReadAccounts.Invoice(env.ctx, c.Buyer, c.Currency, c.Since, until)
		if err != nil {
			return err
		}
		return account.WriteInvoice(env.stdout, c.Format, all)
	})
}
