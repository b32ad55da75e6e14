package owner

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"frontdesk/internal/app"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/operator/receipts"
)

// Ledger has the commands for the ledger.
type Ledger struct {
	Show   ledgerShow                `cmd:"" help:"Say how the ledger stands, and print its entries."`
	Export ledgerExport              `cmd:"" help:"Write the whole ledger, for others to verify."`
	Audit  ledgerAudit               `cmd:"" help:"Derive the ledger anew from its entries, and name whatever was changed."`
	Share  of[receipts.ShareReceipt] `cmd:"" help:"Make a link to a receipt of your own, for whoever has it."`
	Resume ledgerResume              `cmd:"" help:"Continue a ledger after a restore, or after the loss of signed entries."`
}

// openLedger opens the program with the ledger; nil where there is no database yet.
func openLedger(env *command.Environment, flags command.ConfigFlags) (*app.App, error) {
	loaded, err := flags.Load(env, nil)
	if err != nil {
		return nil, err
	}
	return openLedgerOf(env, loaded.Config)
}

// openLedgerOf is openLedger for a configuration that was read.
func openLedgerOf(env *command.Environment, config app.Config) (*app.App, error) {
	if command.NeedContent(config) != nil {
		return nil, nil
	}
	program, err := command.Open(env, config, true)
	if err != nil {
		return nil, err
	}
	return program, nil
}

type ledgerShow struct {
	command.ConfigFlags
	ID      string    `arg:"" optional:"" help:"The id of an entry, to print its receipt."`
	Site    string    `placeholder:"ID" help:"Only entries of this site."`
	Kind    string    `placeholder:"KIND" help:"Only entries of this kind, such as access or citation."`
	Party   string    `placeholder:"PARTY" help:"Only entries of this party."`
	Subject string    `placeholder:"TEXT" help:"Only entries of this subject."`
	Request string    `placeholder:"ID" help:"Only entries of this request."`
	Since   time.Time `placeholder:"TIME" help:"Only what happened at this time (RFC 3339) or later."`
	Until   time.Time `placeholder:"TIME" help:"Only what happened before this time."`
	Limit   int       `default:"20" placeholder:"N" help:"How many entries at most, the newest first; 0 for all."`
	JSON    bool      `help:"Print lines of JSON, each an index and an entry."`
}

// Help is the command's example.
func (ledgerShow) Help() string {
	return "Examples:\n\n\tfrontdesk ledger show\n" +
		"\tfrontdesk ledger show --kind access --party platform:example --since 2026-11-01T00:00:00Z\n" +
		"\tfrontdesk ledger show 0193a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b > receipt.json"
}

// Run prints entries, or a receipt.
func (c ledgerShow) Run(env *command.Environment) error {
	program, err := openLedger(env, c.ConfigFlags)
	if err != nil {
		return err
	}
	if program == nil {
		env.Print("There is no ledger yet.\n")
		return nil
	}
	defer program.Close()
	if c.ID != "" {
		given, err := program.Ledger.Receipt(env.Ctx, c.ID)
		if err != nil {
			return err
		}
		return json.NewEncoder(env.Stdout).Encode(given)
	}
	filter := ledger.Filter{
		Site: c.Site, Kind: c.Kind, Party: c.Party, Subject: c.Subject, Request: c.Request, Since: c.Since,
		Until: c.Until, Newest: true, Limit: c.Limit,
	}
	if c.JSON {
		return c.lines(env, program, filter)
	}
	return c.table(env, program, filter)
}

func (c ledgerShow) lines(env *command.Environment, program *app.App, filter ledger.Filter) error {
	for r, err := range program.Ledger.Read(env.Ctx, filter) {
		if err != nil {
			return err
		}
		env.Print("{\"index\":%d,\"entry\":%s}\n", r.Index, r.Leaf)
	}
	return nil
}

func (c ledgerShow) table(env *command.Environment, program *app.App, filter ledger.Filter) error {
	head, err := program.Ledger.Head(env.Ctx)
	if err != nil {
		return err
	}
	if head.Origin == "" {
		env.Print("There is no ledger yet.\n")
	} else {
		env.Print("%s: %d entries, signed %s with %s\nroot %s\n", head.Origin, head.Size,
			head.Signed.Format(time.RFC3339), strings.Join(head.Keys, " and "), head.Root)
	}
	if head.Waiting > 0 {
		env.Print("%d entries wait for their places; a server gives them.\n", head.Waiting)
	}
	if head.Size == 0 {
		return nil
	}
	table := tabwriter.NewWriter(env.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\nINDEX\tTIME\tKIND\tPARTY\tSUBJECT\tID")
	for r, err := range program.Ledger.Read(env.Ctx, filter) {
		if err != nil {
			return err
		}
		e := r.Entry
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%s\n", r.Index, e.Time.Format(time.RFC3339), e.Kind,
			command.OrElse(command.Clean(e.Party), "-"), command.OrElse(command.Clean(e.Subject), "-"), e.ID)
	}
	return table.Flush()
}

type ledgerExport struct {
	command.ConfigFlags
	Format string `default:"jsonl" enum:"jsonl,csv" help:"jsonl, which frontdesk verify verifies, or csv."`
	Output string `short:"o" placeholder:"FILE" help:"The file to write; standard output without it."`
}

// Help is the command's example.
func (ledgerExport) Help() string {
	return "The export holds every entry up to the latest checkpoint, and that checkpoint. " +
		"A server may run meanwhile.\n\n" +
		"Examples:\n\n\tfrontdesk ledger export -o ledger.jsonl\n\tfrontdesk ledger export --format csv > ledger.csv"
}

// Run writes the export.
func (c ledgerExport) Run(env *command.Environment) error {
	program, err := openLedger(env, c.ConfigFlags)
	if err != nil {
		return err
	}
	if program == nil {
		return fail.New(fail.NotFound, "there is no ledger yet")
	}
	defer program.Close()
	out := env.Stdout
	var file *os.File
	if c.Output != "" {
		if file, err = os.OpenFile(c.Output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
			return fmt.Errorf("%w; name a file that is not there yet", err)
		}
		out = file
	}
	n, err := program.Ledger.Export(env.Ctx, out, c.Format)
	if file != nil {
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(env.Stderr, "Wrote %d entries.\n", n)
	return nil
}

type ledgerAudit struct {
	command.ConfigFlags
	JSON bool `help:"Print a JSON object."`
}

// Help is the command's example.
func (ledgerAudit) Help() string {
	return "Every leaf is hashed again, every tile of the tree is built again, " +
		"and both are compared with the stored and the signed ones. " +
		"The server may keep running. The exit code is 1 if anything is wrong.\n\nExample:\n\n\tfrontdesk ledger audit"
}

// Run checks the ledger.
func (c ledgerAudit) Run(env *command.Environment) error {
	program, err := openLedger(env, c.ConfigFlags)
	if err != nil {
		return err
	}
	var report ledger.Report
	if program != nil {
		defer program.Close()
		if report, err = program.Ledger.Check(env.Ctx); err != nil {
			return err
		}
	}
	if c.JSON {
		if report.Findings == nil {
			report.Findings = []ledger.Finding{}
		}
		if err := json.NewEncoder(env.Stdout).Encode(report); err != nil {
			return err
		}
	} else {
		c.print(env, report)
	}
	if len(report.Findings) > 0 {
		return command.ErrTold
	}
	return nil
}

func (c ledgerAudit) print(env *command.Environment, report ledger.Report) {
	for _, f := range report.Findings {
		env.Print("%s: %s\n", f.Where, f.Problem)
	}
	switch {
	case len(report.Findings) > 0:
		env.Print("The ledger is not as it was signed: %d finding(s) in %d entries and %d tiles.\n",
			len(report.Findings), report.Entries, report.Tiles)
	case report.Origin == "":
		env.Print("There is no ledger yet.\n")
	default:
		env.Print("%s is sound: %d entries, %d tiles and the checkpoint fit together.\n", report.Origin, report.Entries,
			report.Tiles)
	}
	if report.Waiting > 0 {
		env.Print("%d entries wait for their places; a server gives them.\n", report.Waiting)
	}
}

type ledgerResume struct {
	command.ConfigFlags
	Complete bool   `xor:"how" help:"Nothing was signed after the backup was made: go on under the same name."`
	Name     string `xor:"how" placeholder:"NAME" help:"The new name; without it, the old one with the time behind it."`
}

// Help is the command's example.
func (ledgerResume) Help() string {
	return "A restored database may be older than the receipts that were signed from it. A server that simply " +
		"continued would sign a second history under the same name, " +
		"and every holder of a receipt could prove it. " +
		"So the server does not start until its owner says how the ledger continues: " +
		"under a new name with all its entries or, if nothing was signed since the backup, " +
		"under its own name. Receipts stay valid. " +
		"The command is also for a damaged end of SQLite's write-ahead log: " +
		"it leaves out everything after the damage, and keeps the log beside the database. " +
		"Use --complete only if you ended the server before the backup and have not started it since.\n\n" +
		"Examples:\n\n\tfrontdesk ledger resume\n\tfrontdesk ledger resume --name www.example.com/ledger/second\n" +
		"\tfrontdesk ledger resume --complete"
}

// Run has the ledger go on.
func (c ledgerResume) Run(env *command.Environment) error {
	loaded, err := c.Load(env, nil)
	if err != nil {
		return err
	}
	kept, err := store.RepairLog(env.Ctx, loaded.Config.Database(nil))
	if err != nil {
		return err
	}
	if kept != "" {
		env.Print("The database goes on with what stands before the damage in its write-ahead log. "+
			"The log as it was is %s: delete it when nobody needs it any more.\n", kept)
	}
	program, err := openLedgerOf(env, loaded.Config)
	if err != nil {
		return err
	}
	if program == nil {
		return fail.New(fail.NotFound, "there is no ledger yet")
	}
	defer program.Close()
	head, err := program.Ledger.Resume(env.Ctx, ledger.Resumption{Complete: c.Complete, Name: c.Name})
	if err != nil {
		return err
	}
	env.Print("The ledger goes on as %s, with %d entries. `frontdesk serve` serves it.\n", head.Origin, head.Size)
	return nil
}
