// Package cli is frontdesk's command line. Each command is a struct: its fields are the flags, and its Run carries it
// out. The commands of agents, buyers and providers are in agent, those by which an owner runs a front desk in owner;
// here are those that serve, read content, check and measure.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
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
	Demo      demoCommand          `cmd:"" help:"Serve a sample site, to try frontdesk with nothing prepared."`
	Serve     serveCommand         `cmd:"" help:"Answer questions about your content."`
	Edge      edgeCommands         `cmd:"" help:"Stand before sites: answer AI agents without a licence, and deliver what was bought."`
	Broker    brokerCommand        `cmd:"" help:"Buy licensed content for agents, at whichever Exchange offers it best (RAMP)."`
	Ingest    ingestCommand        `cmd:"" help:"Read content into the database."`
	Sources   owner.Sources        `cmd:"" help:"List the sources, how they stand, and when they are read next."`
	Content   owner.Content        `cmd:"" help:"See the items that were read, what others see of them, and what could not be used."`
	Licences  owner.StatedLicences `cmd:"" help:"Tell what was read of what sites state of the use of their addresses, and what is known of one address."`
	Ask       agent.Ask            `cmd:"" help:"Ask a question."`
	Await     agent.Await          `cmd:"" help:"Have an answer that was promised for later, or cancel it."`
	Intent    intentCommands       `cmd:"" help:"Ask publishers for passages, and tell them what was cited (Agentic Intent Protocol)."`
	Intake    intakeCommands       `cmd:"" help:"Submit to businesses and accept their offers; erase or export what was submitted here (Agent Intake Protocol)."`
	Ramp      rampCommands         `cmd:"" name:"ramp" help:"Sell licensed content: who may ask, accounts, licences, subscriptions, and what they brought (RAMP)."`
	Check     checkCommand         `cmd:"" help:"Look at anybody's publisher, business, provider or Exchange from outside, or at a document of theirs."`
	MCP       mcpCommand           `cmd:"" name:"mcp" help:"Serve one agent over standard input and output (MCP)."`
	Eval      evalCommand          `cmd:"" help:"Measure how well questions are answered, by judged questions."`
	Model     modelCommands        `cmd:"" help:"Look at files of word vectors."`
	Config    configCommands       `cmd:"" help:"Check, show or begin a configuration file."`
	Questions owner.Questions      `cmd:"" help:"See what people and agents ask."`
	Visitors  owner.Visitors       `cmd:"" help:"See which agents come; allow, limit or block them, or ask them for a key."`
	Tuning    owner.Tuning         `cmd:"" help:"Mend answers: what words mean, what comes first for a question, answers in your own words."`
	Terms     owner.Terms          `cmd:"" help:"See what the terms decide."`
	Keys      owner.Keys           `cmd:"" help:"Give out keys, rotate them, and take them back."`
	Console   owner.Console        `cmd:"" help:"Give people access to the owner's console."`
	Ledger    owner.Ledger         `cmd:"" help:"See what happened, export it, and check that nobody changed it."`
	Verify    verifyCommand        `cmd:"" help:"Check a receipt or an export of a ledger with nothing but the public key."`
	Backup    owner.Backup         `cmd:"" help:"Write all that is kept into one file, while the server runs."`
	Restore   owner.Restore        `cmd:"" help:"Put a backup in place."`
	Version   versionCommand       `cmd:"" help:"Print the version."`
}

const description = `Frontdesk gives a site a front desk for people's questions and for AI agents.

Try it: frontdesk demo`

// exited carries an exit code out of kong, which ends the process where it has printed help.
type exited int

// untilSignal gives a context that the first SIGINT or SIGTERM ends. The second does what it does by itself, however
// soon after the first it comes.
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

// Main runs a command line and gives the exit code. SIGINT and SIGTERM end what runs in good order; a second one
// ends it at once.
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
	parser, err := kong.New(&grammar{},
		kong.Name("frontdesk"), kong.Description(description), kong.Writers(e.Stdout, e.Stderr), kong.Bind(e), kong.Vars{"overlap": owner.DefaultOverlap},
		kong.Exit(func(code int) { panic(exited(code)) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: false, WrapUpperBound: 100}))
	if err != nil {
		panic(err) // the grammar above is wrong
	}
	switch {
	case len(args) == 0:
		args = []string{"--help"}
	case args[0] == "help": // as many other programs have it
		args = append(slices.Clone(args[1:]), "--help")
	}
	chosen, err := parser.Parse(args)
	if err != nil {
		return misused(e, err)
	}
	return report(e, chosen.Run(), chosen.Command())
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
		fmt.Fprintf(e.Stderr, "frontdesk %s: %v\nRun `frontdesk %s --help` for an example.\n", verb(called), err, verb(called))
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
