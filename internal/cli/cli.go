// Package cli is frontdesk's command line. Each command is a struct: its fields are the flags, and
// its Run carries it out. The commands of agents, buyers and providers are in agent, those of
// owners in owner; here are those that serve, read content, check and measure.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"frontdesk/internal/cli/agent"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/cli/owner"
	"frontdesk/internal/infra/yamlconf"
)

// The exit codes.
const (
	exitOK      = 0
	exitFailure = 1 // the command was understood and could not be carried out
	exitUsage   = 2 // the command was not understood
)

// grammar is the command line. The order is that of the help.
type grammar struct {
	Demo     demoCommand    `cmd:"" group:"Begin" help:"Serve a sample site, with nothing prepared."`
	Serve    serveCommand   `cmd:"" group:"Begin" help:"Answer questions about your content."`
	Config   configCommands `cmd:"" group:"Begin" help:"Begin, check or show a configuration file."`
	Settings owner.Settings `cmd:"" group:"Begin" help:"Set what the file is silent about."`
	Docs     docsCommand    `cmd:"" group:"Begin" help:"Write this version's documentation as web pages."`
	Version  versionCommand `cmd:"" group:"Begin" help:"Print the version."`

	Completion completionCommand `cmd:"" group:"Begin" help:"Print completions for a shell."`
	Man        manCommand        `cmd:"" group:"Begin" help:"Print a manual page."`
	Upgrade    upgradeCommand    `cmd:"" group:"Begin" help:"Say whether there is a newer version."`

	Ingest    ingestCommand   `cmd:"" group:"Content and answers" help:"Read content into the database."`
	Sources   owner.Sources   `cmd:"" group:"Content and answers" help:"List the sources, with their last reading."`
	Content   owner.Content   `cmd:"" group:"Content and answers" help:"See items, what others see of them, and problems."`
	Questions owner.Questions `cmd:"" group:"Content and answers" help:"See what people and agents ask."`
	Tuning    owner.Tuning    `cmd:"" group:"Content and answers" help:"Mend answers."`
	Eval      evalCommand     `cmd:"" group:"Content and answers" help:"Measure answers by judged questions."`
	Model     modelCommands   `cmd:"" group:"Content and answers" help:"Look at files of word vectors."`

	Terms    owner.Terms          `cmd:"" group:"Terms and access" help:"See what the terms decide, and change them."`
	Licences owner.StatedLicences `cmd:"" group:"Terms and access" help:"See the licences that sites state."`
	Visitors owner.Visitors       `cmd:"" group:"Terms and access" help:"See which agents come; limit or block them."`
	Keys     owner.Keys           `cmd:"" group:"Terms and access" help:"Issue, rotate and revoke keys."`
	Console  owner.Console        `cmd:"" group:"Terms and access" help:"Let people into the console."`

	Ramp   rampCommands  `cmd:"" name:"ramp" group:"Sales (RAMP)" help:"Sell and buy licensed content."`
	Edge   edgeCommands  `cmd:"" group:"Sales (RAMP)" help:"Stand before a site's pages."`
	Broker brokerCommand `cmd:"" group:"Sales (RAMP)" help:"Buy for agents at several Exchanges."`

	Ask    agent.Ask      `cmd:"" group:"As an agent" help:"Ask a question."`
	Await  agent.Await    `cmd:"" group:"As an agent" help:"Get an answer that was promised, or cancel it."`
	Intent intentCommands `cmd:"" group:"As an agent" help:"Get passages, and cite them (Agentic Intent)."`
	Intake intakeCommands `cmd:"" group:"As an agent" help:"Submit requests, accept offers (Agent Intake)."`
	MCP    mcpCommand     `cmd:"" name:"mcp" group:"As an agent" help:"Serve one agent over standard input and output."`
	Check  checkCommand   `cmd:"" group:"As an agent" help:"Check anybody's server from outside."`

	Ledger  owner.Ledger  `cmd:"" group:"Books and backups" help:"Show, export and audit what happened."`
	Verify  verifyCommand `cmd:"" group:"Books and backups" help:"Check a receipt with nothing but the public key."`
	Backup  owner.Backup  `cmd:"" group:"Books and backups" help:"Write all that is kept into one file."`
	Restore owner.Restore `cmd:"" group:"Books and backups" help:"Put a backup in place."`
}

// grammarOf is the part of the grammar that a command line needs: to read the tags of all flags of
// all commands takes longer than most commands do.
func grammarOf(args []string) any {
	commands := reflect.VisibleFields(reflect.TypeFor[grammar]())
	place := func(name string) int {
		return slices.IndexFunc(commands, func(f reflect.StructField) bool { return strings.ToLower(f.Name) == name })
	}
	at := place(args[0])
	switch {
	case args[0] == "completion" || args[0] == "man": // they tell of all
		return &grammar{}
	case at >= 0:
		commands = commands[at : at+1]
	case !slices.ContainsFunc(args, func(arg string) bool { return place(arg) >= 0 }):
		// none is asked for: their names will do
		for i := range commands {
			commands[i].Type = reflect.TypeFor[struct{}]()
		}
	default:
		return &grammar{}
	}
	return reflect.New(reflect.StructOf(commands)).Interface()
}

const description = "Frontdesk gives a site a front desk for people's questions and for AI agents."

// overview prints all commands on one screen of 40 lines, and the help of one as kong does.
func overview(options kong.HelpOptions, ctx *kong.Context) error {
	if ctx.Selected() != nil {
		return kong.DefaultHelpPrinter(options, ctx)
	}
	text := "Usage: frontdesk <command>      Try it: frontdesk demo\n\n" + description + "\n\n"
	group := ""
	for _, one := range ctx.Model.Children {
		title := one.Group.Title
		if title == group {
			title = ""
		} else {
			group = title
		}
		text += strings.TrimRight(fmt.Sprintf("%-19s %-10s %s", title, one.Name, one.Help), " ") + "\n"
	}
	_, err := fmt.Fprint(ctx.Stdout, text+"\n\"frontdesk <command> --help\" says more of a command.\n")
	return err
}

// exited carries an exit code out of kong, which ends the process where it has printed help.
type exited int

// untilSignal gives a context that the first SIGINT or SIGTERM ends. The second does what it does
// by itself, however soon after the first it comes.
func untilSignal(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(parent)
	signals, over := make(chan os.Signal, 2), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		for range 2 {
			select {
			case <-over:
				return
			case again := <-signals:
				if ctx.Err() != nil {
					signal.Reset(again)
					if self, err := os.FindProcess(os.Getpid()); err != nil || self.Signal(again) != nil {
						os.Exit(1) // a system without signals to oneself
					}
					return
				}
				cancel()
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(over)
		cancel()
	}
}

// Main runs a command line and gives the exit code. SIGINT and SIGTERM end what runs in good order;
// a second one ends it at once.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	ctx, stop := untilSignal(ctx)
	defer stop()
	return run(&command.Environment{Ctx: ctx, Stdin: stdin, Stdout: stdout, Stderr: stderr, Env: os.Environ()}, args)
}

// run runs a command line, and gives the exit code.
func run(e *command.Environment, args []string) (code int) {
	defer func() {
		if broken := recover(); broken != nil {
			ended, ok := broken.(exited)
			if !ok {
				panic(broken)
			}
			code = int(ended)
		}
	}()
	switch {
	case len(args) == 0:
		args = []string{"--help"}
	case args[0] == "help": // as many other programs have it
		args = append(slices.Clone(args[1:]), "--help")
	}
	parser, err := kong.New(grammarOf(args),
		kong.Name("frontdesk"), kong.Description(description), kong.Writers(e.Stdout, e.Stderr), kong.Bind(e),
		kong.Vars{"overlap": owner.DefaultOverlap}, kong.Exit(func(code int) { panic(exited(code)) }),
		kong.Help(overview),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, WrapUpperBound: 100}))
	if err != nil {
		panic(err) // the grammar above is wrong
	}
	chosen, err := parser.Parse(args)
	if err != nil {
		return misused(e, err)
	}
	return report(e, chosen.Run(parser), chosen.Command())
}

// misused says what is wrong with a command line, and where to read what is right.
func misused(e *command.Environment, err error) int {
	where := ""
	var wrong *kong.ParseError
	if errors.As(err, &wrong) && wrong.Context != nil {
		if node := wrong.Context.Selected(); node != nil {
			where = " " + node.Path()
		}
	}
	fmt.Fprintf(e.Stderr, "frontdesk: %v\nRun `frontdesk%s --help` to see what is there.\n", err, where)
	return exitUsage
}

// report prints the error of a command, if there is one, and gives the exit code.
func report(e *command.Environment, err error, called string) int {
	var wrong command.UsageError
	var findings yamlconf.Findings
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, command.ErrTold):
	case errors.As(err, &wrong):
		fmt.Fprintf(e.Stderr, "frontdesk %s: %v\nRun `frontdesk %s --help` for an example.\n", verb(called), err,
			verb(called))
		return exitUsage
	case errors.As(err, &findings):
		fmt.Fprintln(e.Stderr, findings.Error())
	case e.Ctx.Err() != nil:
		fmt.Fprintln(e.Stderr, "frontdesk: stopped before the end")
	default:
		fmt.Fprintf(e.Stderr, "frontdesk: %s\n", command.Explained(err))
	}
	return exitFailure
}

// verb is the command without its arguments: "config check", not "config check <file>".
func verb(command string) string {
	words := strings.Fields(command)
	for i, word := range words {
		if strings.HasPrefix(word, "<") {
			words = words[:i]
			break
		}
	}
	return strings.Join(words, " ")
}
