// Package cli is frontdesk's command line: each command is a struct whose fields are its flags and whose Run does
// it. Commands put rooms together through server and print; what they know of content they ask the house for.
//
// It stands at the top of the house: only cmd/frontdesk stands above it.
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

	"frontdesk/internal/infra/fail"
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
	Demo     demoCommand     `cmd:"" help:"Serve a sample site, to try frontdesk with nothing prepared."`
	Serve    serveCommand    `cmd:"" help:"Answer questions about your content."`
	Edge     edgeCommands    `cmd:"" help:"Stand before sites: answer AI agents without a licence, and deliver what was bought."`
	Broker   brokerCommand   `cmd:"" help:"Buy licensed content for agents, at whichever Exchange offers it best (RAMP)."`
	Ingest   ingestCommand   `cmd:"" help:"Read content into the database."`
	Sources  sourcesCommand  `cmd:"" help:"List the sources, how they stand, and when they are read next."`
	Licences licencesCommand `cmd:"" help:"Tell what was read of what sites state of the use of their addresses, and what is known of one address."`
	Ask      askCommand      `cmd:"" help:"Ask a question."`
	Await    awaitCommand    `cmd:"" help:"Have an answer that was promised for later, or cancel it."`
	Intent   intentCommands  `cmd:"" help:"Ask publishers for passages, and tell them what was cited (Agentic Intent Protocol)."`
	Intake   intakeCommands  `cmd:"" help:"Submit to businesses and accept their offers; erase or export what was submitted here (Agent Intake Protocol)."`
	Ramp     rampCommands    `cmd:"" name:"ramp" help:"Sell licensed content: who may ask, accounts, licences, subscriptions, and what they brought (RAMP)."`
	Check    checkCommand    `cmd:"" help:"Look at anybody's publisher, business, provider or Exchange from outside, or at a document of theirs."`
	MCP      mcpCommand      `cmd:"" name:"mcp" help:"Serve one agent over standard input and output (MCP)."`
	Eval     evalCommand     `cmd:"" help:"Measure how well questions are answered, by judged questions."`
	Model    modelCommands   `cmd:"" help:"Look at files of word vectors."`
	Config   configCommands  `cmd:"" help:"Check, show or begin a configuration file."`
	Terms    termsCommands   `cmd:"" help:"See what the terms decide."`
	Keys     keysCommands    `cmd:"" help:"Give out keys, rotate them, and take them back."`
	Console  consoleCommands `cmd:"" help:"Give people access to the owner's console."`
	Ledger   ledgerCommands  `cmd:"" help:"See what happened, export it, and check that nobody changed it."`
	Verify   verifyCommand   `cmd:"" help:"Check a receipt or an export of a ledger with nothing but the public key."`
	Backup   backupCommand   `cmd:"" help:"Write all that is kept into one file, while the server runs."`
	Restore  restoreCommand  `cmd:"" help:"Put a backup in place."`
	Version  versionCommand  `cmd:"" help:"Print the version."`
}

const description = `Frontdesk gives a site a front desk for people's questions and for AI agents.

Try it: frontdesk demo`

// environment is what a command sees of the world.
type environment struct {
	ctx            context.Context
	stdin          io.Reader
	stdout, stderr io.Writer
	env            []string
}

func (e *environment) print(format string, args ...any) { fmt.Fprintf(e.stdout, format, args...) }

// usageError is a mistake in how a command was called.
type usageError struct{ message string }

func (e usageError) Error() string { return e.message }

func usage(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// errTold is a failure that was told already.
var errTold = errors.New("")

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
	return (&environment{ctx, stdin, stdout, stderr, os.Environ()}).run(args)
}

// run runs a command line, and gives the exit code.
func (e *environment) run(args []string) (code int) {
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
		kong.Name("frontdesk"), kong.Description(description), kong.Writers(e.stdout, e.stderr), kong.Bind(e), kong.Vars{"overlap": defaultOverlap},
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
	command, err := parser.Parse(args)
	if err != nil {
		return e.misused(err)
	}
	return e.report(command.Run(), command.Command())
}

// misused says what is wrong with a command line, and where to read what is right.
func (e *environment) misused(err error) int {
	where := ""
	var wrong *kong.ParseError
	if errors.As(err, &wrong) && wrong.Context != nil {
		if node := wrong.Context.Selected(); node != nil {
			where = " " + node.Path()
		}
	}
	fmt.Fprintf(e.stderr, "frontdesk: %v\nRun `frontdesk%s --help` to see what is there.\n", err, where)
	return exitUsage
}

// report prints the error of a command, if there is one, and gives the exit code.
func (e *environment) report(err error, command string) int {
	var wrong usageError
	var findings yamlconf.Findings
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errTold):
	case errors.As(err, &wrong):
		fmt.Fprintf(e.stderr, "frontdesk %s: %v\nRun `frontdesk %s --help` for an example.\n", verb(command), err, verb(command))
		return exitUsage
	case errors.As(err, &findings):
		fmt.Fprintln(e.stderr, findings.Error())
	case e.ctx.Err() != nil:
		fmt.Fprintln(e.stderr, "frontdesk: stopped before the end")
	default:
		fmt.Fprintf(e.stderr, "frontdesk: %s\n", explained(err))
	}
	return exitFailure
}

// explained is an error's text for the owner, who may know the cause and has no use for codes.
func explained(err error) string {
	var coded *fail.Error
	if !errors.As(err, &coded) {
		return err.Error()
	}
	if cause := coded.Unwrap(); cause != nil && !strings.Contains(coded.Detail, cause.Error()) {
		return fmt.Sprintf("%s (%v)", coded.Detail, cause)
	}
	return coded.Detail
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
