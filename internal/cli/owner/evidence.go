package owner

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"frontdesk/internal/app"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/licensing/disputes/accesslog"
)

// Evidence has the commands for logs of deliveries.
type Evidence struct {
	Import evidenceImport `cmd:"" help:"Keep what the logs of a CDN or a web server say of deliveries."`
	Show   evidenceShow   `cmd:"" help:"Say what was answered under a transaction, by all who have recorded it."`
}

type evidenceImport struct {
	command.ConfigFlags
	Files  []string `arg:"" name:"file" help:"The logs, as they are or packed by gzip; - is standard input."`
	Form   string   `enum:"auto,frontdesk,cloudfront,akamai,fastly,cloudflare,combined" default:"auto" help:"How their lines are written: ${enum} (${default})."`
	Fields string   `placeholder:"NAMES" help:"The columns of lines with values alone, with commas between; without it, as the log's #Fields says, or Akamai's usual ones."`
	By     string   `placeholder:"NAME" help:"Under which name the lines are kept, such as that of the distribution; without it, the form's."`
	Site   string   `placeholder:"ID" help:"Keep only lines of this site's transactions."`
}

// Help says what is kept.
func (evidenceImport) Help() string {
	return "Of a line there is kept which transaction its address names, when, what was answered, " +
		"how many bytes were sent, and what the cache did; never the signed address, and nothing of who fetched it. " +
		"Lines that name no transaction are counted. A line counts once: an import that was " +
		"broken off is done again.\n\n" +
		"Examples:\n\n\tfrontdesk ramp evidence import E2EXAMPLE.2027-01-31-12.*.gz\n" +
		"\tzcat access.log.*.gz | frontdesk ramp evidence import --form combined --by nginx-1 -"
}

// Run imports logs, one after the other.
func (c evidenceImport) Run(env *command.Environment) error {
	program, _, err := command.OpenKeys(env, c.ConfigFlags, true)
	if err != nil {
		return err
	}
	defer program.Close()
	log := accesslog.Source{Form: accesslog.Form(c.Form),
		Fields: strings.FieldsFunc(c.Fields, func(r rune) bool { return r == ',' || r == ' ' }), By: c.By, Site: c.Site}
	for _, name := range c.Files {
		if err := importLog(env, program, log, name); err != nil {
			return fmt.Errorf("%s: %w", command.Clean(name), err)
		}
	}
	return nil
}

func importLog(env *command.Environment, program *app.App, log accesslog.Source, name string) error {
	in, err := command.OpenInput(env, name)
	if err != nil {
		return err
	}
	defer in.Close()
	told, err := program.ImportLog(env.Ctx, io.Reader(in), log)
	if told.Lines > 0 || err == nil {
		env.Print("%s", foundText(name, told))
	}
	return err
}

// foundText tells what an import found.
func foundText(name string, told accesslog.ImportResult) string {
	text := fmt.Sprintf("%s (%s): %d lines, %d kept, %d kept before", command.Clean(name), told.Form, told.Lines,
		told.Added, told.Duplicates)
	for _, n := range []struct {
		count int64
		words string
	}{
		{told.Stray, "of those kept are of no transaction that is known"}, {told.Unlicensed, "name no transaction"},
		{told.Refused, "were refused, under no transaction that is known"}, {told.Other, "are no GET"},
		{told.Elsewhere, "are of other sites"}, {told.Unreadable, "cannot be read"},
	} {
		if n.count > 0 {
			text += fmt.Sprintf("\n\t%d %s", n.count, n.words)
		}
	}
	for _, f := range told.Faults {
		text += fmt.Sprintf("\n\tline %d: %s", f.Line, f.Reason)
	}
	return text + "\n"
}

type evidenceShow struct {
	command.ConfigFlags
	Transaction string `arg:"" help:"The id of the transaction."`
	JSON        bool   `help:"Print lines of JSON."`
}

// Help is the command's example.
func (evidenceShow) Help() string {
	return "The oldest first: what this front desk and its edges recorded, and what imported logs say. " +
		"The same answer may stand there twice, by an edge and by a log.\n\n" +
		"Example:\n\n\tfrontdesk ramp evidence show txn-01M2ZK8T4D5Q7R9V1W3X5Y7Z9A"
}

// toldAnswer is an answer as it is printed.
type toldAnswer struct {
	Time   string `json:"time"`
	Source string `json:"source"` // "own", or the kind and a name
	Status int    `json:"status"`
	Bytes  int64  `json:"bytes"`
	AtMost bool   `json:"at_most,omitempty"` // Bytes is the most that it can have been
	State  string `json:"state,omitempty"`   // "open" or "cut"
	Cache  string `json:"cache,omitempty"`
	Place  string `json:"place,omitempty"`
}

// Run prints what was answered.
func (c evidenceShow) Run(env *command.Environment) error {
	return readAccounts(env, c.ConfigFlags, func(program *app.App) error {
		all, err := program.ReadEvidence.OfTransaction(env.Ctx, c.Transaction)
		if err != nil {
			return err
		}
		if len(all) == 0 && !c.JSON {
			env.Print("Nobody has recorded anything under this transaction.\n")
		}
		for _, a := range all {
			told := toldAnswer{Time: a.At.Format(time.RFC3339Nano),
				Source: strings.TrimSpace(string(a.Kind) + " " + a.By), Status: a.Status, Bytes: a.Bytes,
				AtMost: a.Bound, Cache: a.Cache, Place: a.Place}
			if a.Open {
				told.State = "open"
			} else if a.Cut {
				told.State = "cut"
			}
			if c.JSON {
				if err := json.NewEncoder(env.Stdout).Encode(told); err != nil {
					return err
				}
				continue
			}
			most := ""
			if told.AtMost {
				most = "at most "
			}
			env.Print("%s  %-20s  %3d  %s%d bytes  %s %s %s\n", told.Time, command.Clean(told.Source), told.Status,
				most, told.Bytes, told.State, command.Clean(told.Cache), command.Clean(told.Place))
		}
		return nil
	})
}
