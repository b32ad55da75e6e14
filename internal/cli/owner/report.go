package owner

import (
	"errors"
	"time"

	"frontdesk/internal/app"
	"frontdesk/internal/cli/agent"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/licensing/reports"
)

// Reports has the commands for reports.
type Reports struct {
	Use          agent.ReportUse    `cmd:"" default:"withargs" help:"As a buyer: report how something bought was used."`
	Revenue      reportRevenue      `cmd:"" aliases:"provider-revenue" help:"What sites earned, by day and buyer."`
	Pages        reportPages        `cmd:"" help:"What was bought of each page, and charged for it."`
	Invoice      reportInvoice      `cmd:"" aliases:"buyer-invoice" help:"What was charged to a buyer, purchase by purchase."`
	Compliance   reportCompliance   `cmd:"" aliases:"compliance-status" help:"What buyers had to report of their use, and whether they did."`
	Transactions reportTransactions `cmd:"" aliases:"transaction-detail" help:"Every purchase, with what was charged, delivered and reported."`
	Citations    reportCitations    `cmd:"" help:"Where your items were named as the source, as buyers report it."`
	Leakage      reportLeakage      `cmd:"" aliases:"leakage-check" help:"What was delivered without being bought, and bought without being delivered."`

	Reconciliation     reportReconciliation     `cmd:"" help:"Where deliveries, purchases and reports contradict one another, and why."`
	ReconciliationDays reportReconciliationDays `cmd:"" help:"How often they do, by day and site."`
}

// formFlags say in which form a report is.
type formFlags struct {
	command.ConfigFlags
	Format string `enum:"csv,jsonl,json" default:"csv" help:"csv for a spreadsheet, jsonl for lines of JSON, json for one object (${default})."`
}

// write writes a report.
func (c formFlags) write(env *command.Environment, want reports.Request) error {
	want.Form = c.Format
	return readAccounts(env, c.ConfigFlags, func(program *app.App) error {
		err := program.Reports().Write(env.Ctx, env.Stdout, want)
		if err != nil && env.Ctx.Err() != nil {
			return errors.New("the report was cut short; what there is of it is not whole")
		}
		return err
	})
}

type reportRevenue struct {
	formFlags
	Site  string    `placeholder:"ID" help:"Only of this site."`
	Since time.Time `placeholder:"TIME" help:"Only days that begin at this time (RFC 3339) or later."`
	Until time.Time `placeholder:"TIME" help:"Only days that begin before this time."`
}

// Help is the command's example.
func (reportRevenue) Help() string {
	return "Days are those of UTC. What is taken back counts, below 0, on the day on which it was.\n\n" +
		"Example:\n\n" +
		"\tfrontdesk ramp report revenue --since 2027-01-01T00:00:00Z --until 2027-02-01T00:00:00Z > january.csv"
}

// Run writes what sites earned.
func (c reportRevenue) Run(env *command.Environment) error {
	return c.write(env, reports.Request{Report: reports.Revenue, Site: c.Site, Since: c.Since, Until: c.Until})
}

type reportPages struct {
	formFlags
	Site  string    `placeholder:"ID" help:"Only of this site."`
	Since time.Time `placeholder:"TIME" help:"Only purchases at this time (RFC 3339) or later."`
	Until time.Time `placeholder:"TIME" help:"Only purchases before this time."`
}

// Help is the command's example.
func (reportPages) Help() string {
	return "One row for each page, site and currency, those with the most first. " +
		"Purchases that were taken back do not " +
		"count; what is not yet reported is not yet charged.\n\n" +
		"Example:\n\n" +
		"\tfrontdesk ramp report pages --since 2027-01-01T00:00:00Z --until 2027-02-01T00:00:00Z > pages.csv"
}

// Run writes what was bought of each page.
func (c reportPages) Run(env *command.Environment) error {
	return c.write(env, reports.Request{Report: reports.Pages, Site: c.Site, Since: c.Since, Until: c.Until})
}

type reportInvoice struct {
	formFlags
	Buyer    string    `arg:"" help:"Whose account it is: DOMAIN/ID, or DOMAIN/*."`
	Currency string    `arg:"" help:"The account's currency, like USD."`
	Since    time.Time `required:"" placeholder:"TIME" help:"What was charged at this time (RFC 3339) or later."`
	Until    time.Time `placeholder:"TIME" help:"What was charged before this time. Without it, until now."`
}

// Help is the command's example.
func (reportInvoice) Help() string {
	return "What was taken back of a charge is a line of its own, below 0.\n\n" +
		"Example:\n\n\tfrontdesk ramp report invoice buyer.example.com/research-bot USD " +
		"--since 2027-01-01T00:00:00Z --until 2027-02-01T00:00:00Z"
}

// Run writes an invoice.
func (c reportInvoice) Run(env *command.Environment) error {
	return c.write(env,
		reports.Request{Report: reports.Invoice, Buyer: c.Buyer, Currency: c.Currency, Since: c.Since, Until: c.Until})
}

type reportCompliance struct {
	formFlags
	Since time.Time `placeholder:"TIME" help:"Only of purchases that were made at this time (RFC 3339) or later."`
	Until time.Time `placeholder:"TIME" help:"Only of purchases that were made before this time."`
}

// Help says what is counted.
func (reportCompliance) Help() string {
	return "One row for each buyer: how many reports came in time, late, or are overdue, " +
		"and how many were further off the estimate than ramp.accounts.tolerance allows. " +
		"The two are not the same: who is punctual may still be far off.\n\nExample:\n\n" +
		"\tfrontdesk ramp report compliance --since 2027-01-01T00:00:00Z"
}

// Run writes who reports.
func (c reportCompliance) Run(env *command.Environment) error {
	return c.write(env, reports.Request{Report: reports.Compliance, Since: c.Since, Until: c.Until})
}

// purchaseFlags choose the purchases of a report.
type purchaseFlags struct {
	formFlags
	Site  string    `placeholder:"ID" help:"Only of this site."`
	Buyer string    `placeholder:"DOMAIN/ID" help:"Only what this requester bought."`
	Since time.Time `placeholder:"TIME" help:"Only purchases at this time (RFC 3339) or later."`
	Until time.Time `placeholder:"TIME" help:"Only purchases before this time."`
}

// writeOf writes a report of them.
func (c purchaseFlags) writeOf(env *command.Environment, name string) error {
	return c.write(env, reports.Request{Report: name, Site: c.Site, Buyer: c.Buyer, Since: c.Since, Until: c.Until})
}

type reportTransactions struct{ purchaseFlags }

// Help says what a row has.
func (reportTransactions) Help() string {
	return "One row for each purchase, the oldest first: the offer, what was authorised and charged, " +
		"how often it was fetched, the use that was declared and reported, and its entry in the ledger. " +
		"No address that content was fetched from is in it.\n\nExample:\n\n" +
		"\tfrontdesk ramp report transactions --since 2027-01-01T00:00:00Z --format jsonl > january.jsonl"
}

// Run writes every transaction.
func (c reportTransactions) Run(env *command.Environment) error {
	return c.writeOf(env, reports.Transactions)
}

type reportCitations struct{ purchaseFlags }

// Help says what a row has.
func (reportCitations) Help() string {
	return "One row for each place at which a buyer named the source: the address that was shown, in which form, " +
		"whether people could see it, the item, its parts that were used, and when that was reported. " +
		"A report that says that the source was named and not where has a row without an address.\n\nExample:\n\n" +
		"\tfrontdesk ramp report citations --site main --since 2027-01-01T00:00:00Z"
}

// Run writes where items were cited.
func (c reportCitations) Run(env *command.Environment) error {
	return c.writeOf(env, reports.Citations)
}

type reportLeakage struct {
	formFlags
	Site  string        `placeholder:"ID" help:"Only of this site."`
	Since time.Time     `placeholder:"TIME" help:"Only what was delivered or bought at this time (RFC 3339) or later."`
	Until time.Time     `placeholder:"TIME" help:"Only what was delivered or bought before this time."`
	Grace time.Duration `default:"1h" placeholder:"SPAN" help:"Only what is at least so old (${default}): what was bought may be fetched for some minutes, and an edge tells later what it delivered."`
}

// Help says what a row has.
func (reportLeakage) Help() string {
	return "First the deliveries whose address named a transaction that is not known, " +
		"then the purchases under which nothing was delivered as far as anybody told, the oldest first each. " +
		"Of what a CDN delivers that tells nothing, every purchase is among them.\n\nExample:\n\n" +
		"\tfrontdesk ramp report leakage --since 2027-01-01T00:00:00Z"
}

// Run writes what leaked.
func (c reportLeakage) Run(env *command.Environment) error {
	return c.write(env,
		reports.Request{Report: reports.Leakage, Site: c.Site, Since: c.Since, Until: c.Until, Grace: c.Grace})
}

// reconciledFlags say which days are reconciled.
type reconciledFlags struct {
	formFlags
	Site  string        `placeholder:"ID" help:"Only of this site."`
	Since time.Time     `placeholder:"TIME" help:"Only days (UTC) that begin at this time (RFC 3339) or later."`
	Until time.Time     `placeholder:"TIME" help:"Only days that begin before this time."`
	Grace time.Duration `default:"48h" placeholder:"SPAN" help:"Only days that are over for so long (${default}): until then reports and logs may still come."`
}

type reportReconciliation struct{ reconciledFlags }

// Help says what a row has.
func (reportReconciliation) Help() string {
	return "One row for each difference: use that was reported of what nobody delivered, " +
		"a delivery that was reported as not used at all, and a delivery that nobody bought. " +
		"What a CDN delivers that tells of nothing on a day is not among them; " +
		"its logs are imported by `frontdesk ramp evidence import`. " +
		"No address that content was fetched from is in it.\n\nExample:\n\n" +
		"\tfrontdesk ramp report reconciliation --since 2027-01-01T00:00:00Z --format jsonl > differences.jsonl"
}

// Run writes the differences.
func (c reportReconciliation) Run(env *command.Environment) error {
	return c.write(env,
		reports.Request{Report: reports.Reconciliation, Site: c.Site, Since: c.Since, Until: c.Until, Grace: c.Grace})
}

type reportReconciliationDays struct{ reconciledFlags }

// Help says what a row has.
func (reportReconciliationDays) Help() string {
	return "One row for each day and site: the purchases that were compared with their deliveries and reports, " +
		"those of them that differ, and those without any record of a delivery. " +
		"If too many of a month's purchases differ, a site's disputes go to a person.\n\nExample:\n\n" +
		"\tfrontdesk ramp report reconciliation-days --since 2027-01-01T00:00:00Z"
}

// Run writes the figures.
func (c reportReconciliationDays) Run(env *command.Environment) error {
	return c.write(env,
		reports.Request{Report: reports.Days, Site: c.Site, Since: c.Since, Until: c.Until, Grace: c.Grace})
}
